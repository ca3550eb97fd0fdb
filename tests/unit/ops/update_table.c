/* SPDX-License-Identifier: Apache-2.0
 * update_table.c: tests of UpdateTable: what it refuses before it looks at the table, and what it answers. */
#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define INVALID "ValidationException: One or more parameter values were invalid: "
#define CREATE_INDEX(rest) "'GlobalSecondaryIndexUpdates':[{'Create':{'IndexName':'gix'," rest "}}]"

static void create_provisioned_table(void)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
        "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
        "'ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5}}");
    ck_assert_int_eq(server.http_status, 200);
    ask(&server, "DescribeTable", "{'TableName':'TTT'}");
}

START_TEST(request_is_refused_before_the_table_is_looked_up)
{
    static const ask_refusal refusals[] = {
        {"UpdateTable", "{'TableName':'TTT'}",
         "ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
         "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"},
        {"UpdateTable", "{'TableName':'TTT','GlobalSecondaryIndexUpdates':[]}",
         "ValidationException: At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
         "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"},
        {"UpdateTable", "{'TableName':'TTT','BillingMode':'PROVISIONED'}",
         INVALID "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"},
        {"UpdateTable", "{'TableName':'TTT','ProvisionedThroughput':{'ReadCapacityUnits':1000000000000,"
                        "'WriteCapacityUnits':1000000000001}}",
         "ValidationException: Given value 1000000000001 for WriteCapacityUnits is out of bounds"},
        {"UpdateTable", "{'TableName':'TTT','GlobalSecondaryIndexUpdates':[{}]}",
         INVALID "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                 "GlobalSecondaryIndexUpdate.Delete must not be null"},
        {"UpdateTable", "{'TableName':'TTT','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'abc'}},"
                        "{'Delete':{'IndexName':'abc'}}]}",
         INVALID "Only one global secondary index update per index is allowed simultaneously. Index: abc"},
        {"UpdateTable", "{'TableName':'TTT'," CREATE_INDEX("'KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
                        "'Projection':{'ProjectionType':'ALL'}") "}",
         INVALID "Some index key attributes are not defined in AttributeDefinitions. Keys: [g], "
                 "AttributeDefinitions: []"},
        {"UpdateTable", "{'TableName':'TTT','StreamSpecification':{'StreamEnabled':true}}",
         INVALID "If stream is being enabled then UpdateViewType is required"},
        {"UpdateTable", "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST'}",
         "ResourceNotFoundException: Requested resource not found: Table: TTT not found"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(throughput_changes)
{
    create_provisioned_table();
    CHECK_ERROR(&server, "UpdateTable",
                "{'TableName':'TTT','ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5}}",
                "ValidationException: The provisioned throughput for the table will not change. The requested value "
                "equals the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
                "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. Requested "
                "WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for current limits and how to "
                "request higher limits.");
    ask(&server, "UpdateTable",
        "{'TableName':'TTT','ProvisionedThroughput':{'ReadCapacityUnits':10,'WriteCapacityUnits':5}}");
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    const char *text = ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(text, ask_quoted(&server, "'ProvisionedThroughput':{'LastIncreaseDateTime':"
                                                           "4102444800.001,'NumberOfDecreasesToday':0,"
                                                           "'ReadCapacityUnits':10,'WriteCapacityUnits':5}")));
}
END_TEST

START_TEST(index_is_created_and_deleted)
{
    ask_create_table(&server, NULL);
    ask(&server, "UpdateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'g','AttributeType':'N'}],"
        CREATE_INDEX("'KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],'Projection':{'ProjectionType':'ALL'}") "}");
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    const char *text = ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(text, ask_quoted(&server, "'IndexStatus':'ACTIVE'")));
    ck_assert_ptr_nonnull(strstr(text, ask_quoted(&server, "{'AttributeName':'g','AttributeType':'N'}")));
    ask(&server, "UpdateTable", "{'TableName':'TTT','GlobalSecondaryIndexUpdates':[{'Delete':{'IndexName':'gix'}}]}");
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    text = ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_null(strstr(text, "GlobalSecondaryIndexes"));
}
END_TEST

START_TEST(switches_change)
{
    ask_create_table(&server, NULL);
    ask(&server, "UpdateTable", "{'TableName':'TTT','DeletionProtectionEnabled':true}");
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    ask(&server, "UpdateTable", "{'TableName':'TTT','StreamSpecification':{'StreamEnabled':true,"
                                "'StreamViewType':'KEYS_ONLY'}}");
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    const char *text = ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(text, ask_quoted(&server, "'DeletionProtectionEnabled':true")));
    ck_assert_ptr_nonnull(
        strstr(text, ask_quoted(&server, "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'KEYS_ONLY'},"
                                         "'LatestStreamLabel':'2100-01-01T00:00:00.000'")));
}
END_TEST

TCase *update_table_tests(void)
{
    TCase *tests = tcase_create("update_table");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, request_is_refused_before_the_table_is_looked_up);
    tcase_add_test(tests, throughput_changes);
    tcase_add_test(tests, index_is_created_and_deleted);
    tcase_add_test(tests, switches_change);
    return tests;
}
