/* SPDX-License-Identifier: Apache-2.0
 * page_walk.c: a slice of a page, under the table's lock: partition by partition in key order: admission, walk,
 * references to what is evaluated, charge.
 *
 * Model:    the table's limits are asked once, each partition's cap when the walk comes to it (throttling.md §3.4). The
 *           price is that of the bytes evaluated, rounded once, and at least the minimum for each partition visited
 *           (§1.2); each slice is charged with what it adds to it. The page is one sample of what was consumed, which
 *           is entered when it ends.
 * Slices:   an entry and a visit of a partition are steps of about the same cost; a slice ends after so many of them,
 *           or after so many bytes for whoever prints them. A partition that was split since the slice before is
 *           another one, and is visited as such. */
#include "paging.h"

#include "catalog.h"
#include "pressure.h"

#define ROOM_FIRST 64
#define STEPS_AHEAD 8

typedef enum walk_end {
    END_OF_PARTITION,
    END_OF_SLICE,
    END_OF_PAGE, /* by limit or size */
} walk_end;

static bool find_resource_locked(td_paging *paging);
static td_status walk_partitions_locked(td_paging *paging);
static void aim_locked(td_paging *paging, td_partition *partition);
static bool admit_locked(td_paging *paging);
static td_status walk_partition_locked(td_paging *paging, const td_partition *partition, td_btree_room *room,
                                       walk_end *ret_end);
static void ask_ahead(td_btree_cursor *ahead, td_btree_cursor end, bool is_backward);
static void step(td_btree_cursor *cursor, bool is_backward);
static td_status evaluate_locked(td_paging *paging, const td_partition *partition, td_item *entry);
static td_item *fetch_locked(td_paging *paging, const td_partition *partition, const td_item *entry);
static bool keep_locked(td_paging *paging, td_item *item);
static void charge_locked(td_paging *paging);

static bool slice_is_full(const td_paging *paging)
{
    return paging->slice_steps >= TD_LIMIT_PAGE_SLICE_STEPS_MAX || paging->slice_bytes >= TD_LIMIT_PAGE_SLICE_BYTES_MAX;
}

td_status td_paging__walk_locked(td_paging *paging)
{
    bool is_first = paging->visited == 0;
    td_status status = TD_OK;
    if (!find_resource_locked(paging)) {
        paging->is_whole = true; /* of what there was */
        paging->is_stopped = paging->evaluated > 0;
    } else if (is_first && !td_lag__begin_read(paging->resource, paging->request->is_consistent, paging->call->now_us,
                                               &paging->lags)) {
        status = TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    } else {
        status = walk_partitions_locked(paging);
    }
    bool has_ended = paging->is_whole || status != TD_OK;
    if (has_ended && paging->visited > 0 && paging->resource != NULL) {
        td_units units = paging->walk_units + paging->fetch_units;
        td_ledger_add(&paging->resource->ledger, paging->call->now_us, TD_READ, units, false);
    }
    return status;
}

/* Since the slice before the table may have gone, or the index; one of the same name may be another one. false: there
 * is nothing to walk any more. */
static bool find_resource_locked(td_paging *paging)
{
    td_table *table = paging->access.table;
    bool is_global = paging->index != NULL && paging->index->spec.is_global;
    int at = is_global ? td_schema__find_index(table->schema, paging->index->spec.name) : 0;
    uint32_t place = is_global ? 1 + (uint32_t)at - table->schema->local_count : 0;
    paging->resource = table->is_gone || at < 0 ? NULL : table->resources[place];
    paging->tree = paging->index != NULL && !is_global ? 1 + paging->index_at : 0;
    paging->fetches =
        paging->request->needs_whole_items && paging->tree > 0 && paging->index->spec.projection != TD_PROJECT_ALL;
    bool is_same = !is_global || table->schema == paging->access.schema;
    return paging->resource != NULL && is_same && td_access__is_usable_locked(table);
}

static td_status walk_partitions_locked(td_paging *paging)
{
    td_admission admission;
    td_btree_room room;
    bool is_backward = paging->bounds.is_backward;
    const td_resource *resource = paging->resource;
    uint32_t low;
    uint32_t high;
    uint8_t bytes[8];
    paging->admission = &admission;
    paging->slice_steps = 0;
    paging->slice_bytes = 0;
    td_bounds__find_partitions(&paging->bounds, resource, &low, &high);
    for (uint32_t i = 0; i <= high - low; i++) {
        td_partition *partition = resource->partitions[is_backward ? high - i : low + i];
        if (slice_is_full(paging)) { /* between two partitions */
            const td_partition *upper = is_backward ? resource->partitions[high - i + 1] : partition;
            bool is_moved = td_bounds__move_start(&paging->bounds, td_partition__bound(upper, bytes), !is_backward);
            return is_moved ? TD_OK : TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
        }
        aim_locked(paging, partition);
        bool is_new = partition->number != paging->partition_number;
        if (is_new && !admit_locked(paging)) {
            if (paging->evaluated == 0) return td_admission_raise(paging->admission, paging->error);
            paging->is_whole = paging->is_stopped = true;
            return TD_OK;
        }
        paging->partition_number = partition->number;
        uint32_t evaluated_before = paging->evaluated;
        walk_end end;
        TD_TRY(walk_partition_locked(paging, partition, &room, &end));
        if (is_new || paging->evaluated > evaluated_before) charge_locked(paging);
        if (end == END_OF_SLICE) return TD_OK;
        if (end == END_OF_PAGE) {
            paging->is_whole = paging->is_stopped = true;
            return TD_OK;
        }
    }
    paging->is_whole = true;
    return TD_OK;
}

/* A Scan searches places, whether or not there is an item; a Query is told by its bounds until it has found one. */
static void aim_locked(td_paging *paging, td_partition *partition)
{
    td_table *table = paging->access.table;
    const td_bounds *bounds = &paging->bounds;
    bool is_global = paging->index != NULL && paging->index->spec.is_global;
    td_slice name = is_global ? paging->index->spec.name : td_slice_of(NULL, 0);
    td_admission_init(paging->admission, &table->settings, table->billing);
    paging->admission->is_statement = paging->call->is_statement;
    paging->admission->now_us = paging->call->now_us;
    td_pressure__wake_locked(table, paging->call->now_us);
    td_admission_target *target =
        td_resource__add_target(paging->resource, partition, name, TD_READ, paging->admission);
    paging->target = target;
    target->is_eventual = !paging->request->is_consistent;
    target->is_range = !paging->is_one_key;
    target->offered = td_units_of_read(0, paging->request->is_consistent);
    if (paging->collection_len == 0) {
        uint64_t from = partition->hash_from > bounds->hash_from ? partition->hash_from : bounds->hash_from;
        target->key = td_partition__key_of_hash(from, paging->place);
        target->hash_to = partition->hash_to < bounds->hash_to ? partition->hash_to : bounds->hash_to;
    } else {
        target->key = bounds->lower;
        target->collection_len = paging->collection_len;
    }
}

/* Asks the limits of the whole resource for the first partition alone: the page is one request. */
static bool admit_locked(td_paging *paging)
{
    td_admission_target *target = paging->target;
    td_bucket *limits[TD_LIMIT_KIND_COUNT];
    memcpy(limits, target->limits, sizeof limits);
    if (paging->visited > 0) {
        memset(target->limits, 0, sizeof target->limits);
        target->limits[TD_LIMITED_BY_KEY_RANGE] = limits[TD_LIMITED_BY_KEY_RANGE];
        if (paging->resource->has_shares) target->limits[TD_LIMITED_BY_PROVISIONED] = limits[TD_LIMITED_BY_PROVISIONED];
    }
    bool is_admitted = td_admission_ask(paging->admission, paging->call->now_us);
    memcpy(target->limits, limits, sizeof limits);
    if (!is_admitted) return false;
    paging->visited++;
    paging->slice_steps++;
    return true;
}

/* `room`: for the first key that a Query finds in the partition, until it is charged. */
static td_status walk_partition_locked(td_paging *paging, const td_partition *partition, td_btree_room *room,
                                       walk_end *ret_end)
{
    const td_bounds *bounds = &paging->bounds;
    const td_btree *entries = td_lag__view(&partition->trees[paging->tree], paging->lags);
    td_btree_cursor at = td_bounds__seek(bounds, entries);
    *ret_end = END_OF_PARTITION;
    if (td_btree_is_end(at)) return TD_OK;
    td_btree_cursor end = td_bounds__seek_end(bounds, entries);
    td_btree_cursor ahead = at;
    for (uint32_t i = 0; i < STEPS_AHEAD; i++)
        ask_ahead(&ahead, end, bounds->is_backward);
    td_slice first = td_btree_read_key(at, room);
    if (!td_bounds__has_key(bounds, first)) return TD_OK;
    if (paging->collection_len > 0 && !paging->is_one_key) paging->target->key = first;
    while (!td_btree_is_same(at, end)) {
        ask_ahead(&ahead, end, bounds->is_backward);
        TD_TRY(evaluate_locked(paging, partition, td_btree_value(at)));
        bool is_full = paging->evaluated == paging->request->limit; /* no limit: 0 is never reached */
        bool ends_page = is_full || paging->page_bytes >= TD_LIMIT_PAGE_BYTES_MAX;
        if (ends_page || slice_is_full(paging)) {
            td_btree_room last;
            td_slice key = td_btree_read_key(at, &last);
            if (paging->collection_len == 0) paging->target->hash_to = td_partition__hash_of_key(key);
            *ret_end = ends_page ? END_OF_PAGE : END_OF_SLICE;
            if (ends_page || td_bounds__move_start(&paging->bounds, key, false)) return TD_OK;
            return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
        }
        step(&at, bounds->is_backward);
    }
    return TD_OK;
}

/* Entries lie anywhere in memory: without this each would be waited for. */
static void ask_ahead(td_btree_cursor *ahead, td_btree_cursor end, bool is_backward)
{
    if (td_btree_is_same(*ahead, end)) return;
    td_btree_prefetch(*ahead);
    step(ahead, is_backward);
}

static void step(td_btree_cursor *cursor, bool is_backward)
{
    if (is_backward)
        td_btree_previous(cursor);
    else
        td_btree_next(cursor);
}

static td_status evaluate_locked(td_paging *paging, const td_partition *partition, td_item *entry)
{
    uint32_t entry_size = td_item_size(entry);
    uint32_t carried_size = entry_size;
    td_item *item = entry;
    if (paging->fetches) {
        item = fetch_locked(paging, partition, entry);
        if (item == NULL) return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
        uint32_t whole_size = td_item_size(item);
        paging->slice_fetch_units += td_units_of_read(whole_size, paging->request->is_consistent);
        if (whole_size > carried_size) carried_size = whole_size;
    }
    if (!keep_locked(paging, item)) return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    paging->evaluated++;
    paging->bytes += entry_size;
    paging->page_bytes += carried_size;
    paging->slice_steps++;
    paging->slice_bytes += carried_size;
    return TD_OK;
}

/* The whole item of a local index's entry lies in the same partition: they share the partition key. */
static td_item *fetch_locked(td_paging *paging, const td_partition *partition, const td_item *entry)
{
    const td_key_schema *key = &paging->access.schema->key;
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_item(key, entry, parts);
    TD_ASSERT(has_key);
    td_buf_clear(&paging->fetch_key);
    td_key_append(&paging->fetch_key, key, parts, paging->call->store->options.placement);
    if (td_buf_has_failed(&paging->fetch_key)) return NULL;
    const td_btree *items = td_lag__view(&partition->trees[0], paging->lags);
    void **place = td_btree_find(items, td_buf_contents(&paging->fetch_key));
    TD_ASSERT(place != NULL);
    return *place;
}

static bool keep_locked(td_paging *paging, td_item *item)
{
    if (paging->count == paging->room) {
        uint32_t room = paging->room == 0 ? ROOM_FIRST : paging->room * 2;
        td_item **grown = td_arena_alloc_array(paging->call->arena, room, sizeof(td_item *));
        if (grown == NULL) return false;
        if (paging->count > 0) memcpy(grown, paging->items, paging->count * sizeof(td_item *));
        paging->items = grown;
        paging->room = room;
    }
    paging->items[paging->count++] = td_item_ref(item);
    return true;
}

/* Charges the partition just walked with what it adds to the page's price; so the parts add up to the whole. */
static void charge_locked(td_paging *paging)
{
    bool is_consistent = paging->request->is_consistent;
    td_units for_bytes = td_units_of_read(paging->bytes, is_consistent);
    td_units for_visits = td_units_of_read(0, is_consistent) * paging->visited;
    td_units so_far = for_bytes > for_visits ? for_bytes : for_visits;
    TD_ASSERT(so_far >= paging->walk_units);
    td_units added = so_far - paging->walk_units + paging->slice_fetch_units;
    paging->target->ledger = NULL; /* the whole page is one sample */
    td_admission_charge(paging->admission, paging->target, added);
    paging->walk_units = so_far;
    paging->fetch_units += paging->slice_fetch_units;
    paging->slice_fetch_units = 0;
}
