/* SPDX-License-Identifier: MIT
 * metrics.c: random requests against small tables, and five accounts of what they used that must be equal to the unit:
 * the ConsumedCapacity of the answers, CloudWatch's minutes, Prometheus' text, the heat maps, and, of throttles, what
 * clients were told.
 *
 *   TD_PROPERTY_SEED   the first seed of the 20 runs (default 1)
 *   TD_PROPERTY_STEPS  requests a run (default 400) */
#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "control/prometheus.h"
#include "thermodyn/heat.h"
#include "thermodyn/metrics.h"
#include "wire/json.h"

#include "asked.h"
#include "random.h"

enum { RUNS = 20, RESOURCES = 3, KEYS = 12, BODY_BYTES_MAX = 1 << 16, WINDOW_MINUTES = 24 * 60 };

#define YEAR_2100_US ((td_time_us)4102444800 * TD_US_PER_S)

static const char *const names[RESOURCES] = {"", "G11", "G22"};
static const char *const directions[TD_DIRECTION_COUNT] = {"read", "write"};

typedef struct metered_run {
    asked_server server;
    td_rng rng;
    td_buf body;
    td_units told[RESOURCES][TD_DIRECTION_COUNT]; /* by ConsumedCapacity */
    uint64_t throttled;                           /* operations that were told so */
    uint64_t requests;
    uint64_t seed;
} metered_run;

static metered_run it;

/* JSON with ' for ". */
static void say(const char *format, ...) TD_PRINTF(1, 2);
static void say(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ck_assert(len >= 0 && (size_t)len < sizeof(text));
    for (int i = 0; i < len; i++)
        td_buf_append_byte(&it.body, text[i] == '\'' ? '"' : (uint8_t)text[i]);
}

static uint64_t below(uint64_t bound)
{
    return td_rng_below(&it.rng, bound);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void say_throughput(void)
{
    say("'ProvisionedThroughput':{'ReadCapacityUnits':%d,'WriteCapacityUnits':%d}", 1 + (int)below(20),
        1 + (int)below(20));
}

static void say_index(const char *name, const char *hash, const char *projection)
{
    say("{'IndexName':'%s','KeySchema':[{'AttributeName':'%s','KeyType':'HASH'}],"
        "'Projection':{'ProjectionType':'%s'},",
        name, hash, projection);
    say_throughput();
    say("}");
}

static void create_table(void)
{
    td_buf_clear(&it.body);
    say("{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},{'AttributeName':'sk',"
        "'AttributeType':'N'},{'AttributeName':'l','AttributeType':'N'},{'AttributeName':'g','AttributeType':'S'},"
        "{'AttributeName':'h','AttributeType':'S'}],'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
        "{'AttributeName':'sk','KeyType':'RANGE'}],'LocalSecondaryIndexes':[{'IndexName':'L11','KeySchema':["
        "{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'l','KeyType':'RANGE'}],"
        "'Projection':{'ProjectionType':'ALL'}}],'GlobalSecondaryIndexes':[");
    say_index("G11", "g", "ALL");
    say(",");
    say_index("G22", "h", "KEYS_ONLY");
    say("],");
    say_throughput();
    say("}");
    (void)asked_surely(&it.server, "CreateTable", td_buf_contents(&it.body));
}

/* ---- what answers tell ------------------------------------------------------------------------------------------- */

static td_units units_of(const td_json *json)
{
    char text[32] = "";
    ck_assert_uint_lt(json->text.len, sizeof(text));
    memcpy(text, json->text.ptr, json->text.len);
    return (td_units)(strtod(text, NULL) * (double)TD_UNITS_ONE + 0.5);
}

static td_units member_units(const td_json *json)
{
    const td_json *units = td_json_find(json, TD_LIT("CapacityUnits"));
    return units == NULL ? 0 : units_of(units);
}

static void note_capacity(const td_json *capacity, td_direction direction)
{
    it.told[0][direction] += member_units(td_json_find(capacity, TD_LIT("Table")));
    const td_json *local = td_json_find(capacity, TD_LIT("LocalSecondaryIndexes"));
    for (uint32_t i = 0; local != NULL && i < local->count; i++)
        it.told[0][direction] += member_units(&local->children[i]);
    const td_json *global = td_json_find(capacity, TD_LIT("GlobalSecondaryIndexes"));
    for (uint32_t i = 0; global != NULL && i < global->count; i++) {
        bool is_second = td_slice_equal(global->children[i].name, td_slice_of_cstr(names[2]));
        it.told[is_second ? 2 : 1][direction] += member_units(&global->children[i]);
    }
}

/* Elements of a batch come back by table; a statement of it tells its error. */
static uint64_t count_unprocessed(const td_json *root)
{
    uint64_t count = 0;
    const td_json *items = td_json_find(root, TD_LIT("UnprocessedItems"));
    const td_json *keys = td_json_find(root, TD_LIT("UnprocessedKeys"));
    for (uint32_t i = 0; items != NULL && i < items->count; i++)
        count += items->children[i].count;
    for (uint32_t i = 0; keys != NULL && i < keys->count; i++)
        count += td_json_find(&keys->children[i], TD_LIT("Keys"))->count;
    return count;
}

static uint64_t count_reasons(const td_json *root)
{
    uint64_t count = 0;
    const td_json *reasons = td_json_find(root, TD_LIT("CancellationReasons"));
    for (uint32_t i = 0; reasons != NULL && i < reasons->count; i++) {
        td_slice code = td_json_find(&reasons->children[i], TD_LIT("Code"))->text;
        count += !td_slice_equal(code, TD_LIT("None"));
    }
    return count;
}

/* `elements`: of a batch, which fails as a whole when all of them throttle. */
static void send(const char *operation, td_direction direction, uint64_t elements)
{
    td_slice answer = asked(&it.server, operation, td_buf_contents(&it.body));
    td_error error = {.arena = &it.server.arena};
    td_json *root = NULL;
    ck_assert_int_eq(td_json_parse(answer, &it.server.arena, &root, &error), TD_OK);
    it.requests++;
    if (it.server.http_status != 200) {
        bool is_throttle = memmem(answer.ptr, answer.len, "Throughput", 10) != NULL ||
                           memmem(answer.ptr, answer.len, "Throttling", 10) != NULL;
        ck_assert_msg(is_throttle, "seed %" PRIu64 ": %s %.*s: %.*s", it.seed, operation, (int)it.body.len,
                      (const char *)it.body.data, (int)answer.len, (const char *)answer.ptr);
        uint64_t reasons = count_reasons(root);
        it.throttled += reasons > 0 ? reasons : elements;
        return;
    }
    it.throttled += count_unprocessed(root);
    const td_json *capacity = td_json_find(root, TD_LIT("ConsumedCapacity"));
    if (capacity == NULL) return; /* nothing of a batch went through */
    if (capacity->type == TD_JSON_OBJECT) note_capacity(capacity, direction);
    for (uint32_t i = 0; capacity->type == TD_JSON_ARRAY && i < capacity->count; i++)
        note_capacity(&capacity->children[i], direction);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static const char *const told_fully = "'ReturnConsumedCapacity':'INDEXES'";

static void say_key(uint64_t key)
{
    say("'pk':{'S':'p%d'},'sk':{'N':'%d'}", (int)(key % 4), (int)key);
}

static void say_item(uint64_t key)
{
    say("{");
    say_key(key);
    if (below(3) > 0) say(",'l':{'N':'%d'}", (int)below(5));
    if (below(3) > 0) say(",'g':{'S':'g%d'}", (int)below(3));
    if (below(3) > 0) say(",'h':{'S':'h%d'}", (int)below(3));
    say(",'x':{'S':'");
    for (uint64_t i = below(40); i > 0; i--)
        say("%s", "a hundred characters that make the item cost more than one unit, and so an index now and then");
    say("'}}");
}

static void write_one(void)
{
    uint64_t key = below(KEYS);
    td_buf_clear(&it.body);
    say("{'TableName':'TTT',%s,", told_fully);
    uint64_t pick = below(4);
    if (pick < 2) {
        say("'Item':");
        say_item(key);
        say("}");
        send("PutItem", TD_WRITE, 1);
        return;
    }
    say("'Key':{");
    say_key(key);
    say("}");
    if (pick == 3) {
        say("}");
        send("DeleteItem", TD_WRITE, 1);
        return;
    }
    say(",'UpdateExpression':'SET g=:g REMOVE h','ExpressionAttributeValues':{':g':{'S':'g%d'}}}", (int)below(3));
    send("UpdateItem", TD_WRITE, 1);
}

static void read_some(void)
{
    td_buf_clear(&it.body);
    say("{'TableName':'TTT',%s", told_fully);
    switch (below(6)) {
    case 0:
        say(",'IndexName':'G11','KeyConditionExpression':'g=:g','ExpressionAttributeValues':{':g':{'S':'g1'}}}");
        send("Query", TD_READ, 1);
        return;
    case 1:
        say(",'IndexName':'L11','KeyConditionExpression':'pk=:p','ExpressionAttributeValues':{':p':{'S':'p1'}}}");
        send("Query", TD_READ, 1);
        return;
    case 2:
        say("%s}", below(2) == 0 ? ",'IndexName':'G22'" : "");
        send("Scan", TD_READ, 1);
        return;
    default:
        say(",'ConsistentRead':%s,'Key':{", below(2) == 0 ? "true" : "false");
        say_key(below(KEYS));
        say("}}");
        send("GetItem", TD_READ, 1);
        return;
    }
}

static void write_batch(void)
{
    uint64_t count = 1 + below(KEYS);
    td_buf_clear(&it.body);
    say("{%s,'RequestItems':{'TTT':[", told_fully);
    for (uint64_t key = 0; key < count; key++) {
        if (key > 0) say(",");
        say("{'PutRequest':{'Item':");
        say_item(key);
        say("}}");
    }
    say("]}}");
    send("BatchWriteItem", TD_WRITE, count);
}

static void read_batch(void)
{
    uint64_t count = 1 + below(KEYS);
    td_buf_clear(&it.body);
    say("{%s,'RequestItems':{'TTT':{'Keys':[", told_fully);
    for (uint64_t key = 0; key < count; key++) {
        say("%s{", key > 0 ? "," : "");
        say_key(key);
        say("}");
    }
    say("]}}}");
    send("BatchGetItem", TD_READ, count);
}

static void transact(void)
{
    uint64_t count = 1 + below(4);
    bool is_write = below(2) == 0;
    td_buf_clear(&it.body);
    say("{%s,'TransactItems':[", told_fully);
    for (uint64_t key = 0; key < count; key++) {
        say("%s{'%s':{'TableName':'TTT','%s':", key > 0 ? "," : "", is_write ? "Put" : "Get",
            is_write ? "Item" : "Key");
        if (is_write) {
            say_item(key);
        } else {
            say("{");
            say_key(key);
            say("}");
        }
        say("}}");
    }
    say("]}");
    send(is_write ? "TransactWriteItems" : "TransactGetItems", is_write ? TD_WRITE : TD_READ, 1);
}

static void execute(void)
{
    td_buf_clear(&it.body);
    if (below(2) == 0) {
        say("{%s,'Statement':'SELECT * FROM TTT WHERE pk=? AND sk=?','Parameters':[{'S':'p1'},{'N':'1'}]}", told_fully);
        send("ExecuteStatement", TD_READ, 1);
    } else {
        say("{%s,'Statement':'SELECT * FROM TTT','Limit':3}", told_fully);
        send("ExecuteStatement", TD_READ, 1);
    }
}

static void step(void)
{
    td_time_us now_us = td_clock_now(it.server.service.clock);
    td_time_us pause_us = (td_time_us)below(random_chance(&it.rng, 3) ? 5 * TD_SERIES_MINUTE_US : TD_US_PER_S / 2);
    ck_assert(td_clock_move_to(it.server.service.clock, now_us + pause_us));
    uint64_t pick = below(100);
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

/* ---- the accounts ------------------------------------------------------------------------------------------------ */

static td_statistic cloudwatch(size_t resource, td_metric metric)
{
    static td_statistic points[WINDOW_MINUTES];
    memset(points, 0, sizeof(points));
    td_statistic all = {0};
    td_metered metered = {.table = TD_LIT("TTT"), .index = td_slice_of_cstr(names[resource])};
    td_series_window window = {.now_us = td_clock_now(it.server.service.clock),
                               .from_us = YEAR_2100_US,
                               .period_us = TD_SERIES_MINUTE_US,
                               .count = WINDOW_MINUTES};
    ck_assert(td_store_read_metric(it.server.service.store, &metered, metric, &window, points));
    for (size_t i = 0; i < WINDOW_MINUTES; i++)
        td_statistic_merge(&all, &points[i]);
    return all;
}

/* The sum of all samples of a family with those labels, in thousandths. */
static td_units prometheus(const char *family, size_t resource, td_direction direction)
{
    char prefix[160];
    char index[32] = "";
    if (resource > 0) snprintf(index, sizeof(index), "index=\"%s\",", names[resource]);
    snprintf(prefix, sizeof(prefix), "\n%s{table=\"TTT\",%sdirection=\"%s\"", family, index, directions[direction]);
    td_arena_reset(&it.server.arena);
    ck_assert(td_prometheus_write(&it.server.service, &it.server.arena, &it.server.reply));
    td_buf_append_byte(&it.server.reply, 0);
    ck_assert(!td_buf_has_failed(&it.server.reply));
    double sum = 0;
    const char *at = strstr((const char *)it.server.reply.data, prefix);
    for (; at != NULL; at = strstr(at + 1, prefix))
        sum += strtod(strchr(at, '}') + 1, NULL);
    return (td_units)(sum * (double)TD_UNITS_ONE + 0.5);
}

static td_units heat(size_t resource, td_heat_metric metric)
{
    td_call call = {.store = it.server.service.store,
                    .arena = &it.server.arena,
                    .now_us = td_clock_now(it.server.service.clock),
                    .table = TD_LIT("TTT")};
    td_heatmap_request request = {
        .index = td_slice_of_cstr(names[resource]), .metric = metric, .from_us = YEAR_2100_US};
    td_heatmap map;
    td_arena_reset(&it.server.arena);
    ck_assert_int_eq(td_heat_map(&call, &request, &map), TD_HEAT_OK);
    td_units sum = 0;
    for (size_t i = 0; i < (size_t)map.row_count * map.column_count; i++)
        sum += map.cells[i];
    return sum;
}

#define CHECK_EQUAL(a, b, resource, what)                                                                              \
    ck_assert_msg((a) == (b), "seed %" PRIu64 ", \"%s\", %s: %lld is not %lld", it.seed, names[resource], (what),      \
                  (long long)(a), (long long)(b))

static void check_units(size_t resource, td_direction direction)
{
    td_metric metric = direction == TD_READ ? TD_METRIC_CONSUMED_READ : TD_METRIC_CONSUMED_WRITE;
    td_units told = it.told[resource][direction];
    td_statistic minutes = cloudwatch(resource, metric);
    CHECK_EQUAL(minutes.sum, told, resource, td_metric_name(metric));
    CHECK_EQUAL(prometheus("thermodyn_consumed_capacity_units_total", resource, direction), told, resource,
                "Prometheus");
    CHECK_EQUAL(heat(resource, direction == TD_READ ? TD_HEAT_READ : TD_HEAT_WRITE), told, resource, "heat map");
    bool is_sane = minutes.count == 0 ? minutes.sum == 0
                                      : minutes.min * (int64_t)minutes.count <= minutes.sum &&
                                            minutes.sum <= minutes.max * (int64_t)minutes.count;
    ck_assert(is_sane);
}

static uint64_t check_throttles(size_t resource)
{
    uint64_t events = 0;
    td_units causes = 0;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_metric first = d == TD_READ ? TD_METRIC_READ_PROVISIONED : TD_METRIC_WRITE_PROVISIONED;
        td_units of_direction = 0;
        for (int kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++)
            of_direction += cloudwatch(resource, (td_metric)((int)first + kind)).sum * TD_UNITS_ONE;
        td_units told_events = cloudwatch(resource, (td_metric)(TD_METRIC_READ_THROTTLES + d)).sum * TD_UNITS_ONE;
        CHECK_EQUAL(told_events, of_direction, resource, "causes");
        CHECK_EQUAL(prometheus("thermodyn_throttle_events_total", resource, (td_direction)d), told_events, resource,
                    "events");
        CHECK_EQUAL(prometheus("thermodyn_throttles_total", resource, (td_direction)d), of_direction, resource,
                    "reasons");
        events += (uint64_t)(told_events / TD_UNITS_ONE);
        causes += of_direction;
    }
    CHECK_EQUAL(heat(resource, TD_HEAT_THROTTLE), causes, resource, "heat of throttles");
    return events;
}

static void setup(void)
{
    memset(&it, 0, sizeof(it));
}

static void teardown(void)
{
    td_metrics_free(it.server.service.metrics);
    asked_done(&it.server);
    td_buf_done(&it.body);
}

START_TEST(all_accounts_of_units_and_throttles_are_equal)
{
    it.seed = number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i;
    td_rng_init(&it.rng, it.seed);
    td_buf_init(&it.body, BODY_BYTES_MAX);
    asked_init(&it.server, it.seed);
    it.server.service.metrics = td_metrics_new(1);
    ck_assert_ptr_nonnull(it.server.service.metrics);
    it.server.recorder = td_metrics_get_recorder(it.server.service.metrics, 0);
    it.server.config.metrics_tables = 10;
    td_clock_set_manual(it.server.service.clock);
    ck_assert(td_clock_move_to(it.server.service.clock, YEAR_2100_US));
    td_capacity_patch patch = {.has_enforce = true, .settings = {.enforce = TD_ENFORCE_ON}};
    patch.has_value[TD_CAPACITY_burst_window] = true;
    patch.settings.values[TD_CAPACITY_burst_window] = 5;
    td_slice none = TD_LIT("");
    ck_assert(td_store_patch_capacity(it.server.service.store, YEAR_2100_US, none, none, &patch));
    create_table();
    uint64_t steps = number_from_env("TD_PROPERTY_STEPS", 400);
    for (uint64_t i = 0; i < steps; i++)
        step();
    uint64_t events = 0;
    for (size_t resource = 0; resource < RESOURCES; resource++) {
        check_units(resource, TD_READ);
        check_units(resource, TD_WRITE);
        events += check_throttles(resource);
    }
    CHECK_EQUAL(events, it.throttled, 0, "throttles that were told");
    ck_assert_uint_gt(events, 0);
    td_metrics_totals totals;
    td_metrics_sum(it.server.service.metrics, &totals);
    uint64_t requests = 0;
    for (size_t i = 0; i < TD_METRICS_OPERATIONS_MAX; i++) {
        for (size_t k = 0; k < TD_STATUS_COUNT; k++)
            requests += totals.requests[i][k];
    }
    CHECK_EQUAL(requests, it.requests + 1, 0, "requests"); /* and CreateTable */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("metrics");
    TCase *tests = tcase_create("accounts");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, all_accounts_of_units_and_throttles_are_equal, 0, RUNS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
