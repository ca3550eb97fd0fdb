// Fault rules as the JavaScript SDK v3 sees them: each kind as the exception of its own class, retries included.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import * as dynamodb from '@aws-sdk/client-dynamodb';

const { BatchGetItemCommand, BatchWriteItemCommand, CreateTableCommand, DynamoDBClient, DynamoDBServiceException,
        GetItemCommand, PutItemCommand, TransactWriteItemsCommand } = dynamodb;
const TableName = 'faults';
const item = (key) => ({ pk: { S: key } });

function clientOf(maxAttempts, more = {}) {
  return new DynamoDBClient({ endpoint: process.env.ENDPOINT, region: 'us-east-1', maxAttempts,
                              credentials: { accessKeyId: 'x', secretAccessKey: 'y' }, ...more });
}
const client = clientOf(1);

async function control(method, path, body) {
  const answer = await fetch(`${process.env.ENDPOINT}/_thermodyn${path}`,
                             { method, body: body && JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}
const rule = (inject, match = { operation: 'PutItem' }, more = {}) =>
  control('POST', '/faults', { match, inject, ...more });
const injected = async () => (await control('GET', '/faults')).rules.map((one) => one.injected);
const put = (key, by = client) => by.send(new PutItemCommand({ TableName, Item: item(key) }));
const get = async (key) => (await client.send(new GetItemCommand({ TableName, Key: item(key) }))).Item;

before(async () => {
  await client.send(new CreateTableCommand({
    TableName, BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }));
});
after(async () => {
  await control('POST', '/reset');
  client.destroy();
});
beforeEach(() => control('DELETE', '/faults'));

async function caughtBy(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

const statuses = { InternalServerError: 500, InvalidEndpointException: 421 };

test('every exception of the service is thrown as its own class', async () => {
  const classes = Object.entries(dynamodb).filter(([, one]) => one?.prototype instanceof DynamoDBServiceException);
  assert.ok(classes.length > 30, `${classes.length} classes`);
  for (const [name, kind] of classes) {
    await control('DELETE', '/faults');
    await rule({ error: name, message: 'words of the rule' });
    const error = await caughtBy(put('a'));
    assert.ok(error instanceof kind, `${name}: ${error.name}`);
    assert.equal(error.name, name);
    assert.equal(error.message || error.Message, 'words of the rule', name);
    assert.equal(error.$metadata.httpStatusCode, statuses[name] ?? 400, name);
  }
});

test('a throttle tells which limit of what it exceeded', async () => {
  await rule({ error: 'ProvisionedThroughputExceededException', reason: 'IndexWriteProvisionedThroughputExceeded',
               index: 'by-date' });
  const error = await caughtBy(put('a'));
  assert.ok(error instanceof dynamodb.ProvisionedThroughputExceededException);
  if (error.ThrottlingReasons) { // newer versions of the SDK know the member
    assert.deepEqual(error.ThrottlingReasons, [{
      reason: 'IndexWriteProvisionedThroughputExceeded',
      resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/faults/index/by-date' }]);
  }
});

test('errors outside of the model have their name and status', async () => {
  for (const [name, status] of [['ThrottlingException', 400], ['ValidationException', 400],
                                ['ExpiredTokenException', 400], ['InternalFailure', 500], ['ServiceUnavailable', 503]]) {
    await control('DELETE', '/faults');
    await rule({ error: name });
    const error = await caughtBy(put('a'));
    assert.equal(error.name, name);
    assert.equal(error.$metadata.httpStatusCode, status);
  }
});

test('retries outlast a rule with times', async () => {
  const patient = clientOf(3);
  for (const error of ['InternalServerError', 'ProvisionedThroughputExceededException', 'ThrottlingException']) {
    await control('DELETE', '/faults');
    await rule({ error }, { operation: 'PutItem' }, { times: 2 });
    assert.equal((await put('a', patient)).$metadata.attempts, 3, error);
  }
  patient.destroy();
});

test('a cancelled transaction tells its reasons', async () => {
  await rule({ error: 'ThrottlingException' }, { operation: 'TransactWriteItems', key: item('t1') });
  const TransactItems = ['t1', 't2'].map((key) => ({ Put: { TableName, Item: item(key) } }));
  const error = await caughtBy(client.send(new TransactWriteItemsCommand({ TransactItems })));
  assert.ok(error instanceof dynamodb.TransactionCanceledException);
  assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['ThrottlingError', 'None']);
  assert.equal(await get('t2'), undefined);
});

test('elements are left unprocessed', async () => {
  await rule({ unprocessed: true }, { key: item('b') });
  const requests = ['a', 'b'].map((key) => ({ PutRequest: { Item: item(key) } }));
  const written = await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }));
  assert.deepEqual(written.UnprocessedItems, { [TableName]: [requests[1]] });
  const got = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [item('a'), item('b')] } } }));
  assert.deepEqual(got.UnprocessedKeys, { [TableName]: { Keys: [item('b')] } });
  assert.deepEqual(got.Responses, { [TableName]: [item('a')] });
});

test('a latency is waited for, or given up', async () => {
  await rule({ latency_ms: { min: 300, max: 310 } });
  const began = Date.now();
  await put('a');
  assert.ok(Date.now() - began >= 299, 'the answer waits');
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  const error = await caughtBy(client.send(new PutItemCommand({ TableName, Item: item('given-up') }),
                                           { abortSignal: abort.signal }));
  assert.equal(error.name, 'AbortError');
  assert.deepEqual(await get('given-up'), item('given-up'));
});

test('a dropped connection is one that hung up', async () => {
  for (const [when, isWritten] of [['before', false], ['after', true]]) {
    await control('DELETE', '/faults');
    await rule({ drop_connection: when });
    const error = await caughtBy(put(when));
    assert.ok(error.code === 'ECONNRESET' || error.name === 'TimeoutError', `${error.name} ${error.code}`);
    assert.equal((await get(when)) !== undefined, isWritten);
  }
});

test('a transaction that lost its answer is applied once by its retry', async () => {
  await rule({ drop_connection: 'after' }, { operation: 'TransactWriteItems' }, { times: 1 });
  const patient = clientOf(3);
  const answer = await patient.send(new TransactWriteItemsCommand({ TransactItems: [{ Update: {
    TableName, Key: item('once'), UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': { N: '1' } } } }] }));
  patient.destroy();
  assert.equal(answer.$metadata.attempts, 2);
  assert.deepEqual(await injected(), [1]);
  assert.deepEqual((await get('once')).n, { N: '1' });
});
