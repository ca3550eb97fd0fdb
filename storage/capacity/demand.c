/* SPDX-License-Identifier: Apache-2.0
 * demand.c: windows of offered units, and samples of the keys while they are many.
 *
 * Model:      throttling.md §6.3: hot is what was offered at the threshold or above for all of heat_sustain. A mean
 *             over the whole time would do for a steady load; a load of ten times the cap would pass it in a tenth of
 *             the time, and the published plateaus last ten minutes whatever the load is (§5.1).
 * Sampling:   systematic, by units: one sample for every `stride` units, so a key's share of the samples is its share
 *             of the units. The stride varies by half of itself to either side, lest it keep step with a pattern of
 *             the load; it follows the last window's rate, so that all samples reach back as far as the rule asks.
 * Invariants: samples of a direction exist from a hot window on until the rule's count of cool windows has passed.
 * Not here:   what the samples say about a split (split_choice.c); how long a window is (storage/engine/pressure.c). */
#include "samples.h"

#include "thermodyn/memory.h"

#define STRETCHES 5 /* a load that pauses for less than a fifth of heat_sustain at a time is sustained */

static void take_samples(td_demand_samples *samples, const td_demand_access *access);
static void keep(td_demand_samples *samples, const td_demand_access *access);
static td_units next_stride(td_demand_samples *samples);
static void tend_samples(td_demand *demand, td_direction direction, const td_demand_rule *rule, td_rng *rng);
static td_units offered_ago(const td_demand *demand, td_direction direction, uint32_t windows);
static bool was_hot_lately(const td_demand *demand, td_direction direction, const td_demand_rule *rule);

void td_demand_done(td_demand *demand)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        td_free(demand->samples[d]);
    memset(demand, 0, sizeof *demand);
}

void td_demand_add(td_demand *demand, const td_demand_access *access)
{
    TD_ASSERT(access->units >= 0);
    TD_ASSERT(demand->present < TD_DEMAND_RING);
    demand->offered[access->direction][demand->present] += access->units;
    td_demand_samples *samples = demand->samples[access->direction];
    if (samples != NULL && access->key.len > 0) take_samples(samples, access);
}

void td_demand_advance(td_demand *demand, const td_demand_rule *rule, td_rng *rng)
{
    TD_ASSERT(rule->windows <= TD_DEMAND_WINDOWS);
    bool had_access = false;
    uint32_t closed = demand->present;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        had_access = had_access || demand->offered[d][closed] > 0;
    if (had_access)
        demand->idle = 0;
    else if (demand->idle < TD_DEMAND_WINDOWS)
        demand->idle++;

    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        tend_samples(demand, (td_direction)d, rule, rng);
    demand->present = (closed + 1) % TD_DEMAND_RING;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        demand->offered[d][demand->present] = 0;
}

bool td_demand_is_hot(const td_demand *demand, td_direction direction, const td_demand_rule *rule)
{
    td_units hot = rule->hot[direction];
    uint32_t windows = rule->windows;
    if (hot == 0 || offered_ago(demand, direction, windows) < hot) return false;
    for (uint32_t stretch = 0; stretch < STRETCHES; stretch++) {
        uint32_t from = windows * stretch / STRETCHES;
        uint32_t to = windows * (stretch + 1) / STRETCHES;
        td_units sum = 0;
        for (uint32_t ago = from + 1; ago <= to; ago++)
            sum += offered_ago(demand, direction, ago);
        if (sum / hot < to - from) return false;
    }
    return true;
}

bool td_demand_is_sampled(const td_demand *demand, td_direction direction)
{
    const td_demand_samples *samples = demand->samples[direction];
    return samples != NULL && samples->count >= TD_DEMAND_SAMPLES / 2;
}

td_units td_demand_get_last(const td_demand *demand, td_direction direction)
{
    return offered_ago(demand, direction, 1);
}

bool td_demand_is_idle(const td_demand *demand, const td_demand_rule *rule)
{
    return demand->idle >= rule->windows;
}

static void take_samples(td_demand_samples *samples, const td_demand_access *access)
{
    samples->until_next -= access->units;
    /* One access of more than all samples stand for fills the ring once. */
    for (uint32_t i = 0; samples->until_next <= 0 && i < TD_DEMAND_SAMPLES; i++) {
        keep(samples, access);
        samples->until_next += next_stride(samples);
    }
    if (samples->until_next <= 0) samples->until_next = next_stride(samples);
}

static void keep(td_demand_samples *samples, const td_demand_access *access)
{
    td_demand_sample *sample = &samples->ring[samples->next];
    size_t key_len = access->key.len < TD_DEMAND_KEY_BYTES ? access->key.len : TD_DEMAND_KEY_BYTES;
    sample->key_len = (uint16_t)key_len;
    sample->collection_len = (uint16_t)(access->collection_len < key_len ? access->collection_len : key_len);
    memcpy(sample->key, access->key.ptr, key_len);
    samples->next = (samples->next + 1) % TD_DEMAND_SAMPLES;
    if (samples->count < TD_DEMAND_SAMPLES) samples->count++;
}

static td_units next_stride(td_demand_samples *samples)
{
    return samples->stride / 2 + 1 + (td_units)td_rng_below(&samples->rng, (uint64_t)samples->stride);
}

/* Of the window that is being closed. */
static void tend_samples(td_demand *demand, td_direction direction, const td_demand_rule *rule, td_rng *rng)
{
    td_demand_samples *samples = demand->samples[direction];
    td_units units = demand->offered[direction][demand->present];
    bool is_hot = rule->hot[direction] > 0 && units >= rule->hot[direction];
    if (!is_hot) {
        if (samples == NULL || was_hot_lately(demand, direction, rule)) return;
        td_free(samples);
        demand->samples[direction] = NULL;
        return;
    }
    if (samples == NULL) {
        samples = td_alloc_zero(sizeof *samples);
        if (samples == NULL) return;
        td_rng_init(&samples->rng, td_rng_next(rng));
        demand->samples[direction] = samples;
    }
    td_units stride = units / TD_DEMAND_SAMPLES * rule->windows;
    samples->stride = stride > 0 ? stride : 1;
    if (samples->until_next > 2 * samples->stride) samples->until_next = next_stride(samples);
}

/* In the window that lies so many before the present one. */
static td_units offered_ago(const td_demand *demand, td_direction direction, uint32_t windows)
{
    return demand->offered[direction][(demand->present + TD_DEMAND_RING - windows) % TD_DEMAND_RING];
}

/* The windows before the one that is being closed. */
static bool was_hot_lately(const td_demand *demand, td_direction direction, const td_demand_rule *rule)
{
    if (rule->hot[direction] == 0) return false;
    for (uint32_t ago = 1; ago < rule->windows; ago++) {
        if (offered_ago(demand, direction, ago) >= rule->hot[direction]) return true;
    }
    return false;
}
