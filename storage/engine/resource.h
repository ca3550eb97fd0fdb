/* SPDX-License-Identifier: Apache-2.0
 * resource.h: what has throughput and partitions of its own: the table, or one of its global indexes.
 *
 * Routing is data: the lower bounds of the partitions' ranges in one array, searched (ranges.h). Partitions are added
 * by splitting and never merged.
 * Threads: the caller holds the table's lock, but for new, ref and unref. */
#ifndef THERMODYN_ENGINE_RESOURCE_H
#define THERMODYN_ENGINE_RESOURCE_H

#include <stdatomic.h>

#include "thermodyn/table.h"

#include "capacity/admission.h"
#include "lag.h"
#include "growth.h"
#include "partition.h"
#include "split_log.h"
#include "stream.h"

typedef struct td_resource {
    _Atomic uint32_t references;
    struct td_trail *trail; /* where its changes are noted for the latest snapshot (trail.h); NULL: they are not */
    td_table_status status; /* of an index; the table's own stands in the table */
    bool is_backfilling;
    td_throughput throughput;      /* in force; on-demand: 0 */
    td_throughput next_throughput; /* what an UpdateTable under way will put in force */
    bool has_next_throughput;
    td_throughput provisioned_max; /* the highest ever provisioned */
    td_throughput warm;            /* never lowered */
    td_throughput next_warm;       /* what a raise under way leads to */
    bool has_next_warm;
    bool was_warmed;                 /* it was raised by request before: that takes less time */
    td_time_us warm_due_us;          /* of the raise under way, with table delays */
    td_on_demand_max on_demand_max;  /* 0: none */
    td_throughput_history history;   /* decreases_today counts those of the day of decrease_accepted_us */
    td_time_us decrease_accepted_us; /* when the last decrease was asked for: what the daily budget goes by; 0: never */
    td_bucket provisioned[TD_DIRECTION_COUNT];
    td_bucket quota[TD_DIRECTION_COUNT];
    td_bucket maximum[TD_DIRECTION_COUNT];
    td_growth growth; /* on-demand: what it has grown with */
    bool has_shares;  /* eras static and adaptive: the partitions' shares are asked in the place of `provisioned` */
    td_throttle_tally tally;
    td_stream *stream; /* the table's, while it is enabled: its shards follow the partitions; NULL: none. Borrowed */
    td_ledger ledger;
    td_heat *heat;     /* where it was used, from the first time on; NULL: not yet */
    struct td_insights *insights; /* insight.h; NULL: they were never enabled */
    bool has_sort_key;
    td_lag *lag;         /* NULL: every read sees what the last write left */
    struct td_item_keys *item_keys; /* of tree 0 (item_keys.h); NULL: of an index, which keeps its keys */
    uint32_t tree_count;            /* of each partition */
    uint32_t partition_count;
    uint32_t partition_room;
    uint32_t planned_count;    /* of the partitions, those that have a plan */
    uint32_t last_number;      /* of a partition, present or past */
    td_partition **partitions; /* by range (ranges.h) */
    uint64_t *bounds;          /* hash_from of each, for the search */
    td_split_log splits;
} td_resource;

typedef struct td_resource_options {
    struct td_schema *schema; /* of a table, whose items it holds; NULL: of an index. Referenced */
    td_placement placement;   /* with `schema` */
    uint32_t tree_count;
    bool has_sort_key;
    td_billing_mode billing;
    td_throughput throughput;
    td_on_demand_max on_demand_max;
    td_throughput warm; /* 0: not given */
    td_lag_options lag;
} td_resource_options;

/* As many partitions of equal ranges as its throughput or mode asks for, buckets as on the first day. NULL: no memory.
 * The caller owns one reference. */
TD_MUST_USE td_resource *td_resource__new(const td_resource_options *options, const td_capacity_effect *effect,
                                          td_time_us now_us);
td_resource *td_resource__ref(td_resource *resource);
void td_resource__unref(td_resource *resource); /* NULL is allowed */

/* The partition of an encoded key, by its position in the ranges. */
uint32_t td_resource__find_partition_at(const td_resource *resource, td_slice key);
static inline td_partition *td_resource__find_partition(const td_resource *resource, td_slice key)
{
    return resource->partitions[td_resource__find_partition_at(resource, key)];
}

/* Partitions that its throughput, warm throughput or mode ask for. */
uint32_t td_resource__partitions_needed(const td_resource *resource, td_billing_mode billing,
                                        const td_capacity_effect *effect);

/* Doubles all partitions until `needed` are there, or none can be divided. false: no memory, those that were split stay
 * split. */
TD_MUST_USE bool td_resource__grow(td_resource *resource, uint32_t needed, const td_capacity_effect *effect,
                                   td_time_us now_us);

/* What is provisioned and the maxima, from now on, for the metrics. */
void td_resource__note_rates(td_resource *resource, td_time_us now_us);

/* Brings rates and ceilings of all buckets in line with throughput, mode and settings; balances stay. */
void td_resource__set_rates(td_resource *resource, td_billing_mode billing, const td_capacity_effect *effect,
                            td_time_us now_us);
/* Buckets as on the first day; counts of throttles start anew. */
void td_resource__reset_buckets(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us);

/* What was measured of it is forgotten: its clock may have gone back since. */
void td_resource__forget_past(td_resource *resource);

/* Puts the raise under way in force; the partitions follow by td_resource__grow. */
void td_resource__take_warm(td_resource *resource);

/* Raises the warm throughput to what was provisioned or is the start of on-demand. */
void td_resource__raise_warm(td_resource *resource, td_billing_mode billing);

/* Adds the target of one partition, with the limits in force. `index` is the resource's name for messages, borrowed
 * as long as they are: the schema's. */
td_admission_target *td_resource__add_target(td_resource *resource, td_partition *partition, td_slice index,
                                             td_direction direction, td_admission *admission);

uint64_t td_resource__count_entries(const td_resource *resource, uint32_t tree);
uint64_t td_resource__storage_bytes(const td_resource *resource, uint32_t tree); /* with overhead */

#endif
