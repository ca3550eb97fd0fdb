/* SPDX-License-Identifier: Apache-2.0
 * metered_server.c: see metered_server.h. */
#include "metered_server.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "control/prometheus.h"
#include "thermodyn/heat.h"
#include "thermodyn/metrics.h"
#include "wire/json.h"

enum { BODY_BYTES_MAX = 1 << 16, WINDOW_MINUTES = 24 * 60 };

const char *const metered_names[METERED_RESOURCES] = {
    [METERED_TABLE] = "", [METERED_G11] = "G11", [METERED_G22] = "G22"};
static const char *const directions[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};

static void set_capacity(metered_server *server);
static void create_table(metered_server *server);
static void say_throughput(metered_server *server, metered_resource resource);
static void say_index(metered_server *server, metered_resource resource, const char *hash, const char *projection);
static void note_capacity(metered_server *server, const td_json *capacity, td_direction direction);
static td_units member_units(const td_json *json);
static uint64_t count_unprocessed(const td_json *root);
static uint64_t count_reasons(const td_json *root);
static void check_units(metered_server *server, metered_resource resource, td_direction direction);
static void check_throttles(metered_server *server, metered_resource resource);
static void check_requests(metered_server *server);
static td_statistic cloudwatch(metered_server *server, metered_resource resource, td_metric metric);
static td_units prometheus(metered_server *server, const char *family, metered_resource resource,
                           td_direction direction);
static td_units heat(metered_server *server, metered_resource resource, td_heat_metric metric);

void metered_init(metered_server *server, uint64_t seed)
{
    memset(server, 0, sizeof(*server));
    server->seed = seed;
    td_rng_init(&server->rng, seed);
    td_buf_init(&server->body, BODY_BYTES_MAX);
    asked_server *asked = &server->asked;
    asked_init(asked, seed);
    asked->service.metrics = td_metrics_new(1);
    ck_assert_ptr_nonnull(asked->service.metrics);
    asked->recorder = td_metrics_get_recorder(asked->service.metrics, 0);
    asked->config.metrics_tables = 10;
    td_clock_set_manual(asked->service.clock);
    ck_assert(td_clock_move_to(asked->service.clock, METERED_START_US));
    set_capacity(server);
    create_table(server);
}

void metered_done(metered_server *server)
{
    td_metrics_free(server->asked.service.metrics);
    asked_done(&server->asked);
    td_buf_done(&server->body);
}

uint64_t metered_below(metered_server *server, uint64_t bound)
{
    return td_rng_below(&server->rng, bound);
}

void metered_begin(metered_server *server)
{
    td_buf_clear(&server->body);
}

void metered_say(metered_server *server, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ck_assert(len >= 0 && (size_t)len < sizeof(text));
    for (int i = 0; i < len; i++)
        td_buf_append_byte(&server->body, text[i] == '\'' ? '"' : (uint8_t)text[i]);
}

td_slice metered_send(metered_server *server, const char *operation, td_direction direction, uint64_t elements)
{
    ck_assert(!td_buf_has_failed(&server->body));
    td_slice answer = asked(&server->asked, operation, td_buf_contents(&server->body));
    td_error error = {.arena = &server->asked.arena};
    td_json *root = NULL;
    ck_assert_int_eq(td_json_parse(answer, &server->asked.arena, &root, &error), TD_OK);
    server->requests++;
    if (server->asked.http_status != 200) {
        bool is_throttle = memmem(answer.ptr, answer.len, "Throughput", 10) != NULL ||
                           memmem(answer.ptr, answer.len, "Throttling", 10) != NULL;
        ck_assert_msg(is_throttle, "seed %llu: %s %.*s: %.*s", (unsigned long long)server->seed, operation,
                      (int)server->body.len, (const char *)server->body.data, (int)answer.len,
                      (const char *)answer.ptr);
        uint64_t reasons = count_reasons(root);
        server->throttled += reasons > 0 ? reasons : elements;
        return answer;
    }
    server->throttled += count_unprocessed(root);
    const td_json *capacity = td_json_find(root, TD_LIT("ConsumedCapacity"));
    if (capacity == NULL) return answer; /* nothing of a batch went through */
    if (capacity->type == TD_JSON_OBJECT) note_capacity(server, capacity, direction);
    for (uint32_t i = 0; capacity->type == TD_JSON_ARRAY && i < capacity->count; i++)
        note_capacity(server, &capacity->children[i], direction);
    return answer;
}

void metered_check(metered_server *server)
{
    uint64_t events = 0;
    for (int i = 0; i < METERED_RESOURCES; i++) {
        metered_resource resource = (metered_resource)i;
        check_units(server, resource, TD_READ);
        check_units(server, resource, TD_WRITE);
        check_throttles(server, resource);
        events += metered_throttle_events(server, resource);
    }
    METERED_CHECK_EQUAL(server, events, server->throttled, METERED_TABLE, "throttles that were told");
    check_requests(server);
}

uint64_t metered_throttle_events(metered_server *server, metered_resource resource)
{
    return (uint64_t)(cloudwatch(server, resource, TD_METRIC_READ_THROTTLES).sum +
                      cloudwatch(server, resource, TD_METRIC_WRITE_THROTTLES).sum);
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void set_capacity(metered_server *server)
{
    td_capacity_patch patch = {.has_enforce = true, .settings = {.enforce = TD_ENFORCE_ON}};
    patch.has_value[TD_CAPACITY_burst_window] = true;
    patch.settings.values[TD_CAPACITY_burst_window] = METERED_BURST_WINDOW_S;
    td_slice none = TD_LIT("");
    ck_assert(td_store_patch_capacity(server->asked.service.store, METERED_START_US, none, none, &patch));
}

static void create_table(metered_server *server)
{
    for (int i = 0; i < METERED_RESOURCES; i++) {
        for (int d = 0; d < TD_DIRECTION_COUNT; d++)
            server->provisioned[i][d] = 1 + (uint32_t)metered_below(server, 10);
    }
    metered_begin(server);
    metered_say(server,
                "{'TableName':'TTT','AttributeDefinitions':[{'AttributeName':'pk','AttributeType':'S'},"
                "{'AttributeName':'sk','AttributeType':'N'},{'AttributeName':'l','AttributeType':'N'},"
                "{'AttributeName':'g','AttributeType':'S'},{'AttributeName':'h','AttributeType':'S'}],"
                "'KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},{'AttributeName':'sk','KeyType':'RANGE'}],"
                "'LocalSecondaryIndexes':[{'IndexName':'L11','KeySchema':[{'AttributeName':'pk','KeyType':'HASH'},"
                "{'AttributeName':'l','KeyType':'RANGE'}],'Projection':{'ProjectionType':'ALL'}}],"
                "'GlobalSecondaryIndexes':[");
    say_index(server, METERED_G11, "g", "ALL");
    metered_say(server, ",");
    say_index(server, METERED_G22, "h", "KEYS_ONLY");
    metered_say(server, "],");
    say_throughput(server, METERED_TABLE);
    metered_say(server, "}");
    (void)asked_surely(&server->asked, "CreateTable", td_buf_contents(&server->body));
}

static void say_throughput(metered_server *server, metered_resource resource)
{
    const uint32_t *provisioned = server->provisioned[resource];
    metered_say(server, "'ProvisionedThroughput':{'ReadCapacityUnits':%u,'WriteCapacityUnits':%u}",
                (unsigned)provisioned[TD_READ], (unsigned)provisioned[TD_WRITE]);
}

static void say_index(metered_server *server, metered_resource resource, const char *hash, const char *projection)
{
    metered_say(server,
                "{'IndexName':'%s','KeySchema':[{'AttributeName':'%s','KeyType':'HASH'}],"
                "'Projection':{'ProjectionType':'%s'},",
                metered_names[resource], hash, projection);
    say_throughput(server, resource);
    metered_say(server, "}");
}

/* ---- what answers tell ------------------------------------------------------------------------------------------- */

static void note_capacity(metered_server *server, const td_json *capacity, td_direction direction)
{
    td_units *of_table = &server->told[METERED_TABLE][direction];
    *of_table += member_units(td_json_find(capacity, TD_LIT("Table")));
    const td_json *local = td_json_find(capacity, TD_LIT("LocalSecondaryIndexes"));
    for (uint32_t i = 0; local != NULL && i < local->count; i++)
        *of_table += member_units(&local->children[i]);
    const td_json *global = td_json_find(capacity, TD_LIT("GlobalSecondaryIndexes"));
    for (uint32_t i = 0; global != NULL && i < global->count; i++) {
        bool is_second = td_slice_equal(global->children[i].name, td_slice_of_cstr(metered_names[METERED_G22]));
        server->told[is_second ? METERED_G22 : METERED_G11][direction] += member_units(&global->children[i]);
    }
}

static td_units member_units(const td_json *json)
{
    const td_json *units = td_json_find(json, TD_LIT("CapacityUnits"));
    if (units == NULL) return 0;
    char text[32] = "";
    ck_assert_uint_lt(units->text.len, sizeof(text));
    memcpy(text, units->text.ptr, units->text.len);
    return (td_units)(strtod(text, NULL) * (double)TD_UNITS_ONE + 0.5);
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

/* ---- the accounts ------------------------------------------------------------------------------------------------ */

static void check_units(metered_server *server, metered_resource resource, td_direction direction)
{
    td_metric metric = direction == TD_READ ? TD_METRIC_CONSUMED_READ : TD_METRIC_CONSUMED_WRITE;
    td_units told = server->told[resource][direction];
    td_statistic minutes = cloudwatch(server, resource, metric);
    METERED_CHECK_EQUAL(server, minutes.sum, told, resource, td_metric_name(metric));
    METERED_CHECK_EQUAL(server, prometheus(server, "thermodyn_consumed_capacity_units_total", resource, direction),
                        told, resource, "Prometheus");
    METERED_CHECK_EQUAL(server, heat(server, resource, direction == TD_READ ? TD_HEAT_READ : TD_HEAT_WRITE), told,
                        resource, "heat map");
    bool is_sane = minutes.count == 0 ? minutes.sum == 0
                                      : minutes.min * (int64_t)minutes.count <= minutes.sum &&
                                            minutes.sum <= minutes.max * (int64_t)minutes.count;
    ck_assert(is_sane);
}

static void check_throttles(metered_server *server, metered_resource resource)
{
    td_units causes = 0;
    for (int i = 0; i < TD_DIRECTION_COUNT; i++) {
        td_direction direction = (td_direction)i;
        td_metric first = direction == TD_READ ? TD_METRIC_READ_PROVISIONED : TD_METRIC_WRITE_PROVISIONED;
        td_units of_direction = 0;
        for (int kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++)
            of_direction += cloudwatch(server, resource, (td_metric)((int)first + kind)).sum * TD_UNITS_ONE;
        td_units events = cloudwatch(server, resource, (td_metric)(TD_METRIC_READ_THROTTLES + i)).sum * TD_UNITS_ONE;
        METERED_CHECK_EQUAL(server, events, of_direction, resource, "causes");
        METERED_CHECK_EQUAL(server, prometheus(server, "thermodyn_throttle_events_total", resource, direction), events,
                            resource, "events");
        METERED_CHECK_EQUAL(server, prometheus(server, "thermodyn_throttles_total", resource, direction), of_direction,
                            resource, "reasons");
        causes += of_direction;
    }
    METERED_CHECK_EQUAL(server, heat(server, resource, TD_HEAT_THROTTLE), causes, resource, "heat of throttles");
}

static void check_requests(metered_server *server)
{
    td_metrics_totals totals;
    td_metrics_sum(server->asked.service.metrics, &totals);
    uint64_t requests = 0;
    for (size_t i = 0; i < TD_METRICS_OPERATIONS_MAX; i++) {
        for (size_t k = 0; k < TD_STATUS_COUNT; k++)
            requests += totals.requests[i][k];
    }
    METERED_CHECK_EQUAL(server, requests, server->requests + 1, METERED_TABLE, "requests"); /* and CreateTable */
}

static td_statistic cloudwatch(metered_server *server, metered_resource resource, td_metric metric)
{
    static td_samples points[WINDOW_MINUTES];
    memset(points, 0, sizeof(points));
    td_statistic all = {0};
    td_metered metered = {.table = TD_LIT("TTT"), .index = td_slice_of_cstr(metered_names[resource])};
    td_series_window window = {.now_us = td_clock_now(server->asked.service.clock),
                               .from_us = METERED_START_US,
                               .period_us = TD_SERIES_MINUTE_US,
                               .count = WINDOW_MINUTES};
    ck_assert(td_store_read_metric(server->asked.service.store, &metered, metric, &window, points));
    for (size_t i = 0; i < WINDOW_MINUTES; i++)
        td_statistic_merge(&all, &points[i].statistic);
    return all;
}

/* The sum of all samples of a family with those labels, in thousandths. */
static td_units prometheus(metered_server *server, const char *family, metered_resource resource,
                           td_direction direction)
{
    asked_server *asked = &server->asked;
    char prefix[160];
    char index[32] = "";
    if (resource != METERED_TABLE) snprintf(index, sizeof(index), "index=\"%s\",", metered_names[resource]);
    snprintf(prefix, sizeof(prefix), "\n%s{table=\"TTT\",%sdirection=\"%s\"", family, index, directions[direction]);
    td_arena_reset(&asked->arena);
    ck_assert(td_prometheus_write(&asked->service, &asked->arena, &asked->reply));
    td_buf_append_byte(&asked->reply, 0);
    ck_assert(!td_buf_has_failed(&asked->reply));
    double sum = 0;
    const char *at = strstr((const char *)asked->reply.data, prefix);
    for (; at != NULL; at = strstr(at + 1, prefix))
        sum += strtod(strchr(at, '}') + 1, NULL);
    return (td_units)(sum * (double)TD_UNITS_ONE + 0.5);
}

static td_units heat(metered_server *server, metered_resource resource, td_heat_metric metric)
{
    asked_server *asked = &server->asked;
    td_call call = {.store = asked->service.store,
                    .arena = &asked->arena,
                    .now_us = td_clock_now(asked->service.clock),
                    .table = TD_LIT("TTT")};
    td_heatmap_request request = {
        .index = td_slice_of_cstr(metered_names[resource]), .metric = metric, .from_us = METERED_START_US};
    td_heatmap map;
    td_arena_reset(&asked->arena);
    ck_assert_int_eq(td_heat_map(&call, &request, &map), TD_HEAT_OK);
    td_units sum = 0;
    for (size_t i = 0; i < (size_t)map.row_count * map.column_count; i++)
        sum += map.cells[i];
    return sum;
}
