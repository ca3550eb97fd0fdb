/* SPDX-License-Identifier: MIT
 * partition.c: the trees, the cap and the split of one partition.
 * Not here: which partition a key belongs to, and how many there are (resource.c). */
#include "partition.h"

#include "thermodyn/memory.h"

static bool split_tree(td_tree *tree, td_slice bound, td_tree *upper);
static bool split_entries(td_btree *entries, td_slice bound, td_btree **upper);
static void merge_back(td_tree *tree, td_tree *upper);
static void merge_entries(td_btree *entries, td_btree *upper);
static void release_item(void *item);

td_partition *td_partition__new(uint32_t number, uint32_t tree_count, bool has_lag, td_time_us now_us,
                                const td_capacity_effect *effect)
{
    TD_ASSERT(tree_count >= 1);
    TD_ASSERT(tree_count <= TD_TREES_MAX);
    td_partition *partition = td_alloc_zero(sizeof *partition);
    if (partition == NULL) return NULL;
    partition->number = number;
    partition->hash_to = UINT64_MAX;
    partition->created_us = now_us;
    partition->tree_count = tree_count;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_bucket_init(&partition->cap[d], now_us, effect->partition_cap[d], effect->partition_cap_window_s, 1);
        td_share__init(&partition->share[d], now_us);
    }
    for (uint32_t i = 0; i < tree_count; i++) {
        td_tree *tree = &partition->trees[i];
        tree->entries = td_btree_new();
        if (has_lag) tree->lagging = td_btree_new();
        if (tree->entries == NULL || (has_lag && tree->lagging == NULL)) {
            td_partition__free(partition);
            return NULL;
        }
    }
    return partition;
}

void td_partition__free(td_partition *partition)
{
    if (partition == NULL) return;
    for (uint32_t i = 0; i < partition->tree_count; i++) {
        td_btree_free(partition->trees[i].entries, release_item);
        td_btree_free(partition->trees[i].lagging, release_item);
    }
    td_demand_done(&partition->demand);
    td_free(partition);
}

bool td_partition__split(td_partition *partition, uint64_t bound, td_partition *upper)
{
    TD_ASSERT(partition->tree_count == upper->tree_count);
    TD_ASSERT(bound > partition->hash_from && bound <= partition->hash_to);
    uint8_t bytes[8];
    td_slice key = td_partition__key_of_hash(bound, bytes);
    for (uint32_t i = 0; i < partition->tree_count; i++) {
        if (split_tree(&partition->trees[i], key, &upper->trees[i])) continue;
        while (i > 0) {
            i--;
            merge_back(&partition->trees[i], &upper->trees[i]);
        }
        return false;
    }
    upper->parent = partition->number;
    upper->hash_from = bound;
    upper->hash_to = partition->hash_to;
    partition->hash_to = bound - 1;
    partition->veto = TD_VETO_NONE;
    td_demand_done(&partition->demand);
    return true;
}

uint64_t td_partition__storage_bytes(const td_partition *partition)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < partition->tree_count; i++) {
        const td_btree *entries = partition->trees[i].entries;
        bytes += td_btree_weight(entries) + TD_ENTRY_OVERHEAD_BYTES * td_btree_count(entries);
    }
    return bytes;
}

void td_partition__set_cap(td_partition *partition, const td_capacity_effect *effect, td_time_us now_us)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_bucket_set_rate(&partition->cap[d], now_us, effect->partition_cap[d], effect->partition_cap_window_s);
    }
}

static bool split_tree(td_tree *tree, td_slice bound, td_tree *upper)
{
    if (!split_entries(tree->entries, bound, &upper->entries)) return false;
    if (tree->lagging != NULL && !split_entries(tree->lagging, bound, &upper->lagging)) {
        merge_entries(tree->entries, upper->entries);
        return false;
    }
    return true;
}

static bool split_entries(td_btree *entries, td_slice bound, td_btree **upper)
{
    TD_ASSERT(td_btree_count(*upper) == 0);
    td_btree *moved = td_btree_new_upper(entries);
    if (moved == NULL) return false;
    td_btree_split(entries, bound, moved);
    td_btree_free(*upper, NULL);
    *upper = moved;
    return true;
}

/* Undoes split_tree after a later tree found no memory. */
static void merge_back(td_tree *tree, td_tree *upper)
{
    merge_entries(tree->entries, upper->entries);
    if (tree->lagging != NULL) merge_entries(tree->lagging, upper->lagging);
}

/* Where even this finds no memory there is no state to go on from. */
static void merge_entries(td_btree *entries, td_btree *upper)
{
    for (td_btree_cursor at = td_btree_first(upper); !td_btree_is_end(at); td_btree_next(&at)) {
        bool is_new = false;
        uint32_t size = td_item_size(td_btree_value(at));
        void **place = td_btree_insert_weighing(entries, td_btree_key(at), size, &is_new);
        TD_ASSERT(place != NULL && is_new);
        *place = td_btree_value(at);
    }
    while (td_btree_count(upper) > 0) {
        (void)td_btree_remove(upper, td_btree_key(td_btree_first(upper)));
    }
}

static void release_item(void *item)
{
    td_item_unref(item);
}
