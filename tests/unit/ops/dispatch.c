/* SPDX-License-Identifier: Apache-2.0
 * dispatch.c: tests of the path that every request takes. */
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

/* The document that answers this envelope and body. */
static const char *dispatch(td_envelope envelope, const char *body)
{
    server.http_status = td_dispatch(&server.service, &envelope, td_slice_of_cstr(ask_quoted(&server, body)),
                                     &server.arena, &server.reply);
    td_slice answer = td_buf_contents(&server.reply);
    memcpy(server.text, answer.ptr, answer.len);
    server.text[answer.len] = '\0';
    return server.text;
}

static const td_slice signed_header = TD_LIT_INIT(
    "AWS4-HMAC-SHA256 Credential=key/21000101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=x");

START_TEST(every_operation_has_a_shape)
{
    size_t count = 0;
    for (; td_operation_at(count) != NULL; count++) {
        const td_operation *operation = td_operation_at(count);
        ck_assert_msg(td_shape_find(operation->name) != NULL, "%.*s", (int)operation->name.len,
                      (const char *)operation->name.ptr);
        ck_assert_ptr_eq(td_operation_find(operation->api, operation->name), operation);
    }
    ck_assert_uint_gt(count, 10);
}
END_TEST

START_TEST(body_then_target_then_signature_then_emptiness_are_checked)
{
    const td_slice none = {NULL, 0};
    const td_slice unknown = TD_LIT("DynamoDB_20120810.Frobnicate");
    const td_slice known = TD_LIT("DynamoDB_20120810.ListTables");
    const struct {
        td_slice target;
        td_slice authorization;
        const char *body;
        const char *type;
    } cases[] = {
        {none, none, "{'Limit'", "com.amazon.coral.service#SerializationException"},
        {none, none, "", "com.amazon.coral.service#UnknownOperationException"},
        {unknown, none, "{}", "com.amazon.coral.service#UnknownOperationException"},
        {known, none, "{}", "com.amazon.coral.service#MissingAuthenticationTokenException"},
        {known, none, "", "com.amazon.coral.service#MissingAuthenticationTokenException"},
        {known, signed_header, "", "com.amazon.coral.service#SerializationException"},
        {known, signed_header, "{'Limit':'x'}", "com.amazon.coral.service#SerializationException"},
        {known, signed_header, "{'Limit':0}", "com.amazon.coral.validate#ValidationException"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_envelope envelope = {
            .target = cases[i].target, .authorization = cases[i].authorization, .date = TD_LIT("21000101T000000Z")};
        const char *document = dispatch(envelope, cases[i].body);
        ck_assert_msg(strstr(document, cases[i].type) != NULL, "case %zu: %s", i, document);
        ck_assert_int_eq(server.http_status, 400);
    }
}
END_TEST

START_TEST(what_is_not_built_is_refused_by_its_name)
{
    CHECK_ERROR(&server, "CreateBackup", "{}", "UnknownOperationException: CreateBackup is not built in Thermodyn yet");
    CHECK_ERROR(&server, "createbackup", "{}", "UnknownOperationException: ");
    CHECK_ERROR(&server, "ListShards", "{}", "UnknownOperationException: ");
}
END_TEST

START_TEST(endpoints_are_where_the_client_has_come)
{
    td_envelope envelope = {.target = TD_LIT("DynamoDB_20120810.DescribeEndpoints"),
                            .authorization = signed_header,
                            .date = TD_LIT("21000101T000000Z"),
                            .host = TD_LIT("db.example:8000")};
    ck_assert_str_eq(dispatch(envelope, "{}"),
                     ask_quoted(&server, "{'Endpoints':[{'Address':'db.example:8000','CachePeriodInMinutes':1440}]}"));
    envelope.host = TD_LIT("\xff");
    ck_assert_str_eq(dispatch(envelope, "{}"),
                     ask_quoted(&server, "{'Endpoints':[{'Address':'localhost','CachePeriodInMinutes':1440}]}"));
}
END_TEST

START_TEST(isolation_keeps_keys_and_regions_apart)
{
    server.config.isolate = true;
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['TTT']}");
    server.region = "eu-west-2";
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':[]}");
    server.region = "us-east-1";
    server.access_key = "other";
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':[]}");
    CHECK_ERROR(&server, "DescribeTable", "{'TableName':'TTT'}",
                "ResourceNotFoundException: Requested resource not found: Table: TTT not found");
}
END_TEST

START_TEST(without_isolation_everyone_sees_every_table)
{
    ask_create_table(&server, NULL);
    server.region = "eu-west-2";
    server.access_key = "other";
    CHECK_ANSWER(&server, "ListTables", "{}", "{'TableNames':['TTT']}");
}
END_TEST

START_TEST(table_may_be_named_by_its_arn)
{
    ask_create_table(&server, NULL);
    CHECK_ANSWER(&server, "GetItem",
                 "{'TableName':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT','Key':{'pk':{'S':'a'}},"
                 "'ReturnConsumedCapacity':'TOTAL'}",
                 "{'ConsumedCapacity':{'TableName':'arn:aws:dynamodb:us-east-1:000000000000:table/TTT',"
                 "'CapacityUnits':0.5}}");
}
END_TEST

#define LONG_TEXT                                                                                                      \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                                 \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"                                 \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

START_TEST(reply_that_is_too_long_is_an_internal_error)
{
    ask_create_table(&server, NULL);
    for (int i = 0; i < 40; i++) {
        ask(&server, "UpdateItem",
            "{'TableName':'TTT','Key':{'pk':{'S':'a'}},"
            "'UpdateExpression':'SET l = list_append(if_not_exists(l, :none), :one)',"
            "'ExpressionAttributeValues':{':none':{'L':[]},':one':{'L':[{'S':'" LONG_TEXT "'}]}}}");
    }
    td_buf_done(&server.reply);
    td_buf_init(&server.reply, 4096);
    const char *body = "{'TableName':'TTT','Key':{'pk':{'S':'a'}}}";
    CHECK_ERROR(&server, "GetItem", body,
                "InternalServerError: The request processing has failed because of an unknown error, exception or "
                "failure.");
    ck_assert_int_eq(server.http_status, 500);
    td_buf_done(&server.reply);
    td_buf_init(&server.reply, 10);
    ck_assert_str_eq(ask(&server, "GetItem", body), "");
    ck_assert_int_eq(server.http_status, 500);
}
END_TEST

START_TEST(request_without_memory_is_an_internal_error)
{
    ask_create_table(&server, NULL);
    td_arena small;
    td_arena_init(&small, 64);
    td_envelope envelope = {.target = TD_LIT("DynamoDB_20120810.ListTables"),
                            .authorization = signed_header,
                            .date = TD_LIT("21000101T000000Z")};
    int status = td_dispatch(&server.service, &envelope, TD_LIT("{\"Limit\":1}"), &small, &server.reply);
    td_slice answer = td_buf_contents(&server.reply);
    ck_assert_int_eq(status, 500);
    ck_assert_ptr_nonnull(memmem(answer.ptr, answer.len, "InternalServerError", strlen("InternalServerError")));
    td_arena_done(&small);
}
END_TEST

START_TEST(current_wording_wraps_the_single_item_writes_alone)
{
    ask_create_table(&server, NULL);
    server.config.messages = TD_MESSAGES_2026;
    static const ask_refusal refusals[] = {
        {"UpdateItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'}},'UpdateExpression':''}",
         "ValidationException: 1 validation error detected: Invalid UpdateExpression: The expression can not be "
         "empty;"},
        {"GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'}},'ProjectionExpression':''}",
         "ValidationException: Invalid ProjectionExpression: The expression can not be empty;"},
        {"PutItem", "{'TableName':'TTT','Item':{'pk':{'N':'1'}}}",
         "ValidationException: One or more parameter values were invalid: Type mismatch for key pk expected: S "
         "actual: N"},
    };
    CHECK_REFUSALS(&server, refusals);
}
END_TEST

START_TEST(limits_are_the_settings_quotas)
{
    CHECK_ANSWER(&server, "DescribeLimits", "{}",
                 "{'AccountMaxReadCapacityUnits':80000,'AccountMaxWriteCapacityUnits':80000,"
                 "'TableMaxReadCapacityUnits':40000,'TableMaxWriteCapacityUnits':40000}");
}
END_TEST

TCase *dispatch_tests(void)
{
    TCase *tests = tcase_create("dispatch");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_operation_has_a_shape);
    tcase_add_test(tests, body_then_target_then_signature_then_emptiness_are_checked);
    tcase_add_test(tests, what_is_not_built_is_refused_by_its_name);
    tcase_add_test(tests, endpoints_are_where_the_client_has_come);
    tcase_add_test(tests, isolation_keeps_keys_and_regions_apart);
    tcase_add_test(tests, without_isolation_everyone_sees_every_table);
    tcase_add_test(tests, table_may_be_named_by_its_arn);
    tcase_add_test(tests, reply_that_is_too_long_is_an_internal_error);
    tcase_add_test(tests, request_without_memory_is_an_internal_error);
    tcase_add_test(tests, current_wording_wraps_the_single_item_writes_alone);
    tcase_add_test(tests, limits_are_the_settings_quotas);
    return tests;
}
