"""What boto3 users do: the resource and the client interface, paginators, waiters, conditions, throttles."""
import json
import os
import sys
import unittest
import urllib.request
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = os.environ["ENDPOINT"]
OPTIONS = dict(endpoint_url=ENDPOINT, region_name="us-east-1", config=Config(retries={"total_max_attempts": 1}))


def control(method, path, body=None):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn" + path, method=method,
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Boto3(unittest.TestCase):
    counter = 0

    @classmethod
    def setUpClass(cls):
        cls.resource = boto3.resource("dynamodb", **OPTIONS)
        cls.client = boto3.client("dynamodb", **OPTIONS)

    def make(self, sort=None, **more):
        Boto3.counter += 1
        keys = [{"AttributeName": "pk", "KeyType": "HASH"}] + ([{"AttributeName": "sk", "KeyType": "RANGE"}] if sort else [])
        definitions = [{"AttributeName": "pk", "AttributeType": "S"}]
        definitions += [{"AttributeName": "sk", "AttributeType": sort}] if sort else []
        definitions += more.pop("definitions", [])
        if "ProvisionedThroughput" not in more:
            more["BillingMode"] = "PAY_PER_REQUEST"
        table = self.resource.create_table(TableName="boto3.%d" % Boto3.counter, KeySchema=keys,
                                           AttributeDefinitions=definitions, **more)
        table.wait_until_exists()
        return table

    def test_a_new_table_is_waited_for_without_a_pause(self):
        table = self.make()
        table.reload()
        self.assertEqual(table.table_status, "ACTIVE")
        table.delete()
        table.wait_until_not_exists()

    def test_every_type_comes_back_as_it_went_in(self):
        table = self.make()
        item = {"pk": "a", "s": "ü\u0000😀", "n": Decimal("1.50"), "b": b"\x00\xff", "ss": {"x", "y"},
                "ns": {Decimal(1), Decimal("2.5")}, "bs": {b"1", b"2"}, "l": [1, "two", None, [True]],
                "m": {"k": {"deep": Decimal("-1E-130")}}, "t": True, "f": False, "z": None}
        table.put_item(Item=item)
        got = table.get_item(Key={"pk": "a"})["Item"]
        got["b"] = got["b"].value
        got["bs"] = {member.value for member in got["bs"]}
        self.assertEqual(got, item)

    def test_a_counter_counts(self):
        table = self.make()
        for _ in range(5):
            answer = table.update_item(Key={"pk": "a"}, UpdateExpression="ADD n :one", ReturnValues="UPDATED_NEW",
                                       ExpressionAttributeValues={":one": 1})
        self.assertEqual(answer["Attributes"], {"n": 5})

    def test_a_condition_guards_and_answers_the_item(self):
        table = self.make()
        table.put_item(Item={"pk": "a", "v": 1}, ConditionExpression=Attr("pk").not_exists())
        with self.assertRaises(self.client.exceptions.ConditionalCheckFailedException) as caught:
            self.client.put_item(TableName=table.name, Item={"pk": {"S": "a"}},
                                 ConditionExpression="attribute_not_exists(pk)",
                                 **({"ReturnValuesOnConditionCheckFailure": "ALL_OLD"} if self.knows_the_item() else {}))
        if self.knows_the_item():
            self.assertEqual(caught.exception.response["Item"], {"pk": {"S": "a"}, "v": {"N": "1"}})

    def knows_the_item(self):
        shape = self.client.meta.service_model.operation_model("PutItem").input_shape
        return "ReturnValuesOnConditionCheckFailure" in shape.members

    def test_queries_page_through_a_collection_in_order(self):
        table = self.make(sort="N")
        control("PATCH", "/capacity", {"table": table.name, "enforce": "off"})
        for i in range(1000):
            table.put_item(Item={"pk": "a", "sk": i, "d": "x" * 2000})
        paginator = self.client.get_paginator("query")
        seen = []
        for page in paginator.paginate(TableName=table.name, KeyConditionExpression="pk = :p",
                                       ExpressionAttributeValues={":p": {"S": "a"}}, PaginationConfig={"PageSize": 170}):
            seen += [int(item["sk"]["N"]) for item in page["Items"]]
        self.assertEqual(seen, list(range(1000)))
        answer = table.query(KeyConditionExpression=Key("pk").eq("a") & Key("sk").between(10, 12), ScanIndexForward=False)
        self.assertEqual([int(item["sk"]) for item in answer["Items"]], [12, 11, 10])
        whole = table.query(KeyConditionExpression=Key("pk").eq("a"))
        self.assertLess(whole["Count"], 1000)
        self.assertIn("LastEvaluatedKey", whole)

    def test_segments_share_out_a_scan(self):
        table = self.make()
        for i in range(300):
            table.put_item(Item={"pk": "k%d" % i})
        seen = []
        for segment in range(4):
            seen += [item["pk"] for item in table.scan(Segment=segment, TotalSegments=4)["Items"]]
        self.assertEqual(sorted(seen), sorted("k%d" % i for i in range(300)))

    def test_a_global_index_follows_its_table(self):
        index = {"IndexName": "by-owner", "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
                 "Projection": {"ProjectionType": "ALL"}}
        table = self.make(definitions=[{"AttributeName": "owner", "AttributeType": "S"}], GlobalSecondaryIndexes=[index])
        table.put_item(Item={"pk": "a", "owner": "ann"})
        table.put_item(Item={"pk": "b", "owner": "ben"})
        table.update_item(Key={"pk": "b"}, UpdateExpression="SET #o = :o", ExpressionAttributeNames={"#o": "owner"},
                          ExpressionAttributeValues={":o": "ann"})
        answer = table.query(IndexName="by-owner", KeyConditionExpression=Key("owner").eq("ann"))
        self.assertEqual({item["pk"] for item in answer["Items"]}, {"a", "b"})

    def test_filters_and_projections_of_a_scan(self):
        table = self.make()
        for i in range(20):
            table.put_item(Item={"pk": str(i), "n": i, "tags": {"even"} if i % 2 == 0 else {"odd"}})
        answer = table.scan(FilterExpression=Attr("tags").contains("even") & Attr("n").gte(10), ProjectionExpression="n")
        self.assertEqual(sorted(int(item["n"]) for item in answer["Items"]), [10, 12, 14, 16, 18])
        self.assertEqual(answer["ScannedCount"], 20)

    def test_a_batch_writer_writes_what_it_is_given(self):
        table = self.make(sort="N")
        with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
            for i in range(130):
                batch.put_item(Item={"pk": "a", "sk": i % 120, "n": i})
            batch.delete_item(Key={"pk": "a", "sk": 0})
        self.assertEqual(table.query(KeyConditionExpression=Key("pk").eq("a"), Select="COUNT")["Count"], 119)
        answer = self.resource.batch_get_item(RequestItems={table.name: {
            "Keys": [{"pk": "a", "sk": i} for i in range(100)], "ConsistentRead": True, "ProjectionExpression": "n"}})
        self.assertEqual(sorted(int(item["n"]) for item in answer["Responses"][table.name]),
                         list(range(10, 100)) + list(range(121, 130)))
        self.assertEqual(answer["UnprocessedKeys"], {})

    def test_a_batch_writer_sends_again_what_was_throttled(self):
        table = self.make(ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 5})
        control("PATCH", "/capacity", {"table": table.name, "burst_window": 1})
        patient = boto3.resource("dynamodb", **dict(OPTIONS, config=Config(retries={"total_max_attempts": 10})))
        with patient.Table(table.name).batch_writer() as batch:
            for i in range(8):
                batch.put_item(Item={"pk": str(i)})
        self.assertEqual(table.scan(Select="COUNT")["Count"], 8)

    def test_a_transaction_is_all_or_nothing(self):
        table = self.make()
        transfer = dict(TransactItems=[
            {"Update": {"TableName": table.name, "Key": {"pk": {"S": "ann"}}, "UpdateExpression": "SET coins = coins - :n",
                        "ConditionExpression": "coins >= :n", "ExpressionAttributeValues": {":n": {"N": "60"}},
                        "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
            {"Update": {"TableName": table.name, "Key": {"pk": {"S": "ben"}}, "UpdateExpression": "ADD coins :n",
                        "ExpressionAttributeValues": {":n": {"N": "60"}}}}])
        table.put_item(Item={"pk": "ann", "coins": 100})
        self.client.transact_write_items(ClientRequestToken=table.name, **transfer)
        self.client.transact_write_items(ClientRequestToken=table.name, **transfer)
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as caught:
            self.client.transact_write_items(**transfer)
        reasons = caught.exception.response["CancellationReasons"]
        self.assertEqual([reason["Code"] for reason in reasons], ["ConditionalCheckFailed", "None"])
        self.assertEqual(reasons[0]["Item"], {"pk": {"S": "ann"}, "coins": {"N": "40"}})
        got = self.client.transact_get_items(TransactItems=[
            {"Get": {"TableName": table.name, "Key": {"pk": {"S": name}}}} for name in ("ben", "ann", "nobody")])
        self.assertEqual([answer.get("Item", {}).get("coins") for answer in got["Responses"]],
                         [{"N": "60"}, {"N": "40"}, None])

    def test_errors_have_the_classes_of_the_service(self):
        with self.assertRaises(self.client.exceptions.ResourceNotFoundException):
            self.client.get_item(TableName="nobody", Key={"pk": {"S": "a"}})
        with self.assertRaises(ClientError) as caught:
            self.client.put_item(TableName=self.make().name, Item={"q": {"S": "a"}})
        self.assertEqual(caught.exception.response["Error"]["Code"], "ValidationException")
        self.assertTrue(caught.exception.response["ResponseMetadata"]["RequestId"])

    def test_a_hot_key_is_throttled_and_spread_keys_are_not(self):
        hot = self.make(ProvisionedThroughput={"ReadCapacityUnits": 10000, "WriteCapacityUnits": 10000})
        control("PUT", "/clock", {"mode": "manual"})
        try:
            for i in range(1000):
                hot.put_item(Item={"pk": "hot"})
            with self.assertRaises(self.client.exceptions.ProvisionedThroughputExceededException) as caught:
                hot.put_item(Item={"pk": "hot"})
            for i in range(1000):
                hot.put_item(Item={"pk": "spread-%d" % (i % 200)}) if not self.same_partition(hot, i) else None
        finally:
            control("PUT", "/clock", {"mode": "real", "rate": 1})
        reasons = caught.exception.response.get("ThrottlingReasons")
        if reasons is not None:  # older service models do not know the member
            self.assertEqual(reasons[0]["reason"], "TableWriteKeyRangeThroughputExceeded")
            self.assertTrue(reasons[0]["resource"].endswith(":table/" + hot.name))

    def same_partition(self, table, i):
        """Does spread key i fall to the partition of the hot key? (It is then throttled with it, rightly.)"""
        import hashlib
        ranges = [p for p in control("GET", "/tables/%s/partitions" % table.name)["partitions"]] if i < 1 else self.ranges
        self.ranges = ranges

        def place(key):
            prefix = hashlib.md5(b"Outliers" + key.encode()).hexdigest()[:16]
            return next(p["id"] for p in ranges if p["hash_from"] <= prefix <= p["hash_to"])
        return place("hot") == place("spread-%d" % (i % 200))

    def test_manual_time_fills_the_buckets(self):
        table = self.make(ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        control("PUT", "/clock", {"mode": "manual"})
        try:
            for _ in range(300):
                table.put_item(Item={"pk": "a"})
            with self.assertRaises(self.client.exceptions.ProvisionedThroughputExceededException):
                table.put_item(Item={"pk": "a"})
            control("POST", "/clock/advance", {"ms": 1000})
            table.put_item(Item={"pk": "a"})
        finally:
            control("PUT", "/clock", {"mode": "real", "rate": 1})


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Boto3))
    bad = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (outcome.testsRun - bad, bad))
    sys.exit(1 if bad else 0)
