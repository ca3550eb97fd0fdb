/* SPDX-License-Identifier: Apache-2.0
 * advice_endpoint.c: tests of GET /_thermodyn/advice and of /totals in process: real traffic through the API, then what
 * is said of it.
 * Documents are written with ' for ". The clock is manual. */
#include <stdio.h>

#include "control/control.h"
#include "suites.h"
#include "unit/ops/ask.h"

static ask_server server;
static td_arena arena;
static td_buf reply;
static td_control_reply outcome;

static void setup(void)
{
    ask_setup(&server);
    td_arena_init(&arena, (size_t)16 * 1024 * 1024);
    td_buf_init(&reply, (size_t)16 * 1024 * 1024);
}

static void teardown(void)
{
    ask_teardown(&server);
    td_arena_done(&arena);
    td_buf_done(&reply);
}

/* The answer, with ' for ". */
static const char *get(const char *path, const char *query)
{
    td_control_request request = {
        .method = TD_LIT("GET"), .path = td_slice_of_cstr(path), .query = td_slice_of_cstr(query), .body = TD_LIT("")};
    td_arena_reset(&arena);
    outcome = td_control_handle(&server.service, &request, &arena, &reply);
    td_buf_append_byte(&reply, 0);
    for (uint8_t *at = reply.data; *at != 0; at++) {
        if (*at == '"') *at = '\'';
    }
    return (const char *)reply.data;
}

static const char *advise(const char *query)
{
    return get("/_thermodyn/advice", query);
}

static void pass(int seconds)
{
    ck_assert(td_clock_move_to(server.service.clock, td_clock_now(server.service.clock) + seconds * TD_US_PER_S));
}

#define CHECK_HAS(answer, part) ck_assert_msg(strstr(answer, part) != NULL, "is:  %.3000s\nnot: %s", answer, part)
#define CHECK_HAS_NOT(answer, part) ck_assert_msg(strstr(answer, part) == NULL, "is:  %.3000s\nhas: %s", answer, part)

static void create(const char *name)
{
    char body[1024];
    snprintf(body, sizeof(body),
             "{'TableName':'%s','BillingMode':'PAY_PER_REQUEST','AttributeDefinitions':["
             "{'AttributeName':'pk','AttributeType':'S'},{'AttributeName':'status','AttributeType':'S'}],"
             "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],"
             "'GlobalSecondaryIndexes':[{'IndexName':'by-status',"
             "'KeySchema':[{'AttributeName':'status','KeyType':'HASH'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}]}",
             name);
    ask(&server, "CreateTable", body);
    ck_assert_int_eq(server.http_status, 200);
}

/* `count` writes, the i-th of key `prefix`i or, with one_key, of the prefix alone; each of so many KB. */
static void put_many(const char *table, const char *prefix, bool one_key, int count, int kilobytes)
{
    static char filler[64 * 1024];
    static char body[80 * 1024];
    memset(filler, 'x', sizeof(filler));
    for (int i = 0; i < count; i++) {
        char number[16];
        snprintf(number, sizeof(number), "%d", i);
        snprintf(body, sizeof(body), "{'TableName':'%s','Item':{'pk':{'S':'%s%s'},'b':{'S':'%.*s'}}}", table, prefix,
                 one_key ? "" : number, kilobytes * 1024 - 200, filler);
        ask(&server, "PutItem", body);
        ck_assert_int_eq(server.http_status, 200);
    }
}

START_TEST(a_hot_key_is_a_problem_and_spread_keys_are_none)
{
    create("orders");
    put_many("orders", "HOT", true, 25, 41); /* 1,025 units in one second: the last write goes into debt */
    const char *answer = advise("table=orders");
    ck_assert_int_eq(outcome.http_status, 200);
    CHECK_HAS(answer, "{'kind':'hot-key','severity':'problem','resource':'orders','table':'orders','index':null,");
    CHECK_HAS(answer, "'key':'HOT'");
    CHECK_HAS(answer, "'peak':1025");
    CHECK_HAS(answer, "'kind':'big-items'");
    create("spread");
    put_many("spread", "k", false, 1000, 1);
    answer = advise("table=spread");
    CHECK_HAS(answer, "'kind':'even'");
    CHECK_HAS_NOT(answer, "'problem'");
    CHECK_HAS_NOT(answer, "'warning'");
    CHECK_HAS(answer, "'kind':'no-traffic','severity':'info','resource':'spread/by-status'");
}
END_TEST

START_TEST(a_factor_makes_a_warm_key_hot)
{
    create("orders");
    put_many("orders", "HOT", true, 100, 1);
    CHECK_HAS_NOT(advise("table=orders&factor=9.9"), "'hot-key'");
    CHECK_HAS(advise("table=orders&factor=10"), "{'kind':'hot-key','severity':'warning'");
    CHECK_HAS(advise("table=orders&factor=10"), "'factor_at_limit':10");
}
END_TEST

START_TEST(refused_requests_and_the_limits_here_are_told)
{
    create("orders");
    td_capacity_patch patch = {.settings = {.values = {[TD_CAPACITY_capacity_scale] = 0.01}}};
    patch.has_value[TD_CAPACITY_capacity_scale] = true;
    ck_assert(td_store_patch_capacity(server.service.store, td_clock_now(server.service.clock), TD_LIT(""), TD_LIT(""),
                                      &patch));
    pass(1);
    put_many("orders", "HOT", true, 1, 40);
    ask(&server, "PutItem", "{'TableName':'orders','Item':{'pk':{'S':'HOT'}}}");
    ck_assert_int_eq(server.http_status, 400);
    const char *answer = advise("table=orders");
    CHECK_HAS(answer, "'kind':'throttled','severity':'problem'");
    CHECK_HAS(answer, "Here a partition serves 30 read and 10 write units a second; on the service 3,000 and 1,000.");
}
END_TEST

START_TEST(an_index_with_a_constant_key_is_told)
{
    create("orders");
    for (int i = 0; i < 120; i++) {
        char body[256];
        snprintf(body, sizeof(body), "{'TableName':'orders','Item':{'pk':{'S':'k%d'},'status':{'S':'ACTIVE'}}}", i);
        ask(&server, "PutItem", body);
    }
    const char *answer = advise("table=orders&index=by-status");
    CHECK_HAS(answer, "'kind':'low-cardinality','severity':'warning','resource':'orders/by-status'");
    CHECK_HAS(answer, "Nearly every entry has one key, \\'ACTIVE\\'");
    CHECK_HAS(answer, "'kind':'unread-index'");
    CHECK_HAS_NOT(answer, "'resource':'orders',");
}
END_TEST

START_TEST(what_lies_before_the_window_does_not_count)
{
    create("orders");
    put_many("orders", "k", false, 200, 1);
    pass(180);
    CHECK_HAS(advise("table=orders"), "'write':{'units':200,");
    const char *answer = advise("table=orders&window_ms=60000");
    CHECK_HAS(answer, "'write':{'units':0,'peak':0,");
    CHECK_HAS(answer, "Nothing was read or written in the last minute.");
}
END_TEST

START_TEST(all_tables_one_or_several_are_judged)
{
    CHECK_HAS(advise(""), "'resources':[],'advice':[]}");
    create("a-table");
    create("b-table");
    create("c-table");
    const char *answer = advise("");
    CHECK_HAS(answer, "'resource':'a-table'");
    CHECK_HAS(answer, "'resource':'c-table/by-status'");
    answer = advise("table=a-table,b-table");
    CHECK_HAS(answer, "'resource':'a-table'");
    CHECK_HAS(answer, "'resource':'b-table'");
    CHECK_HAS_NOT(answer, "'resource':'c-table'");
}
END_TEST

START_TEST(what_is_wrong_is_said_in_a_sentence)
{
    create("orders");
    static const struct {
        const char *query;
        int http_status;
        const char *answer;
    } rows[] = {{"table=nix", 404, "{'error':'there is no table \\'nix\\''}"},
                {"table=orders,nix", 404, "{'error':'there is no table \\'nix\\''}"},
                {"table=orders,", 404, "{'error':'there is no table \\'\\''}"},
                {"table=orders&index=nix", 404, "{'error':'there is no global index \\'nix\\' of \\'orders\\''}"},
                {"index=by-status", 400, "{'error':'\\'index\\' needs \\'table\\' beside it'}"},
                {"table=orders,orders&index=by-status", 400,
                 "{'error':'\\'index\\' needs one \\'table\\' beside it, not several'}"},
                {"factor=0", 400, "{'error':'\\'factor\\' must be a number from 0.001 to 1000000'}"},
                {"factor=1000001", 400, "{'error':'\\'factor\\' must be a number from 0.001 to 1000000'}"},
                {"factor=1e3", 400, "{'error':'\\'factor\\' must be a number from 0.001 to 1000000'}"},
                {"factor=1.2.3", 400, "{'error':'\\'factor\\' must be a number from 0.001 to 1000000'}"},
                {"window_ms=0", 400, "{'error':'\\'window_ms\\' must be a whole number from 1 to 3600000'}"},
                {"window_ms=3600001", 400, "{'error':'\\'window_ms\\' must be a whole number from 1 to 3600000'}"},
                {"detail=all", 400, "{'error':'\\'detail\\' must be \\'resources\\' or \\'partitions\\''}"},
                {"days=3", 400, "{'error':'unknown parameter \\'days\\''}"}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        ck_assert_str_eq(advise(rows[i].query), rows[i].answer);
        ck_assert_int_eq(outcome.http_status, rows[i].http_status);
    }
}
END_TEST

START_TEST(a_resource_says_how_even_it_is_and_with_detail_what_each_partition_had)
{
    create("orders");
    put_many("orders", "HOT", true, 30, 1);
    put_many("orders", "k", false, 10, 1);
    CHECK_HAS(advise("table=orders"), "'partition_cv':");
    CHECK_HAS(advise("table=orders"), "'top_share_min':0.75,'top_share_max':0.75}");
    CHECK_HAS_NOT(advise("table=orders&detail=resources"), "'by_partition'");
    CHECK_HAS(advise("table=orders&detail=partitions"), "'by_partition':[{'id':'p-0001','read':0,'write':");
}
END_TEST

START_TEST(totals_are_what_was_consumed_and_refused_since_the_table_exists)
{
    create("orders");
    create("other");
    td_capacity_patch patch = {.settings = {.values = {[TD_CAPACITY_capacity_scale] = 0.01}}};
    patch.has_value[TD_CAPACITY_capacity_scale] = true;
    ck_assert(td_store_patch_capacity(server.service.store, td_clock_now(server.service.clock), TD_LIT(""), TD_LIT(""),
                                      &patch));
    pass(1);
    put_many("orders", "HOT", true, 1, 40);
    ask(&server, "PutItem", "{'TableName':'orders','Item':{'pk':{'S':'HOT'}}}");
    ck_assert_int_eq(server.http_status, 400);
    pass(7200);
    const char *answer = get("/_thermodyn/totals", "table=orders");
    CHECK_HAS(answer, "'tables':[{'table':'orders','billing_mode':'PAY_PER_REQUEST','resources':[{'index':null,");
    CHECK_HAS(answer, "'consumed':{'read':0,'write':40},'throttled':{'read':0,'write':1},");
    CHECK_HAS(answer, "'TableWriteKeyRangeThroughputExceeded':1,");
    CHECK_HAS(answer, "'splits':{'heat':0,'size':0,'growth':0,'request':0},'vetoes':{'single item':0,");
    CHECK_HAS(answer, "{'index':'by-status',");
    CHECK_HAS(answer, "'IndexWriteKeyRangeThroughputExceeded':0,");
    CHECK_HAS_NOT(answer, "'other'");
    answer = get("/_thermodyn/totals", "");
    CHECK_HAS(answer, "{'table':'orders',");
    CHECK_HAS(answer, "{'table':'other',");
    CHECK_HAS(get("/_thermodyn/totals", "table=other,orders"), "{'table':'other',");
    CHECK_HAS(get("/_thermodyn/totals", "table=nix"), "'tables':[]}");
    static const char *const paths[] = {"", "health", "clock", "capacity", "tables", "totals", "faults", "snapshots",
                                        "tables/TTT/partitions", "snapshots/a"};
    for (size_t i = 0; i < TD_COUNT_OF(paths); i++) {
        char path[64];
        snprintf(path, sizeof(path), "/_thermodyn/%s", paths[i]);
        ck_assert_str_eq(get(path, "days=3"), "{'error':'unknown parameter \\'days\\''}");
    }
}
END_TEST

Suite *advice_endpoint_suite(void)
{
    Suite *suite = suite_create("advice_endpoint");
    TCase *cases = tcase_create("advice");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_hot_key_is_a_problem_and_spread_keys_are_none);
    tcase_add_test(cases, a_factor_makes_a_warm_key_hot);
    tcase_add_test(cases, refused_requests_and_the_limits_here_are_told);
    tcase_add_test(cases, an_index_with_a_constant_key_is_told);
    tcase_add_test(cases, what_lies_before_the_window_does_not_count);
    tcase_add_test(cases, all_tables_one_or_several_are_judged);
    tcase_add_test(cases, what_is_wrong_is_said_in_a_sentence);
    tcase_add_test(cases, a_resource_says_how_even_it_is_and_with_detail_what_each_partition_had);
    tcase_add_test(cases, totals_are_what_was_consumed_and_refused_since_the_table_exists);
    suite_add_tcase(suite, cases);
    return suite;
}
