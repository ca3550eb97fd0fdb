// values.js: DynamoDB JSON as plain JSON and as short text. Numbers keep all of their 38 digits: they are never parsed.

const INDENT = '  ';

/** Plain JSON of an attribute value, as text. Sets become lists, binary stays base64. */
export function plainJson(value, pad = '') {
  const [type, held] = Object.entries(value)[0];
  const inner = pad + INDENT;
  const list = (parts, open, close) =>
    parts.length === 0 ? open + close : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${pad}${close}`;
  switch (type) {
    case 'N':
      return held;
    case 'BOOL':
      return String(held);
    case 'NULL':
      return 'null';
    case 'L':
      return list(
        held.map((each) => plainJson(each, inner)),
        '[',
        ']',
      );
    case 'M':
      return list(
        Object.entries(held).map(([name, each]) => `${JSON.stringify(name)}: ${plainJson(each, inner)}`),
        '{',
        '}',
      );
    case 'NS':
      return list(held, '[', ']');
    case 'SS':
    case 'BS':
      return list(
        held.map((each) => JSON.stringify(each)),
        '[',
        ']',
      );
    default:
      return JSON.stringify(held);
  }
}

export const plainItem = (item) => plainJson({ M: item });

const SHORT_MAX = 120;

/** A value in a table's cell. */
export function shortText(value) {
  const [type, held] = Object.entries(value)[0];
  if (type === 'S' || type === 'N') return cut(held);
  if (type === 'B') return cut(`base64 ${held}`);
  return cut(plainJson(value).replace(/\s*\n\s*/g, ' '));
}

const cut = (text) => (text.length > SHORT_MAX ? `${text.slice(0, SHORT_MAX)}…` : text);

export const typeOf = (value) => Object.keys(value)[0];

/** What a form's text means as a value of a type. */
export function valueOf(type, text) {
  if (type === 'BOOL') return { BOOL: text.trim().toLowerCase() === 'true' };
  if (type === 'NULL') return { NULL: true };
  return { [type]: type === 'N' ? text.trim() : text };
}
