// The SDK's CloudWatch client in the three protocols that its versions speak: today's (JSON), the same with RPC v2 CBOR,
// and one of a year before (query). Each is told the same of a hot key.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CloudWatchClient, DescribeAlarmsCommand, GetInsightRuleReportCommand, GetMetricDataCommand,
         GetMetricStatisticsCommand, InvalidParameterValueException, ResourceNotFoundException,
         paginateListMetrics } from '@aws-sdk/client-cloudwatch';
import * as query from 'cloudwatch-query';
import { CreateTableCommand, DescribeContributorInsightsCommand, DynamoDBClient, ListContributorInsightsCommand,
         PutItemCommand, UpdateContributorInsightsCommand } from '@aws-sdk/client-dynamodb';
import { SmithyRpcV2CborProtocol } from '@smithy/core/cbor';

const endpoint = process.env.ENDPOINT;
const options = { endpoint, region: 'us-east-1', maxAttempts: 1, credentials: { accessKeyId: 'x', secretAccessKey: 'y' } };
const database = new DynamoDBClient(options);
const today = { CloudWatchClient, DescribeAlarmsCommand, GetInsightRuleReportCommand, GetMetricDataCommand,
                GetMetricStatisticsCommand, InvalidParameterValueException, ResourceNotFoundException, paginateListMetrics };
const speakers = [
  { protocol: 'JSON', type: 'application/x-amz-json-1.0', sdk: today, client: new CloudWatchClient(options) },
  { protocol: 'CBOR', type: 'application/cbor', sdk: today,
    client: new CloudWatchClient({ ...options, protocol: SmithyRpcV2CborProtocol }) },
  { protocol: 'query', type: 'application/x-www-form-urlencoded', sdk: query, client: new query.CloudWatchClient(options) },
];
const TableName = 'Sessions';
const Metric = { Namespace: 'AWS/DynamoDB', MetricName: 'WriteThrottleEvents',
                 Dimensions: [{ Name: 'TableName', Value: TableName }] };
let window;
let rules;
let throttled = 0;

async function control(method, path, body) {
  const answer = await fetch(`${endpoint}/_thermodyn${path}`, { method, body: body && JSON.stringify(body) });
  assert.equal(answer.status, 200);
  return answer.json();
}

before(async () => {
  for (const speaker of speakers) {
    speaker.client.middlewareStack.add((next) => (args) => {
      speaker.sent = args.request.headers['content-type'];
      return next(args);
    }, { step: 'finalizeRequest', name: 'look', priority: 'low' });
  }
  await control('PUT', '/clock', { mode: 'manual' });
  const { now } = await control('GET', '/clock');
  await control('POST', '/clock/advance', { ms: 60000 - now % 60000 });
  await database.send(new CreateTableCommand({
    TableName, BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'tenant', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'tenant', KeyType: 'HASH' }] }));
  await control('PATCH', '/capacity', { table: TableName, partition_write_cap: 3 });
  await control('POST', `/tables/${TableName}/capacity/reset`);
  await database.send(new UpdateContributorInsightsCommand({ TableName, ContributorInsightsAction: 'ENABLE' }));
  for (let i = 0; i < 8; i++) {
    await database.send(new PutItemCommand({ TableName, Item: { tenant: { S: 'acme' } } })).catch((error) => {
      assert.equal(error.name, 'ThrottlingException');
      throttled++;
    });
  }
  const StartTime = new Date((await control('GET', '/clock')).now);
  await control('POST', '/clock/advance', { ms: 60000 });
  window = { StartTime, EndTime: new Date((await control('GET', '/clock')).now), Period: 60 };
  rules = (await database.send(new DescribeContributorInsightsCommand({ TableName }))).ContributorInsightsRuleList;
});
after(() => [database, ...speakers.map((speaker) => speaker.client)].forEach((client) => client.destroy()));

test('insights are listed', async () => {
  const { ContributorInsightsSummaries } = await database.send(new ListContributorInsightsCommand({}));
  assert.deepEqual(ContributorInsightsSummaries.map((summary) => summary.ContributorInsightsStatus), ['ENABLED']);
});

for (const speaker of speakers) {
  const { protocol, sdk, client } = speaker;

  test(`${protocol}: the hot key is named`, async () => {
    const report = await client.send(new sdk.GetInsightRuleReportCommand({ RuleName: rules[1], ...window }));
    assert.equal(throttled, 5);
    assert.deepEqual(report.Contributors.map(({ Keys, ApproximateAggregateValue }) => [Keys, ApproximateAggregateValue]),
                     [[['acme'], throttled]]);
    assert.deepEqual(report.Contributors[0].Datapoints[0].Timestamp, window.StartTime);
    assert.deepEqual(report.KeyLabels, ['tenant']);
    assert.equal(speaker.sent, speaker.type);
  });

  test(`${protocol}: its throttles are as many`, async () => {
    const { Datapoints } = await client.send(new sdk.GetMetricStatisticsCommand({
      ...Metric, Statistics: ['Sum'], ...window }));
    assert.deepEqual(Datapoints, [{ Timestamp: window.StartTime, Sum: throttled, Unit: 'Count' }]);
  });

  test(`${protocol}: expressions are computed`, async () => {
    const { Period, ...times } = window;
    const { MetricDataResults } = await client.send(new sdk.GetMetricDataCommand({
      ...times, MetricDataQueries: [{ Id: 'm', ReturnData: false, MetricStat: { Metric, Period, Stat: 'Sum' } },
                                    { Id: 'e', Expression: 'm / PERIOD(m)', Label: 'a second' }] }));
    assert.deepEqual(MetricDataResults.map(({ Label, Values }) => [Label, Values]), [['a second', [throttled / 60]]]);
  });

  test(`${protocol}: metrics are listed`, async () => {
    const names = new Set();
    for await (const page of sdk.paginateListMetrics({ client }, { Namespace: 'AWS/DynamoDB' })) {
      page.Metrics.forEach(({ MetricName }) => names.add(MetricName));
    }
    assert.ok(names.has('WriteThrottleEvents') && names.has('AccountMaxWrites'));
    const alarms = await client.send(new sdk.DescribeAlarmsCommand({}));
    assert.deepEqual(alarms.MetricAlarms ?? [], []);
  });

  test(`${protocol}: errors are the SDK's`, async () => {
    await assert.rejects(client.send(new sdk.GetInsightRuleReportCommand({ RuleName: 'nobody', ...window })),
                         (error) => error instanceof sdk.ResourceNotFoundException &&
                                    error.$metadata.httpStatusCode === 404);
    await assert.rejects(client.send(new sdk.GetMetricStatisticsCommand({
      ...Metric, Statistics: ['Sum'], ...window, Period: 61 })), { name: /^InvalidParameterValue/ });
  });
}
