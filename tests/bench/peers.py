"""The servers that are measured side by side.

Each can spawn a server of its kind; prepare a case (False: it has nothing of the kind; SystemExit: its answers are not
what they should be); and measure it.
"""
import csv
import os
import re
import socket
import subprocess
import sys
import urllib.parse
from typing import NamedTuple

from harness import (HERE, SERVER_OPTIONS, Endpoint, Process, ask, build_bare, encode, need, run_quietly, wrk)
from operations import Operation, Table, read_pages, scan

SAMPLES = 20
THROTTLE_TRIES = 5000  # until the burst of a table of one unit is used up
REDIS_KEYS = 20000
REDIS_BYTES_MAX = 64 << 20


class Case(NamedTuple):
    """An operation with the requests that all servers are sent."""
    operation: Operation
    table: Table
    bodies: str  # the file
    answer_bytes: float = 0  # means of our server
    evaluated_bytes: float = 0  # by a Scan


class Service:
    """Speaks DynamoDB."""

    def __init__(self, name, spawn, is_ours=False):
        self.name, self.spawn, self.is_ours = name, spawn, is_ours
        self.server = spawn()
        self.tables = set()

    def hold(self, table):
        if table not in self.tables:
            table.create(self.server)
            self.tables.add(table)

    def prepare(self, case):
        """Tries some of the case's requests; the mean length of the answers."""
        if case.operation.is_throttled and not self.is_ours:
            return False
        self.hold(case.table)
        connection = self.server.connect()
        sizes = []
        with open(case.bodies, "rb") as file:
            for line in file:
                sizes.append(self.try_out(connection, case.operation, line.rstrip(b"\n")))
                if len(sizes) == SAMPLES:
                    break
        connection.close()
        self.restore(case, len(sizes))
        return sum(sizes) / len(sizes)

    def try_out(self, connection, operation, body):
        for _ in range(THROTTLE_TRIES):
            status, answer = ask(connection, operation.target, body)
            if not (operation.is_throttled and status == 200):
                break
        if (status == 400) != operation.is_refused or status not in (200, 400):
            sys.exit("%s was answered %d %.300s\nto %.300s" % (operation.name, status, answer.decode(), body.decode()))
        return len(answer)

    def measure(self, case, connections, seconds):
        operation = case.operation
        figures = wrk(self.server, operation.target, case.bodies, "/", connections, seconds, operation.is_refused,
                      operation.is_once)
        self.restore(case, figures["requests"] + connections)
        return dict(figures, evaluated=case.evaluated_bytes * figures["rate"] or None)

    def restore(self, case, count):
        if case.operation.is_once:
            case.table.put(self.server, case.table.shuffled()[:count])

    def mean_page_bytes(self, table, filters):
        pages = [page.evaluated_bytes for page in read_pages(self.server, scan(table, filters=filters))]
        return sum(pages) / len(pages)

    def stop(self):
        if self.server.cpu_s() is None:  # somebody else's: it is left as it was found
            for table in self.tables:
                self.server.call("DeleteTable", {"TableName": table.name})
        self.server.stop()


class Bare:
    """The HTTP library alone, with answers of the same size."""
    name = "bare"

    def __init__(self):
        path = build_bare()
        self.spawn = lambda: Process([path])
        self.server = self.spawn()

    def prepare(self, case):
        return True

    def measure(self, case, connections, seconds):
        figures = wrk(self.server, case.operation.target, case.bodies, "/%d" % case.answer_bytes, connections, seconds,
                      is_once=case.operation.is_once)
        return dict(figures, evaluated=None)

    def stop(self):
        self.server.stop()


class Redis:
    """GET and SET of as many bytes, driven by its own benchmark, which knows no p99.9."""
    name = "redis"
    verbs = {"GetItem": "get", "PutItem": "set"}

    def __init__(self):
        need("redis-server", "redis-server")
        need("redis-benchmark", "redis-tools")
        self.server = self.spawn()
        self.rate = 20000

    def spawn(self):
        port = free_port()
        command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        return Process(command, port, "Ready to accept connections")

    def prepare(self, case):
        if case.operation.target not in self.verbs or case.operation.is_refused or case.table.indexes:
            return False
        with open(case.bodies, "rb") as file:
            request_bytes = len(file.readline()) - len(b'{"TableName":"%s","Item":}\n' % case.table.name.encode())
        self.value_bytes = int(case.answer_bytes if case.operation.target == "GetItem" else request_bytes)
        self.keys = max(1, min(REDIS_KEYS, REDIS_BYTES_MAX // self.value_bytes))
        self.benchmark("set", 16, self.keys * 10, "-P", "10")
        return True

    def benchmark(self, verb, connections, count, *more):
        command = ["redis-benchmark", "-p", str(self.server.port), "-t", verb, "-c", str(connections), "-n", str(count),
                   "-r", str(self.keys), "-d", str(self.value_bytes), "--csv"] + list(more)
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        return next(csv.DictReader(output.splitlines()))

    def measure(self, case, connections, seconds):
        count = max(1000, int(self.rate * seconds))  # it takes a count, so the first round lasts longer or shorter
        before = self.server.cpu_s()
        row = self.benchmark(self.verbs[case.operation.target], connections, count)
        cpu = (self.server.cpu_s() - before) * 1e6 / count
        self.rate = float(row["rps"])
        return {"requests": count, "bytes": None, "seconds": count / self.rate, "rate": self.rate,
                "p50": float(row["p50_latency_ms"]) * 1000, "p99": float(row["p99_latency_ms"]) * 1000, "p999": None,
                "cpu": cpu, "evaluated": None}

    def stop(self):
        self.server.stop()


def dynalite():
    """The emulator that people use, in memory, without its delays."""
    need("node", "nodejs")
    if not os.path.exists(os.path.join(HERE, "node_modules", ".package-lock.json")):
        run_quietly(["npm", "--prefix", HERE, "ci", "--no-audit", "--no-fund"])
    delays = [word for name in ("createTableMs", "deleteTableMs", "updateTableMs") for word in ("--" + name, "0")]
    cli = os.path.join(HERE, "node_modules", "dynalite", "cli.js")
    command = ["node", cli, "--host", "127.0.0.1"] + delays
    return Service("dynalite", lambda: Process(command + ["--port", str(free_port())]))


PEERS = {"bare": Bare, "dynalite": dynalite, "redis": Redis}


def endpoint(url):
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        sys.exit("--endpoint %s: it takes http://HOST[:PORT]" % url)
    server = Endpoint(parts.hostname, parts.port or 80)
    server.call("ListTables", {})
    return Service(parts.netloc, lambda: server)


def ours(path, log, level):
    return Service("ours", lambda: Process([path] + SERVER_OPTIONS + ["--log-level", level], stderr=log), is_ours=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
