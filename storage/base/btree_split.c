/* SPDX-License-Identifier: MIT
 * btree_split.c: one tree becomes two.
 *
 * The nodes on the way to the bound are cut in two; everything beside that way moves as it is, so that the structure
 * costs a node a level. What is linear is the count: the moved part is walked once for its entries and bytes. The cut
 * leaves small nodes along both edges; they are merged or balanced from the root down, so that each parent can spare a
 * key when its child is repaired. */
#include "btree_node.h"

#include "thermodyn/memory.h"

static bool take_nodes(const td_btree *tree, td_btree_node **ret_nodes);
static td_btree_node *cut_nodes(const td_btree *tree, const td_btree_path *path, td_slice bound, td_btree_node **nodes);
static void cut_leaf(td_btree_leaf *left, td_btree_leaf *right, uint32_t kept);
static void cut_inner(td_btree_inner *left, td_btree_inner *right, uint32_t kept);
static void count_in(td_btree *tree, const td_btree_node *node, uint32_t level);
static void repair_edge(td_btree *tree, bool is_last);

td_btree *td_btree_split(td_btree *tree, td_slice bound)
{
    td_btree *right = td_btree_new();
    if (right == NULL || tree->root == NULL) return right;
    td_btree_node *nodes[TD_BTREE_LEVELS_MAX];
    if (!take_nodes(tree, nodes)) {
        td_btree_free(right, NULL);
        return NULL;
    }
    td_btree_path path;
    td_btree__descend(tree, bound, TD_BTREE_CUT_BEFORE, &path);
    right->root = cut_nodes(tree, &path, bound, nodes);
    right->levels = tree->levels;
    uint64_t new_bytes = sizeof(td_btree) + sizeof(td_btree_leaf) + (tree->levels - 1) * sizeof(td_btree_inner);
    count_in(right, right->root, right->levels - 1);
    TD_ASSERT(right->count <= tree->count);
    tree->count -= right->count;
    tree->memory_bytes -= right->memory_bytes - new_bytes;
    repair_edge(tree, true);
    repair_edge(right, false);
    return right;
}

/* One node a level for the right tree's edge. */
static bool take_nodes(const td_btree *tree, td_btree_node **ret_nodes)
{
    for (uint32_t level = 0; level < tree->levels; level++) {
        ret_nodes[level] = td_alloc_zero(level == 0 ? sizeof(td_btree_leaf) : sizeof(td_btree_inner));
        if (ret_nodes[level] != NULL) continue;
        while (level > 0)
            td_free(ret_nodes[--level]);
        return false;
    }
    return true;
}

static td_btree_node *cut_nodes(const td_btree *tree, const td_btree_path *path, td_slice bound, td_btree_node **nodes)
{
    uint32_t kept = td_btree__node_cut(path->nodes[0], bound, TD_BTREE_CUT_BEFORE);
    cut_leaf(td_btree__as_leaf(path->nodes[0]), td_btree__as_leaf(nodes[0]), kept);
    for (uint32_t level = 1; level < tree->levels; level++) {
        td_btree_inner *right = td_btree__as_inner(nodes[level]);
        right->children[0] = nodes[level - 1];
        cut_inner(td_btree__as_inner(path->nodes[level]), right, path->at[level]);
    }
    return nodes[tree->levels - 1];
}

static void cut_leaf(td_btree_leaf *left, td_btree_leaf *right, uint32_t kept)
{
    right->node.count = left->node.count - kept;
    right->node.skip = left->node.skip;
    td_btree__node_move(&right->node, 0, &left->node, kept, right->node.count);
    left->node.count = kept;
    td_btree__node_refresh(&left->node, false);
    td_btree__node_refresh(&right->node, false);
    right->next = left->next;
    if (right->next != NULL) right->next->previous = right;
    left->next = NULL;
}

/* Child `kept` was cut itself: its left half stays, its right half is the right node's first child already. */
static void cut_inner(td_btree_inner *left, td_btree_inner *right, uint32_t kept)
{
    right->node.count = left->node.count - kept;
    right->node.skip = left->node.skip;
    td_btree__node_move(&right->node, 0, &left->node, kept, right->node.count);
    memcpy(right->children + 1, left->children + kept + 1, right->node.count * sizeof right->children[0]);
    left->node.count = kept;
    td_btree__node_refresh(&left->node, false);
    td_btree__node_refresh(&right->node, false);
}

/* Recursion as deep as the tree: TD_BTREE_LEVELS_MAX at most. */
static void count_in(td_btree *tree, const td_btree_node *node, uint32_t level)
{
    if (level > 0) {
        const td_btree_inner *inner = (const td_btree_inner *)(const void *)node;
        tree->memory_bytes += sizeof *inner;
        for (uint32_t i = 0; i <= node->count; i++)
            count_in(tree, inner->children[i], level - 1);
        return;
    }
    tree->memory_bytes += sizeof(td_btree_leaf);
    tree->count += node->count;
    for (uint32_t i = 0; i < node->count; i++)
        tree->memory_bytes += td_btree__entry_bytes(node->keys[i]->key_len);
}

/* Repairs the nodes along the last (or first) edge, from the root down. */
static void repair_edge(td_btree *tree, bool is_last)
{
    td_btree__drop_thin_roots(tree);
    uint32_t level = tree->levels;
    td_btree_node *node = tree->root;
    while (level > 1) {
        td_btree_inner *inner = td_btree__as_inner(node);
        const td_btree_node *child = inner->children[is_last ? node->count : 0];
        if (child->count < TD_BTREE_KEYS_MIN) {
            (void)td_btree__merge_children(tree, inner, is_last ? node->count - 1 : 0, level == 2);
        }
        level--;
        if (node->count == 0) { /* the root, whose two children became one */
            TD_ASSERT(node == tree->root);
            td_btree__drop_thin_roots(tree);
            node = tree->root;
        } else {
            node = inner->children[is_last ? node->count : 0];
        }
    }
    td_btree__drop_thin_roots(tree);
}
