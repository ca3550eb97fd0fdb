/* SPDX-License-Identifier: Apache-2.0
 * item.c: tests of stored items: what goes in comes out, look-up, projection, references. */
#include "thermodyn/item.h"

#include <stdio.h>

#include "support/build.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void) { td_fixture_init(&fixture); }
static void teardown(void) { td_fixture_done(&fixture); }

/* An item of `count` attributes a0000, a0001, … each holding its number. */
static td_item *wide_item(uint32_t count)
{
    td_attribute *attributes = td_arena_alloc_array(arena, count, sizeof *attributes);
    ck_assert_ptr_nonnull(attributes);
    for (uint32_t i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i);
        attributes[i].value = value_of(arena, N("", text));
        ck_assert(td_arena_format(arena, &attributes[i].name, "a%04u", i));
    }
    td_item *item = td_item_new(attributes, count);
    ck_assert_ptr_nonnull(item);
    return item;
}

START_TEST(an_item_gives_back_what_it_was_made_of)
{
    td_item *item =
        item_of(arena, S("pk", "a"), N("n", "-1.5"), B("b", "x\0y"), BOOL("t", true), BOOL("f", false), NULL_("z"),
                SS("ss", TD_LIT(""), TD_LIT("b")), NS("ns", TD_LIT("3"), TD_LIT("-7")), BS("bs", TD_LIT("\0")),
                M("m", L("l", S("", "deep"), M("", N("x", "1")))), L("el"), M("em"), S("", "no name"));
    ck_assert_uint_eq(td_item_count(item), 13);
    CHECK_ITEM(arena, item, S("pk", "a"), N("n", "-1.5"), B("b", "x\0y"), BOOL("t", true), BOOL("f", false), NULL_("z"),
               SS("ss", TD_LIT(""), TD_LIT("b")), NS("ns", TD_LIT("3"), TD_LIT("-7")), BS("bs", TD_LIT("\0")),
               M("m", L("l", S("", "deep"), M("", N("x", "1")))), L("el"), M("em"), S("", "no name"));
}
END_TEST

START_TEST(an_empty_item_is_an_item)
{
    td_item *item = item_of(arena);
    td_stored value;
    ck_assert_uint_eq(td_item_count(item), 0);
    ck_assert_uint_eq(td_item_bytes(item).len, 0);
    ck_assert(!td_item_find(item, TD_LIT("pk"), &value));
    CHECK_ITEM(arena, item);
}
END_TEST

START_TEST(items_are_equal_when_their_attributes_are)
{
    td_item *item = item_of(arena, S("a", "1"), N("b", "10"));
    ck_assert(td_item_equal(item, item));
    ck_assert(td_item_equal(item, item_of(arena, N("b", "1e1"), S("a", "1"))));
    ck_assert(!td_item_equal(item, item_of(arena, S("a", "1"), N("b", "11"))));
    ck_assert(!td_item_equal(item, item_of(arena, S("a", "1"), S("b", "10"))));
    ck_assert(!td_item_equal(item, item_of(arena, S("a", "1"))));
}
END_TEST

START_TEST(attributes_are_found_in_narrow_and_in_wide_items)
{
    static const uint32_t counts[] = {1, 2, 10, 15, 16, 17, 100, 1000};
    for (size_t i = 0; i < TD_COUNT_OF(counts); i++) {
        td_item *item = wide_item(counts[i]);
        td_stored value = {.type = TD_TYPE_COUNT};
        for (uint32_t at = 0; at < counts[i]; at++) {
            char name[16];
            int64_t number = -1;
            snprintf(name, sizeof name, "a%04u", at);
            ck_assert(td_item_find(item, td_slice_of_cstr(name), &value));
            ck_assert_int_eq(value.type, TD_TYPE_N);
            ck_assert(td_number_to_int64(value.bytes, &number));
            ck_assert_int_eq(number, at);
        }
        ck_assert(!td_item_find(item, TD_LIT(""), &value));
        ck_assert(!td_item_find(item, TD_LIT("a000"), &value));
        ck_assert(!td_item_find(item, TD_LIT("a00000"), &value));
        ck_assert(!td_item_find(item, TD_LIT("b"), &value));
        td_item_unref(item);
    }
}
END_TEST

START_TEST(a_found_value_is_a_view_of_the_item)
{
    td_item *item = item_of(arena, M("m", S("a", "x"), L("l", N("", "1"))), BOOL("t", true));
    td_stored value;
    ck_assert(td_item_find(item, TD_LIT("m"), &value));
    ck_assert_str_eq(show_stored(arena, value), "{\"M\": {\"a\": {\"S\": \"x\"}, \"l\": {\"L\": [{\"N\": \"1\"}]}}}");
    ck_assert(td_item_find(item, TD_LIT("t"), &value));
    ck_assert_int_eq(value.type, TD_TYPE_BOOL);
    ck_assert(value.boolean);
}
END_TEST

START_TEST(a_projection_holds_the_named_attributes)
{
    td_item *item = item_of(arena, S("a", "1"), M("b", S("x", "y")), S("c", "3"), N("d", "-4"));
    const td_slice names[] = {TD_LIT("0"), TD_LIT("b"), TD_LIT("bb"), TD_LIT("d"), TD_LIT("z")};
    td_item *projected = td_item_project(item, names, TD_COUNT_OF(names));
    ck_assert_ptr_nonnull(projected);
    CHECK_ITEM(arena, projected, M("b", S("x", "y")), N("d", "-4"));
    ck_assert(td_item_equal(projected, item_of(arena, M("b", S("x", "y")), N("d", "-4"))));
    ck_assert_uint_eq(td_item_size(projected), td_item_size(item_of(arena, M("b", S("x", "y")), N("d", "-4"))));
    td_item_unref(projected);

    td_item *nothing = td_item_project(item, names, 1);
    ck_assert_ptr_nonnull(nothing);
    CHECK_ITEM(arena, nothing);
    td_item_unref(nothing);
}
END_TEST

START_TEST(a_wide_projection_is_found_through_its_own_offsets)
{
    td_item *item = wide_item(100);
    td_slice names[50];
    for (uint32_t i = 0; i < TD_COUNT_OF(names); i++)
        ck_assert(td_arena_format(arena, &names[i], "a%04u", 2 * i));
    td_item *projected = td_item_project(item, names, TD_COUNT_OF(names));
    ck_assert_ptr_nonnull(projected);
    ck_assert_uint_eq(td_item_count(projected), TD_COUNT_OF(names));
    td_stored value;
    for (uint32_t i = 0; i < TD_COUNT_OF(names); i++)
        ck_assert(td_item_find(projected, names[i], &value));
    ck_assert(!td_item_find(projected, TD_LIT("a0001"), &value));
    td_item_unref(projected);
    td_item_unref(item);
}
END_TEST

START_TEST(an_arena_holds_a_reference_until_its_reset)
{
    td_given_attributes made = attributes_of(arena, S("a", "1"));
    td_item *item = td_item_new(made.attributes, made.count);
    ck_assert(td_item_ref_in(item, arena));
    td_item_unref(item);
    ck_assert_uint_eq(td_item_count(item), 1); /* the arena's reference keeps it; the sanitizer would tell */
    td_item *kept = td_item_ref(item);
    td_arena_reset(arena);
    ck_assert_uint_eq(td_item_count(kept), 1);
    td_item_unref(kept);
    td_item_unref(NULL);
}
END_TEST

START_TEST(a_full_arena_takes_no_reference)
{
    td_arena tiny;
    td_arena_init(&tiny, 0);
    td_item *item = item_of(arena, S("a", "1"));
    ck_assert(!td_item_ref_in(item, &tiny));
    td_arena_done(&tiny);
}
END_TEST

START_TEST(a_note_changes_nothing_else)
{
    td_item *item = item_of(arena, S("pk", "a"), N("n", "1"));
    td_item *other = item_of(arena, S("pk", "a"), N("n", "1"));
    uint32_t size = td_item_size(item);
    ck_assert(!td_item_is_known_plain(item));
    td_item_note_plain(item);
    ck_assert(td_item_is_known_plain(item));
    ck_assert(!td_item_is_known_plain(other));
    ck_assert_uint_eq(td_item_size(item), size);
    ck_assert(td_item_equal(item, other));
}
END_TEST

START_TEST(memory_is_header_and_encoding)
{
    td_item *narrow = item_of(arena, S("pk", "a"), N("n", "1"));
    ck_assert_uint_eq(td_item_memory_bytes(narrow), 16 + td_item_bytes(narrow).len);
    td_item *wide = wide_item(100);
    ck_assert_uint_eq(td_item_memory_bytes(wide), 16 + 4 * 100 + td_item_bytes(wide).len);
    td_item_unref(wide);
}
END_TEST

TCase *item_tests(void)
{
    TCase *tests = tcase_create("item");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_item_gives_back_what_it_was_made_of);
    tcase_add_test(tests, an_empty_item_is_an_item);
    tcase_add_test(tests, items_are_equal_when_their_attributes_are);
    tcase_add_test(tests, attributes_are_found_in_narrow_and_in_wide_items);
    tcase_add_test(tests, a_found_value_is_a_view_of_the_item);
    tcase_add_test(tests, a_projection_holds_the_named_attributes);
    tcase_add_test(tests, a_wide_projection_is_found_through_its_own_offsets);
    tcase_add_test(tests, an_arena_holds_a_reference_until_its_reset);
    tcase_add_test(tests, a_full_arena_takes_no_reference);
    tcase_add_test(tests, a_note_changes_nothing_else);
    tcase_add_test(tests, memory_is_header_and_encoding);
    return tests;
}
