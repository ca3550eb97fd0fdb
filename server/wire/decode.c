/* SPDX-License-Identifier: Apache-2.0
 * decode.c: attribute values of a checked request → values (value.h).
 *
 * Model:      the service looks at an attribute value's types in an order of its own, whatever the order in the
 *             request: what is wrong with the first of them is told before that there is more than one. The levels of
 *             lists and maps are counted from the attribute on; expressions' values may nest deeper than an item may,
 *             since they need not end up in one (messages.md §1.4).
 * Invariants: the types have been checked (td_shape_bind). Texts are borrowed from the request, numbers and binaries
 *             are made in the arena. Recursion is bounded by the levels.
 * Not here:   what a key or an item must look like (engine, ops); expressions' marks (marks.c). */
#include "wire/decode.h"

#include "thermodyn/limits.h"
#include "thermodyn/text.h"

#include "decode_levels.h"
#include "set.h"

static td_status decode_typed(const td_json *json, td_type type, uint32_t levels_left, td_arena *arena,
                              td_value *ret_value, td_error *error);
static td_status decode_ambiguous(const td_json *json, uint32_t levels_left, td_arena *arena, td_value *ret_value,
                                  td_error *error);

td_status td_decode_value(const td_json *json, td_arena *arena, td_value *ret_value, td_error *error)
{
    return td_decode__value(json, TD_LEVELS_OF_ITEM, arena, ret_value, error);
}

td_status td_decode__value(const td_json *json, uint32_t levels_left, td_arena *arena, td_value *ret_value,
                           td_error *error)
{
    if (json->type == TD_JSON_NULL) return TD_RAISE(error, TD_MSG_VALUE_EMPTY);
    TD_ASSERT(json->type == TD_JSON_OBJECT);
    if (json->count == 1 && json->children[0].type != TD_JSON_NULL) {
        td_type type = td_type_of_name(json->children[0].name);
        if (type != TD_TYPE_COUNT) return decode_typed(&json->children[0], type, levels_left, arena, ret_value, error);
    }
    return decode_ambiguous(json, levels_left, arena, ret_value, error);
}

/* No type, several, or one beside members that mean nothing. */
static td_status decode_ambiguous(const td_json *json, uint32_t levels_left, td_arena *arena, td_value *ret_value,
                                  td_error *error)
{
    static const td_type order[] = {TD_TYPE_S,  TD_TYPE_B,  TD_TYPE_N,  TD_TYPE_BOOL, TD_TYPE_NULL,
                                    TD_TYPE_BS, TD_TYPE_NS, TD_TYPE_SS, TD_TYPE_L,    TD_TYPE_M};
    _Static_assert(TD_COUNT_OF(order) == TD_TYPE_COUNT, "every type has its place");

    const td_json *found[TD_TYPE_COUNT] = {NULL};
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *child = &json->children[i];
        td_type type = td_type_of_name(child->name);
        if (type != TD_TYPE_COUNT) found[type] = child->type == TD_JSON_NULL ? NULL : child;
    }

    uint32_t count = 0;
    for (size_t i = 0; i < TD_COUNT_OF(order); i++) {
        if (found[order[i]] == NULL) continue;
        TD_TRY(decode_typed(found[order[i]], order[i], levels_left, arena, ret_value, error));
        count++;
    }
    if (count == 0) return TD_RAISE(error, TD_MSG_VALUE_EMPTY);
    return count == 1 ? TD_OK : TD_RAISE(error, TD_MSG_VALUE_MANY_TYPES);
}

/* ---- maps and lists ---- */

static td_status check_name(td_slice name, td_error *error)
{
    if (name.len == 0) return TD_RAISE(error, TD_MSG_EMPTY_ATTRIBUTE_NAME);
    if (name.len > TD_LIMIT_ATTRIBUTE_NAME_BYTES_MAX) return TD_RAISE(error, TD_MSG_ATTRIBUTE_NAME_TOO_LARGE);
    return TD_OK;
}

static td_status decode_entries(const td_json *json, uint32_t levels_left, td_arena *arena,
                                td_attribute **ret_attributes, uint32_t *ret_count, td_error *error)
{
    td_attribute *attributes = td_arena_alloc_array(arena, json->count, sizeof(*attributes));
    if (attributes == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *child = &json->children[i];
        TD_TRY(check_name(child->name, error));
        attributes[i].name = child->name;
        TD_TRY(td_decode__value(child, levels_left, arena, &attributes[i].value, error));
    }
    uint32_t count = json->count;
    td_value_sort_attributes(attributes, &count);
    *ret_attributes = attributes;
    *ret_count = count;
    return TD_OK;
}

td_status td_decode_attributes(const td_json *json, td_arena *arena, td_attribute **ret_attributes, uint32_t *ret_count,
                               td_error *error)
{
    TD_ASSERT(json->type == TD_JSON_OBJECT);
    /* An empty name at the top is told before anything that is wrong with the values (messages.md §2). */
    for (uint32_t i = 0; i < json->count; i++) {
        if (json->children[i].name.len == 0) return TD_RAISE(error, TD_MSG_EMPTY_ATTRIBUTE_NAME);
    }
    return decode_entries(json, TD_LEVELS_OF_ITEM, arena, ret_attributes, ret_count, error);
}

static td_status decode_list(const td_json *json, uint32_t levels_left, td_arena *arena, td_value *ret_value,
                             td_error *error)
{
    td_value *elements = td_arena_alloc_array(arena, json->count, sizeof(*elements));
    if (elements == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < json->count; i++) {
        TD_TRY(td_decode__value(&json->children[i], levels_left, arena, &elements[i], error));
    }
    *ret_value = (td_value){.type = TD_TYPE_L, .count = json->count, .elements = elements};
    return TD_OK;
}

static td_status decode_map(const td_json *json, uint32_t levels_left, td_arena *arena, td_value *ret_value,
                            td_error *error)
{
    td_attribute *attributes;
    uint32_t count;
    TD_TRY(decode_entries(json, levels_left, arena, &attributes, &count, error));
    *ret_value = (td_value){.type = TD_TYPE_M, .count = count, .attributes = attributes};
    return TD_OK;
}

/* ---- one type ---- */

static td_status decode_scalar(const td_json *json, td_type type, td_arena *arena, td_value *ret_value, td_error *error)
{
    td_slice bytes;
    TD_TRY(td_set__decode_payload(json, type, arena, &bytes, error));
    *ret_value = (td_value){.type = type, .bytes = bytes};
    return TD_OK;
}

static td_status decode_typed(const td_json *json, td_type type, uint32_t levels_left, td_arena *arena,
                              td_value *ret_value, td_error *error)
{
    switch (type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return decode_scalar(json, type, arena, ret_value, error);
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: return td_set__decode(json, type, arena, ret_value, error);
    case TD_TYPE_M:
        if (levels_left == 0) return TD_RAISE(error, TD_MSG_NESTING_TOO_DEEP);
        return decode_map(json, levels_left - 1, arena, ret_value, error);
    case TD_TYPE_L:
        if (levels_left == 0) return TD_RAISE(error, TD_MSG_NESTING_TOO_DEEP);
        return decode_list(json, levels_left - 1, arena, ret_value, error);
    case TD_TYPE_BOOL: *ret_value = (td_value){.type = type, .boolean = td_json_to_bool(json)}; return TD_OK;
    case TD_TYPE_NULL:
        if (!td_json_to_bool(json)) return TD_RAISE(error, TD_MSG_NULL_NOT_TRUE);
        *ret_value = (td_value){.type = type};
        return TD_OK;
    case TD_TYPE_COUNT: break;
    }
    TD_ASSERT(false && "the type was looked up");
    return TD_INTERNAL_SERVER_ERROR;
}
