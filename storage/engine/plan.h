/* SPDX-License-Identifier: Apache-2.0
 * plan.h: the partitions of a table that are to be split, by when.
 *
 * A plan belongs to its partition: it goes when the partition goes, with a dropped index or table, and when the
 * partition is split for another reason it passes to the half that it is about.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_PLAN_H
#define THERMODYN_ENGINE_PLAN_H

#include "thermodyn/base.h"
#include "thermodyn/partition.h"

struct td_partition;
struct td_resource;

typedef struct td_split_plan {
    struct td_split_plan *next;  /* the next to fall due, in all of the table */
    struct td_split_plan **link; /* what points to this one; NULL: it is in no list */
    struct td_partition *partition;
    struct td_resource *resource;
    td_split_cause cause;
    td_time_us due_us;
    uint32_t bound_len; /* 0: in the middle, wherever that is then */
    uint8_t bound[];
} td_split_plan;

/* Of a partition that has none, in the list of the table. false: no memory. */
TD_MUST_USE bool td_split_plan__new(td_split_plan **first, struct td_resource *resource, struct td_partition *partition,
                                    td_slice bound, td_split_cause cause, td_time_us due_us);

/* Out of the list and from its partition. NULL is allowed. */
void td_split_plan__free(td_split_plan *plan);

/* Another time. */
void td_split_plan__defer(td_split_plan **first, td_split_plan *plan, td_time_us due_us);

/* `lower` was cut at `bound`: its plan is about one half of it, or fulfilled. */
void td_split_plan__pass_on(struct td_partition *lower, struct td_partition *upper, td_slice bound);

#endif
