/* SPDX-License-Identifier: Apache-2.0
 * parameters.c: expressions of a request: which may stand together, and their compilation. */
#include "wire/decode.h"

#include "ops.h"

/* Names of those members of the list that the request has, or that it lacks, as "a, b". */
static td_slice list_members(const td_request *request, const td_member *members, uint32_t count, td_member skipped);
static td_status check_marks_in_use(td_request *request, const td_ops_styles *styles, bool has_expressions);
static td_status refuse_values(td_request *request, const td_ops_styles *styles);

td_status td_ops__check_styles(td_request *request, const td_ops_styles *styles)
{
    bool has_expressions = false;
    for (uint8_t i = 0; i < styles->expression_count; i++) {
        if (td_ops__has(request, styles->expressions[i])) has_expressions = true;
    }
    /* KeyConditions go with the other expressions, unless the key has an expression too. */
    td_member skipped =
        td_ops__has(request, TD_MEMBER_KeyConditionExpression) ? TD_MEMBER_COUNT : TD_MEMBER_KeyConditions;
    if (has_expressions) {
        td_slice others = list_members(request, styles->others, styles->other_count, skipped);
        if (others.len > 0) {
            td_slice expressions =
                list_members(request, styles->expressions, styles->expression_count, TD_MEMBER_COUNT);
            return TD_RAISE(&request->error, TD_MSG_BOTH_STYLES, others, expressions);
        }
    }
    return check_marks_in_use(request, styles, has_expressions);
}

static td_slice list_members(const td_request *request, const td_member *members, uint32_t count, td_member skipped)
{
    td_slice names[4];
    uint32_t found = 0;
    TD_ASSERT(count <= TD_COUNT_OF(names));
    for (uint32_t i = 0; i < count; i++) {
        if (members[i] != skipped && td_ops__has(request, members[i])) names[found++] = td_ops__member_name(members[i]);
    }
    return td_ops__join(request->arena, names, found);
}

static td_status check_marks_in_use(td_request *request, const td_ops_styles *styles, bool has_expressions)
{
    if (!has_expressions && td_ops__has(request, TD_MEMBER_ExpressionAttributeNames)) {
        return TD_RAISE(&request->error, TD_MSG_NAMES_WITHOUT_EXPRESSION);
    }
    if (!td_ops__has(request, TD_MEMBER_ExpressionAttributeValues)) return TD_OK;
    for (uint8_t i = 0; i < styles->expression_count; i++) {
        td_member member = styles->expressions[i];
        if (member != TD_MEMBER_ProjectionExpression && td_ops__has(request, member)) return TD_OK;
    }
    return refuse_values(request, styles);
}

/* Values belong to any expression but a projection; the message names the ones that are missing. */
static td_status refuse_values(td_request *request, const td_ops_styles *styles)
{
    td_slice names[2];
    uint32_t count = 0;
    for (uint8_t i = 0; i < styles->expression_count; i++) {
        if (styles->expressions[i] == TD_MEMBER_ProjectionExpression) continue;
        TD_ASSERT(count < TD_COUNT_OF(names));
        names[count++] = td_ops__member_name(styles->expressions[i]);
    }
    if (count == 0) return TD_OK;
    if (count == 1) return TD_RAISE(&request->error, TD_MSG_VALUES_WITHOUT_EXPRESSION, names[0]);
    return TD_RAISE(&request->error, TD_MSG_VALUES_WITHOUT_EXPRESSIONS, names[0], names[1]);
}

td_status td_ops__read_marks(td_request *request, td_expr_marks *ret_marks)
{
    const td_json *names = td_ops__get(request, TD_MEMBER_ExpressionAttributeNames);
    const td_json *values = td_ops__get(request, TD_MEMBER_ExpressionAttributeValues);
    *ret_marks = (td_expr_marks){0};
    if (names == NULL && values == NULL) return TD_OK;
    return td_decode_marks(names, values, request->arena, ret_marks, &request->error);
}

td_status td_ops__read_condition(td_request *request, td_member member, td_expr_marks *marks,
                                 td_condition **ret_condition)
{
    const td_json *json = td_ops__get(request, member);
    *ret_condition = NULL;
    if (json == NULL) return TD_OK;
    td_expr_kind kind = member == TD_MEMBER_FilterExpression ? TD_EXPR_FILTER : TD_EXPR_CONDITION;
    return td_condition_compile(kind, json->text, marks, request->arena, ret_condition, &request->error);
}

td_status td_ops__read_projection(td_request *request, td_expr_marks *marks, td_projection **ret_projection)
{
    const td_json *json = td_ops__get(request, TD_MEMBER_ProjectionExpression);
    *ret_projection = NULL;
    if (json == NULL) return TD_OK;
    return td_projection_compile(json->text, marks, request->arena, ret_projection, &request->error);
}

td_status td_ops__read_attributes_to_get(td_request *request, td_projection **ret_projection)
{
    const td_json *json = td_ops__get(request, TD_MEMBER_AttributesToGet);
    *ret_projection = NULL;
    if (json == NULL) return TD_OK;
    td_slice *names = td_arena_alloc_array(request->arena, json->count, sizeof(*names));
    if (names == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < json->count; i++)
        names[i] = td_ops__text(&json->children[i]);
    const td_slice *twice = td_ops__sort_and_find_duplicate(names, json->count);
    if (twice != NULL) return TD_RAISE(&request->error, TD_MSG_DUPLICATE_ATTRIBUTE_NAME, *twice);
    return td_projection_of_names(names, json->count, request->arena, ret_projection, &request->error);
}

td_status td_ops__read_attributes(td_request *request, td_member member, const td_attribute **ret_attributes,
                                  uint32_t *ret_count)
{
    td_attribute *attributes = NULL;
    TD_TRY(td_decode_attributes(td_ops__get(request, member), request->arena, &attributes, ret_count, &request->error));
    *ret_attributes = attributes;
    return TD_OK;
}
