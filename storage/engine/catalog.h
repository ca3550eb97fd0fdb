/* SPDX-License-Identifier: Apache-2.0
 * catalog.h: the store behind its handle, and names → tables.
 *
 * The catalogue is one ordered tree of (length of the scope ‖ scope ‖ name), so that a scope's names stand together in
 * byte order: ListTables is a walk. One reader-writer lock guards it, with what tables share: the settings, the random
 * source, the account's reservations. */
#ifndef THERMODYN_ENGINE_CATALOG_H
#define THERMODYN_ENGINE_CATALOG_H

#include <pthread.h>

#include "thermodyn/btree.h"
#include "thermodyn/rng.h"

#include "archive.h"
#include "due.h"
#include "snapshot.h"
#include "state.h"
#include "token.h"

struct td_store {
    td_store_options options;
    td_due_queue due;
    td_tokens tokens;
    td_archive archive;
    _Atomic uint64_t memory_refusals; /* since they were taken */
    td_journal *journal; /* NULL: nothing is kept */
    pthread_rwlock_t lock;

    /* guarded by lock */
    td_btree *tables;  /* catalogue key → td_table, one reference each */
    td_btree *streams; /* see streams.h; one reference each */
    td_rng rng;
    td_capacity_settings settings;
    td_history quotas; /* of the settings, by td_account_quota */
    int64_t reserved[TD_DIRECTION_COUNT];
    td_snapshots snapshots;
};

/* Whether so much more fits in memory_max_bytes; the other raises MEMORY_FULL if not. Any thread, any lock. */
bool td_store__has_room(const td_store *store, int64_t more_bytes);
TD_MUST_USE td_status td_store__check_room(td_store *store, int64_t more_bytes, td_error *error);

/* The longest catalogue key: names of tables have 255 bytes at most, what is longer names none. */
#define TD_CATALOG_KEY_MAX 1024

void td_catalog__read_lock(td_store *store);
void td_catalog__write_lock(td_store *store);
void td_catalog__unlock(td_store *store);

/* Writes the key of a name. Answers its slice; an empty one when the name is too long for any table. */
td_slice td_catalog__key(td_slice scope, td_slice name, uint8_t ret_key[TD_CATALOG_KEY_MAX]);

/* The table with a reference of the caller's, or NULL. Takes the lock. */
td_table *td_catalog__find(td_store *store, td_slice scope, td_slice name);
/* The same, borrowed; the lock is held. */
td_table *td_catalog__find_locked(td_store *store, td_slice scope, td_slice name);

/* Takes a table out of the catalogue, marks it as gone, closes its stream, forgets what was due of it and gives its
 * reservations back. The catalogue's lock is held for writing, the table's is not. The caller releases the catalogue's
 * reference that this hands over. */
void td_catalog__remove_locked(td_store *store, td_table *table, td_time_us now_us);
/* The same but for its place in the catalogue, which the caller takes away. The table's lock is held too. */
void td_catalog__retire_locked(td_store *store, td_table *table, td_time_us now_us);

/* Brings the reservations in line with the table's throughputs. Both locks are held, the catalogue's for writing. */
void td_catalog__reserve_locked(td_store *store, td_table *table);

#endif
