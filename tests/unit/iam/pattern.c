/* SPDX-License-Identifier: Apache-2.0
 * pattern.c: tests of wildcards and variables. */
#include "given.h"
#include "suites.h"

typedef struct pattern_case {
    const char *pattern;
    const char *text;
    bool fits;
} pattern_case;

static void check_case(const pattern_case *it, td_iam_syntax syntax, bool ignores_case)
{
    static const td_iam_caller nobody = {.key_count = 0};
    td_iam_request request = {.caller = &nobody};
    td_iam_pattern pattern;
    given_context("{'aws:username': 'a*', 'aws:TagKeys': ['x', 'y'], 'empty': ''}", &request);
    ck_assert(td_iam__pattern(td_slice_of_cstr(it->pattern), syntax, given_arena(), &pattern));
    bool fits = td_iam__pattern_matches(&pattern, &request, ignores_case, td_slice_of_cstr(it->text));
    ck_assert_msg(fits == it->fits, "%s and %s", it->pattern, it->text);
}

static const pattern_case wildcards[] = {
    {"", "", true},
    {"", "a", false},
    {"*", "", true},
    {"*", "anything:at/all", true},
    {"?", "", false},
    {"?", "a", true},
    {"?", "ab", false},
    {"?", "ü", true},
    {"a?c", "aüc", true},
    {"a*", "a", true},
    {"a*", "ba", false},
    {"*a", "ba", true},
    {"*a", "ab", false},
    {"a*b*c", "a1b2c", true},
    {"a*b*c", "abcbc", true},
    {"a*b*c", "acb", false},
    {"*ab*ab", "abab", true},
    {"*ab*ab", "abaab", true},
    {"*ab*ab", "aab", false},
    {"**", "x", true},
    {"*?", "", false},
    {"*?*", "x", true},
    {"Get*", "GetItem", true},
    {"Get*", "getitem", false},
    {"a.b", "axb", false},
    {"${aws:username}", "${aws:username}", true}, /* without variables it is a text */
};

START_TEST(an_asterisk_is_any_text_and_a_question_mark_any_character)
{
    check_case(&wildcards[_i], (td_iam_syntax){.has_wildcards = true}, false);
}
END_TEST

static const pattern_case plain[] = {{"*", "*", true}, {"*", "a", false}, {"a?", "a?", true}, {"a?", "ab", false}};

START_TEST(without_wildcards_they_are_themselves)
{
    check_case(&plain[_i], (td_iam_syntax){.has_variables = true}, false);
}
END_TEST

static const pattern_case any_case[] = {
    {"dynamodb:GETITEM", "dynamodb:GetItem", true}, {"DYNAMODB:get*", "dynamodb:GetItem", true}, {"a", "b", false}};

START_TEST(letters_may_be_small_or_large)
{
    check_case(&any_case[_i], (td_iam_syntax){.has_wildcards = true}, true);
}
END_TEST

static const pattern_case variables[] = {
    {"${aws:username}", "a*", true},
    {"${aws:username}", "ab", false}, /* its asterisk is none of the pattern's */
    {"${AWS:UserName}", "a*", true},
    {"users/${aws:username}/*", "users/a*/x", true},
    {"${aws:username}${aws:username}", "a*a*", true},
    {"${missing}", "", false},
    {"${missing}", "${missing}", false},
    {"x${missing}*", "x", false},
    {"${missing, 'otherwise'}", "otherwise", true},
    {"${missing,''}", "", true},
    {"${aws:username, 'otherwise'}", "otherwise", false},
    {"${aws:TagKeys}", "x", false}, /* several values are none */
    {"${aws:TagKeys, 'x'}", "x", true},
    {"${empty}a", "a", true},
    {"${*}", "*", true},
    {"${*}", "a", false},
    {"${?}${$}{a}", "?${a}", true},
    {"${}", "${}", true},
    {"${aws:username", "${aws:username", true},
    {"${missing, otherwise}", "${missing, otherwise}", true}, /* no variable: its other value wants quotes */
    {"$a", "$a", true},
};

START_TEST(a_variable_stands_for_the_value_of_its_key)
{
    check_case(&variables[_i], (td_iam_syntax){.has_wildcards = true, .has_variables = true}, false);
}
END_TEST

static const pattern_case arns[] = {
    {"arn:aws:iam::000000000000:user/*", "arn:aws:iam::000000000000:user/a/b:c", true},
    {"arn:aws:iam::*:user/a", "arn:aws:iam::000000000000:user/a", true},
    {"arn:*:iam::*:user/a", "arn:aws-cn:iam::000000000000:user/a", true},
    {"arn:aws:iam:*:user/a", "arn:aws:iam::000000000000:user/a", false},
    {"arn:*", "arn:aws:iam::000000000000:user/a", false},
    {"arn:aws:iam::00000000000?:user/a", "arn:aws:iam::00000000000:user/a", false},
};

START_TEST(in_an_arn_they_stay_within_its_parts)
{
    check_case(&arns[_i], (td_iam_syntax){.has_wildcards = true, .is_arn = true}, false);
}
END_TEST

TCase *pattern_tests(void)
{
    TCase *tests = tcase_create("pattern");
    tcase_add_checked_fixture(tests, given_setup, given_teardown);
    tcase_add_loop_test(tests, an_asterisk_is_any_text_and_a_question_mark_any_character, 0, TD_COUNT_OF(wildcards));
    tcase_add_loop_test(tests, without_wildcards_they_are_themselves, 0, TD_COUNT_OF(plain));
    tcase_add_loop_test(tests, letters_may_be_small_or_large, 0, TD_COUNT_OF(any_case));
    tcase_add_loop_test(tests, a_variable_stands_for_the_value_of_its_key, 0, TD_COUNT_OF(variables));
    tcase_add_loop_test(tests, in_an_arn_they_stay_within_its_parts, 0, TD_COUNT_OF(arns));
    return tests;
}
