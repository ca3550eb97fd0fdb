/* SPDX-License-Identifier: Apache-2.0
 * partition.c: the trees, the cap and the split of one partition.
 * Not here: which partition a key belongs to, and how many there are (ranges.c). */
#include "partition.h"

#include <stdio.h>

#include "thermodyn/memory.h"

#include "plan.h"

static td_partition *new_empty(uint32_t number, uint32_t tree_count, td_time_us now_us,
                               const td_capacity_effect *effect);
static void start(td_partition *partition, uint32_t number, td_time_us now_us, const td_capacity_effect *effect);
static void release_item(void *item);

td_partition *td_partition__new(uint32_t number, uint32_t tree_count, const td_btree_source *items, bool has_lag,
                                td_time_us now_us, const td_capacity_effect *effect)
{
    td_partition *partition = new_empty(number, tree_count, now_us, effect);
    if (partition == NULL) return NULL;
    partition->hash_to = UINT64_MAX;
    for (uint32_t i = 0; i < tree_count; i++) {
        td_tree *tree = &partition->trees[i];
        const td_btree_source *source = i == 0 ? items : NULL;
        tree->entries = td_btree_new(source);
        if (has_lag) tree->lagging = td_btree_new(source);
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
    td_split_plan__free(partition->plan);
    td_free((void *)(uintptr_t)partition->from.ptr);
    td_free(partition);
}

td_partition *td_partition__new_upper(const td_partition *partition, uint32_t number, td_slice bound, td_time_us now_us,
                                      const td_capacity_effect *effect)
{
    td_partition *upper = new_empty(number, partition->tree_count, now_us, effect);
    if (upper == NULL) return NULL;
    upper->parent = partition->number;
    upper->hash_to = partition->hash_to;
    bool is_made = td_partition__set_from(upper, bound);
    for (uint32_t i = 0; i < partition->tree_count && is_made; i++) {
        const td_tree *tree = &partition->trees[i];
        upper->trees[i].entries = td_btree_new_upper(tree->entries);
        if (tree->lagging != NULL) upper->trees[i].lagging = td_btree_new_upper(tree->lagging);
        is_made = upper->trees[i].entries != NULL && (tree->lagging == NULL || upper->trees[i].lagging != NULL);
    }
    if (is_made) return upper;
    td_partition__free(upper);
    return NULL;
}

void td_partition__cut(td_partition *partition, uint32_t number, td_partition *upper, td_time_us now_us,
                       const td_capacity_effect *effect)
{
    uint8_t bytes[8];
    td_slice bound = td_partition__bound(upper, bytes);
    for (uint32_t i = 0; i < partition->tree_count; i++) {
        td_tree *tree = &partition->trees[i];
        td_btree_split(tree->entries, bound, upper->trees[i].entries);
        if (tree->lagging != NULL) td_btree_split(tree->lagging, bound, upper->trees[i].lagging);
    }
    bool shares_hash = upper->from.len > 0;
    TD_ASSERT(upper->hash_from > partition->hash_from || shares_hash);
    partition->hash_to = shares_hash ? upper->hash_from : upper->hash_from - 1;
    partition->parent = upper->parent;
    start(partition, number, now_us, effect);
}

void td_partition__format_id(uint32_t number, char ret_id[16])
{
    int len = snprintf(ret_id, 16, "p-%04u", number);
    TD_ASSERT(len > 0 && len < 16);
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

/* Without trees yet. */
static td_partition *new_empty(uint32_t number, uint32_t tree_count, td_time_us now_us,
                               const td_capacity_effect *effect)
{
    TD_ASSERT(tree_count >= 1);
    TD_ASSERT(tree_count <= TD_TREES_MAX);
    td_partition *partition = td_alloc_zero(sizeof *partition);
    if (partition == NULL) return NULL;
    partition->tree_count = tree_count;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        td_share__init(&partition->share[d], now_us);
    start(partition, number, now_us, effect);
    return partition;
}

/* What a partition has that has just come to be. Of one that was divided the lower half takes what was refused before:
 * no sum over partitions falls. */
static void start(td_partition *partition, uint32_t number, td_time_us now_us, const td_capacity_effect *effect)
{
    partition->number = number;
    partition->created_us = now_us;
    partition->veto = TD_VETO_NONE;
    partition->full_veto = TD_VETO_NONE;
    partition->vetoed_bytes = 0;
    td_demand_done(&partition->demand);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        uint64_t throttled = partition->cap[d].throttled;
        td_bucket_init(&partition->cap[d], now_us, effect->partition_cap[d], effect->partition_cap_window_s, 1);
        partition->cap[d].throttled = throttled;
        partition->usage[d] = (td_usage){0};
    }
}

/* What ends within the hash is filled up with zeros: no key is so short, so the bound is the same. */
bool td_partition__set_from(td_partition *partition, td_slice bound)
{
    partition->hash_from = td_partition__hash_of_key(bound);
    if (bound.len == sizeof partition->hash_from) return true;
    size_t len = bound.len > TD_KEY_HASH_BYTES ? bound.len : TD_KEY_HASH_BYTES;
    uint8_t *bytes = td_alloc_zero(len);
    if (bytes == NULL) return false;
    memcpy(bytes, bound.ptr, bound.len);
    partition->from = td_slice_of(bytes, len);
    return true;
}

static void release_item(void *item)
{
    td_item_unref(item);
}
