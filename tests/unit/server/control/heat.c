/* SPDX-License-Identifier: Apache-2.0
 * heat.c: tests of heat maps and hottest keys as they are answered, byte for byte.
 * Documents are written with ' for ". The clock is manual and starts at 2100-01-01 (see ask.h). */
#include "control/control.h"

#include <stdio.h>

#include "suites.h"
#include "unit/ops/ask.h"

static ask_server server;
static td_arena arena;
static td_buf reply;
static int status;

static void setup(void)
{
    ask_setup(&server);
    td_arena_init(&arena, (size_t)4 * 1024 * 1024);
    td_buf_init(&reply, (size_t)1024 * 1024);
}

static void teardown(void)
{
    ask_teardown(&server);
    td_arena_done(&arena);
    td_buf_done(&reply);
}

/* "heatmap?table=TTT" → the answer's JSON. */
static const char *see(const char *path)
{
    char full[256];
    size_t path_len = strcspn(path, "?");
    snprintf(full, sizeof(full), "/_thermodyn/%.*s", (int)path_len, path);
    td_slice query = path[path_len] == '\0' ? TD_LIT("") : td_slice_of_cstr(path + path_len + 1);
    td_control_request request = {
        .method = TD_LIT("GET"), .path = td_slice_of_cstr(full), .query = query, .body = TD_LIT("")};
    td_arena_reset(&arena);
    status = td_control_handle(&server.service, &request, &arena, &reply).http_status;
    td_buf_append_byte(&reply, 0);
    for (uint8_t *at = reply.data; *at != 0; at++) {
        if (*at == '"') *at = '\'';
    }
    return (const char *)reply.data;
}

#define CHECK_SEEN(path, expected)                                                                                     \
    do {                                                                                                               \
        ck_assert_str_eq(see(path), expected);                                                                         \
        ck_assert_int_eq(status, 200);                                                                                 \
    } while (0)

#define CHECK_PART(path, part)                                                                                         \
    do {                                                                                                               \
        const char *answer = see(path);                                                                                \
        ck_assert_msg(strstr(answer, part) != NULL, "%s\n  is:  %.1500s\n  not: %s", path, answer, part);              \
        ck_assert_int_eq(status, 200);                                                                                 \
    } while (0)

static void put(const char *key, int times)
{
    char body[1000];
    snprintf(body, sizeof(body), "{'TableName':'TTT','Item':{'pk':{'S':'%s'},'sk':{'N':'1'}}}", key);
    for (int i = 0; i < times; i++)
        ask(&server, "PutItem", body);
    ck_assert_int_eq(server.http_status, 200);
}

static void move_ms(int64_t ms)
{
    ck_assert(td_clock_move_to(server.service.clock, td_clock_now(server.service.clock) + ms * TD_US_PER_MS));
}

START_TEST(a_heat_map_has_rows_of_places_and_columns_of_time)
{
    ask_create_table(&server, "N");
    put("a", 1); /* in the upper half of the places; b is in the lower one */
    move_ms(2500);
    put("b", 2);
    ask(&server, "GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'a'},'sk':{'N':'1'}}}");
    CHECK_SEEN("heatmap?table=TTT&rows=2",
               "{'table':'TTT','index':null,'metric':'write','from':4102444800000,'to':4102444803000,'column_ms':1000,"
               "'rows':[{'hash_from':'0000000000000000','hash_to':'7fffffffffffffff'},"
               "{'hash_from':'8000000000000000','hash_to':'ffffffffffffffff'}],"
               "'cells':[[0,0,2],[1,0,0]],'max':2,'lost':0}");
    CHECK_PART("heatmap?table=TTT&rows=3&metric=read&columns=1", "'cells':[[0],[0.5]],'max':0.5");
    CHECK_PART("heatmap?table=TTT&rows=2&from=4102444801000&to=4102444803000", "'cells':[[0,2],[0,0]],'max':2");
    CHECK_PART("heatmap?table=TTT&rows=1&columns=2", "'to':4102444804000,'column_ms':2000");
    CHECK_PART("heatmap?table=TTT&rows=1&columns=2", "'cells':[[1,2]]");
    CHECK_PART("heatmap?table=TTT&rows=1&from=1", "'column_ms':600000");
    CHECK_PART("heatmap?table=TTT&metric=throttle&rows=1&columns=1", "'cells':[[0]],'max':0");
    move_ms(3600 * 1000);
    CHECK_PART("heatmap?table=TTT&rows=1&columns=2&from=4102444800000", "'cells':[[3,0]],'max':3");
}
END_TEST

START_TEST(a_table_without_traffic_has_an_empty_map_and_no_keys)
{
    ask_create_table(&server, "N");
    CHECK_SEEN(
        "heatmap?table=TTT&rows=1",
        "{'table':'TTT','index':null,'metric':'write','from':4102444800000,'to':4102444801000,'column_ms':1000,"
        "'rows':[{'hash_from':'0000000000000000','hash_to':'ffffffffffffffff'}],'cells':[[0]],'max':0,'lost':0}");
    CHECK_SEEN("hotkeys?table=TTT", "{'table':'TTT','index':null,'metric':'write','by':'partition',"
                                    "'from':4102441200000,'to':4102444800000,'total':0,'keys':[],'lost':0}");
}
END_TEST

START_TEST(hottest_keys_are_told_with_count_share_partition_and_peak)
{
    ask_create_table(&server, "N");
    put("a", 1);
    move_ms(1000);
    put("b", 2);
    move_ms(1000);
    put("b", 1);
    CHECK_SEEN("hotkeys?table=TTT&limit=1&window_ms=60000",
               "{'table':'TTT','index':null,'metric':'write','by':'partition','from':4102444740000,'to':4102444802000,"
               "'total':4,'keys':[{'key':{'pk':{'S':'b'}},'hash':'6521acb651d76797','partition':'p-0002',"
               "'count':3,'error':0,'share':0.75,'peak_1s':2,'over_limit':false}],'lost':0}");
    CHECK_PART("hotkeys?table=TTT&by=item", "'key':{'pk':{'S':'b'},'sk':{'N':'1'}}");
    CHECK_PART("hotkeys?table=TTT&by=item", "'key':{'pk':{'S':'a'},'sk':{'N':'1'}}");
    CHECK_PART("hotkeys?table=TTT&metric=read", "'total':0,'keys':[]");
}
END_TEST

/* 5 units a second, a cap of 2: the first second's burst, then refusals. */
START_TEST(a_key_that_asks_for_more_than_a_partition_serves_is_over_its_limit)
{
    ask_create_table(&server, "N");
    td_capacity_patch patch = {.has_value = {[TD_CAPACITY_partition_write_cap] = true},
                               .settings.values = {[TD_CAPACITY_partition_write_cap] = 2}};
    ck_assert(td_store_patch_capacity(server.service.store, td_clock_now(server.service.clock), TD_LIT(""), TD_LIT(""),
                                      &patch));
    put("b", 1);
    put("a", 1);
    for (int i = 0; i < 4; i++)
        ask(&server, "PutItem", "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'N':'1'}}}");
    ck_assert_int_eq(server.http_status, 400);
    CHECK_PART("hotkeys?table=TTT&limit=1", "'count':2,'error':0,'share':0.6667,'peak_1s':5,'over_limit':true");
    CHECK_PART("hotkeys?table=TTT&limit=2", "'count':1,'error':0,'share':0.3333,'peak_1s':1,'over_limit':false");
    CHECK_PART("hotkeys?table=TTT&metric=throttle", "'total':3,'keys':[{'key':{'pk':{'S':'a'}}");
    CHECK_PART("hotkeys?table=TTT&metric=throttle", "'count':3,'error':0,'share':1,'peak_1s':3,'over_limit':true}]");
    CHECK_PART("heatmap?table=TTT&metric=throttle&rows=1", "'cells':[[3]],'max':3");
}
END_TEST

START_TEST(a_global_index_has_a_heat_of_its_own)
{
    ask_create_indexed_table(&server);
    ask(&server, "PutItem",
        "{'TableName':'TTT','Item':{'pk':{'S':'a'},'sk':{'S':'x'},'g':{'S':'\\u0000\\u001f\\\"'},'l':{'N':'1'}}}");
    ck_assert_int_eq(server.http_status, 200);
    CHECK_PART("hotkeys?table=TTT", "'total':2,'keys':[{'key':{'pk':{'S':'a'}}"); /* the local index's is the table's */
    CHECK_PART("hotkeys?table=TTT&index=global", "'total':1,'keys':[{'key':{'g':{'S':'\\u0000\\u001F\\''}}");
    CHECK_PART("heatmap?table=TTT&index=global&rows=1", "'index':'global','metric':'write'");
    CHECK_PART("heatmap?table=TTT&index=global&rows=1", "'cells':[[1]]");
    ask(&server, "Query",
        "{'TableName':'TTT','IndexName':'global','KeyConditionExpression':'g=:g',"
        "'ExpressionAttributeValues':{':g':{'S':'none'}}}");
    CHECK_PART("hotkeys?table=TTT&index=global&metric=read&by=item", "'total':0.5,'keys':[{'key':{'g':{'S':'none'}}");
}
END_TEST

/* A long key is looked up among the items, and is unknown when none has it any more. */
START_TEST(long_keys_are_known_as_long_as_an_item_has_them)
{
    char key[600] = "";
    char body[1000];
    char known[700];
    memset(key, 'k', 500);
    ask_create_table(&server, "N");
    put(key, 1);
    snprintf(known, sizeof(known), "'keys':[{'key':{'pk':{'S':'%s'},'sk':{'N':'1'}}", key);
    CHECK_PART("hotkeys?table=TTT&by=item", known);
    snprintf(body, sizeof(body), "{'TableName':'TTT','Key':{'pk':{'S':'%s'},'sk':{'N':'1'}}}", key);
    ask(&server, "DeleteItem", body);
    CHECK_PART("hotkeys?table=TTT&by=item", "'keys':[{'key':null,'hash':");
}
END_TEST

START_TEST(nothing_is_recorded_when_it_is_switched_off)
{
    ask_create_table(&server, "N");
    td_capacity_patch patch = {.has_value = {[TD_CAPACITY_record_heat] = true}};
    ck_assert(td_store_patch_capacity(server.service.store, 0, TD_LIT(""), TD_LIT("TTT"), &patch));
    put("a", 5);
    CHECK_PART("hotkeys?table=TTT", "'total':0,'keys':[]");
}
END_TEST

typedef struct refusal {
    const char *path;
    const char *sentence;
    int status;
} refusal;

static const refusal refusals[] = {
    {"heatmap", "'table' is needed: ?table=NAME", 400},
    {"heatmap?table=", "'table' has no value", 400},
    {"heatmap?table", "'table' has no value", 400},
    {"heatmap?table=a&table=b", "'table' is there twice", 400},
    {"heatmap?table=none", "there is no table 'none'", 404},
    {"heatmap?table=TTT&index=none", "there is no global index 'none' of 'TTT'", 404},
    {"heatmap?table=TTT&index=local", "there is no global index 'local' of 'TTT'", 404},
    {"heatmap?table=TTT&metric=reads", "'metric' must be 'read', 'write' or 'throttle'", 400},
    {"heatmap?table=TTT&columns=0", "'columns' must be a whole number from 1 to 500", 400},
    {"heatmap?table=TTT&columns=501", "'columns' must be a whole number from 1 to 500", 400},
    {"heatmap?table=TTT&rows=1.5", "'rows' must be a whole number from 1 to 1000", 400},
    {"heatmap?table=TTT&from=-1", "'from' must be a whole number from 1 to 253402300799999", 400},
    {"heatmap?table=TTT&to=9999999999999999999", "'to' must be a whole number from 1 to 253402300799999", 400},
    {"heatmap?table=TTT&from=5&to=5", "'from' must be before 'to'", 400},
    {"heatmap?table=TTT&row=1", "unknown parameter 'row'", 400},
    {"hotkeys?index=global", "'table' is needed: ?table=NAME", 400},
    {"hotkeys?table=none", "there is no table 'none'", 404},
    {"hotkeys?table=TTT&index=local", "there is no global index 'local' of 'TTT'", 404},
    {"hotkeys?table=TTT&by=key", "'by' must be 'partition' or 'item'", 400},
    {"hotkeys?table=TTT&limit=101", "'limit' must be a whole number from 1 to 100", 400},
    {"hotkeys?table=TTT&window_ms=3600001", "'window_ms' must be a whole number from 1 to 3600000", 400},
    {"hotkeys?table=TTT&rows=1", "unknown parameter 'rows'", 400},
    {"hotkeys?table=TTT&scope=x", "there is no table 'TTT'", 404},
};

START_TEST(what_is_wrong_is_one_sentence)
{
    ask_create_indexed_table(&server);
    char expected[300];
    char quoted[250];
    snprintf(quoted, sizeof(quoted), "%s", refusals[_i].sentence);
    const char *answer = see(refusals[_i].path);
    ck_assert_int_eq(status, refusals[_i].status);
    size_t used = (size_t)snprintf(expected, sizeof(expected), "{'error':'");
    for (const char *at = quoted; *at != '\0'; at++)
        used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s%c", *at == '\'' ? "\\" : "", *at);
    snprintf(expected + used, sizeof(expected) - used, "'}");
    ck_assert_str_eq(answer, expected);
}
END_TEST

Suite *heat_suite(void)
{
    Suite *suite = suite_create("heat");
    TCase *tests = tcase_create("heat maps and hottest keys");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_heat_map_has_rows_of_places_and_columns_of_time);
    tcase_add_test(tests, a_table_without_traffic_has_an_empty_map_and_no_keys);
    tcase_add_test(tests, hottest_keys_are_told_with_count_share_partition_and_peak);
    tcase_add_test(tests, a_key_that_asks_for_more_than_a_partition_serves_is_over_its_limit);
    tcase_add_test(tests, a_global_index_has_a_heat_of_its_own);
    tcase_add_test(tests, long_keys_are_known_as_long_as_an_item_has_them);
    tcase_add_test(tests, nothing_is_recorded_when_it_is_switched_off);
    tcase_add_loop_test(tests, what_is_wrong_is_one_sentence, 0, TD_COUNT_OF(refusals));
    suite_add_tcase(suite, tests);
    return suite;
}
