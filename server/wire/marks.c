/* SPDX-License-Identifier: Apache-2.0
 * marks.c: ExpressionAttributeNames and ExpressionAttributeValues → marks, with the checks of their keys.
 *
 * Order: the names (not empty; each key), then the values (not empty; each key; each value). Of two entries of one key
 * the last counts.
 * Not here: whether they may be given at all (ops); whether they are used (expr). */
#include "wire/decode.h"

#include "decode_levels.h"

static td_status decode_names(const td_json *json, td_arena *arena, td_expr_marks *marks, td_error *error);
static td_status decode_values(const td_json *json, td_arena *arena, td_expr_marks *marks, td_error *error);

td_status td_decode_marks(const td_json *names, const td_json *values, td_arena *arena, td_expr_marks *ret_marks,
                          td_error *error)
{
    td_expr_marks marks = {.names = NULL};
    if (names != NULL) TD_TRY(decode_names(names, arena, &marks, error));
    if (values != NULL) TD_TRY(decode_values(values, arena, &marks, error));
    *ret_marks = marks;
    return TD_OK;
}

/* mark = sign 1*( letter / digit / "_" ) */
static bool is_mark(td_slice key, uint8_t sign)
{
    if (key.len < 2 || key.ptr[0] != sign) return false;
    for (size_t i = 1; i < key.len; i++) {
        uint8_t byte = key.ptr[i];
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (!is_letter && !(byte >= '0' && byte <= '9') && byte != '_') return false;
    }
    return true;
}

static td_status check_keys(const td_json *json, uint8_t sign, td_message message, td_error *error)
{
    for (uint32_t i = 0; i < json->count; i++) {
        if (!is_mark(json->children[i].name, sign)) return TD_RAISE(error, message, json->children[i].name);
    }
    return TD_OK;
}

/* The entries without those that a later one of the same key replaces, in the request's order: the children's indexes.
 * NULL: no memory. Few are compared one by one; many are sorted, since nothing may be quadratic. */
static uint32_t *find_last_entries(const td_json *json, td_arena *arena, uint32_t *ret_count);

static td_status decode_names(const td_json *json, td_arena *arena, td_expr_marks *marks, td_error *error)
{
    if (json->count == 0) return TD_RAISE(error, TD_MSG_EXPRESSION_NAMES_EMPTY);
    TD_TRY(check_keys(json, '#', TD_MSG_EXPRESSION_NAMES_KEY_INVALID, error));

    uint32_t count;
    uint32_t *entries = find_last_entries(json, arena, &count);
    td_expr_name *names = td_arena_alloc_array(arena, json->count, sizeof(*names));
    if (entries == NULL || names == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        const td_json *entry = &json->children[entries[i]];
        TD_ASSERT(entry->type == TD_JSON_STRING);
        if (entry->text.len > TD_LIMIT_ATTRIBUTE_NAME_BYTES_MAX)
            return TD_RAISE(error, TD_MSG_ATTRIBUTE_NAME_TOO_LARGE);
        names[i] = (td_expr_name){.mark = entry->name, .name = entry->text};
    }
    marks->names = names;
    marks->name_count = count;
    return TD_OK;
}

/* The classic service wraps what is wrong with a value; a lack of memory is nobody's value. */
static td_status wrap(td_status status, td_slice key, td_error *error)
{
    if (status != TD_VALIDATION || error->value_wording != TD_WORDING_CLASSIC) return status;
    return TD_RAISE(error, TD_MSG_EXPRESSION_VALUE_INVALID, error->text, key);
}

static td_status decode_values(const td_json *json, td_arena *arena, td_expr_marks *marks, td_error *error)
{
    if (json->count == 0) return TD_RAISE(error, TD_MSG_EXPRESSION_VALUES_EMPTY);
    TD_TRY(check_keys(json, ':', TD_MSG_EXPRESSION_VALUES_KEY_INVALID, error));

    bool is_classic = error->value_wording == TD_WORDING_CLASSIC;
    uint32_t levels = is_classic ? TD_LEVELS_OF_EXPRESSION_VALUE_CLASSIC : TD_LEVELS_OF_ITEM;
    uint32_t count;
    uint32_t *entries = find_last_entries(json, arena, &count);
    td_expr_value *values = td_arena_alloc_array(arena, json->count, sizeof(*values));
    if (entries == NULL || values == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        const td_json *entry = &json->children[entries[i]];
        values[i] = (td_expr_value){.mark = entry->name};
        td_status status = td_decode__value(entry, levels, arena, &values[i].value, error);
        if (status != TD_OK) return wrap(status, entry->name, error);
    }
    marks->values = values;
    marks->value_count = count;
    return TD_OK;
}

/* ---- duplicates ---- */

#define ENTRIES_COMPARED_MAX 16

static void compare_entries(const td_json *json, uint32_t *entries, uint32_t *ret_count)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < json->count; i++) {
        bool is_replaced = false;
        for (uint32_t later = i + 1; later < json->count && !is_replaced; later++) {
            is_replaced = td_slice_equal(json->children[i].name, json->children[later].name);
        }
        if (!is_replaced) entries[count++] = i;
    }
    *ret_count = count;
}

/* By key, then by place. */
static bool stands_before(const td_json *json, uint32_t a, uint32_t b)
{
    int order = td_slice_compare(json->children[a].name, json->children[b].name);
    return order != 0 ? order < 0 : a < b;
}

static void merge(const td_json *json, const uint32_t *from, uint32_t start, uint32_t middle, uint32_t end,
                  uint32_t *to)
{
    uint32_t left = start;
    uint32_t right = middle;
    for (uint32_t at = start; at < end; at++) {
        bool is_left = right == end || (left < middle && stands_before(json, from[left], from[right]));
        to[at] = is_left ? from[left++] : from[right++];
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Sorts the indexes by merging runs; `order` and `scratch` have room for all. Answers where the sorted ones are. */
static uint32_t *sort_entries(const td_json *json, uint32_t *order, uint32_t *scratch)
{
    for (uint32_t i = 0; i < json->count; i++)
        order[i] = i;
    for (uint32_t width = 1; width < json->count; width *= 2) {
        for (uint32_t start = 0; start < json->count; start += 2 * width) {
            merge(json, order, start, smaller(start + width, json->count), smaller(start + 2 * width, json->count),
                  scratch);
        }
        uint32_t *swapped = order;
        order = scratch;
        scratch = swapped;
    }
    return order;
}

static uint32_t *find_last_entries(const td_json *json, td_arena *arena, uint32_t *ret_count)
{
    uint32_t *entries = td_arena_alloc_array(arena, json->count, sizeof(*entries));
    if (entries == NULL) return NULL;
    if (json->count <= ENTRIES_COMPARED_MAX) {
        compare_entries(json, entries, ret_count);
        return entries;
    }
    uint32_t *scratch = td_arena_alloc_array(arena, json->count, 2 * sizeof(*scratch));
    bool *is_replaced = td_arena_alloc_zero(arena, json->count);
    if (scratch == NULL || is_replaced == NULL) return NULL;
    const uint32_t *sorted = sort_entries(json, scratch, scratch + json->count);
    for (uint32_t i = 0; i + 1 < json->count; i++) {
        is_replaced[sorted[i]] = td_slice_equal(json->children[sorted[i]].name, json->children[sorted[i + 1]].name);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < json->count; i++) {
        if (!is_replaced[i]) entries[count++] = i;
    }
    *ret_count = count;
    return entries;
}
