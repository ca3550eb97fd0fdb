/* SPDX-License-Identifier: Apache-2.0
 * transact.c: tests of TransactWriteItems and TransactGetItems, and of what they are made of. */
#include "transact.h"

#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define ADD_ONE                                                                                                        \
    "{'TransactItems':[{'Update':{'TableName':'TTT','Key':{'pk':{'S':'a'}},'UpdateExpression':'ADD n :one',"           \
    "'ExpressionAttributeValues':{':one':{'N':'1'}}}}]"
#define GET_A "{'TransactItems':[{'Get':{'TableName':'TTT','Key':{'pk':{'S':'a'}}}}]}"

START_TEST(a_transaction_is_written_and_got)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "TransactWriteItems", ADD_ONE ",'ReturnConsumedCapacity':'INDEXES'}",
                 "{'ConsumedCapacity':[{'TableName':'TTT','CapacityUnits':2.0,'WriteCapacityUnits':2.0,"
                 "'Table':{'CapacityUnits':2.0,'WriteCapacityUnits':2.0}}]}");
    CHECK_ANSWER(&server, "TransactGetItems", GET_A, "{'Responses':[{'Item':{'n':{'N':'1'},'pk':{'S':'a'}}}]}");
}
END_TEST

START_TEST(a_token_belongs_to_what_the_request_says)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "TransactWriteItems", ADD_ONE ",'ClientRequestToken':'t'}", "{}");
    CHECK_ANSWER(&server, "TransactWriteItems", ADD_ONE ",'ClientRequestToken':'t'}", "{}");
    /* The same, written in another way. */
    CHECK_ANSWER(&server, "TransactWriteItems",
                 "{'ClientRequestToken':'t','ReturnConsumedCapacity':'TOTAL','TransactItems':[ {'Update':{'Key':{'pk':"
                 "{'S':'\\u0061'}},'TableName':'TTT','ExpressionAttributeValues':{':one':{'N':'1'}},"
                 "'UpdateExpression':'ADD n :one'}}]}",
                 "{'ConsumedCapacity':[{'TableName':'TTT','CapacityUnits':2.0,'ReadCapacityUnits':2.0}]}");
    CHECK_ANSWER(&server, "TransactGetItems", GET_A, "{'Responses':[{'Item':{'n':{'N':'1'},'pk':{'S':'a'}}}]}");
    CHECK_ERROR(&server, "TransactWriteItems",
                "{'ClientRequestToken':'t','TransactItems':[{'Put':{'TableName':'TTT','Item':{'pk':{'S':'a'}}}}]}",
                "IdempotentParameterMismatchException: DynamoDB rejected the request because you retried a request "
                "with a different payload but with an idempotent token that was already used.");
}
END_TEST

START_TEST(the_first_fault_of_the_first_action_is_told)
{
    static const ask_refusal refusals[] = {
        {"TransactWriteItems", "{'TransactItems':[{'Put':null}]}",
         "ValidationException: TransactItems can only contain one of Check, Put, Update or Delete"},
        {"TransactWriteItems",
         "{'TransactItems':[{'Put':{'TableName':'no','Item':{'pk':{'S':'a'},'n':{'N':'x'}}}},{}]}",
         "ValidationException: The parameter cannot be converted to a numeric value: x"},
        {"TransactWriteItems",
         "{'TransactItems':[{'Delete':{'TableName':'no','Key':{'pk':{'N':'x'}},"
         "'ExpressionAttributeValues':{':v':{'S':'a'}}}}]}",
         "ValidationException: ExpressionAttributeValues can only be specified when using expressions: "
         "ConditionExpression is null"},
        {"TransactGetItems",
         "{'TransactItems':[{'Get':{'TableName':'no','Key':{'pk':{}}}},{'Get':{'TableName':'no','Key':{},"
         "'ProjectionExpression':''}}]}",
         "ValidationException: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
        {"TransactGetItems", "{'TransactItems':[{'Get':{'TableName':'no','Key':{},'ProjectionExpression':'pk.x'}}]}",
         "ResourceNotFoundException: Requested resource not found"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(the_current_wording_keeps_expressions_bare)
{
    server.config.messages = TD_MESSAGES_2026;
    static const ask_refusal refusals[] = {
        {"TransactWriteItems", "{'TransactItems':[]}",
         "ValidationException: 1 validation error detected: Value at 'TransactItems' failed to satisfy constraint: "
         "Member must have length greater than or equal to 1"},
        {"TransactWriteItems",
         "{'TransactItems':[{'Put':{'TableName':'no','Item':{},'ConditionExpression':'('}}]}",
         "ValidationException: Invalid ConditionExpression: Syntax error; token: \"<EOF>\", near: \"(\""},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(collections_of_changed_items_are_told_by_table)
{
    ask_create_indexed_table(&server);
    CHECK_ANSWER(&server, "TransactWriteItems",
                 "{'TransactItems':[{'Put':{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'1'},'l':{'N':'1'}}}},"
                 "{'ConditionCheck':{'TableName':'TTT','Key':{'pk':{'S':'c'},'sk':{'S':'1'}},"
                 "'ConditionExpression':'attribute_not_exists(pk)'}}],'ReturnItemCollectionMetrics':'SIZE'}",
                 "{'ItemCollectionMetrics':{'TTT':[{'ItemCollectionKey':{'pk':{'S':'a'}},"
                 "'SizeEstimateRangeGB':[0.0,1.0]}]}}");
}
END_TEST

static uint64_t fingerprint_of(const char *text)
{
    td_arena_reset(&server.arena);
    td_error error = {.arena = &server.arena};
    td_json *root = NULL;
    td_slice copy;
    ck_assert(td_arena_copy(&server.arena, td_slice_of_cstr(ask_quoted(&server, text)), &copy));
    ck_assert_int_eq(td_json_parse(copy, &server.arena, &root, &error), TD_OK);
    return td_ops__fingerprint(root);
}

START_TEST(fingerprints_tell_trees_apart)
{
    static const char *const trees[] = {
        "[]",     "{}",           "null",     "''",        "0",          "'0'",     "false",     "[null]",
        "[[]]",   "{'a':null}",   "['a','b']", "['b','a']", "['ab']",     "{'a':'b'}", "{'b':'a'}", "{'a':{'b':'c'}}",
        "{'a':1}", "{'a':'1'}",   "[{'a':1},{}]", "[{},{'a':1}]",
    };
    for (size_t i = 0; i < TD_COUNT_OF(trees); i++) {
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(fingerprint_of(trees[i]) != fingerprint_of(trees[k]), "%s and %s", trees[i], trees[k]);
    }
    ck_assert_uint_eq(fingerprint_of("{'a':1,'b':[2, 3]}"), fingerprint_of(" {'b': [2,3] ,'\\u0061':1}"));
}
END_TEST

TCase *transact_tests(void)
{
    TCase *tests = tcase_create("transact");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_transaction_is_written_and_got);
    tcase_add_test(tests, a_token_belongs_to_what_the_request_says);
    tcase_add_test(tests, the_first_fault_of_the_first_action_is_told);
    tcase_add_test(tests, the_current_wording_keeps_expressions_bare);
    tcase_add_test(tests, collections_of_changed_items_are_told_by_table);
    tcase_add_test(tests, fingerprints_tell_trees_apart);
    return tests;
}
