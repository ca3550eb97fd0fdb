/* SPDX-License-Identifier: Apache-2.0
 * snapshots.c: tests of /_thermodyn/snapshots: what is answered and refused. What going back does is in
 * unit/engine/snapshot.c. The clock is manual and starts at 2100-01-01 (see ask.h). */
#include "control/control.h"

#include <stdio.h>

#include "suites.h"
#include "unit/ops/ask.h"

#define YEAR_2100_MS "4102444800000"

static ask_server server;
static td_arena arena;
static td_buf reply;
static int http_status;

static void setup(void)
{
    ask_setup(&server);
    td_arena_init(&arena, (size_t)1024 * 1024);
    td_buf_init(&reply, (size_t)1024 * 1024);
}

static void teardown(void)
{
    ask_teardown(&server);
    td_arena_done(&arena);
    td_buf_done(&reply);
}

/* The answer's JSON with ' for ". */
static const char *call(const char *method, const char *path, const char *body)
{
    td_control_request request = {.method = td_slice_of_cstr(method),
                                  .path = td_slice_of_cstr(path),
                                  .query = TD_LIT(""),
                                  .body = td_slice_of_cstr(body)};
    td_arena_reset(&arena);
    http_status = td_control_handle(&server.service, &request, &arena, &reply).http_status;
    td_buf_append_byte(&reply, 0);
    for (uint8_t *at = reply.data; *at != 0; at++) {
        if (*at == '"') *at = '\'';
    }
    return (const char *)reply.data;
}

#define ANSWERS(expected, status, method, path, body)                                                                  \
    do {                                                                                                               \
        ck_assert_str_eq(call(method, "/_thermodyn/snapshots" path, body), expected);                                  \
        ck_assert_int_eq(http_status, status);                                                                         \
    } while (0)

#define SEED(items, changes, bytes)                                                                                    \
    "{'name':'seed','created':" YEAR_2100_MS ",'tables':1,'items':" items ",'changes':" changes                        \
    ",'changed_bytes':" bytes "}"

static void put_item(const char *key)
{
    char body[128];
    snprintf(body, sizeof body, "{'TableName':'TTT','Item':{'pk':{'S':'%s'}}}", key);
    ask(&server, "PutItem", body);
    ck_assert_int_eq(server.http_status, 200);
}

static void create_table(void)
{
    ask(&server, "CreateTable",
        "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'}],"
        "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'}],'BillingMode':'PAY_PER_REQUEST'}");
    ck_assert_int_eq(server.http_status, 200);
}

START_TEST(a_snapshot_is_kept_listed_gone_back_to_and_removed)
{
    create_table();
    put_item("a");
    ANSWERS("{'snapshots':[]}", 200, "GET", "", "");
    ANSWERS(SEED("1", "0", "0"), 200, "PUT", "/seed", "");
    put_item("b");
    ck_assert_ptr_nonnull(strstr(call("GET", "/_thermodyn/snapshots", ""),
                                 "'tables':1,'items':1,'changes':1,'changed_bytes':19}]}"));
    ANSWERS(SEED("1", "1", "19"), 200, "GET", "/seed", "");
    ANSWERS(SEED("1", "0", "0"), 200, "POST", "/seed/restore", "{}");
    ask(&server, "GetItem", "{'TableName':'TTT','Key':{'pk':{'S':'b'}}}");
    ck_assert_str_eq(server.text, "{}");
    ANSWERS(SEED("1", "0", "0"), 200, "PUT", "/seed", "");
    ANSWERS("{'removed':1}", 200, "DELETE", "/seed", "");
    (void)call("PUT", "/_thermodyn/snapshots/a-1", "");
    (void)call("PUT", "/_thermodyn/snapshots/b.2", "");
    ANSWERS("{'removed':2}", 200, "DELETE", "", "");
    ANSWERS("{'removed':0}", 200, "DELETE", "", "");
}
END_TEST

START_TEST(what_is_wrong_is_told_in_a_sentence)
{
    ANSWERS("{'error':'there is no snapshot \\'seed\\''}", 404, "POST", "/seed/restore", "");
    ANSWERS("{'error':'there is no snapshot \\'seed\\''}", 404, "GET", "/seed", "");
    ANSWERS("{'error':'there is no snapshot \\'seed\\''}", 404, "DELETE", "/seed", "");
    ANSWERS("{'error':'a snapshot's name has letters, digits, '-', '_' and '.', at most 255'}", 400, "PUT",
            "/a b", "");
    ANSWERS("{'error':'this path knows GET, PUT, DELETE only'}", 405, "POST", "/seed", "");
    (void)call("PUT", "/_thermodyn/snapshots/seed", "{\"tables\":[]}");
    ck_assert_int_eq(http_status, 400);
}
END_TEST

Suite *snapshots_suite(void)
{
    Suite *suite = suite_create("snapshots");
    TCase *tests = tcase_create("snapshots");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_snapshot_is_kept_listed_gone_back_to_and_removed);
    tcase_add_test(tests, what_is_wrong_is_told_in_a_sentence);
    suite_add_tcase(suite, tests);
    return suite;
}
