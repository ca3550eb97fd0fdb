/* SPDX-License-Identifier: MIT
 * btree_check.c: the invariants of btree_node.h, read off a whole tree. */
#include "btree_check.h"

#include "btree_node.h"

typedef struct tree_walk {
    const td_btree *tree;
    td_btree_leaf *previous; /* the leaf walked last */
    td_btree_sums sums;
} tree_walk;

static const td_btree_entry *walk_node(tree_walk *walk, td_btree_node *node, uint32_t level);
static void walk_leaf(tree_walk *walk, td_btree_leaf *leaf);
static void check_keys(const td_btree_node *node);
static uint64_t head_of(const td_btree_entry *entry, uint32_t skip);

void check_btree(const td_btree *tree)
{
    ck_assert_uint_eq(tree->root == NULL, tree->levels == 0);
    tree_walk walked = {.tree = tree};
    if (tree->root != NULL) {
        (void)walk_node(&walked, tree->root, tree->levels - 1);
        ck_assert_ptr_null(walked.previous->next);
    }
    ck_assert_uint_eq(walked.sums.entries, td_btree_count(tree));
    ck_assert_uint_eq(walked.sums.weight, td_btree_weight(tree));
    ck_assert_ptr_null(tree->spine);
}

/* Answers the smallest entry under the node. */
static const td_btree_entry *walk_node(tree_walk *walk, td_btree_node *node, uint32_t level)
{
    ck_assert(node->count >= 1);
    ck_assert(node->count <= TD_BTREE_KEYS_MAX);
    check_keys(node);
    if (level == 0) {
        walk_leaf(walk, td_btree__as_leaf(node));
        return node->keys[0];
    }
    td_btree_inner *inner = td_btree__as_inner(node);
    td_btree_sums before = walk->sums;
    const td_btree_entry *smallest = walk_node(walk, inner->children[0], level - 1);
    for (uint32_t i = 0; i < node->count; i++)
        ck_assert(walk_node(walk, inner->children[i + 1], level - 1) == node->keys[i]);
    ck_assert(node->sums.entries == walk->sums.entries - before.entries);
    ck_assert(node->sums.weight == walk->sums.weight - before.weight);
    return smallest;
}

static void walk_leaf(tree_walk *walk, td_btree_leaf *leaf)
{
    ck_assert(leaf->previous == walk->previous);
    if (walk->previous != NULL) {
        const td_btree_node *before = &walk->previous->node;
        ck_assert(walk->previous->next == leaf);
        const td_btree_entry *last = before->keys[before->count - 1];
        ck_assert(td_slice_compare(td_btree__entry_key(last), td_btree__entry_key(leaf->node.keys[0])) < 0);
    }
    walk->previous = leaf;
    td_btree_sums sums = {.entries = leaf->node.count};
    for (uint32_t i = 0; i < leaf->node.count; i++)
        sums.weight += leaf->node.keys[i]->weight;
    ck_assert(leaf->node.sums.entries == sums.entries);
    ck_assert(leaf->node.sums.weight == sums.weight);
    walk->sums.entries += sums.entries;
    walk->sums.weight += sums.weight;
}

static void check_keys(const td_btree_node *node)
{
    ck_assert(node->skip == 0 || node->skip >= 8);
    for (uint32_t i = 0; i < node->count; i++) {
        const td_btree_entry *key = node->keys[i];
        ck_assert(key->key_len >= node->skip);
        ck_assert(memcmp(key->key, node->keys[0]->key, node->skip) == 0);
        ck_assert(node->heads[i] == head_of(key, node->skip));
        if (i == 0) continue;
        ck_assert(td_slice_compare(td_btree__entry_key(node->keys[i - 1]), td_btree__entry_key(key)) < 0);
    }
}

static uint64_t head_of(const td_btree_entry *entry, uint32_t skip)
{
    uint64_t head = 0;
    for (uint32_t i = skip; i < skip + 8; i++)
        head = head << 8 | (i < entry->key_len ? entry->key[i] : 0);
    return head;
}
