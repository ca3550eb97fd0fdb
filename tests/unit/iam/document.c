/* SPDX-License-Identifier: Apache-2.0
 * document.c: tests of documents: what is none, and the form in which one is kept.
 * What the service says of policies of tables stands in the wire cases of PutResourcePolicy. */
#include "given.h"
#include "suites.h"

typedef struct document_case {
    td_iam_kind kind;
    const char *document;
    td_iam_fault_kind fault;
    const char *sentence; /* NULL: of no matter */
} document_case;

#define WITH(more) "{'Statement':{'Effect':'Allow'," more "}}"
#define ACTION "'Action':'dynamodb:GetItem'"
#define RESOURCE "'Resource':'*'"
#define DENIED(more) "{'Statement':{'Effect':'Deny'," ACTION "," RESOURCE "," more "}}"

static const document_case faults[] = {
    {TD_IAM_IDENTITY, "7", TD_IAM_FAULT_DOCUMENT, "Syntax error at position (1,1)"},
    {TD_IAM_IDENTITY, "{'Version':'2020-01-01','Statement':[]}", TD_IAM_FAULT_DOCUMENT,
     "Syntax error at position (1,13)"},
    {TD_IAM_IDENTITY, "{'Version':2012,'Statement':[]}", TD_IAM_FAULT_DOCUMENT, "Syntax error at position (1,12)"},
    {TD_IAM_IDENTITY, "{'Id':1,'Statement':[]}", TD_IAM_FAULT_DOCUMENT, "Syntax error at position (1,7)"},
    {TD_IAM_IDENTITY, "{'Statement':'x'}", TD_IAM_FAULT_DOCUMENT, "Syntax error at position (1,15)"},
    {TD_IAM_IDENTITY, "{'Statement':[\n\n7]}", TD_IAM_FAULT_DOCUMENT, "Syntax error at position (3,1)"},
    {TD_IAM_IDENTITY, "{'Statement':[],'Statement':[]}", TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_IDENTITY, WITH(ACTION "," RESOURCE ",'Principal':'*'"), TD_IAM_FAULT_DOCUMENT,
     "Policy document should not specify a principal."},
    {TD_IAM_IDENTITY, WITH("'Action':'GetItem'," RESOURCE), TD_IAM_FAULT_DOCUMENT,
     "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."},
    {TD_IAM_IDENTITY, WITH("'Action':[]," RESOURCE), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_IDENTITY, WITH("'Action':['a:b',7]," RESOURCE), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_IDENTITY, WITH("'Action':null," RESOURCE), TD_IAM_FAULT_DOCUMENT, "Missing required field Action"},
    {TD_IAM_IDENTITY, WITH(ACTION ",'Resource':'T'"), TD_IAM_FAULT_DOCUMENT,
     "Resource T must be in ARN format or \"*\"."},
    {TD_IAM_IDENTITY, WITH(ACTION "," RESOURCE ",'Condition':[]"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_IDENTITY, WITH(ACTION "," RESOURCE ",'Condition':{'Bool':'x'}"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_IDENTITY, WITH(ACTION "," RESOURCE ",'Condition':{'Bool':{'x':{}}}"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_IDENTITY, WITH(ACTION "," RESOURCE ",'Condition':{'Is':{'x':'y'}}"), TD_IAM_FAULT_DOCUMENT,
     "Invalid Condition type : Is."},
    {TD_IAM_IDENTITY, "{'Statement':{'Effect':'Perhaps'," ACTION "," RESOURCE "}}", TD_IAM_FAULT_DOCUMENT,
     "Syntax error at position (1,25)"},
    {TD_IAM_TABLE, DENIED("'Principal':{}"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':{'Azure':'x'}"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':{'AWS':[]}"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':{'AWS':[true]}"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':'*','NotPrincipal':'*'"), TD_IAM_FAULT_DOCUMENT, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':{'AWS':'arn:aws:iam::000000000000:user/*'}"), TD_IAM_FAULT_PRINCIPAL, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':{'AWS':'arn:aws:s3:::bucket'}"), TD_IAM_FAULT_PRINCIPAL, NULL},
    {TD_IAM_TABLE, DENIED("'Principal':{'AWS':'00000000000'}"), TD_IAM_FAULT_PRINCIPAL, NULL},
    {TD_IAM_STREAM, DENIED("'Principal':'*'"), TD_IAM_FAULT_DOCUMENT,
     "The following action names are invalid: \"dynamodb:GetItem\""},
    {TD_IAM_STREAM,
     "{'Statement':{'Effect':'Deny','Principal':'*','Action':'dynamodb:GetRecords','Resource':"
     "'arn:aws:dynamodb:us-east-1:000000000000:table/T'}}",
     TD_IAM_FAULT_DOCUMENT,
     "The relative-id \"table/T\" is invalid for ARN \"arn:aws:dynamodb:us-east-1:000000000000:table/T\""},
};

START_TEST(what_is_no_policy_is_refused_with_its_place)
{
    const document_case *it = &faults[_i];
    td_iam_fault fault;
    ck_assert_msg(given_try_policy(it->kind, it->document, &fault) == NULL, "%s", it->document);
    ck_assert_int_eq(fault.kind, it->fault);
    if (it->sentence == NULL) return;
    ck_assert_msg(td_slice_equal(fault.sentence, td_slice_of_cstr(it->sentence)), "%s: %.*s", it->document,
                  (int)fault.sentence.len, (const char *)fault.sentence.ptr);
}
END_TEST

/* The rows of the table and their form. */
static const char *const forms[][2] = {
    {"{ 'Statement' : { 'Resource' : '*', 'Action' : ['dynamodb:GetItem'], 'Principal' : '*', 'Effect' : 'dEnY' } }",
     "{'Statement':[{'Effect':'Deny','Principal':'*','Action':'dynamodb:GetItem','Resource':'*'}]}"},
    {"{'Statement':[{'Condition':{'Bool':{'k':[true]},'Null':{'l':['true','false']}},'NotResource':['*'],"
     "'NotAction':['dynamodb:Query','dynamodb:Query'],'NotPrincipal':{'AWS':['000000000000']},'Effect':'Deny',"
     "'Sid':''}],'Id':'i','Version':'2012-10-17'}",
     "{'Version':'2012-10-17','Id':'i','Statement':[{'Sid':'','Effect':'Deny','NotPrincipal':{'AWS':"
     "'arn:aws:iam::000000000000:root'},'NotAction':['dynamodb:Query','dynamodb:Query'],'NotResource':'*',"
     "'Condition':{'Bool':{'k':true},'Null':{'l':['true','false']}}}]}"},
    {"{'Statement':{'Effect':'Deny','Principal':{'AWS':['arn:aws:iam::000000000000:root','000000000000',"
     "'arn:aws:iam::000000000000:user/a','arn:aws:iam::000000000000:user/a'],'Service':'lambda.amazonaws.com'},"
     "'Action':'*','Resource':'*'}}",
     "{'Statement':[{'Effect':'Deny','Principal':{'AWS':['arn:aws:iam::000000000000:root',"
     "'arn:aws:iam::000000000000:user/a'],'Service':'lambda.amazonaws.com'},'Action':'*','Resource':'*'}]}"},
};

START_TEST(a_policy_has_one_form_which_is_its_own)
{
    td_slice want = given_text(forms[_i][1]);
    for (size_t k = 0; k < 2; k++) {
        td_buf form;
        td_buf_init(&form, 4096);
        (void)given_policy(TD_IAM_TABLE, forms[_i][k]);
        td_iam_write_canonical(&form, given_json(forms[_i][k]));
        td_slice got = td_buf_contents(&form);
        ck_assert_msg(td_slice_equal(got, want), "%.*s", (int)got.len, (const char *)got.ptr);
        td_buf_done(&form);
    }
}
END_TEST

TCase *document_tests(void)
{
    TCase *tests = tcase_create("document");
    tcase_add_checked_fixture(tests, given_setup, given_teardown);
    tcase_add_loop_test(tests, what_is_no_policy_is_refused_with_its_place, 0, TD_COUNT_OF(faults));
    tcase_add_loop_test(tests, a_policy_has_one_form_which_is_its_own, 0, TD_COUNT_OF(forms));
    return tests;
}
