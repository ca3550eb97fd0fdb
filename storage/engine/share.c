/* SPDX-License-Identifier: Apache-2.0
 * share.c: dividing provisioned throughput among partitions, and adding it up again.
 * Not here: when a share is boosted (boost.c); who asks it (resource.c). */
#include "share.h"

#include "resource.h"

static void divide_pool(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us);
static void gather_pool(td_resource *resource, td_time_us now_us);

void td_share__init(td_share *share, td_time_us now_us)
{
    *share = (td_share){.boost = 0};
    td_bucket_init_unlimited(&share->bucket, now_us);
}

void td_share__apply(td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                     td_time_us now_us)
{
    bool is_wanted = billing == TD_BILLING_PROVISIONED && effect->era != TD_ERA_INSTANT;
    if (is_wanted && !resource->has_shares) divide_pool(resource, effect, now_us);
    if (!is_wanted && resource->has_shares) gather_pool(resource, now_us);
    resource->has_shares = is_wanted;
    if (effect->era != TD_ERA_ADAPTIVE) {
        for (uint32_t i = 0; i < resource->partition_count; i++) {
            for (int d = 0; d < TD_DIRECTION_COUNT; d++)
                resource->partitions[i]->share[d].boost = 0;
        }
    }
    td_share__resize(resource, effect, now_us);
}

void td_share__divide(td_partition *lower, td_partition *upper, td_time_us now_us)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_bucket *bucket = &lower->share[d].bucket;
        if (td_bucket_is_unlimited(bucket)) continue;
        td_bucket_refill(bucket, now_us);
        upper->share[d] = lower->share[d];
        upper->share[d].bucket.balance_nano = bucket->balance_nano / 2;
        bucket->balance_nano -= bucket->balance_nano / 2;
        upper->share[d].bucket.throttled = 0;
        upper->share[d].throttled_count = 0;
    }
}

void td_share__resize(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us)
{
    if (!resource->has_shares) return;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        double rate = td_share__rate(resource, (td_direction)d, effect);
        for (uint32_t i = 0; i < resource->partition_count; i++) {
            td_share *share = &resource->partitions[i]->share[d];
            td_bucket_set_rate(&share->bucket, now_us, rate * (1 + share->boost), effect->burst_window_s);
        }
    }
}

void td_share__reset(td_partition *partition, double fill, td_time_us now_us)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_share *share = &partition->share[d];
        share->boost = 0;
        share->throttled_us = 0;
        share->throttled_count = 0;
        if (td_bucket_is_unlimited(&share->bucket))
            share->bucket.throttled = 0;
        else
            td_bucket_reset(&share->bucket, now_us, fill);
    }
}

double td_share__rate(const td_resource *resource, td_direction direction, const td_capacity_effect *effect)
{
    TD_ASSERT(resource->partition_count > 0);
    return (double)resource->throughput.rate[direction] * effect->user_scale / resource->partition_count;
}

td_bucket_view td_share__get_view(const td_resource *resource, td_direction direction, td_time_us now_us)
{
    td_bucket_view sum = {.throttled = resource->provisioned[direction].throttled};
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_bucket_view part = td_bucket_get_view(&resource->partitions[i]->share[direction].bucket, now_us);
        sum.rate += part.rate;
        sum.balance += part.balance;
        sum.ceiling += part.ceiling;
        sum.throttled += part.throttled;
    }
    return sum;
}

/* Each partition gets its part of what the pool has, or owes. */
static void divide_pool(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us)
{
    uint32_t count = resource->partition_count;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_bucket *pool = &resource->provisioned[d];
        td_bucket_refill(pool, now_us);
        double rate = td_share__rate(resource, (td_direction)d, effect);
        for (uint32_t i = 0; i < count; i++) {
            td_share *share = &resource->partitions[i]->share[d];
            td_share__init(share, now_us);
            td_bucket_init(&share->bucket, now_us, rate, effect->burst_window_s, 0);
            int64_t part_nano = pool->balance_nano / count;
            bool is_over = part_nano > share->bucket.ceiling_nano; /* by rounding */
            share->bucket.balance_nano = is_over ? share->bucket.ceiling_nano : part_nano;
        }
    }
}

static void gather_pool(td_resource *resource, td_time_us now_us)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_bucket *pool = &resource->provisioned[d];
        double balance_nano = 0;
        for (uint32_t i = 0; i < resource->partition_count; i++) {
            td_share *share = &resource->partitions[i]->share[d];
            td_bucket_refill(&share->bucket, now_us);
            balance_nano += (double)share->bucket.balance_nano;
            pool->throttled += share->bucket.throttled;
            td_share__init(share, now_us);
        }
        if (td_bucket_is_unlimited(pool)) continue; /* on-demand has no pool */
        td_bucket_set_balance(pool, now_us, balance_nano);
    }
}
