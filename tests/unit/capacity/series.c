/* SPDX-License-Identifier: Apache-2.0
 * series.c: tests of statistics by the minute: what is kept, how finely, and where a reader finds it. */
#include "thermodyn/series.h"

#include "support/failing_memory.h"

#include "suites.h"

#define START_MINUTE INT64_C(29833200) /* a whole hour */
#define MINUTE TD_SERIES_MINUTE_US

static td_series *series;

static void setup(void)
{
    series = NULL;
}

static void teardown(void)
{
    td_series_free(series);
}

static void add(int64_t minute, int64_t value)
{
    td_samples samples = {0};
    td_samples_add(&samples, value);
    ck_assert(td_series_add(&series, START_MINUTE + minute, &samples));
}

static td_statistic read_one(int64_t now_minute, int64_t from_minute, int64_t minutes)
{
    td_samples point = {0};
    td_series_window window = {.now_us = (START_MINUTE + now_minute) * MINUTE,
                               .from_us = (START_MINUTE + from_minute) * MINUTE,
                               .period_us = minutes * MINUTE,
                               .count = 1};
    td_series_read(series, &window, &point);
    return point.statistic;
}

START_TEST(a_minute_stands_in_its_own_period)
{
    add(0, 1);
    add(1, 2);
    add(1, 3);
    add(3, 4);
    td_samples points[3] = {0};
    td_series_window window = {
        .now_us = (START_MINUTE + 3) * MINUTE, .from_us = (START_MINUTE + 1) * MINUTE, .period_us = MINUTE, .count = 3};
    td_series_read(series, &window, points);
    ck_assert_int_eq(points[0].statistic.sum, 5);
    ck_assert_uint_eq(points[0].statistic.count, 2);
    ck_assert_uint_eq(points[1].statistic.count, 0);
    ck_assert_int_eq(points[2].statistic.sum, 4);
}
END_TEST

START_TEST(a_minute_without_samples_takes_no_memory)
{
    ck_assert(td_series_add(&series, START_MINUTE, &(td_samples){0}));
    ck_assert_ptr_null(series);
}
END_TEST

START_TEST(no_sample_is_lost_or_doubled_at_any_time_within_fifteen_days)
{
    int64_t last = 15 * 24 * 60 - 61;
    for (int64_t minute = 0; minute <= last; minute++) {
        add(minute, 1);
        if (minute % 911 != 0 && minute != last) continue;
        td_statistic all = read_one(minute, 0, last + 60);
        ck_assert_int_eq(all.sum, minute + 1);
        ck_assert_uint_eq(all.count, (uint64_t)minute + 1);
    }
}
END_TEST

START_TEST(minutes_are_told_apart_for_three_hours_and_five_minutes_for_three_days)
{
    for (int64_t minute = 0; minute < 4 * 24 * 60; minute++)
        add(minute, 1);
    int64_t now = 4 * 24 * 60 - 1;
    ck_assert_int_eq(read_one(now, now - 170, 1).sum, 1);
    int64_t fives = now - 4 * 60 + 6; /* whole five minutes */
    ck_assert_int_eq(read_one(now, fives, 1).sum, 5);
    ck_assert_int_eq(read_one(now, fives + 1, 4).sum, 0);
    int64_t hours = 5 * 60;
    ck_assert_int_eq(read_one(now, hours, 1).sum, 60);
    ck_assert_int_eq(read_one(now, hours + 1, 59).sum, 0);
}
END_TEST

START_TEST(little_traffic_is_told_as_coarsely_as_much)
{
    add(7, 1);
    add(8, 2);
    ck_assert_int_eq(read_one(180, 8, 1).sum, 2);
    ck_assert_int_eq(read_one(5 * 60, 5, 1).sum, 3);
    ck_assert_int_eq(read_one(5 * 60, 7, 10).sum, 0);
    ck_assert_int_eq(read_one(4 * 24 * 60, 0, 1).sum, 3);
}
END_TEST

/* A table of the same name: after a while, at once, and after more than the minutes have room for. */
START_TEST(a_later_series_goes_on_where_the_first_ended)
{
    static const int64_t lengths[] = {10, 5 * 60, 4 * 24 * 60, 3};
    int64_t minute = 0;
    for (size_t i = 0; i < TD_COUNT_OF(lengths); i++) {
        td_series *first = series;
        series = NULL;
        for (int64_t end = minute + lengths[i]; minute < end; minute++)
            add(minute, 1);
        td_series *later = series;
        series = first;
        ck_assert(td_series_append(&series, later));
        td_series_free(later);
        ck_assert_int_eq(read_one(minute, 0, minute).sum, minute);
        ck_assert_int_eq(read_one(minute, minute - 3, 1).sum, 1);
    }
    ck_assert_int_eq(read_one(minute, minute / 60 * 60 - 24 * 60, 60).sum, 60);
    ck_assert_int_eq(read_one(minute, 60, 60).sum, 60);
}
END_TEST

START_TEST(what_is_older_than_fifteen_days_is_gone)
{
    add(0, 1);
    int64_t days = 15 * 24 * 60;
    ck_assert_int_eq(read_one(days, 0, days).sum, 1);
    ck_assert_int_eq(read_one(days + 60, 0, days).sum, 0);
}
END_TEST

/* At each of the three resolutions, whatever was alike within a minute. */
START_TEST(spreads_are_kept_as_long_as_their_samples)
{
    for (int64_t minute = 0; minute < 5 * 24 * 60; minute++)
        add(minute, minute % 2 == 0 ? 100 : 1000);
    static const int64_t ages[] = {100, 2 * 24 * 60, 4 * 24 * 60};
    int64_t now = 5 * 24 * 60;
    for (size_t i = 0; i < TD_COUNT_OF(ages); i++) {
        td_samples point = {0};
        td_series_window window = {.now_us = (START_MINUTE + now) * MINUTE,
                                   .from_us = (START_MINUTE + (now - ages[i]) / 60 * 60) * MINUTE,
                                   .period_us = 60 * MINUTE,
                                   .count = 1,
                                   .has_spreads = true};
        td_series_read(series, &window, &point);
        ck_assert_uint_eq(point.spread->count, 2);
        ck_assert_uint_eq(td_spread_bucket_count(&point.spread->buckets[0]), 30);
        ck_assert_int_eq(td_spread_bucket_sum(&point.spread->buckets[1]), 30000);
        td_samples_done(&point);
    }
}
END_TEST

START_TEST(a_clock_that_went_back_adds_to_the_latest_minute)
{
    add(5, 1);
    add(3, 2);
    ck_assert_int_eq(read_one(5, 5, 1).sum, 3);
}
END_TEST

START_TEST(a_minute_without_memory_is_refused_whole)
{
    td_samples samples = {0};
    td_samples_add(&samples, 1);
    bool is_added = false;
    int64_t failed = 0;
    for (int64_t n = 1; !is_added; n++) {
        failing_memory_fail_at((uint64_t)n);
        is_added = td_series_add(&series, START_MINUTE, &samples);
        failing_memory_fail_at(0);
        failed += !is_added;
        if (!is_added && series != NULL) ck_assert_int_eq(read_one(0, 0, 1).sum, 0);
    }
    ck_assert_int_gt(failed, 1);
    ck_assert_int_eq(read_one(0, 0, 1).sum, 1);
}
END_TEST

TCase *series_tests(void)
{
    TCase *tests = tcase_create("series");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_minute_stands_in_its_own_period);
    tcase_add_test(tests, a_minute_without_samples_takes_no_memory);
    tcase_add_test(tests, no_sample_is_lost_or_doubled_at_any_time_within_fifteen_days);
    tcase_add_test(tests, minutes_are_told_apart_for_three_hours_and_five_minutes_for_three_days);
    tcase_add_test(tests, little_traffic_is_told_as_coarsely_as_much);
    tcase_add_test(tests, a_later_series_goes_on_where_the_first_ended);
    tcase_add_test(tests, what_is_older_than_fifteen_days_is_gone);
    tcase_add_test(tests, spreads_are_kept_as_long_as_their_samples);
    tcase_add_test(tests, a_clock_that_went_back_adds_to_the_latest_minute);
    tcase_add_test(tests, a_minute_without_memory_is_refused_whole);
    return tests;
}
