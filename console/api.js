// api.js: requests to the server that serves this page, and the same requests as a shell command.
import { h, say, dialog } from './dom.js';

const PREFIX = '/_thermodyn/';
const READ_MS_MAX = 30000; /* after which what was asked for is lost, and is asked for again by whoever polls */

/** What the server refused, or what kept it from answering (status 0). */
export class ApiError extends Error {
  constructor(status, message, type = '') {
    super(message);
    this.status = status;
    this.type = type;
  }
}

async function send(path, options) {
  const aborter = new AbortController();
  const timer = options.method === 'GET' && setTimeout(() => aborter.abort(), READ_MS_MAX);
  let response;
  let text;
  try {
    response = await fetch(path, { cache: 'no-store', signal: aborter.signal, ...options });
    text = await response.text();
  } catch {
    throw new ApiError(0, 'The server does not answer.');
  } finally {
    clearTimeout(timer);
  }
  let document = {};
  try {
    document = JSON.parse(text);
  } catch {
    throw new ApiError(response.status, `The answer is not JSON (status ${response.status}).`);
  }
  if (response.ok) return document;
  const type = String(document.__type ?? '')
    .split('#')
    .pop();
  throw new ApiError(response.status, document.error ?? document.message ?? document.Message ?? type, type);
}

/** "tables?x=1" with the query's members that are there. */
export function path(name, query = {}) {
  const parts = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = parts.map(([key, value]) => `${key}=${key === 'scope' ? value : encodeURIComponent(value)}`).join('&');
  return PREFIX + name + (text ? `?${text}` : '');
}

/** A request to a control endpoint. */
export function control(method, url, body) {
  return send(url, { method, body: body === undefined ? undefined : JSON.stringify(body) });
}

/** The headers of a DynamoDB request. Any credentials do; with isolated callers they say whose tables are meant. */
function dynamoHeaders(operation, scope) {
  const [key, region] = scope
    ? [scope.slice(0, scope.lastIndexOf('/')), scope.slice(scope.lastIndexOf('/') + 1)]
    : [];
  const day = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': `DynamoDB_20120810.${operation}`,
    'X-Amz-Date': day,
    Authorization:
      `AWS4-HMAC-SHA256 Credential=${key ?? 'console'}/${day.slice(0, 8)}/${region ?? 'us-east-1'}` +
      '/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0',
  };
}

/** A DynamoDB operation over the same port, metered like that of any client. */
export function dynamo(operation, input, scope) {
  return send('/', { method: 'POST', headers: dynamoHeaders(operation, scope), body: JSON.stringify(input) });
}

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

export function curlOf({ method = 'GET', url, body, headers = {} }) {
  const parts = ['curl'];
  if (method !== 'GET' && !(method === 'POST' && body !== undefined)) parts.push('-X', method);
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(`${name}: ${value}`));
  parts.push(quoted(location.origin + url));
  if (body !== undefined) parts.push('-d', quoted(JSON.stringify(body)));
  return parts.join(' ');
}

export function dynamoRequest(operation, input, scope) {
  return { method: 'POST', url: '/', body: input, headers: dynamoHeaders(operation, scope) };
}

/** A small button that copies the request which `request()` describes. */
export function curlButton(request, what = '') {
  return h(
    'button',
    {
      type: 'button',
      class: 'quiet curl',
      'aria-label': `Copy as curl${what && `: ${what}`}`,
      onclick: () => copy(curlOf(request())),
    },
    'curl',
  );
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied the request as a curl command.');
  } catch {
    /* outside of secure contexts there is no clipboard: the command is shown to be selected */
    const area = h('textarea', {
      readonly: true,
      rows: 5,
      'aria-label': 'The request as a curl command',
      value: text,
    });
    dialog('As a curl command', area);
    area.select();
  }
}

/** Sends a request, says how it went, and answers the document, or undefined when it was refused. */
export async function perform(request, done) {
  try {
    const answer = await control(request.method, request.url, request.body);
    if (done) say(done);
    return answer;
  } catch (error) {
    say(error.message, 'problem');
    return undefined;
  }
}

/** A button that sends a request, with the one beside it that copies it. */
export function action(label, request, done, after, props = {}) {
  const button = h(
    'button',
    {
      type: 'button',
      ...props,
      onclick: async () => {
        if ((await perform(request(), done)) !== undefined) after?.();
      },
    },
    label,
  );
  return h('span', { class: 'action' }, button, curlButton(request, label));
}
