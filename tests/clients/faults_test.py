"""Fault rules as boto3 sees them: each kind as the exception of its own type, retries included."""
import json
import os
import sys
import time
import unittest
import urllib.request

import boto3
import botocore.exceptions
from botocore.config import Config

ENDPOINT = os.environ["ENDPOINT"]


def client(attempts=1, service="dynamodb", **more):
    return boto3.client(service, endpoint_url=ENDPOINT, region_name="us-east-1",
                        config=Config(retries={"total_max_attempts": attempts, "mode": "standard"}, **more))


def control(method, path, body=None):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn" + path, method=method,
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def exceptions_of(one):
    """The names of the exceptions in the client's service model."""
    model = one.meta.service_model
    return [name for name in model.shape_names if model.shape_for(name).metadata.get("exception")]


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = client()
        cls.client.create_table(TableName="faults", BillingMode="PAY_PER_REQUEST",
                                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}])

    @classmethod
    def tearDownClass(cls):
        control("POST", "/reset")

    def setUp(self):
        control("DELETE", "/faults")

    def rule(self, inject, match=None, **more):
        return control("POST", "/faults", {"match": match or {"operation": "PutItem"}, "inject": inject, **more})

    def injected(self):
        return [rule["injected"] for rule in control("GET", "/faults")["rules"]]

    def put(self, one=None, key="a"):
        return (one or self.client).put_item(TableName="faults", Item={"pk": {"S": key}})

    def get(self, key="a"):
        return self.client.get_item(TableName="faults", Key={"pk": {"S": key}}).get("Item")

    def test_every_exception_of_the_service_is_raised_as_its_own_type(self):
        names = exceptions_of(self.client)
        self.assertGreater(len(names), 30)
        for name in names:
            self.setUp()
            self.rule({"error": name, "message": "words of the rule"})
            with self.assertRaises(getattr(self.client.exceptions, name)) as caught:
                self.put()
            answer = caught.exception.response
            self.assertEqual(answer["Error"]["Code"], name)
            self.assertEqual(answer["Error"]["Message"], "words of the rule")
            self.assertEqual(answer["ResponseMetadata"]["HTTPStatusCode"], 500 if name == "InternalServerError" else 400)

    def test_so_is_every_exception_of_streams(self):
        streams = client(service="dynamodbstreams")
        for name in exceptions_of(streams):
            self.setUp()
            self.rule({"error": name}, {"operation": "ListStreams"})
            with self.assertRaises(getattr(streams.exceptions, name)):
                streams.list_streams()

    def test_errors_outside_of_the_model_have_their_code_and_status(self):
        for name, status in (("ThrottlingException", 400), ("ValidationException", 400), ("AccessDeniedException", 400),
                             ("UnrecognizedClientException", 400), ("ExpiredTokenException", 400),
                             ("InternalFailure", 500), ("ServiceUnavailable", 503)):
            self.setUp()
            self.rule({"error": name})
            with self.assertRaises(botocore.exceptions.ClientError) as caught:
                self.put()
            self.assertEqual(caught.exception.response["Error"]["Code"], name)
            self.assertEqual(caught.exception.response["ResponseMetadata"]["HTTPStatusCode"], status)

    def test_a_throttle_by_key_is_of_that_key_alone(self):
        self.rule({"error": "ProvisionedThroughputExceededException", "reason": "TableWriteKeyRangeThroughputExceeded"},
                  {"operation": "PutItem", "table": "faults", "key": {"pk": {"S": "hot"}}})
        self.put(key="cold")
        with self.assertRaises(self.client.exceptions.ProvisionedThroughputExceededException) as caught:
            self.put(key="hot")
        self.assertIn("configured provisioned throughput for the table was exceeded", str(caught.exception))
        self.assertEqual(self.injected(), [1])

    def test_retries_outlast_a_rule_with_times(self):
        for error in ("InternalServerError", "ProvisionedThroughputExceededException", "ThrottlingException",
                      "ServiceUnavailable", "RequestLimitExceeded"):
            self.setUp()
            self.rule({"error": error}, times=2)
            answer = self.put(client(attempts=3))
            self.assertEqual(answer["ResponseMetadata"]["RetryAttempts"], 2, error)

    def test_a_cancelled_transaction_tells_its_reasons(self):
        self.rule({"error": "TransactionConflictException"}, {"operation": "TransactWriteItems", "key": {"pk": {"S": "t2"}}})
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as caught:
            self.client.transact_write_items(TransactItems=[
                {"Put": {"TableName": "faults", "Item": {"pk": {"S": key}}}} for key in ("t1", "t2")])
        reasons = caught.exception.response["CancellationReasons"]
        self.assertEqual([reason["Code"] for reason in reasons], ["None", "TransactionConflict"])
        self.assertIsNone(self.get("t1"))

    def test_unprocessed_elements_are_sent_again_until_they_pass(self):
        self.rule({"unprocessed": True}, {"operation": "BatchWriteItem"}, times=3)
        table = boto3.resource("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1").Table("faults")
        with table.batch_writer() as batch:
            for at in range(5):
                batch.put_item(Item={"pk": "batch%d" % at})
        self.assertEqual(self.injected(), [3])
        for at in range(5):
            self.assertIsNotNone(self.get("batch%d" % at))
        self.rule({"unprocessed": True}, {"operation": "BatchGetItem", "key": {"pk": {"S": "batch1"}}})
        answer = self.client.batch_get_item(RequestItems={"faults": {"Keys": [{"pk": {"S": "batch%d" % at}}
                                                                              for at in range(3)]}})
        self.assertEqual(len(answer["Responses"]["faults"]), 2)
        self.assertEqual(answer["UnprocessedKeys"], {"faults": {"Keys": [{"pk": {"S": "batch1"}}]}})

    def test_a_latency_above_the_clients_timeout_is_a_timeout(self):
        self.rule({"latency_ms": {"min": 1500, "max": 1500}}, times=1)
        begun = time.monotonic()
        with self.assertRaises(botocore.exceptions.ReadTimeoutError):
            self.put(client(read_timeout=0.5), "late")
        self.assertLess(time.monotonic() - begun, 1.4)
        self.assertIsNotNone(self.get("late"))

    def test_a_dropped_connection_is_a_closed_one(self):
        for when, is_written in (("before", False), ("after", True)):
            self.setUp()
            self.rule({"drop_connection": when})
            with self.assertRaises(botocore.exceptions.ConnectionClosedError):
                self.put(key=when)
            self.assertEqual(self.get(when) is not None, is_written)

    def test_a_transaction_that_lost_its_answer_is_applied_once_by_its_retry(self):
        """boto3 gives every transaction a token of its own and sends it again with each attempt."""
        self.rule({"drop_connection": "after"}, {"operation": "TransactWriteItems"}, times=1)
        answer = client(attempts=3).transact_write_items(TransactItems=[{"Update": {
            "TableName": "faults", "Key": {"pk": {"S": "once"}}, "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}}}}])
        self.assertEqual(answer["ResponseMetadata"]["RetryAttempts"], 1)
        self.assertEqual(self.injected(), [1])
        self.assertEqual(self.get("once")["n"], {"N": "1"})

    def test_an_update_that_lost_its_answer_is_applied_twice_by_its_retry(self):
        self.rule({"drop_connection": "after"}, {"operation": "UpdateItem"}, times=1)
        client(attempts=3).update_item(TableName="faults", Key={"pk": {"S": "twice"}}, UpdateExpression="ADD n :one",
                                       ExpressionAttributeValues={":one": {"N": "1"}})
        self.assertEqual(self.get("twice")["n"], {"N": "2"})

    def test_the_same_seed_strikes_the_same_requests(self):
        patterns = []
        for _ in range(2):
            self.setUp()
            self.rule({"error": "InternalServerError"}, probability=0.5, seed=42)
            pattern = ""
            for _ in range(40):
                try:
                    self.put()
                    pattern += "."
                except self.client.exceptions.InternalServerError:
                    pattern += "x"
            patterns.append(pattern)
        self.assertEqual(patterns[0], patterns[1])
        self.assertTrue(5 < patterns[0].count("x") < 35, patterns[0])


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=0)
    failed = len(program.result.failures) + len(program.result.errors)
    print("%d passed, %d failed" % (program.result.testsRun - failed, failed))
    sys.exit(1 if failed else 0)
