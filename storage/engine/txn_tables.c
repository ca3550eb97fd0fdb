/* SPDX-License-Identifier: Apache-2.0
 * txn_tables.c: opening and locking the tables of a transaction, faults of actions, cancellation.
 * Not here: what an action does (write.c, txn.c, txn_read.c). */
#include "txn_tables.h"

#include "thermodyn/map.h"

#define DUPLICATE_SLOTS 256
#define CODES_BYTES_MAX ((size_t)1 << 16) /* of a hundred names of codes */

_Static_assert(TD_LIMIT_TRANSACT_ACTIONS_MAX < DUPLICATE_SLOTS, "an empty slot ends every search");
_Static_assert(TD_LIMIT_TRANSACT_ACTIONS_MAX <= UINT8_MAX, "positions are bytes");

/* Faults of one action that refuse the request as a whole (messages.md §2). */
static const td_message fatal_messages[] = {
    TD_MSG_KEY_EMPTY,
    TD_MSG_INDEX_KEY_EMPTY,
    TD_MSG_ITEM_TOO_LARGE,
    TD_MSG_OUT_OF_MEMORY,
};

static const struct {
    td_status status;
    td_slice code;
} reason_codes[] = {
    {TD_OK, TD_LIT_INIT("None")},
    {TD_CONDITIONAL_CHECK_FAILED, TD_LIT_INIT("ConditionalCheckFailed")},
    {TD_VALIDATION, TD_LIT_INIT("ValidationError")},
    {TD_PROVISIONED_THROUGHPUT_EXCEEDED, TD_LIT_INIT("ProvisionedThroughputExceeded")},
    {TD_THROTTLING, TD_LIT_INIT("ThrottlingError")},
    {TD_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED, TD_LIT_INIT("ItemCollectionSizeLimitExceeded")},
    {TD_TRANSACTION_CONFLICT, TD_LIT_INIT("TransactionConflict")},
};

static bool alloc_all(td_txn *txn, td_arena *arena);
static td_status open_table_of(td_txn *txn, uint32_t action, td_slice name, td_error *error);
static void insert_in_lock_order(td_txn *txn, uint32_t table);
static bool has_duplicates(const td_txn *txn);
static td_slice code_of(td_status status);

td_status td_txn__open(td_txn *txn, const td_call *call, const td_slice *names, uint32_t count, td_error *error)
{
    TD_ASSERT(count >= 1);
    TD_ASSERT(count <= TD_LIMIT_TRANSACT_ACTIONS_MAX);
    *txn = (td_txn){.call = call, .count = count};
    if (!alloc_all(txn, call->arena)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_txn__clear_errors(txn, error);
    for (uint32_t i = 0; i < count; i++) {
        td_status status = open_table_of(txn, i, names[i], error);
        if (status == TD_OK) continue;
        td_txn__close(txn);
        return status;
    }
    return TD_OK;
}

void td_txn__close(td_txn *txn)
{
    for (uint32_t i = 0; i < txn->table_count; i++)
        td_access__close(&txn->tables[i].access);
    txn->table_count = 0;
}

bool td_txn__lock(td_txn *txn)
{
    for (uint32_t i = 0; i < txn->table_count; i++) {
        if (td_access__lock(&txn->tables[txn->lock_order[i]].access)) continue;
        while (i > 0)
            td_table__unlock(txn->tables[txn->lock_order[--i]].access.table);
        return false;
    }
    return true;
}

void td_txn__unlock(td_txn *txn)
{
    for (uint32_t i = txn->table_count; i > 0; i--)
        td_table__unlock(txn->tables[txn->lock_order[i - 1]].access.table);
}

td_status td_txn__check_prepared(const td_txn *txn, uint32_t action, td_error *error)
{
    const td_error *fault = &txn->errors[action];
    if (fault->status == TD_OK) return TD_OK;
    for (size_t i = 0; i < TD_COUNT_OF(fatal_messages); i++) {
        if (fault->message != fatal_messages[i]) continue;
        *error = *fault;
        return error->status;
    }
    return TD_OK;
}

td_status td_txn__settle_prepared(const td_txn *txn, td_error *error)
{
    if (has_duplicates(txn)) return TD_RAISE(error, TD_MSG_TRANSACTION_REPEATS_ITEM);
    return td_txn__has_error(txn, TD_OK) ? td_txn__cancel(txn, error) : TD_OK;
}

void td_txn__clear_errors(td_txn *txn, const td_error *error)
{
    for (uint32_t i = 0; i < txn->count; i++)
        txn->errors[i] = (td_error){
            .arena = error->arena, .wording = error->wording, .value_wording = error->value_wording};
}

bool td_txn__has_error(const td_txn *txn, td_status status)
{
    for (uint32_t i = 0; i < txn->count; i++) {
        td_status found = txn->errors[i].status;
        if (status == TD_OK ? found != TD_OK : found == status) return true;
    }
    return false;
}

td_status td_txn__cancel(const td_txn *txn, td_error *error)
{
    td_arena *arena = error->arena;
    td_cancellations *cancellations = td_arena_alloc(arena, sizeof *cancellations);
    td_cancellation *reasons = td_arena_alloc_array(arena, txn->count, sizeof *reasons);
    if (cancellations == NULL || reasons == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_buf codes;
    td_buf_init(&codes, CODES_BYTES_MAX);
    for (uint32_t i = 0; i < txn->count; i++) {
        const td_error *fault = &txn->errors[i];
        reasons[i] = (td_cancellation){code_of(fault->status), fault->text, fault->item};
        if (i > 0) td_buf_append_lit(&codes, ", ");
        td_buf_append(&codes, reasons[i].code);
    }
    *cancellations = (td_cancellations){.count = txn->count, .reasons = reasons};
    td_status status = td_buf_has_failed(&codes)
                           ? TD_RAISE(error, TD_MSG_OUT_OF_MEMORY)
                           : TD_RAISE(error, TD_MSG_TRANSACTION_CANCELED, td_buf_contents(&codes));
    if (status == TD_TRANSACTION_CANCELED) error->cancellations = cancellations;
    td_buf_done(&codes);
    return status;
}

td_status td_txn__refuse(const td_txn *txn, td_error *error)
{
    for (uint32_t i = 0; i < txn->count; i++) {
        if (txn->errors[i].status != TD_REQUEST_LIMIT_EXCEEDED) continue;
        *error = txn->errors[i];
        return error->status;
    }
    return td_txn__cancel(txn, error);
}

td_table_consumed *td_txn__new_consumed(const td_txn *txn, bool is_read)
{
    td_table_consumed *consumed = td_arena_alloc_array(txn->call->arena, txn->table_count, sizeof *consumed);
    if (consumed == NULL) return NULL;
    for (uint32_t i = 0; i < txn->table_count; i++) {
        consumed[i].table = txn->tables[i].call.table;
        consumed[i].is_read = is_read;
        td_consumed_init(&consumed[i].consumed);
    }
    return consumed;
}

static bool alloc_all(td_txn *txn, td_arena *arena)
{
    txn->table_of = td_arena_alloc(arena, txn->count);
    txn->lock_order = td_arena_alloc(arena, txn->count);
    txn->tables = td_arena_alloc_array(arena, txn->count, sizeof *txn->tables);
    txn->errors = td_arena_alloc_array(arena, txn->count, sizeof *txn->errors);
    txn->keys = td_arena_alloc_array(arena, txn->count, sizeof *txn->keys);
    if (txn->keys != NULL) memset(txn->keys, 0, txn->count * sizeof *txn->keys);
    return txn->table_of != NULL && txn->lock_order != NULL && txn->tables != NULL && txn->errors != NULL &&
           txn->keys != NULL;
}

/* A transaction has few tables, and neighbours often share one: the latest is asked first. */
static td_status open_table_of(td_txn *txn, uint32_t action, td_slice name, td_error *error)
{
    for (uint32_t i = txn->table_count; i > 0; i--) {
        if (!td_slice_equal(txn->tables[i - 1].call.table, name)) continue;
        txn->table_of[action] = (uint8_t)(i - 1);
        return TD_OK;
    }
    td_txn_table *table = &txn->tables[txn->table_count];
    table->call = *txn->call;
    table->call.table = name;
    TD_TRY(td_access__open(&table->call, &table->access, error));
    insert_in_lock_order(txn, txn->table_count);
    txn->table_of[action] = (uint8_t)txn->table_count++;
    return TD_OK;
}

static void insert_in_lock_order(td_txn *txn, uint32_t table)
{
    td_slice name = txn->tables[table].call.table;
    uint32_t at = txn->table_count;
    while (at > 0 && td_slice_compare(name, txn->tables[txn->lock_order[at - 1]].call.table) < 0) {
        txn->lock_order[at] = txn->lock_order[at - 1];
        at--;
    }
    txn->lock_order[at] = (uint8_t)table;
}

/* A set of the actions by table and key. */
static bool has_duplicates(const td_txn *txn)
{
    uint8_t slots[DUPLICATE_SLOTS] = {0}; /* action + 1; 0: empty */
    for (uint32_t i = 0; i < txn->count; i++) {
        if (txn->keys[i].len == 0) continue;
        uint64_t at = td_hash64(txn->keys[i]) % DUPLICATE_SLOTS;
        for (; slots[at] != 0; at = (at + 1) % DUPLICATE_SLOTS) {
            uint32_t other = slots[at] - 1U;
            if (txn->table_of[other] == txn->table_of[i] && td_slice_equal(txn->keys[other], txn->keys[i])) return true;
        }
        slots[at] = (uint8_t)(i + 1);
    }
    return false;
}

static td_slice code_of(td_status status)
{
    for (size_t i = 0; i < TD_COUNT_OF(reason_codes); i++) {
        if (reason_codes[i].status == status) return reason_codes[i].code;
    }
    TD_UNREACHABLE("every fault of an action has a code");
}
