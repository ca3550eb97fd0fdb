/* SPDX-License-Identifier: MIT
 * btree.h: an ordered map from byte strings (memcmp order, the shorter first) to pointers.
 *
 * The one ordered structure of the store (decision D2): a B+tree whose leaves are linked both ways and whose nodes
 * carry the first eight bytes of each key inline, so that most steps of a search compare integers. Keys are copied
 * into the tree; values are the caller's. A cursor is valid until the next change of the tree; a reader that lets go
 * of the lock resumes by key. Every entry may have a weight; each node knows how many entries are below it and what
 * they weigh, so that a tree is divided, or its middle found, in as many steps as it is deep.
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

TD_MUST_USE td_btree *td_btree_new(void);
/* Calls release(value) for each value when given. NULL tree is allowed. */
void td_btree_free(td_btree *tree, void (*release)(void *value));

uint64_t td_btree_count(const td_btree *tree);
uint64_t td_btree_weight(const td_btree *tree);       /* of all entries */
uint64_t td_btree_memory_bytes(const td_btree *tree); /* nodes and keys; walks all of them */

/* The place that holds the key's value, for reading or swapping in place, or NULL. It stays where it is until its own
 * key is removed, whatever else comes and goes. */
void **td_btree_find(const td_btree *tree, td_slice key);

/* The same place, made (holding NULL) when the key was absent. NULL when there is no memory: the tree is
 * unchanged. *ret_is_new says which. */
TD_MUST_USE void **td_btree_insert(td_btree *tree, td_slice key, bool *ret_is_new);
/* A new entry has that weight, else 0. One that was there keeps its own. */
TD_MUST_USE void **td_btree_insert_weighing(td_btree *tree, td_slice key, uint32_t weight, bool *ret_is_new);

/* Changes the weight of an entry that is there; `place` is its key's. */
void td_btree_reweigh(td_btree *tree, td_slice key, void **place, uint32_t weight);

/* Removes the key; answers its value, or NULL when it was absent. Never allocates. */
void *td_btree_remove(td_btree *tree, td_slice key);

td_btree_cursor td_btree_first(const td_btree *tree);
td_btree_cursor td_btree_last(const td_btree *tree);
td_btree_cursor td_btree_seek_key(const td_btree *tree, td_slice bound, td_btree_seek where);

static inline bool td_btree_is_end(td_btree_cursor cursor) { return cursor.leaf == NULL; }
void td_btree_next(td_btree_cursor *cursor);
void td_btree_previous(td_btree_cursor *cursor);
td_slice td_btree_key(td_btree_cursor cursor); /* borrowed until the next change */
void *td_btree_value(td_btree_cursor cursor);

/* Where the weights, and `each` for every entry besides, sum up to more than `target`: the entry with which they do;
 * the end when they never do. *ret_before: the sum of the entries before it. */
td_btree_cursor td_btree_seek_weight(const td_btree *tree, uint64_t each, uint64_t target, uint64_t *ret_before);

/* The same sum of the entries with key < bound. */
uint64_t td_btree_weight_before(const td_btree *tree, td_slice bound, uint64_t each);

/* Splitting a tree: an empty one is made with all the memory that it takes, and then, before `tree` is changed
 * otherwise, gets every entry with key >= bound. So several trees are split together or none. NULL: no memory. */
TD_MUST_USE td_btree *td_btree_new_upper(const td_btree *tree);
void td_btree_split(td_btree *tree, td_slice bound, td_btree *upper);

#endif
