/* SPDX-License-Identifier: Apache-2.0
 * journal.h: what has changed in a store and is not on the disk yet: memory is the truth, the disk the record (D11).
 *
 *   writes ──▶ groups ─┐                        ┌─▶ puts and removals, through td_journal_sink
 *   tables ──▶ marks ──┴─▶ queue ─▶ td_journal_take ─▶ batch
 *                           │                   └─▶ td_journal_settle: the durable position moves
 *                       each has a number
 *
 * What one request changes is one group: it is in a batch as a whole. Items go as they are, by reference to their
 * blocks; a table (its definition, its partitions, its balances) and a stream go as a document, made when the batch is
 * written of what they are by then. A batch that could not be written is written again: all it does can be done twice.
 * Threads: one writer takes batches; everything else from any thread. */
#ifndef THERMODYN_JOURNAL_H
#define THERMODYN_JOURNAL_H

#include "thermodyn/disk.h"
#include "thermodyn/store.h"

typedef struct td_journal td_journal;
typedef struct td_journal_batch td_journal_batch;

/* NULL: the store was made without (td_store_options.has_journal). */
td_journal *td_store_get_journal(td_store *store);

/* The number of the latest change: once td_journal_settled has reached it, all that was done before is on the disk. */
uint64_t td_journal_last(const td_journal *journal);
uint64_t td_journal_settled(const td_journal *journal);
/* On the monotonic clock, no later than the oldest change that is not settled; 0: all are. For who knows a change that
 * was not settled when last asked: 0 says that it is now. */
int64_t td_journal_oldest_us(const td_journal *journal);

/* ---- the writer -------------------------------------------------------------------------------------------------- */

/* Waits until something has changed, td_journal_wake was called, or so much real time has passed (0: does not wait).
 * false: nothing has changed. */
bool td_journal_wait(td_journal *journal, int64_t timeout_us);
void td_journal_pause(td_journal *journal, int64_t timeout_us); /* the same, but changes do not end it */
void td_journal_wake(td_journal *journal);

/* Marks all that has no change of its own but goes with time, balances above all, so that the next batch has it. */
void td_journal_mark_all(td_store *store, td_time_us now_us);

/* Takes the oldest groups, of about so many bytes and at least one, and all marks. NULL: nothing has changed. */
td_journal_batch *td_journal_take(td_journal *journal, size_t bytes);

/* Where a batch is written to: 0, or an error number. Locks of a table and a stream may be held: none is to be taken.
 * */
typedef struct td_journal_sink {
    void *context;
    int (*put)(void *context, td_space space, td_slice key, const td_slice *parts, size_t part_count);
    int (*remove)(void *context, td_space space, td_slice key);
    int (*clear)(void *context, td_space space);
    /* Keys from `from` on, before `to`, that nothing refers to and nothing is put at again: may be done at leisure. */
    int (*sweep)(void *context, td_space space, td_slice from, td_slice to);
} td_journal_sink;

/* The first error, ENOMEM among them; 0: all was said. */
TD_MUST_USE int td_journal_write(td_journal *journal, const td_journal_batch *batch, const td_journal_sink *sink);

/* The batch is on the disk; frees it. */
void td_journal_settle(td_journal *journal, td_journal_batch *batch);

/* While the disk fails, what would change the store is refused (RECORD_FAILS) before it changes anything. */
void td_journal_set_failing(td_journal *journal, bool is_failing);
bool td_journal_is_failing(const td_journal *journal);

#endif
