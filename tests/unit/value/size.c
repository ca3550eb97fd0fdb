/* SPDX-License-Identifier: Apache-2.0
 * size.c: tests of DynamoDB's sizes, of trees and of stored items alike. */
#include "support/build.h"
#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void) { td_fixture_init(&fixture); }
static void teardown(void) { td_fixture_done(&fixture); }

START_TEST(each_type_has_its_size)
{
    const struct {
        td_given value;
        uint64_t size;
    } cases[] = {
        {S("", ""), 0},
        {S("", "hello"), 5},
        {S("", "äáöü"), 8},
        {B("", "\0\1\2"), 3},
        {N("", "0"), 1},
        {N("", "-123"), 4},
        {N("", "-1.2345678901234567890123456789012345678"), 22},
        {BOOL("", false), 1},
        {NULL_(""), 1},
        {SS("", TD_LIT("a"), TD_LIT("bc"), TD_LIT("")), 3},
        {BS("", TD_LIT("a"), TD_LIT("\0\0")), 3},
        {NS("", TD_LIT("1"), TD_LIT("-1"), TD_LIT("0")), 6},
        {L(""), 3},
        {M(""), 3},
        {L("", S("", "abc"), N("", "1")), 3 + 1 + 3 + 1 + 2},
        {M("", S("name", "abc"), L("l")), 3 + 1 + 4 + 3 + 1 + 1 + 3},
        {L("", M("", NS("n", TD_LIT("1")))), 3 + 1 + 3 + 1 + 1 + 2},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_value value = value_of(arena, cases[i].value);
        ck_assert_msg(td_value_size(&value) == cases[i].size, "%s: %ju", show_value(arena, &value),
                      (uintmax_t)td_value_size(&value));
    }
}
END_TEST

START_TEST(an_item_counts_its_names_and_values)
{
    ck_assert_uint_eq(td_item_size(item_of(arena)), 0);
    ck_assert_uint_eq(td_item_size(item_of(arena, S("pk", "a"))), 3);
    ck_assert_uint_eq(td_item_size(item_of(arena, S("pk", "a"), N("n", "1"), M("m"), L("list", S("", "xyz")))),
                      3 + 3 + 4 + 11);
}
END_TEST

START_TEST(a_stored_item_has_the_size_of_its_tree)
{
    td_item *item = item_of(arena, S("pk", "key"), N("n", "-1.5"), B("b", "\0\0"), BOOL("t", true), NULL_("z"),
                            SS("ss", TD_LIT("a"), TD_LIT("b")), NS("ns", TD_LIT("-7"), TD_LIT("100")),
                            BS("bs", TD_LIT("")), M("m", L("l", S("", "deep"), M("", N("x", "12345")))), L("e"));
    td_item *copy = td_item_from_bytes(td_item_bytes(item));
    ck_assert_ptr_nonnull(copy);
    ck_assert_uint_eq(td_item_size(copy), td_item_size(item));
    td_item_unref(copy);
}
END_TEST

TCase *size_tests(void)
{
    TCase *tests = tcase_create("size");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, each_type_has_its_size);
    tcase_add_test(tests, an_item_counts_its_names_and_values);
    tcase_add_test(tests, a_stored_item_has_the_size_of_its_tree);
    return tests;
}
