/* SPDX-License-Identifier: Apache-2.0
 * btree.c: the ordered tree as its readers see it: look-ups, seeks and cursors.
 * Not here: nodes (btree_node.h), insertion and removal (btree_change.c), splitting a tree (btree_split.c). */
#include "thermodyn/btree.h"

#include "thermodyn/memory.h"

#include "btree_node.h"

static void free_nodes(td_btree_node *node, uint32_t level);
static uint64_t memory_of(const td_btree_node *node, uint32_t level);
static td_btree_leaf *edge_leaf(const td_btree *tree, bool is_last);

td_btree *td_btree_new(const td_btree_source *source)
{
    td_btree *tree = td_alloc_zero(sizeof *tree);
    if (tree != NULL) tree->source = source;
    return tree;
}

void td_btree_free(td_btree *tree, void (*release)(void *value))
{
    if (tree == NULL) return;
    for (td_btree_leaf *leaf = edge_leaf(tree, false); leaf != NULL; leaf = leaf->next) {
        for (uint32_t i = 0; i < leaf->node.count; i++) {
            if (release != NULL) release(*td_btree__place_at(&leaf->node, i));
            if (tree->source == NULL) td_free(leaf->node.keys[i]);
        }
    }
    if (tree->root != NULL) free_nodes(tree->root, tree->levels - 1);
    td_btree__free_spine(tree);
    td_free(tree);
}

uint64_t td_btree_count(const td_btree *tree)
{
    return tree->root == NULL ? 0 : tree->root->sums.entries;
}

uint64_t td_btree_weight(const td_btree *tree)
{
    return tree->root == NULL ? 0 : tree->root->sums.weight;
}

uint64_t td_btree_memory_bytes(const td_btree *tree)
{
    return sizeof *tree + (tree->root == NULL ? 0 : memory_of(tree->root, tree->levels - 1));
}

void **td_btree_find(const td_btree *tree, td_slice key)
{
    if (tree->root == NULL) return NULL;
    td_btree_node *node = tree->root;
    for (uint32_t level = tree->levels - 1; level > 0; level--) {
        node = td_btree__as_inner(node)->children[td_btree__node_cut(node, key, TD_BTREE_CUT_AFTER)];
        td_btree__prefetch(node, level);
    }
    uint32_t at;
    return td_btree__leaf_find(node, key, &at) ? td_btree__place_at(node, at) : NULL;
}

td_btree_cursor td_btree_first(const td_btree *tree)
{
    return (td_btree_cursor){.leaf = edge_leaf(tree, false), .at = 0};
}

td_btree_cursor td_btree_last(const td_btree *tree)
{
    td_btree_leaf *leaf = edge_leaf(tree, true);
    return (td_btree_cursor){.leaf = leaf, .at = leaf == NULL ? 0 : leaf->node.count - 1};
}

td_btree_cursor td_btree_seek_key(const td_btree *tree, td_slice bound, td_btree_seek where)
{
    static const struct {
        td_btree_cut cut;
        bool is_backward; /* the key before the cut, not the one behind it */
    } seeks[] = {
        [TD_SEEK_FIRST_AT_OR_AFTER] = {TD_BTREE_CUT_BEFORE, false}, [TD_SEEK_FIRST_AFTER] = {TD_BTREE_CUT_AFTER, false},
        [TD_SEEK_FIRST_PAST] = {TD_BTREE_CUT_PAST, false},          [TD_SEEK_LAST_BEFORE] = {TD_BTREE_CUT_BEFORE, true},
        [TD_SEEK_LAST_AT_OR_BEFORE] = {TD_BTREE_CUT_AFTER, true},   [TD_SEEK_LAST_UNDER] = {TD_BTREE_CUT_PAST, true},
    };
    TD_ASSERT(where < TD_COUNT_OF(seeks));
    if (tree->root == NULL) return (td_btree_cursor){0};
    td_btree_node *node = tree->root;
    for (uint32_t level = tree->levels - 1; level > 0; level--) {
        node = td_btree__as_inner(node)->children[td_btree__node_cut(node, bound, seeks[where].cut)];
        td_btree__prefetch(node, level);
    }
    td_btree_cursor cursor = {.leaf = node, .at = td_btree__node_cut(node, bound, seeks[where].cut)};
    if (seeks[where].is_backward) {
        td_btree_previous(&cursor);
    } else if (cursor.at == node->count) {
        cursor.at--;
        td_btree_next(&cursor);
    }
    return cursor;
}

void td_btree_next(td_btree_cursor *cursor)
{
    td_btree_leaf *leaf = cursor->leaf;
    if (leaf == NULL) return;
    if (++cursor->at < leaf->node.count) return;
    *cursor = (td_btree_cursor){.leaf = leaf->next, .at = 0};
}

void td_btree_previous(td_btree_cursor *cursor)
{
    td_btree_leaf *leaf = cursor->leaf;
    if (leaf == NULL) return;
    if (cursor->at > 0) {
        cursor->at--;
        return;
    }
    td_btree_leaf *previous = leaf->previous;
    *cursor = (td_btree_cursor){.leaf = previous, .at = previous == NULL ? 0 : previous->node.count - 1};
}

td_btree_cursor td_btree_seek_weight(const td_btree *tree, uint64_t each, uint64_t target, uint64_t *ret_before)
{
    uint64_t before = 0;
    *ret_before = td_btree_weight(tree) + each * td_btree_count(tree);
    if (*ret_before <= target) return (td_btree_cursor){0};
    td_btree_node *node = tree->root;
    for (uint32_t level = tree->levels - 1; level > 0; level--) {
        uint32_t at = 0;
        for (;; at++) {
            TD_ASSERT(at <= node->count);
            const td_btree_sums *child = &td_btree__as_inner(node)->children[at]->sums;
            uint64_t sum = child->weight + each * child->entries;
            if (before + sum > target) break;
            before += sum;
        }
        node = td_btree__as_inner(node)->children[at];
    }
    td_btree_cursor cursor = {.leaf = node, .at = 0};
    for (;; cursor.at++) {
        TD_ASSERT(cursor.at < node->count);
        uint64_t sum = td_btree__weight_at(node, cursor.at) + each;
        if (before + sum > target) break;
        before += sum;
    }
    *ret_before = before;
    return cursor;
}

uint64_t td_btree_weight_before(const td_btree *tree, td_slice bound, uint64_t each)
{
    if (tree->root == NULL) return 0;
    uint64_t before = 0;
    td_btree_node *node = tree->root;
    for (uint32_t level = tree->levels - 1; level > 0; level--) {
        uint32_t at = td_btree__node_cut(node, bound, TD_BTREE_CUT_BEFORE);
        for (uint32_t i = 0; i < at; i++) {
            const td_btree_sums *child = &td_btree__as_inner(node)->children[i]->sums;
            before += child->weight + each * child->entries;
        }
        node = td_btree__as_inner(node)->children[at];
    }
    uint32_t at = td_btree__node_cut(node, bound, TD_BTREE_CUT_BEFORE);
    for (uint32_t i = 0; i < at; i++)
        before += td_btree__weight_at(node, i) + each;
    return before;
}

td_slice td_btree_key(td_btree_cursor cursor)
{
    const td_btree_leaf *leaf = cursor.leaf;
    TD_ASSERT(leaf != NULL && cursor.at < leaf->node.count);
    return td_btree__entry_key(td_btree__entry_at(&leaf->node, cursor.at));
}

td_slice td_btree_read_key(td_btree_cursor cursor, td_btree_room *room)
{
    const td_btree_leaf *leaf = cursor.leaf;
    TD_ASSERT(leaf != NULL && cursor.at < leaf->node.count);
    return td_btree__key_at(&leaf->node, cursor.at, 0, room);
}

void *td_btree_value(td_btree_cursor cursor)
{
    td_btree_leaf *leaf = cursor.leaf;
    TD_ASSERT(leaf != NULL && cursor.at < leaf->node.count);
    return *td_btree__place_at(&leaf->node, cursor.at);
}

void td_btree_prefetch(td_btree_cursor cursor)
{
    const td_btree_leaf *leaf = cursor.leaf;
    if (leaf != NULL) td_btree__prefetch_key(&leaf->node, cursor.at);
}

/* Recursion as deep as the tree: TD_BTREE_LEVELS_MAX at most. */
static void free_nodes(td_btree_node *node, uint32_t level)
{
    for (uint32_t i = 0; level > 0 && i < node->count; i++)
        td_free(node->keys[i]);
    for (uint32_t i = 0; level > 0 && i <= node->count; i++)
        free_nodes(td_btree__as_inner(node)->children[i], level - 1);
    td_free(node);
}

/* Recursion as above. */
static uint64_t memory_of(const td_btree_node *node, uint32_t level)
{
    uint64_t bytes = level == 0 ? sizeof(td_btree_leaf) : sizeof(td_btree_inner);
    for (uint32_t i = 0; node->source == NULL && i < node->count; i++)
        bytes += td_btree__entry_bytes(td_btree__entry_at(node, i)->key_len);
    for (uint32_t i = 0; level > 0 && i <= node->count; i++)
        bytes += memory_of(((const td_btree_inner *)(const void *)node)->children[i], level - 1);
    return bytes;
}

static td_btree_leaf *edge_leaf(const td_btree *tree, bool is_last)
{
    td_btree_node *node = tree->root;
    if (node == NULL) return NULL;
    for (uint32_t level = tree->levels - 1; level > 0; level--)
        node = td_btree__as_inner(node)->children[is_last ? node->count : 0];
    return td_btree__as_leaf(node);
}
