/* SPDX-License-Identifier: Apache-2.0
 * memory.c: tests of requests that find no memory: each allocation fails once, in each protocol, and is told as a fault
 * of the service. */
#include "suites.h"
#include "support/failing_memory.h"
#include "watch.h"

#define FAILURES_MAX 500

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
    ask_create_table(&server, NULL);
    ask(&server, "UpdateContributorInsights", "{'TableName':'TTT','ContributorInsightsAction':'ENABLE'}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'}}}");
}
static void teardown(void)
{
    ask_teardown(&server);
}

#define WINDOW "StartTime=2100-01-01T00:00:00Z&EndTime=2100-01-01T00:01:00Z"

static const char *const forms[] = {
    "Action=ListMetrics&Dimensions.member.1.Name=%54ableName",
    "Action=GetMetricStatistics&Namespace=AWS%2FDynamoDB&MetricName=ConsumedWriteCapacityUnits&Statistics.member.1=Sum"
    "&Dimensions.member.1.Name=TableName&Dimensions.member.1.Value=TTT&Period=60&" WINDOW,
    "Action=GetMetricData&MetricDataQueries.member.1.Id=m&MetricDataQueries.member.1.MetricStat.Stat=Sum"
    "&MetricDataQueries.member.1.MetricStat.Period=60&MetricDataQueries.member.1.MetricStat.Metric.MetricName=x"
    "&MetricDataQueries.member.2.Id=e&MetricDataQueries.member.2.Expression=SUM(METRICS())%2BFILL(m,1)&" WINDOW,
    "Action=GetInsightRuleReport&RuleName=DynamoDBContributorInsights-PKC-TTT-4102444800000&Period=60"
    "&Metrics.member.1=Sum&" WINDOW,
    "Action=DescribeInsightRules",
};

/* Every request starts without memory that an earlier one left behind. */
START_TEST(a_failed_allocation_is_a_fault_of_the_service)
{
    for (uint64_t nth = 1;; nth++) {
        ck_assert_uint_lt(nth, FAILURES_MAX);
        td_arena_done(&server.arena);
        td_arena_init(&server.arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
        td_buf_done(&server.reply);
        td_buf_init(&server.reply, TD_LIMIT_REPLY_BYTES_MAX);
        failing_memory_fail_at(nth);
        const char *answer = watch_query(&server, forms[_i]);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        ck_assert_msg(server.http_status == (has_failed ? 500 : 200), "%d: %s", (int)nth, answer);
        if (!has_failed) break;
    }
}
END_TEST

TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_failed_allocation_is_a_fault_of_the_service, 0, (int)TD_COUNT_OF(forms));
    return tests;
}
