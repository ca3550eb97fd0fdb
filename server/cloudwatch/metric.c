/* SPDX-License-Identifier: Apache-2.0
 * metric.c: metrics by name and dimensions.
 *
 * Model: a metric is told of exactly the dimensions that it is recorded with (throttling.md §4.1); a name with others
 * is another metric, of which there is nothing. Consumed units have a sample of nothing for each idle minute of a table
 * that is there. Operations of PartiQL are told apart by OperationType or Verb; without it, all of them. */
#include "metric.h"

const td_slice td_cw_dimension_names[TD_CW_DIMENSION_COUNT] = {
    [TD_CW_TABLE_NAME] = TD_LIT_INIT("TableName"),
    [TD_CW_INDEX_NAME] = TD_LIT_INIT("GlobalSecondaryIndexName"),
    [TD_CW_OPERATION_NAME] = TD_LIT_INIT("Operation"),
    [TD_CW_OPERATION_TYPE] = TD_LIT_INIT("OperationType"),
    [TD_CW_VERB] = TD_LIT_INIT("Verb"),
    [TD_CW_SOURCE_NAME] = TD_LIT_INIT("Source"),
};

static bool find_name(td_slice name, td_cw_metric *metric);
static bool take_dimensions(const td_json *dimensions, td_cw_metric *metric);
static bool fits(const td_cw_metric *metric);
static uint32_t required_of(const td_cw_metric *metric, uint32_t *ret_optional);
static td_samples *make_points(td_arena *arena, const td_cw_window *window);
static void release_points(void *object);
static void read_series(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                        td_samples *points);
static void fill_idle(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                      td_samples *points);
static void read_requests(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                          td_samples *points);
static bool find_operation(td_slice name, uint32_t *ret_operation);

bool td_cw_metric_find(td_slice name_space, td_slice name, const td_json *dimensions, td_cw_metric *ret_metric)
{
    td_cw_metric metric = {.name = name};
    if (!td_slice_equal(name_space, TD_LIT(TD_CW_NAMESPACE)) || !find_name(name, &metric)) return false;
    if (!take_dimensions(dimensions, &metric) || !fits(&metric)) return false;
    *ret_metric = metric;
    return true;
}

const char *td_cw_metric_unit(const td_cw_metric *metric)
{
    switch (metric->source) {
    case TD_CW_SERIES: return "Count";
    case TD_CW_REQUESTS: return metric->id == TD_REQUEST_METRIC_LATENCY ? "Milliseconds" : "Count";
    case TD_CW_GAUGES: return td_cw_gauge_unit((td_cw_gauge)metric->id);
    }
    TD_UNREACHABLE("metrics have these sources");
}

double td_cw_metric_scale(const td_cw_metric *metric)
{
    switch (metric->source) {
    case TD_CW_SERIES: return td_metric_is_units((td_metric)metric->id) ? (double)TD_UNITS_ONE : 1;
    case TD_CW_REQUESTS: return metric->id == TD_REQUEST_METRIC_LATENCY ? (double)TD_US_PER_MS : 1;
    case TD_CW_GAUGES: return TD_CW_GAUGE_SCALE;
    }
    TD_UNREACHABLE("metrics have these sources");
}

td_samples *td_cw_metric_read(const td_cw_call *call, const td_cw_metric *metric, const td_cw_window *window)
{
    td_samples *points = make_points(call->arena, window);
    if (points == NULL) return NULL;
    td_series_window series = {call->now_us, window->from_us, window->period_us, window->count, window->has_spreads};
    switch (metric->source) {
    case TD_CW_SERIES: read_series(call, metric, &series, points); return points;
    case TD_CW_REQUESTS: read_requests(call, metric, &series, points); return points;
    case TD_CW_GAUGES: td_cw_gauge_read(call, metric, &series, points); return points;
    }
    TD_UNREACHABLE("metrics have these sources");
}

/* With the samples' spreads, which are not in the arena but go with it. */
typedef struct owned_points {
    td_samples *points;
    uint32_t count;
} owned_points;

static td_samples *make_points(td_arena *arena, const td_cw_window *window)
{
    td_samples *points = td_arena_alloc_array(arena, window->count, sizeof *points);
    if (points == NULL) return NULL;
    memset(points, 0, window->count * sizeof *points);
    if (!window->has_spreads) return points;
    owned_points *owned = td_arena_alloc(arena, sizeof *owned);
    if (owned == NULL) return NULL;
    *owned = (owned_points){points, window->count};
    return td_arena_defer(arena, release_points, owned) ? points : NULL;
}

static void release_points(void *object)
{
    const owned_points *owned = object;
    for (uint32_t i = 0; i < owned->count; i++)
        td_samples_done(&owned->points[i]);
}

static bool find_name(td_slice name, td_cw_metric *metric)
{
    for (uint32_t id = 0; id < TD_METRIC_COUNT; id++) {
        metric->source = TD_CW_SERIES;
        metric->id = id;
        if (td_slice_equal(name, td_slice_of_cstr(td_metric_name((td_metric)id)))) return true;
    }
    for (uint32_t id = 0; id < TD_REQUEST_METRIC_COUNT; id++) {
        metric->source = TD_CW_REQUESTS;
        metric->id = id;
        if (td_slice_equal(name, td_slice_of_cstr(td_request_metric_name((td_request_metric)id)))) return true;
    }
    for (uint32_t id = 0; id < TD_CW_GAUGE_COUNT; id++) {
        metric->source = TD_CW_GAUGES;
        metric->id = id;
        if (td_slice_equal(name, td_cw_gauge_name((td_cw_gauge)id))) return true;
    }
    return false;
}

static bool take_dimensions(const td_json *dimensions, td_cw_metric *metric)
{
    for (uint32_t i = 0; i < td_cw_count(dimensions); i++) {
        td_slice name = td_cw_text(&dimensions->children[i], "Name");
        int at = 0;
        while (at < TD_CW_DIMENSION_COUNT && !td_slice_equal(td_cw_dimension_names[at], name))
            at++;
        if (at == TD_CW_DIMENSION_COUNT || metric->dimensions[at].len > 0) return false;
        metric->dimensions[at] = td_cw_text(&dimensions->children[i], "Value");
    }
    return true;
}

static bool fits(const td_cw_metric *metric)
{
    uint32_t optional = 0;
    uint32_t required = required_of(metric, &optional);
    for (uint32_t i = 0; i < TD_CW_DIMENSION_COUNT; i++) {
        bool is_there = metric->dimensions[i].len > 0;
        if (is_there && ((required | optional) >> i & 1) == 0) return false;
        if (!is_there && (required >> i & 1) != 0) return false;
    }
    return true;
}

/* Sets of dimensions, 1 << td_cw_dimension each. */
static uint32_t required_of(const td_cw_metric *metric, uint32_t *ret_optional)
{
    const uint32_t table = 1u << TD_CW_TABLE_NAME;
    const uint32_t index = 1u << TD_CW_INDEX_NAME;
    const uint32_t operation = 1u << TD_CW_OPERATION_NAME;
    *ret_optional = 0;
    switch (metric->source) {
    case TD_CW_SERIES:
        *ret_optional = index | (metric->id == TD_METRIC_CONSUMED_WRITE ? 1u << TD_CW_SOURCE_NAME : 0);
        return table;
    case TD_CW_REQUESTS:
        switch (td_request_metric_of((td_request_metric)metric->id)) {
        case TD_METRIC_OF_OPERATION:
            *ret_optional = 1u << TD_CW_OPERATION_TYPE | 1u << TD_CW_VERB;
            return table | operation;
        case TD_METRIC_OF_TABLE: return table;
        case TD_METRIC_OF_SCOPE: return 0;
        }
        break;
    case TD_CW_GAUGES:
        switch (td_cw_gauge_is_of((td_cw_gauge)metric->id)) {
        case TD_CW_OF_INDEX: return table | index;
        case TD_CW_OF_ACCOUNT: return 0;
        }
        break;
    }
    TD_UNREACHABLE("metrics have these sources, and are of these things");
}

static void read_series(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                        td_samples *points)
{
    td_slice writer = metric->dimensions[TD_CW_SOURCE_NAME];
    if (writer.len > 0 && !td_slice_equal(writer, TD_LIT("Customer"))) return;
    td_metered resource = {.scope = call->scope,
                           .table = metric->dimensions[TD_CW_TABLE_NAME],
                           .index = metric->dimensions[TD_CW_INDEX_NAME]};
    bool is_known = td_store_read_metric(call->service->store, &resource, (td_metric)metric->id, window, points);
    if (is_known && td_metric_is_units((td_metric)metric->id)) fill_idle(call, metric, window, points);
}

static void fill_idle(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                      td_samples *points)
{
    td_error error = {.arena = call->arena};
    td_call engine = {.store = call->service->store,
                      .arena = call->arena,
                      .now_us = call->now_us,
                      .scope = call->scope,
                      .region = call->region,
                      .table = metric->dimensions[TD_CW_TABLE_NAME]};
    td_table_info info;
    if (td_table_describe(&engine, &info, &error) != TD_OK) return;
    td_slice index = metric->dimensions[TD_CW_INDEX_NAME];
    bool is_there = index.len == 0;
    for (uint32_t i = 0; i < info.index_count; i++)
        is_there |= info.indexes[i].spec.is_global && td_slice_equal(info.indexes[i].spec.name, index);
    for (uint32_t i = 0; is_there && i < window->count; i++) {
        td_time_us start_us = window->from_us + i * window->period_us;
        bool has_been = start_us + window->period_us > info.created_us && start_us <= call->now_us;
        td_statistic *idle = &points[i].statistic;
        if (has_been && idle->count == 0) idle->count = (uint64_t)(window->period_us / TD_CW_MINUTE_US);
    }
}

static void read_requests(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                          td_samples *points)
{
    td_metrics_entry entry = {
        .scope = call->scope, .table = metric->dimensions[TD_CW_TABLE_NAME], .operation = TD_METRICS_NO_OPERATION};
    td_request_metric id = (td_request_metric)metric->id;
    bool is_of_operation = td_request_metric_of(id) == TD_METRIC_OF_OPERATION;
    if (call->service->metrics == NULL) return;
    if (is_of_operation && !find_operation(metric->dimensions[TD_CW_OPERATION_NAME], &entry.operation)) return;
    for (int kind = 0; kind < (is_of_operation ? TD_METRICS_KIND_COUNT : 1); kind++) {
        td_cw_dimension dimension = TD_CW_VERB;
        entry.kind = (td_metrics_kind)kind;
        td_slice name = td_cw_kind_name(entry.kind, &dimension);
        td_slice type = metric->dimensions[TD_CW_OPERATION_TYPE];
        td_slice verb = metric->dimensions[TD_CW_VERB];
        if ((type.len > 0 || verb.len > 0) && !td_slice_equal(metric->dimensions[dimension], name)) continue;
        (void)td_metrics_read(call->service->metrics, &entry, id, window, points); /* not every kind was recorded */
    }
}

static bool find_operation(td_slice name, uint32_t *ret_operation)
{
    const td_operation *operation;
    for (uint32_t i = 0; (operation = td_operation_at(i)) != NULL; i++) {
        if (!td_slice_equal(operation->name, name)) continue;
        *ret_operation = i;
        return true;
    }
    return false;
}
