/* SPDX-License-Identifier: Apache-2.0
 * shapes.c: the rows of shapes.def as constant tables, and where an operation's stands.
 *
 * Every row may use the rows above it; the compiler refuses a reference to none. An attribute value is a kind of its
 * own, since it is the only shape that contains itself. */
#include "shapes.h"

#include "thermodyn/limits.h"

#define JAVA_PACKAGE "com.amazonaws.dynamodb.v20120810."

#define TD_SHAPE(id, kind_name, ...) static const td_shape shape_##id = {.kind = TD_SHAPE_##kind_name, __VA_ARGS__};
#define TD_ENUM(id, words, ...)                                                                                        \
    static const td_shape shape_##id = {.kind = TD_SHAPE_STRING, .enumeration = TD_LIT_INIT(words), ##__VA_ARGS__};
#define TD_LIST(id, of, ...)                                                                                           \
    static const td_shape shape_##id = {.kind = TD_SHAPE_LIST, .element = &shape_##of, ##__VA_ARGS__};
#define TD_MAP(id, of, java, ...)                                                                                      \
    static const td_shape shape_##id = {                                                                               \
        .kind = TD_SHAPE_MAP, .element = &shape_##of, .java_name = TD_LIT_INIT(java), ##__VA_ARGS__};

#define TD_FIELD(id, of, ...)                                                                                          \
    {                                                                                                                  \
        .name = TD_LIT_INIT(#id), .shape = &shape_##of, ##__VA_ARGS__                                                  \
    }
#define TD_TOP(id, of, ...) TD_FIELD(id, of, .member = TD_MEMBER_##id, ##__VA_ARGS__)
#define TD_STRUCTURE(id, ...)                                                                                          \
    static const td_field fields_##id[] = {__VA_ARGS__};                                                               \
    _Static_assert(TD_COUNT_OF(fields_##id) <= TD_SHAPE_FIELDS_MAX, #id " has too many fields");                       \
    static const td_shape shape_##id = {.kind = TD_SHAPE_STRUCTURE,                                                    \
                                        .java_name = TD_LIT_INIT(JAVA_PACKAGE #id),                                    \
                                        .fields = fields_##id,                                                         \
                                        .field_count = TD_COUNT_OF(fields_##id)};
#define TD_INPUT(operation, ...) TD_STRUCTURE(operation##Input, __VA_ARGS__)
#define TD_INPUT_EMPTY(operation)                                                                                      \
    static const td_shape shape_##operation##Input = {.kind = TD_SHAPE_STRUCTURE,                                      \
                                                      .java_name = TD_LIT_INIT(JAVA_PACKAGE #operation "Input")};
#include "shapes.def"
#undef TD_SHAPE
#undef TD_ENUM
#undef TD_LIST
#undef TD_MAP
#undef TD_STRUCTURE
#undef TD_INPUT
#undef TD_INPUT_EMPTY

typedef struct input_row {
    td_slice operation;
    const td_shape *shape;
} input_row;

static const input_row inputs[] = {
#define TD_SHAPE(...)
#define TD_ENUM(...)
#define TD_LIST(...)
#define TD_MAP(...)
#define TD_STRUCTURE(...)
#define TD_INPUT(id, ...) {TD_LIT_INIT(#id), &shape_##id##Input},
#define TD_INPUT_EMPTY(id) {TD_LIT_INIT(#id), &shape_##id##Input},
#include "shapes.def"
};

const td_shape *td_shape_find(td_slice operation)
{
    for (size_t i = 0; i < TD_COUNT_OF(inputs); i++) {
        if (td_slice_equal(inputs[i].operation, operation)) return inputs[i].shape;
    }
    return NULL;
}

/* A structure has at most some twenty fields, and names differ in length or soon: a scan beats a hash. */
uint32_t td_shape__find_field(const td_shape *structure, td_slice name)
{
    for (uint32_t i = 0; i < structure->field_count; i++) {
        const td_slice *candidate = &structure->fields[i].name;
        if (candidate->len == name.len && memcmp(candidate->ptr, name.ptr, name.len) == 0) return i;
    }
    return structure->field_count;
}

void td_shape__bind_fields(const td_shape *structure, const td_json *json, const td_json **ret_values)
{
    for (uint32_t i = 0; i < structure->field_count; i++)
        ret_values[i] = NULL;
    for (uint32_t i = 0; i < json->count; i++) {
        const td_json *child = &json->children[i];
        uint32_t index = td_shape__find_field(structure, child->name);
        if (index < structure->field_count) ret_values[index] = child->type == TD_JSON_NULL ? NULL : child;
    }
}

int64_t td_shape__integer(const td_shape *shape, const td_json *json)
{
    int64_t value = td_json_to_int(json);
    if (shape->kind == TD_SHAPE_LONG) return value;
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}
