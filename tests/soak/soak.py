"""What the loads share: a client, workers with a connection each in several processes, a server under load."""
import contextlib
import http.client
import json
import multiprocessing
import os
import random
import shutil
import signal
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
LOST = "Lost"      # instead of an answer's kind: none came, and nobody knows whether it was done (enduring.py)
PROBLEMS_MAX = 5  # of a worker: then it gives up
PROCESSES_MAX = 4
PORTS = range(20000, 32000)  # below those that clients are given: one that calls a server that is away could meet itself
START_S_MAX = 120


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
        """(status, document) of an answer."""
        status, body = self.receive_bytes()
        return status, json.loads(body or b"{}")

    def receive_bytes(self):
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
        return int(lines[0].split()[1]), b"".join(parts)

    def _more(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise OSError("the server has closed the connection")
        return data

    def control(self, method, path, body=None, allowed=(200,)):
        data = json.dumps({} if body is None else body).encode()
        self.socket.sendall(("%s /_thermodyn/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % (
            method, path, len(data))).encode() + data)
        status, answer = Client.receive(self)
        if status not in allowed:
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
    process. A step notes what should not be as a problem.

    Of all workers: `connect` makes their connections, `pace_s` is the time from one step to the next, `seed` begins
    their randomness, and `alarm`, an event, is set by the first problem of any of them, and ends them all."""
    connect = Client
    pace_s, seed, alarm = 0, 0, None

    def __init__(self, number, port, until):
        self.number, self.port, self.until = number, port, until
        self.random = random.Random("%d %s %d" % (self.seed, type(self).__name__, number))
        self.counts, self.kept, self.problems = Counter(), {}, []

    def run(self):
        client, next_at = None, time.monotonic() + self.random.random() * self.pace_s
        while self.goes_on():
            try:
                client = client or self.connect(self.port)
                if self.pace_s:
                    time.sleep(max(0, next_at - time.monotonic()))
                    next_at = max(next_at + self.pace_s, time.monotonic())
                self.step(client)
            except (OSError, ValueError, LookupError) as problem:
                client = None
                self.interrupted(problem)

    def interrupted(self, problem):
        self.problem(repr(problem))

    def goes_on(self):
        is_alarmed = self.alarm is not None and self.alarm.is_set()
        return time.monotonic() < self.until and len(self.problems) < PROBLEMS_MAX and not is_alarmed

    def step(self, client):
        raise NotImplementedError

    def problem(self, text):
        at = time.strftime("%H:%M:%S")
        self.problems.append("%s %d at %s: %s" % (type(self).__name__.lower(), self.number, at, text[:600]))
        if self.alarm is not None:
            self.alarm.set()

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

    def __init__(self, workers, processes=PROCESSES_MAX):
        self.shares = []
        count = max(1, min(processes, os.cpu_count() or 1, len(workers)))
        context = multiprocessing.get_context("fork")
        for i in range(count):
            ours, theirs = context.Pipe(False)
            process = context.Process(target=_work, args=(workers[i::count], theirs), daemon=True)
            process.start()
            theirs.close()
            self.shares.append((process, ours))

    def join(self, seconds_max=None):
        """(counts, problems, [kept of each worker])"""
        counts, problems, kept = Counter(), [], []
        for process, pipe in self.shares:
            try:
                if not pipe.poll(seconds_max):
                    problems.append("clients have come to no end in %d s" % seconds_max)
                    process.kill()
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
    """The server under load, on a free port, which it keeps when it is started anew."""

    def __init__(self, binary, threads, is_on_disk=False, *options):
        self.kind = (binary, threads, False, *options)
        self.folder = tempfile.mkdtemp(prefix="thermodyn-soak-")
        self.port_file = os.path.join(self.folder, "port")
        on_disk = ["--data-dir", os.path.join(self.folder, "data")] if is_on_disk else []
        self.command = [binary, "--port-file", self.port_file, "--log-level", "error", "--threads", str(threads),
                        *on_disk, *options]
        self.port = free_port()
        self.start()

    def another(self):
        """One of the same kind, without a data directory."""
        return Server(*self.kind)

    def start(self):
        """Answers when it listens, and its data are loaded."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.port_file)
        self.process = subprocess.Popen([*self.command, "--port", str(self.port)], stdout=subprocess.DEVNULL)
        end = time.monotonic() + START_S_MAX
        while not (os.path.exists(self.port_file) and os.path.getsize(self.port_file)):
            if self.process.poll() is not None:
                sys.exit("the server ended at once, exit code %d" % self.process.returncode)
            if time.monotonic() > end:
                self.kill()
                sys.exit("the server has not started in %d s" % START_S_MAX)
            time.sleep(0.01)

    def end(self, signal_number):
        """The exit code; a sanitizer's finding makes it another than 0."""
        self.process.send_signal(signal_number)
        return self.process.wait(timeout=120)

    def resident_kb(self):
        """What it has in memory: (its own, pages of the program's and libraries' files that it has touched)."""
        kb = dict(line.split()[:2] for line in open("/proc/%d/status" % self.process.pid) if line.startswith("Rss"))
        return int(kb["RssAnon:"]), int(kb["RssFile:"])

    def threads_and_files(self):
        return tuple(len(os.listdir("/proc/%d/%s" % (self.process.pid, what))) for what in ("task", "fd"))

    def reset(self):
        """Drops all tables and forgets what was metered of them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST", "/_thermodyn/reset", body="{}")
        assert connection.getresponse().status == 200
        connection.close()

    def stop(self):
        code = self.end(signal.SIGTERM)
        self.forget()
        return code

    def kill(self):
        self.end(signal.SIGKILL)
        self.forget()

    def forget(self):
        shutil.rmtree(self.folder)


def free_port():
    ports = list(PORTS)
    random.shuffle(ports)
    for port in ports:
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("127.0.0.1", port))
            return port
    sys.exit("no port is free")
