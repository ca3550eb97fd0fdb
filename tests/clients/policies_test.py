"""Policies as an application meets them: the multi-tenant examples of AWS's guide, by boto3."""
import json
import os
import sys
import unittest

import boto3
import botocore.exceptions
from botocore.config import Config

ENDPOINT = os.environ["ENDPOINT"]
TABLE = "GameScores"
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/" + TABLE


def client(key):
    return boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1", aws_access_key_id=key,
                        aws_secret_access_key="secret of " + key, config=Config(retries={"total_max_attempts": 1}))


def table(key):
    return boto3.resource("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1", aws_access_key_id=key,
                          aws_secret_access_key="secret of " + key,
                          config=Config(retries={"total_max_attempts": 1})).Table(TABLE)


def score(user, game="Chess", **more):
    return {"UserId": user, "GameTitle": game, **more}


class Policies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.admin = client("ADMIN")
        cls.admin.create_table(
            TableName=TABLE, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("UserId", "GameTitle")],
            KeySchema=[{"AttributeName": "UserId", "KeyType": "HASH"}, {"AttributeName": "GameTitle", "KeyType": "RANGE"}])
        for user in ("alice", "bob"):
            table("ADMIN").put_item(Item=score(user, Wins=1, Email=user + "@example.org"))

    def denied(self, action, call, why="because no identity-based policy allows the dynamodb:%s action", user="ALICE"):
        with self.assertRaises(botocore.exceptions.ClientError) as raised:
            call()
        error = raised.exception.response["Error"]
        self.assertEqual(error["Code"], "AccessDeniedException")
        self.assertEqual(error["Message"], "User: arn:aws:iam::000000000000:user/%s is not authorized to perform: "
                         "dynamodb:%s on resource: %s %s" % (user, action, ARN, why % action if "%s" in why else why))

    def test_one_reads_and_writes_ones_own_items_alone(self):
        mine = table("ALICE")
        mine.put_item(Item=score("alice", "Go", Wins=7))
        self.assertEqual(mine.get_item(Key=score("alice", "Go"))["Item"]["Wins"], 7)
        query = {"KeyConditionExpression": "UserId = :u", "ExpressionAttributeValues": {":u": "alice"}}
        self.assertEqual(mine.query(**query)["Count"], 2)
        query["ExpressionAttributeValues"] = {":u": "bob"}
        self.denied("Query", lambda: mine.query(**query))
        self.denied("GetItem", lambda: mine.get_item(Key=score("bob")))
        self.denied("PutItem", lambda: mine.put_item(Item=score("bob")))
        self.denied("DeleteItem", lambda: mine.delete_item(Key=score("bob")))
        self.denied("Scan", mine.scan)

    def test_a_batch_with_somebody_elses_item_is_refused_as_a_whole(self):
        resource = boto3.resource("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1", aws_access_key_id="ALICE",
                                  aws_secret_access_key="secret of ALICE")
        keys = {TABLE: {"Keys": [score("alice"), score("bob")]}}
        self.denied("BatchGetItem", lambda: resource.batch_get_item(RequestItems=keys))

        def write():
            with resource.Table(TABLE).batch_writer() as batch:
                batch.put_item(Item=score("alice", "Draughts"))
                batch.put_item(Item=score("bob", "Draughts"))
        self.denied("BatchWriteItem", write)
        self.assertNotIn("Item", table("ADMIN").get_item(Key=score("alice", "Draughts")))

    def test_some_attributes_are_seen_and_only_by_name(self):
        seen = table("VIEWER")
        self.assertEqual(seen.get_item(Key=score("alice"), ProjectionExpression="UserId, Wins")["Item"],
                         {"UserId": "alice", "Wins": 1})
        self.assertEqual(seen.scan(Select="SPECIFIC_ATTRIBUTES", ProjectionExpression="Wins",
                                   FilterExpression="UserId = :u", ExpressionAttributeValues={":u": "bob"})["Items"],
                         [{"Wins": 1}])
        self.denied("GetItem", lambda: seen.get_item(Key=score("alice")), user="VIEWER")
        self.denied("GetItem", lambda: seen.get_item(Key=score("alice"), ProjectionExpression="Email"), user="VIEWER")
        self.denied("Scan", lambda: seen.scan(ProjectionExpression="Wins", FilterExpression="Email <> :u",
                                              ExpressionAttributeValues={":u": "x"}), user="VIEWER")
        self.denied("Scan", seen.scan, user="VIEWER")

    def test_a_policy_of_the_table_lets_in_and_shuts_out(self):
        if not hasattr(self.admin, "put_resource_policy"):
            self.skipTest("this boto3 is older than policies of tables")
        statement = {"Sid": "one", "Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::000000000000:user/NOBODY"},
                     "Action": "dynamodb:GetItem", "Resource": ARN}
        self.denied("GetItem", lambda: table("NOBODY").get_item(Key=score("bob")), user="NOBODY")
        policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        revision = self.admin.put_resource_policy(ResourceArn=ARN, Policy=policy)["RevisionId"]
        self.assertEqual(table("NOBODY").get_item(Key=score("bob"))["Item"]["Wins"], 1)
        self.assertEqual(self.admin.get_resource_policy(ResourceArn=ARN)["RevisionId"], revision)
        policy = json.dumps({"Version": "2012-10-17", "Statement": [dict(statement, Effect="Deny", Principal="*")]})
        self.admin.put_resource_policy(ResourceArn=ARN, Policy=policy, ExpectedRevisionId=revision)
        self.denied("GetItem", lambda: table("ALICE").get_item(Key=score("alice")),
                    "with an explicit deny in a resource-based policy")
        with self.assertRaises(self.admin.exceptions.PolicyNotFoundException):
            self.admin.delete_resource_policy(ResourceArn=ARN, ExpectedRevisionId=revision)
        self.admin.delete_resource_policy(ResourceArn=ARN)
        self.assertEqual(table("ALICE").get_item(Key=score("alice"))["Item"]["Wins"], 1)


if __name__ == "__main__":
    outcome = unittest.main(exit=False, argv=sys.argv[:1]).result
    failed = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (outcome.testsRun - failed, failed))
    sys.exit(failed > 0)
