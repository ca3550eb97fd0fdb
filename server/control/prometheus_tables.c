/* SPDX-License-Identifier: Apache-2.0
 * prometheus_tables.c: the metrics of tables and global indexes. A family's samples must stand together, so the tables
 * are gone through once for each family, with their labels written beforehand.
 * Bounded: --metrics-tables tables by name; what they have goes with them when they are dropped. */
#include <math.h>

#include "thermodyn/metrics.h"

#include "control/prometheus.h"
#include "exposition.h"

#define LABELS_BYTES_MAX ((size_t)16 << 20)

typedef struct labelled {
    const td_resource_totals *totals;
    td_billing_mode billing;
    td_slice labels; /* scope, table, index */
} labelled;

typedef struct shown {
    labelled *all;
    uint32_t count;
} shown;

typedef void (*write_samples)(const labelled *of, td_slice name, td_buf *reply);

static bool label_all(const td_table_totals *tables, uint32_t table_count, td_arena *arena, shown *ret_rows);
static bool write_labels(td_buf *labels, const td_table_totals *table, td_slice index, td_arena *arena,
                         td_slice *ret_labels);
static void write_tables(uint32_t count, uint32_t left_out, td_buf *reply);
static void write_consumed(const labelled *of, td_slice name, td_buf *reply);
static void write_events(const labelled *of, td_slice name, td_buf *reply);
static void write_throttles(const labelled *of, td_slice name, td_buf *reply);
static void write_partitions(const labelled *of, td_slice name, td_buf *reply);
static void write_splits(const labelled *of, td_slice name, td_buf *reply);
static void write_vetoes(const labelled *of, td_slice name, td_buf *reply);
static void write_items(const labelled *of, td_slice name, td_buf *reply);
static void write_bytes(const labelled *of, td_slice name, td_buf *reply);
static void write_balance(const labelled *of, td_slice name, td_buf *reply);
static void write_ceiling(const labelled *of, td_slice name, td_buf *reply);
static void write_provisioned(const labelled *of, td_slice name, td_buf *reply);
static void write_maximum(const labelled *of, td_slice name, td_buf *reply);
static void write_lost(const labelled *of, td_slice name, td_buf *reply);

static const struct {
    td_slice name;
    td_exposition_type type;
    td_slice help;
    write_samples write;
} families[] = {
    {TD_LIT_INIT("thermodyn_consumed_capacity_units_total"), TD_EXPOSITION_COUNTER,
     TD_LIT_INIT("Capacity units consumed; those of a table include its local indexes."), write_consumed},
    {TD_LIT_INIT("thermodyn_throttle_events_total"), TD_EXPOSITION_COUNTER,
     TD_LIT_INIT("Operations on one item, or pages, that were refused."), write_events},
    {TD_LIT_INIT("thermodyn_throttles_total"), TD_EXPOSITION_COUNTER,
     TD_LIT_INIT("Reasons of refusals that were told, by the service's names."), write_throttles},
    {TD_LIT_INIT("thermodyn_partitions"), TD_EXPOSITION_GAUGE, TD_LIT_INIT("Partitions."), write_partitions},
    {TD_LIT_INIT("thermodyn_partition_splits_total"), TD_EXPOSITION_COUNTER,
     TD_LIT_INIT("Partitions that were split, by cause."), write_splits},
    {TD_LIT_INIT("thermodyn_partitions_vetoed"), TD_EXPOSITION_GAUGE,
     TD_LIT_INIT("Partitions that are hot or full and are not split, by reason."), write_vetoes},
    {TD_LIT_INIT("thermodyn_items"), TD_EXPOSITION_GAUGE, TD_LIT_INIT("Items, or entries of an index."), write_items},
    {TD_LIT_INIT("thermodyn_storage_bytes"), TD_EXPOSITION_GAUGE,
     TD_LIT_INIT("Bytes as the service meters them: with overhead, those of a table with its local indexes."),
     write_bytes},
    {TD_LIT_INIT("thermodyn_burst_balance_units"), TD_EXPOSITION_GAUGE,
     TD_LIT_INIT("Capacity units that can be taken at once; below 0 it is a debt."), write_balance},
    {TD_LIT_INIT("thermodyn_burst_ceiling_units"), TD_EXPOSITION_GAUGE,
     TD_LIT_INIT("The most that the balance can be."), write_ceiling},
    {TD_LIT_INIT("thermodyn_provisioned_capacity_units"), TD_EXPOSITION_GAUGE,
     TD_LIT_INIT("Provisioned capacity units a second."), write_provisioned},
    {TD_LIT_INIT("thermodyn_on_demand_max_units"), TD_EXPOSITION_GAUGE,
     TD_LIT_INIT("Maximum of an on-demand table, in request units a second; only where one is set."), write_maximum},
    {TD_LIT_INIT("thermodyn_minutes_lost_total"), TD_EXPOSITION_COUNTER,
     TD_LIT_INIT("Minutes that CloudWatch does not know of for want of memory; only where there are some."),
     write_lost},
};

static const td_slice directions[TD_DIRECTION_COUNT] = {TD_LIT_INIT("direction=\"read\""),
                                                        TD_LIT_INIT("direction=\"write\"")};

bool td_prometheus__write_tables(td_service *service, td_arena *arena, td_buf *reply)
{
    td_table_totals *tables;
    uint32_t count;
    uint32_t left_out;
    td_time_us now_us = td_clock_now(service->clock);
    uint32_t tables_max = (uint32_t)service->config->metrics_tables;
    if (!td_store_view_totals(service->store, now_us, tables_max, arena, &tables, &count, &left_out)) return false;
    shown rows;
    if (!label_all(tables, count, arena, &rows)) return false;
    write_tables(count + left_out, left_out, reply);
    for (size_t i = 0; i < TD_COUNT_OF(families); i++) {
        td_exposition_family(reply, families[i].name, families[i].type, families[i].help);
        for (uint32_t k = 0; k < rows.count; k++)
            families[i].write(&rows.all[k], families[i].name, reply);
    }
    return true;
}

static bool label_all(const td_table_totals *tables, uint32_t table_count, td_arena *arena, shown *ret_rows)
{
    shown rows = {.count = 0};
    for (uint32_t i = 0; i < table_count; i++)
        rows.count += tables[i].resource_count;
    rows.all = td_arena_alloc_array(arena, rows.count, sizeof *rows.all);
    if (rows.all == NULL) return false;
    td_buf labels;
    td_buf_init(&labels, LABELS_BYTES_MAX);
    bool is_labelled = true;
    labelled *next = rows.all;
    for (uint32_t i = 0; is_labelled && i < table_count; i++) {
        for (uint32_t k = 0; is_labelled && k < tables[i].resource_count; k++) {
            next->totals = &tables[i].resources[k];
            next->billing = tables[i].billing;
            is_labelled = write_labels(&labels, &tables[i], next->totals->index, arena, &next->labels);
            next++;
        }
    }
    td_buf_done(&labels);
    *ret_rows = rows;
    return is_labelled;
}

static bool write_labels(td_buf *labels, const td_table_totals *table, td_slice index, td_arena *arena,
                         td_slice *ret_labels)
{
    td_buf_clear(labels);
    if (table->scope.len > 0) td_exposition_label(labels, TD_LIT("scope"), table->scope);
    td_exposition_label(labels, TD_LIT("table"), table->table);
    if (index.len > 0) td_exposition_label(labels, TD_LIT("index"), index);
    return !td_buf_has_failed(labels) && td_arena_copy(arena, td_buf_contents(labels), ret_labels);
}

static void write_tables(uint32_t count, uint32_t left_out, td_buf *reply)
{
    td_slice all = TD_LIT("thermodyn_tables");
    td_exposition_family(reply, all, TD_EXPOSITION_GAUGE, TD_LIT("Tables."));
    td_exposition_begin(reply, all, TD_LIT(""));
    td_exposition_count(reply, count);
    td_slice rest = TD_LIT("thermodyn_tables_left_out");
    td_exposition_family(reply, rest, TD_EXPOSITION_GAUGE,
                         TD_LIT("Tables that are not shown here, since there are more than metrics_tables."));
    td_exposition_begin(reply, rest, TD_LIT(""));
    td_exposition_count(reply, left_out);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static void begin_direction(td_buf *reply, td_slice name, const labelled *of, int direction)
{
    td_exposition_begin(reply, name, of->labels);
    td_exposition_labels(reply, directions[direction]);
}

static void write_consumed(const labelled *of, td_slice name, td_buf *reply)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        begin_direction(reply, name, of, d);
        td_exposition_milli(reply, of->totals->consumed[d]);
    }
}

static void write_events(const labelled *of, td_slice name, td_buf *reply)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        begin_direction(reply, name, of, d);
        td_exposition_count(reply, of->totals->throttle_events[d]);
    }
}

/* The limits that its mode has, from 0 on, and those that it once ran into. */
static void write_throttles(const labelled *of, td_slice name, td_buf *reply)
{
    bool is_on_demand = of->billing == TD_BILLING_ON_DEMAND;
    const bool exists[TD_LIMIT_KIND_COUNT] = {
        [TD_LIMITED_BY_PROVISIONED] = !is_on_demand,
        [TD_LIMITED_BY_KEY_RANGE] = true,
        [TD_LIMITED_BY_ACCOUNT] = is_on_demand,
        [TD_LIMITED_BY_MAX_ON_DEMAND] = is_on_demand,
    };
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        for (int kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
            uint64_t count = of->totals->throttles[d][kind];
            if (!exists[kind] && count == 0) continue;
            td_throttle_reason reason = {
                .kind = (td_limit_kind)kind, .direction = (td_direction)d, .index = of->totals->index};
            begin_direction(reply, name, of, d);
            td_exposition_label(reply, TD_LIT("reason"), td_slice_of_cstr(td_throttle_reason_name(&reason)));
            td_exposition_count(reply, count);
        }
    }
}

static void write_partitions(const labelled *of, td_slice name, td_buf *reply)
{
    td_exposition_begin(reply, name, of->labels);
    td_exposition_count(reply, of->totals->partition_count);
}

static void write_splits(const labelled *of, td_slice name, td_buf *reply)
{
    for (int cause = 0; cause < TD_SPLIT_CAUSE_COUNT; cause++) {
        td_exposition_begin(reply, name, of->labels);
        td_exposition_label(reply, TD_LIT("cause"), td_slice_of_cstr(td_split_cause_name((td_split_cause)cause)));
        td_exposition_count(reply, of->totals->splits[cause]);
    }
}

static void write_vetoes(const labelled *of, td_slice name, td_buf *reply)
{
    for (int veto = TD_VETO_NONE + 1; veto < TD_VETO_COUNT; veto++) {
        if (of->totals->vetoes[veto] == 0) continue;
        td_exposition_begin(reply, name, of->labels);
        td_exposition_label(reply, TD_LIT("reason"), td_slice_of_cstr(td_split_veto_name((td_split_veto)veto)));
        td_exposition_count(reply, of->totals->vetoes[veto]);
    }
}

static void write_items(const labelled *of, td_slice name, td_buf *reply)
{
    td_exposition_begin(reply, name, of->labels);
    td_exposition_count(reply, of->totals->items);
}

static void write_bytes(const labelled *of, td_slice name, td_buf *reply)
{
    td_exposition_begin(reply, name, of->labels);
    td_exposition_count(reply, of->totals->bytes);
}

static void write_units(const labelled *of, td_slice name, td_buf *reply, const double units[TD_DIRECTION_COUNT])
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        begin_direction(reply, name, of, d);
        td_exposition_milli(reply, llround(units[d] * (double)TD_UNITS_ONE));
    }
}

static void write_balance(const labelled *of, td_slice name, td_buf *reply)
{
    write_units(of, name, reply, of->totals->balance);
}

static void write_ceiling(const labelled *of, td_slice name, td_buf *reply)
{
    write_units(of, name, reply, of->totals->ceiling);
}

static void write_rates(const labelled *of, td_slice name, td_buf *reply)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if (of->totals->rate[d] <= 0) continue;
        begin_direction(reply, name, of, d);
        td_exposition_count(reply, (uint64_t)of->totals->rate[d]);
    }
}

static void write_provisioned(const labelled *of, td_slice name, td_buf *reply)
{
    if (of->billing == TD_BILLING_PROVISIONED) write_rates(of, name, reply);
}

static void write_maximum(const labelled *of, td_slice name, td_buf *reply)
{
    if (of->billing == TD_BILLING_ON_DEMAND) write_rates(of, name, reply);
}

static void write_lost(const labelled *of, td_slice name, td_buf *reply)
{
    if (of->totals->lost == 0) return;
    td_exposition_begin(reply, name, of->labels);
    td_exposition_count(reply, of->totals->lost);
}
