/* SPDX-License-Identifier: Apache-2.0
 * update.c: tests of SET and REMOVE: they run as an update of storage/expr. */
#include "given.h"
#include "suites.h"

static td_fixture fixture;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

static const char *apply(const char *changes)
{
    td_arena *arena = &fixture.arena;
    const td_item *item = item_of(arena, S("pk", "k"), N("n", "5"), SS("ss", TD_LIT("a"), TD_LIT("b")),
                                  L("l", S("", "a"), S("", "b"), S("", "c")), M("m", N("x", "1")));
    td_slice text;
    td_attribute *attributes;
    uint32_t count;
    ck_assert(td_arena_format(arena, &text, "UPDATE T %s WHERE pk = 'k'", changes));
    const td_statement *statement = given_statement(&fixture, (const char *)text.ptr);
    td_given_attributes key = attributes_of(arena, S("pk", "k"));
    if (td_update_apply(statement->update, item, key.attributes, key.count, arena, &attributes, &count,
                        &fixture.error) != TD_OK)
        return given_error(&fixture);
    return show_attributes(arena, attributes, count);
}

#define AFTER(...) show_given(&fixture.arena, S("pk", "k"), __VA_ARGS__)
#define NUMBER N("n", "5")
#define SET SS("ss", TD_LIT("a"), TD_LIT("b"))
#define LIST L("l", S("", "a"), S("", "b"), S("", "c"))
#define MAP M("m", N("x", "1"))

START_TEST(changes_apply)
{
    ck_assert_str_eq(apply("SET n = n + 100 SET m.y = [1, <<'s'>>]"),
                     AFTER(N("n", "105"), SET, LIST, M("m", N("x", "1"), L("y", N("", "1"), SS("", TD_LIT("s"))))));
    ck_assert_str_eq(apply("SET n=n-1, z = NULL REMOVE m REMOVE l[0]"),
                     AFTER(N("n", "4"), SET, L("l", S("", "b"), S("", "c")), NULL_("z")));
    ck_assert_str_eq(apply("SET l = list_append(l, [4]), k = LIST_APPEND([0], l)"),
                     AFTER(NUMBER, SET, L("l", S("", "a"), S("", "b"), S("", "c"), N("", "4")),
                           L("k", N("", "0"), S("", "a"), S("", "b"), S("", "c")), MAP));
    ck_assert_str_eq(
        apply("SET ss = SET_ADD(ss, <<'c'>>) SET fresh = set_add(fresh, <<1>>)"),
        AFTER(NUMBER, SS("ss", TD_LIT("a"), TD_LIT("b"), TD_LIT("c")), NS("fresh", TD_LIT("1")), LIST, MAP));
    ck_assert_str_eq(apply("SET ss = set_delete(ss, <<'a', 'b'>>)"), AFTER(NUMBER, LIST, MAP));
    ck_assert_str_eq(apply("SET l[1] = 'x', l[9] = 'd', a = m.x, n = 1 + m.x"),
                     AFTER(N("n", "2"), SET, L("l", S("", "a"), S("", "x"), S("", "c"), S("", "d")), N("a", "1"), MAP));
    ck_assert_str_eq(apply("SET ss = <<'q'>>, n = 1 + 2 - 5"), AFTER(N("n", "-2"), SS("ss", TD_LIT("q")), LIST, MAP));
}
END_TEST

START_TEST(what_an_item_does_not_allow_has_the_texts_of_updates)
{
    ck_assert_str_eq(apply("SET ss = set_add(ss, <<1>>)"),
                     "An operand in the update expression has an incorrect data type");
    ck_assert_str_eq(apply("SET n = set_add(n, <<'x'>>)"),
                     "An operand in the update expression has an incorrect data type");
    ck_assert_str_eq(apply("SET q = list_append(q, [1])"),
                     "The provided expression refers to an attribute that does not exist in the item");
    ck_assert_str_eq(apply("SET q[0] = 1"),
                     "The document path provided in the update expression is invalid for update");
    ck_assert_str_eq(apply("SET n = n + ss"), "An operand in the update expression has an incorrect data type");
}
END_TEST

START_TEST(an_update_tells_what_it_touches)
{
    const td_statement *statement = given_statement(&fixture, "UPDATE T SET a.b = c.d REMOVE e WHERE pk = 'k'");
    ck_assert(td_update_touches(statement->update, TD_LIT("a")));
    ck_assert(td_update_touches(statement->update, TD_LIT("e")));
    ck_assert(!td_update_touches(statement->update, TD_LIT("c")));
    ck_assert(td_update_enters(statement->update, TD_LIT("c")));
    ck_assert(!td_update_enters(statement->update, TD_LIT("e")));
}
END_TEST

TCase *update_tests(void)
{
    TCase *tests = tcase_create("update");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, changes_apply);
    tcase_add_test(tests, what_an_item_does_not_allow_has_the_texts_of_updates);
    tcase_add_test(tests, an_update_tells_what_it_touches);
    return tests;
}
