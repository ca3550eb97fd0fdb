/* SPDX-License-Identifier: Apache-2.0
 * cbor.c: tests of the reader of CBOR: what Smithy uses of it, in all the forms that RFC 8949 has for it. */
#include "cloudwatch/cbor_wire.h"

#include "suites.h"
#include "watch.h"

typedef struct cbor_row {
    const char *hex;
    const char *tree; /* as JSON with ' for "; NULL: refused */
} cbor_row;

static const cbor_row rows[] = {
    {"a0", "{}"},
    {"bfff", "{}"},
    {"80", "[]"},
    {"83 01 1818 1903e8", "[1,24,1000]"},
    {"9f 1a000f4240 1b000000e8d4a51000 20 3903e7 ff", "[1000000,1000000000000,-1,-1000]"},
    {"1bffffffffffffffff", "18446744073709551615"},
    {"3b7fffffffffffffff", "-9223372036854775808"},
    {"3b8000000000000000", NULL},
    {"f93e00", "1.5"},
    {"fa47c35000", "100000"},
    {"fb3ff199999999999a", "1.1000000000000001"},
    {"f97c00", NULL}, /* infinity */
    {"fb7ff8000000000000", NULL},
    {"83 f4 f5 f6", "[false,true,null]"},
    {"f7", "null"},
    {"60", "''"},
    {"63'abc'", "'abc'"},
    {"7f 62'ab' 61'c' 60 ff", "'abc'"},
    {"7f ff", "''"},
    {"7f 41'a' ff", NULL}, /* bytes in a text */
    {"61 ff", NULL},       /* no UTF-8 */
    {"43'abc'", NULL},     /* bytes */
    {"c1 1a65000000", "1694498816"},
    {"c1 fb41d940000020c49c", "1694498816.5120001"},
    {"c1 61'x'", NULL},
    {"c0 61'x'", NULL},
    {"c1 c1 01", NULL},
    {"a2 61'a' 01 61'b' 9f 02 ff", "{'a':1,'b':[2]}"},
    {"bf 7f 61'a' 61'b' ff f6 ff", "{'ab':null}"},
    {"a1 01 02", NULL}, /* a key that is no text */
    {"a1 61'a'", NULL},
    {"82 01", NULL},
    {"9f 01", NULL},
    {"ff", NULL},
    {"01 01", NULL}, /* more behind it */
    {"", NULL},
    {"5f ff", NULL},
    {"9b ffffffffffffffff", NULL},
    {"7b 7fffffffffffffff 61", NULL},
};

START_TEST(bytes_become_trees)
{
    static ask_server server;
    const cbor_row *row = &rows[_i];
    td_arena_init(&server.arena, 1 << 20);
    td_json *root;
    td_slice bytes = watch_bytes(&server, row->hex);
    ck_assert_int_eq(td_cbor_parse(bytes, &server.arena, &root), row->tree == NULL ? TD_CBOR_MALFORMED : TD_CBOR_OK);
    if (row->tree != NULL) {
        td_buf text;
        td_buf_init(&text, 1 << 20);
        td_json_write_tree(&text, root);
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '"') text.data[i] = '\'';
        }
        ck_assert_msg(td_slice_equal(td_buf_contents(&text), td_slice_of_cstr(row->tree)), "%.*s", (int)text.len,
                      (const char *)text.data);
        td_buf_done(&text);
    }
    td_arena_done(&server.arena);
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    uint8_t bytes[1000];
    td_arena arena;
    td_json *root;
    td_arena_init(&arena, 1 << 20);
    memset(bytes, 0x81, sizeof bytes);
    bytes[sizeof bytes - 1] = 0x80;
    ck_assert_int_eq(td_cbor_parse(td_slice_of(bytes, sizeof bytes), &arena, &root), TD_CBOR_MALFORMED);
    ck_assert_int_eq(td_cbor_parse(td_slice_of(bytes + sizeof bytes - 20, 20), &arena, &root), TD_CBOR_OK);
    td_arena_done(&arena);
}
END_TEST

TCase *cbor_tests(void)
{
    TCase *tests = tcase_create("cbor");
    tcase_add_loop_test(tests, bytes_become_trees, 0, (int)TD_COUNT_OF(rows));
    tcase_add_test(tests, nesting_has_a_limit);
    return tests;
}
