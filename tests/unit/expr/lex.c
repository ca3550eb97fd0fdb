/* SPDX-License-Identifier: Apache-2.0
 * lex.c: tests of the tokens of expressions. */
#include "ast.h"
#include "bag.h"
#include "suites.h"

#include <stdio.h>

/* The tokens' kinds and texts: "12:set 3:#a". */
static void check_tokens(const char *text, td_grammar grammar, const td_token_kind *kinds, const char *const *texts)
{
    td_slice all = td_slice_of_cstr(text);
    uint32_t offset = 0;
    for (size_t i = 0;; i++) {
        td_token token = td_expr__lex(all, offset, grammar);
        ck_assert_msg(token.kind == kinds[i], "%s: token %zu is of kind %d, wanted %d", text, i, token.kind, kinds[i]);
        if (token.kind == TD_TOKEN_END) break;
        ck_assert_uint_eq(token.len, strlen(texts[i]));
        ck_assert_mem_eq(text + token.offset, texts[i], token.len);
        offset = token.offset + token.len;
    }
}

#define KINDS(...) ((const td_token_kind[]){__VA_ARGS__ __VA_OPT__(, ) TD_TOKEN_END})
#define TEXTS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

START_TEST(operators_are_taken_as_long_as_they_are)
{
    check_tokens(
        "<><=<>=>=", TD_GRAMMAR_CONDITION,
        KINDS(TD_TOKEN_NOT_EQUAL, TD_TOKEN_LESS_EQUAL, TD_TOKEN_NOT_EQUAL, TD_TOKEN_EQUAL, TD_TOKEN_GREATER_EQUAL),
        TEXTS("<>", "<=", "<>", "=", ">="));
    check_tokens("< > a+-b", TD_GRAMMAR_UPDATE,
                 KINDS(TD_TOKEN_LESS, TD_TOKEN_GREATER, TD_TOKEN_NAME, TD_TOKEN_PLUS, TD_TOKEN_MINUS, TD_TOKEN_NAME),
                 TEXTS("<", ">", "a", "+", "-", "b"));
}
END_TEST

START_TEST(keywords_are_those_of_the_grammar_in_any_case)
{
    check_tokens("and Or nOT in between set", TD_GRAMMAR_CONDITION,
                 KINDS(TD_TOKEN_AND, TD_TOKEN_OR, TD_TOKEN_NOT, TD_TOKEN_IN, TD_TOKEN_BETWEEN, TD_TOKEN_NAME),
                 TEXTS("and", "Or", "nOT", "in", "between", "set"));
    check_tokens("SET remove Add DELETE and", TD_GRAMMAR_UPDATE,
                 KINDS(TD_TOKEN_SET, TD_TOKEN_REMOVE, TD_TOKEN_ADD, TD_TOKEN_DELETE, TD_TOKEN_NAME),
                 TEXTS("SET", "remove", "Add", "DELETE", "and"));
    check_tokens("set and android", TD_GRAMMAR_PROJECTION, KINDS(TD_TOKEN_NAME, TD_TOKEN_NAME, TD_TOKEN_NAME),
                 TEXTS("set", "and", "android"));
}
END_TEST

START_TEST(names_begin_with_a_letter_and_marks_need_more_than_their_sign)
{
    check_tokens("a_1 _a 4g", TD_GRAMMAR_CONDITION,
                 KINDS(TD_TOKEN_NAME, TD_TOKEN_UNKNOWN, TD_TOKEN_NAME, TD_TOKEN_INTEGER, TD_TOKEN_NAME),
                 TEXTS("a_1", "_", "a", "4", "g"));
    check_tokens("#_ :1a # : a:b", TD_GRAMMAR_CONDITION,
                 KINDS(TD_TOKEN_NAME_MARK, TD_TOKEN_VALUE_MARK, TD_TOKEN_UNKNOWN, TD_TOKEN_UNKNOWN, TD_TOKEN_NAME,
                       TD_TOKEN_VALUE_MARK),
                 TEXTS("#_", ":1a", "#", ":", "a", ":b"));
}
END_TEST

START_TEST(an_unknown_character_is_a_token_in_whole)
{
    check_tokens("\xc3\xbc > \xf0\x9f\x98\x80!", TD_GRAMMAR_CONDITION,
                 KINDS(TD_TOKEN_UNKNOWN, TD_TOKEN_GREATER, TD_TOKEN_UNKNOWN, TD_TOKEN_UNKNOWN),
                 TEXTS("\xc3\xbc", ">", "\xf0\x9f\x98\x80", "!"));
}
END_TEST

START_TEST(blanks_hold_tokens_apart_and_count_for_nothing)
{
    check_tokens(" \t\r\n", TD_GRAMMAR_CONDITION, KINDS(), TEXTS());
    check_tokens("\n a\t", TD_GRAMMAR_CONDITION, KINDS(TD_TOKEN_NAME), TEXTS("a"));
}
END_TEST

TCase *lex_tests(void)
{
    TCase *tests = tcase_create("lex");
    tcase_add_test(tests, operators_are_taken_as_long_as_they_are);
    tcase_add_test(tests, keywords_are_those_of_the_grammar_in_any_case);
    tcase_add_test(tests, names_begin_with_a_letter_and_marks_need_more_than_their_sign);
    tcase_add_test(tests, an_unknown_character_is_a_token_in_whole);
    tcase_add_test(tests, blanks_hold_tokens_apart_and_count_for_nothing);
    return tests;
}
