/* SPDX-License-Identifier: Apache-2.0
 * hotkeys.c: GET /_thermodyn/hotkeys: the keys that were used or throttled most. */
#include <math.h>
#include <stdio.h>

#include "parameters.h"
#include "wire/json.h"

#define LIMIT_MAX 100
#define WINDOW_MS_MAX INT64_C(3600000)
#define SHARE_STEPS 10000                    /* four digits: beyond them nobody compares */
#define KEY_JSON_BYTES_MAX ((size_t)1 << 20) /* a key's bytes, each escaped */

typedef enum parameter { TABLE, INDEX, METRIC, BY, LIMIT, WINDOW, PARAMETER_COUNT } parameter;

static const char *const by_names[] = {"partition", "item"};

static int read_request(td_control_call *call, const td_control_parameter *given, td_hot_keys_request *ret_request);
static int write_key(td_control_call *call, td_json_node *list, const td_hot_key *key);
static void put_units(td_json_build *build, td_json_node *parent, const char *name, td_units units);

int td_control__get_hotkeys(td_control_call *call)
{
    td_control_parameter given[PARAMETER_COUNT] = {
        [TABLE] = {.name = "table"}, [INDEX] = {.name = "index"}, [METRIC] = {.name = "metric"},
        [BY] = {.name = "by"},       [LIMIT] = {.name = "limit"}, [WINDOW] = {.name = "window_ms"},
    };
    int status = td_control__read_parameters(call, given, PARAMETER_COUNT);
    td_hot_keys_request request;
    if (status == 200) status = read_request(call, given, &request);
    if (status != 200) return status;
    td_slice table = given[TABLE].value;
    td_call engine = td_control__engine_call(call, table);
    td_hot_keys hot;
    status = td_control__heat_status(call, td_heat_hot_keys(&engine, &request, &hot), table, request.index);
    if (status != 200) return status;

    td_json_build *build = call->answer;
    td_control__put_subject(call, table, request.index, request.metric);
    td_json_put_text(build, build->root, "by", td_slice_of_cstr(by_names[request.by_full_key]));
    td_json_put_int(build, build->root, "from", hot.from_us / TD_US_PER_MS);
    td_json_put_int(build, build->root, "to", hot.to_us / TD_US_PER_MS);
    put_units(build, build->root, "total", hot.total);
    td_json_node *keys = td_json_put_array(build, build->root, "keys");
    for (uint32_t i = 0; i < hot.count && status == 200; i++)
        status = write_key(call, keys, &hot.keys[i]);
    td_json_put_int(build, build->root, "lost", (int64_t)hot.lost);
    return status;
}

static int read_request(td_control_call *call, const td_control_parameter *given, td_hot_keys_request *ret_request)
{
    int metric = TD_HEAT_WRITE;
    int by = 0;
    int64_t limit = 0;
    int64_t window_ms = 0;
    int status = td_control__read_table(call, &given[TABLE]);
    if (status == 200) {
        status = td_control__read_choice(call, &given[METRIC], td_control__metric_names, TD_HEAT_METRIC_COUNT, &metric);
    }
    if (status == 200) status = td_control__read_choice(call, &given[BY], by_names, TD_COUNT_OF(by_names), &by);
    if (status == 200) status = td_control__read_whole(call, &given[LIMIT], 1, LIMIT_MAX, &limit);
    if (status == 200) status = td_control__read_whole(call, &given[WINDOW], 1, WINDOW_MS_MAX, &window_ms);
    if (status != 200) return status;
    *ret_request = (td_hot_keys_request){.index = given[INDEX].value,
                                         .metric = (td_heat_metric)metric,
                                         .by_full_key = by == 1,
                                         .limit = (uint32_t)limit,
                                         .window_us = window_ms * TD_US_PER_MS};
    return 200;
}

static int write_key(td_control_call *call, td_json_node *list, const td_hot_key *key)
{
    td_json_build *build = call->answer;
    td_json_node *entry = td_json_put_object(build, list, NULL);
    td_buf text;
    td_buf_init(&text, KEY_JSON_BYTES_MAX);
    if (key->attributes == NULL)
        td_buf_append_lit(&text, "null");
    else
        td_json_write_attributes(&text, key->attributes, key->attribute_count);
    td_buf_append_byte(&text, 0);
    bool is_written = !td_buf_has_failed(&text);
    if (is_written) td_json_put_written(build, entry, "key", td_slice_of(text.data, text.len - 1));
    td_buf_done(&text);
    if (!is_written) return td_control__refuse_without_memory(call);

    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)td_key_hash_prefix(&key->hash));
    td_json_put_text(build, entry, "hash", td_slice_of_cstr(hash));
    td_json_put_text(build, entry, "partition", td_slice_of_cstr(key->partition));
    put_units(build, entry, "count", key->amount);
    put_units(build, entry, "error", key->error);
    td_json_put_number(build, entry, "share", round(key->share * SHARE_STEPS) / SHARE_STEPS);
    put_units(build, entry, "peak_1s", key->peak);
    td_json_put_bool(build, entry, "over_limit", key->is_over_limit);
    return 200;
}

static void put_units(td_json_build *build, td_json_node *parent, const char *name, td_units units)
{
    td_json_put_number(build, parent, name, (double)units / (double)TD_UNITS_ONE);
}
