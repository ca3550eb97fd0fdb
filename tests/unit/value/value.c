/* SPDX-License-Identifier: Apache-2.0
 * value.c: tests of values: types' names, order, look-up, equality, depth. */
#include "thermodyn/value.h"

#include <stdio.h>

#include "support/build.h"
#include "thermodyn/limits.h"
#include "thermodyn/rng.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void) { td_fixture_init(&fixture); }
static void teardown(void) { td_fixture_done(&fixture); }

/* A value of `levels` lists around a scalar. */
static td_value nested_lists(uint32_t levels)
{
    td_value value = value_of(arena, S("", "x"));
    for (uint32_t i = 0; i < levels; i++) {
        td_value *element = td_arena_alloc(arena, sizeof *element);
        ck_assert_ptr_nonnull(element);
        *element = value;
        value = (td_value){.type = TD_TYPE_L, .count = 1, .elements = element};
    }
    return value;
}

START_TEST(types_have_the_names_of_the_wire)
{
    static const char *const names[] = {"S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"};
    ck_assert_uint_eq(TD_COUNT_OF(names), TD_TYPE_COUNT);
    for (int type = 0; type < TD_TYPE_COUNT; type++) {
        ck_assert_str_eq(td_type_name((td_type)type), names[type]);
        ck_assert_int_eq(td_type_of_name(td_slice_of_cstr(names[type])), type);
    }
    ck_assert_int_eq(td_type_of_name(TD_LIT("s")), TD_TYPE_COUNT);
    ck_assert_int_eq(td_type_of_name(TD_LIT("")), TD_TYPE_COUNT);
}
END_TEST

START_TEST(of_two_attributes_of_one_name_the_last_wins)
{
    td_attribute attributes[] = {
        {TD_LIT("b"), value_of(arena, N("", "1"))}, {TD_LIT("a"), value_of(arena, N("", "2"))},
        {TD_LIT("b"), value_of(arena, N("", "3"))}, {TD_LIT("c"), value_of(arena, N("", "4"))},
        {TD_LIT("b"), value_of(arena, N("", "5"))},
    };
    uint32_t count = TD_COUNT_OF(attributes);
    td_value_sort_attributes(attributes, &count);
    CHECK_ATTRIBUTES(arena, attributes, count, N("a", "2"), N("b", "5"), N("c", "4"));
}
END_TEST

/* Every order of insertion and many lengths: around the runs and merges of the sort. */
START_TEST(sorting_keeps_the_last_of_many_repeats_at_every_length)
{
    td_rng rng;
    td_rng_init(&rng, 20260101);
    for (uint32_t length = 0; length <= 300; length = length < 70 ? length + 1 : length + 23) {
        td_attribute *attributes = td_arena_alloc_array(arena, length, sizeof *attributes);
        uint32_t last_of[64] = {0};
        for (uint32_t i = 0; i < length; i++) {
            char name[8];
            uint32_t choice = (uint32_t)(td_rng_next(&rng) % 64);
            snprintf(name, sizeof name, "n%02u", choice);
            attributes[i].value = (td_value){.type = TD_TYPE_NULL, .count = i + 1};
            ck_assert(td_arena_copy(arena, td_slice_of_cstr(name), &attributes[i].name));
            last_of[choice] = i + 1;
        }
        uint32_t count = length;
        td_value_sort_attributes(attributes, &count);
        uint32_t expected = 0;
        for (uint32_t choice = 0; choice < 64; choice++) {
            if (last_of[choice] == 0) continue;
            ck_assert_uint_lt(expected, count);
            ck_assert_uint_eq(attributes[expected++].value.count, last_of[choice]);
        }
        ck_assert_uint_eq(count, expected);
    }
}
END_TEST

/* Texts over three bytes, one of them NUL, of lengths around a head's: many begin alike, or with another one. */
START_TEST(sorted_members_are_in_the_order_of_slices)
{
    enum { COUNT = 64, LENGTH_MAX = 12 };
    static const uint8_t alphabet[] = {0, 1, 0xff};
    td_rng rng;
    td_rng_init(&rng, 20260102);
    for (uint32_t round = 0; round < 200; round++) {
        uint8_t texts[COUNT][LENGTH_MAX];
        td_slice members[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t length = (uint32_t)(td_rng_next(&rng) % (LENGTH_MAX + 1));
            for (uint32_t k = 0; k < length; k++)
                texts[i][k] = k < length / 2 ? 1 : alphabet[td_rng_next(&rng) % sizeof alphabet];
            members[i] = td_slice_of(texts[i], length);
        }
        uint32_t count = 2 + round % (COUNT - 1);
        bool is_set = td_value_sort_members(members, count);
        for (uint32_t i = 1; i < count; i++) {
            int order = td_slice_compare(members[i - 1], members[i]);
            ck_assert_int_le(order, 0);
            if (order == 0) ck_assert(!is_set);
        }
    }
}
END_TEST

START_TEST(members_are_sorted_and_repeats_are_told)
{
    td_slice members[] = {TD_LIT("b"), TD_LIT(""), TD_LIT("ab"), TD_LIT("a")};
    ck_assert(td_value_sort_members(members, TD_COUNT_OF(members)));
    CHECK_SLICE(arena, members[0], "");
    CHECK_SLICE(arena, members[1], "a");
    CHECK_SLICE(arena, members[2], "ab");
    CHECK_SLICE(arena, members[3], "b");

    td_slice repeated[] = {TD_LIT("b"), TD_LIT("a"), TD_LIT("b")};
    ck_assert(!td_value_sort_members(repeated, TD_COUNT_OF(repeated)));
    CHECK_SLICE(arena, repeated[0], "a");
    CHECK_SLICE(arena, repeated[2], "b");
}
END_TEST

START_TEST(attributes_are_found_by_name)
{
    td_given_attributes made =
        attributes_of(arena, S("pk", "a"), S("sk", "b"), N("n", "1"), S("", "empty"), S("p", "c"));
    CHECK_VALUE(arena, td_value_find(made.attributes, made.count, TD_LIT("pk")), S("", "a"));
    CHECK_VALUE(arena, td_value_find(made.attributes, made.count, TD_LIT("p")), S("", "c"));
    CHECK_VALUE(arena, td_value_find(made.attributes, made.count, TD_LIT("")), S("", "empty"));
    CHECK_VALUE(arena, td_value_find(made.attributes, made.count, TD_LIT("sk")), S("", "b"));
    ck_assert_ptr_null(td_value_find(made.attributes, made.count, TD_LIT("pkk")));
    ck_assert_ptr_null(td_value_find(made.attributes, made.count, TD_LIT("z")));
    ck_assert_ptr_null(td_value_find(NULL, 0, TD_LIT("pk")));
}
END_TEST

START_TEST(values_are_equal_part_by_part)
{
    const td_given values[] = {
        S("", "1"),
        N("", "1"),
        B("", "1"),
        S("", ""),
        SS("", TD_LIT("1")),
        NS("", TD_LIT("1")),
        BS("", TD_LIT("1")),
        SS("", TD_LIT("1"), TD_LIT("2")),
        BOOL("", true),
        BOOL("", false),
        NULL_(""),
        L(""),
        M(""),
        L("", S("", "a"), S("", "b")),
        L("", S("", "b"), S("", "a")),
        L("", S("", "a")),
        M("", S("a", "x")),
        M("", S("b", "x")),
        M("", S("a", "y")),
        M("", L("a", M("", N("n", "1")))),
        M("", L("a", M("", N("n", "2")))),
    };
    for (size_t i = 0; i < TD_COUNT_OF(values); i++)
        for (size_t j = 0; j < TD_COUNT_OF(values); j++) {
            td_value a = value_of(arena, values[i]), b = value_of(arena, values[j]);
            ck_assert_msg(td_value_equal(&a, &b) == (i == j), "%s, %s", show_value(arena, &a), show_value(arena, &b));
        }
    td_value one_way = value_of(arena, NS("", TD_LIT("1"), TD_LIT("20"))),
             other = value_of(arena, NS("", TD_LIT("2e1"), TD_LIT("1.0")));
    ck_assert(td_value_equal(&one_way, &other));
}
END_TEST

START_TEST(depth_counts_lists_and_maps_and_stops_past_the_limit)
{
    td_value scalar = value_of(arena, S("", "a")), set = value_of(arena, SS("", TD_LIT("a")));
    td_value flat = value_of(arena, L("")), mixed = value_of(arena, M("", S("a", "x"), L("b", M("", L("c"))), M("d")));
    ck_assert_uint_eq(td_value_depth(&scalar), 0);
    ck_assert_uint_eq(td_value_depth(&set), 0);
    ck_assert_uint_eq(td_value_depth(&flat), 1);
    ck_assert_uint_eq(td_value_depth(&mixed), 4);
    for (uint32_t levels = 1; levels <= TD_LIMIT_NESTING_LEVELS_MAX; levels++) {
        td_value value = nested_lists(levels);
        ck_assert_uint_eq(td_value_depth(&value), levels);
    }
    td_value deep = nested_lists(1000);
    ck_assert_uint_gt(td_value_depth(&deep), TD_LIMIT_NESTING_LEVELS_MAX);
}
END_TEST

TCase *value_tests(void)
{
    TCase *tests = tcase_create("value");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, types_have_the_names_of_the_wire);
    tcase_add_test(tests, of_two_attributes_of_one_name_the_last_wins);
    tcase_add_test(tests, sorting_keeps_the_last_of_many_repeats_at_every_length);
    tcase_add_test(tests, sorted_members_are_in_the_order_of_slices);
    tcase_add_test(tests, members_are_sorted_and_repeats_are_told);
    tcase_add_test(tests, attributes_are_found_by_name);
    tcase_add_test(tests, values_are_equal_part_by_part);
    tcase_add_test(tests, depth_counts_lists_and_maps_and_stops_past_the_limit);
    return tests;
}
