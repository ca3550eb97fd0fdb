/* SPDX-License-Identifier: Apache-2.0
 * statement_batch.c: BatchExecuteStatement: up to 25 statements, each on its own.
 *
 *   read    the statements; what is wrong with one is its own error, and it takes no further part
 *   check   reads and writes do not mix; tables, rules and keys of each; no item twice: until here nothing has been
 *           read, written or charged
 *   run     one after the other, in order
 *
 * Model: a member that ran names its table, whether it failed or not; one that was rejected does not. A write that ran
 *        into a condition has cost units, which count in its table's total alone (messages.md §4). */
#include <stdlib.h>

#include "fault_ask.h"
#include "meter.h"
#include "statement.h"

typedef struct member {
    const td_json *json;
    td_statement *statement;
    td_ops_named table;
    td_slice key; /* of the item within its table */
    td_ops_plan plan;
    td_write write;
    bool is_rejected;
    bool has_failed; /* when it ran */
    td_error error;
    const td_item *found; /* by a SELECT */
    td_ops_returned returned;
} member;

/* What one table consumed. */
typedef struct batch_table {
    td_ops_named named;
    td_consumed consumed;
    td_units failed; /* units of writes that failed */
    bool has_success;
} batch_table;

typedef struct statement_batch {
    member *members;
    uint32_t count;
    batch_table *tables;
    uint32_t table_count;
} statement_batch;

static const struct {
    td_status status;
    td_slice code;
} codes[] = {
    {TD_CONDITIONAL_CHECK_FAILED, TD_LIT_INIT("ConditionalCheckFailed")},
    {TD_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED, TD_LIT_INIT("ItemCollectionSizeLimitExceeded")},
    {TD_REQUEST_LIMIT_EXCEEDED, TD_LIT_INIT("RequestLimitExceeded")},
    {TD_VALIDATION, TD_LIT_INIT("ValidationError")},
    {TD_PROVISIONED_THROUGHPUT_EXCEEDED, TD_LIT_INIT("ProvisionedThroughputExceeded")},
    {TD_TRANSACTION_CONFLICT, TD_LIT_INIT("TransactionConflict")},
    {TD_THROTTLING, TD_LIT_INIT("ThrottlingError")},
    {TD_INTERNAL_SERVER_ERROR, TD_LIT_INIT("InternalServerError")},
    {TD_OUT_OF_MEMORY, TD_LIT_INIT("InternalServerError")},
    {TD_RESOURCE_NOT_FOUND, TD_LIT_INIT("ResourceNotFound")},
    {TD_ACCESS_DENIED, TD_LIT_INIT("AccessDenied")},
    {TD_DUPLICATE_ITEM, TD_LIT_INIT("DuplicateItem")},
};

static td_status settle(td_request *request, member *it, td_status status);
static td_status read_member(td_request *request, member *it);
static td_status check_mix(td_request *request, const statement_batch *batch);
static td_status check_member(td_request *request, member *it);
static td_status check_duplicates(td_request *request, const statement_batch *batch);
static void run_member(td_request *request, statement_batch *batch, member *it);
static td_status answer(td_request *request, const statement_batch *batch);

td_status td_ops__batch_execute_statement(td_request *request)
{
    const td_json *list = td_ops__get(request, TD_MEMBER_Statements);
    statement_batch batch = {.count = list->count};
    batch.members = td_arena_alloc_zero(request->arena, list->count * sizeof(*batch.members));
    batch.tables = td_arena_alloc_zero(request->arena, list->count * sizeof(*batch.tables));
    if (batch.members == NULL || batch.tables == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < batch.count; i++) {
        member *it = &batch.members[i];
        it->json = &list->children[i];
        it->error = td_ops__new_error(request);
        TD_TRY(settle(request, it, read_member(request, it)));
    }
    TD_TRY(check_mix(request, &batch));
    for (uint32_t i = 0; i < batch.count; i++) {
        member *it = &batch.members[i];
        request->call.table = it->table.name;
        if (!it->is_rejected) TD_TRY(settle(request, it, check_member(request, it)));
    }
    TD_TRY(check_duplicates(request, &batch));
    for (uint32_t i = 0; i < batch.count; i++) {
        if (!batch.members[i].is_rejected) run_member(request, &batch, &batch.members[i]);
    }
    return answer(request, &batch);
}

td_slice td_ops__statement_code(td_status status)
{
    for (size_t i = 0; i < TD_COUNT_OF(codes); i++) {
        if (codes[i].status == status) return codes[i].code;
    }
    return td_slice_of(NULL, 0);
}

/* A fault of the member is its own; the want of memory is the request's, as nothing has been written yet. */
static td_status settle(td_request *request, member *it, td_status status)
{
    if (status == TD_OK) return TD_OK;
    it->is_rejected = true;
    bool is_its_own = status != TD_OUT_OF_MEMORY && td_ops__statement_code(it->error.status).len > 0;
    if (is_its_own) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
}

/* ---- read and check ---------------------------------------------------------------------------------------------- */

static td_status read_member(td_request *request, member *it)
{
    TD_TRY(td_ops__read_whole_statement(request, it->json, &it->statement, &it->error));
    if (it->statement->kind == TD_STATEMENT_EXISTS) return TD_RAISE(&it->error, TD_MSG_STATEMENT_EXISTS_ALONE);
    return td_ops__name_statement(it->statement, &it->table, &it->error);
}

static td_status check_mix(td_request *request, const statement_batch *batch)
{
    bool has_reads = false;
    bool has_writes = false;
    for (uint32_t i = 0; i < batch->count; i++) {
        const member *it = &batch->members[i];
        if (it->is_rejected) continue;
        if (td_statement_is_write(it->statement)) has_writes = true;
        if (!td_statement_is_write(it->statement)) has_reads = true;
    }
    request->notes.kind = has_writes ? TD_METRICS_WRITE : TD_METRICS_READ;
    return has_reads && has_writes ? TD_RAISE(&request->error, TD_MSG_BATCHED_READS_AND_WRITES) : TD_OK;
}

static td_status check_select(td_request *request, member *it, td_write *key)
{
    bool is_consistent = td_ops__is_true(td_json_find(it->json, td_ops__member_name(TD_MEMBER_ConsistentRead)));
    td_error *error = &it->error;
    TD_TRY(td_ops__plan_select(request, it->statement, is_consistent, &it->plan, error));
    if (!td_ops__is_lookup(&it->plan)) return TD_RAISE(error, TD_MSG_BATCHED_SELECT_WITHOUT_KEY);
    key->kind = TD_WRITE_DELETE;
    return td_ops__key_of_range(request, &it->plan, it->plan.found.ranges, &key->attributes, &key->attribute_count,
                                error);
}

/* An index that is named makes a SELECT no look-up, whatever the index is. */
static td_status check_member(td_request *request, member *it)
{
    td_keys keys;
    td_error *error = &it->error;
    TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, error));
    td_write checked = {.kind = TD_WRITE_DELETE};
    if (!td_statement_is_write(it->statement)) {
        TD_TRY(check_select(request, it, &checked));
    } else {
        TD_TRY(td_ops__plan_write(request, it->statement, keys.table, true, &it->write, error));
        checked = it->write;
        if (checked.kind == TD_WRITE_UPDATE) checked.kind = TD_WRITE_DELETE; /* of which the key is checked alone */
    }
    return td_write_check(&request->call, &checked, &it->key, error);
}

static int compare_targets(const void *a, const void *b)
{
    const member *left = *(const member *const *)a;
    const member *right = *(const member *const *)b;
    int order = td_slice_compare(left->table.name, right->table.name);
    return order != 0 ? order : td_slice_compare(left->key, right->key);
}

static td_status check_duplicates(td_request *request, const statement_batch *batch)
{
    const member *targets[TD_LIMIT_BATCH_STATEMENTS_MAX];
    uint32_t count = 0;
    TD_ASSERT(batch->count <= TD_COUNT_OF(targets));
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!batch->members[i].is_rejected) targets[count++] = &batch->members[i];
    }
    qsort(targets, count, sizeof(const member *), compare_targets);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_targets(&targets[i - 1], &targets[i]) != 0) continue;
        return TD_RAISE(&request->error, TD_MSG_BATCH_DUPLICATE_KEYS);
    }
    return TD_OK;
}

/* ---- run --------------------------------------------------------------------------------------------------------- */

static td_status run_read(td_request *request, member *it, batch_table *table);
static td_status run_write(td_request *request, member *it, batch_table *table);

static batch_table *find_table(statement_batch *batch, const td_ops_named *named)
{
    for (uint32_t i = 0; i < batch->table_count; i++) {
        if (td_slice_equal(batch->tables[i].named.name, named->name)) return &batch->tables[i];
    }
    batch_table *table = &batch->tables[batch->table_count++];
    table->named = *named;
    return table;
}

/* Whatever becomes of one, the others run. */
static void run_member(td_request *request, statement_batch *batch, member *it)
{
    batch_table *table = find_table(batch, &it->table);
    request->call.table = it->table.name;
    const td_fault_element *fault = td_ops__find_fault(request, it->json);
    td_status status = TD_OK;
    if (fault != NULL) {
        it->error = *fault->error;
        status = it->error.status;
    } else {
        status = td_statement_is_write(it->statement) ? run_write(request, it, table) : run_read(request, it, table);
    }
    it->has_failed = status != TD_OK;
    if (!it->has_failed) table->has_success = true;
    if (it->has_failed && it->error.status != status) (void)TD_RAISE(&it->error, TD_MSG_OUT_OF_MEMORY);
}

static td_status run_read(td_request *request, member *it, batch_table *table)
{
    td_get get = {.is_consistent = it->plan.is_consistent};
    TD_TRY(td_ops__key_of_range(request, &it->plan, it->plan.found.ranges, &get.key, &get.key_count, &it->error));
    td_get_result result;
    TD_TRY(td_get_item(&request->call, &get, &result, &it->error));
    td_ops__add_consumed(&table->consumed, &result.consumed);
    it->found = result.item;
    return TD_OK;
}

/* A failed condition costs what the larger of the stored and the sent item costs. */
static td_units units_of_failure(const member *it, const td_item *blocking)
{
    bool is_condition = it->error.status == TD_CONDITIONAL_CHECK_FAILED || it->error.status == TD_DUPLICATE_ITEM;
    if (!is_condition) return 0;
    uint64_t sent = td_attributes_size(it->statement->item, it->statement->item_count);
    uint64_t stored = blocking == NULL ? 0 : td_item_size(blocking);
    return td_units_of_write(sent > stored ? sent : stored);
}

static td_status run_write(td_request *request, member *it, batch_table *table)
{
    td_write_result result;
    const td_item *blocking;
    td_status status = td_ops__run_write(request, it->statement, &it->write, &result, &blocking, &it->error);
    if (status != TD_OK) {
        table->failed += units_of_failure(it, blocking);
        return status;
    }
    td_ops__add_consumed(&table->consumed, &result.consumed);
    return td_ops__find_returned(request, it->statement, &result, &it->returned, &it->error);
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static void answer_consumed(const td_request *request, const statement_batch *batch, td_ops_object *answer);

static td_status answer_member(td_request *request, const member *it)
{
    td_ops_object response = td_ops__open(request->reply);
    if (it->is_rejected || it->has_failed) {
        td_ops__name(&response, TD_LIT("Error"));
        td_ops_object error = td_ops__open(request->reply);
        td_ops__member_string(&error, TD_LIT("Code"), td_ops__statement_code(it->error.status));
        td_ops__member_string(&error, TD_LIT("Message"), it->error.text);
        td_ops__close(&error);
    }
    if (!it->is_rejected) td_ops__member_string(&response, TD_LIT("TableName"), it->table.sent);
    if (it->found != NULL) {
        td_ops__name(&response, TD_LIT("Item"));
        TD_TRY(td_ops__write_projected(request, it->found, it->statement->projection));
    } else if (td_ops__is_returned(&it->returned)) {
        td_ops__name(&response, TD_LIT("Item"));
        td_ops__write_returned(request->reply, &it->returned);
    }
    td_ops__close(&response);
    return TD_OK;
}

static td_status answer(td_request *request, const statement_batch *batch)
{
    td_ops_object object = td_ops__open(request->reply);
    td_ops__name(&object, TD_LIT("Responses"));
    td_buf_append_byte(object.buf, '[');
    for (uint32_t i = 0; i < batch->count; i++) {
        if (i > 0) td_buf_append_byte(object.buf, ',');
        TD_TRY(answer_member(request, &batch->members[i]));
        td_ops__note_table(request, batch->members[i].table.name, batch->members[i].error.status);
    }
    td_buf_append_byte(object.buf, ']');
    answer_consumed(request, batch, &object);
    td_ops__close(&object);
    return TD_OK;
}

/* One entry a table where something succeeded; none at all when nothing did. */
static void answer_consumed(const td_request *request, const statement_batch *batch, td_ops_object *answer)
{
    td_ops_capacity wanted = td_ops__capacity(request);
    bool has_tables = false;
    if (wanted == TD_CAPACITY_NONE) return;
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const batch_table *table = &batch->tables[i];
        if (!table->has_success) continue;
        if (!has_tables) td_ops__name(answer, TD_LIT("ConsumedCapacity"));
        td_buf_append_byte(answer->buf, has_tables ? ',' : '[');
        has_tables = true;
        td_ops__write_capacity_with(answer->buf, wanted, table->named.sent, &table->consumed, table->failed,
                                    TD_SPLIT_NONE);
    }
    if (has_tables) td_buf_append_byte(answer->buf, ']');
}
