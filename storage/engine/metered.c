/* SPDX-License-Identifier: Apache-2.0
 * metered.c: what was metered by the minute, of tables and global indexes that are there and of those that are gone.
 * Not here: what is counted (storage/capacity/ledger.c); totals (totals.c). */
#include "thermodyn/metrics.h"

#include <stdlib.h>

#include "catalog.h"

typedef struct metered_list {
    td_metered *all;
    uint32_t count;
    uint32_t room;
} metered_list;

static bool list_tables(td_store *store, td_arena *arena, metered_list *list);
static bool list_archive(td_archive *archive, td_arena *arena, metered_list *list);
static bool list_one(metered_list *list, const td_metered *metered, td_arena *arena);
static void merge_equal(metered_list *list);
static int compare(const void *a, const void *b);
static bool read_table(td_store *store, const td_metered *of, td_metric metric, const td_series_window *window,
                       td_samples *points);
static bool read_archive(td_archive *archive, const td_metered *of, td_metric metric, const td_series_window *window,
                         td_samples *points);
static td_slice index_name(const td_table *table, uint32_t resource);
static void add_provisioned(const td_ledger *ledger, td_direction direction, td_account_step *steps, uint32_t count);

bool td_store_list_metered(td_store *store, td_arena *arena, td_metered **ret_metered, uint32_t *ret_count)
{
    metered_list list = {0};
    if (!list_tables(store, arena, &list) || !list_archive(&store->archive, arena, &list)) return false;
    if (list.count > 1) qsort(list.all, list.count, sizeof *list.all, compare);
    merge_equal(&list);
    *ret_metered = list.all;
    *ret_count = list.count;
    return true;
}

bool td_store_read_metric(td_store *store, const td_metered *resource, td_metric metric, const td_series_window *window,
                          td_samples *points)
{
    bool is_there = read_table(store, resource, metric, window, points);
    return read_archive(&store->archive, resource, metric, window, points) || is_there;
}

bool td_store_read_account(td_store *store, td_slice scope, td_account_quota quota, td_direction direction,
                           const td_series_window *window, td_arena *arena, td_account_step **ret_steps,
                           uint32_t *ret_count)
{
    uint32_t count = 0;
    td_time_us first_us = td_history_steps(window, &count);
    td_account_step *steps = td_arena_alloc_array(arena, count, sizeof *steps);
    if (steps == NULL) return false;
    td_catalog__read_lock(store);
    for (uint32_t i = 0; i < count; i++) {
        steps[i] = (td_account_step){.at_us = first_us + i * TD_HISTORY_STEP_US};
        steps[i].quota = td_history_at(&store->quotas, quota, steps[i].at_us);
    }
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        bool is_of_scope = td_slice_equal(table->schema->scope, scope);
        for (uint32_t i = 0; is_of_scope && i < table->resource_count; i++)
            add_provisioned(&table->resources[i]->ledger, direction, steps, count);
        td_table__unlock(table);
    }
    td_archive__lock(&store->archive);
    for (const td_archived *at = store->archive.oldest; at != NULL; at = at->next) {
        if (td_slice_equal(at->scope, scope)) add_provisioned(&at->ledger, direction, steps, count);
    }
    td_archive__unlock(&store->archive);
    td_catalog__unlock(store); /* so long no table goes from the one to the other */
    *ret_steps = steps;
    *ret_count = count;
    return true;
}

static bool list_tables(td_store *store, td_arena *arena, metered_list *list)
{
    bool is_listed = true;
    td_catalog__read_lock(store);
    for (td_btree_cursor at = td_btree_first(store->tables); is_listed && !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        for (uint32_t i = 0; is_listed && i < table->resource_count; i++) {
            td_metered metered = {.scope = table->schema->scope,
                                  .table = table->schema->table,
                                  .index = index_name(table, i),
                                  .recorded = td_ledger_recorded(&table->resources[i]->ledger)};
            is_listed = metered.recorded == 0 || list_one(list, &metered, arena);
        }
        td_table__unlock(table);
    }
    td_catalog__unlock(store);
    return is_listed;
}

static bool list_archive(td_archive *archive, td_arena *arena, metered_list *list)
{
    bool is_listed = true;
    td_archive__lock(archive);
    for (const td_archived *at = archive->oldest; is_listed && at != NULL; at = at->next) {
        td_metered metered = {.scope = at->scope,
                              .table = at->table,
                              .index = at->index,
                              .is_gone = true,
                              .recorded = td_ledger_recorded(&at->ledger)};
        is_listed = list_one(list, &metered, arena);
    }
    td_archive__unlock(archive);
    return is_listed;
}

static bool list_one(metered_list *list, const td_metered *metered, td_arena *arena)
{
    if (list->count == list->room) {
        uint32_t room = list->room == 0 ? 16 : list->room * 2;
        td_metered *grown = td_arena_alloc_array(arena, room, sizeof *grown);
        if (grown == NULL) return false;
        if (list->count > 0) memcpy(grown, list->all, list->count * sizeof *grown);
        list->all = grown;
        list->room = room;
    }
    td_metered *kept = &list->all[list->count];
    *kept = *metered;
    bool is_kept = td_arena_copy(arena, metered->scope, &kept->scope) &&
                   td_arena_copy(arena, metered->table, &kept->table) &&
                   td_arena_copy(arena, metered->index, &kept->index);
    list->count += is_kept;
    return is_kept;
}

static void merge_equal(metered_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        td_metered *last = kept == 0 ? NULL : &list->all[kept - 1];
        if (last != NULL && compare(last, &list->all[i]) == 0) {
            last->is_gone = last->is_gone && list->all[i].is_gone;
            last->recorded |= list->all[i].recorded;
        } else {
            list->all[kept++] = list->all[i];
        }
    }
    list->count = kept;
}

static int compare(const void *a, const void *b)
{
    const td_metered *left = a;
    const td_metered *right = b;
    int order = td_slice_compare(left->scope, right->scope);
    if (order == 0) order = td_slice_compare(left->table, right->table);
    return order != 0 ? order : td_slice_compare(left->index, right->index);
}

static bool read_table(td_store *store, const td_metered *of, td_metric metric, const td_series_window *window,
                       td_samples *points)
{
    td_table *table = td_catalog__find(store, of->scope, of->table);
    if (table == NULL) return false;
    bool is_there = false;
    td_table__lock(table);
    for (uint32_t i = 0; !is_there && !table->is_gone && i < table->resource_count; i++) {
        is_there = td_slice_equal(index_name(table, i), of->index);
        if (is_there) td_ledger_read(&table->resources[i]->ledger, metric, window, points);
    }
    td_table__unlock(table);
    td_table__unref(table);
    return is_there;
}

static bool read_archive(td_archive *archive, const td_metered *of, td_metric metric, const td_series_window *window,
                         td_samples *points)
{
    bool is_there = false;
    td_archive__lock(archive);
    for (const td_archived *at = archive->oldest; !is_there && at != NULL; at = at->next) {
        td_metered metered = {.scope = at->scope, .table = at->table, .index = at->index};
        is_there = compare(&metered, of) == 0;
        if (is_there) td_ledger_read(&at->ledger, metric, window, points);
    }
    td_archive__unlock(archive);
    return is_there;
}

static td_slice index_name(const td_table *table, uint32_t resource)
{
    return resource == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, resource - 1)->spec.name;
}

/* Of one that is gone its history says when. */
static void add_provisioned(const td_ledger *ledger, td_direction direction, td_account_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t rate = td_history_at(&ledger->rates, direction, steps[i].at_us);
        steps[i].provisioned += rate;
        if (rate > steps[i].greatest) steps[i].greatest = rate;
    }
}
