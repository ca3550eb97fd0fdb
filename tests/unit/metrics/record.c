/* SPDX-License-Identifier: Apache-2.0
 * record.c: tests of what recorders count and keep, and of what all of them are together. */
#include "metrics/metrics.h"

#include <stdio.h>

#include "support/failing_memory.h"

#include "suites.h"

#define START_US INT64_C(1790000040000000) /* a whole minute */
#define MINUTE TD_SERIES_MINUTE_US

static td_metrics *metrics;
static td_metrics_totals totals;
static td_arena arena;

static void setup(void)
{
    metrics = td_metrics_new(2);
    ck_assert_ptr_nonnull(metrics);
    td_arena_init(&arena, (size_t)64 << 20);
}

static void teardown(void)
{
    td_metrics_free(metrics);
    td_arena_done(&arena);
}

/* A request of operation 3 on one table, to the recorder of a worker. */
static void record_to(uint32_t worker, const char *table, td_status status, td_time_us now_us, int64_t latency_us)
{
    td_metrics_table about = {.name = td_slice_of_cstr(table),
                              .throttled = status == TD_PROVISIONED_THROUGHPUT_EXCEEDED,
                              .condition_failed = status == TD_CONDITIONAL_CHECK_FAILED};
    td_metrics_request request = {.operation = 3,
                                  .status = status,
                                  .now_us = now_us,
                                  .latency_us = latency_us,
                                  .tables = &about,
                                  .table_count = 1};
    td_metrics_record(td_metrics_get_recorder(metrics, worker), &request);
}

static td_samples read_samples(const char *table, uint32_t operation, td_request_metric metric, int64_t minute,
                               bool has_spreads)
{
    td_samples point = {0};
    td_metrics_entry entry = {.table = td_slice_of_cstr(table), .operation = operation};
    td_series_window window = {.now_us = START_US + 60 * MINUTE,
                               .from_us = START_US + minute * MINUTE,
                               .period_us = MINUTE,
                               .count = 1,
                               .has_spreads = has_spreads};
    bool is_known = td_metrics_read(metrics, &entry, metric, &window, &point);
    ck_assert(is_known || point.statistic.count == 0);
    return point;
}

static td_statistic read_of(const char *table, uint32_t operation, td_request_metric metric, int64_t minute)
{
    return read_samples(table, operation, metric, minute, false).statistic;
}

START_TEST(requests_are_counted_by_operation_and_status_over_all_workers)
{
    record_to(0, "A", TD_OK, START_US, 30);
    record_to(1, "A", TD_OK, START_US, 10);
    record_to(1, "A", TD_VALIDATION, START_US, 20000000);
    td_metrics_sum(metrics, &totals);
    ck_assert_uint_eq(totals.requests[3][TD_OK], 2);
    ck_assert_uint_eq(totals.requests[3][TD_VALIDATION], 1);
    ck_assert_uint_eq(totals.latency[3].buckets[0], 1); /* a bound is in its bucket */
    ck_assert_uint_eq(totals.latency[3].buckets[2], 1);
    ck_assert_uint_eq(totals.latency[3].buckets[TD_METRICS_LATENCY_BUCKETS], 1);
    ck_assert_uint_eq(totals.latency[3].sum_us, 20000040);
}
END_TEST

START_TEST(latencies_of_successes_are_kept_by_minute)
{
    record_to(0, "A", TD_OK, START_US, 30);
    record_to(1, "A", TD_OK, START_US + 1, 10);
    record_to(0, "A", TD_VALIDATION, START_US + 2, 5);
    record_to(0, "A", TD_OK, START_US + MINUTE, 70);
    record_to(0, "B", TD_OK, START_US, 1);
    td_statistic first = read_of("A", 3, TD_REQUEST_METRIC_LATENCY, 0);
    ck_assert_uint_eq(first.count, 2);
    ck_assert_int_eq(first.sum, 40);
    ck_assert_int_eq(first.min, 10);
    ck_assert_int_eq(first.max, 30);
    ck_assert_int_eq(read_of("A", 3, TD_REQUEST_METRIC_LATENCY, 1).sum, 70);
    ck_assert_uint_eq(read_of("A", 4, TD_REQUEST_METRIC_LATENCY, 0).count, 0);
}
END_TEST

START_TEST(latencies_are_told_by_their_spread_over_all_workers)
{
    for (int minute = 0; minute < 2; minute++) {
        record_to(0, "A", TD_OK, START_US + minute * MINUTE, 30);
        record_to(1, "A", TD_OK, START_US + minute * MINUTE, 1000);
        record_to(1, "A", TD_OK, START_US + minute * MINUTE, 30);
    }
    for (int minute = 0; minute < 2; minute++) {
        td_samples all = read_samples("A", 3, TD_REQUEST_METRIC_LATENCY, minute, true);
        ck_assert_uint_eq(all.spread->count, 2);
        ck_assert_uint_eq(td_spread_bucket_count(&all.spread->buckets[0]), 2);
        ck_assert_int_eq(td_spread_bucket_sum(&all.spread->buckets[1]), 1000);
        td_samples_done(&all);
    }
}
END_TEST

START_TEST(errors_count_as_the_service_says)
{
    static const struct {
        td_status status;
        uint64_t throttled, condition_failed, user_errors, system_errors;
    } rows[] = {
        {TD_OK, 0, 0, 0, 0},
        {TD_PROVISIONED_THROUGHPUT_EXCEEDED, 1, 0, 0, 0},
        {TD_CONDITIONAL_CHECK_FAILED, 0, 1, 0, 0},
        {TD_VALIDATION, 0, 0, 1, 0},
        {TD_RESOURCE_NOT_FOUND, 0, 0, 1, 0},
        {TD_INTERNAL_SERVER_ERROR, 0, 0, 0, 1},
        {TD_SERVICE_UNAVAILABLE, 0, 0, 0, 1},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        char table[8];
        snprintf(table, sizeof table, "T%zu", i);
        uint64_t before = read_of("", TD_METRICS_NO_OPERATION, TD_REQUEST_METRIC_USER_ERRORS, 0).count;
        record_to(0, table, rows[i].status, START_US, 1);
        ck_assert_uint_eq(read_of(table, 3, TD_REQUEST_METRIC_THROTTLED, 0).count, rows[i].throttled);
        ck_assert_uint_eq(read_of(table, 3, TD_REQUEST_METRIC_SYSTEM_ERRORS, 0).count, rows[i].system_errors);
        ck_assert_uint_eq(read_of(table, TD_METRICS_NO_OPERATION, TD_REQUEST_METRIC_CONDITION_FAILED, 0).count,
                          rows[i].condition_failed);
        ck_assert_uint_eq(read_of("", TD_METRICS_NO_OPERATION, TD_REQUEST_METRIC_USER_ERRORS, 0).count - before,
                          rows[i].user_errors);
    }
}
END_TEST

START_TEST(conflicts_sum_items_and_sample_requests)
{
    td_metrics_table tables[] = {{.name = TD_LIT("A"), .conflicts = 3}, {.name = TD_LIT("B"), .conflicts = 1}};
    td_metrics_request request = {
        .status = TD_TRANSACTION_CANCELED, .now_us = START_US, .tables = tables, .table_count = 2};
    td_metrics_record(td_metrics_get_recorder(metrics, 0), &request);
    td_statistic conflicts = read_of("A", TD_METRICS_NO_OPERATION, TD_REQUEST_METRIC_TRANSACTION_CONFLICT, 0);
    ck_assert_uint_eq(conflicts.count, 1);
    ck_assert_int_eq(conflicts.sum, 3);
    ck_assert_int_eq(read_of("B", TD_METRICS_NO_OPERATION, TD_REQUEST_METRIC_TRANSACTION_CONFLICT, 0).sum, 1);
}
END_TEST

START_TEST(a_name_that_is_not_found_makes_no_entry)
{
    record_to(0, "nowhere", TD_RESOURCE_NOT_FOUND, START_US, 1);
    td_metrics_entry *entries;
    uint32_t count;
    ck_assert(td_metrics_list(metrics, &arena, &entries, &count));
    ck_assert_uint_eq(count, 1); /* the scope's user errors */
    ck_assert_uint_eq(entries[0].table.len, 0);
    ck_assert_uint_eq(entries[0].recorded, 1u << TD_REQUEST_METRIC_USER_ERRORS);
}
END_TEST

START_TEST(entries_of_all_workers_are_listed_once_in_order)
{
    record_to(0, "B", TD_OK, START_US, 1);
    record_to(1, "A", TD_OK, START_US, 1);
    record_to(1, "B", TD_PROVISIONED_THROUGHPUT_EXCEEDED, START_US, 1);
    td_metrics_entry *entries;
    uint32_t count;
    ck_assert(td_metrics_list(metrics, &arena, &entries, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(td_slice_equal(entries[0].table, TD_LIT("A")));
    ck_assert(td_slice_equal(entries[1].table, TD_LIT("B")));
    ck_assert_uint_eq(entries[1].recorded, 1u << TD_REQUEST_METRIC_LATENCY | 1u << TD_REQUEST_METRIC_THROTTLED);
}
END_TEST

START_TEST(a_reset_forgets_the_minutes_and_keeps_the_counters)
{
    record_to(0, "A", TD_OK, START_US, 1);
    td_metrics_reset(metrics);
    ck_assert_uint_eq(read_of("A", 3, TD_REQUEST_METRIC_LATENCY, 0).count, 0);
    record_to(0, "A", TD_OK, START_US - MINUTE, 1); /* the clock went back */
    ck_assert_uint_eq(read_of("A", 3, TD_REQUEST_METRIC_LATENCY, 0).count, 0);
    ck_assert_uint_eq(read_of("A", 3, TD_REQUEST_METRIC_LATENCY, -1).count, 1);
    td_metrics_sum(metrics, &totals);
    ck_assert_uint_eq(totals.requests[3][TD_OK], 2);
}
END_TEST

START_TEST(the_entry_idle_for_longest_makes_room)
{
    char table[16];
    for (int i = 0; i <= TD_METRICS_ENTRIES_MAX; i++) {
        snprintf(table, sizeof table, "T%d", i);
        if (i == TD_METRICS_ENTRIES_MAX) record_to(0, "T0", TD_OK, START_US + 2 * MINUTE, 1);
        record_to(0, table, TD_OK, START_US + (i > 1 ? 1 : 0) * MINUTE, 1);
    }
    td_metrics_entry *entries;
    uint32_t count;
    ck_assert(td_metrics_list(metrics, &arena, &entries, &count));
    ck_assert_uint_eq(count, TD_METRICS_ENTRIES_MAX);
    ck_assert_uint_eq(read_of("T0", 3, TD_REQUEST_METRIC_LATENCY, 0).count, 1);
    ck_assert_uint_eq(read_of("T1", 3, TD_REQUEST_METRIC_LATENCY, 0).count, 0);
    ck_assert_uint_eq(read_of(table, 3, TD_REQUEST_METRIC_LATENCY, 1).count, 1);
}
END_TEST

START_TEST(without_memory_the_request_is_counted_and_its_figures_are_lost)
{
    uint64_t lost = 0;
    for (uint64_t n = 1;; n++) {
        failing_memory_fail_at(n);
        record_to(0, "A", TD_OK, START_US, 1);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        if (!has_failed) break;
        lost++;
    }
    td_metrics_sum(metrics, &totals);
    ck_assert_uint_gt(lost, 1);
    ck_assert_uint_eq(totals.lost, lost);
    ck_assert_uint_eq(totals.requests[3][TD_OK], lost + 1);
    ck_assert_uint_eq(read_of("A", 3, TD_REQUEST_METRIC_LATENCY, 0).count, 1);
}
END_TEST

START_TEST(gauges_go_up_and_down_over_all_workers)
{
    td_metrics_count_connection(td_metrics_get_recorder(metrics, 0), 1);
    td_metrics_count_connection(td_metrics_get_recorder(metrics, 1), 1);
    td_metrics_count_connection(td_metrics_get_recorder(metrics, 0), -1);
    td_metrics_count_in_flight(td_metrics_get_recorder(metrics, 1), 1);
    td_metrics_record_loop_delay(td_metrics_get_recorder(metrics, 1), 300);
    td_metrics_sum(metrics, &totals);
    ck_assert_uint_eq(totals.connections, 1);
    ck_assert_uint_eq(totals.accepted, 2);
    ck_assert_uint_eq(totals.in_flight, 1);
    ck_assert_uint_eq(totals.loop_delay.sum_us, 300);
}
END_TEST

TCase *record_tests(void)
{
    TCase *tests = tcase_create("record");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, requests_are_counted_by_operation_and_status_over_all_workers);
    tcase_add_test(tests, latencies_of_successes_are_kept_by_minute);
    tcase_add_test(tests, latencies_are_told_by_their_spread_over_all_workers);
    tcase_add_test(tests, errors_count_as_the_service_says);
    tcase_add_test(tests, conflicts_sum_items_and_sample_requests);
    tcase_add_test(tests, a_name_that_is_not_found_makes_no_entry);
    tcase_add_test(tests, entries_of_all_workers_are_listed_once_in_order);
    tcase_add_test(tests, a_reset_forgets_the_minutes_and_keeps_the_counters);
    tcase_add_test(tests, the_entry_idle_for_longest_makes_room);
    tcase_add_test(tests, without_memory_the_request_is_counted_and_its_figures_are_lost);
    tcase_add_test(tests, gauges_go_up_and_down_over_all_workers);
    return tests;
}
