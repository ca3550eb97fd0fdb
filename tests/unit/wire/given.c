/* SPDX-License-Identifier: Apache-2.0
 * given.c: trees of given texts, and the text of an error, for all tests of the folder. */
#include "thermodyn/memory.h"

#include "suites.h"

td_status read_copy(td_fixture *given, td_slice text, td_json **ret_root)
{
    uint8_t *copy = td_alloc(text.len == 0 ? 1 : text.len);
    ck_assert_ptr_nonnull(copy);
    ck_assert(td_arena_defer(&given->arena, td_free, copy));
    if (text.len > 0) memcpy(copy, text.ptr, text.len);
    return td_json_parse(td_slice_of(copy, text.len), &given->arena, ret_root, &given->error);
}

const td_json *json_of(td_fixture *given, td_slice text)
{
    td_json *root = NULL;
    ck_assert_int_eq(read_copy(given, text, &root), TD_OK);
    return root;
}

const char *error_text(td_fixture *given)
{
    char *text = td_arena_alloc(&given->arena, given->error.text.len + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, given->error.text.ptr, given->error.text.len);
    text[given->error.text.len] = '\0';
    return text;
}
