"""The load of transactions: money moves between accounts of two tables, under conditions, some of which fail, and now
and then with a token that is sent twice at once. Single updates and conditional puts go between, on the same items.

  no torn read     every TransactGetItems of all accounts finds the same sum
  no lost update   in the end each balance, each count of visits and the lines of the ledger are what the acknowledged
                   requests have made of them
  none twice       of two requests of one token at most one takes effect
"""
import json
import time

from soak import LOST, Client, Crowd, Worker

TABLES = ("soak.checking", "soak.savings")  # of the even accounts, of the odd ones
LEDGER = "soak.ledger"
ACCOUNTS = 24
FIRST_BALANCE = 1000
CANCELED = "TransactionCanceledException"
FAILED = "ConditionalCheckFailedException"
BUSY = "TransactionInProgressException"
INDEX = "by-branch"
# What a change of an index may answer when another is under way, or has been.
NOT_NOW = {"ResourceInUseException", "ResourceNotFoundException", "LimitExceededException", "ValidationException", LOST}


def number(value):
    return {"N": str(value)}


def key_of(account):
    key = {"pk": {"S": "account-%d" % account}}
    return dict(key, sk=number(account)) if account % 2 else key


def place_of(account):
    return {"TableName": TABLES[account % 2], "Key": key_of(account)}


def whole_account(account, balance, visits):
    branch = {"S": "branch-%d" % (account % 5)}
    return dict(key_of(account), branch=branch, balance=number(balance), visits=number(visits))


class Teller(Worker):
    """What it keeps: by account, what was acknowledged to change, and visits that it was not told of; the lines it has
    in the ledger."""

    def __init__(self, number_, port, until):
        super().__init__(number_, port, until)
        self.kept = {"balances": [0] * ACCOUNTS, "visits": [0] * ACCOUNTS, "perhaps": [0] * ACCOUNTS, "lines": []}
        self.other = self.connect(port)  # for what is sent twice at once
        self.serial = 0

    def step(self, client):
        choice = self.random.randrange(1000)
        if choice < 400:
            self.transfer(client)
        elif choice < 550:
            self.transfer_twice(client)
        elif choice < 750:
            self.audit(client)
        elif choice < 880:
            self.visit(client)
        elif choice < 998:
            self.rewrite(client)
        else:
            self.change_index(client)

    # ---- transfers

    def plan(self):
        """Two to ten actions, and what they make of the model."""
        r = self.random
        self.serial += 1
        chosen = r.sample(range(ACCOUNTS), r.randint(2, 6))
        amounts = [r.choice((-1, 1)) * r.randint(1, 400) for _ in chosen[1:]]
        amounts.append(-sum(amounts))
        actions = [self.move(account, amount) for account, amount in zip(chosen, amounts)]
        plan = {"moves": list(zip(chosen, amounts)), "line": None, "erased": None, "is_doomed": False}
        if r.random() < 0.4:
            other = r.choice([account for account in range(ACCOUNTS) if account not in chosen])
            actions.append({"ConditionCheck": dict(place_of(other), ConditionExpression="balance >= :m",
                                                   ExpressionAttributeValues={":m": number(r.randint(-1500, 1500))})})
        if r.random() < 0.5:
            plan["line"] = "%d-%d" % (self.number, self.serial)
            item = {"pk": {"S": plan["line"]}, "text": {"S": "x" * r.randrange(300)}}
            actions.append({"Put": {"TableName": LEDGER, "Item": item,
                                    "ConditionExpression": "attribute_not_exists(pk)"}})
        if self.kept["lines"] and r.random() < 0.4:
            plan["erased"] = r.choice(self.kept["lines"])
            actions.append({"Delete": {"TableName": LEDGER, "Key": {"pk": {"S": plan["erased"]}},
                                       "ConditionExpression": "attribute_exists(pk)"}})
        if r.random() < 0.1:
            plan["is_doomed"] = True
            actions.append({"Put": {"TableName": LEDGER, "Item": {"pk": {"S": "never"}},
                                    "ConditionExpression": "attribute_exists(pk)"}})
        r.shuffle(actions)
        plan["body"] = {"TransactItems": actions}
        return plan

    def move(self, account, amount):
        if amount < 0 and self.random.random() < 0.7:
            return {"Update": dict(place_of(account), UpdateExpression="SET balance = balance - :a",
                                   ConditionExpression="balance >= :a",
                                   ExpressionAttributeValues={":a": number(-amount)})}
        return {"Update": dict(place_of(account), UpdateExpression="ADD balance :a",
                               ExpressionAttributeValues={":a": number(amount)})}

    def apply(self, plan):
        self.counts["transactions committed"] += 1
        if plan["is_doomed"]:
            self.problem("a transaction with a condition that never holds was made: %s" % json.dumps(plan["body"]))
        for account, amount in plan["moves"]:
            self.kept["balances"][account] += amount
        if plan["line"]:
            self.kept["lines"].append(plan["line"])
        if plan["erased"]:
            self.kept["lines"].remove(plan["erased"])

    def judge_cancellation(self, plan, answer):
        """Only conditions that were asked for may have failed."""
        self.counts["transactions canceled"] += 1
        codes = [reason.get("Code") for reason in answer.get("CancellationReasons", [])]
        actions = plan["body"]["TransactItems"]
        has_condition = ["ConditionExpression" in next(iter(action.values())) for action in actions]
        is_right = len(codes) == len(actions) and set(codes) != {"None"} and all(
            code == "None" or (code == "ConditionalCheckFailed" and may) for code, may in zip(codes, has_condition))
        if not is_right:
            self.problem("canceled for %s: %s" % (codes, json.dumps(plan["body"])))

    def transfer(self, client):
        plan = self.plan()
        kind, answer = self.call(client, "TransactWriteItems", plan["body"], {CANCELED})
        if kind == CANCELED:
            self.judge_cancellation(plan, answer)
        elif not kind:
            self.apply(plan)

    def transfer_twice(self, client):
        """One token, two connections, at once. A canceled one leaves the token free: the other is then made anew."""
        plan = self.plan()
        body = dict(plan["body"], ClientRequestToken="%d-%d" % (self.number, self.serial))
        client.send("TransactWriteItems", body)
        self.other.send("TransactWriteItems", body)
        answers = [self.receive(it, "TransactWriteItems", {CANCELED, BUSY}) for it in (client, self.other)]
        kinds = [kind for kind, _ in answers]
        self.counts["tokens sent twice at once"] += 1
        self.counts["requests that met their like in progress"] += kinds.count(BUSY)
        for kind, answer in answers:
            if kind == CANCELED:
                self.judge_cancellation(plan, answer)
        if kinds == [BUSY, BUSY]:
            self.problem("both of one token are in progress")
        is_made = "" in kinds
        if is_made:
            self.apply(plan)
        if self.random.random() < 0.3:
            kind, _ = self.call(client, "TransactWriteItems", body, () if is_made else {CANCELED})
            self.counts["tokens repeated later"] += 1
            if not kind and not is_made:
                self.apply(plan)
                is_made = True
        if is_made and self.random.random() < 0.2:
            changed = dict(body, TransactItems=body["TransactItems"][:-1])
            kind, _ = self.call(client, "TransactWriteItems", changed, {"IdempotentParameterMismatchException"})
            if not kind:
                self.problem("a token was taken for another transaction")

    # ---- what goes between

    def audit(self, client):
        accounts = list(range(ACCOUNTS))
        self.random.shuffle(accounts)
        gets = [{"Get": place_of(account)} for account in accounts]
        kind, answer = self.call(client, "TransactGetItems", {"TransactItems": gets})
        if kind:
            return
        self.counts["readings of all accounts"] += 1
        total = sum(int(entry["Item"]["balance"]["N"]) for entry in answer["Responses"])
        if total != ACCOUNTS * FIRST_BALANCE:
            self.problem("a torn reading: the sum is %d" % total)

    def visit(self, client):
        account = self.random.randrange(ACCOUNTS)
        kind, _ = self.call(client, "UpdateItem", dict(place_of(account), UpdateExpression="ADD visits :one",
                                                       ExpressionAttributeValues={":one": number(1)}), {LOST})
        self.note_visit(account, kind)

    def note_visit(self, account, kind):
        self.kept["visits"][account] += not kind
        self.kept["perhaps"][account] += kind == LOST

    def rewrite(self, client):
        """Puts the whole account as it was read, visited once more, unless it has changed since."""
        account = self.random.randrange(ACCOUNTS)
        kind, answer = self.call(client, "GetItem", dict(place_of(account), ConsistentRead=True))
        if kind:
            return
        balance, visits = answer["Item"]["balance"], answer["Item"]["visits"]
        kind, _ = self.call(client, "PutItem", {
            "TableName": TABLES[account % 2], "Item": whole_account(account, balance["N"], int(visits["N"]) + 1),
            "ConditionExpression": "balance = :b AND visits = :v",
            "ExpressionAttributeValues": {":b": balance, ":v": visits}}, {FAILED, LOST})
        self.note_visit(account, kind)
        self.counts["conditional puts made" if not kind else "conditional puts refused"] += 1

    def change_index(self, client):
        change = self.random.choice([{"Delete": {"IndexName": INDEX}}, {"Create": {
            "IndexName": INDEX, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "branch", "KeyType": "HASH"}]}}])
        self.call(client, "UpdateTable", {
            "TableName": self.random.choice(TABLES), "GlobalSecondaryIndexUpdates": [change],
            "AttributeDefinitions": [{"AttributeName": "branch", "AttributeType": "S"}]}, NOT_NOW)


def make(client):
    for name, has_sort_key in ((TABLES[0], False), (TABLES[1], True), (LEDGER, False)):
        parts = [("pk", "S", "HASH"), ("sk", "N", "RANGE")][:2 if has_sort_key else 1]
        client.must("CreateTable", {
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": part, "AttributeType": kind} for part, kind, _ in parts],
            "KeySchema": [{"AttributeName": part, "KeyType": role} for part, _, role in parts]})
    for account in range(ACCOUNTS):
        client.must("PutItem", {"TableName": TABLES[account % 2], "Item": whole_account(account, FIRST_BALANCE, 0)})


def check(client, kept):
    """What is wrong with the accounts and the ledger."""
    problems = []
    for account in range(ACCOUNTS):
        item = client.must("GetItem", dict(place_of(account), ConsistentRead=True))["Item"]
        balance = FIRST_BALANCE + sum(its["balances"][account] for its in kept)
        least = sum(its["visits"][account] for its in kept)
        most = least + sum(its["perhaps"][account] for its in kept)
        visits = min(max(least, int(item["visits"]["N"])), most)
        if item != whole_account(account, balance, visits):
            problems.append("account %d: %s instead of %d and %d to %d visits" % (
                account, json.dumps(item), balance, least, most))
    lines = {item["pk"]["S"] for item in client.pages("Scan", {"TableName": LEDGER, "ConsistentRead": True}, "Items")}
    expected = {line for its in kept for line in its["lines"]}
    if lines != expected:
        problems.append("the ledger: %d lines are missing, %d too many" % (
            len(expected - lines), len(lines - expected)))
    return problems


def one_round(server, seconds, connections):
    client = Client(server.port)
    client.control("PATCH", "capacity", {"enforce": "observe"})
    make(client)
    until = time.monotonic() + seconds
    counts, problems, kept = Crowd([Teller(i, server.port, until) for i in range(connections)]).join()
    return counts, problems + check(Client(server.port), kept)
