"""The load of hostile clients beside good ones. The good ones put and get their own items at an even pace, the first half
of the time alone; then as many hostile ones come, who read and write slowly, break off, flood, and send what no parser
should have to see.

  served         every request of a good client is answered, and as it should be
  refused        what is hostile gets an answer of its kind or a closed connection: no success, and no fault of the server

What the good ones waited is told, alone and then: the 99th percentiles in microseconds, from when a request was due. The
hostile ones are the last to get a core, so that what is told is the server's doing. So is what the server has in
memory while they are at it (run).
"""
import contextlib
import gzip
import os
import random
import socket
import struct
import time

from soak import HEAD, Client, Crowd, Worker

TABLE = "soak.hostile"
PACE_S = 0.05  # from one request of a good client to its next
FILLED = 300   # items of 4 KB: a page of a Scan that takes long to read
SLOW_S = 4     # how long a slow client goes on, at most
TARGET = "DynamoDB"
PACKED = gzip.compress(b" " * (20 << 20), 1)


def head(operation, length, more=""):
    return ((HEAD % (TARGET, operation, length))[:-2] + more + "\r\n").encode()


def whole(operation, body, more=""):
    return head(operation, len(body), more) + body


def put(value):
    return whole("PutItem", b'{"TableName":"%s","Item":{"pk":{"S":"hostile"},"v":%s}}' % (TABLE.encode(), value))


class Good(Worker):
    def __init__(self, number, port, until, hostile_from):
        super().__init__(number, port, until)
        self.hostile_from, self.value = hostile_from, 0
        self.kept = {"alone": [], "among": []}
        self.next = None  # when it is due

    def step(self, client):
        begun = self.next or time.monotonic() + self.random.random() * PACE_S
        self.next = begun + PACE_S
        time.sleep(max(0, begun - time.monotonic()))
        key = {"pk": {"S": "good-%d" % self.number}}
        if self.value == 0 or self.random.random() < 0.5:
            self.value += 1
            self.call(client, "PutItem", {"TableName": TABLE, "Item": dict(key, v={"N": str(self.value)})})
        else:
            _, answer = self.call(client, "GetItem", {"TableName": TABLE, "Key": key, "ConsistentRead": True})
            if answer.get("Item", {}).get("v") != {"N": str(self.value)}:
                self.problem("its item is %s instead of %d" % (answer, self.value))
        self.kept["alone" if begun < self.hostile_from else "among"].append(time.monotonic() - begun)


class Hostile(Worker):
    pause_s = 0.1  # between two attempts, at most

    def __init__(self, number, port, until, hostile_from):
        super().__init__(number, port, until)
        self.hostile_from = hostile_from
        self.ways = [(name, getattr(self, name)) for name in sorted(vars(Hostile)) if name.startswith("by_")]

    def run(self):
        os.nice(19)  # of this thread alone
        time.sleep(max(0, self.hostile_from - time.monotonic()))
        while self.goes_on():
            name, way = self.random.choice(self.ways)
            with contextlib.suppress(OSError):  # cut off, as it may be
                with socket.create_connection(("127.0.0.1", self.port), timeout=SLOW_S) as sock:
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


def one_round(port, seconds, connections):
    """(counts, problems)"""
    client = Client(port)
    make(client)
    until = time.monotonic() + seconds
    hostile_from = until - seconds / 2
    good = Crowd([Good(number, port, until, hostile_from) for number in range(connections)])
    hostile = Crowd([Hostile(number, port, until, hostile_from) for number in range(connections)])
    counts, problems, kept = good.join()
    more, others, _ = hostile.join()
    for name in ("alone", "among"):
        times = sorted(each for worker in kept for each in worker[name])
        if not times:
            problems.append("no good client was served %s" % name)
        else:
            counts["us waited at most by 99 % of the good ones, " + name] = int(times[len(times) * 99 // 100] * 1e6)
    counts["attempts of hostile clients"] = more["hostile"]
    if not more["hostile"]:
        problems.append("no hostile client came")
    if client.call("DeleteTable", {"TableName": TABLE})[0] != 200:
        problems.append("the server is not well in the end")
    return counts, problems + others
