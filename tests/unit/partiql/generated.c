/* SPDX-License-Identifier: Apache-2.0
 * generated.c: property tests over random statements: what is printed is parsed to the same statement again; a
 * statement without one lexeme, or with one twice, is answered too. */
#include "given.h"
#include "suites.h"

#include "thermodyn/rng.h"

enum { STATEMENTS = 3000, EXPRESSION_LEVELS = 4 };

static td_fixture fixture;
static td_rng rng;
static td_buf text;
static bool is_item; /* what is made goes into an INSERT: literals alone */

static void setup(void)
{
    td_fixture_init(&fixture);
    td_rng_init(&rng, 20261130);
    td_buf_init(&text, 1 << 20);
}
static void teardown(void)
{
    td_buf_done(&text);
    td_fixture_done(&fixture);
}

static void make_expression(uint32_t levels);

static uint32_t below(uint32_t bound)
{
    return (uint32_t)td_rng_below(&rng, bound);
}

#define ONE_OF(...) add_one((const char *const[]){__VA_ARGS__}, TD_COUNT_OF(((const char *const[]){__VA_ARGS__})))

static void add_one(const char *const *texts, uint32_t count)
{
    td_buf_append(&text, td_slice_of_cstr(texts[below(count)]));
}

static void make_path(void)
{
    ONE_OF("\"a\"", "\"pk\"", "\"select\"", "\"q\"\"u\"", "\"\xc3\xbc\"");
    while (below(3) == 0)
        ONE_OF(".\"b\"", ".\"size\"", "[0]", "[17]");
}

/* begin value separator value … end; `key` in front of each, unless NULL. */
static void make_values(const char *begin, const char *end, const char *key, uint32_t count, uint32_t levels)
{
    td_buf_append(&text, td_slice_of_cstr(begin));
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) td_buf_append_lit(&text, ", ");
        if (key != NULL) td_buf_append_format(&text, "'%s%u': ", key, i);
        make_expression(levels);
    }
    td_buf_append(&text, td_slice_of_cstr(end));
}

static void make_term(uint32_t levels)
{
    uint32_t choice = is_item ? 1 + below(levels == 0 ? 2 : 5) : below(levels == 0 ? 3 : 8);
    uint32_t inner = levels == 0 ? 0 : levels - 1;
    if (choice == 0) make_path();
    if (choice == 1) ONE_OF("'x'", "'it''s'", "''", "1", "-2.50", ".5e-3", "7.", "0");
    if (choice == 2) ONE_OF("TRUE", "FALSE", "NULL", "?", "[]", "{}");
    if (choice == 3) make_values("[", "]", NULL, 1 + below(3), inner);
    if (choice == 4) ONE_OF("<<1>>", "<<'b', 'a'>>", "<<?, 'a'>>", "<<>>");
    if (choice == 5) make_values("{", "}", "k", 1 + below(3), inner);
    if (choice == 6) make_values("\"begins_with\"(", ")", NULL, below(4), inner);
    if (choice == 7) make_values("\"size\"(", ")", NULL, 1, inner);
}

/* Operators in the printed form: their sides are terms or stand in parentheses. */
static void make_side(uint32_t levels)
{
    if (levels == 0 || below(3) > 0) {
        make_term(levels);
        return;
    }
    td_buf_append_byte(&text, '(');
    uint32_t kind = below(2);
    make_term(0);
    ONE_OF(" = ", " <> ", " < ", " <= ", " > ", " >= ", " + ", " - ");
    if (kind == 0)
        make_term(levels - 1);
    else
        make_side(levels - 1);
    td_buf_append_byte(&text, ')');
}

static void make_comparison(uint32_t levels)
{
    uint32_t choice = below(4);
    make_side(levels);
    if (choice == 0) {
        ONE_OF(" = ", " <> ", " < ", " <= ", " > ", " >= ", " + ", " - ");
        make_side(levels);
    } else if (choice == 1) {
        ONE_OF(" IN ", " NOT IN ");
        make_values("[", "]", NULL, 1 + below(3), 0);
    } else if (choice == 2) {
        ONE_OF(" BETWEEN ", " NOT BETWEEN ");
        make_side(levels);
        td_buf_append_lit(&text, " AND ");
        make_side(levels);
    } else {
        ONE_OF(" IS MISSING", " IS NOT MISSING", " IS NULL", " IS NOT BAG");
    }
}

static void make_expression(uint32_t levels)
{
    if (levels == 0 || is_item) {
        make_term(levels);
        return;
    }
    uint32_t choice = below(5);
    if (choice == 0) make_term(levels - 1);
    if (choice == 1) make_comparison(levels - 1);
    if (choice == 2) {
        td_buf_append_lit(&text, "NOT ");
        make_comparison(levels - 1);
    }
    if (choice < 3) return;
    for (uint32_t i = 0, count = 2 + below(3); i < count; i++) {
        if (i > 0) td_buf_append(&text, choice == 3 ? TD_LIT(" AND ") : TD_LIT(" OR "));
        bool is_group = below(4) == 0;
        if (is_group) td_buf_append_byte(&text, '(');
        make_comparison(levels - 1);
        if (is_group) td_buf_append(&text, choice == 3 ? TD_LIT(" OR TRUE)") : TD_LIT(" OR NULL)"));
    }
}

static void make_where(void)
{
    if (below(4) == 0) return;
    td_buf_append_lit(&text, " WHERE ");
    make_expression(EXPRESSION_LEVELS);
}

static void make_select(void)
{
    td_buf_append_lit(&text, "SELECT ");
    if (below(2) == 0) {
        td_buf_append_byte(&text, '*');
    } else {
        make_path();
        while (below(2) == 0) {
            td_buf_append_lit(&text, ", ");
            make_path();
        }
    }
    ONE_OF(" FROM \"T\"", " FROM \"T-1\".\"i\"");
    make_where();
    if (below(3) == 0) ONE_OF(" ORDER BY \"a\" ASC", " ORDER BY \"a\" DESC, \"b c\" ASC");
}

static void make_update(void)
{
    td_buf_append_lit(&text, "UPDATE \"T\"");
    do {
        bool is_removal = below(3) == 0;
        td_buf_append(&text, is_removal ? TD_LIT(" REMOVE ") : TD_LIT(" SET "));
        make_path();
        if (is_removal) continue;
        td_buf_append_lit(&text, " = ");
        make_expression(2);
    } while (below(2) == 0);
    make_where();
    ONE_OF("", " RETURNING ALL OLD *", " RETURNING MODIFIED NEW *");
}

static void make_statement(void)
{
    td_buf_clear(&text);
    uint32_t choice = below(5);
    is_item = choice == 2;
    if (choice == 0) make_select();
    if (choice == 1) make_update();
    if (choice == 2) make_values("INSERT INTO \"T\" VALUE {", "}", "k", 1 + below(4), EXPRESSION_LEVELS);
    if (choice == 3) {
        td_buf_append_lit(&text, "DELETE FROM \"T\"");
        make_where();
    }
    if (choice == 4) {
        td_buf_append_lit(&text, "EXISTS(");
        make_select();
        td_buf_append_byte(&text, ')');
    }
}

START_TEST(a_printed_statement_is_the_same_statement)
{
    uint32_t parsed = 0;
    for (int i = 0; i < STATEMENTS; i++) {
        make_statement();
        td_arena_reset(&fixture.arena);
        const char *once = given_print(&fixture, td_buf_contents(&text));
        if (once == NULL) continue; /* the faults of literals: an empty bag, a path in a list */
        parsed++;
        const char *twice = given_print(&fixture, td_slice_of_cstr(once));
        ck_assert_ptr_nonnull(twice);
        ck_assert_str_eq(twice, once);
    }
    ck_assert_uint_gt(parsed, STATEMENTS / 3);
}
END_TEST

/* What is made without a doubled group is in the printed form already. */
START_TEST(a_statement_in_the_printed_form_prints_as_it_is)
{
    uint32_t same = 0;
    uint32_t parsed = 0;
    for (int i = 0; i < STATEMENTS; i++) {
        make_statement();
        td_arena_reset(&fixture.arena);
        const char *printed = given_print(&fixture, td_buf_contents(&text));
        if (printed == NULL) continue;
        parsed++;
        same += td_slice_equal(td_slice_of_cstr(printed), td_buf_contents(&text));
    }
    ck_assert_uint_gt(same, parsed * 3 / 4);
}
END_TEST

START_TEST(a_damaged_statement_is_answered)
{
    for (int i = 0; i < STATEMENTS; i++) {
        make_statement();
        td_arena_reset(&fixture.arena);
        uint32_t begin = below((uint32_t)text.len);
        uint32_t len = below((uint32_t)text.len - begin) % 9;
        td_slice damaged;
        bool is_cut = below(2) == 0;
        const char *bytes = (const char *)text.data;
        uint32_t from = is_cut ? begin + len : begin;
        uint32_t to = is_cut ? begin : begin + len;
        ck_assert(td_arena_format(&fixture.arena, &damaged, "%.*s%.*s", (int)to, bytes, (int)(text.len - from),
                                  bytes + from));
        ck_assert_ptr_nonnull(given_answer(&fixture, damaged));
    }
}
END_TEST

TCase *generated_tests(void)
{
    TCase *tests = tcase_create("generated");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_printed_statement_is_the_same_statement);
    tcase_add_test(tests, a_statement_in_the_printed_form_prints_as_it_is);
    tcase_add_test(tests, a_damaged_statement_is_answered);
    return tests;
}
