/* SPDX-License-Identifier: Apache-2.0
 * partition.h: splits of partitions as they are seen and asked for from outside.
 * Source of the rules: throttling.md §2.4 and §6.3. Threads: any. */
#ifndef THERMODYN_PARTITION_H
#define THERMODYN_PARTITION_H

#include "thermodyn/base.h"
#include "thermodyn/store.h"

typedef enum td_split_cause {
    TD_SPLIT_FOR_HEAT,
    TD_SPLIT_FOR_SIZE,
    TD_SPLIT_FOR_GROWTH, /* more throughput was provisioned, warmed up or used */
    TD_SPLIT_BY_REQUEST,
    TD_SPLIT_CAUSE_COUNT
} td_split_cause;

/* Why a partition that is hot or full is not split. */
typedef enum td_split_veto {
    TD_VETO_NONE,
    TD_VETO_SINGLE_ITEM,         /* one item has nearly all of the heat */
    TD_VETO_LOCAL_INDEX,         /* only the middle of a collection is left, and a local index holds it together */
    TD_VETO_INCREASING_SORT_KEY, /* the accesses of the hot collection run ahead of its greatest sort key */
    TD_VETO_DECREASING_SORT_KEY,
    TD_VETO_SEQUENTIAL, /* the accesses move through the key range in order */
    TD_VETO_TOO_SMALL,  /* there are not two keys to part */
    TD_VETO_COUNT
} td_split_veto;

const char *td_split_cause_name(td_split_cause cause); /* "heat", "size", "growth", "request" */
const char *td_split_veto_name(td_split_veto veto);    /* "single item", …; NULL for TD_VETO_NONE */

typedef enum td_split_answer {
    TD_SPLIT_DONE,
    TD_SPLIT_NO_TABLE,
    TD_SPLIT_NO_PARTITION,
    TD_SPLIT_VETOED, /* `ret_veto` says why */
    TD_SPLIT_NO_MEMORY
} td_split_answer;

/* Splits one partition at once, at the point that its heat gives, else at the middle of its bytes, else (empty) of its
 * range. `index`: the global index's name, empty for the table. */
TD_MUST_USE td_split_answer td_partition_split(const td_call *call, td_slice index, td_slice id,
                                               td_split_veto *ret_veto);

/* A split that happened, or a veto, since the last call: for the log, which takes them as it takes throttles. */
typedef struct td_split_event {
    td_time_us at_us;
    td_slice scope;
    td_slice table;
    td_slice index;
    char partition[16];
    td_split_cause cause;
    td_split_veto veto;   /* TD_VETO_NONE: it was split */
    char children[2][16]; /* "": none */
} td_split_event;

TD_MUST_USE bool td_partition_take_events(td_store *store, td_arena *arena, td_split_event **ret_events,
                                          uint32_t *ret_count);

#endif
