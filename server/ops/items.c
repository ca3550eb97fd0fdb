/* SPDX-License-Identifier: Apache-2.0
 * items.c: PutItem, GetItem, UpdateItem, DeleteItem.
 * Each handler reads top-down in the service's order of checks (messages.md §2): styles of parameters, values,
 * ReturnValues, conditions, then the table, keys and the item itself, which the engine checks. */
#include "thermodyn/read.h"
#include "thermodyn/write.h"

#include "batch.h"

static const td_ops_styles write_styles = {
    {TD_MEMBER_ConditionExpression}, 1, {TD_MEMBER_Expected, TD_MEMBER_ConditionalOperator}, 2};
static const td_ops_styles update_styles = {
    {TD_MEMBER_UpdateExpression, TD_MEMBER_ConditionExpression},
    2,
    {TD_MEMBER_AttributeUpdates, TD_MEMBER_Expected, TD_MEMBER_ConditionalOperator},
    3};
static const td_ops_styles get_styles = {{TD_MEMBER_ProjectionExpression}, 1, {TD_MEMBER_AttributesToGet}, 1};

static td_status check_returns_old(td_request *request);
static td_status check_item_size(td_request *request, const td_write *write);
static td_status read_condition(td_request *request, td_write *write);
static td_status read_update(td_request *request, td_write *write);
static td_status answer_write(td_request *request, const td_write *write, const td_write_result *result);

td_status td_ops__put_item(td_request *request)
{
    td_write write = {.kind = TD_WRITE_PUT};
    TD_TRY(td_ops__check_styles(request, &write_styles));
    TD_TRY(td_ops__read_attributes(request, TD_MEMBER_Item, &write.attributes, &write.attribute_count));
    TD_TRY(check_returns_old(request));
    TD_TRY(check_item_size(request, &write));
    TD_TRY(read_condition(request, &write));

    td_write_result result;
    TD_TRY(td_write_item(&request->call, &write, &result, &request->error));
    return answer_write(request, &write, &result);
}

td_status td_ops__delete_item(td_request *request)
{
    td_write write = {.kind = TD_WRITE_DELETE};
    TD_TRY(td_ops__check_styles(request, &write_styles));
    TD_TRY(td_ops__read_attributes(request, TD_MEMBER_Key, &write.attributes, &write.attribute_count));
    TD_TRY(check_returns_old(request));
    TD_TRY(read_condition(request, &write));

    td_write_result result;
    TD_TRY(td_write_item(&request->call, &write, &result, &request->error));
    return answer_write(request, &write, &result);
}

td_status td_ops__update_item(td_request *request)
{
    td_write write = {.kind = TD_WRITE_UPDATE};
    TD_TRY(td_ops__check_styles(request, &update_styles));
    TD_TRY(td_ops__read_attributes(request, TD_MEMBER_Key, &write.attributes, &write.attribute_count));
    TD_TRY(read_update(request, &write));

    td_write_result result;
    TD_TRY(td_write_item(&request->call, &write, &result, &request->error));
    return answer_write(request, &write, &result);
}

td_status td_ops__get_item(td_request *request)
{
    td_get get = {.is_consistent = td_ops__is_true(td_ops__get(request, TD_MEMBER_ConsistentRead))};
    td_projection *projection = NULL;
    TD_TRY(td_ops__check_styles(request, &get_styles));
    TD_TRY(td_ops__read_attributes(request, TD_MEMBER_Key, &get.key, &get.key_count));
    TD_TRY(td_ops__read_attributes_to_get(request, &projection));
    if (td_ops__has(request, TD_MEMBER_ProjectionExpression)) {
        td_expr_marks marks;
        TD_TRY(td_ops__read_marks(request, &marks));
        TD_TRY(td_ops__read_projection(request, &marks, &projection));
        TD_TRY(td_expr_check_unused(&marks, &request->error));
        TD_TRY(td_ops__check_got_keys(request, projection));
    }

    td_get_result result;
    TD_TRY(td_get_item(&request->call, &get, &result, &request->error));

    td_ops_object answer = td_ops__open(request->reply);
    if (result.item != NULL) {
        td_ops__name(&answer, TD_LIT("Item"));
        TD_TRY(td_ops__write_projected(request, result.item, projection));
    }
    td_ops__write_consumed(&answer, request, &result.consumed);
    td_ops__close(&answer);
    return TD_OK;
}

/* PutItem and DeleteItem know no new item that the caller does not. */
static td_status check_returns_old(td_request *request)
{
    td_ops_return wanted = td_ops__return(request);
    if (wanted == TD_RETURN_NONE || wanted == TD_RETURN_ALL_OLD) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_RETURN_VALUES_OLD_ONLY);
}

/* The service refuses an item that is too large before it looks for the table. No item is larger than the JSON that it
 * was sent in, so that most need not be measured. */
static td_status check_item_size(td_request *request, const td_write *write)
{
    if (request->body_bytes <= TD_LIMIT_ITEM_BYTES_MAX) return TD_OK;
    if (td_attributes_size(write->attributes, write->attribute_count) <= TD_LIMIT_ITEM_BYTES_MAX) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_ITEM_TOO_LARGE);
}

/* The guard of a write in either style. */
static td_status read_condition(td_request *request, td_write *write)
{
    td_condition *condition = NULL;
    if (td_ops__has(request, TD_MEMBER_ConditionExpression)) {
        td_expr_marks marks;
        TD_TRY(td_ops__read_marks(request, &marks));
        TD_TRY(td_ops__read_condition(request, TD_MEMBER_ConditionExpression, &marks, &condition));
        TD_TRY(td_expr_check_unused(&marks, &request->error));
    } else {
        TD_TRY(td_ops__read_expected(request, &condition));
        TD_TRY(td_ops__check_conditional_operator(request, TD_MEMBER_Expected));
    }
    write->condition = condition;
    write->wants_item_on_failure = td_slice_equal(
        td_ops__text(td_ops__get(request, TD_MEMBER_ReturnValuesOnConditionCheckFailure)), TD_LIT("ALL_OLD"));
    return TD_OK;
}

/* Since 2026 the limit of an item holds for the statement as well, before its condition is looked at. */
static td_status check_statement_size(td_request *request, const td_update *update)
{
    if (request->error.wording == TD_WORDING_CLASSIC) return TD_OK;
    if (!td_update_is_larger(update, TD_LIMIT_ITEM_BYTES_MAX)) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_ITEM_TOO_LARGE_TO_UPDATE);
}

/* What an UpdateItem does and its guard: in the one style or the other. */
static td_status read_update(td_request *request, td_write *write)
{
    td_update *update = NULL;
    const td_json *text = td_ops__get(request, TD_MEMBER_UpdateExpression);
    TD_TRY(td_ops__read_attribute_updates(request, &update));
    if (text == NULL) {
        write->update = update;
        return read_condition(request, write);
    }
    td_expr_marks marks;
    td_condition *condition = NULL;
    TD_TRY(td_ops__read_marks(request, &marks));
    TD_TRY(td_update_compile(text->text, &marks, request->arena, &update, &request->error));
    TD_TRY(td_ops__read_condition(request, TD_MEMBER_ConditionExpression, &marks, &condition));
    TD_TRY(td_expr_check_unused(&marks, &request->error));
    TD_TRY(check_statement_size(request, update));
    write->update = update;
    write->condition = condition;
    write->wants_item_on_failure = td_slice_equal(
        td_ops__text(td_ops__get(request, TD_MEMBER_ReturnValuesOnConditionCheckFailure)), TD_LIT("ALL_OLD"));
    return TD_OK;
}

/* UPDATED_OLD and UPDATED_NEW: what the update's paths touch, if anything. */
static td_status answer_updated(td_request *request, td_ops_object *answer, const td_update *update,
                                const td_item *item)
{
    if (update == NULL || item == NULL) return TD_OK;
    td_attribute *attributes = NULL;
    uint32_t count = 0;
    TD_TRY(td_update_project(update, item, request->arena, &attributes, &count));
    if (count == 0) return TD_OK;
    td_ops__name(answer, TD_LIT("Attributes"));
    td_json_write_attributes(answer->buf, attributes, count);
    return TD_OK;
}

static td_status answer_attributes(td_request *request, td_ops_object *answer, const td_write *write,
                                   const td_write_result *result)
{
    const td_item *whole = NULL;
    switch (td_ops__return(request)) {
    case TD_RETURN_NONE: break;
    case TD_RETURN_ALL_OLD: whole = result->old_item; break;
    case TD_RETURN_ALL_NEW: whole = result->new_item; break;
    case TD_RETURN_UPDATED_OLD: return answer_updated(request, answer, write->update, result->old_item);
    case TD_RETURN_UPDATED_NEW: return answer_updated(request, answer, write->update, result->new_item);
    }
    if (whole == NULL) return TD_OK;
    td_ops__name(answer, TD_LIT("Attributes"));
    td_json_write_item(answer->buf, whole);
    return TD_OK;
}

/* SIZE on a table with local indexes. */
static void answer_collection(td_request *request, td_ops_object *answer, const td_write *write,
                              const td_write_result *result)
{
    if (result->collection_bytes < 0 || !td_ops__wants_collections(request)) return;
    td_keys keys;
    /* The write is done: a table that has gone since is no error any more. */
    if (td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error) != TD_OK) return;
    td_ops__name(answer, TD_LIT("ItemCollectionMetrics"));
    td_ops__write_collection(answer->buf, write->attributes, write->attribute_count, keys.table->parts[0].name,
                             result->collection_bytes);
}

static td_status answer_write(td_request *request, const td_write *write, const td_write_result *result)
{
    td_ops_object answer = td_ops__open(request->reply);
    TD_TRY(answer_attributes(request, &answer, write, result));
    td_ops__write_consumed(&answer, request, &result->consumed);
    answer_collection(request, &answer, write, result);
    td_ops__close(&answer);
    return TD_OK;
}
