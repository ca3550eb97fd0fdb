"""Every operation of boto3's clients for DynamoDB and its streams, once, with input that the service takes: each gives
an answer that the client can read, or the error that says so clearly. Never a 500, never a hang, never silence.

operations.json, which js/every_operation.test.mjs reads too, has the input of each operation ($… stands for what is known
when the tables are there) and what a table without the feature is refused with, by the service too. What is not built
is known from one place: server/ops/operations.def."""
import json
import os
import re
import sys
import unittest

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = dict(endpoint_url=os.environ["ENDPOINT"], region_name="us-east-1",
               config=Config(retries={"total_max_attempts": 1}, read_timeout=10))
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/every.operation"
KINESIS = "arn:aws:kinesis:us-east-1:000000000000:stream/every.operation"


def read(*path):
    with open(os.path.join(HERE, *path)) as file:
        return file.read()


class EveryOperation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text = read("operations.json")
        definition = read("..", "..", "server", "ops", "operations.def")
        cls.built, cls.not_built = (set(re.findall(r"^%s\(\w+, (\w+)" % macro, definition, re.M))
                                    for macro in ("TD_OPERATION", "TD_NOT_BUILT"))
        cls.client = boto3.client("dynamodb", **OPTIONS)
        cls.streams = boto3.client("dynamodbstreams", **OPTIONS)
        for table in json.loads(text)["tables"]:
            cls.client.create_table(**table)
        stream = cls.client.describe_table(TableName="every.operation")["Table"]["LatestStreamArn"]
        shard = cls.streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
        iterator = cls.streams.get_shard_iterator(StreamArn=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        for name, value in (("$ARN", ARN), ("$KINESIS", KINESIS), ("$STREAM", stream), ("$SHARD", shard),
                            ("$ITERATOR", iterator["ShardIterator"])):
            text = text.replace(name, value)
        cls.inputs, cls.refused = (json.loads(text)[name] for name in ("inputs", "refused"))

    def call(self, client, operation):
        """What a client makes of the answer: None, or (status, code, text) of the refusal."""
        method = next(python for python, name in client.meta.method_to_api_mapping.items() if name == operation)
        known = client.meta.service_model.operation_model(operation).input_shape
        given = {name: value for name, value in self.inputs[operation].items()
                 if known is not None and name in known.members}
        try:
            self.assertEqual(getattr(client, method)(**given)["ResponseMetadata"]["HTTPStatusCode"], 200)
            return None
        except ClientError as refusal:
            error = refusal.response["Error"]
            return refusal.response["ResponseMetadata"]["HTTPStatusCode"], error["Code"], error["Message"]

    def expect(self, operation, got):
        if operation in self.not_built:
            self.assertEqual(got, (400, "UnknownOperationException", operation + " is not built in Thermodyn yet"))
        elif operation in self.refused:
            self.assertEqual(got and got[:2], (400, self.refused[operation]))
        else:
            self.assertIsNone(got)

    def test_every_operation_has_an_input(self):
        self.assertEqual(set(self.inputs), self.built | self.not_built)

    def test_every_operation_of_the_api(self):
        for operation in self.client.meta.service_model.operation_names:
            with self.subTest(operation):
                self.expect(operation, self.call(self.client, operation))

    def test_every_operation_of_streams(self):
        for operation in self.streams.meta.service_model.operation_names:
            with self.subTest(operation):
                self.expect(operation, self.call(self.streams, operation))


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(EveryOperation)
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(suite)
    bad = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (max(0, outcome.testsRun - bad), bad))
    sys.exit(1 if bad else 0)
