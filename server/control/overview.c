/* SPDX-License-Identifier: Apache-2.0
 * overview.c: GET /_thermodyn/tables: every table and global index in a few figures, cheap enough to be asked every
 * second with a thousand tables: so the list is written at once rather than built node by node.
 * Not here: partitions, buckets and heat of one table (partitions.c, heatmap.c). */
#include <math.h>

#include "thermodyn/observe.h"

#include "parameters.h"
#include "wire/json.h"

static void write_table(td_buf *list, const td_table_overview *table);
static void write_figures(td_buf *list, const td_resource_overview *resource);
static void write_direction(td_buf *list, td_slice name, const td_resource_overview *resource, td_direction direction);
static void write_variation(td_buf *list, td_slice name, double value);

int td_control__get_tables(td_control_call *call)
{
    td_slice scope;
    bool has_scope = td_control__query(call, "scope", &scope);
    td_time_us now_us = td_clock_now(call->service->clock);
    td_table_overview *tables = NULL;
    uint32_t count = 0;
    if (!td_observe_tables(call->service->store, now_us, call->arena, &tables, &count)) {
        return td_control__refuse_without_memory(call);
    }
    td_buf list;
    td_control__begin_tables(&list);
    for (uint32_t i = 0; i < count; i++) {
        if (has_scope && !td_slice_equal(scope, tables[i].scope)) continue;
        td_control__next_table(&list);
        write_table(&list, &tables[i]);
    }
    return td_control__answer_tables(call, &list, now_us);
}

static void write_table(td_buf *list, const td_table_overview *table)
{
    td_buf_append_lit(list, "{\"table\":");
    td_json_write_string(list, table->table);
    td_buf_append_lit(list, ",\"scope\":");
    td_json_write_string(list, table->scope);
    td_buf_append(list, table->billing == TD_BILLING_ON_DEMAND ? TD_LIT(",\"billing_mode\":\"PAY_PER_REQUEST\"")
                                                               : TD_LIT(",\"billing_mode\":\"PROVISIONED\""));
    write_figures(list, &table->resources[0]);
    td_buf_append_lit(list, ",\"indexes\":[");
    for (uint32_t i = 1; i < table->resource_count; i++) {
        td_buf_append(list, i == 1 ? TD_LIT("{\"index\":") : TD_LIT(",{\"index\":"));
        td_json_write_string(list, table->resources[i].index);
        write_figures(list, &table->resources[i]);
        td_buf_append_byte(list, '}');
    }
    td_buf_append_lit(list, "]}");
}

static void write_figures(td_buf *list, const td_resource_overview *resource)
{
    td_buf_append_lit(list, ",\"items\":");
    td_json_write_int(list, (int64_t)resource->items);
    td_buf_append_lit(list, ",\"bytes\":");
    td_json_write_int(list, (int64_t)resource->bytes);
    td_buf_append_lit(list, ",\"partitions\":");
    td_json_write_int(list, resource->partition_count);
    write_direction(list, TD_LIT(",\"read\":{\"rate\":"), resource, TD_READ);
    write_direction(list, TD_LIT(",\"write\":{\"rate\":"), resource, TD_WRITE);
    write_variation(list, TD_LIT(",\"balance\":{\"bytes_cv\":"), resource->bytes_cv);
    write_variation(list, TD_LIT(",\"read_cv\":"), resource->units_cv[TD_READ]);
    write_variation(list, TD_LIT(",\"write_cv\":"), resource->units_cv[TD_WRITE]);
    td_buf_append_byte(list, '}');
}

static void write_direction(td_buf *list, td_slice name, const td_resource_overview *resource, td_direction direction)
{
    td_buf_append(list, name);
    td_json_write_int(list, resource->rate[direction]);
    td_buf_append_lit(list, ",\"consumed_1s\":");
    td_control__write_units(list, resource->consumed_1s[direction]);
    td_buf_append_lit(list, ",\"throttled\":");
    td_json_write_int(list, (int64_t)resource->throttled[direction]);
    td_buf_append_byte(list, '}');
}

/* In thousandths, as units are: it is for eyes, and the shortest text of a double would cost more than all the rest. */
static void write_variation(td_buf *list, td_slice name, double value)
{
    td_buf_append(list, name);
    td_control__write_units(list, (td_units)lround(value * (double)TD_UNITS_ONE));
}
