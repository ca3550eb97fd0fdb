/* SPDX-License-Identifier: Apache-2.0
 * transact_write.c: TransactWriteItems: up to a hundred puts, updates, deletes and checks, all or none of them.
 *
 * Order of checks: action by action as they stand in the request, the first fault of any kind is told. Within one
 * action: which it is, its expressions, its item or key. Tables, keys and whatever needs them come after all actions
 * (engine), and cancel the transaction if they concern one action (messages.md §2). */
#include "fault_ask.h"
#include "meter.h"
#include "transact.h"

static const td_ops_styles update_styles = {.expressions = {TD_MEMBER_UpdateExpression, TD_MEMBER_ConditionExpression},
                                            .expression_count = 2};
static const td_ops_styles other_styles = {.expressions = {TD_MEMBER_ConditionExpression}, .expression_count = 1};

typedef struct action_kind {
    td_slice member; /* of TransactWriteItem */
    td_write_kind kind;
    bool is_check;
    const td_ops_inner *members;
} action_kind;

static const action_kind kinds[] = {
    {TD_LIT_INIT("ConditionCheck"), TD_WRITE_UPDATE, true, &td_ops__write_members}, /* a write in form alone */
    {TD_LIT_INIT("Put"), TD_WRITE_PUT, false, &td_ops__write_members},
    {TD_LIT_INIT("Update"), TD_WRITE_UPDATE, false, &td_ops__update_members},
    {TD_LIT_INIT("Delete"), TD_WRITE_DELETE, false, &td_ops__write_members},
};

static td_status read_action(td_request *request, const td_json *json, td_action *action, td_ops_named *named);
static void answer_collections(td_request *request, const td_action *actions, const td_ops_named *named,
                               const td_transact_write *transaction, const td_transact_write_result *result,
                               td_ops_object *answer);

td_status td_ops__transact_write_items(td_request *request)
{
    const td_members members = request->members;
    const td_json *items = td_ops__get(request, TD_MEMBER_TransactItems);
    td_action *actions = td_arena_alloc_zero(request->arena, items->count * sizeof(*actions));
    td_ops_named *named = td_arena_alloc_array(request->arena, items->count, sizeof(*named));
    if (actions == NULL || named == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < items->count; i++)
        TD_TRY(read_action(request, &items->children[i], &actions[i], &named[i]));

    TD_TRY(td_ops__cancel_by_faults(request, items));
    request->members = members;
    td_transact_write transaction = {.actions = actions,
                                     .count = items->count,
                                     .token = td_ops__text(td_ops__get(request, TD_MEMBER_ClientRequestToken)),
                                     .fingerprint = td_ops__fingerprint(items)};
    td_transact_write_result result;
    TD_TRY(td_transact_write_items(&request->call, &transaction, &result, &request->error));

    td_ops_object answer = td_ops__open(request->reply);
    td_ops__write_transact_consumed(request, named, items->count, result.tables, result.table_count, &answer);
    answer_collections(request, actions, named, &transaction, &result, &answer);
    td_ops__close(&answer);
    return TD_OK;
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

static td_status read_expressions(td_request *request, td_write *write);

/* The one action that the element has; NULL: none, or several. */
static const action_kind *find_kind(const td_json *json, const td_json **ret_structure)
{
    const action_kind *found = NULL;
    for (size_t i = 0; i < TD_COUNT_OF(kinds); i++) {
        const td_json *structure = td_json_find(json, kinds[i].member);
        if (structure == NULL) continue;
        if (found != NULL) return NULL;
        found = &kinds[i];
        *ret_structure = structure;
    }
    return found;
}

static td_status read_action(td_request *request, const td_json *json, td_action *action, td_ops_named *named)
{
    const td_json *structure = NULL;
    const action_kind *kind = find_kind(json, &structure);
    if (kind == NULL) return TD_RAISE(&request->error, TD_MSG_TRANSACT_NOT_ONE_ACTION);
    td_ops__enter(request, kind->members, structure);
    TD_TRY(td_ops__read_table(request, named));
    action->table = named->name;
    td_ops__note_table(request, action->table, TD_OK);
    action->is_check = kind->is_check;

    td_write *write = &action->write;
    write->kind = kind->kind;
    TD_TRY(read_expressions(request, write));
    td_member attributes = kind->kind == TD_WRITE_PUT ? TD_MEMBER_Item : TD_MEMBER_Key;
    TD_TRY(td_ops__read_attributes(request, attributes, &write->attributes, &write->attribute_count));
    if (kind->kind != TD_WRITE_PUT || request->body_bytes <= TD_LIMIT_ITEM_BYTES_MAX) return TD_OK;
    if (td_attributes_size(write->attributes, write->attribute_count) <= TD_LIMIT_ITEM_BYTES_MAX) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_ITEM_TOO_LARGE);
}

static td_status read_expressions(td_request *request, td_write *write)
{
    const td_json *text = td_ops__get(request, TD_MEMBER_UpdateExpression);
    TD_TRY(td_ops__check_styles(request, text != NULL ? &update_styles : &other_styles));
    td_expr_marks marks;
    TD_TRY(td_ops__read_marks(request, &marks));
    if (text != NULL) {
        td_update *update = NULL;
        TD_TRY(td_update_compile(text->text, &marks, request->arena, &update, &request->error));
        write->update = update;
    }
    td_condition *condition = NULL;
    TD_TRY(td_ops__read_condition(request, TD_MEMBER_ConditionExpression, &marks, &condition));
    write->condition = condition;
    write->wants_item_on_failure = td_slice_equal(
        td_ops__text(td_ops__get(request, TD_MEMBER_ReturnValuesOnConditionCheckFailure)), TD_LIT("ALL_OLD"));
    return td_expr_check_unused(&marks, &request->error);
}

/* ---- collections ------------------------------------------------------------------------------------------------- */

static bool is_first_of_table(const td_transact_write_result *result, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++) {
        if (td_slice_equal(result->collections[i].table, result->collections[at].table)) return false;
    }
    return true;
}

/* The list of one table, from its first collection on. */
static void write_table_collections(td_buf *buf, const td_action *actions, td_slice hash,
                                    const td_transact_write_result *result, uint32_t first)
{
    td_buf_append_byte(buf, '[');
    for (uint32_t i = first; i < result->collection_count; i++) {
        const td_table_collection *collection = &result->collections[i];
        if (!td_slice_equal(collection->table, result->collections[first].table)) continue;
        if (i > first) td_buf_append_byte(buf, ',');
        const td_write *write = &actions[collection->action].write;
        td_ops__write_collection(buf, write->attributes, write->attribute_count, hash, collection->collection_bytes);
    }
    td_buf_append_byte(buf, ']');
}

/* The transaction is done: a table that has gone since is no error any more. */
static void answer_collections(td_request *request, const td_action *actions, const td_ops_named *named,
                               const td_transact_write *transaction, const td_transact_write_result *result,
                               td_ops_object *answer)
{
    if (!td_ops__wants_collections(request) || result->collection_count == 0) return;
    td_ops__name(answer, TD_LIT("ItemCollectionMetrics"));
    td_ops_object metrics = td_ops__open(answer->buf);
    for (uint32_t i = 0; i < result->collection_count; i++) {
        td_keys keys;
        td_slice table = result->collections[i].table;
        request->call.table = table;
        if (!is_first_of_table(result, i)) continue;
        if (td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error) != TD_OK) continue;
        td_ops__name_table(&metrics, td_ops__sent_name(named, transaction->count, table));
        write_table_collections(answer->buf, actions, keys.table->parts[0].name, result, i);
    }
    td_ops__close(&metrics);
}
