/* SPDX-License-Identifier: Apache-2.0
 * totals.c: what every table and global index has counted since it exists, with its present gauges: a scrape.
 * Not here: what is counted (storage/capacity/ledger.c); by the minute (metered.c); evenness (overview.c). */
#include "thermodyn/metrics.h"

#include "catalog.h"

static bool view_locked(const td_table *table, td_time_us now_us, td_arena *arena, td_table_totals *ret_totals);
static void view_resource(const td_resource *resource, td_billing_mode billing, td_time_us now_us,
                          td_resource_totals *totals);
static void view_partitions(const td_resource *resource, td_resource_totals *totals);
static void view_direction(const td_resource *resource, td_billing_mode billing, td_direction direction,
                           td_time_us now_us, td_resource_totals *totals);

bool td_store_view_totals(td_store *store, td_time_us now_us, uint32_t tables_max, td_arena *arena,
                          td_table_totals **ret_tables, uint32_t *ret_count, uint32_t *ret_left_out)
{
    td_catalog__read_lock(store);
    uint64_t there = td_btree_count(store->tables);
    uint32_t room = there < tables_max ? (uint32_t)there : tables_max;
    td_table_totals *tables = td_arena_alloc_array(arena, room, sizeof *tables);
    bool is_viewed = tables != NULL;
    uint32_t count = 0;
    for (td_btree_cursor at = td_btree_first(store->tables); is_viewed && count < room; td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        is_viewed = view_locked(table, now_us, arena, &tables[count++]);
        td_table__unlock(table);
    }
    td_catalog__unlock(store);
    if (!is_viewed) return false;
    *ret_tables = tables;
    *ret_count = count;
    *ret_left_out = (uint32_t)(there - count);
    return true;
}

static bool view_locked(const td_table *table, td_time_us now_us, td_arena *arena, td_table_totals *ret_totals)
{
    td_table_totals totals = {
        .billing = table->billing,
        .resources = td_arena_alloc_zero(arena, table->resource_count * sizeof *totals.resources),
        .resource_count = table->resource_count,
    };
    if (totals.resources == NULL) return false;
    if (!td_arena_copy(arena, table->schema->scope, &totals.scope)) return false;
    if (!td_arena_copy(arena, table->schema->table, &totals.table)) return false;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_slice index = i == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, i - 1)->spec.name;
        if (!td_arena_copy(arena, index, &totals.resources[i].index)) return false;
        view_resource(table->resources[i], table->billing, now_us, &totals.resources[i]);
    }
    *ret_totals = totals;
    return true;
}

static void view_resource(const td_resource *resource, td_billing_mode billing, td_time_us now_us,
                          td_resource_totals *totals)
{
    const td_ledger *ledger = &resource->ledger;
    totals->partition_count = resource->partition_count;
    totals->lost = ledger->lost;
    memcpy(totals->splits, resource->splits.splits, sizeof totals->splits);
    view_partitions(resource, totals);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        totals->consumed[d] = td_ledger_consumed(ledger, (td_direction)d);
        totals->throttle_events[d] = td_ledger_events(ledger, (td_metric)(TD_METRIC_READ_THROTTLES + d));
        for (int kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
            td_metric metric = td_ledger_metric_of((td_direction)d, (td_limit_kind)kind);
            totals->throttles[d][kind] = td_ledger_events(ledger, metric);
        }
        view_direction(resource, billing, (td_direction)d, now_us, totals);
    }
}

static void view_partitions(const td_resource *resource, td_resource_totals *totals)
{
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        const td_partition *partition = resource->partitions[i];
        td_split_veto veto = partition->veto != TD_VETO_NONE ? partition->veto : partition->full_veto;
        totals->items += td_btree_count(partition->trees[0].entries);
        totals->bytes += td_partition__storage_bytes(partition);
        totals->vetoes[veto]++;
    }
    totals->vetoes[TD_VETO_NONE] = 0;
}

static void view_direction(const td_resource *resource, td_billing_mode billing, td_direction direction,
                           td_time_us now_us, td_resource_totals *totals)
{
    const td_bucket *bucket = &resource->provisioned[direction];
    totals->rate[direction] = resource->throughput.rate[direction];
    if (billing == TD_BILLING_ON_DEMAND) {
        totals->rate[direction] = resource->on_demand_max.rate[direction];
        bucket = totals->rate[direction] > 0 ? &resource->maximum[direction] : &resource->quota[direction];
    }
    td_bucket_view view =
        resource->has_shares ? td_share__get_view(resource, direction, now_us) : td_bucket_get_view(bucket, now_us);
    totals->balance[direction] = view.balance;
    totals->ceiling[direction] = view.ceiling;
}
