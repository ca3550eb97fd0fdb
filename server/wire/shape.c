/* SPDX-License-Identifier: Apache-2.0
 * shape.c: the first pass over a request: its types, and its members by id.
 *
 * Model:    the service reads a body straight into Java objects, member by member as they come; what does not fit is a
 *           SerializationException at once, worded by what was found and what stood there to be read: a field of a
 *           structure, or a value in a list or map. Unknown members are skipped, null is absence.
 * Not here: constraints (constraint.c); what is wrong with a value that has the right types (decode.c). */
#include "shapes.h"

#include <strings.h>

#include "thermodyn/value.h"

#include "base64_check.h"

/* Where a value stands: the service words a surprise by it. */
typedef enum place {
    IN_FIELD, /* a member of a structure */
    IN_VALUE, /* an element of a list, a value of a map, the body itself */
} place;

static td_status check_type(const td_shape *shape, const td_json *json, place where, td_error *error);
static td_status refuse_structure(const td_shape *shape, const td_json *json, place where, td_error *error);

td_status td_shape_bind(const td_shape *shape, const td_json *root, td_members *ret_members, td_error *error)
{
    TD_ASSERT(shape->kind == TD_SHAPE_STRUCTURE);
    memset(ret_members, 0, sizeof(*ret_members));
    if (root->type == TD_JSON_NULL) return TD_RAISE(error, TD_MSG_JSON_MALFORMED);
    if (root->type != TD_JSON_OBJECT) return refuse_structure(shape, root, IN_VALUE, error);

    for (uint32_t i = 0; i < root->count; i++) {
        const td_json *child = &root->children[i];
        uint32_t index = td_shape__find_field(shape, child->name);
        if (index == shape->field_count) continue;
        const td_field *field = &shape->fields[index];
        TD_TRY(check_type(field->shape, child, IN_FIELD, error));
        ret_members->at[field->member] = child->type == TD_JSON_NULL ? NULL : child;
    }
    return TD_OK;
}

/* ---- scalars ---- */

static bool is_decimal(td_slice number)
{
    for (size_t i = 0; i < number.len; i++) {
        if (number.ptr[i] == '.' || (number.ptr[i] | 0x20) == 'e') return true;
    }
    return false;
}

/* What the service's parser calls the token. */
static td_slice token_name(const td_json *json)
{
    switch (json->type) {
    case TD_JSON_TRUE: return TD_LIT("TRUE_VALUE");
    case TD_JSON_FALSE: return TD_LIT("FALSE_VALUE");
    case TD_JSON_NUMBER: return is_decimal(json->text) ? TD_LIT("DECIMAL_VALUE") : TD_LIT("NUMBER_VALUE");
    case TD_JSON_STRING: return TD_LIT("STRING_VALUE");
    case TD_JSON_NULL:
    case TD_JSON_ARRAY:
    case TD_JSON_OBJECT: break;
    }
    TD_ASSERT(false && "only scalar tokens are converted");
    return TD_LIT("");
}

/* A scalar was to be read; `simple` is its type's name, `java` its class. */
static td_status refuse_scalar(const td_json *json, td_slice simple, td_slice java, td_error *error)
{
    if (json->type == TD_JSON_OBJECT) return TD_RAISE(error, TD_MSG_TYPE_NO_STRUCTURE);
    if (json->type == TD_JSON_ARRAY) return TD_RAISE(error, TD_MSG_TYPE_NO_COLLECTION, java);
    return TD_RAISE(error, TD_MSG_TYPE_NOT_CONVERTIBLE, token_name(json), simple);
}

static td_status check_string(const td_json *json, td_error *error)
{
    if (json->type == TD_JSON_STRING) return TD_OK;
    return refuse_scalar(json, TD_LIT("String"), TD_LIT("class java.lang.String"), error);
}

static td_status check_boolean(const td_json *json, td_error *error)
{
    static const td_slice words[] = {TD_LIT_INIT("true"), TD_LIT_INIT("false"), TD_LIT_INIT("1"),
                                     TD_LIT_INIT("0"),    TD_LIT_INIT("yes"),   TD_LIT_INIT("no")};
    if (json->type == TD_JSON_TRUE || json->type == TD_JSON_FALSE) return TD_OK;
    if (json->type != TD_JSON_STRING) {
        return refuse_scalar(json, TD_LIT("Boolean"), TD_LIT("class java.lang.Boolean"), error);
    }
    for (size_t i = 0; i < TD_COUNT_OF(words); i++) {
        if (json->text.len == words[i].len &&
            strncasecmp((const char *)json->text.ptr, (const char *)words[i].ptr, words[i].len) == 0) {
            return TD_OK;
        }
    }
    return TD_RAISE(error, TD_MSG_TYPE_NO_BOOLEAN);
}

static td_status check_blob(const td_json *json, td_error *error)
{
    if (json->type == TD_JSON_OBJECT) return TD_RAISE(error, TD_MSG_TYPE_NO_STRUCTURE);
    if (json->type == TD_JSON_ARRAY)
        return TD_RAISE(error, TD_MSG_TYPE_NO_COLLECTION, TD_LIT("class java.nio.ByteBuffer"));
    if (json->type != TD_JSON_STRING) return TD_RAISE(error, TD_MSG_BLOB_NO_STRING);
    if (json->text.len % 4 != 0) {
        return TD_RAISE(error, TD_MSG_BLOB_LENGTH, td_error_int(error, (int64_t)json->text.len));
    }
    return td_base64__is_valid(json->text) ? TD_OK : TD_RAISE(error, TD_MSG_BLOB_MALFORMED);
}

/* ---- containers ---- */

static bool is_scalar(const td_json *json)
{
    return json->type != TD_JSON_OBJECT && json->type != TD_JSON_ARRAY;
}

/* Each element or value of a container; null stands for none, whatever it may mean there. */
static td_status check_children(const td_shape *element, const td_json *json, td_error *error)
{
    for (uint32_t i = 0; i < json->count; i++)
        TD_TRY(check_type(element, &json->children[i], IN_VALUE, error));
    return TD_OK;
}

static td_status check_list(const td_shape *element, const td_json *json, place where, td_error *error)
{
    if (json->type == TD_JSON_ARRAY) return check_children(element, json, error);
    if (json->type == TD_JSON_OBJECT) return TD_RAISE(error, TD_MSG_TYPE_NO_STRUCTURE);
    return TD_RAISE(error, where == IN_FIELD ? TD_MSG_TYPE_OF_FIELD : TD_MSG_TYPE_PARAMETERIZED);
}

static td_status check_map(const td_shape *shape, const td_json *json, place where, td_error *error)
{
    if (json->type == TD_JSON_OBJECT) return check_children(shape->element, json, error);
    if (is_scalar(json)) return TD_RAISE(error, where == IN_FIELD ? TD_MSG_TYPE_OF_FIELD : TD_MSG_TYPE_PARAMETERIZED);
    td_slice java;
    if (!td_arena_format(error->arena, &java, "java.util.Map<java.lang.String, %.*s>", (int)shape->java_name.len,
                         (const char *)shape->java_name.ptr)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_RAISE(error, TD_MSG_TYPE_NO_COLLECTION, java);
}

static td_status refuse_class(td_slice class_name, const td_json *json, place where, td_error *error)
{
    if (is_scalar(json)) return TD_RAISE(error, where == IN_FIELD ? TD_MSG_TYPE_OF_FIELD : TD_MSG_TYPE_OF_VALUE);
    td_slice java;
    if (!td_arena_format(error->arena, &java, "class %.*s", (int)class_name.len, (const char *)class_name.ptr)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    return TD_RAISE(error, TD_MSG_TYPE_NO_COLLECTION, java);
}

static td_status refuse_structure(const td_shape *shape, const td_json *json, place where, td_error *error)
{
    return refuse_class(shape->java_name, json, where, error);
}

static td_status check_structure(const td_shape *shape, const td_json *json, place where, td_error *error)
{
    if (json->type != TD_JSON_OBJECT) return refuse_structure(shape, json, where, error);
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *child = &json->children[i];
        uint32_t index = td_shape__find_field(shape, child->name);
        if (index < shape->field_count) TD_TRY(check_type(shape->fields[index].shape, child, IN_FIELD, error));
    }
    return TD_OK;
}

/* ---- attribute values ---- */

static td_status check_value(const td_json *json, place where, td_error *error);

static td_status check_set(const td_json *json, bool is_binary, td_error *error)
{
    if (json->type == TD_JSON_OBJECT) return TD_RAISE(error, TD_MSG_TYPE_NO_STRUCTURE);
    if (json->type != TD_JSON_ARRAY) return TD_RAISE(error, TD_MSG_TYPE_OF_FIELD);
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *member = &json->children[i];
        if (member->type == TD_JSON_NULL) continue;
        TD_TRY(is_binary ? check_blob(member, error) : check_string(member, error));
    }
    return TD_OK;
}

static td_status check_nested_values(const td_json *json, bool is_map, td_error *error)
{
    td_json_type expected = is_map ? TD_JSON_OBJECT : TD_JSON_ARRAY;
    if (json->type == expected) {
        for (uint32_t i = 0; i < json->count; i++)
            TD_TRY(check_value(&json->children[i], IN_VALUE, error));
        return TD_OK;
    }
    if (is_scalar(json)) return TD_RAISE(error, TD_MSG_TYPE_OF_FIELD);
    if (!is_map) return TD_RAISE(error, TD_MSG_TYPE_NO_STRUCTURE);
    return TD_RAISE(error, TD_MSG_TYPE_NO_COLLECTION,
                    TD_LIT("java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"));
}

static td_status check_value_member(const td_json *json, td_error *error)
{
    if (json->type == TD_JSON_NULL) return TD_OK;
    switch (td_type_of_name(json->name)) {
    case TD_TYPE_S:
    case TD_TYPE_N: return check_string(json, error);
    case TD_TYPE_B: return check_blob(json, error);
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL: return check_boolean(json, error);
    case TD_TYPE_SS:
    case TD_TYPE_NS: return check_set(json, false, error);
    case TD_TYPE_BS: return check_set(json, true, error);
    case TD_TYPE_M: return check_nested_values(json, true, error);
    case TD_TYPE_L: return check_nested_values(json, false, error);
    case TD_TYPE_COUNT: break;
    }
    return TD_OK;
}

/* Recursion is bounded by the reader's. */
static td_status check_value(const td_json *json, place where, td_error *error)
{
    if (json->type == TD_JSON_NULL) return TD_OK;
    if (json->type != TD_JSON_OBJECT) {
        return refuse_class(TD_LIT("com.amazonaws.dynamodb.v20120810.AttributeValue"), json, where, error);
    }
    for (uint32_t i = 0; i < json->count; i++)
        TD_TRY(check_value_member(&json->children[i], error));
    return TD_OK;
}

/* ---- all kinds ---- */

static td_status check_type(const td_shape *shape, const td_json *json, place where, td_error *error)
{
    if (json->type == TD_JSON_NULL) return TD_OK;
    switch (shape->kind) {
    case TD_SHAPE_STRING: return check_string(json, error);
    case TD_SHAPE_BOOLEAN: return check_boolean(json, error);
    case TD_SHAPE_INTEGER:
        if (json->type == TD_JSON_NUMBER) return TD_OK;
        return refuse_scalar(json, TD_LIT("Integer"), TD_LIT("class java.lang.Integer"), error);
    case TD_SHAPE_LONG:
        if (json->type == TD_JSON_NUMBER) return TD_OK;
        return refuse_scalar(json, TD_LIT("Long"), TD_LIT("class java.lang.Long"), error);
    case TD_SHAPE_LIST: return check_list(shape->element, json, where, error);
    case TD_SHAPE_MAP: return check_map(shape, json, where, error);
    case TD_SHAPE_STRUCTURE: return check_structure(shape, json, where, error);
    case TD_SHAPE_VALUE: return check_value(json, where, error);
    }
    TD_ASSERT(false && "a shape has a kind");
    return TD_INTERNAL_SERVER_ERROR;
}
