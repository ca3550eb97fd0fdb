/* SPDX-License-Identifier: Apache-2.0
 * json_doc.c: tests of the door to cJSON: what it refuses that cJSON lets pass, and exact integers. */
#include "json_doc.h"

#include "suites.h"

static td_arena arena;

static void setup(void) { td_arena_init(&arena, (size_t)1024 * 1024); }
static void teardown(void) { td_arena_done(&arena); }

static const char *refused[] = {
    "",
    "{",
    "{} x",
    "{\"a\":1,\"a\":2}",
    "[{\"b\":{\"a\":1,\"c\":0,\"a\":2}}]",
    "{\"a\":1e400}",
    "{\"a\":\"x\\u0000y\"}",
    "{\"a\\u0000\":1}",
    "{\"a\":\"\\\\\\u0000\"}",
    "{\"a\":\"\xff\"}",
};

START_TEST(what_cjson_passes_over_is_refused)
{
    const char *fault = NULL;
    ck_assert_ptr_null(td_json_doc_parse(td_slice_of_cstr(refused[_i]), &arena, &fault));
    ck_assert_ptr_nonnull(fault);
}
END_TEST

START_TEST(members_are_read_by_type)
{
    const char *fault = NULL;
    const td_json_node *root = td_json_doc_parse(
        TD_LIT(" {\"n\":-1.5,\"i\":9007199254740992,\"t\":\"\\\\u0000\",\"b\":true,\"z\":null,\"l\":[1,2]} \n"),
        &arena, &fault);
    ck_assert_msg(root != NULL, "%s", fault);
    int64_t whole = 0;
    ck_assert_double_eq(td_json_node_number(td_json_node_find(root, "n")), -1.5);
    ck_assert(!td_json_node_int(td_json_node_find(root, "n"), &whole));
    ck_assert(td_json_node_int(td_json_node_find(root, "i"), &whole));
    ck_assert_int_eq(whole, INT64_C(9007199254740992));
    ck_assert(td_slice_equal(td_json_node_text(td_json_node_find(root, "t")), TD_LIT("\\u0000")));
    ck_assert(td_json_node_is_true(td_json_node_find(root, "b")));
    ck_assert_int_eq(td_json_node_get_type(td_json_node_find(root, "z")), TD_JSON_NODE_NULL);
    const td_json_node *first = td_json_node_first(td_json_node_find(root, "l"));
    ck_assert_ptr_nonnull(td_json_node_next(first));
    ck_assert_ptr_null(td_json_node_next(td_json_node_next(first)));
    ck_assert_ptr_null(td_json_node_find(root, "N"));
}
END_TEST

START_TEST(integers_are_written_exactly)
{
    td_json_build build;
    td_buf text;
    td_buf_init(&text, 4096);
    td_json_build_init(&build);
    td_json_put_int(&build, build.root, "i", INT64_C(9007199254740993));
    td_json_put_number(&build, build.root, "n", 2987.5);
    td_json_node *list = td_json_put_array(&build, build.root, "l");
    td_json_put_text(&build, list, NULL, TD_LIT("a\"b"));
    td_json_put_null(&build, list, NULL);
    td_json_put_bool(&build, td_json_put_object(&build, list, NULL), "b", false);
    ck_assert(td_json_build_print(&build, &text));
    td_buf_append_byte(&text, 0);
    ck_assert_str_eq((const char *)text.data,
                     "{\"i\":9007199254740993,\"n\":2987.5,\"l\":[\"a\\\"b\",null,{\"b\":false}]}");
    td_json_build_done(&build);
    td_buf_done(&text);
}
END_TEST

START_TEST(a_failed_part_fails_the_document)
{
    td_json_build build;
    td_buf text;
    td_buf_init(&text, 4096);
    td_json_build_init(&build);
    td_json_put_int(&build, NULL, "i", 1);
    ck_assert(!td_json_build_print(&build, &text));
    ck_assert_uint_eq(text.len, 0);
    td_json_build_done(&build);
    td_buf_done(&text);
}
END_TEST

Suite *json_doc_suite(void)
{
    Suite *suite = suite_create("json_doc");
    TCase *tests = tcase_create("documents");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, what_cjson_passes_over_is_refused, 0, TD_COUNT_OF(refused));
    tcase_add_test(tests, members_are_read_by_type);
    tcase_add_test(tests, integers_are_written_exactly);
    tcase_add_test(tests, a_failed_part_fails_the_document);
    suite_add_tcase(suite, tests);
    return suite;
}
