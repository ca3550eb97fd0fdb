/* SPDX-License-Identifier: Apache-2.0
 * advice_evenness.c: how evenly keys and partitions share the traffic.
 *
 * The sketch knows a key's units to within its error: amount - error <= units <= amount, and a key that it does not
 * list has `rest` at most. So every share has two bounds, and Σ share² too: from below by what is certain, from above
 * by giving each key, hottest first, as much as it can have until nothing is left. */
#include "advice_private.h"

#include <math.h>

/* A key with a tenth of the traffic caps the whole at ten times a partition. */
#define UNEVEN_KEY_SHARE 0.1
/* A partition with twice its fair share, by more than chance makes it. */
#define UNEVEN_PARTITION_FACTOR 2.0
#define CHANCE_SIGMAS 5.0

static void bound_shares(const td_advice_side *side, td_advice_evenness *measured);
static void bound_effective_keys(const td_advice_side *side, td_advice_evenness *measured);
static void measure_partitions(const td_advice_resource *resource, const td_advice_side *side,
                               td_advice_evenness *measured);
static bool has_uneven_partitions(const td_advice_case *about, const td_advice_side *side,
                                  const td_advice_evenness *measured);
static void say_keys(const td_advice_case *about, td_advice *advice, td_direction direction,
                     const td_advice_evenness *measured);
static void say_partitions(const td_advice_case *about, td_advice *advice, const td_advice_evenness *measured);
static void put_numbers(const td_advice_case *about, td_advice *advice, td_direction direction,
                        const td_advice_evenness *measured);

td_advice_evenness td_advice_measure(const td_advice_resource *resource, td_direction direction)
{
    td_advice_evenness measured = {.effective_keys_min = 0};
    const td_advice_side *side = &resource->sides[direction];
    if (side->total <= 0) return measured;
    bound_shares(side, &measured);
    bound_effective_keys(side, &measured);
    measure_partitions(resource, side, &measured);
    return measured;
}

void td_advice__judge_evenness(const td_advice_case *about, td_direction direction)
{
    const td_advice_side *side = &about->resource->sides[direction];
    if (side->total < TD_ADVICE_UNITS_MIN) return;
    td_advice_evenness measured = td_advice_measure(about->resource, direction);
    bool has_uneven_keys = measured.top_share_min >= UNEVEN_KEY_SHARE;
    bool is_uneven = has_uneven_keys || has_uneven_partitions(about, side, &measured);
    double cap = td_advice__cap(direction);
    bool is_harmless = side->peak * about->question->factor < cap / 2;
    td_advice advice = td_advice__begin(about, is_uneven ? TD_ADVICE_UNEVEN : TD_ADVICE_EVEN,
                                        is_uneven && !is_harmless ? TD_ADVICE_WARNING : TD_ADVICE_INFO);
    say_keys(about, &advice, direction, &measured);
    say_partitions(about, &advice, &measured);
    if (has_uneven_keys) {
        td_advice__say(
            about, &advice,
            "However many partitions there are, the hottest key fills one when %s %s units a second are used "
            "in all.",
            td_advice__shown(about, cap / measured.top_share_min), td_advice__words[direction]);
    }
    if (is_uneven && is_harmless) {
        td_advice__say(about, &advice,
                       "%s it does no harm: the whole peak is %s units a second, and one partition "
                       "serves %s.",
                       about->question->factor > 1 ? "Even at the factor asked for" : "At this rate",
                       td_advice__shown(about, side->peak * about->question->factor), td_advice__shown(about, cap));
    }
    put_numbers(about, &advice, direction, &measured);
    td_advice__add(about, &advice);
}

static double least_of(const td_advice_key *key)
{
    return fmax(key->amount - key->error, 0);
}

static void bound_shares(const td_advice_side *side, td_advice_evenness *measured)
{
    double min = 0;
    double max = 0;
    for (uint32_t i = 0; i < 10; i++) {
        bool is_listed = i < side->key_count;
        min += is_listed ? least_of(&side->keys[i]) : 0;
        max += is_listed ? fmax(side->keys[i].amount, side->rest) : side->rest;
        if (i > 0) continue;
        measured->top_share_min = fmin(min / side->total, 1);
        measured->top_share_max = fmin(max / side->total, 1);
    }
    measured->top_10_share_min = fmin(min / side->total, 1);
    measured->top_10_share_max = fmin(max / side->total, 1);
}

static void bound_effective_keys(const td_advice_side *side, td_advice_evenness *measured)
{
    double least = 0;
    double most = 0;
    double left = side->total;
    for (uint32_t i = 0; i < side->key_count; i++) {
        double given = fmin(side->keys[i].amount, left);
        left -= given;
        most += given * given;
        least += least_of(&side->keys[i]) * least_of(&side->keys[i]);
    }
    most += left * fmin(fmax(side->rest, 0), left); /* to keys as hot as an unlisted one can be */
    double square = side->total * side->total;
    measured->effective_keys_min = most <= 0 ? 1 : fmax(square / most, 1);
    measured->effective_keys_max = least <= 0 ? 0 : fmax(square / least, measured->effective_keys_min);
}

static void measure_partitions(const td_advice_resource *resource, const td_advice_side *side,
                               td_advice_evenness *measured)
{
    double sum = 0;
    double squares = 0;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        sum += side->by_partition[i];
        if (side->by_partition[i] > side->by_partition[measured->top_partition]) measured->top_partition = i;
    }
    if (sum <= 0) return;
    double mean = sum / resource->partition_count;
    for (uint32_t i = 0; i < resource->partition_count; i++) {
        double away = side->by_partition[i] - mean;
        squares += away * away;
    }
    measured->partition_cv = sqrt(squares / resource->partition_count) / mean;
    measured->top_partition_share = side->by_partition[measured->top_partition] / sum;
}

/* Units of many keys that fall into partitions by chance are uneven too, by the root of what is to be expected. */
static bool has_uneven_partitions(const td_advice_case *about, const td_advice_side *side,
                                  const td_advice_evenness *measured)
{
    if (about->resource->partition_count < 2) return false;
    double fair = 1.0 / about->resource->partition_count;
    double beyond = (measured->top_partition_share - fair) * side->total;
    return measured->top_partition_share >= UNEVEN_PARTITION_FACTOR * fair &&
           beyond >= CHANCE_SIGMAS * sqrt(side->total * fair);
}

static void say_keys(const td_advice_case *about, td_advice *advice, td_direction direction,
                     const td_advice_evenness *measured)
{
    td_advice__say(about, advice, "The hottest key has %s of the %s, the ten hottest have %s.",
                   td_advice__shown_share(about, measured->top_share_min, measured->top_share_max),
                   td_advice__plurals[direction],
                   td_advice__shown_share(about, measured->top_10_share_min, measured->top_10_share_max));
    const char *min = td_advice__shown(about, measured->effective_keys_min);
    const char *max = td_advice__shown(about, measured->effective_keys_max);
    if (measured->effective_keys_max <= 0) {
        td_advice__say(about, advice, "That is as even as at least %s keys with equal shares.", min);
    } else if (strcmp(min, max) == 0) {
        td_advice__say(about, advice, "That is as even as %s %s.", min,
                       strcmp(min, "1") == 0 ? "key" : "keys with equal shares");
    } else {
        td_advice__say(about, advice, "That is as even as %s to %s keys with equal shares.", min, max);
    }
}

static void say_partitions(const td_advice_case *about, td_advice *advice, const td_advice_evenness *measured)
{
    uint32_t count = about->resource->partition_count;
    if (count < 2 || measured->top_partition_share <= 0) return;
    td_advice__say(about, advice, "Of %u partitions the hottest, %s, has about %s; a fair share is %s.", count,
                   about->resource->partitions[measured->top_partition].id,
                   td_advice__shown_share(about, measured->top_partition_share, measured->top_partition_share),
                   td_advice__shown_share(about, 1.0 / count, 1.0 / count));
}

static void put_numbers(const td_advice_case *about, td_advice *advice, td_direction direction,
                        const td_advice_evenness *measured)
{
    const td_advice_resource *resource = about->resource;
    td_advice__put_text(about, advice, "direction", td_slice_of_cstr(td_advice__words[direction]));
    td_advice__put(advice, "units", resource->sides[direction].total);
    td_advice__put(advice, "top_share_min", measured->top_share_min);
    td_advice__put(advice, "top_share_max", measured->top_share_max);
    td_advice__put(advice, "top_10_share_min", measured->top_10_share_min);
    td_advice__put(advice, "top_10_share_max", measured->top_10_share_max);
    td_advice__put(advice, "effective_keys_min", measured->effective_keys_min);
    if (measured->effective_keys_max > 0) td_advice__put(advice, "effective_keys_max", measured->effective_keys_max);
    td_advice__put(advice, "partitions", resource->partition_count);
    td_advice__put(advice, "partition_cv", measured->partition_cv);
    td_advice__put(advice, "top_partition_share", measured->top_partition_share);
    td_advice__put(advice, "fair_share", 1.0 / resource->partition_count);
    td_advice__put_text(about, advice, "top_partition",
                        td_slice_of_cstr(resource->partitions[measured->top_partition].id));
    if (measured->top_share_min > 0) {
        td_advice__put(advice, "rate_that_fills_a_partition", td_advice__cap(direction) / measured->top_share_min);
    }
}
