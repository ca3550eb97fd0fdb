/* SPDX-License-Identifier: Apache-2.0
 * access.c: opening a table for a data operation.
 * Not here: what the operation does under the lock (write.c, read.c, page.c). */
#include "access.h"

#include "catalog.h"

static void unref_schema(void *schema);

td_status td_access__open(const td_call *call, td_access *ret_access, td_error *error)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
    td_table__lock(table);
    td_schema *schema = td_access__is_usable_locked(table) ? td_schema__ref(table->schema) : NULL;
    td_table__unlock(table);
    if (schema == NULL) {
        td_table__unref(table);
        return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
    }
    if (!td_arena_defer(call->arena, unref_schema, schema)) {
        td_schema__unref(schema);
        td_table__unref(table);
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    *ret_access = (td_access){.table = table, .schema = schema};
    return TD_OK;
}

void td_access__close(td_access *access)
{
    td_table__unref(access->table);
    access->table = NULL;
}

bool td_access__lock(td_access *access)
{
    td_table__lock(access->table);
    if (access->table->schema == access->schema && td_access__is_usable_locked(access->table)) return true;
    td_table__unlock(access->table);
    return false;
}

td_status td_access__find_index(const td_access *access, td_slice index, uint32_t *ret_at, td_error *error)
{
    int at = td_schema__find_index(access->schema, index);
    if (at < 0) return TD_RAISE(error, TD_MSG_INDEX_NOT_FOUND, index);
    if (access->schema->indexes[at].spec.is_global) {
        td_table__lock(access->table);
        bool is_same = access->table->schema == access->schema;
        uint32_t resource = 1 + (uint32_t)at - access->schema->local_count;
        td_table_status status = is_same ? access->table->resources[resource]->status : TD_TABLE_ACTIVE;
        td_table__unlock(access->table);
        if (status == TD_TABLE_CREATING) return TD_RAISE(error, TD_MSG_INDEX_IS_BACKFILLING, index);
        if (status == TD_TABLE_DELETING) return TD_RAISE(error, TD_MSG_INDEX_NOT_FOUND, index);
    }
    *ret_at = (uint32_t)at;
    return TD_OK;
}

static void unref_schema(void *schema)
{
    td_schema__unref(schema);
}
