/* SPDX-License-Identifier: MIT
 * btree_change.c: insertion, with the splits of full nodes, and removal.
 *
 * An insertion allocates all that it can need before it changes anything. A removal allocates nothing: keys of inner
 * nodes are borrowed from leaves, so a new key for an inner node is a pointer.
 * Not here: what is done about nodes that a removal leaves too small (btree_repair.c). */
#include "btree_node.h"

#include "thermodyn/memory.h"

/* Memory taken before a change, so that the change itself cannot fail. */
typedef struct spare_memory {
    td_btree_entry *entry;
    td_btree_leaf *leaf;
    td_btree_inner *inners[TD_BTREE_LEVELS_MAX];
    uint32_t inner_count;
} spare_memory;

static bool take_spares(const td_btree *tree, const td_btree_path *path, td_slice key, uint32_t weight,
                        spare_memory *ret_spares);
static void free_spares(spare_memory *spares);
static void plant_root(td_btree *tree, spare_memory *spares);
static td_btree_leaf *split_leaf(td_btree_leaf *left, uint32_t at, spare_memory *spares);
static td_btree_inner *split_inner(td_btree_inner *left, uint32_t at, spare_memory *spares,
                                   td_btree_entry **ret_between);
static void insert_child(td_btree_inner *inner, uint32_t at, td_btree_entry *key, td_btree_node *child);
static void raise_root(td_btree *tree, td_btree_entry *key, td_btree_node *right, spare_memory *spares);
static void insert_beside(td_btree *tree, const td_btree_path *path, td_btree_node *right, td_btree_entry *key,
                          spare_memory *spares);
static uint32_t split_point(uint32_t at);
static void let_go_of_smallest(const td_btree *tree, const td_btree_path *path);

void **td_btree_insert(td_btree *tree, td_slice key, bool *ret_is_new)
{
    return td_btree_insert_weighing(tree, key, 0, ret_is_new);
}

void **td_btree_insert_weighing(td_btree *tree, td_slice key, uint32_t weight, bool *ret_is_new)
{
    TD_ASSERT(key.len <= UINT32_MAX);
    td_btree_path path;
    uint32_t at = 0;
    if (tree->root != NULL) {
        td_btree__descend(tree, key, TD_BTREE_CUT_AFTER, &path);
        at = td_btree__node_cut(path.nodes[0], key, TD_BTREE_CUT_BEFORE);
        if (at < path.nodes[0]->count && td_slice_equal(td_btree__entry_key(path.nodes[0]->keys[at]), key)) {
            *ret_is_new = false;
            return &path.nodes[0]->keys[at]->value;
        }
    }
    spare_memory spares;
    if (!take_spares(tree, &path, key, weight, &spares)) return NULL;
    td_btree_entry *entry = spares.entry;
    if (tree->root == NULL) {
        plant_root(tree, &spares);
        path.nodes[0] = tree->root;
    }
    for (uint32_t level = 0; level < tree->levels; level++)
        td_btree__add_sums(path.nodes[level], (td_btree_sums){1, weight});
    td_btree_leaf *leaf = td_btree__as_leaf(path.nodes[0]);
    if (leaf->node.count < TD_BTREE_KEYS_MAX) {
        td_btree__node_insert(&leaf->node, at, entry);
    } else {
        td_btree_leaf *right = split_leaf(leaf, at, &spares);
        if (at <= leaf->node.count)
            td_btree__node_insert(&leaf->node, at, entry);
        else
            td_btree__node_insert(&right->node, at - leaf->node.count, entry);
        td_btree__divide_sums(&leaf->node, &right->node, true);
        insert_beside(tree, &path, &right->node, right->node.keys[0], &spares);
    }
    TD_ASSERT(spares.leaf == NULL && spares.inner_count == 0);
    *ret_is_new = true;
    return &entry->value;
}

void td_btree_reweigh(td_btree *tree, td_slice key, void **place, uint32_t weight)
{
    TD_ASSERT(tree->root != NULL);
    td_btree_entry *entry = (td_btree_entry *)(void *)place;
    td_btree_path path;
    td_btree__descend(tree, key, TD_BTREE_CUT_AFTER, &path);
    for (uint32_t level = 0; level < tree->levels; level++) {
        td_btree_sums *sums = &path.nodes[level]->sums;
        TD_ASSERT(sums->weight >= entry->weight);
        sums->weight = sums->weight - entry->weight + weight;
    }
    entry->weight = weight;
}

void *td_btree_remove(td_btree *tree, td_slice key)
{
    if (tree->root == NULL) return NULL;
    td_btree_path path;
    td_btree__descend(tree, key, TD_BTREE_CUT_AFTER, &path);
    td_btree_node *leaf = path.nodes[0];
    uint32_t at = td_btree__node_cut(leaf, key, TD_BTREE_CUT_BEFORE);
    if (at == leaf->count || !td_slice_equal(td_btree__entry_key(leaf->keys[at]), key)) return NULL;
    td_btree_entry *entry = leaf->keys[at];
    void *value = entry->value;
    if (at == 0) let_go_of_smallest(tree, &path);
    td_btree__node_remove(leaf, at);
    for (uint32_t level = 0; level < tree->levels; level++) {
        td_btree_sums *sums = &path.nodes[level]->sums;
        TD_ASSERT(sums->entries > 0 && sums->weight >= entry->weight);
        sums->entries--;
        sums->weight -= entry->weight;
    }
    td_btree__repair(tree, &path);
    td_free(entry);
    return value;
}

/* A full leaf splits, and with it every full node right above; when all are full the tree gets a new root. */
static bool take_spares(const td_btree *tree, const td_btree_path *path, td_slice key, uint32_t weight,
                        spare_memory *ret_spares)
{
    spare_memory taken = {.entry = td_alloc(td_btree__entry_bytes(key.len))};
    if (taken.entry == NULL) return false;
    taken.entry->value = NULL;
    taken.entry->weight = weight;
    taken.entry->key_len = (uint32_t)key.len;
    if (key.len > 0) memcpy(taken.entry->key, key.ptr, key.len);
    uint32_t full = 0;
    while (full < tree->levels && path->nodes[full]->count == TD_BTREE_KEYS_MAX)
        full++;
    bool is_root_split = full == tree->levels && full > 0;
    TD_ASSERT(!is_root_split || tree->levels < TD_BTREE_LEVELS_MAX);
    if (full > 0 || tree->levels == 0) {
        taken.leaf = td_alloc_zero(sizeof *taken.leaf);
        if (taken.leaf == NULL) goto no_memory;
    }
    uint32_t inners = full == 0 ? 0 : full - 1 + (is_root_split ? 1 : 0);
    while (taken.inner_count < inners) {
        td_btree_inner *inner = td_alloc_zero(sizeof *inner);
        if (inner == NULL) goto no_memory;
        taken.inners[taken.inner_count++] = inner;
    }
    *ret_spares = taken;
    return true;
no_memory:
    free_spares(&taken);
    return false;
}

static void free_spares(spare_memory *spares)
{
    while (spares->inner_count > 0)
        td_free(spares->inners[--spares->inner_count]);
    td_free(spares->leaf);
    td_free(spares->entry);
}

static void plant_root(td_btree *tree, spare_memory *spares)
{
    TD_ASSERT(tree->levels == 0);
    tree->root = &spares->leaf->node;
    tree->levels = 1;
    spares->leaf = NULL;
}

static td_btree_leaf *split_leaf(td_btree_leaf *left, uint32_t at, spare_memory *spares)
{
    td_btree_leaf *right = spares->leaf;
    spares->leaf = NULL;
    uint32_t kept = split_point(at);
    td_btree__node_move(&right->node, 0, &left->node, kept, left->node.count - kept);
    right->node.count = left->node.count - kept;
    right->node.skip = left->node.skip;
    left->node.count = kept;
    td_btree__node_refresh(&left->node, false);
    td_btree__node_refresh(&right->node, false);
    right->previous = left;
    right->next = left->next;
    if (right->next != NULL) right->next->previous = right;
    left->next = right;
    return right;
}

/* The key in the middle goes up: it is the smallest entry of the right half. */
static td_btree_inner *split_inner(td_btree_inner *left, uint32_t at, spare_memory *spares,
                                   td_btree_entry **ret_between)
{
    td_btree_inner *right = spares->inners[--spares->inner_count];
    uint32_t kept = split_point(at);
    uint32_t moved = left->node.count - kept - 1;
    *ret_between = left->node.keys[kept];
    td_btree__node_move(&right->node, 0, &left->node, kept + 1, moved);
    memcpy(right->children, left->children + kept + 1, (moved + 1) * sizeof right->children[0]);
    right->node.count = moved;
    right->node.skip = left->node.skip;
    left->node.count = kept;
    td_btree__node_refresh(&left->node, false);
    td_btree__node_refresh(&right->node, false);
    return right;
}

static void insert_child(td_btree_inner *inner, uint32_t at, td_btree_entry *key, td_btree_node *child)
{
    memmove(inner->children + at + 2, inner->children + at + 1, (inner->node.count - at) * sizeof inner->children[0]);
    inner->children[at + 1] = child;
    td_btree__node_insert(&inner->node, at, key);
}

static void raise_root(td_btree *tree, td_btree_entry *key, td_btree_node *right, spare_memory *spares)
{
    td_btree_inner *root = spares->inners[--spares->inner_count];
    td_btree__add_sums(&root->node, tree->root->sums);
    td_btree__add_sums(&root->node, right->sums);
    root->children[0] = tree->root;
    root->children[1] = right;
    td_btree__node_insert(&root->node, 0, key);
    tree->root = &root->node;
    tree->levels++;
}

/* Puts a new leaf to the right of the path's leaf into its parent, splitting full nodes on the way up. */
static void insert_beside(td_btree *tree, const td_btree_path *path, td_btree_node *right, td_btree_entry *key,
                          spare_memory *spares)
{
    for (uint32_t level = 1; level < tree->levels; level++) {
        td_btree_inner *inner = td_btree__as_inner(path->nodes[level]);
        uint32_t at = path->at[level];
        if (inner->node.count < TD_BTREE_KEYS_MAX) {
            insert_child(inner, at, key, right);
            return;
        }
        td_btree_entry *between;
        td_btree_inner *right_inner = split_inner(inner, at, spares, &between);
        if (at <= inner->node.count)
            insert_child(inner, at, key, right);
        else
            insert_child(right_inner, at - inner->node.count - 1, key, right);
        td_btree__divide_sums(&inner->node, &right_inner->node, false);
        key = between;
        right = &right_inner->node;
    }
    raise_root(tree, key, right, spares);
}

/* How many keys stay left of a split. Keys that come in rising order (time-ordered sort keys do, within a collection)
 * always split at the end of a node: there the left half is left nearly full, since nothing will follow into it. */
static uint32_t split_point(uint32_t at)
{
    return at == TD_BTREE_KEYS_MAX ? TD_BTREE_KEYS_MAX - TD_BTREE_KEYS_MAX / 8 : TD_BTREE_KEYS_MAX / 2;
}

/* The first entry of the path's leaf is about to go: the inner key that is borrowed from it becomes its successor.
 * That key stands in the lowest inner node in which the path does not take the first child. */
static void let_go_of_smallest(const td_btree *tree, const td_btree_path *path)
{
    uint32_t level = 1;
    while (level < tree->levels && path->at[level] == 0)
        level++;
    if (level >= tree->levels) return; /* the smallest entry of the tree is nobody's key */
    const td_btree_node *leaf = path->nodes[0];
    TD_ASSERT(leaf->count > 1); /* leaves beside others are repaired long before */
    td_btree__node_replace(path->nodes[level], path->at[level] - 1, leaf->keys[1]);
}
