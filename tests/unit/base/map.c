/* SPDX-License-Identifier: Apache-2.0
 * map.c: tests of storage/base/map.c. */
#include "thermodyn/map.h"

#include <stdio.h>

#include "support/failing_memory.h"
#include "thermodyn/rng.h"

#include "suites.h"

enum { NAMES = 512 };

static td_slice name_of(size_t i, char buffer[16])
{
    int len = snprintf(buffer, 16, "name-%zu", i);
    return td_slice_of(buffer, (size_t)len);
}

START_TEST(map_finds_what_was_put_and_nothing_else)
{
    td_map *map = td_map_new();
    int one = 1;
    int two = 2;
    ck_assert_ptr_null(td_map_find(map, TD_LIT("a")));
    ck_assert(td_map_put(map, TD_LIT("a"), &one));
    ck_assert(td_map_put(map, TD_LIT("a\0b"), &two));
    ck_assert_ptr_eq(td_map_find(map, TD_LIT("a")), &one);
    ck_assert_ptr_eq(td_map_find(map, TD_LIT("a\0b")), &two);
    ck_assert(td_map_put(map, (td_slice){NULL, 0}, &two));
    ck_assert_ptr_eq(td_map_find(map, TD_LIT("")), &two);
    ck_assert(td_map_put(map, TD_LIT("a"), &two));
    ck_assert_ptr_eq(td_map_find(map, TD_LIT("a")), &two);
    ck_assert_uint_eq(td_map_count(map), 3);
    td_map_free(map);
}
END_TEST

START_TEST(map_agrees_with_an_array_through_random_changes)
{
    td_rng rng;
    td_rng_init(&rng, 7);
    td_map *map = td_map_new();
    static void *expected[NAMES];
    memset(expected, 0, sizeof expected);
    size_t count = 0;
    for (uintptr_t step = 1; step < 20000; step++) {
        size_t i = td_rng_below(&rng, NAMES);
        char buffer[16];
        td_slice name = name_of(i, buffer);
        if (td_rng_below(&rng, 2) == 0) {
            count += expected[i] == NULL;
            expected[i] = (void *)step;
            ck_assert(td_map_put(map, name, expected[i]));
        } else {
            count -= expected[i] != NULL;
            ck_assert_ptr_eq(td_map_remove(map, name), expected[i]);
            expected[i] = NULL;
        }
        size_t other = td_rng_below(&rng, NAMES);
        ck_assert_ptr_eq(td_map_find(map, name_of(other, buffer)), expected[other]);
    }
    ck_assert_uint_eq(td_map_count(map), count);
    td_map_free(map);
}
END_TEST

START_TEST(map_iterates_over_each_entry_once)
{
    td_map *map = td_map_new();
    static bool seen[NAMES];
    memset(seen, 0, sizeof seen);
    char buffer[16];
    for (size_t i = 0; i < NAMES; i++)
        ck_assert(td_map_put(map, name_of(i, buffer), &seen[i]));
    size_t cursor = 0;
    size_t count = 0;
    td_slice key;
    void *value;
    while (td_map_next(map, &cursor, &key, &value)) {
        bool *mark = value;
        ck_assert(!*mark);
        ck_assert(td_slice_equal(key, name_of((size_t)(mark - seen), buffer)));
        *mark = true;
        count++;
    }
    ck_assert_uint_eq(count, NAMES);
    td_map_free(map);
}
END_TEST

START_TEST(map_is_unchanged_when_there_is_no_memory)
{
    for (uint64_t nth = 1;; nth++) {
        failing_memory_fail_at(nth);
        td_map *map = td_map_new();
        bool has_all = map != NULL;
        char buffer[16];
        for (size_t i = 0; has_all && i < 100; i++) {
            has_all = td_map_put(map, name_of(i, buffer), &nth);
            if (has_all) continue;
            ck_assert_uint_eq(td_map_count(map), i);
            ck_assert_ptr_null(td_map_find(map, name_of(i, buffer)));
            ck_assert(i == 0 || td_map_find(map, name_of(i - 1, buffer)) == &nth);
        }
        ck_assert(has_all != failing_memory_has_failed());
        td_map_free(map);
        if (has_all) break;
    }
    failing_memory_fail_at(0);
}
END_TEST

START_TEST(map_hash_is_xxh3)
{
    /* XXH3 of the empty input with seed 0, as its specification gives it. */
    ck_assert_uint_eq(td_hash64(TD_LIT("")), UINT64_C(0x2d06800538d394c2));
}
END_TEST

Suite *map_suite(void)
{
    Suite *suite = suite_create("map");
    TCase *tests = tcase_create("map");
    tcase_add_test(tests, map_finds_what_was_put_and_nothing_else);
    tcase_add_test(tests, map_agrees_with_an_array_through_random_changes);
    tcase_add_test(tests, map_iterates_over_each_entry_once);
    tcase_add_test(tests, map_is_unchanged_when_there_is_no_memory);
    tcase_add_test(tests, map_hash_is_xxh3);
    suite_add_tcase(suite, tests);
    return suite;
}
