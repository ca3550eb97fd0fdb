/* SPDX-License-Identifier: Apache-2.0
 * ledger.c: tests of what is metered of a resource, and of what admission enters. */
#include "capacity/ledger.h"

#include "capacity/admission.h"

#include "suites.h"

#define START_US INT64_C(1790000040000000) /* a whole minute */
#define MINUTE TD_SERIES_MINUTE_US

static td_ledger ledger;

static void setup(void)
{
    ledger = (td_ledger){0};
}

static void teardown(void)
{
    td_ledger_done(&ledger);
}

static td_samples read_samples(td_metric metric, int64_t minute, bool has_spreads)
{
    td_samples point = {0};
    td_series_window window = {.now_us = START_US + 10 * MINUTE,
                               .from_us = START_US + minute * MINUTE,
                               .period_us = MINUTE,
                               .count = 1,
                               .has_spreads = has_spreads};
    td_ledger_read(&ledger, metric, &window, &point);
    return point;
}

static td_statistic read_minute(td_metric metric, int64_t minute)
{
    return read_samples(metric, minute, false).statistic;
}

START_TEST(each_charge_is_a_sample_unless_it_continues_one)
{
    td_ledger_add(&ledger, START_US, TD_READ, 1000, false);
    td_ledger_add(&ledger, START_US, TD_READ, 2000, false);
    td_ledger_add(&ledger, START_US, TD_READ, 500, true);
    td_statistic read = read_minute(TD_METRIC_CONSUMED_READ, 0);
    ck_assert_uint_eq(read.count, 2);
    ck_assert_int_eq(read.sum, 3500);
    ck_assert_int_eq(read.min, 1000);
    ck_assert_int_eq(read.max, 2500);
    ck_assert_uint_eq(read_minute(TD_METRIC_CONSUMED_WRITE, 0).count, 0);
}
END_TEST

/* The latest one too, which may grow still, and the open minute as a closed one. */
START_TEST(samples_that_differ_are_told_by_their_spread)
{
    for (int i = 0; i < 2; i++) {
        td_ledger_add(&ledger, START_US, TD_WRITE, 1000, false);
        td_ledger_add(&ledger, START_US, TD_WRITE, 3000, false);
        td_ledger_add(&ledger, START_US, TD_WRITE, 500, true);
    }
    for (int minute = 0; minute < 2; minute++) {
        td_samples written = read_samples(TD_METRIC_CONSUMED_WRITE, 0, true);
        ck_assert_uint_eq(written.spread->count, 2);
        ck_assert_int_eq(td_spread_bucket_sum(&written.spread->buckets[0]), 2000);
        ck_assert_uint_eq(td_spread_bucket_count(&written.spread->buckets[1]), 2);
        ck_assert_int_eq(td_spread_bucket_sum(&written.spread->buckets[1]), 7000);
        td_samples_done(&written);
        td_ledger_add(&ledger, START_US + MINUTE, TD_WRITE, 1000, false);
    }
    ck_assert_uint_eq(read_minute(TD_METRIC_CONSUMED_WRITE, 1).count, 2);
}
END_TEST

START_TEST(a_minute_is_closed_by_what_comes_after_it)
{
    td_ledger_add(&ledger, START_US + MINUTE - 1, TD_WRITE, 1000, false);
    td_ledger_add_event(&ledger, START_US + MINUTE, TD_READ);
    td_ledger_add(&ledger, START_US + 3 * MINUTE, TD_WRITE, 4000, false);
    ck_assert_int_eq(read_minute(TD_METRIC_CONSUMED_WRITE, 0).sum, 1000);
    ck_assert_int_eq(read_minute(TD_METRIC_CONSUMED_WRITE, 1).sum, 0);
    ck_assert_int_eq(read_minute(TD_METRIC_READ_THROTTLES, 1).sum, 1);
    ck_assert_int_eq(read_minute(TD_METRIC_CONSUMED_WRITE, 3).sum, 4000);
    ck_assert_int_eq(td_ledger_consumed(&ledger, TD_WRITE), 5000);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_READ_THROTTLES), 1);
}
END_TEST

START_TEST(a_later_ledger_of_the_same_name_goes_on_where_the_first_ended)
{
    td_ledger later = {0};
    td_ledger_add(&ledger, START_US, TD_READ, 1000, false);
    td_ledger_add_event(&ledger, START_US, TD_READ);
    td_ledger_add(&later, START_US + 1, TD_READ, 3000, false);
    td_ledger_add_event(&later, START_US + 1, TD_READ);
    td_ledger_append(&ledger, &later);
    td_statistic read = read_minute(TD_METRIC_CONSUMED_READ, 0);
    ck_assert_uint_eq(read.count, 2);
    ck_assert_int_eq(read.min, 1000);
    ck_assert_int_eq(read.max, 3000);
    ck_assert_int_eq(read_minute(TD_METRIC_READ_THROTTLES, 0).sum, 2);
    ck_assert_uint_eq(td_ledger_recorded(&later), 0);

    td_ledger_add(&later, START_US + MINUTE - 1, TD_READ, 500, false);
    td_ledger_add(&later, START_US + 2 * MINUTE, TD_READ, 250, false);
    td_ledger_append(&ledger, &later);
    ck_assert_int_eq(read_minute(TD_METRIC_CONSUMED_READ, 0).sum, 4500);
    ck_assert_int_eq(read_minute(TD_METRIC_CONSUMED_READ, 1).sum, 0);
    ck_assert_int_eq(read_minute(TD_METRIC_CONSUMED_READ, 2).sum, 250);
    ck_assert_int_eq(td_ledger_consumed(&ledger, TD_READ), 4750);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_READ_THROTTLES), 2);
}
END_TEST

START_TEST(it_tells_which_metrics_ever_had_a_sample)
{
    ck_assert_uint_eq(td_ledger_recorded(&ledger), 0);
    td_ledger_add(&ledger, START_US, TD_READ, 1000, false);
    td_ledger_add_cause(&ledger, START_US + MINUTE, TD_WRITE, TD_LIMITED_BY_KEY_RANGE);
    uint32_t expected = 1u << TD_METRIC_CONSUMED_READ | 1u << TD_METRIC_WRITE_KEY_RANGE;
    ck_assert_uint_eq(td_ledger_recorded(&ledger), expected);
}
END_TEST

/* A table and an index, both with two closed buckets. */
static void refuse(bool reports_all)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    settings.values[TD_CAPACITY_report_all_reasons] = reports_all;
    settings.values[TD_CAPACITY_gsi_backlog] = 0;
    td_bucket closed;
    td_bucket_init(&closed, START_US, 1, 1, 0);
    td_admission admission;
    td_admission_init(&admission, &settings, TD_BILLING_PROVISIONED);
    td_slice names[] = {TD_LIT(""), TD_LIT("by-date")};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        td_admission_target *target = td_admission_add(&admission, names[i], TD_WRITE);
        target->limits[TD_LIMITED_BY_PROVISIONED] = &closed;
        target->limits[TD_LIMITED_BY_KEY_RANGE] = &closed;
        target->ledger = &ledger;
    }
    ck_assert(!td_admission_ask(&admission, START_US));
}

START_TEST(a_refusal_is_one_event_of_the_resource_that_refused_first)
{
    refuse(false);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_WRITE_THROTTLES), 1);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_WRITE_PROVISIONED), 1);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_WRITE_KEY_RANGE), 0);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_READ_THROTTLES), 0);
}
END_TEST

START_TEST(all_reasons_of_a_resource_are_one_event_and_as_many_causes)
{
    refuse(true);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_WRITE_THROTTLES), 2);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_WRITE_PROVISIONED), 2);
    ck_assert_uint_eq(td_ledger_events(&ledger, TD_METRIC_WRITE_KEY_RANGE), 2);
}
END_TEST

START_TEST(metrics_have_the_names_of_cloudwatch)
{
    ck_assert_str_eq(td_metric_name(TD_METRIC_CONSUMED_READ), "ConsumedReadCapacityUnits");
    ck_assert_str_eq(td_metric_name(td_ledger_metric_of(TD_READ, TD_LIMITED_BY_ACCOUNT)),
                     "ReadAccountLimitThrottleEvents");
    ck_assert_str_eq(td_metric_name(td_ledger_metric_of(TD_WRITE, TD_LIMITED_BY_MAX_ON_DEMAND)),
                     "WriteMaxOnDemandThroughputThrottleEvents");
}
END_TEST

TCase *ledger_tests(void)
{
    TCase *tests = tcase_create("ledger");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, each_charge_is_a_sample_unless_it_continues_one);
    tcase_add_test(tests, samples_that_differ_are_told_by_their_spread);
    tcase_add_test(tests, a_minute_is_closed_by_what_comes_after_it);
    tcase_add_test(tests, a_later_ledger_of_the_same_name_goes_on_where_the_first_ended);
    tcase_add_test(tests, it_tells_which_metrics_ever_had_a_sample);
    tcase_add_test(tests, a_refusal_is_one_event_of_the_resource_that_refused_first);
    tcase_add_test(tests, all_reasons_of_a_resource_are_one_event_and_as_many_causes);
    tcase_add_test(tests, metrics_have_the_names_of_cloudwatch);
    return tests;
}
