/* SPDX-License-Identifier: Apache-2.0
 * table.c: tables come, are described, and go.
 *
 * Model:    a table is CREATING in CreateTable's answer, UPDATING in UpdateTable's and DELETING in DeleteTable's.
 *           Without table delays it has reached its state before that answer; with them, when its entry in the due
 * queue runs. Until then data operations do not find a table that is being made or removed. Not here: UpdateTable
 * (update.c). */
#include "thermodyn/table.h"

#include "access.h"
#include "catalog.h"
#include "quota.h"
#include "streams.h"

static td_status check_create(const td_call *call, const td_table_spec *spec, const td_capacity_settings *settings,
                              td_error *error);
static td_status insert_locked(const td_call *call, td_table *table, td_stream_view view, td_table_info *ret_info,
                               td_error *error);
static void set_status(td_table *table, td_table_status status);
static void tell_status(td_table_info *info, td_table_status status);
static td_status check_delete(const td_table *table, td_error *error);

td_status td_table_create(const td_call *call, const td_table_spec *spec, td_table_info *ret_info, td_error *error)
{
    td_store *store = call->store;
    TD_TRY(td_journal__begin(call, error));
    if (spec->tag_count > TD_LIMIT_TAGS_MAX) return TD_RAISE(error, TD_MSG_TAG_COUNT_EXCEEDED);
    td_capacity_settings settings;
    if (!td_store_get_capacity(store, call->scope, td_slice_of(NULL, 0), &settings)) TD_ASSERT(false);
    td_table *table = td_table__new(store, call->scope, spec, &settings, call->now_us);
    if (table == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);

    td_catalog__write_lock(store);
    td_status status = check_create(call, spec, &store->settings, error);
    if (status == TD_OK) status = insert_locked(call, table, spec->stream, ret_info, error);
    td_catalog__unlock(store);
    if (status != TD_OK) td_table__unref(table);
    return status;
}

td_status td_table_describe(const td_call *call, td_table_info *ret_info, td_error *error)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    bool is_described = td_table__describe_locked(table, call->now_us, call->arena, ret_info);
    td_table__unlock(table);
    td_table__unref(table);
    return is_described ? TD_OK : TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

td_status td_table_delete(const td_call *call, td_table_info *ret_info, td_error *error)
{
    td_store *store = call->store;
    TD_TRY(td_journal__begin(call, error));
    td_catalog__write_lock(store);
    td_table *table = td_catalog__find_locked(store, call->scope, call->table);
    if (table == NULL) {
        td_catalog__unlock(store);
        return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    }
    td_table__lock(table);
    td_status status = check_delete(table, error);
    if (status == TD_OK && !td_table__describe_locked(table, call->now_us, call->arena, ret_info)) {
        status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    if (status == TD_OK && store->options.has_table_delays) {
        td_time_us due_us = call->now_us + table->effect.table_delete_us;
        if (td_due__push(&store->due, due_us, TD_DUE_TABLE_DELETED, table))
            set_status(table, TD_TABLE_DELETING);
        else
            status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    td_journal__mark_table(table);
    td_table__unlock(table);
    bool is_removed = status == TD_OK && !store->options.has_table_delays;
    if (is_removed) td_catalog__remove_locked(store, table, call->now_us);
    td_catalog__unlock(store);
    if (is_removed) td_table__unref(table);
    if (status == TD_OK) tell_status(ret_info, TD_TABLE_DELETING);
    return status;
}

td_status td_table_find_keys(const td_call *call, td_slice index, td_keys *ret_keys, td_error *error)
{
    td_access access;
    TD_TRY(td_access__open(call, &access, error));
    td_keys keys = {
        .table = &access.schema->key,
        .definitions = access.schema->definitions,
        .definition_count = access.schema->definition_count,
    };
    td_status status = TD_OK;
    if (index.len > 0) {
        uint32_t at = 0;
        status = td_access__find_index(&access, index, &at, error);
        if (status == TD_OK) {
            const td_index_spec *spec = &access.schema->indexes[at].spec;
            keys.index = &spec->key;
            keys.is_global = spec->is_global;
            keys.projection = spec->projection;
            keys.non_key_attributes = spec->non_key_attributes;
            keys.non_key_attribute_count = spec->non_key_attribute_count;
        }
    }
    td_access__close(&access);
    if (status == TD_OK) *ret_keys = keys;
    return status;
}

static td_status check_create(const td_call *call, const td_table_spec *spec, const td_capacity_settings *settings,
                              td_error *error)
{
    td_store *store = call->store;
    if (td_catalog__find_locked(store, call->scope, spec->name) != NULL) {
        return TD_RAISE(error, TD_MSG_TABLE_EXISTS, spec->name);
    }
    TD_TRY(td_store__check_room(store, 0, error));
    if (td_btree_count(store->tables) >= TD_LIMIT_TABLES_MAX) {
        return TD_RAISE(error, TD_MSG_TABLE_COUNT_EXCEEDED, td_error_int(error, TD_LIMIT_TABLES_MAX));
    }
    td_slice none = td_slice_of(NULL, 0);
    TD_TRY(td_quota__check_throughput(call, settings, &spec->throughput, error));
    TD_TRY(td_quota__check_on_demand_max(call, settings, none, &spec->on_demand_max, error));
    TD_TRY(td_quota__check_new_warm(spec->billing, none, &spec->warm, &spec->throughput, error));
    int64_t more[TD_DIRECTION_COUNT] = {spec->throughput.rate[TD_READ], spec->throughput.rate[TD_WRITE]};
    for (uint32_t i = 0; i < spec->index_count; i++) {
        const td_index_spec *index = &spec->indexes[i];
        if (!index->is_global) continue;
        TD_TRY(td_quota__check_throughput(call, settings, &index->throughput, error));
        TD_TRY(td_quota__check_on_demand_max(call, settings, index->name, &index->on_demand_max, error));
        TD_TRY(td_quota__check_new_warm(spec->billing, index->name, &index->warm, &index->throughput, error));
        for (int d = 0; d < TD_DIRECTION_COUNT; d++)
            more[d] += index->throughput.rate[d];
    }
    return td_quota__check_account(call, settings, store->reserved, more, error);
}

/* The table's own lock is taken for form's sake: nobody else knows the table yet. */
static td_status insert_locked(const td_call *call, td_table *table, td_stream_view view, td_table_info *ret_info,
                               td_error *error)
{
    td_store *store = call->store;
    bool has_delays = store->options.has_table_delays && !call->is_fixture;
    td_table__lock(table);
    /* The server's settings may have changed since the table was made of them. */
    bool is_done = td_table__apply_settings_locked(table, &store->settings, call->now_us);
    td_rng_uuid(&store->rng, table->id);
    td_journal__mark_settings(store);
    table->record_number = td_journal__new_number(store->journal);
    if (is_done && view != TD_STREAM_NONE) is_done = td_streams__enable_locked(table, view, call->now_us);
    if (is_done && !has_delays) td_streams__settle_locked(table);
    is_done = is_done && td_table__describe_locked(table, call->now_us, call->arena, ret_info);
    uint8_t bytes[TD_CATALOG_KEY_MAX];
    td_slice key = td_catalog__key(call->scope, table->schema->table, bytes);
    TD_ASSERT(key.len > 0);
    bool is_new = false;
    void **place = is_done ? td_btree_insert(store->tables, key, &is_new) : NULL;
    is_done = place != NULL;
    if (is_done && has_delays) {
        td_time_us due_us = call->now_us + table->effect.table_create_us;
        is_done = td_due__push(&store->due, due_us, TD_DUE_TABLE_CREATED, table);
        if (!is_done) (void)td_btree_remove(store->tables, key);
    }
    if (is_done) {
        TD_ASSERT(is_new);
        *place = table; /* the reference passes to the catalogue */
        if (has_delays) set_status(table, TD_TABLE_CREATING);
        td_catalog__reserve_locked(store, table);
        td_journal__mark_table(table);
    }
    if (!is_done && table->stream != NULL) td_streams__cancel_locked(table, NULL);
    if (!is_done) td_due__forget_table(&store->due, table);
    td_table__unlock(table);
    if (!is_done) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    tell_status(ret_info, TD_TABLE_CREATING);
    ret_info->billing_changed_us = 0;
    return TD_OK;
}

static void set_status(td_table *table, td_table_status status)
{
    table->status = status;
    for (uint32_t i = 0; i < table->resource_count; i++)
        table->resources[i]->status = status;
}

/* What the answer says, whatever the state is by now. */
static void tell_status(td_table_info *info, td_table_status status)
{
    info->status = status;
    for (uint32_t i = 0; i < info->index_count; i++) {
        if (info->indexes[i].spec.is_global) info->indexes[i].status = status;
    }
}

static td_status check_delete(const td_table *table, td_error *error)
{
    td_slice name = table->schema->table;
    switch (table->status) {
    case TD_TABLE_CREATING: return TD_RAISE(error, TD_MSG_TABLE_IS_CREATED, name);
    case TD_TABLE_UPDATING: return TD_RAISE(error, TD_MSG_TABLE_IS_UPDATED, name);
    case TD_TABLE_DELETING: return TD_RAISE(error, TD_MSG_TABLE_IS_DELETED, name);
    case TD_TABLE_ACTIVE: break;
    }
    return table->has_deletion_protection ? TD_RAISE(error, TD_MSG_TABLE_IS_PROTECTED) : TD_OK;
}
