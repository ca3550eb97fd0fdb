/* SPDX-License-Identifier: Apache-2.0
 * txn_read.c: TransactGetItems, and the repetition of a TransactWriteItems by its token, which is a read as well.
 *
 *   without locks     all keys checked and encoded, no item twice
 *   under all locks   ask all → find all → charge all
 *
 * Units (throttling.md §1.2): two for each 4 KB of an item and for a missing one, each rounded on its own.
 * Not here: tables and reasons (txn_tables.c). */
#include "txn_read.h"

#include "catalog.h"
#include "keys_check.h"
#include "pressure.h"
#include "txn_tables.h"

#define KEY_BYTES_MAX ((size_t)1 << 16)

typedef struct item_reading {
    const td_attribute *attributes; /* the key; of a repeated Put, the item */
    uint32_t attribute_count;
    td_buf key;
    uint32_t collection_len; /* of the key */
    td_partition *partition;
    td_item *item;       /* the tree's; NULL: none */
    uint32_t size_bytes; /* of a repetition: given; else the item's */
} item_reading;

typedef struct transaction {
    td_txn txn;
    const td_slice *names; /* the table of each action */
    item_reading *readings;
    uint32_t count;
    bool is_repetition;
    td_table_consumed *tables;
    uint32_t table_count;
} transaction;

static bool alloc_readings(transaction *it, const td_call *call, uint32_t count, td_slice **ret_names);
static td_status run(transaction *it, const td_call *call, const td_item **items, td_error *error);
static td_status prepare(transaction *it, const td_call *call, td_error *error);
static td_status prepare_one(const transaction *it, uint32_t action);
static td_status run_locked(transaction *it, const td_item **items, td_error *error);
static td_status ask_locked(transaction *it, td_error *error);
static td_status find_locked(transaction *it, const td_item **items, td_error *error);
static void charge_locked(transaction *it);
static td_admission_target *aim_locked(const transaction *it, uint32_t action, td_admission *admission);

td_status td_transact_get_items(const td_call *call, const td_transact_get *gets, uint32_t count,
                                td_transact_get_result *ret_result, td_error *error)
{
    transaction it = {0};
    td_slice *names;
    const td_item **items = td_arena_alloc_array(call->arena, count, sizeof *items);
    if (items == NULL || !alloc_readings(&it, call, count, &names)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        names[i] = gets[i].table;
        it.readings[i].attributes = gets[i].key;
        it.readings[i].attribute_count = gets[i].key_count;
    }
    TD_TRY(run(&it, call, items, error));
    ret_result->items = items;
    ret_result->tables = it.tables;
    ret_result->table_count = it.table_count;
    return TD_OK;
}

td_status td_txn__repeat(const td_call *call, const td_transact_write *request, const uint32_t *sizes,
                         td_transact_write_result *ret_result, td_error *error)
{
    transaction it = {.is_repetition = true};
    td_slice *names;
    if (!alloc_readings(&it, call, request->count, &names)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < request->count; i++) {
        const td_action *action = &request->actions[i];
        names[i] = action->table;
        it.readings[i].attributes = action->write.attributes;
        it.readings[i].attribute_count = action->write.attribute_count;
        it.readings[i].size_bytes = sizes[i];
    }
    TD_TRY(run(&it, call, NULL, error));
    *ret_result = (td_transact_write_result){.tables = it.tables, .table_count = it.table_count};
    return TD_OK;
}

static bool alloc_readings(transaction *it, const td_call *call, uint32_t count, td_slice **ret_names)
{
    it->count = count;
    it->readings = td_arena_alloc_array(call->arena, count, sizeof *it->readings);
    *ret_names = td_arena_alloc_array(call->arena, count, sizeof **ret_names);
    it->names = *ret_names;
    return it->readings != NULL && it->names != NULL;
}

static td_status run(transaction *it, const td_call *call, const td_item **items, td_error *error)
{
    for (;;) {
        for (uint32_t i = 0; i < it->count; i++)
            td_buf_init(&it->readings[i].key, KEY_BYTES_MAX);
        td_status status = prepare(it, call, error);
        bool is_stale = false;
        if (status == TD_OK) {
            is_stale = !td_txn__lock(&it->txn);
            if (!is_stale) {
                status = run_locked(it, items, error);
                td_txn__unlock(&it->txn);
            }
        }
        for (uint32_t i = 0; i < it->count; i++)
            td_buf_done(&it->readings[i].key);
        td_txn__close(&it->txn);
        if (!is_stale) return status;
    }
}

static td_status prepare(transaction *it, const td_call *call, td_error *error)
{
    TD_TRY(td_txn__open(&it->txn, call, it->names, it->count, error));
    it->table_count = it->txn.table_count;
    it->tables = td_txn__new_consumed(&it->txn, true);
    if (it->tables == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < it->count; i++) {
        if (prepare_one(it, i) == TD_OK) it->txn.keys[i] = td_buf_contents(&it->readings[i].key);
        TD_TRY(td_txn__check_prepared(&it->txn, i, error));
    }
    return td_txn__settle_prepared(&it->txn, error);
}

/* A repetition's key was good when it was first used; its table may have been made anew since then. */
static td_status prepare_one(const transaction *it, uint32_t action)
{
    item_reading *reading = &it->readings[action];
    td_error *error = &it->txn.errors[action];
    const td_key_schema *key = &td_txn__table(&it->txn, action)->access.schema->key;
    if (!it->is_repetition) TD_TRY(td_keys__check_lookup(key, reading->attributes, reading->attribute_count, error));
    td_slice parts[TD_KEY_PARTS_MAX];
    if (!td_key_parts_of_attributes(key, reading->attributes, reading->attribute_count, parts)) {
        return TD_RAISE(error, TD_MSG_KEY_MISMATCH);
    }
    td_placement placement = it->txn.call->store->options.placement;
    reading->collection_len = (uint32_t)td_key_append(&reading->key, key, parts, placement);
    return td_buf_has_failed(&reading->key) ? TD_RAISE(error, TD_MSG_OUT_OF_MEMORY) : TD_OK;
}

static td_status run_locked(transaction *it, const td_item **items, td_error *error)
{
    TD_TRY(ask_locked(it, error));
    if (!it->is_repetition) TD_TRY(find_locked(it, items, error));
    charge_locked(it);
    return TD_OK;
}

/* Every bucket of every action, whatever the others answered. */
static td_status ask_locked(transaction *it, td_error *error)
{
    bool is_admitted = true;
    td_admission admission; /* of one action at a time */
    for (uint32_t i = 0; i < it->count; i++) {
        td_resource *base = td_txn__table(&it->txn, i)->access.table->resources[0];
        it->readings[i].partition = td_resource__find_partition(base, it->txn.keys[i]);
        (void)aim_locked(it, i, &admission);
        if (td_admission_ask(&admission, it->txn.call->now_us)) continue;
        td_status raised = td_admission_raise(&admission, &it->txn.errors[i]);
        if (raised == TD_OUT_OF_MEMORY) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        is_admitted = false;
    }
    return is_admitted ? TD_OK : td_txn__refuse(&it->txn, error);
}

static td_status find_locked(transaction *it, const td_item **items, td_error *error)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < it->count; i++) {
        item_reading *reading = &it->readings[i];
        void **place = td_btree_find(reading->partition->trees[0].entries, it->txn.keys[i]);
        reading->item = place == NULL ? NULL : *place;
        reading->size_bytes = place == NULL ? 0 : td_item_size(reading->item);
        bytes += reading->size_bytes;
        if (bytes > TD_LIMIT_TRANSACT_BYTES_MAX) return TD_RAISE(error, TD_MSG_TRANSACTION_TOO_LARGE);
        if (reading->item != NULL && !td_item_ref_in(reading->item, it->txn.call->arena)) {
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        }
        items[i] = reading->item;
    }
    return TD_OK;
}

static void charge_locked(transaction *it)
{
    td_admission admission;
    for (uint32_t i = 0; i < it->count; i++) {
        td_units units = TD_TRANSACTION_FACTOR * td_units_of_read(it->readings[i].size_bytes, true);
        td_admission_charge(&admission, aim_locked(it, i, &admission), units);
        it->tables[it->txn.table_of[i]].consumed.table += units;
    }
}

/* The buckets of an action's partition. */
static td_admission_target *aim_locked(const transaction *it, uint32_t action, td_admission *admission)
{
    td_table *table = td_txn__table(&it->txn, action)->access.table;
    td_admission_init(admission, &table->settings, table->billing);
    admission->is_statement = it->txn.call->is_statement;
    admission->now_us = it->txn.call->now_us;
    td_pressure__wake_locked(table, it->txn.call->now_us);
    const item_reading *reading = &it->readings[action];
    td_admission_target *target =
        td_resource__add_target(table->resources[0], reading->partition, td_slice_of(NULL, 0), TD_READ, admission);
    target->key = it->txn.keys[action];
    target->collection_len = reading->collection_len;
    target->offered = TD_TRANSACTION_FACTOR * td_units_of_read(0, true);
    return target;
}
