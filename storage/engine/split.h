/* SPDX-License-Identifier: Apache-2.0
 * split.h: one partition becomes two.
 *
 *   plan ──────────────── split_duration ────────────────▶ due: cut ─▶ two children, full caps, shards of their own
 *   (the partition serves all the while)
 *
 * The cut moves tree nodes, not items: it costs as many steps as the trees are deep, since every node knows what lies
 * below it, and takes all of its memory before it changes anything.
 * Invariants: at every instant the partitions of a resource cover the key space without gap or overlap; no item is lost
 * or doubled; a split that finds no memory leaves the partition as it was and is tried again.
 * Threads: the caller holds the table's lock, but for run_due. */
#ifndef THERMODYN_ENGINE_SPLIT_H
#define THERMODYN_ENGINE_SPLIT_H

#include "thermodyn/partition.h"

#include "state.h"

/* The partition that holds `bound` (an encoded key or the beginning of one) will be split there at due_us: the upper
 * child begins with it. false: it is being split already, the bound is no bound inside it, or there is no memory. */
TD_MUST_USE bool td_split__plan_locked(td_table *table, uint32_t resource, td_slice bound, td_split_cause cause,
                                       td_time_us due_us);

/* The same of a partition that has no plan, whatever the bound is (empty: the middle): it was planned before. */
bool td_split__plan_again_locked(td_table *table, td_resource *resource, td_partition *partition,
                                 td_slice bound, td_split_cause cause, td_time_us due_us);

/* When a split that is decided on now will be done. */
td_time_us td_split__due_locked(td_table *table, td_time_us now_us);

/* Partitions of the resource that will be split. */
static inline uint32_t td_split__count_planned(const td_resource *resource)
{
    return resource->planned_count;
}

/* Why a partition that is hot is not split; TD_VETO_NONE: nothing stands against it. A new reason is logged. */
void td_split__set_veto(td_resource *resource, td_partition *partition, td_split_veto veto, td_time_us now_us);

/* Plans the split of a partition that holds too much; of all that do. */
void td_split__mind_size_locked(td_table *table, td_resource *resource, td_partition *partition, td_time_us now_us);
void td_split__mind_sizes_locked(td_table *table, td_resource *resource, td_time_us now_us);

/* The same after a write to that partition: one comparison. */
static inline void td_split__notice_write_locked(td_table *table, td_resource *resource, td_partition *partition,
                                                 td_time_us now_us)
{
    bool is_full = (double)td_partition__storage_bytes(partition) > table->effect.partition_bytes;
    if (is_full && partition->plan == NULL) td_split__mind_size_locked(table, resource, partition, now_us);
}

/* A due entry: the planned splits whose time has come. */
void td_split__run_due(td_table *table, td_time_us due_us);

#endif
