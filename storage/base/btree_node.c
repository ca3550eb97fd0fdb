/* SPDX-License-Identifier: Apache-2.0
 * btree_node.c: search within a node and the upkeep of its heads (btree_node.h tells the structure). */
#include "btree_node.h"

#include "thermodyn/map.h"
#include "thermodyn/memory.h"

enum { HEAD_BYTES = 8 };

static uint64_t head_of(td_slice key, size_t skip);
static uint16_t print_of(td_slice key);
static uint32_t count_heads_below(const td_btree_node *node, uint64_t head, uint32_t from);
static int compare_beginning(const td_btree_node *node, td_slice bound);
static bool is_before_cut(const td_btree_node *node, uint32_t at, td_slice bound, td_btree_cut cut);
static bool is_equal(const td_btree_node *node, uint32_t at, td_slice key);
static bool has_beginning(const td_btree_node *node, uint32_t at, td_slice key);
static uint32_t common_len(td_slice a, td_slice b, uint32_t from);
static void recompute_heads(td_btree_node *node, uint32_t skip);

uint32_t td_btree__node_cut(const td_btree_node *node, td_slice bound, td_btree_cut cut)
{
    if (node->skip > 0) {
        int order = compare_beginning(node, bound);
        if (order != 0) return order < 0 ? 0 : node->count;
        /* A bound that ends within the shared bytes is smaller than all keys, and all are under it. */
        if (bound.len < node->skip) return cut == TD_BTREE_CUT_PAST ? node->count : 0;
    }
    uint64_t head = head_of(bound, node->skip);
    uint32_t at = count_heads_below(node, head, 0);
    size_t rest_len = bound.len - node->skip;
    if (cut == TD_BTREE_CUT_PAST && rest_len < HEAD_BYTES) {
        /* Heads that begin with the bound's bytes belong to keys under it, or to shorter, hence smaller ones. */
        uint64_t last_head = head | UINT64_MAX >> (rest_len * 8);
        return last_head == UINT64_MAX ? node->count : count_heads_below(node, last_head + 1, at);
    }
    /* Equal heads decide nothing: among them the keys are compared in full. */
    uint32_t end = at;
    if (end < node->count && node->heads[end] == head) end++;
    if (end < node->count && node->heads[end] == head) {
        end = head == UINT64_MAX ? node->count : count_heads_below(node, head + 1, end);
    }
    if (at < end) {
        td_btree__prefetch_key(node, at);
        td_btree__prefetch_key(node, end - 1);
    }
    /* A whole collection is asked for more often than a part of one, and grows at its end more often than elsewhere. */
    if (at < end && cut == TD_BTREE_CUT_BEFORE && !is_before_cut(node, at, bound, cut)) return at;
    if (at < end && cut != TD_BTREE_CUT_BEFORE && is_before_cut(node, end - 1, bound, cut)) return end;
    while (at < end) {
        uint32_t middle = at + (end - at) / 2;
        if (is_before_cut(node, middle, bound, cut))
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

bool td_btree__leaf_find(const td_btree_node *leaf, td_slice key, uint32_t *ret_at)
{
    if (key.len < leaf->skip) return false;
    uint64_t head = head_of(key, leaf->skip);
    uint32_t at = count_heads_below(leaf, head, 0);
    uint16_t print = print_of(key);
    for (; at < leaf->count && leaf->heads[at] == head; at++) {
        if (leaf->prints[at] != print) continue;
        td_btree__prefetch_key(leaf, at);
        if (!is_equal(leaf, at, key)) continue;
        *ret_at = at;
        return true;
    }
    return false;
}

void td_btree__descend(const td_btree *tree, td_slice bound, td_btree_cut cut, td_btree_path *ret_path)
{
    TD_ASSERT(tree->levels > 0);
    td_btree_node *node = tree->root;
    for (uint32_t level = tree->levels - 1; level > 0; level--) {
        uint32_t at = td_btree__node_cut(node, bound, cut);
        ret_path->nodes[level] = node;
        ret_path->at[level] = at;
        node = td_btree__as_inner(node)->children[at];
        td_btree__prefetch(node, level);
    }
    ret_path->nodes[0] = node;
}

void td_btree__node_insert(td_btree_node *node, uint32_t at, td_slice key, void *slot)
{
    TD_ASSERT(node->count < TD_BTREE_KEYS_MAX);
    TD_ASSERT(at <= node->count);
    memmove(node->heads + at + 1, node->heads + at, (node->count - at) * sizeof node->heads[0]);
    memmove(node->keys + at + 1, node->keys + at, (node->count - at) * sizeof(void *));
    memmove(node->prints + at + 1, node->prints + at, (node->count - at) * sizeof node->prints[0]);
    node->count++;
    td_btree__node_replace(node, at, key, slot);
}

void td_btree__node_remove(td_btree_node *node, uint32_t at)
{
    TD_ASSERT(at < node->count);
    node->count--;
    memmove(node->heads + at, node->heads + at + 1, (node->count - at) * sizeof node->heads[0]);
    memmove(node->keys + at, node->keys + at + 1, (node->count - at) * sizeof(void *));
    memmove(node->prints + at, node->prints + at + 1, (node->count - at) * sizeof node->prints[0]);
}

/* Between two keys of the node everything shares what they share: only a new first or last key can have less. */
void td_btree__node_replace(td_btree_node *node, uint32_t at, td_slice key, void *slot)
{
    node->keys[at] = slot;
    node->prints[at] = print_of(key);
    bool is_at_border = at == 0 || at + 1 == node->count;
    if (node->skip > 0 && is_at_border && !has_beginning(node, at == 0 ? node->count - 1 : 0, key)) {
        td_btree__node_refresh(node, true);
        return;
    }
    node->heads[at] = head_of(key, node->skip);
}

td_btree_entry *td_btree__new_entry(td_slice key, uint32_t weight)
{
    TD_ASSERT(key.len <= UINT32_MAX);
    td_btree_entry *entry = td_alloc(td_btree__entry_bytes(key.len));
    if (entry == NULL) return NULL;
    entry->value = NULL;
    entry->weight = weight;
    entry->key_len = (uint32_t)key.len;
    if (key.len > 0) memcpy(entry->key, key.ptr, key.len);
    return entry;
}

/* Where heads begin with the keys and differ, they say it all: a byte that is greater than another is no padding. */
td_btree_entry *td_btree__new_separator(const td_btree_node *leaf, uint32_t at)
{
    TD_ASSERT(at > 0 && at < leaf->count);
    uint64_t head = leaf->heads[at];
    if (leaf->skip == 0 && head != leaf->heads[at - 1]) {
        uint64_t bytes = __builtin_bswap64(head);
        size_t shared = (size_t)__builtin_clzll(head ^ leaf->heads[at - 1]) / 8;
        return td_btree__new_entry(td_slice_of(&bytes, shared + 1), 0);
    }
    td_btree_room rooms[2];
    td_slice left = td_btree__key_at(leaf, at - 1, 0, &rooms[0]);
    td_slice right = td_btree__key_at(leaf, at, 0, &rooms[1]);
    return td_btree__new_entry(td_slice_of(right.ptr, common_len(left, right, 0) + 1), 0);
}

void td_btree__node_move(td_btree_node *to, uint32_t to_at, td_btree_node *from, uint32_t from_at, uint32_t count)
{
    TD_ASSERT(to_at + count <= TD_BTREE_KEYS_MAX);
    TD_ASSERT(from_at + count <= TD_BTREE_KEYS_MAX);
    memmove(to->heads + to_at, from->heads + from_at, count * sizeof from->heads[0]);
    memmove(to->keys + to_at, from->keys + from_at, count * sizeof(void *));
    memmove(to->prints + to_at, from->prints + from_at, count * sizeof from->prints[0]);
}

void td_btree__node_refresh(td_btree_node *node, bool are_mixed)
{
    uint32_t skip = 0;
    /* Less than a head's worth is in the heads anyway, and to step over it would cost a look at a key. */
    bool can_tell = !are_mixed && node->skip == 0 && node->count > 1;
    bool differ_early = can_tell && node->heads[0] != node->heads[node->count - 1];
    if (node->count > 1 && !differ_early) {
        td_btree_room rooms[2];
        uint32_t from = are_mixed ? 0 : node->skip; /* what they are known to share */
        td_slice first = td_btree__key_at(node, 0, from, &rooms[0]);
        td_slice last = td_btree__key_at(node, node->count - 1, from, &rooms[1]);
        uint32_t common = common_len(first, last, from);
        if (common >= HEAD_BYTES) skip = common;
    }
    if (are_mixed || skip != node->skip) recompute_heads(node, skip);
}

void td_btree__divide_sums(td_btree_node *left, td_btree_node *right, bool are_leaves)
{
    td_btree_sums moved = {0};
    if (are_leaves) {
        moved.entries = right->count;
        for (uint32_t i = 0; i < right->count; i++)
            moved.weight += td_btree__weight_at(right, i);
    } else {
        for (uint32_t i = 0; i <= right->count; i++) {
            const td_btree_sums *child = &td_btree__as_inner(right)->children[i]->sums;
            moved.entries += child->entries;
            moved.weight += child->weight;
        }
    }
    TD_ASSERT(left->sums.entries >= moved.entries && left->sums.weight >= moved.weight);
    left->sums.entries -= moved.entries;
    left->sums.weight -= moved.weight;
    right->sums = moved;
}

void td_btree__add_sums(td_btree_node *node, td_btree_sums more)
{
    node->sums.entries += more.entries;
    node->sums.weight += more.weight;
}

static uint64_t head_of(td_slice key, size_t skip)
{
    if (key.len >= skip + HEAD_BYTES) {
        uint64_t head;
        memcpy(&head, key.ptr + skip, sizeof head);
        return __builtin_bswap64(head);
    }
    uint64_t head = 0;
    for (size_t i = 0; i < HEAD_BYTES; i++)
        head = head << 8 | (skip + i < key.len ? key.ptr[skip + i] : 0);
    return head;
}

static uint16_t print_of(td_slice key)
{
    return (uint16_t)td_hash64(key);
}

/* The number of heads smaller than `head`; those before `from` are known to be. Halves without a branch on the
 * comparison, which no predictor would guess. */
static uint32_t count_heads_below(const td_btree_node *node, uint64_t head, uint32_t from)
{
    const uint64_t *base = node->heads + from;
    uint32_t left = node->count - from;
    while (left > 1) {
        uint32_t half = left / 2;
        base = base[half - 1] < head ? base + half : base;
        left -= half;
    }
    return (uint32_t)(base - node->heads) + (left == 1 && *base < head);
}

/* The order of a bound to what all keys of the node begin with, as far as the bound goes. */
static int compare_beginning(const td_btree_node *node, td_slice bound)
{
    size_t shared = bound.len < node->skip ? bound.len : node->skip;
    if (shared == 0) return 0;
    if (node->source == NULL) return memcmp(bound.ptr, td_btree__entry_at(node, 0)->key, shared);
    size_t common = 0;
    int order = node->source->compare(node->source, node->keys[0], bound, &common);
    return common >= shared ? 0 : -order;
}

static bool is_before_cut(const td_btree_node *node, uint32_t at, td_slice bound, td_btree_cut cut)
{
    size_t common = 0;
    int order;
    if (node->source != NULL) {
        order = node->source->compare(node->source, node->keys[at], bound, &common);
    } else {
        td_slice key = td_btree__entry_key(node->keys[at]);
        order = td_slice_compare(key, bound);
        if (cut == TD_BTREE_CUT_PAST && td_slice_has_prefix(key, bound)) common = bound.len;
    }
    switch (cut) {
    case TD_BTREE_CUT_BEFORE: return order < 0;
    case TD_BTREE_CUT_AFTER: return order <= 0;
    case TD_BTREE_CUT_PAST: return order < 0 || common == bound.len;
    }
    TD_ASSERT(false && "a cut");
    return false;
}

static bool is_equal(const td_btree_node *node, uint32_t at, td_slice key)
{
    if (node->source == NULL) return td_slice_equal(td_btree__entry_key(node->keys[at]), key);
    size_t common = 0;
    return node->source->compare(node->source, node->keys[at], key, &common) == 0;
}

/* Does the key begin with the bytes that are stepped over in the key at that place? */
static bool has_beginning(const td_btree_node *node, uint32_t at, td_slice key)
{
    if (key.len < node->skip) return false;
    if (node->source == NULL) {
        const td_btree_entry *entry = td_btree__entry_at(node, at);
        return entry->key_len >= node->skip && memcmp(entry->key, key.ptr, node->skip) == 0;
    }
    size_t common = 0;
    (void)node->source->compare(node->source, node->keys[at], key, &common);
    return common >= node->skip;
}

/* Of their beginnings; the first `from` bytes are known to be the same. */
static uint32_t common_len(td_slice a, td_slice b, uint32_t from)
{
    size_t limit = a.len < b.len ? a.len : b.len;
    size_t len = from;
    while (len < limit && a.ptr[len] == b.ptr[len])
        len++;
    return (uint32_t)len;
}

static void recompute_heads(td_btree_node *node, uint32_t skip)
{
    td_btree_room room;
    node->skip = skip;
    for (uint32_t i = 0; i < node->count; i++)
        node->heads[i] = head_of(td_btree__key_at(node, i, skip, &room), skip);
}
