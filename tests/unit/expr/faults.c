/* SPDX-License-Identifier: Apache-2.0
 * faults.c: tests of what can be wrong with a condition that parses, and of which fault is reported of several. */
#include <stdio.h>

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

static void check_rows(const bag_row *rows, size_t count)
{
    bag_check(&fixture, TD_EXPR_FILTER, "Invalid FilterExpression: ", rows, count);
}

#define PARENTHESES "The expression has redundant parentheses;"
#define FUNCTION_NAME(name) "Invalid function name; function: " name
#define MISUSED(name) "The function is not allowed to be used this way in an expression; function: " name
#define RESERVED(word) "Attribute name is a reserved keyword; reserved keyword: " word
#define NO_NAME(mark) "An expression attribute name used in the document path is not defined; attribute name: " mark
#define NO_VALUE(mark) "An expression attribute value used in expression is not defined; attribute value: " mark
#define COUNT_OF(name, count)                                                                                          \
    "Incorrect number of operands for operator or function; operator or function: " name ", number of "                \
                                                                                         "operands: " count
#define TYPE_OF(name, type)                                                                                            \
    "Incorrect operand type for operator or function; operator or function: " name ", operand type: " type
#define NEEDS_PATH(name) "Operator or function requires a document path; operator or function: " name
#define NOT_DISTINCT(name, path)                                                                                       \
    "The first operand must be distinct from the remaining operands for this operator or function; operator: " name    \
    ", first operand: " path

START_TEST(doubled_parentheses_are_redundant)
{
    static const bag_row rows[] = {
        {"a=a and a > ((views))", PARENTHESES},
        {"(a)between(((b.c)).e)and(c)", PARENTHESES},
        {"a > whatever((:things), ((a)))", PARENTHESES},
        {"a=a AND ((a=a AND a=a)) AND a=a", PARENTHESES},
        {"a=a AND ((a=a AND (a=a AND a=a)))", PARENTHESES},
        {"((attribute_exists(a)))", PARENTHESES},
        {"((a = :s) OR (b = :s))", "ok"},
        {"(a = :s AND (b = :s))", "ok"},
        {"(NOT (a = :s))", "ok"},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(functions_have_their_names_and_places)
{
    static const bag_row rows[] = {
        {"a=a and whatever((:things)) > a", FUNCTION_NAME("whatever")},
        {"attRIbute_exIsts((views), #a)", FUNCTION_NAME("attRIbute_exIsts")},
        {"Size(a) > :n", FUNCTION_NAME("Size")},
        {"a = if_not_exists(b, :s)", "The function is not allowed in a condition expression; function: if_not_exists"},
        {"a=a and attribute_exists((views), (#a)) > b", MISUSED("attribute_exists")},
        {"attribute_type(things, :a) > b", MISUSED("attribute_type")},
        {"contains(:things, c) > b", MISUSED("contains")},
        {"size(contains(a, b)) > a", MISUSED("contains")},
        {"size(things)", MISUSED("size")},
        {"NOT size(things)", MISUSED("size")},
        {"a between b and attribute_exists(things)", MISUSED("attribute_exists")},
        {"a in (b, attribute_exists(things))", MISUSED("attribute_exists")},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(names_and_values_must_be_known_and_not_reserved)
{
    static const bag_row rows[] = {
        {"attribute_exists(views, #x)", RESERVED("views")},
        {":a < abOrT", RESERVED("abOrT")},
        {"metadata = :s", "ok"},
        {"attribute_exists(#Pictures.RearView, :a) and a=a", NO_NAME("#Pictures")},
        {"begins_with(Pictures.#RearView)", NO_NAME("#RearView")},
        {"(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", NO_NAME("#P")},
        {"(a)between(b.c[45].#x)and(:a)", NO_NAME("#x")},
        {"begins_with(:hello, #x, #y)", NO_VALUE(":hello")},
        {":a < :b9", NO_VALUE(":a")},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(operands_are_counted)
{
    static const bag_row rows[] = {
        {"attribute_exists(things, a) and a=a", COUNT_OF("attribute_exists", "2")},
        {"attribute_type(things)", COUNT_OF("attribute_type", "1")},
        {"begins_with(things, size(a), b)", COUNT_OF("begins_with", "3")},
        {"contains(things)", COUNT_OF("contains", "1")},
        {"size(things, a) > b", COUNT_OF("size", "2")},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(operands_have_types)
{
    static const bag_row rows[] = {
        {"attribute_type(ab.bc[1].a, c)", TYPE_OF("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")},
        {"attribute_type(a, size(a)) and a=a and a=:a", TYPE_OF("attribute_type", "N")},
        {"attribute_type(a, :b)", TYPE_OF("attribute_type", "B")},
        {"attribute_type(a, :ss)", TYPE_OF("attribute_type", "SS")},
        {"attribute_type(a, :s)",
         "Invalid attribute type name found; type: a, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"},
        {"attribute_type(a, :tS)", "ok"},
        {"begins_with(a, size(a)) and a=:a", TYPE_OF("begins_with", "N")},
        {"begins_with(a, :n)", TYPE_OF("begins_with", "N")},
        {"begins_with(:l, a)", TYPE_OF("begins_with", "L")},
        {"begins_with(a, :b)", "ok"},
        {"size(size(a)) > :n", TYPE_OF("size", "N")},
        {"attribute_not_exists(size(:n))", TYPE_OF("size", "N")},
        {"size(:t) > a", TYPE_OF("size", "BOOL")},
        {"size(:null) > a", TYPE_OF("size", "NULL")},
        {"size(:m) > a", "ok"},
        {"attribute_exists(:s) and a=a", NEEDS_PATH("attribute_exists")},
        {"attribute_not_exists(size(:s))", NEEDS_PATH("attribute_not_exists")},
        {"a < :t", TYPE_OF("<", "BOOL")},
        {":t >= a", TYPE_OF(">=", "BOOL")},
        {"a BETWEEN :f AND :t", TYPE_OF("BETWEEN", "BOOL")},
        {"a = :t AND b <> :m AND c IN (:l, :null)", "ok"},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(the_bounds_of_between_agree_and_are_in_order)
{
    static const bag_row rows[] = {
        {"a between :n and :s", "The BETWEEN operator requires same data type for lower and upper bounds; lower bound "
                                "operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"},
        {"a between :s2 and :s",
         "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound "
         "operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"},
        {"a between :b2 and :b",
         "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound "
         "operand: AttributeValue: {B:Yg==}, upper bound operand: AttributeValue: {B:YQ==}"},
        {"a between :n and :n", "ok"},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(the_first_operand_differs_from_the_others)
{
    static const bag_row rows[] = {
        {"a = a AND #a = b AND :views > a", NOT_DISTINCT("=", "[a]")},
        {"#a <> a", NOT_DISTINCT("<>", "[a]")},
        {"((a=a) OR (a=a))", NOT_DISTINCT("=", "[a]")},
        {"contains(ab.bc[1].a, ab.bc[1].#a)", NOT_DISTINCT("contains", "[ab, bc, [1], a]")},
        {"attribute_type(ab.bc[1].#a, ab.bc[1].a)", NOT_DISTINCT("attribute_type", "[ab, bc, [1], a]")},
        {"a IN (b, c, #a)", NOT_DISTINCT("IN", "[a]")},
        {":s > :s", "ok"},
        {"a.b = a.c AND a[1] = a[2] AND a.b = a", "ok"},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(in_takes_a_hundred_operands)
{
    char text[1024] = "a IN (:s";
    size_t len = strlen(text);
    for (int i = 1; i < 100; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, ",:s");
    (void)snprintf(text + len, sizeof text - len, ")");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_FILTER, text), "ok");
    (void)snprintf(text + len, sizeof text - len, ",:s)");
    ck_assert_str_eq(
        bag_compile(&fixture, TD_EXPR_FILTER, text),
        "Invalid FilterExpression: The IN operator is provided with too many operands; number of operands: 101");
}
END_TEST

START_TEST(of_several_faults_the_service_s_order_decides)
{
    static const bag_row rows[] = {
        {"abort = :x and foo(b) and ((c = :y))", PARENTHESES},
        {"abort = :x and size(b) and foo(c)", FUNCTION_NAME("foo")},
        {"abort = :x and size(b)", MISUSED("size")},
        {"a = :x and abort = :s", RESERVED("abort")},
        /* Of faults of operands, the first comparison that has one. */
        {"begins_with(a, :n) and b = :x", TYPE_OF("begins_with", "N")},
        {"b = :x and begins_with(a, :n)", NO_VALUE(":x")},
        {"begins_with(a, :n, :x)", NO_VALUE(":x")},
        {"contains(a, a, :s) or b = :x", COUNT_OF("contains", "3")},
        {"attribute_type(a, a)", NOT_DISTINCT("attribute_type", "[a]")},
    };
    check_rows(rows, TD_COUNT_OF(rows));
}
END_TEST

TCase *faults_tests(void)
{
    TCase *tests = tcase_create("faults");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, doubled_parentheses_are_redundant);
    tcase_add_test(tests, functions_have_their_names_and_places);
    tcase_add_test(tests, names_and_values_must_be_known_and_not_reserved);
    tcase_add_test(tests, operands_are_counted);
    tcase_add_test(tests, operands_have_types);
    tcase_add_test(tests, the_bounds_of_between_agree_and_are_in_order);
    tcase_add_test(tests, the_first_operand_differs_from_the_others);
    tcase_add_test(tests, in_takes_a_hundred_operands);
    tcase_add_test(tests, of_several_faults_the_service_s_order_decides);
    return tests;
}
