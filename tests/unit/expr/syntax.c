/* SPDX-License-Identifier: Apache-2.0
 * syntax.c: tests of what parses and of how a syntax error is worded: the token, and the text from its neighbour
 * before to its neighbour behind. */
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

#define SYNTAX(token, near) "Syntax error; token: \"" token "\", near: \"" near "\""
#define CHECK_ROWS(kind, prefix, rows) bag_check(&fixture, (kind), (prefix), (rows), TD_COUNT_OF(rows))

START_TEST(conditions_parse_or_name_the_first_token_that_does_not_fit)
{
    static const bag_row rows[] = {
        {"a = :s", "ok"},
        {"NOT NOT a = :s", "ok"},
        {"a=:s AND NOT(b<:s OR c BETWEEN :s AND :s2)", "ok"},
        {"(a)between(:s)and(:s2)", "ok"},
        {"(a.b).c > :s", "ok"},
        {"((a.b).c[1]).d > :s", "ok"},
        {"(size(a)) > :n", "ok"},
        {"(attribute_exists(a))", "ok"},
        {"a in(:s)", "ok"},
        {"a [ 1 ] . b = :s", "ok"},
        {"(a) = :s", "ok"},
        {"whatever", SYNTAX("<EOF>", "whatever")},
        {"(", SYNTAX("<EOF>", "(")},
        {"   ", SYNTAX("<EOF>", "")},
        {"things are not gonna be ok", SYNTAX("are", "things are not")},
        {"a > 4", SYNTAX("4", "> 4")},
        {"a-b", SYNTAX("-", "a-b")},
        {"a ==== :s", SYNTAX("=", "===")},
        {"attribute_exists(Pictures-RearView)", SYNTAX("-", "Pictures-RearView")},
        {"attribute_exists(\"Pictures.RearView\")", SYNTAX("\"", "(\"Pictures")},
        {"attribute_exists(Pictures..RearView)", SYNTAX(".", "..RearView")},
        {"attribute_exists(Pi#ctures.RearView)", SYNTAX("#ctures", "Pi#ctures.")},
        {"size()", SYNTAX(")", "()")},
        {"a.:a < b.:b", SYNTAX(":a", ".:a <")},
        {"a in b, c", SYNTAX("b", "in b,")},
        {"a in (b,c,)", SYNTAX(")", ",)")},
        {"a > between", SYNTAX("between", "> between")},
        {"(a)between(b.(c.d))and(c)", SYNTAX("(", ".(c")},
        {"(a)between(b.c.d)and((c)", SYNTAX("<EOF>", ")")},
        {"#$.b > a", SYNTAX("#", "#$")},
        {"a > :things.stuff", SYNTAX(".", ":things.stuff")},
        {"b[:a] > a", SYNTAX(":a", "[:a]")},
        {"b[#_] > a", SYNTAX("#_", "[#_]")},
        {"\xc3\xbc > a", SYNTAX("\xc3\xbc", "\xc3\xbc >")},
        {"(a)between(b.c[4.5].#d)and(:a)", SYNTAX(".", "4.5")},
        {"size(a).b > a", SYNTAX(".", ").b")},
        {"(size(a)).b > a", SYNTAX(".", ").b")},
        {"(size(a))[0] > a", SYNTAX("[", ")[0")},
        {"(a) and b = :s", SYNTAX("and", ") and b")},
        {"not a", SYNTAX("<EOF>", "a")},
        {"a = :s and", SYNTAX("<EOF>", "and")},
        {"a = :s)", SYNTAX(")", ":s)")},
        {"AND = :s", SYNTAX("AND", "AND =")},
        {"a.in = :s", SYNTAX("in", ".in =")},
        {"(a = :s) = :s", SYNTAX("=", ") = :s")},
        {"pk = :s AND __typename = :s", SYNTAX("_", "AND __")},
        {"a BETWEEN :s OR :s2", SYNTAX("OR", ":s OR :s2")},
    };
    CHECK_ROWS(TD_EXPR_FILTER, "Invalid FilterExpression: ", rows);
}
END_TEST

START_TEST(updates_parse_or_name_the_first_token_that_does_not_fit)
{
    static const bag_row rows[] = {
        {"set a = :s", "ok"},
        {"SET a = b + :n, c = (b - :n)", "ok"},
        {"SET a = ((b.c.e)+(c))", "ok"},
        {"SET a = if_not_exists(b, if_not_exists(c, :s)) REMOVE e[1]", "ok"},
        {"set a = list_append(if_not_exists(a, :el), :l)", "ok"},
        {"remove a.b, c[0] add e :n delete f :ss", "ok"},
        {"INVALID SYNTAX HERE", SYNTAX("INVALID", "INVALID SYNTAX")},
        {"ADD hits : incr", SYNTAX(":", "hits : incr")},
        {"whatever", SYNTAX("whatever", "whatever")},
        {"set a", SYNTAX("<EOF>", "a")},
        {"add a", SYNTAX("<EOF>", "a")},
        {"set a=set", SYNTAX("set", "=set")},
        {"remove a = b", SYNTAX("=", "a = b")},
        {"add a = b", SYNTAX("=", "a = b")},
        {"delete a b", SYNTAX("b", "a b")},
        {"delete a if_not_exist(b)", SYNTAX("if_not_exist", "a if_not_exist(")},
        {"set :a = b", SYNTAX(":a", "set :a =")},
        {"remove :a", SYNTAX(":a", "remove :a")},
        {"set a = b / c", SYNTAX("/", "b / c")},
        {"set a[1] = \"eight\"", SYNTAX("\"", "= \"eight")},
        {"set a[1] = 1", SYNTAX("1", "= 1")},
        {"SET a = if_not_exist(a, 100)", SYNTAX("100", ", 100)")},
        {"SET if_not_exist(a, b) = a", SYNTAX("(", "if_not_exist(a")},
        {"set (a = (b + c))", SYNTAX("(", "set (a")},
        {"set a = (b.c).d + e", SYNTAX(".", ").d")},
        {"set a = b + c + d", SYNTAX("+", "c + d")},
        {"set a = (b + c) + d", SYNTAX("+", ") + d")},
        {"set a = :s,", SYNTAX("<EOF>", ",")},
        {"set a = list_append(b + c, d)", SYNTAX("+", "b + c")},
        {"set a = :s, set b = :s", SYNTAX("set", ", set b")},
    };
    CHECK_ROWS(TD_EXPR_UPDATE, "Invalid UpdateExpression: ", rows);
}
END_TEST

START_TEST(projections_parse_or_name_the_first_token_that_does_not_fit)
{
    static const bag_row rows[] = {
        {"a, b.c[2].#c, c[0][1]", "ok"},
        {"!!! INVALID !!!", SYNTAX("!", "!!")},
        {"whatever(stuff)", SYNTAX("(", "whatever(stuff")},
        {":a", SYNTAX(":a", ":a")},
        {"abort,", SYNTAX("<EOF>", ",")},
        {"a,,b", SYNTAX(",", ",,b")},
        {"a[b]", SYNTAX("b", "[b]")},
        {"(a)", SYNTAX("(", "(a")},
        {"a-b", SYNTAX("-", "a-b")},
        {"a b", SYNTAX("b", "a b")},
    };
    CHECK_ROWS(TD_EXPR_PROJECTION, "Invalid ProjectionExpression: ", rows);
}
END_TEST

START_TEST(each_kind_has_its_name_in_the_text)
{
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_CONDITION, ""),
                     "Invalid ConditionExpression: The expression can not be empty;");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_FILTER, ""),
                     "Invalid FilterExpression: The expression can not be empty;");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_KEY_CONDITION, ""),
                     "Invalid KeyConditionExpression: The expression can not be empty;");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_UPDATE, ""),
                     "Invalid UpdateExpression: The expression can not be empty;");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, ""),
                     "Invalid ProjectionExpression: The expression can not be empty;");
}
END_TEST

/* A name of that many bytes. */
static const char *long_name(size_t len)
{
    char *name = td_arena_alloc(&fixture.arena, len + 1);
    ck_assert_ptr_nonnull(name);
    memset(name, 'z', len);
    name[len] = '\0';
    return name;
}

START_TEST(a_text_of_4096_bytes_passes_and_one_more_does_not)
{
    td_slice text;
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, long_name(4096)), "ok");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, long_name(4097)),
                     "Invalid ProjectionExpression: Expression size has exceeded the maximum allowed size;");
    ck_assert(td_arena_format(&fixture.arena, &text, "attribute_not_exists(%s)%c", long_name(4075), 0));
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_CONDITION, (const char *)text.ptr),
                     "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
                     "expression size: 4097");
    ck_assert(td_arena_format(&fixture.arena, &text, "%s = :s%c", long_name(4092), 0));
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_FILTER, (const char *)text.ptr),
                     "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; "
                     "expression size: 4097");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_KEY_CONDITION, (const char *)text.ptr),
                     "Invalid KeyConditionExpression: Expression size has exceeded the maximum allowed size;");
}
END_TEST

/* unit ‖ unit ‖ … ‖ end */
static const char *repeated(const char *unit, size_t times, const char *end)
{
    size_t len = strlen(unit);
    char *text = td_arena_alloc(&fixture.arena, len * times + strlen(end) + 1);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * len, unit, len);
    memcpy(text + len * times, end, strlen(end) + 1);
    return text;
}

START_TEST(three_hundred_operators_pass_and_one_more_does_not)
{
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_FILTER, repeated("a=:s or ", 149, "not b=:s")), "ok");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_FILTER, repeated("a=:s or ", 150, "b=:s")),
                     "Invalid FilterExpression: The expression contains too many operators; operator count: 301");
}
END_TEST

START_TEST(deep_nesting_ends_in_an_error_and_not_in_a_crash)
{
    const char *deep[] = {repeated("(", 4096, ""), repeated("NOT ", 1023, ""), repeated("a(", 2048, ""),
                          repeated("a=b AND (", 450, ""), repeated("((a", 1300, "")};
    for (size_t i = 0; i < TD_COUNT_OF(deep); i++) {
        ck_assert_str_ne(bag_compile(&fixture, TD_EXPR_CONDITION, deep[i]), "ok");
        ck_assert_str_ne(bag_compile(&fixture, TD_EXPR_UPDATE, deep[i]), "ok");
        ck_assert_str_ne(bag_compile(&fixture, TD_EXPR_PROJECTION, deep[i]), "ok");
    }
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_FILTER, repeated("NOT ", 513, "a = :s")),
                     "Invalid FilterExpression: The expression contains too many operators; operator count: 513");
    ck_assert_str_ne(bag_compile(&fixture, TD_EXPR_UPDATE, repeated("(", 4000, "")), "ok");
}
END_TEST

START_TEST(paths_have_at_most_32_steps_and_indexes_31_bits)
{
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, repeated("a.", 31, "a")), "ok");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, repeated("a.", 40, "a")),
                     "Invalid ProjectionExpression: The document path has too many nesting levels; nesting levels: 41");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, "a[2147483647]"), "ok");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, "a[2147483648]"),
                     "Invalid ProjectionExpression: List index is not within the allowable range; index: [2147483648]");
    ck_assert_str_eq(bag_compile(&fixture, TD_EXPR_PROJECTION, "a[99999999999999999999]"),
                     "Invalid ProjectionExpression: List index is not within the allowable range; "
                     "index: [99999999999999999999]");
}
END_TEST

TCase *syntax_tests(void)
{
    TCase *tests = tcase_create("syntax");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, conditions_parse_or_name_the_first_token_that_does_not_fit);
    tcase_add_test(tests, updates_parse_or_name_the_first_token_that_does_not_fit);
    tcase_add_test(tests, projections_parse_or_name_the_first_token_that_does_not_fit);
    tcase_add_test(tests, each_kind_has_its_name_in_the_text);
    tcase_add_test(tests, a_text_of_4096_bytes_passes_and_one_more_does_not);
    tcase_add_test(tests, three_hundred_operators_pass_and_one_more_does_not);
    tcase_add_test(tests, deep_nesting_ends_in_an_error_and_not_in_a_crash);
    tcase_add_test(tests, paths_have_at_most_32_steps_and_indexes_31_bits);
    return tests;
}
