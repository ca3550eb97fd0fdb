// Object mappers and stores that people build on DynamoDB do a small real use each, unchanged: create, write, query, page,
// transact, delete.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Entity as ElectroEntity, Service } from 'electrodb';
import { Table as ToolboxTable } from 'dynamodb-toolbox/table';
import { Entity as ToolboxEntity } from 'dynamodb-toolbox/entity';
import { item } from 'dynamodb-toolbox/schema/item';
import { string } from 'dynamodb-toolbox/schema/string';
import { number } from 'dynamodb-toolbox/schema/number';
import { PutItemCommand as ToolboxPut } from 'dynamodb-toolbox/entity/actions/put';
import { GetItemCommand as ToolboxGet } from 'dynamodb-toolbox/entity/actions/get';
import { UpdateItemCommand as ToolboxUpdate, $add } from 'dynamodb-toolbox/entity/actions/update';
import { DeleteItemCommand as ToolboxDelete } from 'dynamodb-toolbox/entity/actions/delete';
import { QueryCommand as ToolboxQuery } from 'dynamodb-toolbox/table/actions/query';
import { PutTransaction } from 'dynamodb-toolbox/entity/actions/transactPut';
import { execute as toolboxTransact } from 'dynamodb-toolbox/entity/actions/transactWrite';
import { Dynamo } from 'dynamodb-onetable/Dynamo';
import { Table as OneTable } from 'dynamodb-onetable';
import Keyv from 'keyv';
import { KeyvDynamo } from '@keyv/dynamo';

const require = createRequire(import.meta.url);
const options = { endpoint: process.env.ENDPOINT, region: 'us-east-1', maxAttempts: 1,
                  credentials: { accessKeyId: 'x', secretAccessKey: 'y' } };
const client = new DynamoDBClient(options);
const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

// A single-table design: pk, sk and one global index.
const single = (TableName) => new CreateTableCommand({
  TableName, BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk', 'gpk', 'gsk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }],
  GlobalSecondaryIndexes: [{ IndexName: 'gs1', Projection: { ProjectionType: 'ALL' },
                             KeySchema: [{ AttributeName: 'gpk', KeyType: 'HASH' },
                                         { AttributeName: 'gsk', KeyType: 'RANGE' }] }] });
const tables = ['electro', 'toolbox', 'onetable'];
before(async () => { for (const name of tables) await client.send(single(name)); });
after(async () => {
  for (const name of tables) await client.send(new DeleteTableCommand({ TableName: name }));
  client.destroy();
});

test('ElectroDB', async () => {
  const Task = new ElectroEntity({
    model: { entity: 'task', version: '1', service: 'work' },
    attributes: { team: { type: 'string', required: true }, id: { type: 'string', required: true },
                  status: { type: ['open', 'done'], default: 'open' }, points: { type: 'number', default: 1 } },
    indexes: { byTeam: { pk: { field: 'pk', composite: ['team'] }, sk: { field: 'sk', composite: ['id'] } },
               byStatus: { index: 'gs1', pk: { field: 'gpk', composite: ['status'] },
                           sk: { field: 'gsk', composite: ['team', 'id'] } } } }, { client: documents, table: 'electro' });
  for (let i = 0; i < 12; i++) await Task.create({ team: 'red', id: `t${String(i).padStart(2, '0')}` }).go();
  await assert.rejects(Task.create({ team: 'red', id: 't00' }).go());
  const changed = await Task.update({ team: 'red', id: 't03' }).set({ status: 'done' }).add({ points: 4 })
    .go({ response: 'all_new' });
  assert.equal(changed.data.points, 5);
  const ids = [];
  let cursor = null;
  do {
    const page = await Task.query.byTeam({ team: 'red' }).go({ cursor, limit: 5 });
    ids.push(...page.data.map((task) => task.id));
    cursor = page.cursor;
  } while (cursor);
  assert.equal(ids.length, 12);
  const open = await Task.query.byStatus({ status: 'open' }).where(({ points }, { gte }) => gte(points, 1)).go();
  assert.equal(open.data.length, 11);
  const work = new Service({ task: Task });
  const { canceled } = await work.transaction.write(({ task }) => [
    task.remove({ team: 'red', id: 't00' }).commit(),
    task.create({ team: 'blue', id: 'x' }).commit(),
  ]).go();
  assert.equal(canceled, false);
  const several = await Task.get([{ team: 'red', id: 't01' }, { team: 'blue', id: 'x' }]).go();
  assert.equal(several.data.length, 2);
});

test('DynamoDB-Toolbox', async () => {
  const table = new ToolboxTable({ name: 'toolbox', documentClient: documents,
                                   partitionKey: { name: 'pk', type: 'string' }, sortKey: { name: 'sk', type: 'string' } });
  const Pet = new ToolboxEntity({ name: 'Pet', table,
    schema: item({ owner: string().key().savedAs('pk'), name: string().key().savedAs('sk'), age: number() }) });
  for (const name of ['Ada', 'Bea', 'Cis']) await Pet.build(ToolboxPut).item({ owner: 'ann', name, age: 1 }).send();
  await Pet.build(ToolboxUpdate).item({ owner: 'ann', name: 'Bea', age: $add(2) }).send();
  const got = await Pet.build(ToolboxGet).key({ owner: 'ann', name: 'Bea' }).options({ consistent: true }).send();
  assert.equal(got.Item.age, 3);
  const page = await table.build(ToolboxQuery).query({ partition: 'ann', range: { gt: 'Ada' } }).entities(Pet)
    .options({ limit: 1 }).send();
  assert.deepEqual(page.Items.map((pet) => pet.name), ['Bea']);
  assert.ok(page.LastEvaluatedKey);
  await toolboxTransact(Pet.build(PutTransaction).item({ owner: 'ben', name: 'Dot', age: 5 }),
                        Pet.build(PutTransaction).item({ owner: 'ben', name: 'Eli', age: 6 }));
  await Pet.build(ToolboxDelete).key({ owner: 'ann', name: 'Ada' }).send();
  const rest = await table.build(ToolboxQuery).query({ partition: 'ann' }).entities(Pet).send();
  assert.equal(rest.Items.length, 2);
});

test('DynamoDB OneTable', async () => {
  const schema = { format: 'onetable:1.1.0', version: '0.0.1', params: { isoDates: true, timestamps: true },
                   indexes: { primary: { hash: 'pk', sort: 'sk' }, gs1: { hash: 'gpk', sort: 'gsk', project: 'all' } },
                   models: { User: { pk: { type: String, value: 'user#${id}' }, sk: { type: String, value: 'user#' },
                                     gpk: { type: String, value: 'user#' }, gsk: { type: String, value: 'user#${email}' },
                                     id: { type: String, required: true }, n: { type: Number, default: 0 },
                                     email: { type: String, unique: true } } } };
  const table = new OneTable({ client: new Dynamo({ client }), name: 'onetable', schema, partial: true });
  const User = table.getModel('User');
  for (let i = 0; i < 5; i++) await User.create({ id: String(i), email: `u${i}@example.com` }); // a transaction each
  await assert.rejects(User.create({ id: '9', email: 'u1@example.com' }));
  const updated = await User.update({ id: '1' }, { add: { n: 3 }, return: 'get' });
  assert.equal(updated.n, 3);
  const found = await User.find({}, { index: 'gs1', limit: 3 });
  assert.equal(found.length, 3);
  assert.ok(found.next);
  await User.remove({ id: '0' });
  assert.equal(await User.get({ id: '0' }), undefined);
});

test('dynamoose', async () => {
  const dynamoose = require('dynamoose');
  dynamoose.aws.ddb.set(new dynamoose.aws.ddb.DynamoDB(options));
  const Cat = dynamoose.model('Cat', new dynamoose.Schema({
    id: String, name: { type: String, index: { name: 'byName', type: 'global' } }, lives: Number }),
    { throughput: 'ON_DEMAND' });
  for (const [id, name] of [['1', 'Tom'], ['2', 'Tom'], ['3', 'Kit']]) await Cat.create({ id, name, lives: 9 });
  await Cat.update({ id: '1' }, { $ADD: { lives: -1 } });
  assert.equal((await Cat.get('1')).lives, 8);
  assert.equal((await Cat.query('name').eq('Tom').exec()).length, 2);
  assert.equal((await Cat.scan().limit(2).exec()).length, 2);
  await dynamoose.transaction([Cat.transaction.create({ id: '4', name: 'Ray', lives: 9 }), Cat.transaction.delete('3')]);
  assert.equal((await Cat.batchGet(['1', '4', '3'])).length, 2);
  await Cat.batchDelete(['1', '2', '4']);
  assert.equal((await Cat.scan().exec()).length, 0);
});

test('Keyv', async () => {
  const keyv = new Keyv({ store: new KeyvDynamo({ ...options, tableName: 'keyv' }) });
  assert.equal(await keyv.set('a', { n: 1 }, 60000), true);
  assert.deepEqual(await keyv.get('a'), { n: 1 });
  assert.equal(await keyv.delete('a'), true);
  assert.equal(await keyv.get('a'), undefined);
});

test('connect-dynamodb', async () => {
  function Store() {}
  const DynamoDBStore = require('connect-dynamodb')({ Store });
  const store = new DynamoDBStore({ client, table: 'sessions', reapInterval: 0,
                                    initialized: false });
  await store.initialize();
  const call = (name, ...args) => new Promise((resolve, reject) => {
    store[name](...args, (error, value) => (error ? reject(error) : resolve(value)));
  });
  await call('set', 's1', { cookie: { maxAge: 60000 }, user: 'ann' });
  assert.equal((await call('get', 's1')).user, 'ann');
  await call('touch', 's1', { cookie: { maxAge: 120000 } });
  await call('destroy', 's1');
  assert.ok(!(await call('get', 's1')));
});
