"""What tools that read CloudWatch do, by boto3: metrics, metric math, reports, pages, errors. Debian's boto3 speaks the
query protocol, newer ones JSON or RPC v2 CBOR: the same claims hold for each, and where several are known, for all."""
import datetime
import json
import os
import sys
import unittest
import urllib.request

import boto3
import botocore.args
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = os.environ["ENDPOINT"]
OPTIONS = dict(endpoint_url=ENDPOINT, region_name="us-east-1", config=Config(retries={"total_max_attempts": 1}))
SPACE = "AWS/DynamoDB"
KNOWN = {"query", "json", "smithy-rpc-v2-cbor"}


def control(method, path, body=None):
    request = urllib.request.Request(ENDPOINT + "/_thermodyn" + path, method=method,
                                     data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def clients():
    """A client by protocol. What a version knows is tried in the order of its own list."""
    model = boto3.client("cloudwatch", **OPTIONS).meta.service_model
    if not hasattr(model, "resolved_protocol"):
        return {model.protocol: boto3.client("cloudwatch", **OPTIONS)}
    from botocore import model as models
    found = {}
    order = models.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS
    for protocol in [p for p in model.metadata["protocols"] if p in KNOWN]:
        models.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS = (protocol,)
        client = boto3.client("cloudwatch", **OPTIONS)
        assert client.meta.service_model.resolved_protocol == protocol
        found[protocol] = client
    models.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS = order
    return found


class CloudWatch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.db = boto3.client("dynamodb", **OPTIONS)
        cls.clients = clients()
        control("PUT", "/clock", {"mode": "manual"})
        now = control("GET", "/clock")["now"]
        control("POST", "/clock/advance", {"ms": 300000 - now % 300000})
        cls.db.create_table(TableName="Sessions", BillingMode="PROVISIONED",
                            ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 5},
                            AttributeDefinitions=[{"AttributeName": "tenant", "AttributeType": "S"},
                                                  {"AttributeName": "at", "AttributeType": "N"}],
                            KeySchema=[{"AttributeName": "tenant", "KeyType": "HASH"},
                                       {"AttributeName": "at", "KeyType": "RANGE"}])
        control("PATCH", "/capacity", {"table": "Sessions", "burst_window": 1})
        control("POST", "/tables/Sessions/capacity/reset")
        cls.db.update_contributor_insights(TableName="Sessions", ContributorInsightsAction="ENABLE")
        cls.throttled = cls.put(7, "acme <&> \u00fc")
        cls.make_books()
        cls.read("Shelf", 5 * [False])
        control("POST", "/clock/advance", {"ms": 120000})
        cls.throttled += cls.put(2, "initech")
        cls.read("Shelf", [False, True, True, True])
        cls.read("Folio", [True])
        control("POST", "/clock/advance", {"ms": 60000})
        now = control("GET", "/clock")["now"] // 1000
        moment = datetime.datetime.fromtimestamp(now, datetime.timezone.utc)
        cls.window = {"StartTime": moment - datetime.timedelta(minutes=3), "EndTime": moment}
        cls.rules = cls.db.describe_contributor_insights(TableName="Sessions")["ContributorInsightsRuleList"]

    @classmethod
    def put(cls, times, tenant):
        throttled = 0
        for at in range(times):
            try:
                cls.db.put_item(TableName="Sessions", Item={"tenant": {"S": tenant}, "at": {"N": str(at)}})
            except cls.db.exceptions.ProvisionedThroughputExceededException:
                throttled += 1
        return throttled

    @classmethod
    def make_books(cls):
        cls.db.create_table(TableName="Books", BillingMode="PAY_PER_REQUEST",
                            AttributeDefinitions=[{"AttributeName": "name", "AttributeType": "S"}],
                            KeySchema=[{"AttributeName": "name", "KeyType": "HASH"}])
        cls.db.put_item(TableName="Books", Item={"name": {"S": "Shelf"}})
        cls.db.put_item(TableName="Books", Item={"name": {"S": "Folio"}, "text": {"S": 32000 * "x"}})

    @classmethod
    def read(cls, name, consistent):
        for is_consistent in consistent:
            cls.db.get_item(TableName="Books", Key={"name": {"S": name}}, ConsistentRead=is_consistent)

    def each(self):
        for protocol, client in self.clients.items():
            with self.subTest(protocol=protocol):
                yield client

    def metric(self, name, **dimensions):
        return {"Namespace": SPACE, "MetricName": name,
                "Dimensions": [{"Name": n, "Value": v} for n, v in dimensions.items()]}

    def sums(self, client, name, **dimensions):
        answer = client.get_metric_statistics(Period=60, Statistics=["Sum"], **self.metric(name, **dimensions),
                                              **self.window)
        self.assertEqual(answer["Label"], name)
        return [point["Sum"] for point in sorted(answer["Datapoints"], key=lambda point: point["Timestamp"])]

    def math(self, client, *expressions, **more):
        queries = [{"Id": "w", "MetricStat": {"Metric": self.metric("WriteThrottleEvents", TableName="Sessions"),
                                              "Period": 60, "Stat": "Sum"}},
                   {"Id": "c", "MetricStat": {"Metric": self.metric("ConsumedWriteCapacityUnits", TableName="Sessions"),
                                              "Period": 60, "Stat": "Sum"}, "ReturnData": False}]
        queries += [{"Id": "e%d" % i, "Expression": text} for i, text in enumerate(expressions)]
        answer = client.get_metric_data(MetricDataQueries=queries, ScanBy="TimestampAscending", **self.window, **more)
        return [result["Values"] for result in answer["MetricDataResults"]], answer

    def test_the_hot_key_is_named_with_what_it_took_and_what_throttled(self):
        self.assertEqual(self.throttled, 2)
        for client in self.each():
            report = client.get_insight_rule_report(RuleName=self.rules[0], Period=60, Metrics=["MaxContributorValue"],
                                                    **self.window)
            self.assertEqual(report["KeyLabels"], ["tenant"])
            self.assertEqual(report["AggregationStatistic"], "SUM")
            self.assertEqual(report["AggregateValue"], 21.0)
            self.assertEqual(report["ApproximateUniqueCount"], 2)
            first, second = report["Contributors"]
            self.assertEqual((first["Keys"], first["ApproximateAggregateValue"]), (["acme <&> \u00fc"], 15.0))
            self.assertEqual((second["Keys"], second["ApproximateAggregateValue"]), (["initech"], 6.0))
            self.assertEqual([p["ApproximateValue"] for p in first["Datapoints"]], [15.0])
            self.assertEqual(first["Datapoints"][0]["Timestamp"], self.window["StartTime"])
            self.assertEqual([p["MaxContributorValue"] for p in report["MetricDatapoints"]], [15.0, 6.0])
            report = client.get_insight_rule_report(RuleName=self.rules[3], Period=60, **self.window)
            self.assertEqual(report["KeyLabels"], ["tenant", "at"])
            self.assertEqual(sorted(c["Keys"][1] for c in report["Contributors"]), ["5", "6"])
            self.assertEqual(report["MetricDatapoints"], [])

    def test_statistics_are_of_the_minutes(self):
        for client in self.each():
            self.assertEqual(self.sums(client, "ConsumedWriteCapacityUnits", TableName="Sessions"), [5.0, 0.0, 2.0])
            self.assertEqual(self.sums(client, "WriteThrottleEvents", TableName="Sessions"), [2.0])
            self.assertEqual(self.sums(client, "WriteProvisionedThroughputThrottleEvents", TableName="Sessions"), [2.0])
            self.assertEqual(self.sums(client, "ThrottledRequests", TableName="Sessions", Operation="PutItem"), [2.0])
            self.assertEqual(self.sums(client, "ProvisionedReadCapacityUnits", TableName="Sessions"), [7.0])
            self.assertEqual(self.sums(client, "WriteThrottleEvents", TableName="Other"), [])
            self.assertEqual(self.sums(client, "NoMetric", TableName="Sessions"), [])
            self.assertEqual(self.sums(client, "WriteThrottleEvents"), [])
            answer = client.get_metric_statistics(
                Period=180, Statistics=["Average", "Maximum", "Minimum", "SampleCount"],
                **self.metric("ConsumedWriteCapacityUnits", TableName="Sessions"), **self.window)
            self.assertEqual(len(answer["Datapoints"]), 1)
            point = answer["Datapoints"][0]
            self.assertEqual((point["Average"], point["Maximum"], point["Minimum"], point["SampleCount"], point["Unit"]),
                             (1.0, 1.0, 1.0, 7.0, "Count"))

    def test_percentiles_are_of_all_samples_of_the_period(self):
        metric = self.metric("ConsumedReadCapacityUnits", TableName="Books")
        for client in self.each():
            answer = client.get_metric_statistics(
                Period=180, ExtendedStatistics=["p50", "p70", "p99.9", "tm90", "PR(:1)"], **metric, **self.window)
            self.assertEqual(answer["Datapoints"][0]["ExtendedStatistics"],
                             {"p50": 0.5, "p70": 1.0, "p99.9": 8.0, "tm90": 6 / 9, "PR(:1)": 90.0})
            queries = [{"Id": "q%d" % i, "MetricStat": {"Metric": metric, "Period": period, "Stat": stat}}
                       for i, (stat, period) in enumerate([("p99", 180), ("p0.5", 180), ("p90", 60), ("IQM", 60)])]
            answer = client.get_metric_data(MetricDataQueries=queries, ScanBy="TimestampAscending", **self.window)
            self.assertEqual([result["Values"] for result in answer["MetricDataResults"]],
                             [[8.0], [0.5], [0.5, 0.0, 8.0], [0.5, 0.0, 1.0]])

    def test_percentiles_of_latencies_lie_between_least_and_greatest(self):
        metric = self.metric("SuccessfulRequestLatency", TableName="Books", Operation="GetItem")
        for client in self.each():
            plain = client.get_metric_statistics(Period=180, Statistics=["Minimum", "Maximum", "Average"], **metric,
                                                 **self.window)["Datapoints"][0]
            names = ["p0", "p10", "p50", "p90", "p100", "tm100"]
            told = client.get_metric_statistics(Period=180, ExtendedStatistics=names, **metric,
                                                **self.window)["Datapoints"][0]["ExtendedStatistics"]
            percentiles = [told[name] for name in names[:5]]
            self.assertEqual(percentiles, sorted(percentiles))
            self.assertEqual((told["p0"], told["p100"]), (plain["Minimum"], plain["Maximum"]))
            self.assertAlmostEqual(told["tm100"], plain["Average"])

    def test_expressions_are_computed(self):
        for client in self.each():
            values, answer = self.math(client, "w * 2 + 1", "FILL(w, 0)", "RATE(c)", "c - FILL(w, REPEAT)", "SUM(METRICS())",
                                       "100 * w / (w + c)", "MAX([c, FILL(w, 0)])", "-c ^ 2", "FILL(METRICS('w'), LINEAR)")
            self.assertEqual(values, [[2.0], [5.0], [2.0, 0.0, 0.0], [-5 / 60, 2 / 60], [3.0, -2.0, 0.0], [7.0, 0.0, 2.0],
                                      [100 * 2 / 7], [5.0, 0.0, 2.0], [-25.0, -0.0, -4.0], [2.0]])
            labels = [result["Label"] for result in answer["MetricDataResults"]]
            self.assertEqual(labels, ["WriteThrottleEvents"] + ["e%d" % i for i in range(8)] + ["WriteThrottleEvents"])
            self.assertEqual({result["StatusCode"] for result in answer["MetricDataResults"]}, {"Complete"})
            newest_first = client.get_metric_data(
                MetricDataQueries=[{"Id": "c", "MetricStat": {"Metric": self.metric("ConsumedWriteCapacityUnits",
                                                                                    TableName="Sessions"),
                                                              "Period": 60, "Stat": "Sum"}}], **self.window)
            self.assertEqual(newest_first["MetricDataResults"][0]["Values"], [2.0, 0.0, 5.0])

    def test_wrong_expressions_are_refused(self):
        for client in self.each():
            for text, words in [("w +", "Syntax error"), ("NOTHING(w)", "Function NOTHING"), ("SUM(w)", "not a time series"),
                                ("x", "Id x is not found"), ("e0", "Circular reference"), ("(" * 100, "nested"),
                                ("RATE(1)", "Wrong arguments"), ("w w", "Syntax error"), ("'a' + w", "Syntax error")]:
                with self.assertRaises(ClientError) as caught:
                    self.math(client, text)
                self.assertEqual(caught.exception.response["Error"]["Code"], "ValidationError", text)
                self.assertIn(words, caught.exception.response["Error"]["Message"], text)

    def test_points_come_in_pages(self):
        for client in self.each():
            _, first = self.math(client, "c", MaxDatapoints=2)
            self.assertEqual([r["Values"] for r in first["MetricDataResults"]], [[2.0], [5.0]])
            self.assertEqual(first["MetricDataResults"][1]["StatusCode"], "PartialData")
            _, second = self.math(client, "c", MaxDatapoints=2, NextToken=first["NextToken"])
            self.assertEqual([r["Values"] for r in second["MetricDataResults"]], [[], [0.0, 2.0]])
            self.assertNotIn("NextToken", second)

    def test_metrics_are_listed(self):
        for client in self.each():
            pages = client.get_paginator("list_metrics").paginate(
                Namespace=SPACE, Dimensions=[{"Name": "TableName", "Value": "Sessions"}], RecentlyActive="PT3H")
            names = {metric["MetricName"] for page in pages for metric in page["Metrics"]}
            self.assertEqual(names, {"ConsumedWriteCapacityUnits", "WriteThrottleEvents", "ThrottledRequests",
                                     "WriteProvisionedThroughputThrottleEvents", "SuccessfulRequestLatency",
                                     "ProvisionedReadCapacityUnits", "ProvisionedWriteCapacityUnits"})
            self.assertEqual(client.list_metrics(Namespace="AWS/EC2")["Metrics"], [])

    def test_what_is_empty_is_a_list(self):
        for client in self.each():
            answer = client.describe_alarms()
            self.assertEqual((answer["MetricAlarms"], answer["CompositeAlarms"]), ([], []))
            rules = client.describe_insight_rules()["InsightRules"]
            self.assertEqual([rule["Name"] for rule in rules], self.rules)
            self.assertTrue(all(rule["ManagedRule"] for rule in rules))

    def test_errors_have_the_protocols_shape(self):
        metric = self.metric("WriteThrottleEvents", TableName="Sessions")
        for client in self.each():
            for call, code, status in [
                    (lambda: client.get_metric_statistics(Period=60, **metric, **self.window),
                     "InvalidParameterCombination", 400),
                    (lambda: client.get_metric_statistics(Period=61, Statistics=["Sum"], **metric, **self.window),
                     "InvalidParameterValue", 400),
                    (lambda: client.get_metric_statistics(Period=60, Statistics=["Total"], **metric, **self.window),
                     "InvalidParameterValue", 400),
                    (lambda: client.get_insight_rule_report(RuleName="nobody's", Period=60, **self.window),
                     "ResourceNotFoundException", 404),
                    (lambda: client.get_insight_rule_report(RuleName=self.rules[0], Period=60, MaxContributorCount=26,
                                                            **self.window), "InvalidParameterValue", 400),
                    (lambda: client.list_metrics(NextToken="nonsense"), "InvalidNextToken", 400)]:
                with self.assertRaises(ClientError) as caught:
                    call()
                response = caught.exception.response
                self.assertEqual(response["Error"]["Code"], code)
                self.assertEqual(response["ResponseMetadata"]["HTTPStatusCode"], status)
                self.assertTrue(response["ResponseMetadata"]["RequestId"])
            with self.assertRaises(client.exceptions.ResourceNotFoundException):
                client.get_insight_rule_report(RuleName="nobody's", Period=60, **self.window)


if __name__ == "__main__":
    print("boto3 %s: %s" % (boto3.__version__, ", ".join(clients())))
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=0).result
    failed = len(result.failures) + len(result.errors)
    print("%d passed, %d failed" % (result.testsRun - failed, failed))
    sys.exit(1 if failed else 0)
