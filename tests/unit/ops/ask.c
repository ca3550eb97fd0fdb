/* SPDX-License-Identifier: Apache-2.0
 * ask.c: builds a server for a test, asks it, and makes its answers comparable. */
#include "ask.h"

#include <check.h>
#include <stdio.h>

#include "thermodyn/memory.h"
#include "wire/json.h"

#define YEAR_2100_US ((td_time_us)4102444800 * TD_US_PER_S)
#define TABLE_ID_MARK "\"TableId\":\""
#define TABLE_ID_LEN 36

static void mask_table_id(char *text);

void ask_setup(ask_server *server)
{
    memset(server, 0, sizeof(*server));
    server->config.account = "000000000000";
    server->config.init = "";
    server->access_key = "key";
    server->region = "us-east-1";
    td_capacity_settings_init(&server->config.capacity);
    td_store_options options = {.placement = TD_PLACEMENT_SERVICE, .seed = 1};
    td_capacity_settings_init(&options.capacity);
    server->service.config = &server->config;
    server->service.store = td_store_new(&options);
    server->service.clock = td_clock_new();
    ck_assert_ptr_nonnull(server->service.store);
    server->service.faults = td_faults_new(1);
    ck_assert_ptr_nonnull(server->service.clock);
    ck_assert_ptr_nonnull(server->service.faults);
    td_clock_set_manual(server->service.clock);
    ck_assert(td_clock_move_to(server->service.clock, YEAR_2100_US));
    td_arena_init(&server->arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_buf_init(&server->reply, TD_LIMIT_REPLY_BYTES_MAX);
}

void ask_teardown(ask_server *server)
{
    td_arena_done(&server->arena);
    td_buf_done(&server->reply);
    td_store_free(server->service.store);
    td_clock_free(server->service.clock);
    td_faults_free(server->service.faults);
}

const char *ask(ask_server *server, const char *operation, const char *body)
{
    td_arena_reset(&server->arena);
    char target[128];
    char authorization[256];
    bool is_of_streams = td_operation_find(TD_API_STREAMS, td_slice_of_cstr(operation)) != NULL;
    (void)snprintf(target, sizeof(target), "%s_20120810.%s", is_of_streams ? "DynamoDBStreams" : "DynamoDB", operation);
    (void)snprintf(authorization, sizeof(authorization),
                   "AWS4-HMAC-SHA256 Credential=%s/21000101/%s/dynamodb/aws4_request, SignedHeaders=host, Signature=x",
                   server->access_key, server->region);
    td_envelope envelope = {
        .target = td_slice_of_cstr(target),
        .authorization = td_slice_of_cstr(authorization),
        .date = TD_LIT("21000101T000000Z"),
        .content_type = TD_LIT("application/x-amz-json-1.0"),
    };
    td_slice quoted;
    ck_assert(td_arena_copy(&server->arena, td_slice_of_cstr(ask_quoted(server, body)), &quoted));
    td_fate fate;
    server->http_status = td_dispatch_fated(&server->service, &envelope, quoted, &server->arena, &server->reply,
                                            server->recorder, &fate);
    td_slice answer = td_buf_contents(&server->reply);
    ck_assert_uint_lt(answer.len, sizeof(server->text));
    if (answer.len > 0) memcpy(server->text, answer.ptr, answer.len);
    server->text[answer.len] = '\0';
    mask_table_id(server->text);
    return server->text;
}

static void mask_table_id(char *text)
{
    char *id = strstr(text, TABLE_ID_MARK);
    if (id == NULL) return;
    id += strlen(TABLE_ID_MARK);
    memcpy(id, "ID", 2);
    memmove(id + 2, id + TABLE_ID_LEN, strlen(id + TABLE_ID_LEN) + 1);
}

const char *ask_quoted(ask_server *server, const char *json)
{
    char *copy = td_arena_alloc(&server->arena, strlen(json) + 1);
    ck_assert_ptr_nonnull(copy);
    for (size_t i = 0; i <= strlen(json); i++)
        copy[i] = json[i] == '\'' ? '"' : json[i];
    return copy;
}

const char *ask_error(ask_server *server, const char *operation, const char *body)
{
    const char *text = ask(server, operation, body);
    td_error error = {.arena = &server->arena};
    td_json *root = NULL;
    ck_assert_int_eq(td_json_parse(td_slice_of_cstr(text), &server->arena, &root, &error), TD_OK);
    const td_json *type = td_json_find(root, TD_LIT("__type"));
    const td_json *message = td_json_find(root, TD_LIT("message"));
    if (message == NULL) message = td_json_find(root, TD_LIT("Message"));
    if (type == NULL) return "";
    ck_assert_int_ne(server->http_status, 200);
    const char *name = memchr(type->text.ptr, '#', type->text.len);
    ck_assert_ptr_nonnull(name);
    td_slice shown;
    size_t name_len = type->text.len - (size_t)(name + 1 - (const char *)type->text.ptr);
    ck_assert(td_arena_format(&server->arena, &shown, "%.*s: %.*s", (int)name_len, name + 1,
                              message == NULL ? 0 : (int)message->text.len,
                              message == NULL ? "" : (const char *)message->text.ptr));
    char *copy = td_arena_alloc(&server->arena, shown.len + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, shown.ptr, shown.len);
    copy[shown.len] = '\0';
    return copy;
}

void ask_check_answer(ask_server *server, const char *operation, const char *body, const char *expected)
{
    const char *actual = ask(server, operation, body);
    const char *wanted = ask_quoted(server, expected);
    ck_assert_msg(strcmp(actual, wanted) == 0, "%s %.500s\n  is:        %.1500s\n  should be: %.1500s", operation, body,
                  actual, wanted);
    ck_assert_int_eq(server->http_status, 200);
}

void ask_check_error(ask_server *server, const char *operation, const char *body, const char *expected)
{
    const char *actual = ask_error(server, operation, body);
    ck_assert_msg(strcmp(actual, expected) == 0, "%s %.500s\n  is:        %s\n  should be: %s", operation, body, actual,
                  expected);
}

void ask_create_table(ask_server *server, const char *sort_key_type)
{
    char body[1024];
    (void)snprintf(body, sizeof(body),
                   "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':[{'AttributeName':'pk',"
                   "'AttributeType':'S'}%s%s%s],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}%s]}",
                   sort_key_type == NULL ? "" : ",{'AttributeName':'sk','AttributeType':'",
                   sort_key_type == NULL ? "" : sort_key_type, sort_key_type == NULL ? "" : "'}",
                   sort_key_type == NULL ? "" : ",{'AttributeName':'sk','KeyType':'RANGE'}");
    ask(server, "CreateTable", body);
    ck_assert_msg(server->http_status == 200, "%s", server->text);
    ask(server, "DescribeTable", "{'TableName':'TTT'}");
}

void ask_create_indexed_table(ask_server *server)
{
    ask(server, "CreateTable",
        "{'TableName':'TTT','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
        "{'AttributeName':'pk','AttributeType':'S'},{'AttributeName':'sk','AttributeType':'S'},"
        "{'AttributeName':'l','AttributeType':'N'},{'AttributeName':'g','AttributeType':'S'}],"
        "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'sk','KeyType':'RANGE'}],"
        "'LocalSecondaryIndexes':[{'IndexName':'local','KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
        "{'AttributeName':'l','KeyType':'RANGE'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
        "'GlobalSecondaryIndexes':[{'IndexName':'global','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
        "'Projection':{'ProjectionType':'INCLUDE','NonKeyAttributes':['i']}}]}");
    ck_assert_msg(server->http_status == 200, "%s", server->text);
    ask(server, "DescribeTable", "{'TableName':'TTT'}");
}
