/* SPDX-License-Identifier: Apache-2.0
 * update_check.c: refusals of UpdateTable, in the service's order where it is known (throttling.md §3.7; messages.md
 * "Tables").
 *
 * Model:    throughput can be lowered `decrease_budget` times on a UTC day, then once every `decrease_interval` after
 *           the last accepted decrease; table and indexes count on their own; a refused attempt does not count.
 * Not here: what an update does (update.c); quotas (quota.c). */
#include "update_check.h"

#include <time.h>

#include "catalog.h"
#include "quota.h"
#include "streams.h"

static td_status check_state(const td_table *table, const td_table_change *change, td_error *error);
static td_status check_stream(const td_table *table, td_stream_view view, td_error *error);
static td_status check_billing(const td_call *call, const td_table *table, const td_table_change *change,
                               td_error *error);
static td_status check_switch(const td_call *call, const td_table *table, td_error *error);
static td_status check_index_billing(const td_table *table, const td_table_change *change, td_error *error);
static td_status check_indexes(const td_table *table, const td_table_change *change, td_error *error);
static td_status check_resources(const td_call *call, const td_table *table, const td_table_change *change,
                                 td_error *error);
static td_status check_throughput(const td_call *call, const td_table *table, const td_resource *resource,
                                  const td_throughput *asked, td_error *error);
static td_status check_decrease(const td_call *call, const td_table *table, const td_resource *resource,
                                td_error *error);
static td_status check_warm(const td_resource *resource, td_slice index, const td_throughput *asked, td_error *error);
static td_status check_account(const td_call *call, const td_table *table, const td_table_change *change,
                               td_error *error);
static td_status refuse_on_demand_max(const td_on_demand_max *asked, td_error *error);
static td_status format_instant(td_time_us instant_us, td_error *error, td_slice *ret_text);
static const td_index_change *find_change(const td_table_change *change, td_slice index);

td_status td_update__check_locked(const td_call *call, const td_table *table, const td_table_change *change,
                                  td_error *error)
{
    TD_TRY(check_state(table, change, error));
    TD_TRY(check_billing(call, table, change, error));
    if (change->has_stream) TD_TRY(check_stream(table, change->stream, error));
    TD_TRY(check_indexes(table, change, error));
    TD_TRY(check_index_billing(table, change, error));
    TD_TRY(check_resources(call, table, change, error));
    return check_account(call, table, change, error);
}

const td_index_change *td_update__find_index_change(const td_table_change *change)
{
    for (uint32_t i = 0; i < change->index_count; i++) {
        if (change->indexes[i].action != TD_INDEX_UPDATE) return &change->indexes[i];
    }
    return NULL;
}

td_resource *td_update__find_resource(const td_table *table, td_slice index)
{
    int at = td_schema__find_index(table->schema, index);
    if (at < (int)table->schema->local_count) return NULL;
    return table->resources[1 + (uint32_t)at - table->schema->local_count];
}

static td_status check_state(const td_table *table, const td_table_change *change, td_error *error)
{
    td_slice name = table->schema->table;
    if (table->status == TD_TABLE_CREATING) return TD_RAISE(error, TD_MSG_TABLE_IS_CREATED, name);
    if (table->status == TD_TABLE_DELETING) return TD_RAISE(error, TD_MSG_TABLE_IS_DELETED, name);
    if (table->has_index_change && td_update__find_index_change(change) != NULL) {
        return TD_RAISE(error, TD_MSG_INDEX_CHANGES_EXCEEDED);
    }
    if (table->is_throughput_changing) return TD_RAISE(error, TD_MSG_TABLE_THROUGHPUT_IS_UPDATED, name);
    if (table->status == TD_TABLE_UPDATING) return TD_RAISE(error, TD_MSG_TABLE_IS_UPDATED, name);
    return TD_OK;
}

static td_status check_stream(const td_table *table, td_stream_view view, td_error *error)
{
    td_slice name = table->schema->table;
    bool is_enabled = td_streams__is_enabled(table);
    if (view != TD_STREAM_NONE && is_enabled) return TD_RAISE(error, TD_MSG_STREAM_IS_ENABLED, name);
    if (view == TD_STREAM_NONE && !is_enabled) return TD_RAISE(error, TD_MSG_STREAM_IS_DISABLED, name);
    return TD_OK;
}

static td_status check_billing(const td_call *call, const td_table *table, const td_table_change *change,
                               td_error *error)
{
    td_billing_mode billing = td_update__billing(table, change);
    if (billing == TD_BILLING_ON_DEMAND) {
        if (change->has_throughput) return TD_RAISE(error, TD_MSG_THROUGHPUT_WITHOUT_PROVISIONING);
        return table->billing == billing ? TD_OK : check_switch(call, table, error);
    }
    if (change->has_on_demand_max) TD_TRY(refuse_on_demand_max(&change->on_demand_max, error));
    bool is_switched = table->billing != billing;
    return is_switched && !change->has_throughput ? TD_RAISE(error, TD_MSG_THROUGHPUT_REQUIRED) : TD_OK;
}

/* The budget of switches to on-demand in a rolling day. */
static td_status check_switch(const td_call *call, const td_table *table, td_error *error)
{
    uint32_t budget = (uint32_t)table->effect.on_demand_switches;
    TD_ASSERT(budget >= 1 && budget <= TD_SWITCHES_MAX);
    if (table->switch_count < budget) return TD_OK;
    td_time_us oldest_us = table->switched_us[(table->switch_count - budget) % TD_SWITCHES_MAX];
    td_time_us last_us = table->switched_us[(table->switch_count - 1) % TD_SWITCHES_MAX];
    td_time_us next_us = oldest_us + table->effect.on_demand_switch_window_us;
    if (call->now_us >= next_us) return TD_OK;
    td_slice last;
    td_slice next;
    td_slice often = TD_LIT("once");
    if (budget > 1 && !td_arena_format(error->arena, &often, "%u times", budget)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    TD_TRY(format_instant(last_us, error, &last));
    TD_TRY(format_instant(next_us, error, &next));
    return TD_RAISE(error, TD_MSG_ON_DEMAND_SWITCHES_EXCEEDED, often, last, next);
}

/* More than the service's bound is refused in its own way for an index, be it there or not. */
static bool exceeds_bound(const td_index_change *change)
{
    const int64_t *rate = change->spec.throughput.rate;
    return change->action == TD_INDEX_UPDATE && change->has_throughput &&
           (rate[TD_READ] > TD_THROUGHPUT_RATE_MAX || rate[TD_WRITE] > TD_THROUGHPUT_RATE_MAX);
}

/* How many indexes may be made or removed at a time, and which there are. */
static td_status check_indexes(const td_table *table, const td_table_change *change, td_error *error)
{
    const td_schema *schema = table->schema;
    uint32_t online_count = 0;
    for (uint32_t i = 0; i < change->index_count; i++) {
        if (change->indexes[i].action != TD_INDEX_UPDATE) online_count++;
    }
    if (online_count > 1) return TD_RAISE(error, TD_MSG_INDEX_CHANGES_EXCEEDED);
    for (uint32_t i = 0; i < change->index_count; i++) {
        const td_index_change *index = &change->indexes[i];
        if (index->action != TD_INDEX_CREATE) {
            if (exceeds_bound(index)) return TD_RAISE(error, TD_MSG_INDEX_THROUGHPUT_BLOCKED);
            const td_resource *resource = td_update__find_resource(table, index->spec.name);
            if (resource == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
            continue;
        }
        if (td_schema__find_index(schema, index->spec.name) >= 0) return TD_RAISE(error, TD_MSG_INDEX_EXISTS);
        if (td_schema__global_count(schema) >= TD_LIMIT_GLOBAL_INDEXES_MAX) {
            return TD_RAISE(error, TD_MSG_INDEX_COUNT_EXCEEDED, td_error_int(error, TD_LIMIT_GLOBAL_INDEXES_MAX));
        }
    }
    return TD_OK;
}

static td_status check_index_billing(const td_table *table, const td_table_change *change, td_error *error)
{
    td_billing_mode billing = td_update__billing(table, change);
    for (uint32_t i = 0; i < change->index_count; i++) {
        const td_index_change *index = &change->indexes[i];
        if (index->action == TD_INDEX_DELETE) continue;
        if (billing == TD_BILLING_ON_DEMAND && index->has_throughput) {
            return TD_RAISE(error, TD_MSG_INDEX_THROUGHPUT_WITHOUT_PROVISIONING, index->spec.name);
        }
        if (billing == TD_BILLING_ON_DEMAND) continue;
        if (index->has_on_demand_max) TD_TRY(refuse_on_demand_max(&index->spec.on_demand_max, error));
        if (index->action == TD_INDEX_CREATE && !index->has_throughput) {
            return TD_RAISE(error, TD_MSG_THROUGHPUT_REQUIRED_FOR_INDEXES, index->spec.name);
        }
    }
    if (billing == table->billing || billing == TD_BILLING_ON_DEMAND) return TD_OK;

    td_slice missing = {NULL, 0};
    for (uint32_t i = 1; i < table->resource_count; i++) {
        td_slice name = td_schema__global(table->schema, i - 1)->spec.name;
        const td_index_change *index = find_change(change, name);
        if (index != NULL && (index->has_throughput || index->action == TD_INDEX_DELETE)) continue;
        bool is_joined =
            td_arena_format(error->arena, &missing, "%.*s%s%.*s", (int)missing.len, (const char *)missing.ptr,
                            missing.len > 0 ? "," : "", (int)name.len, (const char *)name.ptr);
        if (!is_joined) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return missing.len > 0 ? TD_RAISE(error, TD_MSG_THROUGHPUT_REQUIRED_FOR_INDEXES, missing) : TD_OK;
}

static td_status check_resources(const td_call *call, const td_table *table, const td_table_change *change,
                                 td_error *error)
{
    td_slice none = {NULL, 0};
    const td_resource *base = table->resources[0];
    if (change->has_throughput) TD_TRY(check_throughput(call, table, base, &change->throughput, error));
    if (change->has_on_demand_max) {
        TD_TRY(td_quota__check_on_demand_max(call, &table->settings, none, &change->on_demand_max, error));
    }
    if (change->has_warm) TD_TRY(check_warm(base, none, &change->warm, error));
    for (uint32_t i = 0; i < change->index_count; i++) {
        const td_index_change *index = &change->indexes[i];
        const td_index_spec *spec = &index->spec;
        if (index->action == TD_INDEX_DELETE) continue;
        if (index->has_on_demand_max) {
            TD_TRY(td_quota__check_on_demand_max(call, &table->settings, spec->name, &spec->on_demand_max, error));
        }
        if (index->action == TD_INDEX_CREATE) {
            if (index->has_throughput) {
                TD_TRY(td_quota__check_throughput(call, &table->settings, &spec->throughput, error));
            }
            if (index->has_warm) {
                td_billing_mode billing = td_update__billing(table, change);
                TD_TRY(td_quota__check_new_warm(billing, spec->name, &spec->warm, &spec->throughput, error));
            }
            continue;
        }
        const td_resource *resource = td_update__find_resource(table, spec->name);
        TD_ASSERT(resource != NULL); /* check_indexes has seen to it */
        if (index->has_throughput) TD_TRY(check_throughput(call, table, resource, &spec->throughput, error));
        if (index->has_warm) TD_TRY(check_warm(resource, spec->name, &spec->warm, error));
    }
    return TD_OK;
}

static td_status check_throughput(const td_call *call, const td_table *table, const td_resource *resource,
                                  const td_throughput *asked, td_error *error)
{
    const int64_t *from = resource->throughput.rate;
    const int64_t *to = asked->rate;
    if (table->billing == TD_BILLING_PROVISIONED) {
        if (to[TD_READ] == from[TD_READ] && to[TD_WRITE] == from[TD_WRITE]) {
            return TD_RAISE(error, TD_MSG_THROUGHPUT_UNCHANGED, td_error_int(error, from[TD_READ]),
                            td_error_int(error, from[TD_WRITE]));
        }
        if (to[TD_READ] < from[TD_READ] || to[TD_WRITE] < from[TD_WRITE]) {
            TD_TRY(check_decrease(call, table, resource, error));
        }
    }
    return td_quota__check_throughput(call, &table->settings, asked, error);
}

static td_status check_decrease(const td_call *call, const td_table *table, const td_resource *resource,
                                td_error *error)
{
    td_time_us day_us = 86400 * TD_US_PER_S;
    td_time_us last_us = resource->decrease_accepted_us;
    td_time_us next_us = last_us + table->effect.decrease_interval_us;
    bool is_same_day = last_us / day_us == call->now_us / day_us;
    int64_t today = is_same_day ? resource->history.decreases_today : 0;
    if (today < table->effect.decrease_budget || call->now_us >= next_us) return TD_OK;
    td_slice last;
    td_slice next;
    TD_TRY(format_instant(last_us, error, &last));
    TD_TRY(format_instant(next_us, error, &next));
    return TD_RAISE(error, TD_MSG_THROUGHPUT_DECREASES_EXCEEDED, td_error_int(error, table->effect.decrease_budget),
                    td_error_int(error, table->effect.decrease_interval_us / TD_US_PER_S), td_error_int(error, today),
                    last, next);
}

static td_status check_warm(const td_resource *resource, td_slice index, const td_throughput *asked, td_error *error)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if (asked->rate[d] == 0 || asked->rate[d] >= resource->warm.rate[d]) continue;
        td_slice name;
        TD_TRY(td_quota__resource_name(index, error, &name));
        return TD_RAISE(error, TD_MSG_WARM_THROUGHPUT_LOWERED, td_quota__units_per_second[d], name);
    }
    return TD_OK;
}

static td_status check_account(const td_call *call, const td_table *table, const td_table_change *change,
                               td_error *error)
{
    int64_t more[TD_DIRECTION_COUNT] = {0};
    if (td_update__billing(table, change) == TD_BILLING_ON_DEMAND) return TD_OK;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if (change->has_throughput) more[d] += change->throughput.rate[d] - table->resources[0]->throughput.rate[d];
        for (uint32_t i = 0; i < change->index_count; i++) {
            const td_index_change *index = &change->indexes[i];
            if (!index->has_throughput || index->action == TD_INDEX_DELETE) continue;
            const td_resource *resource = td_update__find_resource(table, index->spec.name);
            more[d] += index->spec.throughput.rate[d] - (resource == NULL ? 0 : resource->throughput.rate[d]);
        }
    }
    const td_store *store = table->store;
    return td_quota__check_account(call, &store->settings, store->reserved, more, error);
}

static td_status refuse_on_demand_max(const td_on_demand_max *asked, td_error *error)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if (asked->rate[d] == 0) continue;
        return TD_RAISE(error, TD_MSG_ON_DEMAND_MAX_WHILE_PROVISIONED, td_quota__request_units[d]);
    }
    return TD_OK;
}

/* "Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time", whatever the machine's language is. */
static td_status format_instant(td_time_us instant_us, td_error *error, td_slice *ret_text)
{
    static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    time_t seconds = (time_t)(instant_us / TD_US_PER_S);
    struct tm utc;
    if (gmtime_r(&seconds, &utc) == NULL) memset(&utc, 0, sizeof utc);
    int hour = utc.tm_hour % 12 == 0 ? 12 : utc.tm_hour % 12;
    bool is_formatted =
        td_arena_format(error->arena, ret_text, "%s, %s %d, %d at %d:%02d:%02d %s Coordinated Universal Time",
                        days[utc.tm_wday], months[utc.tm_mon], utc.tm_mday, utc.tm_year + 1900, hour, utc.tm_min,
                        utc.tm_sec, utc.tm_hour < 12 ? "AM" : "PM");
    return is_formatted ? TD_OK : TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

static const td_index_change *find_change(const td_table_change *change, td_slice index)
{
    for (uint32_t i = 0; i < change->index_count; i++) {
        if (td_slice_equal(change->indexes[i].spec.name, index)) return &change->indexes[i];
    }
    return NULL;
}
