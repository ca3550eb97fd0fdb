/* SPDX-License-Identifier: Apache-2.0
 * btree_node.h: the nodes of the ordered tree, private to btree*.c.
 *
 *             inner   keys:       k1     k2          separators, owned: each is greater than all that lies to its left,
 *                     children: c0    c1    c2       and not greater than what lies to its right
 *             leaf    keys:     e0 e1 e2 …           the entries, owned; with a source, the values themselves;
 *                                                    leaves are linked both ways
 *
 * A node's keys share their first `skip` bytes; heads[i] holds the eight bytes that follow in keys[i], big-endian and
 * padded with zeros. While keys differ early (hashes) skip is 0 and a search touches heads alone; in a node filled by
 * one item collection skip steps over all that its keys have in common, so that a search compares integers there too.
 * prints[i] of a leaf is a hash of keys[i] as a whole: where several heads are equal (the items of a small collection
 * share the hash of their key), a look-up goes by it to the one entry that it wants, and does not wait for memory at
 * each step of a search among them. In inner nodes the prints mean nothing.
 * A node's sums are those of the entries below it: a change of an entry changes the nodes on the way to it, which were
 * walked through anyway; when nodes are divided the moved part is summed up anew, a step a child.
 *
 * A separator is made when leaves are divided, as short as can be: of keys that begin with hashes, a few bytes.
 *
 * Invariants: keys rise strictly; skip is 0 or at least 8 bytes, shared by all keys; an inner node has count + 1
 *             children and at least one key. */
#ifndef THERMODYN_BASE_BTREE_NODE_H
#define THERMODYN_BASE_BTREE_NODE_H

#include "thermodyn/btree.h"

enum {
    TD_BTREE_KEYS_MAX = 64, /* heads of a node: eight cache lines, of which a search touches about four */
    TD_BTREE_KEYS_MIN =
        21, /* fewer after a removal: merge or balance; a third, so that merged nodes do not split soon */
    TD_BTREE_LINE_BYTES = 64, /* of the processor's cache */
    TD_BTREE_VALUE_LINES = 6, /* of a value whose key is read off it: a small item has no more */
    TD_BTREE_LEVELS_MAX = 12, /* eight children a node at the least (a split at its end): 8^11 leaves */
};

/* A key that is kept: of a leaf, or a separator, which has no value. */
typedef struct td_btree_entry {
    void *value; /* first: the address of it is the entry's */
    uint32_t weight;
    uint32_t key_len;
    uint8_t key[];
} td_btree_entry;

typedef struct td_btree_sums {
    uint64_t entries;
    uint64_t weight;
} td_btree_sums;

/* What leaves and inner nodes have in common; the first member of both. */
typedef struct td_btree_node {
    uint32_t count; /* of keys */
    uint32_t skip;
    td_btree_sums sums; /* of a leaf's keys, or of an inner node's children */
    const td_btree_source *source; /* of a leaf: `keys` are values; NULL: they are entries */
    uint64_t heads[TD_BTREE_KEYS_MAX];
    void *keys[TD_BTREE_KEYS_MAX];
    uint16_t prints[TD_BTREE_KEYS_MAX];
} td_btree_node;

typedef struct td_btree_leaf {
    td_btree_node node;
    struct td_btree_leaf *previous;
    struct td_btree_leaf *next;
} td_btree_leaf;

typedef struct td_btree_inner {
    td_btree_node node;
    td_btree_node *children[TD_BTREE_KEYS_MAX + 1];
} td_btree_inner;

struct td_btree {
    td_btree_node *root;  /* NULL while empty */
    td_btree_node *spine; /* made for a split: an unused node a level, each the first child of the one above; NULL */
    uint32_t levels;      /* of nodes: 0 while empty, 1 when the root is a leaf */
    const td_btree_source *source; /* NULL: the tree keeps the keys */
};

/* A cut divides the keys in two: those before it, and the rest. Every seek is a cut and a side of it. */
typedef enum td_btree_cut {
    TD_BTREE_CUT_BEFORE, /* before: keys <  bound */
    TD_BTREE_CUT_AFTER,  /* before: keys <= bound */
    TD_BTREE_CUT_PAST,   /* before: keys <  bound, and those under it */
} td_btree_cut;

/* The way from the root to a leaf: at[level] is the child taken in the inner node of that level; level 0 is a leaf. */
typedef struct td_btree_path {
    td_btree_node *nodes[TD_BTREE_LEVELS_MAX];
    uint32_t at[TD_BTREE_LEVELS_MAX];
} td_btree_path;

static inline td_slice td_btree__entry_key(const td_btree_entry *entry)
{
    return td_slice_of(entry->key, entry->key_len);
}

static inline size_t td_btree__entry_bytes(size_t key_len)
{
    return offsetof(td_btree_entry, key) + key_len;
}

static inline const td_btree_entry *td_btree__entry_at(const td_btree_node *node, uint32_t at)
{
    TD_ASSERT(node->source == NULL);
    return node->keys[at];
}

/* A key of the node, of whose first `from` bytes nothing is asked. */
static inline td_slice td_btree__key_at(const td_btree_node *node, uint32_t at, size_t from, td_btree_room *room)
{
    if (node->source != NULL) return node->source->make(node->source, node->keys[at], from, room);
    return td_btree__entry_key(node->keys[at]);
}

/* The place of a leaf's value. */
static inline void **td_btree__place_at(td_btree_node *leaf, uint32_t at)
{
    return leaf->source != NULL ? &leaf->keys[at] : &((td_btree_entry *)leaf->keys[at])->value;
}

static inline uint32_t td_btree__weight_at(const td_btree_node *leaf, uint32_t at)
{
    return leaf->source != NULL ? leaf->source->weigh(leaf->keys[at]) : td_btree__entry_at(leaf, at)->weight;
}

static inline td_btree_leaf *td_btree__as_leaf(td_btree_node *node)
{
    return (td_btree_leaf *)(void *)node;
}
static inline td_btree_inner *td_btree__as_inner(td_btree_node *node)
{
    return (td_btree_inner *)(void *)node;
}

/* A search steps among the heads from line to line, then on to what it has found, and would wait for memory at each
 * step: all of the node is asked for at once. `level` is that of its parent. */
static inline void td_btree__prefetch(const td_btree_node *node, uint32_t level)
{
    size_t len = level == 1 ? sizeof(td_btree_leaf) : sizeof(td_btree_inner);
    for (size_t at = 0; at < len; at += TD_BTREE_LINE_BYTES)
        __builtin_prefetch((const uint8_t *)node + at);
}

/* Whoever compares or reads a value walks over its beginning, and would wait for memory line by line. */
static inline void td_btree__prefetch_key(const td_btree_node *node, uint32_t at)
{
    size_t lines = node->source == NULL ? 1 : TD_BTREE_VALUE_LINES;
    for (size_t line = 0; line < lines; line++)
        __builtin_prefetch((const uint8_t *)node->keys[at] + line * TD_BTREE_LINE_BYTES);
}

/* How many of the node's keys lie before the cut: in a leaf the place of the cut, in an inner node the child with it.
 */
uint32_t td_btree__node_cut(const td_btree_node *node, td_slice bound, td_btree_cut cut);

/* Whether a leaf has the key, and where. */
bool td_btree__leaf_find(const td_btree_node *leaf, td_slice key, uint32_t *ret_at);

/* Walks from the root to the leaf of the cut. The tree is not empty. */
void td_btree__descend(const td_btree *tree, td_slice bound, td_btree_cut cut, td_btree_path *ret_path);

/* Changes of the keys alone; children are the caller's. The order of keys is the caller's promise. `slot` is what the
 * node has for the key: an entry, or a value. */
void td_btree__node_insert(td_btree_node *node, uint32_t at, td_slice key, void *slot);
void td_btree__node_remove(td_btree_node *node, uint32_t at);
void td_btree__node_replace(td_btree_node *node, uint32_t at, td_slice key, void *slot);

/* An entry for that key. NULL: no memory. */
TD_MUST_USE td_btree_entry *td_btree__new_entry(td_slice key, uint32_t weight);
/* What separates the keys before `at` of a leaf from the rest. NULL: no memory. */
TD_MUST_USE td_btree_entry *td_btree__new_separator(const td_btree_node *leaf, uint32_t at);

/* Moves keys with their heads; afterwards the caller refreshes both nodes. */
void td_btree__node_move(td_btree_node *to, uint32_t to_at, td_btree_node *from, uint32_t from_at, uint32_t count);

/* Finds `skip` anew after keys came or went; recomputes the heads if it changed, or if they are mixed (`are_mixed`:
 * some were computed with another skip than the node's). */
void td_btree__node_refresh(td_btree_node *node, bool are_mixed);

/* Nodes were divided: `left` still has the sums of both. Sums up `right`; the rest is the left one's. */
void td_btree__divide_sums(td_btree_node *left, td_btree_node *right, bool are_leaves);
void td_btree__add_sums(td_btree_node *node, td_btree_sums more);

/* After a removal: brings the path's leaf, and then the nodes above it, back to the minimum. */
void td_btree__repair(td_btree *tree, const td_btree_path *path);

/* Merges children `at` and `at + 1` if they fit in one node, else balances them, if there is memory for the separator
 * of leaves; says whether they merged. */
bool td_btree__merge_children(td_btree_inner *parent, uint32_t at, bool are_leaves);

/* Takes away roots without a key: an inner one gives way to its only child, an empty leaf to nothing. */
void td_btree__drop_thin_roots(td_btree *tree);

void td_btree__free_spine(td_btree *tree);

#endif
