/* SPDX-License-Identifier: Apache-2.0
 * order.c: tests of ORDER BY against a key. Source: public captures of the service. */
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

static const char *walk(const char *rest)
{
    static const td_key_schema schema = {
        .hash_count = 1, .range_count = 1, .parts = {{TD_LIT_INIT("pk"), TD_TYPE_S}, {TD_LIT_INIT("sk"), TD_TYPE_S}}};
    td_arena *arena = &fixture.arena;
    td_slice text;
    td_statement_keys keys;
    td_statement_walk found;
    ck_assert(td_arena_format(arena, &text, "SELECT * FROM T %s%c", rest, '\0'));
    const td_statement *statement = given_statement(&fixture, (const char *)text.ptr);
    ck_assert_int_eq(td_statement_find_keys(statement, &schema, arena, &keys, &fixture.error), TD_OK);
    if (td_statement_check_order(statement, &schema, &keys, &found, &fixture.error) != TD_OK)
        return given_error(&fixture);
    return found.is_hash_descending ? (found.is_descending ? "down, down" : "down, up")
                                    : (found.is_descending ? "up, down" : "up, up");
}

START_TEST(order_by_is_a_way_to_walk)
{
    static const given_row rows[] = {
        {"", "up, up"},
        {"WHERE pk = 'o'", "up, up"},
        {"WHERE pk = 'o' ORDER BY sk", "up, up"},
        {"WHERE pk = 'o' ORDER BY sk DESC", "up, down"},
        {"WHERE pk = 'o' ORDER BY pk ASC", "up, down"},
        {"WHERE pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC", "down, up"},
        {"WHERE pk IN ['o', 'p'] ORDER BY pk DESC", "down, down"},
        {"ORDER BY sk", "Must have WHERE clause in the statement when using ORDER BY clause."},
        {"WHERE pk = 'o' ORDER BY Total DESC", "Attribute Total in ORDER BY clause must be part of the primary key"},
        {"WHERE pk > 'a' ORDER BY sk",
         "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."},
        {"WHERE pk IN ['o', 'p'] ORDER BY sk DESC",
         "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++)
        ck_assert_str_eq(walk(rows[i].text), rows[i].expected);
}
END_TEST

TCase *order_tests(void)
{
    TCase *tests = tcase_create("order");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, order_by_is_a_way_to_walk);
    return tests;
}
