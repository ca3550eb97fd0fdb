/* SPDX-License-Identifier: Apache-2.0
 * statement_transact.c: ExecuteTransaction: up to a hundred statements, all reads or all writes, all or none of them.
 *
 * Order of checks: parameters; then statement by statement the text and the rules of transactions, the first fault is
 * told with its statement's place; then that reads and writes do not mix. A table that is not there and a key that does
 * not fit cancel the transaction, before items named twice are looked for (captures of September 2026: floci, PartiQL
 * edge cases; TransactWriteItems tells the missing table as such).
 * Model: reads are those of TransactGetItems, writes those of TransactWriteItems, with tokens of their own. */
#include "fault_ask.h"
#include "fault_error.h"
#include "meter.h"
#include "statement.h"

typedef struct transact_element {
    td_ops_parameters parameters;
    td_statement *statement;
    td_keys keys;
    td_error fault; /* a reason to cancel; TD_OK: none */
} transact_element;

typedef struct transaction {
    const td_json *list;
    uint32_t count;
    transact_element *elements;
    td_ops_named *named;
    td_action *actions;
    td_transact_get *gets;
    bool is_read;
} transaction;

static td_status alloc_all(td_request *request, transaction *it);
static td_status read_element(td_request *request, transaction *it, uint32_t at);
static td_status check_mix(td_request *request, transaction *it);
static td_status cancel_by_elements(td_request *request, transaction *it);
static td_status execute_reads(td_request *request, const transaction *it);
static td_status execute_writes(td_request *request, const transaction *it);

td_status td_ops__execute_transaction(td_request *request)
{
    transaction it = {.list = td_ops__get(request, TD_MEMBER_TransactStatements)};
    TD_TRY(alloc_all(request, &it));
    for (uint32_t i = 0; i < it.count; i++) {
        td_ops_parameters *parameters = &it.elements[i].parameters;
        TD_TRY(td_ops__read_parameters(request, &it.list->children[i], parameters, &request->error));
    }
    for (uint32_t i = 0; i < it.count; i++)
        TD_TRY(read_element(request, &it, i));
    TD_TRY(check_mix(request, &it));
    TD_TRY(cancel_by_elements(request, &it));
    TD_TRY(td_ops__cancel_by_faults(request, it.list));
    return it.is_read ? execute_reads(request, &it) : execute_writes(request, &it);
}

static td_status alloc_all(td_request *request, transaction *it)
{
    td_arena *arena = request->arena;
    it->count = it->list->count;
    it->elements = td_arena_alloc_zero(arena, it->count * sizeof(*it->elements));
    it->named = td_arena_alloc_array(arena, it->count, sizeof(*it->named));
    it->actions = td_arena_alloc_zero(arena, it->count * sizeof(*it->actions));
    it->gets = td_arena_alloc_zero(arena, it->count * sizeof(*it->gets));
    bool has_memory = it->elements != NULL && it->named != NULL && it->actions != NULL && it->gets != NULL;
    return has_memory ? TD_OK : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static td_status check_element(td_request *request, transaction *it, uint32_t at, td_error *error);
static td_status plan_read(td_request *request, transact_element *element, td_transact_get *get, td_error *error);
static td_status plan_action(td_request *request, transaction *it, uint32_t at, td_error *error);

/* What is wrong with a statement is told with its place; with a parameter's number, without. */
static td_status read_element(td_request *request, transaction *it, uint32_t at)
{
    td_error error = td_ops__new_error(request);
    td_status status = check_element(request, it, at, &error);
    if (status == TD_OK) return TD_OK;
    request->error = error;
    const td_error *late = &it->elements[at].parameters.late;
    bool is_late = late->status != TD_OK && error.message == late->message;
    if (status != TD_VALIDATION || is_late) return status;
    return TD_RAISE(&request->error, TD_MSG_TRANSACTED_STATEMENT, td_error_int(&request->error, at), error.text);
}

static td_status check_element(td_request *request, transaction *it, uint32_t at, td_error *error)
{
    transact_element *element = &it->elements[at];
    const td_json *json = &it->list->children[at];
    TD_TRY(td_ops__read_statement(request, json, &element->parameters, &element->statement, error));
    TD_TRY(td_ops__name_statement(element->statement, &it->named[at], error));
    request->call.table = it->named[at].name;
    td_ops__note_table(request, request->call.table, TD_OK);
    td_error fault = td_ops__new_error(request);
    td_status found = td_table_find_keys(&request->call, td_slice_of(NULL, 0), &element->keys, &fault);
    element->fault = fault;
    if (found == TD_RESOURCE_NOT_FOUND) return TD_OK;
    if (found != TD_OK) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (element->statement->returning != TD_RETURNING_NONE) return TD_RAISE(error, TD_MSG_TRANSACTED_RETURNING);
    if (element->statement->index.ptr != NULL) return TD_RAISE(error, TD_MSG_TRANSACTED_INDEX);
    if (element->statement->kind == TD_STATEMENT_SELECT) return plan_read(request, element, &it->gets[at], error);
    return plan_action(request, it, at, error);
}

static td_status plan_read(td_request *request, transact_element *element, td_transact_get *get, td_error *error)
{
    td_ops_plan plan;
    get->table = request->call.table;
    td_status status = td_ops__plan_select(request, element->statement, true, &plan, error);
    if (status == TD_VALIDATION && error->message == TD_MSG_PARTIQL_KEY_TYPE) {
        (void)TD_RAISE(&element->fault, TD_MSG_KEY_MISMATCH);
        return TD_OK;
    }
    TD_TRY(status);
    if (!td_ops__is_lookup(&plan)) return TD_RAISE(error, TD_MSG_TRANSACTED_SELECT_WITHOUT_KEY);
    return td_ops__key_of_range(request, &plan, plan.found.ranges, &get->key, &get->key_count, error);
}

/* A write that does not name one item cancels; an EXISTS that does not is no statement of a transaction. */
static td_status plan_action(td_request *request, transaction *it, uint32_t at, td_error *error)
{
    transact_element *element = &it->elements[at];
    td_action *action = &it->actions[at];
    bool is_check = element->statement->kind == TD_STATEMENT_EXISTS;
    action->table = request->call.table;
    action->is_check = is_check;
    bool wants_failed_item = td_ops__wants_failed_item(&it->list->children[at]);
    td_status status =
        td_ops__plan_write(request, element->statement, element->keys.table, wants_failed_item, &action->write, error);
    if (status != TD_VALIDATION) return status;
    if (is_check) {
        bool is_of_key = error->message == TD_MSG_PARTIQL_KEY_REQUIRED;
        return is_of_key ? TD_RAISE(error, TD_MSG_TRANSACTED_EXISTS) : status;
    }
    if (error->message == TD_MSG_PARTIQL_KEY_REQUIRED || error->message == TD_MSG_PARTIQL_KEY_TYPE) {
        (void)TD_RAISE(&element->fault, TD_MSG_KEY_MISMATCH);
    } else {
        element->fault = *error;
    }
    return TD_OK;
}

static td_status check_mix(td_request *request, transaction *it)
{
    uint32_t reads = 0;
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->elements[i].statement->kind == TD_STATEMENT_SELECT) reads++;
    }
    it->is_read = reads == it->count;
    request->notes.kind = it->is_read ? TD_METRICS_READ : TD_METRICS_WRITE;
    if (reads > 0 && !it->is_read) return TD_RAISE(&request->error, TD_MSG_TRANSACTED_READS_AND_WRITES);
    return TD_OK;
}

/* ---- cancellation ------------------------------------------------------------------------------------------------ */

static bool has_faults(const transaction *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->elements[i].fault.status != TD_OK) return true;
    }
    return false;
}

/* What the engine would say of the element's key. Some of that concerns the request as a whole, and is left to it. */
static void check_key(td_request *request, const transaction *it, uint32_t at)
{
    transact_element *element = &it->elements[at];
    td_write write = it->actions[at].write;
    td_slice key;
    if (element->fault.status != TD_OK || it->is_read) return;
    if (write.kind == TD_WRITE_UPDATE) write.kind = TD_WRITE_DELETE; /* of which the key is checked alone */
    request->call.table = it->named[at].name;
    td_error fault = td_ops__new_error(request);
    if (td_write_check(&request->call, &write, &key, &fault) == TD_VALIDATION) element->fault = fault;
}

/* Tables that are not there and keys that are none. */
static td_status cancel_by_elements(td_request *request, transaction *it)
{
    if (!has_faults(it)) return TD_OK;
    td_cancellation *reasons = td_arena_alloc_array(request->arena, it->count, sizeof(*reasons));
    if (reasons == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < it->count; i++) {
        check_key(request, it, i);
        const td_error *fault = &it->elements[i].fault;
        if (fault->status == TD_OUT_OF_MEMORY) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
        reasons[i] = fault->status == TD_OK
                         ? (td_cancellation){.code = TD_LIT("None")}
                         : (td_cancellation){.code = td_ops__statement_code(fault->status), .text = fault->text};
    }
    return td_fault__raise_canceled(request, reasons, it->count);
}

/* The engine's reasons in PartiQL's words: an INSERT fails of a duplicate, not of a condition. */
static td_status reword(td_request *request, const transaction *it)
{
    const td_cancellations *cancellations = request->error.cancellations;
    TD_ASSERT(cancellations != NULL && cancellations->count == it->count);
    for (uint32_t i = 0; i < it->count; i++) {
        td_cancellation *reason = &cancellations->reasons[i];
        td_message message = TD_MSG_STATEMENT_NESTING_TOO_DEEP;
        bool is_insert = it->elements[i].statement->kind == TD_STATEMENT_INSERT;
        if (is_insert && td_slice_equal(reason->code, TD_LIT("ConditionalCheckFailed"))) {
            message = TD_MSG_STATEMENT_DUPLICATE_ITEM;
            *reason = (td_cancellation){.code = td_ops__statement_code(TD_DUPLICATE_ITEM)};
        } else if (!td_ops__is_nesting_text(reason->text)) {
            continue;
        }
        reason->text = td_slice_of_cstr(td_message_text(message, request->error.wording));
    }
    return td_fault__raise_canceled(request, cancellations->reasons, it->count);
}

/* ---- execution --------------------------------------------------------------------------------------------------- */

static td_status execute_reads(td_request *request, const transaction *it)
{
    td_transact_get_result result;
    TD_TRY(td_transact_get_items(&request->call, it->gets, it->count, &result, &request->error));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Responses"));
    td_buf_append_byte(answer.buf, '[');
    for (uint32_t i = 0; i < it->count; i++) {
        if (i > 0) td_buf_append_byte(answer.buf, ',');
        td_ops_object response = td_ops__open(answer.buf);
        if (result.items[i] != NULL) {
            td_ops__name(&response, TD_LIT("Item"));
            TD_TRY(td_ops__write_projected(request, result.items[i], it->elements[i].statement->projection));
        }
        td_ops__close(&response);
    }
    td_buf_append_byte(answer.buf, ']');
    td_ops__write_transact_consumed(request, it->named, it->count, result.tables, result.table_count, &answer);
    td_ops__close(&answer);
    return TD_OK;
}

/* ClientRequestToken among those of this operation: other transactions do not share them. */
static td_status read_token(td_request *request, td_slice *ret_token)
{
    td_slice token = td_ops__text(td_ops__get(request, TD_MEMBER_ClientRequestToken));
    *ret_token = token;
    if (token.len == 0) return TD_OK;
    return td_arena_format(request->arena, ret_token, "statements %.*s", (int)token.len, (const char *)token.ptr)
               ? TD_OK
               : TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}

static td_status execute_writes(td_request *request, const transaction *it)
{
    td_transact_write write = {
        .actions = it->actions, .count = it->count, .fingerprint = td_ops__fingerprint(it->list)};
    TD_TRY(read_token(request, &write.token));
    td_transact_write_result result;
    td_status status = td_transact_write_items(&request->call, &write, &result, &request->error);
    if (status == TD_TRANSACTION_CANCELED) return reword(request, it);
    TD_TRY(status);
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Responses"));
    td_buf_append_lit(answer.buf, "[]");
    td_ops__write_transact_consumed(request, it->named, it->count, result.tables, result.table_count, &answer);
    td_ops__close(&answer);
    return TD_OK;
}
