/* SPDX-License-Identifier: Apache-2.0
 * admission.c: tests of the order of the checks, of charging, and of the exception of each limit. */
#include "capacity/admission.h"

#include "suites.h"

#define START_US INT64_C(1790000000000000)

/* A request on a table and one global index, every limit in force; the bucket of a limit is closed by closing it. */
typedef struct bench {
    td_capacity_settings settings;
    td_bucket table[TD_LIMIT_KIND_COUNT];
    td_bucket index[TD_LIMIT_KIND_COUNT];
    td_throttle_tally table_tally;
    td_throttle_tally index_tally;
    td_usage usage;
    td_admission admission;
    td_admission_target *table_target;
    td_admission_target *index_target;
} bench;

static void bench_init(bench *it)
{
    *it = (bench){0};
    td_capacity_settings_init(&it->settings);
    for (size_t kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
        td_bucket_init(&it->table[kind], START_US, 10, 1, 1);
        td_bucket_init(&it->index[kind], START_US, 10, 1, 1);
    }
}

static void prepare(bench *it, td_direction direction, td_billing_mode billing)
{
    td_admission_init(&it->admission, &it->settings, billing);
    it->table_target = td_admission_add(&it->admission, TD_LIT(""), direction);
    it->index_target = td_admission_add(&it->admission, TD_LIT("by-date"), direction);
    it->table_target->tally = &it->table_tally;
    it->table_target->usage = &it->usage;
    it->index_target->tally = &it->index_tally;
    for (size_t kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
        it->table_target->limits[kind] = &it->table[kind];
        it->index_target->limits[kind] = &it->index[kind];
    }
}

static void empty(td_bucket *bucket)
{
    td_bucket_reset(bucket, bucket->last_us, 0);
}

static double balance(const td_bucket *bucket)
{
    return td_bucket_get_view(bucket, START_US).balance;
}

START_TEST(all_open_passes_and_takes_nothing_yet)
{
    bench it;
    bench_init(&it);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
    ck_assert(td_admission_ask(&it.admission, START_US));
    ck_assert_uint_eq(it.admission.reason_count, 0);
    ck_assert_double_eq(balance(&it.table[TD_LIMITED_BY_PROVISIONED]), 10);
}
END_TEST

START_TEST(charge_takes_from_every_bucket_of_its_target_only)
{
    bench it;
    bench_init(&it);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
    ck_assert(td_admission_ask(&it.admission, START_US));
    td_admission_charge(&it.admission, it.table_target, 12 * TD_UNITS_ONE);
    for (size_t kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
        ck_assert_double_eq(balance(&it.table[kind]), -2);
        ck_assert_double_eq(balance(&it.index[kind]), 10);
    }
    ck_assert_int_eq(td_usage_last_second(&it.usage, START_US + TD_US_PER_S), 12 * TD_UNITS_ONE);
}
END_TEST

START_TEST(the_first_closed_limit_in_order_is_the_reason)
{
    static const td_limit_kind order[] = {TD_LIMITED_BY_MAX_ON_DEMAND, TD_LIMITED_BY_ACCOUNT, TD_LIMITED_BY_PROVISIONED,
                                          TD_LIMITED_BY_KEY_RANGE};
    for (size_t first = 0; first < TD_COUNT_OF(order); first++) {
        bench it;
        bench_init(&it);
        for (size_t later = first; later < TD_COUNT_OF(order); later++)
            empty(&it.table[order[later]]);
        for (size_t kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++)
            empty(&it.index[kind]);
        prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
        ck_assert(!td_admission_ask(&it.admission, START_US));
        ck_assert_uint_eq(it.admission.reason_count, 1);
        ck_assert_int_eq(it.admission.reasons[0].kind, order[first]);
        ck_assert_uint_eq(it.admission.reasons[0].index.len, 0);
        ck_assert_uint_eq(it.table[order[first]].throttled, 1);
        ck_assert_uint_eq(it.table_tally.counts[TD_WRITE][order[first]], 1);
    }
}
END_TEST

START_TEST(an_index_that_is_closed_refuses_and_is_named)
{
    bench it;
    bench_init(&it);
    empty(&it.index[TD_LIMITED_BY_PROVISIONED]);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
    ck_assert(!td_admission_ask(&it.admission, START_US));
    ck_assert(td_slice_equal(it.admission.reasons[0].index, TD_LIT("by-date")));
    ck_assert_uint_eq(it.index_tally.counts[TD_WRITE][TD_LIMITED_BY_PROVISIONED], 1);
    ck_assert_uint_eq(it.table_tally.counts[TD_WRITE][TD_LIMITED_BY_PROVISIONED], 0);
    ck_assert_uint_eq(it.table[TD_LIMITED_BY_PROVISIONED].throttled, 0);
}
END_TEST

START_TEST(report_all_reasons_lists_each_limit_once_in_order)
{
    bench it;
    bench_init(&it);
    it.settings.values[TD_CAPACITY_report_all_reasons] = 1;
    empty(&it.table[TD_LIMITED_BY_KEY_RANGE]);
    empty(&it.table[TD_LIMITED_BY_PROVISIONED]);
    empty(&it.index[TD_LIMITED_BY_PROVISIONED]);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
    td_admission_target *moved = td_admission_add(&it.admission, TD_LIT("by-date"), TD_WRITE);
    moved->limits[TD_LIMITED_BY_PROVISIONED] = &it.index[TD_LIMITED_BY_PROVISIONED];
    ck_assert(!td_admission_ask(&it.admission, START_US));
    ck_assert_uint_eq(it.admission.reason_count, 3);
    ck_assert_str_eq(td_throttle_reason_name(&it.admission.reasons[0]), "TableWriteProvisionedThroughputExceeded");
    ck_assert_str_eq(td_throttle_reason_name(&it.admission.reasons[1]), "TableWriteKeyRangeThroughputExceeded");
    ck_assert_str_eq(td_throttle_reason_name(&it.admission.reasons[2]), "IndexWriteProvisionedThroughputExceeded");
    ck_assert_uint_eq(it.index[TD_LIMITED_BY_PROVISIONED].throttled, 1);
}
END_TEST

START_TEST(time_opens_a_closed_bucket)
{
    bench it;
    bench_init(&it);
    empty(&it.table[TD_LIMITED_BY_PROVISIONED]);
    prepare(&it, TD_READ, TD_BILLING_PROVISIONED);
    ck_assert(!td_admission_ask(&it.admission, START_US));
    ck_assert(td_admission_ask(&it.admission, START_US + 1));
    ck_assert_uint_eq(it.admission.reason_count, 0);
}
END_TEST

START_TEST(enforce_off_asks_and_counts_nothing)
{
    bench it;
    bench_init(&it);
    it.settings.enforce = TD_ENFORCE_OFF;
    empty(&it.table[TD_LIMITED_BY_KEY_RANGE]);
    prepare(&it, TD_READ, TD_BILLING_PROVISIONED);
    ck_assert(td_admission_ask(&it.admission, START_US));
    ck_assert_uint_eq(it.admission.reason_count, 0);
    ck_assert_uint_eq(it.table[TD_LIMITED_BY_KEY_RANGE].throttled, 0);
    td_admission_charge(&it.admission, it.table_target, TD_UNITS_ONE);
    ck_assert_double_eq(balance(&it.table[TD_LIMITED_BY_KEY_RANGE]), -1);
}
END_TEST

START_TEST(observe_counts_and_lets_pass)
{
    bench it;
    bench_init(&it);
    it.settings.enforce = TD_ENFORCE_OBSERVE;
    empty(&it.table[TD_LIMITED_BY_KEY_RANGE]);
    prepare(&it, TD_READ, TD_BILLING_PROVISIONED);
    ck_assert(td_admission_ask(&it.admission, START_US));
    ck_assert_uint_eq(it.admission.reason_count, 1);
    ck_assert_uint_eq(it.table[TD_LIMITED_BY_KEY_RANGE].throttled, 1);
    ck_assert_uint_eq(it.table_tally.counts[TD_READ][TD_LIMITED_BY_KEY_RANGE], 1);
}
END_TEST

START_TEST(eventual_reads_take_less_from_the_cap_alone)
{
    bench it;
    bench_init(&it);
    it.settings.values[TD_CAPACITY_ec_read_factor] = 1.5;
    prepare(&it, TD_READ, TD_BILLING_PROVISIONED);
    ck_assert(td_admission_ask(&it.admission, START_US));
    it.table_target->is_eventual = true;
    td_admission_charge(&it.admission, it.table_target, 3 * TD_UNITS_ONE);
    ck_assert_double_eq(balance(&it.table[TD_LIMITED_BY_KEY_RANGE]), 8);
    ck_assert_double_eq(balance(&it.table[TD_LIMITED_BY_PROVISIONED]), 7);
    td_admission_charge(&it.admission, it.index_target, 3 * TD_UNITS_ONE);
    ck_assert_double_eq(balance(&it.index[TD_LIMITED_BY_KEY_RANGE]), 7);
}
END_TEST

START_TEST(a_written_index_may_lag_by_its_backlog)
{
    bench it;
    bench_init(&it);
    it.settings.values[TD_CAPACITY_gsi_backlog] = 20;
    it.settings.values[TD_CAPACITY_duration_divisor] = 10;
    empty(&it.index[TD_LIMITED_BY_KEY_RANGE]);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
    ck_assert(td_admission_ask(&it.admission, START_US));
    td_admission_charge(&it.admission, it.index_target, 19 * TD_UNITS_ONE); /* 10 a second: 20 units of debt */
    ck_assert(td_admission_ask(&it.admission, START_US));
    td_admission_charge(&it.admission, it.index_target, TD_UNITS_ONE);
    ck_assert(!td_admission_ask(&it.admission, START_US));
    ck_assert(td_admission_ask(&it.admission, START_US + 1));

    empty(&it.index[TD_LIMITED_BY_PROVISIONED]);
    prepare(&it, TD_READ, TD_BILLING_PROVISIONED); /* reads do not lag */
    ck_assert(!td_admission_ask(&it.admission, START_US + 1));
    empty(&it.table[TD_LIMITED_BY_PROVISIONED]);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED); /* nor does the table */
    ck_assert(!td_admission_ask(&it.admission, START_US + 1));
    ck_assert_uint_eq(it.admission.reasons[0].index.len, 0);
}
END_TEST

/* throttling.md §3.3, each cell. */
typedef struct exception_case {
    td_limit_kind kind;
    bool is_index;
    td_direction direction;
    td_billing_mode billing;
    td_status status;
    const char *text_start;
    const char *reason;
} exception_case;

#define M1 "The level of configured provisioned throughput for the table was exceeded."
#define M2 "The level of configured provisioned throughput for one or more global secondary indexes of the table was"
#define M3 "Throughput exceeds the current capacity of your table or index."
#define M4 "Throughput exceeds the current capacity for one or more global secondary indexes."
#define M5 "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
#define M6 "Throughput exceeds the current throughput limit for your account."
#define PTEE TD_PROVISIONED_THROUGHPUT_EXCEEDED
#define PROV TD_BILLING_PROVISIONED
#define OD TD_BILLING_ON_DEMAND

static const exception_case exception_cases[] = {
    {TD_LIMITED_BY_PROVISIONED, false, TD_READ, PROV, PTEE, M1, "TableReadProvisionedThroughputExceeded"},
    {TD_LIMITED_BY_PROVISIONED, false, TD_WRITE, PROV, PTEE, M1, "TableWriteProvisionedThroughputExceeded"},
    {TD_LIMITED_BY_PROVISIONED, true, TD_READ, PROV, PTEE, M2, "IndexReadProvisionedThroughputExceeded"},
    {TD_LIMITED_BY_PROVISIONED, true, TD_WRITE, PROV, PTEE, M2, "IndexWriteProvisionedThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, false, TD_READ, PROV, PTEE, M1, "TableReadKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, false, TD_WRITE, PROV, PTEE, M1, "TableWriteKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, true, TD_READ, PROV, PTEE, M2, "IndexReadKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, true, TD_WRITE, PROV, TD_THROTTLING, M4, "IndexWriteKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, false, TD_READ, OD, TD_THROTTLING, M3, "TableReadKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, false, TD_WRITE, OD, TD_THROTTLING, M3, "TableWriteKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, true, TD_READ, OD, TD_THROTTLING, M3, "IndexReadKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_KEY_RANGE, true, TD_WRITE, OD, TD_THROTTLING, M4, "IndexWriteKeyRangeThroughputExceeded"},
    {TD_LIMITED_BY_MAX_ON_DEMAND, false, TD_READ, OD, TD_THROTTLING, M5, "TableReadMaxOnDemandThroughputExceeded"},
    {TD_LIMITED_BY_MAX_ON_DEMAND, false, TD_WRITE, OD, TD_THROTTLING, M5, "TableWriteMaxOnDemandThroughputExceeded"},
    {TD_LIMITED_BY_MAX_ON_DEMAND, true, TD_READ, OD, TD_THROTTLING, M5, "IndexReadMaxOnDemandThroughputExceeded"},
    {TD_LIMITED_BY_MAX_ON_DEMAND, true, TD_WRITE, OD, TD_THROTTLING, M5, "IndexWriteMaxOnDemandThroughputExceeded"},
    {TD_LIMITED_BY_ACCOUNT, false, TD_READ, OD, TD_REQUEST_LIMIT_EXCEEDED, M6, "TableReadAccountLimitExceeded"},
    {TD_LIMITED_BY_ACCOUNT, false, TD_WRITE, OD, TD_REQUEST_LIMIT_EXCEEDED, M6, "TableWriteAccountLimitExceeded"},
    {TD_LIMITED_BY_ACCOUNT, true, TD_READ, OD, TD_REQUEST_LIMIT_EXCEEDED, M6, "IndexReadAccountLimitExceeded"},
    {TD_LIMITED_BY_ACCOUNT, true, TD_WRITE, OD, TD_THROTTLING, M4, "IndexWriteAccountLimitExceeded"},
};

START_TEST(each_limit_raises_its_exception)
{
    const exception_case *row = &exception_cases[_i];
    bench it;
    bench_init(&it);
    empty(row->is_index ? &it.index[row->kind] : &it.table[row->kind]);
    prepare(&it, row->direction, row->billing);
    ck_assert(!td_admission_ask(&it.admission, START_US));

    td_arena arena;
    td_arena_init(&arena, 65536);
    td_error error = {.arena = &arena};
    ck_assert_int_eq(td_admission_raise(&it.admission, &error), row->status);
    ck_assert_int_eq(error.status, row->status);
    ck_assert_msg(td_slice_has_prefix(error.text, td_slice_of_cstr(row->text_start)), "%.*s", (int)error.text.len,
                  (const char *)error.text.ptr);
    ck_assert_uint_eq(error.throttle->count, 1);
    ck_assert_str_eq(td_throttle_reason_name(&error.throttle->reasons[0]), row->reason);
    ck_assert(td_slice_equal(error.throttle->reasons[0].index, row->is_index ? TD_LIT("by-date") : TD_LIT("")));
    td_arena_done(&arena);
}
END_TEST

START_TEST(an_exception_without_memory_is_out_of_memory)
{
    bench it;
    bench_init(&it);
    empty(&it.table[TD_LIMITED_BY_PROVISIONED]);
    prepare(&it, TD_WRITE, TD_BILLING_PROVISIONED);
    ck_assert(!td_admission_ask(&it.admission, START_US));
    td_arena arena;
    td_arena_init(&arena, 1);
    td_error error = {.arena = &arena};
    ck_assert_int_eq(td_admission_raise(&it.admission, &error), TD_OUT_OF_MEMORY);
    ck_assert_ptr_null(error.throttle);
    td_arena_done(&arena);
}
END_TEST

TCase *admission_tests(void)
{
    TCase *tests = tcase_create("admission");
    tcase_add_test(tests, all_open_passes_and_takes_nothing_yet);
    tcase_add_test(tests, charge_takes_from_every_bucket_of_its_target_only);
    tcase_add_test(tests, the_first_closed_limit_in_order_is_the_reason);
    tcase_add_test(tests, an_index_that_is_closed_refuses_and_is_named);
    tcase_add_test(tests, report_all_reasons_lists_each_limit_once_in_order);
    tcase_add_test(tests, time_opens_a_closed_bucket);
    tcase_add_test(tests, enforce_off_asks_and_counts_nothing);
    tcase_add_test(tests, observe_counts_and_lets_pass);
    tcase_add_test(tests, eventual_reads_take_less_from_the_cap_alone);
    tcase_add_test(tests, a_written_index_may_lag_by_its_backlog);
    tcase_add_loop_test(tests, each_limit_raises_its_exception, 0, (int)TD_COUNT_OF(exception_cases));
    tcase_add_test(tests, an_exception_without_memory_is_out_of_memory);
    return tests;
}
