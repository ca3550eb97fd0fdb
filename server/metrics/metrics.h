/* SPDX-License-Identifier: Apache-2.0
 * metrics.h: what is counted of requests: by minute for CloudWatch, since the start for Prometheus.
 *
 *   worker ── td_metrics_record ──▶ its recorder: plain counters and an open minute that it alone writes
 *                                     │ a minute is over, or a table is new: under the recorder's lock
 *   scrape, CloudWatch ◀── sum ───────┘
 *
 * A recorder's counters are written by one thread with relaxed stores and read by any with relaxed loads: no lock and
 * no locked instruction on the way of a request. Sums over recorders are exact once the requests have been answered.
 *
 * What a request counts as:
 *   LATENCY               µs from the request being whole to its answer, delays of fault rules included; successes, for
 *                         each table named
 *   RETURNED_ITEMS        items in the answer of a Query, Scan or SELECT
 *   THROTTLED             1 a request and table with a throttle that was told, by a limit or a fault rule; of a batch,
 *                         only when all of its elements throttled
 *   SYSTEM_ERRORS         1 for an answer of 500 and more
 *   CONDITION_FAILED      1 for a condition that failed, in a transaction too
 *   TRANSACTION_CONFLICT  items that conflicted: the sum counts items, the samples requests
 *   USER_ERRORS           1 for an answer of 400 to 499 that is neither ProvisionedThroughputExceededException nor
 *                         ConditionalCheckFailedException
 * Figures of tables are kept of the data operations and GetRecords, for tables that exist or existed: a name that is
 * not found makes no entry. At most TD_METRICS_ENTRIES_MAX entries a recorder; the one idle for longest makes room.
 * Not here: units and throttle events (thermodyn/metrics.h). */
#ifndef THERMODYN_METRICS_METRICS_H
#define THERMODYN_METRICS_METRICS_H

#include <stdatomic.h>

#include "thermodyn/arena.h"
#include "thermodyn/series.h"
#include "thermodyn/status.h"

#define TD_METRICS_OPERATIONS_MAX 64 /* rows of operations.def, and the last for what names none */
#define TD_METRICS_NO_OPERATION (TD_METRICS_OPERATIONS_MAX - 1)
#define TD_METRICS_ENTRIES_MAX 8192
#define TD_METRICS_LATENCY_BUCKETS 19

typedef enum td_request_metric {
#define TD_REQUEST_METRIC(id, name, of) TD_REQUEST_METRIC_##id,
#include "metrics/metrics.def"
#undef TD_REQUEST_METRIC
    TD_REQUEST_METRIC_COUNT
} td_request_metric;

typedef enum td_metric_of { TD_METRIC_OF_OPERATION, TD_METRIC_OF_TABLE, TD_METRIC_OF_SCOPE } td_metric_of;

const char *td_request_metric_name(td_request_metric metric);
td_metric_of td_request_metric_of(td_request_metric metric);

/* What tells requests of one operation of PartiQL apart: CloudWatch's OperationType and Verb. */
typedef enum td_metrics_kind {
    TD_METRICS_PLAIN,
    TD_METRICS_READ, /* ExecuteTransaction, BatchExecuteStatement */
    TD_METRICS_WRITE,
    TD_METRICS_SELECT, /* ExecuteStatement */
    TD_METRICS_INSERT,
    TD_METRICS_UPDATE,
    TD_METRICS_DELETE,
    TD_METRICS_KIND_COUNT
} td_metrics_kind;

typedef struct td_metrics td_metrics;
typedef struct td_metrics_recorder td_metrics_recorder;

/* With one recorder a worker. NULL: no memory. */
TD_MUST_USE td_metrics *td_metrics_new(uint32_t recorder_count);
void td_metrics_free(td_metrics *metrics); /* NULL is allowed */
td_metrics_recorder *td_metrics_get_recorder(td_metrics *metrics, uint32_t worker);

/* Forgets what was kept by the minute, as the clock may go back now; counters go on. */
void td_metrics_reset(td_metrics *metrics);

/* ---- recording: the recorder's own thread ------------------------------------------------------------------------ */

/* A table that a request named, or was about. */
typedef struct td_metrics_table {
    td_slice name;
    uint32_t throttled;        /* of its elements: 1 if the request is a single operation */
    uint32_t condition_failed; /* likewise */
    uint32_t conflicts;        /* likewise */
} td_metrics_table;

typedef struct td_metrics_request {
    uint32_t operation; /* row of operations.def */
    td_metrics_kind kind;
    td_status status;
    td_time_us now_us;  /* of the server's clock */
    int64_t latency_us; /* of the machine's */
    bool has_returned_items;
    uint32_t returned_items;
    td_slice scope;
    const td_metrics_table *tables; /* none: the figures of tables do not concern it */
    uint32_t table_count;
} td_metrics_request;

/* Never fails: without memory for an entry the figures of its table are lost, and counted as such. */
void td_metrics_record(td_metrics_recorder *recorder, const td_metrics_request *request);

/* Gauges and samples of a worker's loop. */
void td_metrics_count_connection(td_metrics_recorder *recorder, int change); /* +1, -1 */
void td_metrics_count_in_flight(td_metrics_recorder *recorder, int change);  /* +1, -1 */
void td_metrics_record_loop_delay(td_metrics_recorder *recorder, int64_t delay_us);

/* ---- by the minute: for CloudWatch; any thread ------------------------------------------------------------------- */

/* What figures were kept of: an operation on a table; a table; or a scope. */
typedef struct td_metrics_entry {
    td_slice scope;
    td_slice table;     /* empty: the scope */
    uint32_t operation; /* TD_METRICS_NO_OPERATION: the table, or the scope */
    td_metrics_kind kind;
    uint32_t recorded; /* 1 << td_request_metric of each that ever had a sample */
} td_metrics_entry;

/* Each entry once, by scope, table, operation and kind. false: no memory. */
TD_MUST_USE bool td_metrics_list(td_metrics *metrics, td_arena *arena, td_metrics_entry **ret_entries,
                                 uint32_t *ret_count);

/* Adds the samples of each period to points[0 … window->count - 1]. false: nothing of that name is known. */
bool td_metrics_read(td_metrics *metrics, const td_metrics_entry *entry, td_request_metric metric,
                     const td_series_window *window, td_samples *points);

/* ---- since the start: for Prometheus; any thread ----------------------------------------------------------------- */

/* Upper bounds in µs; a last bucket has what is beyond all of them. */
extern const uint32_t td_metrics_latency_bounds_us[TD_METRICS_LATENCY_BUCKETS];

typedef struct td_metrics_histogram {
    uint64_t buckets[TD_METRICS_LATENCY_BUCKETS + 1]; /* each on its own, not added up */
    uint64_t sum_us;
} td_metrics_histogram;

typedef struct td_metrics_totals {
    uint64_t requests[TD_METRICS_OPERATIONS_MAX][TD_STATUS_COUNT]; /* the last row: what names no operation */
    td_metrics_histogram latency[TD_METRICS_OPERATIONS_MAX];       /* of all answers */
    td_metrics_histogram loop_delay;
    uint64_t connections; /* now */
    uint64_t in_flight;   /* now */
    uint64_t accepted;    /* connections, ever */
    uint64_t lost;        /* figures of tables without memory for them */
} td_metrics_totals;

void td_metrics_sum(td_metrics *metrics, td_metrics_totals *ret_totals);

#endif
