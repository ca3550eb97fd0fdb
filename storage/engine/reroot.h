/* SPDX-License-Identifier: Apache-2.0
 * reroot.h: trees go back along a path of snapshots: what the keys that differ hold, and who remembers what they held.
 *
 *     td_reroot__prepare(&it, path, len)    all that can fail; leaves no trace when it does
 *     td_reroot__cancel(&it)                or: it will not be
 *     td_reroot__commit(&it, …)             cannot fail
 *     td_reroot__done(&it)                  in any case
 *
 * Threads: the caller holds the catalogue's lock for writing, and the locks of all tables that the trails name. */
#ifndef THERMODYN_ENGINE_REROOT_H
#define THERMODYN_ENGINE_REROOT_H

#include "snapshot.h"

/* A note of a key on the path, and the change that the notes of one key are together. */
typedef struct td_reroot_note {
    td_trail *trail;
    uint32_t tree;
    td_slice key;                 /* the trail's */
    struct td_reroot_note *again; /* the next note of the key, farther from the present */
    /* of the first one */
    bool is_first;
    bool is_reserved;
    struct td_reroot_note *last;
    void *before; /* what the key holds */
    void *after;  /* and will hold */
} td_reroot_note;

typedef struct td_reroot {
    td_snapshot **path; /* the current one, …, the one to go back to; borrowed */
    uint32_t path_len;
    td_reroot_note *notes;
    uint64_t count;
} td_reroot;

/* false: no memory. Whatever it answers, done follows. */
TD_MUST_USE bool td_reroot__prepare(td_reroot *it, td_snapshot **path, uint32_t path_len);
void td_reroot__cancel(td_reroot *it);
/* The last of the path is the current one then, with those trails for what comes. Answers the trails that are over,
 * which the caller frees, without locks. */
td_trail *td_reroot__commit(td_reroot *it, td_snapshots *snapshots, td_trail *fresh);
void td_reroot__done(td_reroot *it);

/* The item of a table (not an entry of an index) that the first note is about? */
static inline bool td_reroot__is_of_table(const td_reroot_note *note)
{
    return note->trail->resource != NULL && note->trail->resource->item_keys != NULL && note->tree == 0;
}

#endif
