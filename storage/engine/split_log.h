/* SPDX-License-Identifier: Apache-2.0
 * split_log.h: what has happened to a resource's partitions since somebody last looked: for the server's log.
 *
 * A ring of the last splits and vetoes: what nobody takes is overwritten. Threads: the caller holds the table's lock.
 */
#ifndef THERMODYN_ENGINE_SPLIT_LOG_H
#define THERMODYN_ENGINE_SPLIT_LOG_H

#include "thermodyn/partition.h"

#define TD_SPLIT_LOG_MAX 64

typedef struct td_split_record {
    td_time_us at_us;
    uint32_t partition; /* its number */
    td_split_cause cause;
    td_split_veto veto;   /* TD_VETO_NONE: it was split */
    uint32_t children[2]; /* their numbers; 0: none */
} td_split_record;

/* All zero: nothing has happened. */
typedef struct td_split_log {
    td_split_record *records; /* a ring; NULL until it is reserved: then nothing is kept */
    uint32_t first;
    uint32_t count;
    uint64_t splits[TD_SPLIT_CAUSE_COUNT]; /* that were added, ever */
} td_split_log;

void td_split_log__done(td_split_log *log);

/* Makes the ring, so that the next record is kept. false: no memory. */
TD_MUST_USE bool td_split_log__reserve(td_split_log *log);
void td_split_log__add(td_split_log *log, const td_split_record *record);

/* The oldest; false: there is none. */
TD_MUST_USE bool td_split_log__take(td_split_log *log, td_split_record *ret_record);

#endif
