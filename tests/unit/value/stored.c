/* SPDX-License-Identifier: Apache-2.0
 * stored.c: tests of the encoding: its bytes, the steps through it, and the check of foreign bytes. */
#include "support/build.h"
#include "thermodyn/limits.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void) { td_fixture_init(&fixture); }
static void teardown(void) { td_fixture_done(&fixture); }

START_TEST(the_encoding_has_these_bytes)
{
    /* Durable records hold them: a change here is a new format. */
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, S("pk", "a"))), "\2pk\0\1a");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, N("n", "7"))), "\1n\1\2\xc1\x08");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, B("b", ""))), "\1b\2\0");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, SS("s", TD_LIT("y"), TD_LIT("")))), "\1s\3\2\3\0\1y");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, NS("s", TD_LIT("0")))), "\1s\4\1\2\1\x80");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, BS("s", TD_LIT("z")))), "\1s\5\1\2\1z");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, M("m", S("k", "v")))), "\1m\6\1\5\1k\0\1v");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, L("l", NULL_(""), L("")))), "\1l\7\2\4\x09\7\0\0");
    CHECK_SLICE(arena, td_item_bytes(item_of(arena, BOOL("f", false), BOOL("t", true))), "\1f\x08\1t\x0a");
}
END_TEST

START_TEST(lengths_past_a_byte_are_read_back)
{
    static const size_t lengths[] = {127, 128, 129, 16383, 16384, 300000};
    for (size_t i = 0; i < TD_COUNT_OF(lengths); i++) {
        uint8_t *text = td_arena_alloc(arena, lengths[i]);
        ck_assert_ptr_nonnull(text);
        memset(text, 'x', lengths[i]);
        td_item *item = item_of(arena, L("l", S_OF("", td_slice_of(text, lengths[i])), NULL_("")));
        td_stored list, element;
        ck_assert(td_item_find(item, TD_LIT("l"), &list));
        ck_assert(td_stored_next_element(&list, &element));
        ck_assert(td_slice_equal(element.bytes, td_slice_of(text, lengths[i])));
        ck_assert(td_stored_next_element(&list, &element));
        ck_assert(!td_stored_next_element(&list, &element));
        td_item *copy = td_item_from_bytes(td_item_bytes(item));
        ck_assert_ptr_nonnull(copy);
        ck_assert(td_item_equal(copy, item));
        td_item_unref(copy);
    }
}
END_TEST

START_TEST(steps_go_through_a_container_once)
{
    td_item *item = item_of(arena, S("a", "x"), SS("s", TD_LIT("1"), TD_LIT("2")));
    td_stored contents = td_item_contents(item), value;
    td_slice name, member;
    ck_assert(td_stored_next_attribute(&contents, &name, &value));
    CHECK_SLICE(arena, name, "a");
    CHECK_SLICE(arena, value.bytes, "x");
    ck_assert(td_stored_next_attribute(&contents, &name, &value));
    CHECK_SLICE(arena, name, "s");
    ck_assert_uint_eq(value.count, 2);
    ck_assert(td_stored_next_member(&value, &member));
    CHECK_SLICE(arena, member, "1");
    ck_assert(td_stored_next_member(&value, &member));
    CHECK_SLICE(arena, member, "2");
    ck_assert(!td_stored_next_member(&value, &member));
    ck_assert(!td_stored_next_attribute(&contents, &name, &value));
}
END_TEST

START_TEST(decoding_without_memory_says_so)
{
    td_item *item = item_of(arena, L("l", S("", "x"), M("", SS("s", TD_LIT("a")))));
    td_attribute *attributes = NULL;
    uint32_t count = 0;
    td_arena tiny;
    td_arena_init(&tiny, 16);
    ck_assert_int_eq(td_item_decode(item, &tiny, &attributes, &count), TD_OUT_OF_MEMORY);
    td_arena_done(&tiny);
}
END_TEST

/* Maps in maps up to this level, innermost empty; as bytes. */
static td_item *nested_item(uint32_t levels)
{
    td_value value = {.type = TD_TYPE_M};
    for (uint32_t level = 1; level < levels; level++) {
        td_attribute *inner = td_arena_alloc(arena, sizeof *inner);
        ck_assert_ptr_nonnull(inner);
        *inner = (td_attribute){TD_LIT("m"), value};
        value = (td_value){.type = TD_TYPE_M, .count = 1, .attributes = inner};
    }
    td_attribute outer = {TD_LIT("m"), value};
    td_item *item = td_item_new(&outer, 1);
    ck_assert_ptr_nonnull(item);
    return item;
}

START_TEST(foreign_bytes_may_nest_as_deep_as_an_item_may)
{
    for (uint32_t levels = 1; levels < TD_LIMIT_NESTING_LEVELS_MAX + 3; levels++) {
        td_item *item = nested_item(levels);
        td_item *copy = td_item_from_bytes(td_item_bytes(item));
        ck_assert_msg((copy != NULL) == (levels < TD_LIMIT_NESTING_LEVELS_MAX), "%u levels", levels);
        td_item_unref(copy);
        td_item_unref(item);
    }
}
END_TEST

START_TEST(bytes_that_are_not_canonical_are_refused)
{
    static const struct {
        const char *fault;
        td_slice bytes;
    } cases[] = {
        {"a name without value", TD_LIT_INIT("\1a")},
        {"a name cut off", TD_LIT_INIT("\5a")},
        {"an unknown tag", TD_LIT_INIT("\1a\x0b")},
        {"a string cut off", TD_LIT_INIT("\1a\0\2x")},
        {"a byte too many", TD_LIT_INIT("\1a\0\1xy")},
        {"a length that is not the shortest", TD_LIT_INIT("\1a\0\x81\0x")},
        {"a length of more than 32 bits", TD_LIT_INIT("\1a\0\xff\xff\xff\xff\x1f")},
        {"a length without end", TD_LIT_INIT("\1a\0\x80\x80\x80\x80\x80\x80")},
        {"names out of order", TD_LIT_INIT("\1b\x09\1a\x09")},
        {"a name twice", TD_LIT_INIT("\1a\x09\1a\x09")},
        {"a name that is no text", TD_LIT_INIT("\1\xff\x09")},
        {"a string that is no text", TD_LIT_INIT("\1a\0\1\xff")},
        {"a number that is none", TD_LIT_INIT("\1a\1\1\xc1")},
        {"an empty set", TD_LIT_INIT("\1a\3\0\0")},
        {"members out of order", TD_LIT_INIT("\1a\3\2\4\1b\1a")},
        {"a member twice", TD_LIT_INIT("\1a\5\2\4\1a\1a")},
        {"a number set's bad member", TD_LIT_INIT("\1a\4\1\2\1\x00")},
        {"fewer members than counted", TD_LIT_INIT("\1a\3\2\2\1a")},
        {"more members than counted", TD_LIT_INIT("\1a\3\1\4\1a\1b")},
        {"fewer elements than counted", TD_LIT_INIT("\1a\7\2\1\x09")},
        {"more elements than counted", TD_LIT_INIT("\1a\7\1\2\x09\x09")},
        {"a list that leaves its item", TD_LIT_INIT("\1a\7\1\2\x09")},
        {"an element that leaves its list", TD_LIT_INIT("\1a\7\1\2\0\1x")},
        {"a map's count wrong", TD_LIT_INIT("\1a\6\2\3\1k\x09")},
        {"a map's names out of order", TD_LIT_INIT("\1a\6\2\6\1l\x09\1k\x09")},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_item *item = td_item_from_bytes(cases[i].bytes);
        ck_assert_msg(item == NULL, "%s passed", cases[i].fault);
    }
    td_item *empty = td_item_from_bytes((td_slice){NULL, 0});
    ck_assert_ptr_nonnull(empty);
    ck_assert_uint_eq(td_item_count(empty), 0);
    td_item_unref(empty);
}
END_TEST

TCase *stored_tests(void)
{
    TCase *tests = tcase_create("stored");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, the_encoding_has_these_bytes);
    tcase_add_test(tests, lengths_past_a_byte_are_read_back);
    tcase_add_test(tests, steps_go_through_a_container_once);
    tcase_add_test(tests, decoding_without_memory_says_so);
    tcase_add_test(tests, foreign_bytes_may_nest_as_deep_as_an_item_may);
    tcase_add_test(tests, bytes_that_are_not_canonical_are_refused);
    return tests;
}
