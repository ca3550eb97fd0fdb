"""The load of keepers: each has items of its own in a table that outlives restarts, and knows what each may be: what it
was told was written, and behind that only what it was not told of.

  nothing lost    an item is one of the values that it may have, whenever it is read, and in the end
  index           is what the table is
"""
from soak import LOST, Worker

TABLE, INDEX = "soak.kept", "by-group"
KEYS = 100  # a keeper's


def key_of(number, key):
    return {"pk": {"S": "%d-%d" % (number, key)}}


def item_of(number, key, value):
    return dict(key_of(number, key), n={"N": str(value)}, group={"S": "g%d" % (value % 7)},
                filling={"S": "x" * (value * 37 % 1500)})


def nothing_kept(number):
    return {"number": number, "serial": 0, "values": [[None] for _ in range(KEYS)]}


class Keeper(Worker):
    """`kept["values"]`: what each key may hold, None for no item. Only an answer to a write ends the doubt: what was
    read may not have been on the disk yet."""

    def __init__(self, number, port, until, kept):
        super().__init__(number, port, until)
        self.kept = kept

    def step(self, client):
        key, choice = self.random.randrange(KEYS), self.random.randrange(100)
        if choice < 30:
            self.put(client, key)
        elif choice < 60:
            self.update(client, key)
        elif choice < 65:
            self.delete(client, key)
        elif choice < 75:
            self.put_several(client)
        else:
            answer = self.call(client, "GetItem", self.place(key, ConsistentRead=True))[1]
            self.judge(key, self.kept["values"][key], answer.get("Item"))

    def place(self, key, **more):
        return dict({"TableName": TABLE, "Key": key_of(self.number, key)}, **more)

    def next_value(self):
        self.kept["serial"] += 1
        return self.kept["serial"]

    def judge(self, key, values, item):
        if item not in [value and item_of(self.number, key, value) for value in values]:
            self.problem("key %d may be %s, and is %s" % (key, values, item and item["n"]))

    def write(self, client, operation, body, values):
        """values: by key, what is written. Answers (kind, answer)."""
        before = {key: self.kept["values"][key] for key in values}
        for key, value in values.items():
            self.kept["values"][key] = before[key] + [value]
        kind, answer = self.call(client, operation, body, {LOST})
        if not kind:
            for key, value in values.items():
                self.kept["values"][key] = [value]
        return kind, answer

    def put(self, client, key):
        value, before = self.next_value(), self.kept["values"][key]
        body = {"TableName": TABLE, "Item": item_of(self.number, key, value), "ReturnValues": "ALL_OLD"}
        kind, answer = self.write(client, "PutItem", body, {key: value})
        if not kind:
            self.judge(key, before, answer.get("Attributes"))

    def update(self, client, key):
        """Under a condition where it is certain whether it holds."""
        value, before = self.next_value(), self.kept["values"][key]
        item = item_of(self.number, key, value)
        body = self.place(key, UpdateExpression="SET n = :n, #g = :g, filling = :f",
                          ExpressionAttributeNames={"#g": "group"},
                          ExpressionAttributeValues={":n": item["n"], ":g": item["group"], ":f": item["filling"]})
        if len(before) == 1:
            body["ConditionExpression"] = "attribute_not_exists(n)" if before == [None] else "n = :old"
            if before != [None]:
                body["ExpressionAttributeValues"][":old"] = {"N": str(before[0])}
        self.write(client, "UpdateItem", body, {key: value})

    def delete(self, client, key):
        before = self.kept["values"][key]
        kind, answer = self.write(client, "DeleteItem", self.place(key, ReturnValues="ALL_OLD"), {key: None})
        if not kind:
            self.judge(key, before, answer.get("Attributes"))

    def put_several(self, client):
        values = {key: self.next_value() for key in self.random.sample(range(KEYS), 4)}
        puts = [{"PutRequest": {"Item": item_of(self.number, key, value)}} for key, value in values.items()]
        self.write(client, "BatchWriteItem", {"RequestItems": {TABLE: puts}}, values)


def make(client):
    client.must("CreateTable", {
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "group")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [{"IndexName": INDEX, "Projection": {"ProjectionType": "ALL"},
                                    "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}]}]})


def check(client, kept):
    """What is wrong. Ends all doubt in `kept`."""
    items = client.pages("Scan", {"TableName": TABLE, "ConsistentRead": True}, "Items")
    indexed = client.pages("Scan", {"TableName": TABLE, "IndexName": INDEX}, "Items")
    problems = []
    if sorted(items, key=str) != sorted(indexed, key=str):
        problems.append("index %s is not what its table is" % INDEX)
    found = {item["pk"]["S"]: item for item in items}
    for its in kept:
        for key, values in enumerate(its["values"]):
            item = found.pop(key_of(its["number"], key)["pk"]["S"], None)
            if item not in [value and item_of(its["number"], key, value) for value in values]:
                problems.append("keeper %d: key %d may be %s, and is %s" % (
                    its["number"], key, values, item and item["n"]))
            its["values"][key] = [item and int(item["n"]["N"])]
    if found:
        problems.append("items that nobody wrote: %s" % sorted(found)[:20])
    return problems
