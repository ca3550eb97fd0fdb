/* SPDX-License-Identifier: Apache-2.0
 * meter.c: tests of consumed units, usage windows and tallies. */
#include "capacity/meter.h"

#include "suites.h"

#define START_US INT64_C(1790000000000000) /* a whole second */

static td_time_us at_ms(int64_t ms)
{
    return START_US + ms * TD_US_PER_MS;
}

START_TEST(consumed_units_of_an_index_add_up_in_one_entry)
{
    td_consumed consumed;
    td_consumed_init(&consumed);
    td_consumed_add_index(&consumed, TD_LIT("by-date"), true, 1000);
    td_consumed_add_index(&consumed, TD_LIT("by-name"), false, 2000);
    td_consumed_add_index(&consumed, TD_LIT("by-date"), true, 500);
    ck_assert_uint_eq(consumed.index_count, 2);
    ck_assert_int_eq(consumed.indexes[0].units, 1500);
    ck_assert(consumed.indexes[0].is_global);
    ck_assert(!consumed.indexes[1].is_global);
    ck_assert_int_eq(td_consumed_total(&consumed), 3500);
}
END_TEST

START_TEST(an_index_without_units_has_no_entry)
{
    td_consumed consumed;
    td_consumed_init(&consumed);
    td_consumed_add_index(&consumed, TD_LIT("by-date"), true, 0);
    ck_assert_uint_eq(consumed.index_count, 0);
}
END_TEST

START_TEST(the_last_whole_second_does_not_move_until_the_next_begins)
{
    td_usage usage = {0};
    td_usage_add(&usage, at_ms(0), 1000);
    td_usage_add(&usage, at_ms(999), 2000);
    td_usage_add(&usage, at_ms(1000), 4000);
    ck_assert_int_eq(td_usage_last_second(&usage, at_ms(999)), 0);
    ck_assert_int_eq(td_usage_last_second(&usage, at_ms(1000)), 3000);
    ck_assert_int_eq(td_usage_last_second(&usage, at_ms(1999)), 3000);
    ck_assert_int_eq(td_usage_last_second(&usage, at_ms(2000)), 4000);
    ck_assert_int_eq(td_usage_last_second(&usage, at_ms(3000)), 0);
}
END_TEST

START_TEST(a_whole_minute_before_the_present_second_is_kept)
{
    td_usage usage = {0};
    for (int64_t second = 0; second < 200; second++)
        td_usage_add(&usage, at_ms(second * 1000 + 500), 1000 * (second + 1));
    td_units sum = 0;
    for (int64_t second = 139; second < 199; second++)
        sum += 1000 * (second + 1);
    ck_assert_int_eq(td_usage_last(&usage, at_ms(199900), TD_USAGE_SECONDS), sum);
    ck_assert_int_eq(td_usage_last(&usage, at_ms(199900), 1), 199000);
    ck_assert_int_eq(td_usage_last(&usage, at_ms(200000), 2), 399000);
    ck_assert_int_eq(td_usage_last(&usage, at_ms(199900), 0), 0);
}
END_TEST

START_TEST(the_last_minute_forgets_a_second_at_a_time)
{
    td_usage usage = {0};
    for (int64_t second = 0; second < 200; second++)
        td_usage_add(&usage, at_ms(second * 1000 + 500), 1000 * (second + 1));
    td_units sum = 0;
    for (int64_t second = 140; second < 200; second++)
        sum += 1000 * (second + 1);
    ck_assert_int_eq(td_usage_last_minute(&usage, at_ms(199900)), sum);
    ck_assert_int_eq(td_usage_last_minute(&usage, at_ms(200000)), sum - 1000 * 141);
    ck_assert_int_eq(td_usage_last_minute(&usage, at_ms(258000)), 1000 * 200);
    ck_assert_int_eq(td_usage_last_minute(&usage, at_ms(259000)), 0);
}
END_TEST

START_TEST(a_gap_leaves_nothing_of_the_seconds_before_it)
{
    static const int64_t gaps_s[] = {1, 2, 59, 60, 61, 120, 86400};
    td_usage usage = {0};
    td_usage_add(&usage, at_ms(0), 7000);
    int64_t second = gaps_s[_i];
    td_usage_add(&usage, at_ms(second * 1000), 1000);
    ck_assert_int_eq(td_usage_last_minute(&usage, at_ms(second * 1000)), second < 60 ? 8000 : 1000);
}
END_TEST

START_TEST(usage_from_the_past_counts_in_the_present)
{
    td_usage usage = {0};
    td_usage_add(&usage, at_ms(5000), 1000);
    td_usage_add(&usage, at_ms(1000), 1000);
    ck_assert_int_eq(td_usage_last_second(&usage, at_ms(6000)), 2000);
}
END_TEST

START_TEST(tallies_keep_reasons_apart)
{
    td_throttle_tally tally = {0};
    td_throttle_tally_add(&tally, TD_WRITE, TD_LIMITED_BY_KEY_RANGE);
    td_throttle_tally_add(&tally, TD_WRITE, TD_LIMITED_BY_KEY_RANGE);
    td_throttle_tally_add(&tally, TD_READ, TD_LIMITED_BY_PROVISIONED);
    ck_assert_uint_eq(tally.counts[TD_WRITE][TD_LIMITED_BY_KEY_RANGE], 2);
    ck_assert_uint_eq(tally.counts[TD_READ][TD_LIMITED_BY_PROVISIONED], 1);
    ck_assert_uint_eq(tally.counts[TD_WRITE][TD_LIMITED_BY_PROVISIONED], 0);
}
END_TEST

TCase *meter_tests(void)
{
    TCase *tests = tcase_create("meter");
    tcase_add_test(tests, consumed_units_of_an_index_add_up_in_one_entry);
    tcase_add_test(tests, an_index_without_units_has_no_entry);
    tcase_add_test(tests, the_last_whole_second_does_not_move_until_the_next_begins);
    tcase_add_test(tests, a_whole_minute_before_the_present_second_is_kept);
    tcase_add_test(tests, the_last_minute_forgets_a_second_at_a_time);
    tcase_add_loop_test(tests, a_gap_leaves_nothing_of_the_seconds_before_it, 0, 7);
    tcase_add_test(tests, usage_from_the_past_counts_in_the_present);
    tcase_add_test(tests, tallies_keep_reasons_apart);
    return tests;
}
