/* SPDX-License-Identifier: Apache-2.0
 * burst.c: the pool of unused throughput: S1, S2, S3, S17, S18, S24 of throttling.md §5.2. */
#include "scenario.h"

#include <stdio.h>

static scenario it;
static scenario_flow load;

static void teardown(void)
{
    scenario_close(&it);
}

static void open_table(int64_t written, const td_capacity_settings *settings)
{
    scenario_open(&it, &(scenario_setup){.read = 100, .written = written, .settings = settings});
}

static void hit_one_key(int64_t per_s, uint32_t from_second, uint32_t to_second)
{
    load.per_s = per_s;
    load.send = send_put;
    load.key = "hot";
    scenario_run(&it, &load, 1, from_second, to_second);
}

static void setup(void)
{
    load = (scenario_flow){0};
}

START_TEST(s1_a_full_pool_lasts_300_seconds_at_twice_the_rate)
{
    open_table(100, NULL);
    hit_one_key(200, 0, 400);
    ck_assert_uint_eq(flow_throttled(&load, 0, 300), 0);
    ck_assert_int_ge(load.first_throttle_us, it.start_us + 300 * TD_US_PER_S);
    ck_assert_int_le(load.first_throttle_us, it.start_us + 300 * TD_US_PER_S + 10 * TD_US_PER_MS);
    for (uint32_t second = 300; second < 400; second++) {
        ck_assert_uint_eq(load.passed[second], 100);
        ck_assert_uint_eq(load.throttled[second], 100);
    }
    CHECK_LAST_THROTTLE(&load, TD_PROVISIONED_THROUGHPUT_EXCEEDED, "TableWriteProvisionedThroughputExceeded",
                        "The level of configured provisioned throughput for the table was exceeded.");
    ck_assert_str_eq(load.resource, "");
}
END_TEST

START_TEST(s2_an_empty_pool_halves_twice_the_rate_from_the_start)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_initial_burst_fill, 0);
    open_table(100, &settings);
    hit_one_key(200, 0, 20);
    ck_assert_int_eq(load.first_throttle_us, it.start_us);
    for (uint32_t second = 0; second < 20; second++)
        ck_assert_uint_eq(load.passed[second], 100);
}
END_TEST

START_TEST(s3_the_partition_cap_bounds_a_burst)
{
    open_table(100, NULL);
    hit_one_key(1500, 0, 33);
    CHECK_NEAR((double)(load.first_throttle_us - it.start_us) / 1e6, 2.0, 0.01);
    ck_assert_uint_eq(flow_passed(&load, 0, 10), 11000);
    ck_assert_uint_eq(flow_throttled(&load, 0, 10), 4000);
    for (uint32_t second = 2; second < 32; second++)
        ck_assert_uint_eq(load.passed[second], 1000);

    hit_one_key(1500, 34, 50);
    for (uint32_t second = 35; second < 50; second++)
        ck_assert_uint_eq(load.passed[second], 100);
    CHECK_LAST_THROTTLE(&load, TD_PROVISIONED_THROUGHPUT_EXCEEDED, "TableWriteProvisionedThroughputExceeded",
                        "The level of configured provisioned throughput for the table was exceeded.");
}
END_TEST

START_TEST(s3_the_cap_is_the_reason_while_the_pool_lasts)
{
    open_table(100, NULL);
    hit_one_key(1500, 0, 10);
    CHECK_LAST_THROTTLE(&load, TD_PROVISIONED_THROUGHPUT_EXCEEDED, "TableWriteKeyRangeThroughputExceeded",
                        "The level of configured provisioned throughput for the table was exceeded.");
    td_table_view view = scenario_observe(&it);
    ck_assert_uint_eq(view.partition_count, 1);
    ck_assert_uint_eq(view.partitions[0].cap[TD_WRITE].throttled, 4000);
    ck_assert_double_eq(view.partitions[0].consumed_minute[TD_WRITE], 11000);
}
END_TEST

/* A scan page of 1 MB, from the start. */
static td_status send_scan_page(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    (void)flow;
    (void)number;
    td_call call = scenario_call(under_load);
    td_page_request request = {0};
    td_page page;
    td_status status = td_read_page(&call, &request, &page, &under_load->error);
    if (status == TD_OK) {
        ck_assert_int_eq(page.consumed.table, 128 * TD_UNITS_ONE);
        ck_assert_ptr_nonnull(page.last);
    }
    return status;
}

START_TEST(s17_scan_pages_of_128_units_drain_a_small_table)
{
    open_table(100, NULL);
    for (int i = 0; i < 300; i++) {
        char key[16];
        snprintf(key, sizeof key, "%03d", i);
        if (i % 200 == 0) scenario_move_to(&it, i / 200 * 10.0);
        ck_assert_int_eq(scenario_put(&it, key, NULL, 4088), TD_OK); /* 4 KB: 256 are a page */
    }
    load.per_s = 10;
    load.send = send_scan_page;
    scenario_run(&it, &load, 1, 20, 140);
    CHECK_NEAR((double)(load.first_throttle_us - it.start_us) / 1e6, 20 + 25.5, 0.5);
    CHECK_NEAR(flow_passed(&load, 50, 140), 90 * 0.78, 2);
    ck_assert_double_ge(scenario_bucket(&it, false, TD_READ).balance, -128);
}
END_TEST

START_TEST(s18_a_large_write_is_let_in_and_waited_out)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_burst_window, 10);
    open_table(5, &settings);
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, 50);
    ck_assert_int_eq(scenario_put(&it, "big", NULL, 102000), TD_OK); /* 100 W */
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, -50);
    for (int tenth = 0; tenth <= 100; tenth++) {
        scenario_move_to(&it, tenth / 10.0);
        ck_assert_int_eq(scenario_put(&it, "small", NULL, 0), TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    }
    scenario_move_to(&it, 10.000001);
    ck_assert_int_eq(scenario_put(&it, "small", NULL, 0), TD_OK);
}
END_TEST

START_TEST(s24_a_raise_takes_effect_in_two_seconds_and_widens_the_pool)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_initial_burst_fill, 0);
    scenario_open(&it, &(scenario_setup){.read = 100, .written = 100, .settings = &settings, .has_table_delays = true});
    hit_one_key(200, 0, 20);
    scenario_move_to(&it, 20);
    ck_assert_int_eq(scenario_update_throughput(&it, 100, 400), TD_OK);
    hit_one_key(200, 20, 22);
    CHECK_NEAR(flow_throttled(&load, 20, 22), 200, 2); /* the old rate serves until then */
    hit_one_key(200, 22, 622);
    ck_assert_uint_le(flow_throttled(&load, 22, 622), 1); /* at the very instant of the change */
    td_bucket_view pool = scenario_bucket(&it, false, TD_WRITE);
    ck_assert_double_eq(pool.rate, 400);
    ck_assert_double_eq(pool.ceiling, 120000);
    CHECK_NEAR(pool.balance, 120000, 400); /* 200 a second for 600 seconds */
}
END_TEST

TCase *burst_scenarios(void)
{
    TCase *tests = tcase_create("burst");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s1_a_full_pool_lasts_300_seconds_at_twice_the_rate);
    tcase_add_test(tests, s2_an_empty_pool_halves_twice_the_rate_from_the_start);
    tcase_add_test(tests, s3_the_partition_cap_bounds_a_burst);
    tcase_add_test(tests, s3_the_cap_is_the_reason_while_the_pool_lasts);
    tcase_add_test(tests, s17_scan_pages_of_128_units_drain_a_small_table);
    tcase_add_test(tests, s18_a_large_write_is_let_in_and_waited_out);
    tcase_add_test(tests, s24_a_raise_takes_effect_in_two_seconds_and_widens_the_pool);
    return tests;
}
