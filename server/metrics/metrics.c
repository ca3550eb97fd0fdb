/* SPDX-License-Identifier: Apache-2.0
 * metrics.c: the recorders of all workers, as one: made, reset, summed, listed, read.
 * Not here: what a request counts as (record.c), figures by the minute (kept.c). */
#include "metrics_private.h"

#include <stdlib.h>

#include "thermodyn/memory.h"

static td_metrics_recorder *make_recorder(td_metrics *metrics);
static void free_recorder(td_metrics_recorder *recorder);
static void sum_recorder(const td_metrics_recorder *recorder, td_metrics_totals *totals);
static void sum_latencies(const td_metrics_latencies *latencies, td_metrics_histogram *histogram);
static bool is_current_locked(const td_metrics_recorder *recorder);
static bool list_locked(const td_metrics_recorder *recorder, td_arena *arena, td_metrics_entry *entries, uint32_t room,
                        uint32_t *count);
static uint32_t recorded_locked(const td_metrics_kept *kept);
static uint32_t merge_equal(td_metrics_entry *entries, uint32_t count);
static int compare(const void *a, const void *b);

static const struct {
    const char *name;
    td_metric_of of;
} rows[TD_REQUEST_METRIC_COUNT] = {
#define TD_REQUEST_METRIC(id, name, of) [TD_REQUEST_METRIC_##id] = {name, TD_METRIC_OF_##of},
#include "metrics/metrics.def"
#undef TD_REQUEST_METRIC
};

const char *td_request_metric_name(td_request_metric metric)
{
    TD_ASSERT(metric < TD_REQUEST_METRIC_COUNT);
    return rows[metric].name;
}

td_metric_of td_request_metric_of(td_request_metric metric)
{
    TD_ASSERT(metric < TD_REQUEST_METRIC_COUNT);
    return rows[metric].of;
}

td_metrics *td_metrics_new(uint32_t recorder_count)
{
    td_metrics *metrics = td_alloc_zero(sizeof *metrics);
    if (metrics == NULL) return NULL;
    metrics->recorders = td_alloc_zero(recorder_count * sizeof(td_metrics_recorder *));
    while (metrics->recorders != NULL && metrics->recorder_count < recorder_count) {
        td_metrics_recorder *recorder = make_recorder(metrics);
        if (recorder == NULL) break;
        metrics->recorders[metrics->recorder_count++] = recorder;
    }
    if (metrics->recorder_count == recorder_count) return metrics;
    td_metrics_free(metrics);
    return NULL;
}

void td_metrics_free(td_metrics *metrics)
{
    if (metrics == NULL) return;
    for (uint32_t i = 0; i < metrics->recorder_count; i++)
        free_recorder(metrics->recorders[i]);
    td_free(metrics->recorders);
    td_free(metrics);
}

td_metrics_recorder *td_metrics_get_recorder(td_metrics *metrics, uint32_t worker)
{
    TD_ASSERT(worker < metrics->recorder_count);
    return metrics->recorders[worker];
}

void td_metrics_reset(td_metrics *metrics)
{
    atomic_fetch_add_explicit(&metrics->generation, 1, memory_order_relaxed);
}

bool td_metrics_list(td_metrics *metrics, td_arena *arena, td_metrics_entry **ret_entries, uint32_t *ret_count)
{
    uint32_t room = 0;
    for (uint32_t i = 0; i < metrics->recorder_count; i++) {
        td_metrics__lock(metrics->recorders[i]);
        room += (uint32_t)td_map_count(metrics->recorders[i]->by_key);
        td_metrics__unlock(metrics->recorders[i]);
    }
    td_metrics_entry *entries = td_arena_alloc_array(arena, room, sizeof *entries);
    uint32_t count = 0;
    bool is_listed = entries != NULL;
    for (uint32_t i = 0; is_listed && i < metrics->recorder_count; i++) {
        td_metrics__lock(metrics->recorders[i]);
        is_listed = list_locked(metrics->recorders[i], arena, entries, room, &count);
        td_metrics__unlock(metrics->recorders[i]);
    }
    if (!is_listed) return false;
    if (count > 1) qsort(entries, count, sizeof *entries, compare);
    *ret_entries = entries;
    *ret_count = merge_equal(entries, count);
    return true;
}

bool td_metrics_read(td_metrics *metrics, const td_metrics_entry *entry, td_request_metric metric,
                     const td_series_window *window, td_samples *points)
{
    td_metrics_id id = {entry->scope, entry->table, entry->operation, entry->kind};
    bool is_known = false;
    for (uint32_t i = 0; i < metrics->recorder_count; i++) {
        td_metrics_recorder *recorder = metrics->recorders[i];
        td_metrics__lock(recorder);
        const td_metrics_kept *kept = is_current_locked(recorder) ? td_metrics__find_locked(recorder, &id) : NULL;
        if (kept != NULL) {
            td_samples open = td_metrics__open_locked(kept, metric);
            is_known = true;
            td_series_read(kept->series[metric], window, points);
            td_series_read_minute(kept->minute_us / TD_SERIES_MINUTE_US, &open, window, points);
        }
        td_metrics__unlock(recorder);
    }
    return is_known;
}

void td_metrics_sum(td_metrics *metrics, td_metrics_totals *ret_totals)
{
    memset(ret_totals, 0, sizeof *ret_totals);
    for (uint32_t i = 0; i < metrics->recorder_count; i++)
        sum_recorder(metrics->recorders[i], ret_totals);
}

static td_metrics_recorder *make_recorder(td_metrics *metrics)
{
    td_metrics_recorder *recorder = td_alloc_zero(sizeof *recorder);
    if (recorder == NULL) return NULL;
    recorder->metrics = metrics;
    recorder->by_key = td_map_new();
    if (recorder->by_key == NULL) {
        td_free(recorder);
        return NULL;
    }
    int error = pthread_mutex_init(&recorder->lock, NULL);
    TD_ASSERT(error == 0);
    return recorder;
}

static void free_recorder(td_metrics_recorder *recorder)
{
    td_metrics__forget_locked(recorder);
    td_map_free(recorder->by_key);
    pthread_mutex_destroy(&recorder->lock);
    td_free(recorder);
}

static void sum_recorder(const td_metrics_recorder *recorder, td_metrics_totals *totals)
{
    for (size_t i = 0; i < TD_METRICS_OPERATIONS_MAX; i++) {
        for (size_t k = 0; k < TD_STATUS_COUNT; k++)
            totals->requests[i][k] += td_metrics__read(&recorder->requests[i][k]);
        sum_latencies(&recorder->latency[i], &totals->latency[i]);
    }
    sum_latencies(&recorder->loop_delay, &totals->loop_delay);
    totals->connections += td_metrics__read(&recorder->connections);
    totals->in_flight += td_metrics__read(&recorder->in_flight);
    totals->accepted += td_metrics__read(&recorder->accepted);
    totals->lost += td_metrics__read(&recorder->lost);
}

static void sum_latencies(const td_metrics_latencies *latencies, td_metrics_histogram *histogram)
{
    for (size_t i = 0; i < TD_COUNT_OF(histogram->buckets); i++)
        histogram->buckets[i] += td_metrics__read(&latencies->buckets[i]);
    histogram->sum_us += td_metrics__read(&latencies->sum_us);
}

/* After a reset it forgets with its next request; until then what it kept does not count. */
static bool is_current_locked(const td_metrics_recorder *recorder)
{
    return recorder->generation == atomic_load_explicit(&recorder->metrics->generation, memory_order_relaxed);
}

/* What came since the room was counted waits for the next call. */
static bool list_locked(const td_metrics_recorder *recorder, td_arena *arena, td_metrics_entry *entries, uint32_t room,
                        uint32_t *count)
{
    if (!is_current_locked(recorder)) return true;
    for (const td_metrics_kept *kept = recorder->kept; kept != NULL && *count < room; kept = kept->next) {
        td_metrics_entry *entry = &entries[*count];
        *entry =
            (td_metrics_entry){.operation = kept->operation, .kind = kept->kind, .recorded = recorded_locked(kept)};
        if (!td_arena_copy(arena, kept->scope, &entry->scope)) return false;
        if (!td_arena_copy(arena, kept->table, &entry->table)) return false;
        (*count)++;
    }
    return true;
}

static uint32_t recorded_locked(const td_metrics_kept *kept)
{
    uint32_t recorded = 0;
    for (int i = 0; i < TD_REQUEST_METRIC_COUNT; i++) {
        bool has_samples = kept->series[i] != NULL || td_metrics__read(&kept->open[i].count) > 0;
        if (has_samples) recorded |= UINT32_C(1) << i;
    }
    return recorded;
}

static uint32_t merge_equal(td_metrics_entry *entries, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept > 0 && compare(&entries[kept - 1], &entries[i]) == 0)
            entries[kept - 1].recorded |= entries[i].recorded;
        else
            entries[kept++] = entries[i];
    }
    return kept;
}

static int compare(const void *a, const void *b)
{
    const td_metrics_entry *left = a;
    const td_metrics_entry *right = b;
    int order = td_slice_compare(left->scope, right->scope);
    if (order == 0) order = td_slice_compare(left->table, right->table);
    if (order == 0) order = (left->operation > right->operation) - (left->operation < right->operation);
    return order != 0 ? order : (left->kind > right->kind) - (left->kind < right->kind);
}
