/* SPDX-License-Identifier: Apache-2.0
 * heat_sketch.c: tests of the sketch of hottest keys, and of lists of minutes, against exact counts. */
#include "capacity/heat_sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "capacity/heat_top.h"
#include "suites.h"
#include "thermodyn/map.h"
#include "thermodyn/memory.h"
#include "thermodyn/rng.h"

#define KEYS_MAX 400
#define ADDS_MAX 600
#define RUNS_A_SHAPE 2500
#define MINUTES 5
#define ARENA_BYTES_MAX ((size_t)1 << 20)

typedef enum shape { SINGLE, UNIFORM, ZIPF, SEQUENCE, SHAPE_COUNT } shape;

/* A stream of keys, numbered from 0, and what each of them really has. */
typedef struct load {
    td_rng rng;
    shape shape;
    uint32_t key_count;
    uint32_t next;
    double weights[KEYS_MAX]; /* ZIPF: cumulative */
    td_units exact[KEYS_MAX];
    td_units total;
    td_sketch sketch;
} load;

static void load_init(load *it, shape form, uint64_t seed)
{
    memset(it, 0, offsetof(load, sketch));
    td_rng_init(&it->rng, seed);
    td_sketch_init(&it->sketch);
    it->shape = form;
    it->key_count = 1 + (uint32_t)td_rng_below(&it->rng, KEYS_MAX);
    double skew = 0.5 + td_rng_unit(&it->rng);
    double sum = 0;
    for (uint32_t i = 0; i < it->key_count; i++) {
        sum += 1 / pow(i + 1, skew);
        it->weights[i] = sum;
    }
}

static uint32_t draw(load *it)
{
    if (it->shape == SINGLE) return 0;
    if (it->shape == UNIFORM) return (uint32_t)td_rng_below(&it->rng, it->key_count);
    if (it->shape == SEQUENCE) return it->next++ % it->key_count;
    double at = td_rng_unit(&it->rng) * it->weights[it->key_count - 1];
    uint32_t low = 0;
    uint32_t high = it->key_count - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (it->weights[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static td_sketch_key key_of(uint32_t number, char text[16])
{
    int len = snprintf(text, 16, "%u", number);
    td_slice slice = td_slice_of(text, (size_t)len);
    return (td_sketch_key){td_hash64(slice), slice, (uint32_t)len};
}

static void add_some(load *it, uint32_t adds)
{
    for (uint32_t i = 0; i < adds; i++) {
        char text[16];
        uint32_t number = draw(it);
        td_units amount = 500 * (td_units)(1 + td_rng_below(&it->rng, 8));
        td_sketch_key key = key_of(number, text);
        td_sketch_add(&it->sketch, &key, 0, amount);
        it->exact[number] += amount;
        it->total += amount;
    }
}

static uint32_t number_of(td_slice text)
{
    char digits[16];
    ck_assert_uint_lt(text.len, sizeof digits);
    memcpy(digits, text.ptr, text.len);
    digits[text.len] = '\0';
    return (uint32_t)strtoul(digits, NULL, 10);
}

static void check_bounds(const load *it, uint64_t seed)
{
    bool has_counter[KEYS_MAX] = {false};
    td_units sum = 0;
    const td_sketch *sketch = &it->sketch;
    for (uint32_t i = 0; i < sketch->count; i++) {
        uint32_t number = number_of(td_sketch_text(sketch, i));
        td_units amount = td_sketch_amount(sketch, i);
        td_units error = sketch->counters[i].error;
        has_counter[number] = true;
        sum += amount;
        bool holds = it->exact[number] <= amount && amount - error <= it->exact[number] &&
                     error <= it->total / TD_SKETCH_COUNTERS;
        if (holds) continue;
        ck_abort_msg("seed %llu, key %u: %lld of %lld, not within %lld - %lld", (unsigned long long)seed, number,
                     (long long)it->exact[number], (long long)it->total, (long long)amount, (long long)error);
    }
    ck_assert_int_eq(sum, it->total);
    ck_assert_int_le(td_sketch_rest(sketch), it->total / TD_SKETCH_COUNTERS);
    for (uint32_t number = 0; number < it->key_count; number++) {
        if (has_counter[number] || it->exact[number] <= td_sketch_rest(sketch)) continue;
        ck_abort_msg("seed %llu, key %u has no counter", (unsigned long long)seed, number);
    }
}

START_TEST(bounds_hold_in_ten_thousand_runs)
{
    static load it;
    for (uint64_t run = 0; run < RUNS_A_SHAPE; run++) {
        uint64_t seed = run * SHAPE_COUNT + (uint64_t)_i;
        load_init(&it, (shape)_i, seed);
        add_some(&it, 1 + (uint32_t)td_rng_below(&it.rng, ADDS_MAX));
        check_bounds(&it, seed);
    }
}
END_TEST

START_TEST(counts_are_exact_while_there_are_counters_for_all)
{
    static load it;
    load_init(&it, UNIFORM, 7);
    it.key_count = TD_SKETCH_COUNTERS;
    add_some(&it, 5000);
    ck_assert_uint_eq(it.sketch.count, TD_SKETCH_COUNTERS);
    ck_assert_int_eq(td_sketch_rest(&it.sketch), td_sketch_amount(&it.sketch, it.sketch.heap[0].counter));
    for (uint32_t i = 0; i < it.sketch.count; i++) {
        ck_assert_int_eq(it.sketch.counters[i].error, 0);
        ck_assert_int_eq(td_sketch_amount(&it.sketch, i), it.exact[number_of(td_sketch_text(&it.sketch, i))]);
    }
}
END_TEST

/* Lists of several minutes, the last one still open. */
START_TEST(bounds_of_merged_minutes_add_up)
{
    static load it;
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    for (uint64_t seed = 0; seed < 200; seed++) {
        const td_heat_top *tops[MINUTES];
        td_units total = 0;
        load_init(&it, (shape)(seed % SHAPE_COUNT), seed);
        for (uint32_t minute = 0; minute < MINUTES; minute++) {
            td_sketch_init(&it.sketch);
            td_units before = it.total;
            add_some(&it, (uint32_t)td_rng_below(&it.rng, ADDS_MAX));
            bool is_open = minute + 1 == MINUTES;
            tops[minute] = is_open ? td_heat_top_copy(&it.sketch, minute, it.total - before, &arena)
                                   : td_heat_top_close(&it.sketch, minute, it.total - before);
            ck_assert_ptr_nonnull(tops[minute]);
            if (!is_open) ck_assert_uint_le(tops[minute]->count, TD_HEAT_TOP_KEYS);
            total += tops[minute]->total;
        }
        td_heat_sums sums;
        ck_assert(td_heat_top_merge(tops, MINUTES, &arena, &sums));
        ck_assert_int_eq(sums.total, total);
        bool is_listed[KEYS_MAX] = {false};
        for (uint32_t i = 0; i < sums.count; i++) {
            td_units exact = it.exact[number_of(sums.keys[i].text)];
            is_listed[number_of(sums.keys[i].text)] = true;
            ck_assert_int_le(exact, sums.keys[i].amount);
            ck_assert_int_le(sums.keys[i].amount - sums.keys[i].error, exact);
            ck_assert_int_le(sums.keys[i].amount, total);
            if (i == 0) continue;
            ck_assert_int_ge(sums.keys[i - 1].amount - sums.keys[i - 1].error,
                             sums.keys[i].amount - sums.keys[i].error);
            ck_assert(!td_slice_equal(sums.keys[i - 1].text, sums.keys[i].text));
        }
        for (uint32_t key = 0; key < KEYS_MAX; key++)
            ck_assert(is_listed[key] || it.exact[key] <= sums.rest);
        for (uint32_t minute = 0; minute + 1 < MINUTES; minute++)
            td_free((void *)(uintptr_t)tops[minute]);
        td_arena_reset(&arena);
    }
    td_arena_done(&arena);
}
END_TEST

START_TEST(evenly_spread_traffic_leaves_an_empty_list)
{
    static load it;
    load_init(&it, SEQUENCE, 1);
    it.key_count = KEYS_MAX;
    add_some(&it, 100 * KEYS_MAX);
    td_heat_top *top = td_heat_top_close(&it.sketch, 0, it.total);
    ck_assert_ptr_nonnull(top);
    ck_assert_uint_eq(top->count, 0);
    ck_assert_int_ge(top->rest, it.total / TD_SKETCH_COUNTERS);
    td_free(top);
}
END_TEST

START_TEST(a_peak_is_the_most_in_one_second)
{
    td_sketch sketch;
    td_sketch_init(&sketch);
    td_sketch_key key = {1, TD_LIT("k"), 1};
    td_sketch_add(&sketch, &key, 59, 1000);
    td_sketch_add(&sketch, &key, 60, 3000);
    td_sketch_add(&sketch, &key, 60, 2000);
    td_sketch_note(&sketch, 1, 60, 4000);
    td_sketch_note(&sketch, 2, 60, 4000); /* no such counter */
    td_sketch_add(&sketch, &key, 61, 500);
    ck_assert_int_eq(td_sketch_peak(&sketch, 0), 9000);
    ck_assert_int_eq(td_sketch_amount(&sketch, 0), 6500);
}
END_TEST

START_TEST(of_a_long_key_the_beginning_is_kept)
{
    char text[300];
    memset(text, 'x', sizeof text);
    td_sketch sketch;
    td_sketch_init(&sketch);
    td_sketch_key key = {1, td_slice_of(text, sizeof text), 100};
    td_sketch_add(&sketch, &key, 0, 1000);
    ck_assert_uint_eq(td_sketch_text(&sketch, 0).len, TD_SKETCH_KEY_BYTES);
    ck_assert_uint_eq(sketch.counters[0].text_len, sizeof text);
}
END_TEST

TCase *heat_sketch_tests(void)
{
    TCase *tests = tcase_create("heat sketch");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, bounds_hold_in_ten_thousand_runs, 0, SHAPE_COUNT);
    tcase_add_test(tests, counts_are_exact_while_there_are_counters_for_all);
    tcase_add_test(tests, bounds_of_merged_minutes_add_up);
    tcase_add_test(tests, evenly_spread_traffic_leaves_an_empty_list);
    tcase_add_test(tests, a_peak_is_the_most_in_one_second);
    tcase_add_test(tests, of_a_long_key_the_beginning_is_kept);
    return tests;
}
