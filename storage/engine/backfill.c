/* SPDX-License-Identifier: MIT
 * backfill.c: filling a global index of an existing table, chunk by chunk.
 *
 * Model:      throttling.md §1.4: a backfill consumes nothing. Items whose key attributes are missing or of another
 * type get no entry, as in any index. Invariants: the index is in the schema, and maintained, before the first chunk:
 * an item is either met by the walk or written behind it. The walk resumes by key, so partitions may be split and items
 * come and go meanwhile. Not here:   when the index becomes readable (update.c, due.c). */
#include "backfill.h"

#include "index.h"

#define CHUNK_ITEMS 256
#define KEY_BYTES_MAX ((size_t)1 << 17)

static td_status fill_chunk_locked(td_table *table, uint32_t at, td_placement placement, td_buf *after, td_buf *key,
                                   bool *ret_is_done);
static bool add_entry_locked(td_resource *resource, const td_index_schema *index, td_slice key, td_item *item);
static td_btree_cursor seek_after(const td_resource *base, td_slice after, uint32_t *ret_partition);

td_status td_backfill__run(td_table *table, td_slice index, td_placement placement)
{
    td_buf after;
    td_buf key;
    td_buf_init(&after, KEY_BYTES_MAX);
    td_buf_init(&key, KEY_BYTES_MAX);
    td_status status = TD_OK;
    bool is_done = false;
    while (status == TD_OK && !is_done) {
        td_table__lock(table);
        int at = table->is_gone ? -1 : td_schema__find_index(table->schema, index);
        if (at < 0)
            is_done = true;
        else
            status = fill_chunk_locked(table, (uint32_t)at, placement, &after, &key, &is_done);
        td_table__unlock(table);
    }
    td_buf_done(&after);
    td_buf_done(&key);
    return status;
}

/* *after is the last key that was met, and is moved on. */
static td_status fill_chunk_locked(td_table *table, uint32_t at, td_placement placement, td_buf *after, td_buf *key,
                                   bool *ret_is_done)
{
    const td_schema *schema = table->schema;
    const td_index_schema *index = &schema->indexes[at];
    TD_ASSERT(index->spec.is_global);
    const td_resource *base = table->resources[0];
    td_resource *resource = table->resources[1 + at - schema->local_count];
    uint32_t partition = 0;
    td_btree_cursor cursor = seek_after(base, td_buf_contents(after), &partition);
    for (uint32_t i = 0; i < CHUNK_ITEMS; i++) {
        while (td_btree_is_end(cursor)) {
            if (++partition >= base->partition_count) {
                *ret_is_done = true;
                return TD_OK;
            }
            cursor = td_btree_first(base->partitions[partition]->trees[0].entries);
        }
        td_item *item = td_btree_value(cursor);
        td_buf_clear(key);
        if (td_index__append_key(key, schema, index, item, placement)) {
            if (td_buf_has_failed(key)) return TD_OUT_OF_MEMORY;
            if (!add_entry_locked(resource, index, td_buf_contents(key), item)) return TD_OUT_OF_MEMORY;
        }
        td_buf_clear(after);
        td_buf_append(after, td_btree_key(cursor));
        if (td_buf_has_failed(after)) return TD_OUT_OF_MEMORY;
        td_btree_next(&cursor);
    }
    return TD_OK;
}

/* An entry that a write has put there meanwhile is as good. */
static bool add_entry_locked(td_resource *resource, const td_index_schema *index, td_slice key, td_item *item)
{
    td_tree *tree = &td_resource__find_partition(resource, key)->trees[0];
    if (td_btree_find(tree->entries, key) != NULL) return true;
    td_item *entry = td_index__project(index, item);
    if (entry == NULL) return false;
    bool is_new = false;
    void **place = td_btree_insert(tree->entries, key, &is_new);
    if (place == NULL) {
        td_item_unref(entry);
        return false;
    }
    *place = entry;
    tree->bytes += td_item_size(entry);
    return true;
}

static td_btree_cursor seek_after(const td_resource *base, td_slice after, uint32_t *ret_partition)
{
    if (after.len == 0) {
        *ret_partition = 0;
        return td_btree_first(base->partitions[0]->trees[0].entries);
    }
    *ret_partition = td_resource__find_partition_at(base, td_partition__hash_of_key(after));
    return td_btree_seek_key(base->partitions[*ret_partition]->trees[0].entries, after, TD_SEEK_FIRST_AFTER);
}
