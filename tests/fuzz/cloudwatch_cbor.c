/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch_cbor.c: any bytes are CBOR as Smithy uses it, or are refused; what is read and written again reads as the
 * same tree, by the JSON that it makes. */
#include "cloudwatch/cbor_wire.h"

#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "thermodyn/text.h"

enum { ARENA_BYTES_MAX = 64 << 20, SMALL_BYTES_MAX = 4096 };

static void write_tree(td_buf *buf, const td_json *json)
{
    bool is_object = json->type == TD_JSON_OBJECT;
    switch (json->type) {
    case TD_JSON_NULL: td_buf_append_byte(buf, 0xF6); return;
    case TD_JSON_FALSE:
    case TD_JSON_TRUE: td_cbor_put_bool(buf, json->type == TD_JSON_TRUE); return;
    case TD_JSON_NUMBER: {
        int64_t whole;
        if (td_parse_int64(json->text, &whole)) {
            td_cbor_put_int(buf, whole);
        } else {
            char text[64] = {0};
            TD_ASSERT(json->text.len < sizeof text);
            memcpy(text, json->text.ptr, json->text.len);
            td_cbor_put_double(buf, strtod(text, NULL));
        }
        return;
    }
    case TD_JSON_STRING:
        TD_ASSERT(td_utf8_is_valid(json->text));
        td_cbor_put_text(buf, json->text);
        return;
    case TD_JSON_ARRAY:
    case TD_JSON_OBJECT:
        if (is_object)
            td_cbor_open_map(buf);
        else
            td_cbor_open_array(buf);
        for (uint32_t i = 0; i < json->count; i++) {
            if (is_object) td_cbor_put_text(buf, json->children[i].name);
            write_tree(buf, &json->children[i]);
        }
        td_cbor_close(buf);
        return;
    }
}

/* A time is a number with a tag. */
static void check_time(td_time_us time, td_arena *arena)
{
    td_buf buf;
    td_json *root;
    td_buf_init(&buf, ARENA_BYTES_MAX);
    td_cbor_put_time(&buf, time);
    TD_ASSERT(td_cbor_parse(td_buf_contents(&buf), arena, &root) == TD_CBOR_OK);
    TD_ASSERT(root->type == TD_JSON_NUMBER);
    td_buf_done(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice body = fuzz_copy(data, size);
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_json *root;
    if (td_cbor_parse(body, &arena, &root) == TD_CBOR_OK) {
        td_buf first;
        td_buf second;
        td_json *again;
        td_buf_init(&first, ARENA_BYTES_MAX);
        td_buf_init(&second, ARENA_BYTES_MAX);
        write_tree(&first, root);
        TD_ASSERT(td_cbor_parse(td_buf_contents(&first), &arena, &again) == TD_CBOR_OK);
        write_tree(&second, again);
        TD_ASSERT(td_slice_equal(td_buf_contents(&first), td_buf_contents(&second)));
        check_time((td_time_us)size * TD_US_PER_MS, &arena);
        td_buf_done(&first);
        td_buf_done(&second);
    }
    td_arena_done(&arena);

    td_arena_init(&arena, fuzz_small_limit(body, SMALL_BYTES_MAX)); /* which may be too little memory */
    (void)!td_cbor_parse(body, &arena, &root);
    td_arena_done(&arena);
    fuzz_done(body);
    return 0;
}
