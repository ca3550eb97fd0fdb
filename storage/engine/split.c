/* SPDX-License-Identifier: Apache-2.0
 * split.c: splits that are planned, for heat, size and growth, and carried out when they fall due.
 *
 * Model:    throttling.md §2.4, §6.3. A partition beyond partition_bytes is split in the middle of its bytes after
 *           split_duration, and its halves again if they are still too large.
 * Not here: where a bound may be and how a range is divided (ranges.c); when traffic asks for a split (pressure.c,
 *           growth.c); splits by request (split_request.c). */
#include "split.h"

#include "catalog.h"
#include "plan.h"
#include "ranges.h"

/* With split_jitter a split takes so many times its duration. Source: throttling.md §6.3. */
#define JITTER_MIN 0.4
#define JITTER_MAX 1.6
#define CHUNK_SPLITS 8         /* under one hold of the lock */
#define VETOED_GROWTH_SHARE 64 /* a full partition without a middle is looked at again when it has grown by so much */

static bool queue_locked(td_table *table);
static bool run_some_locked(td_table *table, td_time_us due_us);
static void carry_out_locked(td_table *table, td_split_plan *plan, td_time_us due_us);
static void mind_halves_locked(td_table *table, td_resource *resource, uint32_t lower, td_time_us now_us);
static uint32_t position_of(const td_resource *resource, const td_partition *partition);
static void log_veto(td_resource *resource, const td_partition *partition, td_split_cause cause, td_split_veto veto,
                     td_time_us now_us);

bool td_split__plan_locked(td_table *table, uint32_t resource, td_slice bound, td_split_cause cause, td_time_us due_us)
{
    TD_ASSERT(resource < table->resource_count);
    if (bound.len < sizeof(uint64_t)) return false;
    td_resource *it = table->resources[resource];
    uint32_t at = td_resource__find_partition_at(it, bound);
    if (it->partitions[at]->plan != NULL || td_ranges__fit_bound(it, at, bound).len == 0) return false;
    return td_split__plan_again_locked(table, it, it->partitions[at], bound, cause, due_us);
}

td_time_us td_split__due_locked(td_table *table, td_time_us now_us)
{
    td_time_us duration_us = table->effect.split_duration_us;
    if (!table->effect.has_split_jitter) return now_us + duration_us;
    double factor = JITTER_MIN + (JITTER_MAX - JITTER_MIN) * td_rng_unit(&table->rng);
    return now_us + (td_time_us)((double)duration_us * factor);
}

void td_split__set_veto(td_resource *resource, td_partition *partition, td_split_veto veto, td_time_us now_us)
{
    bool is_new = veto != TD_VETO_NONE && veto != partition->veto;
    partition->veto = veto;
    if (is_new) log_veto(resource, partition, TD_SPLIT_FOR_HEAT, veto, now_us);
}

void td_split__mind_size_locked(td_table *table, td_resource *resource, td_partition *partition, td_time_us now_us)
{
    uint64_t bytes = td_partition__storage_bytes(partition);
    bool is_full = (double)bytes > table->effect.partition_bytes;
    if (!is_full || partition->plan != NULL || bytes <= partition->vetoed_bytes) return;
    td_btree_room room;
    td_slice middle;
    td_split_veto veto = td_ranges__find_middle(resource, position_of(resource, partition), &room, &middle);
    if (veto == TD_VETO_NONE) {
        partition->full_veto = TD_VETO_NONE;
        td_time_us due_us = td_split__due_locked(table, now_us);
        (void)td_split__plan_again_locked(table, resource, partition, td_slice_of(NULL, 0), TD_SPLIT_FOR_SIZE, due_us);
        return; /* without memory the next write tries again */
    }
    if (veto != partition->full_veto) log_veto(resource, partition, TD_SPLIT_FOR_SIZE, veto, now_us);
    partition->full_veto = veto;
    partition->vetoed_bytes = bytes + (uint64_t)table->effect.partition_bytes / VETOED_GROWTH_SHARE;
}

void td_split__mind_sizes_locked(td_table *table, td_resource *resource, td_time_us now_us)
{
    for (uint32_t i = 0; i < resource->partition_count; i++)
        td_split__mind_size_locked(table, resource, resource->partitions[i], now_us);
}

void td_split__run_due(td_table *table, td_time_us due_us)
{
    bool has_more = true;
    while (has_more) {
        td_table__lock(table);
        /* Another entry of the queue may have come before this one. */
        bool is_mine = !table->is_gone && table->split_due_us == due_us;
        has_more = is_mine && run_some_locked(table, due_us);
        td_table__unlock(table);
    }
}

bool td_split__plan_again_locked(td_table *table, td_resource *resource, td_partition *partition, td_slice bound,
                                 td_split_cause cause, td_time_us due_us)
{
    if (!td_split_plan__new(&table->split_plans, resource, partition, bound, cause, due_us)) return false;
    td_journal__mark_table(table);
    if (queue_locked(table)) return true;
    td_split_plan__free(partition->plan);
    return false;
}

/* Makes sure that the queue comes when the first plan falls due. An entry for a later instant stays in the queue, and
 * finds then that it is not the one that is waited for. */
static bool queue_locked(td_table *table)
{
    const td_split_plan *first = table->split_plans;
    if (first == NULL || first->due_us >= table->split_due_us) return true;
    if (!td_due__push(&table->store->due, first->due_us, TD_DUE_SPLIT, table)) return false;
    table->split_due_us = first->due_us;
    return true;
}

/* Are there more? When not, the next run is queued. */
static bool run_some_locked(td_table *table, td_time_us due_us)
{
    for (int i = 0; i < CHUNK_SPLITS; i++) {
        td_split_plan *plan = table->split_plans;
        if (plan == NULL || plan->due_us > due_us) {
            table->split_due_us = TD_NEVER;
            (void)queue_locked(table); /* without memory the next plan queues */
            return false;
        }
        carry_out_locked(table, plan, due_us);
    }
    return true;
}

/* A middle that was there may be gone, with the items around it; then the partition is looked at when it is written to.
 */
static void carry_out_locked(td_table *table, td_split_plan *plan, td_time_us due_us)
{
    td_resource *resource = plan->resource;
    td_partition *partition = plan->partition;
    uint32_t at = position_of(resource, partition);
    td_btree_room room;
    td_slice bound = td_slice_of(NULL, 0);
    if (plan->bound_len > 0)
        bound = td_ranges__fit_bound(resource, at, td_slice_of(plan->bound, plan->bound_len));
    else
        (void)td_ranges__find_middle(resource, at, &room, &bound);
    if (bound.len == 0) {
        td_split_plan__free(plan);
        return;
    }
    partition->plan = NULL; /* it is not to pass to a half */
    if (td_ranges__cut(resource, at, bound, plan->cause, &table->effect, due_us)) {
        td_split_plan__free(plan);
        mind_halves_locked(table, resource, at, due_us);
    } else {
        partition->plan = plan;
        td_split_plan__defer(&table->split_plans, plan, due_us + TD_US_PER_S);
    }
}

static void mind_halves_locked(td_table *table, td_resource *resource, uint32_t lower, td_time_us now_us)
{
    td_split__mind_size_locked(table, resource, resource->partitions[lower], now_us);
    td_split__mind_size_locked(table, resource, resource->partitions[lower + 1], now_us);
}

static uint32_t position_of(const td_resource *resource, const td_partition *partition)
{
    uint8_t bytes[8];
    uint32_t at = td_ranges__find(resource, td_partition__bound(partition, bytes), TD_BEGINS_AT);
    TD_ASSERT(resource->partitions[at] == partition);
    return at;
}

static void log_veto(td_resource *resource, const td_partition *partition, td_split_cause cause, td_split_veto veto,
                     td_time_us now_us)
{
    td_split_record record = {.at_us = now_us, .partition = partition->number, .cause = cause, .veto = veto};
    if (td_split_log__reserve(&resource->splits)) td_split_log__add(&resource->splits, &record);
}
