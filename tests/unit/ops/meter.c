/* SPDX-License-Identifier: Apache-2.0
 * meter.c: tests of what a request of each kind counts as: its tables, its elements, its items. */
#include <check.h>
#include <stdio.h>

#include "base/json_doc.h"

#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void)
{
    ask_setup(&server);
    server.service.metrics = td_metrics_new(1);
    ck_assert_ptr_nonnull(server.service.metrics);
    server.recorder = td_metrics_get_recorder(server.service.metrics, 0);
    static const char *const names[] = {"AAA", "BBB"};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        char body[512];
        (void)snprintf(body, sizeof(body),
                       "{'TableName':'%s','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
                       "{'AttributeName':'pk','AttributeType':'S'}],"
                       "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}]}",
                       names[i]);
        ask(&server, "CreateTable", body);
        ck_assert_msg(server.http_status == 200, "%s", server.text);
    }
}

static void teardown(void)
{
    td_metrics_free(server.service.metrics);
    ask_teardown(&server);
}

static td_statistic figure(const char *table, const char *operation, td_metrics_kind kind, td_request_metric metric)
{
    td_time_us now_us = td_clock_now(server.service.clock);
    td_samples point = {0};
    td_series_window window = {.now_us = now_us,
                               .from_us = now_us - now_us % TD_SERIES_MINUTE_US,
                               .period_us = TD_SERIES_MINUTE_US,
                               .count = 1};
    const td_operation *row =
        operation == NULL ? NULL : td_operation_find(TD_API_DYNAMODB, td_slice_of_cstr(operation));
    uint32_t number = row == NULL ? TD_METRICS_NO_OPERATION : (uint32_t)(row - td_operation_at(0));
    td_metrics_entry entry = {.table = td_slice_of_cstr(table), .operation = number, .kind = kind};
    bool is_known = td_metrics_read(server.service.metrics, &entry, metric, &window, &point);
    ck_assert(is_known || point.statistic.count == 0);
    return point.statistic;
}

static uint64_t count_of(const char *table, const char *operation, td_metrics_kind kind, td_request_metric metric)
{
    return figure(table, operation, kind, metric).count;
}

static void add_rule(const char *json)
{
    char sentence[TD_FAULT_SENTENCE_BYTES] = "";
    const char *fault = NULL;
    td_arena_reset(&server.arena);
    const td_json_node *rule = td_json_doc_parse(td_slice_of_cstr(ask_quoted(&server, json)), &server.arena, &fault);
    ck_assert_msg(rule != NULL, "%s: %s", json, fault);
    bool is_added = td_faults_add(server.service.faults, rule, TD_LIT(""), NULL, NULL, sentence);
    ck_assert_msg(is_added, "%s: %s", json, sentence);
}

START_TEST(a_request_on_one_table_is_a_success_of_it)
{
    ask(&server, "PutItem", "{'TableName':'AAA','Item':{'pk':{'S':'a'}}}");
    ask(&server, "GetItem", "{'TableName':'AAA','Key':{'pk':{'S':'a'}}}");
    ask(&server, "DescribeTable", "{'TableName':'AAA'}");
    ck_assert_uint_eq(count_of("AAA", "PutItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 1);
    ck_assert_uint_eq(count_of("AAA", "GetItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 1);
    ck_assert_uint_eq(count_of("AAA", "DescribeTable", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 0);
    ck_assert_uint_eq(count_of("BBB", "PutItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 0);
}
END_TEST

START_TEST(items_in_a_page_are_returned_items)
{
    ask(&server, "PutItem", "{'TableName':'AAA','Item':{'pk':{'S':'a'}}}");
    ask(&server, "PutItem", "{'TableName':'AAA','Item':{'pk':{'S':'b'}}}");
    ask(&server, "Scan", "{'TableName':'AAA'}");
    ask(&server, "Scan", "{'TableName':'AAA','FilterExpression':'attribute_exists(x)'}");
    td_statistic items = figure("AAA", "Scan", TD_METRICS_PLAIN, TD_REQUEST_METRIC_RETURNED_ITEMS);
    ck_assert_uint_eq(items.count, 2);
    ck_assert_int_eq(items.sum, 2);
    ck_assert_int_eq(items.min, 0);
    ask(&server, "ExecuteStatement", "{'Statement':'SELECT * FROM AAA'}");
    items = figure("AAA", "ExecuteStatement", TD_METRICS_SELECT, TD_REQUEST_METRIC_RETURNED_ITEMS);
    ck_assert_int_eq(items.sum, 2);
}
END_TEST

START_TEST(a_batch_is_a_success_of_each_of_its_tables)
{
    ask(&server, "BatchWriteItem",
        "{'RequestItems':{'AAA':[{'PutRequest':{'Item':{'pk':{'S':'a'}}}},{'PutRequest':{'Item':{'pk':{'S':'b'}}}}],"
        "'BBB':[{'PutRequest':{'Item':{'pk':{'S':'a'}}}}]}}");
    ask(&server, "BatchGetItem", "{'RequestItems':{'AAA':{'Keys':[{'pk':{'S':'a'}}]}}}");
    ck_assert_uint_eq(count_of("AAA", "BatchWriteItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 1);
    ck_assert_uint_eq(count_of("BBB", "BatchWriteItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 1);
    ck_assert_uint_eq(count_of("AAA", "BatchGetItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 1);
    ck_assert_uint_eq(count_of("BBB", "BatchGetItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 0);
}
END_TEST

START_TEST(a_failed_condition_counts_on_its_table_in_a_transaction_too)
{
    ask(&server, "DeleteItem",
        "{'TableName':'AAA','Key':{'pk':{'S':'a'}},'ConditionExpression':'attribute_exists(pk)'}");
    ck_assert_int_eq(server.http_status, 400);
    ck_assert_uint_eq(count_of("", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_USER_ERRORS), 0);
    ask(&server, "TransactWriteItems",
        "{'TransactItems':[{'Put':{'TableName':'BBB','Item':{'pk':{'S':'a'}}}},"
        "{'Delete':{'TableName':'AAA','Key':{'pk':{'S':'a'}},'ConditionExpression':'attribute_exists(pk)'}},"
        "{'Delete':{'TableName':'AAA','Key':{'pk':{'S':'b'}},'ConditionExpression':'attribute_exists(pk)'}}]}");
    ck_assert_int_eq(server.http_status, 400);
    ck_assert_uint_eq(count_of("AAA", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_CONDITION_FAILED), 3);
    ck_assert_uint_eq(count_of("BBB", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_CONDITION_FAILED), 0);
    ck_assert_uint_eq(count_of("BBB", "TransactWriteItems", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 0);
    ck_assert_uint_eq(count_of("", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_USER_ERRORS), 1);
}
END_TEST

/* A partition of a small table is spent by a large item. */
static void spend(const char *table)
{
    char body[512];
    (void)snprintf(body, sizeof(body),
                   "{'TableName':'%s','BillingMode':'PROVISIONED','ProvisionedThroughput':{'ReadCapacityUnits':1,"
                   "'WriteCapacityUnits':1}}",
                   table);
    ask(&server, "UpdateTable", body);
    ck_assert_msg(server.http_status == 200, "%s", server.text);
    (void)snprintf(body, sizeof(body), "{'TableName':'%s','Item':{'pk':{'S':'a'}}}", table);
    for (int i = 0; i < 1000; i++) {
        ask(&server, "PutItem", body);
        if (server.http_status != 200) return;
    }
    ck_abort_msg("%s", "nothing throttled");
}

START_TEST(a_throttled_request_counts_a_batch_only_if_nothing_of_it_went_through)
{
    spend("AAA");
    ck_assert_uint_eq(count_of("AAA", "PutItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_THROTTLED), 1);
    ask(&server, "BatchWriteItem",
        "{'RequestItems':{'AAA':[{'PutRequest':{'Item':{'pk':{'S':'a'}}}}],"
        "'BBB':[{'PutRequest':{'Item':{'pk':{'S':'a'}}}}]}}");
    ck_assert_int_eq(server.http_status, 200);
    ck_assert_uint_eq(count_of("AAA", "BatchWriteItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_THROTTLED), 0);
    ask(&server, "BatchWriteItem",
        "{'RequestItems':{'AAA':[{'PutRequest':{'Item':{'pk':{'S':'a'}}}},"
        "{'PutRequest':{'Item':{'pk':{'S':'b'}}}}]}}");
    ck_assert_int_eq(server.http_status, 400);
    td_statistic throttled = figure("AAA", "BatchWriteItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_THROTTLED);
    ck_assert_uint_eq(throttled.count, 1);
    ck_assert_int_eq(throttled.sum, 1);
    ck_assert_uint_eq(count_of("", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_USER_ERRORS), 0);
}
END_TEST

START_TEST(a_throttled_transaction_counts_on_the_tables_that_throttled)
{
    spend("AAA");
    ask(&server, "TransactWriteItems",
        "{'TransactItems':[{'Put':{'TableName':'BBB','Item':{'pk':{'S':'a'}}}},"
        "{'Put':{'TableName':'AAA','Item':{'pk':{'S':'a'}}}}]}");
    ck_assert_int_eq(server.http_status, 400);
    ck_assert_uint_eq(count_of("AAA", "TransactWriteItems", TD_METRICS_PLAIN, TD_REQUEST_METRIC_THROTTLED), 1);
    ck_assert_uint_eq(count_of("BBB", "TransactWriteItems", TD_METRICS_PLAIN, TD_REQUEST_METRIC_THROTTLED), 0);
}
END_TEST

START_TEST(statements_are_told_apart_by_what_they_do)
{
    ask(&server, "PutItem", "{'TableName':'AAA','Item':{'pk':{'S':'a'}}}");
    ask(&server, "ExecuteStatement",
        "{'Statement':'UPDATE AAA SET x=? WHERE pk=?','Parameters':[{'N':'1'},{'S':'a'}]}");
    ck_assert_uint_eq(count_of("AAA", "ExecuteStatement", TD_METRICS_UPDATE, TD_REQUEST_METRIC_LATENCY), 1);
    ask(&server, "BatchExecuteStatement",
        "{'Statements':[{'Statement':'SELECT * FROM AAA WHERE pk=?','Parameters':[{'S':'a'}]}]}");
    ask(&server, "ExecuteTransaction",
        "{'TransactStatements':[{'Statement':'DELETE FROM AAA WHERE pk=?','Parameters':[{'S':'a'}]}]}");
    ck_assert_uint_eq(count_of("AAA", "BatchExecuteStatement", TD_METRICS_READ, TD_REQUEST_METRIC_LATENCY), 1);
    ck_assert_uint_eq(count_of("AAA", "ExecuteTransaction", TD_METRICS_WRITE, TD_REQUEST_METRIC_LATENCY), 1);
}
END_TEST

START_TEST(what_fault_rules_tell_counts_as_if_it_had_happened)
{
    add_rule("{'match':{'operation':'GetItem'},'inject':{'error':'InternalServerError'}}");
    ask(&server, "GetItem", "{'TableName':'AAA','Key':{'pk':{'S':'a'}}}");
    ck_assert_uint_eq(count_of("AAA", "GetItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_SYSTEM_ERRORS), 1);
    add_rule("{'match':{'operation':'BatchGetItem'},'inject':{'error':'ProvisionedThroughputExceededException'}}");
    ask(&server, "BatchGetItem", "{'RequestItems':{'AAA':{'Keys':[{'pk':{'S':'a'}}]}}}");
    ck_assert_uint_eq(count_of("AAA", "BatchGetItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_THROTTLED), 1);
    add_rule("{'match':{'operation':'Scan'},'inject':{'latency_ms':{'min':200,'max':200}}}");
    ask(&server, "Scan", "{'TableName':'AAA'}");
    td_statistic latency = figure("AAA", "Scan", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY);
    ck_assert_int_ge(latency.sum, 200 * TD_US_PER_MS);
}
END_TEST

START_TEST(conflicts_are_counted_by_item)
{
    add_rule("{'match':{'operation':'TransactWriteItems'},'inject':{'error':'TransactionCanceledException'}}");
    ask(&server, "TransactWriteItems",
        "{'TransactItems':[{'Put':{'TableName':'AAA','Item':{'pk':{'S':'a'}}}},"
        "{'Put':{'TableName':'AAA','Item':{'pk':{'S':'b'}}}}]}");
    ck_assert_int_eq(server.http_status, 400);
    td_statistic conflicts = figure("AAA", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_TRANSACTION_CONFLICT);
    ck_assert_uint_eq(conflicts.count, 1);
    ck_assert_int_eq(conflicts.sum, 2);
}
END_TEST

START_TEST(what_names_no_operation_is_counted_too)
{
    ask(&server, "NoSuchThing", "{}");
    ask(&server, "GetItem", "{'TableName':'none','Key':{'pk':{'S':'a'}}}");
    td_metrics_totals totals;
    td_metrics_sum(server.service.metrics, &totals);
    ck_assert_uint_eq(totals.requests[TD_METRICS_NO_OPERATION][TD_UNKNOWN_OPERATION], 1);
    ck_assert_uint_eq(count_of("", NULL, TD_METRICS_PLAIN, TD_REQUEST_METRIC_USER_ERRORS), 2);
    ck_assert_uint_eq(count_of("none", "GetItem", TD_METRICS_PLAIN, TD_REQUEST_METRIC_LATENCY), 0);
}
END_TEST

TCase *meter_tests(void)
{
    TCase *tests = tcase_create("meter");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_request_on_one_table_is_a_success_of_it);
    tcase_add_test(tests, items_in_a_page_are_returned_items);
    tcase_add_test(tests, a_batch_is_a_success_of_each_of_its_tables);
    tcase_add_test(tests, a_failed_condition_counts_on_its_table_in_a_transaction_too);
    tcase_add_test(tests, a_throttled_request_counts_a_batch_only_if_nothing_of_it_went_through);
    tcase_add_test(tests, a_throttled_transaction_counts_on_the_tables_that_throttled);
    tcase_add_test(tests, statements_are_told_apart_by_what_they_do);
    tcase_add_test(tests, what_fault_rules_tell_counts_as_if_it_had_happened);
    tcase_add_test(tests, conflicts_are_counted_by_item);
    tcase_add_test(tests, what_names_no_operation_is_counted_too);
    return tests;
}
