/* SPDX-License-Identifier: Apache-2.0
 * meter.c: an answered request as the metrics count it: its tables, and what happened to its elements.
 *
 * Model: ThrottledRequests has a batch only when all of its elements throttled, and of any other request each table of
 *        which an element throttled; ConditionalCheckFailedRequests and TransactionConflict count elements
 *        (throttling.md §4.1).
 * Not here: how it is counted (server/metrics); units and throttle events (storage). */
#include "meter.h"

#include "batch.h"
#include "fault_target.h"

#define NOTES_START 8
#define TABLES_MAX TD_LIMIT_TRANSACT_ACTIONS_MAX

enum {
#define TD_OPERATION(api, name, handler, group, form) ROW_##name,
#include "operations.def"
#undef TD_OPERATION
    ROW_COUNT
};
_Static_assert(ROW_COUNT < TD_METRICS_NO_OPERATION, "the recorders have a row for each");

/* The figures of tables are kept of these (AWS, "DynamoDB Metrics and dimensions", Operation). */
static const bool has_figures[ROW_COUNT] = {
    [ROW_PutItem] = true,
    [ROW_GetItem] = true,
    [ROW_UpdateItem] = true,
    [ROW_DeleteItem] = true,
    [ROW_Query] = true,
    [ROW_Scan] = true,
    [ROW_BatchGetItem] = true,
    [ROW_BatchWriteItem] = true,
    [ROW_TransactGetItems] = true,
    [ROW_TransactWriteItems] = true,
    [ROW_ExecuteStatement] = true,
    [ROW_BatchExecuteStatement] = true,
    [ROW_ExecuteTransaction] = true,
    [ROW_GetRecords] = true,
};

static void note_injected(td_request *request, const td_operation *operation);
static void take_cancellations(td_request *request);
static uint32_t gather_tables(const td_request *request, td_status status, td_metrics_table *tables);
static td_metrics_table *find_table(td_metrics_table *tables, uint32_t *count, td_slice name);
static void count_element(td_metrics_table *table, td_status status);
static bool is_all_throttled(const td_request *request);

void td_ops__note_table(td_request *request, td_slice table, td_status status)
{
    td_request_notes *notes = &request->notes;
    if (notes->count == notes->room) {
        uint32_t room = notes->room == 0 ? NOTES_START : 2 * notes->room;
        td_request_element *grown = td_arena_alloc_array(request->arena, room, sizeof(*grown));
        if (grown == NULL) return;
        if (notes->count > 0) memcpy(grown, notes->elements, notes->count * sizeof(*grown));
        notes->elements = grown;
        notes->room = room;
    }
    notes->elements[notes->count++] = (td_request_element){.table = table, .status = status};
}

void td_ops__note_statement(td_request *request, td_statement_kind statement)
{
    static const td_metrics_kind kinds[] = {
        [TD_STATEMENT_SELECT] = TD_METRICS_SELECT, [TD_STATEMENT_INSERT] = TD_METRICS_INSERT,
        [TD_STATEMENT_UPDATE] = TD_METRICS_UPDATE, [TD_STATEMENT_DELETE] = TD_METRICS_DELETE,
        [TD_STATEMENT_EXISTS] = TD_METRICS_PLAIN,
    };
    request->notes.kind = kinds[statement];
}

void td_ops__note_returned(td_request *request, uint32_t items)
{
    request->notes.has_returned_items = true;
    request->notes.returned_items = items;
}

void td_ops__meter(td_request *request, const td_operation *operation, td_status status, td_metrics_recorder *recorder,
                   int64_t latency_us)
{
    size_t row = operation == NULL ? ROW_COUNT : (size_t)(operation - td_operation_at(0));
    td_metrics_table tables[TABLES_MAX];
    td_metrics_request metered = {.operation = operation == NULL ? TD_METRICS_NO_OPERATION : (uint32_t)row,
                                  .kind = request->notes.kind,
                                  .status = status,
                                  .now_us = request->call.now_us != 0 ? request->call.now_us
                                                                      : td_clock_now(request->service->clock),
                                  .latency_us = latency_us,
                                  .has_returned_items = request->notes.has_returned_items,
                                  .returned_items = request->notes.returned_items,
                                  .scope = request->call.scope,
                                  .tables = tables};
    if (row < ROW_COUNT && has_figures[row]) {
        if (request->is_injected && request->notes.count == 0) note_injected(request, operation);
        if (request->notes.count > 0) {
            if (status == TD_TRANSACTION_CANCELED) take_cancellations(request);
            metered.table_count = gather_tables(request, status, tables);
        } else if (request->call.table.len > 0) {
            tables[0] = (td_metrics_table){.name = request->call.table};
            count_element(&tables[0], status);
            metered.table_count = 1;
        }
    }
    td_metrics_record(recorder, &metered);
}

/* A rule struck the request before its operation could tell its tables. */
static void note_injected(td_request *request, const td_operation *operation)
{
    td_fault_targets targets;
    td_error error = request->error;
    bool is_found = td_fault__find_targets(request, operation, &targets) == TD_OK;
    for (uint32_t i = 0; is_found && i < targets.count; i++)
        td_ops__note_table(request, targets.at[i].table, error.status);
    request->error = error;
}

/* Of a transaction each action is an element, in its order. */
static void take_cancellations(td_request *request)
{
    static const struct {
        td_slice code;
        td_status status;
    } codes[] = {
        {TD_LIT_INIT("ConditionalCheckFailed"), TD_CONDITIONAL_CHECK_FAILED},
        {TD_LIT_INIT("ProvisionedThroughputExceeded"), TD_PROVISIONED_THROUGHPUT_EXCEEDED},
        {TD_LIT_INIT("ThrottlingError"), TD_THROTTLING},
        {TD_LIT_INIT("RequestLimitExceeded"), TD_REQUEST_LIMIT_EXCEEDED},
        {TD_LIT_INIT("TransactionConflict"), TD_TRANSACTION_CONFLICT},
    };
    const td_cancellations *cancellations = request->error.cancellations;
    if (cancellations == NULL) return;
    for (uint32_t i = 0; i < request->notes.count; i++) {
        td_request_element *element = &request->notes.elements[i];
        element->status = TD_TRANSACTION_CANCELED;
        for (size_t k = 0; i < cancellations->count && k < TD_COUNT_OF(codes); k++) {
            if (td_slice_equal(cancellations->reasons[i].code, codes[k].code)) element->status = codes[k].status;
        }
    }
}

/* Each table once, with what its elements came to. */
static uint32_t gather_tables(const td_request *request, td_status status, td_metrics_table *tables)
{
    const td_request_notes *notes = &request->notes;
    bool is_throttled = status != TD_OK || is_all_throttled(request);
    uint32_t count = 0;
    for (uint32_t i = 0; i < notes->count; i++) {
        const td_request_element *element = &notes->elements[i];
        if (element->table.len == 0 || element->status == TD_RESOURCE_NOT_FOUND) continue;
        td_metrics_table *table = find_table(tables, &count, element->table);
        if (table == NULL) break;
        count_element(table, td_ops__is_throttle(status) ? status : element->status);
        if (!is_throttled) table->throttled = 0;
    }
    return count;
}

static td_metrics_table *find_table(td_metrics_table *tables, uint32_t *count, td_slice name)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (td_slice_equal(tables[i].name, name)) return &tables[i];
    }
    if (*count == TABLES_MAX) return NULL;
    tables[*count] = (td_metrics_table){.name = name};
    return &tables[(*count)++];
}

static void count_element(td_metrics_table *table, td_status status)
{
    table->throttled += td_ops__is_throttle(status);
    table->condition_failed += status == TD_CONDITIONAL_CHECK_FAILED;
    table->conflicts += status == TD_TRANSACTION_CONFLICT;
}

/* Of a batch that answers element by element. */
static bool is_all_throttled(const td_request *request)
{
    bool is_throttled = request->notes.count > 0;
    for (uint32_t i = 0; i < request->notes.count && is_throttled; i++)
        is_throttled = td_ops__is_throttle(request->notes.elements[i].status);
    return is_throttled;
}
