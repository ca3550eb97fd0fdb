/* SPDX-License-Identifier: Apache-2.0
 * load.c: tests of a whole load: which files, in which order, what is there already, and that nothing is charged. */
#include "suites.h"
#include "world.h"

#include <stdio.h>

#include "thermodyn/observe.h"

#define ITEM "{'pk':'a','sk':1}"

START_TEST(nothing_is_loaded_without_paths)
{
    server.config.init = "";
    td_buf says;
    td_buf_init(&says, 100);
    ck_assert(td_init_load(&server.service, &loaded, &says));
    ck_assert_uint_eq(loaded.tables + loaded.items, 0);
    td_buf_done(&says);
}
END_TEST

/* Items sort before tables here, and a folder between them. */
START_TEST(all_tables_are_made_before_the_first_item)
{
    write_json("A/TTT.items.jsonl", ITEM);
    write_json("B/b/TTT.items.jsonl", "{'pk':'a','sk':2}");
    write_table();
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.tables, 1);
    ck_assert_uint_eq(loaded.items, 2);
}
END_TEST

START_TEST(what_is_no_fixture_by_its_name_is_passed_over_in_a_folder)
{
    write_table();
    write_file("README.md", "text");
    write_file("run.sh", "exit 1");
    write_file(".hidden.json", "not JSON");
    write_file("..data/a.json", "not JSON"); /* where Kubernetes keeps the files that it links to */
    CHECK_LOADS();
}
END_TEST

START_TEST(what_is_named_must_be_there_and_be_a_fixture)
{
    write_table();
    write_file("README.md", "text");
    ck_assert_str_eq(
        load_paths("README.md"),
        "README.md: is no fixture by its name: definitions of tables end with .json, .yaml or .yml, items with "
        ".items.json, .items.jsonl or .items.csv");
    ck_assert_str_eq(load_paths("TTT.json none"), "none: cannot be read: No such file or directory");
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':[]}");
    ck_assert_str_eq(load_paths("TTT.json"), "");
}
END_TEST

START_TEST(several_paths_are_loaded_in_their_order)
{
    write_table();
    write_json("b/TTT.items.jsonl", "{'pk':'a','sk':1,'from':'b'}");
    write_json("a/TTT.items.jsonl", "{'pk':'a','sk':1,'from':'a'}");
    ck_assert_str_eq(load_paths("b a TTT.json"), "");
    CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT'}",
                 "{'Items':[{'from':{'S':'a'},'pk':{'S':'a'},'sk':{'N':'1'}}],'Count':1,'ScannedCount':1}");
}
END_TEST

START_TEST(a_second_load_changes_nothing)
{
    write_table();
    write_json("TTT.items.jsonl", ITEM);
    CHECK_LOADS();
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'own'},'sk':{'N':'1'}}}");
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.tables, 0);
    ck_assert_uint_eq(loaded.items, 1);
    CHECK_ANSWER(&server, "Scan", "{'TableName':'TTT','Select':'COUNT'}", "{'Count':2,'ScannedCount':2}");
}
END_TEST

START_TEST(a_table_that_is_defined_otherwise_is_refused)
{
    write_table();
    CHECK_LOADS();
    write_json("TTT.json", "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':"
                           "[{'AttributeName':'pk','AttributeType':'S'}],"
                           "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]}");
    CHECK_REFUSES("TTT.json:1: the table TTT is there already, and defined otherwise: see its AttributeDefinitions");
    write_table();
    ask(&server, "UpdateTable", "{'TableName':'TTT','DeletionProtectionEnabled':true}");
    CHECK_REFUSES(
        "TTT.json:1: the table TTT is there already, and defined otherwise: see its DeletionProtectionEnabled");
}
END_TEST

START_TEST(two_files_may_define_a_table_alike)
{
    write_table();
    write_json("again.json", "[{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST',"
                             "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
                             "{'AttributeName':'sk','AttributeType':'N'}],"
                             "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
                             "{'AttributeName':'sk','KeyType':'RANGE'}]}]");
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.tables, 1);
}
END_TEST

/* One write unit a second, with a burst of 300: a thousand writes would be throttled. */
START_TEST(a_load_is_neither_throttled_nor_charged)
{
    static char items[40000];
    size_t len = 0;
    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(items + len, sizeof(items) - len, "{\"pk\":\"a\",\"g\":\"%d\",\"n\":%d}\n", i % 7, i);
    write_json("TTT.json",
               "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
               "{'AttributeName':'g','AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
               "'GlobalSecondaryIndexes':[{'IndexName':'iii','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
               "'Projection':{'ProjectionType':'ALL'},'ProvisionedThroughput':{'ReadCapacityUnits':1,'"
               "WriteCapacityUnits':1}}],"
               "'ProvisionedThroughput':{'ReadCapacityUnits':1,'WriteCapacityUnits':1}}");
    write_file("TTT.items.jsonl", items);
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.items, 1000);
    td_call call = {.store = server.service.store,
                    .arena = &server.arena,
                    .now_us = td_clock_now(server.service.clock),
                    .table = TD_LIT("TTT")};
    td_table_view view;
    ck_assert(td_observe_table(&call, &view));
    ck_assert_uint_eq(view.resource_count, 2);
    for (uint32_t i = 0; i < view.resource_count; i++) {
        ck_assert_double_eq(view.resources[i].bucket[TD_WRITE].balance, view.resources[i].bucket[TD_WRITE].ceiling);
        ck_assert_uint_eq(view.resources[i].bucket[TD_WRITE].throttled, 0);
    }
    ck_assert_double_eq(view.partitions[0].consumed_minute[TD_WRITE], 0);
    CHECK_ANSWER(&server, "Query",
                 "{'TableName':'TTT','IndexName':'iii','KeyConditionExpression':'g=:g',"
                 "'ExpressionAttributeValues':{':g':{'S':'5'}},'Select':'COUNT'}",
                 "{'Count':1,'ScannedCount':1}");
}
END_TEST

START_TEST(tables_are_active_whatever_the_delays)
{
    td_store_free(server.service.store);
    td_store_options options = {.seed = 1, .has_table_delays = true};
    td_capacity_settings_init(&options.capacity);
    server.service.store = td_store_new(&options);
    write_file("table.yaml", "Resources:\n"
                             "  TTT:\n"
                             "    Type: AWS::DynamoDB::Table\n"
                             "    Properties:\n"
                             "      BillingMode: PAY_PER_REQUEST\n"
                             "      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n"
                             "      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
                             "      StreamSpecification: {StreamViewType: NEW_IMAGE}\n");
    write_json("TTT.items.jsonl", "{'pk':'a'}");
    CHECK_LOADS();
    ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(server.text, "\"TableStatus\":\"ACTIVE\""));
    ask(&server, "ListStreams", "{}");
    char arn[200];
    const char *begin = strstr(server.text, "\"StreamArn\":\"");
    ck_assert_ptr_nonnull(begin);
    sscanf(begin, "\"StreamArn\":\"%199[^\"]", arn);
    char body[300];
    snprintf(body, sizeof(body), "{'StreamArn':'%s'}", arn);
    ask(&server, "DescribeStream", body);
    ck_assert_ptr_nonnull(strstr(server.text, "\"StreamStatus\":\"ENABLED\""));
}
END_TEST

START_TEST(isolated_callers_have_no_fixtures)
{
    server.config.isolate = true;
    write_file("README.md", "an image may have an empty folder");
    CHECK_LOADS();
    write_table();
    CHECK_REFUSES("init does not go together with isolate: fixtures belong to no access key");
}
END_TEST

#define SUMMARY "{'version':'2020-06-30','tableArn':'arn:aws:dynamodb:eu-west-1:123456789012:table/TTT'"
#define FILES "export/manifest-files.json"

static void write_export(const char *more)
{
    char summary[400];
    snprintf(summary, sizeof(summary), SUMMARY "%s}", more);
    write_json("export/manifest-summary.json", summary);
    write_json(FILES, "{'itemCount':1,'dataFileS3Key':'AWSDynamoDB/01-ab/data/one.json.gz'}\n"
                      "{'itemCount':1,'dataFileS3Key':'two.json.gz'}\n");
    write_packed("export/data/one.json.gz", "{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}}\n");
    write_packed("export/data/two.json.gz", "{\"Item\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"2\"}}}\n");
    write_packed("export/data/other.json.gz", "not in the manifest");
}

START_TEST(an_export_of_the_service_is_loaded)
{
    write_table();
    write_export(",'outputFormat':'DYNAMODB_JSON','exportType':'FULL_EXPORT'");
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.items, 2);
}
END_TEST

START_TEST(other_exports_are_refused)
{
    write_table();
    write_export(",'outputFormat':'ION'");
    CHECK_REFUSES("export/manifest-summary.json: the export is not in DYNAMODB_JSON, the one format that is read");
    write_export(",'exportType':'INCREMENTAL_EXPORT'");
    CHECK_REFUSES("export/manifest-summary.json: the export is incremental: only full ones are read");
    write_json("export/manifest-summary.json", "{}");
    CHECK_REFUSES("export/manifest-summary.json: the manifest has no tableArn");
    write_json("export/manifest-summary.json", "{");
    CHECK_REFUSES("export/manifest-summary.json:1: is no JSON object");
    write_export("");
    write_json(FILES, "{'dataFileS3Key':'data/one.json.gz'}\n{}\n");
    CHECK_REFUSES(FILES ":2: the line has no dataFileS3Key");
    write_json(FILES, "{'dataFileS3Key':'data/none.json.gz'}\n");
    CHECK_REFUSES("export/data/none.json.gz: cannot be read: No such file or directory");
}
END_TEST

TCase *load_tests(void)
{
    TCase *tcase = tcase_create("load");
    tcase_add_checked_fixture(tcase, world_setup, world_teardown);
    tcase_add_test(tcase, nothing_is_loaded_without_paths);
    tcase_add_test(tcase, all_tables_are_made_before_the_first_item);
    tcase_add_test(tcase, what_is_no_fixture_by_its_name_is_passed_over_in_a_folder);
    tcase_add_test(tcase, what_is_named_must_be_there_and_be_a_fixture);
    tcase_add_test(tcase, several_paths_are_loaded_in_their_order);
    tcase_add_test(tcase, a_second_load_changes_nothing);
    tcase_add_test(tcase, a_table_that_is_defined_otherwise_is_refused);
    tcase_add_test(tcase, two_files_may_define_a_table_alike);
    tcase_add_test(tcase, a_load_is_neither_throttled_nor_charged);
    tcase_add_test(tcase, tables_are_active_whatever_the_delays);
    tcase_add_test(tcase, isolated_callers_have_no_fixtures);
    tcase_add_test(tcase, an_export_of_the_service_is_loaded);
    tcase_add_test(tcase, other_exports_are_refused);
    return tcase;
}
