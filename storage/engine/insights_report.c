/* SPDX-License-Identifier: Apache-2.0
 * insights_report.c: what a rule of Contributor Insights says of a window of time.
 *
 * The lists of the minutes are merged as heat's are (heat_top.h), contributors ranked by what they certainly had, and
 * each contributor's periods are read from the minutes again.
 * Not here: what is counted (storage/capacity/contributors.c). */
#include <stdlib.h>

#include "thermodyn/insights.h"

#include "thermodyn/number.h"
#include "thermodyn/text.h"

#include "heat_view.h"
#include "insight.h"

typedef struct ranked {
    td_heat_sum sum;
    td_units *points;
    td_units greatest; /* of the points */
} ranked;

typedef struct reporting {
    const td_call *call;
    const td_insights_request *request;
    td_heat_subject subject;
    const td_contributors_minute **minutes; /* with traffic */
    uint32_t minute_count;
    td_contributor_registers registers;
} reporting;

static const td_insights *find_rule(const reporting *it);
static td_insights_result report_locked(reporting *it, td_insights_report *ret_report);
static bool read_minutes(reporting *it);
static bool merge(const reporting *it, td_heat_sums *ret_sums);
static bool fill_periods(reporting *it, td_insights_report *report);
static bool rank(const reporting *it, const td_heat_sums *sums, ranked **ret_ranked);
static bool fill_contributors(const reporting *it, const td_heat_sums *sums, const ranked *ranks,
                              td_insights_report *report);
static bool fill_keys(const reporting *it, const td_heat_sum *sum, td_contributor *contributor);
static bool write_key(const td_value *value, td_arena *arena, td_slice *ret_text);
static bool fill_labels(const reporting *it, td_insights_report *report);
static uint32_t period_of(const td_insights_request *request, int64_t minute);
static uint32_t label_count(const reporting *it);
static int compare_sums(const void *a, const void *b);
static int compare_greatest(const void *a, const void *b);

td_insights_result td_insights_report_rule(const td_call *call, const td_insights_request *request,
                                           td_insights_report *ret_report)
{
    TD_ASSERT(request->from_us % TD_SERIES_MINUTE_US == 0);
    TD_ASSERT(request->period_us > 0 && request->period_us % TD_SERIES_MINUTE_US == 0);
    reporting it = {.call = call, .request = request};
    if (td_heat_subject__open(call, request->index, &it.subject) != TD_HEAT_OK) return TD_INSIGHTS_NO_RULE;
    td_insights_result result = find_rule(&it) == NULL ? TD_INSIGHTS_NO_RULE : report_locked(&it, ret_report);
    td_heat_subject__close(&it.subject);
    return result;
}

static const td_insights *find_rule(const reporting *it)
{
    const td_insights *insights = it->subject.resource->insights;
    bool is_found = insights != NULL && insights->is_on && insights->created_us == it->request->created_us &&
                    td_contributors_has_rule(insights->contributors, it->request->rule);
    return is_found ? insights : NULL;
}

static td_insights_result report_locked(reporting *it, td_insights_report *ret_report)
{
    td_insights_report report = {.label_count = label_count(it)};
    td_heat_sums sums;
    ranked *ranks = NULL;
    bool is_done = read_minutes(it) && merge(it, &sums) && fill_periods(it, &report) && rank(it, &sums, &ranks) &&
                   fill_contributors(it, &sums, ranks, &report) && fill_labels(it, &report);
    if (!is_done) return TD_INSIGHTS_NO_MEMORY;
    report.total = sums.total;
    report.unique = sums.rest == 0 ? sums.count : td_contributor_registers_estimate(&it->registers);
    *ret_report = report;
    return TD_INSIGHTS_OK;
}

/* Of the window, the minutes that can be kept. */
static bool read_minutes(reporting *it)
{
    const td_insights_request *request = it->request;
    int64_t now_minute = it->call->now_us / TD_SERIES_MINUTE_US;
    int64_t first = request->from_us / TD_SERIES_MINUTE_US;
    int64_t last = first + request->period_us / TD_SERIES_MINUTE_US * request->period_count - 1;
    if (first < now_minute - TD_CONTRIBUTORS_MINUTES) first = now_minute - TD_CONTRIBUTORS_MINUTES;
    if (last > now_minute) last = now_minute;
    if (last < first) return true;
    it->minutes = td_arena_alloc_array(it->call->arena, (size_t)(last - first + 1), sizeof *it->minutes);
    if (it->minutes == NULL) return false;
    const td_contributors *contributors = it->subject.resource->insights->contributors;
    for (int64_t minute = first; minute <= last; minute++) {
        const td_contributors_minute *found;
        if (!td_contributors_read(contributors, request->rule, minute, it->call->arena, &found)) return false;
        if (found != NULL) it->minutes[it->minute_count++] = found;
    }
    return true;
}

static bool merge(const reporting *it, td_heat_sums *ret_sums)
{
    const td_heat_top **tops = td_arena_alloc_array(it->call->arena, it->minute_count, sizeof *tops);
    if (tops == NULL) return false;
    for (uint32_t i = 0; i < it->minute_count; i++)
        tops[i] = it->minutes[i]->top;
    return td_heat_top_merge(tops, it->minute_count, it->call->arena, ret_sums);
}

static bool fill_periods(reporting *it, td_insights_report *report)
{
    td_arena *arena = it->call->arena;
    uint32_t count = it->request->period_count;
    report->points = td_arena_alloc_zero(arena, count * sizeof *report->points);
    td_contributor_registers *registers = td_arena_alloc_zero(arena, count * sizeof *registers);
    if (report->points == NULL || registers == NULL) return false;
    for (uint32_t i = 0; i < it->minute_count; i++) {
        const td_contributors_minute *minute = it->minutes[i];
        uint32_t period = period_of(it->request, minute->top->minute);
        td_statistic_merge(&report->points[period].samples, &minute->samples);
        td_contributor_registers_merge(&registers[period], &minute->registers);
        td_contributor_registers_merge(&it->registers, &minute->registers);
    }
    for (uint32_t i = 0; i < count; i++)
        report->points[i].unique = td_contributor_registers_estimate(&registers[i]);
    return true;
}

/* All contributors with their periods, the greatest first. */
static bool rank(const reporting *it, const td_heat_sums *sums, ranked **ret_ranked)
{
    uint32_t count = it->request->period_count;
    ranked *ranks = td_arena_alloc_array(it->call->arena, sums->count, sizeof *ranks);
    td_units *points = td_arena_alloc_zero(it->call->arena, (size_t)sums->count * count * sizeof *points);
    if (ranks == NULL || points == NULL) return false;
    for (uint32_t i = 0; i < sums->count; i++)
        ranks[i] = (ranked){.sum = sums->keys[i], .points = points + (size_t)i * count};
    if (sums->count > 0) qsort(ranks, sums->count, sizeof *ranks, compare_sums);
    for (uint32_t i = 0; i < it->minute_count; i++) {
        const td_heat_top *top = it->minutes[i]->top;
        uint32_t period = period_of(it->request, top->minute);
        for (uint32_t j = 0; j < top->count; j++) {
            ranked wanted = {.sum.hash = top->keys[j].hash};
            ranked *found = bsearch(&wanted, ranks, sums->count, sizeof *ranks, compare_sums);
            TD_ASSERT(found != NULL); /* the sums have every key of every list */
            found->points[period] += top->keys[j].amount - top->keys[j].error;
            if (found->points[period] > found->greatest) found->greatest = found->points[period];
        }
    }
    *ret_ranked = ranks;
    return true;
}

static bool fill_contributors(const reporting *it, const td_heat_sums *sums, const ranked *ranks,
                              td_insights_report *report)
{
    const td_insights_request *request = it->request;
    td_arena *arena = it->call->arena;
    ranked *order = td_arena_alloc_array(arena, sums->count, sizeof *order);
    if (order == NULL) return false;
    for (uint32_t i = 0; i < sums->count; i++) {
        order[i] = ranks[i];
        if (!request->is_by_maximum) order[i].greatest = 0;
        for (uint32_t j = 0; j < request->period_count; j++) {
            td_contributor_point *point = &report->points[j];
            if (ranks[i].points[j] > point->max) point->max = ranks[i].points[j];
            if (!request->is_by_maximum) order[i].greatest += ranks[i].points[j];
        }
    }
    if (sums->count > 0) qsort(order, sums->count, sizeof *order, compare_greatest);

    uint32_t count = 0;
    while (count < sums->count && count < request->limit && order[count].greatest > 0)
        count++;
    report->contributors = td_arena_alloc_zero(arena, count * sizeof *report->contributors);
    if (report->contributors == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        td_contributor *contributor = &report->contributors[i];
        contributor->points = order[i].points;
        for (uint32_t j = 0; j < request->period_count; j++)
            contributor->amount += order[i].points[j];
        if (!fill_keys(it, &order[i].sum, contributor)) return false;
    }
    report->contributor_count = count;
    return true;
}

static bool fill_keys(const reporting *it, const td_heat_sum *sum, td_contributor *contributor)
{
    td_arena *arena = it->call->arena;
    td_attribute *attributes;
    uint32_t count;
    if (!td_heat_subject__decode(&it->subject, sum, arena, &attributes, &count)) return false;
    if (count < label_count(it)) return true;
    contributor->keys = td_arena_alloc_array(arena, count, sizeof *contributor->keys);
    if (contributor->keys == NULL) return false;
    for (uint32_t i = 0; i < label_count(it); i++) {
        if (!write_key(&attributes[i].value, arena, &contributor->keys[i])) return false;
    }
    return true;
}

static bool write_key(const td_value *value, td_arena *arena, td_slice *ret_text)
{
    if (value->type == TD_TYPE_N) {
        char digits[TD_NUMBER_TEXT_MAX];
        return td_arena_copy(arena, td_slice_of(digits, td_number_print(value->bytes, digits)), ret_text);
    }
    *ret_text = value->bytes;
    if (value->type != TD_TYPE_B) return true;
    uint8_t *text = td_arena_alloc(arena, td_base64_encoded_len(value->bytes.len));
    if (text == NULL) return false;
    *ret_text = td_slice_of(text, td_base64_encode(value->bytes, text));
    return true;
}

static bool fill_labels(const reporting *it, td_insights_report *report)
{
    report->labels = td_arena_alloc_array(it->call->arena, report->label_count, sizeof *report->labels);
    if (report->labels == NULL) return false;
    for (uint32_t i = 0; i < report->label_count; i++) {
        if (!td_arena_copy(it->call->arena, it->subject.key->parts[i].name, &report->labels[i])) return false;
    }
    return true;
}

static uint32_t period_of(const td_insights_request *request, int64_t minute)
{
    int64_t period = (minute * TD_SERIES_MINUTE_US - request->from_us) / request->period_us;
    TD_ASSERT(period >= 0 && period < request->period_count);
    return (uint32_t)period;
}

/* By partition key, or by all of it. */
static uint32_t label_count(const reporting *it)
{
    bool is_whole = it->request->rule == TD_INSIGHT_SKC || it->request->rule == TD_INSIGHT_SKT;
    return is_whole ? td_key_part_count(it->subject.key) : it->subject.key->hash_count;
}

static int compare_sums(const void *a, const void *b)
{
    uint64_t x = ((const ranked *)a)->sum.hash;
    uint64_t y = ((const ranked *)b)->sum.hash;
    return (x > y) - (x < y);
}

static int compare_greatest(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;
    if (x->greatest != y->greatest) return x->greatest > y->greatest ? -1 : 1;
    return compare_sums(a, b);
}
