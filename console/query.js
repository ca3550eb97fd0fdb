// query.js: the form over the items: of the table or an index, all of them or those of a key, with a filter.
import { field, fill, h, select } from './dom.js';
import { valueOf } from './values.js';

const SORT_OPERATORS = [
  ['=', 'is'],
  ['begins_with', 'begins with'],
  ['<', 'before'],
  ['<=', 'up to'],
  ['>', 'after'],
  ['>=', 'from'],
  ['BETWEEN', 'between'],
];
const FILTER_OPERATORS = [
  ['=', 'is'],
  ['<>', 'is not'],
  ['<', '<'],
  ['<=', '≤'],
  ['>', '>'],
  ['>=', '≥'],
  ['begins_with', 'begins with'],
  ['contains', 'contains'],
  ['attribute_exists', 'exists'],
  ['attribute_not_exists', 'does not exist'],
];
const FILTER_TYPES = [
  ['S', 'text'],
  ['N', 'number'],
  ['BOOL', 'true/false'],
  ['NULL', 'null'],
];
const PAGE_SIZE = 50;

const textInput = (props) => h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...props });

/** description: DescribeTable's Table. Answers {element, request(startKey)}: the operation and its input. */
export function queryForm(description, onrun) {
  const types = new Map(description.AttributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]));
  const indexes = [...(description.GlobalSecondaryIndexes ?? []), ...(description.LocalSecondaryIndexes ?? [])];
  const source = select([['', 'Table'], ...indexes.map((each) => [each.IndexName, `Index ${each.IndexName}`])], '', {
    onchange: () => showKeys(),
  });
  const keyPart = h('div', { class: 'form-row' });
  const filters = h('div', { class: 'filters' });
  let hashes = [];
  let sort = null;

  function showKeys() {
    const schema = (indexes.find((each) => each.IndexName === source.value) ?? description).KeySchema;
    hashes = schema
      .filter((each) => each.KeyType === 'HASH')
      .map((each) => ({ name: each.AttributeName, input: textInput({ placeholder: 'any' }) }));
    const sortName = schema.find((each) => each.KeyType === 'RANGE')?.AttributeName;
    sort = sortName && {
      name: sortName,
      operator: select(SORT_OPERATORS, '=', {
        'aria-label': `How ${sortName} compares`,
        onchange: () => {
          sort.second.hidden = sort.operator.value !== 'BETWEEN';
        },
      }),
      first: textInput({ placeholder: 'any', 'aria-label': `${sortName}, sort key` }),
      second: textInput({ hidden: true, 'aria-label': `${sortName}, upper end` }),
    };
    fill(
      keyPart,
      hashes.map(({ name, input }) => field(`${name} (partition key, ${types.get(name)})`, input)),
      sort &&
        h(
          'div',
          { class: 'field' },
          h('span', {}, `${sort.name} (sort key, ${types.get(sort.name)})`),
          h('span', { class: 'row tight' }, sort.operator, sort.first, sort.second),
        ),
    );
  }

  function addFilter() {
    const row = {
      name: textInput({ 'aria-label': 'Attribute of the filter', placeholder: 'attribute' }),
      operator: select(FILTER_OPERATORS, '=', { 'aria-label': 'How the filter compares' }),
      type: select(FILTER_TYPES, 'S', { 'aria-label': 'Type of the filter’s value' }),
      value: textInput({ 'aria-label': 'Value of the filter', placeholder: 'value' }),
    };
    const element = h(
      'div',
      { class: 'row tight filter' },
      row.name,
      row.operator,
      row.type,
      row.value,
      h(
        'button',
        { type: 'button', class: 'quiet', 'aria-label': 'Remove this filter', onclick: () => element.remove() },
        '×',
      ),
    );
    element.filter = row;
    filters.append(element);
    row.name.focus();
  }

  /** Collects names and values of an expression. */
  function expressions() {
    const names = {};
    const values = {};
    const nameOf = (name) => {
      const found = Object.entries(names).find(([, held]) => held === name);
      const label = found?.[0] ?? `#n${Object.keys(names).length}`;
      names[label] = name;
      return label;
    };
    const add = (value) => {
      const label = `:v${Object.keys(values).length}`;
      values[label] = value;
      return label;
    };
    return { names, values, nameOf, add };
  }

  function keyCondition({ nameOf, add }) {
    const parts = hashes.map(({ name, input }) => `${nameOf(name)} = ${add(valueOf(types.get(name), input.value))}`);
    if (sort && sort.first.value !== '') {
      const type = types.get(sort.name);
      const [name, first] = [nameOf(sort.name), add(valueOf(type, sort.first.value))];
      if (sort.operator.value === 'begins_with') parts.push(`begins_with(${name}, ${first})`);
      else if (sort.operator.value === 'BETWEEN')
        parts.push(`${name} BETWEEN ${first} AND ${add(valueOf(type, sort.second.value))}`);
      else parts.push(`${name} ${sort.operator.value} ${first}`);
    }
    return parts.join(' AND ');
  }

  function filterExpression({ nameOf, add }) {
    return [...filters.children]
      .map((each) => each.filter)
      .filter((each) => each.name.value.trim() !== '')
      .map((each) => {
        const name = nameOf(each.name.value.trim());
        const operator = each.operator.value;
        if (operator.startsWith('attribute_')) return `${operator}(${name})`;
        const value = add(valueOf(each.type.value, each.value.value));
        return /^[a-z]/.test(operator) ? `${operator}(${name}, ${value})` : `${name} ${operator} ${value}`;
      })
      .join(' AND ');
  }

  /** Without a partition key everything is scanned. */
  function request(startKey) {
    const isQuery = hashes.every(({ input }) => input.value !== '');
    const made = expressions();
    const input = { TableName: description.TableName, Limit: PAGE_SIZE, ReturnConsumedCapacity: 'TOTAL' };
    if (source.value) input.IndexName = source.value;
    if (isQuery) input.KeyConditionExpression = keyCondition(made);
    const filter = filterExpression(made);
    if (filter) input.FilterExpression = filter;
    if (Object.keys(made.names).length > 0) input.ExpressionAttributeNames = made.names;
    if (Object.keys(made.values).length > 0) input.ExpressionAttributeValues = made.values;
    if (startKey) input.ExclusiveStartKey = startKey;
    return { operation: isQuery ? 'Query' : 'Scan', input };
  }

  const element = h(
    'form',
    {
      class: 'query',
      onsubmit: (event) => {
        event.preventDefault();
        onrun();
      },
    },
    h('div', { class: 'form-row' }, field('Of', source), keyPart),
    filters,
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'submit', class: 'primary' }, 'Show'),
      h('button', { type: 'button', onclick: addFilter }, 'Add a filter'),
      h('span', { class: 'muted small' }, 'Without a partition key: a Scan. Both are metered like any client’s.'),
    ),
  );
  showKeys();
  return { element, request };
}
