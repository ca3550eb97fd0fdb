/* SPDX-License-Identifier: Apache-2.0
 * growth.c: on-demand tables that grow with their traffic: S10, S11, S21, S22 of throttling.md §5.2, at a thousandth of
 * the service's capacity (a partition serves one write a second, a new table four) and at its own durations.
 *
 * Keys are even: one for each of 1,024 equal slices of the key space, taken so that any few in a row are far apart. So
 * what a partition of any size is offered has no noise, and the figures are those of the rules. */
#include "scenario.h"

#include <math.h>
#include <stdio.h>

#define SCALE 0.001
#define SLICES 1024
#define SLICE_BITS 10

static scenario it;
static scenario_flow load;
static char keys[SLICES][16];
static uint64_t next_key; /* over all runs: a ramp is many */

/* The slice whose turn it is: the counter's bits the other way round. */
static uint32_t slice_of(uint64_t number)
{
    uint32_t slice = 0;
    for (int bit = 0; bit < SLICE_BITS; bit++)
        slice = slice << 1 | (uint32_t)(number >> bit & 1);
    return slice;
}

static void find_keys(void)
{
    memset(keys, 0, sizeof keys);
    uint32_t found = 0;
    for (int i = 0; found < SLICES; i++) {
        char key[16];
        snprintf(key, sizeof key, "k-%d", i);
        uint32_t slice = scenario_partition_of(key, SLICES);
        if (keys[slice][0] != '\0') continue;
        memcpy(keys[slice], key, sizeof key);
        found++;
    }
}

static void setup(void)
{
    load = (scenario_flow){0};
    next_key = 0;
    find_keys();
}
static void teardown(void)
{
    scenario_close(&it);
}

static td_status send_even_put(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    (void)flow;
    (void)number;
    return scenario_put(under_load, keys[slice_of(next_key++)], NULL, 0);
}

static void open_on_demand(bool has_heat_split)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_capacity_scale, SCALE);
    settings.values[TD_CAPACITY_heat_split] = has_heat_split;
    scenario_open(&it, &(scenario_setup){.settings = &settings});
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 4);
    load.send = send_even_put;
}

/* In the service's numbers. */
static double accepted_per_s(uint32_t from_second, uint32_t to_second)
{
    return flow_passed(&load, from_second, to_second) / SCALE / (to_second - from_second);
}

static int64_t warm_written(void)
{
    td_call call = scenario_call(&it);
    td_table_info info;
    ck_assert_int_eq(td_table_describe(&call, &info, &it.error), TD_OK);
    return info.spec.warm.rate[TD_WRITE];
}

/* Twice the peak is ready half an hour after the minute that showed it. */
START_TEST(s10_without_heat_splits_a_step_doubles_every_31_minutes)
{
    static const uint32_t doubled_at[] = {1860, 3720, 5580, 7440}; /* 60 + 1,800 after the one before */
    open_on_demand(false);
    load.per_s = 40;
    scenario_run(&it, &load, 1, 0, 9000);
    double plateau = 4000;
    uint32_t from = 0;
    for (size_t i = 0; i < TD_COUNT_OF(doubled_at); i++) {
        CHECK_NEAR(accepted_per_s(from + 60, doubled_at[i]), plateau, plateau * 0.02);
        plateau = fmin(2 * plateau, 40000);
        from = doubled_at[i];
        CHECK_NEAR(accepted_per_s(from + 20, from + 80), plateau, plateau * 0.03);
    }
    CHECK_NEAR(accepted_per_s(7500, 9000), 40000, 400);
    ck_assert_int_eq(warm_written(), 40000); /* twice 32,000 is above the quota */
}
END_TEST

START_TEST(s10_a_step_is_taken_in_four_plateaus_of_ten_minutes)
{
    static const double plateaus[] = {4000, 8000, 16000, 32000};
    open_on_demand(true);
    load.per_s = 40;
    scenario_run(&it, &load, 1, 0, 3000);
    for (uint32_t i = 0; i < 4; i++) {
        double accepted = accepted_per_s(600 * i + 30, 600 * i + 590);
        CHECK_NEAR(accepted, plateaus[i], plateaus[i] * 0.05);
    }
    CHECK_NEAR(flow_throttled(&load, 0, 2400) / (2400 * 40.0), 0.625, 0.02);
    CHECK_NEAR(accepted_per_s(2460, 3000), 40000, 400);
}
END_TEST

/* throttling.md §5.2: of all that is offered by a ramp from 0 to 40,000, so many percent are throttled. */
static const struct {
    uint32_t minutes;
    double with_heat_splits;
    double without;
} ramps[] = {{60, 9.7, 73}, {90, 2.0, 60}, {120, 0.6, 39}, {150, 0.3, 19}};

static double ramp(uint32_t minutes, bool has_heat_split)
{
    open_on_demand(has_heat_split);
    uint32_t seconds = 60 * minutes;
    double due = 0;
    uint64_t sent = 0;
    for (uint32_t second = 0; second < seconds; second++) {
        due += 40.0 * (second + 0.5) / seconds; /* what is due by the end of this second */
        load.per_s = (int64_t)(due - (double)sent);
        if (load.per_s == 0) continue;
        sent += (uint64_t)load.per_s;
        scenario_run(&it, &load, 1, second, second + 1);
    }
    uint32_t throttled = flow_throttled(&load, 0, seconds);
    return 100.0 * throttled / (throttled + flow_passed(&load, 0, seconds));
}

START_TEST(s11_a_ramp_without_heat_splits_outruns_the_doubling)
{
    CHECK_NEAR(ramp(ramps[_i].minutes, false), ramps[_i].without, 3);
}
END_TEST

START_TEST(s11_heat_splits_keep_up_with_a_ramp)
{
    CHECK_NEAR(ramp(ramps[_i].minutes, true), ramps[_i].with_heat_splits, 3);
}
END_TEST

START_TEST(growth_makes_warm_throughput_of_twice_the_peak)
{
    open_on_demand(false);
    load.per_s = 3;
    scenario_run(&it, &load, 1, 0, 300);
    ck_assert_int_eq(warm_written(), 4000);
    scenario_run(&it, &load, 1, 300, 2000);
    ck_assert_int_eq(warm_written(), 6000);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 6);
    load.per_s = 1; /* a lower load takes nothing back */
    scenario_run(&it, &load, 1, 2000, 4500);
    ck_assert_int_eq(warm_written(), 6000);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 6);
}
END_TEST

START_TEST(a_growth_comes_though_the_traffic_has_ended)
{
    open_on_demand(false);
    load.per_s = 4;
    scenario_run(&it, &load, 1, 0, 120);
    scenario_move_to(&it, 1859);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 4);
    scenario_move_to(&it, 1870);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 8);
    ck_assert_int_eq(warm_written(), 8000);
    scenario_move_to(&it, 9000);
    ck_assert_int_eq(td_store_next_due(it.store), TD_NEVER); /* and then the table rests */
}
END_TEST

START_TEST(s21_the_on_demand_maximum_is_a_pool_of_300_seconds)
{
    scenario_open(&it, &(scenario_setup){.max_written = 5});
    load.send = send_even_put;
    load.per_s = 10;
    scenario_run(&it, &load, 1, 0, 500);
    ck_assert_uint_eq(flow_throttled(&load, 0, 300), 0);
    ck_assert_uint_eq(flow_passed(&load, 301, 500), 199 * 5);
    CHECK_LAST_THROTTLE(&load, TD_THROTTLING, "TableWriteMaxOnDemandThroughputExceeded",
                        "Throughput exceeds the maximum OnDemandThroughput configured on table or index");
}
END_TEST

/* 60 partitions of a write a second, a quota of 40. */
START_TEST(s22_the_quota_bounds_a_table_that_was_warmed_beyond_it)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_capacity_scale, SCALE);
    scenario_open(&it, &(scenario_setup){.settings = &settings, .warm_written = 60000});
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 60);
    load.send = send_even_put;
    load.per_s = 50;
    scenario_run(&it, &load, 1, 0, 200);
    ck_assert_uint_eq(flow_passed(&load, 10, 200), 190 * 40);
    CHECK_LAST_THROTTLE(&load, TD_REQUEST_LIMIT_EXCEEDED, "TableWriteAccountLimitExceeded",
                        "Throughput exceeds the current throughput limit for your account.");
}
END_TEST

TCase *growth_scenarios(void)
{
    TCase *tests = tcase_create("growth");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s10_without_heat_splits_a_step_doubles_every_31_minutes);
    tcase_add_test(tests, s10_a_step_is_taken_in_four_plateaus_of_ten_minutes);
    tcase_add_loop_test(tests, s11_a_ramp_without_heat_splits_outruns_the_doubling, 0, (int)TD_COUNT_OF(ramps));
    tcase_add_loop_test(tests, s11_heat_splits_keep_up_with_a_ramp, 0, (int)TD_COUNT_OF(ramps));
    tcase_add_test(tests, growth_makes_warm_throughput_of_twice_the_peak);
    tcase_add_test(tests, a_growth_comes_though_the_traffic_has_ended);
    tcase_add_test(tests, s21_the_on_demand_maximum_is_a_pool_of_300_seconds);
    tcase_add_test(tests, s22_the_quota_bounds_a_table_that_was_warmed_beyond_it);
    return tests;
}
