/* SPDX-License-Identifier: Apache-2.0
 * snapshot.h: the snapshots of a store: a tree of states with the present as its root.
 *
 *   present ◀── A ◀── B ◀── C        each state holds how it differs from the one towards the present (trails), and
 *                      ◀── D         what its tables are besides items (faces)
 *
 * Changes are noted for the one next to the present, the current one, alone. To go back the differences on the way
 * there are applied to the tables' trees, and each is turned around: so the state gone back to is the current one, and
 * the others hang on it. (Baker's rerooting of persistent arrays: Comm. ACM 21(7), 1978, "Shallow binding".)
 * A tree that is in no table any more (of a table that was dropped, an index that was removed) stays as it was left,
 * and is part of the game: its keys are as noted as any. So tables and indexes come back whole, by pointer.
 * Invariants: the states that have a resource hang together; only what is in the current state is noted, and nobody
 * changes what is in no table.
 * A state whose name was removed stays while two others or more hang on it.
 * Threads: the caller holds the catalogue's lock, for writing where anything changes. */
#ifndef THERMODYN_ENGINE_SNAPSHOT_H
#define THERMODYN_ENGINE_SNAPSHOT_H

#include "thermodyn/snapshot.h"

#include "face.h"
#include "trail.h"

typedef struct td_snapshot {
    struct td_snapshot *next;   /* of the store's, in no order */
    struct td_snapshot *parent; /* the state towards the present; NULL: this is the current one */
    td_trail *trails;           /* from the parent, or the present, to this one */
    td_time_us kept_us;
    uint64_t items;
    bool is_named;
    uint32_t face_count;
    td_face **faces; /* in the catalogue's order */
    size_t name_len;
    uint8_t name[];
} td_snapshot;

/* Of a store, guarded by the catalogue's lock. */
typedef struct td_snapshots {
    td_snapshot *first;
    td_snapshot *current; /* NULL: there are none */
} td_snapshots;

/* NULL: there is none. */
td_snapshot *td_snapshots__find(const td_snapshots *snapshots, td_slice name);

/* A new trail for each tree that the faces name. false: no memory. */
TD_MUST_USE bool td_snapshots__make_trails(td_face *const *faces, uint32_t count, td_trail **ret_trails);

/* Changes are noted in the snapshot's trails (NULL: not at all), and nowhere else, from now on. The locks of the tables
 * that are in the catalogue, and of those that come into it, are held. */
void td_snapshots__note_in(td_snapshots *snapshots, td_snapshot *current);

/* Takes out of a snapshot that is not the current one the trails that say nothing, or nothing of it. The caller frees
 * them, without locks. */
td_trail *td_snapshots__prune(td_snapshot *snapshot);

/* Takes out the nameless that no two others hang on. The caller frees what it answers, without locks. The locks of the
 * current one's tables are held. */
td_snapshot *td_snapshots__settle(td_snapshots *snapshots);

void td_snapshots__free_all(td_snapshot *first);

/* What a snapshot is told as, in the arena. false: no memory. */
TD_MUST_USE bool td_snapshots__tell(const td_snapshot *snapshot, td_arena *arena, td_snapshot_info *ret_info);

#endif
