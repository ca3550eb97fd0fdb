/* SPDX-License-Identifier: Apache-2.0
 * insights.c: Contributor Insights switched on and off, described and listed.
 *
 * Model: a change answers ENABLING or DISABLING and is complete three seconds later with table delays, else at once.
 *        (Source: AWS CLI's example of describe-contributor-insights: rules of …51.520 s, ENABLED at …54.78 s.) Nothing
 *        falls due for it: the state follows from the instant at which it is asked. What is counted, is from the change
 *        on. Rules are named after the table and the instant at which they were made (the same example has the table's
 *        name for those of an index), hence those of a table's resources are a millisecond apart at least. */
#include "thermodyn/insights.h"

#include "thermodyn/memory.h"

#include "catalog.h"
#include "heat_view.h"
#include "insight.h"

#define SETTLING_US (3 * TD_US_PER_S)

typedef struct listing {
    td_insights_info *infos;
    uint32_t count;
    uint32_t room;
} listing;

static td_status open_subject(const td_call *call, td_slice index, td_heat_subject *ret_subject, td_error *error);
static bool enable_locked(td_heat_subject *it, td_insights_mode mode, td_time_us now_us);
static td_time_us unused_instant(const td_table *table, const td_resource *resource, td_time_us now_us);
static td_time_us settled_at(const td_table *table, td_time_us now_us);
static td_insights_info info_of(const td_resource *resource, td_time_us now_us);
static bool list_table(const td_call *call, const td_table *table, listing *list);
static bool append(const td_call *call, const td_insights_info *info, td_slice table, td_slice index, listing *list);

td_status td_insights_update(const td_call *call, td_slice index, bool is_enabled, td_insights_mode mode,
                             td_insights_info *ret_info, td_error *error)
{
    TD_TRY(td_journal__begin(call, error));
    td_heat_subject it;
    TD_TRY(open_subject(call, index, &it, error));
    td_insights **insights = &it.resource->insights;
    bool is_done = true;
    if (is_enabled) {
        is_done = enable_locked(&it, mode, call->now_us);
    } else if (*insights != NULL && (*insights)->is_on) {
        td_contributors_free((*insights)->contributors);
        (*insights)->contributors = NULL;
        (*insights)->is_on = false;
        (*insights)->settled_us = settled_at(it.table, call->now_us);
    }
    td_insights_info info = info_of(it.resource, call->now_us);
    td_journal__mark_table(it.table);
    td_heat_subject__close(&it);
    if (!is_done) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    info.table = call->table;
    info.index = index;
    info.status = is_enabled ? TD_INSIGHTS_ENABLING : TD_INSIGHTS_DISABLING;
    *ret_info = info;
    return TD_OK;
}

td_status td_insights_describe(const td_call *call, td_slice index, td_insights_info *ret_info, td_error *error)
{
    td_heat_subject it;
    TD_TRY(open_subject(call, index, &it, error));
    *ret_info = info_of(it.resource, call->now_us);
    td_heat_subject__close(&it);
    ret_info->table = call->table;
    ret_info->index = index;
    return TD_OK;
}

bool td_insights_list(const td_call *call, td_insights_info **ret_infos, uint32_t *ret_count)
{
    listing list = {.infos = NULL};
    bool is_listed = true;
    td_catalog__read_lock(call->store);
    td_btree_cursor at = td_btree_first(call->store->tables);
    for (; is_listed && !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        const td_schema *schema = table->schema;
        bool is_asked = td_slice_equal(schema->scope, call->scope) &&
                        (call->table.len == 0 || td_slice_equal(schema->table, call->table));
        is_listed = !is_asked || list_table(call, table, &list);
        td_table__unlock(table);
    }
    td_catalog__unlock(call->store);
    *ret_infos = list.infos;
    *ret_count = list.count;
    return is_listed;
}

void td_insights_rule_name(const td_insights_info *info, td_insight_rule rule, td_buf *buf)
{
    static const char *const kinds[TD_INSIGHT_RULE_COUNT] = {
        [TD_INSIGHT_PKC] = "PKC", [TD_INSIGHT_PKT] = "PKT", [TD_INSIGHT_SKC] = "SKC", [TD_INSIGHT_SKT] = "SKT"};
    td_buf_append_format(buf, "DynamoDBContributorInsights-%s-%.*s-%lld", kinds[rule], (int)info->table.len,
                         (const char *)info->table.ptr, (long long)(info->created_us / TD_US_PER_MS));
}

void td_insights__free(td_insights *insights)
{
    if (insights == NULL) return;
    td_contributors_free(insights->contributors);
    td_free(insights);
}

td_insights_status td_insights__status(const td_insights *insights, td_time_us now_us)
{
    if (insights == NULL) return TD_INSIGHTS_DISABLED;
    bool is_settled = now_us >= insights->settled_us;
    if (insights->is_on) return is_settled ? TD_INSIGHTS_ENABLED : TD_INSIGHTS_ENABLING;
    return is_settled ? TD_INSIGHTS_DISABLED : TD_INSIGHTS_DISABLING;
}

static td_status open_subject(const td_call *call, td_slice index, td_heat_subject *ret_subject, td_error *error)
{
    switch (td_heat_subject__open(call, index, ret_subject)) {
    case TD_HEAT_OK: return TD_OK;
    case TD_HEAT_NO_TABLE: return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    case TD_HEAT_NO_INDEX: return TD_RAISE(error, TD_MSG_INSIGHTS_INDEX_NOT_FOUND, index, call->table);
    case TD_HEAT_NO_MEMORY: break;
    }
    return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

static bool enable_locked(td_heat_subject *it, td_insights_mode mode, td_time_us now_us)
{
    td_resource *resource = it->resource;
    if (resource->insights == NULL) resource->insights = td_alloc_zero(sizeof(td_insights));
    td_insights *insights = resource->insights;
    if (insights == NULL) return false;
    uint32_t rules = td_insights__rules(resource, mode);
    if (insights->is_on) {
        if (!td_contributors_set_rules(insights->contributors, rules)) return false;
    } else {
        td_contributors *contributors = td_contributors_new(rules);
        if (contributors == NULL) return false;
        insights->contributors = contributors;
        insights->created_us = unused_instant(it->table, resource, now_us);
    }
    insights->is_on = true;
    insights->mode = mode;
    insights->settled_us = settled_at(it->table, now_us);
    return true;
}

/* Whole milliseconds at which no rule of the table was made. */
static td_time_us unused_instant(const td_table *table, const td_resource *resource, td_time_us now_us)
{
    td_time_us instant_us = now_us / TD_US_PER_MS * TD_US_PER_MS;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        const td_insights *other = table->resources[i]->insights;
        if (other == NULL || table->resources[i] == resource || other->created_us != instant_us) continue;
        instant_us += TD_US_PER_MS;
        i = UINT32_MAX; /* from the first again: at most as often as there are resources */
    }
    return instant_us;
}

static td_time_us settled_at(const td_table *table, td_time_us now_us)
{
    if (!table->store->options.has_table_delays) return now_us;
    return now_us + (td_time_us)((double)SETTLING_US / table->settings.values[TD_CAPACITY_duration_divisor]);
}

uint32_t td_insights__rules(const td_resource *resource, td_insights_mode mode)
{
    bool is_all = mode == TD_INSIGHTS_ACCESSED_AND_THROTTLED;
    uint32_t rules = 1u << TD_INSIGHT_PKT;
    if (is_all) rules |= 1u << TD_INSIGHT_PKC;
    if (resource->has_sort_key) rules |= 1u << TD_INSIGHT_SKT;
    if (resource->has_sort_key && is_all) rules |= 1u << TD_INSIGHT_SKC;
    return rules;
}

static td_insights_info info_of(const td_resource *resource, td_time_us now_us)
{
    const td_insights *insights = resource->insights;
    if (insights == NULL) return (td_insights_info){.status = TD_INSIGHTS_DISABLED};
    bool is_settled = now_us >= insights->settled_us;
    return (td_insights_info){.status = td_insights__status(insights, now_us),
                              .mode = insights->mode,
                              .was_ever = true,
                              .changed_us = is_settled ? insights->settled_us : now_us,
                              .created_us = insights->created_us,
                              .rules = insights->is_on ? td_insights__rules(resource, insights->mode) : 0};
}

static bool list_table(const td_call *call, const td_table *table, listing *list)
{
    const td_schema *schema = table->schema;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_insights_info info = info_of(table->resources[i], call->now_us);
        if (info.status == TD_INSIGHTS_DISABLED) continue;
        td_slice index = i == 0 ? td_slice_of(NULL, 0) : schema->indexes[schema->local_count + i - 1].spec.name;
        if (!append(call, &info, schema->table, index, list)) return false;
    }
    return true;
}

static bool append(const td_call *call, const td_insights_info *info, td_slice table, td_slice index, listing *list)
{
    if (list->count == list->room) {
        uint32_t room = list->room == 0 ? 8 : 2 * list->room;
        td_insights_info *infos = td_arena_alloc_array(call->arena, room, sizeof *infos);
        if (infos == NULL) return false;
        if (list->count > 0) memcpy(infos, list->infos, list->count * sizeof *infos);
        list->infos = infos;
        list->room = room;
    }
    td_insights_info *into = &list->infos[list->count++];
    *into = *info;
    return td_arena_copy(call->arena, table, &into->table) && td_arena_copy(call->arena, index, &into->index);
}
