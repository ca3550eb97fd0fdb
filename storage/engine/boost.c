/* SPDX-License-Identifier: Apache-2.0
 * boost.c: the controller of era adaptive.
 *
 * Model:    throttling.md §6.2. After boost_delay of throttles, at each tick with throttles: boost += half of what was
 *           offered beyond the share, as a part of it. All boosts together add no more than the table leaves unused,
 *           and none lifts a share above the partition's cap. While the table consumes more than is provisioned,
 *           which only bursts allow, boosts decay by a tenth a minute.
 * Not here: the shares themselves (share.c); caps, which are asked beside them (partition.c). */
#include "boost.h"

#include <math.h>

#define GAIN 0.5
#define KEPT_A_MINUTE 0.9

/* One direction of a resource at a tick; rates in units a second. */
typedef struct boosting {
    td_resource *resource;
    td_direction direction;
    const td_capacity_effect *effect;
    td_time_us window_us;
    td_time_us now_us;
    double share; /* without boost */
    double spare; /* what is provisioned and was not consumed; below 0: more was */
} boosting;

static void tick_direction(boosting *it);
static bool note_throttles(const boosting *it, td_share *share);
static double consumed_by(const boosting *it, const td_partition *partition);
static double wanted_by(const boosting *it, const td_partition *partition);
static bool is_due(const boosting *it, const td_share *share);
static void set_boost(const boosting *it, td_share *share, double boost);

void td_boost__tick_locked(td_table *table, td_time_us window_us, td_time_us now_us)
{
    if (table->effect.era != TD_ERA_ADAPTIVE || table->billing != TD_BILLING_PROVISIONED) return;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
            tick_direction(&(boosting){.resource = table->resources[i],
                                       .direction = (td_direction)d,
                                       .effect = &table->effect,
                                       .window_us = window_us,
                                       .now_us = now_us});
        }
    }
}

static void tick_direction(boosting *it)
{
    td_resource *resource = it->resource;
    it->share = td_share__rate(resource, it->direction, it->effect);
    it->spare = it->share * resource->partition_count;
    for (uint32_t i = 0; i < resource->partition_count; i++)
        it->spare -= consumed_by(it, resource->partitions[i]);

    double asked = 0; /* beyond what they consume, by those that are to be boosted */
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_partition *partition = resource->partitions[i];
        td_share *share = &partition->share[it->direction];
        if (!note_throttles(it, share) || it->spare < 0 || !is_due(it, share)) continue;
        asked += fmax(0, wanted_by(it, partition) - consumed_by(it, partition));
    }
    double kept = pow(KEPT_A_MINUTE, (double)it->window_us / (double)it->effect->minute_us);
    double part = asked > it->spare ? it->spare / asked : 1;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        td_partition *partition = resource->partitions[i];
        td_share *share = &partition->share[it->direction];
        if (it->spare < 0) {
            if (share->boost > 0) set_boost(it, share, share->boost * kept);
        } else if (is_due(it, share)) {
            double consumed = consumed_by(it, partition);
            double rate = consumed + part * (wanted_by(it, partition) - consumed);
            set_boost(it, share, fmax(share->boost, rate / it->share - 1));
        }
    }
}

/* Answers whether there were any since the last tick. */
static bool note_throttles(const boosting *it, td_share *share)
{
    bool has_throttled = share->bucket.throttled != share->throttled_count;
    share->throttled_count = share->bucket.throttled;
    if (!has_throttled)
        share->throttled_us = 0;
    else if (share->throttled_us == 0)
        share->throttled_us = it->now_us - it->window_us;
    return has_throttled;
}

/* Whole seconds are what usage is kept by. */
static double consumed_by(const boosting *it, const td_partition *partition)
{
    td_time_us seconds = it->window_us / TD_US_PER_S;
    if (seconds < 1) seconds = 1;
    if (seconds > TD_USAGE_SECONDS) seconds = TD_USAGE_SECONDS;
    td_units units = td_usage_last(&partition->usage[it->direction], it->now_us, (uint32_t)seconds);
    return (double)units / (double)TD_UNITS_ONE / (double)seconds;
}

/* The rate that the next step leads to, if there is throughput for it. */
static double wanted_by(const boosting *it, const td_partition *partition)
{
    td_units units = td_demand_get_last(&partition->demand, it->direction);
    double offered = (double)units / (double)TD_UNITS_ONE * (double)TD_US_PER_S / (double)it->window_us;
    double step = GAIN * fmax(0, offered / it->share - 1);
    return fmin(it->share * (1 + partition->share[it->direction].boost + step),
                it->effect->partition_cap[it->direction]);
}

/* Boosts that are there already grow without a delay. */
static bool is_due(const boosting *it, const td_share *share)
{
    if (share->throttled_us == 0) return false;
    return share->boost > 0 || it->now_us - share->throttled_us >= it->effect->boost_delay_us;
}

static void set_boost(const boosting *it, td_share *share, double boost)
{
    share->boost = boost;
    td_bucket_set_rate(&share->bucket, it->now_us, it->share * (1 + boost), it->effect->burst_window_s);
}
