/* SPDX-License-Identifier: Apache-2.0
 * btree_change.c: insertion, with the splits of full nodes, and removal.
 *
 * An insertion allocates all that it can need before it changes anything.
 * Not here: what is done about nodes that a removal leaves too small (btree_repair.c). */
#include "btree_node.h"

#include "thermodyn/memory.h"

/* Where a key is, or would be. */
typedef struct key_spot {
    td_btree_path path;
    uint32_t at; /* in the leaf */
    bool is_there;
} key_spot;

/* Memory taken before a change, so that the change itself cannot fail. */
typedef struct spare_memory {
    td_btree_leaf *leaf;
    uint32_t kept;             /* keys of the full leaf that stay to the left of the split */
    td_btree_entry *separator; /* of its halves */
    td_btree_inner *inners[TD_BTREE_LEVELS_MAX];
    uint32_t inner_count;
} spare_memory;

static void find_spot(const td_btree *tree, td_slice key, key_spot *ret_spot);
static bool insert_slot(td_btree *tree, key_spot *spot, td_slice key, void *slot, uint32_t weight);
static bool take_spares(const td_btree *tree, const key_spot *spot, spare_memory *ret_spares);
static void free_spares(spare_memory *spares);
static void plant_root(td_btree *tree, spare_memory *spares);
static td_btree_leaf *split_leaf(td_btree_leaf *left, spare_memory *spares);
static td_btree_inner *split_inner(td_btree_inner *left, uint32_t at, spare_memory *spares,
                                   td_btree_entry **ret_between);
static void insert_child(td_btree_inner *inner, uint32_t at, td_btree_entry *key, td_btree_node *child);
static void raise_root(td_btree *tree, td_btree_entry *key, td_btree_node *right, spare_memory *spares);
static void insert_beside(td_btree *tree, const td_btree_path *path, td_btree_node *right, spare_memory *spares);
static uint32_t split_point(uint32_t at);

void **td_btree_insert(td_btree *tree, td_slice key, bool *ret_is_new)
{
    return td_btree_insert_weighing(tree, key, 0, ret_is_new);
}

void **td_btree_insert_weighing(td_btree *tree, td_slice key, uint32_t weight, bool *ret_is_new)
{
    TD_ASSERT(tree->source == NULL);
    key_spot spot;
    find_spot(tree, key, &spot);
    *ret_is_new = !spot.is_there;
    if (spot.is_there) return td_btree__place_at(spot.path.nodes[0], spot.at);
    td_btree_entry *entry = td_btree__new_entry(key, weight);
    if (entry == NULL) return NULL;
    if (insert_slot(tree, &spot, key, entry, weight)) return &entry->value;
    td_free(entry);
    return NULL;
}

bool td_btree_put(td_btree *tree, td_slice key, void *value, uint32_t weight, void **ret_old)
{
    void *old = NULL;
    if (tree->source == NULL) {
        bool is_new = false;
        void **place = td_btree_insert_weighing(tree, key, weight, &is_new);
        if (place == NULL) return false;
        old = *place;
        if (!is_new) td_btree_reweigh(tree, key, place, weight);
        *place = value;
    } else {
        key_spot spot;
        TD_ASSERT(tree->source->weigh(value) == weight);
        find_spot(tree, key, &spot);
        if (!spot.is_there && !insert_slot(tree, &spot, key, value, weight)) return false;
        if (spot.is_there) {
            void **place = td_btree__place_at(spot.path.nodes[0], spot.at);
            old = *place;
            td_btree_reweigh(tree, key, place, weight);
            *place = value;
        }
    }
    *ret_old = old;
    return true;
}

void td_btree_reweigh(td_btree *tree, td_slice key, void **place, uint32_t weight)
{
    TD_ASSERT(tree->root != NULL);
    td_btree_entry *entry = tree->source == NULL ? (td_btree_entry *)(void *)place : NULL;
    uint32_t old_weight = entry == NULL ? tree->source->weigh(*place) : entry->weight;
    if (old_weight == weight) return;
    td_btree_path path;
    td_btree__descend(tree, key, TD_BTREE_CUT_AFTER, &path);
    for (uint32_t level = 0; level < tree->levels; level++) {
        td_btree_sums *sums = &path.nodes[level]->sums;
        TD_ASSERT(sums->weight >= old_weight);
        sums->weight = sums->weight - old_weight + weight;
    }
    if (entry != NULL) entry->weight = weight;
}

void *td_btree_remove(td_btree *tree, td_slice key)
{
    if (tree->root == NULL) return NULL;
    td_btree_path path;
    td_btree__descend(tree, key, TD_BTREE_CUT_AFTER, &path);
    td_btree_node *leaf = path.nodes[0];
    uint32_t at;
    if (!td_btree__leaf_find(leaf, key, &at)) return NULL;
    void *value = *td_btree__place_at(leaf, at);
    uint32_t weight = td_btree__weight_at(leaf, at);
    if (tree->source == NULL) td_free(leaf->keys[at]);
    td_btree__node_remove(leaf, at);
    for (uint32_t level = 0; level < tree->levels; level++) {
        td_btree_sums *sums = &path.nodes[level]->sums;
        TD_ASSERT(sums->entries > 0 && sums->weight >= weight);
        sums->entries--;
        sums->weight -= weight;
    }
    td_btree__repair(tree, &path);
    return value;
}

static void find_spot(const td_btree *tree, td_slice key, key_spot *ret_spot)
{
    ret_spot->at = 0;
    ret_spot->is_there = false;
    if (tree->root == NULL) return;
    td_btree__descend(tree, key, TD_BTREE_CUT_AFTER, &ret_spot->path);
    const td_btree_node *leaf = ret_spot->path.nodes[0];
    ret_spot->is_there = td_btree__leaf_find(leaf, key, &ret_spot->at);
    if (!ret_spot->is_there) ret_spot->at = td_btree__node_cut(leaf, key, TD_BTREE_CUT_AFTER);
}

/* false: no memory, unchanged. */
static bool insert_slot(td_btree *tree, key_spot *spot, td_slice key, void *slot, uint32_t weight)
{
    spare_memory spares;
    if (!take_spares(tree, spot, &spares)) return false;
    td_btree_path *path = &spot->path;
    if (tree->root == NULL) {
        plant_root(tree, &spares);
        path->nodes[0] = tree->root;
    }
    for (uint32_t level = 0; level < tree->levels; level++)
        td_btree__add_sums(path->nodes[level], (td_btree_sums){1, weight});
    td_btree_leaf *leaf = td_btree__as_leaf(path->nodes[0]);
    if (leaf->node.count < TD_BTREE_KEYS_MAX) {
        td_btree__node_insert(&leaf->node, spot->at, key, slot);
    } else {
        td_btree_leaf *right = split_leaf(leaf, &spares);
        if (spot->at <= leaf->node.count)
            td_btree__node_insert(&leaf->node, spot->at, key, slot);
        else
            td_btree__node_insert(&right->node, spot->at - leaf->node.count, key, slot);
        td_btree__divide_sums(&leaf->node, &right->node, true);
        insert_beside(tree, path, &right->node, &spares);
    }
    TD_ASSERT(spares.leaf == NULL && spares.separator == NULL && spares.inner_count == 0);
    return true;
}

/* A full leaf splits, and with it every full node right above; when all are full the tree gets a new root. */
static bool take_spares(const td_btree *tree, const key_spot *spot, spare_memory *ret_spares)
{
    const td_btree_path *path = &spot->path;
    spare_memory taken = {.leaf = NULL};
    uint32_t full = 0;
    while (full < tree->levels && path->nodes[full]->count == TD_BTREE_KEYS_MAX)
        full++;
    bool is_root_split = full == tree->levels && full > 0;
    TD_ASSERT(!is_root_split || tree->levels < TD_BTREE_LEVELS_MAX);
    if (full > 0 || tree->levels == 0) {
        taken.leaf = td_alloc_zero(sizeof *taken.leaf);
        if (taken.leaf == NULL) goto no_memory;
        taken.leaf->node.source = tree->source;
    }
    if (full > 0) {
        taken.kept = split_point(spot->at);
        taken.separator = td_btree__new_separator(path->nodes[0], taken.kept);
        if (taken.separator == NULL) goto no_memory;
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
    td_free(spares->separator);
    td_free(spares->leaf);
}

static void plant_root(td_btree *tree, spare_memory *spares)
{
    TD_ASSERT(tree->levels == 0);
    tree->root = &spares->leaf->node;
    tree->levels = 1;
    spares->leaf = NULL;
}

static td_btree_leaf *split_leaf(td_btree_leaf *left, spare_memory *spares)
{
    td_btree_leaf *right = spares->leaf;
    uint32_t kept = spares->kept;
    spares->leaf = NULL;
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

/* The key in the middle goes up: it separates the halves. */
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
    td_btree__node_insert(&inner->node, at, td_btree__entry_key(key), key);
}

static void raise_root(td_btree *tree, td_btree_entry *key, td_btree_node *right, spare_memory *spares)
{
    td_btree_inner *root = spares->inners[--spares->inner_count];
    td_btree__add_sums(&root->node, tree->root->sums);
    td_btree__add_sums(&root->node, right->sums);
    root->children[0] = tree->root;
    root->children[1] = right;
    td_btree__node_insert(&root->node, 0, td_btree__entry_key(key), key);
    tree->root = &root->node;
    tree->levels++;
}

/* Puts a new leaf to the right of the path's leaf into its parent, splitting full nodes on the way up. */
static void insert_beside(td_btree *tree, const td_btree_path *path, td_btree_node *right, spare_memory *spares)
{
    td_btree_entry *key = spares->separator;
    spares->separator = NULL;
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
 * always split at the end of a node: there the left half is left nearly full, since nothing will follow into it. The
 * new key never is at the border, so that the separator is between keys that are there. */
static uint32_t split_point(uint32_t at)
{
    if (at == TD_BTREE_KEYS_MAX) return TD_BTREE_KEYS_MAX - TD_BTREE_KEYS_MAX / 8;
    return TD_BTREE_KEYS_MAX / 2 + (at == TD_BTREE_KEYS_MAX / 2);
}
