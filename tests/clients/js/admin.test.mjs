// dynamodb-admin, the browser's view of a database that developers keep open beside it, unchanged: started against the
// server as its users do, and asked for what its pages ask for when they are opened and their buttons are pressed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

const program = createRequire(import.meta.url).resolve('dynamodb-admin').replace('backend.js', 'dynamodb-admin.js');
const table = '/tables/Pets.of-all';
let admin, base, printed = '';

before(async () => {
  admin = spawn(process.execPath, [program, '--port', '0', '--host', '127.0.0.1'],
                { env: { ...process.env, DYNAMO_ENDPOINT: process.env.ENDPOINT }, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [admin.stdout, admin.stderr]) stream.on('data', (text) => { printed += text; });
  while (!(base = printed.match(/listening on (http:\S+)/)?.[1])) {
    assert.equal(admin.exitCode, null, `it ended instead of listening:\n${printed}`);
    await Promise.race([once(admin.stdout, 'data'), once(admin, 'exit')]);
  }
});
after(async () => {
  assert.equal(admin.exitCode, null, `it ended by itself:\n${printed}`);
  admin.kill();
  const [, signal] = await once(admin, 'exit');
  assert.equal(signal, 'SIGTERM');
});

// The text of a page, or what JSON it answers; `status` is what it must answer.
async function ask(method, path, { body, status = 200 } = {}) {
  const answer = await fetch(base + path, { method, body: body && JSON.stringify(body), redirect: 'manual',
                                            headers: body ? { 'Content-Type': 'application/json' } : {},
                                            signal: AbortSignal.timeout(20000) });
  const text = await answer.text();
  assert.equal(answer.status, status, `${method} ${path}: ${text}`);
  return answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : text;
}
const items = (query) => ask('GET', `${table}/items?` + new URLSearchParams(
  { ...query, ...(query.filters && { filters: JSON.stringify(query.filters) }) }));
const names = (page) => page.Items.map((item) => item.name);

// What the form sends, but for the numbers, which it sends as text.
const form = { TableDefinition: { TableName: 'Pets.of-all', HashAttributeName: 'owner', HashAttributeType: 'S',
                                  RangeAttributeName: 'name', RangeAttributeType: 'S',
                                  ReadCapacityUnits: 50, WriteCapacityUnits: 50 },
               SecondaryIndexes: [
                 { IndexName: 'byKind', IndexType: 'global', HashAttributeName: 'kind', HashAttributeType: 'S',
                   RangeAttributeName: 'age', RangeAttributeType: 'N', ReadCapacityUnits: 50, WriteCapacityUnits: 50 },
                 { IndexName: 'byAge', IndexType: 'local', HashAttributeName: 'owner', HashAttributeType: 'S',
                   RangeAttributeName: 'age', RangeAttributeType: 'N' }] };

// Lenient servers take it: aaronshaf/dynamodb-admin, issue 518. The service's answer: dynalite, createTable.
test("the form's text for a number is refused as by the service", async () => {
  assert.match(await ask('GET', '/create-table'), /secondary-index/);
  const TableDefinition = { ...form.TableDefinition, ReadCapacityUnits: '50', WriteCapacityUnits: '50' };
  assert.deepEqual(await ask('POST', '/create-table', { body: { TableDefinition }, status: 500 }),
                   { message: 'STRING_VALUE cannot be converted to Long' });
});

test('a table with both kinds of index is created', async () => {
  assert.match(await ask('GET', '/'), /Create table/);
  await ask('POST', '/create-table', { body: form, status: 204 });
  const [described] = await ask('GET', '/api/tables');
  assert.equal(described.TableStatus, 'ACTIVE');
  assert.deepEqual(described.GlobalSecondaryIndexes.map((index) => index.IndexName), ['byKind']);
  assert.deepEqual(described.LocalSecondaryIndexes.map((index) => index.IndexName), ['byAge']);
  assert.equal(described.ProvisionedThroughput.ReadCapacityUnits, 50);
  assert.match(await ask('GET', '/'), /Pets\.of-all/);
  assert.deepEqual(await ask('POST', '/create-table', { body: form, status: 500 }),
                   { message: 'Table already exists: Pets.of-all' });
});

test('items are added and edited', async () => {
  assert.match(await ask('GET', `${table}/add-item`), /owner/);
  for (let i = 0; i < 30; i++) {
    const body = { owner: 'ann', name: `pet${String(i).padStart(2, '0')}`, kind: i % 3 ? 'cat' : 'dog', age: i };
    assert.deepEqual(await ask('PUT', `${table}/add-item`, { body }), { owner: body.owner, name: body.name });
  }
  const nested = { owner: 'ben', name: 'Tom', kind: 'cat', age: 2.5, likes: ['fish', { cream: true }], note: null };
  await ask('PUT', `${table}/add-item`, { body: nested });
  assert.match(await ask('GET', `${table}/items/ben,Tom`), /cream/);
  const edited = { ...nested, age: 3, note: 'ü😀' };
  assert.deepEqual(await ask('PUT', `${table}/items/ben,Tom`, { body: edited }), edited);
  assert.deepEqual(await ask('PUT', `${table}/add-item`, { body: { owner: 'ben' }, status: 500 }),
                   { message: 'One or more parameter values were invalid: Missing the key name in the item' });
});

test('a table is browsed in pages', async () => {
  assert.match(await ask('GET', table), /begins_with/);
  const seen = [];
  let startKey = '';
  do {
    const page = await items({ pageSize: 12, startKey });
    assert.equal(page.uniqueKeys[0], 'owner');
    seen.push(...names(page));
    startKey = page.nextKey && decodeURIComponent(page.nextKey);
  } while (startKey);
  assert.equal(seen.length, 31);
  assert.equal(new Set(seen).size, 31);
});

test('a scan is filtered', async () => {
  const filters = { age: { type: 'N', operator: '>=', value: '28' }, kind: { type: 'S', operator: '<>', value: 'dog' } };
  assert.deepEqual(names(await items({ filters })).sort(), ['pet28', 'pet29']);
  assert.deepEqual(names(await items({ filters: { name: { type: 'S', operator: 'begins_with', value: 'T' } } })), ['Tom']);
});

test('a table and its index are queried', async () => {
  const owner = { type: 'S', operator: '=', value: 'ann' };
  const query = { operationType: 'query', queryableSelection: 'table' };
  const begins = { type: 'S', operator: 'begins_with', value: 'pet1' };
  assert.deepEqual(names(await items({ ...query, filters: { owner, name: begins } })),
                   Array.from({ length: 10 }, (_, i) => `pet1${i}`));
  const dogs = { kind: { type: 'S', operator: '=', value: 'dog' }, age: { type: 'N', operator: '<', value: '7' } };
  assert.deepEqual(names(await items({ ...query, queryableSelection: 'byKind', filters: dogs })),
                   ['pet00', 'pet03', 'pet06']);
});

test('an item is found by its key and deleted', async () => {
  assert.match(await ask('GET', `${table}/get`), /owner/);
  assert.match(await ask('GET', `${table}/get?hash=ben&range=Tom`, { status: 302 }), /items\/ben%2CTom|items\/ben,Tom/);
  await ask('DELETE', `${table}/items/ben,Tom`, { status: 204 });
  await ask('GET', `${table}/items/ben,Tom`, { status: 404 });
});

test('the pages about the table are shown', async () => {
  assert.match(await ask('GET', `${table}/meta`), /arn:aws:dynamodb:us-east-1:000000000000:table\/Pets\.of-all/);
  assert.match(await ask('GET', `${table}/ttl`), /DISABLED/);
});

test('tables are purged and deleted', async () => {
  const add = () => ask('PUT', `${table}/add-item`, { body: { owner: 'cis', name: 'Rex', kind: 'dog', age: 1 } });
  assert.equal((await items({ pageSize: 100 })).Items.length, 30);
  await ask('DELETE', `${table}/all`);
  assert.deepEqual((await items({})).Items, []);
  await add();
  assert.equal(await ask('DELETE', '/tables-purge'), 'Tables purged');
  assert.deepEqual((await items({})).Items, []);
  await ask('DELETE', table, { status: 204 });
  assert.deepEqual(await ask('GET', '/api/tables'), []);
  assert.match((await ask('GET', table, { status: 500 })).message, /^Requested resource not found: Table: Pets\.of-all/);
  await ask('POST', '/create-table', { body: form, status: 204 });
  assert.equal(await ask('DELETE', '/tables'), 'Tables deleted');
  assert.equal(await ask('DELETE', '/tables'), 'There are no tables to delete');
});
