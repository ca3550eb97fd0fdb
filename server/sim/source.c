/* SPDX-License-Identifier: Apache-2.0
 * source.c: draws values; see source.h.
 * Numbers inside texts are printed by hand, since a draw happens for each of many millions of operations. */
#include "source.h"

#include <math.h>
#include <stdlib.h>

#include "thermodyn/key.h"
#include "thermodyn/number.h"

#define COUNTDOWN_FROM INT64_C(9007199254740991) /* 2^53 - 1: 16 digits, and past every time in microseconds */
#define SORTABLE_DIGITS 16

/* A place in the order of hashes. */
typedef struct placed {
    uint64_t hash;
    uint32_t element;
} placed;

static bool prepare_zipf(td_sim_source *source, td_arena *arena);
static bool prepare_order(td_sim_source *source, uint64_t seed, td_arena *arena);
static void order_by_hash(const td_sim_source *source, placed *places);
static int compare_places(const void *a, const void *b);
static size_t draw_join(td_sim_source *source, td_rng *rng, td_time_us now_us, uint8_t *bytes);
static size_t draw_sharded(td_sim_source *source, td_rng *rng, td_time_us now_us, uint8_t *bytes);
static uint64_t draw_element(td_sim_source *source, td_rng *rng);
static int64_t draw_number(td_sim_source *source, td_rng *rng, td_time_us now_us);
static size_t write_value(const td_sim_source *source, int64_t number, uint8_t *bytes);
static size_t write_bytes(td_slice from, uint8_t *bytes);
static size_t write_number(int64_t number, uint32_t digits_min, uint8_t *bytes);
static size_t write_time(td_sim_time_format format, td_time_us now_us, uint8_t *bytes);

bool td_sim__source_prepare(td_sim_source *source, uint64_t seed, td_arena *arena)
{
    for (uint32_t i = 0; i < source->part_count; i++) {
        if (!td_sim__source_prepare(&source->parts[i], seed + i + 1, arena)) return false;
    }
    source->drawn = 0;
    if (source->kind == TD_SIM_ZIPF) return prepare_zipf(source, arena);
    if (source->kind == TD_SIM_LIST) {
        return td_sim__alias_init(&source->alias, source->weights, source->value_count, arena);
    }
    return source->order == TD_SIM_ORDER_NATURAL || prepare_order(source, seed, arena);
}

size_t td_sim__source_draw(td_sim_source *source, td_rng *rng, td_time_us now_us, uint8_t ret_bytes[TD_SIM_VALUE_BYTES])
{
    switch (source->kind) {
    case TD_SIM_SINGLE: return write_bytes(source->prefix, ret_bytes);
    case TD_SIM_LIST: return write_bytes(source->values[td_sim__alias_draw(&source->alias, rng)], ret_bytes);
    case TD_SIM_JOIN: return draw_join(source, rng, now_us, ret_bytes);
    case TD_SIM_SHARDED: return draw_sharded(source, rng, now_us, ret_bytes);
    case TD_SIM_TIME: {
        size_t len = write_bytes(source->prefix, ret_bytes);
        len += write_time(source->format, now_us, ret_bytes + len);
        return len + write_bytes(source->suffix, ret_bytes + len);
    }
    case TD_SIM_UNIFORM:
    case TD_SIM_ZIPF:
    case TD_SIM_SEQUENCE:
    case TD_SIM_RANDOM:
    case TD_SIM_INCREASING:
    case TD_SIM_DECREASING: return write_value(source, draw_number(source, rng, now_us), ret_bytes);
    case TD_SIM_SOURCE_KIND_COUNT: break;
    }
    TD_UNREACHABLE("a kind of sources.def");
}

/* The k-th element, from 1, has a weight of k^-s. */
static bool prepare_zipf(td_sim_source *source, td_arena *arena)
{
    uint32_t count = (uint32_t)source->count;
    td_sim_alias_slot *slots = td_arena_alloc_array(arena, count, sizeof *slots);
    td_arena_mark mark = td_arena_get_mark(arena);
    double *weights = td_arena_alloc_array(arena, count, sizeof *weights);
    if (slots == NULL || weights == NULL) return false;
    for (uint32_t i = 0; i < count; i++)
        weights[i] = pow((double)i + 1, -source->exponent);
    td_sim_alias alias;
    bool is_made = td_sim__alias_init(&alias, weights, count, arena);
    if (is_made) {
        memcpy(slots, alias.slots, count * sizeof *slots);
        source->alias = (td_sim_alias){.count = count, .slots = slots};
    }
    td_arena_rewind(arena, mark);
    return is_made;
}

static bool prepare_order(td_sim_source *source, uint64_t seed, td_arena *arena)
{
    uint32_t count = (uint32_t)source->count;
    source->permutation = td_arena_alloc_array(arena, count, sizeof *source->permutation);
    td_arena_mark mark = td_arena_get_mark(arena);
    placed *places = td_arena_alloc_array(arena, count, sizeof *places);
    if (source->permutation == NULL || places == NULL) return false;
    if (source->order == TD_SIM_ORDER_HASH) {
        order_by_hash(source, places);
    } else {
        td_rng rng;
        td_rng_init(&rng, seed);
        for (uint32_t i = 0; i < count; i++)
            places[i] = (placed){.hash = td_rng_next(&rng), .element = i};
    }
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++)
        source->permutation[i] = places[i].element;
    td_arena_rewind(arena, mark);
    return true;
}

static void order_by_hash(const td_sim_source *source, placed *places)
{
    uint8_t bytes[TD_SIM_VALUE_BYTES];
    for (uint32_t i = 0; i < source->count; i++) {
        td_slice payload = td_slice_of(bytes, write_value(source, source->first + (int64_t)i, bytes));
        td_key_hash hash = td_key_hash_of(&payload, 1, TD_PLACEMENT_SERVICE);
        places[i] = (placed){.hash = td_key_hash_prefix(&hash), .element = i};
    }
}

static int compare_places(const void *a, const void *b)
{
    const placed *left = a;
    const placed *right = b;
    if (left->hash != right->hash) return left->hash < right->hash ? -1 : 1;
    return (left->element > right->element) - (left->element < right->element);
}

static size_t draw_join(td_sim_source *source, td_rng *rng, td_time_us now_us, uint8_t *bytes)
{
    size_t len = 0;
    for (uint32_t i = 0; i < source->part_count; i++) {
        if (i > 0) len += write_bytes(source->separator, bytes + len);
        len += td_sim__source_draw(&source->parts[i], rng, now_us, bytes + len);
    }
    return len;
}

static size_t draw_sharded(td_sim_source *source, td_rng *rng, td_time_us now_us, uint8_t *bytes)
{
    size_t len = td_sim__source_draw(&source->parts[0], rng, now_us, bytes);
    len += write_bytes(source->separator, bytes + len);
    uint64_t shard = source->is_round_robin ? source->drawn++ % source->count : td_rng_below(rng, source->count);
    return len + write_number(source->first + (int64_t)shard, 1, bytes + len);
}

/* From 0. */
static uint64_t draw_element(td_sim_source *source, td_rng *rng)
{
    if (source->kind == TD_SIM_UNIFORM) return td_rng_below(rng, source->count);
    if (source->kind == TD_SIM_ZIPF) return td_sim__alias_draw(&source->alias, rng);
    uint64_t at = source->drawn++ / source->run;
    if (source->count > 0) at %= source->count;
    return source->permutation == NULL ? at : source->permutation[at];
}

static int64_t draw_number(td_sim_source *source, td_rng *rng, td_time_us now_us)
{
    if (source->kind == TD_SIM_RANDOM) return (int64_t)(td_rng_next(rng) >> 11);
    if (source->kind != TD_SIM_INCREASING && source->kind != TD_SIM_DECREASING) {
        return source->first + (int64_t)draw_element(source, rng);
    }
    int64_t number = source->is_of_time ? now_us : (int64_t)source->drawn++;
    return source->kind == TD_SIM_INCREASING ? number : COUNTDOWN_FROM - number;
}

/* As text, what orders or is random has all its digits, so that texts have the order of their numbers. */
static size_t write_value(const td_sim_source *source, int64_t number, uint8_t *bytes)
{
    if (source->type == TD_TYPE_N) {
        td_number encoded = td_number_from_int64(number);
        return write_bytes(td_number_slice(&encoded), bytes);
    }
    bool is_ordered =
        source->kind == TD_SIM_RANDOM || source->kind == TD_SIM_INCREASING || source->kind == TD_SIM_DECREASING;
    size_t len = write_bytes(source->prefix, bytes);
    len += write_number(number, is_ordered ? SORTABLE_DIGITS : 1, bytes + len);
    return len + write_bytes(source->suffix, bytes + len);
}

static size_t write_bytes(td_slice from, uint8_t *bytes)
{
    if (from.len > 0) memcpy(bytes, from.ptr, from.len);
    return from.len;
}

static size_t write_number(int64_t number, uint32_t digits_min, uint8_t *bytes)
{
    uint8_t reversed[24];
    uint32_t count = 0;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do {
        reversed[count++] = (uint8_t)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0 || count < digits_min);
    if (number < 0) reversed[count++] = '-';
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = reversed[count - 1 - i];
    return count;
}

/* "2026-11-13T12:00:00.000123Z" or its beginning. The calendar is H. Hinnant's days-to-civil: years begin in March. */
static size_t write_time(td_sim_time_format format, td_time_us now_us, uint8_t *bytes)
{
    int64_t second = now_us / TD_US_PER_S;
    int64_t days = second / 86400 + 719468;
    int64_t era = days / 146097;
    int64_t day_of_era = days % 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2);

    const int64_t parts[] = {year, month, day, second / 3600 % 24, second / 60 % 60, second % 60, now_us % TD_US_PER_S};
    static const uint8_t digits[] = {4, 2, 2, 2, 2, 2, 6};
    static const char marks[] = "--T::.Z";
    static const uint8_t part_counts[] = {
        [TD_SIM_DATE] = 3, [TD_SIM_HOUR] = 4, [TD_SIM_MINUTE] = 5, [TD_SIM_TIMESTAMP] = 7};
    size_t len = 0;
    for (uint8_t i = 0; i < part_counts[format]; i++) {
        if (i > 0) bytes[len++] = (uint8_t)marks[i - 1];
        len += write_number(parts[i], digits[i], bytes + len);
    }
    if (format == TD_SIM_TIMESTAMP) bytes[len++] = 'Z';
    return len;
}
