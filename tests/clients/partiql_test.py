"""What users of PartiQL do with boto3 and the AWS CLI: load a table by batches of statements, page through it by
NextToken, write by conditions, and run transactions."""
import json
import os
import subprocess
import sys
import unittest

import boto3
from boto3.dynamodb.types import TypeDeserializer
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = os.environ["ENDPOINT"]
COUNT = 10000
GROUPS = 10


def python(item):
    return {name: TypeDeserializer().deserialize(value) for name, value in item.items()}


def aws(*arguments):
    """The answer of a command of the AWS CLI."""
    done = subprocess.run(["/usr/bin/aws", "dynamodb", "--endpoint-url", ENDPOINT, "--no-cli-pager", "--output", "json",
                           *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else done.stdout


class PartiQL(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1",
                                  config=Config(retries={"total_max_attempts": 1}))
        cls.client.create_table(
            TableName="Readings", BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "sensor", "AttributeType": "S"},
                                  {"AttributeName": "at", "AttributeType": "N"},
                                  {"AttributeName": "kind", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "sensor", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
            GlobalSecondaryIndexes=[{"IndexName": "by-kind", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                     "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"},
                                                   {"AttributeName": "at", "KeyType": "RANGE"}]}])
        text = "INSERT INTO Readings VALUE {'sensor': ?, 'at': ?, 'kind': ?, 'note': ?}"
        for first in range(0, COUNT, 25):
            statements = [{"Statement": text, "Parameters": [{"S": "s%d" % (i % GROUPS)}, {"N": str(i)},
                                                             {"S": "even" if i % 2 == 0 else "odd"}, {"S": "n" * 300}]}
                          for i in range(first, first + 25)]
            responses = cls.client.batch_execute_statement(Statements=statements)["Responses"]
            assert all("Error" not in response for response in responses), responses

    def pages(self, statement, *parameters, **more):
        more = dict(more, **({"Parameters": list(parameters)} if parameters else {}))
        while True:
            page = self.client.execute_statement(Statement=statement, **more)
            yield [python(item) for item in page["Items"]]
            if "NextToken" not in page:
                return
            more["NextToken"] = page["NextToken"]

    def test_all_of_a_table_by_pages_of_one_megabyte(self):
        pages = list(self.pages("SELECT * FROM Readings"))
        self.assertGreaterEqual(len(pages), 3)
        self.assertEqual(sorted(int(item["at"]) for page in pages for item in page), list(range(COUNT)))

    def test_all_of_a_table_by_limits(self):
        pages = list(self.pages('SELECT "at" FROM Readings WHERE note IS NOT MISSING', Limit=777))
        self.assertTrue(all(len(page) == 777 for page in pages[:-1]))
        self.assertEqual(sorted(int(item["at"]) for page in pages for item in page), list(range(COUNT)))

    def test_several_collections_in_order(self):
        pages = list(self.pages('SELECT sensor, "at" FROM Readings WHERE sensor IN [?, ?] ORDER BY sensor DESC, "at" ASC',
                                {"S": "s1"}, {"S": "s2"}, Limit=99))
        found = [(item["sensor"], int(item["at"])) for page in pages for item in page]
        self.assertEqual(found, [("s%d" % g, i) for g in (2, 1) for i in range(g, COUNT, GROUPS)])

    def test_an_index_by_pages(self):
        pages = list(self.pages('SELECT "at" FROM "Readings"."by-kind" WHERE kind = ?', {"S": "odd"}, Limit=1000))
        self.assertEqual([int(item["at"]) for page in pages for item in page], list(range(1, COUNT, 2)))

    def test_a_token_is_of_its_statement(self):
        page = self.client.execute_statement(Statement="SELECT * FROM Readings", Limit=1)
        with self.assertRaises(ClientError) as refused:
            self.client.execute_statement(Statement="SELECT * FROM Readings WHERE kind = 'odd'",
                                          NextToken=page["NextToken"])
        self.assertEqual(refused.exception.response["Error"]["Message"], "NextToken does not match request")

    def test_errors_are_typed(self):
        with self.assertRaises(self.client.exceptions.DuplicateItemException):
            self.client.execute_statement(Statement="INSERT INTO Readings VALUE {'sensor': 's0', 'at': 0}")
        with self.assertRaises(self.client.exceptions.ConditionalCheckFailedException):
            self.client.execute_statement(Statement="UPDATE Readings SET x = 1 WHERE sensor = 'none' AND \"at\" = 0")
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as canceled:
            self.client.execute_transaction(TransactStatements=[
                {"Statement": "INSERT INTO Readings VALUE {'sensor': 'new', 'at': 0}"},
                {"Statement": "INSERT INTO Readings VALUE {'sensor': 's0', 'at': 0}"}])
        self.assertEqual([reason["Code"] for reason in canceled.exception.response["CancellationReasons"]],
                         ["None", "DuplicateItem"])

    def test_the_cli_pages_through_the_table(self):
        found, more = [], []
        while True:
            page = aws("execute-statement", "--statement", 'SELECT "at" FROM Readings', "--limit", "2500", *more)
            found += [int(item["at"]["N"]) for item in page["Items"]]
            if "NextToken" not in page:
                break
            more = ["--next-token", page["NextToken"]]
        self.assertEqual(sorted(found), list(range(COUNT)))

    def test_the_cli_has_parameters_batches_and_transactions(self):
        page = aws("execute-statement", "--statement", 'SELECT kind FROM Readings WHERE sensor = ? AND "at" = ?',
                   "--parameters", '[{"S": "s3"}, {"N": "3"}]', "--return-consumed-capacity", "TOTAL")
        self.assertEqual(page["Items"], [{"kind": {"S": "odd"}}])
        self.assertEqual(page["ConsumedCapacity"]["CapacityUnits"], 0.5)
        text = "SELECT kind FROM Readings WHERE sensor = 's4' AND \"at\" = 4"
        answer = aws("batch-execute-statement", "--statements", json.dumps([{"Statement": text}]))
        self.assertEqual(answer["Responses"], [{"TableName": "Readings", "Item": {"kind": {"S": "even"}}}])
        answer = aws("execute-transaction", "--transact-statements", json.dumps([{"Statement": text}]))
        self.assertEqual(answer["Responses"], [{"Item": {"kind": {"S": "even"}}}])
        self.assertRegex(aws("execute-statement", "--statement", "SELEC"),
                         r"\(ValidationException\) when calling the ExecuteStatement operation.*: "
                         r"Statement wasn't well formed, can't be processed: Expected data manipulation")


if __name__ == "__main__":
    outcome = unittest.TextTestRunner(stream=sys.stdout).run(unittest.defaultTestLoader.loadTestsFromTestCase(PartiQL))
    bad = len(outcome.failures) + len(outcome.errors)
    print("%d passed, %d failed" % (outcome.testsRun - bad, bad))
    sys.exit(1 if bad else 0)
