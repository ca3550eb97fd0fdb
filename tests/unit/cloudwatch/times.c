/* SPDX-License-Identifier: Apache-2.0
 * times.c: tests of instants as texts, and of windows. */
#include "cloudwatch/iso_time.h"
#include "cloudwatch/cloudwatch_private.h"

#include "suites.h"

#define S TD_US_PER_S

typedef struct time_row {
    const char *text;
    td_time_us time; /* -1: no time */
} time_row;

static const time_row rows[] = {
    {"1970-01-01T00:00:00Z", 0},
    {"2026-11-30T12:38:00Z", 1796042280 * S},
    {"2026-11-30T12:38:00.5Z", 1796042280 * S + 500000},
    {"2026-11-30T12:38:00.1234567Z", 1796042280 * S + 123456},
    {"2026-11-30 12:38:00", 1796042280 * S},
    {"2026-11-30T12:38", 1796042280 * S},
    {"2026-11-30", 1795996800 * S},
    {"2026-11-30T13:38:00+01:00", 1796042280 * S},
    {"2026-11-30T08:08:00-0430", 1796042280 * S},
    {"2024-02-29T00:00:00Z", 1709164800 * S},
    {"2000-02-29", 951782400 * S},
    {"9999-12-31T23:59:59Z", 253402300799 * S},
    {"2026-02-29", -1},
    {"2100-02-29", -1},
    {"2026-13-01", -1},
    {"2026-00-01", -1},
    {"2026-04-31", -1},
    {"1969-12-31", -1},
    {"2026-11-30T24:00:00Z", -1},
    {"2026-11-30T12:60:00Z", -1},
    {"2026-11-30T12:00:00.Z", -1},
    {"2026-11-30T12:00:00x", -1},
    {"2026-11-30T12:00:00Zx", -1},
    {"2026-11-30T", -1},
    {"2026-1-30", -1},
    {"", -1},
};

START_TEST(texts_are_instants)
{
    td_time_us time = -1;
    bool is_time = td_iso_time_parse(td_slice_of_cstr(rows[_i].text), &time);
    ck_assert_int_eq(is_time, rows[_i].time >= 0);
    if (is_time) ck_assert_int_eq(time, rows[_i].time);
}
END_TEST

START_TEST(instants_are_printed_as_they_are_read)
{
    char text[TD_ISO_TIME_BYTES];
    for (td_time_us time = 0; time < 253402300800 * S; time += 86400 * 37 * S + 3661 * S + 7000) {
        td_time_us again;
        ck_assert(td_iso_time_parse(td_iso_time_print(time, text), &again));
        ck_assert_int_eq(again, time / 1000 * 1000);
    }
    ck_assert(td_slice_equal(td_iso_time_print(1796042280 * S, text), TD_LIT("2026-11-30T12:38:00Z")));
    ck_assert(td_slice_equal(td_iso_time_print(1796042280 * S + 7000, text), TD_LIT("2026-11-30T12:38:00.007Z")));
}
END_TEST

typedef struct span_row {
    td_time_us start_us;
    td_time_us end_us;
    int64_t period_s;
    td_cw_window window;
    int64_t asked;
} span_row;

static const span_row spans[] = {
    {60 * S, 120 * S, 60, {60 * S, 60 * S, 1, false}, 1},
    {119 * S, 121 * S, 60, {60 * S, 60 * S, 2, false}, 1},
    {0, 300 * S, 300, {0, 300 * S, 1, false}, 1},
    {0, 301 * S, 300, {0, 300 * S, 2, false}, 2},
    {90 * S, 390 * S, 300, {60 * S, 300 * S, 2, false}, 1},
    {0, 60 * S, 10, {0, 60 * S, 1, false}, 6},
    {0, 1, 60, {0, 60 * S, 1, false}, 1},
};

START_TEST(windows_begin_at_a_minute)
{
    const span_row *row = &spans[_i];
    td_cw_window window;
    int64_t asked;
    ck_assert(td_cw__span(row->start_us, row->end_us, row->period_s, &window, &asked));
    ck_assert_int_eq(window.from_us, row->window.from_us);
    ck_assert_int_eq(window.period_us, row->window.period_us);
    ck_assert_uint_eq(window.count, row->window.count);
    ck_assert_int_eq(asked, row->asked);
    ck_assert(!td_cw__span(row->end_us, row->start_us, row->period_s, &window, &asked));
}
END_TEST

TCase *times_tests(void)
{
    TCase *tests = tcase_create("times");
    tcase_add_loop_test(tests, texts_are_instants, 0, (int)TD_COUNT_OF(rows));
    tcase_add_test(tests, instants_are_printed_as_they_are_read);
    tcase_add_loop_test(tests, windows_begin_at_a_minute, 0, (int)TD_COUNT_OF(spans));
    return tests;
}
