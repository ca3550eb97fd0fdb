/* SPDX-License-Identifier: Apache-2.0
 * restore.h: a store as the disk has it: the other way round of journal.h.
 *
 *     td_restore_new(store, now)
 *     for each space, in the order of td_space:  for each key, in order:  td_restore_add
 *     td_restore_finish
 *
 * Entries of indexes, sizes of collections and the order of expiry are made of the items. What was under way (a table
 * that was being made, changed or removed) is complete when it is run next (td_store_run_due); what had a due time of
 * its own (splits, warm throughput) keeps it.
 * Threads: one; nobody else uses the store until it is finished. */
#ifndef THERMODYN_RESTORE_H
#define THERMODYN_RESTORE_H

#include "thermodyn/disk.h"
#include "thermodyn/store.h"

typedef struct td_restore td_restore;

#define TD_RESTORE_SENTENCE_BYTES 256

typedef enum td_restored {
    TD_RESTORED,
    TD_RESTORE_ORPHAN,  /* of a table, stream or shard that is no more: nothing was taken, and it may be removed */
    TD_RESTORE_DAMAGED, /* the sentence says what */
    TD_RESTORE_NO_MEMORY,
} td_restored;

/* Of a store without tables. NULL: no memory. */
TD_MUST_USE td_restore *td_restore_new(td_store *store, td_time_us now_us);
void td_restore_free(td_restore *restore); /* NULL is allowed */
void td_restore_doubt(td_restore *restore); /* the hashes of keys are computed, too, and compared */

TD_MUST_USE td_restored td_restore_add(td_restore *restore, td_space space, td_slice key, td_slice value);
TD_MUST_USE td_restored td_restore_finish(td_restore *restore);

const char *td_restore_get_sentence(const td_restore *restore); /* after TD_RESTORE_DAMAGED */

#endif
