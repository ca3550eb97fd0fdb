/* SPDX-License-Identifier: Apache-2.0
 * lag.c: the queue between a resource and its lagging trees.
 *
 * Model:    AWS developer guide, "Read consistency": an eventually consistent read may miss a write that was answered
 *           before it, and reads of a global index are never more than that. How long for is not documented: the
 *           delays are the user's.
 * Not here: what is in the trees (write.c, index.c, backfill.c); how they are split (partition.c). */
#include "lag.h"

#include "thermodyn/memory.h"

#include "resource.h"

static bool catch_up(td_resource *resource, td_time_us now_us);
static bool show(const td_resource *resource, const td_late_change *change);
static uint64_t bytes_of(const td_late_change *change);

td_lag_options td_lag__of_table(const td_store_options *options, td_slice table)
{
    td_key_hash hash = td_key_hash_of(&table, 1, TD_PLACEMENT_XXH3);
    return (td_lag_options){
        .delay_us = options->stale_reads_share > 0 ? options->stale_reads_us : 0,
        .share = options->stale_reads_share,
        .seed = options->seed ^ td_key_hash_prefix(&hash),
    };
}

td_lag_options td_lag__of_index(const td_store_options *options)
{
    return (td_lag_options){.delay_us = options->index_lag_us, .share = 1};
}

td_lag *td_lag__new(const td_lag_options *options)
{
    TD_ASSERT(options->delay_us > 0);
    TD_ASSERT(options->share > 0);
    td_lag *lag = td_alloc_zero(sizeof *lag);
    if (lag == NULL) return NULL;
    lag->delay_us = options->delay_us;
    lag->share = options->share;
    td_rng_init(&lag->rng, options->seed);
    return lag;
}

void td_lag__free(td_lag *lag)
{
    if (lag == NULL) return;
    while (lag->first != NULL) {
        td_late_change *change = lag->first;
        lag->first = change->next;
        td_item_unref(change->item);
        td_free(change);
    }
    td_free(lag);
}

/* The queue is worked off here and not in commit: then it holds whole writes only. What finds no memory for that stays
 * in the queue; the next write or read tries again. */
bool td_lag__reserve(td_resource *resource, uint32_t tree, td_slice key, td_time_us now_us, td_late_change **ret_change)
{
    *ret_change = NULL;
    if (resource->lag == NULL) return true;
    (void)catch_up(resource, now_us);
    td_late_change *change = td_alloc(sizeof *change + key.len);
    if (change == NULL) return false;
    change->next = NULL;
    change->due_us = now_us + resource->lag->delay_us;
    change->item = NULL;
    change->tree = tree;
    change->key_len = (uint32_t)key.len;
    memcpy(change->key, key.ptr, key.len);
    *ret_change = change;
    return true;
}

/* Requests read the clock before they wait for the lock, so that a write may be a little older than the one before it:
 * they are shown in the order in which they were done all the same. */
void td_lag__commit(td_resource *resource, td_late_change **taken, td_item *item)
{
    td_late_change *change = *taken;
    if (change == NULL) return;
    td_lag *lag = resource->lag;
    *taken = NULL;
    change->item = item == NULL ? NULL : td_item_ref(item);
    if (lag->last == NULL) {
        lag->first = change;
    } else {
        if (change->due_us < lag->last->due_us) change->due_us = lag->last->due_us;
        lag->last->next = change;
    }
    lag->last = change;
    lag->bytes += bytes_of(change);
}

bool td_lag__begin_read(td_resource *resource, bool is_consistent, td_time_us now_us, bool *ret_lags)
{
    td_lag *lag = resource->lag;
    *ret_lags = lag != NULL && !is_consistent && td_rng_unit(&lag->rng) < lag->share;
    return !*ret_lags || catch_up(resource, now_us);
}

bool td_lag__flush(td_resource *resource)
{
    return resource->lag == NULL || catch_up(resource, TD_NEVER);
}

/* Shows what is due, and the oldest before its time when the queue holds too much: whole instants then too, since a
 * write is not to be seen by halves. false: no memory, the rest is still in the queue. */
static bool catch_up(td_resource *resource, td_time_us now_us)
{
    td_lag *lag = resource->lag;
    td_time_us until_us = now_us;
    while (lag->first != NULL) {
        td_late_change *change = lag->first;
        if (change->due_us > until_us && lag->bytes <= TD_LIMIT_LAG_BYTES_MAX) break;
        if (change->due_us > until_us) until_us = change->due_us;
        if (!show(resource, change)) return false;
        lag->bytes -= bytes_of(change);
        lag->first = change->next;
        if (lag->first == NULL) lag->last = NULL;
        td_free(change);
    }
    return true;
}

/* The reference to the item passes to the tree. */
static bool show(const td_resource *resource, const td_late_change *change)
{
    td_slice key = td_slice_of(change->key, change->key_len);
    td_btree *tree = td_resource__find_partition(resource, key)->trees[change->tree].lagging;
    void *old_item = NULL;
    if (change->item == NULL) {
        old_item = td_btree_remove(tree, key);
        TD_ASSERT(old_item != NULL);
    } else if (!td_btree_put(tree, key, change->item, td_item_size(change->item), &old_item)) {
        return false;
    }
    td_item_unref(old_item);
    return true;
}

static uint64_t bytes_of(const td_late_change *change)
{
    uint64_t item_bytes = change->item == NULL ? 0 : td_item_memory_bytes(change->item);
    return sizeof *change + change->key_len + item_bytes;
}
