/* SPDX-License-Identifier: Apache-2.0
 * split_choice.c: tests of where a hot partition is split, by the shape of its load. */
#include "capacity/demand.h"

#include <stdio.h>

#include "suites.h"

#define WINDOWS 30
#define ACCESSES 400 /* of a window, one unit each */
#define SEEDS 20
#define UNIFORM_RUNS 10000

/* An encoded key in the making: sixteen bytes of hash, the partition key, the sort key. */
typedef struct shape {
    uint8_t hash[16];
    char partition_key[24];
    char sort_key[24]; /* "": none */
} shape;

/* The access number `at` of `count`. */
typedef void shape_function(shape *it, uint32_t at, uint32_t count, td_rng *rng);

static const td_demand_rule rule = {.hot = {100 * TD_UNITS_ONE, 100 * TD_UNITS_ONE}, .windows = WINDOWS};

static void set_place(shape *it, uint64_t place)
{
    for (int i = 0; i < 8; i++)
        it->hash[i] = (uint8_t)(place >> (56 - 8 * i));
    snprintf(it->partition_key, sizeof it->partition_key, "%llx", (unsigned long long)place);
}

/* One of `count` items whose places are even in the key space. */
static void set_item(shape *it, uint64_t number, uint64_t count)
{
    set_place(it, number * (UINT64_MAX / count));
}

static void set_sort_key(shape *it, uint64_t number)
{
    snprintf(it->sort_key, sizeof it->sort_key, "%012llu", (unsigned long long)number);
}

static void set_sort_key_after(shape *it, td_rng *rng)
{
    snprintf(it->sort_key, sizeof it->sort_key, "m%llu", (unsigned long long)td_rng_below(rng, 1000));
}

static void uniform(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)at;
    (void)count;
    set_place(it, td_rng_next(rng));
}

static void one_item(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)at;
    (void)count;
    (void)rng;
    set_item(it, 1, 4);
}

static void ten_items_in_turn(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)count;
    (void)rng;
    set_item(it, at % 10, 10);
}

static void two_items(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)at;
    (void)count;
    set_item(it, td_rng_below(rng, 2), 2);
}

/* The item in the lower quarter has more than half, the rest is spread. */
static void heavy_item(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    if (td_rng_below(rng, 100) < 57)
        set_item(it, 1, 4);
    else
        uniform(it, at, count, rng);
}

static void all_but_one_item(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    if (td_rng_below(rng, 100) < 96)
        set_item(it, 2, 4);
    else
        uniform(it, at, count, rng);
}

static void rising_places(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)rng;
    set_item(it, at, count);
}

static void falling_places(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)rng;
    set_item(it, count - 1 - at, count);
}

static void one_collection(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)at;
    (void)count;
    set_item(it, 1, 4);
    set_sort_key(it, td_rng_below(rng, 1000000));
}

static void two_items_of_a_collection(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)at;
    (void)count;
    set_item(it, 1, 4);
    set_sort_key(it, td_rng_below(rng, 2));
}

static void hot_collection(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    if (td_rng_below(rng, 100) < 96)
        one_collection(it, at, count, rng);
    else
        uniform(it, at, count, rng);
}

static void increasing(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)count;
    (void)rng;
    set_item(it, 1, 4);
    set_sort_key(it, at);
}

static void decreasing(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)rng;
    set_item(it, 1, 4);
    set_sort_key(it, count - at);
}

/* Two hundred accesses for each key. */
static void increasing_by_the_second(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)count;
    (void)rng;
    set_item(it, 1, 4);
    set_sort_key(it, at / 200);
}

/* A third is sent again later, after up to 400 others. */
static void increasing_with_retries(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    uint32_t back = td_rng_below(rng, 3) == 0 ? (uint32_t)td_rng_below(rng, 400) : 0;
    increasing(it, at > back ? at - back : 0, count, rng);
}

/* Each of a hundred devices reports in order. */
static void devices(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    (void)count;
    set_item(it, td_rng_below(rng, 100), 100);
    set_sort_key(it, at);
}

static void popular_device(shape *it, uint32_t at, uint32_t count, td_rng *rng)
{
    if (td_rng_below(rng, 100) < 60)
        increasing(it, at, count, rng);
    else
        devices(it, at, count, rng);
}

typedef struct choice_case {
    const char *name;
    shape_function *load;
    td_split_veto veto;            /* without a local index */
    td_split_veto veto_with_local; /* with one */
    bool is_inside;                /* the bound parts a collection */
    double share_min;              /* of the hotter child, where there is one */
    double share_max;
} choice_case;

static const choice_case cases[] = {
    {"uniform", uniform, TD_VETO_NONE, TD_VETO_NONE, false, 0.5, 0.51},
    {"one item", one_item, TD_VETO_SINGLE_ITEM, TD_VETO_SINGLE_ITEM, false, 1, 1},
    {"all but one item", all_but_one_item, TD_VETO_SINGLE_ITEM, TD_VETO_SINGLE_ITEM, false, 0.9, 1},
    {"ten items in turn", ten_items_in_turn, TD_VETO_NONE, TD_VETO_NONE, false, 0.5, 0.6},
    {"two items", two_items, TD_VETO_NONE, TD_VETO_NONE, false, 0.5, 0.6},
    {"heavy item", heavy_item, TD_VETO_NONE, TD_VETO_NONE, false, 0.57 + 0.04, 0.57 + 0.19},
    {"rising places", rising_places, TD_VETO_SEQUENTIAL, TD_VETO_SEQUENTIAL, false, 0.5, 0.51},
    {"falling places", falling_places, TD_VETO_SEQUENTIAL, TD_VETO_SEQUENTIAL, false, 0.5, 0.51},
    {"one collection", one_collection, TD_VETO_NONE, TD_VETO_LOCAL_INDEX, true, 0.5, 0.51},
    {"two items of a collection", two_items_of_a_collection, TD_VETO_NONE, TD_VETO_LOCAL_INDEX, true, 0.5, 0.6},
    {"hot collection", hot_collection, TD_VETO_NONE, TD_VETO_LOCAL_INDEX, true, 0.5, 0.51},
    {"increasing", increasing, TD_VETO_INCREASING_SORT_KEY, TD_VETO_LOCAL_INDEX, true, 0.5, 0.51},
    {"decreasing", decreasing, TD_VETO_DECREASING_SORT_KEY, TD_VETO_LOCAL_INDEX, true, 0.5, 0.51},
    {"by the second", increasing_by_the_second, TD_VETO_INCREASING_SORT_KEY, TD_VETO_LOCAL_INDEX, true, 0.5, 0.53},
    {"with retries", increasing_with_retries, TD_VETO_INCREASING_SORT_KEY, TD_VETO_LOCAL_INDEX, true, 0.5, 0.51},
    {"devices", devices, TD_VETO_NONE, TD_VETO_NONE, false, 0.5, 0.53},
    {"popular device", popular_device, TD_VETO_NONE, TD_VETO_NONE, false, 0.6, 0.85},
};

static void add(td_demand *demand, const shape *it)
{
    uint8_t key[16 + sizeof it->partition_key + sizeof it->sort_key + 4];
    size_t len = 16;
    memcpy(key, it->hash, 16);
    const char *parts[] = {it->partition_key, it->sort_key};
    uint32_t collection_len = 0;
    for (size_t i = 0; i < TD_COUNT_OF(parts) && parts[i][0] != '\0'; i++) {
        size_t part_len = strlen(parts[i]);
        memcpy(key + len, parts[i], part_len);
        memset(key + len + part_len, 0, 2);
        len += part_len + 2;
        if (i == 0) collection_len = (uint32_t)len;
    }
    td_demand_add(demand, &(td_demand_access){.key = td_slice_of(key, len),
                                              .collection_len = collection_len,
                                              .direction = TD_WRITE,
                                              .units = TD_UNITS_ONE});
}

static void apply_load(td_demand *demand, shape_function *load, uint64_t seed)
{
    td_rng rng;
    td_rng_init(&rng, seed);
    *demand = (td_demand){0};
    for (uint32_t window = 0; window < WINDOWS; window++) {
        for (uint32_t i = 0; i < ACCESSES; i++) {
            shape access = {0};
            load(&access, window * ACCESSES + i, WINDOWS * ACCESSES, &rng);
            add(demand, &access);
        }
        td_demand_advance(demand, &rule, &rng);
    }
}

START_TEST(the_shape_of_the_load_decides)
{
    const choice_case *row = &cases[_i];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        td_demand demand;
        apply_load(&demand, row->load, seed);
        td_demand_choice free_choice = td_demand_choose(&demand, TD_WRITE, true);
        td_demand_choice held_choice = td_demand_choose(&demand, TD_WRITE, false);
        td_demand_done(&demand);
        ck_assert_msg(free_choice.veto == row->veto, "%s: veto %d", row->name, (int)free_choice.veto);
        ck_assert_msg(held_choice.veto == row->veto_with_local, "%s, held: veto %d", row->name, (int)held_choice.veto);
        ck_assert_msg(free_choice.hotter_share >= row->share_min && free_choice.hotter_share <= row->share_max,
                      "%s: %f", row->name, free_choice.hotter_share);
        if (row->veto != TD_VETO_NONE) continue;
        if (row->is_inside)
            ck_assert_uint_gt(free_choice.bound_len, 16);
        else
            ck_assert_uint_eq(free_choice.bound_len, 8);
    }
}
END_TEST

/* A quarter of the others lies below it, three above: it is parted from those, and close to it. */
START_TEST(a_heavy_item_is_cut_off_beside_itself)
{
    td_demand demand;
    apply_load(&demand, heavy_item, 7);
    td_demand_choice choice = td_demand_choose(&demand, TD_WRITE, true);
    td_demand_done(&demand);
    uint64_t bound = 0;
    for (int i = 0; i < 8; i++)
        bound = bound << 8 | choice.bound[i];
    ck_assert_uint_eq(choice.bound_len, 8);
    ck_assert_uint_eq(bound, UINT64_MAX / 4 + 1);
    ck_assert_double_eq_tol(choice.hotter_share, 0.57 + 0.43 / 4, 0.08);
}
END_TEST

/* Most of the accesses are for one sort key, the others for later ones: the bound is behind it, and all that begins
 * with it, such as the entries of an index, stays below. */
START_TEST(a_heavy_item_of_a_collection_is_cut_off_behind_itself)
{
    td_demand demand = {0};
    td_rng rng;
    td_rng_init(&rng, 1);
    shape heavy = {.hash = "one collection..", .partition_key = "c", .sort_key = "m"};
    for (uint32_t window = 0; window < WINDOWS; window++) {
        for (uint32_t i = 0; i < ACCESSES; i++) {
            shape access = heavy;
            if (td_rng_below(&rng, 100) >= 70) set_sort_key_after(&access, &rng);
            add(&demand, &access);
        }
        td_demand_advance(&demand, &rule, &rng);
    }
    td_demand_choice choice = td_demand_choose(&demand, TD_WRITE, true);
    td_demand_done(&demand);
    static const uint8_t behind[] = "one collection..c\0\0m\0\1";
    ck_assert_int_eq(choice.veto, TD_VETO_NONE);
    ck_assert_uint_eq(choice.bound_len, sizeof behind - 1);
    ck_assert_mem_eq(choice.bound, behind, sizeof behind - 1);
}
END_TEST

START_TEST(keys_that_agree_in_eight_bytes_are_parted_by_their_collection)
{
    td_demand demand = {0};
    td_rng rng;
    td_rng_init(&rng, 1);
    for (uint32_t window = 0; window < WINDOWS; window++) {
        for (uint32_t i = 0; i < ACCESSES; i++) {
            shape access = {.hash = "same 8 b", .partition_key = "a"};
            access.hash[8] = (uint8_t)td_rng_below(&rng, 2);
            add(&demand, &access);
        }
        td_demand_advance(&demand, &rule, &rng);
    }
    td_demand_choice choice = td_demand_choose(&demand, TD_WRITE, false);
    td_demand_done(&demand);
    ck_assert_int_eq(choice.veto, TD_VETO_NONE);
    static const uint8_t lower[] = "same 8 b\0\0\0\0\0\0\0\0a\0"; /* and the NUL of the literal */
    static const uint8_t upper[] = "same 8 b\1\0\0\0\0\0\0\0a\0";
    td_slice bound = td_slice_of(choice.bound, choice.bound_len);
    ck_assert_int_gt(td_slice_compare(bound, td_slice_of(lower, sizeof lower)), 0);
    ck_assert_int_le(td_slice_compare(bound, td_slice_of(upper, sizeof upper)), 0);
}
END_TEST

START_TEST(scans_are_parted_by_their_places)
{
    td_demand demand = {0};
    td_rng rng;
    td_rng_init(&rng, 1);
    for (uint32_t window = 0; window < WINDOWS; window++) {
        for (uint32_t i = 0; i < ACCESSES; i++) {
            shape place;
            set_item(&place, td_rng_below(&rng, 4), 4);
            td_demand_add(&demand, &(td_demand_access){
                                       .key = td_slice_of(place.hash, 8), .direction = TD_READ, .units = TD_UNITS_ONE});
        }
        td_demand_advance(&demand, &rule, &rng);
    }
    td_demand_choice choice = td_demand_choose(&demand, TD_READ, false);
    td_demand_done(&demand);
    ck_assert_int_eq(choice.veto, TD_VETO_NONE);
    ck_assert_uint_eq(choice.bound_len, 8);
}
END_TEST

START_TEST(without_samples_it_is_too_small)
{
    td_demand demand = {0};
    ck_assert_int_eq(td_demand_choose(&demand, TD_WRITE, true).veto, TD_VETO_TOO_SMALL);
}
END_TEST

/* By chance alone ρ of 256 places is within ±0.0627 in two runs of three; 0.9 is fourteen times as far out. */
START_TEST(a_uniform_load_is_never_taken_for_a_sequence)
{
    uint32_t vetoed = 0;
    double worst_share = 0;
    for (uint64_t seed = 1; seed <= UNIFORM_RUNS; seed++) {
        td_rng rng;
        td_rng_init(&rng, seed);
        td_demand demand = {0};
        for (int i = 0; i < 2; i++) { /* the first window sets the stride to one access */
            for (int k = 0; k < TD_DEMAND_SAMPLES; k++) {
                shape access = {0};
                one_collection(&access, 0, 0, &rng);
                if (seed % 2 == 0) uniform(&access, 0, 0, &rng);
                add(&demand, &access);
            }
            td_demand_advance(&demand, &(td_demand_rule){.hot = {0, 1}, .windows = 1}, &rng);
        }
        td_demand_choice choice = td_demand_choose(&demand, TD_WRITE, true);
        td_demand_done(&demand);
        vetoed += choice.veto != TD_VETO_NONE;
        if (choice.hotter_share > worst_share) worst_share = choice.hotter_share;
    }
    ck_assert_uint_eq(vetoed, 0);
    ck_assert_double_le(worst_share, 0.52);
}
END_TEST

TCase *split_choice_tests(void)
{
    TCase *tests = tcase_create("split choice");
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, the_shape_of_the_load_decides, 0, (int)TD_COUNT_OF(cases));
    tcase_add_test(tests, a_heavy_item_is_cut_off_beside_itself);
    tcase_add_test(tests, a_heavy_item_of_a_collection_is_cut_off_behind_itself);
    tcase_add_test(tests, keys_that_agree_in_eight_bytes_are_parted_by_their_collection);
    tcase_add_test(tests, scans_are_parted_by_their_places);
    tcase_add_test(tests, without_samples_it_is_too_small);
    tcase_add_test(tests, a_uniform_load_is_never_taken_for_a_sequence);
    return tests;
}
