#!/usr/bin/env python3
"""The hot key, in seconds: the same load on one key and on many, against Thermodyn on localhost.

Start the server with `./run --preset unit-test`: its clock then moves only when it is told to, so that five seconds of
2,000 write units a second are exactly that, on any machine. Then run this. Needs boto3.
"""
import collections
import json
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = "http://127.0.0.1:8000"
RATE, SECONDS = 50, 5  # writes of forty units each
NOTE = "x" * 40000

db = boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries


def keep_reasons(http_response, parsed, **_):
    """Older versions of boto3 do not know the member that says which limit was hit: take it from the wire."""
    if http_response.status_code == 400:
        parsed["ThrottlingReasons"] = json.loads(http_response.content).get("ThrottlingReasons", [])


db.meta.events.register("after-call.dynamodb.PutItem", keep_reasons)


def clock(path="", body=None):
    with urllib.request.urlopen(ENDPOINT + "/_thermodyn/clock" + path, body) as answer:
        return json.load(answer)["now"]


def advance(ms):
    clock("/advance", b'{"ms": %d}' % ms)


def load(title, key_of):
    outcomes, reasons = collections.Counter(), collections.Counter()
    for i in range(RATE * SECONDS):
        try:
            db.put_item(TableName="Orders", Item={"customer": {"S": key_of(i)}, "note": {"S": NOTE}})
            outcomes["accepted"] += 1
        except ClientError as error:
            outcomes[error.response["Error"]["Code"]] += 1
            for reason in error.response.get("ThrottlingReasons", []):
                reasons["%(reason)s on %(resource)s" % reason] += 1
        advance(1000 // RATE)
    print("%s, %d write units a second:" % (title, 40 * RATE))
    for name, count in (outcomes + reasons).most_common():
        print("  %6d  %s" % (count, name))


advance(-clock() % 60000)  # to a whole minute: figures by the minute are the same each time
if "Orders" not in db.list_tables()["TableNames"]:
    db.create_table(TableName="Orders",
                    AttributeDefinitions=[{"AttributeName": "customer", "AttributeType": "S"}],
                    KeySchema=[{"AttributeName": "customer", "KeyType": "HASH"}],
                    ProvisionedThroughput={"ReadCapacityUnits": 1000, "WriteCapacityUnits": 10000})
load("one hot key", lambda i: "ACME")
load("the same load over 250 keys", lambda i: "customer-%d" % i)
