/* SPDX-License-Identifier: Apache-2.0
 * btree_split.c: one tree becomes two.
 *
 * The nodes on the way to the bound are cut in two; everything beside that way moves as it is, so that a split costs a
 * node a level, and looks at the sums of the nodes beside the way. The cut leaves small nodes along both edges; they
 * are merged or balanced from the root down, so that each parent can spare a key when its child is repaired. */
#include "btree_node.h"

#include "thermodyn/memory.h"

static void cut_leaf(td_btree_leaf *left, td_btree_leaf *right, uint32_t kept);
static void cut_inner(td_btree_inner *left, td_btree_inner *right, uint32_t kept);
static void repair_edge(td_btree *tree, bool is_last);

/* One node a level for the new tree's first edge. */
td_btree *td_btree_new_upper(const td_btree *tree)
{
    td_btree *upper = td_btree_new(tree->source);
    if (upper == NULL) return NULL;
    for (uint32_t level = 0; level < tree->levels; level++) {
        td_btree_node *node = td_alloc_zero(level == 0 ? sizeof(td_btree_leaf) : sizeof(td_btree_inner));
        if (node == NULL) {
            td_btree_free(upper, NULL);
            return NULL;
        }
        if (level > 0)
            td_btree__as_inner(node)->children[0] = upper->spine;
        else
            node->source = tree->source;
        upper->spine = node;
        upper->levels = level + 1;
    }
    return upper;
}

void td_btree_split(td_btree *tree, td_slice bound, td_btree *upper)
{
    TD_ASSERT(upper->root == NULL && upper->levels == tree->levels);
    if (tree->root == NULL) return;
    td_btree_path path;
    td_btree__descend(tree, bound, TD_BTREE_CUT_BEFORE, &path);
    td_btree_node *spine[TD_BTREE_LEVELS_MAX];
    td_btree_node *node = upper->spine;
    for (uint32_t level = tree->levels; level-- > 0;) {
        spine[level] = node;
        if (level > 0) node = td_btree__as_inner(node)->children[0];
    }
    uint32_t kept = td_btree__node_cut(path.nodes[0], bound, TD_BTREE_CUT_BEFORE);
    cut_leaf(td_btree__as_leaf(path.nodes[0]), td_btree__as_leaf(spine[0]), kept);
    for (uint32_t level = 1; level < tree->levels; level++) {
        cut_inner(td_btree__as_inner(path.nodes[level]), td_btree__as_inner(spine[level]), path.at[level]);
    }
    upper->root = upper->spine;
    upper->spine = NULL;
    repair_edge(tree, true);
    repair_edge(upper, false);
}

void td_btree__free_spine(td_btree *tree)
{
    while (tree->spine != NULL) {
        td_btree_node *node = tree->spine;
        tree->levels--;
        tree->spine = tree->levels == 0 ? NULL : td_btree__as_inner(node)->children[0];
        td_free(node);
    }
}

static void cut_leaf(td_btree_leaf *left, td_btree_leaf *right, uint32_t kept)
{
    right->node.count = left->node.count - kept;
    right->node.skip = left->node.skip;
    td_btree__node_move(&right->node, 0, &left->node, kept, right->node.count);
    left->node.count = kept;
    td_btree__divide_sums(&left->node, &right->node, true);
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
    td_btree__divide_sums(&left->node, &right->node, false);
    td_btree__node_refresh(&left->node, false);
    td_btree__node_refresh(&right->node, false);
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
            (void)td_btree__merge_children(inner, is_last ? node->count - 1 : 0, level == 2);
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
