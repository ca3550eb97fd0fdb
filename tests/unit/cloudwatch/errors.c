/* SPDX-License-Identifier: Apache-2.0
 * errors.c: tests of what is refused: in each protocol's shape, with its code, its text and its status. */
#include <stdio.h>

#include "suites.h"
#include "watch.h"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
}
static void teardown(void)
{
    ask_teardown(&server);
}

START_TEST(an_error_has_each_protocols_shape)
{
    CHECK_TEXT(watch_query(&server, "Action=GetInsightRuleReport&RuleName=x%26&StartTime=2100-01-01&EndTime=2100-01-02"
                                    "&Period=60"),
               "<ErrorResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\"><Error><Type>Sender</Type>"
               "<Code>ResourceNotFoundException</Code><Message>Insight rule x&amp; does not exist.</Message></Error>"
               "<RequestId>ID</RequestId></ErrorResponse>");
    ck_assert_int_eq(watch_reply.http_status, 404);
    ck_assert_ptr_null(watch_reply.query_error);
    CHECK_TEXT(watch_json(&server, "ListMetrics", "{'NextToken':'x'}"),
               "{\"__type\":\"com.amazonaws.cloudwatch.v2010_08_01#InvalidNextToken\",\"message\":"
               "\"The token 'x' is invalid.\"}");
    ck_assert_int_eq(watch_reply.http_status, 400);
    ck_assert_str_eq(watch_reply.query_error, "InvalidNextToken;Sender");
    CHECK_TEXT(watch_cbor(&server, "GetInsightRuleReport", "a0"),
               "bf 66 '__type' 78 'com.amazonaws.cloudwatch.v2010_08_01#MissingRequiredParameterException' "
               "67 'message' 78 'The parameter RuleName is required.' ff");
    ck_assert_str_eq(watch_reply.query_error, "MissingParameter;Sender");
}
END_TEST

typedef struct refusal {
    const char *operation;
    const char *body; /* JSON */
    const char *code;
    const char *text;
} refusal;

#define TIMES "'StartTime':1000000,'EndTime':1000060,'Period':60"
#define STATISTICS "'Namespace':'AWS/DynamoDB','MetricName':'X'," TIMES
#define STAT "'Metric':{'MetricName':'X'},'Period':60,'Stat':'Sum'"
#define QUERIES(queries) "{'StartTime':0,'EndTime':600,'MetricDataQueries':[" queries "]}"

static const refusal refusals[] = {
    {"PutMetricData", "{}", "InvalidAction", "Could not find operation PutMetricData for version 2010-08-01"},
    {"ListMetrics", "[]", "MalformedInput", "The body is not a structure."},
    {"ListMetrics", "{", "MalformedInput", "Unexpected end of JSON"},
    {"ListMetrics", "{'Namespace':1}", "MalformedInput", "The parameter Namespace is not of the type string."},
    {"ListMetrics", "{'Namespace':''}", "InvalidParameterValue",
     "The parameter Namespace must be longer than or equal to 1 characters."},
    {"ListMetrics", "{'RecentlyActive':'PT4H'}", "InvalidParameterValue",
     "The parameter RecentlyActive must be a value in the set [ PT3H ]."},
    {"ListMetrics", "{'Dimensions':[{'Value':'x'}]}", "MissingParameter",
     "The parameter Dimensions.member.1.Name is required."},
    {"ListMetrics", "{'IncludeLinkedAccounts':'yes'}", "MalformedInput",
     "The parameter IncludeLinkedAccounts is not of the type boolean."},
    {"GetMetricStatistics", "{'Namespace':'x'}", "MissingParameter", "The parameter MetricName is required."},
    {"GetMetricStatistics", "{" STATISTICS "}", "InvalidParameterCombination",
     "At least one of the parameters Statistics and ExtendedStatistics must be specified."},
    {"GetMetricStatistics", "{" STATISTICS ",'Statistics':['Sum'],'ExtendedStatistics':['p5']}",
     "InvalidParameterCombination",
     "The parameters Statistics and ExtendedStatistics are mutually exclusive and you have specified both."},
    {"GetMetricStatistics", "{" STATISTICS ",'Statistics':['Sum','Mean']}", "InvalidParameterValue",
     "The parameter Statistics.member.2 must be a value in the set [ Minimum, Maximum, Average, SampleCount, Sum ]."},
    {"GetMetricStatistics", "{" STATISTICS ",'Statistics':[]}", "InvalidParameterValue",
     "The collection Statistics must have a size greater than or equal to 1."},
    {"GetMetricStatistics", "{" STATISTICS ",'ExtendedStatistics':['p101']}", "InvalidParameterValue",
     "The value p101 for parameter ExtendedStatistics.member.1 is not a valid extended statistic."},
    {"GetMetricStatistics",
     "{'Namespace':'x','MetricName':'x','StartTime':5,'EndTime':5,'Period':60,'Statistics':['Sum']}",
     "InvalidParameterValue", "The parameter StartTime must be less than the parameter EndTime."},
    {"GetMetricStatistics",
     "{'Namespace':'x','MetricName':'x','StartTime':'soon','EndTime':5,'Period':60,'Statistics':['Sum']}",
     "MalformedInput", "The parameter StartTime is not of the type timestamp."},
    {"GetMetricStatistics",
     "{'Namespace':'x','MetricName':'x','StartTime':0,'EndTime':5,'Period':0.5,'Statistics':['Sum']}", "MalformedInput",
     "The parameter Period is not of the type integer."},
    {"GetMetricStatistics",
     "{'Namespace':'x','MetricName':'x','StartTime':0,'EndTime':5,'Period':0,'Statistics':['Sum']}",
     "InvalidParameterValue", "The parameter Period must be greater than or equal to 1."},
    {"GetMetricStatistics",
     "{'Namespace':'x','MetricName':'x','StartTime':0,'EndTime':86460,'Period':60,'Statistics':['Sum']}",
     "InvalidParameterCombination",
     "You have requested up to 1,441 datapoints, which exceeds the limit of 1,440. You may reduce the datapoints "
     "requested "
     "by increasing Period, or decreasing the time range."},
    {"GetMetricData", QUERIES("{'Id':'A'}"), "ValidationError",
     "The value A for parameter MetricDataQueries.member.1.Id is not matching the expected pattern "
     "^[a-z][a-zA-Z0-9_]*$."},
    {"GetMetricData", QUERIES("{'Id':'a'}"), "ValidationError",
     "The parameter MetricDataQueries.member.1 must have exactly one of MetricStat and Expression."},
    {"GetMetricData", QUERIES("{'Id':'a','Expression':'1','MetricStat':{" STAT "}}"), "ValidationError",
     "The parameter MetricDataQueries.member.1 must have exactly one of MetricStat and Expression."},
    {"GetMetricData", QUERIES("{'Id':'a','MetricStat':{" STAT "}},{'Id':'a','MetricStat':{" STAT "}}"),
     "ValidationError", "The values for parameter Id in MetricDataQueries are not unique."},
    {"GetMetricData", QUERIES("{'Id':'a','MetricStat':{'Metric':{},'Period':60,'Stat':'Most'}}"), "ValidationError",
     "The value Most for parameter MetricDataQueries.member.1.MetricStat.Stat is not a valid statistic."},
    {"GetMetricData", "{'StartTime':0,'EndTime':6048060,'MetricDataQueries':[{'Id':'a','MetricStat':{" STAT "}}]}",
     "ValidationError",
     "You have requested up to 100,801 datapoints, which exceeds the limit of 100,800. You may reduce the datapoints "
     "requested by increasing Period, or decreasing the time range."},
    {"GetMetricData", "{'StartTime':1,'EndTime':1,'MetricDataQueries':[]}", "ValidationError",
     "The parameter StartTime must be less than the parameter EndTime."},
    {"GetInsightRuleReport", "{'RuleName':'x','StartTime':1,'EndTime':2,'Period':30}", "InvalidParameterValue",
     "The parameter Period must be a multiple of 60."},
    {"GetInsightRuleReport", "{'RuleName':'x'," TIMES ",'MaxContributorCount':26}", "InvalidParameterValue",
     "The parameter MaxContributorCount must be less than or equal to 25."},
    {"GetInsightRuleReport", "{'RuleName':'x'," TIMES ",'OrderBy':'Name'}", "InvalidParameterValue",
     "The parameter OrderBy must be a value in the set [ Sum, Maximum ]."},
    {"GetInsightRuleReport", "{'RuleName':'x'," TIMES ",'Metrics':['Sum','Most']}", "InvalidParameterValue",
     "The parameter Metrics.member.2 must be a value in the set [ UniqueContributors, MaxContributorValue, "
     "SampleCount, "
     "Sum, Minimum, Maximum, Average ]."},
    {"DescribeInsightRules", "{'MaxResults':501}", "InvalidParameterValue",
     "The parameter MaxResults must be less than or equal to 500."},
};

START_TEST(wrong_inputs_are_refused)
{
    const refusal *row = &refusals[_i];
    char expected[1024];
    const char *answer = watch_json(&server, row->operation, row->body);
    (void)snprintf(expected, sizeof expected, "\"message\":\"%s\"}", row->text);
    const char *message = strstr(answer, "\"message\"");
    bool is_json = strcmp(row->text, "Unexpected end of JSON") == 0; /* the reader's own words */
    ck_assert_msg(message != NULL && (is_json || strcmp(message, expected) == 0), "%s", answer);
    (void)snprintf(expected, sizeof expected, "%s;Sender", row->code);
    ck_assert_str_eq(watch_reply.query_error, expected);
}
END_TEST

START_TEST(malformed_bodies_are_refused)
{
    ck_assert_ptr_nonnull(strstr(watch_query(&server, "Action=ListMetrics&Namespace=%zz"), "MalformedInput"));
    ck_assert_ptr_nonnull(
        strstr(watch_query(&server, "Action=ListMetrics&Dimensions.member.x.Name=a"), "MalformedInput"));
    ck_assert_ptr_nonnull(strstr(watch_cbor(&server, "ListMetrics", "bf"), "is not CBOR"));
    ck_assert_ptr_nonnull(strstr(watch_query(&server, ""), "InvalidAction"));
}
END_TEST

START_TEST(a_request_without_a_signature_is_refused)
{
    td_envelope envelope = {.target = TD_LIT("GraniteServiceVersion20100801.ListMetrics")};
    const char *answer = watch(&server, (td_cw_request){.path = TD_LIT("/"), .body = TD_LIT("{}")}, envelope);
    ck_assert_ptr_nonnull(strstr(answer, "Request is missing Authentication Token"));
    ck_assert_str_eq(watch_reply.query_error, "MissingAuthenticationToken;Sender");
    ck_assert_int_eq(watch_reply.http_status, 403);
}
END_TEST

TCase *errors_tests(void)
{
    TCase *tests = tcase_create("errors");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_error_has_each_protocols_shape);
    tcase_add_loop_test(tests, wrong_inputs_are_refused, 0, (int)TD_COUNT_OF(refusals));
    tcase_add_test(tests, malformed_bodies_are_refused);
    tcase_add_test(tests, a_request_without_a_signature_is_refused);
    return tests;
}
