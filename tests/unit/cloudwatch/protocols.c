/* SPDX-License-Identifier: Apache-2.0
 * protocols.c: tests of whole requests in the three protocols, byte by byte. */
#include "suites.h"
#include "watch.h"

#define YEAR_2100 "4102444800"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
    ask_create_table(&server, NULL);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
}
static void teardown(void)
{
    ask_teardown(&server);
}

START_TEST(a_query_is_answered_in_xml)
{
    CHECK_TEXT(watch_query(&server, "Action=GetMetricStatistics&Namespace=AWS%2FDynamoDB"
                                    "&MetricName=ConsumedWriteCapacityUnits&Dimensions.member.1.Name=TableName"
                                    "&Dimensions.member.1.Value=TTT&StartTime=2100-01-01T00%3A00%3A59.5Z"
                                    "&EndTime=2100-01-01T00:01:00Z&Period=60&Statistics.member.1=Sum"
                                    "&Statistics.member.2=SampleCount"),
               "<GetMetricStatisticsResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\">"
               "<GetMetricStatisticsResult><Label>ConsumedWriteCapacityUnits</Label><Datapoints><member>"
               "<Timestamp>2100-01-01T00:00:00Z</Timestamp><Sum>1.0</Sum><SampleCount>1.0</SampleCount>"
               "<Unit>Count</Unit></member></Datapoints></GetMetricStatisticsResult>"
               "<ResponseMetadata><RequestId>ID</RequestId></ResponseMetadata></GetMetricStatisticsResponse>");
    ck_assert_int_eq(watch_reply.http_status, 200);
    ck_assert_str_eq(watch_reply.content_type, "text/xml");
    ck_assert_ptr_null(watch_reply.query_error);
}
END_TEST

START_TEST(a_target_is_answered_in_json)
{
    CHECK_TEXT(watch_json(&server, "GetMetricStatistics",
                          "{'Namespace':'AWS/DynamoDB','MetricName':'ConsumedWriteCapacityUnits','Dimensions':"
                          "[{'Name':'TableName','Value':'TTT'}],'StartTime':" YEAR_2100 ",'EndTime':" YEAR_2100 ".5,"
                          "'Period':60,'Statistics':['Sum','Sum']}"),
               ask_quoted(&server, "{'Label':'ConsumedWriteCapacityUnits','Datapoints':[{'Timestamp':" YEAR_2100 ".0,"
                                   "'Sum':1.0,'Unit':'Count'}]}"));
    ck_assert_str_eq(watch_reply.content_type, "application/x-amz-json-1.0");
    CHECK_TEXT(watch_json(&server, "DescribeAlarms", ""),
               ask_quoted(&server, "{'CompositeAlarms':[],'MetricAlarms':[]}"));
}
END_TEST

START_TEST(rpc_v2_is_answered_in_cbor)
{
    CHECK_TEXT(
        watch_cbor(&server, "GetMetricStatistics",
                   "a7 69'Namespace' 6c'AWS/DynamoDB' 6a'MetricName' 781a'ConsumedWriteCapacityUnits'"
                   "6a'Dimensions' 9f bf 64'Name' 69'TableName' 65'Value' 63'TTT' ff ff"
                   "69'StartTime' c1 1a f4865700 67'EndTime' c1 fb41ee90cae7800000 66'Period' 18 3c"
                   "6a'Statistics' 81 63'Sum'"),
        "bf 65 'Label' 78 'ConsumedWriteCapacityUnits' 6a 'Datapoints' 9f bf 69 'Timestamp' c1 fb41ee90cae0000000 "
        "63 'Sum' fb3ff0000000000000 64 'Unit' 65 'Count' ff ff ff");
    ck_assert_str_eq(watch_reply.content_type, "application/cbor");
    ck_assert_str_eq(watch_reply.protocol, "rpc-v2-cbor");
    CHECK_TEXT(watch_cbor(&server, "DescribeAlarms", ""), "bf 6f 'CompositeAlarms' 9f ff 6c 'MetricAlarms' 9f ff ff");
}
END_TEST

START_TEST(maps_and_booleans_have_each_protocols_form)
{
    const char *query = "Action=GetMetricStatistics&Namespace=AWS/DynamoDB&MetricName=ConsumedWriteCapacityUnits"
                        "&Dimensions.member.1.Name=TableName&Dimensions.member.1.Value=TTT&Period=60"
                        "&StartTime=2100-01-01&EndTime=2100-01-01T00:01Z&ExtendedStatistics.member.1=p99.5";
    ck_assert_ptr_nonnull(strstr(watch_query(&server, query), "<ExtendedStatistics><entry><key>p99.5</key><value>1.0"
                                                              "</value></entry></ExtendedStatistics>"));
    const char *json = watch_json(&server, "GetMetricStatistics",
                                  "{'Namespace':'AWS/DynamoDB','MetricName':'ConsumedWriteCapacityUnits','Dimensions':"
                                  "[{'Name':'TableName','Value':'TTT'}],'StartTime':" YEAR_2100 ",'EndTime':" YEAR_2100
                                  ".5,'Period':60,'ExtendedStatistics':['p50','p90']}");
    ck_assert_ptr_nonnull(strstr(json, "\"ExtendedStatistics\":{\"p50\":1.0,\"p90\":1.0}"));
    ask(&server, "UpdateContributorInsights", "{'TableName':'TTT','ContributorInsightsAction':'ENABLE'}");
    ck_assert_ptr_nonnull(strstr(watch_json(&server, "DescribeInsightRules", "{}"), "\"ManagedRule\":true"));
    ck_assert_ptr_nonnull(
        strstr(watch_query(&server, "Action=DescribeInsightRules"), "<ManagedRule>true</ManagedRule>"));
    ck_assert_ptr_nonnull(strstr(watch_cbor(&server, "DescribeInsightRules", ""), "'ManagedRule' f5"));
}
END_TEST

START_TEST(xml_escapes_what_it_must)
{
    ask(&server, "UpdateContributorInsights", "{'TableName':'TTT','ContributorInsightsAction':'ENABLE'}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'<\\u0001&\\r>\\u00fc'}}}");
    const char *report = watch_query(
        &server, "Action=GetInsightRuleReport&RuleName=DynamoDBContributorInsights-PKC-TTT-4102444800000&Period=60"
                 "&StartTime=2100-01-01T00:00:00Z&EndTime=2100-01-01T00:01:00Z");
    ck_assert_msg(strstr(report, "<Keys><member>&lt;\xEF\xBF\xBD&amp;&#13;&gt;\xC3\xBC</member></Keys>") != NULL, "%s",
                  report);
}
END_TEST

typedef struct claim_row {
    td_cw_request request;
    td_envelope envelope;
    bool is_claimed;
} claim_row;

#define SIGNED(service)                                                                                                \
    .authorization = TD_LIT_INIT("AWS4-HMAC-SHA256 Credential=k/21000101/r/" service "/aws4_request, Signature=x")

static const claim_row claims[] = {
    {{.body = TD_LIT_INIT("{}")}, {.target = TD_LIT_INIT("DynamoDB_20120810.ListTables"), SIGNED("dynamodb")}, false},
    {{.body = TD_LIT_INIT("{}")}, {.target = TD_LIT_INIT("DynamoDBStreams_20120810.ListStreams")}, false},
    {{.body = TD_LIT_INIT("")}, {.target = TD_LIT_INIT("")}, false},
    {{.body = TD_LIT_INIT("{}")}, {.target = TD_LIT_INIT("GraniteServiceVersion20100801.ListMetrics")}, true},
    {{.protocol = TD_LIT_INIT("rpc-v2-cbor")}, {SIGNED("dynamodb")}, true},
    {{.protocol = TD_LIT_INIT("rpc-v3")}, {SIGNED("dynamodb")}, false},
    {{.content_type = TD_LIT_INIT("application/x-www-form-urlencoded"),
      .body = TD_LIT_INIT("Action=ListMetrics&Version=2010-08-01")},
     {SIGNED("x")},
     true},
    {{.content_type = TD_LIT_INIT("text/plain"), .body = TD_LIT_INIT("Version=2010-08-01")}, {SIGNED("x")}, false},
    {{.body = TD_LIT_INIT("x")}, {SIGNED("monitoring")}, true},
};

START_TEST(requests_are_told_apart)
{
    td_cw_request request = claims[_i].request;
    request.envelope = &claims[_i].envelope;
    ck_assert_int_eq(td_cw_claims(&request), claims[_i].is_claimed);
}
END_TEST

TCase *protocols_tests(void)
{
    TCase *tests = tcase_create("protocols");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_query_is_answered_in_xml);
    tcase_add_test(tests, a_target_is_answered_in_json);
    tcase_add_test(tests, rpc_v2_is_answered_in_cbor);
    tcase_add_test(tests, maps_and_booleans_have_each_protocols_form);
    tcase_add_test(tests, xml_escapes_what_it_must);
    tcase_add_loop_test(tests, requests_are_told_apart, 0, (int)TD_COUNT_OF(claims));
    return tests;
}
