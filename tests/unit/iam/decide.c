/* SPDX-License-Identifier: Apache-2.0
 * decide.c: tests of verdicts: whose policies say what, and which of them counts. */
#include "given.h"
#include "suites.h"

#define TABLE "arn:aws:dynamodb:us-east-1:" ACCOUNT ":table/T"
#define ALICE "arn:aws:iam::" ACCOUNT ":user/alice"
#define ROOT "arn:aws:iam::" ACCOUNT ":root"
#define GUEST "arn:aws:iam::111122223333:user/guest"

#define STATEMENT(effect, more) "{'Effect':'" effect "'," more "}"
#define ALLOW STATEMENT("Allow", "'Action':'dynamodb:GetItem','Resource':'" TABLE "'")
#define DENY STATEMENT("Deny", "'Action':'dynamodb:*','Resource':'*'")
#define OTHER STATEMENT("Allow", "'Action':'dynamodb:PutItem','Resource':'*'")
#define OF(effect, principal) STATEMENT(effect, "'Action':'dynamodb:*','Resource':'*','Principal':" principal)

typedef struct decide_case {
    const char *arn;
    const char *identity; /* statements; NULL: no policy */
    const char *resource;
    td_iam_verdict verdict;
} decide_case;

static const decide_case cases[] = {
    {ALICE, NULL, NULL, TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, OTHER, NULL, TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, ALLOW, NULL, TD_IAM_ALLOWED},
    {ALICE, OTHER "," ALLOW, NULL, TD_IAM_ALLOWED},
    {ALICE, ALLOW "," DENY, NULL, TD_IAM_DENIED_BY_IDENTITY},
    {ALICE, DENY "," ALLOW, NULL, TD_IAM_DENIED_BY_IDENTITY},
    {ALICE, NULL, OF("Allow", "{'AWS':'" ALICE "'}"), TD_IAM_ALLOWED},
    {ALICE, NULL, OF("Allow", "{'AWS':'" ALICE "2'}"), TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, NULL, OF("Allow", "{'AWS':'" ACCOUNT "'}"), TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, NULL, OF("Allow", "{'Service':'lambda.amazonaws.com'}"), TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, ALLOW, OF("Deny", "'*'"), TD_IAM_DENIED_BY_RESOURCE},
    {ALICE, ALLOW, OF("Deny", "{'AWS':'*'}"), TD_IAM_DENIED_BY_RESOURCE},
    {ALICE, ALLOW, OF("Deny", "{'AWS':'" ACCOUNT "'}"), TD_IAM_DENIED_BY_RESOURCE},
    {ALICE, ALLOW, OF("Deny", "{'AWS':'" GUEST "'}"), TD_IAM_ALLOWED},
    {ALICE, DENY, OF("Allow", "{'AWS':'" ALICE "'}"), TD_IAM_DENIED_BY_IDENTITY},
    {ALICE, DENY, OF("Deny", "'*'"), TD_IAM_DENIED_BY_IDENTITY},
    {ALICE, ALLOW, STATEMENT("Deny", "'Action':'*','Resource':'*','NotPrincipal':{'AWS':'" ALICE "'}"), TD_IAM_ALLOWED},
    {ALICE, ALLOW, STATEMENT("Deny", "'Action':'*','Resource':'*','NotPrincipal':{'AWS':'" GUEST "'}"),
     TD_IAM_DENIED_BY_RESOURCE},
    {ROOT, NULL, NULL, TD_IAM_ALLOWED},
    {ROOT, DENY, NULL, TD_IAM_ALLOWED},
    {ROOT, NULL, OF("Deny", "'*'"), TD_IAM_DENIED_BY_RESOURCE},
    {GUEST, ALLOW, NULL, TD_IAM_NOT_ALLOWED_BY_RESOURCE},
    {GUEST, NULL, OF("Allow", "{'AWS':'" GUEST "'}"), TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {GUEST, ALLOW, OF("Allow", "{'AWS':'" GUEST "'}"), TD_IAM_ALLOWED},
    {GUEST, ALLOW, OF("Allow", "{'AWS':'111122223333'}"), TD_IAM_ALLOWED},
    {GUEST, ALLOW, OF("Allow", "{'AWS':'" ACCOUNT "'}"), TD_IAM_NOT_ALLOWED_BY_RESOURCE},
    /* actions and resources */
    {ALICE, STATEMENT("Allow", "'Action':'DynamoDB:getitem','Resource':'*'"), NULL, TD_IAM_ALLOWED},
    {ALICE, STATEMENT("Allow", "'Action':['s3:*','*:Get*'],'Resource':'*'"), NULL, TD_IAM_ALLOWED},
    {ALICE, STATEMENT("Allow", "'Action':'dynamodb:GetItem?','Resource':'*'"), NULL, TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, STATEMENT("Allow", "'NotAction':'dynamodb:Put*','Resource':'*'"), NULL, TD_IAM_ALLOWED},
    {ALICE, STATEMENT("Allow", "'NotAction':['s3:*','dynamodb:Get*'],'Resource':'*'"), NULL,
     TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, STATEMENT("Allow", "'Action':'*','Resource':'arn:aws:dynamodb:*:*:table/?'"), NULL, TD_IAM_ALLOWED},
    {ALICE, STATEMENT("Allow", "'Action':'*','Resource':'" TABLE "/index/*'"), NULL, TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, STATEMENT("Allow", "'Action':'*','Resource':'arn:aws:dynamodb:us-east-1:" ACCOUNT ":table/t'"), NULL,
     TD_IAM_NOT_ALLOWED_BY_IDENTITY},
    {ALICE, STATEMENT("Allow", "'Action':'*','NotResource':'arn:aws:dynamodb:*:*:table/U'"), NULL, TD_IAM_ALLOWED},
    {ALICE, STATEMENT("Allow", "'Action':'*','NotResource':'" TABLE "'"), NULL, TD_IAM_NOT_ALLOWED_BY_IDENTITY},
};

static td_iam_policy *policy_of(td_iam_kind kind, const char *statements)
{
    td_slice text;
    ck_assert(td_arena_format(given_arena(), &text, "{'Version':'2012-10-17','Statement':[%s]}%c", statements, '\0'));
    return given_policy(kind, (const char *)text.ptr);
}

START_TEST(a_deny_outweighs_allows_and_what_nothing_allows_is_denied)
{
    const decide_case *it = &cases[_i];
    td_iam_caller caller = given_caller(it->arn);
    td_iam_policy *own = it->identity == NULL ? NULL : policy_of(TD_IAM_IDENTITY, it->identity);
    td_iam_policy *of_resource = it->resource == NULL ? NULL : policy_of(TD_IAM_TABLE, it->resource);
    caller.policies = &own;
    caller.policy_count = own != NULL;
    td_iam_request request = {
        .caller = &caller, .account = TD_LIT(ACCOUNT), .action = TD_LIT("dynamodb:GetItem"), .resource = TD_LIT(TABLE)};
    ck_assert_int_eq(td_iam_decide(&request, of_resource), it->verdict);
}
END_TEST

TCase *decide_tests(void)
{
    TCase *tests = tcase_create("decide");
    tcase_add_checked_fixture(tests, given_setup, given_teardown);
    tcase_add_loop_test(tests, a_deny_outweighs_allows_and_what_nothing_allows_is_denied, 0, TD_COUNT_OF(cases));
    return tests;
}
