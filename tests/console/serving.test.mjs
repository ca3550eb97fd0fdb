// How the console's files are served: types, tags, packing, the policy, and who gets the page.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startServer } from './support.mjs';

const folder = new URL('../../console/', import.meta.url);
const PAGE = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
let server;

before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** Answers {status, headers, body: Buffer}; nothing is unpacked. */
function get(path, headers = {}, method = 'GET') {
  return new Promise((resolve, reject) => {
    request(server.url + path, { headers, method }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test('a browser gets the page, a program the list of endpoints', async () => {
  const page = await get('/_thermodyn/', PAGE);
  assert.equal(page.status, 200);
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.deepEqual(page.body, readFileSync(new URL('index.html', folder)));
  for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }]) {
    const list = await get('/_thermodyn/', headers);
    assert.equal(list.headers['content-type'], 'application/json');
    assert.equal(JSON.parse(list.body).name, 'thermodyn');
  }
});

test('a browser is led to the address below which the files lie', async () => {
  for (const path of ['/', '/_thermodyn']) {
    const answer = await get(path, PAGE);
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.location, '/_thermodyn/');
  }
});

test('every file is served as it is, with its type', async () => {
  const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
  const names = readdirSync(folder).filter((name) => name !== 'index.html');
  assert.ok(names.length > 10);
  for (const name of names) {
    const answer = await get(`/_thermodyn/${name}`);
    assert.equal(answer.status, 200, name);
    assert.equal(answer.headers['content-type'], types[name.split('.').pop()], name);
    assert.deepEqual(answer.body, readFileSync(new URL(name, folder)), name);
  }
});

test('what is not there is 404, and what changes nothing is all that a file takes', async () => {
  for (const path of [
    '/_thermodyn/none.js',
    '/_thermodyn/index.html',
    '/_thermodyn/../route.c',
    '/_thermodyn/app.js/',
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }
  const put = await get('/_thermodyn/app.js', {}, 'PUT');
  assert.equal(put.status, 404);
  const head = await get('/_thermodyn/app.js', {}, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.body.length, 0);
});

test('a file that the browser has is not sent again', async () => {
  const first = await get('/_thermodyn/app.js');
  const tag = first.headers.etag;
  assert.match(tag, /^W\/"[0-9a-f]{16}"$/);
  assert.equal(first.headers['cache-control'], 'no-cache');
  for (const list of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
    const again = await get('/_thermodyn/app.js', { 'If-None-Match': list });
    assert.equal(again.status, 304, list);
    assert.equal(again.headers.etag, tag);
    assert.equal(again.body.length, 0);
  }
  assert.equal((await get('/_thermodyn/app.js', { 'If-None-Match': '"other"' })).status, 200);
});

test('files are packed for those who take it', async () => {
  const plain = await get('/_thermodyn/table.js');
  const packed = await get('/_thermodyn/table.js', { 'Accept-Encoding': 'gzip' });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.ok(packed.body.length < plain.body.length / 2);
  assert.deepEqual(gunzipSync(packed.body), plain.body);
  assert.match(packed.headers.vary, /Accept-Encoding/);
});

test('the page may load from its own server alone, and from no frame', async () => {
  const { headers } = await get('/_thermodyn/', PAGE);
  const policy = headers['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|http|data:/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  for (const name of readdirSync(folder)) {
    assert.doesNotMatch(
      readFileSync(new URL(name, folder), 'utf8'),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/,
      name,
    );
  }
});

test('a page of another name gets nothing', async () => {
  const answer = await get('/_thermodyn/', { ...PAGE, Host: 'evil.example' });
  assert.equal(answer.status, 403);
  assert.equal((await get('/_thermodyn/app.js', { Host: 'evil.example' })).status, 403);
});
