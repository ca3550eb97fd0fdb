/* SPDX-License-Identifier: Apache-2.0
 * split_choice.c: where a hot partition is to be split, judged by the samples of its keys.
 *
 * Model:    throttling.md §6.3. The samples in key order have a boundary wherever two neighbours differ; the best one
 *           leaves the hotter child the least. That is the weighted median, and where one item has half of the heat or
 *           more it is the edge of that item on the side of the larger remainder: hot items are parted from the rest.
 * Limits:   keys that agree in their first TD_DEMAND_KEY_BYTES are one item here.
 * Not here: how the samples are taken (demand.c), when a choice is made (storage/engine/pressure.c). */
#include "samples.h"

#include <math.h>

/* More than this is no relief. Source: throttling.md §6.3. */
#define HOTTER_SHARE_MAX 0.9

/* What 256 samples leave open: two standard errors of a share of one half. */
#define ABOUT_EQUAL (2 * 0.5 / 16)

/* Of the accesses to a collection, those that have to go beyond its end. Source: throttling.md §6.3. */
#define EXTENDING_SHARE_MIN 0.9

/* Rank correlation of time and place. Source: throttling.md §6.3. */
#define CORRELATION_MIN 0.9

/* Too few for a trend: of sixteen random places one in a million runs looks ordered. */
#define TREND_SAMPLES_MIN 16

/* One sample's place in the order of keys. */
typedef struct placed {
    const td_demand_sample *sample;
    uint32_t time; /* 0: the oldest */
} placed;

typedef struct picture {
    placed sorted[TD_DEMAND_SAMPLES];
    uint32_t count;
} picture;

/* A boundary before sorted[at]; at 0: none. */
typedef struct boundary {
    uint32_t at;
    double hotter_share;
} boundary;

typedef enum trend { NO_TREND, INCREASING, DECREASING } trend;

/* Places by time: equal keys share the middle of their ranks. */
typedef struct course {
    double ranks[TD_DEMAND_SAMPLES];
    uint32_t count;
} course;

typedef bool same_function(const td_demand_sample *a, const td_demand_sample *b);

static void sort_samples(const td_demand_samples *samples, picture *ret_picture);
static void find_boundaries(const picture *it, boundary *ret_between, boundary *ret_inside);
static td_demand_choice choice_at(const picture *it, boundary cut, bool is_inside);
static bool is_heavier_below(const picture *it, uint32_t at);
static void step_behind(uint8_t *bytes, uint16_t len);
static td_demand_choice veto_of(td_split_veto veto, double hotter_share);
static trend trend_around(const picture *it, uint32_t at);
static bool is_sequential(const picture *it);
static void trace(const picture *it, uint32_t from, uint32_t to, same_function *is_same, course *ret_course);
static double correlation_with_time(const course *it);
static same_function is_same_key;
static same_function is_same_hash;
static same_function is_same_collection;
static td_slice key_of(const td_demand_sample *sample);
static td_slice collection_of(const td_demand_sample *sample);
static td_slice hash_of(const td_demand_sample *sample);

td_demand_choice td_demand_choose(const td_demand *demand, td_direction direction, bool can_cut_collections)
{
    const td_demand_samples *samples = demand->samples[direction];
    if (samples == NULL || samples->count < 2) return veto_of(TD_VETO_TOO_SMALL, 1);
    picture it;
    sort_samples(samples, &it);
    boundary between;
    boundary inside;
    find_boundaries(&it, &between, &inside);

    bool can_part = between.hotter_share <= HOTTER_SHARE_MAX;
    bool can_cut = inside.hotter_share <= HOTTER_SHARE_MAX;
    if (!can_part && !can_cut) return veto_of(TD_VETO_SINGLE_ITEM, fmin(between.hotter_share, inside.hotter_share));

    trend running = can_cut ? trend_around(&it, inside.at) : NO_TREND;
    bool may_cut = can_cut && can_cut_collections && running == NO_TREND;
    if (!can_part && !can_cut_collections) return veto_of(TD_VETO_LOCAL_INDEX, between.hotter_share);
    if (!can_part && running == INCREASING) return veto_of(TD_VETO_INCREASING_SORT_KEY, inside.hotter_share);
    if (!can_part && running == DECREASING) return veto_of(TD_VETO_DECREASING_SORT_KEY, inside.hotter_share);
    TD_ASSERT(can_part || may_cut);

    bool parts = can_part && (!may_cut || between.hotter_share <= inside.hotter_share + ABOUT_EQUAL);
    boundary best = parts ? between : inside;
    if (is_sequential(&it)) return veto_of(TD_VETO_SEQUENTIAL, best.hotter_share);
    return choice_at(&it, best, !parts);
}

/* Shell's sort with the first of Ciura's gaps; equal keys stay in the order of time. */
static void sort_samples(const td_demand_samples *samples, picture *ret_picture)
{
    static const uint32_t gaps[] = {132, 57, 23, 10, 4, 1};
    placed *sorted = ret_picture->sorted;
    uint32_t count = samples->count;
    uint32_t oldest = count == TD_DEMAND_SAMPLES ? samples->next : 0;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (placed){&samples->ring[(oldest + i) % TD_DEMAND_SAMPLES], i};
    ret_picture->count = count;
    for (size_t g = 0; g < TD_COUNT_OF(gaps); g++) {
        for (uint32_t i = gaps[g]; i < count; i++) {
            placed moving = sorted[i];
            uint32_t at = i;
            while (at >= gaps[g]) {
                const placed *before = &sorted[at - gaps[g]];
                int order = td_slice_compare(key_of(before->sample), key_of(moving.sample));
                if (order < 0 || (order == 0 && before->time < moving.time)) break;
                sorted[at] = *before;
                at -= gaps[g];
            }
            sorted[at] = moving;
        }
    }
}

/* The best one between two collections and the best one inside a collection. */
static void find_boundaries(const picture *it, boundary *ret_between, boundary *ret_inside)
{
    *ret_between = (boundary){.hotter_share = 1};
    *ret_inside = (boundary){.hotter_share = 1};
    for (uint32_t at = 1; at < it->count; at++) {
        const td_demand_sample *lower = it->sorted[at - 1].sample;
        const td_demand_sample *upper = it->sorted[at].sample;
        if (is_same_key(lower, upper)) continue;
        boundary *best = is_same_collection(lower, upper) ? ret_inside : ret_between;
        uint32_t hotter = at > it->count - at ? at : it->count - at;
        double share = (double)hotter / it->count;
        if (share < best->hotter_share) *best = (boundary){at, share};
    }
}

/* The bound goes close to the heavier neighbour: what lies between the two and was in no sample is not to stay with a
 * hot item. Between collections the first eight bytes of the hash do, unless the two agree in them. */
static td_demand_choice choice_at(const picture *it, boundary cut, bool is_inside)
{
    TD_ASSERT(cut.at > 0);
    const td_demand_sample *lower = it->sorted[cut.at - 1].sample;
    const td_demand_sample *upper = it->sorted[cut.at].sample;
    td_slice from = key_of(lower);
    td_slice to = key_of(upper);
    if (!is_inside) {
        bool has_hash = from.len >= 8 && to.len >= 8 && memcmp(from.ptr, to.ptr, 8) != 0;
        from = has_hash ? td_slice_of(from.ptr, 8) : collection_of(lower);
        to = has_hash ? td_slice_of(to.ptr, 8) : collection_of(upper);
    }
    bool goes_behind = is_heavier_below(it, cut.at) && from.len < TD_DEMAND_KEY_BYTES;
    td_slice bound = goes_behind ? from : to;
    td_demand_choice choice = {.bound_len = (uint16_t)bound.len, .hotter_share = cut.hotter_share};
    memcpy(choice.bound, bound.ptr, bound.len);
    if (goes_behind) step_behind(choice.bound, choice.bound_len);
    return choice;
}

static bool is_heavier_below(const picture *it, uint32_t at)
{
    uint32_t below = 1;
    uint32_t above = 1;
    while (at > below && is_same_key(it->sorted[at - 1].sample, it->sorted[at - 1 - below].sample))
        below++;
    while (at + above < it->count && is_same_key(it->sorted[at].sample, it->sorted[at + above].sample))
        above++;
    return below > above;
}

/* To the first place behind all keys that begin with these bytes: as a number, they go up by one. Whole keys and parts
 * of them end in 00, and hashes that another is above are not all FF. */
static void step_behind(uint8_t *bytes, uint16_t len)
{
    for (uint16_t i = len; i > 0; i--) {
        if (++bytes[i - 1] != 0) return;
    }
    TD_ASSERT(false && "another key is above this one");
}

static td_demand_choice veto_of(td_split_veto veto, double hotter_share)
{
    return (td_demand_choice){.veto = veto, .hotter_share = hotter_share};
}

/* Of the collection that the boundary lies in. Its accesses run ahead of its end when nearly each of them is at or
 * beyond all that went before it; when throttled ones are repeated among them they still rise on the whole. */
static trend trend_around(const picture *it, uint32_t at)
{
    const td_demand_sample *sample = it->sorted[at].sample;
    uint32_t from = at;
    uint32_t to = at;
    while (from > 0 && is_same_collection(it->sorted[from - 1].sample, sample))
        from--;
    while (to < it->count && is_same_collection(it->sorted[to].sample, sample))
        to++;
    course run;
    trace(it, from, to, is_same_key, &run);
    if (run.count < TREND_SAMPLES_MIN) return NO_TREND;

    double max = run.ranks[0];
    double min = run.ranks[0];
    uint32_t raising = 0;
    uint32_t lowering = 0;
    for (uint32_t i = 1; i < run.count; i++) {
        raising += run.ranks[i] >= max;
        lowering += run.ranks[i] <= min;
        max = fmax(max, run.ranks[i]);
        min = fmin(min, run.ranks[i]);
    }
    double correlation = correlation_with_time(&run);
    double needed = EXTENDING_SHARE_MIN * (run.count - 1);
    if (raising >= needed || correlation > CORRELATION_MIN) return INCREASING;
    if (lowering >= needed || correlation < -CORRELATION_MIN) return DECREASING;
    return NO_TREND;
}

static bool is_sequential(const picture *it)
{
    course run;
    trace(it, 0, it->count, is_same_hash, &run);
    return run.count >= TREND_SAMPLES_MIN && fabs(correlation_with_time(&run)) > CORRELATION_MIN;
}

/* The ranks of sorted[from … to) in the order of time. */
static void trace(const picture *it, uint32_t from, uint32_t to, same_function *is_same, course *ret_course)
{
    double rank_at[TD_DEMAND_SAMPLES]; /* by time; -1: not among them */
    for (uint32_t i = 0; i < it->count; i++)
        rank_at[i] = -1;
    uint32_t end = from;
    for (uint32_t begin = from; begin < to; begin = end) {
        while (end < to && is_same(it->sorted[begin].sample, it->sorted[end].sample))
            end++;
        for (uint32_t i = begin; i < end; i++)
            rank_at[it->sorted[i].time] = (begin - from + end - 1 - from) / 2.0;
    }
    ret_course->count = 0;
    for (uint32_t i = 0; i < it->count; i++) {
        if (rank_at[i] >= 0) ret_course->ranks[ret_course->count++] = rank_at[i];
    }
}

/* Spearman's ρ: the correlation of ranks. 0 when all are equal. */
static double correlation_with_time(const course *it)
{
    double mean = (it->count - 1) / 2.0; /* of both: sharing ranks does not change their sum */
    double product = 0;
    double of_time = 0;
    double of_rank = 0;
    for (uint32_t i = 0; i < it->count; i++) {
        double time = i - mean;
        double rank = it->ranks[i] - mean;
        product += time * rank;
        of_time += time * time;
        of_rank += rank * rank;
    }
    return of_rank > 0 ? product / sqrt(of_time * of_rank) : 0;
}

static bool is_same_key(const td_demand_sample *a, const td_demand_sample *b)
{
    return td_slice_equal(key_of(a), key_of(b));
}

static bool is_same_hash(const td_demand_sample *a, const td_demand_sample *b)
{
    return td_slice_equal(hash_of(a), hash_of(b));
}

static bool is_same_collection(const td_demand_sample *a, const td_demand_sample *b)
{
    return td_slice_equal(collection_of(a), collection_of(b));
}

static td_slice key_of(const td_demand_sample *sample)
{
    return td_slice_of(sample->key, sample->key_len);
}

/* A Scan begins at a place where no collection is known: it stands for itself. */
static td_slice collection_of(const td_demand_sample *sample)
{
    return td_slice_of(sample->key, sample->collection_len > 0 ? sample->collection_len : sample->key_len);
}

static td_slice hash_of(const td_demand_sample *sample)
{
    return td_slice_of(sample->key, sample->key_len < 16 ? sample->key_len : 16);
}
