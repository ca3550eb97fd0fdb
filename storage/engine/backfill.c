/* SPDX-License-Identifier: Apache-2.0
 * backfill.c: filling a global index of an existing table.
 *
 * Model:      throttling.md §1.4: a backfill consumes nothing. Items whose key attributes are missing or of another
 *             type get no entry, as in any index.
 * Invariants: the index is in the schema, and maintained, before the first item: an item is either met by the walk
 *             (walk.h) or written behind it.
 * Not here:   when the index becomes readable (update.c, due.c). */
#include "backfill.h"

#include "index.h"
#include "walk.h"

#define KEY_BYTES_MAX ((size_t)1 << 17)

typedef struct td_backfill {
    td_slice index;
    td_placement placement;
    td_buf key; /* of an entry */
} td_backfill;

static td_walk_step add_entry(td_table *table, td_slice key, td_item *item, void *context);
static bool put_entry(td_resource *resource, const td_index_schema *index, td_slice key, td_item *item);
static bool put(td_btree *entries, td_slice key, td_item *entry);

td_status td_backfill__run(td_table *table, td_slice index, td_placement placement)
{
    td_backfill backfill = {.index = index, .placement = placement};
    td_buf_init(&backfill.key, KEY_BYTES_MAX);
    td_status status = td_walk__run(table, add_entry, &backfill);
    td_buf_done(&backfill.key);
    return status;
}

static td_walk_step add_entry(td_table *table, td_slice key, td_item *item, void *context)
{
    (void)key;
    td_backfill *backfill = context;
    const td_schema *schema = table->schema;
    int at = td_schema__find_index(schema, backfill->index);
    if (at < 0) return TD_WALK_ENOUGH; /* it was removed meanwhile */
    const td_index_schema *index = &schema->indexes[at];
    TD_ASSERT(index->spec.is_global);
    td_resource *resource = table->resources[1 + (uint32_t)at - schema->local_count];
    td_buf_clear(&backfill->key);
    if (!td_index__append_key(&backfill->key, schema, index, item, backfill->placement)) return TD_WALK_ON;
    if (td_buf_has_failed(&backfill->key)) return TD_WALK_OUT_OF_MEMORY;
    bool is_put = put_entry(resource, index, td_buf_contents(&backfill->key), item);
    return is_put ? TD_WALK_ON : TD_WALK_OUT_OF_MEMORY;
}

/* An entry that a write has put there meanwhile is as good. Readers that lag see the others at once: the items are
 * older than the index. */
static bool put_entry(td_resource *resource, const td_index_schema *index, td_slice key, td_item *item)
{
    td_tree *tree = &td_resource__find_partition(resource, key)->trees[0];
    if (td_btree_find(tree->entries, key) != NULL) return true;
    td_item *entry = td_index__project(index, item);
    if (entry == NULL) return false;
    bool is_put = tree->lagging == NULL || put(tree->lagging, key, entry);
    is_put = is_put && put(tree->entries, key, entry);
    td_item_unref(entry);
    return is_put;
}

/* Takes a reference. Without memory for one of the trees the whole index is given up, so nothing is taken back. */
static bool put(td_btree *entries, td_slice key, td_item *entry)
{
    void *old_entry = NULL;
    if (!td_btree_put(entries, key, entry, td_item_size(entry), &old_entry)) return false;
    TD_ASSERT(old_entry == NULL);
    td_item_ref(entry);
    return true;
}
