/* SPDX-License-Identifier: Apache-2.0
 * legacy_check.c: the service's argument checks of one condition of Expected, QueryFilter, ScanFilter or
 * KeyConditions: how many values of which types an operator takes, and what may stand beside what. */
#include "wire/decode.h"

#include "ops.h"

#define TYPE(name) (1U << TD_TYPE_##name)
#define SCALARS (TYPE(S) | TYPE(N) | TYPE(B))
#define ANY_TYPE ((1U << TD_TYPE_COUNT) - 1U)

/* By td_legacy_operator. */
static const struct {
    td_slice name;
    uint32_t operands_min;
    uint32_t operands_max;
    uint32_t types; /* of its operands: bits by td_type */
} operators[] = {
    [TD_LEGACY_EQ] = {TD_LIT_INIT("EQ"), 1, 1, ANY_TYPE},
    [TD_LEGACY_NE] = {TD_LIT_INIT("NE"), 1, 1, ANY_TYPE},
    [TD_LEGACY_LE] = {TD_LIT_INIT("LE"), 1, 1, SCALARS},
    [TD_LEGACY_LT] = {TD_LIT_INIT("LT"), 1, 1, SCALARS},
    [TD_LEGACY_GE] = {TD_LIT_INIT("GE"), 1, 1, SCALARS},
    [TD_LEGACY_GT] = {TD_LIT_INIT("GT"), 1, 1, SCALARS},
    [TD_LEGACY_NOT_NULL] = {TD_LIT_INIT("NOT_NULL"), 0, 0, ANY_TYPE},
    [TD_LEGACY_NULL] = {TD_LIT_INIT("NULL"), 0, 0, ANY_TYPE},
    [TD_LEGACY_CONTAINS] = {TD_LIT_INIT("CONTAINS"), 1, 1, SCALARS},
    [TD_LEGACY_NOT_CONTAINS] = {TD_LIT_INIT("NOT_CONTAINS"), 1, 1, SCALARS},
    [TD_LEGACY_BEGINS_WITH] = {TD_LIT_INIT("BEGINS_WITH"), 1, 1, TYPE(S) | TYPE(B)},
    [TD_LEGACY_IN] = {TD_LIT_INIT("IN"), 1, UINT32_MAX, SCALARS},
    [TD_LEGACY_BETWEEN] = {TD_LIT_INIT("BETWEEN"), 2, 2, SCALARS},
};

static td_status decode_operands(td_request *request, const td_json *list, td_legacy_condition *condition);
static td_status check_operands(td_request *request, const td_legacy_condition *condition);
static td_status check_beside_operator(td_request *request, const td_json *json, td_slice operator_name);
static td_status decode_exists(td_request *request, const td_json *json, td_legacy_condition *ret_condition);

static td_legacy_operator find_operator(td_slice name)
{
    for (size_t i = 0; i < TD_COUNT_OF(operators); i++) {
        if (td_slice_equal(operators[i].name, name)) return (td_legacy_operator)i;
    }
    return TD_LEGACY_EQ;
}

td_status td_ops__decode_condition(td_request *request, const td_json *json, td_legacy_condition *ret_condition)
{
    td_legacy_condition condition = {.attribute = json->name};
    condition.comparison = find_operator(td_ops__text(td_json_find(json, TD_LIT("ComparisonOperator"))));
    TD_TRY(decode_operands(request, td_json_find(json, TD_LIT("AttributeValueList")), &condition));
    TD_TRY(check_operands(request, &condition));
    *ret_condition = condition;
    return TD_OK;
}

td_status td_ops__decode_expected(td_request *request, const td_json *json, td_legacy_condition *ret_condition)
{
    const td_json *value = td_json_find(json, TD_LIT("Value"));
    const td_json *list = td_json_find(json, TD_LIT("AttributeValueList"));
    const td_json *operator_json = td_json_find(json, TD_LIT("ComparisonOperator"));
    if (value != NULL && list != NULL) return TD_RAISE(&request->error, TD_MSG_EXPECTED_VALUE_AND_LIST, json->name);
    if (operator_json == NULL) {
        if (list != NULL) return TD_RAISE(&request->error, TD_MSG_EXPECTED_LIST_ALONE, json->name);
        return decode_exists(request, json, ret_condition);
    }
    TD_TRY(check_beside_operator(request, json, operator_json->text));
    td_legacy_condition condition = {.attribute = json->name, .comparison = find_operator(operator_json->text)};
    if (value != NULL) {
        td_value *operand = td_arena_alloc(request->arena, sizeof(*operand));
        if (operand == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
        TD_TRY(td_decode_value(value, request->arena, operand, &request->error));
        condition.operands = operand;
        condition.operand_count = 1;
    } else {
        TD_TRY(decode_operands(request, list, &condition));
    }
    TD_TRY(check_operands(request, &condition));
    *ret_condition = condition;
    return TD_OK;
}

static td_status check_beside_operator(td_request *request, const td_json *json, td_slice operator_name)
{
    if (td_json_find(json, TD_LIT("Exists")) != NULL) {
        return TD_RAISE(&request->error, TD_MSG_EXPECTED_EXISTS_AND_OPERATOR, json->name);
    }
    bool has_values =
        td_json_find(json, TD_LIT("Value")) != NULL || td_json_find(json, TD_LIT("AttributeValueList")) != NULL;
    if (!has_values && operators[find_operator(operator_name)].operands_min > 0) {
        return TD_RAISE(&request->error, TD_MSG_EXPECTED_OPERATOR_WITHOUT_VALUE, operator_name, json->name);
    }
    return TD_OK;
}

/* {Exists, Value}: equal to the value, or not there at all. */
static td_status decode_exists(td_request *request, const td_json *json, td_legacy_condition *ret_condition)
{
    const td_json *value = td_json_find(json, TD_LIT("Value"));
    const td_json *exists = td_json_find(json, TD_LIT("Exists"));
    bool must_exist = exists == NULL || td_ops__is_true(exists);
    if (must_exist && value == NULL) {
        return TD_RAISE(&request->error, TD_MSG_EXPECTED_VALUE_MISSING,
                        exists == NULL ? TD_LIT("null") : TD_LIT("true"), json->name);
    }
    if (!must_exist && value != NULL) return TD_RAISE(&request->error, TD_MSG_EXPECTED_VALUE_SURPLUS, json->name);

    *ret_condition = (td_legacy_condition){.attribute = json->name, .comparison = TD_LEGACY_NULL};
    if (!must_exist) return TD_OK;
    td_value *operand = td_arena_alloc(request->arena, sizeof(*operand));
    if (operand == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(td_decode_value(value, request->arena, operand, &request->error));
    ret_condition->comparison = TD_LEGACY_EQ;
    ret_condition->operands = operand;
    ret_condition->operand_count = 1;
    return TD_OK;
}

static td_status decode_operands(td_request *request, const td_json *list, td_legacy_condition *condition)
{
    if (list == NULL) return TD_OK;
    td_value *operands = td_arena_alloc_array(request->arena, list->count, sizeof(*operands));
    if (operands == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < list->count; i++) {
        TD_TRY(td_decode_value(&list->children[i], request->arena, &operands[i], &request->error));
    }
    condition->operands = operands;
    condition->operand_count = list->count;
    return TD_OK;
}

/* Their number, that they are of one type, that the type suits, and that a range is one. */
static td_status check_operands(td_request *request, const td_legacy_condition *condition)
{
    const td_value *operands = condition->operands;
    td_slice name = operators[condition->comparison].name;
    if (condition->operand_count < operators[condition->comparison].operands_min ||
        condition->operand_count > operators[condition->comparison].operands_max) {
        return TD_RAISE(&request->error, TD_MSG_LEGACY_ARGUMENT_COUNT, name);
    }
    for (uint32_t i = 1; i < condition->operand_count; i++) {
        if (operands[i].type != operands[0].type) return TD_RAISE(&request->error, TD_MSG_LEGACY_MIXED_TYPES);
    }
    if (condition->operand_count > 0 && !(operators[condition->comparison].types & (1U << operands[0].type))) {
        return TD_RAISE(&request->error, TD_MSG_LEGACY_OPERATOR_TYPE, name,
                        td_slice_of_cstr(td_type_name(operands[0].type)));
    }
    if (condition->comparison == TD_LEGACY_BETWEEN && td_slice_compare(operands[0].bytes, operands[1].bytes) > 0) {
        return TD_RAISE(&request->error, TD_MSG_LEGACY_BETWEEN_REVERSED);
    }
    return TD_OK;
}
