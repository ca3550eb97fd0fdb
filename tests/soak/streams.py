"""The load of streams: writers change versioned items of tables with streams while the tables' partitions multiply
(throughput is raised, caps are lowered), shards live out their four hours (the clock jumps) and items expire.

Consumers follow the lineage from the beginning, some starting late: a shard is read when its parent is read to its end.
A consumer keeps an image of the table made of the records alone. Each write bears a mark of its own, so no two images
are equal, and

  in order, once     each record's old image is what the consumer has; sequence numbers rise within a shard
  every change       in the end there are as many records as writes that were acknowledged to have changed something,
                     and the consumer's images are what a Scan answers
"""
import json
import multiprocessing
import time
from collections import Counter

from soak import LOST, Client, Crowd, Worker

KEYS = 300  # of a table
HOUR_S = 3600
JUMPS = 5  # of four hours each: no record gets a day old
CHANGES = (  # in order, evenly over the run: throughput, or the cap that makes partitions
    {"write": 1500}, {"write": 3000}, {"cap": 600}, {"write": 6000}, {"cap": 400}, {"write": 8000})
EXPIRED, TRIMMED = "ExpiredIteratorException", "TrimmedDataAccessException"


def table_name(number):
    return "soak.stream-%d" % number


def key_of(item):
    return item["pk"]["S"]


class Writer(Worker):
    """Keeps how many changes of its table were acknowledged, and how many there may be that it was not told of."""

    def __init__(self, number, port, until, table, start_s):
        super().__init__(number, port, until)
        self.table, self.start_s, self.serial = table_name(table), start_s, 0
        self.kept = {"table": table, "changes": 0, "perhaps": 0}

    def mark(self):
        self.serial += 1
        return {"S": "%d-%d" % (self.number, self.serial)}

    def key(self):
        return {"pk": {"S": "k%d" % self.random.randrange(KEYS)}}

    def item(self, key):
        r = self.random
        item = dict(key, n=self.mark(), v={"N": str(r.randrange(1000))}, d={"S": "x" * r.randrange(200)})
        if r.random() < 0.2:  # expires at some hour of the run, or has
            item["t"] = {"N": str(self.start_s + r.randrange(6 * 4 * HOUR_S))}
        return item

    def update(self):
        return {"TableName": self.table, "Key": self.key(), "UpdateExpression": "ADD v :one SET n = :n",
                "ExpressionAttributeValues": {":one": {"N": "1"}, ":n": self.mark()}}

    def step(self, client):
        choice = self.random.randrange(100)
        if choice < 50:
            self.change(client, "UpdateItem", self.update(), 1)
        elif choice < 70:
            self.change(client, "PutItem", {"TableName": self.table, "Item": self.item(self.key())}, 1)
        elif choice < 80:
            body = {"TableName": self.table, "Key": self.key(), "ReturnValues": "ALL_OLD"}
            kind, answer = self.call(client, "DeleteItem", body, {LOST})
            self.kept["changes"] += "Attributes" in answer
            self.kept["perhaps"] += kind == LOST
        elif choice < 90:
            puts = [{"Put": {"TableName": self.table, "Item": self.item(key)}} for key in self.different_keys()]
            self.change(client, "TransactWriteItems", {"TransactItems": puts}, len(puts))
        elif choice < 95:
            puts = [{"PutRequest": {"Item": self.item(key)}} for key in self.different_keys()]
            self.change(client, "BatchWriteItem", {"RequestItems": {self.table: puts}}, len(puts))
        else:  # changes nothing, and leaves no record
            body = {"TableName": self.table, "Key": self.key(), "UpdateExpression": "SET n = n",
                    "ConditionExpression": "attribute_exists(n)"}
            self.change(client, "UpdateItem", body, 0, {"ConditionalCheckFailedException"})

    def different_keys(self):
        return [{"pk": {"S": "k%d" % number}} for number in self.random.sample(range(KEYS), self.random.randint(2, 5))]

    def change(self, client, operation, body, changes, allowed=()):
        kind, answer = self.call(client, operation, body, {LOST, *allowed})
        if not kind:
            self.kept["changes"] += changes
        if kind == LOST:
            self.kept["perhaps"] += changes
        if answer.get("UnprocessedItems"):
            self.problem("some of a batch was not written")


class Shard:
    def __init__(self, described):
        self.id, self.parent = described["ShardId"], described.get("ParentShardId")
        self.first = int(described["SequenceNumberRange"]["StartingSequenceNumber"])
        self.iterator, self.last, self.is_read = None, None, False


class Consumer(Worker):
    """Keeps the images, how many records it took and what it saw of the shards."""

    def __init__(self, number, port, starts_at, is_over, table, arn):
        super().__init__(number, port, float("inf"))
        self.starts_at, self.is_over, self.arn, self.table = starts_at, is_over, arn, table
        self.is_done = False
        self.begin()

    def begin(self):
        self.images, self.shards = {}, {}
        self.kept = {"table": self.table, "images": self.images, "changes": 0, "expiries": 0, "children": Counter()}

    def run(self):
        self.is_over.wait(max(0, self.starts_at - time.monotonic()))
        super().run()

    def goes_on(self):
        return not self.is_done and super().goes_on()

    def step(self, client):
        """One pass over what can be read."""
        was_over = self.is_over.is_set()
        has_read = self.list_shards(client) > 0
        for shard in list(self.shards.values()):
            if not self.goes_on():
                return
            if not shard.is_read and self.may_read(shard):
                has_read = self.read(client, shard) or has_read
        if was_over and not has_read:
            self.finish(client)
        elif not has_read:
            time.sleep(0.02)

    def describe(self, client, start):
        """Pages of shards, from the one behind `start` on."""
        found, start = [], {"ExclusiveStartShardId": start} if start else {}
        while start is not None:
            body = dict(start, StreamArn=self.arn, Limit=self.random.randint(1, 100))
            _, answer = self.call(client, "DescribeStream", body)
            found += answer["StreamDescription"]["Shards"]
            last = answer["StreamDescription"].get("LastEvaluatedShardId")
            start = {"ExclusiveStartShardId": last} if last else None
        return found

    def list_shards(self, client):
        found = self.describe(client, next(reversed(self.shards), None))
        for described in found:
            shard = Shard(described)
            if shard.id in self.shards:
                self.problem("shard %s is told twice" % shard.id)
            if shard.parent is not None:
                self.kept["children"][shard.parent] += 1
            self.shards[shard.id] = shard
        return len(found)

    def may_read(self, shard):
        if shard.parent is None:
            return True
        if shard.parent not in self.shards:
            self.problem("the parent of %s is unknown" % shard.id)
            return False
        return self.shards[shard.parent].is_read

    def start(self, client, shard):
        """An iterator at the beginning, or where it has come to. Will the next page begin with the last record?"""
        place, is_again = {"ShardIteratorType": "TRIM_HORIZON"}, False
        if shard.last is not None:
            is_again = self.random.random() < 0.5
            place = {"ShardIteratorType": "AT_SEQUENCE_NUMBER" if is_again else "AFTER_SEQUENCE_NUMBER",
                     "SequenceNumber": str(shard.last)}
        _, answer = self.call(client, "GetShardIterator", dict(place, StreamArn=self.arn, ShardId=shard.id))
        shard.iterator = answer["ShardIterator"]
        return is_again

    def read(self, client, shard):
        """A page of records. Was there anything, a record or the end?"""
        is_again = self.start(client, shard) if shard.iterator is None else False
        limit = self.random.choice([1, 10, 100, 1000])
        kind, answer = self.call(client, "GetRecords", {"ShardIterator": shard.iterator, "Limit": limit}, {EXPIRED})
        if kind:
            self.counts["iterators that expired"] += kind == EXPIRED
            shard.iterator = None
            return True
        records = answer["Records"]
        if len(records) > limit:
            self.problem("%d records instead of %d at most" % (len(records), limit))
        if is_again:
            if not records or int(records[0]["dynamodb"]["SequenceNumber"]) != shard.last:
                self.problem("at a sequence number of %s is another record" % shard.id)
            records = records[1:]
        for record in records:
            self.take(shard, record)
        shard.iterator = answer.get("NextShardIterator")
        shard.is_read = shard.iterator is None
        if shard.iterator is not None and shard.last is not None and self.random.random() < 0.05:
            shard.iterator = None  # as one that lost it
        return bool(records) or is_again or shard.is_read

    def take(self, shard, record):
        told = record["dynamodb"]
        sequence, key = int(told["SequenceNumber"]), key_of(told["Keys"])
        if sequence < shard.first or (shard.last is not None and sequence <= shard.last):
            self.problem("sequence number %d of %s comes after %s" % (sequence, shard.id, shard.last))
        shard.last = sequence
        old, new = told.get("OldImage"), told.get("NewImage")
        if self.images.get(key) != old:
            self.problem("%s was %s, and a record says %s" % (key, json.dumps(self.images.get(key)), json.dumps(old)))
        name = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
        if record["eventName"] != name or old == new:
            self.problem("%s of %s to %s" % (record["eventName"], json.dumps(old), json.dumps(new)))
        if new is None:
            self.images.pop(key, None)
        else:
            self.images[key] = new
        self.counts["records consumed"] += 1
        self.kept["expiries" if "userIdentity" in record else "changes"] += 1

    def finish(self, client):
        """Every shard has been read, and what is described agrees with what was read."""
        self.is_done = True
        for described in self.describe(client, None):
            shard, numbers = self.shards[described["ShardId"]], described["SequenceNumberRange"]
            end = int(numbers.get("EndingSequenceNumber", 0))
            if shard.is_read != (end > 0) or (shard.is_read and shard.last is not None and shard.last > end):
                self.problem("%s ends at %s, and was read until %s" % (shard.id, end, shard.last))
            if not shard.is_read and not self.may_read(shard):
                self.problem("%s was never read" % shard.id)


class Course:
    """What happens to the tables and to the clock while the load runs."""

    def __init__(self, port, tables, seconds):
        events = [(seconds * (i + 1) / (len(CHANGES) + 2), self.change, change) for i, change in enumerate(CHANGES)]
        events += [(seconds * (i + 0.5) / (JUMPS + 1), self.jump, None) for i in range(JUMPS)]
        self.port, self.tables, self.events = port, tables, sorted(events, key=lambda event: event[0])

    def run(self):
        started = time.monotonic()
        for at, happens, with_what in self.events:
            time.sleep(max(0, started + at - time.monotonic()))
            happens(Client(self.port), with_what)

    def change(self, client, change):
        for table in range(self.tables):
            if "cap" in change:
                client.control("PATCH", "capacity", {"table": table_name(table), "partition_write_cap": change["cap"]})
                continue
            client.must("UpdateTable", {"TableName": table_name(table), "ProvisionedThroughput": {
                "ReadCapacityUnits": 100, "WriteCapacityUnits": change["write"]}})

    @staticmethod
    def jump(client, _):
        client.control("PUT", "clock", {"mode": "manual"})
        client.control("POST", "clock/advance", {"ms": 4 * HOUR_S * 1000})
        client.control("PUT", "clock", {"mode": "real"})


def make_table(client, number):
    """The ARN of its stream."""
    name = table_name(number)
    answer = client.must("CreateTable", {
        "TableName": name, "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100},
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}})
    client.must("UpdateTimeToLive", {"TableName": name,
                                     "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}})
    return answer["TableDescription"]["LatestStreamArn"]


def make(client, tables):
    """The ARNs of their streams."""
    return [make_table(client, table) for table in range(tables)]


def let_all_fall_due(client):
    """Time stands still, and all that was due has happened."""
    client.control("PUT", "clock", {"mode": "manual"})
    client.control("POST", "clock/advance", {"ms": 10000})


def check(client, tables, written, consumed):
    """(counts, what is wrong), of what writers and consumers have kept."""
    counts, problems = Counter(), []
    for table in range(tables):
        scan = {"TableName": table_name(table), "ConsistentRead": True}
        items = {key_of(item): item for item in client.pages("Scan", scan, "Items")}
        least = sum(its["changes"] for its in written if its["table"] == table)
        most = least + sum(its["perhaps"] for its in written if its["table"] == table)
        of_table = [its for its in consumed if its["table"] == table]
        for its in of_table:
            if its["images"] != items:
                problems.append("%s: a consumer's images are not what the table has" % table_name(table))
            if not least <= its["changes"] <= most:
                problems.append("%s: %d records of %d to %d changes" % (
                    table_name(table), its["changes"], least, most))
        counts["changes acknowledged"] += least
        counts["items expired"] += of_table[0]["expiries"]
        counts["shards"] += sum(of_table[0]["children"].values()) + 1
        counts["shards split"] += sum(children > 1 for children in of_table[0]["children"].values())
        counts["shards succeeded by one"] += sum(children == 1 for children in of_table[0]["children"].values())
    return counts, problems


def one_round(server, seconds, connections):
    """A quarter of the connections consume; there are as many tables as four of them, and two at least."""
    client = Client(server.port)
    client.control("PATCH", "capacity", {"enforce": "observe"})
    consumers = max(2, connections // 4)
    tables = max(2, consumers // 4)
    arns = make(client, tables)
    start_s = client.control("GET", "clock")["now"] // 1000
    started, is_over = time.monotonic(), multiprocessing.get_context("fork").Event()
    reading = Crowd([Consumer(i, server.port, started + (i // tables % 2) * seconds / 3, is_over, i % tables, arns[i % tables])
                     for i in range(consumers)])
    writing = Crowd([Writer(i, server.port, started + seconds, i % tables, start_s)
                     for i in range(max(1, connections - consumers))])
    Course(server.port, tables, seconds).run()
    counts, problems, written = writing.join()
    client = Client(server.port)
    let_all_fall_due(client)
    is_over.set()
    more_counts, more_problems, consumed = reading.join()
    checked, wrong = check(client, tables, written, consumed)
    return counts + more_counts + checked, problems + more_problems + wrong
