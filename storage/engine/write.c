/* SPDX-License-Identifier: Apache-2.0
 * write.c: the one write path: PutItem, UpdateItem, DeleteItem and the actions of transactions.
 *
 *   without the lock   keys checked and encoded; Put: the new block and its index entries
 *   under the lock     find → condition → new item → indexes' plan → admission of all that is touched → reserve → swap
 *                      → charge
 *
 * What an index costs is known only when the new item is, so condition and update are decided before admission is
 * asked; neither changes anything, and a throttle goes before what they had to say. A failed condition is charged to
 * the table alone (throttling.md §1.3).
 * Invariants: all that can fail comes before the first change; a write is seen in the table and its indexes at once.
 * Not here:   what happens to an index (index.c); which text a bad key gets (keys_check.c); the steps that several
 *             actions take together (txn.c). */
#include "writing.h"

#include "thermodyn/memory.h"

#include "catalog.h"
#include "change.h"
#include "collection.h"
#include "keys_check.h"
#include "pressure.h"
#include "split.h"
#include "trail.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)

static td_status run_locked(td_writing *writing, td_write_result *ret_result);
static td_status swap_locked(td_writing *writing, td_write_result *ret_result);
static td_status check_put(const td_writing *writing);
static td_status check_update(const td_writing *writing);
static void encode_parts(td_writing *writing, const td_slice *parts);
static void find_locked(td_writing *writing);
static td_status make_new_locked(td_writing *writing);
static td_status update_locked(td_writing *writing);
static td_status check_collection_locked(const td_writing *writing);
static void notice_sizes_locked(const td_writing *writing);
static td_item_change change_of(td_writing *writing);
static td_slice collection_of(const td_writing *writing);
static int64_t growth_bytes(const td_writing *writing);
static uint32_t larger_size(const td_item *a, const td_item *b);

td_status td_write_item(const td_call *call, const td_write *write, td_write_result *ret_result, td_error *error)
{
    TD_TRY(td_journal__begin(call, error));
    for (;;) {
        td_access access;
        TD_TRY(td_access__open(call, &access, error));
        td_writing writing;
        td_index_effect effects[TD_INDEXES_MAX];
        td_admission admission;
        td_writing__init(&writing, call, write, &access, effects, error);
        writing.admission = &admission;
        td_status status = td_writing__prepare(&writing);
        bool is_stale = false;
        if (status == TD_OK) {
            is_stale = !td_access__lock(&access);
            if (!is_stale) {
                status = run_locked(&writing, ret_result);
                td_table__unlock(access.table);
            }
        }
        td_writing__done(&writing);
        td_access__close(&access);
        if (!is_stale) return status;
    }
}

static td_status run_locked(td_writing *writing, td_write_result *ret_result)
{
    td_status decided = td_writing__decide_locked(writing);
    if (decided == TD_OUT_OF_MEMORY) return decided;
    if (writing->call->is_fixture) return decided == TD_OK ? swap_locked(writing, ret_result) : decided;
    if (!td_writing__ask_locked(writing)) return td_admission_raise(writing->admission, writing->error);
    if (decided == TD_CONDITIONAL_CHECK_FAILED) {
        td_writing__charge_table_locked(writing, 1);
        return td_writing__raise_condition_locked(writing);
    }
    TD_TRY(decided);
    return swap_locked(writing, ret_result);
}

static td_status swap_locked(td_writing *writing, td_write_result *ret_result)
{
    td_arena *arena = writing->call->arena;
    td_item *old_item = writing->old_item;
    td_item *new_item = writing->new_item;
    bool is_kept =
        (old_item == NULL || td_item_ref_in(old_item, arena)) && (new_item == NULL || td_item_ref_in(new_item, arena));
    if (!is_kept || !td_writing__reserve_locked(writing)) return TD_RAISE(writing->error, TD_MSG_OUT_OF_MEMORY);

    td_consumed_init(&ret_result->consumed);
    td_writing__commit_locked(writing);
    td_journal__append(writing->call->store->journal, &writing->group);
    if (!writing->call->is_fixture) td_writing__charge_locked(writing, 1, &ret_result->consumed);
    ret_result->collection_bytes = td_writing__settle_locked(writing);
    ret_result->old_item = old_item;
    ret_result->new_item = new_item;
    return TD_OK;
}

void td_writing__init(td_writing *writing, const td_call *call, const td_write *write, const td_access *access,
                      td_index_effect *effects, td_error *error)
{
    writing->call = call;
    writing->write = write;
    writing->error = error;
    writing->access = *access;
    writing->placement = call->store->options.placement;
    writing->is_check = false;
    writing->is_expiry = false;
    td_buf_init(&writing->key, KEY_BYTES_MAX);
    writing->new_item = NULL;
    writing->group = (td_journal_group){NULL, NULL};
    writing->late = NULL;
    writing->admission = NULL;
    td_index_plan__init(&writing->plan, access->schema, effects);
}

void td_writing__done(td_writing *writing)
{
    td_index_plan__done(&writing->plan);
    td_item_unref(writing->new_item);
    td_free(writing->late);
    td_journal__drop(&writing->group);
    td_buf_done(&writing->key);
}

td_status td_writing__prepare(td_writing *writing)
{
    const td_write *write = writing->write;
    td_error *error = writing->error;
    td_write_kind kind = writing->is_check ? TD_WRITE_DELETE : write->kind; /* a key and a condition, as a delete's */
    switch (kind) {
    case TD_WRITE_PUT: TD_TRY(check_put(writing)); break;
    case TD_WRITE_UPDATE: TD_TRY(check_update(writing)); break;
    case TD_WRITE_DELETE:
        TD_TRY(td_keys__check_lookup(&writing->access.schema->key, write->attributes, write->attribute_count, error));
        break;
    }
    if (!td_writing__encode_key(writing)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (kind != TD_WRITE_PUT) return TD_OK;

    writing->new_item = td_item_new(write->attributes, write->attribute_count);
    if (writing->new_item == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (!td_index_plan__set_new(&writing->plan, writing->new_item, writing->placement)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_OK;
}

bool td_writing__encode_key(td_writing *writing)
{
    const td_write *write = writing->write;
    td_slice parts[TD_KEY_PARTS_MAX];
    if (!td_key_parts_of_attributes(&writing->access.schema->key, write->attributes, write->attribute_count, parts)) {
        return false;
    }
    encode_parts(writing, parts);
    return !td_buf_has_failed(&writing->key);
}

td_status td_writing__decide_locked(td_writing *writing)
{
    find_locked(writing);
    const td_condition *condition = writing->write->condition;
    bool holds = condition == NULL || td_condition_holds(condition, writing->old_item);
    td_status made = holds && !writing->is_check ? make_new_locked(writing) : TD_OK;
    writing->size_bytes = larger_size(writing->old_item, writing->new_item);
    return holds ? made : TD_CONDITIONAL_CHECK_FAILED;
}

td_status td_writing__raise_condition_locked(td_writing *writing)
{
    td_error *error = writing->error;
    td_status status = TD_RAISE(error, TD_MSG_CONDITION_FAILED);
    if (writing->old_item == NULL || !writing->write->wants_item_on_failure) return status;
    if (!td_item_ref_in(writing->old_item, error->arena)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    error->item = writing->old_item;
    return status;
}

bool td_writing__ask_locked(td_writing *writing)
{
    td_writing__aim_locked(writing);
    return td_admission_ask(writing->admission, writing->call->now_us);
}

void td_writing__aim_locked(td_writing *writing)
{
    td_table *table = writing->access.table;
    td_admission *admission = writing->admission;
    td_admission_init(admission, &table->settings, table->billing);
    admission->is_statement = writing->call->is_statement;
    admission->now_us = writing->call->now_us;
    td_pressure__wake_locked(table, writing->call->now_us);
    writing->target = td_resource__add_target(table->resources[0], writing->partition, td_slice_of(NULL, 0), TD_WRITE,
                                              admission);
    writing->target->key = td_buf_contents(&writing->key);
    writing->target->collection_len = (uint32_t)writing->collection_len;
    writing->target->offered = td_writing__units(writing, 1);
    /* Without a plan (the condition failed, the update has an error) no index is touched. */
    if (writing->plan.table != NULL) td_index_plan__add_targets(&writing->plan, admission);
}

bool td_writing__reserve_locked(td_writing *writing)
{
    td_map *collections = writing->access.table->collections;
    td_btree *items = writing->partition->trees[0].entries;
    td_slice key = td_buf_contents(&writing->key);
    td_time_us now_us = writing->call->now_us;
    td_resource *base = writing->access.table->resources[0];
    bool changes = writing->new_item != NULL || writing->old_item != NULL;
    if (changes && !td_trail__note(base->trail, 0, key, writing->old_item)) return false;
    if (changes && !td_lag__reserve(base, 0, key, now_us, &writing->late)) return false;
    writing->has_new_place = false;
    if (writing->new_item != NULL && writing->old_item == NULL) {
        void *there = NULL;
        if (!td_btree_put(items, key, writing->new_item, td_item_size(writing->new_item), &there)) return false;
        TD_ASSERT(there == NULL);
        writing->has_new_place = true;
    }
    bool is_reserved = td_index_plan__reserve(&writing->plan, now_us);
    if (is_reserved && collections != NULL && writing->new_item != NULL) {
        is_reserved = td_collection__reserve(collections, collection_of(writing));
        if (!is_reserved) td_index_plan__unreserve(&writing->plan);
    }
    if (is_reserved) {
        td_item_change change = change_of(writing);
        is_reserved = td_change__reserve(&change);
        if (!is_reserved) td_index_plan__unreserve(&writing->plan);
        if (!is_reserved && collections != NULL) td_collection__drop_if_empty(collections, collection_of(writing));
    }
    if (!is_reserved && writing->has_new_place) (void)td_btree_remove(items, key);
    return is_reserved;
}

void td_writing__unreserve_locked(td_writing *writing)
{
    td_map *collections = writing->access.table->collections;
    td_item_change change = change_of(writing);
    td_change__unreserve(&change);
    td_index_plan__unreserve(&writing->plan);
    if (writing->has_new_place) {
        (void)td_btree_remove(writing->partition->trees[0].entries, td_buf_contents(&writing->key));
    }
    if (collections != NULL) td_collection__drop_if_empty(collections, collection_of(writing));
}

void td_writing__commit_locked(td_writing *writing)
{
    td_map *collections = writing->access.table->collections;
    td_btree *items = writing->partition->trees[0].entries;
    td_slice key = td_buf_contents(&writing->key);
    td_item_change change = change_of(writing);
    td_change__commit(&change);
    if (collections != NULL) td_collection__grow(collections, collection_of(writing), growth_bytes(writing));
    td_index_plan__commit(&writing->plan);
    td_lag__commit(writing->access.table->resources[0], &writing->late, writing->new_item);
    if (writing->new_item != NULL) {
        if (!writing->has_new_place) {
            td_btree_reweigh(items, key, writing->place, td_item_size(writing->new_item));
            *writing->place = writing->new_item;
        }
        writing->new_item = NULL; /* the tree's now */
        notice_sizes_locked(writing);
    } else if (writing->old_item != NULL) {
        void *removed = td_btree_remove(items, key);
        TD_ASSERT(removed == writing->old_item);
    }
    if (writing->old_item != NULL) td_item_unref(writing->old_item);
}

void td_writing__charge_locked(td_writing *writing, td_units factor, td_consumed *consumed)
{
    td_units units = td_writing__units(writing, factor);
    consumed->table += units;
    td_units local_units = td_index_plan__charge(&writing->plan, writing->admission, consumed);
    td_admission_charge(writing->admission, writing->target, units + local_units);
}

void td_writing__charge_table_locked(const td_writing *writing, td_units factor)
{
    td_admission_charge(writing->admission, writing->target, td_writing__units(writing, factor));
}

int64_t td_writing__settle_locked(td_writing *writing)
{
    td_map *collections = writing->access.table->collections;
    if (collections == NULL) return -1;
    int64_t bytes = td_collection__bytes(collections, collection_of(writing));
    if (bytes == 0) td_collection__drop_if_empty(collections, collection_of(writing));
    return bytes;
}

void td_writing__find_again_locked(td_writing *writing)
{
    if (writing->old_item == NULL) return;
    writing->place = td_btree_find(writing->partition->trees[0].entries, td_buf_contents(&writing->key));
    TD_ASSERT(writing->place != NULL && *writing->place == writing->old_item);
}

bool td_writing__expire_locked(td_table *table, td_slice key, td_time_us now_us)
{
    td_call call = {.store = table->store, .now_us = now_us};
    td_write write = {.kind = TD_WRITE_DELETE};
    td_access access = {.table = table, .schema = table->schema};
    td_writing writing;
    td_index_effect effects[TD_INDEXES_MAX];
    td_writing__init(&writing, &call, &write, &access, effects, NULL);
    writing.is_expiry = true;
    td_buf_append(&writing.key, key);
    find_locked(&writing);
    TD_ASSERT(writing.old_item != NULL); /* what expires is there: expiry.h */
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_item(&table->schema->key, writing.old_item, parts);
    TD_ASSERT(has_key);
    td_buf_clear(&writing.key);
    encode_parts(&writing, parts);
    bool is_done =
        !td_buf_has_failed(&writing.key) &&
        td_index_plan__set_old(&writing.plan, table, writing.partition, writing.old_item, writing.placement) &&
        td_writing__reserve_locked(&writing);
    if (is_done) {
        td_writing__commit_locked(&writing);
        td_journal__append(table->store->journal, &writing.group);
        (void)td_writing__settle_locked(&writing);
    }
    td_writing__done(&writing);
    return is_done;
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

static void encode_parts(td_writing *writing, const td_slice *parts)
{
    const td_key_schema *key = &writing->access.schema->key;
    td_key_append_collection(&writing->key, parts, key->hash_count, writing->placement);
    writing->collection_len = writing->key.len;
    for (uint32_t i = key->hash_count; i < td_key_part_count(key); i++)
        td_key_append_part(&writing->key, parts[i]);
}

static void find_locked(td_writing *writing)
{
    td_resource *base = writing->access.table->resources[0];
    td_slice key = td_buf_contents(&writing->key);
    writing->partition = td_resource__find_partition(base, key);
    writing->place = td_btree_find(writing->partition->trees[0].entries, key);
    writing->old_item = writing->place == NULL ? NULL : *writing->place;
}

/* The new item and what it means for the indexes. */
static td_status make_new_locked(td_writing *writing)
{
    if (writing->write->kind == TD_WRITE_UPDATE) TD_TRY(update_locked(writing));
    bool is_planned = td_index_plan__set_old(&writing->plan, writing->access.table, writing->partition,
                                             writing->old_item, writing->placement);
    if (!is_planned) return TD_RAISE(writing->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t old_size = writing->old_item == NULL ? 0 : td_item_size(writing->old_item);
    bool grows = writing->new_item != NULL && td_item_size(writing->new_item) > old_size;
    const td_trail *trail = writing->access.table->resources[0]->trail;
    grows = grows || td_trail__would_grow(trail, 0, td_buf_contents(&writing->key)); /* what it held stays too */
    if (grows) TD_TRY(td_store__check_room(writing->call->store, 0, writing->error));
    return check_collection_locked(writing);
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

/* A local index holds a collection in one partition, which bounds it; what does not make it larger is always allowed.
 * Source: AWS developer guide, "Local secondary indexes", item collection size limit. */
static td_status check_collection_locked(const td_writing *writing)
{
    const td_table *table = writing->access.table;
    if (table->collections == NULL) return TD_OK;
    int64_t growth = growth_bytes(writing);
    if (growth <= 0) return TD_OK;
    int64_t bytes = td_collection__bytes(table->collections, collection_of(writing)) + growth;
    bool is_too_large = (double)bytes > table->effect.partition_bytes;
    return is_too_large ? TD_RAISE(writing->error, TD_MSG_COLLECTION_TOO_LARGE) : TD_OK;
}

/* Of the partitions that may have grown. */
static void notice_sizes_locked(const td_writing *writing)
{
    td_table *table = writing->access.table;
    const td_schema *schema = table->schema;
    td_time_us now_us = writing->call->now_us;
    td_split__notice_write_locked(table, table->resources[0], writing->partition, now_us);
    for (uint32_t i = schema->local_count; i < schema->index_count; i++) {
        const td_index_entry *entry = &writing->plan.effects[i].new_entry;
        if (!entry->is_present) continue;
        td_resource *resource = table->resources[1 + i - schema->local_count];
        td_split__notice_write_locked(table, resource, entry->partition, now_us);
    }
}

/* Before commit: the images are still at hand. */
static td_item_change change_of(td_writing *writing)
{
    return (td_item_change){
        .table = writing->access.table,
        .partition = writing->partition,
        .key = td_buf_contents(&writing->key),
        .old_item = writing->old_item,
        .new_item = writing->new_item,
        .is_expiry = writing->is_expiry,
        .now_us = writing->call->now_us,
        .group = &writing->group,
    };
}

static td_slice collection_of(const td_writing *writing)
{
    return td_slice_of(writing->key.data, writing->collection_len);
}

/* By how much the item's collection will grow, local index entries and overhead included. Before the commit. */
static int64_t growth_bytes(const td_writing *writing)
{
    int64_t bytes = td_index_plan__local_growth_bytes(&writing->plan);
    if (writing->new_item != NULL) bytes += td_item_size(writing->new_item) + TD_ENTRY_OVERHEAD_BYTES;
    if (writing->old_item != NULL) bytes -= td_item_size(writing->old_item) + TD_ENTRY_OVERHEAD_BYTES;
    return bytes;
}

static uint32_t larger_size(const td_item *a, const td_item *b)
{
    uint32_t size_a = a == NULL ? 0 : td_item_size(a);
    uint32_t size_b = b == NULL ? 0 : td_item_size(b);
    return size_a > size_b ? size_a : size_b;
}
