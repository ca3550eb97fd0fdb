"""Every operation of boto3's clients for DynamoDB and its streams, once, with input that the service takes: each gives
an answer that the client can read, or the error that says so clearly. Never a 500, never a hang, never silence."""
import os
import sys
import unittest

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

OPTIONS = dict(endpoint_url=os.environ["ENDPOINT"], region_name="us-east-1",
               config=Config(retries={"total_max_attempts": 1}, read_timeout=10))
TABLE = "every.operation"
NONE = "every.none"
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/" + TABLE
KEYS = dict(KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])
KEY = {"pk": {"S": "a"}}
NOT_BUILT = "is not built in Thermodyn yet"
BACKUP = ARN + "/backup/01489173575360-b308cd7d"
STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/" + TABLE
BUCKET = {"S3Bucket": "bucket"}

# Input of each operation; those that take none are not here. A code: what the service answers for such a table.
INPUT = {
    "BatchExecuteStatement": dict(Statements=[{"Statement": 'SELECT * FROM "%s" WHERE pk = \'a\'' % TABLE}]),
    "BatchGetItem": dict(RequestItems={TABLE: {"Keys": [KEY]}}),
    "BatchWriteItem": dict(RequestItems={TABLE: [{"PutRequest": {"Item": KEY}}]}),
    "CreateBackup": dict(TableName=TABLE, BackupName="backup"),
    "CreateGlobalTable": dict(GlobalTableName=TABLE, ReplicationGroup=[{"RegionName": "eu-west-1"}]),
    "CreateTable": dict(TableName=TABLE + ".new", BillingMode="PAY_PER_REQUEST", **KEYS),
    "DeleteBackup": dict(BackupArn=BACKUP),
    "DeleteItem": dict(TableName=TABLE, Key=KEY),
    "DeleteResourcePolicy": dict(ResourceArn=ARN),
    "DeleteTable": dict(TableName=TABLE + ".old"),
    "DescribeBackup": dict(BackupArn=BACKUP),
    "DescribeContinuousBackups": dict(TableName=TABLE),
    "DescribeContributorInsights": dict(TableName=TABLE),
    "DescribeExport": dict(ExportArn=ARN + "/export/01489173575360-b308cd7d"),
    "DescribeGlobalTable": dict(GlobalTableName=TABLE),
    "DescribeGlobalTableSettings": dict(GlobalTableName=TABLE),
    "DescribeImport": dict(ImportArn=ARN + "/import/01489173575360-b308cd7d"),
    "DescribeKinesisStreamingDestination": dict(TableName=TABLE),
    "DescribeTable": dict(TableName=TABLE),
    "DescribeTableReplicaAutoScaling": dict(TableName=TABLE),
    "DescribeTimeToLive": dict(TableName=TABLE),
    "DisableKinesisStreamingDestination": dict(TableName=TABLE, StreamArn=STREAM),
    "EnableKinesisStreamingDestination": dict(TableName=TABLE, StreamArn=STREAM),
    "ExecuteStatement": dict(Statement='SELECT * FROM "%s" WHERE pk = \'a\'' % TABLE),
    "ExecuteTransaction": dict(TransactStatements=[{"Statement": 'SELECT * FROM "%s" WHERE pk = \'a\'' % TABLE}]),
    "ExportTableToPointInTime": dict(TableArn=ARN, **BUCKET),
    "GetItem": dict(TableName=TABLE, Key=KEY),
    "GetResourcePolicy": dict(ResourceArn=ARN),
    "ImportTable": dict(S3BucketSource=BUCKET, InputFormat="DYNAMODB_JSON",
                        TableCreationParameters=dict(TableName=NONE, **KEYS)),
    "ListTagsOfResource": dict(ResourceArn=ARN),
    "PutItem": dict(TableName=TABLE, Item=KEY),
    "PutResourcePolicy": dict(ResourceArn=ARN, Policy="{}"),
    "Query": dict(TableName=TABLE, KeyConditionExpression="pk = :a", ExpressionAttributeValues={":a": {"S": "a"}}),
    "RestoreTableFromBackup": dict(TargetTableName=NONE, BackupArn=BACKUP),
    "RestoreTableToPointInTime": dict(SourceTableName=TABLE, TargetTableName=NONE, UseLatestRestorableTime=True),
    "Scan": dict(TableName=TABLE),
    "TagResource": dict(ResourceArn=ARN, Tags=[{"Key": "k", "Value": "v"}]),
    "TransactGetItems": dict(TransactItems=[{"Get": dict(TableName=TABLE, Key=KEY)}]),
    "TransactWriteItems": dict(TransactItems=[{"Put": dict(TableName=TABLE, Item=KEY)}]),
    "UntagResource": dict(ResourceArn=ARN, TagKeys=["k"]),
    "UpdateContinuousBackups": dict(TableName=TABLE,
                                    PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}),
    "UpdateContributorInsights": dict(TableName=TABLE, ContributorInsightsAction="ENABLE"),
    "UpdateGlobalTable": dict(GlobalTableName=TABLE, ReplicaUpdates=[{"Create": {"RegionName": "eu-west-1"}}]),
    "UpdateGlobalTableSettings": dict(GlobalTableName=TABLE, GlobalTableBillingMode="PAY_PER_REQUEST"),
    "UpdateItem": dict(TableName=TABLE, Key=KEY),
    "UpdateKinesisStreamingDestination": dict(TableName=TABLE, StreamArn=STREAM),
    "UpdateTable": dict(TableName=TABLE, BillingMode="PROVISIONED",
                        ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}),
    "UpdateTableReplicaAutoScaling": dict(TableName=TABLE),
    "UpdateTimeToLive": dict(TableName=TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"}),
}
# What a table without the feature is refused with, by the service too.
REFUSED = {
    "DescribeGlobalTable": "GlobalTableNotFoundException",
    "DescribeGlobalTableSettings": "GlobalTableNotFoundException",
    "DescribeTableReplicaAutoScaling": "ResourceNotFoundException",
    "GetResourcePolicy": "PolicyNotFoundException",
}


class EveryOperation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = boto3.client("dynamodb", **OPTIONS)
        cls.streams = boto3.client("dynamodbstreams", **OPTIONS)
        for name in (TABLE, TABLE + ".old"):
            cls.client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                                    StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}, **KEYS)

    def call(self, client, operation, given):
        """None when it is answered, else the code of a clear refusal."""
        method = next(python for python, name in client.meta.method_to_api_mapping.items() if name == operation)
        known = client.meta.service_model.operation_model(operation).input_shape
        given = {name: value for name, value in given.items() if known is not None and name in known.members}
        try:
            answer = getattr(client, method)(**given)
            self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 200)
            return None
        except ClientError as refusal:
            error = refusal.response["Error"]
            self.assertEqual(refusal.response["ResponseMetadata"]["HTTPStatusCode"], 400, error)
            if error["Code"] == "UnknownOperationException":
                self.assertEqual(error["Message"], "%s %s" % (operation, NOT_BUILT))
            else:
                self.assertEqual(error["Code"], REFUSED.get(operation), error)
            return error["Code"]

    def test_every_operation_of_the_api(self):
        answered = 0
        for operation in self.client.meta.service_model.operation_names:
            with self.subTest(operation):
                answered += self.call(self.client, operation, INPUT.get(operation, {})) is None
        self.assertGreaterEqual(answered, 30)

    def test_every_operation_of_streams(self):
        arn = self.client.describe_table(TableName=TABLE)["Table"]["LatestStreamArn"]
        shard = self.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
        place = dict(StreamArn=arn, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        given = {"DescribeStream": dict(StreamArn=arn), "GetShardIterator": place,
                 "GetRecords": dict(ShardIterator=self.streams.get_shard_iterator(**place)["ShardIterator"])}
        for operation in self.streams.meta.service_model.operation_names:
            with self.subTest(operation):
                self.assertIsNone(self.call(self.streams, operation, given.get(operation, {})))


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(EveryOperation)
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(suite)
    bad = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (max(0, outcome.testsRun - bad), bad))
    sys.exit(1 if bad else 0)
