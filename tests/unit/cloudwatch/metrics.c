/* SPDX-License-Identifier: Apache-2.0
 * metrics.c: tests of which metrics there are, with which dimensions, and what they say. */
#include <stdio.h>

#include "cloudwatch/metric.h"
#include "suites.h"
#include "watch.h"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
    server.service.metrics = td_metrics_new(1);
    ck_assert_ptr_nonnull(server.service.metrics);
    server.recorder = td_metrics_get_recorder(server.service.metrics, 0);
}
static void teardown(void)
{
    td_metrics_free(server.service.metrics);
    ask_teardown(&server);
}

/* Sum of the day of 2100-01-01 with the dimensions "Name=Value,…"; "-": no datapoint. */
static const char *sum_of(const char *name, const char *dimensions)
{
    static char text[64];
    char body[2048];
    int len = snprintf(body, sizeof body,
                       "{'Namespace':'AWS/DynamoDB','MetricName':'%s','StartTime':4102444800,'EndTime':4102531200,"
                       "'Period':86400,'Statistics':['Sum'],'Dimensions':[",
                       name);
    for (const char *at = dimensions; *at != '\0';) {
        size_t name_len = strcspn(at, "=");
        size_t value_len = strcspn(at + name_len + 1, ",");
        len += snprintf(body + len, sizeof body - (size_t)len, "%s{'Name':'%.*s','Value':'%.*s'}",
                        at == dimensions ? "" : ",", (int)name_len, at, (int)value_len, at + name_len + 1);
        at += name_len + 1 + value_len;
        at += *at == ',';
    }
    (void)snprintf(body + len, sizeof body - (size_t)len, "]}");
    const char *answer = watch_json(&server, "GetMetricStatistics", body);
    ck_assert_msg(server.http_status == 200, "%s", answer);
    const char *sum = strstr(answer, "\"Sum\":");
    if (sum == NULL) return "-";
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(sum + 6, ","), sum + 6);
    return text;
}

START_TEST(a_metric_has_exactly_its_dimensions)
{
    ask_create_indexed_table(&server);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'b'},'g':{'S':'c'},'l':{'N':'1'}}}");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT"), "2.0"); /* with the local index */
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT,GlobalSecondaryIndexName=global"), "1.0");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT,Source=Customer"), "2.0");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT,Source=GlobalTable"), "-");
    ck_assert_str_eq(sum_of("ConsumedReadCapacityUnits", "TableName=TTT"), "0.0"); /* idle */
    ck_assert_str_eq(sum_of("ConsumedReadCapacityUnits", "TableName=TTT,GlobalSecondaryIndexName=local"), "-");
    ck_assert_str_eq(sum_of("ConsumedReadCapacityUnits", "TableName=TTT,Source=Customer"), "-");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", ""), "-");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT,Operation=PutItem"), "-");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT,TableName=TTT"), "-");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=Other"), "-");
    ck_assert_str_eq(sum_of("WriteThrottleEvents", "TableName=TTT"), "-");
}
END_TEST

START_TEST(requests_are_told_by_operation)
{
    ask_create_table(&server, NULL);
    ask(&server, "PutItem",
        "{'TableName':'TTT','Item':{'pk':{'S':'a'}},'ConditionExpression':'pk = :p',"
        "'ExpressionAttributeValues':{':p':{'S':'x'}}}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{}}");
    ask(&server, "ExecuteStatement", "{'Statement':'SELECT * FROM TTT'}");
    ask(&server, "ExecuteStatement", "{'Statement':'INSERT INTO TTT VALUE {\\u0027pk\\u0027:\\u0027b\\u0027}'}");
    ck_assert_str_eq(sum_of("ConditionalCheckFailedRequests", "TableName=TTT"), "1.0");
    ck_assert_str_eq(sum_of("UserErrors", ""), "1.0");
    ck_assert_str_eq(sum_of("ReturnedItemCount", "TableName=TTT,Operation=ExecuteStatement,Verb=PartiQLSelect"), "0.0");
    ck_assert_str_eq(sum_of("ReturnedItemCount", "TableName=TTT,Operation=ExecuteStatement"), "0.0");
    ck_assert_str_eq(sum_of("ReturnedItemCount", "TableName=TTT,Operation=ExecuteStatement,Verb=PartiQLInsert"), "-");
    ck_assert_str_eq(sum_of("ReturnedItemCount", "TableName=TTT,Operation=Nothing"), "-");
    ck_assert_str_ne(sum_of("SuccessfulRequestLatency", "TableName=TTT,Operation=ExecuteStatement,Verb=PartiQLInsert"),
                     "-");
    ck_assert_str_eq(sum_of("SuccessfulRequestLatency", "TableName=TTT"), "-");
}
END_TEST

START_TEST(gauges_have_a_sample_in_five_minutes)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],'KeySchema':"
        "[{'AttributeName':'pk','KeyType':'HASH'}],'ProvisionedThroughput':{'ReadCapacityUnits':3,'WriteCapacityUnits':"
        "4}}");
    ck_assert_str_eq(sum_of("ProvisionedReadCapacityUnits", "TableName=TTT"), "3.0");
    td_clock *clock = server.service.clock;
    ck_assert(td_clock_move_to(clock, td_clock_now(clock) + 600 * TD_US_PER_S));
    ck_assert_str_eq(sum_of("ProvisionedWriteCapacityUnits", "TableName=TTT"), "12.0"); /* 0, 5 and 10 minutes */
    ck_assert_str_eq(sum_of("OnDemandMaxReadRequestUnits", "TableName=TTT"), "-");
    ck_assert_str_eq(sum_of("AccountMaxTableLevelReads", "TableName=TTT"), "-");
    ck_assert_str_ne(sum_of("AccountMaxTableLevelReads", ""), "-");
    ck_assert_str_eq(sum_of("OnlineIndexPercentageProgress", "TableName=TTT"), "-");
}
END_TEST

static void pass_five_minutes(void)
{
    td_clock *clock = server.service.clock;
    ck_assert(td_clock_move_to(clock, td_clock_now(clock) + 300 * TD_US_PER_S));
}

START_TEST(gauges_are_told_as_they_were)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],'KeySchema':"
        "[{'AttributeName':'pk','KeyType':'HASH'}],'ProvisionedThroughput':{'ReadCapacityUnits':300,"
        "'WriteCapacityUnits':4}}");
    pass_five_minutes();
    ask(&server, "UpdateTable",
        "{'TableName':'TTT','ProvisionedThroughput':{'ReadCapacityUnits':1200,'WriteCapacityUnits':4}}");
    pass_five_minutes();
    ask(&server, "UpdateTable",
        "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST','OnDemandThroughput':{'MaxReadRequestUnits':50}}");
    pass_five_minutes();
    ask(&server, "DeleteTable", "{'TableName':'TTT'}");
    pass_five_minutes();
    ck_assert_str_eq(sum_of("ProvisionedReadCapacityUnits", "TableName=TTT"), "1500.0");
    ck_assert_str_eq(sum_of("OnDemandMaxReadRequestUnits", "TableName=TTT"), "50.0");
    ck_assert_str_eq(sum_of("OnDemandMaxWriteRequestUnits", "TableName=TTT"), "-");
    ck_assert_str_eq(sum_of("AccountMaxReads", ""), "400000.0"); /* five times 80,000 */
    /* 300 of 80,000, and 1,200 */
    ck_assert_str_eq(sum_of("AccountProvisionedReadCapacityUtilization", ""), "1.875");
    ck_assert_str_eq(sum_of("MaxProvisionedTableReadCapacityUtilization", ""), "3.75"); /* of 40,000 */
    const char *list = watch_json(&server, "ListMetrics", "{'MetricName':'ProvisionedReadCapacityUnits'}");
    ck_assert_msg(strstr(list, "TTT") != NULL, "%s", list); /* it is gone, its metrics are not */
}
END_TEST

START_TEST(a_list_of_metrics_comes_in_pages)
{
    for (int i = 0; i < 300; i++) { /* two gauges each */
        char body[512];
        (void)snprintf(body, sizeof body,
                       "{'TableName':'T%03d','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
                       "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],'ProvisionedThroughput':"
                       "{'ReadCapacityUnits':3,'WriteCapacityUnits':4}}",
                       i);
        ask(&server, "CreateTable", body);
    }
    const char *first = watch_query(&server, "Action=ListMetrics&Dimensions.member.1.Name=TableName");
    ck_assert_ptr_nonnull(strstr(first, "<NextToken>NTAw</NextToken>"));
    ck_assert_ptr_nonnull(strstr(first, "<Value>T249</Value>"));
    ck_assert_ptr_null(strstr(first, "<Value>T250</Value>"));
    const char *second = watch_query(&server, "Action=ListMetrics&Dimensions.member.1.Name=TableName&NextToken=NTAw");
    ck_assert_ptr_null(strstr(second, "NextToken"));
    ck_assert_ptr_nonnull(strstr(second, "<Value>T250</Value>"));
    ck_assert_ptr_nonnull(strstr(second, "<Value>T299</Value>"));
}
END_TEST

START_TEST(callers_that_are_kept_apart_have_metrics_of_their_own)
{
    server.config.isolate = true;
    ask_create_table(&server, NULL);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT"), "1.0");
    server.access_key = "other";
    ask_create_table(&server, NULL);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
    ck_assert_str_eq(sum_of("ConsumedWriteCapacityUnits", "TableName=TTT"), "1.0");
}
END_TEST

TCase *metrics_tests(void)
{
    TCase *tests = tcase_create("metrics");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_metric_has_exactly_its_dimensions);
    tcase_add_test(tests, requests_are_told_by_operation);
    tcase_add_test(tests, gauges_have_a_sample_in_five_minutes);
    tcase_add_test(tests, gauges_are_told_as_they_were);
    tcase_add_test(tests, a_list_of_metrics_comes_in_pages);
    tcase_add_test(tests, callers_that_are_kept_apart_have_metrics_of_their_own);
    return tests;
}
