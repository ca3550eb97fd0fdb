/* SPDX-License-Identifier: Apache-2.0
 * advice_answer.c: GET /_thermodyn/advice: what the traffic of a table, or of all tables, says of its key design.
 * One table is gathered, judged and written before the next, so that memory is bounded by one table's. */
#include <stdio.h>

#include "advice_gather.h"
#include "parameters.h"

#define SCRATCH_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define WINDOW_MS_MAX INT64_C(3600000)
#define FACTOR_MIN 0.001
#define FACTOR_MAX 1000000.0
#define TABLES_A_PAGE 100

typedef enum parameter { TABLE, INDEX, FACTOR, WINDOW, DETAIL, PARAMETER_COUNT } parameter;

enum { DETAIL_RESOURCES, DETAIL_PARTITIONS, DETAIL_COUNT };
static const char *const detail_names[DETAIL_COUNT] = {"resources", "partitions"};

/* What is asked, and what has come of it so far. */
typedef struct advising {
    td_control_call *call;
    td_time_us window_us;
    td_advice_question question;
    int detail; /* of resources */
    td_advice_list list;
    td_arena scratch; /* a table's numbers */
    td_json_node *resources;
} advising;

static int read_request(td_control_call *call, const td_control_parameter *given, advising *it);
static int read_factor(td_control_call *call, const td_control_parameter *given, double *factor);
static int advise_on_these(advising *it, td_slice tables, td_slice index);
static int advise_on_all(advising *it);
static int advise_on(advising *it, td_slice table, td_slice index);
static void write_head(advising *it, td_time_us now_us);
static void write_resource(advising *it, const td_advice_resource *resource);
static void write_partitions(td_json_build *build, td_json_node *entry, const td_advice_resource *resource);
static int write_list(advising *it);

int td_control__get_advice(td_control_call *call)
{
    td_control_parameter given[PARAMETER_COUNT] = {[TABLE] = {.name = "table"},
                                                   [INDEX] = {.name = "index"},
                                                   [FACTOR] = {.name = "factor"},
                                                   [WINDOW] = {.name = "window_ms"},
                                                   [DETAIL] = {.name = "detail"}};
    advising it = {.call = call, .list = {.arena = call->arena}};
    int status = td_control__read_parameters(call, given, PARAMETER_COUNT);
    if (status == 200) status = read_request(call, given, &it);
    if (status != 200) return status;
    write_head(&it, td_clock_now(call->service->clock));
    td_arena_init(&it.scratch, SCRATCH_BYTES_MAX);
    status =
        given[TABLE].value.len > 0 ? advise_on_these(&it, given[TABLE].value, given[INDEX].value) : advise_on_all(&it);
    td_arena_done(&it.scratch);
    return status == 200 ? write_list(&it) : status;
}

static int read_request(td_control_call *call, const td_control_parameter *given, advising *it)
{
    int64_t window_ms = WINDOW_MS_MAX;
    double factor = 1;
    if (given[INDEX].value.len > 0 && given[TABLE].value.len == 0) {
        return td_control__refuse(call, 400, "\"index\" needs \"table\" beside it");
    }
    bool has_tables = given[TABLE].value.len > 0 && memchr(given[TABLE].value.ptr, ',', given[TABLE].value.len) != NULL;
    if (given[INDEX].value.len > 0 && has_tables) {
        return td_control__refuse(call, 400, "\"index\" needs one \"table\" beside it, not several");
    }
    int status = td_control__read_whole(call, &given[WINDOW], 1, WINDOW_MS_MAX, &window_ms);
    if (status == 200) status = read_factor(call, &given[FACTOR], &factor);
    if (status == 200) {
        status = td_control__read_choice(call, &given[DETAIL], detail_names, DETAIL_COUNT, &it->detail);
    }
    it->window_us = window_ms * TD_US_PER_MS;
    it->question = (td_advice_question){
        .factor = factor, .window_s = (double)window_ms / 1000, .placement = (td_placement)call->service->config->hash};
    return status;
}

/* A decimal number, without an exponent. */
static int read_factor(td_control_call *call, const td_control_parameter *given, double *factor)
{
    if (given->value.len == 0) return 200;
    double value = 0;
    double place = 0; /* of the last digit behind the point; 0: there is no point yet */
    bool is_number = given->value.len <= 20;
    for (size_t i = 0; i < given->value.len; i++) {
        uint8_t letter = given->value.ptr[i];
        if (letter == '.' && place == 0) {
            place = 1;
        } else if (letter >= '0' && letter <= '9') {
            value = value * 10 + (letter - '0');
            place *= 10;
        } else {
            is_number = false;
        }
    }
    if (place > 1) value /= place;
    if (!is_number || value < FACTOR_MIN || value > FACTOR_MAX) {
        return td_control__refuse(call, 400, "\"%s\" must be a number from %g to %.0f", given->name, FACTOR_MIN,
                                  FACTOR_MAX);
    }
    *factor = value;
    return 200;
}

/* Names parted by commas, which no name has. */
static int advise_on_these(advising *it, td_slice tables, td_slice index)
{
    int status = 200;
    for (size_t at = 0; at <= tables.len && status == 200;) {
        const uint8_t *comma = at == tables.len ? NULL : memchr(tables.ptr + at, ',', tables.len - at);
        size_t end = comma == NULL ? tables.len : (size_t)(comma - tables.ptr);
        status = advise_on(it, td_slice_of(tables.ptr + at, end - at), index);
        at = end + 1;
    }
    return status;
}

static int advise_on_all(advising *it)
{
    td_call engine = td_control__engine_call(it->call, TD_LIT(""));
    td_slice after = TD_LIT("");
    bool has_more = true;
    while (has_more) {
        td_slice *names;
        uint32_t count;
        if (td_table_list(&engine, after, TABLES_A_PAGE, &names, &count, &has_more) != TD_OK) {
            return td_control__refuse_without_memory(it->call);
        }
        for (uint32_t i = 0; i < count; i++) {
            int status = advise_on(it, names[i], TD_LIT(""));
            if (status != 200 && status != 404) return status; /* a table may go meanwhile */
        }
        if (count == 0) break;
        after = names[count - 1];
    }
    return 200;
}

static int advise_on(advising *it, td_slice table, td_slice index)
{
    td_control_call *call = it->call;
    td_call engine = td_control__engine_call(call, table);
    engine.arena = &it->scratch;
    td_advice_gathered gathered;
    td_capacity_settings settings;
    td_heat_result result = td_advice_gather(&engine, index, it->window_us, &gathered);
    int status = td_control__heat_status(call, result, table, index);
    if (status == 200 && !td_store_get_capacity(engine.store, engine.scope, table, &settings)) {
        status = td_control__unknown_table(call, table);
    }
    if (status == 200) {
        double seconds = settings.values[TD_CAPACITY_heat_sustain] + settings.values[TD_CAPACITY_split_duration];
        double scale = settings.values[TD_CAPACITY_capacity_scale];
        it->question.caps[TD_READ] = settings.values[TD_CAPACITY_partition_read_cap] * scale;
        it->question.caps[TD_WRITE] = settings.values[TD_CAPACITY_partition_write_cap] * scale;
        it->question.is_recorded = settings.values[TD_CAPACITY_record_heat] > 0;
        it->question.has_heat_splits = settings.values[TD_CAPACITY_heat_split] > 0;
        it->question.split_delay_s = seconds / settings.values[TD_CAPACITY_duration_divisor];
        for (uint32_t i = 0; i < gathered.count; i++) {
            td_advice_judge(&it->question, &gathered.resources[i], &it->list);
            write_resource(it, &gathered.resources[i]);
        }
    }
    td_arena_reset(&it->scratch);
    return status;
}

static void write_head(advising *it, td_time_us now_us)
{
    td_json_build *build = it->call->answer;
    td_json_put_int(build, build->root, "from", (now_us - it->window_us) / TD_US_PER_MS);
    td_json_put_int(build, build->root, "to", now_us / TD_US_PER_MS);
    td_json_put_number(build, build->root, "factor", it->question.factor);
    td_json_node *limits = td_json_put_object(build, build->root, "partition_limits");
    td_json_put_number(build, limits, "read", TD_ADVICE_READ_CAP);
    td_json_put_number(build, limits, "write", TD_ADVICE_WRITE_CAP);
    it->resources = td_json_put_array(build, build->root, "resources");
}

/* "orders", "orders/by-status"; and the two parts. */
static void put_resource(td_json_build *build, td_json_node *parent, td_slice table, td_slice index)
{
    char name[2 * TD_CONTROL_ERROR_BYTES_MAX];
    snprintf(name, sizeof(name), "%.*s%s%.*s", (int)table.len, (const char *)table.ptr, index.len == 0 ? "" : "/",
             (int)index.len, index.len == 0 ? "" : (const char *)index.ptr);
    td_json_put_text(build, parent, "resource", td_slice_of_cstr(name));
    td_json_put_text(build, parent, "table", table);
    if (index.len == 0) {
        td_json_put_null(build, parent, "index");
    } else {
        td_json_put_text(build, parent, "index", index);
    }
}

static void write_resource(advising *it, const td_advice_resource *resource)
{
    static const char *const names[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};
    td_json_build *build = it->call->answer;
    td_json_node *entry = td_json_put_object(build, it->resources, NULL);
    put_resource(build, entry, resource->table, resource->index);
    td_json_put_text(build, entry, "billing_mode",
                     resource->billing == TD_BILLING_ON_DEMAND ? TD_LIT("PAY_PER_REQUEST") : TD_LIT("PROVISIONED"));
    td_json_put_int(build, entry, "partitions", resource->partition_count);
    td_json_put_number(build, entry, "throttled", resource->throttled);
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        const td_advice_side *side = &resource->sides[direction];
        td_json_node *about = td_json_put_object(build, entry, names[direction]);
        td_json_put_number(build, about, "units", side->total);
        td_json_put_number(build, about, "peak", side->peak);
        td_json_put_number(build, about, "peak_minute", side->peak_minute);
        td_json_put_number(build, about, "mean", side->mean);
        td_advice_evenness measured = td_advice_measure(resource, direction);
        td_json_put_number(build, about, "partition_cv", measured.partition_cv);
        td_json_put_number(build, about, "top_share_min", measured.top_share_min);
        td_json_put_number(build, about, "top_share_max", measured.top_share_max);
    }
    if (it->detail == DETAIL_PARTITIONS) write_partitions(build, entry, resource);
}

/* Units in the window, as estimated from the heat map. */
static void write_partitions(td_json_build *build, td_json_node *entry, const td_advice_resource *resource)
{
    td_json_node *list = td_json_put_array(build, entry, "by_partition");
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_json_node *partition = td_json_put_object(build, list, NULL);
        td_json_put_text(build, partition, "id", td_slice_of_cstr(resource->partitions[i].id));
        td_json_put_number(build, partition, "read", resource->sides[TD_READ].by_partition[i]);
        td_json_put_number(build, partition, "write", resource->sides[TD_WRITE].by_partition[i]);
    }
}

static void write_advice(td_json_build *build, td_json_node *list, const td_advice *advice)
{
    td_json_node *entry = td_json_put_object(build, list, NULL);
    td_json_put_text(build, entry, "kind", td_slice_of_cstr(td_advice_kind_name(advice->kind)));
    td_json_put_text(build, entry, "severity", td_slice_of_cstr(td_advice_severity_name(advice->severity)));
    put_resource(build, entry, advice->table, advice->index);
    td_json_put_text(build, entry, "text", advice->text);
    td_json_node *numbers = td_json_put_object(build, entry, "numbers");
    for (uint32_t i = 0; i < advice->number_count; i++) {
        const td_advice_number *number = &advice->numbers[i];
        if (number->text.len > 0) {
            td_json_put_text(build, numbers, number->name, number->text);
        } else {
            td_json_put_number(build, numbers, number->name, number->value);
        }
    }
}

static int write_list(advising *it)
{
    td_json_build *build = it->call->answer;
    td_advice_sort(&it->list);
    if (it->list.failed) return td_control__refuse_without_memory(it->call);
    td_json_node *list = td_json_put_array(build, build->root, "advice");
    for (uint32_t i = 0; i < it->list.count; i++) {
        write_advice(build, list, &it->list.items[i]);
    }
    return 200;
}
