// What users of the JavaScript SDK v3 do with PartiQL: batches, pages, documents, transactions, errors.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BatchExecuteStatementCommand as RawBatch, CreateTableCommand, DeleteTableCommand, DynamoDBClient,
         ExecuteStatementCommand as RawStatement } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ExecuteStatementCommand, ExecuteTransactionCommand } from '@aws-sdk/lib-dynamodb';

const client = new DynamoDBClient({ endpoint: process.env.ENDPOINT, region: 'us-east-1', maxAttempts: 1,
                                    credentials: { accessKeyId: 'x', secretAccessKey: 'y' } });
const documents = DynamoDBDocumentClient.from(client);
const TableName = 'numbers';
const COUNT = 10000;

before(async () => {
  await client.send(new CreateTableCommand({
    TableName, BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }, { AttributeName: 'n', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }, { AttributeName: 'n', KeyType: 'RANGE' }] }));
  for (let first = 0; first < COUNT; first += 25) {
    const Statements = Array.from({ length: 25 }, (_, i) => ({
      Statement: `INSERT INTO ${TableName} VALUE {'pk': ?, 'n': ?, 'pad': ?}`,
      Parameters: [{ S: `p${(first + i) % 7}` }, { N: String(first + i) }, { S: 'x'.repeat(250) }] }));
    const { Responses } = await client.send(new RawBatch({ Statements }));
    assert.ok(Responses.every((response) => response.Error === undefined));
  }
});
after(async () => {
  await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
});

async function* pages(Command, sender, input) {
  let NextToken;
  do {
    const page = await sender.send(new Command({ ...input, NextToken }));
    yield page.Items;
    NextToken = page.NextToken;
  } while (NextToken);
}

const all = Array.from({ length: COUNT }, (_, i) => i);

test('ten thousand items by pages of one megabyte', async () => {
  const found = [];
  let count = 0;
  for await (const items of pages(RawStatement, client, { Statement: `SELECT n FROM ${TableName}` })) {
    found.push(...items.map((item) => Number(item.n.N)));
    count++;
  }
  assert.ok(count >= 3);
  assert.deepEqual(found.sort((a, b) => a - b), all);
});

test('ten thousand items by limits, as documents', async () => {
  const found = [];
  const input = { Statement: `SELECT * FROM ${TableName} WHERE n >= ?`, Parameters: [0], Limit: 900 };
  for await (const items of pages(ExecuteStatementCommand, documents, input)) found.push(...items.map((item) => item.n));
  assert.deepEqual(found.sort((a, b) => a - b), all);
});

test('a collection backwards', async () => {
  const found = [];
  const input = { Statement: `SELECT n FROM ${TableName} WHERE pk = ? ORDER BY n DESC`, Parameters: ['p3'], Limit: 100 };
  for await (const items of pages(ExecuteStatementCommand, documents, input)) found.push(...items.map((item) => item.n));
  assert.deepEqual(found, all.filter((n) => n % 7 === 3).reverse());
});

test('errors have their names', async () => {
  await assert.rejects(documents.send(new ExecuteStatementCommand({
    Statement: `INSERT INTO ${TableName} VALUE {'pk': 'p0', 'n': 0}` })), { name: 'DuplicateItemException' });
  await assert.rejects(documents.send(new ExecuteTransactionCommand({ TransactStatements: [
    { Statement: `INSERT INTO ${TableName} VALUE {'pk': 'q', 'n': 1}` },
    { Statement: `UPDATE ${TableName} SET x = ? WHERE pk = ? AND n = ?`, Parameters: [1, 'none', 1] }] })),
  (error) => {
    assert.equal(error.name, 'TransactionCanceledException');
    assert.deepEqual(error.CancellationReasons.map((reason) => reason.Code), ['None', 'ConditionalCheckFailed']);
    return true;
  });
});

test('a write returns what it changed', async () => {
  const { Items } = await documents.send(new ExecuteStatementCommand({
    Statement: `UPDATE ${TableName} SET tags = ? SET n2 = n WHERE pk = ? AND n = ? RETURNING MODIFIED NEW *`,
    Parameters: [new Set(['a', 'b']), 'p1', 1] }));
  assert.deepEqual(Items, [{ tags: new Set(['a', 'b']), n2: 1 }]);
});
