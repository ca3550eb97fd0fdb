"""All loads at once against one server with a data directory, round by round, for hours; what happens to the server
is part of it, and the first broken invariant ends the run.

A round lasts about a minute. Its load: the mixed one, keepers (kept.py), writers and consumers of streams, tellers of
transactions, hostile clients and readers of every figure, at an even rate in all. Meanwhile partitions are divided,
throughput and caps change, the clock jumps, faults are injected and snapshots kept and removed. When the load has ended,
every table must be what the models say. Then, while time stands still, what Scans find in all tables and indexes is
noted, and must be found again after each of

  a snapshot        is kept, tellers and others go on while others are restored and kept at random, and it is restored
  an orderly end    and a start
  a kill            and a start

The run has stretches. A stretch begins with rounds of storm: the server is ended and killed, under load too. Then one
process lives through rounds of calm, and its own memory, its threads and its files, asked for when each round's tables
are gone, stay level. Every few rounds a reset must leave nothing. Until then figures of the past pile up, so that
memory is compared over whole cycles of rounds.

Only what must be one of two things is allowed to be either: a write whose answer was lost. Transactions are sent again
with their token, so that they are exact over a kill.
"""
import multiprocessing
import random
import signal
import statistics
import time
from collections import Counter, deque

import enduring
import hostile
import kept
import mixed
import readers
import streams
import transactions
from soak import Client, Crowd, Server, Worker

ROUND_S = 45            # of load; checks and quiet are as long again as a third of it
STRETCHES = 4
STORM = 0.2             # of a stretch
RESET_EVERY = 7         # rounds
WILD_S = 4
QUIET_S = 4             # then the server has given memory back
SETTLING = 4            # rounds of a process's life that are told, and not judged
GROWTH_MAX = 0.05       # of memory, from the first cycle of a stretch to its last
GROWTH_KB_MAX = 1024    # and as much besides
PARTITIONS_MAX = 12
STREAM_TABLES = 2
CALM_S = 0.5             # until what a fault has struck was sent again: no token is to live through a jump of the clock
SNAPSHOTS = ["soak-%d" % i for i in range(4)]
QUIET_SNAPSHOT = "soak-quiet"
SHARES = {"mixed": 0.25, "kept": 0.25, "streams": 0.2, "transactions": 0.2, "readers": 0.02}
FAULTS = (
    {"error": "ProvisionedThroughputExceededException"}, {"error": "InternalServerError"},
    {"error": "ThrottlingException"}, {"latency_ms": {"min": 1, "max": 50}},
    {"drop_connection": "before"}, {"drop_connection": "after"})
FAULTY = {"soak": ["PutItem", "UpdateItem", "GetItem", "Query"],
          kept.TABLE: ["PutItem", "UpdateItem", "DeleteItem", "GetItem"],
          transactions.TABLES[0]: ["TransactWriteItems", "TransactGetItems", "UpdateItem"],
          streams.table_name(0): ["PutItem", "UpdateItem", "TransactWriteItems", "BatchWriteItem"]}


class Returning:
    """Whose connection may end: it makes a new one and goes on."""
    connect = enduring.PatientClient

    def interrupted(self, problem):
        if not isinstance(problem, OSError) or isinstance(problem, TimeoutError):
            super().interrupted(problem)


class Enduring:
    connect = enduring.EnduringClient


class Visitor(Enduring, mixed.Visitor):
    pass


class Keeper(Enduring, kept.Keeper):
    pass


class Writer(Enduring, streams.Writer):
    pass


class Reader(Returning, readers.Reader):
    pass


class Teller(Enduring, transactions.Teller):
    """Begins when the clock jumps no more: a token is known for ten minutes."""

    def __init__(self, number, port, until, may_begin):
        super().__init__(number, port, until)
        self.may_begin = may_begin

    def run(self):
        self.may_begin.wait(max(0, self.until - time.monotonic()))
        super().run()


class WildTeller(Enduring, transactions.Teller):
    """While snapshots are restored: what it did may be undone, but nothing is torn."""

    def step(self, client):
        self.random.choice((self.transfer, self.audit, self.visit, self.rewrite))(client)


class Follower(Returning, streams.Consumer):
    """Begins anew when the server was killed: it may have read what was not on the disk yet."""

    def __init__(self, *others, kills):
        super().__init__(*others)
        self.kills, self.kills_seen = kills, kills.value

    def step(self, client):
        if self.kills.value != self.kills_seen:
            self.kills_seen = self.kills.value
            self.begin()
        super().step(client)


class Hostile(hostile.Hostile):
    pause_s = 1.0

    def expect(self, sock, request, *statuses):
        super().expect(sock, request, 503, *statuses)  # while a server loads its data


class Broken(Exception):
    pass


def state_of(client):
    """All that Scans find, of all tables and global indexes."""
    state = {}
    for name in client.must("ListTables", {})["TableNames"]:
        described = client.must("DescribeTable", {"TableName": name})["Table"]
        indexes = [index["IndexName"] for index in described.get("GlobalSecondaryIndexes", ())]
        for place in [{}] + [{"IndexName": index} for index in indexes]:
            items = client.pages("Scan", dict({"TableName": name}, **place), "Items")
            state[name, place.get("IndexName")] = Counter(str(sorted(item.items())) for item in items)
    return state


class Run:
    def __init__(self, options):
        self.connections, self.rate = max(1, options.connections // 8), options.rate
        self.random = random.Random(options.seed)
        self.server = Server(options.server, options.threads, True, "--enforce", "observe")
        self.port = self.server.port
        context = multiprocessing.get_context("fork")
        Worker.seed, Worker.alarm, self.kills = options.seed, context.Event(), context.Value("i", 0)
        self.tellers_may_begin, self.followers_may_end = context.Event(), context.Event()
        Reader.pace_s = 1 / (options.rate * SHARES["readers"])
        Follower.pace_s = 0.5
        for kind, share in ((Visitor, "mixed"), (Keeper, "kept"), (Writer, "streams"), (Teller, "transactions")):
            kind.pace_s = self.connections / (options.rate * SHARES[share])
        WildTeller.pace_s = Teller.pace_s
        self.done, self.counts, self.total = deque(maxlen=30), Counter(), Counter()
        self.began, self.rounds = time.monotonic(), 0
        self.client = None
        self.live_anew()
        self.keep_nothing()

    def note(self, what):
        self.done.append("%s %s" % (time.strftime("%H:%M:%S"), what))
        self.counts[what.split(":")[0]] += 1

    def judge(self, problems):
        if problems:
            raise Broken("; ".join(problems[:10]))

    # ---- the server's life

    def live_anew(self):
        """A process has begun."""
        self.client, self.samples, self.level = Client(self.port), [], None

    def restart(self, number):
        self.note("%s" % ("killed" if number == signal.SIGKILL else "ended"))
        code = self.server.end(number)
        if number == signal.SIGKILL:
            with self.kills.get_lock():
                self.kills.value += 1
        elif code != 0:
            raise Broken("the server ended with exit code %d" % code)
        self.server.start()
        self.note("started")
        self.live_anew()

    def keep_nothing(self):
        self.client = Client(self.port)
        kept.make(self.client)
        self.kept = [kept.nothing_kept(number) for number in range(self.connections)]

    # ---- what happens under load

    def divide(self):
        tables = ("soak", kept.TABLE, transactions.LEDGER, *transactions.TABLES, streams.table_name(0))
        table = self.random.choice(tables)
        client = Client(self.port)
        partitions = client.control("GET", "tables/%s/partitions" % table)["partitions"]
        chosen = self.random.choice(partitions)
        of_index = {"index": chosen["index"]} if chosen["index"] else {}
        if len(partitions) < PARTITIONS_MAX:
            client.control("POST", "tables/%s/partitions/split" % table, dict(id=chosen["id"], **of_index),
                           (200, 404, 409))
            self.note("split: %s of %s" % (chosen["id"], table))

    def inject(self):
        table, fault = self.random.choice(list(FAULTY)), dict(self.random.choice(FAULTS))
        if "error" in fault:
            fault["message"] = enduring.INJECTED
        Client(self.port).control("POST", "faults", {
            "match": {"table": table, "operation": FAULTY[table]}, "inject": fault, "probability": 0.2, "times": 20,
            "seed": self.random.randrange(1 << 30)})
        self.note("fault: %s of %s" % (fault, table))

    def leave_unprocessed(self):
        Client(self.port).control("POST", "faults", {
            "match": {"operation": "BatchWriteItem"}, "inject": {"unprocessed": True}, "probability": 0.3, "times": 20,
            "seed": self.random.randrange(1 << 30)})
        self.note("fault: unprocessed")

    def jump(self):
        client = Client(self.port)
        client.control("DELETE", "faults")
        time.sleep(CALM_S)
        streams.Course.jump(client, None)
        self.note("jump: of the clock")

    def change(self, change):
        streams.Course(self.port, STREAM_TABLES, 0).change(Client(self.port), change)
        self.note("change: %s" % change)

    def keep_snapshot(self):
        name = self.random.choice(SNAPSHOTS)
        Client(self.port).control("PUT", "snapshots/" + name, None, (200, 409))
        self.note("keep: %s" % name)

    def remove_snapshot(self):
        name = self.random.choice(SNAPSHOTS)
        Client(self.port).control("DELETE", "snapshots/" + name, None, (200, 404))
        self.note("remove: %s" % name)

    def restore_snapshot(self):
        name = self.random.choice(SNAPSHOTS)
        Client(self.port).control("POST", "snapshots/%s/restore" % name, None, (200, 404, 409))
        self.note("restore: %s" % name)

    def happenings(self, seconds, is_storm):
        """[(when, what)] of a round's load. First the clock jumps; then tellers begin, and restarts come."""
        often = [self.divide] * 6 + [self.inject] * 6 + [self.keep_snapshot] * 2
        often += [self.remove_snapshot, self.leave_unprocessed]
        events = [(self.random.uniform(0.02, 0.95), what) for what in often]
        events += [((i + 1) / (len(streams.CHANGES) + 2), lambda change=change: self.change(change))
                   for i, change in enumerate(streams.CHANGES)]
        events += [(self.random.uniform(0.02, 0.3), self.jump) for _ in range(2)] + [(0.33, self.tellers_may_begin.set)]
        if is_storm:
            ends = (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL)
            events += [(0.45 + 0.15 * i + self.random.random() * 0.1, lambda number=number: self.restart(number))
                       for i, number in enumerate(ends)]
        return [(at * seconds, what) for at, what in sorted(events, key=lambda event: event[0])]

    def let_happen(self, events):
        began = time.monotonic()
        for at, what in events:
            Worker.alarm.wait(max(0, began + at - time.monotonic()))
            if Worker.alarm.is_set():
                return
            if self.server.process.poll() is not None:
                raise Broken("the server has ended by itself, exit code %d" % self.server.process.returncode)
            what()

    # ---- a round

    def load(self, seconds, is_storm):
        """Everything at once, and whether the models agree with the tables in the end."""
        client, count = self.client, self.connections
        mixed.make(client)
        transactions.make(client)
        hostile.make(client)
        arns = streams.make(client, STREAM_TABLES)
        now_s = client.control("GET", "clock")["now"] // 1000
        self.tellers_may_begin.clear()
        self.followers_may_end.clear()
        began = time.monotonic()
        until, third = began + seconds, began + seconds / 3
        tables = ["soak", kept.TABLE, transactions.LEDGER, streams.table_name(0), "soak.0"]
        following = Crowd([Follower(i, self.port, (began, third)[i // STREAM_TABLES % 2], self.followers_may_end,
                                    i % STREAM_TABLES, arns[i % STREAM_TABLES], kills=self.kills)
                           for i in range(2 * STREAM_TABLES)], 1)
        crowds = {
            "mixed": Crowd([Visitor(i, self.port, until) for i in range(count)], 1),
            "kept": Crowd([Keeper(i, self.port, until, self.kept[i]) for i in range(count)], 1),
            "streams": Crowd([Writer(i, self.port, until, i % STREAM_TABLES, now_s) for i in range(count)], 1),
            "transactions": Crowd([Teller(i, self.port, until, self.tellers_may_begin) for i in range(count)], 1),
            "others": Crowd([Hostile(0, self.port, until), Hostile(1, self.port, until),
                             Reader(0, self.port, until, tables)], 1)}
        self.let_happen(self.happenings(seconds, is_storm))
        kept_by = {name: self.join(crowd, seconds) for name, crowd in crowds.items()}
        self.client = client = Client(self.port)
        client.control("DELETE", "faults")
        streams.let_all_fall_due(client)
        self.followers_may_end.set()
        consumed = self.join(following, seconds)
        self.kept = sorted(kept_by["kept"], key=lambda its: its["number"])
        self.judge(mixed.check(client, kept_by["mixed"]) + transactions.check(client, kept_by["transactions"]) +
                   kept.check(client, self.kept) + streams.check(client, STREAM_TABLES, kept_by["streams"], consumed)[1])

    def join(self, crowd, seconds):
        counts, problems, its = crowd.join(2 * seconds + 2 * enduring.PATIENCE_S)
        self.counts += counts
        self.judge(problems)
        return its

    def is_as_before(self, state, what):
        found = state_of(self.client)
        if found == state:
            return
        places = sorted(str(place) for place in set(found) | set(state) if found.get(place) != state.get(place))
        raise Broken("after %s these are not what they were: %s" % (what, ", ".join(places)))

    def go_back(self, state):
        """A snapshot is what it was, whatever happened since, also of other snapshots."""
        client = self.client
        client.control("DELETE", "snapshots")
        client.control("PUT", "snapshots/" + QUIET_SNAPSHOT)
        until = time.monotonic() + WILD_S
        crowds = [Crowd([Visitor(i, self.port, until) for i in range(self.connections)], 1),
                  Crowd([WildTeller(1000 + i, self.port, until) for i in range(self.connections)], 1)]
        whats = [self.keep_snapshot, self.restore_snapshot, self.restore_snapshot, self.remove_snapshot]
        self.let_happen(sorted(((self.random.uniform(0, WILD_S), self.random.choice(whats)) for _ in range(30)),
                               key=lambda event: event[0]))
        for crowd in crowds:
            self.join(crowd, WILD_S)
        client.control("POST", "snapshots/%s/restore" % QUIET_SNAPSHOT)
        self.note("restored: %s" % QUIET_SNAPSHOT)
        self.is_as_before(state, "a snapshot was restored")
        client.control("DELETE", "snapshots")

    def stand_still(self, is_storm):
        """Whatever is done to a server at rest, it has what it had."""
        put = {"TableName": hostile.TABLE, "Item": {"pk": {"S": "still"}, "n": {"N": str(self.rounds)}}}
        self.client.must("PutItem", put)
        state = state_of(self.client)
        self.go_back(state)
        if is_storm:
            self.client.must("PutItem", put)  # its answer says that the restored state is on the disk, too
            for number, what in ((signal.SIGKILL, "a kill"), (signal.SIGTERM, "an orderly end")):
                self.restart(number)
                self.is_as_before(state, what)

    def clear(self):
        """The round's tables go; now and then all, by a reset."""
        client = self.client
        if self.rounds % RESET_EVERY == 0:
            client.control("POST", "reset")
            self.note("reset")
            if client.must("ListTables", {})["TableNames"]:
                raise Broken("a reset has left tables")
            self.keep_nothing()
            return
        for name in client.must("ListTables", {})["TableNames"]:
            if name != kept.TABLE:
                client.must("DeleteTable", {"TableName": name})
        client.control("PUT", "clock", {"mode": "real"})

    def sample(self):
        """Memory, threads and files of the server at rest: they stay level as long as it lives."""
        self.client.socket.close()
        time.sleep(QUIET_S)
        own_kb, level = self.server.resident_kb()[0], self.server.threads_and_files()
        self.samples.append(own_kb)
        if len(self.samples) <= SETTLING:
            self.level = level
        judged = self.samples[SETTLING:]
        first, last = statistics.mean(judged[:RESET_EVERY] or [0]), statistics.mean(judged[-RESET_EVERY:] or [0])
        counted = ", ".join("%d %s" % (self.counts[what], what) for what in sorted(self.counts) if what != "requests")
        print("%s round %d: %d requests; %s; memory %d KB, %+.0f KB since its first cycle; %d threads, %d files" % (
            time.strftime("%H:%M:%S"), self.rounds, self.counts["requests"], counted, own_kb, last - first, *level),
            flush=True)
        if level != self.level:
            raise Broken("%d threads and %d files, after %d and %d" % (*level, *self.level))
        if len(judged) >= 2 * RESET_EVERY and last - first > GROWTH_MAX * first + GROWTH_KB_MAX:
            raise Broken("memory grew by %d KB: %s" % (last - first, self.samples))
        self.client = Client(self.port)

    def one_round(self, is_storm, seconds):
        self.rounds += 1
        self.note("round: %d%s" % (self.rounds, ", of storm" if is_storm else ""))
        self.load(seconds, is_storm)
        self.stand_still(is_storm)
        self.clear()
        self.sample()
        self.total += self.counts
        self.counts = Counter()

    def go_on_for(self, seconds):
        stretch = seconds / STRETCHES
        for number in range(STRETCHES):
            begin, end = self.began + number * stretch, self.began + (number + 1) * stretch
            while (left := end - time.monotonic()) > ROUND_S / 2 or self.rounds == 0:
                self.one_round(time.monotonic() < begin + STORM * stretch, min(ROUND_S, max(left, 10)))


def run(options):
    """Whether all was as it should be."""
    print("everything: seed %d" % options.seed, flush=True)
    it = Run(options)
    try:
        it.go_on_for(options.seconds)
        code = it.server.stop()
        it.judge(["the server ended with exit code %d" % code] if code else [])
    except (Broken, OSError, ValueError, LookupError) as problem:
        print("FAIL everything: %s" % (problem if isinstance(problem, Broken) else repr(problem)))
        print("seed %d, round %d; what was done last:\n  %s" % (options.seed, it.rounds, "\n  ".join(it.done)))
        if it.server.process.poll() is None:
            it.server.end(signal.SIGKILL)
        print("the server's directory is kept: %s" % it.server.folder)
        return False
    print("everything: %d rounds in %.0f s" % (it.rounds, time.monotonic() - it.began))
    for what, count in sorted(it.total.items()):
        print("everything: %d %s" % (count, what))
    return True
