/* SPDX-License-Identifier: Apache-2.0
 * metrics.c: random requests of every kind against a small table, after which all accounts of what they used must be
 * equal to the unit (metered_server.h); and random changes of what is provisioned, after which every five minutes are
 * told as they were. simulated.c brings the simulator in.
 *
 *   TD_PROPERTY_SEED   the first seed of the 20 runs (default 1)
 *   TD_PROPERTY_STEPS  requests a run (default 400) */
#include <check.h>

#include "thermodyn/metrics.h"

#include "metered_server.h"
#include "random.h"

enum { RUNS = 20, KEYS = 12, CHANGES = 60, FIVES_MAX = 400 };

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

static int64_t held(metered_resource resource, td_metric metric, td_time_us at_us)
{
    td_samples point = {0};
    td_metered metered = {.table = TD_LIT("TTT"), .index = td_slice_of_cstr(metered_names[resource])};
    td_series_window window = {.now_us = td_clock_now(it.asked.service.clock),
                               .from_us = at_us,
                               .period_us = 5 * TD_SERIES_MINUTE_US,
                               .count = 1};
    ck_assert(td_store_read_metric(it.asked.service.store, &metered, metric, &window, &point));
    ck_assert_uint_le(point.statistic.count, 1);
    return point.statistic.sum;
}

/* Of the table or an index, as an UpdateTable may say it; the pauses leave no two changes between two samples unseen.
 */
static void change_throughput(int64_t rates[METERED_RESOURCES])
{
    metered_resource resource = (metered_resource)metered_below(&it, METERED_RESOURCES);
    rates[resource] = 1 + (int64_t)metered_below(&it, 50);
    metered_begin(&it);
    metered_say(&it, "{'TableName':'TTT',");
    if (resource != METERED_TABLE) {
        metered_say(&it, "'GlobalSecondaryIndexUpdates':[{'Update':{'IndexName':'%s',", metered_names[resource]);
    }
    metered_say(&it, "'ProvisionedThroughput':{'ReadCapacityUnits':%d,'WriteCapacityUnits':1}", (int)rates[resource]);
    metered_say(&it, resource == METERED_TABLE ? "}" : "}}]}");
    td_slice body = td_buf_contents(&it.body);
    (void)asked(&it.asked, "UpdateTable", body); /* refused if nothing changes, or decreased too often a day */
}

START_TEST(what_was_provisioned_is_told_as_it_was)
{
    static int64_t expected[METERED_RESOURCES][FIVES_MAX];
    int64_t rates[METERED_RESOURCES];
    metered_init(&it, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i);
    for (int r = 0; r < METERED_RESOURCES; r++)
        rates[r] = (int64_t)it.provisioned[r][TD_READ];
    td_time_us now_us = METERED_START_US;
    size_t fives = 0;
    uint32_t changed = 0;
    for (int i = 0; i < CHANGES; i++) {
        int64_t asked_for[METERED_RESOURCES];
        memcpy(asked_for, rates, sizeof asked_for);
        now_us += (td_time_us)metered_below(&it, 20 * 60) * TD_US_PER_S;
        ck_assert(td_clock_move_to(it.asked.service.clock, now_us));
        for (; METERED_START_US + (td_time_us)fives * 5 * TD_SERIES_MINUTE_US < now_us; fives++) {
            for (int r = 0; r < METERED_RESOURCES; r++)
                expected[r][fives] = rates[r];
        }
        change_throughput(asked_for);
        if (it.asked.http_status != 200) continue;
        memcpy(rates, asked_for, sizeof rates);
        changed++;
    }
    ck_assert_uint_gt(changed, CHANGES / 4);
    for (int r = 0; r < METERED_RESOURCES; r++) {
        for (size_t k = 0; k < fives; k++) {
            td_time_us at_us = METERED_START_US + (td_time_us)k * 5 * TD_SERIES_MINUTE_US;
            METERED_CHECK_EQUAL(&it, held((metered_resource)r, TD_METRIC_RATE_READ, at_us), expected[r][k], r, "rate");
        }
    }
    metered_done(&it);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("metrics");
    TCase *tests = tcase_create("accounts");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, all_accounts_of_units_and_throttles_are_equal, 0, RUNS);
    tcase_add_loop_test(tests, what_was_provisioned_is_told_as_it_was, 0, RUNS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
