/* SPDX-License-Identifier: Apache-2.0
 * btree.c: tests of storage/base/btree*.c by example; random runs against a model are in btree_property.c. */
#include "thermodyn/btree.h"

#include <stdio.h>

#include "support/failing_memory.h"

#include "btree_check.h"
#include "suites.h"

static void put(td_btree *tree, const char *key)
{
    bool is_new;
    void **place = td_btree_insert(tree, td_slice_of_cstr(key), &is_new);
    ck_assert_ptr_nonnull(place);
    *place = tree;
}

static td_slice rising_key(unsigned i, char buffer[40])
{
    return td_slice_of(buffer, (size_t)snprintf(buffer, 40, "collection-of-one-key/%08u", i));
}

/* A tree of `count` keys with one long prefix, as a collection's items have; values are not NULL. */
static td_btree *rising_tree(unsigned count)
{
    td_btree *tree = td_btree_new(NULL);
    ck_assert_ptr_nonnull(tree);
    char buffer[40];
    for (unsigned i = 0; i < count; i++) {
        bool is_new;
        void **place = td_btree_insert(tree, rising_key(i, buffer), &is_new);
        ck_assert(place != NULL && is_new);
        *place = tree;
    }
    return tree;
}

START_TEST(btree_is_empty_at_first)
{
    td_btree *tree = td_btree_new(NULL);
    ck_assert_uint_eq(td_btree_count(tree), 0);
    ck_assert(td_btree_is_end(td_btree_first(tree)));
    ck_assert(td_btree_is_end(td_btree_last(tree)));
    ck_assert(td_btree_is_end(td_btree_seek_key(tree, TD_LIT("a"), TD_SEEK_LAST_UNDER)));
    ck_assert_ptr_null(td_btree_find(tree, TD_LIT("")));
    ck_assert_ptr_null(td_btree_remove(tree, TD_LIT("")));
    td_btree_cursor end = td_btree_first(tree);
    td_btree_next(&end);
    td_btree_previous(&end);
    ck_assert(td_btree_is_end(end));
    td_btree_free(tree, NULL);
    td_btree_free(NULL, NULL);
}
END_TEST

static const struct {
    const char *bound;
    td_btree_seek where;
    const char *found; /* NULL: the end */
} seek_cases[] = {
    {"b", TD_SEEK_FIRST_AT_OR_AFTER, "b"},
    {"b", TD_SEEK_FIRST_AFTER, "ba"},
    {"b", TD_SEEK_FIRST_PAST, "c"},
    {"b", TD_SEEK_LAST_BEFORE, "ab"},
    {"b", TD_SEEK_LAST_AT_OR_BEFORE, "b"},
    {"b", TD_SEEK_LAST_UNDER, "bzz"},
    {"aa", TD_SEEK_FIRST_AT_OR_AFTER, "ab"},
    {"aa", TD_SEEK_LAST_UNDER, "a"},
    {"", TD_SEEK_FIRST_AT_OR_AFTER, "a"},
    {"", TD_SEEK_FIRST_PAST, NULL},
    {"", TD_SEEK_LAST_UNDER, "c"},
    {"", TD_SEEK_LAST_BEFORE, NULL},
    {"c", TD_SEEK_FIRST_AFTER, NULL},
    {"c", TD_SEEK_FIRST_PAST, NULL},
    {"zzzzzzzzzzzz", TD_SEEK_LAST_UNDER, "c"},
};

START_TEST(btree_seeks_stand_where_they_say)
{
    td_btree *tree = td_btree_new(NULL);
    static const char *const keys[] = {"c", "bzz", "a", "ba", "b", "ab"};
    for (size_t i = 0; i < TD_COUNT_OF(keys); i++)
        put(tree, keys[i]);
    td_btree_cursor cursor = td_btree_seek_key(tree, td_slice_of_cstr(seek_cases[_i].bound), seek_cases[_i].where);
    const char *found = seek_cases[_i].found;
    ck_assert_int_eq(td_btree_is_end(cursor), found == NULL);
    if (found != NULL) ck_assert(td_slice_equal(td_btree_key(cursor), td_slice_of_cstr(found)));
    td_btree_free(tree, NULL);
}
END_TEST

START_TEST(btree_value_is_swapped_in_place)
{
    td_btree *tree = td_btree_new(NULL);
    put(tree, "k");
    int other = 0;
    *td_btree_find(tree, TD_LIT("k")) = &other;
    bool is_new = true;
    ck_assert_ptr_eq(*td_btree_insert(tree, TD_LIT("k"), &is_new), &other);
    ck_assert(!is_new);
    ck_assert_ptr_eq(td_btree_remove(tree, TD_LIT("k")), &other);
    td_btree_free(tree, NULL);
}
END_TEST

/* Keys in descending order push their neighbours through every node; every third one stays. */
START_TEST(btree_place_stays_while_other_keys_come_and_go)
{
    enum { COUNT = 1000 };
    static void **places[COUNT];
    td_btree *tree = td_btree_new(NULL);
    ck_assert_ptr_nonnull(tree);
    char buffer[40];
    for (unsigned i = COUNT; i > 0; i--) {
        bool is_new;
        places[i - 1] = td_btree_insert(tree, rising_key(i - 1, buffer), &is_new);
        ck_assert(places[i - 1] != NULL && is_new);
        *places[i - 1] = &places[i - 1];
    }
    for (unsigned i = 0; i < COUNT; i++) {
        if (i % 3 != 0) ck_assert(td_btree_remove(tree, rising_key(i, buffer)) == &places[i]);
    }
    for (unsigned i = 0; i < COUNT; i += 3)
        ck_assert(td_btree_find(tree, rising_key(i, buffer)) == places[i] && *places[i] == &places[i]);
    td_btree_free(tree, NULL);
}
END_TEST

static void count_release(void *value)
{
    ++*(int *)value;
}

START_TEST(btree_free_releases_each_value_once)
{
    int counts[200] = {0};
    td_btree *tree = td_btree_new(NULL);
    for (int i = 0; i < 200; i++) {
        char key[8];
        bool is_new;
        *td_btree_insert(tree, td_slice_of(key, (size_t)snprintf(key, 8, "%d", i)), &is_new) = &counts[i];
    }
    td_btree_free(tree, count_release);
    for (int i = 0; i < 200; i++)
        ck_assert_int_eq(counts[i], 1);
}
END_TEST

/* Three levels: inner nodes split on the way up, and merge and balance on the way down, from either end. */
START_TEST(btree_shrinks_back_to_nothing_from_either_end)
{
    enum { KEYS = 12000 };
    bool is_from_end = _i == 1;
    td_btree *empty = td_btree_new(NULL);
    td_btree *tree = rising_tree(KEYS);
    check_btree(tree);
    uint64_t full_bytes = td_btree_memory_bytes(tree);
    char buffer[40];
    for (unsigned i = 0; i < KEYS; i++) {
        ck_assert(td_btree_remove(tree, rising_key(is_from_end ? KEYS - 1 - i : i, buffer)) == tree);
        if (i % 1000 == 0) check_btree(tree);
        if (i == KEYS / 2) ck_assert_uint_lt(td_btree_memory_bytes(tree), full_bytes * 2 / 3);
    }
    ck_assert_uint_eq(td_btree_memory_bytes(tree), td_btree_memory_bytes(empty));
    td_btree_free(tree, NULL);
    td_btree_free(empty, NULL);
}
END_TEST

/* Every 32nd entry alone is left: nodes have been merged again and again, and none is nearly empty. */
START_TEST(btree_thinned_out_evenly_gives_its_memory_back)
{
    enum { KEYS = 12000 };
    td_btree *tree = rising_tree(KEYS);
    uint64_t full_bytes = td_btree_memory_bytes(tree);
    char buffer[40];
    for (unsigned i = 0; i < KEYS; i++) {
        if (i % 32 != 0) ck_assert(td_btree_remove(tree, rising_key(i, buffer)) == tree);
    }
    check_btree(tree);
    ck_assert_uint_lt(td_btree_memory_bytes(tree), full_bytes / 32 * 3);
    td_btree_free(tree, NULL);
}
END_TEST

START_TEST(btree_fills_its_nodes_when_keys_rise)
{
    enum { KEYS = 12000 };
    td_btree *tree = rising_tree(KEYS);
    uint64_t entry_bytes = KEYS * (uint64_t)(16 + 30);
    /* Eighteen bytes a place in a leaf, and a separator a leaf; half-full nodes would cost twice that. */
    ck_assert_uint_lt(td_btree_memory_bytes(tree) - entry_bytes, KEYS * 18 * 4 / 3);
    td_btree_free(tree, NULL);
}
END_TEST

START_TEST(btree_insert_changes_nothing_when_there_is_no_memory)
{
    td_btree *tree = td_btree_new(NULL);
    char buffer[40];
    for (unsigned i = 0; i < 5000; i++) {
        td_slice key = rising_key(i, buffer);
        for (uint64_t nth = 1;; nth++) {
            failing_memory_fail_at(nth);
            bool is_new = false;
            void **place = td_btree_insert(tree, key, &is_new);
            bool has_failed = failing_memory_has_failed();
            failing_memory_fail_at(0);
            ck_assert((place == NULL) == has_failed);
            if (place != NULL) break;
            ck_assert(td_btree_count(tree) == i);
            ck_assert(td_btree_find(tree, key) == NULL);
        }
    }
    check_btree(tree);
    td_btree_free(tree, NULL);
}
END_TEST

static void check_split_off(td_btree *tree, td_btree *right, uint64_t cut, uint64_t count)
{
    check_btree(tree);
    check_btree(right);
    ck_assert_uint_eq(td_btree_count(tree), cut);
    ck_assert_uint_eq(td_btree_count(right), count - cut);
}

START_TEST(btree_split_takes_the_memory_that_it_needs_beforehand)
{
    enum { KEYS = 6000 };
    td_btree *tree = rising_tree(KEYS);
    char buffer[40];
    td_btree *right = NULL;
    for (uint64_t nth = 1; right == NULL; nth++) {
        failing_memory_fail_at(nth);
        right = td_btree_new_upper(tree);
        ck_assert_int_eq(right == NULL, failing_memory_has_failed());
        failing_memory_fail_at(0);
    }
    ck_assert_uint_eq(td_btree_count(tree), KEYS);
    failing_memory_fail_at(1);
    td_btree_split(tree, rising_key(2000, buffer), right);
    failing_memory_fail_at(0);
    check_split_off(tree, right, 2000, KEYS);
    td_btree *unused = td_btree_new_upper(tree);
    td_btree_free(unused, NULL);
    td_btree_free(tree, NULL);
    td_btree_free(right, NULL);
}
END_TEST

/* Leaves that cannot be balanced without memory stay small, until they can be merged. */
START_TEST(btree_shrinks_to_nothing_without_memory)
{
    enum { KEYS = 12000 };
    td_btree *tree = rising_tree(KEYS);
    char buffer[40];
    for (unsigned i = 0; i < KEYS; i++) {
        failing_memory_fail_at(1);
        unsigned at = i < KEYS / 2 ? 2 * i : 2 * (KEYS - i) - 1; /* the even ones upwards, the odd ones downwards */
        ck_assert(td_btree_remove(tree, rising_key(at, buffer)) == tree);
        if (i % 1000 == 0) check_btree(tree);
    }
    failing_memory_fail_at(0);
    ck_assert_uint_eq(td_btree_count(tree), 0);
    td_btree_free(tree, NULL);
}
END_TEST

Suite *btree_suite(void)
{
    Suite *suite = suite_create("btree");
    TCase *tests = tcase_create("btree");
    tcase_set_timeout(tests, 30);
    tcase_add_test(tests, btree_is_empty_at_first);
    tcase_add_loop_test(tests, btree_seeks_stand_where_they_say, 0, (int)TD_COUNT_OF(seek_cases));
    tcase_add_test(tests, btree_value_is_swapped_in_place);
    tcase_add_test(tests, btree_place_stays_while_other_keys_come_and_go);
    tcase_add_test(tests, btree_free_releases_each_value_once);
    tcase_add_loop_test(tests, btree_shrinks_back_to_nothing_from_either_end, 0, 2);
    tcase_add_test(tests, btree_thinned_out_evenly_gives_its_memory_back);
    tcase_add_test(tests, btree_fills_its_nodes_when_keys_rise);
    tcase_add_test(tests, btree_insert_changes_nothing_when_there_is_no_memory);
    tcase_add_test(tests, btree_split_takes_the_memory_that_it_needs_beforehand);
    tcase_add_test(tests, btree_shrinks_to_nothing_without_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
