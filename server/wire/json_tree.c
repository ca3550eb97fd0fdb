/* SPDX-License-Identifier: Apache-2.0
 * json_tree.c: a tree that was read, written again: what of a request is given back as it came. */
#include "wire/json.h"

static void write_children(td_buf *buf, const td_json *json);

/* Recursion is bounded by the reader's levels. */
void td_json_write_tree(td_buf *buf, const td_json *json)
{
    switch (json->type) {
    case TD_JSON_NULL: td_buf_append_lit(buf, "null"); return;
    case TD_JSON_FALSE: td_buf_append_lit(buf, "false"); return;
    case TD_JSON_TRUE: td_buf_append_lit(buf, "true"); return;
    case TD_JSON_NUMBER: td_buf_append(buf, json->text); return;
    case TD_JSON_STRING: td_json_write_string(buf, json->text); return;
    case TD_JSON_ARRAY:
    case TD_JSON_OBJECT: write_children(buf, json); return;
    }
    TD_UNREACHABLE("JSON has these types");
}

static void write_children(td_buf *buf, const td_json *json)
{
    bool is_object = json->type == TD_JSON_OBJECT;
    td_buf_append_byte(buf, is_object ? '{' : '[');
    for (uint32_t i = 0; i < json->count; i++) {
        if (i > 0) td_buf_append_byte(buf, ',');
        if (is_object) {
            td_json_write_string(buf, json->children[i].name);
            td_buf_append_byte(buf, ':');
        }
        td_json_write_tree(buf, &json->children[i]);
    }
    td_buf_append_byte(buf, is_object ? '}' : ']');
}
