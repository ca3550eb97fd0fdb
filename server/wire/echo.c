/* SPDX-License-Identifier: Apache-2.0
 * echo.c: a part of a request in the form in which the service's errors repeat it: what Java's toString makes of the
 * objects that the request was read into.
 *
 * Model: KeySchemaElement(attributeName=pk, keyType=HASH), lists in [], maps in {name=value}. An attribute value is
 *        printed with all the members of the service's own class, some of which no client knows.
 * Not here: the echo of BatchGetItem, which is JSON (json_tree.c). */
#include "echo.h"

#include "thermodyn/text.h"

static void write_structure(td_buf *buf, const td_shape *shape, const td_json *json);
static void write_container(td_buf *buf, const td_shape *shape, const td_json *json);
static void write_value(td_buf *buf, const td_json *json);

void td_echo__write(td_buf *buf, const td_shape *shape, const td_json *json)
{
    if (json == NULL || json->type == TD_JSON_NULL) {
        td_buf_append_lit(buf, "null");
        return;
    }
    switch (shape->kind) {
    case TD_SHAPE_STRING: td_buf_append(buf, json->text); return;
    case TD_SHAPE_BOOLEAN: td_buf_append(buf, td_json_to_bool(json) ? TD_LIT("true") : TD_LIT("false")); return;
    case TD_SHAPE_INTEGER:
    case TD_SHAPE_LONG: td_buf_append_format(buf, "%lld", (long long)td_shape__integer(shape, json)); return;
    case TD_SHAPE_LIST:
    case TD_SHAPE_MAP: write_container(buf, shape, json); return;
    case TD_SHAPE_STRUCTURE: write_structure(buf, shape, json); return;
    case TD_SHAPE_VALUE: write_value(buf, json); return;
    }
    TD_UNREACHABLE("a shape has a kind");
}

void td_echo__write_name(td_buf *buf, td_slice name)
{
    TD_ASSERT(name.len > 0);
    uint8_t first = name.ptr[0];
    td_buf_append_byte(buf, first >= 'A' && first <= 'Z' ? first | 0x20 : first);
    td_buf_append(buf, td_slice_of(name.ptr + 1, name.len - 1));
}

/* The simple name of a class with its package. */
static td_slice simple_name(td_slice java_name)
{
    size_t start = java_name.len;
    while (start > 0 && java_name.ptr[start - 1] != '.')
        start--;
    return td_slice_of(java_name.ptr + start, java_name.len - start);
}

/* The field that the class prints at the position, from 0. */
static uint32_t field_at(const td_shape *shape, uint32_t position)
{
    for (uint32_t i = 0; i < shape->field_count; i++) {
        if (shape->fields[i].echo_at == position + 1) return i;
    }
    TD_ASSERT(shape->fields[position].echo_at == 0);
    return position;
}

static void write_structure(td_buf *buf, const td_shape *shape, const td_json *json)
{
    const td_json *values[TD_SHAPE_FIELDS_MAX];
    td_shape__bind_fields(shape, json, values);
    td_buf_append(buf, simple_name(shape->java_name));
    td_buf_append_byte(buf, '(');
    for (uint32_t position = 0; position < shape->field_count; position++) {
        uint32_t i = field_at(shape, position);
        if (position > 0) td_buf_append_lit(buf, ", ");
        td_echo__write_name(buf, shape->fields[i].name);
        td_buf_append_byte(buf, '=');
        td_echo__write(buf, shape->fields[i].shape, values[i]);
    }
    td_buf_append_byte(buf, ')');
}

static void write_container(td_buf *buf, const td_shape *shape, const td_json *json)
{
    bool is_list = shape->kind == TD_SHAPE_LIST;
    td_buf_append_byte(buf, is_list ? '[' : '{');
    for (uint32_t i = 0; i < json->count; i++) {
        if (i > 0) td_buf_append_lit(buf, ", ");
        if (!is_list) {
            td_buf_append(buf, json->children[i].name);
            td_buf_append_byte(buf, '=');
        }
        td_echo__write(buf, shape->element, &json->children[i]);
    }
    td_buf_append_byte(buf, is_list ? ']' : '}');
}

/* ---- attribute values ---- */

static void write_binary(td_buf *buf, const td_json *json)
{
    size_t padding = 0;
    while (padding < 2 && json->text.len > padding && json->text.ptr[json->text.len - 1 - padding] == '=')
        padding++;
    size_t len = json->text.len / 4 * 3 - padding;
    td_buf_append_format(buf, "java.nio.HeapByteBuffer[pos=0 lim=%zu cap=%zu]", len, len);
}

static void write_members(td_buf *buf, const td_json *set, bool is_binary)
{
    td_buf_append_byte(buf, '[');
    for (uint32_t i = 0; i < set->count; i++) {
        const td_json *member = &set->children[i];
        if (i > 0) td_buf_append_lit(buf, ", ");
        if (member->type == TD_JSON_NULL) {
            td_buf_append_lit(buf, "null");
        } else if (is_binary) {
            write_binary(buf, member);
        } else {
            td_buf_append(buf, member->text);
        }
    }
    td_buf_append_byte(buf, ']');
}

static void write_nested(td_buf *buf, const td_json *json, bool is_map)
{
    td_buf_append_byte(buf, is_map ? '{' : '[');
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *child = &json->children[i];
        if (i > 0) td_buf_append_lit(buf, ", ");
        if (is_map) {
            td_buf_append(buf, child->name);
            td_buf_append_byte(buf, '=');
        }
        if (child->type == TD_JSON_NULL) {
            td_buf_append_lit(buf, "null");
        } else {
            write_value(buf, child);
        }
    }
    td_buf_append_byte(buf, is_map ? '}' : ']');
}

static void write_typed(td_buf *buf, td_type type, const td_json *json)
{
    switch (type) {
    case TD_TYPE_S:
    case TD_TYPE_N: td_buf_append(buf, json->text); return;
    case TD_TYPE_B: write_binary(buf, json); return;
    case TD_TYPE_SS:
    case TD_TYPE_NS: write_members(buf, json, false); return;
    case TD_TYPE_BS: write_members(buf, json, true); return;
    case TD_TYPE_M: write_nested(buf, json, true); return;
    case TD_TYPE_L: write_nested(buf, json, false); return;
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL: td_buf_append(buf, td_json_to_bool(json) ? TD_LIT("true") : TD_LIT("false")); return;
    case TD_TYPE_COUNT: break;
    }
    td_buf_append_lit(buf, "null");
}

/* The types have been checked; the reader's levels bound the recursion. */
static void write_value(td_buf *buf, const td_json *json)
{
    static const struct {
        const char *name;
        td_type type; /* TD_TYPE_COUNT: a member of the service's own, which is null */
    } members[] = {
        {"s", TD_TYPE_S},
        {"n", TD_TYPE_N},
        {"b", TD_TYPE_B},
        {"iNT", TD_TYPE_COUNT},
        {"dECIMAL", TD_TYPE_COUNT},
        {"dOUBLE", TD_TYPE_COUNT},
        {"sS", TD_TYPE_SS},
        {"nS", TD_TYPE_NS},
        {"bS", TD_TYPE_BS},
        {"iNTSET", TD_TYPE_COUNT},
        {"dECIMALSET", TD_TYPE_COUNT},
        {"dOUBLESET", TD_TYPE_COUNT},
        {"m", TD_TYPE_M},
        {"l", TD_TYPE_L},
        {"nULL", TD_TYPE_NULL},
        {"bOOL", TD_TYPE_BOOL},
    };
    const td_json *found[TD_TYPE_COUNT] = {NULL};
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *child = &json->children[i];
        td_type type = td_type_of_name(child->name);
        if (type != TD_TYPE_COUNT) found[type] = child->type == TD_JSON_NULL ? NULL : child;
    }
    td_buf_append_lit(buf, "AttributeValue(");
    for (size_t i = 0; i < TD_COUNT_OF(members); i++) {
        if (i > 0) td_buf_append_lit(buf, ", ");
        td_buf_append(buf, td_slice_of_cstr(members[i].name));
        td_buf_append_byte(buf, '=');
        td_type type = members[i].type;
        if (type == TD_TYPE_COUNT || found[type] == NULL) {
            td_buf_append_lit(buf, "null");
        } else {
            write_typed(buf, type, found[type]);
        }
    }
    td_buf_append_byte(buf, ')');
}
