/* SPDX-License-Identifier: Apache-2.0
 * arrival.c: when operations come. */
#include "sim/arrival.h"

#include <math.h>

#include "suites.h"

/* How many come in [from, to) of a stream. */
static uint64_t count(double from_per_s, double to_per_s, double seconds, bool is_poisson, uint64_t seed,
                      td_time_us from_us, td_time_us to_us)
{
    td_rng rng;
    td_rng_init(&rng, seed);
    td_sim_arrival arrival;
    td_sim__arrival_init(&arrival, from_per_s, to_per_s, seconds, is_poisson, &rng);
    uint64_t found = 0;
    td_time_us last_us = 0;
    for (td_time_us at_us = td_sim__arrival_next_us(&arrival); at_us != TD_NEVER;
         at_us = td_sim__arrival_next_us(&arrival)) {
        ck_assert_int_ge(at_us, last_us);
        last_us = at_us;
        if (at_us >= from_us && at_us < to_us) found++;
        td_sim__arrival_step(&arrival, &rng);
    }
    return found;
}

START_TEST(even_arrivals_are_at_exact_instants)
{
    td_rng rng;
    td_rng_init(&rng, 1);
    td_sim_arrival arrival;
    td_sim__arrival_init(&arrival, 3, 3, 100, false, &rng);
    for (int64_t n = 0; n < 300; n++) {
        ck_assert_int_eq(td_sim__arrival_next_us(&arrival), n * TD_US_PER_S / 3);
        td_sim__arrival_step(&arrival, &rng);
    }
    ck_assert_int_eq(td_sim__arrival_next_us(&arrival), TD_NEVER);
}
END_TEST

START_TEST(each_second_has_its_rate)
{
    for (int second = 0; second < 10; second++) {
        ck_assert_uint_eq(count(12345, 12345, 10, false, 1, second * TD_US_PER_S, (second + 1) * TD_US_PER_S), 12345);
    }
}
END_TEST

START_TEST(a_ramp_has_the_area_below_it)
{
    /* 0 to 100 in 10 s: 500 in all, a quarter of them in the first half; and the same downwards. */
    ck_assert_uint_eq(count(0, 100, 10, false, 1, 0, TD_NEVER), 500);
    ck_assert_uint_eq(count(0, 100, 10, false, 1, 0, 5 * TD_US_PER_S), 125);
    ck_assert_uint_eq(count(100, 0, 10, false, 1, 0, 5 * TD_US_PER_S), 375);
    ck_assert_uint_eq(count(100, 0, 10, false, 1, 0, TD_NEVER), 500);
    ck_assert_double_eq(td_sim__arrival_total(0, 100, 10), 500);
}
END_TEST

START_TEST(no_rate_means_no_arrival)
{
    ck_assert_uint_eq(count(0, 0, 10, false, 1, 0, TD_NEVER), 0);
    ck_assert_uint_eq(count(0, 0, 10, true, 1, 0, TD_NEVER), 0);
}
END_TEST

START_TEST(poisson_arrivals_have_the_mean_and_the_spread)
{
    /* 2,000 seconds of 100 a second: counts have a mean and a variance of 100. */
    td_rng rng;
    td_rng_init(&rng, 7);
    td_sim_arrival arrival;
    td_sim__arrival_init(&arrival, 100, 100, 2000, true, &rng);
    static uint32_t counts[2000];
    memset(counts, 0, sizeof counts);
    for (td_time_us at_us = td_sim__arrival_next_us(&arrival); at_us != TD_NEVER;
         at_us = td_sim__arrival_next_us(&arrival)) {
        counts[at_us / TD_US_PER_S]++;
        td_sim__arrival_step(&arrival, &rng);
    }
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < TD_COUNT_OF(counts); i++) {
        sum += counts[i];
        squares += (double)counts[i] * counts[i];
    }
    double mean = sum / TD_COUNT_OF(counts);
    ck_assert_double_eq_tol(mean, 100, 1);
    ck_assert_double_eq_tol(squares / TD_COUNT_OF(counts) - mean * mean, 100, 12);
}
END_TEST

START_TEST(a_seed_repeats_poisson_arrivals)
{
    uint64_t first = count(50, 150, 60, true, 5, 0, 30 * TD_US_PER_S);
    ck_assert_uint_eq(count(50, 150, 60, true, 5, 0, 30 * TD_US_PER_S), first);
    ck_assert_uint_ne(count(50, 150, 60, true, 6, 0, 30 * TD_US_PER_S), first);
}
END_TEST

TCase *arrival_tests(void)
{
    TCase *tests = tcase_create("arrival");
    tcase_add_test(tests, even_arrivals_are_at_exact_instants);
    tcase_add_test(tests, each_second_has_its_rate);
    tcase_add_test(tests, a_ramp_has_the_area_below_it);
    tcase_add_test(tests, no_rate_means_no_arrival);
    tcase_add_test(tests, poisson_arrivals_have_the_mean_and_the_spread);
    tcase_add_test(tests, a_seed_repeats_poisson_arrivals);
    return tests;
}
