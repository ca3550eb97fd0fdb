/* SPDX-License-Identifier: MIT
 * statistics.c: GetMetricStatistics: one metric by period, at most 1,440 points; periods without samples are left out.
 */
#include "metric.h"

static td_cw_status check_statistics(td_cw_call *call);
static td_cw_status read_window(td_cw_call *call, td_cw_window *ret_window);
static void write_point(td_cw_call *call, td_time_us time, const td_cw_point *point, const char *unit);
static bool has_percentiles(const td_cw_call *call);

td_cw_status td_cw__get_metric_statistics(td_cw_call *call)
{
    const td_json *input = call->input;
    td_cw_window window;
    TD_CW_TRY(check_statistics(call));
    TD_CW_TRY(read_window(call, &window));
    td_cw_point *points = td_arena_alloc_array(call->arena, window.count, sizeof *points);
    if (points == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);

    td_slice name = td_cw_text(input, "MetricName");
    td_slice unit = td_cw_text(input, "Unit");
    td_cw_metric metric;
    bool is_known = td_cw_metric_find(td_cw_text(input, "Namespace"), name, td_cw_find(input, "Dimensions"), &metric);
    bool is_asked = is_known && (unit.len == 0 || td_slice_equal(unit, td_slice_of_cstr(td_cw_metric_unit(&metric))));
    if (is_asked && !td_cw_metric_read(call, &metric, &window, points)) {
        return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    }
    td_cw_put_text(&call->out, "Label", name);
    td_cw_open_list(&call->out, "Datapoints");
    for (uint32_t i = 0; i < window.count && is_asked; i++) {
        if (points[i].count <= 0) continue;
        td_time_us time = window.from_us + i * window.period_us;
        write_point(call, time, &points[i], td_cw_metric_unit(&metric));
    }
    td_cw_close(&call->out);
    return TD_CW_OK;
}

static td_cw_status check_statistics(td_cw_call *call)
{
    const td_json *plain = td_cw_find(call->input, "Statistics");
    const td_json *extended = td_cw_find(call->input, "ExtendedStatistics");
    if (plain == NULL && extended == NULL) return TD_CW_RAISE(call, TD_CW_MSG_NO_STATISTICS);
    if (plain != NULL && extended != NULL) return TD_CW_RAISE(call, TD_CW_MSG_STATISTICS_TWICE);
    for (uint32_t i = 0; i < td_cw_count(extended); i++) {
        td_cw_stat_kind kind;
        td_slice text = extended->children[i].text;
        if (td_cw_stat_parse(text, &kind) && kind == TD_CW_PERCENTILE) continue;
        return TD_CW_RAISE(call, TD_CW_MSG_EXTENDED_STATISTIC, text, td_cw__int_text(call, i + 1));
    }
    return TD_CW_OK;
}

static td_cw_status read_window(td_cw_call *call, td_cw_window *ret_window)
{
    int64_t period_s = td_cw_int(call->input, "Period", 0);
    if (!td_cw__is_period(period_s)) return TD_CW_RAISE(call, TD_CW_MSG_PERIOD_UNKNOWN);
    int64_t count = 0;
    if (!td_cw__span(td_cw_time(call->input, "StartTime"), td_cw_time(call->input, "EndTime"), period_s, ret_window,
                     &count)) {
        return TD_CW_RAISE(call, TD_CW_MSG_START_NOT_BEFORE_END);
    }
    if (count > TD_CW_POINTS_MAX) return TD_CW_RAISE(call, TD_CW_MSG_TOO_MANY_POINTS, td_cw__grouped(call, count));
    return TD_CW_OK;
}

static void write_point(td_cw_call *call, td_time_us time, const td_cw_point *point, const char *unit)
{
    static const char *const names[] = {[TD_CW_SAMPLE_COUNT] = "SampleCount",
                                        [TD_CW_AVERAGE] = "Average",
                                        [TD_CW_SUM] = "Sum",
                                        [TD_CW_MINIMUM] = "Minimum",
                                        [TD_CW_MAXIMUM] = "Maximum"};
    td_cw_writer *out = &call->out;
    const td_json *plain = td_cw_find(call->input, "Statistics");
    const td_json *extended = td_cw_find(call->input, "ExtendedStatistics");
    double value;
    if (extended != NULL && !td_cw_stat_of(point, TD_CW_PERCENTILE, &value)) return;
    td_cw_open(out, NULL);
    td_cw_put_time(out, "Timestamp", time);
    uint32_t written = 0; /* 1 << td_cw_stat_kind */
    for (uint32_t i = 0; i < td_cw_count(plain); i++) {
        td_cw_stat_kind kind;
        bool is_known = td_cw_stat_parse(plain->children[i].text, &kind) && td_cw_stat_of(point, kind, &value);
        if (!is_known || (written >> kind & 1) != 0) continue;
        td_cw_put_double(out, names[kind], value);
        written |= 1u << kind;
    }
    td_cw_put_literal(out, "Unit", unit);
    if (has_percentiles(call)) {
        td_cw_open_map(out, "ExtendedStatistics");
        for (uint32_t i = 0; i < extended->count; i++)
            td_cw_put_entry(out, extended->children[i].text, value);
        td_cw_close(out);
    }
    td_cw_close(out);
}

static bool has_percentiles(const td_cw_call *call)
{
    return td_cw_find(call->input, "ExtendedStatistics") != NULL;
}
