/* SPDX-License-Identifier: Apache-2.0
 * share.c: tests of the eras: shares of provisioned throughput, what splits and changes of the era make of their
 * balances, and boosts. */
#include "share.h"

#include "boost.h"
#include "catalog.h"
#include "suites.h"
#include "world.h"

static td_world world;
static td_resource *base;

static void set_era(td_era era)
{
    td_capacity_patch patch = {.has_era = true, .settings.era = era};
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, td_slice_of(NULL, 0), &patch));
}

static void set_value(td_capacity_setting setting, double value)
{
    td_capacity_patch patch = {0};
    patch.has_value[setting] = true;
    patch.settings.values[setting] = value;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, td_slice_of(NULL, 0), &patch));
}

/* A provisioned table with four partitions of 100 write units each, by the cap of 100. */
static void open_world(td_era era)
{
    world_init(&world);
    set_era(era);
    set_value(TD_CAPACITY_partition_write_cap, 105);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 400));
    td_table *table = td_catalog__find(world.store, world.call.scope, TD_LIT("T"));
    ck_assert_ptr_nonnull(table);
    base = table->resources[0];
    td_table__unref(table); /* the catalogue has one */
    ck_assert_uint_eq(base->partition_count, 4);
}

static void teardown(void)
{
    world_done(&world);
}

static double balance_of(uint32_t partition)
{
    return td_bucket_get_view(&base->partitions[partition]->share[TD_WRITE].bucket, world.call.now_us).balance;
}

static double rate_of(uint32_t partition)
{
    return td_bucket_get_view(&base->partitions[partition]->share[TD_WRITE].bucket, world.call.now_us).rate;
}

static td_bucket_view whole(void)
{
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    return view.resources[0].bucket[TD_WRITE];
}

static void take(uint32_t partition, td_units units)
{
    td_bucket_take(&base->partitions[partition]->share[TD_WRITE].bucket, units * TD_UNITS_ONE);
}

START_TEST(throughput_is_divided_evenly_with_a_burst_each)
{
    open_world(TD_ERA_STATIC);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_double_eq(rate_of(i), 100);
        ck_assert_double_eq(balance_of(i), 30000);
    }
    td_bucket_view view = whole();
    ck_assert_double_eq(view.rate, 400);
    ck_assert_double_eq(view.balance, 120000);
    ck_assert_double_eq(view.ceiling, 120000);
}
END_TEST

START_TEST(a_write_is_charged_to_its_partitions_share_alone)
{
    open_world(TD_ERA_STATIC);
    put(&world, S("pk", "a"));
    uint32_t at = 0;
    while (at < 4 && balance_of(at) == 30000)
        at++;
    ck_assert_uint_lt(at, 4);
    ck_assert_double_eq(balance_of(at), 29999);
    ck_assert_double_eq(whole().balance, 119999);
    td_bucket_set_balance(&base->partitions[at]->share[TD_WRITE].bucket, world.call.now_us, 0);
    REFUSED(&world, try_put(&world, S("pk", "a")), TD_PROVISIONED_THROUGHPUT_EXCEEDED,
            "The level of configured provisioned throughput for the table was exceeded. Consider increasing your "
            "provisioning level with the UpdateTable API.");
    ck_assert_str_eq(td_throttle_reason_name(&world.fixture.error.throttle->reasons[0]),
                     "TableWriteProvisionedThroughputExceeded");
    ck_assert_uint_eq(whole().throttled, 1);
}
END_TEST

START_TEST(a_change_of_the_era_keeps_what_there_is)
{
    open_world(TD_ERA_INSTANT);
    ck_assert(td_bucket_is_unlimited(&base->partitions[0]->share[TD_WRITE].bucket));
    td_bucket_take(&base->provisioned[TD_WRITE], 20000 * TD_UNITS_ONE);
    set_era(TD_ERA_STATIC);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_double_eq(balance_of(i), 25000);
    take(0, 26000);
    set_era(TD_ERA_ADAPTIVE);
    ck_assert_double_eq(balance_of(0), -1000);
    ck_assert_double_eq(whole().balance, 74000);
    set_era(TD_ERA_INSTANT);
    ck_assert(td_bucket_is_unlimited(&base->partitions[0]->share[TD_WRITE].bucket));
    ck_assert_double_eq(whole().balance, 74000);
    ck_assert_double_eq(whole().rate, 400);
}
END_TEST

START_TEST(a_split_makes_all_shares_smaller_and_divides_the_parents_balance)
{
    open_world(TD_ERA_STATIC);
    take(0, 30000 - 11);
    set_value(TD_CAPACITY_partition_write_cap, 52);
    ck_assert_uint_eq(base->partition_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        ck_assert_double_eq(rate_of(i), 50);
        ck_assert_double_eq(balance_of(i), i < 2 ? 5.5 : 15000);
    }
    ck_assert_double_eq(whole().rate, 400);
}
END_TEST

START_TEST(a_raise_of_throughput_raises_the_shares)
{
    open_world(TD_ERA_STATIC);
    take(0, 30000);
    td_table_change change = {.has_throughput = true, .throughput = UNITS(1, 410)};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    ck_assert_uint_eq(base->partition_count, 4);
    ck_assert_double_eq(rate_of(3), 102.5);
    ck_assert_double_eq(balance_of(0), 0);
    ck_assert_double_eq(balance_of(3), 30000); /* the room is new, what was saved up is not */
}
END_TEST

START_TEST(on_demand_knows_no_shares)
{
    open_world(TD_ERA_STATIC);
    td_table_change change = {.has_billing = true, .billing = TD_BILLING_ON_DEMAND};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    ck_assert(!base->has_shares);
    put(&world, S("pk", "a"));
    change = (td_table_change){
        .has_billing = true, .billing = TD_BILLING_PROVISIONED, .has_throughput = true, .throughput = UNITS(1, 80)};
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    ck_assert(base->has_shares);
    ck_assert_double_eq(whole().rate, 80);
    ck_assert_double_eq(whole().balance, 80 * 300);
}
END_TEST

START_TEST(a_capacity_reset_is_the_first_day_of_shares_too)
{
    open_world(TD_ERA_ADAPTIVE);
    take(2, 40000);
    base->partitions[2]->share[TD_WRITE].boost = 0.5;
    ck_assert(td_capacity_reset(&world.call));
    ck_assert_double_eq(balance_of(2), 30000);
    ck_assert_double_eq(rate_of(2), 100);
}
END_TEST

/* ---- boosts ------------------------------------------------------------------------------------------------------ */

#define WINDOW_US (10 * TD_US_PER_S)

/* In a window one partition is offered so much, of which it throttles what it has no share for; the others consume. */
static void pass_window(uint32_t offered, uint32_t consumed, uint32_t others)
{
    td_table *table = td_catalog__find(world.store, world.call.scope, TD_LIT("T"));
    td_table__lock(table);
    td_rng rng;
    td_rng_init(&rng, 1);
    td_demand_rule rule = {.windows = 1};
    for (uint32_t i = 0; i < 4; i++) {
        td_partition *partition = base->partitions[i];
        uint32_t used = i == 0 ? consumed : others;
        for (int second = 0; second < 10; second++) {
            td_time_us at_us = world.call.now_us + second * TD_US_PER_S;
            td_usage_add(&partition->usage[TD_WRITE], at_us, used * TD_UNITS_ONE);
        }
        td_demand_access access = {.direction = TD_WRITE, .units = 10 * (i == 0 ? offered : others) * TD_UNITS_ONE};
        td_demand_add(&partition->demand, &access);
        td_demand_advance(&partition->demand, &rule, &rng);
    }
    if (offered > consumed) base->partitions[0]->share[TD_WRITE].bucket.throttled += 10 * (offered - consumed);
    world.call.now_us += WINDOW_US;
    td_boost__tick_locked(table, WINDOW_US, world.call.now_us);
    td_table__unlock(table);
    td_table__unref(table);
}

static void pass_delay(void)
{
    for (int i = 0; i < 60; i++) {
        ck_assert_double_eq(rate_of(0), 100);
        pass_window(150, 100, 50);
    }
}

/* Boosts need room below the partition's cap. */
static void open_boosted(td_era era)
{
    open_world(era);
    set_value(TD_CAPACITY_partition_write_cap, 1000);
}

START_TEST(a_boost_comes_after_the_delay_and_ends_the_throttles)
{
    open_boosted(TD_ERA_ADAPTIVE);
    pass_delay();
    ck_assert_double_eq_tol(rate_of(0), 125, 0.01); /* half of the half that is missing */
    pass_window(150, 125, 50);
    ck_assert_double_eq_tol(rate_of(0), 150, 0.01);
    pass_window(150, 150, 50);
    ck_assert_double_eq_tol(rate_of(0), 150, 0.01);
    ck_assert_double_eq(rate_of(1), 100);
    pass_window(190, 150, 50); /* no delay again */
    ck_assert_double_gt(rate_of(0), 150);
}
END_TEST

START_TEST(era_static_never_boosts)
{
    open_boosted(TD_ERA_STATIC);
    pass_delay();
    ck_assert_double_eq(rate_of(0), 100);
}
END_TEST

START_TEST(a_pause_without_throttles_starts_the_delay_anew)
{
    open_boosted(TD_ERA_ADAPTIVE);
    for (int i = 0; i < 59; i++)
        pass_window(150, 100, 50);
    pass_window(100, 100, 50);
    pass_delay();
    ck_assert_double_gt(rate_of(0), 100);
}
END_TEST

START_TEST(boosts_take_no_more_than_the_table_leaves)
{
    open_boosted(TD_ERA_ADAPTIVE);
    for (int i = 0; i < 61; i++)
        pass_window(1000, 100, 90); /* 370 of 400 are used */
    ck_assert_double_eq_tol(rate_of(0), 130, 0.01);
}
END_TEST

START_TEST(a_boost_ends_at_the_partitions_cap)
{
    open_boosted(TD_ERA_ADAPTIVE);
    set_value(TD_CAPACITY_partition_write_cap, 110);
    for (int i = 0; i < 65; i++)
        pass_window(1000, 100, 10);
    ck_assert_double_eq_tol(rate_of(0), 110, 0.01);
}
END_TEST

START_TEST(boosts_decay_while_the_table_uses_more_than_it_has)
{
    open_boosted(TD_ERA_ADAPTIVE);
    pass_delay();
    pass_window(150, 125, 50);
    ck_assert_double_eq_tol(rate_of(0), 150, 0.01);
    for (int i = 0; i < 6; i++)
        pass_window(150, 150, 100); /* 450 of 400, from bursts */
    ck_assert_double_eq_tol(rate_of(0), 145, 0.01);
    set_era(TD_ERA_STATIC);
    ck_assert_double_eq(rate_of(0), 100);
}
END_TEST

TCase *share_tests(void)
{
    TCase *tests = tcase_create("share");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, throughput_is_divided_evenly_with_a_burst_each);
    tcase_add_test(tests, a_write_is_charged_to_its_partitions_share_alone);
    tcase_add_test(tests, a_change_of_the_era_keeps_what_there_is);
    tcase_add_test(tests, a_split_makes_all_shares_smaller_and_divides_the_parents_balance);
    tcase_add_test(tests, a_raise_of_throughput_raises_the_shares);
    tcase_add_test(tests, on_demand_knows_no_shares);
    tcase_add_test(tests, a_capacity_reset_is_the_first_day_of_shares_too);
    tcase_add_test(tests, a_boost_comes_after_the_delay_and_ends_the_throttles);
    tcase_add_test(tests, era_static_never_boosts);
    tcase_add_test(tests, a_pause_without_throttles_starts_the_delay_anew);
    tcase_add_test(tests, boosts_take_no_more_than_the_table_leaves);
    tcase_add_test(tests, a_boost_ends_at_the_partitions_cap);
    tcase_add_test(tests, boosts_decay_while_the_table_uses_more_than_it_has);
    return tests;
}
