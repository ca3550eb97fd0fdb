/* SPDX-License-Identifier: Apache-2.0
 * totals.c: GET /_thermodyn/totals: what tables and global indexes consumed, throttled and split since they exist: the
 * numbers of a scrape, for those who read JSON. */
#include "thermodyn/metrics.h"

#include "parameters.h"
#include "wire/json.h"

static bool is_asked(td_slice tables, td_slice name);
static void write_table(td_buf *list, const td_table_totals *table);
static void write_resource(td_buf *list, const td_resource_totals *resource);
static void write_throttles(td_buf *list, const td_resource_totals *resource);

int td_control__get_totals(td_control_call *call)
{
    td_control_parameter given[] = {{.name = "table"}};
    int status = td_control__read_parameters(call, given, TD_COUNT_OF(given));
    if (status != 200) return status;
    td_time_us now_us = td_clock_now(call->service->clock);
    td_table_totals *tables = NULL;
    uint32_t count = 0;
    uint32_t left_out = 0;
    if (!td_store_view_totals(call->service->store, now_us, UINT32_MAX, call->arena, &tables, &count, &left_out)) {
        return td_control__refuse_without_memory(call);
    }
    td_buf list;
    td_control__begin_tables(&list);
    for (uint32_t i = 0; i < count; i++) {
        if (!td_slice_equal(call->scope, tables[i].scope) || !is_asked(given[0].value, tables[i].table)) continue;
        td_control__next_table(&list);
        write_table(&list, &tables[i]);
    }
    return td_control__answer_tables(call, &list, now_us);
}

/* Names parted by commas, which no name has; none: all. */
static bool is_asked(td_slice tables, td_slice name)
{
    for (size_t at = 0; at <= tables.len && tables.len > 0;) {
        const uint8_t *comma = at == tables.len ? NULL : memchr(tables.ptr + at, ',', tables.len - at);
        size_t end = comma == NULL ? tables.len : (size_t)(comma - tables.ptr);
        if (td_slice_equal(name, td_slice_of(tables.ptr + at, end - at))) return true;
        at = end + 1;
    }
    return tables.len == 0;
}

static void write_table(td_buf *list, const td_table_totals *table)
{
    td_buf_append_lit(list, "{\"table\":");
    td_json_write_string(list, table->table);
    td_buf_append(list, table->billing == TD_BILLING_ON_DEMAND ? TD_LIT(",\"billing_mode\":\"PAY_PER_REQUEST\"")
                                                               : TD_LIT(",\"billing_mode\":\"PROVISIONED\""));
    td_buf_append_lit(list, ",\"resources\":[");
    for (uint32_t i = 0; i < table->resource_count; i++) {
        if (i > 0) td_buf_append_byte(list, ',');
        write_resource(list, &table->resources[i]);
    }
    td_buf_append_lit(list, "]}");
}

static void write_resource(td_buf *list, const td_resource_totals *resource)
{
    td_buf_append_lit(list, "{\"index\":");
    if (resource->index.len == 0) {
        td_buf_append_lit(list, "null");
    } else {
        td_json_write_string(list, resource->index);
    }
    td_buf_append_lit(list, ",\"items\":");
    td_json_write_int(list, (int64_t)resource->items);
    td_buf_append_lit(list, ",\"bytes\":");
    td_json_write_int(list, (int64_t)resource->bytes);
    td_buf_append_lit(list, ",\"partitions\":");
    td_json_write_int(list, resource->partition_count);
    td_buf_append_lit(list, ",\"consumed\":{\"read\":");
    td_control__write_units(list, resource->consumed[TD_READ]);
    td_buf_append_lit(list, ",\"write\":");
    td_control__write_units(list, resource->consumed[TD_WRITE]);
    td_buf_append_byte(list, '}');
    write_throttles(list, resource);
    td_buf_append_lit(list, ",\"splits\":{");
    for (td_split_cause cause = 0; cause < TD_SPLIT_CAUSE_COUNT; cause++) {
        td_buf_append_format(list, "%s\"%s\":%llu", cause == 0 ? "" : ",", td_split_cause_name(cause),
                             (unsigned long long)resource->splits[cause]);
    }
    td_buf_append_lit(list, "},\"vetoes\":{");
    for (td_split_veto veto = TD_VETO_NONE + 1; veto < TD_VETO_COUNT; veto++) {
        td_buf_append_format(list, "%s\"%s\":%u", veto == TD_VETO_NONE + 1 ? "" : ",", td_split_veto_name(veto),
                             resource->vetoes[veto]);
    }
    td_buf_append_lit(list, "}}");
}

/* Events, and what was told as their reasons. */
static void write_throttles(td_buf *list, const td_resource_totals *resource)
{
    td_buf_append_format(list, ",\"throttled\":{\"read\":%llu,\"write\":%llu},\"reasons\":{",
                         (unsigned long long)resource->throttle_events[TD_READ],
                         (unsigned long long)resource->throttle_events[TD_WRITE]);
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        for (td_limit_kind kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
            td_throttle_reason reason = {.kind = kind, .direction = direction, .index = resource->index};
            td_buf_append_format(list, "%s\"%s\":%llu", direction == TD_READ && kind == 0 ? "" : ",",
                                 td_throttle_reason_name(&reason),
                                 (unsigned long long)resource->throttles[direction][kind]);
        }
    }
    td_buf_append_byte(list, '}');
}
