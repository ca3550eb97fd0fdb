/* SPDX-License-Identifier: Apache-2.0
 * heat.c: tests of columns of time and of a resource's heat. */
#include "capacity/heat.h"

#include "suites.h"
#include "thermodyn/rng.h"

#define START_S INT64_C(1790000400) /* a whole ten minutes */
#define ARENA_BYTES_MAX ((size_t)1 << 20)

static td_time_us at_s(int64_t second)
{
    return (START_S + second) * TD_US_PER_S;
}

/* An access of the key whose place begins with these eight bytes, and whose text is one letter. */
static td_heat_access access_of(uint8_t key[32], uint64_t place, char letter, td_direction direction, td_units units)
{
    memset(key, 0, 32);
    for (int i = 0; i < 8; i++)
        key[i] = (uint8_t)(place >> (56 - 8 * i));
    key[15] = (uint8_t)letter;
    key[16] = (uint8_t)letter;
    return (td_heat_access){.key = td_slice_of(key, 19), .collection_len = 19, .direction = direction, .units = units};
}

static void add(td_heat *heat, int64_t second, uint64_t place, td_units units)
{
    uint8_t key[32];
    td_heat_access access = access_of(key, place, (char)('a' + (place >> TD_HEAT_ROW_SHIFT) % 26), TD_WRITE, units);
    td_heat_add(heat, at_s(second), &access);
}

/* What a width shows between two seconds, first included, last not. */
static td_units sum_of(const td_heat *heat, uint32_t width, int64_t from, int64_t to)
{
    static td_units cells[TD_HEAT_ROWS * 2000];
    int64_t width_s = td_heat_widths[width].seconds;
    td_heat_window window = {.width = width,
                             .from = (START_S + from) / width_s,
                             .merged = 1,
                             .column_count = (uint32_t)((START_S + to - 1) / width_s - (START_S + from) / width_s + 1),
                             .row_count = TD_HEAT_ROWS};
    td_heat_read_map(heat, TD_HEAT_WRITE, &window, cells);
    td_units sum = 0;
    for (size_t i = 0; i < (size_t)TD_HEAT_ROWS * window.column_count; i++)
        sum += cells[i];
    return sum;
}

START_TEST(every_width_sums_up_to_what_was_added)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        td_rng rng;
        td_rng_init(&rng, seed);
        td_heat *heat = td_heat_new(false);
        ck_assert_ptr_nonnull(heat);
        td_units total = 0;
        int64_t second = 0;
        for (int i = 0; i < 300; i++) {
            /* within what the narrowest width keeps, or the next ones, or a day */
            if (td_rng_below(&rng, 4) == 0) second += (int64_t)td_rng_below(&rng, 8 + seed);
            td_units units = (td_units)td_rng_below(&rng, 50) == 0 ? INT64_C(9000000000) : 500 * (td_units)i;
            add(heat, second, td_rng_next(&rng), units);
            total += units;
        }
        ck_assert_int_eq(td_heat_total(heat, TD_HEAT_WRITE), total);
        ck_assert_uint_eq(td_heat_lost(heat), 0);
        for (uint32_t width = 0; width < TD_HEAT_WIDTHS; width++) {
            if (second >= td_heat_widths[width].seconds * td_heat_widths[width].count) continue;
            ck_assert_msg(sum_of(heat, width, 0, second + 1) == total, "seed %llu, width %u", (unsigned long long)seed,
                          width);
        }
        td_heat_free(heat);
    }
}
END_TEST

START_TEST(columns_hold_their_own_time_and_row)
{
    td_heat *heat = td_heat_new(false);
    add(heat, 0, 0, 1000);
    add(heat, 1, UINT64_MAX, 2000);
    add(heat, 25, UINT64_C(1) << TD_HEAT_ROW_SHIFT, 4000);
    td_units cells[TD_HEAT_ROWS * 30];
    td_heat_window window = {.from = START_S, .merged = 1, .column_count = 30, .row_count = TD_HEAT_ROWS};
    td_heat_read_map(heat, TD_HEAT_WRITE, &window, cells);
    ck_assert_int_eq(cells[0], 1000);
    ck_assert_int_eq(cells[63 * 30 + 1], 2000);
    ck_assert_int_eq(cells[1 * 30 + 25], 4000);

    window = (td_heat_window){.from = START_S, .merged = 10, .column_count = 3, .row_count = 2};
    td_heat_read_map(heat, TD_HEAT_WRITE, &window, cells);
    const td_units merged[] = {1000, 0, 4000, 2000, 0, 0};
    ck_assert_mem_eq(cells, merged, sizeof merged);

    window = (td_heat_window){.width = 1, .from = START_S / 10, .merged = 1, .column_count = 3, .row_count = 2};
    td_heat_read_map(heat, TD_HEAT_WRITE, &window, cells);
    ck_assert_mem_eq(cells, merged, sizeof merged);
    td_heat_free(heat);
}
END_TEST

START_TEST(each_width_forgets_after_its_time)
{
    td_heat *heat = td_heat_new(false);
    for (int64_t second = 0; second <= 100000; second += 5)
        add(heat, second, 0, 1000);
    for (uint32_t width = 0; width < TD_HEAT_WIDTHS; width++) {
        int64_t width_s = td_heat_widths[width].seconds;
        int64_t kept_s = width_s * td_heat_widths[width].count;
        int64_t from = 100000 - kept_s;
        from -= (START_S + from) % width_s;
        ck_assert_int_eq(sum_of(heat, width, from, 100001), 1000 * ((100000 - (from + 4) / 5 * 5) / 5 + 1));
        ck_assert_int_eq(sum_of(heat, width, from - 50 * width_s, from - width_s), 0); /* one may not have closed yet */
    }
    td_heat_free(heat);
}
END_TEST

START_TEST(a_jump_of_time_leaves_gaps_and_nothing_else)
{
    static const int64_t jumps_s[] = {1, 119, 120, 121, 1799, 1800, 1801, 14399, 14400, 86399};
    td_heat *heat = td_heat_new(false);
    add(heat, 0, 0, 1000);
    add(heat, jumps_s[_i], 0, 2000);
    ck_assert_int_eq(sum_of(heat, 3, 0, jumps_s[_i] + 1), 3000);
    ck_assert_int_eq(sum_of(heat, 0, jumps_s[_i], jumps_s[_i] + 1), 2000);
    add(heat, jumps_s[_i] + INT64_C(40000000000), 0, 4000); /* more than a thousand years */
    ck_assert_int_eq(td_heat_total(heat, TD_HEAT_WRITE), 7000);
    ck_assert_int_eq(sum_of(heat, 0, jumps_s[_i] + INT64_C(40000000000), jumps_s[_i] + INT64_C(40000000001)), 4000);
    td_heat_free(heat);
}
END_TEST

START_TEST(time_does_not_go_back)
{
    td_heat *heat = td_heat_new(false);
    add(heat, 100, 0, 1000);
    add(heat, 40, 0, 2000);
    ck_assert_int_eq(sum_of(heat, 0, 100, 101), 3000);
    ck_assert_int_eq(sum_of(heat, 0, 40, 41), 0);
    td_heat_free(heat);
}
END_TEST

START_TEST(a_scan_is_spread_over_the_places_it_searched)
{
    td_heat *heat = td_heat_new(false);
    uint8_t place[8] = {0};
    td_heat_access access = {.key = td_slice_of(place, sizeof place),
                             .is_range = true,
                             .hash_to = (UINT64_C(3) << TD_HEAT_ROW_SHIFT) - 1,
                             .direction = TD_WRITE,
                             .units = 1001};
    td_heat_add(heat, at_s(0), &access);
    td_units cells[TD_HEAT_ROWS];
    td_heat_window window = {.from = START_S, .merged = 1, .column_count = 1, .row_count = TD_HEAT_ROWS};
    td_heat_read_map(heat, TD_HEAT_WRITE, &window, cells);
    const td_units expected[] = {334, 334, 333, 0};
    ck_assert_mem_eq(cells, expected, sizeof expected);
    td_heat_free(heat);
}
END_TEST

static td_heat_sums top_of(const td_heat *heat, td_heat_metric metric, bool by_full_key, int64_t from, int64_t to,
                           td_arena *arena)
{
    td_heat_sums sums;
    ck_assert(td_heat_read_top(heat, metric, by_full_key, (START_S + from) / 60, (START_S + to) / 60, arena, &sums));
    return sums;
}

START_TEST(keys_of_the_last_hour_are_merged)
{
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_heat *heat = td_heat_new(false);
    for (int64_t minute = 0; minute < 90; minute++) {
        add(heat, minute * 60, 0, 1000);
        add(heat, minute * 60 + 1, UINT64_C(1) << TD_HEAT_ROW_SHIFT, 5000);
    }
    td_heat_sums sums = top_of(heat, TD_HEAT_WRITE, false, 0, 90 * 60, &arena);
    ck_assert_int_eq(sums.total, 6000 * (TD_HEAT_MINUTES + 1));
    ck_assert_uint_eq(sums.count, 2);
    ck_assert_int_eq(sums.keys[0].amount, 5000 * (TD_HEAT_MINUTES + 1));
    ck_assert_int_eq(sums.keys[0].error, 0);
    ck_assert_int_eq(sums.keys[0].peak, 5000);
    sums = top_of(heat, TD_HEAT_WRITE, false, 88 * 60, 90 * 60, &arena);
    ck_assert_int_eq(sums.keys[0].amount, 10000);
    ck_assert_uint_eq(top_of(heat, TD_HEAT_READ, false, 0, 90 * 60, &arena).count, 0);
    td_heat_free(heat);
    td_arena_done(&arena);
}
END_TEST

START_TEST(full_keys_are_told_apart_and_ranges_are_not)
{
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_heat *heat = td_heat_new(true);
    uint8_t key[32];
    td_heat_access access = access_of(key, 0, 'a', TD_READ, 1000);
    for (uint8_t sort = '1'; sort <= '3'; sort++) {
        key[19] = sort;
        access.key.len = 22;
        td_heat_add(heat, at_s(0), &access);
    }
    access.is_range = true;
    access.units = 9000;
    td_heat_add(heat, at_s(0), &access);
    td_heat_sums sums = top_of(heat, TD_HEAT_READ, false, 0, 0, &arena);
    ck_assert_uint_eq(sums.count, 1);
    ck_assert_int_eq(sums.keys[0].amount, 12000);
    sums = top_of(heat, TD_HEAT_READ, true, 0, 0, &arena);
    ck_assert_uint_eq(sums.count, 4);
    ck_assert_int_eq(sums.keys[0].amount, 9000);
    ck_assert_uint_eq(sums.keys[0].text_len, 19);
    ck_assert_int_eq(sums.keys[3].amount, 1000);
    ck_assert_uint_eq(sums.keys[3].text_len, 22);
    td_heat_free(heat);
    td_arena_done(&arena);
}
END_TEST

START_TEST(a_refusal_counts_as_one_and_raises_the_peak)
{
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_heat *heat = td_heat_new(false);
    uint8_t key[32];
    td_heat_access access = access_of(key, 0, 'a', TD_WRITE, 3000);
    td_heat_add(heat, at_s(0), &access);
    td_heat_add_refused(heat, at_s(0), &access);
    td_heat_add_refused(heat, at_s(0), &access);
    ck_assert_int_eq(td_heat_total(heat, TD_HEAT_THROTTLE), 2 * TD_UNITS_ONE);
    ck_assert_int_eq(td_heat_total(heat, TD_HEAT_WRITE), 3000);
    td_heat_sums sums = top_of(heat, TD_HEAT_WRITE, false, 0, 0, &arena);
    ck_assert_int_eq(sums.keys[0].peak, 9000);
    sums = top_of(heat, TD_HEAT_THROTTLE, false, 0, 0, &arena);
    ck_assert_int_eq(sums.keys[0].amount, 2 * TD_UNITS_ONE);
    td_heat_free(heat);
    td_arena_done(&arena);
}
END_TEST

/* Random keys, reads and writes, all of the first minute and some each second of a day: what the header promises. */
START_TEST(memory_is_bounded)
{
    td_heat *heat = td_heat_new(true);
    td_rng rng;
    td_rng_init(&rng, 1);
    for (int64_t second = 0; second < 90000; second++) {
        for (int i = 0; i < (second < 60 ? 600 : 6); i++) {
            uint8_t key[32];
            td_direction direction = i % 2 == 0 ? TD_READ : TD_WRITE;
            td_heat_access access = access_of(key, td_rng_next(&rng), (char)('a' + i % 26), direction, 1000);
            td_heat_add(heat, at_s(second), &access);
        }
        if (second == 59) ck_assert_uint_lt(td_heat_memory_bytes(heat), 100000);
    }
    ck_assert_uint_lt(td_heat_memory_bytes(heat), 2 * 420000);
    td_heat_free(heat);
}
END_TEST

TCase *heat_tests(void)
{
    TCase *tests = tcase_create("heat");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_width_sums_up_to_what_was_added);
    tcase_add_test(tests, columns_hold_their_own_time_and_row);
    tcase_add_test(tests, each_width_forgets_after_its_time);
    tcase_add_loop_test(tests, a_jump_of_time_leaves_gaps_and_nothing_else, 0, 10);
    tcase_add_test(tests, time_does_not_go_back);
    tcase_add_test(tests, a_scan_is_spread_over_the_places_it_searched);
    tcase_add_test(tests, keys_of_the_last_hour_are_merged);
    tcase_add_test(tests, full_keys_are_told_apart_and_ranges_are_not);
    tcase_add_test(tests, a_refusal_counts_as_one_and_raises_the_peak);
    tcase_add_test(tests, memory_is_bounded);
    return tests;
}
