/* SPDX-License-Identifier: Apache-2.0
 * batch.c: tests of BatchGetItem and BatchWriteItem, and of what they are made of. */
#include "batch.h"

#include "ask.h"
#include "suites.h"

static ask_server server;

static void setup(void) { ask_setup(&server); }
static void teardown(void) { ask_teardown(&server); }

#define THREE "{'RequestItems':{'TTT':[{'PutRequest':{'Item':{'pk':{'S':'a'},'v':{'N':'1'}}}}," \
              "{'PutRequest':{'Item':{'pk':{'S':'b'}}}},{'DeleteRequest':{'Key':{'pk':{'S':'c'}}}}]}"

/* So little throughput that what is asked for next is throttled, and the clock stands. */
static void exhaust(const char *operation, const char *body)
{
    td_capacity_patch patch = {0};
    patch.has_value[TD_CAPACITY_burst_window] = true;
    patch.settings.values[TD_CAPACITY_burst_window] = 1;
    td_time_us now_us = td_clock_now(server.service.clock);
    td_slice none = {NULL, 0};
    ck_assert(td_store_patch_capacity(server.service.store, now_us, none, TD_LIT("TTT"), &patch));
    ask(&server, operation, body);
    ck_assert_int_eq(server.http_status, 200);
}

static void create_provisioned_table(void)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],'KeySchema':"
        "[{'AttributeName':'pk','KeyType':'HASH'}],'ProvisionedThroughput':{'ReadCapacityUnits':2,"
        "'WriteCapacityUnits':2}}");
    ck_assert_int_eq(server.http_status, 200);
}

START_TEST(a_batch_is_written_and_got)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "BatchWriteItem", THREE ",'ReturnConsumedCapacity':'TOTAL'}",
                 "{'UnprocessedItems':{},'ConsumedCapacity':[{'TableName':'TTT','CapacityUnits':3.0}]}");
    CHECK_ANSWER(&server, "BatchGetItem",
                 "{'RequestItems':{'TTT':{'Keys':[{'pk':{'S':'b'}},{'pk':{'S':'c'}},{'pk':{'S':'a'}}]}},"
                 "'ReturnConsumedCapacity':'INDEXES'}",
                 "{'Responses':{'TTT':[{'pk':{'S':'b'}},{'pk':{'S':'a'},'v':{'N':'1'}}]},'UnprocessedKeys':{},"
                 "'ConsumedCapacity':[{'TableName':'TTT','CapacityUnits':1.5,'Table':{'CapacityUnits':1.5}}]}");
}
END_TEST

START_TEST(what_is_throttled_comes_back_as_it_was_sent)
{
    create_provisioned_table();
    exhaust("BatchWriteItem", "{'RequestItems':{'TTT':[{'PutRequest':{'Item':{'pk':{'S':'x'}}}}]}}");
    CHECK_ANSWER(&server, "BatchWriteItem", THREE "}",
                 "{'UnprocessedItems':{'TTT':[{'PutRequest':{'Item':{'pk':{'S':'b'}}}},"
                 "{'DeleteRequest':{'Key':{'pk':{'S':'c'}}}}]}}");
    CHECK_ERROR(&server, "BatchWriteItem", THREE "}",
                "ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table "
                "was exceeded. Consider increasing your provisioning level with the UpdateTable API.");
    CHECK_ANSWER(&server, "GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'}}}",
                 "{'Item':{'pk':{'S':'a'},'v':{'N':'1'}}}");
}
END_TEST

START_TEST(keys_that_are_throttled_come_back_with_their_projection)
{
    create_provisioned_table();
    exhaust("GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'}},'ConsistentRead':true}");
    CHECK_ANSWER(&server, "BatchGetItem",
                 "{'RequestItems':{'TTT':{'ExpressionAttributeNames':{'#v':'v'},'ProjectionExpression':'#v','Keys':"
                 "[{'pk':{'S':'a'}},{'pk':{'S':'b'}},{'pk':{'S':'c'}}]}}}",
                 "{'Responses':{'TTT':[]},'UnprocessedKeys':{'TTT':{'ProjectionExpression':'#v',"
                 "'ExpressionAttributeNames':{'#v':'v'},'Keys':[{'pk':{'S':'c'}}]}}}");
}
END_TEST

START_TEST(of_two_entries_of_one_table_the_last_counts)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "BatchWriteItem",
                 "{'RequestItems':{'TTT':[{'PutRequest':{'Item':{'pk':{'S':'a'}}}}],"
                 "'TTT':[{'PutRequest':{'Item':{'pk':{'S':'b'}}}}]}}",
                 "{'UnprocessedItems':{}}");
    CHECK_ANSWER(&server, "BatchGetItem",
                 "{'RequestItems':{'TTT':{'Keys':[{'pk':{'S':'a'}},{'pk':{'S':'b'}}]}}}",
                 "{'Responses':{'TTT':[{'pk':{'S':'b'}}]},'UnprocessedKeys':{}}");
}
END_TEST

START_TEST(the_current_wording_has_no_sentence_for_an_empty_map)
{
    server.config.messages = TD_MESSAGES_2026;
    static const ask_refusal refusals[] = {
        {"BatchGetItem", "{'RequestItems':{}}",
         "ValidationException: 1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
         "Member must have length greater than or equal to 1"},
        {"BatchWriteItem", "{'RequestItems':{}}",
         "ValidationException: 1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
         "Member must have length greater than or equal to 1"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(keys_that_no_table_can_have_are_told_by_the_table)
{
    ask_create_table(&server, NULL);
    static const ask_refusal refusals[] = {
        {"BatchGetItem", "{'RequestItems':{'TTT':{'Keys':[{},{}]}}}",
         "ValidationException: The provided key element does not match the schema"},
        {"BatchGetItem", "{'RequestItems':{'TTT':{'Keys':[{'pk':{'L':[]}},{'pk':{'L':[{'S':'a'}]}}]}}}",
         "ValidationException: The provided key element does not match the schema"},
        {"BatchWriteItem", "{'RequestItems':{'TTT':[{'PutRequest':{'Item':{'pk':{'M':{}}}}}]}}",
         "ValidationException: The provided key element does not match the schema"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(consumed_units_are_summed_index_by_index)
{
    td_consumed sum = {.table = 1000, .index_count = 1, .indexes = {{TD_LIT("a"), true, 500}}};
    td_consumed part = {
        .table = 500, .index_count = 2, .indexes = {{TD_LIT("b"), true, 1000}, {TD_LIT("a"), true, 500}}};
    td_ops__add_consumed(&sum, &part);
    ck_assert_int_eq(sum.table, 1500);
    ck_assert_uint_eq(sum.index_count, 2);
    ck_assert_int_eq(sum.indexes[0].units, 1000);
    ck_assert_int_eq(sum.indexes[1].units, 1000);
    ck_assert_int_eq(td_consumed_total(&sum), 3500);
}
END_TEST

/* An element is throttled, in a request that stands at the table. */
static void throttle(td_request *request, td_ops_unprocessed *unprocessed, const char *table, td_limit_kind kind,
                     td_message message)
{
    td_throttle_reason reason = {.kind = kind, .direction = TD_WRITE};
    td_throttle reasons = {1, &reason};
    td_error error = {.arena = request->arena};
    td_status status = td_error_raise(&error, message, NULL, 0);
    error.throttle = &reasons;
    request->call.table = td_slice_of_cstr(table);
    ck_assert_int_eq(td_ops__give_back(request, status, &error, unprocessed), TD_OK);
}

START_TEST(a_throttled_batch_fails_like_the_element_without_provisioned_throughput)
{
    td_request request = {.arena = &server.arena, .error = {.arena = &server.arena}};
    td_ops_unprocessed lost = {0};
    throttle(&request, &lost, "A", TD_LIMITED_BY_KEY_RANGE, TD_MSG_TABLE_THROUGHPUT_EXCEEDED);
    throttle(&request, &lost, "A", TD_LIMITED_BY_KEY_RANGE, TD_MSG_TABLE_THROUGHPUT_EXCEEDED);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 3, false), TD_OK);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 2, false), TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 2, true), TD_THROTTLING);
    ck_assert_uint_eq(request.error.throttle->count, 1);

    throttle(&request, &lost, "B", TD_LIMITED_BY_ACCOUNT, TD_MSG_ACCOUNT_LIMIT_EXCEEDED);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 3, true), TD_THROTTLING);
    throttle(&request, &lost, "C", TD_LIMITED_BY_PROVISIONED, TD_MSG_TABLE_THROUGHPUT_EXCEEDED);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 4, true), TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    ck_assert_uint_eq(request.error.throttle->count, 3);
    ck_assert(td_slice_equal(request.error.throttle->reasons[2].table, TD_LIT("C")));
}
END_TEST

/* One element without memory is given back; a batch of nothing else, and a failure of another kind, are the batch's. */
START_TEST(elements_without_memory_are_given_back_unless_all_are)
{
    td_request request = {.arena = &server.arena, .error = {.arena = &server.arena}};
    td_ops_unprocessed lost = {0};
    td_error error = {.arena = &server.arena};
    td_status status = TD_RAISE(&error, TD_MSG_OUT_OF_MEMORY);
    ck_assert_int_eq(td_ops__give_back(&request, status, &error, &lost), TD_OK);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 2, true), TD_OK);
    ck_assert_int_eq(td_ops__check_processed(&request, &lost, 1, true), TD_OUT_OF_MEMORY);
    ck_assert_int_eq(request.error.message, TD_MSG_OUT_OF_MEMORY);

    status = TD_RAISE(&error, TD_MSG_ITEM_TOO_LARGE);
    ck_assert_int_eq(td_ops__give_back(&request, status, &error, &lost), status);
    ck_assert_int_eq(request.error.message, TD_MSG_ITEM_TOO_LARGE);
}
END_TEST

TCase *batch_tests(void)
{
    TCase *tests = tcase_create("batch");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_batch_is_written_and_got);
    tcase_add_test(tests, what_is_throttled_comes_back_as_it_was_sent);
    tcase_add_test(tests, keys_that_are_throttled_come_back_with_their_projection);
    tcase_add_test(tests, of_two_entries_of_one_table_the_last_counts);
    tcase_add_test(tests, the_current_wording_has_no_sentence_for_an_empty_map);
    tcase_add_test(tests, keys_that_no_table_can_have_are_told_by_the_table);
    tcase_add_test(tests, consumed_units_are_summed_index_by_index);
    tcase_add_test(tests, a_throttled_batch_fails_like_the_element_without_provisioned_throughput);
    tcase_add_test(tests, elements_without_memory_are_given_back_unless_all_are);
    return tests;
}
