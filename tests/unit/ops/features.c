/* SPDX-License-Identifier: Apache-2.0
 * features.c: tests of tags, time to live, backups and of what no table here has. */
#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
}
static void teardown(void)
{
    ask_teardown(&server);
}

#define TABLE "arn:aws:dynamodb:us-east-1:000000000000:table/"
#define DENIED "AccessDeniedException: User: arn:aws:iam::000000000000:root is not authorized to perform: dynamodb:"
#define BACKUPS(recovery)                                                                                              \
    "{'ContinuousBackupsDescription':{'ContinuousBackupsStatus':'ENABLED','PointInTimeRecoveryDescription':" recovery  \
    "}}"
#define RECOVERY(is_enabled)                                                                                           \
    "{'TableName':'TTT','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':" is_enabled "}}"

START_TEST(recovery_reaches_back_to_when_it_was_enabled)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "DescribeContinuousBackups", "{'TableName':'TTT'}",
                 BACKUPS("{'PointInTimeRecoveryStatus':'DISABLED'}"));
    CHECK_ANSWER(&server, "UpdateContinuousBackups", RECOVERY("true"),
                 BACKUPS("{'PointInTimeRecoveryStatus':'ENABLED','RecoveryPeriodInDays':35,"
                         "'EarliestRestorableDateTime':4102444800,'LatestRestorableDateTime':4102444800}"));
    td_time_us day_us = 86400 * TD_US_PER_S;
    ck_assert(td_clock_move_to(server.service.clock, td_clock_now(server.service.clock) + day_us));
    CHECK_ANSWER(&server, "UpdateContinuousBackups", RECOVERY("true"),
                 BACKUPS("{'PointInTimeRecoveryStatus':'ENABLED','RecoveryPeriodInDays':35,"
                         "'EarliestRestorableDateTime':4102444800,'LatestRestorableDateTime':4102530900}"));
    ck_assert(td_clock_move_to(server.service.clock, td_clock_now(server.service.clock) + 35 * day_us));
    CHECK_ANSWER(&server, "DescribeContinuousBackups", "{'TableName':'TTT'}",
                 BACKUPS("{'PointInTimeRecoveryStatus':'ENABLED','RecoveryPeriodInDays':35,"
                         "'EarliestRestorableDateTime':4102531200,'LatestRestorableDateTime':4105554900}"));
    CHECK_ANSWER(&server, "UpdateContinuousBackups", RECOVERY("false"),
                 BACKUPS("{'PointInTimeRecoveryStatus':'DISABLED'}"));
}
END_TEST

START_TEST(tags_come_and_go)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "TagResource",
                 "{'ResourceArn':'" TABLE "TTT','Tags':[{'Key':'b','Value':'1'},{'Key':'a','Value':'2'}]}", "");
    CHECK_ANSWER(&server, "ListTagsOfResource", "{'ResourceArn':'" TABLE "TTT'}",
                 "{'Tags':[{'Key':'a','Value':'2'},{'Key':'b','Value':'1'}]}");
    CHECK_ANSWER(&server, "UntagResource", "{'ResourceArn':'" TABLE "TTT','TagKeys':['a']}", "");
    CHECK_ANSWER(&server, "ListTagsOfResource", "{'ResourceArn':'" TABLE "TTT'}", "{'Tags':[{'Key':'b','Value':'1'}]}");
}
END_TEST

START_TEST(an_account_of_its_own_does_not_deny_its_unknown_tables)
{
    server.config.account = "111122223333";
    static const ask_refusal refusals[] = {
        {"ListTagsOfResource", "{'ResourceArn':'arn:aws:dynamodb:us-east-1:111122223333:table/none'}",
         "ResourceNotFoundException: Requested resource not found: ResourcArn: "
         "arn:aws:dynamodb:us-east-1:111122223333:table/none not found"},
        {"ListTagsOfResource", "{'ResourceArn':'" TABLE "none'}",
         "AccessDeniedException: User: arn:aws:iam::111122223333:root is not authorized to perform: "
         "dynamodb:ListTagsOfResource on resource: " TABLE "none"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(arns_of_resources_are_refused_in_the_services_order)
{
#define OWN "{'ResourceArn':'" TABLE "TTT'"
    static const ask_refusal refusals[] = {
        {"TagResource", "{'Tags':[]}", "ValidationException: Invalid TableArn"},
        {"TagResource", "{'ResourceArn':''}", DENIED "TagResource on resource: *"},
        {"TagResource", "{'ResourceArn':'a:b'}", DENIED "TagResource on resource: a:b"},
        {"TagResource", OWN "}",
         "ValidationException: 1 validation error detected: Value null at 'tags' failed to satisfy constraint: "
         "Member must not be null"},
        {"UntagResource", OWN "}",
         "ValidationException: 1 validation error detected: Value null at 'tagKeys' failed to satisfy constraint: "
         "Member must not be null"},
        {"TagResource", "{'ResourceArn':'" TABLE "TTT/index/gix','Tags':[]}",
         "ValidationException: Invalid TableArn: Invalid ResourceArn provided as input " TABLE "TTT/index/gix"},
        {"TagResource", OWN ",'Tags':[]}", "ValidationException: Atleast one Tag needs to be provided as Input."},
        {"TagResource", OWN ",'Tags':[{'Key':'k','Value':'v'}]}",
         "ResourceNotFoundException: Requested resource not found: ResourcArn: " TABLE "TTT not found"},
        {"UntagResource", OWN ",'TagKeys':['k']}", "ResourceNotFoundException: Requested resource not found"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

TCase *features_tests(void)
{
    TCase *tests = tcase_create("features");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, recovery_reaches_back_to_when_it_was_enabled);
    tcase_add_test(tests, tags_come_and_go);
    tcase_add_test(tests, an_account_of_its_own_does_not_deny_its_unknown_tables);
    tcase_add_test(tests, arns_of_resources_are_refused_in_the_services_order);
    return tests;
}
