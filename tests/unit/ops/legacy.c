/* SPDX-License-Identifier: Apache-2.0
 * legacy.c: tests of the parameters from before expressions. */
#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define INVALID "ValidationException: One or more parameter values were invalid: "
#define KEY "'TableName':'TTT','Key':{'pk':{'S':'a'}}"
#define PUT "'TableName':'TTT','Item':{'pk':{'S':'a'}}"
#define FAILED "ConditionalCheckFailedException: The conditional request failed"

START_TEST(expected_guards_writes)
{
    ask_create_table(&server, NULL);
    CHECK_ERROR(&server, "PutItem", "{" PUT ",'Expected':{'pk':{'Value':{'S':'a'}}}}", FAILED);
    CHECK_ANSWER(&server, "PutItem", "{" PUT ",'Expected':{'pk':{'Exists':false}}}", "{}");
    CHECK_ERROR(&server, "PutItem", "{" PUT ",'Expected':{'pk':{'Exists':false}}}", FAILED);
    CHECK_ANSWER(&server, "PutItem",
                 "{" PUT ",'ConditionalOperator':'OR','Expected':{'pk':{'Value':{'S':'z'}},'x':{'ComparisonOperator':"
                 "'NULL'}}}",
                 "{}");
    CHECK_ERROR(&server, "DeleteItem",
                "{" KEY ",'Expected':{'pk':{'ComparisonOperator':'GT','AttributeValueList':[{'S':'b'}]}}}", FAILED);
    CHECK_ANSWER(&server, "DeleteItem", "{" KEY ",'Expected':{'pk':{'ComparisonOperator':'BETWEEN',"
                                        "'AttributeValueList':[{'S':'a'},{'S':'b'}]}}}",
                 "{}");
}
END_TEST

START_TEST(expected_is_refused_as_the_service_does)
{
    ask_create_table(&server, NULL);
    static const ask_refusal refusals[] = {
        {"PutItem", "{" PUT ",'Expected':{'a':{}}}", INVALID "Value must be provided when Exists is null for "
                    "Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'Exists':true}}}",
         INVALID "Value must be provided when Exists is true for Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'Exists':false,'Value':{'S':'x'}}}}",
         INVALID "Value cannot be used when Exists is false for Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'Value':{'S':'x'},'AttributeValueList':[]}}}",
         INVALID "Value and AttributeValueList cannot be used together for Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'AttributeValueList':[]}}}",
         INVALID "AttributeValueList can only be used with a ComparisonOperator for Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'ComparisonOperator':'EQ','Exists':true}}}",
         INVALID "Exists and ComparisonOperator cannot be used together for Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'ComparisonOperator':'EQ'}}}",
         INVALID "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'ComparisonOperator':'BETWEEN','Value':{'S':'x'}}}}",
         INVALID "Invalid number of argument(s) for the BETWEEN ComparisonOperator"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'ComparisonOperator':'NULL','AttributeValueList':[{'S':'x'}]}}}",
         INVALID "Invalid number of argument(s) for the NULL ComparisonOperator"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'ComparisonOperator':'IN','AttributeValueList':[{'S':'x'},{'N':'1'}]}}}",
         INVALID "AttributeValues inside AttributeValueList must be of same type"},
        {"PutItem", "{" PUT ",'Expected':{'a':{'ComparisonOperator':'BETWEEN',"
                    "'AttributeValueList':[{'N':'2'},{'N':'1'}]}"
                    "}}",
         "ValidationException: The BETWEEN condition was provided a range where the lower bound is greater than the "
         "upper bound"},
        {"PutItem", "{" PUT ",'ConditionalOperator':'OR'}",
         "ValidationException: ConditionalOperator cannot be used without Filter or Expected"},
        {"PutItem", "{" PUT ",'ConditionalOperator':'OR','Expected':{'a':{'Exists':false}}}",
         "ValidationException: ConditionalOperator can only be used when Filter or Expected has two or more elements"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(attribute_updates_change_items)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "UpdateItem",
                 "{" KEY ",'ReturnValues':'ALL_NEW','AttributeUpdates':{'n':{'Action':'ADD','Value':{'N':'3'}},"
                 "'s':{'Value':{'SS':['x','y']}},'l':{'Action':'ADD','Value':{'L':[{'N':'1'}]}}}}",
                 "{'Attributes':{'l':{'L':[{'N':'1'}]},'n':{'N':'3'},'pk':{'S':'a'},'s':{'SS':['x','y']}}}");
    CHECK_ANSWER(&server, "UpdateItem",
                 "{" KEY ",'ReturnValues':'ALL_NEW','AttributeUpdates':{'n':{'Action':'DELETE'},"
                 "'s':{'Action':'DELETE','Value':{'SS':['x']}},'l':{'Action':'ADD','Value':{'L':[{'N':'2'}]}}}}",
                 "{'Attributes':{'l':{'L':[{'N':'1'},{'N':'2'}]},'pk':{'S':'a'},'s':{'SS':['y']}}}");
    static const ask_refusal refusals[] = {
        {"UpdateItem", "{" KEY ",'AttributeUpdates':{'a':{}}}",
         INVALID "Only DELETE action is allowed when no attribute value is specified"},
        {"UpdateItem", "{" KEY ",'AttributeUpdates':{'a':{'Action':'DELETE','Value':{'S':'x'}}}}",
         INVALID "DELETE action with value is not supported for the type S"},
        {"UpdateItem", "{" KEY ",'AttributeUpdates':{'a':{'Action':'ADD','Value':{'BOOL':true}}}}",
         INVALID "ADD action is not supported for the type BOOL"},
        {"UpdateItem", "{" KEY ",'AttributeUpdates':{'pk':{'Value':{'S':'x'}}}}",
         INVALID "Cannot update attribute pk. This attribute is part of the key"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(key_conditions_and_filters_read)
{
    ask_create_table(&server, "N");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'N':'1'},'v':{'S':'one'}}}");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'N':'2'},'v':{'S':'two'}}}");
    CHECK_ANSWER(&server, "Query",
                 "{'TableName':'TTT','AttributesToGet':['v'],'KeyConditions':{"
                 "'pk':{'ComparisonOperator':'EQ','AttributeValueList':[{'S':'a'}]},"
                 "'sk':{'ComparisonOperator':'GT','AttributeValueList':[{'N':'1'}]}}}",
                 "{'Items':[{'v':{'S':'two'}}],'Count':1,'ScannedCount':1}");
    CHECK_ANSWER(&server, "Query",
                 "{'TableName':'TTT','AttributesToGet':['v'],'KeyConditions':{"
                 "'pk':{'ComparisonOperator':'EQ','AttributeValueList':[{'S':'a'}]}},"
                 "'QueryFilter':{'v':{'ComparisonOperator':'BEGINS_WITH','AttributeValueList':[{'S':'o'}]}}}",
                 "{'Items':[{'v':{'S':'one'}}],'Count':1,'ScannedCount':2}");
    CHECK_ANSWER(&server, "Scan",
                 "{'TableName':'TTT','AttributesToGet':['v'],'ConditionalOperator':'OR','ScanFilter':{"
                 "'v':{'ComparisonOperator':'CONTAINS','AttributeValueList':[{'S':'w'}]},"
                 "'sk':{'ComparisonOperator':'IN','AttributeValueList':[{'N':'7'},{'N':'8'}]}}}",
                 "{'Items':[{'v':{'S':'two'}}],'Count':1,'ScannedCount':2}");
    static const ask_refusal refusals[] = {
        {"Query", "{'TableName':'TTT','KeyConditions':{}}", "ValidationException: Conditions can be of length 1 or "
                  "2 only"},
        {"Query", "{'TableName':'TTT','KeyConditions':{'pk':{'ComparisonOperator':'LT',"
                  "'AttributeValueList':[{'M':{}}]}}}",
         INVALID "ComparisonOperator LT is not valid for M AttributeValue type"},
        {"Query", "{'TableName':'TTT','KeyConditions':{'pk':{'ComparisonOperator':'EQ',"
                  "'AttributeValueList':[{'S':'a'}]}},"
                  "'QueryFilter':{'sk':{'ComparisonOperator':'NULL'}}}",
         "ValidationException: QueryFilter can only contain non-primary key attributes: Primary key attribute: sk"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

TCase *legacy_tests(void)
{
    TCase *tests = tcase_create("legacy");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, expected_guards_writes);
    tcase_add_test(tests, expected_is_refused_as_the_service_does);
    tcase_add_test(tests, attribute_updates_change_items);
    tcase_add_test(tests, key_conditions_and_filters_read);
    return tests;
}
