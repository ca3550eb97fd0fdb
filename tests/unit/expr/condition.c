/* SPDX-License-Identifier: Apache-2.0
 * condition.c: tests of what conditions decide about items. */
#include "thermodyn/buf.h"

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
    bool holds;
} row;

static bool decide(const char *text, const td_item *item)
{
    td_condition *condition;
    td_status status = td_condition_compile(TD_EXPR_CONDITION, td_slice_of_cstr(text), bag_marks(arena), arena,
                                            &condition, &fixture.error);
    ck_assert_msg(status == TD_OK, "%s: %s", text, bag_error(&fixture));
    return td_condition_holds(condition, item);
}

static void check_rows(const td_item *item, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(decide(rows[i].text, item) == rows[i].holds, "%s: wanted %s", rows[i].text,
                      rows[i].holds ? "true" : "false");
}

START_TEST(an_attribute_that_is_missing_is_equal_to_nothing_and_differs_from_all)
{
    static const row rows[] = {
        {"q = :s", false},
        {"q <> :s", true},
        {"q = z", false},
        {"q <> z", true},
        {"q < :s", false},
        {"NOT q < :s", true},
        {"q >= :s", false},
        {"q BETWEEN :s AND :s2", false},
        {"q IN (:s, z)", false},
        {"NOT q IN (:s)", true},
        {"attribute_exists(q)", false},
        {"attribute_not_exists(q)", true},
        {"attribute_not_exists(m.q.r)", true},
        {"attribute_not_exists(l[7])", true},
        {"attribute_type(q, :tS)", false},
        {"begins_with(q, :s)", false},
        {"contains(q, :s)", false},
        {"size(q) = :n0", false},
        {"size(q) <> :n0", true},
        {"m[0] = :s", false},
        {"l.a = :s", false},
        {"pk.a = :s", false},
    };
    check_rows(item_of(arena, S("pk", "a"), M("m"), L("l", S("", "a"))), rows, TD_COUNT_OF(rows));
    check_rows(NULL, rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(comparisons_need_one_type_and_follow_its_order)
{
    static const row rows[] = {
        {"n = :n", true},
        {"n <> :n", false},
        {"n < :n2", true},
        {"n <= :n", true},
        {"n > :n0", true},
        {"n >= :n2", false},
        {"n = :s", false},
        {"n <> :s", true},
        {"n < :s", false},
        {"n > :s", false},
        {"s = :s", true},
        {"s < :s2", true},
        {"s = :b", false},
        {"b = :b", true},
        {"b < :b2", true},
        {":n2 > n", true},
        {"neg < :n0", true},
        {"big = :big", true},
        {"big > n", true},
        {"t = :t", true},
        {"t = :f", false},
        {"nul = :null", true},
        {"nul <> :null", false},
        {"n BETWEEN :n0 AND :n2", true},
        {"n BETWEEN n2 AND :n2", false},
        {"s BETWEEN :s AND :s", true},
        {"n BETWEEN s AND :n2", false},
        {"s IN (:n, :s2, :s)", true},
        {"s IN (:n, :b)", false},
        {"n2 IN (n, :n2)", true},
        {":n < :n2", true},
        {"e = :empty", true},
        {"s > :empty", true},
    };
    check_rows(item_of(arena, N("n", "1.0"), N("n2", "2"), N("neg", "-1e-130"), N("big", "9e125"), S("s", "a"),
                       B("b", "a"), BOOL("t", true), NULL_("nul"), S("e", "")),
               rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(equality_goes_into_sets_lists_and_maps)
{
    static const row rows[] = {
        {"ss = :ssab", true},     {"ss = :ss", false},    {"ss2 = :ss", true},  {"ss2 = :ss2", false},
        {"ns = :ns", true},       {"ns = :ss", false},    {"bs = :bs", true},   {"l = :l", true},
        {"l = :l2", false},       {"l2 = :l2", true},     {"m = :m", true},     {"m = :em", false},
        {"m <> :em", true},       {"mm.m = m", true},     {"mm.ll = ll", true}, {"mm = m", false},
        {"l IN (:l2, :l)", true}, {"mm.m IN (:m)", true}, {":l = l", true},     {":em = :em", true},
        {"el = :el", true},       {"l = :el", false},     {"ll[1] = :m", true}, {"ll[0] = :ss", false},
        {"m2 = :m", false},       {"m3 = :m", false},
    };
    check_rows(item_of(arena, SS("ss", TD_LIT("b"), TD_LIT("a")), SS("ss2", TD_LIT("a")), NS("ns", TD_LIT("1.0")),
                       BS("bs", TD_LIT("a")), L("l", S("", "a")), L("l2", L("", N("", "1"))), M("m", N("x", "1")),
                       M("mm", M("m", N("x", "1")), L("ll", S("", "a"), M("", N("x", "1")))),
                       L("ll", S("", "a"), M("", N("x", "1"))), L("el"), M("m2", N("y", "1")), M("m3", S("x", "1"))),
               rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(functions_look_at_types)
{
    static const row rows[] = {
        {"attribute_type(s, :tS)", true},  {"attribute_type(s, :tN)", false}, {"attribute_type(l, :tL)", true},
        {"attribute_type(:n, :tN)", true}, {"begins_with(s, :s)", true},      {"begins_with(s, :s2)", false},
        {"begins_with(s, :b)", false},     {"begins_with(b, :b)", true},      {"begins_with(s, :empty)", true},
        {"begins_with(:s, s)", false},     {"begins_with(n, s)", false},      {"contains(s, :s2)", true},
        {"contains(s, :n)", false},        {"contains(s, :empty)", true},     {"contains(b, :b2)", true},
        {"contains(b, :s2)", false},       {"contains(ss, :s2)", true},       {"contains(ss, :n)", false},
        {"contains(ss, :empty)", true},    {"contains(ns, :n)", true},        {"contains(bs, :b)", true},
        {"contains(bs, :s)", false},       {"contains(l, :s)", true},         {"contains(l, :n)", false},
        {"contains(l, :m)", true},         {"contains(l, m)", true},          {"contains(:ssab, :s)", true},
        {"contains(:l, s)", false},        {"contains(:l2, :n)", false},      {"contains(m, :s)", false},
        {"contains(n, :n)", false},        {"contains(ss, ss2)", false},
    };
    check_rows(item_of(arena, S("s", "abc"), N("n", "1"), B("b", "abc"), L("l", S("", "a"), M("", N("x", "1"))),
                       M("m", N("x", "1")), SS("ss", TD_LIT(""), TD_LIT("b")), SS("ss2", TD_LIT("b")),
                       NS("ns", TD_LIT("1"), TD_LIT("5")), BS("bs", TD_LIT("a"))),
               rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(size_counts_what_the_type_has)
{
    static const row rows[] = {
        {"size(s) = :n2", true},
        {"size(smile) = :n2", true},
        {"size(b) = :n2", true},
        {"size(l) = :n2", true},
        {"size(m) = :n", true},
        {"size(ss) = :n2", true},
        {"size(n) = :n", false},
        {"size(n) <> :n", true},
        {"size(t) = :n", false},
        {"size(nul) = :n", false},
        {"size(:ssab) = :n2", true},
        {"size(s) BETWEEN :n AND :n2", true},
        {"size(s) IN (:n, size(l))", true},
        {"size(s) > size(m)", true},
        {"size(e) = :n0", true},
        {":n < size(s)", true},
        {"size(m.x) = :n", true},
        {"size(s) = :s", false},
    };
    /* One code point outside the basic plane is two units of UTF-16. */
    check_rows(item_of(arena, S("s", "\xc3\xa4x"), S("smile", "\xf0\x9f\x98\x80"), B("b", "ab"),
                       L("l", NULL_(""), NULL_("")), M("m", S("x", "y")), SS("ss", TD_LIT("a"), TD_LIT("b")),
                       N("n", "1"), BOOL("t", true), NULL_("nul"), S("e", "")),
               rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(paths_go_into_maps_and_lists)
{
    static const row rows[] = {
        {"m.x = :n", true},     {"m.y = :s", true},      {"m.z = :s", false},  {"l[0].x = :n", true},
        {"l[1][0] = :s", true}, {"l[1][1] = :s", false}, {"l[2] = :s2", true}, {"l[3] = :s", false},
        {"#a.#1 = :s", true},   {"a.#1 = :s", true},     {"#1 = :s2", true},   {"m.m.m.x = :n", true},
        {"m.aa = :s", false},
    };
    check_rows(item_of(arena, M("m", N("x", "1"), S("y", "a"), M("m", M("m", N("x", "1")))),
                       L("l", M("", N("x", "1")), L("", S("", "a")), S("", "b")), M("a", S("1", "a")), S("1", "b")),
               rows, TD_COUNT_OF(rows));
}
END_TEST

START_TEST(and_binds_before_or_and_not_before_and)
{
    static const row rows[] = {
        {"t = :t OR t = :f AND t = :f", true},
        {"(t = :t OR t = :f) AND t = :f", false},
        {"NOT t = :t AND t = :f", false},
        {"NOT (t = :t AND t = :f)", true},
        {"NOT NOT t = :t", true},
        {"t = :f OR t = :f OR t = :t", true},
        {"t = :t AND t = :t AND t = :f", false},
        {"t = :t AND n BETWEEN :n AND :n2 AND t = :t", true},
    };
    check_rows(item_of(arena, BOOL("t", true), N("n", "1")), rows, TD_COUNT_OF(rows));
}
END_TEST

static void collect(void *context, td_slice name)
{
    td_buf *names = context;
    td_buf_append(names, name);
    td_buf_append_byte(names, ' ');
}

START_TEST(a_condition_knows_the_attributes_that_it_names)
{
    td_condition *condition;
    ck_assert_int_eq(td_condition_compile(TD_EXPR_FILTER, TD_LIT("b.c = :s AND #a > b AND size(e[0]) > z"),
                                          bag_marks(arena), arena, &condition, &fixture.error),
                     TD_OK);
    ck_assert(td_condition_uses(condition, TD_LIT("a")));
    ck_assert(td_condition_uses(condition, TD_LIT("b")));
    ck_assert(!td_condition_uses(condition, TD_LIT("c")));
    ck_assert(td_condition_enters(condition, TD_LIT("b")));
    ck_assert(td_condition_enters(condition, TD_LIT("e")));
    ck_assert(!td_condition_enters(condition, TD_LIT("a")));
    td_buf names;
    td_buf_init(&names, 64);
    td_condition_visit_attributes(condition, collect, &names);
    ck_assert(td_slice_equal(td_buf_contents(&names), TD_LIT("a b e z ")));
    td_buf_done(&names);
}
END_TEST

TCase *condition_tests(void)
{
    TCase *tests = tcase_create("condition");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, an_attribute_that_is_missing_is_equal_to_nothing_and_differs_from_all);
    tcase_add_test(tests, comparisons_need_one_type_and_follow_its_order);
    tcase_add_test(tests, equality_goes_into_sets_lists_and_maps);
    tcase_add_test(tests, functions_look_at_types);
    tcase_add_test(tests, size_counts_what_the_type_has);
    tcase_add_test(tests, paths_go_into_maps_and_lists);
    tcase_add_test(tests, and_binds_before_or_and_not_before_and);
    tcase_add_test(tests, a_condition_knows_the_attributes_that_it_names);
    return tests;
}
