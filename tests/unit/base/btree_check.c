/* SPDX-License-Identifier: Apache-2.0
 * btree_check.c: the invariants of btree_node.h, read off a whole tree. */
#include "btree_check.h"

#include "btree_node.h"

/* Keys k with low <= k < high; NULL: no limit. */
typedef struct limits {
    const td_btree_entry *low;
    const td_btree_entry *high;
} limits;

typedef struct tree_walk {
    const td_btree *tree;
    td_btree_leaf *previous; /* the leaf walked last */
    td_btree_sums sums;
} tree_walk;

static void walk_node(tree_walk *walk, td_btree_node *node, uint32_t level, limits within);
static void walk_leaf(tree_walk *walk, td_btree_leaf *leaf, limits within);
static void check_keys(const td_btree_node *node);
static uint64_t head_of(td_slice key, uint32_t skip);

void check_btree(const td_btree *tree)
{
    ck_assert_uint_eq(tree->root == NULL, tree->levels == 0);
    tree_walk walked = {.tree = tree};
    if (tree->root != NULL) {
        walk_node(&walked, tree->root, tree->levels - 1, (limits){NULL, NULL});
        ck_assert_ptr_null(walked.previous->next);
    }
    ck_assert_uint_eq(walked.sums.entries, td_btree_count(tree));
    ck_assert_uint_eq(walked.sums.weight, td_btree_weight(tree));
    ck_assert_ptr_null(tree->spine);
}

static void walk_node(tree_walk *walk, td_btree_node *node, uint32_t level, limits within)
{
    ck_assert(node->count >= 1);
    ck_assert(node->count <= TD_BTREE_KEYS_MAX);
    check_keys(node);
    if (level == 0) {
        walk_leaf(walk, td_btree__as_leaf(node), within);
        return;
    }
    ck_assert(node->source == NULL);
    td_btree_inner *inner = td_btree__as_inner(node);
    td_btree_sums before = walk->sums;
    for (uint32_t i = 0; i <= node->count; i++) {
        limits part = {i == 0 ? within.low : node->keys[i - 1], i == node->count ? within.high : node->keys[i]};
        walk_node(walk, inner->children[i], level - 1, part);
    }
    ck_assert(node->sums.entries == walk->sums.entries - before.entries);
    ck_assert(node->sums.weight == walk->sums.weight - before.weight);
}

static void walk_leaf(tree_walk *walk, td_btree_leaf *leaf, limits within)
{
    td_btree_room rooms[2];
    const td_btree_node *node = &leaf->node;
    ck_assert(leaf->previous == walk->previous);
    ck_assert(node->source == walk->tree->source);
    td_slice first = td_btree__key_at(node, 0, 0, &rooms[0]);
    if (walk->previous != NULL) {
        const td_btree_node *before = &walk->previous->node;
        ck_assert(walk->previous->next == leaf);
        ck_assert(td_slice_compare(td_btree__key_at(before, before->count - 1, 0, &rooms[1]), first) < 0);
    }
    td_slice last = td_btree__key_at(node, node->count - 1, 0, &rooms[1]);
    ck_assert(within.low == NULL || td_slice_compare(first, td_btree__entry_key(within.low)) >= 0);
    ck_assert(within.high == NULL || td_slice_compare(last, td_btree__entry_key(within.high)) < 0);
    walk->previous = leaf;
    td_btree_sums sums = {.entries = leaf->node.count};
    for (uint32_t i = 0; i < leaf->node.count; i++)
        sums.weight += td_btree__weight_at(node, i);
    ck_assert(leaf->node.sums.entries == sums.entries);
    ck_assert(leaf->node.sums.weight == sums.weight);
    walk->sums.entries += sums.entries;
    walk->sums.weight += sums.weight;
}

static void check_keys(const td_btree_node *node)
{
    td_btree_room rooms[2];
    td_slice first = td_btree__key_at(node, 0, 0, &rooms[0]);
    ck_assert(node->skip == 0 || node->skip >= 8);
    for (uint32_t i = 0; i < node->count; i++) {
        td_slice key = td_btree__key_at(node, i, 0, &rooms[1]);
        ck_assert(key.len >= node->skip);
        ck_assert(memcmp(key.ptr, first.ptr, node->skip) == 0);
        ck_assert(node->heads[i] == head_of(key, node->skip));
    }
    for (uint32_t i = 1; i < node->count; i++) {
        td_slice before = td_btree__key_at(node, i - 1, 0, &rooms[0]);
        ck_assert(td_slice_compare(before, td_btree__key_at(node, i, 0, &rooms[1])) < 0);
    }
}

static uint64_t head_of(td_slice key, uint32_t skip)
{
    uint64_t head = 0;
    for (uint32_t i = skip; i < skip + 8; i++)
        head = head << 8 | (i < key.len ? key.ptr[i] : 0);
    return head;
}
