/* SPDX-License-Identifier: Apache-2.0
 * due.h: what falls due by itself: tables that change their state after the service's time, items that expire, shards
 * that are old enough, records that are to be trimmed, traffic that is to be judged.
 *
 * One queue for the store. An entry is (instant, table or stream, what happens); it holds a reference and does nothing
 * when the table is gone by then. Entries are run one at a time, in order, each at its own instant.
 * Threads: any. */
#ifndef THERMODYN_ENGINE_DUE_H
#define THERMODYN_ENGINE_DUE_H

#include <pthread.h>

#include "thermodyn/heap.h"

#include "state.h"

typedef enum td_due_kind {
    TD_DUE_TABLE_CREATED,
    TD_DUE_TABLE_UPDATED, /* throughputs and mode */
    TD_DUE_TABLE_DELETED,
    TD_DUE_WARM_RAISED,   /* warm throughput of the table or of an index */
    TD_DUE_INDEX_CHANGED, /* a global index becomes ACTIVE or is gone: the last of the changes of state */
    TD_DUE_SPLIT,         /* of partitions of the table or its global indexes */
    TD_DUE_ITEMS_EXPIRED,
    TD_DUE_SHARDS_ROLLED,
    TD_DUE_PRESSURE, /* a tick of its traffic */
    TD_DUE_STREAM_TRIMMED, /* of a stream; the others are of tables */
    TD_DUE_KIND_COUNT
} td_due_kind;

typedef struct td_due_queue {
    pthread_mutex_t run_lock;   /* held while entries run, so that they do in order */
    pthread_mutex_t lock;       /* guards the heap */
    td_heap *heap;              /* of td_due_entry */
    _Atomic td_time_us next_us; /* a copy of the heap's, to be read without the lock */
} td_due_queue;

TD_MUST_USE bool td_due__init(td_due_queue *queue);
void td_due__done(td_due_queue *queue);

/* false: no memory, nothing was queued. The table's lock may be held. */
TD_MUST_USE bool td_due__push(td_due_queue *queue, td_time_us due_us, td_due_kind kind, td_table *table);
TD_MUST_USE bool td_due__push_stream(td_due_queue *queue, td_time_us due_us, td_stream *stream);

/* Takes their entries out, so that nothing is kept for what is gone. An entry that is running may not come back: it is
 * pushed under the lock of a table that is not gone. The caller has a reference. */
void td_due__forget_table(td_due_queue *queue, td_table *table);
/* Those alone by which the table changes its state, or an index its own. */
void td_due__forget_changes(td_due_queue *queue, td_table *table);
void td_due__forget_stream(td_due_queue *queue, td_stream *stream);

#endif
