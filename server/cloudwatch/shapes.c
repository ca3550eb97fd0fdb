/* SPDX-License-Identifier: Apache-2.0
 * shapes.c: shapes.def as tables, and the values of checked trees. */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>

#include "iso_time.h"

#define TD_CW_STRING(id, least, most)                                                                                  \
    static const td_cw_shape shape_##id = {.kind = TD_CW_KIND_STRING, .min = (least), .max = (most)};
#define TD_CW_ENUM(id, set)                                                                                            \
    static const td_cw_shape shape_##id = {.kind = TD_CW_KIND_STRING, .max = UINT32_MAX, .words = TD_LIT_INIT(set)};
#define TD_CW_LEAF(id, leaf) static const td_cw_shape shape_##id = {.kind = TD_CW_KIND_##leaf};
#define TD_CW_INTEGER(id, least, most)                                                                                 \
    static const td_cw_shape shape_##id = {.kind = TD_CW_KIND_INTEGER, .min = (least), .max = (most)};
#define TD_CW_LIST(id, of, least, most)                                                                                \
    static const td_cw_shape shape_##id = {                                                                            \
        .kind = TD_CW_KIND_LIST, .element = &shape_##of, .min = (least), .max = (most)};
#define TD_CW_FIELD(member, of)                                                                                        \
    {                                                                                                                  \
        TD_LIT_INIT(#member), &shape_##of, false                                                                       \
    }
#define TD_CW_REQUIRED(member, of)                                                                                     \
    {                                                                                                                  \
        TD_LIT_INIT(#member), &shape_##of, true                                                                        \
    }
#define TD_CW_STRUCTURE(id, ...)                                                                                       \
    static const td_cw_field fields_##id[] = {__VA_ARGS__};                                                            \
    static const td_cw_shape shape_##id = {                                                                            \
        .kind = TD_CW_KIND_STRUCTURE, .fields = fields_##id, .field_count = TD_COUNT_OF(fields_##id)};
#define TD_CW_INPUT(operation, ...) TD_CW_STRUCTURE(operation, __VA_ARGS__)
#include "cloudwatch/shapes.def"

typedef struct input_row {
    td_slice operation;
    const td_cw_shape *shape;
} input_row;

static const input_row inputs[] = {
#define TD_CW_OPERATION(name, handler) {TD_LIT_INIT(#name), &shape_##name},
#include "cloudwatch/operations.def"
#undef TD_CW_OPERATION
};

static double number_of(const td_json *json);

const td_cw_shape *td_cw_shape_find(td_slice operation)
{
    for (size_t i = 0; i < TD_COUNT_OF(inputs); i++) {
        if (td_slice_equal(inputs[i].operation, operation)) return inputs[i].shape;
    }
    return NULL;
}

const td_json *td_cw_find(const td_json *structure, const char *member)
{
    return td_json_find(structure, td_slice_of_cstr(member));
}

td_slice td_cw_text(const td_json *structure, const char *member)
{
    const td_json *json = td_cw_find(structure, member);
    return json == NULL ? td_slice_of(NULL, 0) : json->text;
}

int64_t td_cw_int(const td_json *structure, const char *member, int64_t otherwise)
{
    const td_json *json = td_cw_find(structure, member);
    return json == NULL ? otherwise : (int64_t)number_of(json);
}

bool td_cw_bool(const td_json *structure, const char *member, bool otherwise)
{
    const td_json *json = td_cw_find(structure, member);
    return json == NULL ? otherwise : td_json_to_bool(json);
}

td_time_us td_cw_time(const td_json *structure, const char *member)
{
    const td_json *json = td_cw_find(structure, member);
    if (json == NULL) return 0;
    td_time_us time = 0;
    if (json->type == TD_JSON_STRING && td_iso_time_parse(json->text, &time)) return time;
    return (td_time_us)llround(number_of(json) * (double)TD_US_PER_S);
}

uint32_t td_cw_count(const td_json *list)
{
    return list == NULL ? 0 : list->count;
}

/* Of a number, or of a form's text; both were checked, and are short. */
static double number_of(const td_json *json)
{
    char text[64];
    size_t len = json->text.len < sizeof text - 1 ? json->text.len : sizeof text - 1;
    memcpy(text, json->text.ptr, len);
    text[len] = '\0';
    return strtod(text, NULL);
}
