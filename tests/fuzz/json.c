/* SPDX-License-Identifier: Apache-2.0
 * json.c: any bytes are JSON or are refused; what is read and written again reads as the same tree. */
#include "wire/json.h"

#include <math.h>

#include "fuzz/fuzz.h"
#include "thermodyn/text.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

/* The tree as JSON, by the writer of texts. */
static void write_tree(td_buf *buf, const td_json *json)
{
    static const char *const words[] = {"null", "false", "true"};
    bool is_object = json->type == TD_JSON_OBJECT;
    switch (json->type) {
    case TD_JSON_NULL:
    case TD_JSON_FALSE:
    case TD_JSON_TRUE: td_buf_append(buf, td_slice_of_cstr(words[json->type])); return;
    case TD_JSON_NUMBER: td_buf_append(buf, json->text); return;
    case TD_JSON_STRING:
        TD_ASSERT(td_utf8_is_valid(json->text));
        td_json_write_string(buf, json->text);
        return;
    case TD_JSON_ARRAY:
    case TD_JSON_OBJECT:
        td_buf_append_byte(buf, is_object ? '{' : '[');
        for (uint32_t i = 0; i < json->count; i++) {
            if (i > 0) td_buf_append_byte(buf, ',');
            if (is_object) {
                td_json_write_string(buf, json->children[i].name);
                td_buf_append_byte(buf, ':');
            }
            write_tree(buf, &json->children[i]);
        }
        td_buf_append_byte(buf, is_object ? '}' : ']');
        return;
    }
}

/* What a number of JSON is written as is JSON, and reads as the same. */
static void check_number(const td_json *number, td_arena *arena)
{
    td_error error = {.arena = arena};
    td_json *again;
    td_buf buf;
    int64_t value = td_json_to_int(number);
    double doubles[] = {(double)value, (double)value / 3, HUGE_VAL};
    td_buf_init(&buf, ARENA_BYTES_MAX);
    td_json_write_int(&buf, value);
    TD_ASSERT(td_json_parse(td_buf_contents(&buf), arena, &again, &error) == TD_OK);
    TD_ASSERT(td_json_to_int(again) == value);
    td_buf_clear(&buf);
    td_buf_append_byte(&buf, '[');
    td_json_write_units(&buf, value);
    td_buf_append_byte(&buf, ',');
    td_json_write_time(&buf, value);
    for (size_t i = 0; i < TD_COUNT_OF(doubles); i++) {
        td_buf_append_byte(&buf, ',');
        td_json_write_double(&buf, doubles[i]);
    }
    td_buf_append_byte(&buf, ']');
    TD_ASSERT(td_json_parse(td_buf_contents(&buf), arena, &again, &error) == TD_OK);
    TD_ASSERT(again->count == 2 + TD_COUNT_OF(doubles));
    td_buf_done(&buf);
}

static void check_equal(const td_json *a, const td_json *b, td_arena *arena)
{
    TD_ASSERT(a->type == b->type);
    TD_ASSERT(a->count == b->count);
    TD_ASSERT(td_slice_equal(a->name, b->name));
    TD_ASSERT(td_json_to_bool(a) == td_json_to_bool(b));
    if (a->type == TD_JSON_STRING || a->type == TD_JSON_NUMBER) TD_ASSERT(td_slice_equal(a->text, b->text));
    if (a->type == TD_JSON_NUMBER) check_number(a, arena);
    if (a->type == TD_JSON_OBJECT && a->count > 0) {
        const td_json *found = td_json_find(a, a->children[0].name);
        TD_ASSERT(found == NULL || td_slice_equal(found->name, a->children[0].name));
    }
    for (uint32_t i = 0; i < a->count; i++)
        check_equal(&a->children[i], &b->children[i], arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice body = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_error error = {.arena = &arena};
    td_json *root;
    if (td_json_parse(body, &arena, &root, &error) == TD_OK) {
        td_buf buf;
        td_json *again;
        td_buf_init(&buf, ARENA_BYTES_MAX);
        write_tree(&buf, root);
        TD_ASSERT(td_json_parse(td_buf_contents(&buf), &arena, &again, &error) == TD_OK);
        check_equal(root, again, &arena);
        td_buf_done(&buf);
    }
    td_arena_done(&arena);
    fuzz_done(body);
    return 0;
}
