/* SPDX-License-Identifier: Apache-2.0
 * scenario.c: the store under load: tables, single requests, flows.
 *
 * Invariants: the clock moves forward only; whatever falls due runs before the request of its instant. */
#include "scenario.h"

#include <stdio.h>

#define NOON_US INT64_C(1794571200000000) /* 2026-11-13 12:00:00 UTC: far from the end of its day */
#define REQUEST_BYTES_MAX (4u << 20)

static void create_table(scenario *it, const scenario_setup *setup);
static td_key_schema key_of(const char *partition_key, td_type type, const char *sort_key);
static void wait_until_active(scenario *it);
static void send_next(scenario *it, scenario_flow *flow);
static void note_throttle(scenario *it, scenario_flow *flow, td_status status, uint32_t second);
static bool is_throttle(td_status status);
static td_time_us arrival_us(const scenario *it, const scenario_flow *flow, uint32_t from_second, uint64_t number);

void scenario_open(scenario *it, const scenario_setup *setup)
{
    td_store_options options = {
        .placement = TD_PLACEMENT_SERVICE, .seed = 1, .has_table_delays = setup->has_table_delays};
    td_capacity_settings_init(&options.capacity);
    if (setup->settings != NULL) options.capacity = *setup->settings;

    *it = (scenario){.store = td_store_new(&options), .now_us = setup->created_us != 0 ? setup->created_us : NOON_US};
    ck_assert_ptr_nonnull(it->store);
    td_arena_init(&it->arena, REQUEST_BYTES_MAX);
    it->error.arena = &it->arena;
    create_table(it, setup);
    wait_until_active(it);
    it->start_us = it->now_us;
}

void scenario_close(scenario *it)
{
    td_arena_done(&it->arena);
    td_store_free(it->store);
}

td_call scenario_call(scenario *it)
{
    return (td_call){
        .store = it->store,
        .arena = &it->arena,
        .now_us = it->now_us,
        .region = TD_LIT("us-east-1"),
        .table = TD_LIT(SCENARIO_TABLE),
    };
}

td_capacity_settings settings_with(td_capacity_setting setting, double value)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    settings.values[setting] = value;
    return settings;
}

void scenario_move_to(scenario *it, double second)
{
    td_time_us now_us = it->start_us + (td_time_us)(second * 1e6 + 0.5);
    ck_assert_int_ge(now_us, it->now_us);
    td_store_run_due(it->store, now_us);
    it->now_us = now_us;
    td_arena_reset(&it->arena);
    it->error = (td_error){.arena = &it->arena};
}

td_status scenario_put(scenario *it, const char *key, const char *status, size_t pad_bytes)
{
    td_attribute attributes[3];
    uint32_t count = 0;
    if (pad_bytes > 0) {
        uint8_t *pad = td_arena_alloc_zero(&it->arena, pad_bytes);
        ck_assert_ptr_nonnull(pad);
        attributes[count++] = (td_attribute){TD_LIT("pad"), {.type = TD_TYPE_B, .bytes = td_slice_of(pad, pad_bytes)}};
    }
    attributes[count++] = (td_attribute){TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(key)}};
    if (status != NULL)
        attributes[count++] = (td_attribute){TD_LIT("status"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(status)}};

    td_call call = scenario_call(it);
    td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes, .attribute_count = count};
    td_write_result result;
    return td_write_item(&call, &write, &result, &it->error);
}

td_status scenario_get(scenario *it, const char *key, bool is_consistent)
{
    td_attribute attribute = {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(key)}};
    td_call call = scenario_call(it);
    td_get get = {.key = &attribute, .key_count = 1, .is_consistent = is_consistent};
    td_get_result result;
    return td_get_item(&call, &get, &result, &it->error);
}

td_status scenario_query_index(scenario *it, const char *status)
{
    td_key_range range = {.hash_parts = {td_slice_of_cstr(status)}, .kind = TD_RANGE_ALL};
    td_page_request request = {.index = TD_LIT(SCENARIO_INDEX), .range = &range, .limit = 1};
    td_call call = scenario_call(it);
    td_page page;
    return td_read_page(&call, &request, &page, &it->error);
}

td_status scenario_update_throughput(scenario *it, int64_t read, int64_t written)
{
    td_call call = scenario_call(it);
    td_table_change change = {.has_throughput = true, .throughput.rate = {[TD_READ] = read, [TD_WRITE] = written}};
    td_table_info info;
    return td_table_update(&call, &change, &info, &it->error);
}

td_table_view scenario_observe(scenario *it)
{
    td_call call = scenario_call(it);
    td_table_view view;
    ck_assert(td_observe_table(&call, &view));
    return view;
}

td_bucket_view scenario_bucket(scenario *it, bool is_index, td_direction direction)
{
    td_table_view view = scenario_observe(it);
    ck_assert_uint_gt(view.resource_count, is_index ? 1 : 0);
    return view.resources[is_index ? 1 : 0].bucket[direction];
}

uint32_t scenario_partition_of(const char *key, uint32_t count)
{
    td_slice part = td_slice_of_cstr(key);
    td_key_hash hash = td_key_hash_of(&part, 1, TD_PLACEMENT_SERVICE);
    return (uint32_t)(((unsigned __int128)td_key_hash_prefix(&hash) * count) >> 64);
}

void scenario_run(scenario *it, scenario_flow *flows, size_t count, uint32_t from_second, uint32_t to_second)
{
    ck_assert_uint_le(to_second, SCENARIO_SECONDS_MAX);
    td_time_us end_us = it->start_us + to_second * TD_US_PER_S;
    for (size_t i = 0; i < count; i++)
        flows[i].sent = 0;
    for (;;) {
        scenario_flow *next = NULL;
        td_time_us next_us = end_us;
        for (size_t i = 0; i < count; i++) {
            td_time_us due_us = arrival_us(it, &flows[i], from_second, flows[i].sent);
            if (due_us >= next_us) continue;
            next = &flows[i];
            next_us = due_us;
        }
        if (next == NULL) return;
        if (td_store_next_due(it->store) <= next_us) td_store_run_due(it->store, next_us);
        it->now_us = next_us;
        send_next(it, next);
    }
}

uint32_t flow_passed(const scenario_flow *flow, uint32_t from_second, uint32_t to_second)
{
    uint32_t sum = 0;
    for (uint32_t second = from_second; second < to_second; second++)
        sum += flow->passed[second];
    return sum;
}

uint32_t flow_throttled(const scenario_flow *flow, uint32_t from_second, uint32_t to_second)
{
    uint32_t sum = 0;
    for (uint32_t second = from_second; second < to_second; second++)
        sum += flow->throttled[second];
    return sum;
}

td_status send_put(scenario *it, const scenario_flow *flow, uint64_t number)
{
    (void)number;
    return scenario_put(it, flow->key, NULL, 0);
}

td_status send_unique_put(scenario *it, const scenario_flow *flow, uint64_t number)
{
    char key[64];
    snprintf(key, sizeof key, "%s%llu", flow->key, (unsigned long long)number);
    return scenario_put(it, key, flow->flag ? "open" : NULL, 0);
}

td_status send_get(scenario *it, const scenario_flow *flow, uint64_t number)
{
    (void)number;
    return scenario_get(it, flow->key, flow->flag);
}

td_status send_index_query(scenario *it, const scenario_flow *flow, uint64_t number)
{
    (void)number;
    return scenario_query_index(it, flow->key);
}

static void create_table(scenario *it, const scenario_setup *setup)
{
    td_attribute_definition definitions[3] = {{TD_LIT("pk"), setup->key_type}};
    uint32_t definition_count = 1;
    if (setup->has_index || setup->has_local_index)
        definitions[definition_count++] = (td_attribute_definition){TD_LIT("status"), TD_TYPE_S};
    if (setup->has_sort_key || setup->has_index_sort_key)
        definitions[definition_count++] = (td_attribute_definition){TD_LIT("at"), TD_TYPE_S};

    td_index_spec indexes[2];
    uint32_t index_count = 0;
    if (setup->has_local_index)
        indexes[index_count++] = (td_index_spec){
            .name = TD_LIT(SCENARIO_LOCAL_INDEX),
            .key = key_of("pk", setup->key_type, "status"),
            .projection = TD_PROJECT_ALL,
        };
    if (setup->has_index)
        indexes[index_count++] = (td_index_spec){
            .name = TD_LIT(SCENARIO_INDEX),
            .is_global = true,
            .key = key_of("status", TD_TYPE_S, setup->has_index_sort_key ? "at" : NULL),
            .projection = TD_PROJECT_ALL,
            .throughput.rate = {[TD_READ] = setup->index_read, [TD_WRITE] = setup->index_written},
        };
    td_table_spec spec = {
        .name = TD_LIT(SCENARIO_TABLE),
        .definitions = definitions,
        .definition_count = definition_count,
        .key = key_of("pk", setup->key_type, setup->has_sort_key ? "at" : NULL),
        .indexes = indexes,
        .index_count = index_count,
        .billing = setup->written == 0 ? TD_BILLING_ON_DEMAND : TD_BILLING_PROVISIONED,
        .throughput.rate = {[TD_READ] = setup->read, [TD_WRITE] = setup->written},
        .on_demand_max.rate = {[TD_WRITE] = setup->max_written},
        .warm.rate = {[TD_WRITE] = setup->warm_written},
    };
    td_call call = scenario_call(it);
    td_table_info info;
    td_status status = td_table_create(&call, &spec, &info, &it->error);
    ck_assert_msg(status == TD_OK, "create: %.*s", (int)it->error.text.len, (const char *)it->error.text.ptr);
}

/* The sort key may be NULL: there is none. */
static td_key_schema key_of(const char *partition_key, td_type type, const char *sort_key)
{
    td_key_schema key = {.hash_count = 1, .parts = {{td_slice_of_cstr(partition_key), type}}};
    if (sort_key == NULL) return key;
    key.range_count = 1;
    key.parts[1] = (td_key_part){td_slice_of_cstr(sort_key), TD_TYPE_S};
    return key;
}

static void wait_until_active(scenario *it)
{
    td_table_info info;
    for (int tries = 0; tries < 10; tries++) {
        td_call call = scenario_call(it);
        ck_assert_int_eq(td_table_describe(&call, &info, &it->error), TD_OK);
        if (info.status == TD_TABLE_ACTIVE) return;
        td_time_us due_us = td_store_next_due(it->store);
        if (due_us == TD_NEVER) continue;
        it->now_us = due_us > it->now_us ? due_us : it->now_us;
        td_store_run_due(it->store, it->now_us);
    }
    ck_abort_msg("the table does not become ACTIVE");
}

static void send_next(scenario *it, scenario_flow *flow)
{
    td_arena_reset(&it->arena);
    it->error = (td_error){.arena = &it->arena};
    uint32_t second = (uint32_t)((it->now_us - it->start_us) / TD_US_PER_S);
    td_status status = flow->send(it, flow, flow->sent++);
    if (status == TD_OK)
        flow->passed[second]++;
    else
        note_throttle(it, flow, status, second);
}

static void note_throttle(scenario *it, scenario_flow *flow, td_status status, uint32_t second)
{
    const td_error *error = &it->error;
    ck_assert_msg(is_throttle(status), "status %d: %.*s", (int)status, (int)error->text.len,
                  (const char *)error->text.ptr);
    ck_assert_ptr_nonnull(error->throttle);
    ck_assert_uint_eq(error->throttle->count, 1);
    if (flow->first_throttle_us == 0) flow->first_throttle_us = it->now_us;
    flow->throttled[second]++;

    const td_throttle_reason *reason = &error->throttle->reasons[0];
    flow->status = status;
    snprintf(flow->reason, sizeof flow->reason, "%s", td_throttle_reason_name(reason));
    snprintf(flow->resource, sizeof flow->resource, "%.*s", (int)reason->index.len, (const char *)reason->index.ptr);
    snprintf(flow->text, sizeof flow->text, "%.*s", (int)error->text.len, (const char *)error->text.ptr);
}

static bool is_throttle(td_status status)
{
    return status == TD_PROVISIONED_THROUGHPUT_EXCEEDED || status == TD_THROTTLING ||
           status == TD_REQUEST_LIMIT_EXCEEDED;
}

static td_time_us arrival_us(const scenario *it, const scenario_flow *flow, uint32_t from_second, uint64_t number)
{
    td_time_us first_us = it->start_us + from_second * TD_US_PER_S;
    return first_us + (td_time_us)number * TD_US_PER_S / flow->per_s;
}
