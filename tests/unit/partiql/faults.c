/* SPDX-License-Identifier: Apache-2.0
 * faults.c: tests of what is wrong with operands and functions, in the service's words.
 * Sources: messages.md §1.7; public captures of the service. */
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

START_TEST(functions_of_where_are_checked)
{
    static const given_row rows[] = {
        {"attribute_exists(a)", "ok"},
        {"ATTRIBUTE_NOT_EXISTS(a) = TRUE", "ok"},
        {"begins_with(a, 'x') <> 'y'",
         "The function is not allowed to be used this way in an expression; function: begins_with"},
        {"attribute_exists('ss')",
         "Operator or function requires a document path; operator or function: attribute_exists"},
        {"attribute_exists(?)",
         "Operator or function requires a document path; operator or function: attribute_exists"},
        {"attribute_exists()",
         "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of "
         "operands: 0"},
        {"attribute_exists(ss, ns)",
         "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of "
         "operands: 2"},
        {"EXISTS(ss)", "Unrecognized function: exists at 1:23:6"},
        {"a = 1 AND EXISTS(SELECT * FROM T)", "Unrecognized function: exists at 1:33:6"},
        {"set_add(ss, <<'x'>>) = ss", "Unrecognized function: set_add at 1:23:7"},
        {"list_append(a, b) = a", "Unrecognized function: list_append at 1:23:11"},
        {"if_not_exists(a, b) = a", "Unrecognized function: if_not_exists at 1:23:13"},
        {"attribute_type(a, 'X')",
         "Invalid attribute type name found; type: X, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"},
        {"attribute_type(l, 1)",
         "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N"},
        {"attribute_type(l, true)",
         "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: BOOL"},
        {"begins_with(a, 1)",
         "Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"},
        {"contains(a, a)", "The first operand must be distinct from the remaining operands for this operator or "
                           "function; operator: contains, first operand: [a]"},
        {"size(a)", "The function is not allowed to be used this way in an expression; function: size"},
        {"contains(begins_with(a, 'b'), 'x')",
         "The function is not allowed to be used this way in an expression; function: begins_with"},
        {"'x' IS MISSING", "Operator or function requires a document path; operator or function: attribute_not_exists"},
    };
    CHECK_ANSWERS("SELECT * FROM T WHERE %", rows);
}
END_TEST

START_TEST(operators_take_what_has_an_order)
{
    static const given_row rows[] = {
        {"a < TRUE", "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"},
        {"a >= [1]", "Incorrect operand type for operator or function; operator or function: >=, operand type: L"},
        {"NOT a > {}", "Incorrect operand type for operator or function; operator or function: >, operand type: M"},
        {"a <= <<1>>", "Incorrect operand type for operator or function; operator or function: <=, operand type: NS"},
        {"a BETWEEN NULL AND 1",
         "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: NULL"},
        {"a = [1] AND b <> {} AND c = <<'x'>> AND d <> NULL AND e = FALSE", "ok"},
        {"a BETWEEN 2 AND 1",
         "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "
         "AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}"},
        {"a BETWEEN 2 AND 'x'",
         "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: "
         "AttributeValue: {N:2}, upper bound operand: AttributeValue: {S:x}"},
        {"a = a", "The first operand must be distinct from the remaining operands for this operator or function; "
                  "operator: =, first operand: [a]"},
        {"a IN 'x'", "Unexpected path component at 1:28:3"},
        {"a IN ?", "Incorrect operand type for operator or function; operator or function: IN, operand type: S"},
        {"b = ? OR c = ? OR d = ? OR a IN ?", "ok"},
        {"a + 1 = 2", "Unexpected path component at 1:25:1"},
        {"-a = 2", "Unexpected path component at 1:23:1"},
        {"a", "Unexpected path component at 1:23:1"},
        {"a = MISSING", "Unsupported data type: MISSING under key root at 1:27:7"},
        {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.a.a.a.a.a.a = 1",
         "The document path has too many nesting levels; nesting levels: 33"},
    };
    CHECK_ANSWERS("SELECT * FROM T WHERE %", rows);
}
END_TEST

static const char *repeat(const char *first, const char *unit, int count)
{
    td_buf text;
    td_slice copy;
    td_buf_init(&text, 1 << 20);
    td_buf_append_format(&text, "SELECT * FROM T WHERE %s", first);
    for (int i = 0; i < count; i++)
        td_buf_append(&text, td_slice_of_cstr(unit));
    ck_assert(td_arena_copy(&fixture.arena, td_buf_contents(&text), &copy));
    td_buf_done(&text);
    return given_answer(&fixture, copy);
}

START_TEST(operands_and_operators_are_counted)
{
    ck_assert_str_eq(repeat("a IN [1", ",1", 99) /* open */, "Statement wasn't well formed, can't be processed: "
                                                             "Expected RIGHT_BRACKET");
    ck_assert_str_eq(repeat("1 = 1", " OR a = 1", 149), "ok");
    ck_assert_str_eq(repeat("1 = 1", " OR a = 1", 400),
                     "The expression contains too many operators; operator count: 402");
    td_slice many =
        TD_LIT("SELECT * FROM T WHERE a IN (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
               "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
               "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)");
    ck_assert_str_eq(given_answer(&fixture, many),
                     "The IN operator is provided with too many operands; number of operands: 101");
}
END_TEST

START_TEST(functions_of_set_are_checked)
{
    static const given_row rows[] = {
        {"t = set_add(ss, <<'x'>>)", "The first argument to SET_ADD must equal the assignment value at 1:18:7"},
        {"ss = set_add(<<'a'>>, <<'b'>>)", "The first argument to SET_ADD must equal the assignment value at 1:19:7"},
        {"ss = set_add(ss, 'x')", "The second argument to SET_ADD must be a value with type SET at 1:27:2"},
        {"ss = set_add(ss, ['x'])", "The second argument to SET_ADD must be a value with type SET at 1:27:2"},
        {"ss = set_add(ss, tt)", "The second argument to SET_ADD must be a value with type SET at 1:27:2"},
        {"\"ss\" = SET_DELETE(\"ss\", ?)", "The second argument to SET_DELETE must be a value with type SET at 1:32:4"},
        {"ss = set_add(ss)", "SET_ADD must have exactly two arguments at 1:19:7"},
        {"ss = set_add(ss, <<'x'>>, <<'y'>>)", "SET_ADD must have exactly two arguments at 1:19:7"},
        {"ss = set_add(ss, <<1>>)", "ok"},
        {"ss = set_add(ss, <<'x', 'x'>>)",
         "One or more parameter values were invalid: Input collection [x, x] contains duplicates."},
        {"ns = set_add(ns, <<2, 2.0>>)",
         "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root"},
        {"ss = set_add(ss, <<>>)", "Empty bags are not supported"},
        {"t = set_delete(ss, <<'a'>>)", "The first argument to SET_DELETE must equal the assignment value at 1:18:10"},
        {"a = list_append(a, [1]), b.c = LIST_APPEND([1], b.c)", "ok"},
        {"a = list_append(a)", "Incorrect number of operands for operator or function; operator or function: "
                               "list_append, number of operands: 1"},
        {"a = list_append(a, 1)",
         "Incorrect operand type for operator or function; operator or function: list_append, operand type: N"},
        {"a = a + 'x'", "Incorrect operand type for operator or function; operator or function: +, operand type: S"},
        {"a = size(a)", "Unrecognized function: size at 1:18:4"},
        {"a = if_not_exists(a, 1)", "Unrecognized function: if_not_exists at 1:18:13"},
        {"a = (b = 1)", "Unexpected path component at 1:21:1"},
        {"a = 1, a.b = 2", "Two document paths overlap with each other; must remove or rewrite one of these paths; "
                           "path one: [a], path two: [a, b]"},
        {"a.b = 1, a[0] = 2", "Two document paths conflict with each other; must remove or rewrite one of these "
                              "paths; path one: [a, b], path two: [a, [0]]"},
    };
    CHECK_ANSWERS("UPDATE T SET %", rows);
}
END_TEST

TCase *faults_tests(void)
{
    TCase *tests = tcase_create("faults");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, functions_of_where_are_checked);
    tcase_add_test(tests, operators_take_what_has_an_order);
    tcase_add_test(tests, operands_and_operators_are_counted);
    tcase_add_test(tests, functions_of_set_are_checked);
    return tests;
}
