/* SPDX-License-Identifier: Apache-2.0
 * batches.c: batches under throttling and under their limit: S19 and S29 of throttling.md §5.2.
 *
 * What a batch gives back is decided in server/ops: these scenarios send whole requests through td_dispatch, in virtual
 * time. A ThrottledRequest is a request that fails; the engine's counts are the ThrottleEvents. */
#include "scenario.h"

#include "ops/dispatch.h"
#include "wire/json.h"

#define YEAR_2100_US ((td_time_us)4102444800 * TD_US_PER_S) /* a manual clock only goes forwards */
#define SMALL_BYTES 1024
#define LARGE_BYTES 20480
#define NAME_BYTES 7 /* of the attributes "pk" and "pad" and of a key of two digits */

static scenario it;
static td_config config;
static td_service service;
static td_buf body;
static td_buf reply;

static void open_service(const scenario_setup *setup)
{
    scenario_open(&it, setup);
    config = (td_config){.account = "000000000000"};
    service = (td_service){.config = &config, .store = it.store, .clock = td_clock_new()};
    ck_assert_ptr_nonnull(service.clock);
    td_clock_set_manual(service.clock);
    td_buf_init(&body, TD_LIMIT_REPLY_BYTES_MAX);
    td_buf_init(&reply, TD_LIMIT_REPLY_BYTES_MAX);
}

static void teardown(void)
{
    td_buf_done(&body);
    td_buf_done(&reply);
    td_clock_free(service.clock);
    scenario_close(&it);
}

/* Sends what is in `body`; the answer's tree lives until the next request. */
static const td_json *send_body(const char *target, int expected_status)
{
    td_arena_reset(&it.arena);
    it.error = (td_error){.arena = &it.arena};
    ck_assert(td_clock_move_to(service.clock, it.now_us));
    td_envelope envelope = {
        .target = td_slice_of_cstr(target),
        .authorization = TD_LIT("AWS4-HMAC-SHA256 Credential=key/21000101/us-east-1/dynamodb/aws4_request, "
                                "SignedHeaders=host, Signature=x"),
        .date = TD_LIT("21000101T000000Z"),
        .content_type = TD_LIT("application/x-amz-json-1.0"),
    };
    int status = td_dispatch(&service, &envelope, td_buf_contents(&body), &it.arena, &reply);
    td_slice answer = td_buf_contents(&reply);
    ck_assert_msg(status == expected_status, "%d %.*s", status, (int)answer.len, (const char *)answer.ptr);
    td_json *root = NULL;
    ck_assert_int_eq(td_json_parse(answer, &it.arena, &root, &it.error), TD_OK);
    return root;
}

/* Puts `count` items of that size; their keys are two digits each. */
static const td_json *batch_write(uint32_t count, size_t item_bytes, int expected_status)
{
    td_buf_clear(&body);
    td_buf_append_lit(&body, "{\"RequestItems\":{\"" SCENARIO_TABLE "\":[");
    for (uint32_t i = 0; i < count; i++) {
        td_buf_append_format(&body, "%s{\"PutRequest\":{\"Item\":{\"pk\":{\"S\":\"%02u\"},\"pad\":{\"S\":\"%0*d\"}}}}",
                             i == 0 ? "" : ",", i, (int)item_bytes - NAME_BYTES, 0);
    }
    td_buf_append_lit(&body, "]}}");
    return send_body("DynamoDB_20120810.BatchWriteItem", expected_status);
}

static const td_json *batch_get(uint32_t count)
{
    td_buf_clear(&body);
    td_buf_append_lit(&body,
                      "{\"ReturnConsumedCapacity\":\"TOTAL\",\"RequestItems\":{\"" SCENARIO_TABLE "\":{\"Keys\":[");
    for (uint32_t i = 0; i < count; i++)
        td_buf_append_format(&body, "%s{\"pk\":{\"S\":\"%02u\"}}", i == 0 ? "" : ",", i);
    td_buf_append_lit(&body, "]}}}");
    return send_body("DynamoDB_20120810.BatchGetItem", 200);
}

/* The table's part of a member by tables; NULL: it has none. */
static const td_json *of_table(const td_json *answer, const char *member)
{
    const td_json *tables = td_json_find(answer, td_slice_of_cstr(member));
    ck_assert_ptr_nonnull(tables);
    return td_json_find(tables, TD_LIT(SCENARIO_TABLE));
}

/* Requests, or elements of a batch, that have been throttled since the last call. */
static uint64_t take_throttle_events(const char *reason)
{
    td_throttle_count *counts;
    uint32_t count;
    uint64_t sum = 0;
    ck_assert(td_observe_take_throttles(it.store, &it.arena, &counts, &count));
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_str_eq(td_throttle_reason_name(&counts[i].reason), reason);
        sum += counts[i].count;
    }
    return sum;
}

START_TEST(s19_a_batch_gives_back_what_is_throttled_and_fails_when_that_is_all)
{
    static const char reason[] = "TableWriteProvisionedThroughputExceeded";
    td_capacity_settings settings = settings_with(TD_CAPACITY_burst_window, 1);
    open_service(&(scenario_setup){.read = 10, .written = 10, .settings = &settings, .created_us = YEAR_2100_US});
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, 10);

    const td_json *given_back = of_table(batch_write(25, SMALL_BYTES, 200), "UnprocessedItems");
    ck_assert_ptr_nonnull(given_back);
    ck_assert_uint_eq(given_back->count, 15);
    ck_assert_uint_eq(take_throttle_events(reason), 15);
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, 0);

    const td_json *type = td_json_find(batch_write(25, SMALL_BYTES, 400), TD_LIT("__type"));
    ck_assert_ptr_nonnull(type);
    ck_assert(
        td_slice_equal(type->text, TD_LIT("com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException")));
    ck_assert_uint_eq(take_throttle_events(reason), 25);
}
END_TEST

/* The documented megabyte has room for 51 of these items, and the room for one more item of the largest size, which was
 * measured (TD_LIMIT_BATCH_GET_PARTITION_BYTES_MAX), for 20 more: 71 * 20,480 = 1,454,080 bytes. */
START_TEST(s29_what_has_no_room_in_an_answer_is_given_back_and_not_throttled)
{
    enum { ASKED = 100, SERVED = TD_LIMIT_BATCH_GET_PARTITION_BYTES_MAX / LARGE_BYTES };
    ck_assert_int_eq(SERVED, 71);
    open_service(&(scenario_setup){.read = 100, .written = 100, .created_us = YEAR_2100_US});
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 1);
    for (uint32_t i = 0; i < ASKED; i++) {
        scenario_move_to(&it, i / 25); /* 500 W a second: half of what a partition takes */
        char key[3] = {(char)('0' + i / 10), (char)('0' + i % 10), '\0'};
        ck_assert_int_eq(scenario_put(&it, key, NULL, LARGE_BYTES - NAME_BYTES), TD_OK);
    }
    double before = scenario_bucket(&it, false, TD_READ).balance;

    const td_json *answer = batch_get(ASKED);
    const td_json *items = of_table(answer, "Responses");
    const td_json *given_back = of_table(answer, "UnprocessedKeys");
    ck_assert_ptr_nonnull(items);
    ck_assert_ptr_nonnull(given_back);
    ck_assert_uint_eq(items->count, SERVED);
    ck_assert_uint_eq(td_json_find(given_back, TD_LIT("Keys"))->count, ASKED - SERVED);
    /* 2.5 units for each that is read, and what a missing item costs for each that is not */
    double units = SERVED * 2.5 + (ASKED - SERVED) * 0.5;
    ck_assert_double_eq(scenario_bucket(&it, false, TD_READ).balance, before - units);
    ck_assert_uint_eq(take_throttle_events(""), 0);
    ck_assert_uint_eq(scenario_bucket(&it, false, TD_READ).throttled, 0);
}
END_TEST

TCase *batch_scenarios(void)
{
    TCase *tests = tcase_create("batches");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s19_a_batch_gives_back_what_is_throttled_and_fails_when_that_is_all);
    tcase_add_test(tests, s29_what_has_no_room_in_an_answer_is_given_back_and_not_throttled);
    return tests;
}
