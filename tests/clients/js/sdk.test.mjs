// What users of the JavaScript SDK v3 do: the document client, waiters, paginators, errors with their members.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DeleteTableCommand, DescribeTableCommand, DynamoDBClient, PutItemCommand,
         UpdateTableCommand, waitUntilTableExists, waitUntilTableNotExists } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, BatchWriteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand,
         TransactGetCommand, TransactWriteCommand, UpdateCommand, paginateScan } from '@aws-sdk/lib-dynamodb';

const client = new DynamoDBClient({ endpoint: process.env.ENDPOINT, region: 'eu-central-1', maxAttempts: 1,
                                    credentials: { accessKeyId: 'x', secretAccessKey: 'y' } });
const documents = DynamoDBDocumentClient.from(client);
const TableName = 'documents';

before(async () => {
  await client.send(new CreateTableCommand({
    TableName, BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'sk', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'sk', KeyType: 'RANGE' }] }));
  const began = Date.now();
  await waitUntilTableExists({ client, maxWaitTime: 30 }, { TableName });
  assert.ok(Date.now() - began < 2000, 'the table is there at the first look');
});
after(async () => {
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, maxWaitTime: 30 }, { TableName });
  client.destroy();
});

test('documents come back as they went in', async () => {
  const Item = { pk: 'a', sk: 1, list: [1, 'two', { three: null }], tags: new Set(['x', 'y']), flag: true,
                 bytes: new Uint8Array([0, 255]), text: 'ü\u0000😀', empty: '' };
  await documents.send(new PutCommand({ TableName, Item }));
  const got = await documents.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 1 } }));
  assert.deepEqual(got.Item, Item);
});

test('an update answers its new values', async () => {
  const got = await documents.send(new UpdateCommand({
    TableName, Key: { pk: 'b', sk: 1 }, UpdateExpression: 'SET #n = if_not_exists(#n, :zero) + :one',
    ExpressionAttributeNames: { '#n': 'n' }, ExpressionAttributeValues: { ':zero': 0, ':one': 1 },
    ReturnValues: 'ALL_NEW' }));
  assert.deepEqual(got.Attributes, { pk: 'b', sk: 1, n: 1 });
});

test('pages of a scan and a query backwards', async () => {
  for (let sk = 0; sk < 25; sk++) await documents.send(new PutCommand({ TableName, Item: { pk: 'p', sk } }));
  const seen = [];
  for await (const page of paginateScan({ client: documents, pageSize: 7 },
                                        { TableName, FilterExpression: 'pk = :p OR sk = :none',
                                          ExpressionAttributeValues: { ':p': 'p', ':none': -1 } })) {
    seen.push(...page.Items.map((item) => item.sk));
  }
  assert.deepEqual(seen.sort((a, b) => a - b), Array.from({ length: 25 }, (_, i) => i));
  const last = await documents.send(new QueryCommand({
    TableName, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'p' }, ScanIndexForward: false,
    Limit: 2 }));
  assert.deepEqual(last.Items.map((item) => item.sk), [24, 23]);
});

test('a batch is written and got', async () => {
  const written = await documents.send(new BatchWriteCommand({
    RequestItems: { [TableName]: Array.from({ length: 25 }, (_, sk) => ({ PutRequest: { Item: { pk: 'batch', sk } } })) },
    ReturnConsumedCapacity: 'TOTAL' }));
  assert.deepEqual(written.UnprocessedItems, {});
  assert.deepEqual(written.ConsumedCapacity, [{ TableName, CapacityUnits: 25 }]);
  const got = await documents.send(new BatchGetCommand({
    RequestItems: { [TableName]: { Keys: [{ pk: 'batch', sk: 3 }, { pk: 'batch', sk: 99 }, { pk: 'batch', sk: 7 }] } } }));
  assert.deepEqual(got.Responses[TableName].map((item) => item.sk).sort(), [3, 7]);
  await assert.rejects(documents.send(new BatchWriteCommand({
    RequestItems: { [TableName]: [{ DeleteRequest: { Key: { pk: 'batch', sk: 1 } } },
                                  { PutRequest: { Item: { pk: 'batch', sk: 1 } } }] } })),
  { name: 'ValidationException', message: 'Provided list of item keys contains duplicates' });
});

test('a cancelled transaction carries its reasons', async () => {
  await documents.send(new TransactWriteCommand({ TransactItems: [
    { Put: { TableName, Item: { pk: 'tx', sk: 1, n: 1 } } },
    { ConditionCheck: { TableName, Key: { pk: 'tx', sk: 2 }, ConditionExpression: 'attribute_not_exists(pk)' } }] }));
  await assert.rejects(documents.send(new TransactWriteCommand({ TransactItems: [
    { Put: { TableName, Item: { pk: 'tx', sk: 3 } } },
    { Delete: { TableName, Key: { pk: 'tx', sk: 1 }, ConditionExpression: 'n > :n', ExpressionAttributeValues: { ':n': 1 },
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }] })),
  (error) => {
    assert.equal(error.name, 'TransactionCanceledException');
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['None', 'ConditionalCheckFailed']);
    return true;
  });
  const got = await documents.send(new TransactGetCommand({ TransactItems: [3, 1].map(
    (sk) => ({ Get: { TableName, Key: { pk: 'tx', sk } } })) }));
  assert.deepEqual(got.Responses.map((answer) => answer.Item), [undefined, { pk: 'tx', sk: 1, n: 1 }]);
});

test('a failed condition is its own class and carries the item', async () => {
  await documents.send(new PutCommand({ TableName, Item: { pk: 'c', sk: 1, v: 7 } }));
  await assert.rejects(
    client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'c' }, sk: { N: '1' } },
                                     ConditionExpression: 'attribute_not_exists(pk)',
                                     ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })),
    (error) => error.name === 'ConditionalCheckFailedException' && error.Item.v.N === '7');
});

test('a throttle says which limit, on which table', async () => {
  const name = 'documents.throttled';
  const post = (path, method, body) => fetch(process.env.ENDPOINT + path, { method, body: JSON.stringify(body) });
  await client.send(new CreateTableCommand({
    TableName: name, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }));
  await post('/_thermodyn/clock', 'PUT', { mode: 'manual' });
  const put = () => client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: 'x' } } }));
  try {
    for (let i = 0; i < 300; i++) await put();
    await assert.rejects(put(), (error) => {
      assert.equal(error.name, 'ProvisionedThroughputExceededException');
      assert.deepEqual(error.ThrottlingReasons, [{ reason: 'TableWriteProvisionedThroughputExceeded',
        resource: `arn:aws:dynamodb:eu-central-1:000000000000:table/${name}` }]);
      return true;
    });
    await client.send(new UpdateTableCommand({ TableName: name, BillingMode: 'PAY_PER_REQUEST' }));
    await post('/_thermodyn/clock/advance', 'POST', { ms: 3000 });
    await put();
  } finally {
    await post('/_thermodyn/clock', 'PUT', { mode: 'real', rate: 1 });
  }
});

test('a described table names its region', async () => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.TableArn, 'arn:aws:dynamodb:eu-central-1:000000000000:table/documents');
  assert.ok(Table.CreationDateTime instanceof Date && Math.abs(Table.CreationDateTime - Date.now()) < 600000);
});
