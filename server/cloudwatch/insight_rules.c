/* SPDX-License-Identifier: Apache-2.0
 * insight_rules.c: DescribeInsightRules and GetInsightRuleReport: the rules that Contributor Insights of tables and
 * global indexes have made (throttling.md §4.2). No other rules exist. */
#include "metric.h"
#include "thermodyn/insights.h"
#include "thermodyn/text.h"

#define RULES_PAGE 500
#define CONTRIBUTORS_DEFAULT 10
#define CONTRIBUTORS_MAX 25 /* AWS, "CloudWatch Contributor Insights for DynamoDB: how it works" */
#define RULE_BYTES_MAX 512

typedef enum rule_metric {
    UNIQUE_CONTRIBUTORS,
    MAX_CONTRIBUTOR_VALUE,
    SAMPLE_COUNT,
    SUM,
    MINIMUM,
    MAXIMUM,
    AVERAGE,
    RULE_METRIC_COUNT,
} rule_metric;

static const char *const rule_metrics[RULE_METRIC_COUNT] = {
    "UniqueContributors", "MaxContributorValue", "SampleCount", "Sum", "Minimum", "Maximum", "Average"};

static td_call engine_call(const td_cw_call *call);
static td_cw_status find_rule(td_cw_call *call, td_slice name, td_insights_info *ret_info, td_insight_rule *ret_rule);
static td_cw_status read_request(td_cw_call *call, td_insights_request *ret_request);
static td_cw_status read_metrics(td_cw_call *call, uint32_t *ret_metrics);
static bool write_rule(td_cw_call *call, const td_insights_info *info, td_insight_rule rule, td_buf *name);
static void write_report(td_cw_call *call, const td_insights_request *request, const td_insights_report *report,
                         uint32_t metrics);
static void write_contributor(td_cw_call *call, const td_insights_request *request, const td_insights_report *report,
                              const td_contributor *contributor);
static void write_periods(td_cw_call *call, const td_insights_request *request, const td_insights_report *report,
                          uint32_t metrics);
static double metric_of(const td_contributor_point *point, rule_metric metric);
static double plain(int64_t milli);

td_cw_status td_cw__describe_insight_rules(td_cw_call *call)
{
    int64_t offset;
    TD_CW_TRY(td_cw__read_token(call, &offset));
    int64_t page = td_cw_int(call->input, "MaxResults", RULES_PAGE);
    td_call engine = engine_call(call);
    td_insights_info *infos;
    uint32_t count;
    if (!td_insights_list(&engine, &infos, &count)) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);

    td_buf name;
    td_buf_init(&name, RULE_BYTES_MAX);
    int64_t found = 0;
    bool has_failed = false;
    td_cw_open_list(&call->out, "InsightRules");
    for (uint32_t i = 0; i < count; i++) {
        for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT; rule++) {
            if ((infos[i].rules >> rule & 1) == 0) continue;
            bool is_asked = found >= offset && found < offset + page;
            has_failed |= is_asked && !write_rule(call, &infos[i], (td_insight_rule)rule, &name);
            found++;
        }
    }
    td_cw_close(&call->out);
    td_buf_done(&name);
    if (has_failed) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    if (found > offset + page) td_cw__write_token(call, offset + page);
    return TD_CW_OK;
}

td_cw_status td_cw__get_insight_rule_report(td_cw_call *call)
{
    td_insights_info info = {.table = TD_LIT("")};
    td_insights_request request;
    td_insights_report report;
    uint32_t metrics = 0;
    TD_CW_TRY(read_request(call, &request));
    TD_CW_TRY(read_metrics(call, &metrics));
    td_slice name = td_cw_text(call->input, "RuleName");
    TD_CW_TRY(find_rule(call, name, &info, &request.rule));
    request.index = info.index;
    request.created_us = info.created_us;
    td_call engine = engine_call(call);
    engine.table = info.table;
    switch (td_insights_report_rule(&engine, &request, &report)) {
    case TD_INSIGHTS_OK: write_report(call, &request, &report, metrics); return TD_CW_OK;
    case TD_INSIGHTS_NO_RULE: return TD_CW_RAISE(call, TD_CW_MSG_NO_RULE, name);
    case TD_INSIGHTS_NO_MEMORY: break;
    }
    return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
}

static td_call engine_call(const td_cw_call *call)
{
    return (td_call){.store = call->service->store,
                     .arena = call->arena,
                     .now_us = call->now_us,
                     .scope = call->scope,
                     .region = call->region};
}

static td_cw_status find_rule(td_cw_call *call, td_slice name, td_insights_info *ret_info, td_insight_rule *ret_rule)
{
    td_call engine = engine_call(call);
    td_insights_info *infos;
    uint32_t count;
    if (!td_insights_list(&engine, &infos, &count)) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    td_buf buf;
    td_buf_init(&buf, RULE_BYTES_MAX);
    bool is_found = false;
    bool has_failed = false;
    for (uint32_t i = 0; i < count && !is_found; i++) {
        for (int rule = 0; rule < TD_INSIGHT_RULE_COUNT && !is_found; rule++) {
            td_buf_clear(&buf);
            td_insights_rule_name(&infos[i], (td_insight_rule)rule, &buf);
            has_failed |= td_buf_has_failed(&buf);
            is_found = (infos[i].rules >> rule & 1) != 0 && td_slice_equal(td_buf_contents(&buf), name);
            if (!is_found) continue;
            *ret_info = infos[i];
            *ret_rule = (td_insight_rule)rule;
        }
    }
    td_buf_done(&buf);
    if (has_failed) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    return is_found ? TD_CW_OK : TD_CW_RAISE(call, TD_CW_MSG_NO_RULE, name);
}

static td_cw_status read_request(td_cw_call *call, td_insights_request *ret_request)
{
    const td_json *input = call->input;
    int64_t period_s = td_cw_int(input, "Period", 0);
    if (period_s % 60 != 0) return TD_CW_RAISE(call, TD_CW_MSG_RULE_PERIOD);
    td_cw_window window;
    int64_t count = 0;
    if (!td_cw__span(td_cw_time(input, "StartTime"), td_cw_time(input, "EndTime"), period_s, &window, &count)) {
        return TD_CW_RAISE(call, TD_CW_MSG_START_NOT_BEFORE_END);
    }
    if (count > TD_CW_POINTS_MAX) return TD_CW_RAISE(call, TD_CW_MSG_TOO_MANY_POINTS, td_cw__grouped(call, count));
    int64_t limit = td_cw_int(input, "MaxContributorCount", CONTRIBUTORS_DEFAULT);
    if (limit > CONTRIBUTORS_MAX) return TD_CW_RAISE(call, TD_CW_MSG_TOO_MANY_CONTRIBUTORS);
    td_slice order = td_cw_text(input, "OrderBy");
    bool is_by_maximum = td_slice_equal(order, TD_LIT("Maximum"));
    if (order.len > 0 && !is_by_maximum && !td_slice_equal(order, TD_LIT("Sum"))) {
        return TD_CW_RAISE(call, TD_CW_MSG_RULE_ORDER);
    }
    *ret_request = (td_insights_request){.from_us = window.from_us,
                                         .period_us = window.period_us,
                                         .period_count = window.count,
                                         .limit = limit < 1 ? CONTRIBUTORS_DEFAULT : (uint32_t)limit,
                                         .is_by_maximum = is_by_maximum};
    return TD_CW_OK;
}

/* 1 << rule_metric of each that is asked for. */
static td_cw_status read_metrics(td_cw_call *call, uint32_t *ret_metrics)
{
    const td_json *asked = td_cw_find(call->input, "Metrics");
    for (uint32_t i = 0; i < td_cw_count(asked); i++) {
        int at = 0;
        while (at < RULE_METRIC_COUNT && !td_slice_equal(asked->children[i].text, td_slice_of_cstr(rule_metrics[at])))
            at++;
        td_slice path;
        if (!td_arena_format(call->arena, &path, "Metrics.member.%u", i + 1)) {
            return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        }
        if (at == RULE_METRIC_COUNT) return TD_CW_RAISE(call, TD_CW_MSG_RULE_METRIC, path);
        *ret_metrics |= 1u << at;
    }
    return TD_CW_OK;
}

/* What a rule counts, in the form of rules: by which keys, and the sum of what. false: no memory for its texts. */
static bool write_rule(td_cw_call *call, const td_insights_info *info, td_insight_rule rule, td_buf *name)
{
    bool is_consumed = rule == TD_INSIGHT_PKC || rule == TD_INSIGHT_SKC;
    bool is_by_item = rule == TD_INSIGHT_SKC || rule == TD_INSIGHT_SKT;
    td_cw_writer *out = &call->out;
    td_buf_clear(name);
    td_insights_rule_name(info, rule, name);
    td_cw_open(out, NULL);
    bool is_named = !td_buf_has_failed(name);
    td_cw_put_text(out, "Name", td_buf_contents(name));
    td_cw_put_literal(out, "State", "ENABLED");
    td_cw_put_literal(out, "Schema", "{\"Name\":\"ServiceLogRule\",\"Version\":1}");
    td_buf_clear(name);
    td_buf_append_format(name,
                         "{\"Schema\":{\"Name\":\"ServiceLogRule\",\"Version\":1},\"Contribution\":{\"Keys\":"
                         "[\"$.partitionKey\"%s],\"ValueOf\":\"$.%s\"},\"AggregateOn\":\"Sum\"}",
                         is_by_item ? ",\"$.sortKey\"" : "", is_consumed ? "ConsumedThroughputUnits" : "ThrottleCount");
    td_cw_put_text(out, "Definition", td_buf_contents(name));
    td_cw_put_bool(out, "ManagedRule", true);
    td_cw_close(out);
    return is_named && !td_buf_has_failed(name);
}

static void write_report(td_cw_call *call, const td_insights_request *request, const td_insights_report *report,
                         uint32_t metrics)
{
    td_cw_writer *out = &call->out;
    td_cw_open_list(out, "KeyLabels");
    for (uint32_t i = 0; i < report->label_count; i++)
        td_cw_put_text(out, NULL, report->labels[i]);
    td_cw_close(out);
    td_cw_put_literal(out, "AggregationStatistic", "SUM");
    td_cw_put_double(out, "AggregateValue", plain(report->total));
    td_cw_put_int(out, "ApproximateUniqueCount", (int64_t)report->unique);
    td_cw_open_list(out, "Contributors");
    for (uint32_t i = 0; i < report->contributor_count; i++)
        write_contributor(call, request, report, &report->contributors[i]);
    td_cw_close(out);
    td_cw_open_list(out, "MetricDatapoints");
    if (metrics != 0) write_periods(call, request, report, metrics);
    td_cw_close(out);
}

static void write_contributor(td_cw_call *call, const td_insights_request *request, const td_insights_report *report,
                              const td_contributor *contributor)
{
    td_cw_writer *out = &call->out;
    td_cw_open(out, NULL);
    td_cw_open_list(out, "Keys");
    for (uint32_t i = 0; i < report->label_count && contributor->keys != NULL; i++)
        td_cw_put_text(out, NULL, contributor->keys[i]);
    td_cw_close(out);
    td_cw_put_double(out, "ApproximateAggregateValue", plain(contributor->amount));
    td_cw_open_list(out, "Datapoints");
    for (uint32_t i = 0; i < request->period_count; i++) {
        if (contributor->points[i] == 0) continue;
        td_cw_open(out, NULL);
        td_cw_put_time(out, "Timestamp", request->from_us + i * request->period_us);
        td_cw_put_double(out, "ApproximateValue", plain(contributor->points[i]));
        td_cw_close(out);
    }
    td_cw_close(out);
    td_cw_close(out);
}

static void write_periods(td_cw_call *call, const td_insights_request *request, const td_insights_report *report,
                          uint32_t metrics)
{
    td_cw_writer *out = &call->out;
    for (uint32_t i = 0; i < request->period_count; i++) {
        if (report->points[i].samples.count == 0) continue;
        td_cw_open(out, NULL);
        td_cw_put_time(out, "Timestamp", request->from_us + i * request->period_us);
        for (int metric = 0; metric < RULE_METRIC_COUNT; metric++) {
            if ((metrics >> metric & 1) == 0) continue;
            td_cw_put_double(out, rule_metrics[metric], metric_of(&report->points[i], (rule_metric)metric));
        }
        td_cw_close(out);
    }
}

static double metric_of(const td_contributor_point *point, rule_metric metric)
{
    switch (metric) {
    case UNIQUE_CONTRIBUTORS: return point->unique;
    case MAX_CONTRIBUTOR_VALUE: return plain(point->max);
    case SAMPLE_COUNT: return (double)point->samples.count;
    case SUM: return plain(point->samples.sum);
    case MINIMUM: return plain(point->samples.min);
    case MAXIMUM: return plain(point->samples.max);
    case AVERAGE: return plain(point->samples.sum) / (double)point->samples.count;
    case RULE_METRIC_COUNT: break;
    }
    TD_UNREACHABLE("rules have these metrics");
}

static double plain(int64_t milli)
{
    return (double)milli / (double)TD_UNITS_ONE;
}
