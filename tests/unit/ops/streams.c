/* SPDX-License-Identifier: Apache-2.0
 * streams.c: tests of the API of streams: names, iterators, records. */
#include <stdio.h>

#include "ask.h"
#include "ops.h"
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

#define ARN "arn:aws:dynamodb:us-east-1:000000000000:table/TTT/stream/2100-01-01T00:00:00.000"

static char shard[128];
static char iterator[1024];

/* The text of the answer's first member of that name. */
static void take(const char *name, char *ret_text, size_t size)
{
    char mark[64];
    (void)snprintf(mark, sizeof(mark), "\"%s\":\"", name);
    const char *at = strstr(server.text, mark);
    ck_assert_msg(at != NULL, "no %s in %.500s", name, server.text);
    at += strlen(mark);
    size_t len = strcspn(at, "\"");
    ck_assert_uint_lt(len, size);
    memcpy(ret_text, at, len);
    ret_text[len] = '\0';
}

/* "TTT" with one partition and a stream of that view, and an iterator at its start. */
static void open_stream(const char *view)
{
    char body[1024];
    (void)snprintf(body, sizeof(body),
                   "{'TableName':'TTT','ProvisionedThroughput':{'ReadCapacityUnits':5,'WriteCapacityUnits':5},"
                   "'AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
                   "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
                   "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'%s'}}",
                   view);
    ask(&server, "CreateTable", body);
    ck_assert_int_eq(server.http_status, 200);
    ask(&server, "DescribeStream", "{'StreamArn':'" ARN "'}");
    take("ShardId", shard, sizeof(shard));
    (void)snprintf(body, sizeof(body), "{'StreamArn':'" ARN "','ShardId':'%s','ShardIteratorType':'TRIM_HORIZON'}",
                   shard);
    ask(&server, "GetShardIterator", body);
    take("ShardIterator", iterator, sizeof(iterator));
}

static const char *read_error(void)
{
    char body[2048];
    (void)snprintf(body, sizeof(body), "{'ShardIterator':'%s'}", iterator);
    return ask_error(&server, "GetRecords", body);
}

START_TEST(a_stream_is_listed_and_described_by_its_label)
{
    open_stream("KEYS_ONLY");
    CHECK_ANSWER(&server, "ListStreams", "{}",
                 "{'Streams':[{'StreamArn':'" ARN "','TableName':'TTT','StreamLabel':'2100-01-01T00:00:00.000'}]}");
    ask(&server, "DescribeStream", "{'StreamArn':'" ARN "'}");
    const char *expected =
        ask_quoted(&server, "{'StreamDescription':{'StreamArn':'" ARN
                            "','StreamLabel':'2100-01-01T00:00:00.000','StreamStatus':'ENABLED',"
                            "'StreamViewType':'KEYS_ONLY','CreationRequestDateTime':4102444800.0,"
                            "'TableName':'TTT','KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
                            "'Shards':[{'ShardId':'");
    ck_assert_msg(strncmp(server.text, expected, strlen(expected)) == 0, "%s", server.text);
}
END_TEST

START_TEST(a_record_shows_all_that_the_service_shows)
{
    open_stream("NEW_AND_OLD_IMAGES");
    ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'n':{'N':'1'}}}");
    ck_assert_str_eq(read_error(), "");
    const char *expected[] = {
        "{'Records':[{'eventID':'",
        "','eventName':'INSERT','eventVersion':'1.1','eventSource':'aws:dynamodb','awsRegion':'us-east-1',"
        "'dynamodb':{'ApproximateCreationDateTime':4102444800,'Keys':{'pk':{'S':'a'}},'NewImage':{'n':{'N':'1'},'pk':{'"
        "S':'a'}},"
        "'SequenceNumber':'",
        "','SizeBytes':9,'StreamViewType':'NEW_AND_OLD_IMAGES'}}],'NextShardIterator':'" ARN "|1|",
    };
    for (size_t i = 0; i < TD_COUNT_OF(expected); i++) {
        const char *part = ask_quoted(&server, expected[i]);
        ck_assert_msg(strstr(server.text, part) != NULL, "%s\n  lacks %s", server.text, part);
    }
}
END_TEST

START_TEST(an_iterator_that_was_changed_is_refused)
{
    open_stream("KEYS_ONLY");
    ck_assert_str_eq(read_error(), "");
    for (size_t i = 0; iterator[i] != '\0'; i++) {
        char kept = iterator[i];
        iterator[i] = kept == 'A' ? 'Q' : 'A';
        ck_assert_msg(strcmp(read_error(), "ValidationException: Invalid ShardIterator") == 0, "%s", iterator);
        iterator[i] = kept;
    }
    while (iterator[0] != '\0') {
        iterator[strlen(iterator) - 1] = '\0';
        const char *expected = "ValidationException: Invalid ShardIterator";
        if (iterator[0] != '\0') ck_assert_str_eq(read_error(), expected);
    }
}
END_TEST

START_TEST(an_iterator_lives_for_fifteen_minutes)
{
    open_stream("KEYS_ONLY");
    td_time_us end_us = td_clock_now(server.service.clock) + 900 * TD_US_PER_S;
    ck_assert(td_clock_move_to(server.service.clock, end_us));
    ck_assert_str_eq(read_error(), "");
    ck_assert(td_clock_move_to(server.service.clock, end_us + 1));
    ck_assert_str_eq(read_error(), "ExpiredIteratorException: The provided iterator exceeds the maximum age allowed.");
}
END_TEST

START_TEST(an_iterator_of_a_stream_that_is_gone_names_it)
{
    open_stream("KEYS_ONLY");
    td_store_drop_all(server.service.store);
    ck_assert_str_eq(read_error(),
                     "ResourceNotFoundException: Requested resource not found: Stream: " ARN " not found");
}
END_TEST

START_TEST(labels_read_back_as_they_are_written)
{
    const td_time_us instants[] = {0, 999000, 951782400000000, 1796032043425000, 4102444799999000};
    td_request request = {
        .service = &server.service, .arena = &server.arena, .call = {.region = TD_LIT_INIT("eu-west-2")}};
    request.error.arena = &server.arena;
    for (size_t i = 0; i < TD_COUNT_OF(instants); i++) {
        td_slice arn;
        td_stream_ref stream;
        ck_assert_int_eq(td_ops__stream_arn(&request, TD_LIT("TTT"), instants[i], &arn), TD_OK);
        ck_assert_int_eq(td_ops__parse_stream_arn(&request, arn, &stream), TD_OK);
        ck_assert_int_eq(stream.label_us, instants[i]);
        ck_assert(td_slice_equal(stream.table, TD_LIT("TTT")));
    }
}
END_TEST

START_TEST(other_texts_are_no_stream_arns)
{
#define TABLE "arn:aws:dynamodb:us-east-1:000000000000:table/"
    static const char *const texts[] = {
        "fake",
        "TTT/stream/2100-01-01T00:00:00.000",
        TABLE "TTT",
        TABLE "TTT/stream/",
        TABLE "TTT/stream/2100-01-01T00:00:00",
        TABLE "TTT/stream/2100-01-01T00:00:00.0000",
        TABLE "TTT/stream/2100-01-01 00:00:00.000",
        TABLE "TTT/stream/2100-13-01T00:00:00.000",
        TABLE "TTT/stream/2100-02-29T00:00:00.000",
        TABLE "TTT/stream/2100-01-01T24:00:00.000",
        TABLE "TTT/stream/1969-12-31T23:59:59.999",
        TABLE "TTT/stream/2100-01-01T00:00:00.00x",
        TABLE "/stream/2100-01-01T00:00:00.000",
        "arn:aws:sqs:us-east-1:000000000000:table/TTT/stream/2100-01-01T00:00:00.000",
    };
    for (size_t i = 0; i < TD_COUNT_OF(texts); i++) {
        char body[256];
        char expected[256];
        (void)snprintf(body, sizeof(body), "{'StreamArn':'%s'}", texts[i]);
        (void)snprintf(expected, sizeof(expected), "ValidationException: Invalid StreamArn: %s", texts[i]);
        CHECK_ERROR(&server, "DescribeStream", body, expected);
    }
}
END_TEST

TCase *streams_tests(void)
{
    TCase *tests = tcase_create("streams");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_stream_is_listed_and_described_by_its_label);
    tcase_add_test(tests, a_record_shows_all_that_the_service_shows);
    tcase_add_test(tests, an_iterator_that_was_changed_is_refused);
    tcase_add_test(tests, an_iterator_lives_for_fifteen_minutes);
    tcase_add_test(tests, an_iterator_of_a_stream_that_is_gone_names_it);
    tcase_add_test(tests, labels_read_back_as_they_are_written);
    tcase_add_test(tests, other_texts_are_no_stream_arns);
    return tests;
}
