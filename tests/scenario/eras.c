/* SPDX-License-Identifier: Apache-2.0
 * eras.c: how partitions share provisioned throughput, S4a, S4b and S4c of throttling.md §5.2: 40 write units and four
 * partitions that are offered 5, 5, 5 and 15 a second: a tenth of the scenario's numbers, and all of its instants. */
#include "scenario.h"

#include <stdio.h>

#define PARTITIONS 4

static scenario it;
static scenario_flow flows[PARTITIONS];
static char keys[PARTITIONS][32];

static void setup(void)
{
    memset(flows, 0, sizeof flows);
}
static void teardown(void)
{
    scenario_close(&it);
}

static void find_key(uint32_t partition, char ret_key[32])
{
    int i = 0;
    do {
        snprintf(ret_key, 32, "key-%d", i++);
    } while (scenario_partition_of(ret_key, PARTITIONS) != partition);
}

/* Four partitions: as an on-demand table has them. */
static void open_table(td_era era)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    settings.era = era;
    scenario_open(&it, &(scenario_setup){.settings = &settings});
    td_call call = scenario_call(&it);
    td_table_change change = {.has_billing = true,
                              .billing = TD_BILLING_PROVISIONED,
                              .has_throughput = true,
                              .throughput.rate = {[TD_READ] = 40, [TD_WRITE] = 40}};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&call, &change, &info, &it.error), TD_OK);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, PARTITIONS);
    for (uint32_t i = 0; i < PARTITIONS; i++) {
        find_key(i, keys[i]);
        flows[i] = (scenario_flow){.per_s = i == 3 ? 15 : 5, .send = send_put, .key = keys[i]};
    }
}

static uint32_t throttled_by_others(uint32_t to_second)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; i++)
        sum += flow_throttled(&flows[i], 0, to_second);
    return sum;
}

START_TEST(s4a_the_pool_of_era_instant_serves_a_hot_partition_for_ever)
{
    open_table(TD_ERA_INSTANT);
    scenario_run(&it, flows, PARTITIONS, 0, 1800);
    ck_assert_uint_eq(throttled_by_others(1800) + flow_throttled(&flows[3], 0, 1800), 0);
}
END_TEST

/* A share of 10 has a burst of 3,000: 5 a second beyond it take 600 seconds to drain it. */
START_TEST(s4b_a_share_of_era_static_lasts_as_long_as_its_own_burst)
{
    open_table(TD_ERA_STATIC);
    scenario_run(&it, flows, PARTITIONS, 0, 1500);
    ck_assert_int_ge(flows[3].first_throttle_us, it.start_us + 600 * TD_US_PER_S);
    ck_assert_int_le(flows[3].first_throttle_us, it.start_us + 600 * TD_US_PER_S + 200 * TD_US_PER_MS);
    for (uint32_t second = 601; second < 1500; second++) {
        ck_assert_uint_eq(flows[3].passed[second], 10);
        ck_assert_uint_eq(flows[3].throttled[second], 5); /* a third, while the table has a quarter to spare */
    }
    ck_assert_uint_eq(throttled_by_others(1500), 0);
    CHECK_LAST_THROTTLE(&flows[3], TD_PROVISIONED_THROUGHPUT_EXCEEDED, "TableWriteProvisionedThroughputExceeded",
                        "The level of configured provisioned throughput for the table was exceeded.");
}
END_TEST

/* At 1,200 the boost makes 10 into 12.5, at the next tick into 15. */
START_TEST(s4c_era_adaptive_lifts_the_share_after_ten_minutes_of_throttles)
{
    open_table(TD_ERA_ADAPTIVE);
    scenario_run(&it, flows, PARTITIONS, 0, 1800);
    ck_assert_int_ge(flows[3].first_throttle_us, it.start_us + 600 * TD_US_PER_S);
    ck_assert_uint_eq(flow_throttled(&flows[3], 601, 1200), 599 * 5);
    CHECK_NEAR(flow_throttled(&flows[3], 1200, 1210), 25, 1);
    ck_assert_uint_eq(flow_throttled(&flows[3], 1211, 1800), 0);
    ck_assert_uint_eq(throttled_by_others(1800), 0);
}
END_TEST

/* The same table from one era to the next while it is under load. */
START_TEST(a_change_of_the_era_takes_what_was_saved_up_along)
{
    open_table(TD_ERA_STATIC);
    scenario_run(&it, flows, PARTITIONS, 0, 700);
    ck_assert_uint_gt(flow_throttled(&flows[3], 600, 700), 0);
    td_capacity_patch patch = {.has_era = true, .settings.era = TD_ERA_INSTANT};
    ck_assert(td_store_patch_capacity(it.store, it.now_us, TD_LIT(""), TD_LIT(SCENARIO_TABLE), &patch));
    CHECK_NEAR(scenario_bucket(&it, false, TD_WRITE).balance, 9000, 2); /* three full shares, one empty */
    scenario_run(&it, flows, PARTITIONS, 700, 900);
    ck_assert_uint_eq(flow_throttled(&flows[3], 701, 900), 0);
}
END_TEST

TCase *era_scenarios(void)
{
    TCase *tests = tcase_create("eras");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s4a_the_pool_of_era_instant_serves_a_hot_partition_for_ever);
    tcase_add_test(tests, s4b_a_share_of_era_static_lasts_as_long_as_its_own_burst);
    tcase_add_test(tests, s4c_era_adaptive_lifts_the_share_after_ten_minutes_of_throttles);
    tcase_add_test(tests, a_change_of_the_era_takes_what_was_saved_up_along);
    return tests;
}
