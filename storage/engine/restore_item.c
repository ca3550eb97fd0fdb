/* SPDX-License-Identifier: Apache-2.0
 * restore_item.c: an item of the disk, with all that the engine makes of it: its place in the table's tree, its entries
 * in the indexes, the size of its collection.
 *
 * Items come in the order of their keys, so that a tree grows at its end. The order of expiry is made when all of a
 * table's items are there (expiry.c). */
#include "restore.h"

#include "catalog.h"
#include "collection.h"
#include "index.h"

static bool read_key(td_restore *restore, const td_table *table, const td_slice *parts, td_slice stored_key);
static bool put_item(td_restore *restore, td_table *table, td_item *item, bool *ret_is_new);
static bool put_entry(td_restore *restore, td_table *table, uint32_t at, td_partition *base, td_item *item,
                      int64_t *local_bytes);
static bool put(td_tree *tree, td_slice key, td_item *item, bool *ret_is_new);
static bool put_in(td_btree *entries, td_slice key, td_item *item, bool *ret_is_new);

td_restored td_restore__item(td_restore *restore, td_table *table, td_slice stored_key, td_slice value)
{
    td_slice name = table->schema->table;
    td_slice parts[TD_KEY_PARTS_MAX];
    td_item *item = td_item_from_bytes(value);
    bool is_sound = item != NULL && td_key_parts_of_item(&table->schema->key, item, parts) &&
                    read_key(restore, table, parts, stored_key);
    if (!is_sound) {
        td_item_unref(item);
        return td_restore__damaged(restore, "an item of table %.*s is damaged", (int)name.len, (const char *)name.ptr);
    }
    bool is_new = true;
    bool is_put = put_item(restore, table, item, &is_new);
    td_item_unref(item);
    if (is_put) return TD_RESTORED;
    if (is_new) return TD_RESTORE_NO_MEMORY;
    return td_restore__damaged(restore, "table %.*s has an item twice", (int)name.len, (const char *)name.ptr);
}

/* The key as the item has it. The hash of one that is whole is taken as it stands, the rest has to be the item's. */
static bool read_key(td_restore *restore, const td_table *table, const td_slice *parts, td_slice stored_key)
{
    const td_key_schema *schema = &table->schema->key;
    td_buf *buf = &restore->key;
    td_buf_clear(buf);
    if (stored_key.len < TD_PERSIST_NUMBER_BYTES + TD_KEY_HASH_BYTES) return false;
    bool is_hashed = restore->is_doubted || stored_key.len == TD_DISK_KEY_BYTES_MAX;
    if (is_hashed) {
        (void)td_key_append(buf, schema, parts, restore->store->options.placement);
    } else {
        td_buf_append(buf, td_slice_of(stored_key.ptr + TD_PERSIST_NUMBER_BYTES, TD_KEY_HASH_BYTES));
        for (uint32_t i = 0; i < td_key_part_count(schema); i++)
            td_key_append_part(buf, parts[i]);
    }
    if (td_buf_has_failed(buf)) return false;
    uint8_t again[TD_DISK_KEY_BYTES_MAX];
    size_t len = td_persist__item_key_bytes(td_buf_contents(buf));
    if (len != stored_key.len) return false;
    td_persist__item_key(table->record_number, td_buf_contents(buf), again);
    return td_slice_equal(td_slice_of(again, len), stored_key);
}

/* The key is in restore->key, which the entries' keys take from it: the collection's is read before. */
static bool put_item(td_restore *restore, td_table *table, td_item *item, bool *ret_is_new)
{
    td_slice key = td_buf_contents(&restore->key);
    td_partition *partition = td_resource__find_partition(table->resources[0], key);
    if (!put(&partition->trees[0], key, item, ret_is_new)) return false;
    if (table->schema->index_count == 0) return true;

    uint8_t collection_bytes[TD_BTREE_ROOM_BYTES];
    td_slice collection = td_slice_of(collection_bytes, td_key_length_of_parts(key, table->schema->key.hash_count));
    memcpy(collection_bytes, key.ptr, collection.len);
    int64_t bytes = td_item_size(item) + TD_ENTRY_OVERHEAD_BYTES;
    for (uint32_t i = 0; i < table->schema->index_count; i++) {
        if (!put_entry(restore, table, i, partition, item, &bytes)) return false;
    }
    if (table->collections == NULL) return true;
    if (!td_collection__reserve(table->collections, collection)) return false;
    td_collection__grow(table->collections, collection, bytes);
    return true;
}

/* In the index `at`, if the item belongs there; *local_bytes grows by what a local one takes. */
static bool put_entry(td_restore *restore, td_table *table, uint32_t at, td_partition *base, td_item *item,
                      int64_t *local_bytes)
{
    const td_schema *schema = table->schema;
    const td_index_schema *index = &schema->indexes[at];
    td_buf *buf = &restore->key;
    td_buf_clear(buf);
    if (!td_index__append_key(buf, schema, index, item, restore->store->options.placement)) return true;
    if (td_buf_has_failed(buf)) return false;
    td_slice key = td_buf_contents(buf);
    td_item *entry = td_index__project(index, item);
    if (entry == NULL) return false;
    bool is_local = at < schema->local_count;
    td_tree *tree = NULL;
    if (is_local) {
        tree = &base->trees[1 + at];
        *local_bytes += td_item_size(entry) + TD_ENTRY_OVERHEAD_BYTES;
    } else {
        tree = &td_resource__find_partition(table->resources[1 + at - schema->local_count], key)->trees[0];
    }
    bool is_new = true;
    bool is_put = put(tree, key, entry, &is_new);
    td_item_unref(entry);
    return is_put;
}

/* Readers that lag see what there was before the start. */
static bool put(td_tree *tree, td_slice key, td_item *item, bool *ret_is_new)
{
    if (!put_in(tree->entries, key, item, ret_is_new)) return false;
    return tree->lagging == NULL || put_in(tree->lagging, key, item, ret_is_new);
}

/* Takes a reference. One that was there goes: then the disk is damaged. */
static bool put_in(td_btree *entries, td_slice key, td_item *item, bool *ret_is_new)
{
    void *old_item = NULL;
    if (!td_btree_put(entries, key, item, td_item_size(item), &old_item)) return false;
    td_item_ref(item);
    *ret_is_new = old_item == NULL;
    td_item_unref(old_item);
    return *ret_is_new;
}
