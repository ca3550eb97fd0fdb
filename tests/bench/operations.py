"""What is measured: tables of items, and one row for each operation."""
import itertools
import json
import random
import sys
from typing import Callable, NamedTuple

from harness import TABLE, ask, create_table, encode, item_of, key_of, load

ATTRIBUTES = 50  # of a wide item


class Table(NamedTuple):
    name: str
    count: int
    per_key: int = 10  # items of one partition key
    note_bytes: int = 190
    indexes: int = 0
    is_wide: bool = False
    units: int = 0  # provisioned; on demand without

    def key(self, number):
        return key_of(number, self.per_key)

    def item(self, number, rng):
        item = item_of(number, rng, self.note_bytes, self.indexes, self.per_key)
        for attribute in range(ATTRIBUTES - len(item) if self.is_wide else 0):
            item["attribute%02d" % attribute] = {"S": "value %d" % rng.randrange(1000)}
        return item

    def shuffled(self):
        return random.Random(0).sample(range(self.count), self.count)

    def put(self, server, numbers):
        rng = random.Random(1)
        load(server, (self.item(number, rng) for number in numbers), self.name)

    def create(self, server):
        throughput = {"ReadCapacityUnits": self.units, "WriteCapacityUnits": self.units}
        members = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput} if self.units else {}
        create_table(server, self.name, self.indexes, **members)
        self.put(server, range(self.count))


class Operation(NamedTuple):
    name: str
    target: str
    table: str  # a name of tables_of
    requests: Callable  # (table, rng, server) -> iterable of requests
    is_write: bool = False  # is measured with global indexes too
    is_refused: bool = False
    is_throttled: bool = False  # refused by a limit, which no peer has
    is_once: bool = False  # each request is sent once, in the table's shuffled order, and what it deletes is put back


def tables_of(items):
    """By name; the main one has so many items, others fewer: about ten megabytes."""
    tables = (Table(TABLE, items), Table("Medium", 2000, note_bytes=4096 - 110),
              Table("Large", 20, note_bytes=409600 - 150), Table("Collections", 10000, per_key=1000),
              Table("Wide", 2000, is_wide=True), Table("Deleted", 50000), Table("OneUnit", 1, units=1))
    return {table.name: table._replace(count=min(table.count, items)) for table in tables}


def each(make):
    """Requests without end, made by a function of (table, number of an item, rng)."""
    def requests(table, rng, _):
        return (make(table, rng.randrange(table.count), rng) for _ in itertools.repeat(None))
    return requests


def get(table, number, _):
    return {"TableName": table.name, "Key": table.key(number)}


def put(table, number, rng):
    return {"TableName": table.name, "Item": table.item(number, rng)}


def put_of_absent(table, number, rng):
    return dict(put(table, number, rng), ConditionExpression="attribute_not_exists(pk)")


def update(expression, values):
    def make(table, number, rng):
        return dict(get(table, number, rng), UpdateExpression=expression, ExpressionAttributeValues=values)
    return make


def query(table, number, _):
    return {"TableName": table.name, "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": table.key(number)["pk"]}}


def deletes(table, rng, _):
    return (get(table, number, rng) for number in table.shuffled())


def batch_get(table, _, rng):
    keys = [table.key(number) for number in rng.sample(range(table.count), 100)]
    return {"RequestItems": {table.name: {"Keys": keys}}}


def batch_write(table, _, rng):
    puts = [{"PutRequest": {"Item": table.item(number, rng)}} for number in rng.sample(range(table.count), 25)]
    return {"RequestItems": {table.name: puts}}


def transact(count):
    def make(table, _, rng):
        return {"TransactItems": [{"Put": put(table, number, rng)} for number in rng.sample(range(table.count), count)]}
    return make


def scan(table, _=None, filters=False):
    """Of a page of 1 MB; the filter reads an attribute of each item and drops all."""
    body = {"TableName": table.name}
    if filters:
        body.update(FilterExpression="note = :none", ExpressionAttributeValues={":none": {"S": "none"}})
    return body


def pages(filters):
    def requests(table, _, server):
        starts = [page.start for page in read_pages(server, scan(table, filters=filters))]
        return (dict(scan(table, filters=filters), **({"ExclusiveStartKey": start} if start else {}))
                for start in itertools.cycle(starts))
    return requests


class Page(NamedTuple):
    start: dict  # None for the first one
    moved_bytes: int
    evaluated_bytes: int


def read_pages(server, body):
    """Reads a table from page to page on one connection."""
    body = dict(body, ReturnConsumedCapacity="TOTAL")
    connection = server.connect()
    start = None
    while True:
        status, answer = ask(connection, "Scan", encode(dict(body, ExclusiveStartKey=start) if start else body))
        if status != 200:
            sys.exit("Scan: %d %s" % (status, answer.decode()))
        # An eventually consistent unit is of 8 KiB.
        yield Page(start, len(answer), int(last_member(answer, b"CapacityUnits") * 8192))
        start = last_member(answer, b"LastEvaluatedKey")
        if not start:
            break
    connection.close()


def last_member(answer, name):
    """The value of the last member of this name: reading all of a long answer as JSON would measure Python."""
    at = answer.rfind(b'"%s":' % name)
    return None if at < 0 else json.JSONDecoder().raw_decode(answer[at + len(name) + 3:].decode())[0]


OPERATIONS = (
    Operation("GetItem", "GetItem", TABLE, each(get)),
    Operation("GetItem-4KB", "GetItem", "Medium", each(get)),
    Operation("GetItem-400KB", "GetItem", "Large", each(get)),
    Operation("PutItem", "PutItem", TABLE, each(put), is_write=True),
    Operation("UpdateItem-ADD", "UpdateItem", TABLE, each(update("ADD visits :one", {":one": {"N": "1"}})),
              is_write=True),
    Operation("UpdateItem-SET", "UpdateItem", "Wide", each(update("SET attribute20 = :new", {":new": {"S": "value"}})),
              is_write=True),
    Operation("DeleteItem", "DeleteItem", "Deleted", deletes, is_write=True, is_once=True),
    Operation("Query-10", "Query", TABLE, each(query)),
    Operation("Query-1000", "Query", "Collections", each(query)),
    Operation("Scan", "Scan", TABLE, pages(filters=False)),
    Operation("Scan-filtered", "Scan", TABLE, pages(filters=True)),
    Operation("BatchGetItem-100", "BatchGetItem", TABLE, each(batch_get)),
    Operation("BatchWriteItem-25", "BatchWriteItem", TABLE, each(batch_write), is_write=True),
    Operation("TransactWriteItems-4", "TransactWriteItems", TABLE, each(transact(4)), is_write=True),
    Operation("TransactWriteItems-100", "TransactWriteItems", TABLE, each(transact(100)), is_write=True),
    Operation("PutItem-refused", "PutItem", TABLE, each(put_of_absent), is_write=True, is_refused=True),
    Operation("GetItem-throttled", "GetItem", "OneUnit", each(get), is_refused=True, is_throttled=True),
    Operation("PutItem-throttled", "PutItem", "OneUnit", each(put), is_refused=True, is_throttled=True),
)
