/* SPDX-License-Identifier: Apache-2.0
 * callers.c: tests of the file of --policies: who stands behind a key, and what is wrong with a file. */
#include "given.h"
#include "suites.h"

static td_iam_callers *callers;

static void teardown(void)
{
    td_iam_callers_free(callers);
    callers = NULL;
    given_teardown();
}

/* What the file is refused with; empty: it is taken. */
static td_slice read_callers(const char *quoted)
{
    td_buf says;
    td_buf_init(&says, 4096);
    td_slice sentence;
    callers = td_iam_callers_read("dir/p.json", given_text(quoted), ACCOUNT, &says);
    ck_assert(td_arena_copy(given_arena(), td_buf_contents(&says), &sentence));
    ck_assert((callers == NULL) == (sentence.len > 0));
    td_buf_done(&says);
    return sentence;
}

static td_iam_caller caller_of(const char *access_key)
{
    td_iam_caller caller;
    ck_assert(td_iam_callers_identify(callers, td_slice_of_cstr(access_key), given_arena(), &caller));
    return caller;
}

static void check_key(const td_iam_caller *caller, const char *name, const char *value)
{
    const td_iam_request request = {.caller = caller};
    const td_iam_key *key = td_iam__find_key(&request, td_slice_of_cstr(name));
    ck_assert_msg((key == NULL) == (value == NULL), "%s", name);
    if (value == NULL) return;
    ck_assert_uint_eq(key->count, 1);
    ck_assert_msg(td_slice_equal(key->values[0], td_slice_of_cstr(value)), "%s is %.*s", name, (int)key->values[0].len,
                  (const char *)key->values[0].ptr);
}

START_TEST(a_key_without_an_entry_is_a_user_of_its_name)
{
    ck_assert_uint_eq(read_callers("{'AccessKeys':{}}").len, 0);
    td_iam_caller caller = caller_of("AKID");
    ck_assert(td_slice_equal(caller.arn, TD_LIT("arn:aws:iam::000000000000:user/AKID")));
    ck_assert_uint_eq(caller.policy_count, 0);
    ck_assert(!caller.is_root);
    check_key(&caller, "aws:username", "AKID");
    check_key(&caller, "aws:userid", "AKID");
    check_key(&caller, "aws:PrincipalType", "User");
    check_key(&caller, "aws:PrincipalAccount", ACCOUNT);
}
END_TEST

START_TEST(an_entry_says_who_it_is)
{
    ck_assert_uint_eq(
        read_callers("{'AccessKeys':{'A':{'Arn':'arn:aws:iam::111122223333:user/path/bob','UserId':'AIDA',"
                     "'Tags':{'team':'red'},'Context':{'aws:SourceIp':'10.0.0.1'}},"
                     "'R':{'Arn':'arn:aws:sts::000000000000:assumed-role/Reader/s'},"
                     "'Z':{'Arn':'arn:aws:iam::000000000000:root'}}}")
            .len,
        0);
    td_iam_caller caller = caller_of("A");
    ck_assert(td_slice_equal(caller.account, TD_LIT("111122223333")));
    check_key(&caller, "aws:username", "bob");
    check_key(&caller, "aws:userid", "AIDA");
    check_key(&caller, "AWS:principaltag/team", "red");
    check_key(&caller, "aws:SourceIp", "10.0.0.1");
    caller = caller_of("R");
    ck_assert(td_slice_equal(caller.arn, TD_LIT("arn:aws:sts::000000000000:assumed-role/Reader/s")));
    ck_assert(td_slice_equal(caller.principal, TD_LIT("arn:aws:iam::000000000000:role/Reader")));
    check_key(&caller, "aws:PrincipalArn", "arn:aws:iam::000000000000:role/Reader");
    check_key(&caller, "aws:PrincipalType", "AssumedRole");
    check_key(&caller, "aws:username", NULL);
    ck_assert(caller_of("Z").is_root);
}
END_TEST

START_TEST(an_asterisk_stands_for_all_that_have_no_entry)
{
    ck_assert_uint_eq(read_callers("{'AccessKeys':{'A':{},'*':{'Tags':{'t':'1'},'Policies':[{'Statement':{'Effect':"
                                   "'Allow','Action':'*','Resource':'*'}}]}}}")
                          .len,
                      0);
    ck_assert_uint_eq(caller_of("A").policy_count, 0);
    td_iam_caller caller = caller_of("B");
    ck_assert_uint_eq(caller.policy_count, 1);
    check_key(&caller, "aws:username", "B");
    check_key(&caller, "aws:PrincipalTag/t", "1");
}
END_TEST

static const char *const faults[][2] = {
    {"", "dir/p.json:1:1: this is not JSON"},
    {"{\n 'AccessKeys': {,", "dir/p.json:2:17: this is not JSON"},
    {"[]", "dir/p.json:1:1: there must be one object, {\"AccessKeys\": {…}}"},
    {"{'AccessKeys':{},'Users':{}}", "dir/p.json:1:1: there must be one object, {\"AccessKeys\": {…}}"},
    {"{'AccessKeys':{'A':7}}", "dir/p.json:1:20: an access key has an object"},
    {"{'AccessKeys':{'A':{},'A':{}}}", "dir/p.json:1:24: this access key is given twice"},
    {"{'AccessKeys':{'A':{\n'Polices':[]}}}",
     "dir/p.json:2:2: an access key has Arn, UserId, Tags, Context and Policies, but no Polices"},
    {"{'AccessKeys':{'A':{'Policies':{}}}}", "dir/p.json:1:22: Policies must be a list"},
    {"{'AccessKeys':{'A':{'Arn':[]}}}", "dir/p.json:1:22: Arn must be a text"},
    {"{'AccessKeys':{'A':{'Tags':[]}}}", "dir/p.json:1:22: Tags must be an object"},
    {"{'AccessKeys':{'A':{'Tags':{'t':1}}}}", "dir/p.json:1:33: a value must be a text, or a list of texts"},
    {"{'AccessKeys':{'A':{'Arn':'alice'}}}",
     "dir/p.json:1:28: this is no ARN of a user, a role's session or an account's root user"},
    {"{'AccessKeys':{'A':{'Context':{'dynamodb:Select':'x'}}}}",
     "dir/p.json:1:51: the keys of dynamodb: come from requests"},
    {"{'AccessKeys':{'A':{'Policies':[{'Statement':{'Effect':'Allow','Action':'*'}}]}}}",
     "dir/p.json:1:35: the policy of access key A: Missing required field Resource"},
    {"{'AccessKeys':{'A':{'Policies':['none.json']}}}",
     "dir/none.json cannot be read: No such file or directory"},
};

START_TEST(what_is_wrong_with_a_file_is_told_with_its_place)
{
    td_slice says = read_callers(faults[_i][0]);
    ck_assert_msg(td_slice_equal(says, td_slice_of_cstr(faults[_i][1])), "%.*s", (int)says.len, (const char *)says.ptr);
}
END_TEST

TCase *callers_tests(void)
{
    TCase *tests = tcase_create("callers");
    tcase_add_checked_fixture(tests, given_setup, teardown);
    tcase_add_test(tests, a_key_without_an_entry_is_a_user_of_its_name);
    tcase_add_test(tests, an_entry_says_who_it_is);
    tcase_add_test(tests, an_asterisk_stands_for_all_that_have_no_entry);
    tcase_add_loop_test(tests, what_is_wrong_with_a_file_is_told_with_its_place, 0, TD_COUNT_OF(faults));
    return tests;
}
