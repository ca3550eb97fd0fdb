/* SPDX-License-Identifier: Apache-2.0
 * check.c: an input against its shape: types and constraints, the first breach in the shape's order of members.
 * Forms have texts where JSON and CBOR have numbers and booleans: a text of the right look is one. */
#include <math.h>
#include <stdlib.h>

#include "cloudwatch_private.h"
#include "iso_time.h"
#include "thermodyn/text.h"

#define NUMBER_BYTES_MAX 40
#define SECONDS_MAX 253402300799.0 /* the end of the year 9999 */

/* Where in the input: a member of a structure, or an element of a list, inside of another. */
typedef struct place {
    const struct place *parent;
    td_slice name; /* empty: an element */
    uint32_t number;
} place;

static td_cw_status check(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at);
static td_cw_status check_structure(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at);
static td_cw_status check_list(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at);
static td_cw_status check_string(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at);
static td_cw_status check_integer(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at);
static bool is_word(td_slice words, td_slice text);
static bool is_boolean(const td_json *json);
static bool is_timestamp(const td_json *json);
static bool read_number(const td_json *json, double *ret_value);
static td_cw_status wrong_type(td_cw_call *call, const place *at, const char *type);
static td_slice path_of(td_cw_call *call, const place *at);

td_cw_status td_cw__check(td_cw_call *call, const td_cw_shape *shape, const td_json *root)
{
    if (root->type != TD_JSON_OBJECT) return TD_CW_RAISE(call, TD_CW_MSG_NO_STRUCTURE);
    return check_structure(call, shape, root, NULL);
}

/* Recursion is bounded by the shapes, which have no cycles. */
static td_cw_status check(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at)
{
    switch (shape->kind) {
    case TD_CW_KIND_STRUCTURE:
        if (json->type != TD_JSON_OBJECT) return wrong_type(call, at, "structure");
        return check_structure(call, shape, json, at);
    case TD_CW_KIND_LIST:
        if (json->type != TD_JSON_ARRAY) return wrong_type(call, at, "list");
        return check_list(call, shape, json, at);
    case TD_CW_KIND_STRING:
        if (json->type != TD_JSON_STRING) return wrong_type(call, at, "string");
        return check_string(call, shape, json, at);
    case TD_CW_KIND_INTEGER: return check_integer(call, shape, json, at);
    case TD_CW_KIND_BOOLEAN: return is_boolean(json) ? TD_CW_OK : wrong_type(call, at, "boolean");
    case TD_CW_KIND_TIMESTAMP: return is_timestamp(json) ? TD_CW_OK : wrong_type(call, at, "timestamp");
    }
    TD_UNREACHABLE("shapes have these kinds");
}

static td_cw_status check_structure(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const td_cw_field *field = &shape->fields[i];
        const td_json *member = td_json_find(json, field->name);
        place inside = {.parent = at, .name = field->name};
        if (member != NULL) {
            TD_CW_TRY(check(call, field->shape, member, &inside));
        } else if (field->is_required) {
            return TD_CW_RAISE(call, TD_CW_MSG_REQUIRED, path_of(call, &inside));
        }
    }
    return TD_CW_OK;
}

static td_cw_status check_list(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at)
{
    if (json->count < shape->min) {
        return TD_CW_RAISE(call, TD_CW_MSG_TOO_FEW, path_of(call, at), td_cw__int_text(call, shape->min));
    }
    if (json->count > shape->max) {
        return TD_CW_RAISE(call, TD_CW_MSG_TOO_MANY, path_of(call, at), td_cw__int_text(call, shape->max));
    }
    for (uint32_t i = 0; i < json->count; i++) {
        place inside = {.parent = at, .number = i + 1};
        TD_CW_TRY(check(call, shape->element, &json->children[i], &inside));
    }
    return TD_CW_OK;
}

static td_cw_status check_string(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at)
{
    if (shape->words.len > 0) {
        if (is_word(shape->words, json->text)) return TD_CW_OK;
        return TD_CW_RAISE(call, TD_CW_MSG_NOT_IN_SET, path_of(call, at), shape->words);
    }
    int64_t len = (int64_t)td_utf8_utf16_units(json->text);
    if (len < shape->min) {
        return TD_CW_RAISE(call, TD_CW_MSG_TOO_SHORT, path_of(call, at), td_cw__int_text(call, shape->min));
    }
    if (len > shape->max) {
        return TD_CW_RAISE(call, TD_CW_MSG_TOO_LONG, path_of(call, at), td_cw__int_text(call, shape->max));
    }
    return TD_CW_OK;
}

static td_cw_status check_integer(td_cw_call *call, const td_cw_shape *shape, const td_json *json, const place *at)
{
    double value;
    if (!read_number(json, &value) || value != trunc(value)) return wrong_type(call, at, "integer");
    if (value < (double)shape->min) {
        return TD_CW_RAISE(call, TD_CW_MSG_TOO_SMALL, path_of(call, at), td_cw__int_text(call, shape->min));
    }
    if (value > (double)shape->max) {
        return TD_CW_RAISE(call, TD_CW_MSG_TOO_GREAT, path_of(call, at), td_cw__int_text(call, shape->max));
    }
    return TD_CW_OK;
}

/* One of "A, B, C". */
static bool is_word(td_slice words, td_slice text)
{
    for (size_t at = 0; at < words.len;) {
        size_t end = at;
        while (end < words.len && words.ptr[end] != ',')
            end++;
        if (td_slice_equal(td_slice_of(words.ptr + at, end - at), text)) return true;
        at = end + 2;
    }
    return false;
}

static bool is_boolean(const td_json *json)
{
    if (json->type == TD_JSON_TRUE || json->type == TD_JSON_FALSE) return true;
    return json->type == TD_JSON_STRING &&
           (td_slice_equal(json->text, TD_LIT("true")) || td_slice_equal(json->text, TD_LIT("false")));
}

static bool is_timestamp(const td_json *json)
{
    td_time_us time;
    if (json->type == TD_JSON_STRING && td_iso_time_parse(json->text, &time)) return true;
    double seconds;
    return read_number(json, &seconds) && seconds >= 0 && seconds <= SECONDS_MAX;
}

static bool read_number(const td_json *json, double *ret_value)
{
    if (json->type != TD_JSON_NUMBER && json->type != TD_JSON_STRING) return false;
    if (json->text.len == 0 || json->text.len > NUMBER_BYTES_MAX) return false;
    for (size_t i = 0; i < json->text.len; i++) {
        if (json->text.ptr[i] == 0 || strchr("+-.0123456789eE", json->text.ptr[i]) == NULL) return false;
    }
    char text[NUMBER_BYTES_MAX + 1];
    memcpy(text, json->text.ptr, json->text.len);
    text[json->text.len] = '\0';
    char *end;
    *ret_value = strtod(text, &end);
    return *end == '\0' && isfinite(*ret_value);
}

static td_cw_status wrong_type(td_cw_call *call, const place *at, const char *type)
{
    return TD_CW_RAISE(call, TD_CW_MSG_WRONG_TYPE, path_of(call, at), td_slice_of_cstr(type));
}

/* "MetricDataQueries.member.1.MetricStat"; empty when there is no memory, and raising fails the same way then. */
static td_slice path_of(td_cw_call *call, const place *at)
{
    if (at == NULL) return TD_LIT("");
    td_slice path = path_of(call, at->parent);
    bool is_made;
    if (at->name.len == 0) {
        is_made =
            td_arena_format(call->arena, &path, "%.*s.member.%u", (int)path.len, (const char *)path.ptr, at->number);
    } else {
        is_made = td_arena_format(call->arena, &path, "%.*s%s%.*s", (int)path.len, (const char *)path.ptr,
                                  path.len > 0 ? "." : "", (int)at->name.len, (const char *)at->name.ptr);
    }
    return is_made ? path : TD_LIT("");
}
