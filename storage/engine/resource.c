/* SPDX-License-Identifier: MIT
 * resource.c: throughput and partitions of a table or a global index.
 *
 * Model:    throttling.md §2.3: a new resource has equal ranges; a raise doubles all partitions; nothing is merged.
 *           §6.2: the provisioned pool is the table's, the cap the partition's, the quota holds for on-demand alone.
 * Not here: when throughput changes (update.c, due.c); who may read or write (write.c, read.c, page.c). */
#include "resource.h"

#include "thermodyn/memory.h"

/* Start of on-demand, as it is reported. Source: AWS on-demand capacity mode, "Initial throughput". */
static const td_throughput on_demand_start = {{[TD_READ] = 12000, [TD_WRITE] = 4000}};

#define QUOTA_WINDOW_S 1.0

static td_heat *heat_of(td_resource *resource, const td_admission *admission);
static bool make_partitions(td_resource *resource, uint32_t count, const td_capacity_effect *effect, td_time_us now_us);
static bool double_partitions(td_resource *resource, uint32_t count, const td_capacity_effect *effect,
                              td_time_us now_us);
static td_partition *split(td_resource *resource, td_partition *lower, uint64_t bound, const td_capacity_effect *effect,
                           td_time_us now_us);
static uint64_t bound_of(uint32_t index, uint32_t count);
static void init_buckets(td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                         td_time_us now_us);
static void init_bucket(td_bucket *bucket, td_time_us now_us, double rate, double window_s, double fill);
static void set_rate(td_bucket *bucket, td_time_us now_us, double rate, double window_s);

td_resource *td_resource__new(const td_resource_options *options, const td_capacity_effect *effect, td_time_us now_us)
{
    td_resource *resource = td_alloc_zero(sizeof *resource);
    if (resource == NULL) return NULL;
    resource->throughput = options->throughput;
    resource->on_demand_max = options->on_demand_max;
    resource->warm = options->warm;
    resource->tree_count = options->tree_count;
    resource->has_sort_key = options->has_sort_key;
    if (options->lag.delay_us > 0) {
        resource->lag = td_lag__new(&options->lag);
        if (resource->lag == NULL) {
            td_resource__free(resource);
            return NULL;
        }
    }
    td_resource__raise_warm(resource, options->billing);
    init_buckets(resource, options->billing, effect, now_us);

    uint32_t needed = td_resource__partitions_needed(resource, options->billing, effect);
    if (!make_partitions(resource, needed, effect, now_us)) {
        td_resource__free(resource);
        return NULL;
    }
    td_share__apply(resource, options->billing, effect, now_us);
    return resource;
}

void td_resource__free(td_resource *resource)
{
    if (resource == NULL) return;
    for (uint32_t i = 0; i < resource->partition_count; i++)
        td_partition__free(resource->partitions[i]);
    td_lag__free(resource->lag);
    td_free(resource->partitions);
    td_free(resource->bounds);
    td_heat_free(resource->heat);
    td_free(resource);
}

/* Ranges are equal until something splits them: the guess is right then, and the search settles the rest. */
uint32_t td_resource__find_partition_at(const td_resource *resource, uint64_t hash)
{
    const uint64_t *bounds = resource->bounds;
    uint32_t count = resource->partition_count;
    uint32_t guess = (uint32_t)(((unsigned __int128)hash * count) >> 64);
    if (bounds[guess] <= hash && (guess + 1 == count || hash < bounds[guess + 1])) return guess;

    uint32_t low = 0; /* bounds[low] <= hash < bounds[high] */
    uint32_t high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (bounds[middle] <= hash)
            low = middle;
        else
            high = middle;
    }
    return low;
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
        uint32_t next = resource->partition_count * 2;
        if (!double_partitions(resource, next < target ? next : target, effect, now_us)) return false;
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
    target->usage = &partition->usage[direction];
    target->heat = heat_of(resource, admission);
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

static bool make_partitions(td_resource *resource, uint32_t count, const td_capacity_effect *effect, td_time_us now_us)
{
    TD_ASSERT(count >= 1);
    resource->partitions = td_alloc_zero(count * sizeof(td_partition *));
    resource->bounds = td_alloc_zero(count * sizeof *resource->bounds);
    if (resource->partitions == NULL || resource->bounds == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        td_partition *partition = td_partition__new(i + 1, resource->tree_count, resource->lag != NULL, now_us, effect);
        if (partition == NULL) return false;
        partition->hash_from = bound_of(i, count);
        partition->hash_to = i + 1 == count ? UINT64_MAX : bound_of(i + 1, count) - 1;
        resource->partitions[i] = partition;
        resource->bounds[i] = partition->hash_from;
        resource->partition_count = i + 1;
    }
    resource->last_number = count;
    return true;
}

/* Splits each partition in the middle of its range, until there are `count`. What was split stays so when there is no
 * memory for the rest: every state on the way is a valid one. */
static bool double_partitions(td_resource *resource, uint32_t count, const td_capacity_effect *effect,
                              td_time_us now_us)
{
    uint32_t old_count = resource->partition_count;
    TD_ASSERT(count > old_count && count <= 2 * old_count);
    td_partition **partitions = td_alloc_zero(count * sizeof(td_partition *));
    uint64_t *bounds = td_alloc_zero(count * sizeof *bounds);
    bool is_complete = partitions != NULL && bounds != NULL;
    uint32_t made = 0;
    for (uint32_t i = 0; i < old_count && partitions != NULL && bounds != NULL; i++) {
        td_partition *lower = resource->partitions[i];
        partitions[made++] = lower;
        uint64_t width = lower->hash_to - lower->hash_from;
        bool is_wanted = made + (old_count - i - 1) < count && width > 0;
        if (!is_wanted || !is_complete) continue;
        td_partition *upper = split(resource, lower, lower->hash_from + width / 2 + 1, effect, now_us);
        is_complete = upper != NULL;
        if (upper != NULL) partitions[made++] = upper;
    }
    if (partitions == NULL || bounds == NULL) {
        td_free(partitions);
        td_free(bounds);
        return false;
    }
    for (uint32_t i = 0; i < made; i++)
        bounds[i] = partitions[i]->hash_from;
    td_free(resource->partitions);
    td_free(resource->bounds);
    resource->partitions = partitions;
    resource->bounds = bounds;
    resource->partition_count = made;
    td_share__resize(resource, effect, now_us);
    return is_complete;
}

/* Makes a partition of the upper half, and successors of the shard. NULL: no memory, unchanged. */
static td_partition *split(td_resource *resource, td_partition *lower, uint64_t bound, const td_capacity_effect *effect,
                           td_time_us now_us)
{
    uint32_t number = resource->last_number + 1;
    if (resource->stream != NULL && !td_stream__reserve_split(resource->stream, number)) return NULL;
    td_partition *upper = td_partition__new(number, resource->tree_count, resource->lag != NULL, now_us, effect);
    if (upper == NULL || !td_partition__split(lower, bound, upper)) {
        td_partition__free(upper);
        return NULL;
    }
    if (resource->stream != NULL) td_stream__split(resource->stream, lower->number, number, now_us);
    td_share__divide(lower, upper, now_us);
    resource->last_number = number;
    return upper;
}

/* The lowest hash whose partition is `index`: floor(hash × count / 2^64) = index. */
static uint64_t bound_of(uint32_t index, uint32_t count)
{
    unsigned __int128 scaled = (unsigned __int128)index << 64;
    return (uint64_t)((scaled + count - 1) / count);
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
