#!/usr/bin/env python3
"""What a split can relieve, and what it cannot, in a minute: an unchanged program against Thermodyn on localhost.

Start the server with `./run --preset laptop` (a tenth of the capacity, sixty times as fast: a partition that stays hot is
split after ten seconds instead of ten minutes), then run this. Needs boto3.
"""
import time

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

db = boto3.client("dynamodb", endpoint_url="http://localhost:8000", region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries

table = "Products"
db.create_table(TableName=table, BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}])


def load(title, ids, rate, seconds):
    print("%s, %d writes a second" % (title, rate))
    began = time.time()
    for second in range(seconds):
        throttled = 0
        for i in range(second * rate, (second + 1) * rate):
            time.sleep(max(0, began + i / rate - time.time()))
            try:
                db.put_item(TableName=table, Item={"id": {"S": ids[i % len(ids)]}})
            except ClientError as error:
                if error.response["Error"]["Code"] != "ThrottlingException":
                    raise
                throttled += 1
        print("  second %2d: %3d throttled" % (second + 1, throttled), flush=True)


load("ten keys, nine of them on two of the four partitions", ["bestseller-product_%d" % n for n in range(1, 11)], 300, 15)
load("one key", ["the-device"], 150, 15)
db.delete_table(TableName=table)
