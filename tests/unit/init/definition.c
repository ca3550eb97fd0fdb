/* SPDX-License-Identifier: Apache-2.0
 * definition.c: tests of documents that define tables, and of what is refused in them. */
#include "suites.h"
#include "world.h"

#define KEY                                                                                                            \
    "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType'" \
    ":'HASH'}]"

START_TEST(a_request_of_create_table_makes_the_table)
{
    write_table();
    CHECK_LOADS();
    ck_assert_uint_eq(loaded.tables, 1);
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['TTT']}");
}
END_TEST

START_TEST(a_list_makes_several)
{
    write_json("tables.json",
               "[{'TableName':'One','BillingMode':'PAY_PER_REQUEST'," KEY "},"
               "{'TableName':'Two','ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':6}," KEY "}]");
    CHECK_LOADS();
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['One','Two']}");
    ask(&server, "DescribeTable", "{'TableName':'Two'}");
    ck_assert_ptr_nonnull(strstr(server.text, "\"ReadCapacityUnits\":5,\"WriteCapacityUnits\":6"));
}
END_TEST

START_TEST(a_list_has_what_create_table_does_not_take)
{
    write_json("tables.json",
               "[{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST'," KEY "},"
               "{'TableName':'TTT','TimeToLiveSpecification':{'Enabled':true,'AttributeName':'ttl'}},"
               "{'TableName':'TTT','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true,"
               "'RecoveryPeriodInDays':3}},"
               "{'TableName':'TTT','ContributorInsightsAction':'ENABLE'}]");
    CHECK_LOADS();
    CHECK_ANSWER(&server, "DescribeTimeToLive", "{'TableName':'TTT'}",
                 "{'TimeToLiveDescription':{'TimeToLiveStatus':'ENABLED','AttributeName':'ttl'}}");
    ask(&server, "DescribeContinuousBackups", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(server.text, "\"RecoveryPeriodInDays\":3"));
    ask(&server, "DescribeContributorInsights", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(server.text, "\"ENABLED\""));
}
END_TEST

START_TEST(what_is_set_of_a_table_comes_behind_it)
{
    write_json("tables.json", "[{'TableName':'One','BillingMode':'PAY_PER_REQUEST'," KEY "},\n"
                              "{'TableName':'Two','TimeToLiveSpecification':{'Enabled':true,'AttributeName':'ttl'}}]");
    CHECK_REFUSES("tables.json:2: a request of UpdateTimeToLive must name a table that is defined before it");
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':[]}");
}
END_TEST

START_TEST(the_same_may_be_yaml)
{
    write_file("table.yml", "# comments too\n"
                            "TableName: TTT\n"
                            "BillingMode: PAY_PER_REQUEST\n"
                            "AttributeDefinitions:\n"
                            "  - AttributeName: pk\n"
                            "    AttributeType: N\n" /* no boolean */
                            "KeySchema:\n"
                            "  - {AttributeName: pk, KeyType: HASH}\n");
    CHECK_LOADS();
    ask(&server, "DescribeTable", "{'TableName':'TTT'}");
    ck_assert_ptr_nonnull(strstr(server.text, "\"AttributeType\":\"N\""));
}
END_TEST

START_TEST(anchors_aliases_and_merges_are_resolved)
{
    write_file("tables.yaml", "- &one\n"
                              "  TableName: One\n"
                              "  BillingMode: PAY_PER_REQUEST\n"
                              "  AttributeDefinitions: &definitions [{AttributeName: pk, AttributeType: S}]\n"
                              "  KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
                              "- <<: *one\n"
                              "  TableName: Two\n"
                              "- <<: [{TableName: Three}, *one]\n"
                              "  AttributeDefinitions: *definitions\n");
    CHECK_LOADS();
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['One','Three','Two']}");
}
END_TEST

/* A row: a file and what is said of it. */
static const struct {
    const char *name;
    const char *text;
    const char *sentence;
} refusals[] = {
    {"a.json", "", "a.json:1: there is nothing in it"},
    {"a.json", "{'TableName':\n'TTT'\n",
     "a.json:3: it is neither YAML nor JSON: while parsing a flow mapping, did not find "
     "expected ',' or '}'"},
    {"a.yaml", "a: 1\nb: [1\n",
     "a.yaml:3: it is neither YAML nor JSON: while parsing a flow sequence, did not find "
     "expected ',' or ']'"},
    {"a.yaml", "a: \xff\n", "a.yaml: it is neither YAML nor JSON: invalid leading UTF-8 octet"},
    {"a.yaml", "a: 1\nb: 2\na: 3\n", "a.yaml:3: the map has two members of this name"},
    {"a.yaml", "a: 1\n---\nb: 2\n", "a.yaml:2: a second document begins here"},
    {"a.yaml", "a: *b\n", "a.yaml:1: an alias names no anchor before it"},
    {"a.yaml", "a:\n  <<: 5\n", "a.yaml:2: \"<<\" must name a map, or a list of maps"},
    {"a.yaml", "[a]: 1\n", "a.yaml:1: the name of a member must be a text"},
    {"a.json", "\n{'name':1}",
     "a.json:2: defines no table: it has neither a KeySchema (a request of CreateTable) nor "
     "Resources (a template)"},
    {"a.json", "'text'",
     "a.json:1: defines no table: it has neither a KeySchema (a request of CreateTable) nor Resources "
     "(a template)"},
    {"a.json", "[{'TableName':'A'}]", "a.json:1: a request of CreateTable must have a KeySchema"},
    {"a.json", "{'KeySchema':[]}", "a.json:1: the table has no TableName"},
    {"a.json", "{'TableName':{},'KeySchema':[]}", "a.json:1: the table has no TableName"},
    {"a.json", "{'TableName':'TTT'," KEY "}",
     "a.json:1: CreateTable TTT: ValidationException: One or more parameter values were invalid: ReadCapacityUnits and "
     "WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"},
};

START_TEST(what_is_wrong_is_told_with_its_file_and_line)
{
    write_json(refusals[_i].name, refusals[_i].text);
    CHECK_REFUSES(refusals[_i].sentence);
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':[]}");
}
END_TEST

START_TEST(what_is_nested_without_end_is_refused)
{
    char text[4096];
    memset(text, '[', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    write_file("a.json", text);
    CHECK_REFUSES("a.json:1: it is nested too deep, or too long");
}
END_TEST

TCase *definition_tests(void)
{
    TCase *tcase = tcase_create("definition");
    tcase_add_checked_fixture(tcase, world_setup, world_teardown);
    tcase_add_test(tcase, a_request_of_create_table_makes_the_table);
    tcase_add_test(tcase, a_list_makes_several);
    tcase_add_test(tcase, a_list_has_what_create_table_does_not_take);
    tcase_add_test(tcase, what_is_set_of_a_table_comes_behind_it);
    tcase_add_test(tcase, the_same_may_be_yaml);
    tcase_add_test(tcase, anchors_aliases_and_merges_are_resolved);
    tcase_add_loop_test(tcase, what_is_wrong_is_told_with_its_file_and_line, 0, TD_COUNT_OF(refusals));
    tcase_add_test(tcase, what_is_nested_without_end_is_refused);
    return tcase;
}
