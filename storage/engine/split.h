/* SPDX-License-Identifier: MIT
 * split.h: one partition becomes two.
 *
 *   plan ──────────────── split_duration ────────────────▶ due: survey in steps ─▶ cut ─▶ two children, full caps
 *   (the partition serves all the while)                   (a step holds the lock for less than a millisecond)
 *
 * The cut itself moves tree nodes, not items. What is linear, counting what the upper child will hold, is done ahead in
 * steps between which requests are served; a write behind the survey's place corrects the count.
 * Invariants: at every instant the partitions of a resource cover the key space without gap or overlap; no item is lost
 * or doubled; a split that finds no memory leaves the partition as it was and is tried again.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_SPLIT_H
#define THERMODYN_ENGINE_SPLIT_H

#include "thermodyn/partition.h"

#include "state.h"

/* The partition that holds `bound` (an encoded key or the beginning of one) will be split there at due_us: the upper
 * child begins with it. false: it is being split already, the bound is no bound inside it, or there is no memory. */
TD_MUST_USE bool td_split__plan_locked(td_table *table, uint32_t resource, td_slice bound, td_split_cause cause,
                                       td_time_us due_us);

/* Where half of the bytes lie to either side, between two partition keys, or inside a collection if it may be cut. */
TD_MUST_USE td_split_veto td_split__find_middle_locked(const td_table *table, uint32_t resource,
                                                       const td_partition *partition, td_buf *ret_bound);

/* A due entry: one step of the earliest planned split; queues itself again until it is done. */
void td_split__run_due(td_table *table, td_time_us due_us);

#endif
