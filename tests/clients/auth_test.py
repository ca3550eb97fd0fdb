"""Signatures as boto3 makes them, against a server that verifies them and knows the environment's key."""
import hashlib
import os
import sys
import unittest
import urllib.error
import urllib.request

import boto3
import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.exceptions
from botocore.config import Config

ENDPOINT = os.environ["ENDPOINT"]
KEY = os.environ["AWS_ACCESS_KEY_ID"]
SECRET = os.environ["AWS_SECRET_ACCESS_KEY"]
BODY = b"{}"
LIST = "DynamoDB_20120810.ListTables"


def client(key=KEY, secret=SECRET, token=None, service="dynamodb"):
    return boto3.client(service, endpoint_url=ENDPOINT, region_name="eu-central-1", aws_access_key_id=key,
                        aws_secret_access_key=secret, aws_session_token=token,
                        config=Config(retries={"total_max_attempts": 1}))


def refusal_of(call):
    """(code, message) of the error that the call raises."""
    try:
        call()
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"]
    raise AssertionError("nothing was refused")


def send(url, headers, body=BODY):
    """The status and the text of the answer."""
    request = urllib.request.Request(url, data=body, headers=dict(headers), method="POST")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Presigner(botocore.auth.SigV4QueryAuth):
    """botocore's moves a body into the query; this one signs it where it is."""

    def payload(self, request):
        return hashlib.sha256(BODY).hexdigest()


class Signatures(unittest.TestCase):
    def test_the_right_key_is_taken_by_both_services(self):
        self.assertIn("TableNames", client().list_tables())
        self.assertIn("Metrics", client(service="cloudwatch").list_metrics())

    def test_others_are_refused_as_by_the_service(self):
        self.assertEqual(refusal_of(client(key="AKIDNOBODY").list_tables),
                         ("UnrecognizedClientException", "The security token included in the request is invalid."))
        self.assertEqual(refusal_of(client(token="of-no-session").list_tables)[0], "UnrecognizedClientException")
        code, message = refusal_of(client(secret="wrong").list_tables)
        self.assertEqual(code, "InvalidSignatureException")
        self.assertTrue(message.startswith("The request signature we calculated does not match"), message)

    def test_cloudwatch_has_its_own_names(self):
        code, _ = refusal_of(client(secret="wrong", service="cloudwatch").list_metrics)
        self.assertIn(code, ("SignatureDoesNotMatch", "InvalidSignatureException"))

    def test_a_presigned_url_is_good_until_it_is_changed(self):
        request = botocore.awsrequest.AWSRequest("POST", ENDPOINT + "/", headers={"X-Amz-Target": LIST})
        credentials = botocore.credentials.Credentials(KEY, SECRET)
        Presigner(credentials, "dynamodb", "us-east-1", expires=60).add_auth(request)
        url = request.prepare().url
        headers = {"X-Amz-Target": LIST, "Content-Type": "application/x-amz-json-1.0"}
        self.assertEqual(send(url, headers), (200, '{"TableNames":[]}'))
        status, text = send(url.replace("X-Amz-Expires=60", "X-Amz-Expires=61"), headers)
        self.assertEqual(status, 400)
        self.assertIn("InvalidSignatureException", text)
        self.assertEqual(send(url, headers, b'{"Limit":1}')[0], 400)

    def test_an_unsigned_request_is_refused(self):
        status, text = send(ENDPOINT, {"X-Amz-Target": LIST, "Content-Type": "application/x-amz-json-1.0"})
        self.assertEqual(status, 400)
        self.assertIn("MissingAuthenticationTokenException", text)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=0)
    failed = len(program.result.failures) + len(program.result.errors)
    print("%d passed, %d failed" % (program.result.testsRun - failed, failed))
    sys.exit(1 if failed else 0)
