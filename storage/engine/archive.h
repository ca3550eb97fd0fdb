/* SPDX-License-Identifier: Apache-2.0
 * archive.h: what was metered of tables and global indexes that are gone: a test suite drops its tables and reads the
 * metrics afterwards, as on the service, where metrics outlive their tables.
 *
 * The last TD_ARCHIVE_MAX names of resources that had traffic; whoever goes first, is forgotten first. Those that had
 * one name after each other are one, as their metrics are: who makes and drops the same tables all day keeps little.
 * Threads: any; its lock is the last of all. */
#ifndef THERMODYN_ENGINE_ARCHIVE_H
#define THERMODYN_ENGINE_ARCHIVE_H

#include <pthread.h>

#include "capacity/ledger.h"

#define TD_ARCHIVE_MAX 1000

typedef struct td_archived td_archived;
struct td_archived {
    td_archived *next; /* the one that went after it */
    td_ledger ledger;
    td_slice scope; /* as the others, in the same block */
    td_slice table;
    td_slice index;
};

typedef struct td_archive {
    pthread_mutex_t lock;

    /* guarded by lock */
    td_archived *oldest;
    td_archived *newest;
    uint32_t count;
} td_archive;

void td_archive__init(td_archive *archive);
void td_archive__done(td_archive *archive);
void td_archive__clear(td_archive *archive);

/* Takes what the ledger has and leaves it empty. Without memory that is lost. */
void td_archive__add(td_archive *archive, td_slice scope, td_slice table, td_slice index, td_ledger *ledger);

void td_archive__lock(td_archive *archive);
void td_archive__unlock(td_archive *archive);

#endif
