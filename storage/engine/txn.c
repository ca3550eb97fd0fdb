/* SPDX-License-Identifier: Apache-2.0
 * txn.c: TransactWriteItems: the steps of the one write path, each taken for all actions before the next one.
 *
 *   without locks     all keys and items checked and encoded, no item twice
 *   under all locks   decide all → ask all → reserve all → commit all → charge all
 *
 * Actions do not see each other: no two are on one item, and an index entry belongs to one item, so what one action
 * plans, and the places that it finds in the indexes' trees, hold whatever the others do.
 * Units (throttling.md §1.3): twice the single operation's on the table, once on indexes; when a condition fails, each
 * action's table arm; when a throttle or a fault of an update cancels, nothing.
 * Invariants: nothing is changed before everything that can fail is done; throttles are told before conditions.
 * Not here:   the steps themselves (write.c), tables and reasons (txn_tables.c), repetitions (txn_read.c). */
#include "catalog.h"
#include "txn_read.h"
#include "txn_tables.h"
#include "writing.h"

typedef struct transaction {
    td_txn txn;
    const td_transact_write *request;
    td_writing *writings;    /* by action */
    uint32_t begun;          /* of them are initialised */
    td_token *token;         /* its sizes are to be filled; NULL: it has none */
    td_journal_group group;  /* what the disk is to keep of the token, then of all */
    td_admission *admission; /* of one action at a time */
    td_transact_write_result result;
} transaction;

static td_status run(const td_call *call, const td_transact_write *request, td_token *token,
                     td_transact_write_result *ret_result, td_error *error);
static td_status prepare(transaction *it, const td_call *call, td_error *error);
static bool alloc_result(transaction *it);
static void finish(transaction *it);
static td_status run_locked(transaction *it, td_error *error);
static td_status decide_locked(transaction *it, td_error *error);
static td_status ask_locked(transaction *it, td_error *error);
static td_status cancel_locked(transaction *it, td_error *error);
static bool reserve_locked(transaction *it);
static void commit_locked(transaction *it);
static void report_locked(transaction *it);
static bool reserve_token(transaction *it);
static void keep_locked(transaction *it);

td_status td_transact_write_items(const td_call *call, const td_transact_write *request,
                                  td_transact_write_result *ret_result, td_error *error)
{
    TD_TRY(td_journal__begin(call, error));
    if (request->token.len == 0) return run(call, request, NULL, ret_result, error);
    td_tokens *tokens = &call->store->tokens;
    td_token *token = NULL;
    uint32_t *sizes = NULL;
    TD_TRY(td_tokens__begin(tokens, call, request, &token, &sizes, error));
    if (token == NULL) return td_txn__repeat(call, request, sizes, ret_result, error);
    td_status status = run(call, request, token, ret_result, error);
    if (status == TD_OK)
        td_tokens__finish(tokens, token, call->now_us);
    else
        td_tokens__abandon(tokens, token);
    return status;
}

static td_status run(const td_call *call, const td_transact_write *request, td_token *token,
                     td_transact_write_result *ret_result, td_error *error)
{
    for (;;) {
        td_admission admission;
        transaction it = {.request = request, .token = token, .admission = &admission};
        td_status status = prepare(&it, call, error);
        bool is_stale = false;
        if (status == TD_OK) {
            is_stale = !td_txn__lock(&it.txn);
            if (!is_stale) {
                status = run_locked(&it, error);
                td_txn__unlock(&it.txn);
            }
        }
        finish(&it);
        if (is_stale) continue;
        if (status == TD_OK) *ret_result = it.result;
        return status;
    }
}

/* Whatever it answers, `finish` follows. */
static td_status prepare(transaction *it, const td_call *call, td_error *error)
{
    const td_transact_write *request = it->request;
    td_slice *names = td_arena_alloc_array(call->arena, request->count, sizeof *names);
    it->writings = td_arena_alloc_array(call->arena, request->count, sizeof *it->writings);
    if (names == NULL || it->writings == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < request->count; i++)
        names[i] = request->actions[i].table;
    TD_TRY(td_txn__open(&it->txn, call, names, request->count, error));
    if (!alloc_result(it)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);

    for (uint32_t i = 0; i < request->count; i++) {
        td_txn_table *table = td_txn__table(&it->txn, i);
        td_writing *writing = &it->writings[it->begun];
        td_index_effect *effects =
            td_arena_alloc_array(call->arena, table->access.schema->index_count, sizeof *effects);
        if (effects == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        td_writing__init(writing, &table->call, &request->actions[i].write, &table->access, effects,
                         &it->txn.errors[i]);
        it->begun++;
        writing->is_check = request->actions[i].is_check;
        writing->admission = it->admission;
        bool has_key = td_writing__prepare(writing) == TD_OK || td_writing__encode_key(writing);
        if (has_key) it->txn.keys[i] = td_buf_contents(&writing->key);
        TD_TRY(td_txn__check_prepared(&it->txn, i, error));
    }
    return td_txn__settle_prepared(&it->txn, error);
}

static bool alloc_result(transaction *it)
{
    td_arena *arena = it->txn.call->arena;
    it->result.table_count = it->txn.table_count;
    it->result.tables = td_txn__new_consumed(&it->txn, false);
    it->result.collections = td_arena_alloc_array(arena, it->txn.count, sizeof *it->result.collections);
    return it->result.tables != NULL && it->result.collections != NULL;
}

static void finish(transaction *it)
{
    for (uint32_t i = 0; i < it->begun; i++)
        td_writing__done(&it->writings[i]);
    td_journal__drop(&it->group);
    td_txn__close(&it->txn);
}

static td_status run_locked(transaction *it, td_error *error)
{
    TD_TRY(decide_locked(it, error));
    TD_TRY(ask_locked(it, error));
    if (td_txn__has_error(&it->txn, TD_OK)) return cancel_locked(it, error);
    if (!reserve_locked(it)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    commit_locked(it);
    report_locked(it);
    keep_locked(it);
    return TD_OK;
}

/* Only what concerns the request as a whole is an error here: the rest stands with the actions. */
static td_status decide_locked(transaction *it, td_error *error)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < it->txn.count; i++) {
        td_writing *writing = &it->writings[i];
        td_status decided = td_writing__decide_locked(writing);
        if (decided == TD_CONDITIONAL_CHECK_FAILED) decided = td_writing__raise_condition_locked(writing);
        if (decided == TD_OUT_OF_MEMORY) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        bytes += writing->size_bytes;
        if (bytes > TD_LIMIT_TRANSACT_BYTES_MAX) return TD_RAISE(error, TD_MSG_TRANSACTION_TOO_LARGE);
    }
    return TD_OK;
}

/* Every bucket of every action, whatever the others answered. Throttles take the place of all other faults. */
static td_status ask_locked(transaction *it, td_error *error)
{
    bool is_admitted = true;
    for (uint32_t i = 0; i < it->txn.count; i++) {
        if (td_writing__ask_locked(&it->writings[i])) continue;
        if (is_admitted) td_txn__clear_errors(&it->txn, error);
        is_admitted = false;
        td_status raised = td_admission_raise(it->admission, &it->txn.errors[i]);
        if (raised == TD_OUT_OF_MEMORY) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return is_admitted ? TD_OK : td_txn__refuse(&it->txn, error);
}

static td_status cancel_locked(transaction *it, td_error *error)
{
    if (td_txn__has_error(&it->txn, TD_CONDITIONAL_CHECK_FAILED)) {
        for (uint32_t i = 0; i < it->txn.count; i++) {
            td_writing__aim_locked(&it->writings[i]);
            td_writing__charge_table_locked(&it->writings[i], TD_TRANSACTION_FACTOR);
        }
    }
    return td_txn__cancel(&it->txn, error);
}

static bool reserve_locked(transaction *it)
{
    if (!reserve_token(it)) return false;
    for (uint32_t i = 0; i < it->txn.count; i++) {
        if (it->writings[i].is_check || td_writing__reserve_locked(&it->writings[i])) continue;
        while (i > 0) {
            td_writing *writing = &it->writings[--i];
            if (!writing->is_check) td_writing__unreserve_locked(writing);
        }
        return false;
    }
    return true;
}

static void commit_locked(transaction *it)
{
    for (uint32_t i = 0; i < it->txn.count; i++) {
        td_writing *writing = &it->writings[i];
        if (writing->is_check) continue;
        td_writing__find_again_locked(writing);
        td_writing__commit_locked(writing);
    }
}

static void report_locked(transaction *it)
{
    td_transact_write_result *result = &it->result;
    for (uint32_t i = 0; i < it->txn.count; i++) {
        td_writing *writing = &it->writings[i];
        td_table_consumed *table = &result->tables[it->txn.table_of[i]];
        td_writing__aim_locked(writing);
        td_writing__charge_locked(writing, TD_TRANSACTION_FACTOR, &table->consumed);
        if (it->token != NULL) it->token->sizes[i] = writing->size_bytes;
        if (writing->is_check) continue;
        int64_t bytes = td_writing__settle_locked(writing);
        if (bytes < 0) continue;
        result->collections[result->collection_count++] =
            (td_table_collection){.table = table->table, .action = i, .collection_bytes = bytes};
    }
}

/* The token is kept with what it stands for, or neither is. */
static bool reserve_token(transaction *it)
{
    const td_call *call = it->txn.call;
    if (it->token == NULL || call->store->journal == NULL) return true;
    return td_token__keep(it->token, call->now_us, &it->group);
}

/* All actions are one group: on the disk as a whole, or not at all. */
static void keep_locked(transaction *it)
{
    td_journal *journal = it->txn.call->store->journal;
    if (journal == NULL) return;
    if (it->token != NULL) td_token__fill_kept(it->token, &it->group);
    for (uint32_t i = 0; i < it->txn.count; i++)
        td_journal__join(&it->group, &it->writings[i].group);
    td_journal__append(journal, &it->group);
}
