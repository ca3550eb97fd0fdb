"""What the loads share: a client, workers with a connection each in several processes, a server under load."""
import http.client
import json
import multiprocessing
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter

HEAD = ("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
        "Authorization: AWS4-HMAC-SHA256 Credential=soak/20261130/us-east-1/dynamodb/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00\r\nX-Amz-Date: 20261130T000000Z\r\n"
        "X-Amz-Target: %s_20120810.%s\r\nContent-Length: %d\r\n\r\n")
OF_STREAMS = {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}
PROBLEMS_MAX = 5  # of a worker: then it gives up
PROCESSES_MAX = 4


class Client:
    """One connection. Little work a request, for the interpreter runs one thread at a time: no library for HTTP."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, operation, body):
        self.send(operation, body)
        return self.receive()

    def send(self, operation, body):
        data = json.dumps(body).encode()
        api = "DynamoDBStreams" if operation in OF_STREAMS else "DynamoDB"
        self.socket.sendall((HEAD % (api, operation, len(data))).encode() + data)

    def receive(self):
        """(status, body) of an answer."""
        got = b""
        while b"\r\n\r\n" not in got:
            got += self._more()
        head, body = got.split(b"\r\n\r\n", 1)
        lines = head.split(b"\r\n")
        lengths = [int(line[15:]) for line in lines if line[:15].lower() == b"content-length:"]
        parts, missing = [body], lengths[0] - len(body)
        while missing > 0:
            parts.append(self._more())
            missing -= len(parts[-1])
        return int(lines[0].split()[1]), json.loads(b"".join(parts) or b"{}")

    def _more(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise OSError("the server has closed the connection")
        return data

    def control(self, method, path, body=None):
        data = json.dumps({} if body is None else body).encode()
        self.socket.sendall(("%s /_thermodyn/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % (
            method, path, len(data))).encode() + data)
        status, answer = self.receive()
        if status != 200:
            raise ValueError("%s %s: %d %s" % (method, path, status, answer))
        return answer

    def must(self, operation, body):
        status, answer = self.call(operation, body)
        if status != 200:
            raise ValueError("%s: %d %s" % (operation, status, json.dumps(answer)[:300]))
        return answer

    def pages(self, operation, body, member):
        """All elements of a list that comes in pages."""
        found, start = [], {}
        while start is not None:
            answer = self.must(operation, dict(body, **start))
            found += answer[member]
            last = answer.get("LastEvaluatedKey")
            start = {"ExclusiveStartKey": last} if last else None
        return found


def kind_of(answer):
    return answer.get("__type", "").split("#")[-1]


class Worker:
    """A connection and what is done over it. What it counts and what it keeps of its own (`kept`) go back to the first
    process. A step notes what should not be as a problem."""

    def __init__(self, number, port, until):
        self.number, self.port, self.until = number, port, until
        self.random = random.Random(number)
        self.counts, self.kept, self.problems = Counter(), {}, []

    def run(self):
        client = Client(self.port)
        while self.goes_on():
            try:
                self.step(client)
            except (OSError, ValueError, LookupError) as problem:
                self.problem(repr(problem))
                client = Client(self.port)

    def goes_on(self):
        return time.monotonic() < self.until and len(self.problems) < PROBLEMS_MAX

    def step(self, client):
        raise NotImplementedError

    def problem(self, text):
        self.problems.append("%s %d: %s" % (type(self).__name__.lower(), self.number, text[:600]))

    def call(self, client, operation, body, allowed=()):
        """(kind, answer); kind "" is success. Any kind that is not allowed is a problem."""
        client.send(operation, body)
        return self.receive(client, operation, allowed)

    def receive(self, client, operation, allowed=()):
        status, answer = client.receive()
        self.counts["requests"] += 1
        kind = "" if status == 200 else kind_of(answer)
        if kind and (kind not in allowed or status >= 500):
            self.problem("%s: %d %s" % (operation, status, json.dumps(answer)))
        return kind, answer


class Crowd:
    """Workers at work: in a few processes, each with a thread for each of its workers."""

    def __init__(self, workers):
        self.shares = []
        count = max(1, min(PROCESSES_MAX, os.cpu_count() or 1, len(workers)))
        context = multiprocessing.get_context("fork")
        for i in range(count):
            ours, theirs = context.Pipe(False)
            process = context.Process(target=_work, args=(workers[i::count], theirs), daemon=True)
            process.start()
            theirs.close()
            self.shares.append((process, ours))

    def join(self):
        """(counts, problems, [kept of each worker])"""
        counts, problems, kept = Counter(), [], []
        for process, pipe in self.shares:
            try:
                for its_counts, its_problems, its_kept in pipe.recv():
                    counts += its_counts
                    problems += its_problems
                    kept.append(its_kept)
            except EOFError:
                problems.append("a process of clients has ended early")
            process.join()
        return counts, problems, kept


def _work(workers, pipe):
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipe.send([(worker.counts, worker.problems, worker.kept) for worker in workers])


class Server:
    """The server under load, on a free port."""

    def __init__(self, binary, threads, is_on_disk=False):
        self.folder = tempfile.TemporaryDirectory(prefix="thermodyn-soak-")
        port_file = os.path.join(self.folder.name, "port")
        on_disk = ["--data-dir", os.path.join(self.folder.name, "data")] if is_on_disk else []
        self.process = subprocess.Popen([binary, "--port", "0", "--port-file", port_file, "--log-level", "error",
                                         "--threads", str(threads), *on_disk], stdout=subprocess.DEVNULL)
        while not (os.path.exists(port_file) and os.path.getsize(port_file)):
            if self.process.poll() is not None:
                sys.exit("the server ended at once, exit code %d" % self.process.returncode)
            time.sleep(0.01)
        self.port = int(open(port_file).read())

    def resident_kb(self):
        """What it has in memory: (its own, pages of the program's and libraries' files that it has touched)."""
        kb = dict(line.split()[:2] for line in open("/proc/%d/status" % self.process.pid) if line.startswith("Rss"))
        return int(kb["RssAnon:"]), int(kb["RssFile:"])

    def reset(self):
        """Drops all tables and forgets what was metered of them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/_thermodyn/reset", body="{}")
        assert connection.getresponse().status == 200
        connection.close()

    def stop(self):
        """The exit code; a sanitizer's finding makes it another than 0."""
        self.process.terminate()
        code = self.process.wait(timeout=120)
        self.folder.cleanup()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()
