#!/usr/bin/env python3
"""The load of the tutorial, by one design of the key: docs/tutorial.py day|customer|shards [NUMBER OF SHARDS].

A shop writes 20 events a second of ten write units each, three of five about the customer ACME, for 20 seconds of the
server's clock, which is stopped and moved by this program, so that every run gives the same figures. Needs boto3.
"""
import collections
import json
import sys
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = "http://127.0.0.1:8000"
RATE, SECONDS = 20, 20
CUSTOMERS = ["ACME", "Ann", "ACME", "Ben", "ACME"]
NOTE = "x" * 10000

design, shards = sys.argv[1], int((sys.argv + ["1"])[2])
table = "Events-by-" + design
db = boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries


def partition_key(i):
    customer = CUSTOMERS[i % len(CUSTOMERS)]
    return {"day": "2030-01-01", "customer": customer, "shards": "%s#%d" % (customer, i // len(CUSTOMERS) % shards)}[design]


def clock(method, path, body):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn/clock" + path, json.dumps(body).encode(), method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["now"]


now = clock("PUT", "", {"mode": "manual"})
clock("POST", "/advance", {"ms": -now % 60000})  # to a whole minute: figures by the minute are the same each time
db.create_table(TableName=table, BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "at")],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}])
throttled = collections.Counter()
for i in range(RATE * SECONDS):
    event = {"pk": {"S": partition_key(i)}, "at": {"S": "event-%06d" % i}, "note": {"S": NOTE}}
    try:
        db.put_item(TableName=table, Item=event)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ThrottlingException":
            raise
        throttled[i // RATE] += 1
    clock("POST", "/advance", {"ms": 1000 // RATE})
print("%s: %d of %d writes throttled" % (table, sum(throttled.values()), RATE * SECONDS))
print("by second: " + " ".join(str(throttled[second]) for second in range(SECONDS)))
