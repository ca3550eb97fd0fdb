/* SPDX-License-Identifier: Apache-2.0
 * json_read.c: tests of the strict reader. */
#include "wire/json.h"

#include "thermodyn/limits.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

static const td_slice not_json[] = {
    TD_LIT_INIT(""),
    TD_LIT_INIT(" "),
    TD_LIT_INIT("hi"),
    TD_LIT_INIT("{"),
    TD_LIT_INIT("}"),
    TD_LIT_INIT("["),
    TD_LIT_INIT("[1"),
    TD_LIT_INIT("[1,"),
    TD_LIT_INIT("[1,]"),
    TD_LIT_INIT("[,1]"),
    TD_LIT_INIT("[1 2]"),
    TD_LIT_INIT("{\"a\"}"),
    TD_LIT_INIT("{\"a\":}"),
    TD_LIT_INIT("{\"a\":1,}"),
    TD_LIT_INIT("{a:1}"),
    TD_LIT_INIT("{\"a\" 1}"),
    TD_LIT_INIT("{1:1}"),
    TD_LIT_INIT("{} {}"),
    TD_LIT_INIT("{}x"),
    TD_LIT_INIT("{}\0"),
    TD_LIT_INIT("tru"),
    TD_LIT_INIT("True"),
    TD_LIT_INIT("nul"),
    TD_LIT_INIT("falsey"),
    TD_LIT_INIT("'a'"),
    TD_LIT_INIT("\"a"),
    TD_LIT_INIT("\"a\\"),
    TD_LIT_INIT("\"\\\""),
    TD_LIT_INIT("\"\\x\""),
    TD_LIT_INIT("\"\\u\""),
    TD_LIT_INIT("\"\\u12\""),
    TD_LIT_INIT("\"\\u123g\""),
    TD_LIT_INIT("\"\\u 123\""),
    TD_LIT_INIT("\"a\nb\""),
    TD_LIT_INIT("\"a\0b\""),
    TD_LIT_INIT("\"\x1f\""),
    TD_LIT_INIT("\"\\ud800\""),
    TD_LIT_INIT("\"\\udc00\""),
    TD_LIT_INIT("\"\\ud800x\""),
    TD_LIT_INIT("\"\\ud800\\u0041\""),
    TD_LIT_INIT("\"\\ud800\\ud800\""),
    TD_LIT_INIT("\"\\ud83d\\ude\""),
    TD_LIT_INIT("\"\x80\""),
    TD_LIT_INIT("\"\xc3\""),
    TD_LIT_INIT("\"\xc0\x80\""),
    TD_LIT_INIT("\"\xed\xa0\x80\""),
    TD_LIT_INIT("\"\xf4\x90\x80\x80\""),
    TD_LIT_INIT("{\"\xff\":1}"),
    TD_LIT_INIT("007"),
    TD_LIT_INIT("01"),
    TD_LIT_INIT("-"),
    TD_LIT_INIT("+1"),
    TD_LIT_INIT(".5"),
    TD_LIT_INIT("5."),
    TD_LIT_INIT("1e"),
    TD_LIT_INIT("1e+"),
    TD_LIT_INIT("1.e5"),
    TD_LIT_INIT("0x10"),
    TD_LIT_INIT("NaN"),
    TD_LIT_INIT("-Infinity"),
    TD_LIT_INIT("1_0"),
    TD_LIT_INIT("\xef\xbb\xbf{}"),
    TD_LIT_INIT("// a\n{}"),
};

START_TEST(what_is_not_json_is_refused)
{
    for (size_t i = 0; i < TD_COUNT_OF(not_json); i++) {
        td_json *root = NULL;
        ck_assert_msg(read_copy(&fixture, not_json[i], &root) == TD_SERIALIZATION, "%s was read",
                      show_slice(arena, not_json[i]));
        ck_assert_str_eq(error_text(&fixture), "");
        ck_assert_ptr_null(root);
    }
}
END_TEST

START_TEST(numbers_are_kept_as_they_were_written)
{
    static const char *const texts[] = {
        "0", "-0", "10", "1.50", "-12.25e-10", "1E400", "123456789012345678901234567890"};
    for (size_t i = 0; i < TD_COUNT_OF(texts); i++) {
        const td_json *json = json_of(&fixture, td_slice_of_cstr(texts[i]));
        ck_assert_int_eq(json->type, TD_JSON_NUMBER);
        ck_assert(td_slice_equal(json->text, td_slice_of_cstr(texts[i])));
    }
}
END_TEST

START_TEST(strings_are_unescaped)
{
    static const struct {
        td_slice text;
        td_slice expected;
    } cases[] = {
        {TD_LIT_INIT("\"\""), TD_LIT_INIT("")},
        {TD_LIT_INIT("\"abc\""), TD_LIT_INIT("abc")},
        {TD_LIT_INIT("\"0123456789abcdef\""), TD_LIT_INIT("0123456789abcdef")},
        {TD_LIT_INIT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), TD_LIT_INIT("\"\\/\b\f\n\r\t")},
        {TD_LIT_INIT("\"a\\u0000b\""), TD_LIT_INIT("a\0b")},
        {TD_LIT_INIT("\"\\u00e9\\u20AC\\uFFFF\""), TD_LIT_INIT("\xc3\xa9\xe2\x82\xac\xef\xbf\xbf")},
        {TD_LIT_INIT("\"\\ud83d\\uDE00!\""), TD_LIT_INIT("\xf0\x9f\x98\x80!")},
        {TD_LIT_INIT("\"\\udbff\\udfff\""), TD_LIT_INIT("\xf4\x8f\xbf\xbf")},
        {TD_LIT_INIT("\"\xc3\xa9 \xf0\x9f\x98\x80 \x7f\""), TD_LIT_INIT("\xc3\xa9 \xf0\x9f\x98\x80 \x7f")},
        {TD_LIT_INIT("\"12345678\\n12345678\""), TD_LIT_INIT("12345678\n12345678")},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        const td_json *json = json_of(&fixture, cases[i].text);
        ck_assert_int_eq(json->type, TD_JSON_STRING);
        ck_assert_str_eq(show_slice(arena, json->text), show_slice(arena, cases[i].expected));
    }
}
END_TEST

START_TEST(plain_strings_point_into_the_body)
{
    td_slice body = TD_LIT("{\"name\":\"plain\"}");
    td_json *root;
    ck_assert_int_eq(td_json_parse(body, arena, &root, &fixture.error), TD_OK);
    ck_assert_ptr_eq(root->children[0].name.ptr, body.ptr + 2);
    ck_assert_ptr_eq(root->children[0].text.ptr, body.ptr + 9);
}
END_TEST

/* A string of any length must end at its quote, wherever in a word of eight bytes that stands. */
START_TEST(every_special_byte_is_seen_at_every_place)
{
    uint8_t text[42];
    for (size_t len = 1; len <= 40; len++) {
        for (size_t at = 0; at < len; at++) {
            for (int byte = 0; byte < 256; byte++) {
                memset(text, 'a', sizeof(text));
                text[0] = '"';
                text[len + 1] = '"';
                text[at + 1] = (uint8_t)byte;
                td_json *root = NULL;
                td_status status = read_copy(&fixture, td_slice_of(text, len + 2), &root);
                bool is_plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
                ck_assert_msg((status == TD_OK) == is_plain, "byte %d at %zu of %zu", byte, at, len);
                if (is_plain) ck_assert_uint_eq(root->text.len, len);
            }
        }
        td_arena_reset(arena);
    }
}
END_TEST

START_TEST(children_lie_side_by_side_in_their_order)
{
    const td_json *json = json_of(&fixture, TD_LIT(" { \"a\" : [ 1 , [ ] , { \"x\" : null } ] , \"b\" : { } , "
                                                   "\"a\" : true , \"c\" : false } "));
    ck_assert_int_eq(json->type, TD_JSON_OBJECT);
    ck_assert_uint_eq(json->count, 4);
    ck_assert_int_eq(json->children[0].type, TD_JSON_ARRAY);
    ck_assert_uint_eq(json->children[0].count, 3);
    ck_assert_int_eq(json->children[0].children[0].type, TD_JSON_NUMBER);
    ck_assert_uint_eq(json->children[0].children[1].count, 0);
    ck_assert_int_eq(json->children[0].children[2].children[0].type, TD_JSON_NULL);
    ck_assert_int_eq(json->children[1].type, TD_JSON_OBJECT);
    ck_assert_uint_eq(json->children[1].count, 0);
    ck_assert_int_eq(json->children[3].type, TD_JSON_FALSE);
    CHECK_SLICE(arena, json->children[3].name, "c");
}
END_TEST

START_TEST(of_two_members_of_one_name_the_last_is_found)
{
    const td_json *json = json_of(&fixture, TD_LIT("{\"a\":1,\"b\":2,\"a\":3,\"c\":4,\"c\":null}"));
    CHECK_SLICE(arena, td_json_find(json, TD_LIT("a"))->text, "3");
    CHECK_SLICE(arena, td_json_find(json, TD_LIT("b"))->text, "2");
    ck_assert_ptr_null(td_json_find(json, TD_LIT("c")));
    ck_assert_ptr_null(td_json_find(json, TD_LIT("d")));
}
END_TEST

START_TEST(containers_of_many_children_outgrow_the_stack)
{
    enum { COUNT = 1000 };
    td_buf buf;
    td_buf_init(&buf, 1 << 20);
    td_buf_append_byte(&buf, '[');
    for (int i = 0; i < COUNT; i++)
        td_buf_append_format(&buf, "%s[%d,[%d]]", i > 0 ? "," : "", i, i);
    td_buf_append_byte(&buf, ']');
    const td_json *json = json_of(&fixture, td_buf_contents(&buf));
    ck_assert_uint_eq(json->count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(td_json_to_int(&json->children[i].children[0]), i);
        ck_assert_int_eq(td_json_to_int(&json->children[i].children[1].children[0]), i);
    }
    td_buf_done(&buf);
}
END_TEST

START_TEST(nesting_stops_at_its_limit)
{
    char text[2 * (TD_LIMIT_JSON_DEPTH_MAX + 1)];
    for (size_t depth = TD_LIMIT_JSON_DEPTH_MAX; depth <= TD_LIMIT_JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        td_json *root;
        ck_assert_int_eq(read_copy(&fixture, td_slice_of(text, 2 * depth), &root),
                         depth <= TD_LIMIT_JSON_DEPTH_MAX ? TD_OK : TD_SERIALIZATION);
    }
}
END_TEST

START_TEST(want_of_memory_is_told_as_such)
{
    td_buf buf;
    td_buf_init(&buf, 1 << 20);
    td_buf_append_byte(&buf, '[');
    for (int i = 0; i < 5000; i++)
        td_buf_append_lit(&buf, "\"\\n\",");
    td_buf_append_lit(&buf, "1]");
    td_arena small;
    td_arena_init(&small, 64 * 1024);
    td_error error = {.arena = &small};
    td_json *root;
    ck_assert_int_eq(td_json_parse(td_buf_contents(&buf), &small, &root, &error), TD_OUT_OF_MEMORY);
    td_arena_done(&small);
    td_buf_done(&buf);
}
END_TEST

START_TEST(integers_are_rounded_down_and_bounded)
{
    static const struct {
        const char *text;
        int64_t expected;
    } cases[] = {
        {"0", 0},
        {"-7", -7},
        {"10.9", 10},
        {"-10.9", -11},
        {"1e3", 1000},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", INT64_MAX},
        {"-1e400", INT64_MIN},
        {"0.0001", 0},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        ck_assert_int_eq(td_json_to_int(json_of(&fixture, td_slice_of_cstr(cases[i].text))), cases[i].expected);
    }
}
END_TEST

START_TEST(booleans_may_be_words)
{
    static const char *const truths[] = {"true", "\"true\"", "\"TRUE\"", "\"1\"", "\"Yes\""};
    static const char *const lies[] = {"false", "\"false\"", "\"0\"", "\"no\"", "\"\""};
    for (size_t i = 0; i < TD_COUNT_OF(truths); i++) {
        ck_assert(td_json_to_bool(json_of(&fixture, td_slice_of_cstr(truths[i]))));
        ck_assert(!td_json_to_bool(json_of(&fixture, td_slice_of_cstr(lies[i]))));
    }
}
END_TEST

TCase *json_read_tests(void)
{
    TCase *tests = tcase_create("json_read");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, what_is_not_json_is_refused);
    tcase_add_test(tests, numbers_are_kept_as_they_were_written);
    tcase_add_test(tests, strings_are_unescaped);
    tcase_add_test(tests, plain_strings_point_into_the_body);
    tcase_add_test(tests, every_special_byte_is_seen_at_every_place);
    tcase_add_test(tests, children_lie_side_by_side_in_their_order);
    tcase_add_test(tests, of_two_members_of_one_name_the_last_is_found);
    tcase_add_test(tests, containers_of_many_children_outgrow_the_stack);
    tcase_add_test(tests, nesting_stops_at_its_limit);
    tcase_add_test(tests, want_of_memory_is_told_as_such);
    tcase_add_test(tests, integers_are_rounded_down_and_bounded);
    tcase_add_test(tests, booleans_may_be_words);
    return tests;
}
