#!/usr/bin/env python3
"""What a split can relieve, and what it cannot, in seconds: against Thermodyn on localhost.

Start the server with `./run --preset laptop` (a tenth of the capacity, sixty times as fast: a partition that stays hot is
split after ten seconds instead of ten minutes), then run this. It stops the server's clock and moves it by itself, so that
every run gives the same figures. Needs boto3.
"""
import json
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = "http://127.0.0.1:8000"
NOTE = "x" * 10000  # ten write units an item

db = boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries


def control(method, path, body):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn/" + path, json.dumps(body).encode(), method=method)
    urllib.request.urlopen(request).close()


def load(title, ids, rate, seconds):
    print("%s, %d write units a second" % (title, rate))
    writes = rate // 10
    for second in range(seconds):
        throttled = 0
        for i in range(second * writes, (second + 1) * writes):
            try:
                db.put_item(TableName="Products", Item={"id": {"S": ids[i % len(ids)]}, "note": {"S": NOTE}})
            except ClientError as error:
                if error.response["Error"]["Code"] != "ThrottlingException":
                    raise
                throttled += 1
            control("POST", "clock/advance", {"ms": (i + 1) * 1000 // writes - i * 1000 // writes})
        print("  second %2d: %2d of %d throttled" % (second + 1, throttled, writes))


control("PUT", "clock", {"mode": "manual"})
db.create_table(TableName="Products", BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])
load("ten keys, nine of them on two of the four partitions", ["bestseller-product_%d" % n for n in range(1, 11)], 300, 15)
load("one key", ["the-device"], 150, 15)
