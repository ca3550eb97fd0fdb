/* SPDX-License-Identifier: Apache-2.0
 * start_key.c: tests of starting keys that are refused. Source: dynalite's test/query.js and test/scan.js. */
#include "suites.h"
#include "world.h"

#define INVALID "The provided starting key is invalid"
#define MISMATCH "The provided key element does not match the schema"
#define OUTSIDE "The provided starting key is outside query boundaries based on provided conditions"
#define OFF_RANGE "The provided starting key does not match the range key predicate"
#define ONE_ROW "The query can return at most one row and cannot be restarted"

static void make_range_table(td_world *world)
{
    world_init(world);
    make_table(world, "T", KEY("a", S, "b", S),
               INDEXES(LOCAL("local", KEY("a", S, "c", S)), GLOBAL("hash", KEY("c", S)),
                       GLOBAL("range", KEY("c", S, "d", S))));
}

static td_status try_start(td_world *world, td_page_request request, td_given_attributes start)
{
    td_page page;
    request.start_key = start.attributes;
    request.start_key_count = start.count;
    return td_read_page(&world->call, &request, &page, &world->fixture.error);
}

/* The place of a key is asked apart, before a page is read. */
static td_status try_place(td_world *world, td_page_request request, td_given_attributes start)
{
    request.start_key = start.attributes;
    request.start_key_count = start.count;
    return td_start_key_check_place(&world->call, &request, &world->fixture.error);
}

#define START(...) attributes_of(world.call.arena, __VA_ARGS__)

START_TEST(a_scan_refuses_keys_of_another_shape)
{
    td_world world;
    make_range_table(&world);
    td_page_request table = {0};
    REFUSED(&world, try_start(&world, table, START(S("a", "a"))), TD_VALIDATION, INVALID ": " MISMATCH);
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), S("c", "a"))), TD_VALIDATION, INVALID ": " MISMATCH);
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), N("b", "1"))), TD_VALIDATION, INVALID ": " MISMATCH);
    td_page_request local = {.index = TD_LIT("local")};
    REFUSED(&world, try_start(&world, local, START(S("a", "a"), S("b", "a"))), TD_VALIDATION, INVALID);
    REFUSED(&world, try_start(&world, local, START(S("a", "1"), N("b", "1"), S("c", "a"))), TD_VALIDATION,
            INVALID ": " MISMATCH);
    td_page_request hash = {.index = TD_LIT("hash")};
    REFUSED(&world, try_start(&world, hash, START(S("a", "a"), S("b", "a"), S("z", "a"))), TD_VALIDATION, INVALID);
    REFUSED(&world, try_start(&world, hash, START(N("x", "1"), N("y", "1"), S("c", "a"))), TD_VALIDATION,
            INVALID ": " MISMATCH);
    world_done(&world);
}
END_TEST

START_TEST(a_scan_refuses_keys_of_another_segment)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("a", S));
    td_page_request first = {.segment = 0, .total_segments = 2};
    td_page_request second = {.segment = 1, .total_segments = 2};
    ck_assert_int_eq(try_start(&world, first, START(S("a", "2"))), TD_OK); /* hash 29… */
    REFUSED(&world, try_start(&world, second, START(S("a", "2"))), TD_VALIDATION,
            INVALID ": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
                    "TotalSegments: 2 Segment: 1");
    world_done(&world);
}
END_TEST

START_TEST(a_query_refuses_keys_of_another_shape)
{
    td_world world;
    make_range_table(&world);
    td_key_range range = range_of(&world, S("", "b"));
    td_page_request table = {.range = &range};
    REFUSED(&world, try_start(&world, table, START(S("a", "a"))), TD_VALIDATION, INVALID);
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), S("z", "a"))), TD_VALIDATION, INVALID);
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), N("b", "1"))), TD_VALIDATION, MISMATCH);
    td_page_request local = {.range = &range, .index = TD_LIT("local")};
    REFUSED(&world, try_start(&world, local, START(S("a", "a"), S("b", "a"), N("c", "1"))), TD_VALIDATION, MISMATCH);
    REFUSED(&world, try_start(&world, local, START(S("a", "1"), N("b", "1"), S("c", "a"))), TD_VALIDATION,
            INVALID ": " MISMATCH);
    td_page_request global = {.range = &range, .index = TD_LIT("range")};
    REFUSED(&world, try_start(&world, global, START(S("c", "1"))), TD_VALIDATION, INVALID);
    REFUSED(&world, try_start(&world, global, START(N("x", "1"), N("y", "1"), S("c", "a"), S("d", "a"))), TD_VALIDATION,
            INVALID ": " MISMATCH);
    world_done(&world);
}
END_TEST

START_TEST(a_query_refuses_keys_that_it_does_not_hold)
{
    td_world world;
    make_range_table(&world);
    td_key_range all = range_of(&world, S("", "b"));
    td_page_request table = {.range = &all};
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), S("b", "a"))), TD_VALIDATION, OUTSIDE);
    ck_assert_int_eq(try_start(&world, table, START(S("a", "b"), S("b", "a"))), TD_OK);

    td_key_range above = all;
    above.kind = TD_RANGE_GREATER;
    above.low = TD_LIT("b");
    table.range = &above;
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), S("b", "a"))), TD_VALIDATION, OFF_RANGE);
    td_key_range below = above;
    below.kind = TD_RANGE_LESS;
    table.range = &below;
    REFUSED(&world, try_start(&world, table, START(S("a", "a"), S("b", "a"))), TD_VALIDATION, ONE_ROW);

    td_key_range exact = range_of(&world, S("", "a"));
    exact.equal_count = 1;
    exact.equal_parts[0] = TD_LIT("a");
    td_page_request global = {.range = &exact, .index = TD_LIT("range")};
    REFUSED(&world, try_start(&world, global, START(S("a", "a"), S("b", "a"), S("c", "c"), S("d", "a"))), TD_VALIDATION,
            ONE_ROW);
    REFUSED(&world, try_start(&world, global, START(S("a", "a"), S("b", "a"), S("c", "a"), S("d", "b"))), TD_VALIDATION,
            OFF_RANGE);
    world_done(&world);
}
END_TEST

START_TEST(the_place_of_a_key_is_checked_without_reading)
{
    td_world world;
    make_range_table(&world);
    td_page_request scan = {.segment = 1, .total_segments = 2};
    REFUSED(&world, try_place(&world, scan, START(S("a", "2"), N("b", "1"))), TD_VALIDATION, INVALID ": " MISMATCH);
    REFUSED(&world, try_place(&world, scan, START(S("a", "2"), S("b", "1"))), TD_VALIDATION,
            INVALID ": Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. "
                    "TotalSegments: 2 Segment: 1");
    scan.segment = 0;
    ck_assert_int_eq(try_place(&world, scan, START(S("a", "2"), S("b", "1"))), TD_OK);

    td_key_range range = range_of(&world, S("", "b"));
    td_page_request query = {.range = &range, .index = TD_LIT("range")};
    REFUSED(&world, try_place(&world, query, START(S("a", "a"), S("b", "a"), S("c", "b"), N("d", "1"))), TD_VALIDATION,
            MISMATCH);
    REFUSED(&world, try_place(&world, query, START(S("a", "a"), S("b", "a"), S("c", "a"), S("d", "a"))), TD_VALIDATION,
            OUTSIDE);
    ck_assert_int_eq(try_place(&world, query, START(S("a", "a"), S("b", "a"), S("c", "b"), S("d", "a"))), TD_OK);
    query.index = TD_LIT("none");
    ck_assert_int_eq(try_place(&world, query, START(S("a", "a"))), TD_VALIDATION);
    world_done(&world);
}
END_TEST

TCase *start_key_tests(void)
{
    TCase *tests = tcase_create("start key");
    tcase_add_test(tests, a_scan_refuses_keys_of_another_shape);
    tcase_add_test(tests, a_scan_refuses_keys_of_another_segment);
    tcase_add_test(tests, a_query_refuses_keys_of_another_shape);
    tcase_add_test(tests, a_query_refuses_keys_that_it_does_not_hold);
    tcase_add_test(tests, the_place_of_a_key_is_checked_without_reading);
    return tests;
}
