/* SPDX-License-Identifier: Apache-2.0
 * request.c: members of a checked request as C values. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "thermodyn/text.h"

#include "ops.h"

static const td_slice member_names[TD_MEMBER_COUNT] = {
#define TD_MEMBER(name) TD_LIT_INIT(#name),
#include "wire/members.def"
#undef TD_MEMBER
};

static int64_t cut_fraction(td_slice text);

td_slice td_ops__member_name(td_member member)
{
    return member_names[member];
}

td_slice td_ops__text(const td_json *json)
{
    return json != NULL && json->type == TD_JSON_STRING ? json->text : td_slice_of(NULL, 0);
}

bool td_ops__is_true(const td_json *json)
{
    if (json == NULL) return false;
    if (json->type != TD_JSON_STRING) return json->type == TD_JSON_TRUE;
    static const char *const words[] = {"true", "1", "yes"};
    for (size_t i = 0; i < TD_COUNT_OF(words); i++) {
        if (json->text.len == strlen(words[i]) &&
            strncasecmp((const char *)json->text.ptr, words[i], json->text.len) == 0) {
            return true;
        }
    }
    return false;
}

int64_t td_ops__int(const td_json *json)
{
    if (json == NULL || json->type != TD_JSON_NUMBER) return 0;
    int64_t value = 0;
    return td_parse_int64(json->text, &value) ? value : cut_fraction(json->text);
}

/* A number with a fraction or an exponent, or a very long one. */
static int64_t cut_fraction(td_slice text)
{
    char copy[64];
    size_t len = text.len < sizeof(copy) - 1 ? text.len : sizeof(copy) - 1;
    memcpy(copy, text.ptr, len);
    copy[len] = '\0';
    double value = floor(strtod(copy, NULL));
    if (value >= 9223372036854775807.0) return INT64_MAX;
    if (value <= -9223372036854775808.0) return INT64_MIN;
    return (int64_t)value;
}

int td_ops__choice(const td_json *json, const td_slice *words, int count)
{
    td_slice text = td_ops__text(json);
    for (int i = 0; i < count; i++) {
        if (td_slice_equal(text, words[i])) return i;
    }
    return 0;
}

td_ops_capacity td_ops__capacity(const td_request *request)
{
    static const td_slice words[] = {TD_LIT_INIT("NONE"), TD_LIT_INIT("TOTAL"), TD_LIT_INIT("INDEXES")};
    return (td_ops_capacity)td_ops__choice(td_ops__get(request, TD_MEMBER_ReturnConsumedCapacity), words,
                                           TD_COUNT_OF(words));
}

td_ops_return td_ops__return(const td_request *request)
{
    static const td_slice words[] = {TD_LIT_INIT("NONE"), TD_LIT_INIT("ALL_OLD"), TD_LIT_INIT("UPDATED_OLD"),
                                     TD_LIT_INIT("ALL_NEW"), TD_LIT_INIT("UPDATED_NEW")};
    return (td_ops_return)td_ops__choice(td_ops__get(request, TD_MEMBER_ReturnValues), words, TD_COUNT_OF(words));
}

td_error td_ops__new_error(const td_request *request)
{
    return (td_error){
        .arena = request->arena, .wording = request->error.wording, .value_wording = request->error.value_wording};
}

static int compare_slices(const void *a, const void *b)
{
    return td_slice_compare(*(const td_slice *)a, *(const td_slice *)b);
}

const td_slice *td_ops__sort_and_find_duplicate(td_slice *slices, uint32_t count)
{
    qsort(slices, count, sizeof(*slices), compare_slices);
    for (uint32_t i = 1; i < count; i++) {
        if (td_slice_equal(slices[i - 1], slices[i])) return &slices[i];
    }
    return NULL;
}

td_slice td_ops__join(td_arena *arena, const td_slice *parts, uint32_t count)
{
    size_t len = 0;
    for (uint32_t i = 0; i < count; i++)
        len += parts[i].len + (i > 0 ? 2 : 0);
    uint8_t *text = td_arena_alloc(arena, len);
    if (text == NULL) return td_slice_of(NULL, 0);
    uint8_t *next = text;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            memcpy(next, ", ", 2);
            next += 2;
        }
        if (parts[i].len > 0) memcpy(next, parts[i].ptr, parts[i].len);
        next += parts[i].len;
    }
    return td_slice_of(text, len);
}
