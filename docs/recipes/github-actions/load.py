"""Stands for your tests: 300 orders of as many customers."""
import os

import boto3

db = boto3.resource("dynamodb", endpoint_url=os.environ["AWS_ENDPOINT_URL_DYNAMODB"])
table = db.create_table(TableName="Orders", BillingMode="PAY_PER_REQUEST",
                        AttributeDefinitions=[{"AttributeName": "customer", "AttributeType": "S"}],
                        KeySchema=[{"AttributeName": "customer", "KeyType": "HASH"}])
with table.batch_writer() as batch:
    for i in range(300):
        batch.put_item(Item={"customer": f"customer-{i}"})
