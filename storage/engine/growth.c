/* SPDX-License-Identifier: Apache-2.0
 * growth.c: the previous peak, and what is made ready for twice of it.
 *
 * Model:      throttling.md §2.1 ("instantly up to twice the previous peak"), §6.3. A peak is what partitions sustained
 *             for a minute: what their first second had saved up is none of it. It is noted with the instant at which
 *             twice of it is to be ready; peaks are noted at most once a minute, or more rarely where the delay is so
 *             long that they would not fit.
 * Invariants: noted peaks rise from one to the next, in each direction or in one.
 * Not here:   how a partition is split (split.c); partitions of a raise that was asked for (update.c). */
#include "growth.h"

#include <math.h>
#include <stdlib.h>

#include "thermodyn/memory.h"

#include "split.h"

typedef struct candidate {
    double heat;
    uint64_t width;  /* of the range */
    uint64_t middle; /* of the range: the lowest hash of its upper half */
} candidate;

static bool tick_resource_locked(td_table *table, uint32_t at, td_time_us now_us);
static void measure(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us);
static void note_peak(td_growth *growth, const td_capacity_effect *effect, td_time_us now_us);
static void take_due(td_growth *growth, td_time_us now_us);
static uint32_t partitions_for_peak(const td_growth *growth, const td_capacity_effect *effect);
static void raise_warm(td_resource *resource, const td_capacity_effect *effect, double scale);
static void split_hottest_locked(td_table *table, uint32_t at, uint32_t count, td_time_us now_us);
static int compare_candidates(const void *a, const void *b);
static double heat_of(const td_partition *partition, const td_capacity_effect *effect);

bool td_growth__tick_locked(td_table *table, td_time_us now_us)
{
    if (table->billing != TD_BILLING_ON_DEMAND) return false;
    bool is_growing = false;
    for (uint32_t i = 0; i < table->resource_count; i++)
        is_growing = tick_resource_locked(table, i, now_us) || is_growing;
    return is_growing;
}

static bool tick_resource_locked(td_table *table, uint32_t at, td_time_us now_us)
{
    td_resource *resource = table->resources[at];
    const td_capacity_effect *effect = &table->effect;
    td_growth *growth = &resource->growth;
    measure(resource, effect, now_us);
    note_peak(growth, effect, now_us);
    take_due(growth, now_us);
    uint32_t needed = partitions_for_peak(growth, effect);
    uint32_t coming = resource->partition_count + td_split__count_planned(resource);
    if (needed > coming) split_hottest_locked(table, at, needed - coming, now_us);
    raise_warm(resource, effect, table->settings.values[TD_CAPACITY_capacity_scale]);
    return growth->count > 0 || td_split__count_planned(resource) > 0;
}

/* Once a minute of the clock, from the first whole one on. */
static void measure(td_resource *resource, const td_capacity_effect *effect, td_time_us now_us)
{
    td_growth *growth = &resource->growth;
    int64_t minute = now_us / effect->minute_us;
    bool is_first = growth->minute == 0;
    if (minute == growth->minute) return;
    growth->minute = minute;
    if (is_first) return;
    uint32_t seconds = (uint32_t)(effect->minute_us / TD_US_PER_S);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_units units = 0;
        for (uint32_t i = 0; i < resource->partition_count; i++)
            units += td_usage_last(&resource->partitions[i]->usage[d], now_us, seconds);
        double average = (double)units / (double)TD_UNITS_ONE / seconds;
        double sustained = fmin(average, effect->partition_cap[d] * resource->partition_count);
        growth->highest[d] = fmax(growth->highest[d], sustained);
    }
}

static void note_peak(td_growth *growth, const td_capacity_effect *effect, td_time_us now_us)
{
    bool is_new = false;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        is_new = is_new || growth->highest[d] > growth->noted[d];
    td_time_us apart_us = effect->double_delay_us / (TD_GROWTH_PEAKS - 2);
    bool is_early = growth->count > 0 && now_us - growth->noted_us < apart_us;
    /* A delay that was made longer meanwhile may leave no room: the peak waits until there is some. */
    if (!is_new || is_early || growth->count == TD_GROWTH_PEAKS) return;
    td_growth_peak *peak = &growth->peaks[(growth->first + growth->count) % TD_GROWTH_PEAKS];
    growth->count++;
    growth->noted_us = now_us;
    peak->due_us = now_us + effect->double_delay_us;
    memcpy(peak->rate, growth->highest, sizeof peak->rate);
    memcpy(growth->noted, growth->highest, sizeof growth->noted);
}

static void take_due(td_growth *growth, td_time_us now_us)
{
    while (growth->count > 0 && growth->peaks[growth->first].due_us <= now_us) {
        memcpy(growth->ready, growth->peaks[growth->first].rate, sizeof growth->ready);
        growth->first = (growth->first + 1) % TD_GROWTH_PEAKS;
        growth->count--;
    }
}

static uint32_t partitions_for_peak(const td_growth *growth, const td_capacity_effect *effect)
{
    double read = 2 * growth->ready[TD_READ] / effect->partition_cap[TD_READ] * effect->nominal_cap[TD_READ];
    double written = 2 * growth->ready[TD_WRITE] / effect->partition_cap[TD_WRITE] * effect->nominal_cap[TD_WRITE];
    return td_partitions_for_warm(effect, read, written);
}

/* Told in the service's numbers, whatever the scale; it does not pass by itself what a table may use. */
static void raise_warm(td_resource *resource, const td_capacity_effect *effect, double scale)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        double warm = fmin(2 * resource->growth.ready[d] / scale, effect->nominal_quota[d]);
        if ((double)resource->warm.rate[d] < warm) resource->warm.rate[d] = llround(warm);
    }
}

/* In the middles of their ranges: growth is for keys that are spread evenly; heat has its own points. What is left to
 * do, or finds no memory, is done at a later tick, when there is traffic. */
static void split_hottest_locked(td_table *table, uint32_t at, uint32_t count, td_time_us now_us)
{
    const td_resource *resource = table->resources[at];
    candidate *candidates = td_alloc_zero(resource->partition_count * sizeof *candidates);
    if (candidates == NULL) return;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        const td_partition *partition = resource->partitions[i];
        candidates[i].heat = heat_of(partition, &table->effect);
        candidates[i].width = partition->hash_to - partition->hash_from;
        candidates[i].middle = partition->hash_from + candidates[i].width / 2 + 1;
    }
    uint32_t candidate_count = resource->partition_count;
    qsort(candidates, candidate_count, sizeof *candidates, compare_candidates);
    for (uint32_t i = 0; i < candidate_count && count > 0; i++) {
        if (candidates[i].width == 0) continue; /* one hash: inside a collection only heat knows where to split */
        uint8_t bytes[8];
        td_slice bound = td_partition__key_of_hash(candidates[i].middle, bytes);
        if (td_split__plan_locked(table, at, bound, TD_SPLIT_FOR_GROWTH, now_us)) count--;
    }
    td_free(candidates);
}

/* The hottest first; of equals, as all are when the traffic has ended, the widest. */
static int compare_candidates(const void *a, const void *b)
{
    const candidate *left = a;
    const candidate *right = b;
    if (left->heat != right->heat) return left->heat > right->heat ? -1 : 1;
    if (left->width != right->width) return left->width > right->width ? -1 : 1;
    return (left->middle > right->middle) - (left->middle < right->middle);
}

/* What was offered, not what was taken: a partition at its cap tells nothing of how much more there is. Children have
 * none until they have served for a window, so they are not split at once again. */
static double heat_of(const td_partition *partition, const td_capacity_effect *effect)
{
    double heat = 0;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        heat = fmax(heat, (double)td_demand_get_last(&partition->demand, (td_direction)d) / effect->partition_cap[d]);
    }
    return heat;
}
