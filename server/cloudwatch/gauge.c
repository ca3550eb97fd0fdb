/* SPDX-License-Identifier: Apache-2.0
 * gauge.c: quotas of the account and what of them is provisioned, as they were; indexes that are made, as they are now.
 */
#include "metric.h"

#include <math.h>

#define STEP_US (5 * TD_CW_MINUTE_US)

typedef struct gauge_row {
    td_slice name;
    const char *unit;
    td_cw_gauge_of of;
} gauge_row;

static const gauge_row gauges[TD_CW_GAUGE_COUNT] = {
#define TD_CW_GAUGE(id, name, unit, of) [TD_CW_GAUGE_##id] = {TD_LIT_INIT(name), unit, TD_CW_OF_##of},
#include "gauges.def"
#undef TD_CW_GAUGE
};

static void read_account(const td_cw_call *call, td_cw_gauge gauge, const td_series_window *window, td_samples *points);
static void read_index(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                       td_samples *points);
static bool value_of(td_cw_gauge gauge, const td_table_info *info, const td_index_info *index, double *ret_value);
static void add_sample(td_time_us at_us, double value, const td_series_window *window, td_samples *points);
static double percent(double part, double whole);

td_slice td_cw_gauge_name(td_cw_gauge gauge)
{
    return gauges[gauge].name;
}

const char *td_cw_gauge_unit(td_cw_gauge gauge)
{
    return gauges[gauge].unit;
}

td_cw_gauge_of td_cw_gauge_is_of(td_cw_gauge gauge)
{
    return gauges[gauge].of;
}

void td_cw_gauge_read(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                      td_samples *points)
{
    if (gauges[metric->id].of == TD_CW_OF_ACCOUNT)
        read_account(call, (td_cw_gauge)metric->id, window, points);
    else
        read_index(call, metric, window, points);
}

bool td_cw_gauge_of_index(const td_cw_call *call, td_cw_gauge gauge, td_slice table, td_slice index, double *ret_value,
                          td_time_us *ret_since_us)
{
    td_error error = {.arena = call->arena};
    td_call engine = {.store = call->service->store,
                      .arena = call->arena,
                      .now_us = call->now_us,
                      .scope = call->scope,
                      .region = call->region,
                      .table = table};
    td_table_info info;
    if (td_table_describe(&engine, &info, &error) != TD_OK) return false;
    for (uint32_t i = 0; i < info.index_count; i++) {
        const td_index_info *found = &info.indexes[i];
        if (!found->spec.is_global || !td_slice_equal(found->spec.name, index)) continue;
        *ret_since_us = info.created_us;
        return value_of(gauge, &info, found, ret_value);
    }
    return false;
}

/* The step that the server started in is the first. A clock that was put back before it begins anew. */
static void read_account(const td_cw_call *call, td_cw_gauge gauge, const td_series_window *window, td_samples *points)
{
    static const struct {
        td_account_quota quota;
        td_direction direction;
        enum { OF_QUOTA, OF_ALL, OF_GREATEST } part;
    } rows[TD_CW_GAUGE_COUNT] = {
        [TD_CW_GAUGE_ACCOUNT_READS] = {TD_QUOTA_ACCOUNT_READS, TD_READ, OF_QUOTA},
        [TD_CW_GAUGE_ACCOUNT_WRITES] = {TD_QUOTA_ACCOUNT_WRITES, TD_WRITE, OF_QUOTA},
        [TD_CW_GAUGE_TABLE_READS] = {TD_QUOTA_TABLE_READS, TD_READ, OF_QUOTA},
        [TD_CW_GAUGE_TABLE_WRITES] = {TD_QUOTA_TABLE_WRITES, TD_WRITE, OF_QUOTA},
        [TD_CW_GAUGE_ACCOUNT_READ_USE] = {TD_QUOTA_ACCOUNT_READS, TD_READ, OF_ALL},
        [TD_CW_GAUGE_ACCOUNT_WRITE_USE] = {TD_QUOTA_ACCOUNT_WRITES, TD_WRITE, OF_ALL},
        [TD_CW_GAUGE_TABLE_READ_USE] = {TD_QUOTA_TABLE_READS, TD_READ, OF_GREATEST},
        [TD_CW_GAUGE_TABLE_WRITE_USE] = {TD_QUOTA_TABLE_WRITES, TD_WRITE, OF_GREATEST},
    };
    td_account_step *steps;
    uint32_t count;
    if (!td_store_read_account(call->service->store, call->scope, rows[gauge].quota, rows[gauge].direction, window,
                               call->arena, &steps, &count)) {
        return;
    }
    td_time_us started_us = call->service->started_us < call->now_us ? call->service->started_us : call->now_us;
    for (uint32_t i = 0; i < count; i++) {
        int64_t used = rows[gauge].part == OF_ALL ? steps[i].provisioned : steps[i].greatest;
        double quota = (double)steps[i].quota;
        double value = rows[gauge].part == OF_QUOTA ? quota : percent((double)used, quota);
        if (steps[i].at_us + STEP_US > started_us) add_sample(steps[i].at_us, value, window, points);
    }
}

static void read_index(const td_cw_call *call, const td_cw_metric *metric, const td_series_window *window,
                       td_samples *points)
{
    double value;
    td_time_us since_us;
    if (!td_cw_gauge_of_index(call, (td_cw_gauge)metric->id, metric->dimensions[TD_CW_TABLE_NAME],
                              metric->dimensions[TD_CW_INDEX_NAME], &value, &since_us)) {
        return;
    }
    td_time_us first_us =
        window->from_us > since_us / STEP_US * STEP_US ? window->from_us : since_us / STEP_US * STEP_US;
    td_time_us end_us = window->from_us + window->count * window->period_us;
    for (td_time_us at_us = (first_us + STEP_US - 1) / STEP_US * STEP_US; at_us < end_us && at_us <= call->now_us;
         at_us += STEP_US) {
        add_sample(at_us, value, window, points);
    }
}

static bool value_of(td_cw_gauge gauge, const td_table_info *info, const td_index_info *index, double *ret_value)
{
    bool is_progress = gauge == TD_CW_GAUGE_INDEX_PROGRESS;
    *ret_value = is_progress ? percent((double)index->item_count, (double)info->item_count) : 0;
    return gauges[gauge].of == TD_CW_OF_INDEX && index->is_backfilling;
}

static void add_sample(td_time_us at_us, double value, const td_series_window *window, td_samples *points)
{
    int64_t scaled = llround(value * TD_CW_GAUGE_SCALE);
    td_samples sample = {.statistic = {1, scaled, scaled, scaled}};
    td_series_read_minute(at_us / TD_SERIES_MINUTE_US, &sample, window, points);
}

static double percent(double part, double whole)
{
    return whole <= 0 ? 0 : 100 * part / whole;
}
