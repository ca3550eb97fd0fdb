/* SPDX-License-Identifier: Apache-2.0
 * index.c: tests of index maintenance: what stands in an index, what a write costs there, what pushes back. */
#include "suites.h"
#include "world.h"

static const char *scan_index(td_world *world, const char *index, const char *attribute)
{
    td_page page = read_page(world, (td_page_request){.index = td_slice_of_cstr(index)});
    return show_page(world, &page, attribute);
}

/* Entries of equal keys stand in the order of a hash, which is not this file's business. */
static uint32_t count_index(td_world *world, const char *index)
{
    return read_page(world, (td_page_request){.index = td_slice_of_cstr(index)}).count;
}

static td_given long_text(td_world *world, const char *name, size_t len)
{
    char *text = td_arena_alloc(world->call.arena, len);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', len);
    return S_OF(name, td_slice_of(text, len));
}

static void make_indexed_table(td_world *world)
{
    world_init(world);
    make_table(world, "T", KEY("pk", S, "sk", N),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N), .projection = TD_PROJECT_KEYS_ONLY),
                       GLOBAL("all", KEY("gh", S, "gr", N)),
                       GLOBAL("keys", KEY("gh", S), .projection = TD_PROJECT_KEYS_ONLY),
                       GLOBAL("some", KEY("gh", S), INCLUDING(TD_LIT("a")))));
}

START_TEST(an_index_holds_items_that_have_all_its_keys)
{
    td_world world;
    make_indexed_table(&world);
    put(&world, S("pk", "p"), N("sk", "1"));
    put(&world, S("pk", "p"), N("sk", "2"), S("gh", "g"));
    put(&world, S("pk", "p"), N("sk", "3"), S("gh", "g"), N("gr", "7"), N("lk", "-1"));
    ck_assert_str_eq(scan_index(&world, "all", "sk"), "3");
    ck_assert_uint_eq(count_index(&world, "keys"), 2);
    ck_assert_str_eq(scan_index(&world, "lix", "sk"), "3");
    td_table_info info = describe(&world);
    ck_assert_uint_eq(find_index(&info, "keys")->item_count, 2);
    ck_assert_uint_eq(find_index(&info, "lix")->item_count, 1);
    erase(&world, S("pk", "p"), N("sk", "3"));
    ck_assert_str_eq(scan_index(&world, "all", "sk"), "");
    ck_assert_str_eq(scan_index(&world, "keys", "sk"), "2");
    ck_assert_str_eq(scan_index(&world, "lix", "sk"), "");
    world_done(&world);
}
END_TEST

START_TEST(entries_show_their_projection)
{
    td_world world;
    make_indexed_table(&world);
    put(&world, S("pk", "p"), N("sk", "1"), S("gh", "g"), N("gr", "2"), S("a", "A"), S("b", "B"));
    td_page all = read_page(&world, (td_page_request){.index = TD_LIT("all")});
    CHECK_ITEM(world.call.arena, all.items[0], S("a", "A"), S("b", "B"), S("gh", "g"), N("gr", "2"), S("pk", "p"),
               N("sk", "1"));
    td_page keys = read_page(&world, (td_page_request){.index = TD_LIT("keys")});
    CHECK_ITEM(world.call.arena, keys.items[0], S("gh", "g"), S("pk", "p"), N("sk", "1"));
    td_page some = read_page(&world, (td_page_request){.index = TD_LIT("some")});
    CHECK_ITEM(world.call.arena, some.items[0], S("a", "A"), S("gh", "g"), S("pk", "p"), N("sk", "1"));
    update(&world, "SET a = :v", VALUES(S(":v", "A2")), S("pk", "p"), N("sk", "1"));
    some = read_page(&world, (td_page_request){.index = TD_LIT("some")});
    CHECK_ITEM(world.call.arena, some.items[0], S("a", "A2"), S("gh", "g"), S("pk", "p"), N("sk", "1"));
    world_done(&world);
}
END_TEST

/* throttling.md §1.4, one write after the other. */
START_TEST(each_entry_costs_its_own_change)
{
    td_world world;
    make_indexed_table(&world);
    put(&world, S("pk", "p"), N("sk", "1"));
    ck_assert_uint_eq(world.consumed.index_count, 0);

    put(&world, S("pk", "p"), N("sk", "1"), S("gh", "g"), N("gr", "1"), N("lk", "1"), long_text(&world, "a", 2000));
    ck_assert_int_eq(index_units(&world.consumed, "lix"), TD_UNITS_ONE);
    ck_assert_int_eq(index_units(&world.consumed, "keys"), TD_UNITS_ONE);
    ck_assert_int_eq(index_units(&world.consumed, "all"), 2 * TD_UNITS_ONE);
    ck_assert_int_eq(index_units(&world.consumed, "some"), 2 * TD_UNITS_ONE);
    ck_assert_int_eq(world.consumed.table, 2 * TD_UNITS_ONE);

    /* A projected attribute changes: the larger of both entries. What is not projected is free. */
    update(&world, "SET a = :v", VALUES(S(":v", "short")), S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(index_units(&world.consumed, "lix"), -1);
    ck_assert_int_eq(index_units(&world.consumed, "keys"), -1);
    ck_assert_int_eq(index_units(&world.consumed, "all"), 2 * TD_UNITS_ONE);
    ck_assert_int_eq(index_units(&world.consumed, "some"), 2 * TD_UNITS_ONE);
    update(&world, "SET b = :v", VALUES(S(":v", "b")), S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(index_units(&world.consumed, "some"), -1);
    ck_assert_int_eq(index_units(&world.consumed, "all"), TD_UNITS_ONE);

    /* A key that moves is a delete and a put. */
    update(&world, "SET gh = :v", VALUES(S(":v", "h")), S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(index_units(&world.consumed, "keys"), 2 * TD_UNITS_ONE);
    ck_assert_int_eq(index_units(&world.consumed, "lix"), -1);

    /* Without one key attribute the entry goes. */
    update(&world, "REMOVE gr", VALUES(S(":x", "unused")), S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(index_units(&world.consumed, "all"), TD_UNITS_ONE);
    ck_assert_int_eq(index_units(&world.consumed, "keys"), -1);
    erase(&world, S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(index_units(&world.consumed, "all"), -1);
    ck_assert_int_eq(index_units(&world.consumed, "keys"), TD_UNITS_ONE);
    ck_assert_int_eq(td_consumed_total(&world.consumed), 4 * TD_UNITS_ONE);
    world_done(&world);
}
END_TEST

START_TEST(the_same_item_again_is_free_for_indexes)
{
    td_world world;
    make_indexed_table(&world);
    put(&world, S("pk", "p"), N("sk", "1"), S("gh", "g"), N("gr", "1"), SS("s", TD_LIT("x"), TD_LIT("y")));
    put(&world, S("pk", "p"), N("sk", "1.0"), S("gh", "g"), N("gr", "1"), SS("s", TD_LIT("y"), TD_LIT("x")));
    ck_assert_uint_eq(world.consumed.index_count, 0);
    ck_assert_str_eq(scan_index(&world, "all", "sk"), "1");
    world_done(&world);
}
END_TEST

START_TEST(items_may_share_an_index_key)
{
    td_world world;
    make_indexed_table(&world);
    put(&world, S("pk", "p"), N("sk", "2"), S("gh", "g"), N("gr", "1"), N("lk", "1"));
    put(&world, S("pk", "p"), N("sk", "1"), S("gh", "g"), N("gr", "1"), N("lk", "1"));
    ck_assert_uint_eq(count_index(&world, "all"), 2);
    ck_assert_uint_eq(count_index(&world, "lix"), 2);
    erase(&world, S("pk", "p"), N("sk", "2"));
    ck_assert_str_eq(scan_index(&world, "all", "sk"), "1");
    ck_assert_str_eq(scan_index(&world, "lix", "sk"), "1");
    world_done(&world);
}
END_TEST

START_TEST(a_throttled_index_pushes_back)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 1000),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(1, 1))));
    for (int i = 0; i < 300; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        put(&world, S("pk", name), S("gh", "g"));
    }
    td_table_view before;
    td_table_view after;
    ck_assert(td_observe_table(&world.call, &before));
    ck_assert_int_eq(try_put(&world, S("pk", "x"), S("gh", "g")), TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    const td_throttle_reason *reason = &world.fixture.error.throttle->reasons[0];
    ck_assert_str_eq(td_throttle_reason_name(reason), "IndexWriteProvisionedThroughputExceeded");
    CHECK_SLICE(world.call.arena, reason->index, "gix");
    ck_assert(td_observe_table(&world.call, &after));
    ck_assert_double_eq(before.resources[0].bucket[TD_WRITE].balance, after.resources[0].bucket[TD_WRITE].balance);
    ck_assert_uint_eq(after.resources[1].bucket[TD_WRITE].throttled, 1);
    ck_assert_ptr_null(get(&world, S("pk", "x")));
    put(&world, S("pk", "x")); /* what the index does not see passes */
    ck_assert_int_eq(try_delete(&world, S("pk", "0")), TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    world_done(&world);
}
END_TEST

START_TEST(collections_are_measured)
{
    td_world world;
    make_indexed_table(&world);
    put(&world, S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(world.collection_bytes, 7 + 100);
    put(&world, S("pk", "p"), N("sk", "2"), N("lk", "1")); /* an entry of the local index beside it */
    ck_assert_int_eq(world.collection_bytes, 7 + 100 + (11 + 100) * 2);
    put(&world, S("pk", "q"), N("sk", "2"));
    ck_assert_int_eq(world.collection_bytes, 7 + 100);
    erase(&world, S("pk", "p"), N("sk", "2"));
    ck_assert_int_eq(world.collection_bytes, 7 + 100);
    erase(&world, S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(world.collection_bytes, 0);
    erase(&world, S("pk", "p"), N("sk", "1"));
    ck_assert_int_eq(world.collection_bytes, 0);
    world_done(&world);
}
END_TEST

START_TEST(local_entries_are_charged_to_the_table)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N), PROVISIONED(10, 10), INDEXES(LOCAL("lix", KEY("pk", S, "lk", N))));
    put(&world, S("pk", "p"), N("sk", "1"), N("lk", "1"));
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.resources[0].bucket[TD_WRITE].balance, 3000 - 2);
    ck_assert_double_eq(view.partitions[0].cap[TD_WRITE].balance, 1000 - 2);
    ck_assert_int_eq(td_consumed_total(&world.consumed), 2 * TD_UNITS_ONE);
    world_done(&world);
}
END_TEST

TCase *index_tests(void)
{
    TCase *tests = tcase_create("index");
    tcase_add_test(tests, an_index_holds_items_that_have_all_its_keys);
    tcase_add_test(tests, entries_show_their_projection);
    tcase_add_test(tests, each_entry_costs_its_own_change);
    tcase_add_test(tests, the_same_item_again_is_free_for_indexes);
    tcase_add_test(tests, items_may_share_an_index_key);
    tcase_add_test(tests, a_throttled_index_pushes_back);
    tcase_add_test(tests, collections_are_measured);
    tcase_add_test(tests, local_entries_are_charged_to_the_table);
    return tests;
}
