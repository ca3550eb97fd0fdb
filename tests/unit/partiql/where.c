/* SPDX-License-Identifier: Apache-2.0
 * where.c: tests of what holds for an item: WHERE runs as a condition of storage/expr.
 * Source: messages.md §4, "PartiQL"; public captures of the service. */
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

static bool holds(const char *where, const td_item *item)
{
    td_slice text;
    ck_assert(td_arena_format(&fixture.arena, &text, "SELECT * FROM T WHERE %s", where));
    const td_statement *statement = given_statement(&fixture, (const char *)text.ptr);
    return td_condition_holds(statement->where, item);
}

START_TEST(conditions_hold_as_the_service_has_it)
{
    static const struct {
        const char *where;
        bool holds;
    } rows[] = {
        {"s = 'abc'", true},
        {"s <> 'abc'", false},
        {"s <> 1", true},
        {"s != 'x'", true},
        {"absent = 'x'", false},
        {"absent <> 'x'", false},
        {"NOT absent = 'x'", true},
        {"NOT absent <> 'x'", true},
        {"'x' <> absent", false},
        {"absent IS MISSING", true},
        {"absent IS NOT MISSING", false},
        {"s IS NOT MISSING", true},
        {"z IS NULL", true},
        {"z = NULL", true},
        {"s IS NULL", false},
        {"absent IS NULL", false},
        {"absent IS NOT NULL", true},
        {"s IS NOT NULL", true},
        {"s IS STRING", true},
        {"t IS BOOL AND t IS BOOLEAN AND n IS INT AND l IS LIST AND m IS STRUCT AND ss IS BAG AND ns IS BAG", true},
        {"l IS BAG", false},
        {"l IS NOT BAG", true},
        {"n > 41 AND n >= 42 AND n < 43 AND n <= 42", true},
        {"41 < n", true},
        {"n > '4'", false},
        {"n BETWEEN 42 AND 43", true},
        {"n NOT BETWEEN 42 AND 43", false},
        {"absent NOT BETWEEN 42 AND 43", true},
        {"n IN [1, 42]", true},
        {"n IN (1, 42)", true},
        {"n IN <<1, 42>>", true},
        {"n IN []", false},
        {"n NOT IN (1, 42)", false},
        {"absent NOT IN (1)", true},
        {"s IN (m.x, 'abc')", true},
        {"a = ? OR b = ? OR c = ? OR m.x IN ?", true},
        {"ss = <<'b', 'a'>>", true},
        {"ns = <<2.0, 1>>", true},
        {"l = ['a', 1]", true},
        {"l = [1, 'a']", false},
        {"m = {'y': 1, 'x': 'b'}", true},
        {"m.x = 'b' AND m['y'] = 1 AND l[1] = 1 AND m.y = l[1]", true},
        {"begins_with(s, 'ab')", true},
        {"BEGINS_WITH(s, 'ab') = true", true},
        {"begins_with(s, 'ab') = false", false},
        {"false <> begins_with(s, 'ab')", true},
        {"(n = 42) = (TRUE)", true},
        {"contains(s, 'bc') AND contains(ss, 'a') AND contains(l, 1)", true},
        {"size(s) = 3 AND size(\"l\") > 1 AND Size(m) <> 3", true},
        {"attribute_type(s, 'S') AND attribute_exists(m.x) AND attribute_not_exists(m.q)", true},
        {"s = 'abc' OR n = 1 AND n = 2", true},
        {"(s = 'abc' OR n = 1) AND n = 2", false},
        {"NOT s = 'x' AND NOT (n = 1 OR n = 2)", true},
        {"t = TRUE AND t <> FALSE", true},
        {"n = 4.2e1 AND n = 42.0 AND n > -5", true},
        {"s = ?", false},
    };
    const td_item *item = item_of(&fixture.arena, S("s", "abc"), N("n", "42"), BOOL("t", true), NULL_("z"),
                                  SS("ss", TD_LIT("a"), TD_LIT("b")), NS("ns", TD_LIT("1"), TD_LIT("2")),
                                  L("l", S("", "a"), N("", "1")), M("m", S("x", "b"), N("y", "1")));
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++)
        if (holds(rows[i].where, item) != rows[i].holds) ck_abort_msg("%s", rows[i].where);
}
END_TEST

START_TEST(only_a_delete_holds_without_an_item)
{
    static const struct {
        const char *text;
        bool holds;
    } rows[] = {
        {"DELETE FROM T WHERE a = 1", true},
        {"UPDATE T SET b = 1 WHERE a = 1", false},
        {"EXISTS(SELECT * FROM T WHERE a = 1)", false},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        const td_statement *statement = given_statement(&fixture, rows[i].text);
        ck_assert(td_condition_holds(statement->where, NULL) == rows[i].holds);
    }
}
END_TEST

START_TEST(columns_come_flat_under_the_last_name)
{
    td_arena *arena = &fixture.arena;
    const td_item *item = item_of(arena, S("pk", "k"), M("m", M("n", S("x", "deep")), S("pk", "other")),
                                  L("l", S("", "a"), L("", S("", "b")), M("", S("y", "c"))));
    const td_statement *statement =
        given_statement(&fixture, "SELECT pk, m.n.x, l[0], l[1][0], l[2].y, l[9], m.q, absent, pk FROM T");
    td_attribute *attributes;
    uint32_t count;
    ck_assert_int_eq(td_projection_apply(statement->projection, item, arena, &attributes, &count), TD_OK);
    CHECK_ATTRIBUTES(arena, attributes, count, S("l[0]", "a"), S("l[1][0]", "b"), S("pk", "k"), S("x", "deep"),
                     S("y", "c"));
    ck_assert_ptr_null(given_statement(&fixture, "SELECT * FROM T")->projection);
}
END_TEST

TCase *where_tests(void)
{
    TCase *tests = tcase_create("where");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, conditions_hold_as_the_service_has_it);
    tcase_add_test(tests, only_a_delete_holds_without_an_item);
    tcase_add_test(tests, columns_come_flat_under_the_last_name);
    return tests;
}
