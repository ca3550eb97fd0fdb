"""The mixed load: every connection puts, updates, deletes, queries and scans at random, makes and drops tables, adds and
drops an index. Some additions are large requests, which are done beside the loop. In the end each counter has the sum of
its acknowledged additions."""
import json
import time

from soak import LOST, Client, Crowd, Worker, kind_of

EXPECTED = {"ResourceNotFoundException", "ResourceInUseException", "ConditionalCheckFailedException",
            "LimitExceededException", "ProvisionedThroughputExceededException", "ThrottlingException", LOST}
EXISTS = "Attempting to create an index which already exists"
COUNTERS = 32
IGNORED = {"Ignored": "x" * 300000}  # makes a request a large one, and changes nothing of what it says


def table(name, **more):
    return dict({"TableName": name, "BillingMode": "PAY_PER_REQUEST",
                 "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"},
                                          {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "N"}],
                 "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                 "LocalSecondaryIndexes": [{"IndexName": "lix", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
                     {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}]}],
                 "GlobalSecondaryIndexes": [{"IndexName": "gix", "Projection": {"ProjectionType": "KEYS_ONLY"}, "KeySchema": [
                     {"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]}]}, **more)


class Visitor(Worker):
    """Keeps what it has added to each counter, and what it has perhaps: it was not told."""

    def __init__(self, number, port, until):
        super().__init__(number, port, until)
        self.kept = {"added": [0] * COUNTERS, "perhaps": [0] * COUNTERS}

    def step(self, client):
        status, answer = self.ask(client)
        self.counts["requests"] += 1
        if status >= 500 or (status != 200 and kind_of(answer) not in EXPECTED and answer.get("message") != EXISTS):
            self.problem("%d %s" % (status, json.dumps(answer)))

    def ask(self, client):
        r = self.random
        key = {"pk": {"S": "p%d" % r.randrange(20)}, "sk": {"N": str(r.randrange(200))}}
        item = dict(key, g={"S": "g%d" % r.randrange(5)}, l={"N": str(r.random())}, d={"S": "x" * r.randrange(2000)},
                    s={"SS": sorted({str(r.randrange(9)) for _ in range(3)})}, m={"M": {"k": {"L": [{"N": "1"}, {"NULL": True}]}}})
        choice = r.randrange(100)
        if choice < 25:
            return client.call("PutItem", {"TableName": "soak", "Item": item, "ReturnValues": "ALL_OLD"})
        if choice < 45:
            return client.call("GetItem", {"TableName": "soak", "Key": key, "ReturnConsumedCapacity": "INDEXES"})
        if choice < 60:
            counter = r.randrange(COUNTERS)
            status, answer = client.call("UpdateItem", {
                "TableName": "soak", "Key": {"pk": {"S": "counter"}, "sk": {"N": str(counter)}},
                "UpdateExpression": "ADD n :one SET g = :g", "ExpressionAttributeValues": {":one": {"N": "1"}, ":g": item["g"]},
                **(IGNORED if r.random() < 0.1 else {})})
            self.kept["added"][counter] += status == 200
            self.kept["perhaps"][counter] += kind_of(answer) == LOST
            return status, answer
        if choice < 70:
            return client.call("DeleteItem", {"TableName": "soak", "Key": key, "ReturnValues": "ALL_OLD"})
        if choice < 80:
            return client.call("Query", {"TableName": "soak", "KeyConditionExpression": "pk = :p AND sk > :s", "Limit": 20,
                                         "ScanIndexForward": r.random() < 0.5, "FilterExpression": "contains(s, :x)",
                                         "ExpressionAttributeValues": {":p": key["pk"], ":s": key["sk"], ":x": {"S": "1"}}})
        if choice < 88:
            return client.call("Query", {"TableName": "soak", "IndexName": "gix", "KeyConditionExpression": "g = :g",
                                         "ExpressionAttributeValues": {":g": item["g"]}, "Limit": 50})
        if choice < 92:
            return client.call("Scan", {"TableName": "soak", "Segment": r.randrange(4), "TotalSegments": 4, "Limit": 100})
        if choice < 95:
            return client.call("PutItem", {"TableName": "soak", "Item": item, "ConditionExpression": "attribute_not_exists(pk) AND size(d) > :n",
                                           "ExpressionAttributeValues": {":n": {"N": "1"}}})
        if choice < 97:
            return client.call("DescribeTable", {"TableName": "soak"})
        other = "soak.%d" % r.randrange(4)
        if choice < 98:
            operation = r.choice(["CreateTable", "CreateTable", "DeleteTable"])
            return client.call(operation, table(other) if operation == "CreateTable" else {"TableName": other})
        if choice < 99:
            return client.call("PutItem", {"TableName": other, "Item": item})
        change = r.choice([{"Create": {"IndexName": "more", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
            {"AttributeName": "g", "KeyType": "HASH"}]}}, {"Delete": {"IndexName": "more"}}])
        return client.call("UpdateTable", {"TableName": other, "GlobalSecondaryIndexUpdates": [change], "AttributeDefinitions": [
            {"AttributeName": "g", "AttributeType": "S"}]})


def make(client):
    client.must("CreateTable", table("soak"))


def check(client, kept):
    """What is wrong with the counters."""
    problems = []
    for counter in range(COUNTERS):
        got = client.must("GetItem", {"TableName": "soak", "ConsistentRead": True,
                                      "Key": {"pk": {"S": "counter"}, "sk": {"N": str(counter)}}})
        least = sum(its["added"][counter] for its in kept)
        most = least + sum(its["perhaps"][counter] for its in kept)
        if not least <= int(got.get("Item", {}).get("n", {}).get("N", "0")) <= most:
            problems.append("counter %d: %s instead of %d to %d" % (counter, json.dumps(got), least, most))
    return problems


def one_round(server, seconds, connections):
    """Loads, checks the counters, deletes every table. Answers (counts, problems)."""
    make(Client(server.port))
    until = time.monotonic() + seconds
    counts, problems, kept = Crowd([Visitor(number, server.port, until) for number in range(connections)]).join()
    client = Client(server.port)
    problems += check(client, kept)
    for name in client.must("ListTables", {})["TableNames"]:
        client.must("DeleteTable", {"TableName": name})
    return counts, problems
