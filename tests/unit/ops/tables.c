/* SPDX-License-Identifier: Apache-2.0
 * tables.c: tests of CreateTable, DescribeTable, ListTables and DeleteTable. */
#include <stdio.h>

#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define INVALID "ValidationException: One or more parameter values were invalid: "
#define DEFS(names) "'AttributeDefinitions':[" names "]"
#define DEF(name) "{'AttributeName':'" name "','AttributeType':'S'}"
#define HASH(name) "{'AttributeName':'" name "','KeyType':'HASH'}"
#define RANGE(name) "{'AttributeName':'" name "','KeyType':'RANGE'}"
#define KEYS(keys) "'KeySchema':[" keys "]"
#define ON_DEMAND "'BillingMode':'PAY_PER_REQUEST'"
#define RATES "'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}"
#define ALL "'Projection':{'ProjectionType':'ALL'}"
#define GLOBAL(rest) "'GlobalSecondaryIndexes':[{'IndexName':'gix'," rest "}]"
#define LOCAL(rest) "'LocalSecondaryIndexes':[{'IndexName':'lix'," rest "}]"

START_TEST(on_demand_table_is_described_in_full)
{
    CHECK_ANSWER(&server, "CreateTable",
                 "{'TableName':'TTT'," ON_DEMAND "," DEFS(DEF("pk")) "," KEYS(HASH("pk")) "}",
                 "{'TableDescription':{'TableName':'TTT','TableStatus':'CREATING',"
                 "'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT','TableId':'ID','ItemCount':0,"
                 "'TableSizeBytes':0,'CreationDateTime':4102444800.0," DEFS(DEF("pk")) "," KEYS(HASH("pk")) ","
                 "'ProvisionedThroughput':{'NumberOfDecreasesToday':0,'ReadCapacityUnits':0,'WriteCapacityUnits':0},"
                 "'BillingModeSummary':{'BillingMode':'PAY_PER_REQUEST'},"
                 "'WarmThroughput':{'ReadUnitsPerSecond':12000,'WriteUnitsPerSecond':4000,'Status':'UPDATING'},"
                 "'DeletionProtectionEnabled':false}}");
    CHECK_ANSWER(&server, "DescribeTable", "{'TableName':'TTT'}",
                 "{'Table':{'TableName':'TTT','TableStatus':'ACTIVE',"
                 "'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT','TableId':'ID','ItemCount':0,"
                 "'TableSizeBytes':0,'CreationDateTime':4102444800.0," DEFS(DEF("pk")) "," KEYS(HASH("pk")) ","
                 "'ProvisionedThroughput':{'NumberOfDecreasesToday':0,'ReadCapacityUnits':0,'WriteCapacityUnits':0},"
                 "'BillingModeSummary':{'BillingMode':'PAY_PER_REQUEST',"
                 "'LastUpdateToPayPerRequestDateTime':4102444800.0},"
                 "'WarmThroughput':{'ReadUnitsPerSecond':12000,'WriteUnitsPerSecond':4000,'Status':'ACTIVE'},"
                 "'DeletionProtectionEnabled':false}}");
}
END_TEST

START_TEST(provisioned_table_with_everything_is_described_in_full)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT'," RATES "," DEFS(DEF("pk") "," DEF("sk")) "," KEYS(HASH("pk") "," RANGE("sk")) ","
        LOCAL(KEYS(HASH("pk") "," RANGE("sk")) ",'Projection':{'ProjectionType':'KEYS_ONLY'}") ","
        GLOBAL(KEYS(HASH("sk")) "," RATES ",'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['z','a']}") ","
        "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_IMAGE'},"
        "'SSESpecification':{'Enabled':true},'TableClass':'STANDARD_INFREQUENT_ACCESS',"
        "'DeletionProtectionEnabled':true}");
    CHECK_ANSWER(&server, "DescribeTable", "{'TableName':'TTT'}",
                 "{'Table':{'TableName':'TTT','TableStatus':'ACTIVE',"
                 "'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT','TableId':'ID','ItemCount':0,"
                 "'TableSizeBytes':0,'CreationDateTime':4102444800.0," DEFS(DEF("pk") "," DEF("sk")) ","
                 KEYS(HASH("pk") "," RANGE("sk")) ","
                 "'ProvisionedThroughput':{'NumberOfDecreasesToday':0,'ReadCapacityUnits':1,'WriteCapacityUnits':1},"
                 "'LocalSecondaryIndexes':[{'IndexName':'lix',"
                 "'IndexArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT/index/lix',"
                 KEYS(HASH("pk") "," RANGE("sk")) ",'Projection':{'ProjectionType':'KEYS_ONLY'},"
                 "'ItemCount':0,'IndexSizeBytes':0}],"
                 "'GlobalSecondaryIndexes':[{'IndexName':'gix',"
                 "'IndexArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT/index/gix'," KEYS(HASH("sk")) ","
                 "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['z','a']},'ItemCount':0,"
                 "'IndexSizeBytes':0,'IndexStatus':'ACTIVE',"
                 "'ProvisionedThroughput':{'NumberOfDecreasesToday':0,'ReadCapacityUnits':1,'WriteCapacityUnits':1},"
                 "'WarmThroughput':{'ReadUnitsPerSecond':1,'WriteUnitsPerSecond':1,'Status':'ACTIVE'}}],"
                 "'WarmThroughput':{'ReadUnitsPerSecond':1,'WriteUnitsPerSecond':1,'Status':'ACTIVE'},"
                 "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_IMAGE'},"
                 "'LatestStreamLabel':'2100-01-01T00:00:00.000',"
                 "'LatestStreamArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT/stream/2100-01-01T00:00:00.000',"
                 "'SSEDescription':{'Status':'ENABLED','SSEType':'KMS','KMSMasterKeyArn':"
                 "'arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000000'},"
                 "'TableClassSummary':{'TableClass':'STANDARD_INFREQUENT_ACCESS'},"
                 "'DeletionProtectionEnabled':true}}");
    CHECK_ERROR(&server, "DeleteTable", "{'TableName':'TTT'}",
                "ValidationException: Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first.");
}
END_TEST

START_TEST(deleted_table_is_described_without_its_keys)
{
    ask_create_indexed_table(&server);
    CHECK_ANSWER(&server, "DeleteTable", "{'TableName':'TTT'}",
                 "{'TableDescription':{'TableName':'TTT','TableStatus':'DELETING',"
                 "'TableArn':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT','TableId':'ID','ItemCount':0,"
                 "'TableSizeBytes':0,"
                 "'ProvisionedThroughput':{'NumberOfDecreasesToday':0,'ReadCapacityUnits':0,'WriteCapacityUnits':0},"
                 "'BillingModeSummary':{'BillingMode':'PAY_PER_REQUEST',"
                 "'LastUpdateToPayPerRequestDateTime':4102444800.0},'DeletionProtectionEnabled':false}}");
    CHECK_ERROR(&server, "DescribeTable", "{'TableName':'TTT'}",
                "ResourceNotFoundException: Requested resource not found: Table: TTT not found");
    CHECK_ERROR(&server, "DeleteTable", "{'TableName':'TTT'}",
                "ResourceNotFoundException: Requested resource not found: Table: TTT not found");
}
END_TEST

START_TEST(tables_are_listed_in_pages)
{
    static const char *const names[] = {"ccc", "aaa", "bbb"};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        char body[256];
        (void)snprintf(body, sizeof(body), "{'TableName':'%s'," ON_DEMAND "," DEFS(DEF("pk")) "," KEYS(HASH("pk")) "}",
                       names[i]);
        ask(&server, "CreateTable", body);
    }
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['aaa','bbb','ccc']}");
    CHECK_ANSWER(&server, "ListTables", "{'Limit':2}", "{'TableNames':['aaa','bbb'],'LastEvaluatedTableName':'bbb'}");
    CHECK_ANSWER(&server, "ListTables", "{'Limit':2,'ExclusiveStartTableName':'bbb'}", "{'TableNames':['ccc']}");
    CHECK_ANSWER(&server, "ListTables", "{'Limit':3}", "{'TableNames':['aaa','bbb','ccc']}");
}
END_TEST

START_TEST(creation_is_refused_in_the_services_order)
{
    static const ask_refusal refusals[] = {
        {"CreateTable", "{}", "ValidationException: The parameter 'TableName' is required but was not present in the "
                              "request"},
        {"CreateTable", "{'TableName':'T-1'," DEFS("") "," KEYS(HASH("a")) "}",
         INVALID "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," RATES "," DEFS("") "," KEYS(HASH("a")) "}",
         INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
                 "PAY_PER_REQUEST"},
        {"CreateTable", "{'TableName':'T-1'," DEFS("") "," KEYS(HASH("a")) ",'ProvisionedThroughput':{"
                        "'ReadCapacityUnits':1000000000001,'WriteCapacityUnits':1000000000001}}",
         "ValidationException: Given value 1000000000001 for ReadCapacityUnits is out of bounds"},
        {"CreateTable", "{'TableName':'T-1'," RATES ",'OnDemandThroughput':{'MaxReadRequestUnits':0}," DEFS("") ","
                        KEYS(HASH("a")) "}",
         INVALID "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is "
                 "PROVISIONED."},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND ",'OnDemandThroughput':{'MaxWriteRequestUnits':-1},"
                        DEFS("") "," KEYS(HASH("a")) "}",
         INVALID "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a")) "," KEYS(HASH("a") "," HASH("a")) "}",
         "ValidationException: Invalid KeySchema: Some index key attribute have no definition"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("b")) "," KEYS(HASH("a")) "}",
         INVALID "Some index key attributes are not defined in AttributeDefinitions. Keys: [a], "
                 "AttributeDefinitions: [b]"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("a")) "," KEYS(HASH("a")) "}",
         "ValidationException: Attribute Name is duplicated: a"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("b")) ","
                        KEYS(HASH("a") "," HASH("a")) "}",
         "ValidationException: Both the Hash Key and the Range Key element in the KeySchema have the same name"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("b")) ","
                        KEYS(RANGE("a") "," HASH("b")) "}",
         "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("b")) ","
                        KEYS(HASH("a") "," HASH("b")) "}",
         "ValidationException: Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("b")) "," KEYS(HASH("a")) "}",
         INVALID "Number of attributes in KeySchema does not exactly match number of attributes defined in "
                 "AttributeDefinitions"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," DEFS(DEF("a")) "," KEYS(HASH("a")) ","
                        "'StreamSpecification':{'StreamEnabled':true}}",
         INVALID "Table is being created with a stream enabled, UpdateViewType is required"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," DEFS(DEF("a")) "," KEYS(HASH("a")) ","
                        "'StreamSpecification':{'StreamEnabled':false,'StreamViewType':'NEW_IMAGE'}}",
         INVALID "Table is being created with a stream disabled, UpdateViewType should not be specified"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," DEFS(DEF("a")) "," KEYS(HASH("a")) ","
                        "'SSESpecification':{'Enabled':false,'SSEType':'KMS'}}",
         INVALID "SSEType can not be specified if Enabled is false"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

#define TWO_KEYS DEFS(DEF("a") "," DEF("b")) "," KEYS(HASH("a") "," RANGE("b"))

START_TEST(indexes_are_refused_in_the_services_order)
{
    static const ask_refusal refusals[] = {
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS ",'LocalSecondaryIndexes':[]}",
         INVALID "List of LocalSecondaryIndexes is empty"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS ",'GlobalSecondaryIndexes':[]}",
         INVALID "List of GlobalSecondaryIndexes is empty"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("b")) "," KEYS(HASH("a")) ","
                        LOCAL(KEYS(RANGE("c")) ",'Projection':{}") "}",
         INVALID "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," DEFS(DEF("a") "," DEF("b") "," DEF("c")) ","
                        KEYS(HASH("a") "," RANGE("b")) "," GLOBAL(KEYS(HASH("b")) ",'Projection':{}") "}",
         INVALID "Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c], keys used: [a, b]"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS "," LOCAL(KEYS(HASH("a")) ",'Projection':{}") "}",
         INVALID "Index KeySchema does not have a range key for index: lix"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS ","
                        LOCAL(KEYS(HASH("b") "," RANGE("a")) ",'Projection':{}") "}",
         INVALID "Index KeySchema does not have the same leading hash key as table KeySchema for index: lix. "
                 "index hash key: b, table hash key: a"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS "," GLOBAL(KEYS(HASH("b")) ",'Projection':{}") "}",
         INVALID "Unknown ProjectionType: null"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS ","
                        GLOBAL(KEYS(HASH("b")) ",'Projection':{'ProjectionType':'ALL','NonKeyAttributes':['x']}") "}",
         INVALID "ProjectionType is ALL, but NonKeyAttributes is specified"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS ","
                        GLOBAL(KEYS(HASH("b")) ",'Projection':{'ProjectionType':'INCLUDE'}") "}",
         INVALID "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS "," GLOBAL(KEYS(HASH("b")) ","
                        "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['x','y','x']}") "}",
         INVALID "Duplicate element in NonKeyAttributes: x"},
        {"CreateTable", "{'TableName':'T-1'," RATES "," TWO_KEYS "," GLOBAL(KEYS(HASH("b")) "," ALL) "}",
         INVALID "ProvisionedThroughput is not specified for index: gix"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," TWO_KEYS "," GLOBAL(KEYS(HASH("b")) "," ALL "," RATES) "}",
         INVALID "ProvisionedThroughput should not be specified for index: gix when BillingMode is PAY_PER_REQUEST"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," TWO_KEYS ","
                        "'LocalSecondaryIndexes':[{'IndexName':'gix'," KEYS(HASH("a") "," RANGE("b")) "," ALL "}],"
                        GLOBAL(KEYS(HASH("b")) "," ALL) "}",
         INVALID "Duplicate index name: gix"},
        {"CreateTable", "{'TableName':'T-1'," ON_DEMAND "," TWO_KEYS ","
                        GLOBAL(KEYS(HASH("a") "," RANGE("b") "," HASH("a")) "," ALL) "}",
         "ValidationException: The KeySchema contains multiple key attributes with the same name"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(global_index_takes_several_key_attributes)
{
    const char *text = ask(&server, "CreateTable",
                           "{'TableName':'TTT'," ON_DEMAND "," DEFS(DEF("a") "," DEF("b") "," DEF("c")) ","
                           KEYS(HASH("a")) "," GLOBAL(KEYS(HASH("b") "," HASH("c") "," RANGE("a")) "," ALL) "}");
    ck_assert_int_eq(server.http_status, 200);
    ck_assert_ptr_nonnull(strstr(text, ask_quoted(&server, KEYS(HASH("b") "," HASH("c") "," RANGE("a")))));
}
END_TEST

START_TEST(table_that_exists_is_in_use)
{
    ask_create_table(&server, NULL);
    CHECK_ERROR(&server, "CreateTable", "{'TableName':'TTT'," ON_DEMAND "," DEFS(DEF("pk")) "," KEYS(HASH("pk")) "}",
                "ResourceInUseException: Table already exists: TTT");
}
END_TEST

TCase *tables_tests(void)
{
    TCase *tests = tcase_create("tables");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, on_demand_table_is_described_in_full);
    tcase_add_test(tests, provisioned_table_with_everything_is_described_in_full);
    tcase_add_test(tests, deleted_table_is_described_without_its_keys);
    tcase_add_test(tests, tables_are_listed_in_pages);
    tcase_add_test(tests, creation_is_refused_in_the_services_order);
    tcase_add_test(tests, indexes_are_refused_in_the_services_order);
    tcase_add_test(tests, global_index_takes_several_key_attributes);
    tcase_add_test(tests, table_that_exists_is_in_use);
    return tests;
}
