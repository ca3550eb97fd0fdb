/* SPDX-License-Identifier: Apache-2.0
 * durable.h: the data directory of a server: read at the start, written behind its requests (docs/durability.md).
 *
 *   open ─▶ start ─▶ a thread of its own:  load ─▶ ready ─▶ batch, commit, batch, commit …  ◀─ stop
 *
 * What an answer confirms is on the disk before it (sync), or not older than a bound when the server ends (async). One
 * mechanism for both: an answer waits until the changes up to its own have been settled. Whatever is queued while one
 * commit runs is the next one's batch.
 * A commit that fails is tried again every second. Meanwhile writes are refused and reads go on.
 * Threads: any, but for the life cycle: the thread that made it. */
#ifndef THERMODYN_DURABLE_DURABLE_H
#define THERMODYN_DURABLE_DURABLE_H

#include "base/log.h"
#include "thermodyn/clock.h"
#include "thermodyn/disk.h"
#include "thermodyn/store.h"

typedef struct td_durable td_durable;

typedef struct td_durable_options {
    const char *path; /* of the directory */
    bool is_async;
    int64_t bound_us; /* async: what may be lost */
    td_store *store;  /* made with a journal, empty; these three outlive it */
    td_clock *clock;  /* set to what the directory has, when that is later, or was manual */
    td_log *log;
} td_durable_options;

/* Takes the directory for this process. NULL: it cannot, and the sentence says why. */
TD_MUST_USE td_durable *td_durable_open(const td_durable_options *options,
                                        char reterr_sentence[TD_DISK_SENTENCE_BYTES]);
void td_durable_free(td_durable *durable); /* after a stop; NULL is allowed */

/* What the thread calls when it has something to tell: it is ready (once), has settled changes, or the disk has begun
 * or ceased to fail. Called on its thread, without locks. */
typedef struct td_durable_watch {
    void (*told)(void *context);
    void *context;
} td_durable_watch;
void td_durable_set_watch(td_durable *durable, td_durable_watch watch);

/* What the thread calls when all is loaded, before anybody else uses the store: for what is to be put over it. false
 * from it ends the process. */
void td_durable_set_loaded(td_durable *durable, bool (*loaded)(void *context), void *context);

/* Starts the thread. `ready` is called on it when the store may be used; false from it, or data that cannot be loaded,
 * end the process in order, as a signal does (td_durable_get_failure says why). */
TD_MUST_USE bool td_durable_start(td_durable *durable, bool (*ready)(void *context), void *context);
/* Writes what there is, balances and the clock included, and ends the thread. */
void td_durable_stop(td_durable *durable);
/* Why it could not be loaded, or the last changes are not on the disk; NULL: all is well. After the stop. */
const char *td_durable_get_failure(const td_durable *durable);

bool td_durable_is_ready(const td_durable *durable);

/* There was traffic: balances have changed, and are written within some seconds. */
void td_durable_touch(td_durable *durable);

/* ---- answers ----------------------------------------------------------------------------------------------------- */

typedef enum td_durable_state {
    TD_DURABLE_SETTLED, /* what the answer says holds */
    TD_DURABLE_PENDING, /* it has to wait: the watch tells when to ask again */
    TD_DURABLE_FAILING, /* it is not on the disk, and for now it will not be */
} td_durable_state;

/* Of all that has changed up to now; and of the changes up to a number from that call. */
td_durable_state td_durable_check(td_durable *durable, uint64_t *ret_number);
td_durable_state td_durable_check_number(td_durable *durable, uint64_t number);

/* ---- views ------------------------------------------------------------------------------------------------------- */

typedef struct td_durable_view {
    bool is_ready;
    bool is_failing; /* writes are refused */
    bool is_async;
    int error;          /* of the last attempt, while it fails, or the log cannot be written into the maps; else 0 */
    uint64_t loaded;    /* items and records, so far */
    uint64_t to_load;
    uint64_t commits;   /* since the start */
    uint64_t failures;  /* attempts that failed, since the start */
    uint64_t pending;   /* changes that are not on the disk yet */
    uint64_t disk_bytes;
    uint64_t log_bytes;   /* of the log that the maps do not have yet */
    uint64_t group_bytes; /* that all commits wrote to the log */
    int64_t commits_us;   /* that all commits took */
} td_durable_view;

td_durable_view td_durable_get_view(const td_durable *durable);

#endif
