/* SPDX-License-Identifier: Apache-2.0
 * projection.c: tests of what projections leave of items. */
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

static td_projection *compile(const char *text)
{
    td_projection *projection;
    td_status status =
        td_projection_compile(td_slice_of_cstr(text), bag_marks(arena), arena, &projection, &fixture.error);
    ck_assert_msg(status == TD_OK, "%s: %s", text, bag_error(&fixture));
    return projection;
}

static const char *apply(const td_projection *projection, const td_item *item)
{
    td_attribute *attributes;
    uint32_t count;
    ck_assert_int_eq(td_projection_apply(projection, item, arena, &attributes, &count), TD_OK);
    return show_attributes(arena, attributes, count);
}

#define CHECK_PROJECTION(item, text, ...) ck_assert_str_eq(apply(compile(text), (item)), show_given(arena, __VA_ARGS__))

START_TEST(attributes_come_whole_and_sorted)
{
    td_item *item = item_of(arena, S("pk", "k"), N("n", "1"), M("m", S("x", "y")), L("l", S("", "0")));
    CHECK_PROJECTION(item, "pk, n", N("n", "1"), S("pk", "k"));
    CHECK_PROJECTION(item, "m, q, l", L("l", S("", "0")), M("m", S("x", "y")));
    CHECK_PROJECTION(item, "q, #a");
    CHECK_PROJECTION(NULL, "pk");
}
END_TEST

START_TEST(paths_that_begin_alike_come_merged)
{
    td_item *item = item_of(arena, M("m", S("a", "1"), S("b", "2"), M("c", S("x", "3"), S("y", "4")), S("z", "5")));
    CHECK_PROJECTION(item, "m.z, m.a", M("m", S("a", "1"), S("z", "5")));
    CHECK_PROJECTION(item, "m.c.y, m.b", M("m", S("b", "2"), M("c", S("y", "4"))));
    CHECK_PROJECTION(item, "m.c.y, m.c.x", M("m", M("c", S("x", "3"), S("y", "4"))));
}
END_TEST

START_TEST(elements_come_ascending_and_close_together)
{
    td_item *item = item_of(
        arena, L("l", M("", N("x", "0"), N("y", "1"), N("z", "2")), S("", "one"), S("", "two"), L("", S("", "deep"))));
    CHECK_PROJECTION(item, "l[2], l[1]", L("l", S("", "one"), S("", "two")));
    CHECK_PROJECTION(item, "l[0].x, l[0].y", L("l", M("", N("x", "0"), N("y", "1"))));
    CHECK_PROJECTION(item, "l[3][0], l[0].z, l[9], l[1].q", L("l", M("", N("z", "2")), L("", S("", "deep"))));
}
END_TEST

START_TEST(a_path_that_leads_nowhere_leaves_no_trace)
{
    td_item *item = item_of(arena, S("s", "x"), M("m", S("a", "1"), M("c")), L("l", S("", "0")));
    CHECK_PROJECTION(item, "s.a, m.q, l[4], m.c.x, m.a.b");
    CHECK_PROJECTION(item, "s[0], m[0], l.a");
    CHECK_PROJECTION(item, "s, m.q.r, l[0].x", S("s", "x"));
    CHECK_PROJECTION(item, "m.c", M("m", M("c")));
}
END_TEST

START_TEST(attributes_to_get_are_whole_attributes)
{
    td_projection *projection;
    td_slice names[] = {TD_LIT("b.c"), TD_LIT("a"), TD_LIT("size"), TD_LIT("a")};
    ck_assert_int_eq(td_projection_of_names(names, 4, arena, &projection, &fixture.error), TD_OK);
    td_item *item = item_of(arena, S("a", "1"), M("b", S("c", "2")), S("b.c", "3"), S("size", "4"), S("z", "5"));
    ck_assert_str_eq(apply(projection, item), show_given(arena, S("a", "1"), S("b.c", "3"), S("size", "4")));
}
END_TEST

static void collect(void *context, td_slice name)
{
    td_buf *names = context;
    td_buf_append(names, name);
    td_buf_append_byte(names, ' ');
}

START_TEST(a_projection_knows_the_attributes_that_it_names)
{
    td_projection *projection = compile("b.c, #a, b.e, l[0]");
    td_buf names;
    td_buf_init(&names, 64);
    td_projection_visit_attributes(projection, collect, &names);
    ck_assert(td_slice_equal(td_buf_contents(&names), TD_LIT("a b l ")));
    td_buf_done(&names);
    ck_assert(td_projection_enters(projection, TD_LIT("b")));
    ck_assert(!td_projection_enters(projection, TD_LIT("a")));
    ck_assert(!td_projection_enters(projection, TD_LIT("c")));
}
END_TEST

TCase *projection_tests(void)
{
    TCase *tests = tcase_create("projection");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, attributes_come_whole_and_sorted);
    tcase_add_test(tests, paths_that_begin_alike_come_merged);
    tcase_add_test(tests, elements_come_ascending_and_close_together);
    tcase_add_test(tests, a_path_that_leads_nowhere_leaves_no_trace);
    tcase_add_test(tests, attributes_to_get_are_whole_attributes);
    tcase_add_test(tests, a_projection_knows_the_attributes_that_it_names);
    return tests;
}
