/* SPDX-License-Identifier: Apache-2.0
 * marks.c: tests of ExpressionAttributeNames and ExpressionAttributeValues. */
#include <stdio.h>

#include "wire/decode.h"

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

static td_status decode(const char *names, const char *values, td_expr_marks *ret_marks)
{
    return td_decode_marks(names == NULL ? NULL : json_of(&fixture, td_slice_of_cstr(names)),
                           values == NULL ? NULL : json_of(&fixture, td_slice_of_cstr(values)), arena, ret_marks,
                           &fixture.error);
}

START_TEST(marks_come_in_the_requests_order)
{
    td_expr_marks marks;
    ck_assert_int_eq(decode("{\"#b\":\"x\",\"#a_1\":\"y.z\"}", "{\":v\":{\"N\":\"1\"}}", &marks), TD_OK);
    ck_assert_uint_eq(marks.name_count, 2);
    CHECK_SLICE(arena, marks.names[0].mark, "#b");
    CHECK_SLICE(arena, marks.names[0].name, "x");
    CHECK_SLICE(arena, marks.names[1].mark, "#a_1");
    ck_assert(!marks.names[1].is_used);
    ck_assert_uint_eq(marks.value_count, 1);
    CHECK_SLICE(arena, marks.values[0].mark, ":v");
    CHECK_VALUE(arena, &marks.values[0].value, N("", "1"));
    ck_assert_int_eq(decode(NULL, NULL, &marks), TD_OK);
    ck_assert_uint_eq(marks.name_count + marks.value_count, 0);
}
END_TEST

START_TEST(faults_have_the_services_texts)
{
    static const struct {
        const char *names;
        const char *values;
        const char *text;
    } cases[] = {
        {"{}", "{}", "ExpressionAttributeNames must not be empty"},
        {NULL, "{}", "ExpressionAttributeValues must not be empty"},
        {"{\"#a\":\"a\",\"\":\"b\"}", "{}", "ExpressionAttributeNames contains invalid key: Syntax error; key: \"\""},
        {"{\"#\":\"b\"}", NULL, "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#\""},
        {"{\"a\":\"b\"}", NULL, "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\""},
        {"{\"#a.b\":\"b\"}", NULL, "ExpressionAttributeNames contains invalid key: Syntax error; key: \"#a.b\""},
        {NULL, "{\":a\":{},\"#b\":{}}", "ExpressionAttributeValues contains invalid key: Syntax error; key: \"#b\""},
        {NULL, "{\":b\":{}}",
         "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one "
         "of the supported datatypes for key :b"},
        {NULL, "{\":a\":{\"S\":\"\"},\":b\":{\"SS\":[\"a\",\"a\"]},\":c\":{}}",
         "ExpressionAttributeValues contains invalid value: One or more parameter values were invalid: Input "
         "collection [a, a] contains duplicates. for key :b"},
        {NULL, "{\":b\":{\"N\":\"\"}}",
         "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value for "
         "key :b"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_expr_marks marks;
        CHECK_ERROR(&fixture, decode(cases[i].names, cases[i].values, &marks), TD_VALIDATION, cases[i].text);
    }
}
END_TEST

START_TEST(the_current_wording_does_not_wrap)
{
    td_expr_marks marks;
    fixture.error.value_wording = TD_WORDING_CURRENT;
    CHECK_ERROR(&fixture, decode(NULL, "{\":b\":{\"N\":\"x\"}}", &marks), TD_VALIDATION,
                "The parameter cannot be converted to a numeric value: x");
}
END_TEST

/* Few marks and many are handled differently; both must keep the last of each and the order. */
START_TEST(of_two_marks_of_one_key_the_last_counts)
{
    for (int count = 1; count <= 60; count++) {
        td_buf buf;
        td_buf_init(&buf, 1 << 16);
        for (int i = 0; i < 2 * count; i++) {
            td_buf_append_format(&buf, "%s\"#k%d\":\"v%d\"", i == 0 ? "{" : ",", i * 7 % count, i);
        }
        td_buf_append_lit(&buf, "}");
        td_expr_marks marks;
        ck_assert_int_eq(td_decode_marks(json_of(&fixture, td_buf_contents(&buf)), NULL, arena, &marks, &fixture.error),
                         TD_OK);
        td_buf_done(&buf);

        int last_of[60];
        for (int i = 0; i < 2 * count; i++)
            last_of[i * 7 % count] = i;
        uint32_t at = 0;
        for (int i = 0; i < 2 * count; i++) {
            if (last_of[i * 7 % count] != i) continue;
            char name[16];
            snprintf(name, sizeof(name), "v%d", i);
            ck_assert_uint_lt(at, marks.name_count);
            ck_assert(td_slice_equal(marks.names[at].name, td_slice_of_cstr(name)));
            at++;
        }
        ck_assert_uint_eq(at, marks.name_count);
    }
}
END_TEST

TCase *marks_tests(void)
{
    TCase *tests = tcase_create("marks");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, marks_come_in_the_requests_order);
    tcase_add_test(tests, faults_have_the_services_texts);
    tcase_add_test(tests, the_current_wording_does_not_wrap);
    tcase_add_test(tests, of_two_marks_of_one_key_the_last_counts);
    return tests;
}
