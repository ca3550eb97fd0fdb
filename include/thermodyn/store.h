/* SPDX-License-Identifier: Apache-2.0
 * store.h: the engine as a whole: a library without threads, sockets, files, logs or a clock of its own (decision D5).
 *
 * `now` is an argument of every call; randomness is a seeded source inside. What falls due by itself (a table that
 * becomes ACTIVE, a throughput that takes effect) stands in one queue: whoever drives the engine asks
 * td_store_next_due and calls td_store_run_due, which runs everything due, in order, each at its own instant.
 * Threads: every function from any thread; the engine locks a table at a time (lock order: catalogue, then table;
 * several tables by name). No lock is held when a function returns. */
#ifndef THERMODYN_STORE_H
#define THERMODYN_STORE_H

#include "thermodyn/arena.h"
#include "thermodyn/base.h"
#include "thermodyn/capacity.h"
#include "thermodyn/key.h"
#include "thermodyn/status.h"

typedef struct td_store td_store;

typedef struct td_store_options {
    td_placement placement;
    uint64_t seed;                 /* of table ids and whatever else is random */
    bool has_table_delays;         /* tables take the service's time to change state; otherwise they are ACTIVE at the
                                    * first DescribeTable and every change takes effect at once */
    td_time_us ttl_delay_us;       /* from an item's expiry to its deletion */
    td_time_us index_lag_us;       /* how far global indexes lag behind their table; 0: they never do */
    td_time_us stale_reads_us;     /* how far stale reads lag: eventually consistent ones of tables and local indexes */
    double stale_reads_share;      /* of those reads that are stale, drawn by the seed; 0: none */
    int64_t memory_max_bytes;      /* past it what makes the data larger is refused (memory.h counts it, if it was told
                                    * to); 0: there is no limit */
    bool has_journal;              /* what changes is queued for the disk: journal.h */
    td_capacity_settings capacity; /* the settings that new tables start with */
} td_store_options;

/* NULL: no memory. */
TD_MUST_USE td_store *td_store_new(const td_store_options *options);
void td_store_free(td_store *store); /* nobody else may be using it */

/* What every operation on a table needs to know. */
typedef struct td_call {
    td_store *store;
    td_arena *arena;  /* the request's: results live here until its reset */
    td_time_us now_us;
    td_slice scope;   /* "" for all, or what keeps callers apart (--isolate); part of the table's identity */
    td_slice region;  /* for messages that name it */
    td_slice table;   /* the table's name, without ARN */
    bool is_statement; /* of PartiQL: the same but for what Contributor Insights count */
    bool is_fixture;   /* of what the server starts with: a table is ACTIVE at once, a write asks no bucket and is
                        * charged to none. For creating tables, and for puts without a condition */
    bool *has_written; /* set, with a journal, when the call may change the store; NULL: nobody asks */
} td_call;

/* When the next thing falls due, or TD_NEVER. Cheap: one atomic read. */
td_time_us td_store_next_due(const td_store *store);
/* Runs all that is due at or before now_us, in order. */
void td_store_run_due(td_store *store, td_time_us now_us);

/* Drops all tables, or those named (of the scope). Unknown names are ignored. */
void td_store_drop_all(td_store *store);
void td_store_drop(td_store *store, td_slice scope, td_slice table);

/* How often memory_max_bytes was the reason of a refusal since this was asked last. */
uint64_t td_store_take_memory_refusals(td_store *store);

uint64_t td_store_table_count(const td_store *store);
uint64_t td_store_get_seed(const td_store *store); /* of td_store_new */

/* Settings in force for the server, or for one table (empty name: the server). false: no such table. */
TD_MUST_USE bool td_store_get_capacity(td_store *store, td_slice scope, td_slice table,
                                       td_capacity_settings *ret_settings);
/* Changes them at once; what exists is rescaled (partition counts grow, never shrink). A change for the server also
 * reaches every table that has no value of its own. false: no such table. */
TD_MUST_USE bool td_store_patch_capacity(td_store *store, td_time_us now_us, td_slice scope, td_slice table,
                                         const td_capacity_patch *patch);
/* The server's settings back to those of td_store_new, tables' own values dropped. */
void td_store_reset_settings(td_store *store, td_time_us now_us);

#endif
