/* SPDX-License-Identifier: Apache-2.0
 * advice_gather.c: a table and its global indexes as advice sees them: keys, billing, partitions, buckets.
 * Not here: their traffic (advice_traffic.c). */
#include "advice_gather.h"

#define STORED_OVERHEAD_BYTES 100 /* of an item or entry, in sizes of tables; capacity does not count it (§1.1) */

static td_heat_result gather(const td_call *call, td_slice index, td_time_us window_us, const td_table_info *info,
                             const td_table_view *view, td_advice_gathered *ret_gathered);
static void describe_table(const td_table_info *info, td_advice_resource *resource);
static void describe_index(const td_table_info *info, td_slice index, td_advice_resource *resource);
static bool describe_partitions(const td_call *call, const td_table_view *view, td_advice_resource *resource);
static void describe_buckets(const td_resource_view *view, td_advice_resource *resource);

td_heat_result td_advice_gather(const td_call *call, td_slice index, td_time_us window_us,
                                td_advice_gathered *ret_gathered)
{
    td_table_info info;
    td_table_view view;
    td_error error = {.arena = call->arena};
    if (td_table_describe(call, &info, &error) != TD_OK || !td_observe_table(call, &view)) return TD_HEAT_NO_TABLE;
    return gather(call, index, window_us, &info, &view, ret_gathered);
}

static td_heat_result gather(const td_call *call, td_slice index, td_time_us window_us, const td_table_info *info,
                             const td_table_view *view, td_advice_gathered *ret_gathered)
{
    td_advice_gathered gathered = {
        .resources = td_arena_alloc_zero(call->arena, view->resource_count * sizeof(*gathered.resources))};
    if (gathered.resources == NULL) return TD_HEAT_NO_MEMORY;
    for (uint32_t i = 0; i < view->resource_count; i++) {
        td_slice name = view->resources[i].index;
        if (index.len > 0 && !td_slice_equal(index, name)) continue;
        td_advice_resource *resource = &gathered.resources[gathered.count++];
        *resource = (td_advice_resource){.table = call->table, .index = name, .billing = view->billing};
        describe_table(info, resource);
        if (name.len > 0) describe_index(info, name, resource);
        describe_buckets(&view->resources[i], resource);
        if (!describe_partitions(call, view, resource)) return TD_HEAT_NO_MEMORY;
        td_heat_result result = td_advice__gather_traffic(call, window_us, resource);
        if (result != TD_HEAT_OK) return result;
    }
    if (gathered.count == 0) return TD_HEAT_NO_INDEX;
    *ret_gathered = gathered;
    return TD_HEAT_OK;
}

static double item_bytes(uint64_t count, uint64_t bytes)
{
    if (count == 0 || bytes < count * STORED_OVERHEAD_BYTES) return 0;
    return (double)(bytes - count * STORED_OVERHEAD_BYTES) / (double)count;
}

static void describe_rates(const td_throughput *throughput, const td_throughput *warm, td_advice_resource *resource)
{
    for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
        resource->sides[direction].throughput = (double)throughput->rate[direction];
        resource->sides[direction].warm = (double)warm->rate[direction];
    }
}

static void describe_table(const td_table_info *info, td_advice_resource *resource)
{
    resource->hash_attribute_count = info->spec.key.hash_count;
    resource->has_sort_key = info->spec.key.range_count > 0;
    resource->item_bytes_mean = item_bytes(info->item_count, info->size_bytes);
    for (uint32_t i = 0; i < info->index_count; i++) {
        if (!info->indexes[i].spec.is_global) resource->has_local_index = true;
    }
    describe_rates(&info->spec.throughput, &info->spec.warm, resource);
}

/* An index that came or went between the two looks has the table's description for once. */
static void describe_index(const td_table_info *info, td_slice index, td_advice_resource *resource)
{
    for (uint32_t i = 0; i < info->index_count; i++) {
        const td_index_info *found = &info->indexes[i];
        if (!td_slice_equal(found->spec.name, index)) continue;
        resource->hash_attribute_count = found->spec.key.hash_count;
        resource->has_sort_key = found->spec.key.range_count > 0;
        resource->has_local_index = false;
        resource->item_bytes_mean = item_bytes(found->item_count, found->size_bytes);
        describe_rates(&found->spec.throughput, &found->spec.warm, resource);
    }
}

static bool describe_partitions(const td_call *call, const td_table_view *view, td_advice_resource *resource)
{
    for (uint32_t i = 0; i < view->partition_count; i++) {
        resource->partition_count += td_slice_equal(view->partitions[i].index, resource->index);
    }
    TD_ASSERT(resource->partition_count > 0);
    resource->partitions = td_arena_alloc_array(call->arena, resource->partition_count, sizeof(*resource->partitions));
    if (resource->partitions == NULL) return false;
    td_advice_partition *at = resource->partitions;
    for (uint32_t i = 0; i < view->partition_count; i++) {
        const td_partition_view *seen = &view->partitions[i];
        if (!td_slice_equal(seen->index, resource->index)) continue;
        *at = (td_advice_partition){
            .from = td_key_hash_prefix(&seen->hash_from), .is_child = seen->parent[0] != '\0', .veto = seen->veto};
        memcpy(at->id, seen->id, sizeof(at->id));
        at++;
        for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
            resource->sides[direction].throttled_by_partitions += (double)seen->cap[direction].throttled;
        }
    }
    return true;
}

static void describe_buckets(const td_resource_view *view, td_advice_resource *resource)
{
    for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
        resource->sides[direction].throttled_by_throughput = (double)view->bucket[direction].throttled;
    }
}
