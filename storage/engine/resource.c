/* SPDX-License-Identifier: Apache-2.0
 * resource.c: throughput and partitions of a table or a global index.
 *
 * Model:    throttling.md §2.3: a new resource has equal ranges; a raise doubles all partitions; nothing is merged.
 *           §6.2: the provisioned pool is the table's, the cap the partition's, the quota holds for on-demand alone.
 * Not here: when throughput changes (update.c, due.c); who may read or write (write.c, read.c, page.c); where
 *           the ranges lie and how they are divided (ranges.c). */
#include "resource.h"

#include "thermodyn/memory.h"

#include "insight.h"
#include "item_keys.h"
#include "ranges.h"

/* Start of on-demand, as it is reported. Source: AWS on-demand capacity mode, "Initial throughput". */
static const td_throughput on_demand_start = {{[TD_READ] = 12000, [TD_WRITE] = 4000}};

#define QUOTA_WINDOW_S 1.0

static td_heat *heat_of(td_resource *resource, const td_admission *admission);
static void init_buckets(td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                         td_time_us now_us);
static void init_bucket(td_bucket *bucket, td_time_us now_us, double rate, double window_s, double fill);
static void set_rate(td_bucket *bucket, td_time_us now_us, double rate, double window_s);

td_resource *td_resource__new(const td_resource_options *options, const td_capacity_effect *effect, td_time_us now_us)
{
    td_resource *resource = td_alloc_zero(sizeof *resource);
    if (resource == NULL) return NULL;
    atomic_init(&resource->references, 1);
    resource->throughput = options->throughput;
    resource->on_demand_max = options->on_demand_max;
    resource->warm = options->warm;
    resource->tree_count = options->tree_count;
    resource->has_sort_key = options->has_sort_key;
    if (options->lag.delay_us > 0) {
        resource->lag = td_lag__new(&options->lag);
        if (resource->lag == NULL) {
            td_resource__unref(resource);
            return NULL;
        }
    }
    if (options->schema != NULL) {
        resource->item_keys = td_item_keys__new(options->schema, options->placement);
        if (resource->item_keys == NULL) {
            td_resource__unref(resource);
            return NULL;
        }
    }
    td_resource__raise_warm(resource, options->billing);
    init_buckets(resource, options->billing, effect, now_us);

    uint32_t needed = td_resource__partitions_needed(resource, options->billing, effect);
    if (!td_ranges__make(resource, needed, effect, now_us)) {
        td_resource__unref(resource);
        return NULL;
    }
    td_share__apply(resource, options->billing, effect, now_us);
    td_resource__note_rates(resource, now_us);
    return resource;
}

td_resource *td_resource__ref(td_resource *resource)
{
    atomic_fetch_add_explicit(&resource->references, 1, memory_order_relaxed);
    return resource;
}

void td_resource__unref(td_resource *resource)
{
    if (resource == NULL) return;
    uint32_t before = atomic_fetch_sub_explicit(&resource->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before > 1) return;
    for (uint32_t i = 0; i < resource->partition_count; i++)
        td_partition__free(resource->partitions[i]);
    td_item_keys__free(resource->item_keys);
    td_lag__free(resource->lag);
    td_free(resource->partitions);
    td_free(resource->bounds);
    td_split_log__done(&resource->splits);
    td_heat_free(resource->heat);
    td_insights__free(resource->insights);
    td_ledger_done(&resource->ledger);
    td_free(resource);
}

uint32_t td_resource__partitions_needed(const td_resource *resource, td_billing_mode billing,
                                        const td_capacity_effect *effect)
{
    const int64_t *rate = resource->throughput.rate;
    const int64_t *max = resource->provisioned_max.rate;
    const int64_t *warm = resource->warm.rate;
    uint32_t needed = billing == TD_BILLING_ON_DEMAND
                          ? td_partitions_for_on_demand(effect, (double)max[TD_READ], (double)max[TD_WRITE])
                          : td_partitions_for_provisioned(effect, (double)rate[TD_READ], (double)rate[TD_WRITE]);
    /* The start of on-demand is what ondemand_initial_partitions stands for: it asks for no more than that. */
    if (billing == TD_BILLING_ON_DEMAND && warm[TD_READ] <= on_demand_start.rate[TD_READ] &&
        warm[TD_WRITE] <= on_demand_start.rate[TD_WRITE]) {
        return needed;
    }
    /* What a provisioned table once had is no reason for more partitions: only a warm throughput beyond it is. */
    if (billing == TD_BILLING_PROVISIONED && warm[TD_READ] <= max[TD_READ] && warm[TD_WRITE] <= max[TD_WRITE]) {
        return needed;
    }
    uint32_t for_warm = td_partitions_for_warm(effect, (double)warm[TD_READ], (double)warm[TD_WRITE]);
    return for_warm > needed ? for_warm : needed;
}

bool td_resource__grow(td_resource *resource, uint32_t needed, const td_capacity_effect *effect, td_time_us now_us)
{
    uint32_t target = td_partitions_double_to(resource->partition_count, needed);
    while (resource->partition_count < target) {
        uint32_t count = resource->partition_count;
        if (!td_ranges__double(resource, count * 2 < target ? count * 2 : target, effect, now_us)) return false;
        if (resource->partition_count == count) break;
    }
    return true;
}

void td_resource__set_rates(td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                            td_time_us now_us)
{
    bool is_provisioned = billing == TD_BILLING_PROVISIONED;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        double provisioned = is_provisioned ? (double)resource->throughput.rate[d] * effect->user_scale : -1;
        int64_t maximum = is_provisioned ? 0 : resource->on_demand_max.rate[d];
        set_rate(&resource->provisioned[d], now_us, provisioned, effect->burst_window_s);
        set_rate(&resource->quota[d], now_us, is_provisioned ? -1 : effect->table_quota[d], QUOTA_WINDOW_S);
        set_rate(&resource->maximum[d], now_us, maximum > 0 ? (double)maximum * effect->user_scale : -1,
                 effect->burst_window_s);
    }
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_partition__set_cap(resource->partitions[i], effect, now_us);
    }
    td_share__apply(resource, billing, effect, now_us);
    td_resource__note_rates(resource, now_us);
}

void td_resource__note_rates(td_resource *resource, td_time_us now_us)
{
    td_ledger_set_rates(&resource->ledger, now_us, resource->throughput.rate, resource->on_demand_max.rate);
}

void td_resource__reset_buckets(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_bucket_reset(&resource->provisioned[d], now_us, effect->initial_fill);
        td_bucket_reset(&resource->quota[d], now_us, 1);
        td_bucket_reset(&resource->maximum[d], now_us, effect->initial_fill);
        for (uint32_t i = 0; i < resource->partition_count; i++) {
            td_bucket_reset(&resource->partitions[i]->cap[d], now_us, 1);
        }
    }
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_share__reset(resource->partitions[i], effect->initial_fill, now_us);
    }
    td_share__resize(resource, effect, now_us);
}

void td_resource__forget_past(td_resource *resource)
{
    td_heat_free(resource->heat);
    resource->heat = NULL;
    resource->growth = (td_growth){.minute = 0};
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_partition *partition = resource->partitions[i];
        td_demand_done(&partition->demand);
        for (int d = 0; d < TD_DIRECTION_COUNT; d++)
            partition->usage[d] = (td_usage){0};
    }
}

void td_resource__raise_warm(td_resource *resource, td_billing_mode billing)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        int64_t provisioned = resource->throughput.rate[d];
        int64_t floor = billing == TD_BILLING_ON_DEMAND ? on_demand_start.rate[d] : provisioned;
        if (resource->warm.rate[d] < floor) resource->warm.rate[d] = floor;
        if (resource->provisioned_max.rate[d] < provisioned) resource->provisioned_max.rate[d] = provisioned;
    }
}

void td_resource__take_warm(td_resource *resource)
{
    if (!resource->has_next_warm) return;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        int64_t raised = resource->next_warm.rate[d];
        if (resource->warm.rate[d] < raised) resource->warm.rate[d] = raised;
    }
    resource->has_next_warm = false;
    resource->was_warmed = true;
}

td_admission_target *td_resource__add_target(td_resource *resource, td_partition *partition, td_slice index,
                                             td_direction direction, td_admission *admission)
{
    td_admission_target *target = td_admission_add(admission, index, direction);
    if (!td_bucket_is_unlimited(&resource->maximum[direction])) {
        target->limits[TD_LIMITED_BY_MAX_ON_DEMAND] = &resource->maximum[direction];
    }
    if (admission->billing == TD_BILLING_ON_DEMAND) {
        target->limits[TD_LIMITED_BY_ACCOUNT] = &resource->quota[direction];
    } else {
        target->limits[TD_LIMITED_BY_PROVISIONED] =
            resource->has_shares ? &partition->share[direction].bucket : &resource->provisioned[direction];
    }
    target->limits[TD_LIMITED_BY_KEY_RANGE] = &partition->cap[direction];
    target->tally = &resource->tally;
    target->ledger = &resource->ledger;
    target->usage = &partition->usage[direction];
    target->heat = heat_of(resource, admission);
    if (resource->insights != NULL && !admission->is_statement) target->contributors = resource->insights->contributors;
    target->demand = &partition->demand;
    return target;
}

uint64_t td_resource__count_entries(const td_resource *resource, uint32_t tree)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        count += td_btree_count(resource->partitions[i]->trees[tree].entries);
    }
    return count;
}

uint64_t td_resource__storage_bytes(const td_resource *resource, uint32_t tree)
{
    uint64_t bytes = TD_ENTRY_OVERHEAD_BYTES * td_resource__count_entries(resource, tree);
    for (uint32_t i = 0; i < resource->partition_count; i++)
        bytes += td_btree_weight(resource->partitions[i]->trees[tree].entries);
    return bytes;
}

/* Without memory for it the access goes unrecorded, and the next one tries again. */
static td_heat *heat_of(td_resource *resource, const td_admission *admission)
{
    if (admission->settings->values[TD_CAPACITY_record_heat] == 0) return NULL;
    if (resource->heat == NULL) resource->heat = td_heat_new(resource->has_sort_key);
    return resource->heat;
}

static void init_buckets(td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                         td_time_us now_us)
{
    bool is_provisioned = billing == TD_BILLING_PROVISIONED;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        double provisioned = is_provisioned ? (double)resource->throughput.rate[d] * effect->user_scale : -1;
        int64_t maximum = is_provisioned ? 0 : resource->on_demand_max.rate[d];
        init_bucket(&resource->provisioned[d], now_us, provisioned, effect->burst_window_s, effect->initial_fill);
        init_bucket(&resource->quota[d], now_us, is_provisioned ? -1 : effect->table_quota[d], QUOTA_WINDOW_S, 1);
        init_bucket(&resource->maximum[d], now_us, maximum > 0 ? (double)maximum * effect->user_scale : -1,
                    effect->burst_window_s, effect->initial_fill);
    }
}

/* A rate below zero: no limit. */
static void init_bucket(td_bucket *bucket, td_time_us now_us, double rate, double window_s, double fill)
{
    if (rate < 0)
        td_bucket_init_unlimited(bucket, now_us);
    else
        td_bucket_init(bucket, now_us, rate, window_s, fill);
}

static void set_rate(td_bucket *bucket, td_time_us now_us, double rate, double window_s)
{
    uint64_t throttled = bucket->throttled;
    if (rate < 0)
        td_bucket_init_unlimited(bucket, now_us);
    else
        td_bucket_set_rate(bucket, now_us, rate, window_s);
    bucket->throttled = throttled;
}
