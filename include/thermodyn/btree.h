/* SPDX-License-Identifier: Apache-2.0
 * btree.h: an ordered map from byte strings (memcmp order, the shorter first) to pointers.
 *
 * The one ordered structure of the store (decision D2): a B+tree whose leaves are linked both ways and whose nodes
 * carry eight bytes of each key inline, so that most steps of a search compare integers. Keys are copied into the tree,
 * unless they can be read off the values (td_btree_source); values are the caller's. A cursor is valid until the next
 * change of the tree; a reader that lets go of the lock resumes by key. Every entry may have a weight; each node knows
 * how many entries are below it and what they weigh, so that a tree is divided, or its middle found, in as many steps
 * as it is deep.
 * Threads: one at a time (the owner's lock). */
#ifndef THERMODYN_BTREE_H
#define THERMODYN_BTREE_H

#include "thermodyn/base.h"

typedef struct td_btree td_btree;

typedef struct td_btree_cursor {
    void *leaf; /* private; NULL when past the end */
    uint32_t at;
} td_btree_cursor;

/* Where a search stands relative to the key it was given. A key k "is under" a bound b when b is a prefix of k. */
typedef enum td_btree_seek {
    TD_SEEK_FIRST_AT_OR_AFTER, /* smallest key >= bound */
    TD_SEEK_FIRST_AFTER,       /* smallest key >  bound */
    TD_SEEK_FIRST_PAST,        /* smallest key greater than every key under the bound */
    TD_SEEK_LAST_BEFORE,       /* greatest key <  bound */
    TD_SEEK_LAST_AT_OR_BEFORE, /* greatest key <= bound */
    TD_SEEK_LAST_UNDER,        /* greatest key that is under the bound or smaller than it */
} td_btree_seek;

/* Room for a key that is made. Source: the longest key of a table: a hash, and two parts with every byte escaped. */
#define TD_BTREE_ROOM_BYTES 6272

typedef struct td_btree_room {
    uint8_t bytes[TD_BTREE_ROOM_BYTES];
} td_btree_room;

/* How a tree that keeps no keys knows them: they, and the weights, are read off the values. A value has the same key
 * for as long as it is in the tree. */
typedef struct td_btree_source {
    /* The order of the value's key to that one; *ret_common: how many bytes they begin with in common. */
    int (*compare)(const struct td_btree_source *source, const void *value, td_slice key, size_t *ret_common);
    /* The value's key; of its first `from` bytes nothing is asked. */
    td_slice (*make)(const struct td_btree_source *source, const void *value, size_t from, td_btree_room *room);
    uint32_t (*weigh)(const void *value);
} td_btree_source;

/* `source`: borrowed for as long as the tree lives; NULL: the tree keeps the keys. NULL: no memory. */
TD_MUST_USE td_btree *td_btree_new(const td_btree_source *source);
/* Calls release(value) for each value when given. NULL tree is allowed. */
void td_btree_free(td_btree *tree, void (*release)(void *value));

uint64_t td_btree_count(const td_btree *tree);
uint64_t td_btree_weight(const td_btree *tree);       /* of all entries */
uint64_t td_btree_memory_bytes(const td_btree *tree); /* nodes and keys; walks all of them */

/* The place that holds the key's value, for reading or swapping in place, or NULL. In a tree that keeps the keys it
 * stays where it is until its own key is removed, whatever else comes and goes; with a source, until the tree changes.
 */
void **td_btree_find(const td_btree *tree, td_slice key);

/* The key has that value, and that weight (with a source: the value's own), from now on. *ret_old: what it had before;
 * NULL: it was absent. false: no memory, unchanged; never when the key was there. */
TD_MUST_USE bool td_btree_put(td_btree *tree, td_slice key, void *value, uint32_t weight, void **ret_old);

/* Without a source: the place of the key, made (holding NULL) when it was absent. NULL when there is no memory: the
 * tree is unchanged. *ret_is_new says which. A new entry has that weight, or 0; one that was there keeps its own. */
TD_MUST_USE void **td_btree_insert(td_btree *tree, td_slice key, bool *ret_is_new);
TD_MUST_USE void **td_btree_insert_weighing(td_btree *tree, td_slice key, uint32_t weight, bool *ret_is_new);

/* Changes the weight of an entry that is there; `place` is its key's. With a source: the value is about to be swapped
 * for one of that weight. */
void td_btree_reweigh(td_btree *tree, td_slice key, void **place, uint32_t weight);

/* Removes the key; answers its value, or NULL when it was absent. Cannot fail: without memory, nodes that have grown
 * small may stay so. */
void *td_btree_remove(td_btree *tree, td_slice key);

td_btree_cursor td_btree_first(const td_btree *tree);
td_btree_cursor td_btree_last(const td_btree *tree);
td_btree_cursor td_btree_seek_key(const td_btree *tree, td_slice bound, td_btree_seek where);

static inline bool td_btree_is_end(td_btree_cursor cursor) { return cursor.leaf == NULL; }
static inline bool td_btree_is_same(td_btree_cursor a, td_btree_cursor b)
{
    return a.leaf == b.leaf && (a.at == b.at || a.leaf == NULL);
}
void td_btree_next(td_btree_cursor *cursor);
void td_btree_previous(td_btree_cursor *cursor);
td_slice td_btree_key(td_btree_cursor cursor); /* without a source; borrowed until the next change */
td_slice td_btree_read_key(td_btree_cursor cursor, td_btree_room *room); /* of any tree: as above, or in `room` */
void *td_btree_value(td_btree_cursor cursor);
/* Asks memory for what is there, so that it has come when it is read some steps later. The end is allowed. */
void td_btree_prefetch(td_btree_cursor cursor);

/* Where the weights, and `each` for every entry besides, sum up to more than `target`: the entry with which they do;
 * the end when they never do. *ret_before: the sum of the entries before it. */
td_btree_cursor td_btree_seek_weight(const td_btree *tree, uint64_t each, uint64_t target, uint64_t *ret_before);

/* The same sum of the entries with key < bound. */
uint64_t td_btree_weight_before(const td_btree *tree, td_slice bound, uint64_t each);

/* Splitting a tree: an empty one is made with all the memory that it needs, and then, before `tree` is changed
 * otherwise, gets every entry with key >= bound. So several trees are split together or none. NULL: no memory. */
TD_MUST_USE td_btree *td_btree_new_upper(const td_btree *tree);
void td_btree_split(td_btree *tree, td_slice bound, td_btree *upper);

#endif
