/* SPDX-License-Identifier: Apache-2.0
 * trail.h: what a snapshot remembers of the trees of one owner, a resource or an expiry: for each key that has changed
 * since, what it held then.
 *
 *   trees now ──── less the trail ────▶ trees then
 *
 * Whoever changes a tree notes the key first, with what it holds: the first note of a key stays, and one of a key that
 * is not changed after all does no harm. So noting is all that a write has to do for a snapshot, and is among what may
 * fail of it.
 * Threads: the owner's trail is used under its table's lock; the counts are read by anybody. */
#ifndef THERMODYN_ENGINE_TRAIL_H
#define THERMODYN_ENGINE_TRAIL_H

#include "thermodyn/map.h"

#include "expiry.h"
#include "state.h"

/* What a key held: an item, of which the trail has a reference, or one of these. */
#define TD_PAST_NOTHING ((void *)(uintptr_t)1)
#define TD_PAST_PLACE ((void *)(uintptr_t)2) /* of an instant: no more than its key */

typedef struct td_trail {
    struct td_trail *next; /* of the same snapshot */
    td_table *table;       /* a reference */
    td_resource *resource; /* a reference; NULL: the owner is the expiry */
    td_expiry *expiry;     /* a reference; NULL: the owner is the resource */
    _Atomic uint64_t count;
    _Atomic uint64_t bytes;      /* of keys and items */
    td_map *trees[TD_TREES_MAX]; /* by tree of the owner, key → what it held; NULL: nothing changed there */
} td_trail;

/* Of a resource of the table, or of its expiry; nothing is noted there yet. NULL: no memory. */
TD_MUST_USE td_trail *td_trail__new(td_table *table, td_resource *resource, td_expiry *expiry);
void td_trail__free(td_trail *trail);
void td_trail__free_all(td_trail *first);

static inline bool td_trail__has_owner(const td_trail *trail, const td_resource *resource, const td_expiry *expiry)
{
    return trail->resource == resource && trail->expiry == expiry;
}

/* Where the owner's changes are noted. */
static inline td_trail **td_trail__of_owner(const td_trail *trail)
{
    return trail->resource != NULL ? &trail->resource->trail : &trail->expiry->trail;
}

/* NULL: the key is not noted. */
static inline void *td_trail__find(const td_trail *trail, uint32_t tree, td_slice key)
{
    return trail->trees[tree] == NULL ? NULL : td_map_find(trail->trees[tree], key);
}

/* Would a change of the key make the trail longer? NULL: there is no snapshot. */
static inline bool td_trail__would_grow(const td_trail *trail, uint32_t tree, td_slice key)
{
    return trail != NULL && td_trail__find(trail, tree, key) == NULL;
}

/* The key is about to change and holds this now: an item (a reference is taken), or one of the above. false: no memory.
 */
TD_MUST_USE bool td_trail__note_first(td_trail *trail, uint32_t tree, td_slice key, void *held);
static inline bool td_trail__note(td_trail *trail, uint32_t tree, td_slice key, td_item *item)
{
    return trail == NULL || td_trail__note_first(trail, tree, key, item == NULL ? TD_PAST_NOTHING : (void *)item);
}

/* The key is noted with something else from now on; references pass in and out. */
void *td_trail__swap(td_trail *trail, uint32_t tree, td_slice key, void *held);

/* Notes in `trail` what it does not know of `older`. false: no memory; it knows some more then, which is as true. */
TD_MUST_USE bool td_trail__add(td_trail *trail, const td_trail *older);

static inline bool td_trail__is_item(const void *held)
{
    return held != TD_PAST_NOTHING && held != TD_PAST_PLACE;
}

#endif
