/* SPDX-License-Identifier: Apache-2.0
 * metric_data.c: GetMetricData: up to 500 queries, each a metric or an expression on others.
 *
 * Metrics are read first; expressions are evaluated when they are asked for, by the answer or by another expression,
 * and once. Points are told newest first unless asked otherwise. A page has MaxDatapoints at most, over all results;
 * its NextToken is how many were told before. */
#include "metric.h"
#include "metric_math.h"
#include "stat.h"

#define POINTS_MAX 100800 /* of a page, and of all metrics. Source: AWS, GetMetricData, MaxDatapoints */
#define CHAIN_MAX 16      /* expressions that name each other */

typedef enum query_state { QUERY_NEW, QUERY_RUNNING, QUERY_DONE } query_state;

typedef struct query {
    const td_json *json;
    td_slice id;
    bool is_metric;
    td_cw_window window; /* of a metric */
    td_cw_value value;
    query_state state;
} query;

/* What expressions may name: all queries. */
typedef struct query_names {
    td_cw_names names;
    query *queries;
    uint32_t count;
} query_names;

/* How far the answer is. */
typedef struct paging {
    int64_t skip; /* points that pages before had */
    int64_t left; /* of this page */
    bool is_full; /* points were left out */
} paging;

static td_cw_status read_queries(td_cw_call *call, query_names *ret_all);
static td_cw_status read_query(td_cw_call *call, query_names *all, uint32_t at, int64_t *points);
static td_cw_status check_id(td_cw_call *call, const query_names *all, uint32_t at);
static bool is_id(td_slice text);
static td_cw_status read_metric(td_cw_call *call, query *it, td_slice number);
static td_cw_status find(td_cw_names *names, td_cw_call *call, td_slice id, td_cw_value *ret_value);
static td_cw_status find_metrics(td_cw_names *names, td_cw_call *call, td_slice part, td_cw_value *ret_value);
static td_cw_status eval(td_cw_call *call, query_names *all, query *it, uint32_t depth);
static td_cw_status write_results(td_cw_call *call, query_names *all, paging *page);
static void write_line(td_cw_call *call, const query *it, const td_cw_line *line, paging *page);
static uint32_t turn(const td_cw_line *line, uint32_t at, bool is_ascending);
static bool write_label(td_cw_call *call, const query *it, const td_cw_line *line);

td_cw_status td_cw__get_metric_data(td_cw_call *call)
{
    int64_t offset;
    query_names all = {.names = {.find = find, .find_metrics = find_metrics}};
    TD_CW_TRY(td_cw__read_token(call, &offset));
    TD_CW_TRY(read_queries(call, &all));
    int64_t most = td_cw_int(call->input, "MaxDatapoints", POINTS_MAX);
    paging page = {.skip = offset, .left = most < POINTS_MAX ? most : POINTS_MAX};
    int64_t told = offset + page.left;
    TD_CW_TRY(write_results(call, &all, &page));
    if (page.is_full) td_cw__write_token(call, told);
    td_cw_open_list(&call->out, "Messages");
    td_cw_close(&call->out);
    return TD_CW_OK;
}

static td_cw_status read_queries(td_cw_call *call, query_names *ret_all)
{
    const td_json *list = td_cw_find(call->input, "MetricDataQueries");
    if (td_cw_time(call->input, "StartTime") >= td_cw_time(call->input, "EndTime")) {
        return TD_CW_RAISE(call, TD_CW_MSG_QUERIES_TIME);
    }
    ret_all->queries = td_arena_alloc_zero(call->arena, list->count * sizeof *ret_all->queries);
    if (ret_all->queries == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    ret_all->count = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        ret_all->queries[i].json = &list->children[i];
        ret_all->queries[i].id = td_cw_text(&list->children[i], "Id");
    }
    int64_t points = 0;
    for (uint32_t i = 0; i < list->count; i++)
        TD_CW_TRY(read_query(call, ret_all, i, &points));
    return TD_CW_OK;
}

static td_cw_status read_query(td_cw_call *call, query_names *all, uint32_t at, int64_t *points)
{
    query *it = &all->queries[at];
    td_slice number = td_cw__int_text(call, at + 1);
    const td_json *stat = td_cw_find(it->json, "MetricStat");
    TD_CW_TRY(check_id(call, all, at));
    it->is_metric = stat != NULL;
    if (it->is_metric == (td_cw_find(it->json, "Expression") != NULL)) {
        return TD_CW_RAISE(call, TD_CW_MSG_QUERY_KIND, number);
    }
    if (!it->is_metric) return TD_CW_OK;
    int64_t period_s = td_cw_int(stat, "Period", 0);
    if (!td_cw__is_period(period_s)) {
        return TD_CW_RAISE(call, TD_CW_MSG_QUERY_PERIOD, number, td_cw__int_text(call, period_s));
    }
    int64_t count = 0;
    bool is_span = td_cw__span(td_cw_time(call->input, "StartTime"), td_cw_time(call->input, "EndTime"), period_s,
                               &it->window, &count);
    TD_ASSERT(is_span); /* it was checked for all of them */
    *points += it->window.count;
    if (*points > POINTS_MAX) return TD_CW_RAISE(call, TD_CW_MSG_QUERIES_POINTS, td_cw__grouped(call, *points));
    return read_metric(call, it, number);
}

static td_cw_status check_id(td_cw_call *call, const query_names *all, uint32_t at)
{
    td_slice id = all->queries[at].id;
    if (!is_id(id)) return TD_CW_RAISE(call, TD_CW_MSG_QUERY_ID, td_cw__int_text(call, at + 1), id);
    for (uint32_t i = 0; i < at; i++) {
        if (td_slice_equal(all->queries[i].id, id)) return TD_CW_RAISE(call, TD_CW_MSG_QUERY_ID_TWICE);
    }
    return TD_CW_OK;
}

/* ^[a-z][a-zA-Z0-9_]*$ */
static bool is_id(td_slice text)
{
    if (text.len == 0 || text.ptr[0] < 'a' || text.ptr[0] > 'z') return false;
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (!is_letter && !(byte >= '0' && byte <= '9') && byte != '_') return false;
    }
    return true;
}

static td_cw_status read_metric(td_cw_call *call, query *it, td_slice number)
{
    const td_json *stat = td_cw_find(it->json, "MetricStat");
    const td_json *named = td_cw_find(stat, "Metric");
    td_slice text = td_cw_text(stat, "Stat");
    td_slice unit = td_cw_text(stat, "Unit");
    td_cw_stat asked;
    if (!td_cw_stat_parse(text, &asked)) return TD_CW_RAISE(call, TD_CW_MSG_STAT, number, text);

    td_cw_line *line = td_arena_alloc(call->arena, sizeof *line);
    td_slice name = td_cw_text(named, "MetricName");
    if (line == NULL || !td_cw_line_init(line, &it->window, name, call->arena)) {
        return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    }
    it->value = (td_cw_value){.kind = TD_CW_LINES, .lines = line, .count = 1};
    it->state = QUERY_DONE;
    td_cw_metric metric;
    if (!td_cw_metric_find(td_cw_text(named, "Namespace"), name, td_cw_find(named, "Dimensions"), &metric)) {
        return TD_CW_OK;
    }
    if (unit.len > 0 && !td_slice_equal(unit, td_slice_of_cstr(td_cw_metric_unit(&metric)))) return TD_CW_OK;
    it->window.has_spreads = td_cw_stat_is_extended(&asked);
    const td_samples *points = td_cw_metric_read(call, &metric, &it->window);
    if (points == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    double scale = td_cw_metric_scale(&metric);
    for (uint32_t i = 0; i < it->window.count; i++)
        line->is_there[i] = td_cw_stat_of(&points[i], &asked, scale, &line->values[i]);
    return TD_CW_OK;
}

static td_cw_status find(td_cw_names *names, td_cw_call *call, td_slice id, td_cw_value *ret_value)
{
    query_names *all = (query_names *)names;
    td_slice asked_by = names->id;
    for (uint32_t i = 0; i < all->count; i++) {
        query *it = &all->queries[i];
        if (!td_slice_equal(it->id, id)) continue;
        if (it->state == QUERY_RUNNING) return TD_CW_RAISE(call, TD_CW_MSG_MATH_CYCLE, asked_by, id);
        TD_CW_TRY(eval(call, all, it, names->depth + 1));
        names->id = asked_by;
        *ret_value = it->value;
        return TD_CW_OK;
    }
    return TD_CW_RAISE(call, TD_CW_MSG_MATH_ID, asked_by, id);
}

static td_cw_status find_metrics(td_cw_names *names, td_cw_call *call, td_slice part, td_cw_value *ret_value)
{
    const query_names *all = (const query_names *)names;
    td_cw_value value = {.kind = TD_CW_LINES, .is_array = true};
    value.lines = td_arena_alloc_array(call->arena, all->count, sizeof *value.lines);
    if (value.lines == NULL) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < all->count; i++) {
        const query *it = &all->queries[i];
        bool is_asked = it->is_metric && (part.len == 0 || memmem(it->id.ptr, it->id.len, part.ptr, part.len) != NULL);
        if (is_asked) value.lines[value.count++] = it->value.lines[0];
    }
    *ret_value = value;
    return TD_CW_OK;
}

static td_cw_status eval(td_cw_call *call, query_names *all, query *it, uint32_t depth)
{
    if (it->state == QUERY_DONE) return TD_CW_OK;
    if (depth > CHAIN_MAX) return TD_CW_RAISE(call, TD_CW_MSG_MATH_DEPTH, it->id);
    uint32_t depth_before = all->names.depth;
    it->state = QUERY_RUNNING;
    all->names.id = it->id;
    all->names.depth = depth;
    TD_CW_TRY(td_cw_math_eval(call, td_cw_text(it->json, "Expression"), &all->names, &it->value));
    all->names.depth = depth_before;
    it->state = QUERY_DONE;
    return TD_CW_OK;
}

static td_cw_status write_results(td_cw_call *call, query_names *all, paging *page)
{
    td_cw_open_list(&call->out, "MetricDataResults");
    for (uint32_t i = 0; i < all->count; i++) {
        query *it = &all->queries[i];
        if (!td_cw_bool(it->json, "ReturnData", true)) continue;
        TD_CW_TRY(eval(call, all, it, 0));
        if (it->value.kind != TD_CW_LINES) return TD_CW_RAISE(call, TD_CW_MSG_MATH_SCALAR, it->id);
        for (uint32_t j = 0; j < it->value.count; j++)
            write_line(call, it, &it->value.lines[j], page);
    }
    td_cw_close(&call->out);
    return TD_CW_OK;
}

static void write_line(td_cw_call *call, const query *it, const td_cw_line *line, paging *page)
{
    bool is_ascending = td_slice_equal(td_cw_text(call->input, "ScanBy"), TD_LIT("TimestampAscending"));
    td_cw_writer *out = &call->out;
    uint32_t first = 0;
    while (first < line->window->count && page->skip > 0)
        page->skip -= line->is_there[turn(line, first++, is_ascending)];
    uint32_t end = first;
    for (; end < line->window->count; end++) {
        bool is_there = line->is_there[turn(line, end, is_ascending)];
        if (is_there && page->left == 0) break;
        page->left -= is_there;
    }
    page->is_full |= end < line->window->count;
    td_cw_open(out, NULL);
    td_cw_put_text(out, "Id", it->id);
    if (!write_label(call, it, line)) td_cw_put_text(out, "Label", it->id);
    td_cw_open_list(out, "Timestamps");
    for (uint32_t i = first; i < end; i++) {
        uint32_t at = turn(line, i, is_ascending);
        if (line->is_there[at]) td_cw_put_time(out, NULL, line->window->from_us + at * line->window->period_us);
    }
    td_cw_close(out);
    td_cw_open_list(out, "Values");
    for (uint32_t i = first; i < end; i++) {
        uint32_t at = turn(line, i, is_ascending);
        if (line->is_there[at]) td_cw_put_double(out, NULL, line->values[at]);
    }
    td_cw_close(out);
    td_cw_put_literal(out, "StatusCode", end < line->window->count ? "PartialData" : "Complete");
    td_cw_close(out);
}

static uint32_t turn(const td_cw_line *line, uint32_t at, bool is_ascending)
{
    return is_ascending ? at : line->window->count - 1 - at;
}

/* A metric's own name; of an expression its Id, or of an array what each was made from. A label that is given stands
 * ahead of that. false: there is no memory for it. */
static bool write_label(td_cw_call *call, const query *it, const td_cw_line *line)
{
    td_slice given = td_cw_text(it->json, "Label");
    td_slice own = it->is_metric || it->value.is_array ? line->label : it->id;
    td_slice label = given.len > 0 ? given : own;
    if (given.len > 0 && it->value.is_array &&
        !td_arena_format(call->arena, &label, "%.*s %.*s", (int)given.len, (const char *)given.ptr, (int)own.len,
                         (const char *)own.ptr)) {
        return false;
    }
    td_cw_put_text(&call->out, "Label", label);
    return true;
}
