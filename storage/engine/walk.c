/* SPDX-License-Identifier: Apache-2.0
 * walk.c: the walk over a table's items, chunk by chunk. */
#include "walk.h"

#include "thermodyn/buf.h"

#define CHUNK_ITEMS 256
#define KEY_BYTES_MAX ((size_t)1 << 17)

static td_walk_step visit_chunk_locked(td_table *table, td_buf *after, td_walk_visit *visit, void *context);
static td_btree_cursor seek_after(const td_resource *base, td_slice after, uint32_t *ret_partition);

td_status td_walk__run(td_table *table, td_walk_visit *visit, void *context)
{
    td_buf after;
    td_buf_init(&after, KEY_BYTES_MAX);
    td_walk_step step = TD_WALK_ON;
    while (step == TD_WALK_ON) {
        td_table__lock(table);
        step = table->is_gone ? TD_WALK_ENOUGH : visit_chunk_locked(table, &after, visit, context);
        td_table__unlock(table);
    }
    td_buf_done(&after);
    return step == TD_WALK_OUT_OF_MEMORY ? TD_OUT_OF_MEMORY : TD_OK;
}

/* *after is the last key that was met, and is moved on. */
static td_walk_step visit_chunk_locked(td_table *table, td_buf *after, td_walk_visit *visit, void *context)
{
    const td_resource *base = table->resources[0];
    td_btree_room room;
    uint32_t partition = 0;
    td_btree_cursor cursor = seek_after(base, td_buf_contents(after), &partition);
    for (uint32_t i = 0; i < CHUNK_ITEMS; i++) {
        while (td_btree_is_end(cursor)) {
            if (++partition >= base->partition_count) return TD_WALK_ENOUGH;
            cursor = td_btree_first(base->partitions[partition]->trees[0].entries);
        }
        td_slice key = td_btree_read_key(cursor, &room);
        td_walk_step step = visit(table, key, td_btree_value(cursor), context);
        if (step != TD_WALK_ON) return step;
        td_buf_clear(after);
        td_buf_append(after, key);
        if (td_buf_has_failed(after)) return TD_WALK_OUT_OF_MEMORY;
        td_btree_next(&cursor);
    }
    return TD_WALK_ON;
}

static td_btree_cursor seek_after(const td_resource *base, td_slice after, uint32_t *ret_partition)
{
    if (after.len == 0) {
        *ret_partition = 0;
        return td_btree_first(base->partitions[0]->trees[0].entries);
    }
    *ret_partition = td_resource__find_partition_at(base, after);
    return td_btree_seek_key(base->partitions[*ret_partition]->trees[0].entries, after, TD_SEEK_FIRST_AFTER);
}
