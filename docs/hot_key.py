#!/usr/bin/env python3
"""The hot key, in a minute: the same load on one key and on many, against Thermodyn on localhost.

Start the server with `./run --preset laptop` (a partition then serves 100 write units a second instead of 1,000, so
that one Python process can reach it), then run this. Needs boto3.
"""
import collections
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

db = boto3.client("dynamodb", endpoint_url="http://localhost:8000", region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries

table = "Orders-%d" % time.time()
db.create_table(TableName=table,
                AttributeDefinitions=[{"AttributeName": "customer", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "customer", "KeyType": "HASH"}],
                ProvisionedThroughput={"ReadCapacityUnits": 1000, "WriteCapacityUnits": 1000})
db.get_waiter("table_exists").wait(TableName=table)


def load(title, key_of, seconds=5):
    outcomes, reasons, i, until = collections.Counter(), collections.Counter(), 0, time.time() + seconds
    while time.time() < until:
        i += 1
        try:
            db.put_item(TableName=table, Item={"customer": {"S": key_of(i)}})
            outcomes["accepted"] += 1
        except ClientError as error:
            outcomes[error.response["Error"]["Code"]] += 1
            for reason in error.response.get("ThrottlingReasons", []):
                reasons["%(reason)s on %(resource)s" % reason] += 1
    print("%s: %d requests a second" % (title, i / seconds))
    for name, count in (outcomes + reasons).most_common():
        print("  %6d  %s" % (count, name))


load("one hot key", lambda i: "ACME")
load("the same load over 1,000 keys", lambda i: "customer-%d" % (i % 1000))
