/* SPDX-License-Identifier: Apache-2.0
 * demand.c: tests of windows of offered units and of when they make a partition hot. */
#include "capacity/samples.h"

#include "suites.h"

#define HOT (100 * TD_UNITS_ONE) /* of a window */

static td_demand it;
static td_rng rng;
static const td_demand_rule rule = {.hot = {HOT, HOT}, .windows = 30};

static void setup(void)
{
    it = (td_demand){0};
    td_rng_init(&rng, 1);
}

static void teardown(void)
{
    td_demand_done(&it);
}

static void add(td_direction direction, td_units units)
{
    td_demand_add(
        &it, &(td_demand_access){
                 .key = TD_LIT("0123456789abcdef-key"), .collection_len = 20, .direction = direction, .units = units});
}

static void run_windows(uint32_t count, td_units units)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < 10 && units > 0; part++)
            add(TD_WRITE, units / 10);
        td_demand_advance(&it, &rule, &rng);
    }
}

static bool is_hot(void)
{
    return td_demand_is_hot(&it, TD_WRITE, &rule);
}

START_TEST(a_steady_load_at_the_threshold_is_hot_after_all_windows)
{
    run_windows(29, HOT);
    ck_assert(!is_hot());
    run_windows(1, HOT);
    ck_assert(is_hot());
    ck_assert(!td_demand_is_hot(&it, TD_READ, &rule));
}
END_TEST

START_TEST(a_tenfold_load_is_not_hot_any_sooner)
{
    run_windows(29, 10 * HOT);
    ck_assert(!is_hot());
    run_windows(1, 10 * HOT);
    ck_assert(is_hot());
}
END_TEST

START_TEST(a_load_below_the_threshold_is_never_hot)
{
    run_windows(200, HOT - 10);
    ck_assert(!is_hot());
}
END_TEST

START_TEST(the_window_that_is_being_filled_does_not_count)
{
    run_windows(29, HOT);
    add(TD_WRITE, 10 * HOT);
    ck_assert(!is_hot());
}
END_TEST

START_TEST(a_load_in_gusts_is_hot_by_its_average)
{
    for (int i = 0; i < 15; i++) {
        run_windows(1, 3 * HOT);
        run_windows(1, 0);
    }
    ck_assert(is_hot());
}
END_TEST

START_TEST(a_load_that_paused_for_a_fifth_of_the_time_is_not_hot)
{
    run_windows(12, HOT);
    run_windows(6, 0);
    run_windows(12, 3 * HOT);
    ck_assert(!is_hot());
}
END_TEST

START_TEST(what_cooled_down_is_not_hot_any_more)
{
    run_windows(30, HOT);
    run_windows(6, 0);
    ck_assert(!is_hot());
}
END_TEST

START_TEST(one_window_is_enough_for_a_rule_that_asks_for_one)
{
    td_demand_rule one = {.hot = {HOT, HOT}, .windows = 1};
    add(TD_WRITE, HOT);
    td_demand_advance(&it, &one, &rng);
    ck_assert(td_demand_is_hot(&it, TD_WRITE, &one));
}
END_TEST

START_TEST(a_rule_over_the_whole_ring_looks_back_that_far)
{
    td_demand_rule all = {.hot = {HOT, HOT}, .windows = TD_DEMAND_WINDOWS};
    for (int i = 0; i < TD_DEMAND_WINDOWS; i++) {
        ck_assert(!td_demand_is_hot(&it, TD_WRITE, &all));
        add(TD_WRITE, HOT);
        td_demand_advance(&it, &all, &rng);
    }
    ck_assert(td_demand_is_hot(&it, TD_WRITE, &all));
}
END_TEST

START_TEST(nothing_is_hot_by_a_rule_without_a_threshold)
{
    td_demand_rule none = {.windows = 30};
    for (int i = 0; i < 60; i++) {
        add(TD_WRITE, 10 * HOT);
        td_demand_advance(&it, &none, &rng);
    }
    ck_assert(!td_demand_is_hot(&it, TD_WRITE, &none));
    ck_assert_ptr_null(it.samples[TD_WRITE]);
}
END_TEST

START_TEST(it_is_idle_after_all_windows_without_an_access)
{
    run_windows(1, HOT / 100);
    run_windows(29, 0);
    ck_assert(!td_demand_is_idle(&it, &rule));
    run_windows(1, 0);
    ck_assert(td_demand_is_idle(&it, &rule));
    run_windows(1, HOT / 100);
    ck_assert(!td_demand_is_idle(&it, &rule));
}
END_TEST

START_TEST(only_what_was_hot_in_its_last_window_is_sampled)
{
    run_windows(5, HOT / 2);
    ck_assert_ptr_null(it.samples[TD_WRITE]);
    run_windows(1, HOT);
    ck_assert_ptr_nonnull(it.samples[TD_WRITE]);
    ck_assert_ptr_null(it.samples[TD_READ]);
    ck_assert(!td_demand_is_sampled(&it, TD_WRITE));
}
END_TEST

START_TEST(samples_go_when_every_window_is_cool)
{
    run_windows(3, HOT);
    run_windows(29, HOT / 2);
    ck_assert_ptr_nonnull(it.samples[TD_WRITE]);
    run_windows(1, HOT / 2);
    ck_assert_ptr_null(it.samples[TD_WRITE]);
}
END_TEST

/* The first window is not sampled: it is what the stride comes from. */
START_TEST(the_ring_of_samples_reaches_back_over_the_rule)
{
    run_windows(30, HOT);
    ck_assert_uint_le(it.samples[TD_WRITE]->count, TD_DEMAND_SAMPLES);
    ck_assert_uint_ge(it.samples[TD_WRITE]->count, TD_DEMAND_SAMPLES * 85 / 100);
    ck_assert(td_demand_is_sampled(&it, TD_WRITE));
}
END_TEST

START_TEST(a_large_access_is_sampled_by_its_units)
{
    run_windows(1, HOT);
    td_units stride = it.samples[TD_WRITE]->stride;
    add(TD_WRITE, 20 * stride);
    ck_assert_uint_ge(it.samples[TD_WRITE]->count, 15);
    ck_assert_uint_le(it.samples[TD_WRITE]->count, 25);
    add(TD_WRITE, 100000 * stride);
    ck_assert_uint_eq(it.samples[TD_WRITE]->count, TD_DEMAND_SAMPLES);
    ck_assert_int_gt(it.samples[TD_WRITE]->until_next, 0);
}
END_TEST

START_TEST(an_access_without_a_key_counts_but_is_not_sampled)
{
    run_windows(1, HOT);
    td_demand_add(&it, &(td_demand_access){.direction = TD_WRITE, .units = 10 * HOT});
    ck_assert_int_eq(it.offered[TD_WRITE][it.present], 10 * HOT);
    ck_assert_uint_eq(it.samples[TD_WRITE]->count, 0);
}
END_TEST

TCase *demand_tests(void)
{
    TCase *tests = tcase_create("demand");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_steady_load_at_the_threshold_is_hot_after_all_windows);
    tcase_add_test(tests, a_tenfold_load_is_not_hot_any_sooner);
    tcase_add_test(tests, a_load_below_the_threshold_is_never_hot);
    tcase_add_test(tests, the_window_that_is_being_filled_does_not_count);
    tcase_add_test(tests, a_load_in_gusts_is_hot_by_its_average);
    tcase_add_test(tests, a_load_that_paused_for_a_fifth_of_the_time_is_not_hot);
    tcase_add_test(tests, what_cooled_down_is_not_hot_any_more);
    tcase_add_test(tests, one_window_is_enough_for_a_rule_that_asks_for_one);
    tcase_add_test(tests, a_rule_over_the_whole_ring_looks_back_that_far);
    tcase_add_test(tests, nothing_is_hot_by_a_rule_without_a_threshold);
    tcase_add_test(tests, it_is_idle_after_all_windows_without_an_access);
    tcase_add_test(tests, only_what_was_hot_in_its_last_window_is_sampled);
    tcase_add_test(tests, samples_go_when_every_window_is_cool);
    tcase_add_test(tests, the_ring_of_samples_reaches_back_over_the_rule);
    tcase_add_test(tests, a_large_access_is_sampled_by_its_units);
    tcase_add_test(tests, an_access_without_a_key_counts_but_is_not_sampled);
    return tests;
}
