/* SPDX-License-Identifier: Apache-2.0
 * stat.c: tests of statistics by name, and of what they are of samples. */
#include "cloudwatch/stat.h"

#include <math.h>
#include <stdio.h>

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

/* The samples are thousandths. */
static double stat_of(const char *name)
{
    td_cw_stat stat;
    double value = -1;
    ck_assert_msg(td_cw_stat_parse(td_slice_of_cstr(name), &stat), "%s", name);
    bool is_there = td_cw_stat_of(&samples, &stat, 1000, &value);
    return is_there ? value : -1;
}

static void add_from_to(int64_t first, int64_t last)
{
    for (int64_t value = first; value <= last; value++)
        td_samples_add(&samples, value * 1000);
}

START_TEST(statistics_have_names)
{
    static const char *const known[] = {"Sum",      "Average",      "p0",           "p50",         "p99.9",
                                        "p100",     "p100.0",       "p00.1",        "tm99",        "wm98.5",
                                        "tc90",     "ts0",          "IQM",          "TM(10%:90%)", "TM(:90%)",
                                        "WM(80%:)", "TM(0%:100%)",  "PR(:300)",     "PR(5:)",      "TC(0.005:0.030)",
                                        "TS(1:15)", "PR(100:2000)", "p99.123456789"};
    static const char *const unknown[] = {
        "",         "sum",        "p",         "p101",        "p100.1",    "p.5",         "p5.",           "p5x",
        "p-1",      "P99",        "TM99",      "iqm",         "tm",        "tm(1%:2%)",   "TM()",          "TM(:)",
        "TM(5)",    "TM(10%:90)", "PR99",      "PR:5)",       "PR(1%:2%)", "p1..",        "PR(:5",         "p(1:2)",
        "TM(1:2)x", "PR(3:3)",    "TM(1:2:3)", "TM(90%:10%)", "p1.2.3",    "TM(1%:101%)", "p9.12345678901"};
    td_cw_stat stat;
    for (size_t i = 0; i < TD_COUNT_OF(known); i++)
        ck_assert_msg(td_cw_stat_parse(td_slice_of_cstr(known[i]), &stat), "%s", known[i]);
    for (size_t i = 0; i < TD_COUNT_OF(unknown); i++)
        ck_assert_msg(!td_cw_stat_parse(td_slice_of_cstr(unknown[i]), &stat), "%s", unknown[i]);
}
END_TEST

/* 1 1 2 3 4 5 5 6 7 9: each value has a bucket of its own, so that every figure is exact. */
static const struct {
    const char *name;
    double value; /* -1: there is none */
} rows[] = {
    {"SampleCount", 10},  {"Sum", 43},          {"Average", 4.3},
    {"Minimum", 1},       {"Maximum", 9},       {"p0", 1},
    {"p20", 1},           {"p20.1", 2},         {"p50", 4},
    {"p90", 7},           {"p90.1", 9},         {"p100", 9},
    {"tm90", 34 / 9.0},   {"tm100", 4.3},       {"TM(20%:80%)", 25 / 6.0},
    {"TM(:4)", 11 / 5.0}, {"TM(4:)", 32 / 5.0}, {"IQM", 4.2},
    {"tc90", 9},          {"ts90", 34},         {"TC(1:9)", 8},
    {"TS(1:)", 41},       {"PR(:4)", 50},       {"PR(4:6)", 30},
    {"PR(20:30)", 0},     {"wm90", 4.1},        {"WM(20%:80%)", 3.9},
    {"WM(2:6)", 4.1},     {"TM(20:30)", -1},    {"TC(20:30)", 0},
};

START_TEST(few_values_are_told_exactly)
{
    add_from_to(1, 7);
    td_samples_add(&samples, 9000);
    td_samples_add(&samples, 5000);
    td_samples_add(&samples, 1000);
    double value = stat_of(rows[_i].name);
    ck_assert_msg(fabs(value - rows[_i].value) < 1e-9, "%s: %f", rows[_i].name, value);
}
END_TEST

START_TEST(samples_that_are_alike_have_every_statistic)
{
    for (int i = 0; i < 4; i++)
        td_samples_add(&samples, 2500);
    ck_assert_double_eq(stat_of("p0"), 2.5);
    ck_assert_double_eq(stat_of("p99.9"), 2.5);
    ck_assert_double_eq(stat_of("tm75"), 2.5);
    ck_assert_double_eq(stat_of("tc50"), 2);
    ck_assert_double_eq(stat_of("IQM"), 2.5);
    ck_assert_double_eq(stat_of("wm1"), 2.5);
    ck_assert_double_eq(stat_of("PR(:2.5)"), 100);
    ck_assert_double_eq(stat_of("PR(2.5:)"), 0);
}
END_TEST

START_TEST(no_samples_have_no_statistic)
{
    ck_assert_double_eq(stat_of("p50"), -1);
    ck_assert_double_eq(stat_of("Sum"), -1);
}
END_TEST

START_TEST(a_spread_that_is_not_known_has_no_percentile)
{
    samples.statistic = (td_statistic){.count = 2, .sum = 6000, .min = 2000, .max = 4000};
    ck_assert_double_eq(stat_of("p50"), -1);
    ck_assert_double_eq(stat_of("Average"), 3);
}
END_TEST

START_TEST(a_percentile_of_many_is_within_an_eighth)
{
    add_from_to(1, 100000);
    for (int percent = 1; percent < 100; percent++) {
        char name[8];
        (void)snprintf(name, sizeof name, "p%d", percent);
        double exact = percent * 1000;
        ck_assert_double_eq_tol(stat_of(name), exact, exact / 8);
    }
    ck_assert_double_eq(stat_of("p0"), 1);
    ck_assert_double_eq(stat_of("p100"), 100000);
    ck_assert_double_eq_tol(stat_of("TM(0%:100%)"), 50000.5, 1e-6); /* sums are exact */
}
END_TEST

TCase *stat_tests(void)
{
    TCase *tests = tcase_create("stat");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, statistics_have_names);
    tcase_add_loop_test(tests, few_values_are_told_exactly, 0, (int)TD_COUNT_OF(rows));
    tcase_add_test(tests, samples_that_are_alike_have_every_statistic);
    tcase_add_test(tests, no_samples_have_no_statistic);
    tcase_add_test(tests, a_spread_that_is_not_known_has_no_percentile);
    tcase_add_test(tests, a_percentile_of_many_is_within_an_eighth);
    return tests;
}
