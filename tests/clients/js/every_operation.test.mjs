// Every command that the JavaScript SDK exports for DynamoDB and its streams, once: each gives an answer that the SDK
// can read, or the error that says so clearly. Never a 500, never a hang, never silence. The inputs are those of
// ../operations.json (described in ../every_operation_test.py); a command without one fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';

const options = { endpoint: process.env.ENDPOINT, region: 'us-east-1', maxAttempts: 1,
                  credentials: { accessKeyId: 'x', secretAccessKey: 'y' } };
const database = new dynamodb.DynamoDBClient(options);
const changes = new streams.DynamoDBStreamsClient(options);
const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const table = read('../operations.json');
const { refused, tables } = JSON.parse(table);
const notBuilt = new Set(Array.from(read('../../../server/ops/operations.def').matchAll(/^TD_NOT_BUILT\(\w+, (\w+)/gm),
                                    (found) => found[1]));
let inputs;

before(async () => {
  for (const input of tables) await database.send(new dynamodb.CreateTableCommand(input));
  const described = await database.send(new dynamodb.DescribeTableCommand({ TableName: tables[0].TableName }));
  const StreamArn = described.Table.LatestStreamArn;
  const { StreamDescription } = await changes.send(new streams.DescribeStreamCommand({ StreamArn }));
  const ShardId = StreamDescription.Shards[0].ShardId;
  const { ShardIterator } = await changes.send(new streams.GetShardIteratorCommand({
    StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }));
  inputs = JSON.parse(table.replaceAll('$ARN', described.Table.TableArn).replaceAll('$STREAM', StreamArn)
    .replaceAll('$KINESIS', 'arn:aws:kinesis:us-east-1:000000000000:stream/every.operation')
    .replaceAll('$SHARD', ShardId).replaceAll('$ITERATOR', ShardIterator)).inputs;
});
after(() => {
  database.destroy();
  changes.destroy();
});

// What the SDK makes of the answer: undefined, or the status, name and text of the refusal.
async function call(client, command) {
  try {
    const answer = await client.send(command, { abortSignal: AbortSignal.timeout(10000) });
    assert.equal(answer.$metadata.httpStatusCode, 200);
    return undefined;
  } catch (error) {
    return { status: error.$metadata?.httpStatusCode, name: error.name, message: error.message };
  }
}

function expectation(operation, got) {
  if (notBuilt.has(operation)) {
    return { status: 400, name: 'UnknownOperationException', message: `${operation} is not built in Thermodyn yet` };
  }
  return refused[operation] && { status: 400, name: refused[operation], message: got?.message };
}

for (const [client, sdk] of [[database, dynamodb], [changes, streams]]) {
  const commands = Object.keys(sdk).filter((name) => sdk[name]?.prototype instanceof sdk.$Command);
  assert.ok(commands.length >= 4, 'the exports are read as they are meant');
  for (const name of commands) {
    const operation = name.replace(/Command$/, '');
    test(operation, async () => {
      assert.ok(inputs[operation], `operations.json has no input for ${operation}`);
      const got = await call(client, new sdk[name](inputs[operation]));
      assert.deepEqual(got, expectation(operation, got));
    });
  }
}
