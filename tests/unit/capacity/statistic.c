/* SPDX-License-Identifier: Apache-2.0
 * statistic.c: tests of what is kept of samples: sums, and how they are spread. */
#include "thermodyn/statistic.h"

#include "support/failing_memory.h"

#include "suites.h"

static td_samples samples;

static void setup(void)
{
    samples = (td_samples){0};
}

static void teardown(void)
{
    td_samples_done(&samples);
}

static uint64_t spread_count(const td_samples *of)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < of->spread->count; i++)
        count += td_spread_bucket_count(&of->spread->buckets[i]);
    return count;
}

static int64_t spread_sum(const td_samples *of)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < of->spread->count; i++)
        sum += td_spread_bucket_sum(&of->spread->buckets[i]);
    return sum;
}

START_TEST(a_statistic_has_sum_least_most_and_number)
{
    td_statistic statistic = {0};
    td_statistic more = {0};
    td_statistic_add(&statistic, 5);
    td_statistic_add(&statistic, -2);
    td_statistic_add(&more, 9);
    td_statistic_merge(&statistic, &more);
    td_statistic_merge(&statistic, &(td_statistic){0});
    ck_assert_uint_eq(statistic.count, 3);
    ck_assert_int_eq(statistic.sum, 12);
    ck_assert_int_eq(statistic.min, -2);
    ck_assert_int_eq(statistic.max, 9);
}
END_TEST

START_TEST(samples_that_are_alike_take_no_memory)
{
    for (int i = 0; i < 1000; i++)
        td_samples_add(&samples, 1500);
    td_samples_merge(&samples, &(td_samples){.statistic = {.count = 2, .sum = 3000, .min = 1500, .max = 1500}});
    ck_assert_ptr_null(samples.spread);
    ck_assert(td_samples_is_spread_known(&samples));
}
END_TEST

START_TEST(the_first_that_differs_brings_the_others_with_it)
{
    td_samples_add(&samples, 1500);
    td_samples_add(&samples, 1500);
    td_samples_add(&samples, 500);
    ck_assert_uint_eq(samples.spread->count, 2);
    ck_assert_uint_eq(td_spread_bucket_count(&samples.spread->buckets[0]), 1);
    ck_assert_int_eq(td_spread_bucket_sum(&samples.spread->buckets[0]), 500);
    ck_assert_uint_eq(td_spread_bucket_count(&samples.spread->buckets[1]), 2);
    ck_assert_int_eq(td_spread_bucket_sum(&samples.spread->buckets[1]), 3000);
}
END_TEST

/* From 0 to what no latency reaches: buckets come in order, each value goes into one, an eighth of it wide at most. */
START_TEST(every_value_lies_within_an_eighth_of_its_bucket)
{
    for (int64_t value = 0; value < INT64_C(1) << 40; value += 1 + value / 7) {
        td_samples pair = {0};
        int64_t next = value + 1 + value / 8;
        td_samples_add(&pair, next);
        td_samples_add(&pair, value);
        ck_assert_uint_eq(pair.spread->count, 2);
        ck_assert_int_eq(td_spread_bucket_sum(&pair.spread->buckets[0]), value);
        ck_assert_int_eq(td_spread_bucket_sum(&pair.spread->buckets[1]), next);
        td_samples_done(&pair);
    }
    td_samples_add(&samples, INT64_MAX / 4);
    td_samples_add(&samples, INT64_C(1) << 41);
    ck_assert_uint_eq(samples.spread->count, 1);
}
END_TEST

/* In whatever portions samples come, and whether these are alike in themselves or not. */
START_TEST(merged_samples_are_as_if_added_one_by_one)
{
    static const int64_t portions[][4] = {{7, 7, 7, 7}, {7, 900, 31, 31}, {12, 12, 12, 12}, {5, 6, 90000, 7}};
    td_samples merged = {0};
    for (size_t i = 0; i < TD_COUNT_OF(portions); i++) {
        td_samples portion = {0};
        for (size_t k = 0; k < TD_COUNT_OF(portions[i]); k++) {
            td_samples_add(&samples, portions[i][k]);
            td_samples_add(&portion, portions[i][k]);
        }
        td_samples_merge(&merged, &portion);
        td_samples_done(&portion);
    }
    td_samples_merge(&merged, &(td_samples){0});
    ck_assert_mem_eq(&merged.statistic, &samples.statistic, sizeof samples.statistic);
    ck_assert_uint_eq(merged.spread->count, samples.spread->count);
    for (uint32_t i = 0; i < samples.spread->count; i++) {
        const td_spread_bucket *one = &merged.spread->buckets[i];
        ck_assert_uint_eq(td_spread_bucket_count(one), td_spread_bucket_count(&samples.spread->buckets[i]));
        ck_assert_int_eq(td_spread_bucket_sum(one), td_spread_bucket_sum(&samples.spread->buckets[i]));
    }
    td_samples_done(&merged);
}
END_TEST

START_TEST(cleared_samples_keep_their_buckets_and_nothing_in_them)
{
    td_samples_add(&samples, 3);
    td_samples_add(&samples, 4000);
    td_samples_clear(&samples);
    ck_assert_uint_eq(samples.statistic.count, 0);
    ck_assert_uint_eq(samples.spread->count, 2);
    td_samples_add(&samples, 20);
    td_samples_add(&samples, 4000);
    ck_assert_uint_eq(spread_count(&samples), 2);
    ck_assert_int_eq(spread_sum(&samples), 4020);
    td_samples copy = {0};
    td_samples_merge(&copy, &samples);
    ck_assert_uint_eq(copy.spread->count, 2); /* the empty one is left behind */
    td_samples_done(&copy);
}
END_TEST

START_TEST(without_memory_the_spread_is_unknown_and_stays_so)
{
    for (uint64_t n = 1; n <= 4; n++) {
        td_samples some = {0};
        failing_memory_fail_at(n);
        for (int64_t value = 0; value < 40; value++)
            td_samples_add(&some, value);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        ck_assert(has_failed);
        ck_assert(!td_samples_is_spread_known(&some));
        td_samples_add(&some, 50);
        td_samples_merge(&some, &(td_samples){.statistic = {.count = 1, .sum = 9, .min = 9, .max = 9}});
        ck_assert(!td_samples_is_spread_known(&some));
        ck_assert_uint_eq(some.statistic.count, 42);
        td_samples whole = {0};
        td_samples_add(&whole, 1);
        td_samples_add(&whole, 2);
        td_samples_merge(&whole, &some);
        ck_assert(!td_samples_is_spread_known(&whole));
    }
}
END_TEST

TCase *statistic_tests(void)
{
    TCase *tests = tcase_create("statistic");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_statistic_has_sum_least_most_and_number);
    tcase_add_test(tests, samples_that_are_alike_take_no_memory);
    tcase_add_test(tests, the_first_that_differs_brings_the_others_with_it);
    tcase_add_test(tests, every_value_lies_within_an_eighth_of_its_bucket);
    tcase_add_test(tests, merged_samples_are_as_if_added_one_by_one);
    tcase_add_test(tests, cleared_samples_keep_their_buckets_and_nothing_in_them);
    tcase_add_test(tests, without_memory_the_spread_is_unknown_and_stays_so);
    return tests;
}
