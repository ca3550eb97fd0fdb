import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startThermodyn } from './thermodyn.mjs';

let thermodyn;
let db;

beforeAll(async () => {
  thermodyn = await startThermodyn();
  db = DynamoDBDocumentClient.from(new DynamoDBClient({
    endpoint: thermodyn.url, region: 'us-east-1', maxAttempts: 1,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  }));
});

afterAll(() => thermodyn.stop());

beforeEach(async () => {
  await thermodyn.reset();
  await db.send(new CreateTableCommand({
    TableName: 'Orders', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'customer', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'customer', KeyType: 'HASH' }],
  }));
});

async function load(customers) {
  for (const customer of customers) {
    await db.send(new PutCommand({ TableName: 'Orders', Item: { customer, note: 'x'.repeat(100_000) } }));
  }
}

test('many customers are not throttled', async () => {
  await load(Array.from({ length: 15 }, (_, i) => `customer-${i}`));
  expect(await thermodyn.throttled('Orders')).toEqual({});
});

test('one customer is throttled by its partition', async () => {
  await expect(load(Array(15).fill('ACME'))).rejects.toThrow('Throughput exceeds the current capacity');
  expect(await thermodyn.throttled('Orders')).toEqual({ TableWriteKeyRangeThroughputExceeded: 1 });
});

test('a second later the partition serves again', async () => {
  await load(Array(10).fill('ACME'));
  await thermodyn.advance(1000);
  await load(Array(10).fill('ACME'));
});
