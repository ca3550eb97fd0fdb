/* SPDX-License-Identifier: Apache-2.0
 * update_faults.c: tests of what can be wrong with updates and projections that parse. */
#include "bag.h"
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

#define CHECK_UPDATES(rows) bag_check(&fixture, TD_EXPR_UPDATE, "Invalid UpdateExpression: ", (rows), TD_COUNT_OF(rows))
#define CHECK_PROJECTIONS(rows)                                                                                        \
    bag_check(&fixture, TD_EXPR_PROJECTION, "Invalid ProjectionExpression: ", (rows), TD_COUNT_OF(rows))
#define PATHS(verb, one, two)                                                                                          \
    "Two document paths " verb " with each other; must remove or rewrite one of these paths; path one: " one           \
    ", path two: " two
#define OVERLAP(one, two) PATHS("overlap", one, two)
#define CONFLICT(one, two) PATHS("conflict", one, two)
#define RESERVED(word) "Attribute name is a reserved keyword; reserved keyword: " word
#define SECTION(name) "The \"" name "\" section can only be used once in an update expression;"
#define NO_NAME(mark) "An expression attribute name used in the document path is not defined; attribute name: " mark
#define NO_VALUE(mark) "An expression attribute value used in expression is not defined; attribute value: " mark
#define ACTION(name, type) "Incorrect operand type for operator or function; operator: " name ", operand type: " type
#define TYPE_OF(name, type)                                                                                            \
    "Incorrect operand type for operator or function; operator or function: " name ", operand type: " type
#define COUNT_OF(name, count)                                                                                          \
    "Incorrect number of operands for operator or function; operator or function: " name ", number of "                \
                                                                                         "operands: " count
#define NEEDS_PATH(name) "Operator or function requires a document path; operator or function: " name

START_TEST(updates_report_reserved_words_first_and_then_functions_and_sections)
{
    static const bag_row rows[] = {
        {" set #x = :x set abOrt = true ", RESERVED("abOrt")},
        {" remove Absolute ", RESERVED("Absolute")},
        {"set a.items = :s", RESERVED("items")},
        {"set #x = if_not_exist(:x) set c = e", "Invalid function name; function: if_not_exist"},
        {"set a = attribute_exists(b)",
         "The function is not allowed in an update expression; function: attribute_exists"},
        {"set a = size(b)", "The function is not allowed in an update expression; function: size"},
        {"set a = ((b))", "The expression has redundant parentheses;"},
        {"set a = #x set c = :x", SECTION("SET")},
        {"remove #x set a = b remove e", SECTION("REMOVE")},
        {"add #x :e set a = b add e :f", SECTION("ADD")},
        {"delete #x :e set a = b delete #y :f", SECTION("DELETE")},
    };
    CHECK_UPDATES(rows);
}
END_TEST

START_TEST(updates_report_undefined_names_before_undefined_values)
{
    static const bag_row rows[] = {
        {"SET #x = if_not_exists(:x)", NO_NAME("#x")},
        {"SET a = :x REMOVE #y", NO_NAME("#y")},
        {"SET #a = if_not_exists(:x)", NO_VALUE(":x")},
        {"SET a = :x, a = :y", NO_VALUE(":x")},
    };
    CHECK_UPDATES(rows);
}
END_TEST

START_TEST(targets_stand_apart)
{
    static const bag_row rows[] = {
        {"set a = :s, a = :s", OVERLAP("[a]", "[a]")},
        {"set a = b, a.b = c", OVERLAP("[a]", "[a, b]")},
        {"set #c[3].#d = a, #c[3] = a", OVERLAP("[c, [3], [3]]", "[c, [3]]")},
        {"set #c[3].#d = a, #c.#d[3] = if_not_exists(a)", CONFLICT("[c, [3], [3]]", "[c, [3], [3]]")},
        {"remove a.#c set a[1] = #d", CONFLICT("[a, c]", "[a, [1]]")},
        {"set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a)", OVERLAP("[c, [1], a]", "[c]")},
        {"set x = :s, y = :s, b.c = :s remove z, b", OVERLAP("[b, c]", "[b]")},
        {"set a.b = :s, a.c = :s, b[0].x = :s, b[0].y = :s", "ok"},
        {"set a = b, b = a", "ok"},
    };
    CHECK_UPDATES(rows);
}
END_TEST

START_TEST(add_and_delete_take_numbers_and_sets)
{
    static const bag_row rows[] = {
        {"set b = list_append(:s, a), c = if_not_exists(a) add a.b :s", ACTION("ADD", "STRING")},
        {"delete a.b :s", ACTION("DELETE", "STRING")},
        {"add a.b :null", ACTION("ADD", "NULL")},
        {"delete a.b :t", ACTION("DELETE", "BOOLEAN")},
        {"add a.b :b", ACTION("ADD", "BINARY")},
        {"delete a.b :m", ACTION("DELETE", "MAP")},
        {"add a.b :l", ACTION("ADD", "LIST")},
        {"delete a.b :n", ACTION("DELETE", "NUMBER")},
        {"add a :n, b :ns, c :ss, e :bs", "ok"},
        {"delete a :ss, b :ns", "ok"},
    };
    CHECK_UPDATES(rows);
}
END_TEST

START_TEST(functions_of_updates_have_operands_of_their_types)
{
    static const bag_row rows[] = {
        {"set a = if_not_exists(c)", COUNT_OF("if_not_exists", "1")},
        {"set a = list_append(c)", COUNT_OF("list_append", "1")},
        {"set a = if_not_exists(:s, c)", NEEDS_PATH("if_not_exists")},
        {"set a = if_not_exists(if_not_exists(a, b), c)", NEEDS_PATH("if_not_exists")},
        {"set a = list_append(:s, a)", TYPE_OF("list_append", "S")},
        {"set a = list_append(a, :n)", TYPE_OF("list_append", "N")},
        {"set a = list_append(:m, a)", TYPE_OF("list_append", "M")},
        {"set a = a + :s", TYPE_OF("+", "S")},
        {"set a = :s + :b", TYPE_OF("+", "S")},
        {"set a = :b - a", TYPE_OF("-", "B")},
        {"set a = a - :el", TYPE_OF("-", "L")},
        {"set a = list_append(if_not_exists(a, :n), :l)", "ok"},
    };
    CHECK_UPDATES(rows);
}
END_TEST

START_TEST(projections_stand_apart_and_name_what_may_be_named)
{
    static const bag_row rows[] = {
        {"a.abORt", RESERVED("abORt")},
        {"#x,ABSoLUTE", RESERVED("ABSoLUTE")},
        {"a,b,a,#x", NO_NAME("#x")},
        {"b[1], b.a, #a.b, a", OVERLAP("[a, b]", "[a]")},
        {"a, #a[1]", OVERLAP("[a]", "[a, [1]]")},
        {"a, b, a", OVERLAP("[a]", "[a]")},
        {"a.b, #a[1], #b", CONFLICT("[a, b]", "[a, [1]]")},
        {"a.b[1], #a[1], #b", CONFLICT("[a, b, [1]]", "[a, [1]]")},
        {"a[3].b, #a.#d.b", CONFLICT("[a, [3], b]", "[a, [3], b]")},
        {"a.b, a.c, b[0].x, b[0].y", "ok"},
    };
    CHECK_PROJECTIONS(rows);
}
END_TEST

TCase *update_faults_tests(void)
{
    TCase *tests = tcase_create("update_faults");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, updates_report_reserved_words_first_and_then_functions_and_sections);
    tcase_add_test(tests, updates_report_undefined_names_before_undefined_values);
    tcase_add_test(tests, targets_stand_apart);
    tcase_add_test(tests, add_and_delete_take_numbers_and_sets);
    tcase_add_test(tests, functions_of_updates_have_operands_of_their_types);
    tcase_add_test(tests, projections_stand_apart_and_name_what_may_be_named);
    return tests;
}
