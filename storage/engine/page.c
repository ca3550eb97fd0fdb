/* SPDX-License-Identifier: MIT
 * page.c: one page of a Query or Scan.
 *
 *   without the lock   the range or segment, and the starting key, become bounds of encoded keys (bounds.c)
 *   under the lock     partition by partition in key order: admission, walk, references to what is evaluated, charge
 *   without the lock   the filter
 *
 * Model:    a page ends after `limit` items or when the items evaluated reach 1 MB (the one that reaches it belongs to
 *           the page), and then has a LastEvaluatedKey, even when nothing follows. Its price is that of the bytes
 *           evaluated, rounded once, and at least the minimum for each partition visited (throttling.md §1.2).
 *           The table's limits are asked once, each partition's cap when the walk comes to it (§3.4).
 * Not here: texts of bad starting keys (start_key.c). */
#include "thermodyn/read.h"

#include "access.h"
#include "bounds.h"
#include "catalog.h"
#include "index.h"
#include "pressure.h"
#include "start_key.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)
#define ROOM_FIRST 64

/* References that a page holds until the reset of its arena. */
typedef struct td_page_items {
    td_item **items;
    uint32_t count;
    uint32_t room;
} td_page_items;

typedef struct td_paging {
    const td_call *call;
    const td_page_request *request;
    td_error *error;
    td_access access;
    const td_index_schema *index; /* NULL: the table */
    uint32_t index_at;            /* in the schema */
    td_bounds bounds;
    uint32_t collection_len; /* of the bounds; 0: a Scan */
    bool is_one_key;         /* the bounds are one whole key of what is read */
    td_page_items *found; /* evaluated; whole items where they were fetched */

    /* under the lock */
    td_resource *resource; /* whose partitions are walked */
    uint32_t tree;         /* of each partition */
    bool lags;             /* the whole page sees the lagging trees */
    bool fetches;          /* entries of a local index are exchanged for whole items */
    td_buf fetch_key;
    td_admission admission;
    td_admission_target *target; /* the present partition */
    uint8_t place[8];            /* where a Scan begins in it */
    uint32_t visited;            /* partitions */
    uint64_t bytes;              /* of the entries evaluated: what is priced */
    uint64_t page_bytes;         /* of what the page carries: what ends it */
    td_units walk_units;
    td_units fetch_units;
    bool is_stopped; /* by limit, size or a throttle: there may be more */
} td_paging;

static td_status prepare(td_paging *paging);
static td_status walk_locked(td_paging *paging);
static bool enter_locked(td_paging *paging, td_partition *partition);
static void aim_locked(td_paging *paging, const td_partition *partition);
static td_status walk_partition_locked(td_paging *paging, td_partition *partition);
static td_status evaluate_locked(td_paging *paging, const td_partition *partition, td_item *entry);
static td_item *fetch_locked(td_paging *paging, const td_partition *partition, const td_item *entry);
static bool keep_locked(td_paging *paging, td_item *item);
static void charge_locked(td_paging *paging, td_units fetch_units);
static td_status finish(td_paging *paging, td_page *ret_page);
static td_status filter_items(td_paging *paging, td_page *ret_page);
static void release_items(void *items);

td_status td_read_page(const td_call *call, const td_page_request *request, td_page *ret_page, td_error *error)
{
    for (;;) {
        td_paging paging;
        memset(&paging, 0, offsetof(td_paging, admission));
        paging.call = call;
        paging.request = request;
        paging.error = error;
        paging.target = NULL;
        paging.visited = 0;
        paging.bytes = 0;
        paging.page_bytes = 0;
        paging.walk_units = 0;
        paging.fetch_units = 0;
        paging.is_stopped = false;
        TD_TRY(td_access__open(call, &paging.access, error));
        td_bounds__init(&paging.bounds);
        td_buf_init(&paging.fetch_key, KEY_BYTES_MAX);

        td_status status = prepare(&paging);
        bool is_stale = false;
        if (status == TD_OK) {
            is_stale = !td_access__lock(&paging.access);
            if (!is_stale) {
                status = walk_locked(&paging);
                td_table__unlock(paging.access.table);
            }
        }
        td_buf_done(&paging.fetch_key);
        td_bounds__done(&paging.bounds);
        td_access__close(&paging.access);
        if (is_stale) continue;
        return status == TD_OK ? finish(&paging, ret_page) : status;
    }
}

static td_status prepare(td_paging *paging)
{
    const td_page_request *request = paging->request;
    const td_schema *schema = paging->access.schema;
    td_placement placement = paging->call->store->options.placement;
    td_arena *arena = paging->call->arena;
    if (request->index.len > 0) {
        TD_TRY(td_access__find_index(&paging->access, request->index, &paging->index_at, paging->error));
        paging->index = &schema->indexes[paging->index_at];
        if (paging->index->spec.is_global && request->is_consistent) {
            return TD_RAISE(paging->error, TD_MSG_GLOBAL_INDEX_IS_EVENTUAL);
        }
    }
    const td_key_schema *key = paging->index == NULL ? &schema->key : &paging->index->spec.key;
    paging->bounds.is_backward = request->range != NULL && request->is_backward;
    if (request->range == NULL) {
        td_bounds__set_segment(&paging->bounds, request->segment, request->total_segments);
    } else if (!td_bounds__set_range(&paging->bounds, key, request->range, placement)) {
        return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    }
    if (request->range != NULL) {
        bool has_table_key = paging->index == NULL || paging->index->spec.is_global;
        bool is_equal = request->range->kind == TD_RANGE_ALL && request->range->equal_count == key->range_count;
        paging->collection_len = (uint32_t)td_key_length_of_parts(paging->bounds.lower, key->hash_count);
        paging->is_one_key = has_table_key && is_equal;
    }
    if (request->start_key != NULL) {
        TD_TRY(td_start_key__apply(request, schema, paging->index, placement, &paging->bounds, paging->error));
    }
    paging->found = td_arena_alloc_zero(arena, sizeof *paging->found);
    if (paging->found == NULL || !td_arena_defer(arena, release_items, paging->found)) {
        return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

static td_status walk_locked(td_paging *paging)
{
    const td_schema *schema = paging->access.schema;
    td_table *table = paging->access.table;
    bool is_global = paging->index != NULL && paging->index->spec.is_global;
    paging->resource = table->resources[is_global ? 1 + paging->index_at - schema->local_count : 0];
    paging->tree = paging->index != NULL && !is_global ? 1 + paging->index_at : 0;
    paging->fetches =
        paging->request->needs_whole_items && paging->tree > 0 && paging->index->spec.projection != TD_PROJECT_ALL;
    bool is_consistent = paging->request->is_consistent;
    if (!td_lag__begin_read(paging->resource, is_consistent, paging->call->now_us, &paging->lags)) {
        return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    }

    bool is_backward = paging->bounds.is_backward;
    uint32_t low;
    uint32_t high;
    td_bounds__find_partitions(&paging->bounds, paging->resource, &low, &high);
    for (uint32_t i = 0; i <= high - low && !paging->is_stopped; i++) {
        td_partition *partition = paging->resource->partitions[is_backward ? high - i : low + i];
        if (!enter_locked(paging, partition)) {
            if (paging->found->count == 0) return td_admission_raise(&paging->admission, paging->error);
            paging->is_stopped = true;
            return TD_OK;
        }
        td_units fetched_before = paging->fetch_units;
        TD_TRY(walk_partition_locked(paging, partition));
        charge_locked(paging, paging->fetch_units - fetched_before);
    }
    return TD_OK;
}

/* Asks the limits of the whole resource for the first partition alone: the page is one request. */
static bool enter_locked(td_paging *paging, td_partition *partition)
{
    td_table *table = paging->access.table;
    bool is_global = paging->index != NULL && paging->index->spec.is_global;
    td_slice name = is_global ? paging->index->spec.name : td_slice_of(NULL, 0);
    td_admission_init(&paging->admission, &table->settings, table->billing);
    paging->admission.is_statement = paging->call->is_statement;
    td_pressure__wake_locked(table, paging->call->now_us);
    td_admission_target *target =
        td_resource__add_target(paging->resource, partition, name, TD_READ, &paging->admission);
    target->is_eventual = !paging->request->is_consistent;
    target->is_continued = paging->visited > 0;
    paging->target = target;
    aim_locked(paging, partition);

    td_bucket *limits[TD_LIMIT_KIND_COUNT];
    memcpy(limits, target->limits, sizeof limits);
    if (paging->visited > 0) {
        memset(target->limits, 0, sizeof target->limits);
        target->limits[TD_LIMITED_BY_KEY_RANGE] = limits[TD_LIMITED_BY_KEY_RANGE];
        if (paging->resource->has_shares) target->limits[TD_LIMITED_BY_PROVISIONED] = limits[TD_LIMITED_BY_PROVISIONED];
    }
    bool is_admitted = td_admission_ask(&paging->admission, paging->call->now_us);
    memcpy(target->limits, limits, sizeof limits);
    if (is_admitted) paging->visited++;
    return is_admitted;
}

/* A Scan searches places, whether or not there is an item; a Query is told by its bounds until it has found one. */
static void aim_locked(td_paging *paging, const td_partition *partition)
{
    const td_bounds *bounds = &paging->bounds;
    td_admission_target *target = paging->target;
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

static td_status walk_partition_locked(td_paging *paging, td_partition *partition)
{
    const td_btree *entries = td_lag__view(&partition->trees[paging->tree], paging->lags);
    td_btree_cursor at = td_bounds__seek(&paging->bounds, entries);
    bool finds_range = paging->collection_len > 0 && !paging->is_one_key && !td_btree_is_end(at) &&
                       td_bounds__has_key(&paging->bounds, td_btree_key(at));
    if (finds_range) paging->target->key = td_btree_key(at);
    while (!td_btree_is_end(at) && td_bounds__has_key(&paging->bounds, td_btree_key(at))) {
        TD_TRY(evaluate_locked(paging, partition, td_btree_value(at)));
        bool is_full = paging->found->count == paging->request->limit; /* no limit: 0 is never reached */
        if (is_full || paging->page_bytes >= TD_LIMIT_PAGE_BYTES_MAX) {
            if (paging->collection_len == 0) paging->target->hash_to = td_partition__hash_of_key(td_btree_key(at));
            paging->is_stopped = true;
            break;
        }
        if (paging->bounds.is_backward)
            td_btree_previous(&at);
        else
            td_btree_next(&at);
    }
    return TD_OK;
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
        paging->fetch_units += td_units_of_read(whole_size, paging->request->is_consistent);
        if (whole_size > carried_size) carried_size = whole_size;
    }
    if (!keep_locked(paging, item)) return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    paging->bytes += entry_size;
    paging->page_bytes += carried_size;
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
    td_page_items *found = paging->found;
    if (found->count == found->room) {
        uint32_t room = found->room == 0 ? ROOM_FIRST : found->room * 2;
        td_item **grown = td_arena_alloc_array(paging->call->arena, room, sizeof(td_item *));
        if (grown == NULL) return false;
        if (found->count > 0) memcpy(grown, found->items, found->count * sizeof(td_item *));
        found->items = grown;
        found->room = room;
    }
    found->items[found->count++] = td_item_ref(item);
    return true;
}

/* Charges the partition just walked with what it adds to the page's price; so the parts add up to the whole. */
static void charge_locked(td_paging *paging, td_units fetch_units)
{
    bool is_consistent = paging->request->is_consistent;
    td_units for_bytes = td_units_of_read(paging->bytes, is_consistent);
    td_units for_visits = td_units_of_read(0, is_consistent) * paging->visited;
    td_units so_far = for_bytes > for_visits ? for_bytes : for_visits;
    TD_ASSERT(so_far >= paging->walk_units);
    td_admission_charge(&paging->admission, paging->target, so_far - paging->walk_units + fetch_units);
    paging->walk_units = so_far;
}

static td_status finish(td_paging *paging, td_page *ret_page)
{
    const td_schema *schema = paging->access.schema;
    td_page page = {.scanned_count = paging->found->count};
    TD_TRY(filter_items(paging, &page));
    if (paging->is_stopped) page.last = paging->found->items[paging->found->count - 1];
    page.key_names = paging->index == NULL ? schema->key_names : paging->index->key_names;
    page.key_name_count = paging->index == NULL ? td_key_part_count(&schema->key) : paging->index->key_name_count;
    td_consumed_init(&page.consumed);
    if (paging->index == NULL) {
        page.consumed.table = paging->walk_units;
    } else {
        page.consumed.table = paging->fetch_units;
        const td_index_spec *spec = &paging->index->spec;
        td_consumed_add_index(&page.consumed, spec->name, spec->is_global, paging->walk_units);
    }
    *ret_page = page;
    return TD_OK;
}

static td_status filter_items(td_paging *paging, td_page *ret_page)
{
    const td_page_items *found = paging->found;
    td_arena *arena = paging->call->arena;
    ret_page->items = td_arena_alloc_array(arena, found->count, sizeof *ret_page->items);
    if (ret_page->items == NULL) return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < found->count; i++) {
        bool passes = true;
        if (paging->request->filter != NULL) {
            td_arena_mark mark = td_arena_get_mark(arena);
            td_status status = td_condition_eval(paging->request->filter, found->items[i], arena, &passes);
            td_arena_rewind(arena, mark);
            if (status != TD_OK) return TD_RAISE(paging->error, TD_MSG_OUT_OF_MEMORY);
        }
        if (passes) ret_page->items[ret_page->count++] = found->items[i];
    }
    return TD_OK;
}

static void release_items(void *items)
{
    td_page_items *found = items;
    for (uint32_t i = 0; i < found->count; i++)
        td_item_unref(found->items[i]);
    found->count = 0;
}
