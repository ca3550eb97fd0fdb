/* SPDX-License-Identifier: Apache-2.0
 * insights.c: what Contributor Insights say of a hot key: S27 of throttling.md §5.2. */
#include "scenario.h"

#include "thermodyn/insights.h"
#include "thermodyn/metrics.h"

#define MINUTE_US (60 * TD_US_PER_S)

static scenario it;
static scenario_flow flow;
static td_insights_info info;

static void setup(void)
{
    memset(&flow, 0, sizeof flow);
}
static void teardown(void)
{
    scenario_close(&it);
}

static void enable(void)
{
    td_call call = scenario_call(&it);
    ck_assert_int_eq(
        td_insights_update(&call, td_slice_of(NULL, 0), true, TD_INSIGHTS_ACCESSED_AND_THROTTLED, &info, &it.error),
        TD_OK);
}

static td_insights_report report_of(td_insight_rule rule, uint32_t minutes)
{
    td_call call = scenario_call(&it);
    td_insights_request request = {.created_us = info.created_us,
                                   .rule = rule,
                                   .from_us = it.start_us,
                                   .period_us = MINUTE_US,
                                   .period_count = minutes,
                                   .limit = 10};
    td_insights_report report;
    ck_assert_int_eq(td_insights_report_rule(&call, &request, &report), TD_INSIGHTS_OK);
    return report;
}

static td_statistic metric(td_metric id)
{
    td_metered resource = {.table = TD_LIT(SCENARIO_TABLE)};
    td_series_window window = {.now_us = it.now_us, .from_us = it.start_us, .period_us = MINUTE_US, .count = 1};
    td_samples point = {0};
    ck_assert(td_store_read_metric(it.store, &resource, id, &window, &point));
    return point.statistic;
}

START_TEST(s27_the_hot_key_has_three_times_what_its_partition_gives)
{
    scenario_open(&it, &(scenario_setup){.created_us = 0});
    ck_assert_int_eq(it.start_us % MINUTE_US, 0);
    enable();
    flow = (scenario_flow){.per_s = 1500, .send = send_put, .key = "hot"};
    scenario_run(&it, &flow, 1, 0, 60);

    td_insights_report consumed = report_of(TD_INSIGHT_PKC, 1);
    ck_assert_uint_eq(consumed.contributor_count, 1);
    CHECK_NEAR(consumed.contributors[0].amount, 180000 * TD_UNITS_ONE, 3600 * TD_UNITS_ONE); /* 2 % */
    ck_assert_int_eq(consumed.contributors[0].amount, 3 * flow_passed(&flow, 0, 60) * TD_UNITS_ONE);
    ck_assert(td_slice_equal(consumed.contributors[0].keys[0], TD_LIT("hot")));
    ck_assert(td_slice_equal(consumed.labels[0], TD_LIT("pk")));

    td_insights_report throttled = report_of(TD_INSIGHT_PKT, 1);
    ck_assert_uint_eq(throttled.contributor_count, 1);
    CHECK_NEAR(throttled.contributors[0].amount, 30000 * TD_UNITS_ONE, 1001 * TD_UNITS_ONE); /* a second's */
    ck_assert_int_eq(throttled.contributors[0].amount, flow_throttled(&flow, 0, 60) * TD_UNITS_ONE);

    /* The metrics of the same minute are those figures too. */
    ck_assert_int_eq(3 * metric(TD_METRIC_CONSUMED_WRITE).sum, consumed.total);
    ck_assert_int_eq(metric(TD_METRIC_WRITE_THROTTLES).sum * TD_UNITS_ONE, throttled.total);
}
END_TEST

START_TEST(throttles_of_an_index_are_told_of_neither)
{
    scenario_open(&it, &(scenario_setup){
                           .read = 1000, .written = 1000, .has_index = true, .index_read = 10, .index_written = 10});
    enable();
    flow = (scenario_flow){.per_s = 500, .send = send_unique_put, .key = "order-", .flag = true};
    scenario_run(&it, &flow, 1, 0, 60);
    ck_assert_uint_gt(flow_throttled(&flow, 0, 60), 10000);
    ck_assert_str_eq(flow.resource, SCENARIO_INDEX);
    ck_assert_int_eq(report_of(TD_INSIGHT_PKT, 1).total, 0);
    ck_assert_int_eq(report_of(TD_INSIGHT_PKC, 1).total, 3 * flow_passed(&flow, 0, 60) * TD_UNITS_ONE);
}
END_TEST

TCase *insights_scenarios(void)
{
    TCase *tests = tcase_create("insights");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s27_the_hot_key_has_three_times_what_its_partition_gives);
    tcase_add_test(tests, throttles_of_an_index_are_told_of_neither);
    return tests;
}
