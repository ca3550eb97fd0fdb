/* SPDX-License-Identifier: Apache-2.0
 * statistics.c: GetMetricStatistics: one metric by period, at most 1,440 points; periods without samples are left out.
 */
#include "metric.h"
#include "stat.h"

static td_cw_status check_statistics(td_cw_call *call);
static td_cw_status read_window(td_cw_call *call, td_cw_window *ret_window);
static void write_point(td_cw_call *call, td_time_us time, const td_samples *point, const td_cw_metric *metric);
static bool has_one_of(const td_json *names, const td_samples *point, double scale);
static void write_plain(td_cw_call *call, const td_json *names, const td_samples *point, double scale);

td_cw_status td_cw__get_metric_statistics(td_cw_call *call)
{
    const td_json *input = call->input;
    td_cw_window window;
    TD_CW_TRY(check_statistics(call));
    TD_CW_TRY(read_window(call, &window));
    window.has_spreads = td_cw_find(input, "ExtendedStatistics") != NULL;

    td_slice name = td_cw_text(input, "MetricName");
    td_slice unit = td_cw_text(input, "Unit");
    td_cw_metric metric;
    bool is_known = td_cw_metric_find(td_cw_text(input, "Namespace"), name, td_cw_find(input, "Dimensions"), &metric);
    bool is_asked = is_known && (unit.len == 0 || td_slice_equal(unit, td_slice_of_cstr(td_cw_metric_unit(&metric))));
    const td_samples *points = is_asked ? td_cw_metric_read(call, &metric, &window) : NULL;
    if (is_asked && points == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    td_cw_put_text(&call->out, "Label", name);
    td_cw_open_list(&call->out, "Datapoints");
    for (uint32_t i = 0; i < window.count && is_asked; i++)
        write_point(call, window.from_us + i * window.period_us, &points[i], &metric);
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
        td_cw_stat stat;
        td_slice text = extended->children[i].text;
        if (td_cw_stat_parse(text, &stat) && td_cw_stat_is_extended(&stat)) continue;
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

static void write_point(td_cw_call *call, td_time_us time, const td_samples *point, const td_cw_metric *metric)
{
    td_cw_writer *out = &call->out;
    const td_json *plain = td_cw_find(call->input, "Statistics");
    const td_json *extended = td_cw_find(call->input, "ExtendedStatistics");
    double scale = td_cw_metric_scale(metric);
    if (!has_one_of(plain != NULL ? plain : extended, point, scale)) return;
    td_cw_open(out, NULL);
    td_cw_put_time(out, "Timestamp", time);
    write_plain(call, plain, point, scale);
    td_cw_put_literal(out, "Unit", td_cw_metric_unit(metric));
    if (extended != NULL) td_cw_open_map(out, "ExtendedStatistics");
    for (uint32_t i = 0; i < td_cw_count(extended); i++) {
        td_cw_stat stat;
        double value;
        bool is_there =
            td_cw_stat_parse(extended->children[i].text, &stat) && td_cw_stat_of(point, &stat, scale, &value);
        if (is_there) td_cw_put_entry(out, extended->children[i].text, value);
    }
    if (extended != NULL) td_cw_close(out);
    td_cw_close(out);
}

static bool has_one_of(const td_json *names, const td_samples *point, double scale)
{
    for (uint32_t i = 0; i < td_cw_count(names); i++) {
        td_cw_stat stat;
        double value;
        if (td_cw_stat_parse(names->children[i].text, &stat) && td_cw_stat_of(point, &stat, scale, &value)) return true;
    }
    return false;
}

/* Each once, however often it is named. */
static void write_plain(td_cw_call *call, const td_json *names, const td_samples *point, double scale)
{
    static const char *const members[] = {[TD_CW_SAMPLE_COUNT] = "SampleCount",
                                          [TD_CW_AVERAGE] = "Average",
                                          [TD_CW_SUM] = "Sum",
                                          [TD_CW_MINIMUM] = "Minimum",
                                          [TD_CW_MAXIMUM] = "Maximum"};
    uint32_t written = 0; /* 1 << td_cw_stat_kind */
    for (uint32_t i = 0; i < td_cw_count(names); i++) {
        td_cw_stat stat;
        double value;
        bool is_there = td_cw_stat_parse(names->children[i].text, &stat) && td_cw_stat_of(point, &stat, scale, &value);
        if (!is_there || (written >> stat.kind & 1) != 0) continue;
        td_cw_put_double(&call->out, members[stat.kind], value);
        written |= 1u << stat.kind;
    }
}
