/* SPDX-License-Identifier: Apache-2.0
 * metrics.c: random requests of every kind against a small table, after which all accounts of what they used must be
 * equal to the unit (metered_server.h). simulated.c brings the simulator in.
 *
 *   TD_PROPERTY_SEED   the first seed of the 20 runs (default 1)
 *   TD_PROPERTY_STEPS  requests a run (default 400) */
#include <check.h>

#include "thermodyn/metrics.h"

#include "metered_server.h"
#include "random.h"

enum { RUNS = 20, KEYS = 12 };

static metered_server it;

static const char *const told_fully = "'ReturnConsumedCapacity':'INDEXES'";

static void say_key(uint64_t key)
{
    metered_say(&it, "'pk':{'S':'p%d'},'sk':{'N':'%d'}", (int)(key % 4), (int)key);
}

static void say_item(uint64_t key)
{
    metered_say(&it, "{");
    say_key(key);
    if (metered_below(&it, 3) > 0) metered_say(&it, ",'l':{'N':'%d'}", (int)metered_below(&it, 5));
    if (metered_below(&it, 3) > 0) metered_say(&it, ",'g':{'S':'g%d'}", (int)metered_below(&it, 3));
    if (metered_below(&it, 3) > 0) metered_say(&it, ",'h':{'S':'h%d'}", (int)metered_below(&it, 3));
    metered_say(&it, ",'x':{'S':'");
    for (uint64_t i = metered_below(&it, 40); i > 0; i--)
        metered_say(&it, "%s",
                    "a hundred characters that make the item cost more than one unit, and so an index now and then");
    metered_say(&it, "'}}");
}

static void write_one(void)
{
    uint64_t key = metered_below(&it, KEYS);
    metered_begin(&it);
    metered_say(&it, "{'TableName':'TTT',%s,", told_fully);
    uint64_t pick = metered_below(&it, 4);
    if (pick < 2) {
        metered_say(&it, "'Item':");
        say_item(key);
        metered_say(&it, "}");
        (void)metered_send(&it, "PutItem", TD_WRITE, 1);
        return;
    }
    metered_say(&it, "'Key':{");
    say_key(key);
    metered_say(&it, "}");
    if (pick == 3) {
        metered_say(&it, "}");
        (void)metered_send(&it, "DeleteItem", TD_WRITE, 1);
        return;
    }
    metered_say(&it, ",'UpdateExpression':'SET g=:g REMOVE h','ExpressionAttributeValues':{':g':{'S':'g%d'}}}",
                (int)metered_below(&it, 3));
    (void)metered_send(&it, "UpdateItem", TD_WRITE, 1);
}

static void read_some(void)
{
    metered_begin(&it);
    metered_say(&it, "{'TableName':'TTT',%s", told_fully);
    switch (metered_below(&it, 6)) {
    case 0:
        metered_say(
            &it, ",'IndexName':'G11','KeyConditionExpression':'g=:g','ExpressionAttributeValues':{':g':{'S':'g1'}}}");
        (void)metered_send(&it, "Query", TD_READ, 1);
        return;
    case 1:
        metered_say(
            &it, ",'IndexName':'L11','KeyConditionExpression':'pk=:p','ExpressionAttributeValues':{':p':{'S':'p1'}}}");
        (void)metered_send(&it, "Query", TD_READ, 1);
        return;
    case 2:
        metered_say(&it, "%s}", metered_below(&it, 2) == 0 ? ",'IndexName':'G22'" : "");
        (void)metered_send(&it, "Scan", TD_READ, 1);
        return;
    default:
        metered_say(&it, ",'ConsistentRead':%s,'Key':{", metered_below(&it, 2) == 0 ? "true" : "false");
        say_key(metered_below(&it, KEYS));
        metered_say(&it, "}}");
        (void)metered_send(&it, "GetItem", TD_READ, 1);
        return;
    }
}

static void write_batch(void)
{
    uint64_t count = 1 + metered_below(&it, KEYS);
    metered_begin(&it);
    metered_say(&it, "{%s,'RequestItems':{'TTT':[", told_fully);
    for (uint64_t key = 0; key < count; key++) {
        if (key > 0) metered_say(&it, ",");
        metered_say(&it, "{'PutRequest':{'Item':");
        say_item(key);
        metered_say(&it, "}}");
    }
    metered_say(&it, "]}}");
    (void)metered_send(&it, "BatchWriteItem", TD_WRITE, count);
}

static void read_batch(void)
{
    uint64_t count = 1 + metered_below(&it, KEYS);
    metered_begin(&it);
    metered_say(&it, "{%s,'RequestItems':{'TTT':{'Keys':[", told_fully);
    for (uint64_t key = 0; key < count; key++) {
        metered_say(&it, "%s{", key > 0 ? "," : "");
        say_key(key);
        metered_say(&it, "}");
    }
    metered_say(&it, "]}}}");
    (void)metered_send(&it, "BatchGetItem", TD_READ, count);
}

static void transact(void)
{
    uint64_t count = 1 + metered_below(&it, 4);
    bool is_write = metered_below(&it, 2) == 0;
    metered_begin(&it);
    metered_say(&it, "{%s,'TransactItems':[", told_fully);
    for (uint64_t key = 0; key < count; key++) {
        metered_say(&it, "%s{'%s':{'TableName':'TTT','%s':", key > 0 ? "," : "", is_write ? "Put" : "Get",
                    is_write ? "Item" : "Key");
        if (is_write) {
            say_item(key);
        } else {
            metered_say(&it, "{");
            say_key(key);
            metered_say(&it, "}");
        }
        metered_say(&it, "}}");
    }
    metered_say(&it, "]}");
    (void)metered_send(&it, is_write ? "TransactWriteItems" : "TransactGetItems", is_write ? TD_WRITE : TD_READ, 1);
}

static void execute(void)
{
    metered_begin(&it);
    if (metered_below(&it, 2) == 0) {
        metered_say(&it, "{%s,'Statement':'SELECT * FROM TTT WHERE pk=? AND sk=?','Parameters':[{'S':'p1'},{'N':'1'}]}",
                    told_fully);
        (void)metered_send(&it, "ExecuteStatement", TD_READ, 1);
    } else {
        metered_say(&it, "{%s,'Statement':'SELECT * FROM TTT','Limit':3}", told_fully);
        (void)metered_send(&it, "ExecuteStatement", TD_READ, 1);
    }
}

static void step(void)
{
    td_time_us now_us = td_clock_now(it.asked.service.clock);
    td_time_us pause_us =
        (td_time_us)metered_below(&it, random_chance(&it.rng, 3) ? 5 * TD_SERIES_MINUTE_US : TD_US_PER_S / 2);
    ck_assert(td_clock_move_to(it.asked.service.clock, now_us + pause_us));
    uint64_t pick = metered_below(&it, 100);
    if (pick < 40)
        write_one();
    else if (pick < 70)
        read_some();
    else if (pick < 78)
        write_batch();
    else if (pick < 86)
        read_batch();
    else if (pick < 94)
        transact();
    else
        execute();
}

START_TEST(all_accounts_of_units_and_throttles_are_equal)
{
    metered_init(&it, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i);
    uint64_t steps = number_from_env("TD_PROPERTY_STEPS", 400);
    for (uint64_t i = 0; i < steps; i++)
        step();
    metered_check(&it);
    ck_assert_uint_gt(it.throttled, 0);
    metered_done(&it);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("metrics");
    TCase *tests = tcase_create("accounts");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, all_accounts_of_units_and_throttles_are_equal, 0, RUNS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
