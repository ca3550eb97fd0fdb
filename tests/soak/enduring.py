"""Clients that outlive what happens to their server: restarts, and faults that are injected on purpose."""
import time
import uuid

from soak import LOST, Client, kind_of

PATIENCE_S = 90   # until the server is back
TRIES_MAX = 1000  # of one request
PAUSE_S = 0.01    # before it is sent again
INJECTED = "Injected by the soak."  # the text of every injected error: nothing was done
IN_PROGRESS = "TransactionInProgressException"
# What may be sent again when no answer came. A transaction may because it gets a token.
REPEATABLE = {"GetItem", "Query", "Scan", "DescribeTable", "TransactGetItems", "TransactWriteItems"}


class PatientClient(Client):
    """Waits for a server that is well before it connects."""

    def __init__(self, port):
        self.port = port
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                super().__init__(port)
                self.control("GET", "health")
                return
            except (OSError, ValueError) as problem:
                if time.monotonic() > end:
                    raise ValueError("no server for %d s: %r" % (PATIENCE_S, problem)) from problem
            time.sleep(PAUSE_S)


class EnduringClient(PatientClient):
    """Sends a request again for as long as that can do no harm, as an SDK does; one that may have been done, and would
    be done twice, is answered by LOST."""

    def send(self, operation, body):
        if operation == "TransactWriteItems" and "ClientRequestToken" not in body:
            body = dict(body, ClientRequestToken=str(uuid.uuid4()))
        self.operation, self.body = operation, body
        self.is_sent = self.is_again = False
        self.try_to_send()

    def try_to_send(self):
        try:
            super().send(self.operation, self.body)
            self.is_sent = True
        except OSError:
            self.is_sent = False

    def receive(self):
        for _ in range(TRIES_MAX):
            answer = self.receive_once()
            if answer is not None:
                return answer
            self.is_again = True
            time.sleep(PAUSE_S)
            self.try_to_send()
        raise ValueError("%s: no answer of its own in %d tries" % (self.operation, TRIES_MAX))

    def receive_once(self):
        """None: it is to be sent again."""
        try:
            if not self.is_sent:
                raise ConnectionError("it could not be sent")
            status, answer = super().receive()
        except TimeoutError as problem:
            raise ValueError("no answer to %s" % self.operation) from problem
        except OSError:
            self.socket.close()
            PatientClient.__init__(self, self.port)
            return None if self.operation in REPEATABLE else (0, {"__type": LOST})
        is_injected = INJECTED in (answer.get("message"), answer.get("Message"))
        if is_injected or (self.is_again and kind_of(answer) == IN_PROGRESS):
            return None
        rest = answer.get("UnprocessedItems")
        if rest:
            self.body = {"RequestItems": rest}
            return None
        return status, answer
