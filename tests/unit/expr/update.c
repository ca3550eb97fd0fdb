/* SPDX-License-Identifier: Apache-2.0
 * update.c: tests of what updates make of items. */
#include "bag.h"
#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

typedef struct row {
    const char *text;
    const char *outcome; /* the new attributes, or the text of an error */
} row;

#define BAD_PATH "The document path provided in the update expression is invalid for update"
#define MISSING "The provided expression refers to an attribute that does not exist in the item"
#define BAD_TYPE "An operand in the update expression has an incorrect data type"

static td_update *compile(const char *text)
{
    td_update *update;
    td_status status = td_update_compile(td_slice_of_cstr(text), bag_marks(arena), arena, &update, &fixture.error);
    ck_assert_msg(status == TD_OK, "%s: %s", text, bag_error(&fixture));
    return update;
}

static const char *apply(const char *text, const td_item *item)
{
    td_given_attributes key = attributes_of(arena, S("pk", "k"));
    td_attribute *attributes;
    uint32_t count;
    td_status status =
        td_update_apply(compile(text), item, key.attributes, key.count, arena, &attributes, &count, &fixture.error);
    if (status == TD_OK) return show_attributes(arena, attributes, count);
    ck_assert_int_eq(status, TD_VALIDATION);
    return bag_error(&fixture);
}

static void check_rows(const td_item *item, const row *rows, size_t count)
{
    const char *before = show_item(arena, item);
    for (size_t i = 0; i < count; i++) {
        const char *outcome = apply(rows[i].text, item);
        ck_assert_msg(strcmp(outcome, rows[i].outcome) == 0, "%s\n   makes %s\n  wanted %s", rows[i].text, outcome,
                      rows[i].outcome);
    }
    ck_assert_str_eq(show_item(arena, item), before);
}

#define CHECK_UPDATE(item, text, ...) ck_assert_str_eq(apply((text), (item)), show_given(arena, __VA_ARGS__))

START_TEST(set_writes_values_paths_and_sums_of_the_old_item)
{
    td_item *item = item_of(arena, S("pk", "k"), N("n", "5"), S("s", "x"), M("m", N("n", "7")));
    CHECK_UPDATE(item, "SET s = :s", S("pk", "k"), N("n", "5"), S("s", "a"), M("m", N("n", "7")));
    CHECK_UPDATE(item, "SET s = n, n = s", S("pk", "k"), S("n", "x"), N("s", "5"), M("m", N("n", "7")));
    CHECK_UPDATE(item, "SET n = n + :n, q = n - m.n", S("pk", "k"), N("n", "6"), N("q", "-2"), S("s", "x"),
                 M("m", N("n", "7")));
    CHECK_UPDATE(item, "SET n = (n - :n2)", S("pk", "k"), N("n", "3"), S("s", "x"), M("m", N("n", "7")));
    CHECK_UPDATE(item, "SET m.n = m.n + :n, m.q = n", S("pk", "k"), N("n", "5"), S("s", "x"),
                 M("m", N("n", "8"), N("q", "5")));
    CHECK_UPDATE(item, "SET aa = :em, zz = :el", S("pk", "k"), N("n", "5"), S("s", "x"), M("m", N("n", "7")), M("aa"),
                 L("zz"));
    CHECK_UPDATE(item, "SET n = if_not_exists(n, :n), q = if_not_exists(q, :n), r = if_not_exists(q, s)", S("pk", "k"),
                 N("n", "5"), N("q", "1"), S("r", "x"), S("s", "x"), M("m", N("n", "7")));
    CHECK_UPDATE(item, "SET q = if_not_exists(q, :n0) - :n2", S("pk", "k"), N("n", "5"), N("q", "-2"), S("s", "x"),
                 M("m", N("n", "7")));
}
END_TEST

START_TEST(lists_are_appended_indexed_and_closed_up)
{
    td_item *item = item_of(arena, L("l", S("", "0"), S("", "1"), S("", "2"), M("", N("x", "1"))));
    CHECK_UPDATE(item, "SET l = list_append(:l, :l)", L("l", S("", "a"), S("", "a")));
    CHECK_UPDATE(item, "SET k = list_append(if_not_exists(k, :el), :l)", L("k", S("", "a")),
                 L("l", S("", "0"), S("", "1"), S("", "2"), M("", N("x", "1"))));
    CHECK_UPDATE(item, "SET l[1] = :s", L("l", S("", "0"), S("", "a"), S("", "2"), M("", N("x", "1"))));
    CHECK_UPDATE(item, "SET l[9] = :s, l[7] = :s2",
                 L("l", S("", "0"), S("", "1"), S("", "2"), M("", N("x", "1")), S("", "b"), S("", "a")));
    CHECK_UPDATE(item, "REMOVE l[1]", L("l", S("", "0"), S("", "2"), M("", N("x", "1"))));
    CHECK_UPDATE(item, "REMOVE l[2], l[0], l[8]", L("l", S("", "1"), M("", N("x", "1"))));
    CHECK_UPDATE(item, "REMOVE l[0], l[1] SET l[2] = :s, l[4] = :n",
                 L("l", S("", "a"), M("", N("x", "1")), N("", "1")));
    CHECK_UPDATE(item, "REMOVE l[0] SET l[3].y = l[1]",
                 L("l", S("", "1"), S("", "2"), M("", N("x", "1"), S("y", "1"))));
    CHECK_UPDATE(item, "ADD l[3].x :n, l[6] :ns",
                 L("l", S("", "0"), S("", "1"), S("", "2"), M("", N("x", "2")), NS("", TD_LIT("1"))));
    CHECK_UPDATE(item_of(arena, L("l")), "SET l[0] = :s", L("l", S("", "a")));
    CHECK_UPDATE(item_of(arena, L("l", S("", "0"))), "REMOVE l[0]", L("l"));
}
END_TEST

START_TEST(add_and_delete_change_numbers_and_sets)
{
    td_item *item = item_of(arena, N("n", "5"), SS("s", TD_LIT("a"), TD_LIT("c")), M("m", SS("s", TD_LIT("a"))));
    CHECK_UPDATE(item, "ADD n :n2", N("n", "7"), SS("s", TD_LIT("a"), TD_LIT("c")), M("m", SS("s", TD_LIT("a"))));
    CHECK_UPDATE(item, "ADD s :ssab, q :n, m.t :ns", N("n", "5"), N("q", "1"),
                 SS("s", TD_LIT("a"), TD_LIT("b"), TD_LIT("c")), M("m", SS("s", TD_LIT("a")), NS("t", TD_LIT("1"))));
    CHECK_UPDATE(item, "DELETE s :ssab", N("n", "5"), SS("s", TD_LIT("c")), M("m", SS("s", TD_LIT("a"))));
    CHECK_UPDATE(item, "DELETE m.s :ss, q :ss", N("n", "5"), SS("s", TD_LIT("a"), TD_LIT("c")), M("m"));
    CHECK_UPDATE(item_of(arena, SS("s", TD_LIT("a"))), "DELETE s :ss");
    CHECK_UPDATE(item_of(arena, SS("s", TD_LIT("a"))), "DELETE s :ss2", SS("s", TD_LIT("a")));
    CHECK_UPDATE(item_of(arena, SS("s", TD_LIT(""))), "ADD s :ss", SS("s", TD_LIT(""), TD_LIT("a")));
}
END_TEST

START_TEST(remove_of_what_is_not_there_is_silent)
{
    td_item *item = item_of(arena, S("pk", "k"), M("m", S("x", "y"), S("z", "z")));
    CHECK_UPDATE(item, "REMOVE q, m.y, #a", S("pk", "k"), M("m", S("x", "y"), S("z", "z")));
    CHECK_UPDATE(item, "REMOVE m.x", S("pk", "k"), M("m", S("z", "z")));
    CHECK_UPDATE(item, "REMOVE m.x, m.z", S("pk", "k"), M("m"));
    CHECK_UPDATE(item, "REMOVE m", S("pk", "k"));
}
END_TEST

START_TEST(a_new_item_starts_with_its_key)
{
    CHECK_UPDATE(NULL, "SET a = :s", S("a", "a"), S("pk", "k"));
    CHECK_UPDATE(NULL, "SET z = pk", S("pk", "k"), S("z", "k"));
    CHECK_UPDATE(NULL, "ADD n :n, s :ss", N("n", "1"), S("pk", "k"), SS("s", TD_LIT("a")));
    CHECK_UPDATE(NULL, "REMOVE a DELETE s :ss", S("pk", "k"));
}
END_TEST

START_TEST(what_the_item_does_not_allow_has_its_text)
{
    static const row rows[] = {
        {"SET a = q", MISSING},
        {"SET a = list_append(q, r)", MISSING},
        {"SET a = q + :n", MISSING},
        {"SET a = l[5]", MISSING},
        {"SET a = m.q.r", MISSING},
        {"SET a = if_not_exists(q, r)", MISSING},
        {"SET a = pk + :n", BAD_TYPE},
        {"SET a = l - :n", BAD_TYPE},
        {"SET a = list_append(ns, if_not_exists(q, :el))", BAD_TYPE},
        {"SET a = list_append(:l, pk)", BAD_TYPE},
        {"SET a = if_not_exists(q, :s) + :n", BAD_TYPE},
        {"DELETE ns :ss", BAD_TYPE},
        {"DELETE m :ns", BAD_TYPE},
        {"DELETE m.s :ns", BAD_TYPE},
        {"DELETE n :ns", BAD_TYPE},
        {"ADD m :ns", BAD_TYPE},
        {"ADD ns :n", BAD_TYPE},
        {"ADD l :n", BAD_TYPE},
        {"SET q.a = :s", BAD_PATH},
        {"SET q[1] = :s", BAD_PATH},
        {"SET pk.a = :s", BAD_PATH},
        {"SET pk[1] = :s", BAD_PATH},
        {"SET m[1] = :s", BAD_PATH},
        {"SET l.#1 = :s", BAD_PATH},
        {"SET l[9].x = :s", BAD_PATH},
        {"SET m.q.r = :s", BAD_PATH},
        {"REMOVE pk.a SET #1 = :s", BAD_PATH},
        {"REMOVE q.a", BAD_PATH},
        {"REMOVE q[1]", BAD_PATH},
        {"REMOVE m[1]", BAD_PATH},
        {"REMOVE l.#1", BAD_PATH},
        {"DELETE q.a :ss", BAD_PATH},
        {"ADD m[1] :ss", BAD_PATH},
        {"SET q.a = r", MISSING}, /* operands come first */
        {"SET n = :big + :big",
         "Number overflow. Attempting to store a number with magnitude larger than supported range"},
        {"ADD big :big", "Number overflow. Attempting to store a number with magnitude larger than supported range"},
    };
    td_item *item = item_of(arena, S("pk", "k"), N("n", "1"), N("big", "9e125"), L("l", S("", "a"), S("", "b")),
                            M("m", SS("s", TD_LIT("1"))), NS("ns", TD_LIT("1")));
    check_rows(item, rows, TD_COUNT_OF(rows));
}
END_TEST

/* A list nested that many levels deep, under "deep". */
static td_item *nested(uint32_t levels)
{
    td_value *value = td_arena_alloc_zero(arena, sizeof *value);
    ck_assert_ptr_nonnull(value);
    value->type = TD_TYPE_NULL;
    for (uint32_t i = 0; i < levels; i++) {
        td_value *list = td_arena_alloc_zero(arena, sizeof *list);
        ck_assert_ptr_nonnull(list);
        *list = (td_value){.type = TD_TYPE_L, .count = 1, .elements = value};
        value = list;
    }
    td_attribute attribute = {TD_LIT("deep"), *value};
    td_item *item = td_item_new(&attribute, 1);
    ck_assert_ptr_nonnull(item);
    return item;
}

START_TEST(an_update_nests_at_most_31_levels)
{
    td_item *item = nested(30);
    ck_assert_ptr_nonnull(strstr(apply("SET deep[1] = :el", item), "{\"deep\""));
    /* The old 30 levels as an element of themselves are 31; in another list they would be 32. */
    ck_assert_ptr_nonnull(strstr(apply("SET deep[1] = deep", item), "{\"deep\""));
    ck_assert_str_eq(apply("SET deep[0][1] = deep", item),
                     "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
                     "supported limit");
    td_item_unref(item);
}
END_TEST

static const char *project(const char *text, const td_item *item)
{
    td_attribute *attributes;
    uint32_t count;
    ck_assert_int_eq(td_update_project(compile(text), item, arena, &attributes, &count), TD_OK);
    return count == 0 ? "none" : show_attributes(arena, attributes, count);
}

START_TEST(what_an_update_touched_is_cut_out_of_the_item)
{
    td_item *item = item_of(arena, N("x", "1"), N("y", "2"), M("p", S("keep", "k"), S("child", "c")));
    ck_assert_str_eq(project("SET x = :n", item), show_given(arena, N("x", "1")));
    ck_assert_str_eq(project("SET p.child = :s", item), show_given(arena, M("p", S("child", "c"))));
    ck_assert_str_eq(project("SET p.child = :s, p.keep = :s REMOVE y ADD q :n", item),
                     show_given(arena, M("p", S("child", "c"), S("keep", "k")), N("y", "2")));
    ck_assert_str_eq(project("REMOVE q", item), "none");
    ck_assert_str_eq(project("SET x = :n", NULL), "none");
}
END_TEST

START_TEST(an_update_knows_its_targets)
{
    td_update *update = compile("SET a = b, c.e = g[1] REMOVE f[0] ADD #1 :n");
    ck_assert(td_update_touches(update, TD_LIT("a")));
    ck_assert(td_update_touches(update, TD_LIT("c")));
    ck_assert(td_update_touches(update, TD_LIT("f")));
    ck_assert(td_update_touches(update, TD_LIT("1")));
    ck_assert(!td_update_touches(update, TD_LIT("b")));
    ck_assert(td_update_enters(update, TD_LIT("c")));
    ck_assert(td_update_enters(update, TD_LIT("f")));
    ck_assert(td_update_enters(update, TD_LIT("g")));
    ck_assert(!td_update_enters(update, TD_LIT("a")));
    ck_assert(!td_update_enters(update, TD_LIT("b")));
}
END_TEST

START_TEST(an_update_knows_the_types_that_no_item_can_change)
{
    td_update *update = compile("SET a = :s, b = b + :n, c = list_append(c, :l), e = d, f.g = :s REMOVE h ADD #1 :n");
    const struct {
        const char *attribute;
        td_type type;
    } cases[] = {{"a", TD_TYPE_S},     {"b", TD_TYPE_N},     {"c", TD_TYPE_L},     {"1", TD_TYPE_N},
                 {"e", TD_TYPE_COUNT}, {"f", TD_TYPE_COUNT}, {"h", TD_TYPE_COUNT}, {"d", TD_TYPE_COUNT}};
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        ck_assert_int_eq(td_update_type_of(update, td_slice_of_cstr(cases[i].attribute)), cases[i].type);
    }
}
END_TEST

START_TEST(statement_is_measured_by_its_clauses_without_the_item)
{
    static const struct {
        const char *text;
        uint64_t size;
    } cases[] = {
        {"SET a = :s", 3 + 19 + 1 + 1},
        {"SET a.bc[12] = :s", 3 + 19 + (1 + 4 + 2 + 4 + 2) + 1},
        {"SET a = b.c", 3 + 19 + 1 + (1 + 15 + 15)},
        {"SET a = a + :n", 3 + 19 + 1 + 34 + (1 + 15) + 2},
        {"SET a = a - :n", 3 + 19 + 1 + 37 + (1 + 15) + 2},
        {"SET a = if_not_exists(a, :s)", 3 + 19 + 1 + 39 + (1 + 15) + 1},
        {"SET a = list_append(a, :l)", 3 + 19 + 1 + 37 + (1 + 15) + 5},
        {"SET a = :s, b = :s", 3 + 2 * (19 + 1 + 1)},
        {"ADD a :n", 3 + 19 + 1 + 2},
        {"DELETE a :ss", 3 + 1 + 1},
        {"REMOVE a, b[0]", 3 + (1 + 1) + (1 + 1 + 4 + 1)},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        const td_update *update = compile(cases[i].text);
        ck_assert_msg(!td_update_is_larger(update, cases[i].size), "%s is larger", cases[i].text);
        ck_assert_msg(td_update_is_larger(update, cases[i].size - 1), "%s is smaller", cases[i].text);
    }
}
END_TEST

TCase *update_tests(void)
{
    TCase *tests = tcase_create("update");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, set_writes_values_paths_and_sums_of_the_old_item);
    tcase_add_test(tests, statement_is_measured_by_its_clauses_without_the_item);
    tcase_add_test(tests, lists_are_appended_indexed_and_closed_up);
    tcase_add_test(tests, add_and_delete_change_numbers_and_sets);
    tcase_add_test(tests, remove_of_what_is_not_there_is_silent);
    tcase_add_test(tests, a_new_item_starts_with_its_key);
    tcase_add_test(tests, what_the_item_does_not_allow_has_its_text);
    tcase_add_test(tests, an_update_nests_at_most_31_levels);
    tcase_add_test(tests, what_an_update_touched_is_cut_out_of_the_item);
    tcase_add_test(tests, an_update_knows_its_targets);
    tcase_add_test(tests, an_update_knows_the_types_that_no_item_can_change);
    return tests;
}
