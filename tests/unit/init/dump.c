/* SPDX-License-Identifier: Apache-2.0
 * dump.c: tests of dumps: what is in them, and that a load makes the same of it. */
#include "suites.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define POLICY                                                                                                         \
    "{\\\"Version\\\":\\\"2012-10-17\\\",\\\"Statement\\\":{\\\"Effect\\\":\\\"Deny\\\",\\\"Principal\\\":\\\"*\\\","  \
    "\\\"Action\\\":\\\"dynamodb:DeleteItem\\\",\\\"Resource\\\":\\\"*\\\"}}"
#define ARN "arn:aws:dynamodb:us-east-1:000000000000:table/"

static void make_table_with_everything(void)
{
    ask(&server, "CreateTable",
        "{'TableName':'All.of-it_','BillingMode':'PROVISIONED',"
        "'ProvisionedThroughput':{'ReadCapacityUnits':7,'WriteCapacityUnits':8},"
        "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'B'},{'AttributeName':'sk','AttributeType':'N'},"
        "{'AttributeName':'l','AttributeType':'S'},{'AttributeName':'g','AttributeType':'N'}],"
        "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'sk','KeyType':'RANGE'}],"
        "'LocalSecondaryIndexes':[{'IndexName':'local','KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
        "{'AttributeName':'l','KeyType':'RANGE'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
        "'GlobalSecondaryIndexes':[{'IndexName':'global','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
        "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['x','y']},"
        "'ProvisionedThroughput':{'ReadCapacityUnits':3,'WriteCapacityUnits':4}},"
        "{'IndexName':'other','KeySchema':[{'AttributeName':'l','KeyType':'HASH'}],"
        "'Projection':{'ProjectionType':'ALL'},'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}}]"
        ","
        "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'},"
        "'SSESpecification':{'Enabled':true,'SSEType':'KMS'},'TableClass':'STANDARD_INFREQUENT_ACCESS',"
        "'DeletionProtectionEnabled':true,'Tags':[{'Key':'a','Value':'b'},{'Key':'c','Value':''}],"
        "'ResourcePolicy':'" POLICY "'}");
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    static const ask_refusal changes[] = {
        {"UpdateTimeToLive",
         "{'TableName':'All.of-it_','TimeToLiveSpecification':{'Enabled':true,'AttributeName':'ttl'}}", ""},
        {"UpdateContinuousBackups",
         "{'TableName':'All.of-it_','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true,"
         "'RecoveryPeriodInDays':9}}",
         ""},
        {"UpdateContributorInsights", "{'TableName':'All.of-it_','ContributorInsightsAction':'ENABLE'}", ""},
        {"UpdateContributorInsights",
         "{'TableName':'All.of-it_','IndexName':'other','ContributorInsightsAction':'ENABLE',"
         "'ContributorInsightsMode':'THROTTLED_KEYS'}",
         ""},
    };
    CHECK_REFUSALS(&server, changes);
}

static const char *const items[] = {
    "'pk':{'B':'AA=='},'sk':{'N':'-1'}",
    "'pk':{'B':'/////w=='},'sk':{'N':'99999999999999999999999999999999999999'},'ttl':{'N':'4102444900'}",
    "'pk':{'B':'AA=='},'sk':{'N':'0'},'l':{'S':'\\u0000 \\u00e9 \\ud83d\\ude00 \\\\ \\\" \\n'},'g':{'N':'1E-130'},"
    "'t':{'BOOL':true},'f':{'BOOL':false},'n':{'NULL':true},'ns':{'NS':['1','-2','3.5']},'ss':{'SS':['b','a']},"
    "'bs':{'BS':['AQ==','Ag==']},'L':{'L':[{'M':{}},{'L':[]},{'S':''},{'B':''}]},'M':{'M':{'e':{'N':'0'},'Item':{'S':'"
    "x'}}}",
};

static void put_items(void)
{
    for (size_t i = 0; i < TD_COUNT_OF(items); i++) {
        char body[1024];
        snprintf(body, sizeof(body), "{'TableName':'All.of-it_','Item':{%s}}", items[i]);
        ck_assert_str_eq(ask_error(&server, "PutItem", body), "");
    }
}

/* Copies of what a folder has, and of what the server says of its table and items. */
static char *copy_file(const char *name)
{
    const char *text = read_file(name);
    ck_assert_msg(text != NULL, "there is no %s", name);
    return strdup(text);
}

static char *copy_answer(const char *operation, const char *body)
{
    ask(&server, operation, body);
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    return strdup(server.text);
}

static const char *const questions[][2] = {
    {"Scan", "{'TableName':'All.of-it_'}"},
    {"Scan", "{'TableName':'All.of-it_','IndexName':'global'}"},
    {"Scan", "{'TableName':'All.of-it_','IndexName':'local'}"},
    {"DescribeTimeToLive", "{'TableName':'All.of-it_'}"},
    {"ListContributorInsights", "{'TableName':'All.of-it_'}"},
    {"ListTagsOfResource", "{'ResourceArn':'" ARN "All.of-it_'}"},
};

START_TEST(a_load_makes_the_same_of_a_dump)
{
    char *answers[TD_COUNT_OF(questions)];
    make_table_with_everything();
    put_items();
    ask_create_table(&server, NULL);
    for (size_t i = 0; i < TD_COUNT_OF(questions); i++)
        answers[i] = copy_answer(questions[i][0], questions[i][1]);
    ck_assert_str_eq(dump_to("dump/"), "");
    ck_assert_uint_eq(loaded.tables, 2);
    ck_assert_uint_eq(loaded.items, 3);
    char *tables = copy_file("dump/tables.json");
    char *lines = copy_file("dump/All.of-it_.items.jsonl");
    ck_assert_ptr_null(read_file("dump/TTT.items.jsonl")); /* it is empty */
    start_anew();
    ck_assert_str_eq(load_paths("dump"), "");
    ck_assert_uint_eq(loaded.tables, 2);
    ck_assert_uint_eq(loaded.items, 3);
    for (size_t i = 0; i < TD_COUNT_OF(questions); i++) {
        char *answer = copy_answer(questions[i][0], questions[i][1]);
        ck_assert_str_eq(answer, answers[i]);
        free(answer);
        free(answers[i]);
    }
    ck_assert_str_eq(dump_to("again"), "");
    ck_assert_str_eq(read_file("again/tables.json"), tables);
    ck_assert_str_eq(read_file("again/All.of-it_.items.jsonl"), lines);
    free(tables);
    free(lines);
}
END_TEST

START_TEST(tables_are_requests_of_the_services)
{
    static const char *const parts[] = {
        "[\n{\"TableName\":\"All.of-it_\",",
        "\"ProvisionedThroughput\":{\"ReadCapacityUnits\":7,\"WriteCapacityUnits\":8}",
        "\"IndexName\":\"global\"",
        "\"NonKeyAttributes\":[\"x\",\"y\"]",
        "\"StreamViewType\":\"NEW_AND_OLD_IMAGES\"",
        "\"SSESpecification\":{\"Enabled\":true,\"SSEType\":\"KMS\",\"KMSMasterKeyId\":\"arn:aws:kms:",
        "\"TableClass\":\"STANDARD_INFREQUENT_ACCESS\"",
        "\"DeletionProtectionEnabled\":true",
        "\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"},{\"Key\":\"c\",\"Value\":\"\"}]",
        "\"ResourcePolicy\":\"{\\\"Version\\\"",
        ",\n{\"TableName\":\"All.of-it_\",\"TimeToLiveSpecification\":{\"Enabled\":true,\"AttributeName\":\"ttl\"}}",
        "{\"PointInTimeRecoveryEnabled\":true,\"RecoveryPeriodInDays\":9}}",
        "{\"TableName\":\"All.of-it_\",\"ContributorInsightsAction\":\"ENABLE\","
        "\"ContributorInsightsMode\":\"ACCESSED_AND_THROTTLED_KEYS\"}",
        "\"IndexName\":\"other\",\"ContributorInsightsAction\":\"ENABLE\",\"ContributorInsightsMode\":\"THROTTLED_"
        "KEYS\"}",
    };
    make_table_with_everything();
    ck_assert_str_eq(dump_to("dump"), "");
    const char *text = read_file("dump/tables.json");
    for (size_t i = 0; i < TD_COUNT_OF(parts); i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "%s lacks %s", text, parts[i]);
}
END_TEST

START_TEST(on_demand_tables_have_no_throughput_but_their_maxima)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'pk',"
        "'AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
        "'OnDemandThroughput':{'MaxReadRequestUnits':5}}");
    ck_assert_str_eq(dump_to("dump"), "");
    ck_assert_str_eq(read_file("dump/tables.json"),
                     "[\n{\"TableName\":\"TTT\",\"AttributeDefinitions\":[{\"AttributeName\":\"pk\",\"AttributeType\":"
                     "\"S\"}],\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}],\"BillingMode\":"
                     "\"PAY_PER_REQUEST\",\"OnDemandThroughput\":{\"MaxReadRequestUnits\":5},"
                     "\"DeletionProtectionEnabled\":false}\n]\n");
    start_anew();
    ck_assert_str_eq(load_paths("dump"), "");
}
END_TEST

/* More than a page of Scan, from a table whose throughput such a Scan exhausts. */
START_TEST(a_table_of_many_pages_is_dumped_as_a_whole)
{
    char *body = malloc(300000);
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],'KeySchema':[{"
        "'AttributeName':'pk','KeyType':'HASH'}],'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}"
        "}");
    for (int i = 0; i < 30; i++) {
        int len = snprintf(body, 300000, "{\"pk\":\"%d\",\"filling\":\"%0200000d\"}\n", i, i);
        char name[32];
        snprintf(name, sizeof(name), "in/%d/TTT.items.jsonl", i);
        write_bytes(name, body, (size_t)len);
    }
    ck_assert_str_eq(load_paths("in"), "");
    ck_assert_str_eq(dump_to("dump"), "");
    ck_assert_uint_eq(loaded.items, 30);
    start_anew();
    ck_assert_str_eq(load_paths("dump"), "");
    ck_assert_uint_eq(loaded.items, 30);
    CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT','Select':'COUNT','Limit':1}",
                 "{'Count':1,'ScannedCount':1,'LastEvaluatedKey':{'pk':{'S':'22'}}}");
    free(body);
}
END_TEST

START_TEST(a_folder_that_is_there_is_left_alone)
{
    write_file("dump/mine", "text");
    ck_assert_str_eq(dump_to("dump"), "dump: is there already: a dump makes its folder itself");
    ck_assert_str_eq(read_file("dump/mine"), "text");
    ck_assert_str_eq(dump_to("none/dump"), "none/dump: No such file or directory");
}
END_TEST

START_TEST(a_dump_that_fails_leaves_nothing)
{
    ask(&server, "CreateTable",
        "{'TableName':'.hidden','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'pk',"
        "'AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]}");
    ck_assert_str_eq(dump_to("dump"),
                     "DIR: the table .hidden: a file whose name begins with a dot would not be loaded");
    ck_assert_str_eq(load(), ""); /* of an empty folder */
}
END_TEST

TCase *dump_tests(void)
{
    TCase *tests = tcase_create("dump");
    tcase_add_checked_fixture(tests, world_setup, world_teardown);
    tcase_add_test(tests, a_load_makes_the_same_of_a_dump);
    tcase_add_test(tests, tables_are_requests_of_the_services);
    tcase_add_test(tests, on_demand_tables_have_no_throughput_but_their_maxima);
    tcase_add_test(tests, a_table_of_many_pages_is_dumped_as_a_whole);
    tcase_add_test(tests, a_folder_that_is_there_is_left_alone);
    tcase_add_test(tests, a_dump_that_fails_leaves_nothing);
    return tests;
}
