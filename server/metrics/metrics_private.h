/* SPDX-License-Identifier: Apache-2.0
 * metrics_private.h: a recorder: what one worker writes and all may read. */
#ifndef THERMODYN_METRICS_PRIVATE_H
#define THERMODYN_METRICS_PRIVATE_H

#include <pthread.h>

#include "metrics/metrics.h"
#include "thermodyn/map.h"

#define TD_METRICS_KEY_MAX 640 /* of an entry; a longer scope has none */

typedef _Atomic uint64_t td_metrics_counter;

/* A td_samples that one thread writes. */
typedef struct td_metrics_open {
    td_metrics_counter count;
    _Atomic int64_t sum;
    _Atomic int64_t min;
    _Atomic int64_t max;
    td_spread *spread; /* as by_key: its buckets are made under the recorder's lock, and counted in without */
} td_metrics_open;

/* Figures of an operation on a table, of a table, or of a scope. */
typedef struct td_metrics_kept td_metrics_kept;
struct td_metrics_kept {
    td_metrics_kept *next; /* in no order; guarded by the recorder's lock */
    td_slice key;          /* in the same block; so are the next two */
    td_slice scope;
    td_slice table;
    uint32_t operation;
    td_metrics_kind kind;
    _Atomic td_time_us minute_us; /* beginning of the open minute */
    td_metrics_open open[TD_REQUEST_METRIC_COUNT];

    /* guarded by the recorder's lock */
    td_series *series[TD_REQUEST_METRIC_COUNT];
};

typedef struct td_metrics_latencies {
    td_metrics_counter buckets[TD_METRICS_LATENCY_BUCKETS + 1];
    td_metrics_counter sum_us;
} td_metrics_latencies;

struct td_metrics_recorder {
    td_metrics *metrics;

    /* written by the worker, read by all */
    td_metrics_counter requests[TD_METRICS_OPERATIONS_MAX][TD_STATUS_COUNT];
    td_metrics_latencies latency[TD_METRICS_OPERATIONS_MAX];
    td_metrics_latencies loop_delay;
    td_metrics_counter connections;
    td_metrics_counter in_flight;
    td_metrics_counter accepted;
    td_metrics_counter lost;

    td_metrics_kept *latest[TD_METRICS_OPERATIONS_MAX]; /* the worker's: what each operation was about before */

    pthread_mutex_t lock;
    /* written by the worker under the lock, read by all under the lock, and by the worker without */
    td_map *by_key;
    td_metrics_kept *kept;
    uint64_t generation;
};

struct td_metrics {
    _Atomic uint64_t generation; /* counts the resets: what a recorder kept of another one does not count any more */
    uint32_t recorder_count;
    td_metrics_recorder **recorders;
};

/* Written by one thread alone: no locked instruction. */
static inline void td_metrics__count(td_metrics_counter *counter, uint64_t more)
{
    uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + more, memory_order_relaxed);
}

static inline uint64_t td_metrics__read(const td_metrics_counter *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static inline void td_metrics__lock(td_metrics_recorder *recorder)
{
    int error = pthread_mutex_lock(&recorder->lock);
    TD_ASSERT(error == 0);
}

static inline void td_metrics__unlock(td_metrics_recorder *recorder)
{
    int error = pthread_mutex_unlock(&recorder->lock);
    TD_ASSERT(error == 0);
}

/* ---- kept.c ---- */

/* What figures are kept by. */
typedef struct td_metrics_id {
    td_slice scope;
    td_slice table;
    uint32_t operation;
    td_metrics_kind kind;
} td_metrics_id;

/* The worker's: an entry for the id, with the open minute that now_us lies in. NULL: no memory. */
td_metrics_kept *td_metrics__keep(td_metrics_recorder *recorder, const td_metrics_id *id, td_time_us now_us);
void td_metrics__add(td_metrics_recorder *recorder, td_metrics_kept *kept, td_request_metric metric, int64_t value);

/* With the lock held. */
td_metrics_kept *td_metrics__find_locked(const td_metrics_recorder *recorder, const td_metrics_id *id);
td_samples td_metrics__open_locked(const td_metrics_kept *kept, td_request_metric metric);
void td_metrics__forget_locked(td_metrics_recorder *recorder); /* the worker's too, or nobody's */

#endif
