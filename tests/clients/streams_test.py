"""A boto3 reader of streams as consumers write them, and time to live with the clock in the test's hands."""
import json
import os
import sys
import unittest
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = os.environ["ENDPOINT"]
OPTIONS = dict(endpoint_url=ENDPOINT, region_name="us-east-1", config=Config(retries={"total_max_attempts": 1}))


def control(method, path, body=None):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn" + path, method=method,
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


class Reader:
    """Reads every shard from its start, parents first, and keeps its place between calls."""

    def __init__(self, streams, arn):
        self.streams, self.arn, self.iterators = streams, arn, {}

    def shards(self):
        found, after = [], {}
        while True:
            page = self.streams.describe_stream(StreamArn=self.arn, Limit=2, **after)["StreamDescription"]
            found += page["Shards"]
            if "LastEvaluatedShardId" not in page:
                return found
            after = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    def read(self):
        records = []
        for shard in self.shards():
            name = shard["ShardId"]
            if name not in self.iterators:
                self.iterators[name] = self.streams.get_shard_iterator(
                    StreamArn=self.arn, ShardId=name, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
            while self.iterators[name]:
                page = self.streams.get_records(ShardIterator=self.iterators[name], Limit=7)
                self.iterators[name] = page.get("NextShardIterator")
                records += page["Records"]
                if not page["Records"]:
                    break
        return records


class Streams(unittest.TestCase):
    counter = 0

    @classmethod
    def setUpClass(cls):
        cls.client = boto3.client("dynamodb", **OPTIONS)
        cls.streams = boto3.client("dynamodbstreams", **OPTIONS)

    def setUp(self):
        self.addCleanup(control, "PUT", "/clock", {"mode": "real", "rate": 1})

    def make(self, view="NEW_AND_OLD_IMAGES", **more):
        Streams.counter += 1
        name = "streams.%d" % Streams.counter
        if view:
            more["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
        self.client.create_table(TableName=name, BillingMode="PAY_PER_REQUEST",
                                 KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                                 AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}], **more)
        self.client.get_waiter("table_exists").wait(TableName=name)
        return name, self.client.describe_table(TableName=name)["Table"].get("LatestStreamArn")

    def put(self, name, key, **rest):
        self.client.put_item(TableName=name, Item={"pk": {"S": key}, **{k: {"N": str(v)} for k, v in rest.items()}})

    def test_every_change_of_an_item_comes_once_and_in_order(self):
        name, arn = self.make()
        reader = Reader(self.streams, arn)
        for turn in range(20):
            for key in range(20):
                self.put(name, "k%d" % key, turn=turn)
            if turn == 10:
                early = reader.read()
        records = early + reader.read()
        self.assertEqual(len(records), 400)
        self.assertEqual(len({record["eventID"] for record in records}), 400)
        for key in range(20):
            turns = [int(record["dynamodb"]["NewImage"]["turn"]["N"]) for record in records
                     if record["dynamodb"]["Keys"] == {"pk": {"S": "k%d" % key}}]
            self.assertEqual(turns, list(range(20)))

    def test_an_on_demand_table_has_as_many_shards_as_partitions(self):
        name, arn = self.make()
        partitions = control("GET", "/tables/%s/partitions" % name)["partitions"]
        self.assertEqual(len(Reader(self.streams, arn).shards()), len(partitions))

    def test_a_stream_is_found_by_its_table(self):
        name, arn = self.make()
        found = self.streams.list_streams(TableName=name)["Streams"]
        self.assertEqual([stream["StreamArn"] for stream in found], [arn])
        self.assertEqual(arn.rsplit("/", 1)[1], found[0]["StreamLabel"])

    def test_an_image_has_all_types(self):
        name, arn = self.make("NEW_IMAGE")
        item = {"pk": {"S": "a"}, "b": {"B": b"\x00\xff"}, "l": {"L": [{"NULL": True}, {"BOOL": False}]},
                "m": {"M": {"ns": {"NS": ["1"]}}}, "ss": {"SS": ["x", "y"]}}
        self.client.put_item(TableName=name, Item=item)
        record, = Reader(self.streams, arn).read()
        self.assertEqual(record["dynamodb"]["NewImage"], item)

    def test_an_iterator_expires_after_fifteen_minutes(self):
        name, arn = self.make()
        control("PUT", "/clock", {"mode": "manual"})
        shard = Reader(self.streams, arn).shards()[0]["ShardId"]
        iterator = self.streams.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType="LATEST")
        control("POST", "/clock/advance", {"ms": 15 * 60 * 1000 + 1})
        with self.assertRaises(self.streams.exceptions.ExpiredIteratorException):
            self.streams.get_records(ShardIterator=iterator["ShardIterator"])

    def test_records_are_trimmed_after_a_day(self):
        name, arn = self.make()
        control("PUT", "/clock", {"mode": "manual"})
        self.put(name, "a", v=1)
        record, = Reader(self.streams, arn).read()
        control("POST", "/clock/advance", {"ms": 25 * 3600 * 1000})
        self.put(name, "a", v=2)
        later, = Reader(self.streams, arn).read()
        self.assertEqual(later["eventName"], "MODIFY")
        self.assertEqual(later["dynamodb"]["OldImage"]["v"], {"N": "1"})
        self.assertGreater(int(later["dynamodb"]["SequenceNumber"]), int(record["dynamodb"]["SequenceNumber"]))

    def test_a_reader_follows_shards_from_parent_to_child(self):
        name, arn = self.make()
        control("PUT", "/clock", {"mode": "manual"})
        reader = Reader(self.streams, arn)
        before = {shard["ShardId"] for shard in reader.shards()}
        self.put(name, "a", v=1)
        control("POST", "/clock/advance", {"ms": 5 * 3600 * 1000})
        self.put(name, "a", v=2)
        children = [shard for shard in reader.shards() if shard.get("ParentShardId") in before]
        self.assertTrue(children)
        self.assertEqual([r["dynamodb"]["NewImage"]["v"]["N"] for r in reader.read()], ["1", "2"])

    def test_a_disabled_stream_can_be_read_to_its_end(self):
        name, arn = self.make()
        self.put(name, "a", v=1)
        self.client.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
        self.put(name, "a", v=2)
        reader = Reader(self.streams, arn)
        self.assertEqual(len(reader.read()), 1)
        self.assertEqual(set(reader.iterators.values()), {None})

    def test_an_expired_item_goes_when_its_time_has_come(self):
        name, arn = self.make()
        now = control("PUT", "/clock", {"mode": "manual"})["now"] // 1000
        self.client.update_time_to_live(TableName=name,
                                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
        self.put(name, "soon", ttl=now + 60)
        self.put(name, "later", ttl=now + 3600)
        self.put(name, "never")
        control("POST", "/clock/advance", {"ms": 30000})
        self.assertEqual(self.client.scan(TableName=name)["Count"], 3)
        control("POST", "/clock/advance", {"ms": 31000})
        self.assertEqual({item["pk"]["S"] for item in self.client.scan(TableName=name)["Items"]}, {"later", "never"})
        removed, = [r for r in Reader(self.streams, arn).read() if r["eventName"] == "REMOVE"]
        self.assertEqual(removed["userIdentity"], {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"})
        self.assertEqual(removed["dynamodb"]["OldImage"]["pk"], {"S": "soon"})

    def test_a_later_instant_keeps_an_item(self):
        name, _ = self.make(view=None)
        now = control("PUT", "/clock", {"mode": "manual"})["now"] // 1000
        self.client.update_time_to_live(TableName=name,
                                        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
        self.put(name, "a", ttl=now + 60)
        self.put(name, "a", ttl=now + 600)
        control("POST", "/clock/advance", {"ms": 62000})
        self.assertEqual(self.client.scan(TableName=name)["Count"], 1)
        with self.assertRaises(ClientError) as caught:
            self.client.update_time_to_live(TableName=name,
                                            TimeToLiveSpecification={"Enabled": True, "AttributeName": "other"})
        self.assertEqual(caught.exception.response["Error"]["Code"], "ValidationException")


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(Streams))
    bad = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (outcome.testsRun - bad, bad))
    sys.exit(1 if bad else 0)
