/* SPDX-License-Identifier: Apache-2.0
 * literals.c: tests of literals as attribute values, and of their faults.
 * Sources: messages.md §1.7, §4 "PartiQL"; public captures of the service. */
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

START_TEST(literals_are_values)
{
    td_arena *arena = &fixture.arena;
    const td_statement *statement = given_statement(
        &fixture,
        "INSERT INTO T VALUE {'s': 'it''s', 'e': '', 'a': 1E3, 'b': -1.5e-3, 'c': 2.50, 'd': -0, 'f': 7.31e6,"
        " 'g': .73e1, 'h': -.73e1, 'i': + 5, 'j': 5., 't': TRUE, 'u': false, 'z': Null, 'p': ?, 'l': [?, [], {}],"
        " 'ns': <<4.5, 1>>, 'ss': <<'b', 'a'>>, 'm': {'y': 1, 'x': {'k': ?}}, 's2': 1, 's2': 2}");
    CHECK_ATTRIBUTES(arena, statement->item, statement->item_count, S("s", "it's"), S("e", ""), N("a", "1000"),
                     N("b", "-0.0015"), N("c", "2.5"), N("d", "0"), N("f", "7310000"), N("g", "7.3"), N("h", "-7.3"),
                     N("i", "5"), N("j", "5"), BOOL("t", true), BOOL("u", false), NULL_("z"), S("p", "a"),
                     L("l", N("", "1"), L(""), M("")), NS("ns", TD_LIT("1"), TD_LIT("4.5")),
                     SS("ss", TD_LIT("a"), TD_LIT("b")), M("m", N("y", "1"), M("x", SS("k", TD_LIT("x")))),
                     N("s2", "2"));
}
END_TEST

START_TEST(a_fault_names_its_place)
{
    static const given_row rows[] = {
        {"1e126",
         "Number overflow. Attempting to store a number with magnitude larger than supported range under root.x"},
        {"[0, {'y': 1e-131}]", "Number underflow. Attempting to store a number with magnitude smaller than supported "
                               "range under root.x[1].y"},
        {"[[123456789012345678901234567890123456789]]",
         "Attempting to store more than 38 significant digits in a Number under root.x[0][0]"},
        {"<<>>", "Empty bags are not supported"},
        {"<<1, 'a'>>", "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"},
        {"<<TRUE>>", "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"},
        {"<<?, 1>>", "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"},
        {"<<?, 'a'>>", "One or more parameter values were invalid: Input collection [a, a] contains duplicates."},
        {"[?, <<?, 1.0>>]",
         "One or more parameter values were invalid: Input collection [1, 1.0] contains duplicates! under root.x[1]"},
        {"[<<'a', 'a'>>]", "One or more parameter values were invalid: Input collection [a, a] contains duplicates."},
        {"<<2, 2.0>>",
         "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root.x"},
        {"set_add(<<'a'>>, <<'b'>>)", "Unsupported data type: set_add under key root at 1:27:7"},
        {"[y]", "Unsupported data type: y under key root.x at 1:28:1"},
        {"MISSING", "Unsupported data type: MISSING under key root at 1:27:7"},
        {"{y: 1}", "Unsupported data type: y under key root.x at 1:28:1"},
        {"{'': 1}", "Empty attribute name"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "ok"},
        {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
         "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported "
         "limit"},
    };
    CHECK_ANSWERS("INSERT INTO T VALUE {'x': %}", rows);
}
END_TEST

START_TEST(a_literal_by_itself_is_the_root)
{
    static const given_row rows[] = {
        {"1e126",
         "Number overflow. Attempting to store a number with magnitude larger than supported range under root"},
        {"[0, 1e126]",
         "Number overflow. Attempting to store a number with magnitude larger than supported range under root[1]"},
        {"<<'a','a'>>", "One or more parameter values were invalid: Input collection [a, a] contains duplicates."},
    };
    CHECK_ANSWERS("SELECT * FROM T WHERE a = %", rows);
    CHECK_ANSWERS("UPDATE T SET a = % WHERE b = 1", rows);
}
END_TEST

/* "Syntax and literals" come before the parameters are looked at. */
START_TEST(faults_of_literals_show_before_parameters_are_known)
{
    td_statement *statement = NULL;
    td_slice text = TD_LIT("INSERT INTO T VALUE {'a': ?, 'b': [<<?, 'x'>>, 1e126]}");
    ck_assert_int_eq(td_statement_parse(text, &fixture.arena, &statement, &fixture.error), TD_VALIDATION);
    ck_assert_str_eq(given_error(&fixture),
                     "Number overflow. Attempting to store a number with magnitude larger than supported range under "
                     "root.b[1]");
}
END_TEST

START_TEST(an_item_may_be_a_parameter)
{
    td_statement *statement = NULL;
    td_arena *arena = &fixture.arena;
    td_value item = value_of(arena, M("", S("pk", "a"), N("n", "1")));
    ck_assert_int_eq(td_statement_parse(TD_LIT("INSERT INTO T VALUE ?"), arena, &statement, &fixture.error), TD_OK);
    ck_assert_int_eq(td_statement_bind(statement, &item, 1, arena, &fixture.error), TD_OK);
    CHECK_ATTRIBUTES(arena, statement->item, statement->item_count, S("pk", "a"), N("n", "1"));
}
END_TEST

TCase *literals_tests(void)
{
    TCase *tests = tcase_create("literals");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, literals_are_values);
    tcase_add_test(tests, a_fault_names_its_place);
    tcase_add_test(tests, a_literal_by_itself_is_the_root);
    tcase_add_test(tests, faults_of_literals_show_before_parameters_are_known);
    tcase_add_test(tests, an_item_may_be_a_parameter);
    return tests;
}
