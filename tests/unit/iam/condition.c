/* SPDX-License-Identifier: Apache-2.0
 * condition.c: tests of the operators: a condition, a context, and whether it holds. */
#include "given.h"
#include "suites.h"

typedef struct condition_case {
    const char *condition;
    const char *context;
    bool holds;
} condition_case;

static const condition_case cases[] = {
    /* texts */
    {"{'StringEquals':{'k':'a'}}", "{'k':'a'}", true},
    {"{'StringEquals':{'k':'a'}}", "{'k':'A'}", false},
    {"{'StringEquals':{'k':['a','b']}}", "{'k':'b'}", true},
    {"{'StringEquals':{'k':'a*'}}", "{'k':'ab'}", false},
    {"{'StringEquals':{'K':'a'}}", "{'k':'a'}", true}, /* names of keys in any case */
    {"{'StringNotEquals':{'k':['a','b']}}", "{'k':'b'}", false},
    {"{'StringNotEquals':{'k':['a','b']}}", "{'k':'c'}", true},
    {"{'StringEqualsIgnoreCase':{'k':'a'}}", "{'k':'A'}", true},
    {"{'StringNotEqualsIgnoreCase':{'k':'a'}}", "{'k':'A'}", false},
    {"{'StringLike':{'k':'a*'}}", "{'k':'ab'}", true},
    {"{'StringNotLike':{'k':'a*'}}", "{'k':'ab'}", false},
    {"{'StringEquals':{'k':'${v}'}}", "{'k':'a','v':'a'}", true},
    {"{'StringLike':{'k':'${v}-*'}}", "{'k':'a-b','v':'a'}", true},
    {"{'BinaryEquals':{'k':'QmluYXJ5'}}", "{'k':'QmluYXJ5'}", true},
    /* all tests must hold, all keys of a test too */
    {"{'StringEquals':{'k':'a','l':'b'}}", "{'k':'a','l':'c'}", false},
    {"{'StringEquals':{'k':'a'},'StringLike':{'l':'*'}}", "{'k':'a'}", false},
    {"{}", "{}", true},
    /* keys that are absent */
    {"{'StringEquals':{'k':'a'}}", "{}", false},
    {"{'StringNotEquals':{'k':'a'}}", "{}", true},
    {"{'StringEqualsIfExists':{'k':'a'}}", "{}", true},
    {"{'StringEqualsIfExists':{'k':'a'}}", "{'k':'b'}", false},
    {"{'StringNotEqualsIfExists':{'k':'a'}}", "{'k':'a'}", false},
    {"{'ForAllValues:StringEquals':{'k':'a'}}", "{}", true},
    {"{'ForAllValues:StringEquals':{'k':'a'}}", "{'k':[]}", true},
    {"{'ForAnyValue:StringEquals':{'k':'a'}}", "{}", false},
    {"{'ForAnyValue:StringEquals':{'k':'a'}}", "{'k':[]}", false},
    {"{'ForAnyValue:StringNotEquals':{'k':'a'}}", "{}", false},
    {"{'ForAnyValue:StringEqualsIfExists':{'k':'a'}}", "{}", true},
    {"{'Null':{'k':'true'}}", "{}", true},
    {"{'Null':{'k':'true'}}", "{'k':'a'}", false},
    {"{'Null':{'k':false}}", "{'k':'a'}", true},
    {"{'Null':{'k':'false'}}", "{}", false},
    /* several values */
    {"{'ForAllValues:StringEquals':{'k':['a','b']}}", "{'k':['a','b','a']}", true},
    {"{'ForAllValues:StringEquals':{'k':['a','b']}}", "{'k':['a','c']}", false},
    {"{'ForAllValues:StringNotLike':{'k':['s*','t']}}", "{'k':['a','b']}", true},
    {"{'ForAllValues:StringNotLike':{'k':['s*','t']}}", "{'k':['a','secret']}", false},
    {"{'ForAnyValue:StringEquals':{'k':['a','b']}}", "{'k':['c','b']}", true},
    {"{'ForAnyValue:StringEquals':{'k':['a','b']}}", "{'k':['c','d']}", false},
    {"{'ForAnyValue:StringNotEquals':{'k':['a','b']}}", "{'k':['a','c']}", true},
    {"{'ForAnyValue:StringNotEquals':{'k':['a','b']}}", "{'k':['a','b']}", false},
    {"{'StringEquals':{'k':'a'}}", "{'k':['b','a']}", true},
    {"{'StringNotEquals':{'k':'a'}}", "{'k':['b','a']}", false},
    /* numbers */
    {"{'NumericEquals':{'k':'1.0'}}", "{'k':'1'}", true},
    {"{'NumericEquals':{'k':10}}", "{'k':'1e1'}", true},
    {"{'NumericNotEquals':{'k':'1'}}", "{'k':'2'}", true},
    {"{'NumericLessThan':{'k':'10'}}", "{'k':'9'}", true},
    {"{'NumericLessThan':{'k':'9'}}", "{'k':'9'}", false},
    {"{'NumericLessThanEquals':{'k':'9'}}", "{'k':'9'}", true},
    {"{'NumericGreaterThan':{'k':'9'}}", "{'k':'10'}", true},
    {"{'NumericGreaterThanEquals':{'k':'9'}}", "{'k':'8'}", false},
    {"{'NumericEquals':{'k':'1'}}", "{'k':'one'}", false},
    {"{'NumericEquals':{'k':''}}", "{'k':''}", false},
    /* instants */
    {"{'DateEquals':{'k':'2026-11-30T00:00:00Z'}}", "{'k':'1795996800'}", true},
    {"{'DateLessThan':{'k':'2026-11-30T00:00:01Z'}}", "{'k':'2026-11-30T00:00:00Z'}", true},
    {"{'DateLessThan':{'k':'2026-11-30'}}", "{'k':'2026-11-29T23:59:59.999Z'}", true},
    {"{'DateGreaterThan':{'k':'2026-11-30'}}", "{'k':'2026-11-29T23:59:59Z'}", false},
    {"{'DateGreaterThanEquals':{'k':'2026-11-30'}}", "{'k':'2026-11-30T00:00:00Z'}", true},
    {"{'DateLessThanEquals':{'k':'2026-11-30'}}", "{'k':'tomorrow'}", false},
    {"{'DateNotEquals':{'k':'2026-11-30'}}", "{'k':'2026-11-30T01:00:00Z'}", true},
    {"{'DateEquals':{'k':'2026-11-30T00:00'}}", "{'k':'2026-11-30T00:00:00Z'}", false},
    /* booleans */
    {"{'Bool':{'k':true}}", "{'k':'true'}", true},
    {"{'Bool':{'k':'True'}}", "{'k':'true'}", true},
    {"{'Bool':{'k':'false'}}", "{'k':'true'}", false},
    {"{'BoolIfExists':{'k':'true'}}", "{}", true},
    /* addresses */
    {"{'IpAddress':{'k':'10.1.0.0/16'}}", "{'k':'10.1.2.3'}", true},
    {"{'IpAddress':{'k':'10.1.0.0/16'}}", "{'k':'10.2.2.3'}", false},
    {"{'IpAddress':{'k':'10.1.2.3'}}", "{'k':'10.1.2.3'}", true},
    {"{'IpAddress':{'k':'10.1.2.3/31'}}", "{'k':'10.1.2.2'}", true},
    {"{'IpAddress':{'k':'0.0.0.0/0'}}", "{'k':'10.1.2.3'}", true},
    {"{'IpAddress':{'k':'0.0.0.0/0'}}", "{'k':'2001:db8::1'}", false},
    {"{'IpAddress':{'k':'2001:db8::/33'}}", "{'k':'2001:db8:7fff::1'}", true},
    {"{'IpAddress':{'k':'2001:db8::/33'}}", "{'k':'2001:db8:8000::1'}", false},
    {"{'IpAddress':{'k':'10.1.0.0/33'}}", "{'k':'10.1.0.0'}", false},
    {"{'IpAddress':{'k':'10.1.0.0/x'}}", "{'k':'10.1.0.0'}", false},
    {"{'NotIpAddress':{'k':['10.0.0.0/8','::/0']}}", "{'k':'11.1.2.3'}", true},
    {"{'NotIpAddress':{'k':'10.0.0.0/8'}}", "{'k':'11.1.2.3'}", true},
    /* ARNs */
    {"{'ArnLike':{'k':'arn:aws:iam::*:role/R*'}}", "{'k':'arn:aws:iam::000000000000:role/Reader'}", true},
    {"{'ArnEquals':{'k':'arn:aws:iam::*'}}", "{'k':'arn:aws:iam::000000000000:role/Reader'}", false},
    {"{'ArnNotLike':{'k':'arn:aws:iam::*:role/R*'}}", "{'k':'arn:aws:iam::000000000000:role/Reader'}", false},
    {"{'ArnNotEquals':{'k':'arn:aws:iam::000000000000:role/A'}}", "{'k':'arn:aws:iam::000000000000:role/B'}", true},
};

static td_iam_verdict decide(const char *condition, const char *context, const char *version)
{
    static const td_iam_caller nobody = {.account = TD_LIT_INIT(ACCOUNT)};
    td_iam_request request = {
        .caller = &nobody, .account = TD_LIT(ACCOUNT), .action = TD_LIT("dynamodb:GetItem"), .resource = TD_LIT("*")};
    td_slice text;
    ck_assert(td_arena_format(given_arena(), &text,
                              "{'Version':'%s','Statement':{'Effect':'Allow','Action':'*','Resource':'*','Condition':"
                              "%s}}%c",
                              version, condition, '\0'));
    td_iam_policy *policy = given_policy(TD_IAM_IDENTITY, (const char *)text.ptr);
    td_iam_caller caller = nobody;
    caller.policies = &policy;
    caller.policy_count = 1;
    request.caller = &caller;
    given_context(context, &request);
    return td_iam_decide(&request, NULL);
}

START_TEST(a_condition_holds_or_does_not)
{
    bool holds = decide(cases[_i].condition, cases[_i].context, "2012-10-17") == TD_IAM_ALLOWED;
    ck_assert_msg(holds == cases[_i].holds, "%s of %s", cases[_i].condition, cases[_i].context);
}
END_TEST

START_TEST(the_older_version_knows_no_variables)
{
    const char *condition = "{'StringEquals':{'k':'${v}'}}";
    ck_assert_int_eq(decide(condition, "{'k':'a','v':'a'}", "2008-10-17"), TD_IAM_NOT_ALLOWED_BY_IDENTITY);
    ck_assert_int_eq(decide(condition, "{'k':'${v}','v':'a'}", "2008-10-17"), TD_IAM_ALLOWED);
}
END_TEST

static const char *const no_operators[] = {"",
                                           "StringIs",
                                           "stringequals",
                                           "IfExists",
                                           "ForAllValues:",
                                           "ForAllValues:ForAnyValue:StringEquals",
                                           "NullIfExists",
                                           "StringEqualsIfExistsIfExists"};

START_TEST(there_are_no_other_operators)
{
    td_iam_test test;
    ck_assert(!td_iam__read_operator(td_slice_of_cstr(no_operators[_i]), &test));
}
END_TEST

TCase *condition_tests(void)
{
    TCase *tests = tcase_create("condition");
    tcase_add_checked_fixture(tests, given_setup, given_teardown);
    tcase_add_loop_test(tests, a_condition_holds_or_does_not, 0, TD_COUNT_OF(cases));
    tcase_add_test(tests, the_older_version_knows_no_variables);
    tcase_add_loop_test(tests, there_are_no_other_operators, 0, TD_COUNT_OF(no_operators));
    return tests;
}
