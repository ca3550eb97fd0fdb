/* SPDX-License-Identifier: Apache-2.0
 * share.h: a partition's part of the provisioned throughput, in the eras in which there is no pool for all.
 *
 *   era instant            one pool: resource->provisioned
 *   era static, adaptive   pool ÷ partitions = shares, each a bucket whose window is the burst's: what a partition does
 *                          not use it saves up for itself alone
 *
 * A split makes every share smaller (throughput ÷ partitions) and divides the parent's balance between its children.
 * From one era to the other the balances are divided or added up: nothing is given away and nothing is lost.
 * Source: throttling.md §2.5, §6.2. Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_SHARE_H
#define THERMODYN_ENGINE_SHARE_H

#include "capacity/bucket.h"
#include "capacity/sizing.h"

struct td_partition;
struct td_resource;

/* One direction of a partition. */
typedef struct td_share {
    td_bucket bucket;         /* unlimited: shares are not in force */
    double boost;             /* era adaptive: how much of the share comes on top of it; 0: nothing */
    td_time_us throttled_us;  /* since when every tick has found throttles; 0: the last one has found none */
    uint64_t throttled_count; /* the bucket's, at the last tick */
} td_share;

/* Not in force. */
void td_share__init(td_share *share, td_time_us now_us);

/* Brings the shares in line with the era, the throughput and the number of partitions. The pool's rate is set. */
void td_share__apply(struct td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                     td_time_us now_us);

/* Of a partition that is split: a half of the balance to each. td_share__resize follows when both are in their
 * places. */
void td_share__divide(struct td_partition *lower, struct td_partition *upper, td_time_us now_us);
void td_share__resize(struct td_resource *resource, const td_capacity_effect *effect, td_time_us now_us);

/* As on the first day, without boosts. */
void td_share__reset(struct td_partition *partition, double fill, td_time_us now_us);

/* Units a second of a share without its boost. */
double td_share__rate(const struct td_resource *resource, td_direction direction, const td_capacity_effect *effect);

/* All shares together, as if they were the pool. */
td_bucket_view td_share__get_view(const struct td_resource *resource, td_direction direction, td_time_us now_us);

#endif
