/* SPDX-License-Identifier: Apache-2.0
 * transact_get.c: TransactGetItems: up to a hundred items as of one instant.
 * Order of checks: projections and keys as they stand in the request, then tables, then keys against them: a key that
 * does not fit its table cancels the transaction (messages.md §2). */
#include "fault_ask.h"
#include "meter.h"
#include "transact.h"

static const td_ops_styles get_styles = {.expressions = {TD_MEMBER_ProjectionExpression}, .expression_count = 1};

typedef struct transaction {
    uint32_t count;
    td_transact_get *gets;
    td_projection **projections; /* NULL: whole items */
    td_ops_named *named;
} transaction;

static td_status read_get(td_request *request, const transaction *it, uint32_t at, const td_json *json);
static td_status check_projected_keys(td_request *request, const transaction *it, const td_json *items);
static td_status answer_items(td_request *request, const transaction *it, const td_transact_get_result *result,
                              td_ops_object *answer);

td_status td_ops__transact_get_items(td_request *request)
{
    const td_members members = request->members;
    const td_json *items = td_ops__get(request, TD_MEMBER_TransactItems);
    transaction it = {.count = items->count};
    it.gets = td_arena_alloc_zero(request->arena, items->count * sizeof(*it.gets));
    it.projections = td_arena_alloc_zero(request->arena, items->count * sizeof(td_projection *));
    it.named = td_arena_alloc_array(request->arena, items->count, sizeof(*it.named));
    if (it.gets == NULL || it.projections == NULL || it.named == NULL) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    for (uint32_t i = 0; i < items->count; i++)
        TD_TRY(read_get(request, &it, i, td_json_find(&items->children[i], TD_LIT("Get"))));
    TD_TRY(check_projected_keys(request, &it, items));

    TD_TRY(td_ops__cancel_by_faults(request, items));
    request->members = members;
    td_transact_get_result result;
    TD_TRY(td_transact_get_items(&request->call, it.gets, it.count, &result, &request->error));
    td_ops_object answer = td_ops__open(request->reply);
    TD_TRY(answer_items(request, &it, &result, &answer));
    td_ops__write_transact_consumed(request, it.named, it.count, result.tables, result.table_count, &answer);
    td_ops__close(&answer);
    return TD_OK;
}

static td_status read_get(td_request *request, const transaction *it, uint32_t at, const td_json *json)
{
    td_transact_get *get = &it->gets[at];
    td_ops__enter(request, &td_ops__get_members, json);
    TD_TRY(td_ops__read_table(request, &it->named[at]));
    get->table = it->named[at].name;
    td_ops__note_table(request, get->table, TD_OK);
    TD_TRY(td_ops__check_styles(request, &get_styles));
    if (td_ops__has(request, TD_MEMBER_ProjectionExpression)) {
        td_expr_marks marks;
        TD_TRY(td_ops__read_marks(request, &marks));
        TD_TRY(td_ops__read_projection(request, &marks, &it->projections[at]));
        TD_TRY(td_expr_check_unused(&marks, &request->error));
    }
    return td_ops__read_attributes(request, TD_MEMBER_Key, &get->key, &get->key_count);
}

static td_status check_projected_keys(td_request *request, const transaction *it, const td_json *items)
{
    for (uint32_t i = 0; i < it->count; i++) {
        if (it->projections[i] == NULL) continue;
        td_ops__enter(request, &td_ops__get_members, td_json_find(&items->children[i], TD_LIT("Get")));
        request->call.table = it->gets[i].table;
        TD_TRY(td_ops__check_got_keys(request, it->projections[i]));
    }
    return TD_OK;
}

/* An item that is not there is {}. */
static td_status answer_items(td_request *request, const transaction *it, const td_transact_get_result *result,
                              td_ops_object *answer)
{
    td_ops__name(answer, TD_LIT("Responses"));
    td_buf_append_byte(answer->buf, '[');
    for (uint32_t i = 0; i < it->count; i++) {
        if (i > 0) td_buf_append_byte(answer->buf, ',');
        td_ops_object response = td_ops__open(answer->buf);
        if (result->items[i] != NULL) {
            td_ops__name(&response, TD_LIT("Item"));
            TD_TRY(td_ops__write_projected(request, result->items[i], it->projections[i]));
        }
        td_ops__close(&response);
    }
    td_buf_append_byte(answer->buf, ']');
    return TD_OK;
}
