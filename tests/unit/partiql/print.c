/* SPDX-License-Identifier: Apache-2.0
 * print.c: tests of the one form in which a statement is printed. */
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

START_TEST(a_statement_has_one_form)
{
    static const given_row rows[] = {
        {"select * from T;", "SELECT * FROM \"T\""},
        {"SELECT a.b, l[0].x, \"q\"\"u\", m['k'] FROM T.i", "SELECT \"a\".\"b\", \"l\"[0].\"x\", \"q\"\"u\", "
                                                            "\"m\".\"k\" FROM \"T\".\"i\""},
        {"SELECT * FROM T WHERE a='it''s' AND (b=1 AND c=?) OR d!=-1.50e3",
         "SELECT * FROM \"T\" WHERE \"a\" = 'it''s' AND (\"b\" = 1 AND \"c\" = ?) OR \"d\" <> -1.50e3"},
        {"SELECT * FROM T WHERE a=1 AND (b=1 OR c=2)",
         "SELECT * FROM \"T\" WHERE \"a\" = 1 AND (\"b\" = 1 OR \"c\" = 2)"},
        {"SELECT * FROM T WHERE NOT a=1 AND NOT (b=1 AND c=1) AND NOT NOT d=1",
         "SELECT * FROM \"T\" WHERE NOT \"a\" = 1 AND NOT (\"b\" = 1 AND \"c\" = 1) AND NOT NOT \"d\" = 1"},
        {"SELECT * FROM T WHERE a IN (1) OR a NOT IN [1,'x'] OR a not between 1 and 2 OR a is not missing",
         "SELECT * FROM \"T\" WHERE \"a\" IN [1] OR \"a\" NOT IN [1, 'x'] OR \"a\" NOT BETWEEN 1 AND 2 OR \"a\" IS "
         "NOT MISSING"},
        {"SELECT * FROM T WHERE Begins_With(a,'x') = true AND SIZE(b) > 1 AND (a = 1) = false ORDER BY a desc, b",
         "SELECT * FROM \"T\" WHERE \"begins_with\"(\"a\", 'x') = TRUE AND \"size\"(\"b\") > 1 AND \"a\" = 1 = FALSE "
         "ORDER BY \"a\" DESC, \"b\" ASC"},
        {"SELECT * FROM T WHERE (?, 1) = [2]", "SELECT * FROM \"T\" WHERE [?, 1] = [2]"},
        {"INSERT INTO T VALUE {'a':1,'b':<<'x'>>,'c':[null,{}],'d':?}",
         "INSERT INTO \"T\" VALUE {'a': 1, 'b': <<'x'>>, 'c': [NULL, {}], 'd': ?}"},
        {"UPDATE T SET a=1,b=b-1 REMOVE c[1] WHERE k=1 RETURNING MODIFIED OLD *",
         "UPDATE \"T\" SET \"a\" = 1 SET \"b\" = \"b\" - 1 REMOVE \"c\"[1] WHERE \"k\" = 1 RETURNING MODIFIED OLD *"},
        {"FROM T WHERE k=1 SET a=(1+2)-(b+-3)", "UPDATE \"T\" SET \"a\" = 1 + 2 - (\"b\" + -3) WHERE \"k\" = 1"},
        {"DELETE FROM T WHERE k=1 RETURNING ALL OLD *", "DELETE FROM \"T\" WHERE \"k\" = 1 RETURNING ALL OLD *"},
        {"SELECT * FROM T WHERE a NOT IN [1] not between 1 and 2 OR a IN (b)",
         "SELECT * FROM \"T\" WHERE \"a\" NOT IN [1] NOT BETWEEN 1 AND 2 OR \"a\" IN [\"b\"]"},
        {"DELETE FROM T WHERE a IN b - 1 - 2 = (c IN NOT d) OR (a < b) = (c BETWEEN d AND (e BETWEEN f AND g))",
         "DELETE FROM \"T\" WHERE (\"a\" IN \"b\" - 1 - 2) = (\"c\" IN NOT \"d\") OR \"a\" < \"b\" = \"c\" BETWEEN "
         "\"d\" AND (\"e\" BETWEEN \"f\" AND \"g\")"},
        {"EXISTS(SELECT * FROM T WHERE k=1)", "EXISTS(SELECT * FROM \"T\" WHERE \"k\" = 1)"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        const char *printed = given_print(&fixture, td_slice_of_cstr(rows[i].text));
        ck_assert_ptr_nonnull(printed);
        ck_assert_str_eq(printed, rows[i].expected);
    }
}
END_TEST

TCase *print_tests(void)
{
    TCase *tests = tcase_create("print");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_statement_has_one_form);
    return tests;
}
