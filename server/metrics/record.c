/* SPDX-License-Identifier: Apache-2.0
 * record.c: one answered request into its worker's counters and figures. */
#include "metrics_private.h"

const uint32_t td_metrics_latency_bounds_us[TD_METRICS_LATENCY_BUCKETS] = {
    10,    25,    50,     100,    250,    500,     1000,    2500,    5000,    10000,
    25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000};

static void count_latency(td_metrics_latencies *latencies, int64_t latency_us);
static void forget_if_reset(td_metrics_recorder *recorder);
static bool is_user_error(td_status status, int http_status);
static void record_operation(td_metrics_recorder *recorder, const td_metrics_request *request,
                             const td_metrics_table *table);
static void record_table(td_metrics_recorder *recorder, const td_metrics_request *request,
                         const td_metrics_table *table);
static void record_scope(td_metrics_recorder *recorder, const td_metrics_request *request);

void td_metrics_record(td_metrics_recorder *recorder, const td_metrics_request *request)
{
    TD_ASSERT(request->operation < TD_METRICS_OPERATIONS_MAX);
    TD_ASSERT(request->status < TD_STATUS_COUNT);
    td_metrics__count(&recorder->requests[request->operation][request->status], 1);
    count_latency(&recorder->latency[request->operation], request->latency_us);
    forget_if_reset(recorder);
    for (uint32_t i = 0; i < request->table_count; i++) {
        record_operation(recorder, request, &request->tables[i]);
        record_table(recorder, request, &request->tables[i]);
    }
    if (is_user_error(request->status, td_status_http(request->status))) record_scope(recorder, request);
}

void td_metrics_count_connection(td_metrics_recorder *recorder, int change)
{
    td_metrics__count(&recorder->connections, (uint64_t)change);
    if (change > 0) td_metrics__count(&recorder->accepted, (uint64_t)change);
}

void td_metrics_count_in_flight(td_metrics_recorder *recorder, int change)
{
    td_metrics__count(&recorder->in_flight, (uint64_t)change);
}

void td_metrics_record_loop_delay(td_metrics_recorder *recorder, int64_t delay_us)
{
    count_latency(&recorder->loop_delay, delay_us);
}

static void count_latency(td_metrics_latencies *latencies, int64_t latency_us)
{
    size_t bucket = 0;
    while (bucket < TD_METRICS_LATENCY_BUCKETS && latency_us > (int64_t)td_metrics_latency_bounds_us[bucket])
        bucket++;
    td_metrics__count(&latencies->buckets[bucket], 1);
    td_metrics__count(&latencies->sum_us, (uint64_t)latency_us);
}

static void forget_if_reset(td_metrics_recorder *recorder)
{
    uint64_t generation = atomic_load_explicit(&recorder->metrics->generation, memory_order_relaxed);
    if (recorder->generation == generation) return;
    td_metrics__lock(recorder);
    td_metrics__forget_locked(recorder);
    recorder->generation = generation;
    td_metrics__unlock(recorder);
}

/* Source: AWS, "DynamoDB Metrics and dimensions", UserErrors. */
static bool is_user_error(td_status status, int http_status)
{
    return http_status >= 400 && http_status < 500 && status != TD_PROVISIONED_THROUGHPUT_EXCEEDED &&
           status != TD_CONDITIONAL_CHECK_FAILED;
}

static void record_operation(td_metrics_recorder *recorder, const td_metrics_request *request,
                             const td_metrics_table *table)
{
    bool is_system_error = td_status_http(request->status) >= 500;
    if (request->status != TD_OK && !is_system_error && table->throttled == 0) return;
    td_metrics_id id = {request->scope, table->name, request->operation, request->kind};
    td_metrics_kept *kept = td_metrics__keep(recorder, &id, request->now_us);
    if (kept == NULL) {
        td_metrics__count(&recorder->lost, 1);
        return;
    }
    if (request->status == TD_OK) {
        td_metrics__add(recorder, kept, TD_REQUEST_METRIC_LATENCY, request->latency_us);
        if (request->has_returned_items) {
            td_metrics__add(recorder, kept, TD_REQUEST_METRIC_RETURNED_ITEMS, request->returned_items);
        }
    }
    if (table->throttled > 0) td_metrics__add(recorder, kept, TD_REQUEST_METRIC_THROTTLED, 1);
    if (is_system_error) td_metrics__add(recorder, kept, TD_REQUEST_METRIC_SYSTEM_ERRORS, 1);
}

static void record_table(td_metrics_recorder *recorder, const td_metrics_request *request,
                         const td_metrics_table *table)
{
    if (table->condition_failed == 0 && table->conflicts == 0) return;
    td_metrics_id id = {request->scope, table->name, TD_METRICS_NO_OPERATION, TD_METRICS_PLAIN};
    td_metrics_kept *kept = td_metrics__keep(recorder, &id, request->now_us);
    if (kept == NULL) {
        td_metrics__count(&recorder->lost, 1);
        return;
    }
    for (uint32_t i = 0; i < table->condition_failed; i++)
        td_metrics__add(recorder, kept, TD_REQUEST_METRIC_CONDITION_FAILED, 1);
    if (table->conflicts > 0) td_metrics__add(recorder, kept, TD_REQUEST_METRIC_TRANSACTION_CONFLICT, table->conflicts);
}

static void record_scope(td_metrics_recorder *recorder, const td_metrics_request *request)
{
    td_metrics_id id = {request->scope, td_slice_of(NULL, 0), TD_METRICS_NO_OPERATION, TD_METRICS_PLAIN};
    td_metrics_kept *kept = td_metrics__keep(recorder, &id, request->now_us);
    if (kept == NULL)
        td_metrics__count(&recorder->lost, 1);
    else
        td_metrics__add(recorder, kept, TD_REQUEST_METRIC_USER_ERRORS, 1);
}
