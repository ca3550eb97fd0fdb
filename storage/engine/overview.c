/* SPDX-License-Identifier: Apache-2.0
 * overview.c: all tables at a glance, for whoever watches them every second: sums and evenness, no partitions.
 * Not here: the partitions and buckets of one table (observe.c). */
#include "thermodyn/observe.h"

#include <math.h>

#include "catalog.h"

/* What has a mean and deviates from it. */
typedef struct sums {
    double plain;
    double squares;
} sums;

static bool view_table_locked(const td_table *table, td_time_us now_us, td_arena *arena,
                              td_table_overview *ret_overview);
static void view_resource(const td_resource *resource, td_billing_mode billing, td_time_us now_us,
                          td_resource_overview *overview);
static void view_limits(const td_resource *resource, td_billing_mode billing, td_time_us now_us,
                        td_resource_overview *overview);
static void add(sums *of, double value);
static double variation(const sums *of, uint32_t count);

bool td_observe_tables(td_store *store, td_time_us now_us, td_arena *arena, td_table_overview **ret_tables,
                       uint32_t *ret_count)
{
    td_catalog__read_lock(store);
    uint64_t room = td_btree_count(store->tables);
    td_table_overview *tables = td_arena_alloc_array(arena, room, sizeof *tables);
    uint32_t count = 0;
    bool is_viewed = tables != NULL;
    for (td_btree_cursor at = td_btree_first(store->tables); is_viewed && !td_btree_is_end(at); td_btree_next(&at)) {
        TD_ASSERT(count < room);
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        is_viewed = view_table_locked(table, now_us, arena, &tables[count]);
        td_table__unlock(table);
        count++;
    }
    td_catalog__unlock(store);
    if (!is_viewed) return false;
    *ret_tables = tables;
    *ret_count = count;
    return true;
}

static bool view_table_locked(const td_table *table, td_time_us now_us, td_arena *arena,
                              td_table_overview *ret_overview)
{
    td_table_overview overview = {
        .billing = table->billing,
        .resources = td_arena_alloc_zero(arena, table->resource_count * sizeof *overview.resources),
        .resource_count = table->resource_count,
    };
    if (overview.resources == NULL) return false;
    if (!td_arena_copy(arena, table->schema->scope, &overview.scope)) return false;
    if (!td_arena_copy(arena, table->schema->table, &overview.table)) return false;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_slice index = i == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, i - 1)->spec.name;
        if (!td_arena_copy(arena, index, &overview.resources[i].index)) return false;
        view_resource(table->resources[i], table->billing, now_us, &overview.resources[i]);
    }
    *ret_overview = overview;
    return true;
}

static void view_resource(const td_resource *resource, td_billing_mode billing, td_time_us now_us,
                          td_resource_overview *overview)
{
    sums bytes = {0, 0};
    sums units[TD_DIRECTION_COUNT] = {{0, 0}};
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        const td_partition *partition = resource->partitions[i];
        uint64_t partition_bytes = td_partition__storage_bytes(partition);
        overview->items += td_btree_count(partition->trees[0].entries);
        overview->bytes += partition_bytes;
        add(&bytes, (double)partition_bytes);
        for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
            overview->consumed_1s[d] += td_usage_last_second(&partition->usage[d], now_us);
            overview->throttled[d] += td_bucket_get_view(&partition->cap[d], now_us).throttled;
            add(&units[d], (double)td_usage_last_minute(&partition->usage[d], now_us));
        }
    }
    overview->partition_count = resource->partition_count;
    overview->bytes_cv = variation(&bytes, resource->partition_count);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        overview->units_cv[d] = variation(&units[d], resource->partition_count);
    view_limits(resource, billing, now_us, overview);
}

static void view_limits(const td_resource *resource, td_billing_mode billing, td_time_us now_us,
                        td_resource_overview *overview)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        const td_bucket *bucket = &resource->provisioned[d];
        if (billing == TD_BILLING_ON_DEMAND) {
            overview->rate[d] = resource->on_demand_max.rate[d];
            bucket = overview->rate[d] > 0 ? &resource->maximum[d] : &resource->quota[d];
        } else {
            overview->rate[d] = resource->throughput.rate[d];
        }
        overview->throttled[d] += resource->has_shares ? td_share__get_view(resource, (td_direction)d, now_us).throttled
                                                       : td_bucket_get_view(bucket, now_us).throttled;
    }
}

static void add(sums *of, double value)
{
    of->plain += value;
    of->squares += value * value;
}

/* Rounding may leave the smallest negative square sum where all values are equal. */
static double variation(const sums *of, uint32_t count)
{
    double mean = of->plain / count;
    if (mean <= 0) return 0;
    double variance = of->squares / count - mean * mean;
    return variance <= 0 ? 0 : sqrt(variance) / mean;
}
