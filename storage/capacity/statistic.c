/* SPDX-License-Identifier: Apache-2.0
 * statistic.c: samples as sums, and their spread as a sorted row of buckets.
 *
 * Invariant: a spread is kept from the first sample on that differs from those before it; that one brings the others,
 * which are alike, with it. So a statistic whose least and greatest differ has all of its samples in a spread, or no
 * spread. */
#include "thermodyn/statistic.h"

#include "thermodyn/memory.h"

#define STEP_BITS 3                           /* of a doubling: eight buckets */
#define EXACT (INT64_C(1) << (STEP_BITS + 1)) /* below, each value has its own */
#define OCTAVE_MAX 40
#define ROOM_FIRST 8

static uint32_t number_of(int64_t value);
static uint32_t number_at(const td_spread_bucket *bucket);
static uint32_t find(const td_spread *spread, uint32_t number);
static td_spread_bucket *bucket_of(td_spread *spread, uint32_t number);
static bool make_bucket(td_spread **spread, uint32_t number);
static bool give_room(td_spread **spread, uint32_t room);
static void count(td_spread_bucket *bucket, uint64_t samples, int64_t sum);
static bool add_samples(td_spread **spread, uint32_t number, uint64_t samples, int64_t sum);
static bool add_all(td_spread **spread, const td_samples *more);
static bool is_alike(const td_statistic *statistic);

_Static_assert(EXACT + ((OCTAVE_MAX - STEP_BITS) << STEP_BITS) < 1 << TD_SPREAD_NUMBER_BITS, "numbers fit the tally");

void td_statistic_merge(td_statistic *statistic, const td_statistic *more)
{
    if (more->count == 0) return;
    if (statistic->count == 0 || more->min < statistic->min) statistic->min = more->min;
    if (statistic->count == 0 || more->max > statistic->max) statistic->max = more->max;
    statistic->sum += more->sum;
    statistic->count += more->count;
}

void td_spread_free(td_spread *spread)
{
    td_free(spread);
}

bool td_spread_count(td_spread *spread, const td_statistic *before, int64_t value)
{
    bool is_first = is_alike(before);
    if (spread == NULL) return !is_first; /* it was given up */
    td_spread_bucket *first = is_first ? bucket_of(spread, number_of(before->min)) : NULL;
    td_spread_bucket *bucket = bucket_of(spread, number_of(value));
    if (bucket == NULL || (is_first && first == NULL)) return false;
    if (is_first) count(first, before->count, before->sum);
    count(bucket, 1, value);
    return true;
}

void td_spread_extend(td_spread **spread, const td_statistic *before, int64_t value)
{
    bool is_made = !is_alike(before) || make_bucket(spread, number_of(before->min));
    if (is_made && make_bucket(spread, number_of(value))) return;
    td_spread_free(*spread);
    *spread = NULL;
}

void td_spread_clear(td_spread *spread)
{
    for (uint32_t i = 0; spread != NULL && i < spread->count; i++) {
        atomic_store_explicit(&spread->buckets[i].tally, number_at(&spread->buckets[i]), memory_order_relaxed);
        atomic_store_explicit(&spread->buckets[i].sum, 0, memory_order_relaxed);
    }
}

void td_samples_done(td_samples *samples)
{
    td_spread_free(samples->spread);
    *samples = (td_samples){.spread = NULL};
}

void td_samples_clear(td_samples *samples)
{
    samples->statistic = (td_statistic){0};
    td_spread_clear(samples->spread);
}

void td_samples_merge(td_samples *samples, const td_samples *more)
{
    td_statistic *into = &samples->statistic;
    if (more->statistic.count == 0) return;
    bool is_like = is_alike(&more->statistic) && td_statistic_is_like(into, more->statistic.min);
    if (!is_like && td_samples_is_spread_known(samples)) {
        bool brings_others = into->count > 0 && is_alike(into);
        bool is_known = td_samples_is_spread_known(more);
        is_known =
            is_known && (!brings_others || add_samples(&samples->spread, number_of(into->min), into->count, into->sum));
        if (!is_known || !add_all(&samples->spread, more)) {
            td_spread_free(samples->spread);
            samples->spread = NULL;
        }
    }
    td_statistic_merge(into, &more->statistic);
}

void td_samples__spread(td_samples *samples, int64_t value)
{
    if (td_spread_count(samples->spread, &samples->statistic, value)) return;
    td_spread_extend(&samples->spread, &samples->statistic, value);
    (void)td_spread_count(samples->spread, &samples->statistic, value); /* what was given up counts no more */
}

static uint32_t number_of(int64_t value)
{
    TD_ASSERT(value >= 0);
    if (value < EXACT) return (uint32_t)value;
    int octave = 63 - __builtin_clzll((uint64_t)value);
    if (octave > OCTAVE_MAX) return (uint32_t)EXACT + ((OCTAVE_MAX - STEP_BITS) << STEP_BITS);
    uint32_t step = (uint32_t)(value >> (octave - STEP_BITS)) & ((1u << STEP_BITS) - 1);
    return (uint32_t)EXACT + (((uint32_t)octave - STEP_BITS - 1) << STEP_BITS) + step;
}

static uint32_t number_at(const td_spread_bucket *bucket)
{
    uint64_t tally = atomic_load_explicit(&bucket->tally, memory_order_relaxed);
    return (uint32_t)tally & ((1u << TD_SPREAD_NUMBER_BITS) - 1);
}

/* The place of the first bucket that is not below. */
static uint32_t find(const td_spread *spread, uint32_t number)
{
    uint32_t from = 0;
    uint32_t to = spread->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (number_at(&spread->buckets[middle]) < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* NULL: there is none. */
static td_spread_bucket *bucket_of(td_spread *spread, uint32_t number)
{
    uint32_t at = find(spread, number);
    bool is_there = at < spread->count && number_at(&spread->buckets[at]) == number;
    return is_there ? &spread->buckets[at] : NULL;
}

/* If it is not there yet. false: no memory. */
static bool make_bucket(td_spread **spread, uint32_t number)
{
    td_spread *it = *spread;
    if (it != NULL && bucket_of(it, number) != NULL) return true;
    bool is_full = it == NULL || it->count == it->room;
    if (is_full && !give_room(spread, it == NULL ? ROOM_FIRST : it->room + it->room / 2 + 1)) return false;
    it = *spread;
    uint32_t at = find(it, number);
    memmove(&it->buckets[at + 1], &it->buckets[at], (it->count - at) * sizeof it->buckets[0]);
    atomic_init(&it->buckets[at].tally, number);
    atomic_init(&it->buckets[at].sum, 0);
    it->count++;
    return true;
}

static bool give_room(td_spread **spread, uint32_t room)
{
    td_spread *grown = td_resize(*spread, sizeof *grown + room * sizeof grown->buckets[0]);
    if (grown == NULL) return false;
    if (*spread == NULL) grown->count = 0;
    grown->room = room;
    *spread = grown;
    return true;
}

static void count(td_spread_bucket *bucket, uint64_t samples, int64_t sum)
{
    uint64_t tally = atomic_load_explicit(&bucket->tally, memory_order_relaxed);
    atomic_store_explicit(&bucket->tally, tally + (samples << TD_SPREAD_NUMBER_BITS), memory_order_relaxed);
    atomic_store_explicit(&bucket->sum, td_spread_bucket_sum(bucket) + sum, memory_order_relaxed);
}

static bool add_samples(td_spread **spread, uint32_t number, uint64_t samples, int64_t sum)
{
    if (!make_bucket(spread, number)) return false;
    count(bucket_of(*spread, number), samples, sum);
    return true;
}

static bool add_all(td_spread **spread, const td_samples *more)
{
    const td_statistic *statistic = &more->statistic;
    if (is_alike(statistic)) return add_samples(spread, number_of(statistic->min), statistic->count, statistic->sum);
    if (*spread == NULL && !give_room(spread, more->spread->count)) return false;
    for (uint32_t i = 0; i < more->spread->count; i++) {
        const td_spread_bucket *bucket = &more->spread->buckets[i];
        uint64_t samples = td_spread_bucket_count(bucket);
        if (samples == 0) continue;
        if (!add_samples(spread, number_at(bucket), samples, td_spread_bucket_sum(bucket))) return false;
    }
    return true;
}

static bool is_alike(const td_statistic *statistic)
{
    return statistic->min == statistic->max;
}
