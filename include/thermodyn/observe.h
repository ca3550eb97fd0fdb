/* SPDX-License-Identifier: Apache-2.0
 * observe.h: consistent views of what the engine holds, for control endpoints, logs, metrics and tests.
 * Everything lives in the arena given. Threads: any. */
#ifndef THERMODYN_OBSERVE_H
#define THERMODYN_OBSERVE_H

#include "thermodyn/capacity.h"
#include "thermodyn/key.h"
#include "thermodyn/partition.h"
#include "thermodyn/store.h"
#include "thermodyn/value.h"

/* Balances and rates as doubles: they are for eyes and tests, the engine's own are exact integers. */
typedef struct td_bucket_view {
    double rate;        /* units a second */
    double balance;     /* units; may be below 0 */
    double ceiling;     /* units */
    uint64_t throttled; /* requests refused because of it, since the table exists or since the last capacity reset */
} td_bucket_view;

typedef struct td_resource_view {              /* the table, or one global index */
    td_slice index;                            /* empty: the table */
    td_bucket_view bucket[TD_DIRECTION_COUNT]; /* on-demand: the quota in force */
} td_resource_view;

typedef struct td_partition_view {
    char id[16]; /* "p-0001"; an index's: its own count */
    td_slice index;
    td_key_hash hash_from; /* inclusive */
    td_key_hash hash_to;   /* inclusive; the next partition's hash_from where a collection lies in both */
    td_value *sort_from;   /* where in that collection it begins, or the beginning of it; NULL: at its first item */
    td_value *sort_to;     /* where the next one begins */
    char parent[16];       /* "": none */
    td_time_us created_us;
    uint64_t items;
    uint64_t bytes;
    td_bucket_view cap[TD_DIRECTION_COUNT];
    bool has_share; /* eras static and adaptive: of provisioned throughput it has a share of its own */
    td_bucket_view share[TD_DIRECTION_COUNT];
    double consumed_1s[TD_DIRECTION_COUNT];     /* in the last whole second */
    double consumed_minute[TD_DIRECTION_COUNT]; /* in the last minute */
    td_split_veto veto; /* why it is not split although it is hot or full; TD_VETO_NONE: it is not, or will be */
    bool is_splitting;  /* at split_done_us it will be two, because of split_cause */
    td_split_cause split_cause;
    td_time_us split_done_us;
} td_partition_view;

typedef struct td_table_view {
    td_billing_mode billing;
    td_resource_view *resources;
    uint32_t resource_count;
    td_partition_view *partitions; /* ordered: the table's by range, then each index's */
    uint32_t partition_count;
} td_table_view;

/* false: no such table, or no memory. */
TD_MUST_USE bool td_observe_table(const td_call *call, td_table_view *ret_view);

/* ---- all tables at a glance ------------------------------------------------------------------------------------ */

typedef struct td_resource_overview { /* a table, or one of its global indexes */
    td_slice index;                   /* empty: the table */
    uint64_t items;
    uint64_t bytes;
    uint32_t partition_count;
    int64_t rate[TD_DIRECTION_COUNT];         /* provisioned units a second; on-demand: the maximum that is set, or 0 */
    td_units consumed_1s[TD_DIRECTION_COUNT]; /* in the last whole second */
    uint64_t throttled[TD_DIRECTION_COUNT];   /* requests refused by its throughput or a partition of it: see above */
    double bytes_cv; /* standard deviation over mean across its partitions; 0: even, or nothing */
    double units_cv[TD_DIRECTION_COUNT];      /* the same of what the last minute consumed */
} td_resource_overview;

typedef struct td_table_overview {
    td_slice scope;
    td_slice table;
    td_billing_mode billing;
    td_resource_overview *resources; /* the table, then its global indexes */
    uint32_t resource_count;
} td_table_overview;

/* Every table of every scope, by scope and name. One lock of a table at a time: each entry is consistent in itself.
 * false: no memory. */
TD_MUST_USE bool td_observe_tables(td_store *store, td_time_us now_us, td_arena *arena,
                                   td_table_overview **ret_tables, uint32_t *ret_count);

/* ---- counters -------------------------------------------------------------------------------------------------- */

/* Buckets and burst as on the first day; partitions stay; counters of throttles start anew. false: no such table. */
TD_MUST_USE bool td_capacity_reset(const td_call *call);

/* Throttles since the last call, by table, resource and reason: for the log, which takes them once a second. */
typedef struct td_throttle_count {
    td_slice scope;
    td_slice table;
    td_throttle_reason reason;
    uint64_t count;
} td_throttle_count;

TD_MUST_USE bool td_observe_take_throttles(td_store *store, td_arena *arena, td_throttle_count **ret_counts,
                                           uint32_t *ret_count);

#endif
