/* SPDX-License-Identifier: Apache-2.0
 * catalog.c: names → tables, and what belongs to the account: reservations and counts.
 * Not here: what a table is (state.c), how it comes and goes (table.c). */
#include "catalog.h"

#include "streams.h"

/* A scope comes from a request's header and may have any length: a long one stands for itself by its hash. */
#define SCOPE_BYTES_MAX 256
#define LONG_SCOPE_MARK 0xFFFF

void td_catalog__read_lock(td_store *store)
{
    int error = pthread_rwlock_rdlock(&store->lock);
    TD_ASSERT(error == 0);
}

void td_catalog__write_lock(td_store *store)
{
    int error = pthread_rwlock_wrlock(&store->lock);
    TD_ASSERT(error == 0);
}

void td_catalog__unlock(td_store *store)
{
    int error = pthread_rwlock_unlock(&store->lock);
    TD_ASSERT(error == 0);
}

td_slice td_catalog__key(td_slice scope, td_slice name, uint8_t ret_key[TD_CATALOG_KEY_MAX])
{
    uint8_t digest[8];
    size_t mark = scope.len;
    if (scope.len > SCOPE_BYTES_MAX) {
        scope = td_partition__key_of_hash(td_hash64(scope), digest);
        mark = LONG_SCOPE_MARK;
    }
    if (scope.len + name.len + 2 > TD_CATALOG_KEY_MAX) return td_slice_of(ret_key, 0);
    ret_key[0] = (uint8_t)(mark >> 8);
    ret_key[1] = (uint8_t)mark;
    if (scope.len > 0) memcpy(ret_key + 2, scope.ptr, scope.len);
    if (name.len > 0) memcpy(ret_key + 2 + scope.len, name.ptr, name.len);
    return td_slice_of(ret_key, 2 + scope.len + name.len);
}

td_table *td_catalog__find(td_store *store, td_slice scope, td_slice name)
{
    td_catalog__read_lock(store);
    td_table *table = td_catalog__find_locked(store, scope, name);
    if (table != NULL) (void)td_table__ref(table);
    td_catalog__unlock(store);
    return table;
}

td_table *td_catalog__find_locked(td_store *store, td_slice scope, td_slice name)
{
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    td_slice key = td_catalog__key(scope, name, bytes);
    if (key.len == 0) return NULL;
    void **place = td_btree_find(store->tables, key);
    return place == NULL ? NULL : *place;
}

void td_catalog__remove_locked(td_store *store, td_table *table, td_time_us now_us)
{
    td_table__lock(table);
    td_catalog__retire_locked(store, table, now_us);
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    void *removed = td_btree_remove(store->tables, td_catalog__key(table->schema->scope, table->schema->table, bytes));
    TD_ASSERT(removed == table);
    td_table__unlock(table);
}

void td_catalog__retire_locked(td_store *store, td_table *table, td_time_us now_us)
{
    TD_ASSERT(!table->is_gone);
    table->is_gone = true;
    td_streams__disable_locked(table, TD_STREAM_DISABLED, now_us);
    td_due__forget_table(&store->due, table);
    td_table__archive_locked(table, now_us);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        store->reserved[d] -= table->reserved[d];
        table->reserved[d] = 0;
        TD_ASSERT(store->reserved[d] >= 0);
    }
    td_journal__mark_table(table);
}

void td_catalog__reserve_locked(td_store *store, td_table *table)
{
    int64_t reserved[TD_DIRECTION_COUNT];
    td_table__get_reserved_locked(table, reserved);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        store->reserved[d] += reserved[d] - table->reserved[d];
        table->reserved[d] = reserved[d];
        TD_ASSERT(store->reserved[d] >= 0);
    }
}

uint64_t td_store_table_count(const td_store *store)
{
    td_store *mutable_store = (td_store *)(uintptr_t)store; /* the lock is the only thing that changes */
    td_catalog__read_lock(mutable_store);
    uint64_t count = td_btree_count(store->tables);
    td_catalog__unlock(mutable_store);
    return count;
}

td_status td_table_list(const td_call *call, td_slice after, uint32_t limit, td_slice **ret_names, uint32_t *ret_count,
                        bool *ret_has_more)
{
    td_slice *names = NULL;
    uint32_t count = 0;
    uint32_t room = 0;
    bool has_more = false;
    bool is_out_of_memory = false;
    uint8_t from_bytes[TD_CATALOG_KEY_MAX];
    uint8_t scope_bytes[TD_CATALOG_KEY_MAX];
    td_slice from = td_catalog__key(call->scope, after, from_bytes);
    td_slice scope = td_catalog__key(call->scope, td_slice_of(NULL, 0), scope_bytes);
    if (from.len == 0) from = scope; /* longer than any name: it lies before none of them, and none has it */

    td_catalog__read_lock(call->store);
    td_btree_cursor at = td_btree_seek_key(call->store->tables, from, TD_SEEK_FIRST_AFTER);
    for (; !td_btree_is_end(at) && td_slice_has_prefix(td_btree_key(at), scope); td_btree_next(&at)) {
        if (count == limit) {
            has_more = true;
            break;
        }
        if (count == room) {
            room = room == 0 ? 16 : room * 2;
            td_slice *grown = td_arena_alloc_array(call->arena, room, sizeof *grown);
            is_out_of_memory = grown == NULL;
            if (is_out_of_memory) break;
            if (count > 0) memcpy(grown, names, count * sizeof *names);
            names = grown;
        }
        td_slice key = td_btree_key(at);
        td_slice name = td_slice_of(key.ptr + scope.len, key.len - scope.len);
        is_out_of_memory = !td_arena_copy(call->arena, name, &names[count]);
        if (is_out_of_memory) break;
        count++;
    }
    td_catalog__unlock(call->store);

    if (is_out_of_memory) return TD_OUT_OF_MEMORY;
    *ret_names = names;
    *ret_count = count;
    *ret_has_more = has_more;
    return TD_OK;
}
