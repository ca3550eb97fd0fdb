/* SPDX-License-Identifier: Apache-2.0
 * list_metrics.c: ListMetrics: 500 a page, by namespace, name and dimensions; with RecentlyActive, those that had a
 * sample in the last three hours. A NextToken is an offset into the list as it is then. */
#include "metric.h"

#define PAGE_SIZE 500
#define RECENT_US (3 * 3600 * TD_US_PER_S)

static bool is_asked(const td_cw_call *call, const td_cw_metric *metric);
static bool has_dimensions(const td_cw_metric *metric, const td_json *filters);
static bool is_recent(const td_cw_call *call, const td_cw_metric *metric);
static void write_metric(td_cw_writer *out, const td_cw_metric *metric);

td_cw_status td_cw__list_metrics(td_cw_call *call)
{
    int64_t offset;
    TD_CW_TRY(td_cw__read_token(call, &offset));
    td_cw_metric *metrics;
    uint32_t count;
    if (!td_cw_metric_list(call, &metrics, &count)) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    td_slice name_space = td_cw_text(call->input, "Namespace");
    if (name_space.len > 0 && !td_slice_equal(name_space, TD_LIT(TD_CW_NAMESPACE))) count = 0;

    int64_t found = 0;
    bool has_more = false;
    td_cw_open_list(&call->out, "Metrics");
    for (uint32_t i = 0; i < count && !has_more; i++) {
        if (!is_asked(call, &metrics[i])) continue;
        has_more = found == offset + PAGE_SIZE;
        if (found >= offset && !has_more) write_metric(&call->out, &metrics[i]);
        found++;
    }
    td_cw_close(&call->out);
    if (has_more) td_cw__write_token(call, offset + PAGE_SIZE);
    return TD_CW_OK;
}

static bool is_asked(const td_cw_call *call, const td_cw_metric *metric)
{
    td_slice name = td_cw_text(call->input, "MetricName");
    if (name.len > 0 && !td_slice_equal(name, metric->name)) return false;
    if (!has_dimensions(metric, td_cw_find(call->input, "Dimensions"))) return false;
    return td_cw_find(call->input, "RecentlyActive") == NULL || is_recent(call, metric);
}

/* Each filter names a dimension that the metric has; and its value, if it has one. */
static bool has_dimensions(const td_cw_metric *metric, const td_json *filters)
{
    for (uint32_t i = 0; i < td_cw_count(filters); i++) {
        td_slice name = td_cw_text(&filters->children[i], "Name");
        td_slice value = td_cw_text(&filters->children[i], "Value");
        bool is_there = false;
        for (int at = 0; at < TD_CW_DIMENSION_COUNT; at++) {
            is_there |= td_slice_equal(td_cw_dimension_names[at], name) && metric->dimensions[at].len > 0 &&
                        (value.len == 0 || td_slice_equal(metric->dimensions[at], value));
        }
        if (!is_there) return false;
    }
    return true;
}

static bool is_recent(const td_cw_call *call, const td_cw_metric *metric)
{
    td_time_us from_us = (call->now_us - RECENT_US) / TD_CW_MINUTE_US * TD_CW_MINUTE_US;
    td_cw_window window = {.from_us = from_us, .period_us = RECENT_US + TD_CW_MINUTE_US, .count = 1};
    const td_samples *point = td_cw_metric_read(call, metric, &window);
    return point != NULL && point->statistic.count > 0;
}

static void write_metric(td_cw_writer *out, const td_cw_metric *metric)
{
    td_cw_open(out, NULL);
    td_cw_put_literal(out, "Namespace", TD_CW_NAMESPACE);
    td_cw_put_text(out, "MetricName", metric->name);
    td_cw_open_list(out, "Dimensions");
    for (int at = 0; at < TD_CW_DIMENSION_COUNT; at++) {
        if (metric->dimensions[at].len == 0) continue;
        td_cw_open(out, NULL);
        td_cw_put_text(out, "Name", td_cw_dimension_names[at]);
        td_cw_put_text(out, "Value", metric->dimensions[at]);
        td_cw_close(out);
    }
    td_cw_close(out);
    td_cw_close(out);
}
