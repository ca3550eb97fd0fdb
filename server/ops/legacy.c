/* SPDX-License-Identifier: Apache-2.0
 * legacy.c: the parameters from before expressions: Expected, AttributeUpdates, KeyConditions, QueryFilter and
 * ScanFilter. They are checked as the service checks them and translated into the programs that expressions become,
 * so that the engine knows one language.
 * Not here:   the checks of one condition (legacy_check.c), the translation (thermodyn/expr.h). */
#include "wire/decode.h"

#include "ops.h"

/* Members of the map as conditions, each decoded by `decode`. */
static td_status read_conditions(td_request *request, const td_json *map,
                                 td_status (*decode)(td_request *, const td_json *, td_legacy_condition *),
                                 td_legacy_condition **ret_conditions);
static td_status read_joined(td_request *request, td_member member,
                             td_status (*decode)(td_request *, const td_json *, td_legacy_condition *),
                             td_condition **ret_condition);
static td_status read_update(td_request *request, const td_json *json, td_legacy_update *ret_update);

td_status td_ops__read_expected(td_request *request, td_condition **ret_condition)
{
    return read_joined(request, TD_MEMBER_Expected, td_ops__decode_expected, ret_condition);
}

td_status td_ops__read_filter(td_request *request, td_member member, td_condition **ret_condition)
{
    return read_joined(request, member, td_ops__decode_condition, ret_condition);
}

static td_status read_joined(td_request *request, td_member member,
                             td_status (*decode)(td_request *, const td_json *, td_legacy_condition *),
                             td_condition **ret_condition)
{
    const td_json *map = td_ops__get(request, member);
    *ret_condition = NULL;
    if (map == NULL || map->count == 0) return TD_OK;
    td_legacy_condition *conditions = NULL;
    TD_TRY(read_conditions(request, map, decode, &conditions));
    td_slice joined_by = td_ops__text(td_ops__get(request, TD_MEMBER_ConditionalOperator));
    return td_condition_of_legacy(conditions, map->count, td_slice_equal(joined_by, TD_LIT("OR")), request->arena,
                                  ret_condition, &request->error);
}

static td_status read_conditions(td_request *request, const td_json *map,
                                 td_status (*decode)(td_request *, const td_json *, td_legacy_condition *),
                                 td_legacy_condition **ret_conditions)
{
    td_legacy_condition *conditions = td_arena_alloc_array(request->arena, map->count, sizeof(*conditions));
    if (conditions == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < map->count; i++)
        TD_TRY(decode(request, &map->children[i], &conditions[i]));
    *ret_conditions = conditions;
    return TD_OK;
}

td_status td_ops__check_conditional_operator(td_request *request, td_member joined)
{
    if (!td_ops__has(request, TD_MEMBER_ConditionalOperator)) return TD_OK;
    const td_json *map = td_ops__get(request, joined);
    if (map == NULL || map->count == 0) return TD_RAISE(&request->error, TD_MSG_CONDITIONAL_OPERATOR_ALONE);
    if (map->count == 1) return TD_RAISE(&request->error, TD_MSG_CONDITIONAL_OPERATOR_ONE);
    return TD_OK;
}

td_status td_ops__read_key_conditions(td_request *request, td_key_condition **ret_condition)
{
    const td_json *map = td_ops__get(request, TD_MEMBER_KeyConditions);
    td_legacy_condition *conditions = NULL;
    TD_TRY(read_conditions(request, map, td_ops__decode_condition, &conditions));
    if (map->count < 1 || map->count > 2) return TD_RAISE(&request->error, TD_MSG_KEY_CONDITIONS_COUNT);
    return td_key_condition_of_legacy(conditions, map->count, request->arena, ret_condition, &request->error);
}

td_status td_ops__read_attribute_updates(td_request *request, td_update **ret_update)
{
    const td_json *map = td_ops__get(request, TD_MEMBER_AttributeUpdates);
    *ret_update = NULL;
    if (map == NULL || map->count == 0) return TD_OK;
    td_legacy_update *updates = td_arena_alloc_array(request->arena, map->count, sizeof(*updates));
    if (updates == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < map->count; i++)
        TD_TRY(read_update(request, &map->children[i], &updates[i]));
    return td_update_of_legacy(updates, map->count, request->arena, ret_update, &request->error);
}

static td_status read_update(td_request *request, const td_json *json, td_legacy_update *ret_update)
{
    static const td_slice words[] = {
        [TD_LEGACY_PUT] = TD_LIT_INIT("PUT"),
        [TD_LEGACY_ADD] = TD_LIT_INIT("ADD"),
        [TD_LEGACY_DELETE] = TD_LIT_INIT("DELETE"),
    };
    const td_json *value_json = td_json_find(json, TD_LIT("Value"));
    int choice = td_ops__choice(td_json_find(json, TD_LIT("Action")), words, TD_COUNT_OF(words));
    td_legacy_update update = {.attribute = json->name, .action = (td_legacy_action)choice};
    if (value_json == NULL) {
        if (update.action != TD_LEGACY_DELETE) return TD_RAISE(&request->error, TD_MSG_UPDATE_WITHOUT_VALUE);
        *ret_update = update;
        return TD_OK;
    }
    td_value *value = td_arena_alloc(request->arena, sizeof(*value));
    if (value == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(td_decode_value(value_json, request->arena, value, &request->error));
    td_slice type = td_slice_of_cstr(td_type_name(value->type));
    if (update.action == TD_LEGACY_DELETE && !td_type_is_set(value->type)) {
        return TD_RAISE(&request->error, TD_MSG_UPDATE_DELETE_TYPE, type);
    }
    bool can_add = td_type_is_set(value->type) || value->type == TD_TYPE_N || value->type == TD_TYPE_L;
    if (update.action == TD_LEGACY_ADD && !can_add) return TD_RAISE(&request->error, TD_MSG_UPDATE_ADD_TYPE, type);
    update.value = value;
    *ret_update = update;
    return TD_OK;
}
