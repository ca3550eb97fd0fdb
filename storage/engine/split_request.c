/* SPDX-License-Identifier: Apache-2.0
 * split_request.c: splits as they are asked for and seen from outside.
 * Not here: how a split is done (ranges.c); planned ones (split.c). */
#include <inttypes.h>
#include <stdio.h>

#include "catalog.h"
#include "ranges.h"
#include "split.h"

static const char *const cause_names[TD_SPLIT_CAUSE_COUNT] = {
    [TD_SPLIT_FOR_HEAT] = "heat",
    [TD_SPLIT_FOR_SIZE] = "size",
    [TD_SPLIT_FOR_GROWTH] = "growth",
    [TD_SPLIT_BY_REQUEST] = "request",
};

static const char *const veto_names[TD_VETO_COUNT] = {
    [TD_VETO_SINGLE_ITEM] = "single item",
    [TD_VETO_LOCAL_INDEX] = "local index",
    [TD_VETO_INCREASING_SORT_KEY] = "increasing sort key",
    [TD_VETO_DECREASING_SORT_KEY] = "decreasing sort key",
    [TD_VETO_SEQUENTIAL] = "sequential",
    [TD_VETO_TOO_SMALL] = "too small",
};

static td_split_answer split_locked(td_table *table, const td_call *call, td_slice index, td_slice id,
                                    td_split_veto *ret_veto);
static td_resource *find_resource(const td_table *table, td_slice index);
static bool find_partition(const td_resource *resource, td_slice id, uint32_t *ret_at);
static td_split_veto choose_bound(const td_resource *resource, uint32_t at, td_demand_choice *choice,
                                  td_btree_room *room, td_slice *ret_bound);
static bool take_events_locked(td_table *table, td_arena *arena, td_split_event *events, uint32_t room,
                               uint32_t *count);
static uint32_t count_records(const td_table *table);
static void print_id(uint32_t number, char ret_id[16]);

const char *td_split_cause_name(td_split_cause cause)
{
    TD_ASSERT(cause < TD_SPLIT_CAUSE_COUNT);
    return cause_names[cause];
}

const char *td_split_veto_name(td_split_veto veto)
{
    TD_ASSERT(veto < TD_VETO_COUNT);
    return veto_names[veto];
}

td_split_answer td_partition_split(const td_call *call, td_slice index, td_slice id, td_split_veto *ret_veto)
{
    *ret_veto = TD_VETO_NONE;
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_SPLIT_NO_TABLE;
    td_table__lock(table);
    td_split_answer answer = table->is_gone ? TD_SPLIT_NO_TABLE : split_locked(table, call, index, id, ret_veto);
    td_journal__mark_table(table);
    td_table__unlock(table);
    td_table__unref(table);
    return answer;
}

/* What happens between the count and the taking waits for the next call. */
bool td_partition_take_events(td_store *store, td_arena *arena, td_split_event **ret_events, uint32_t *ret_count)
{
    td_catalog__read_lock(store);
    uint32_t room = 0;
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        room += count_records(table);
        td_table__unlock(table);
    }
    td_split_event *events = td_arena_alloc_array(arena, room, sizeof *events);
    uint32_t count = 0;
    bool is_taken = events != NULL;
    for (td_btree_cursor at = td_btree_first(store->tables); is_taken && count < room && !td_btree_is_end(at);
         td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        is_taken = take_events_locked(table, arena, events, room, &count);
        td_table__unlock(table);
    }
    td_catalog__unlock(store);
    if (!is_taken) return false;
    *ret_events = events;
    *ret_count = count;
    return true;
}

static td_split_answer split_locked(td_table *table, const td_call *call, td_slice index, td_slice id,
                                    td_split_veto *ret_veto)
{
    td_resource *resource = find_resource(table, index);
    uint32_t at = 0;
    if (resource == NULL || !find_partition(resource, id, &at)) return TD_SPLIT_NO_PARTITION;
    td_demand_choice choice;
    td_btree_room room;
    td_slice bound;
    *ret_veto = choose_bound(resource, at, &choice, &room, &bound);
    if (*ret_veto != TD_VETO_NONE) return TD_SPLIT_VETOED;
    bool is_split = td_ranges__cut(resource, at, bound, TD_SPLIT_BY_REQUEST, &table->effect, call->now_us);
    return is_split ? TD_SPLIT_DONE : TD_SPLIT_NO_MEMORY;
}

static td_resource *find_resource(const td_table *table, td_slice index)
{
    if (index.len == 0) return table->resources[0];
    int at = td_schema__find_index(table->schema, index);
    if (at < 0 || !table->schema->indexes[at].spec.is_global) return NULL;
    return table->resources[1 + (uint32_t)at - table->schema->local_count];
}

static bool find_partition(const td_resource *resource, td_slice id, uint32_t *ret_at)
{
    uint32_t number = 0;
    char text[16] = {0};
    if (id.len >= sizeof text) return false;
    memcpy(text, id.ptr, id.len);
    if (sscanf(text, "p-%9" SCNu32, &number) != 1) return false;
    print_id(number, text); /* the one way in which it is written */
    if (!td_slice_equal(td_slice_of_cstr(text), id)) return false;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        *ret_at = i;
        if (resource->partitions[i]->number == number) return true;
    }
    return false;
}

/* The heat of the busier direction first: one that has no point is no reason to leave it. */
static td_split_veto choose_bound(const td_resource *resource, uint32_t at, td_demand_choice *choice,
                                  td_btree_room *room, td_slice *ret_bound)
{
    const td_partition *partition = resource->partitions[at];
    bool can_cut = td_ranges__can_cut_collections(resource);
    for (int d = TD_DIRECTION_COUNT - 1; d >= 0; d--) {
        if (!td_demand_is_sampled(&partition->demand, (td_direction)d)) continue;
        *choice = td_demand_choose(&partition->demand, (td_direction)d, can_cut);
        if (choice->veto != TD_VETO_NONE) continue;
        *ret_bound = td_ranges__fit_bound(resource, at, td_slice_of(choice->bound, choice->bound_len));
        if (ret_bound->len > 0) return TD_VETO_NONE;
    }
    if (td_btree_count(partition->trees[0].entries) > 0) return td_ranges__find_middle(resource, at, room, ret_bound);
    *ret_bound = td_ranges__middle_of_hashes(resource, at, room->bytes);
    return ret_bound->len > 0 ? TD_VETO_NONE : TD_VETO_TOO_SMALL;
}

static uint32_t count_records(const td_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->resource_count; i++)
        count += table->resources[i]->splits.count;
    return count;
}

static bool take_events_locked(td_table *table, td_arena *arena, td_split_event *events, uint32_t room, uint32_t *count)
{
    td_split_event about = {.at_us = 0};
    if (count_records(table) == 0) return true;
    if (!td_arena_copy(arena, table->schema->scope, &about.scope)) return false;
    if (!td_arena_copy(arena, table->schema->table, &about.table)) return false;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_split_log *log = &table->resources[i]->splits;
        td_slice index = i == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, i - 1)->spec.name;
        if (log->count > 0 && !td_arena_copy(arena, index, &about.index)) return false;
        td_split_record record;
        while (*count < room && td_split_log__take(log, &record)) {
            td_split_event *event = &events[(*count)++];
            *event = about;
            event->at_us = record.at_us;
            event->cause = record.cause;
            event->veto = record.veto;
            print_id(record.partition, event->partition);
            for (size_t k = 0; k < TD_COUNT_OF(record.children); k++) {
                if (record.children[k] > 0) print_id(record.children[k], event->children[k]);
            }
        }
    }
    return true;
}

static void print_id(uint32_t number, char ret_id[16])
{
    int len = snprintf(ret_id, 16, "p-%04u", number);
    TD_ASSERT(len > 0 && len < 16);
}
