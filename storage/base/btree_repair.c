/* SPDX-License-Identifier: Apache-2.0
 * btree_repair.c: what keeps nodes from growing small: merging two neighbours, or balancing two that do not fit in one.
 * Two leaves that are balanced take memory for another separator; without it they stay as they are, and are merged when
 * they have become small enough for that, at the latest when one is empty. */
#include "btree_node.h"

#include "thermodyn/memory.h"

static bool merge_leaves(td_btree_inner *parent, uint32_t at);
static bool merge_inners(td_btree_inner *parent, uint32_t at);
static void balance_leaves(td_btree_inner *parent, uint32_t at);
static void shift_inners_right(td_btree_inner *parent, uint32_t at, uint32_t count);
static void shift_inners_left(td_btree_inner *parent, uint32_t at, uint32_t count);
static bool have_mixed_heads(const td_btree_node *left, const td_btree_node *right);
static void share_sums(td_btree_node *left, td_btree_node *right, bool are_leaves);
static void remove_child(td_btree_inner *inner, uint32_t at);

void td_btree__repair(td_btree *tree, const td_btree_path *path)
{
    for (uint32_t level = 0; level + 1 < tree->levels; level++) {
        if (path->nodes[level]->count >= TD_BTREE_KEYS_MIN) break;
        td_btree_inner *parent = td_btree__as_inner(path->nodes[level + 1]);
        uint32_t at = path->at[level + 1] == 0 ? 0 : path->at[level + 1] - 1;
        if (!td_btree__merge_children(parent, at, level == 0)) break;
    }
    td_btree__drop_thin_roots(tree);
}

bool td_btree__merge_children(td_btree_inner *parent, uint32_t at, bool are_leaves)
{
    TD_ASSERT(at < parent->node.count);
    return are_leaves ? merge_leaves(parent, at) : merge_inners(parent, at);
}

void td_btree__drop_thin_roots(td_btree *tree)
{
    while (tree->levels > 0 && tree->root->count == 0) {
        td_btree_node *root = tree->root;
        tree->levels--;
        tree->root = tree->levels == 0 ? NULL : td_btree__as_inner(root)->children[0];
        td_free(root);
    }
}

static bool merge_leaves(td_btree_inner *parent, uint32_t at)
{
    td_btree_leaf *left = td_btree__as_leaf(parent->children[at]);
    td_btree_leaf *right = td_btree__as_leaf(parent->children[at + 1]);
    if (left->node.count + right->node.count > TD_BTREE_KEYS_MAX) {
        balance_leaves(parent, at);
        return false;
    }
    bool are_mixed = have_mixed_heads(&left->node, &right->node);
    td_free(parent->node.keys[at]);
    td_btree__node_move(&left->node, left->node.count, &right->node, 0, right->node.count);
    left->node.count += right->node.count;
    td_btree__add_sums(&left->node, right->node.sums);
    td_btree__node_refresh(&left->node, are_mixed);
    left->next = right->next;
    if (left->next != NULL) left->next->previous = left;
    remove_child(parent, at);
    td_free(right);
    return true;
}

static bool merge_inners(td_btree_inner *parent, uint32_t at)
{
    td_btree_inner *left = td_btree__as_inner(parent->children[at]);
    td_btree_inner *right = td_btree__as_inner(parent->children[at + 1]);
    uint32_t total = left->node.count + right->node.count;
    if (total + 1 > TD_BTREE_KEYS_MAX) {
        if (left->node.count > right->node.count)
            shift_inners_right(parent, at, left->node.count - total / 2);
        else
            shift_inners_left(parent, at, right->node.count - total / 2);
        return false;
    }
    left->node.keys[left->node.count] = parent->node.keys[at];
    td_btree__node_move(&left->node, left->node.count + 1, &right->node, 0, right->node.count);
    memcpy(left->children + left->node.count + 1, right->children, (right->node.count + 1) * sizeof left->children[0]);
    left->node.count = total + 1;
    td_btree__add_sums(&left->node, right->node.sums);
    td_btree__node_refresh(&left->node, true);
    remove_child(parent, at);
    td_free(right);
    return true;
}

static void balance_leaves(td_btree_inner *parent, uint32_t at)
{
    td_btree_node *left = parent->children[at];
    td_btree_node *right = parent->children[at + 1];
    uint32_t left_count = (left->count + right->count) / 2;
    bool goes_right = left->count > left_count;
    td_btree_entry *separator = goes_right ? td_btree__new_separator(left, left_count)
                                           : td_btree__new_separator(right, left_count - left->count);
    if (separator == NULL) return;
    if (goes_right) {
        uint32_t moved = left->count - left_count;
        td_btree__node_move(right, moved, right, 0, right->count);
        td_btree__node_move(right, 0, left, left_count, moved);
        right->count += moved;
    } else {
        uint32_t moved = left_count - left->count;
        td_btree__node_move(left, left->count, right, 0, moved);
        td_btree__node_move(right, 0, right, moved, right->count - moved);
        right->count -= moved;
    }
    left->count = left_count;
    share_sums(left, right, true);
    bool are_mixed = have_mixed_heads(left, right);
    td_btree__node_refresh(left, are_mixed);
    td_btree__node_refresh(right, are_mixed);
    td_free(parent->node.keys[at]);
    td_btree__node_replace(&parent->node, at, td_btree__entry_key(separator), separator);
}

/* Moves the last `count` children of the left node over to the right one; the keys turn through the parent. */
static void shift_inners_right(td_btree_inner *parent, uint32_t at, uint32_t count)
{
    td_btree_inner *left = td_btree__as_inner(parent->children[at]);
    td_btree_inner *right = td_btree__as_inner(parent->children[at + 1]);
    uint32_t kept = left->node.count - count;
    td_btree_entry *between = left->node.keys[kept];
    td_btree__node_move(&right->node, count, &right->node, 0, right->node.count);
    right->node.keys[count - 1] = parent->node.keys[at];
    td_btree__node_move(&right->node, 0, &left->node, kept + 1, count - 1);
    memmove(right->children + count, right->children, (right->node.count + 1) * sizeof right->children[0]);
    memcpy(right->children, left->children + kept + 1, count * sizeof right->children[0]);
    right->node.count += count;
    left->node.count = kept;
    share_sums(&left->node, &right->node, false);
    td_btree__node_refresh(&left->node, true);
    td_btree__node_refresh(&right->node, true);
    td_btree__node_replace(&parent->node, at, td_btree__entry_key(between), between);
}

static void shift_inners_left(td_btree_inner *parent, uint32_t at, uint32_t count)
{
    td_btree_inner *left = td_btree__as_inner(parent->children[at]);
    td_btree_inner *right = td_btree__as_inner(parent->children[at + 1]);
    uint32_t kept = right->node.count - count;
    td_btree_entry *between = right->node.keys[count - 1];
    left->node.keys[left->node.count] = parent->node.keys[at];
    td_btree__node_move(&left->node, left->node.count + 1, &right->node, 0, count - 1);
    memcpy(left->children + left->node.count + 1, right->children, count * sizeof left->children[0]);
    td_btree__node_move(&right->node, 0, &right->node, count, kept);
    memmove(right->children, right->children + count, (kept + 1) * sizeof right->children[0]);
    left->node.count += count;
    right->node.count = kept;
    share_sums(&left->node, &right->node, false);
    td_btree__node_refresh(&left->node, true);
    td_btree__node_refresh(&right->node, true);
    td_btree__node_replace(&parent->node, at, td_btree__entry_key(between), between);
}

/* What is stepped over may be as long in both, and not the same. */
static bool have_mixed_heads(const td_btree_node *left, const td_btree_node *right)
{
    return left->skip > 0 || right->skip > 0;
}

static void share_sums(td_btree_node *left, td_btree_node *right, bool are_leaves)
{
    td_btree__add_sums(left, right->sums);
    td_btree__divide_sums(left, right, are_leaves);
}

/* Takes out key `at`, which is another's now or freed, and the child to its right. */
static void remove_child(td_btree_inner *inner, uint32_t at)
{
    memmove(inner->children + at + 1, inner->children + at + 2,
            (inner->node.count - at - 1) * sizeof inner->children[0]);
    td_btree__node_remove(&inner->node, at);
}
