/* SPDX-License-Identifier: Apache-2.0
 * metrics.h: what tables and global indexes consumed and where they throttled, by the minute of the server's clock,
 * and since they exist. The one accountant feeds it (storage/capacity/admission.c), so that the sums are those of heat
 * maps, of ConsumedCapacity and of what buckets gave, to the unit.
 *
 * Samples  Consumed: what one operation took of the resource: one item's access (also as an element of a batch or a
 *          transaction), or one page. Table and indexes are told apart: the table's includes its local indexes.
 * Events   Each refusal of one operation by one resource in one direction is one throttle event, and one of each cause
 *          that was told; with report_all_reasons these may be more. With enforce "observe" they are counted too.
 * Not here: what is counted by request rather than by resource, and errors (server/metrics/metrics.h).
 * Threads: any; one lock of a table at a time. */
#ifndef THERMODYN_METRICS_H
#define THERMODYN_METRICS_H

#include "thermodyn/capacity.h"
#include "thermodyn/partition.h"
#include "thermodyn/series.h"
#include "thermodyn/store.h"

typedef enum td_metric {
#define TD_METRIC(id, name) TD_METRIC_##id,
#include "thermodyn/metrics.def"
#undef TD_METRIC
    TD_METRIC_COUNT
} td_metric;

/* "ConsumedReadCapacityUnits", … */
const char *td_metric_name(td_metric metric);

static inline bool td_metric_is_units(td_metric metric)
{
    return metric == TD_METRIC_CONSUMED_READ || metric == TD_METRIC_CONSUMED_WRITE;
}

/* What is provisioned, and the maxima that are set: they hold until they are changed; a sample every five minutes. */
static inline bool td_metric_is_held(td_metric metric)
{
    return metric >= TD_METRIC_RATE_READ;
}

/* ---- by the minute: for CloudWatch ------------------------------------------------------------------------------ */

/* A table or global index that had traffic, or throughput of its own, also when it is gone by now. */
typedef struct td_metered {
    td_slice scope;
    td_slice table;
    td_slice index;    /* empty: the table */
    bool is_gone;      /* dropped; what it recorded is kept for the last 1,000 of them */
    uint32_t recorded; /* 1 << td_metric of each that ever had a sample */
} td_metered;

/* All of them, by scope, table and index; of one that was dropped and made again, one entry. false: no memory. */
TD_MUST_USE bool td_store_list_metered(td_store *store, td_arena *arena, td_metered **ret_metered, uint32_t *ret_count);

/* Adds the samples of each period to points[0 … window->count - 1], milli-units, events or (held) units; also of a
 * dropped one of the same name. false: none of that name is known. */
TD_MUST_USE bool td_store_read_metric(td_store *store, const td_metered *resource, td_metric metric,
                                      const td_series_window *window, td_samples *points);

/* Quotas of the account, and of each of its tables, as the settings say them. */
typedef enum td_account_quota {
    TD_QUOTA_ACCOUNT_READS,
    TD_QUOTA_ACCOUNT_WRITES,
    TD_QUOTA_TABLE_READS,
    TD_QUOTA_TABLE_WRITES,
} td_account_quota;

/* What an account had at each five minutes of a window up to now, in units. */
typedef struct td_account_step {
    td_time_us at_us;
    int64_t quota;
    int64_t provisioned; /* by all tables and global indexes of the scope */
    int64_t greatest;    /* by one of them */
} td_account_step;

/* With what is provisioned in that direction. false: no memory. */
TD_MUST_USE bool td_store_read_account(td_store *store, td_slice scope, td_account_quota quota, td_direction direction,
                                       const td_series_window *window, td_arena *arena, td_account_step **ret_steps,
                                       uint32_t *ret_count);

/* ---- since they exist: for Prometheus ---------------------------------------------------------------------------- */

typedef struct td_resource_totals {
    td_slice index;                        /* empty: the table */
    td_units consumed[TD_DIRECTION_COUNT]; /* milli-units; never start anew */
    uint64_t throttle_events[TD_DIRECTION_COUNT];
    uint64_t throttles[TD_DIRECTION_COUNT][TD_LIMIT_KIND_COUNT]; /* by cause */
    uint64_t splits[TD_SPLIT_CAUSE_COUNT];                       /* those that happened */
    uint32_t vetoes[TD_VETO_COUNT];                              /* partitions that are not split, now, by reason */
    uint64_t items;
    uint64_t bytes; /* with overhead, local indexes included */
    uint32_t partition_count;
    int64_t rate[TD_DIRECTION_COUNT];   /* provisioned; on-demand: the maximum that is set, or 0 */
    double balance[TD_DIRECTION_COUNT]; /* units in the pool that `rate` fills, or (on-demand) the account's quota */
    double ceiling[TD_DIRECTION_COUNT]; /* the most that it may hold */
    uint64_t lost;                      /* minutes that are in no series for want of memory; totals have them */
} td_resource_totals;

typedef struct td_table_totals {
    td_slice scope;
    td_slice table;
    td_billing_mode billing;
    td_resource_totals *resources; /* the table, then its global indexes */
    uint32_t resource_count;
} td_table_totals;

/* The tables there are, by scope and name, at most tables_max of them; *ret_left_out: how many more there are.
 * false: no memory. */
TD_MUST_USE bool td_store_view_totals(td_store *store, td_time_us now_us, uint32_t tables_max, td_arena *arena,
                                      td_table_totals **ret_tables, uint32_t *ret_count, uint32_t *ret_left_out);

#endif
