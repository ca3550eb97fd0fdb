"""The load of who looks on: what the console, Prometheus and CloudWatch's clients ask, of tables that come and go."""
import time

from soak import Worker

BACK_S = 3600
SIGNATURE = ("Authorization: AWS4-HMAC-SHA256 Credential=soak/20261130/us-east-1/monitoring/aws4_request, "
             "SignedHeaders=host, Signature=00\r\nX-Amz-Date: 20261130T000000Z\r\n")
GET = "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"


class Reader(Worker):
    def __init__(self, number, port, until, tables):
        super().__init__(number, port, until)
        self.tables = tables

    def step(self, client):
        table = self.random.choice(self.tables)
        path = self.random.choice((
            "metrics", "_thermodyn/health", "_thermodyn/tables", "_thermodyn/totals", "_thermodyn/faults",
            "_thermodyn/snapshots", "_thermodyn/capacity?table=" + table, "_thermodyn/tables/%s/partitions" % table,
            "_thermodyn/heatmap?table=%s&metric=throttle" % table, "_thermodyn/heatmap?table=%s" % table,
            "_thermodyn/hotkeys?table=%s&by=item" % table, "_thermodyn/advice?detail=partitions&table=" + table))
        self.get(client, "/" + path, 200, 404)
        now_s = client.control("GET", "clock")["now"] / 1000
        times = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) for at in (now_s - BACK_S, now_s)]
        what = self.random.choice((
            "ListMetrics&Namespace=AWS/DynamoDB",
            "GetMetricStatistics&Namespace=AWS/DynamoDB&MetricName=%s&Dimensions.member.1.Name=TableName"
            "&Dimensions.member.1.Value=%s&StartTime=%s&EndTime=%s&Period=60&Statistics.member.1=Sum" % (
                self.random.choice(("ConsumedWriteCapacityUnits", "ConsumedReadCapacityUnits")), table, *times)))
        self.get(client, "/?Version=2010-08-01&Action=" + what, 200)

    def get(self, client, path, *statuses):
        client.socket.sendall((GET % (path, SIGNATURE)).encode())
        status, body = client.receive_bytes()
        self.counts["requests"] += 1
        if status not in statuses or not body:
            self.problem("GET %s: %d %r" % (path, status, body[:300]))
