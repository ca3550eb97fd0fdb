/* SPDX-License-Identifier: Apache-2.0
 * history.c: tests of figures that hold until they are changed. */
#include "capacity/history.h"

#include "support/failing_memory.h"

#include "suites.h"

#define STEP TD_HISTORY_STEP_US
#define START_US (INT64_C(5966640) * STEP) /* a whole hour */

static td_history history;

static void setup(void)
{
    history = (td_history){0};
}

static void teardown(void)
{
    td_history_done(&history);
}

static void set(td_time_us at_us, int64_t figure)
{
    int64_t figures[TD_HISTORY_FIGURES] = {0, figure, 0, 0};
    td_history_set(&history, START_US + at_us, figures);
}

static int64_t at_step(int64_t step)
{
    return td_history_at(&history, 1, START_US + step * STEP);
}

START_TEST(a_figure_holds_until_it_is_changed)
{
    set(0, 5);
    set(2 * STEP + 1, 7);
    set(4 * STEP, 0);
    set(6 * STEP - 1, 9);
    static const int64_t told[] = {5, 5, 5, 7, 0, 0, 9, 9};
    for (size_t i = 0; i < TD_COUNT_OF(told); i++)
        ck_assert_int_eq(at_step((int64_t)i), told[i]);
    ck_assert_int_eq(at_step(-1), 0);
    ck_assert_int_eq(td_history_at(&history, 0, START_US), 0);
    ck_assert(td_history_has(&history, 1) && !td_history_has(&history, 0));
}
END_TEST

START_TEST(the_five_minutes_that_it_begins_in_have_what_it_began_with)
{
    set(STEP + 1, 5);
    ck_assert_int_eq(at_step(0), 0);
    ck_assert_int_eq(at_step(1), 5);
    set(STEP + 2, 6);
    ck_assert_int_eq(at_step(2), 6);
    ck_assert_uint_eq(history.count, 0); /* nobody sees between two samples */
}
END_TEST

START_TEST(windows_have_a_sample_each_five_minutes_up_to_now)
{
    set(1, 5);
    set(STEP + 1, 8);
    td_samples points[2] = {0};
    td_series_window window = {
        .now_us = START_US + 3 * STEP, .from_us = START_US - 2 * STEP, .period_us = 4 * STEP, .count = 2};
    td_history_read(&history, 1, &window, points);
    ck_assert_uint_eq(points[0].statistic.count, 2); /* at 0 and 1 */
    ck_assert_int_eq(points[0].statistic.sum, 10);
    ck_assert_uint_eq(points[1].statistic.count, 2); /* at 2 and 3 */
    ck_assert_int_eq(points[1].statistic.min, 8);
    window.now_us += TD_SERIES_KEPT_US + 10 * STEP;
    points[0] = (td_samples){0};
    td_history_read(&history, 1, &window, points);
    ck_assert_uint_eq(points[0].statistic.count, 0);
}
END_TEST

START_TEST(a_later_history_goes_on_where_the_first_ended)
{
    set(0, 5);
    set(2 * STEP, 0);
    td_history first = history;
    history = (td_history){0};
    set(4 * STEP, 6);
    td_history later = history;
    history = first;
    td_history_append(&history, &later);
    td_history_done(&later);
    static const int64_t told[] = {5, 5, 0, 0, 6};
    for (size_t i = 0; i < TD_COUNT_OF(told); i++)
        ck_assert_int_eq(at_step((int64_t)i), told[i]);
}
END_TEST

START_TEST(many_changes_take_bounded_memory_and_the_latest_are_right)
{
    for (int64_t i = 0; i < 5000; i++)
        set(i * STEP, i + 1);
    ck_assert_uint_le(history.room, 288);
    ck_assert_int_eq(at_step(4999), 5000);
    ck_assert_int_eq(at_step(4800), 4801);
    ck_assert_int_eq(at_step(10), at_step(11)); /* of the oldest is told what came after them */
}
END_TEST

START_TEST(without_memory_the_latest_figure_is_right)
{
    set(0, 5);
    failing_memory_fail_at(1);
    set(2 * STEP, 6);
    ck_assert(failing_memory_has_failed());
    failing_memory_fail_at(0);
    ck_assert_int_eq(at_step(3), 6);
}
END_TEST

TCase *history_tests(void)
{
    TCase *tests = tcase_create("history");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_figure_holds_until_it_is_changed);
    tcase_add_test(tests, the_five_minutes_that_it_begins_in_have_what_it_began_with);
    tcase_add_test(tests, windows_have_a_sample_each_five_minutes_up_to_now);
    tcase_add_test(tests, a_later_history_goes_on_where_the_first_ended);
    tcase_add_test(tests, many_changes_take_bounded_memory_and_the_latest_are_right);
    tcase_add_test(tests, without_memory_the_latest_figure_is_right);
    return tests;
}
