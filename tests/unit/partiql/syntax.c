/* SPDX-License-Identifier: Apache-2.0
 * syntax.c: tests of what is a statement and of how the first fault of one that is not is worded.
 * Sources: messages.md §1.7; public captures of the service; the texts of PartiQL's reference parser. */
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

#define MALFORMED "Statement wasn't well formed, can't be processed: "

START_TEST(statements_of_every_kind_parse)
{
    static const given_row rows[] = {
        {"SELECT * FROM T", "ok"},
        {"select * from \"T\"", "ok"},
        {"SELECT * FROM \"T\".\"idx\" WHERE a = 'b';", "ok"},
        {"SELECT ALL a, b.c, l[0], \"q u\".\"o.t\" FROM T WHERE a = 1 ORDER BY a DESC, b ASC, c", "ok"},
        {"SELECT/**/* FROM T -- the table\nWHERE a/* key */='x' AND b='1' --", "ok"},
        {"SELECT note FROM T WHERE note = 'a--b /*c*/'; -- done", "ok"},
        {"INSERT INTO T VALUE {'a': 'b'}", "ok"},
        {"insert into T value {'a':'b','l':[1,'s'],'m':{'x':4},'n':<<1,4.5>>,'z':NULL,'t':true,'e':[],'f':{}}", "ok"},
        {"INSERT INTO T VALUE {'a': ?, 'b': [?, {'c': ?}]}", "ok"},
        {"UPDATE T SET a = 1 WHERE b = 2", "ok"},
        {"UPDATE T SET a = 1, b = 2 SET c.d = [1] REMOVE e REMOVE f[1] WHERE b = 2 RETURNING ALL OLD *", "ok"},
        {"UPDATE T SET n=n-1 WHERE a = 1 RETURNING MODIFIED NEW *", "ok"},
        {"UPDATE T SET a = 1", "ok"},
        {"FROM T WHERE a = 1 SET b = 2 REMOVE c RETURNING MODIFIED OLD *", "ok"},
        {"FROM \"T\" SET b = 2", "ok"},
        {"DELETE FROM T WHERE a = 'b' RETURNING ALL OLD *", "ok"},
        {"EXISTS(SELECT * FROM T WHERE a = 'b' AND c IS MISSING)", "ok"},
        {"exists (select * from T where a = 'b');", "ok"},
    };
    CHECK_ANSWERS("%", rows);
}
END_TEST

START_TEST(the_first_lexeme_that_does_not_fit_is_worded)
{
    static const given_row rows[] = {
        {"", MALFORMED "Expected data manipulation"},
        {"SELEC * FROM T", MALFORMED "Expected data manipulation"},
        {"CREATE TABLE T", MALFORMED "Expected data manipulation"},
        {"EXISTS(UPDATE T SET a = 1)", MALFORMED "Expected data manipulation"},
        {"UPDATE Payment-T SET a = 1", MALFORMED "Expected data manipulation"},
        {"UPDATE T WHERE a = 1", MALFORMED "Expected data manipulation"},
        {"INSERT T VALUE {}", MALFORMED "Unexpected keyword"},
        {"INSERT INTO urls (key, b) VALUES (?, ?)", MALFORMED "Unexpected keyword"},
        {"INSERT INTO T t VALUE {'a': 1}", MALFORMED "Unexpected token after expression"},
        {"INSERT INTO T {'a': 1}", MALFORMED},
        {"INSERT INTO T VALUE {'a' 1}", MALFORMED "Expected COLON"},
        {"INSERT INTO T VALUE {'a': 1", MALFORMED "Expected RIGHT_CURLY"},
        {"INSERT INTO T VALUE {'a': [1}", MALFORMED "Expected RIGHT_BRACKET"},
        {"INSERT INTO T VALUE {'a': <<1}", MALFORMED "Expected RIGHT_DOUBLE_ANGLE_BRACKET"},
        {"INSERT INTO T VALUE {'a': 1} RETURNING ALL OLD *", MALFORMED "Unexpected token after expression"},
        {"SELECT * FROM T WHERE", MALFORMED "Unexpected term"},
        {"SELECT * FROM T WHERE a =", MALFORMED "Missing right-hand side expression of infix operator"},
        {"SELECT * FROM T WHERE a = ;", MALFORMED "Unexpected term"},
        {"SELECT * FROM T WHERE = 1", MALFORMED "Unexpected operator"},
        {"SELECT * FROM T WHERE a BETWEEN 1 OR 2", MALFORMED "Expected AND"},
        {"SELECT * FROM T WHERE a BETWEEN 1 AND", MALFORMED "Expected expression after AND"},
        {"SELECT * FROM T WHERE a IS b", MALFORMED "Expected type name"},
        {"SELECT * FROM T WHERE (a = 1", MALFORMED "Expected RIGHT_PAREN"},
        {"SELECT * FROM T WHERE a = 1) AND b = 2", MALFORMED "Unexpected token after expression"},
        {"SELECT * FROM T WHERE a = 1 garbage", MALFORMED "Unexpected token after expression"},
        {"SELECT * FROM T WHERE a LIKE 'x'", MALFORMED "Unexpected token after expression"},
        {"SELECT * FROM T; SELECT * FROM T",
         MALFORMED "Unexpected token after semicolon. (Only one query is allowed.)"},
        {"SELECT * FROM T ORDER BY a WHERE b = 1", MALFORMED "Unexpected token after expression"},
        {"SELECT * FROM T ORDER a", MALFORMED "Expected BY"},
        {"DELETE FROM T WHERE a = 1 ORDER BY a", MALFORMED "Unexpected token after expression"},
        {"DELETE T WHERE a = 1", MALFORMED "Expected FROM after DELETE"},
        {"SELECT a WHERE b = 1", MALFORMED "Expected FROM after SELECT list"},
        {"SELECT *, a FROM T", MALFORMED "Other expressions may not be present in the select list when '*' is used "
                                         "without dot notation."},
        {"SELECT m.inner FROM T", MALFORMED "Invalid path dot component"},
        {"SELECT * FROM T WHERE m.inner = 1", MALFORMED "Invalid path dot component"},
        {"SELECT value FROM T", MALFORMED "Unexpected keyword"},
        {"UPDATE T SET user = 1", MALFORMED "Expected identifier for simple path"},
        {"UPDATE T SET a 1", MALFORMED "Expected '='"},
        {"UPDATE T REMOVE a, b WHERE c = 1", MALFORMED "Unexpected token after expression"},
        {"UPDATE T SET n=n --1\n- WHERE a = 1", MALFORMED "Unexpected keyword"},
        {"UPDATE T SET a = 1 RETURNING OLD *",
         MALFORMED "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element."},
        {"UPDATE T SET a = 1 RETURNING ALL OLD a", MALFORMED "Unsupported syntax in RETURNING columns."},
    };
    CHECK_ANSWERS("%", rows);
}
END_TEST

START_TEST(what_is_no_lexeme_is_told_without_a_word_and_before_all_else)
{
    static const given_row rows[] = {
        {"# comment", MALFORMED},           {"/* open", MALFORMED},
        {"a = 'open", MALFORMED},           {"\"open", MALFORMED},
        {"a = `ion`", MALFORMED},           {"a = 1e", MALFORMED},
        {"a = 1e2147483648", MALFORMED},    {"a = 1e-2147483649", MALFORMED},
        {"a = 1.5e-2147483648", MALFORMED}, {"a = 1e99999999999999999999999", MALFORMED},
        {"a = 1 LIMIT \\", MALFORMED},      {"\xc3\xbc = 1", MALFORMED},
    };
    CHECK_ANSWERS("SELECT * FROM T FROM T WHERE %", rows);
}
END_TEST

START_TEST(clauses_that_the_service_lacks_are_refused_where_they_stand)
{
    static const given_row rows[] = {
        {"SELECT a AS b FROM T", "Aliasing is not supported"},
        {"SELECT a b FROM T", "Aliasing is not supported"},
        {"SELECT * FROM T t", "Aliasing is not supported"},
        {"UPDATE T AS t SET a = 1", "Aliasing is not supported"},
        {"DELETE FROM T t WHERE a = 1", "Aliasing is not supported"},
        {"SELECT COUNT(*) FROM T", "Unexpected path component at 1:8:5"},
        {"SELECT COUNT(*) FROM T WHERE", "Unexpected path component at 1:8:5"},
        {"SELECT a, count(b) FROM T", "Unexpected path component at 1:11:5"},
        {"SELECT\n  attribute_exists(ss) FROM T", "Unexpected path component at 2:3:16"},
        {"SELECT 1 FROM T", "Unexpected path component at 1:8:1"},
        {"SELECT a.* FROM T", "Unexpected path component at 1:10:1"},
        {"SELECT \"count\" FROM T", "ok"},
        {"SELECT l[-1] FROM T", "List index is not within the allowable range; index: [-1] at 1:11:1"},
        {"SELECT l[-0] FROM T", "ok"},
        {"SELECT l['x'] FROM T", "ok"},
        {"SELECT l[2147483648] FROM T", "List index is not within the allowable range; index: [2147483648] at 1:10:10"},
        {"SELECT * FROM T WHERE a = 1 LIMIT 5", "Unsupported clause: LIMIT at 1:29:5"},
        {"SELECT DISTINCT a FROM T", "Unsupported clause: DISTINCT at 1:8:8"},
        {"SELECT * FROM 'T'", "Unexpected path component at 1:15:3"},
        {"SELECT * FROM T.i.j", "A path may contain at most 2 components in the FROM clause"},
        {"SELECT * FROM \"\"", "Path component cannot be an empty string"},
        {"SELECT * FROM T.\"\"", "Path component cannot be an empty string"},
        {"SELECT \"\" FROM T", "Path component cannot be an empty string"},
        {"INSERT INTO \"TableOne\".\"i\" VALUE {'a': 1}",
         "FROM clause may only contain a single table name in data manipulation statements at 1:13:10"},
        {"UPDATE T.i SET a = 1 WHERE b = 1", "This operation is not supported on an index"},
        {"DELETE FROM T.i WHERE b = 1", "This operation is not supported on an index"},
        {"DELETE FROM T WHERE a = 1 RETURNING ALL NEW *",
         "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements."},
        {"DELETE FROM T WHERE a = 1 RETURNING MODIFIED OLD *",
         "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE "
         "statements."},
        {"INSERT INTO T VALUE ?", "Unsupported data type: ? under key root at 1:21:1"},
        {"INSERT INTO T VALUE 'a'", "Unsupported data type: 'a' under key root at 1:21:3"},
    };
    CHECK_ANSWERS("%", rows);
}
END_TEST

START_TEST(a_place_counts_characters_and_lines)
{
    ck_assert_str_eq(given_answer(&fixture, TD_LIT("SELECT \"\xc3\xbc\xf0\x9f\x98\x80\", x(1) FROM T")),
                     "Unexpected path component at 1:14:1");
    ck_assert_str_eq(given_answer(&fixture, TD_LIT("SELECT a,\n\n \"\xc3\xbc\"(1) FROM T")),
                     "Unexpected path component at 3:2:3");
}
END_TEST

/* Deeper than any recursion may go, and longer than the service takes: refused, not followed. */
START_TEST(deep_statements_are_refused)
{
    static const struct {
        const char *before;
        const char *unit;
        const char *after;
    } shapes[] = {
        {"SELECT * FROM T WHERE ", "(", "a = 1"},       {"SELECT * FROM T WHERE ", "NOT ", "a = 1"},
        {"INSERT INTO T VALUE {'a': ", "[", ""},        {"INSERT INTO T VALUE ", "{'a':", ""},
        {"UPDATE T SET a = 1", " + 1", " WHERE b = 1"}, {"SELECT * FROM T WHERE a", " = 1", ""},
        {"UPDATE T SET a = ", "- ", "1 WHERE b = 1"},   {"SELECT a", "[a", " FROM T"},
        {"SELECT * FROM T WHERE ", "size(", "a"},       {"SELECT * FROM T WHERE a IN ", "(", "1"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(shapes); i++) {
        td_buf text;
        td_buf_init(&text, 1 << 20);
        td_buf_append(&text, td_slice_of_cstr(shapes[i].before));
        for (int n = 0; n < 4000; n++)
            td_buf_append(&text, td_slice_of_cstr(shapes[i].unit));
        td_buf_append(&text, td_slice_of_cstr(shapes[i].after));
        ck_assert_str_eq(given_answer(&fixture, td_buf_contents(&text)), MALFORMED);
        td_buf_done(&text);
    }
}
END_TEST

START_TEST(the_number_of_parameters_must_fit)
{
    td_statement *statement = NULL;
    td_value value = value_of(&fixture.arena, S("", "a"));
    ck_assert_int_eq(
        td_statement_parse(TD_LIT("SELECT * FROM T WHERE a = ? OR a = ?"), &fixture.arena, &statement, &fixture.error),
        TD_OK);
    ck_assert_uint_eq(statement->parameter_count, 2);
    ck_assert_int_eq(td_statement_bind(statement, &value, 1, &fixture.arena, &fixture.error), TD_VALIDATION);
    ck_assert_str_eq(given_error(&fixture), "Number of parameters in request and statement don't match.");
}
END_TEST

START_TEST(a_statement_tells_its_parts)
{
    const td_statement *statement = given_statement(
        &fixture,
        "SELECT b, a.x, b[1] FROM \"T\"\"1\".\"i\" WHERE z = 1 AND NOT (b = 2 OR z > size(c.d)) ORDER BY k DESC");
    ck_assert_int_eq(statement->kind, TD_STATEMENT_SELECT);
    CHECK_SLICE(&fixture.arena, statement->table, "T\"1");
    CHECK_SLICE(&fixture.arena, statement->index, "i");
    ck_assert_uint_eq(statement->selected_count, 2);
    CHECK_SLICE(&fixture.arena, statement->selected[0], "b");
    CHECK_SLICE(&fixture.arena, statement->selected[1], "a");
    ck_assert_uint_eq(statement->filtered_count, 3);
    CHECK_SLICE(&fixture.arena, statement->filtered[0], "z");
    CHECK_SLICE(&fixture.arena, statement->filtered[1], "b");
    CHECK_SLICE(&fixture.arena, statement->filtered[2], "c");
    ck_assert_uint_eq(statement->order_count, 1);
    ck_assert(statement->orders[0].is_descending);
    ck_assert(!td_statement_is_write(statement));
    ck_assert_int_eq(given_statement(&fixture, "FROM T SET a = 1 RETURNING MODIFIED NEW *")->returning,
                     TD_RETURNING_MODIFIED_NEW);
}
END_TEST

TCase *syntax_tests(void)
{
    TCase *tests = tcase_create("syntax");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, statements_of_every_kind_parse);
    tcase_add_test(tests, the_first_lexeme_that_does_not_fit_is_worded);
    tcase_add_test(tests, what_is_no_lexeme_is_told_without_a_word_and_before_all_else);
    tcase_add_test(tests, clauses_that_the_service_lacks_are_refused_where_they_stand);
    tcase_add_test(tests, a_place_counts_characters_and_lines);
    tcase_add_test(tests, deep_statements_are_refused);
    tcase_add_test(tests, the_number_of_parameters_must_fit);
    tcase_add_test(tests, a_statement_tells_its_parts);
    return tests;
}
