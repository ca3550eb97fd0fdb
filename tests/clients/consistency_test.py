"""What users of a server that lags see: the race between a write and the reader of an index, every time."""
import json
import os
import sys
import unittest
import urllib.request

import boto3
from boto3.dynamodb.conditions import Key
from botocore.config import Config

ENDPOINT = os.environ["ENDPOINT"]


def control(method, path, body):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn" + path, method=method, data=json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Consistency(unittest.TestCase):
    """The server lags as tests/clients/run says: indexes by two seconds, half of the reads of tables by one."""

    def setUp(self):
        control("POST", "/reset", {})
        control("PUT", "/clock", {"mode": "manual"})
        resource = boto3.resource("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1",
                                  config=Config(retries={"total_max_attempts": 1}))
        self.orders = resource.create_table(
            TableName="Orders", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("id", "customer")],
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            GlobalSecondaryIndexes=[{"IndexName": "by-customer", "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}]}])

    def orders_of(self, customer):
        found = self.orders.query(IndexName="by-customer", KeyConditionExpression=Key("customer").eq(customer))
        return [order["id"] for order in found["Items"]]

    def test_who_lists_right_after_writing_misses_the_write(self):
        """The bug: place an order, then answer with "your orders" as the index has them."""
        self.orders.put_item(Item={"id": "o1", "customer": "Ann"})
        self.assertEqual(self.orders_of("Ann"), [])
        control("POST", "/clock/advance", {"ms": 1999})
        self.assertEqual(self.orders_of("Ann"), [])
        control("POST", "/clock/advance", {"ms": 1})
        self.assertEqual(self.orders_of("Ann"), ["o1"])

    def test_who_checks_the_index_for_uniqueness_writes_twice(self):
        for order in ("o1", "o2"):
            if not self.orders_of("Ann"):
                self.orders.put_item(Item={"id": order, "customer": "Ann"})
        control("POST", "/clock/advance", {"ms": 2000})
        self.assertEqual(sorted(self.orders_of("Ann")), ["o1", "o2"])

    def test_what_is_deleted_is_listed_for_a_while(self):
        self.orders.put_item(Item={"id": "o1", "customer": "Ann"})
        control("POST", "/clock/advance", {"ms": 2000})
        self.orders.delete_item(Key={"id": "o1"})
        self.assertEqual(self.orders_of("Ann"), ["o1"])
        self.assertNotIn("Item", self.orders.get_item(Key={"id": "o1"}, ConsistentRead=True))
        control("POST", "/clock/advance", {"ms": 2000})
        self.assertEqual(self.orders_of("Ann"), [])

    def read_often(self):
        return ["Item" in self.orders.get_item(Key={"id": "o1"}) for _ in range(40)]

    def test_some_reads_are_stale_and_the_seed_says_which(self):
        self.orders.put_item(Item={"id": "o1", "customer": "Ann"})
        first = self.read_often()
        self.assertTrue(5 < first.count(False) < 35, first)
        for _ in range(5):
            self.assertIn("Item", self.orders.get_item(Key={"id": "o1"}, ConsistentRead=True))
        control("POST", "/clock/advance", {"ms": 1000})
        self.assertEqual(self.read_often(), [True] * 40)
        self.setUp()
        self.orders.put_item(Item={"id": "o1", "customer": "Ann"})
        self.assertEqual(self.read_often(), first)


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(
        unittest.defaultTestLoader.loadTestsFromTestCase(Consistency))
    bad = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (outcome.testsRun - bad, bad))
    sys.exit(1 if bad else 0)
