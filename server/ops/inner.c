/* SPDX-License-Identifier: Apache-2.0
 * inner.c: structures inside of a request: the tables of batches, the actions of transactions.
 * Each has members of the same names and rules as a request on one item, and is read by the same functions. */
#include "batch.h"

/* Keys first: what UnprocessedKeys gives back follows. */
const td_ops_inner td_ops__table_members = {{TD_MEMBER_Keys, TD_MEMBER_AttributesToGet, TD_MEMBER_ConsistentRead,
                                             TD_MEMBER_ProjectionExpression, TD_MEMBER_ExpressionAttributeNames},
                                            5};
const td_ops_inner td_ops__get_members = {
    {TD_MEMBER_TableName, TD_MEMBER_Key, TD_MEMBER_ProjectionExpression, TD_MEMBER_ExpressionAttributeNames}, 4};
const td_ops_inner td_ops__update_members = {{TD_MEMBER_TableName, TD_MEMBER_Key, TD_MEMBER_UpdateExpression,
                                              TD_MEMBER_ConditionExpression, TD_MEMBER_ExpressionAttributeNames,
                                              TD_MEMBER_ExpressionAttributeValues,
                                              TD_MEMBER_ReturnValuesOnConditionCheckFailure},
                                             7};
const td_ops_inner td_ops__write_members = {{TD_MEMBER_TableName, TD_MEMBER_Item, TD_MEMBER_Key,
                                             TD_MEMBER_ConditionExpression, TD_MEMBER_ExpressionAttributeNames,
                                             TD_MEMBER_ExpressionAttributeValues,
                                             TD_MEMBER_ReturnValuesOnConditionCheckFailure},
                                            7};

void td_ops__enter(td_request *request, const td_ops_inner *inner, const td_json *structure)
{
    TD_ASSERT(structure->type == TD_JSON_OBJECT);
    memset(&request->members, 0, sizeof(request->members));
    for (uint32_t i = 0; i < structure->count; i++) {
        const td_json *child = &structure->children[i];
        for (uint32_t k = 0; k < inner->count; k++) {
            td_member member = inner->members[k];
            if (!td_slice_equal(child->name, td_ops__member_name(member))) continue;
            request->members.at[member] = child->type == TD_JSON_NULL ? NULL : child;
            break;
        }
    }
}

td_status td_ops__list_entries(td_request *request, td_slice operation, uint32_t elements_max,
                               const td_json ***ret_entries, uint32_t *ret_count)
{
    const td_json *map = td_ops__get(request, TD_MEMBER_RequestItems);
    if (map->count == 0) return TD_RAISE(&request->error, TD_MSG_BATCH_EMPTY, operation);
    if (map->count > elements_max) return TD_RAISE(&request->error, TD_MSG_BATCH_TOO_LONG, operation);
    const td_json **entries = td_arena_alloc_array(request->arena, map->count, sizeof(const td_json *));
    if (entries == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        bool is_replaced = false;
        for (uint32_t later = i + 1; later < map->count && !is_replaced; later++)
            is_replaced = td_slice_equal(map->children[i].name, map->children[later].name);
        if (!is_replaced) entries[count++] = &map->children[i];
    }
    *ret_entries = entries;
    *ret_count = count;
    return TD_OK;
}
