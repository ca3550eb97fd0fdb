#!/usr/bin/env python3
"""The hot key, in a minute: the same load on one key and on many, against Thermodyn on localhost.

Start the server with `./run --preset laptop` (a partition then serves 100 write units a second instead of 1,000, so
that one Python process can reach it), then run this. Needs boto3.
"""
import collections
import json
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

db = boto3.client("dynamodb", endpoint_url="http://localhost:8000", region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries



def keep_reasons(http_response, parsed, **_):
    """Older versions of boto3 do not know the member that says which limit was hit: take it from the wire."""
    if http_response.status_code == 400:
        parsed["ThrottlingReasons"] = json.loads(http_response.content).get("ThrottlingReasons", [])


db.meta.events.register("after-call.dynamodb.PutItem", keep_reasons)

table = "Orders"
db.create_table(TableName=table,
                AttributeDefinitions=[{"AttributeName": "customer", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "customer", "KeyType": "HASH"}],
                ProvisionedThroughput={"ReadCapacityUnits": 1000, "WriteCapacityUnits": 1000})
db.get_waiter("table_exists").wait(TableName=table)


def load(title, key_of, rate=400, seconds=5):
    outcomes, reasons, began = collections.Counter(), collections.Counter(), time.time()
    for i in range(rate * seconds):
        time.sleep(max(0, began + i / rate - time.time()))
        try:
            db.put_item(TableName=table, Item={"customer": {"S": key_of(i)}})
            outcomes["accepted"] += 1
        except ClientError as error:
            outcomes[error.response["Error"]["Code"]] += 1
            for reason in error.response.get("ThrottlingReasons", []):
                reasons["%(reason)s on %(resource)s" % reason] += 1
    print("%s, %d requests a second:" % (title, rate * seconds / (time.time() - began)))
    for name, count in (outcomes + reasons).most_common():
        print("  %6d  %s" % (count, name))


load("one hot key", lambda i: "ACME")
load("the same load over 1,000 keys", lambda i: "customer-%d" % (i % 1000))
db.delete_table(TableName=table)
