#!/usr/bin/env python3
"""The incident of docs/throttling.md: docs/incident.py [SHARDS].

A table of sessions with a global index by status, on which nearly all sessions are ACTIVE. 30 sessions a second begin, as the
metrics of production said, for 10 seconds of the server's clock, which is stopped and moved by this program. With SHARDS the
index is by status and one of so many suffixes. Needs boto3.
"""
import collections
import json
import sys
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = "http://127.0.0.1:8000"
RATE, SECONDS = 30, 10
NOTE = "x" * 40000  # sessions of production have 40 KB

shards = int((sys.argv + ["1"])[1])
db = boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1",
                  aws_access_key_id="any", aws_secret_access_key="any",
                  config=Config(retries={"total_max_attempts": 1}))  # see the throttles, do not hide them in retries


def keep_reasons(http_response, parsed, **_):
    """Older versions of boto3 do not know the member that says which limit was hit: take it from the wire."""
    if http_response.status_code == 400:
        answer = json.loads(http_response.content)  # ThrottlingException has it with a small letter
        parsed["ThrottlingReasons"] = answer.get("ThrottlingReasons", answer.get("throttlingReasons", []))


db.meta.events.register("after-call.dynamodb.PutItem", keep_reasons)


def clock(path="", body=None):
    with urllib.request.urlopen(ENDPOINT + "/_thermodyn/clock" + path, body) as answer:
        return json.load(answer)["now"]


def advance(ms):
    clock("/advance", b'{"ms": %d}' % ms)


advance(-clock() % 60000)  # to a whole minute: figures by the second and minute are the same each time
if "Sessions" in db.list_tables()["TableNames"]:
    db.delete_table(TableName="Sessions")
db.create_table(TableName="Sessions", BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("id", "status")],
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                GlobalSecondaryIndexes=[{"IndexName": "by-status", "Projection": {"ProjectionType": "ALL"},
                                         "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}]}])
outcomes = collections.Counter()
for i in range(RATE * SECONDS):
    status = "ACTIVE" if shards == 1 else "ACTIVE#%d" % (i % shards)
    try:
        db.put_item(TableName="Sessions", Item={"id": {"S": "session-%d" % i}, "status": {"S": status}, "note": {"S": NOTE}})
        outcomes["accepted"] += 1
    except ClientError as error:
        outcomes[error.response["Error"]["Code"]] += 1
        for reason in error.response.get("ThrottlingReasons", []):
            outcomes["  %(reason)s on %(resource)s" % reason] += 1
    advance((i + 1) * 1000 // RATE - i * 1000 // RATE)
for name, count in outcomes.items():
    print("%6d  %s" % (count, name))
