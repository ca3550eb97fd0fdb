/* SPDX-License-Identifier: Apache-2.0
 * items.c: tests of PutItem, GetItem, UpdateItem and DeleteItem. */
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define KEY "'TableName':'TTT','Key':{'pk':{'S':'a'}}"
#define INVALID "ValidationException: One or more parameter values were invalid: "

START_TEST(item_is_put_and_got)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "GetItem", "{" KEY "}", "{}");
    CHECK_ANSWER(&server, "PutItem",
                 "{'TableName':'TTT','Item':{'pk':{'S':'a'},'n':{'N':'1.50'},'l':{'L':[{'BOOL':true},{'NULL':true}]}}}",
                 "{}");
    CHECK_ANSWER(&server, "GetItem", "{" KEY ",'ConsistentRead':true}",
                 "{'Item':{'l':{'L':[{'BOOL':true},{'NULL':true}]},'n':{'N':'1.5'},'pk':{'S':'a'}}}");
    CHECK_ANSWER(&server, "GetItem",
                 "{" KEY ",'ProjectionExpression':'l[1], #n','ExpressionAttributeNames':{'#n':'n'}}",
                 "{'Item':{'l':{'L':[{'NULL':true}]},'n':{'N':'1.5'}}}");
    CHECK_ANSWER(&server, "GetItem", "{" KEY ",'ProjectionExpression':'absent'}", "{'Item':{}}");
    CHECK_ANSWER(&server, "GetItem", "{" KEY ",'AttributesToGet':['pk','missing']}", "{'Item':{'pk':{'S':'a'}}}");
}
END_TEST

START_TEST(old_values_are_answered_when_there_are_any)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'v':{'N':'1'}},"
                          "'ReturnValues':'ALL_OLD'}",
                 "{}");
    CHECK_ANSWER(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'v':{'N':'2'}},"
                          "'ReturnValues':'ALL_OLD'}",
                 "{'Attributes':{'pk':{'S':'a'},'v':{'N':'1'}}}");
    CHECK_ANSWER(&server, "DeleteItem", "{" KEY ",'ReturnValues':'ALL_OLD'}",
                 "{'Attributes':{'pk':{'S':'a'},'v':{'N':'2'}}}");
    CHECK_ANSWER(&server, "DeleteItem", "{" KEY ",'ReturnValues':'ALL_OLD'}", "{}");
}
END_TEST

START_TEST(update_answers_what_was_asked)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "UpdateItem", "{" KEY "}", "{}");
    CHECK_ANSWER(&server, "GetItem", "{" KEY "}", "{'Item':{'pk':{'S':'a'}}}");
    const struct {
        const char *wanted;
        const char *answer;
    } cases[] = {
        {"NONE", "{}"},
        {"ALL_OLD", "{'Attributes':{'m':{'M':{'x':{'N':'1'},'y':{'N':'1'}}},'pk':{'S':'a'}}}"},
        {"UPDATED_OLD", "{'Attributes':{'m':{'M':{'x':{'N':'1'}}}}}"},
        {"ALL_NEW", "{'Attributes':{'m':{'M':{'x':{'N':'2'},'y':{'N':'1'}}},'pk':{'S':'a'}}}"},
        {"UPDATED_NEW", "{'Attributes':{'m':{'M':{'x':{'N':'2'}}}}}"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'m':{'M':{'x':{'N':'1'},'y':{'N':'1'}}}}}");
        char body[512];
        (void)snprintf(body, sizeof(body),
                       "{" KEY ",'UpdateExpression':'SET m.x = :two','ExpressionAttributeValues':{':two':{'N':'2'}},"
                       "'ReturnValues':'%s'}", cases[i].wanted);
        CHECK_ANSWER(&server, "UpdateItem", body, cases[i].answer);
    }
    CHECK_ANSWER(&server, "UpdateItem", "{" KEY ",'UpdateExpression':'REMOVE m','ReturnValues':'UPDATED_NEW'}", "{}");
}
END_TEST

START_TEST(failed_condition_shows_the_item_when_asked)
{
    ask_create_table(&server, NULL);
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'v':{'N':'1'}}}");
    ck_assert_str_eq(ask(&server, "DeleteItem", "{" KEY ",'ConditionExpression':'attribute_not_exists(pk)'}"),
                     ask_quoted(&server, "{'__type':'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',"
                                         "'message':'The conditional request failed'}"));
    ck_assert_int_eq(server.http_status, 400);
    ck_assert_str_eq(ask(&server, "DeleteItem", "{" KEY ",'ConditionExpression':'attribute_not_exists(pk)',"
                                                "'ReturnValuesOnConditionCheckFailure':'ALL_OLD'}"),
                     ask_quoted(&server, "{'__type':'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',"
                                         "'message':'The conditional request failed',"
                                         "'Item':{'pk':{'S':'a'},'v':{'N':'1'}}}"));
}
END_TEST

START_TEST(consumed_capacity_lists_what_was_touched)
{
    ask_create_indexed_table(&server);
    CHECK_ANSWER(&server, "PutItem",
                 "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'b'},'l':{'N':'1'},'g':{'S':'x'}},"
                 "'ReturnConsumedCapacity':'INDEXES','ReturnItemCollectionMetrics':'SIZE'}",
                 "{'ConsumedCapacity':{'TableName':'TTT','CapacityUnits':3.0,'Table':{'CapacityUnits':1.0},"
                 "'LocalSecondaryIndexes':{'local':{'CapacityUnits':1.0}},"
                 "'GlobalSecondaryIndexes':{'global':{'CapacityUnits':1.0}}},"
                 "'ItemCollectionMetrics':{'ItemCollectionKey':{'pk':{'S':'a'}},'SizeEstimateRangeGB':[0.0,1.0]}}");
    CHECK_ANSWER(&server, "UpdateItem",
                 "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'UpdateExpression':'SET o = :v',"
                 "'ExpressionAttributeValues':{':v':{'N':'1'}},'ReturnConsumedCapacity':'INDEXES'}",
                 "{'ConsumedCapacity':{'TableName':'TTT','CapacityUnits':1.0,'Table':{'CapacityUnits':1.0}}}");
    CHECK_ANSWER(&server, "GetItem",
                 "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'ProjectionExpression':'pk',"
                 "'ReturnConsumedCapacity':'TOTAL','ConsistentRead':true}",
                 "{'Item':{'pk':{'S':'a'}},'ConsumedCapacity':{'TableName':'TTT','CapacityUnits':1.0}}");
    CHECK_ANSWER(&server, "DeleteItem",
                 "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'ReturnConsumedCapacity':'TOTAL'}",
                 "{'ConsumedCapacity':{'TableName':'TTT','CapacityUnits':3.0}}");
}
END_TEST

/* Each request has several faults; the one that the service reports is named. */
START_TEST(faults_are_found_in_the_services_order)
{
    ask_create_table(&server, NULL);
    static const ask_refusal refusals[] = {
        {"PutItem", "{'TableName':'none','Item':{'pk':{}},'Expected':{'a':{}},'ConditionExpression':''}",
         "ValidationException: Can not use both expression and non-expression parameters in the same request: "
         "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{}},'ExpressionAttributeNames':{},"
                    "'ExpressionAttributeValues':{}}",
         "ValidationException: ExpressionAttributeNames can only be specified when using expressions"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{}},'ExpressionAttributeValues':{}}",
         "ValidationException: ExpressionAttributeValues can only be specified when using expressions: "
         "ConditionExpression is null"},
        {"UpdateItem", "{'TableName':'none','Key':{'pk':{}},'ExpressionAttributeValues':{}}",
         "ValidationException: ExpressionAttributeValues can only be specified when using expressions: "
         "UpdateExpression and ConditionExpression are null"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{}},'ReturnValues':'ALL_NEW','ConditionExpression':''}",
         "ValidationException: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{'N':'1'}},'ReturnValues':'ALL_NEW','ConditionExpression':''}",
         "ValidationException: ReturnValues can only be ALL_OLD or NONE"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{'N':'1'}},'ConditionExpression':''}",
         "ValidationException: Invalid ConditionExpression: The expression can not be empty;"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{'N':'1'}},'ConditionExpression':'a = b',"
                    "'ExpressionAttributeNames':{'#n':'x'}}",
         "ValidationException: Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}"},
        {"PutItem", "{'TableName':'none','Item':{'pk':{'N':'1'}}}",
         "ResourceNotFoundException: Requested resource not found"},
        {"PutItem", "{'TableName':'TTT','Item':{'pk':{'N':'1'}}}",
         INVALID "Type mismatch for key pk expected: S actual: N"},
        {"PutItem", "{'TableName':'TTT','Item':{'x':{'N':'1'}}}", INVALID "Missing the key pk in the item"},
        {"GetItem", "{'TableName':'none','Key':{'pk':{}},'AttributesToGet':['a','a']}",
         "ValidationException: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"},
        {"GetItem", "{'TableName':'none','Key':{},'AttributesToGet':['a','a']}",
         INVALID "Duplicate value in attribute name: a"},
        {"GetItem", "{'TableName':'none','Key':{},'ProjectionExpression':'a,a'}",
         "ValidationException: Invalid ProjectionExpression: Two document paths overlap with each other; "
         "must remove or rewrite one of these paths; path one: [a], path two: [a]"},
        {"GetItem", "{'TableName':'none','Key':{}}", "ResourceNotFoundException: Requested resource not found"},
        {"GetItem", "{'TableName':'TTT','Key':{}}",
         "ValidationException: The provided key element does not match the schema"},
        {"UpdateItem", "{" KEY ",'UpdateExpression':'SET pk = :v','ExpressionAttributeValues':{':v':{'S':'b'}}}",
         INVALID "Cannot update attribute pk. This attribute is part of the key"},
        {"DeleteItem", "{'TableName':'none','Key':{},'ReturnValues':'UPDATED_NEW'}",
         "ValidationException: ReturnValues can only be ALL_OLD or NONE"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(no_path_goes_inside_a_key_attribute)
{
    ask_create_indexed_table(&server);
    static const ask_refusal refusals[] = {
        {"GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'ProjectionExpression':'x.y, sk[1]'}",
         "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
         "allowed: Key: sk"},
        {"UpdateItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'UpdateExpression':'REMOVE l.x'}",
         "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
         "allowed: IndexKey: l"},
        {"UpdateItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'UpdateExpression':'SET x = pk[1]'}",
         "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
         "allowed: Key: pk"},
        {"UpdateItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'S':'b'}},'UpdateExpression':'REMOVE sk.x'}",
         INVALID "Cannot update attribute sk. This attribute is part of the key"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(item_that_is_too_large_is_refused_before_the_table_is_looked_up)
{
    enum { LONG = TD_LIMIT_ITEM_BYTES_MAX };
    char *body = malloc(LONG + 200);
    ck_assert_ptr_nonnull(body);
    size_t head = (size_t)snprintf(body, 200, "{'TableName':'none','Item':{'pk':{'S':'");
    memset(body + head, 'x', LONG);
    memcpy(body + head + LONG, "'}}}", 5);
    CHECK_ERROR(&server, "PutItem", body, "ValidationException: Item size has exceeded the maximum allowed size");
    memcpy(body + head + LONG - 2, "'}}}", 5);
    CHECK_ERROR(&server, "PutItem", body, "ResourceNotFoundException: Requested resource not found");
    free(body);
}
END_TEST

TCase *items_tests(void)
{
    TCase *tests = tcase_create("items");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, item_is_put_and_got);
    tcase_add_test(tests, old_values_are_answered_when_there_are_any);
    tcase_add_test(tests, update_answers_what_was_asked);
    tcase_add_test(tests, failed_condition_shows_the_item_when_asked);
    tcase_add_test(tests, consumed_capacity_lists_what_was_touched);
    tcase_add_test(tests, faults_are_found_in_the_services_order);
    tcase_add_test(tests, no_path_goes_inside_a_key_attribute);
    tcase_add_test(tests, item_that_is_too_large_is_refused_before_the_table_is_looked_up);
    return tests;
}
