/* SPDX-License-Identifier: MIT
 * write.c: the one write path: PutItem, UpdateItem and DeleteItem.
 *
 *   without the lock   keys checked and encoded; Put: the new block and its index entries
 *   under the lock     find → condition → new item → indexes' plan → admission of all that is touched → reserve → swap
 *                      → charge
 *
 * What an index costs is known only when the new item is, so condition and update are decided before admission is
 * asked; neither changes anything, and a throttle goes before what they had to say. A failed condition is charged to
 * the table alone (throttling.md §1.3).
 * Invariants: all that can fail comes before the first change; a write is seen in the table and its indexes at once.
 * Not here:   what happens to an index (index.c); which text a bad key gets (keys_check.c). */
#include "thermodyn/write.h"

#include "access.h"
#include "catalog.h"
#include "index.h"
#include "keys_check.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)

typedef struct td_writing {
    const td_call *call;
    const td_write *write;
    td_error *error;
    td_access access;
    td_placement placement;
    td_buf key;            /* of the item */
    size_t collection_len; /* of the key's prefix that its collection shares */
    td_item *new_item;     /* owned until commit; NULL: none */
    td_index_plan plan;

    /* under the lock */
    td_partition *partition;
    td_item *old_item; /* the tree's; NULL: none */
    void **place;      /* in the tree; NULL: not there */
    td_admission admission;
    td_admission_target *target;
} td_writing;

static td_status prepare(td_writing *writing);
static td_status check_put(const td_writing *writing);
static td_status check_update(const td_writing *writing);
static bool encode_key(td_writing *writing);
static td_status run_locked(td_writing *writing, td_write_result *ret_result);
static void find_locked(td_writing *writing);
static td_status decide_locked(td_writing *writing, bool *ret_holds);
static td_status make_new_locked(td_writing *writing);
static td_status update_locked(td_writing *writing);
static td_status admit_locked(td_writing *writing);
static td_status fail_condition_locked(td_writing *writing);
static td_status swap_locked(td_writing *writing, td_write_result *ret_result);
static bool reserve_locked(td_writing *writing, int64_t collection_bytes);
static void commit_locked(td_writing *writing, int64_t collection_bytes);
static int64_t collection_bytes_locked(const td_writing *writing);
static uint32_t size_of(const td_item *item);

td_status td_write_item(const td_call *call, const td_write *write, td_write_result *ret_result, td_error *error)
{
    for (;;) {
        td_writing writing;
        writing.call = call;
        writing.write = write;
        writing.error = error;
        writing.placement = call->store->options.placement;
        writing.new_item = NULL;
        TD_TRY(td_access__open(call, &writing.access, error));
        td_buf_init(&writing.key, KEY_BYTES_MAX);
        td_index_plan__init(&writing.plan, writing.access.schema);

        td_status status = prepare(&writing);
        bool is_stale = false;
        if (status == TD_OK) {
            is_stale = !td_access__lock(&writing.access);
            if (!is_stale) {
                status = run_locked(&writing, ret_result);
                td_table__unlock(writing.access.table);
            }
        }
        td_index_plan__done(&writing.plan);
        td_item_unref(writing.new_item);
        td_buf_done(&writing.key);
        td_access__close(&writing.access);
        if (!is_stale) return status;
    }
}

static td_status prepare(td_writing *writing)
{
    const td_write *write = writing->write;
    td_error *error = writing->error;
    switch (write->kind) {
    case TD_WRITE_PUT: TD_TRY(check_put(writing)); break;
    case TD_WRITE_UPDATE: TD_TRY(check_update(writing)); break;
    case TD_WRITE_DELETE:
        TD_TRY(td_keys__check_lookup(&writing->access.schema->key, write->attributes, write->attribute_count, error));
        break;
    }
    if (!encode_key(writing)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (write->kind != TD_WRITE_PUT) return TD_OK;

    writing->new_item = td_item_new(write->attributes, write->attribute_count);
    if (writing->new_item == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (!td_index_plan__set_new(&writing->plan, writing->new_item, writing->placement)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

static td_status check_put(const td_writing *writing)
{
    const td_write *write = writing->write;
    td_error *error = writing->error;
    if (td_attributes_size(write->attributes, write->attribute_count) > TD_LIMIT_ITEM_BYTES_MAX) {
        return TD_RAISE(error, TD_MSG_ITEM_TOO_LARGE);
    }
    return td_keys__check_item(writing->access.schema, write->attributes, write->attribute_count,
                               write->words_keys_as_lookup, error);
}

static td_status check_update(const td_writing *writing)
{
    const td_write *write = writing->write;
    const td_key_schema *key = &writing->access.schema->key;
    TD_TRY(td_keys__check_lookup(key, write->attributes, write->attribute_count, writing->error));
    if (write->update == NULL) return TD_OK;
    return td_keys__check_update(writing->access.schema, write->update, writing->error);
}

static bool encode_key(td_writing *writing)
{
    const td_key_schema *key = &writing->access.schema->key;
    const td_write *write = writing->write;
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_attributes(key, write->attributes, write->attribute_count, parts);
    TD_ASSERT(has_key);
    td_key_append_collection(&writing->key, parts, key->hash_count, writing->placement);
    writing->collection_len = writing->key.len;
    for (uint32_t i = key->hash_count; i < td_key_part_count(key); i++)
        td_key_append_part(&writing->key, parts[i]);
    return !td_buf_has_failed(&writing->key);
}

static td_status run_locked(td_writing *writing, td_write_result *ret_result)
{
    bool holds = false;
    find_locked(writing);
    TD_TRY(decide_locked(writing, &holds));
    td_status made = holds ? make_new_locked(writing) : TD_OK;
    if (made == TD_OUT_OF_MEMORY) return made;
    TD_TRY(admit_locked(writing));
    if (!holds) return fail_condition_locked(writing);
    TD_TRY(made);
    return swap_locked(writing, ret_result);
}

static void find_locked(td_writing *writing)
{
    td_resource *base = writing->access.table->resources[0];
    td_slice key = td_buf_contents(&writing->key);
    writing->partition = td_resource__find_partition(base, key);
    writing->place = td_btree_find(writing->partition->trees[0].entries, key);
    writing->old_item = writing->place == NULL ? NULL : *writing->place;
}

static td_status decide_locked(td_writing *writing, bool *ret_holds)
{
    *ret_holds = true;
    if (writing->write->condition == NULL) return TD_OK;
    td_arena *arena = writing->call->arena;
    td_arena_mark mark = td_arena_get_mark(arena);
    td_status status = td_condition_eval(writing->write->condition, writing->old_item, arena, ret_holds);
    td_arena_rewind(arena, mark);
    return status == TD_OK ? TD_OK : TD_RAISE(writing->error, TD_MSG_OUT_OF_MEMORY);
}

/* The new item and what it means for the indexes. Its errors are told only when the request is admitted. */
static td_status make_new_locked(td_writing *writing)
{
    if (writing->write->kind == TD_WRITE_UPDATE) TD_TRY(update_locked(writing));
    bool is_planned = td_index_plan__set_old(&writing->plan, writing->access.table, writing->partition,
                                             writing->old_item, writing->placement);
    return is_planned ? TD_OK : TD_RAISE(writing->error, TD_MSG_OUT_OF_MEMORY);
}

static td_status update_locked(td_writing *writing)
{
    const td_write *write = writing->write;
    td_error *error = writing->error;
    if (write->update == NULL && writing->old_item != NULL) {
        writing->new_item = td_item_ref(writing->old_item);
    } else {
        td_attribute *attributes = NULL;
        uint32_t count = write->attribute_count;
        if (write->update != NULL) {
            TD_TRY(td_update_apply(write->update, writing->old_item, write->attributes, write->attribute_count,
                                   writing->call->arena, &attributes, &count, error));
            TD_TRY(td_keys__check_updated(writing->access.schema, writing->old_item, attributes, count, error));
            if (td_attributes_size(attributes, count) > TD_LIMIT_ITEM_BYTES_MAX) {
                return TD_RAISE(error, TD_MSG_ITEM_TOO_LARGE_TO_UPDATE);
            }
        }
        writing->new_item = td_item_new(attributes == NULL ? write->attributes : attributes, count);
        if (writing->new_item == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    bool is_planned = td_index_plan__set_new(&writing->plan, writing->new_item, writing->placement);
    return is_planned ? TD_OK : TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

static td_status admit_locked(td_writing *writing)
{
    td_table *table = writing->access.table;
    td_admission_init(&writing->admission, &table->settings, table->billing);
    writing->target = td_resource__add_target(table->resources[0], writing->partition, td_slice_of(NULL, 0), TD_WRITE,
                                              &writing->admission);
    /* Without a plan (the condition failed, the update has an error) no index is touched. */
    if (writing->plan.table != NULL) td_index_plan__add_targets(&writing->plan, &writing->admission);
    if (td_admission_ask(&writing->admission, writing->call->now_us)) return TD_OK;
    return td_admission_raise(&writing->admission, writing->error);
}

static td_status fail_condition_locked(td_writing *writing)
{
    uint32_t old_size = size_of(writing->old_item);
    uint32_t new_size = size_of(writing->new_item);
    td_units units = td_units_of_write(old_size > new_size ? old_size : new_size);
    td_admission_charge(&writing->admission, writing->target, units);

    td_error *error = writing->error;
    td_status status = TD_RAISE(error, TD_MSG_CONDITION_FAILED);
    if (writing->old_item == NULL || !writing->write->wants_item_on_failure) return status;
    if (!td_item_ref_in(writing->old_item, error->arena)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    error->item = writing->old_item;
    return status;
}

static td_status swap_locked(td_writing *writing, td_write_result *ret_result)
{
    td_arena *arena = writing->call->arena;
    td_item *old_item = writing->old_item;
    td_item *new_item = writing->new_item;
    int64_t collection_bytes = collection_bytes_locked(writing);
    bool is_kept =
        (old_item == NULL || td_item_ref_in(old_item, arena)) && (new_item == NULL || td_item_ref_in(new_item, arena));
    if (!is_kept || !reserve_locked(writing, collection_bytes)) return TD_RAISE(writing->error, TD_MSG_OUT_OF_MEMORY);

    uint32_t old_size = size_of(old_item);
    uint32_t new_size = size_of(new_item);
    td_units units = td_units_of_write(old_size > new_size ? old_size : new_size);
    ret_result->old_item = old_item;
    ret_result->new_item = new_item;
    ret_result->collection_bytes = collection_bytes;
    td_consumed_init(&ret_result->consumed);
    commit_locked(writing, collection_bytes);
    ret_result->consumed.table = units;
    td_units local_units = td_index_plan__charge(&writing->plan, &writing->admission, &ret_result->consumed);
    td_admission_charge(&writing->admission, writing->target, units + local_units);
    return TD_OK;
}

/* Makes all places that the write needs. false: no memory, and no trace. */
static bool reserve_locked(td_writing *writing, int64_t collection_bytes)
{
    td_table *table = writing->access.table;
    td_btree *items = writing->partition->trees[0].entries;
    td_slice key = td_buf_contents(&writing->key);
    bool is_new = false;
    if (writing->new_item != NULL && writing->place == NULL) {
        writing->place = td_btree_insert(items, key, &is_new);
        if (writing->place == NULL) return false;
        TD_ASSERT(is_new);
    }
    bool is_reserved = td_index_plan__reserve(&writing->plan);
    if (is_reserved && collection_bytes > 0) {
        td_slice collection = td_slice_of(key.ptr, writing->collection_len);
        is_reserved = td_map_put(table->collections, collection, (void *)(uintptr_t)collection_bytes);
        if (!is_reserved) td_index_plan__unreserve(&writing->plan);
    }
    if (!is_reserved && is_new) (void)td_btree_remove(items, key);
    return is_reserved;
}

static void commit_locked(td_writing *writing, int64_t collection_bytes)
{
    td_tree *tree = &writing->partition->trees[0];
    td_slice key = td_buf_contents(&writing->key);
    td_index_plan__commit(&writing->plan);
    if (writing->new_item != NULL) {
        *writing->place = writing->new_item;
        tree->bytes += td_item_size(writing->new_item);
        writing->new_item = NULL; /* the tree's now */
    } else if (writing->old_item != NULL) {
        void *removed = td_btree_remove(tree->entries, key);
        TD_ASSERT(removed == writing->old_item);
    }
    if (writing->old_item != NULL) {
        TD_ASSERT(tree->bytes >= td_item_size(writing->old_item));
        tree->bytes -= td_item_size(writing->old_item);
        td_item_unref(writing->old_item);
    }
    if (collection_bytes == 0) {
        (void)td_map_remove(writing->access.table->collections, td_slice_of(key.ptr, writing->collection_len));
    }
}

/* What the item's collection will hold, local index entries and overhead included; -1 when nobody counts. */
static int64_t collection_bytes_locked(const td_writing *writing)
{
    const td_map *collections = writing->access.table->collections;
    if (collections == NULL) return -1;
    td_slice collection = td_slice_of(writing->key.data, writing->collection_len);
    int64_t bytes = (int64_t)(uintptr_t)td_map_find(collections, collection);
    if (writing->new_item != NULL) bytes += td_item_size(writing->new_item) + TD_ENTRY_OVERHEAD_BYTES;
    if (writing->old_item != NULL) bytes -= td_item_size(writing->old_item) + TD_ENTRY_OVERHEAD_BYTES;
    bytes += td_index_plan__local_growth_bytes(&writing->plan);
    TD_ASSERT(bytes >= 0);
    return bytes;
}

static uint32_t size_of(const td_item *item)
{
    return item == NULL ? 0 : td_item_size(item);
}
