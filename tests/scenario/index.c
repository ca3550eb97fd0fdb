/* SPDX-License-Identifier: Apache-2.0
 * index.c: global indexes push back on the table's writes, and on nothing else: S12, S26 of throttling.md §5.2. */
#include "scenario.h"

static scenario it;
static scenario_flow flows[3];

static void setup(void)
{
    memset(flows, 0, sizeof flows);
}
static void teardown(void)
{
    scenario_close(&it);
}

START_TEST(s12_a_poor_index_throttles_the_writes_of_a_rich_table)
{
    scenario_open(
        &it, &(scenario_setup){.read = 1, .written = 1000, .has_index = true, .index_read = 1, .index_written = 100});
    flows[0] = (scenario_flow){.per_s = 500, .send = send_unique_put, .key = "order-", .flag = true};
    scenario_run(&it, flows, 1, 0, 90);
    ck_assert_uint_eq(flow_throttled(&flows[0], 0, 75), 0);
    CHECK_NEAR((double)(flows[0].first_throttle_us - it.start_us) / 1e6, 75.0, 0.01);
    for (uint32_t second = 76; second < 90; second++) {
        ck_assert_uint_eq(flows[0].passed[second], 100);
        ck_assert_uint_eq(flows[0].throttled[second], 400);
    }
    CHECK_LAST_THROTTLE(&flows[0], TD_PROVISIONED_THROUGHPUT_EXCEEDED, "IndexWriteProvisionedThroughputExceeded",
                        "The level of configured provisioned throughput for one or more global secondary indexes");
    ck_assert_str_eq(flows[0].resource, SCENARIO_INDEX);
}
END_TEST

START_TEST(s12_throttles_are_booked_on_the_index_alone)
{
    scenario_open(
        &it, &(scenario_setup){.read = 1, .written = 1000, .has_index = true, .index_read = 1, .index_written = 100});
    flows[0] = (scenario_flow){.per_s = 500, .send = send_unique_put, .key = "order-", .flag = true};
    scenario_run(&it, flows, 1, 0, 80);
    td_throttle_count *counts;
    uint32_t count;
    ck_assert(td_observe_take_throttles(it.store, &it.arena, &counts, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(td_throttle_reason_name(&counts[0].reason), "IndexWriteProvisionedThroughputExceeded");
    ck_assert(td_slice_equal(counts[0].table, TD_LIT(SCENARIO_TABLE)));
    ck_assert(td_slice_equal(counts[0].reason.index, TD_LIT(SCENARIO_INDEX)));
    ck_assert_uint_eq(counts[0].count, flow_throttled(&flows[0], 0, 80));
    ck_assert(td_observe_take_throttles(it.store, &it.arena, &counts, &count));
    ck_assert_uint_eq(count, 0); /* they were taken */
}
END_TEST

START_TEST(s12_a_refused_write_changes_and_charges_nothing)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_initial_burst_fill, 0);
    scenario_open(&it, &(scenario_setup){.read = 10,
                                         .written = 10,
                                         .has_index = true,
                                         .index_read = 10,
                                         .index_written = 10,
                                         .settings = &settings});
    scenario_move_to(&it, 1);
    ck_assert_int_eq(scenario_put(&it, "seed", "open", 20000), TD_OK); /* 20 W: both pools are in debt, and alike */
    scenario_move_to(&it, 4);
    ck_assert_int_eq(scenario_put(&it, "plain", NULL, 0), TD_OK);
    scenario_move_to(&it, 4.05);
    double table_before = scenario_bucket(&it, false, TD_WRITE).balance;
    double index_before = scenario_bucket(&it, true, TD_WRITE).balance;
    ck_assert_int_eq(scenario_put(&it, "big", "open", 30000), TD_OK); /* the index is open: 30 W from each */
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, table_before - 30);
    ck_assert_double_eq(scenario_bucket(&it, true, TD_WRITE).balance, index_before - 30);

    ck_assert_int_eq(scenario_put(&it, "late", "open", 0), TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, table_before - 30);
    ck_assert_double_eq(scenario_bucket(&it, true, TD_WRITE).balance, index_before - 30);
    td_call call = scenario_call(&it);
    td_table_info info;
    ck_assert_int_eq(td_table_describe(&call, &info, &it.error), TD_OK);
    ck_assert_uint_eq(info.item_count, 3);
}
END_TEST

START_TEST(s26_reads_and_writes_and_indexes_have_buckets_of_their_own)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_burst_window, 1);
    scenario_open(&it, &(scenario_setup){.read = 100,
                                         .written = 100,
                                         .has_index = true,
                                         .index_read = 50,
                                         .index_written = 1000,
                                         .settings = &settings});
    ck_assert_int_eq(scenario_put(&it, "order-0", "open", 0), TD_OK);
    flows[0] = (scenario_flow){.per_s = 200, .send = send_unique_put, .key = "order-", .flag = true};
    flows[1] = (scenario_flow){.per_s = 90, .send = send_get, .key = "order-0", .flag = true};
    flows[2] = (scenario_flow){.per_s = 90, .send = send_index_query, .key = "open"};
    scenario_run(&it, flows, 3, 0, 30);
    for (uint32_t second = 2; second < 30; second++)
        ck_assert_uint_eq(flows[0].throttled[second], 100);
    ck_assert_uint_eq(flow_throttled(&flows[1], 0, 30), 0);
    ck_assert_uint_eq(flow_throttled(&flows[2], 0, 30), 0);
}
END_TEST

TCase *index_scenarios(void)
{
    TCase *tests = tcase_create("index");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s12_a_poor_index_throttles_the_writes_of_a_rich_table);
    tcase_add_test(tests, s12_throttles_are_booked_on_the_index_alone);
    tcase_add_test(tests, s12_a_refused_write_changes_and_charges_nothing);
    tcase_add_test(tests, s26_reads_and_writes_and_indexes_have_buckets_of_their_own);
    return tests;
}
