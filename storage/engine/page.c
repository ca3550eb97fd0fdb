/* SPDX-License-Identifier: Apache-2.0
 * page.c: one page of a Query or Scan.
 *
 *   without the lock   the range or segment, and the starting key, become bounds of encoded keys (bounds.c)
 *   under the lock     a slice is walked, and references are taken to what is evaluated (page_walk.c)
 *   without the lock   the filter; then the next slice
 *
 * Model:    a page ends after `limit` items or when the items evaluated reach 1 MB (the one that reaches it belongs to
 *           the page), and then has a LastEvaluatedKey, even when nothing follows.
 * Slices:   what the filter drops is given back while it is still in the processor's caches.
 * Not here: texts of bad starting keys (start_key.c). */
#include "paging.h"

#include "catalog.h"
#include "start_key.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)

static td_status open_table(td_paging *paging);
static void close_table(td_paging *paging);
static td_status prepare(td_paging *paging);
static td_status walk_slice(td_paging *paging);
static void filter_items(td_paging *paging, uint32_t first);
static void describe(const td_paging *paging, td_page *ret_page);
static void forget_items(td_paging *paging);
static void release(void *paging);

td_status td_paging_begin(const td_call *call, const td_page_request *request, td_paging **ret_paging, td_error *error)
{
    td_paging *paging = td_arena_alloc_zero(call->arena, sizeof *paging);
    if (paging == NULL || !td_arena_defer(call->arena, release, paging)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    paging->call = call;
    paging->request = request;
    paging->error = error;
    TD_TRY(open_table(paging));
    *ret_paging = paging;
    return TD_OK;
}

td_status td_paging_step(td_paging *paging, td_page *ret_page)
{
    TD_ASSERT(!paging->is_whole);
    if (!paging->keeps_items) forget_items(paging);
    uint32_t first = paging->count;
    td_status status = walk_slice(paging);
    if (status == TD_OK) filter_items(paging, first);
    if (status == TD_OK) describe(paging, ret_page);
    if (paging->is_whole || status != TD_OK) close_table(paging);
    return status;
}

bool td_paging_is_whole(const td_paging *paging)
{
    return paging->is_whole;
}

td_status td_read_page(const td_call *call, const td_page_request *request, td_page *ret_page, td_error *error)
{
    td_paging *paging;
    td_page page;
    TD_TRY(td_paging_begin(call, request, &paging, error));
    paging->keeps_items = true;
    while (!paging->is_whole)
        TD_TRY(td_paging_step(paging, &page));
    *ret_page = page;
    return TD_OK;
}

static td_status open_table(td_paging *paging)
{
    TD_TRY(td_access__open(paging->call, &paging->access, paging->error));
    td_bounds__init(&paging->bounds);
    td_buf_init(&paging->fetch_key, KEY_BYTES_MAX);
    paging->is_open = true;
    td_status status = prepare(paging);
    if (status != TD_OK) close_table(paging);
    return status;
}

static void close_table(td_paging *paging)
{
    if (!paging->is_open) return;
    paging->is_open = false;
    td_buf_done(&paging->fetch_key);
    td_bounds__done(&paging->bounds);
    td_access__close(&paging->access);
}

static td_status prepare(td_paging *paging)
{
    const td_page_request *request = paging->request;
    const td_schema *schema = paging->access.schema;
    td_placement placement = paging->call->store->options.placement;
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
    if (request->start_key == NULL) return TD_OK;
    return td_start_key__apply(request, schema, paging->index, placement, &paging->bounds, paging->error);
}

/* What was prepared for the first slice stands on the schema; if that was swapped before, it is prepared again. */
static td_status walk_slice(td_paging *paging)
{
    if (paging->visited > 0) {
        td_table__lock(paging->access.table);
    } else {
        while (!td_access__lock(&paging->access)) {
            close_table(paging);
            TD_TRY(open_table(paging));
        }
    }
    td_status status = td_paging__walk_locked(paging);
    td_table__unlock(paging->access.table);
    return status;
}

/* Keeps those from `first` on that pass; the last one evaluated is kept anyway. */
static void filter_items(td_paging *paging, uint32_t first)
{
    const td_condition *filter = paging->request->filter;
    if (paging->count == first) return;
    td_item_unref(paging->last);
    paging->last = td_item_ref(paging->items[paging->count - 1]);
    if (filter == NULL) return;
    uint32_t evaluated = paging->count;
    paging->count = first;
    for (uint32_t i = first; i < evaluated; i++) {
        td_item *item = paging->items[i];
        if (td_condition_holds(filter, item))
            paging->items[paging->count++] = item;
        else
            td_item_unref(item);
    }
}

static void describe(const td_paging *paging, td_page *ret_page)
{
    const td_schema *schema = paging->access.schema;
    const td_index_schema *index = paging->index;
    ret_page->items = (const td_item **)paging->items;
    ret_page->count = paging->count;
    ret_page->scanned_count = paging->evaluated;
    if (!paging->is_whole) return;
    ret_page->last = paging->is_stopped ? paging->last : NULL;
    ret_page->key_names = index == NULL ? schema->key_names : index->key_names;
    ret_page->key_name_count = index == NULL ? td_key_part_count(&schema->key) : index->key_name_count;
    td_consumed_init(&ret_page->consumed);
    ret_page->consumed.table = index == NULL ? paging->walk_units : paging->fetch_units;
    if (index != NULL) {
        td_consumed_add_index(&ret_page->consumed, index->spec.name, index->spec.is_global, paging->walk_units);
    }
}

static void forget_items(td_paging *paging)
{
    for (uint32_t i = 0; i < paging->count; i++)
        td_item_unref(paging->items[i]);
    paging->count = 0;
}

static void release(void *object)
{
    td_paging *paging = object;
    forget_items(paging);
    td_item_unref(paging->last);
    paging->last = NULL;
    close_table(paging);
}
