/* SPDX-License-Identifier: Apache-2.0
 * limits.c: the on-demand maximum, the account's quota, the budget of decreases, and the switches of enforcement:
 * S21, S22, S25 of throttling.md §5.2. */
#include "scenario.h"

#define PROBE_US INT64_C(1791505294000000) /* Friday, October 9, 2026 at 12:21:34 AM UTC */

static scenario it;
static scenario_flow load;

static void setup(void)
{
    load = (scenario_flow){0};
}
static void teardown(void)
{
    scenario_close(&it);
}

static void offer(int64_t per_s, uint32_t to_second)
{
    load.per_s = per_s;
    load.send = send_unique_put;
    load.key = "user-";
    scenario_run(&it, &load, 1, 0, to_second);
}

START_TEST(s21_the_on_demand_maximum_has_a_pool_of_300_seconds)
{
    scenario_open(&it, &(scenario_setup){.max_written = 50});
    offer(100, 320);
    ck_assert_uint_eq(flow_throttled(&load, 0, 300), 0);
    for (uint32_t second = 301; second < 320; second++)
        ck_assert_uint_eq(load.passed[second], 50);
    CHECK_LAST_THROTTLE(&load, TD_THROTTLING, "TableWriteMaxOnDemandThroughputExceeded",
                        "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
}
END_TEST

/* In small: a quota of 400 in the place of 40,000. */
START_TEST(s22_the_account_quota_bounds_an_on_demand_table)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_table_write_quota, 400);
    scenario_open(&it, &(scenario_setup){.settings = &settings});
    offer(500, 12);
    for (uint32_t second = 5; second < 12; second++)
        ck_assert_uint_eq(load.passed[second], 400);
    CHECK_LAST_THROTTLE(&load, TD_REQUEST_LIMIT_EXCEEDED, "TableWriteAccountLimitExceeded",
                        "Throughput exceeds the current throughput limit for your account.");
}
END_TEST

static td_status decrease_at(double second, int64_t written)
{
    scenario_move_to(&it, second);
    return scenario_update_throughput(&it, 100, written);
}

START_TEST(s25_decreases_have_a_daily_budget_and_an_hourly_refill)
{
    scenario_open(&it, &(scenario_setup){.read = 100, .written = 100, .created_us = PROBE_US});
    for (int64_t i = 1; i <= 4; i++)
        ck_assert_int_eq(decrease_at(0, 100 - i), TD_OK);
    ck_assert_int_eq(decrease_at(0, 50), TD_LIMIT_EXCEEDED);
    static const char text[] =
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After the "
        "first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every 3600 "
        "seconds. Number of decreases today: 4. Last decrease at Friday, October 9, 2026 at 12:21:34 AM Coordinated "
        "Universal Time. Next decrease can be made at Friday, October 9, 2026 at 1:21:34 AM Coordinated Universal "
        "Time";
    ck_assert_msg(td_slice_equal(it.error.text, td_slice_of_cstr(text)), "%.*s", (int)it.error.text.len,
                  (const char *)it.error.text.ptr);
    ck_assert_int_eq(decrease_at(3599, 50), TD_LIMIT_EXCEEDED);
    ck_assert_int_eq(decrease_at(3600, 50), TD_OK);
    ck_assert_int_eq(decrease_at(3601, 49), TD_LIMIT_EXCEEDED);
    ck_assert_int_eq(decrease_at(3602, 60), TD_OK); /* an increase is not counted */
}
END_TEST

START_TEST(s25_the_budget_starts_anew_at_midnight_utc)
{
    scenario_open(&it, &(scenario_setup){.read = 100, .written = 100, .created_us = PROBE_US});
    for (int64_t i = 1; i <= 4; i++)
        ck_assert_int_eq(decrease_at(0, 100 - i), TD_OK);
    double midnight = 86400 - (21 * 60 + 34);
    for (int64_t i = 1; i <= 4; i++)
        ck_assert_int_eq(decrease_at(midnight, 90 - i), TD_OK);
    ck_assert_int_eq(decrease_at(midnight, 10), TD_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(enforcement_off_refuses_nothing_but_still_meters)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    settings.enforce = TD_ENFORCE_OFF;
    scenario_open(&it, &(scenario_setup){.read = 1, .written = 1, .settings = &settings});
    offer(1000, 3);
    ck_assert_uint_eq(flow_passed(&load, 0, 3), 3000);
    td_table_view view = scenario_observe(&it);
    ck_assert_double_eq(view.partitions[0].consumed_minute[TD_WRITE], 3000);
    ck_assert_uint_eq(view.resources[0].bucket[TD_WRITE].throttled, 0);
}
END_TEST

START_TEST(observation_counts_what_it_lets_pass)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_burst_window, 1);
    settings.enforce = TD_ENFORCE_OBSERVE;
    scenario_open(&it, &(scenario_setup){.read = 1, .written = 10, .settings = &settings});
    offer(100, 10);
    ck_assert_uint_eq(flow_passed(&load, 0, 10), 1000);
    ck_assert_uint_gt(scenario_bucket(&it, false, TD_WRITE).throttled, 900); /* debt is never paid back */
}
END_TEST

START_TEST(a_capacity_reset_is_the_first_day_again)
{
    scenario_open(&it, &(scenario_setup){.read = 1, .written = 1});
    offer(10, 40);
    ck_assert_uint_gt(flow_throttled(&load, 0, 40), 0);
    td_call call = scenario_call(&it);
    ck_assert(td_capacity_reset(&call));
    td_bucket_view pool = scenario_bucket(&it, false, TD_WRITE);
    ck_assert_double_eq(pool.balance, 300);
    ck_assert_uint_eq(pool.throttled, 0);
}
END_TEST

START_TEST(the_laptop_preset_shows_a_hot_key_at_a_tenth_and_a_burst_in_five_seconds)
{
    td_capacity_settings settings;
    ck_assert(td_capacity_settings_preset(&settings, TD_LIT("laptop")));
    scenario_open(&it, &(scenario_setup){.read = 10, .written = 50, .settings = &settings});
    load = (scenario_flow){.per_s = 100, .send = send_put, .key = "hot"};
    scenario_run(&it, &load, 1, 0, 20);
    ck_assert_int_ge(load.first_throttle_us, it.start_us + 5 * TD_US_PER_S);
    ck_assert_uint_eq(flow_passed(&load, 6, 20), 14 * 50);
    scenario_close(&it);

    scenario_open(&it, &(scenario_setup){.settings = &settings});
    load = (scenario_flow){.per_s = 300, .send = send_put, .key = "hot"};
    scenario_run(&it, &load, 1, 0, 20);
    ck_assert_uint_eq(flow_passed(&load, 2, 20), 18 * 100);
}
END_TEST

START_TEST(a_changed_cap_holds_at_once_and_partitions_only_grow)
{
    scenario_open(&it, &(scenario_setup){.read = 100, .written = 1000});
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 2);
    td_capacity_patch patch = {.has_value[TD_CAPACITY_partition_write_cap] = true};
    patch.settings.values[TD_CAPACITY_partition_write_cap] = 10;
    ck_assert(td_store_patch_capacity(it.store, it.now_us, TD_LIT(""), TD_LIT(SCENARIO_TABLE), &patch));
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 128); /* 101 are needed: doubled from 2 */
    load = (scenario_flow){.per_s = 100, .send = send_put, .key = "hot"};
    scenario_run(&it, &load, 1, 0, 10);
    ck_assert_uint_eq(flow_passed(&load, 2, 10), 8 * 10);

    patch.settings.values[TD_CAPACITY_partition_write_cap] = 1000;
    ck_assert(td_store_patch_capacity(it.store, it.now_us, TD_LIT(""), TD_LIT(SCENARIO_TABLE), &patch));
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 128);
}
END_TEST

TCase *limit_scenarios(void)
{
    TCase *tests = tcase_create("limits");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s21_the_on_demand_maximum_has_a_pool_of_300_seconds);
    tcase_add_test(tests, s22_the_account_quota_bounds_an_on_demand_table);
    tcase_add_test(tests, s25_decreases_have_a_daily_budget_and_an_hourly_refill);
    tcase_add_test(tests, s25_the_budget_starts_anew_at_midnight_utc);
    tcase_add_test(tests, enforcement_off_refuses_nothing_but_still_meters);
    tcase_add_test(tests, observation_counts_what_it_lets_pass);
    tcase_add_test(tests, the_laptop_preset_shows_a_hot_key_at_a_tenth_and_a_burst_in_five_seconds);
    tcase_add_test(tests, a_changed_cap_holds_at_once_and_partitions_only_grow);
    tcase_add_test(tests, a_capacity_reset_is_the_first_day_again);
    return tests;
}
