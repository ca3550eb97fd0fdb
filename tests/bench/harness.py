"""What the benchmarks share: building and running servers, a table of items, requests, and load by wrk.

Figures of time are in microseconds, of memory in bytes. A fault ends the program with a sentence that says what to do.
"""
import http.client
import itertools
import json
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = "Bench"
ITEMS_PER_KEY = 10
BODIES = 20000  # different requests of one operation
BODY_BYTES_MAX = 32 << 20  # of all of them: wrk holds them in memory
LOAD_BYTES_MAX = 1 << 20  # of a request of the load
TIMEOUT_S = 120
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
HEADERS = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": "20260101T000000Z",
           "Authorization": "AWS4-HMAC-SHA256 Credential=AKIDBENCH/20260101/us-east-1/dynamodb/aws4_request, "
                            "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" + "0" * 64}
# Capacity is enforced, but no limit of the service is in reach: only what a table is provisioned with refuses.
SERVER_OPTIONS = ["--port", "0", "--log-level", "error"] + [
    word for name in ("partition-read-cap", "partition-write-cap", "table-read-quota", "table-write-quota")
    for word in ("--" + name, "1e9")]
TEXT = "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz ", k=1 << 20))


class Endpoint:
    """A server that runs already: it can be called and loaded, but its CPU time is not known."""

    def __init__(self, host, port):
        self.host, self.port = host, port

    def connect(self):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)
        try:
            connection.connect()
        except OSError as error:
            sys.exit("nothing answers at http://%s:%d: %s" % (self.host, self.port, error))
        return connection

    def call(self, operation, body):
        """The bytes of the answer; what is not a success ends the program."""
        connection = self.connect()
        status, answer = ask(connection, operation, encode(body))
        connection.close()
        if status != 200:
            sys.exit("%s: %d %s" % (operation, status, answer.decode()))
        return answer

    def cpu_s(self):
        return None

    def stop(self):
        pass


class Process(Endpoint):
    """A server on a port of 127.0.0.1, which it names when it listens; or the port is given, and what it says then."""

    def __init__(self, command, port=None, says=r"http://127\.0\.0\.1:(\d+)", **streams):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **streams)
        found = next(filter(None, (re.search(says, line) for line in self.process.stdout)), None)
        if not found:
            sys.exit("%s ended before it listened: status %d" % (command[0], self.process.wait()))
        super().__init__("127.0.0.1", port or int(found.group(1)))

    def cpu_s(self):
        with open("/proc/%d/stat" % self.process.pid) as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def rss_bytes(self):
        with open("/proc/%d/status" % self.process.pid) as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) * 1024

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def encode(body):
    return json.dumps(body, separators=(",", ":")).encode()


def ask(connection, operation, data, path="/"):
    """(status, answer) of a request on a connection that stays open."""
    try:
        connection.request("POST", path, data, dict(HEADERS, **{"X-Amz-Target": "DynamoDB_20120810." + operation}))
        answer = connection.getresponse()
        return answer.status, answer.read()
    except (OSError, http.client.HTTPException) as error:
        sys.exit("%s had no answer: %s" % (operation, error or type(error).__name__))


def key_of(number, per_key=ITEMS_PER_KEY):
    return {"pk": {"S": "customer#%06d" % (number // per_key)}, "sk": {"S": "order#%04d" % (number % per_key)}}


def item_of(number, rng, note_bytes=190, indexes=0, per_key=ITEMS_PER_KEY):
    """About 300 bytes; the key of an index is drawn anew, so that a PutItem moves the item in each."""
    at = rng.randrange(len(TEXT) - note_bytes)
    item = dict(key_of(number, per_key), status={"S": rng.choice(("open", "paid", "shipped"))},
                total={"N": "%d.%02d" % (rng.randrange(1000), rng.randrange(100))}, visits={"N": "0"},
                tags={"SS": ["red", "green", "blue"]},
                address={"M": {"city": {"S": "Springfield"}, "zip": {"S": "%05d" % rng.randrange(100000)}}},
                note={"S": TEXT[at:at + note_bytes]})
    for index in range(indexes):
        item["index%d" % index] = {"S": "group#%04d" % rng.randrange(10000)}
    return item


def request_of(operation, number, rng, table=TABLE):
    """The request of one of the four plain operations on an item of item_of."""
    if operation == "GetItem":
        return {"TableName": table, "Key": key_of(number)}
    if operation == "PutItem":
        return {"TableName": table, "Item": item_of(number, rng)}
    if operation == "UpdateItem":
        return {"TableName": table, "Key": key_of(number), "UpdateExpression": "SET visits = visits + :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}}}
    return {"TableName": table, "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": key_of(number)["pk"]}}


def create_table(server, table=TABLE, indexes=0, **members):
    """On demand, with the keys pk and sk, and global indexes of all attributes on (index0, sk), (index1, sk), …"""
    def keys(*names):
        return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]
    names = ["index%d" % index for index in range(indexes)]
    body = {"TableName": table, "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("pk", "sk"),
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ["pk", "sk"] + names]}
    if names:
        body["GlobalSecondaryIndexes"] = [{"IndexName": name, "KeySchema": keys(name, "sk"),
                                           "Projection": {"ProjectionType": "ALL"}} for name in names]
    server.call("CreateTable", dict(body, **members))
    while json.loads(server.call("DescribeTable", {"TableName": table}))["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.01)


def load(server, items, table=TABLE):
    """Puts the items, of any iterable, by 25 in a request."""
    connection = server.connect()
    batch, batch_bytes = [], 0

    def send():
        body = b'{"RequestItems":{"%s":[%s]}}' % (table.encode(), b",".join(batch))
        status, answer = ask(connection, "BatchWriteItem", body)
        if status != 200 or json.loads(answer).get("UnprocessedItems"):
            sys.exit("the load of %s failed: %d %s" % (table, status, answer[:600].decode()))

    for item in items:
        put = b'{"PutRequest":{"Item":%s}}' % encode(item)
        if len(batch) == 25 or batch and batch_bytes + len(put) > LOAD_BYTES_MAX:
            send()
            batch, batch_bytes = [], 0
        batch.append(put)
        batch_bytes += len(put)
    if batch:
        send()
    connection.close()


def write_bodies(path, requests, count=BODIES):
    """A file of requests for wrk, one a line: at most so many, and no more than wrk should hold."""
    written = 0
    with open(path, "wb") as file:
        for request in itertools.islice(requests, count):
            written += file.write(encode(request) + b"\n")
            if written > BODY_BYTES_MAX:
                break


def wrk(server, operation, bodies, path="/", connections=16, seconds=3, is_refused=False, is_once=False):
    """Loads the server with the requests of a file of write_bodies, in turn and again, or once each. Answers that are
    no success end the program, unless they are what is measured.

    requests, bytes (received), seconds: in all; rate: requests a second; p50, p99, p999, cpu: of a request (cpu None:
    not known).
    """
    need("wrk", "wrk")
    before = server.cpu_s()
    command = ["wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds, "--timeout", "%ds" % TIMEOUT_S,
               "-s", os.path.join(HERE, "load.lua"), "http://%s:%d" % (server.host, server.port),
               "--", operation, path, bodies] + (["once"] if is_once else [])
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    after = server.cpu_s()
    wait_until_idle(server)
    found = map(int, re.search(r"^RESULT (.*)$", output, re.M).group(1).split())
    requests, received, duration, p50, p99, p999, refusals, errors = found
    if errors:
        sys.exit("%s: %d of %d connections failed or had no answer in %s s" % (operation, errors, connections, TIMEOUT_S))
    if refusals and not is_refused:
        sys.exit("%s: %d of %d requests were refused\n%s" % (operation, refusals, requests,
                                                            first_refusal(server, operation, bodies)))
    if is_refused and refusals < requests * 0.9:
        sys.exit("%s: only %d of %d requests were refused" % (operation, refusals, requests))
    figures = {"requests": requests, "bytes": received, "seconds": duration / 1e6, "rate": requests / duration * 1e6}
    if not requests:
        return dict(figures, p50=None, p99=None, p999=None, cpu=None)
    return dict(figures, p50=p50, p99=p99, p999=p999, cpu=None if before is None else (after - before) * 1e6 / requests)


def wait_until_idle(server):
    """A slow server still works on requests whose client has gone: that would be counted to what comes next."""
    before = None
    while server.cpu_s() != before:
        before = server.cpu_s()
        time.sleep(0.2)


def first_refusal(server, operation, bodies):
    connection = server.connect()
    with open(bodies, "rb") as file:
        for line in file:
            status, answer = ask(connection, operation, line.rstrip(b"\n"))
            if status != 200:
                return "%.600s\nwas answered %d %.600s" % (line.decode(), status, answer.decode())
    return "one client alone gets no such answer"


def median_of(rounds):
    """Of dictionaries of one shape: the median of each figure; None where there is none."""
    known = {name: [one[name] for one in rounds if one[name] is not None] for name in rounds[0]}
    return {name: statistics.median(figures) if figures else None for name, figures in known.items()}


def machine():
    """Where the figures come from, in words: its processors, and the load of other work before ours."""
    with open("/proc/cpuinfo") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")] or [platform.machine()]
    return "%s, %d cores, with a load of %.1f by other work" % (models[0], os.cpu_count(), os.getloadavg()[0])


def need(program, package):
    if not shutil.which(program):
        sys.exit("%s is missing: apt-get install %s" % (program, package))


def run_quietly(command, **options):
    need(command[0], {"ninja": "ninja-build"}.get(command[0], command[0]))
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode:
        sys.exit("%s failed:\n%s" % (" ".join(command), result.stdout))


def build_server():
    """The path of the server of the release preset, which is brought up to date."""
    release = os.path.join(ROOT, "build", "release")
    run_quietly(["cmake", "--preset", "release"], cwd=ROOT)
    run_quietly(["ninja", "-C", release, "thermodyn"])
    return os.path.join(release, "server", "thermodyn")


def build_bare():
    """The path of the bare server, of which only libmicrohttpd and libuv are asked."""
    folder = os.path.join(ROOT, "build", "bench")
    run_quietly(["cmake", "-S", HERE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"])
    run_quietly(["ninja", "-C", folder, "bench_bare"])
    return os.path.join(folder, "bench_bare")


def scratch():
    """A folder that is gone at the end: with scratch() as folder."""
    return tempfile.TemporaryDirectory(prefix="thermodyn-bench-")
