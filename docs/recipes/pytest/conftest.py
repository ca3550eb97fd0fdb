"""A server for the run, on a free port with a clock that stands still, and its first state again for each test."""
import json
import os
import subprocess
import time
import urllib.request

import boto3
import pytest
from botocore.config import Config

FIXTURES = os.path.join(os.path.dirname(__file__), "fixtures")


class Thermodyn:
    def __init__(self, folder):
        port_file = folder / "port"
        self.process = subprocess.Popen(["thermodyn", "--port", "0", "--port-file", str(port_file),
                                         "--preset", "unit-test", "--init", FIXTURES, "--log-level", "warn"])
        while not (port_file.exists() and port_file.read_text()):
            assert self.process.poll() is None, "the server does not start"
            time.sleep(0.01)
        self.url = "http://127.0.0.1:" + port_file.read_text().strip()

    def control(self, method, path, body=None):
        """Calls an endpoint under /_thermodyn/."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/_thermodyn/{path}", data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def advance(self, seconds):
        """Lets time pass: buckets fill, items expire, splits happen."""
        self.control("POST", "clock/advance", {"ms": int(seconds * 1000)})

    def throttled(self, table):
        """{reason: requests refused} since the table exists."""
        (only,) = self.control("GET", "totals?table=" + table)["tables"]
        return {reason: count for each in only["resources"] for reason, count in each["reasons"].items() if count}


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    server = Thermodyn(tmp_path_factory.mktemp("thermodyn"))
    yield server
    server.process.terminate()
    server.process.wait()


@pytest.fixture
def thermodyn(server):
    server.control("POST", "reset")  # no tables but those of the fixtures, full buckets, no faults
    return server


@pytest.fixture
def db(thermodyn):
    return boto3.resource("dynamodb", endpoint_url=thermodyn.url, region_name="us-east-1", aws_access_key_id="any",
                          aws_secret_access_key="any", config=Config(retries={"total_max_attempts": 1}))
