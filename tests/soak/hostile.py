"""The load of hostile clients beside good ones. The good ones (steady.c) put and get their own items at an even pace, by
turns alone, while as many hostile ones are at another server of the same machine, and among them: they read and write
slowly, break off, flood, and send what no parser should have to see.

  served         every request of a good client is answered, and as it should be
  refused        what is hostile gets an answer of its kind or a closed connection: no success, and no fault of the server

Told is what the good ones waited: percentiles in microseconds, each the median of the phases of one kind, and the median
of the ratios of neighbours. What they wait longer while the other server has the hostile ones is what those take of the
machine, in their programs and in the kernel; from there to where they are among them is what the server lets them take.
Told beside it is how late the good clients' own program woke. The hostile ones are the last to get a core and come at a
limited pace. What the server has in memory meanwhile is told by run.
"""
import contextlib
import gzip
import os
import random
import socket
import statistics
import struct
import subprocess
import time

from soak import HEAD, Client, Crowd, Worker

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "build", "soak")

TABLE = "soak.hostile"
PER_SECOND = 20    # requests of a good client
ATTEMPTS = 250     # a second, of all hostile clients, less what they linger
ALTERNATIONS = 5   # of the phases of each kind
FILLED = 300       # items of 4 KB: a page of a Scan that takes long to read
SLOW_S = 4         # how long a slow client goes on, at most
TARGET = "DynamoDB"
PACKED = gzip.compress(b" " * (20 << 20), 1)


def head(operation, length, more=""):
    return ((HEAD % (TARGET, operation, length))[:-2] + more + "\r\n").encode()


def whole(operation, body, more=""):
    return head(operation, len(body), more) + body


def put(value):
    return whole("PutItem", b'{"TableName":"%s","Item":{"pk":{"S":"hostile"},"v":%s}}' % (TABLE.encode(), value))


class Hostile(Worker):
    pause_s = 0  # between two attempts, at most

    def __init__(self, *others):
        super().__init__(*others)
        self.ways = [(name, getattr(self, name)) for name in sorted(vars(Hostile)) if name.startswith("by_")]

    def run(self):
        os.nice(19)  # of this thread alone
        time.sleep(self.random.random() * self.pause_s)
        while self.goes_on():
            name, way = self.random.choice(self.ways)
            with contextlib.suppress(OSError):  # cut off, as it may be
                patience_s = max(0.1, min(SLOW_S, self.until - time.monotonic()))
                with socket.create_connection(("127.0.0.1", self.port), timeout=patience_s) as sock:
                    way(sock)
            self.counts["hostile"] += 1
            time.sleep(self.random.random() * self.pause_s)

    def expect(self, sock, request, *statuses):
        """One answer with one of these, or none."""
        sock.sendall(request)
        answer = sock.recv(4096)
        status = int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0
        if answer and status not in statuses:
            self.problem("%d instead of %s to %r: %r" % (status, statuses, request[-80:], answer[-200:]))

    @staticmethod
    def reset(sock):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()

    def slowly(self, step):
        end = min(time.monotonic() + self.random.random() * SLOW_S, self.until)
        while time.monotonic() < end and step():
            time.sleep(0.1)

    def by_reading_slowly(self, sock):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.sendall(whole("Scan", b'{"TableName":"%s"}' % TABLE.encode()))
        self.slowly(lambda: sock.recv(1))

    def by_writing_slowly(self, sock):
        request = iter(head("PutItem", 100000, "X-A: b\r\n" * 50) + b"{" * 100000)
        self.slowly(lambda: sock.send(bytes([next(request)])))

    def by_half_a_request(self, sock):
        request = put(b'{"S":"' + b"x" * 5000 + b'"}')
        sock.sendall(request[:self.random.randrange(len(request))])
        self.reset(sock)

    def by_not_waiting_for_the_answer(self, sock):
        sock.sendall(whole("Scan", b'{"TableName":"%s"}' % TABLE.encode()) * 3)
        self.reset(sock)

    def by_connecting(self, sock):
        for _ in range(20):
            self.reset(socket.create_connection(("127.0.0.1", self.port), timeout=60))

    def by_depth(self, sock):
        self.expect(sock, put(b'{"L":[' * 5000 + b"]}" * 5000), 400)

    def by_depth_of_an_expression(self, sock):
        condition = b"(" * 1500 + b"a = a" + b")" * 1500
        self.expect(sock, whole("DeleteItem", b'{"TableName":"%s","Key":{"pk":{"S":"a"}},"ConditionExpression":"%s"}' % (
            TABLE.encode(), condition)), 400)

    def by_a_long_number(self, sock):
        self.expect(sock, put(b'{"N":"' + b"9" * self.random.choice((39, 5000, 1000000)) + b'"}'), 400)

    def by_text_that_is_none(self, sock):
        self.expect(sock, put(b'{"S":"\xff\xc0\xed\xa0\x80"}'), 400)

    def by_what_unpacks_to_much(self, sock):
        self.expect(sock, whole("PutItem", PACKED, "Content-Encoding: gzip\r\n"), 400, 413)

    def by_a_length_that_lies(self, sock):
        self.expect(sock, head("PutItem", self.random.choice((17 << 20, 1 << 40))) + b"{}", 413)

    def by_two_lengths(self, sock):
        self.expect(sock, head("PutItem", 2, "Content-Length: 5\r\n") + b"{}", 400)

    def by_a_long_head(self, sock):
        self.expect(sock, head("PutItem", 2, "X-A: %s\r\n" % ("a" * 60000)) + b"{}", 431)

    def by_no_http(self, sock):
        self.expect(sock, random.Random(self.counts["hostile"]).randbytes(2000) + b"\r\n\r\n", 400, 404, 414, 431, 505)


def make(client):
    client.must("CreateTable", {"TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
                                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})
    for number in range(FILLED):
        client.must("PutItem", {"TableName": TABLE, "Item": {"pk": {"S": "fill-%d" % number}, "d": {"S": "x" * 4000}}})


def build_steady():
    """The path of the good clients."""
    for command in (["cmake", "-S", HERE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"],
                    ["ninja", "-C", BUILD]):
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return os.path.join(BUILD, "soak_steady")


class Phases:
    """What phases of one kind have measured: lists by what it is."""
    measures = ("50 %", "99 %", "99.9 %", "all", "99 % of its wakes")

    def __init__(self, kind):
        self.kind, self.requests, self.measured = kind, 0, []

    def add(self, printed):
        requests, *measured = map(int, printed.split())
        self.requests += requests
        self.measured.append(measured)

    def told(self):
        medians = [statistics.median(each) for each in zip(*self.measured)]
        return "%s: us waited at most by " % self.kind + ", ".join(
            "%s %d" % pair for pair in zip(self.measures, medians))

    def ratio(self, other, measure):
        at = self.measures.index(measure)
        return statistics.median(mine[at] / max(1, its[at]) for mine, its in zip(self.measured, other.measured))


def attackers(number, port, seconds, connections):
    until = time.monotonic() + seconds
    return Crowd([Hostile(number * connections + i, port, until) for i in range(connections)])


def one_round(server, seconds, connections):
    """(counts, problems)"""
    other = server.another()
    try:
        return alternate(server.port, other.port, seconds, connections)
    finally:
        other.kill()


def alternate(port, other_port, seconds, connections):
    steady = build_steady()
    make(Client(port))
    make(Client(other_port))
    Hostile.pause_s = 2 * connections / ATTEMPTS
    alone, beside, among = Phases("alone"), Phases("beside"), Phases("among")
    attacked = ((alone, None), (beside, other_port), (among, port))
    phase_s = seconds / ALTERNATIONS / len(attacked)
    command = [steady, str(port), TABLE, str(connections), str(PER_SECOND * connections), str(phase_s)]
    attempts, problems = 0, []
    for number in range(ALTERNATIONS):
        for phases, attacked_port in attacked:
            hostile = attackers(number, attacked_port, phase_s, connections) if attacked_port else None
            good = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if good.returncode == 0:
                phases.add(good.stdout)
            else:
                problems.append("a good client, %s: %s" % (phases.kind, good.stderr))
            if hostile:
                counts, found, _ = hostile.join()
                attempts += counts["hostile"]
                problems += found
    if not attempts:
        problems.append("no hostile client came")
    if Client(port).call("DeleteTable", {"TableName": TABLE})[0] != 200:
        problems.append("the server is not well in the end")
    if not problems:
        for phases in (alone, beside, among):
            print("hostile: " + phases.told())
        for one, to in ((beside, alone), (among, beside), (among, alone)):
            print("hostile: %s to %s: " % (one.kind, to.kind) + ", ".join(
                "%.2f times at %s" % (one.ratio(to, measure), measure) for measure in ("50 %", "99 %", "99.9 %")))
    requests = sum(phases.requests for phases in (alone, beside, among))
    return {"requests": requests, "attempts of hostile clients": attempts}, problems
