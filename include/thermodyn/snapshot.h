/* SPDX-License-Identifier: Apache-2.0
 * snapshot.h: states of all tables, kept under names and gone back to.
 *
 * A snapshot is one moment for all tables: their definitions, settings and items. Keeping one takes as long as there
 * are tables and indexes; going back takes as long as there are differences. What has not changed since is shared.
 * Snapshots live in memory, and end with the store.
 * Threads: any. */
#ifndef THERMODYN_SNAPSHOT_H
#define THERMODYN_SNAPSHOT_H

#include "thermodyn/store.h"

typedef enum td_snapshot_result {
    TD_SNAPSHOT_OK,
    TD_SNAPSHOT_UNKNOWN,      /* there is none of that name */
    TD_SNAPSHOT_TABLE_BUSY,   /* a table is not ACTIVE, or something of it is under way */
    TD_SNAPSHOT_RECORD_FAILS, /* the disk cannot be written */
    TD_SNAPSHOT_NO_MEMORY,    /* nothing was changed */
} td_snapshot_result;

typedef struct td_snapshot_info {
    td_slice name; /* in the call's arena */
    td_time_us kept_us;
    uint64_t tables;
    uint64_t items;
    uint64_t changes;       /* keys, of tables and indexes, that it keeps apart since they changed */
    uint64_t changed_bytes; /* of those keys, and of the items that they held */
} td_snapshot_info;

/* Keeps the present state; one of the same name is replaced. TABLE_BUSY: *ret_busy is the table's name in the arena. */
TD_MUST_USE td_snapshot_result td_snapshot_keep(const td_call *call, td_slice name, td_snapshot_info *ret_info,
                                                td_slice *ret_busy);

/* Goes back: tables, indexes, items and settings are as they were then. Partitions stay divided, buckets are as on the
 * first day, streams go on (docs/control-api.md says it in full). */
TD_MUST_USE td_snapshot_result td_snapshot_restore(const td_call *call, td_slice name, td_snapshot_info *ret_info);

/* UNKNOWN or OK. */
TD_MUST_USE td_snapshot_result td_snapshot_describe(const td_call *call, td_slice name, td_snapshot_info *ret_info);

/* In the order of their names, in the call's arena. false: no memory. */
TD_MUST_USE bool td_snapshot_list(const td_call *call, td_snapshot_info **ret_infos, uint32_t *ret_count);

/* How many were removed; empty name: all. */
uint32_t td_snapshot_remove(td_store *store, td_slice name);

#endif
