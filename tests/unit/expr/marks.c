/* SPDX-License-Identifier: Apache-2.0
 * marks.c: tests of reserved words, of marks without use, and of many marks. */
#include "bag.h"
#include "suites.h"

#include <stdio.h>

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

static const char *const reserved_words[] = {
#define TD_RESERVED(word) #word,
#include "reserved.def"
#undef TD_RESERVED
};

START_TEST(all_573_words_are_reserved_in_any_case_and_no_others)
{
    ck_assert_uint_eq(TD_COUNT_OF(reserved_words), 573);
    for (size_t i = 0; i < TD_COUNT_OF(reserved_words); i++) {
        char word[32];
        snprintf(word, sizeof word, "%s", reserved_words[i]);
        ck_assert_msg(td_expr_is_reserved(td_slice_of_cstr(word)), "%s", word);
        word[0] |= 0x20;
        ck_assert_msg(td_expr_is_reserved(td_slice_of_cstr(word)), "%s", word);
        if (i > 0) ck_assert_int_lt(strcmp(reserved_words[i - 1], reserved_words[i]), 0);
    }
    static const char *const free_words[] = {"", "metadata", "pk", "sk", "id", "NULLIFY", "averyveryverylongattribute"};
    for (size_t i = 0; i < TD_COUNT_OF(free_words); i++)
        ck_assert_msg(!td_expr_is_reserved(td_slice_of_cstr(free_words[i])), "%s", free_words[i]);
}
END_TEST

START_TEST(marks_without_use_are_listed_names_before_values)
{
    td_expr_name names[] = {{TD_LIT("#x"), TD_LIT("x"), false}, {TD_LIT("#y"), TD_LIT("y"), false}};
    td_expr_value values[] = {{TD_LIT(":v"), value_of(arena, S("", "v")), false},
                              {TD_LIT(":w"), value_of(arena, S("", "w")), false},
                              {TD_LIT(":z"), value_of(arena, S("", "z")), false}};
    td_expr_marks marks = {names, 2, values, 3};
    td_condition *condition;
    ck_assert_int_eq(
        td_condition_compile(TD_EXPR_CONDITION, TD_LIT("a = :w"), &marks, arena, &condition, &fixture.error), TD_OK);
    ck_assert_int_eq(td_expr_check_unused(&marks, &fixture.error), TD_VALIDATION);
    ck_assert_str_eq(bag_error(&fixture),
                     "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x, #y}");
    td_projection *projection;
    ck_assert_int_eq(td_projection_compile(TD_LIT("#x.#y"), &marks, arena, &projection, &fixture.error), TD_OK);
    ck_assert_int_eq(td_expr_check_unused(&marks, &fixture.error), TD_VALIDATION);
    ck_assert_str_eq(bag_error(&fixture),
                     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v, :z}");
    ck_assert_int_eq(
        td_condition_compile(TD_EXPR_CONDITION, TD_LIT("a in (:v, :z)"), &marks, arena, &condition, &fixture.error),
        TD_OK);
    ck_assert_int_eq(td_expr_check_unused(&marks, &fixture.error), TD_OK);
}
END_TEST

START_TEST(expressions_work_without_any_marks)
{
    td_condition *condition;
    ck_assert_int_eq(td_condition_compile(TD_EXPR_CONDITION, TD_LIT("a = b"), NULL, arena, &condition, &fixture.error),
                     TD_OK);
    ck_assert_int_eq(td_condition_compile(TD_EXPR_CONDITION, TD_LIT("a = :b"), NULL, arena, &condition, &fixture.error),
                     TD_VALIDATION);
}
END_TEST

START_TEST(each_of_many_names_is_found)
{
    enum { COUNT = 686 };
    td_expr_name *names = td_arena_alloc_array(arena, COUNT, sizeof *names);
    char *text = td_arena_alloc(arena, 4096 + 1);
    ck_assert_ptr_nonnull(names);
    ck_assert_ptr_nonnull(text);
    size_t len = 0;
    for (int i = 0; i < COUNT; i++) {
        td_slice mark, name;
        ck_assert(td_arena_format(arena, &mark, "#%x", i));
        ck_assert(td_arena_format(arena, &name, "attribute%d", i));
        names[i] = (td_expr_name){mark, name, false};
        if (i > 0) text[len++] = ',';
        memcpy(text + len, mark.ptr, mark.len);
        len += mark.len;
    }
    td_expr_marks marks = {names, COUNT, NULL, 0};
    td_projection *projection;
    ck_assert_int_eq(td_projection_compile(td_slice_of(text, len), &marks, arena, &projection, &fixture.error), TD_OK);
    ck_assert_int_eq(td_expr_check_unused(&marks, &fixture.error), TD_OK);
    td_attribute *attributes;
    uint32_t count;
    td_item *item = item_of(arena, S("attribute0", "x"), S("attribute685", "y"), S("b", "z"));
    ck_assert_int_eq(td_projection_apply(projection, item, arena, &attributes, &count), TD_OK);
    CHECK_ATTRIBUTES(arena, attributes, count, S("attribute0", "x"), S("attribute685", "y"));
    ck_assert_int_eq(td_projection_compile(TD_LIT("#3e7"), &marks, arena, &projection, &fixture.error), TD_VALIDATION);
}
END_TEST

TCase *marks_tests(void)
{
    TCase *tests = tcase_create("marks");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, all_573_words_are_reserved_in_any_case_and_no_others);
    tcase_add_test(tests, marks_without_use_are_listed_names_before_values);
    tcase_add_test(tests, expressions_work_without_any_marks);
    tcase_add_test(tests, each_of_many_names_is_found);
    return tests;
}
