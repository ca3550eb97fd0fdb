/* SPDX-License-Identifier: Apache-2.0
 * expiry.c: tests of time to live: what expires, when, and what its deletion leaves behind. */
#include "suites.h"
#include "thermodyn/expiry.h"
#include "thermodyn/stream.h"
#include "world.h"

#define START_S "1790000000"
#define IN_100_S "1790000100"

static td_status try_set_expiry(td_world *world, bool is_enabled, const char *attribute)
{
    return td_expiry_update(&world->call, is_enabled, td_slice_of_cstr(attribute), &world->fixture.error);
}

/* A table whose items expire by the attribute "t". */
static void init_with_expiry(td_world *world, td_time_us delay_us)
{
    td_store_options options = world_options();
    options.ttl_delay_us = delay_us;
    world_init_with(world, options);
    make_table(world, "T", KEY("pk", S), PROVISIONED(100, 100), .stream = TD_STREAM_NEW_AND_OLD_IMAGES);
    ck_assert_int_eq(try_set_expiry(world, true, "t"), TD_OK);
}

static td_changes read_stream(td_world *world)
{
    td_stream_info info;
    td_time_us label_us = describe(world).stream_enabled_us;
    ck_assert_int_eq(td_stream_describe(&world->call, label_us, TD_LIT(""), 1, &info, &world->fixture.error), TD_OK);
    td_shard_iterator iterator;
    ck_assert_int_eq(td_stream_iterate(&world->call, label_us, td_slice_of_cstr(info.shards[0].id),
                                       TD_ITERATE_TRIM_HORIZON, TD_LIT(""), &iterator, &world->fixture.error),
                     TD_OK);
    td_changes changes;
    ck_assert_int_eq(td_stream_read(&world->call, &iterator, 1000, &changes, &world->fixture.error), TD_OK);
    return changes;
}

START_TEST(an_item_goes_at_its_instant)
{
    td_world world;
    init_with_expiry(&world, 0);
    put(&world, S("pk", "a"), N("t", IN_100_S));
    world_move(&world, 99.999999);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_move(&world, 0.000001);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(the_delay_stands_between_the_instant_and_the_deletion)
{
    td_world world;
    init_with_expiry(&world, 30 * TD_US_PER_S);
    put(&world, S("pk", "a"), N("t", IN_100_S));
    world_move(&world, 129.9);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_move(&world, 0.1);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(an_item_that_is_written_too_late_can_be_read_for_the_delay)
{
    td_world world;
    init_with_expiry(&world, 30 * TD_US_PER_S);
    put(&world, S("pk", "a"), N("t", "1700000000"));
    td_store_run_due(world.store, world.call.now_us);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_move(&world, 30);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(only_a_number_of_the_last_five_years_or_later_expires)
{
    static const struct {
        td_given value;
        bool expires;
    } rows[] = {
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1790000000.9")}, true},
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1.79E9")}, true},
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1790000002")}, false}, /* not yet */
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1632215240")}, true},
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1632215239")}, false}, /* five years and a second */
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("0")}, false},
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("-5.5")}, false},
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1790000000000")}, false}, /* milliseconds */
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1e125")}, false},
        {{.name = "t", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("9223372036854775807")}, false},
        {{.name = "t", .type = TD_TYPE_S, .bytes = TD_LIT_INIT("1790000000")}, false},
        {{.name = "u", .type = TD_TYPE_N, .bytes = TD_LIT_INIT("1790000000")}, false},
    };
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_world world;
        init_with_expiry(&world, 0);
        put(&world, S("pk", "a"), rows[i].value);
        world_move(&world, 1);
        ck_assert_msg((get(&world, S("pk", "a")) == NULL) == rows[i].expires, "row %zu", i);
        world_done(&world);
    }
}
END_TEST

START_TEST(an_item_with_another_instant_by_then_stays)
{
    td_world world;
    init_with_expiry(&world, 0);
    put(&world, S("pk", "later"), N("t", IN_100_S));
    put(&world, S("pk", "never"), N("t", IN_100_S));
    put(&world, S("pk", "deleted"), N("t", IN_100_S));
    put(&world, S("pk", "sooner"), N("t", IN_100_S));
    update(&world, "SET t = :t", VALUES(N(":t", "1790000200")), S("pk", "later"));
    update(&world, "REMOVE t", VALUES(), S("pk", "never"));
    erase(&world, S("pk", "deleted"));
    put(&world, S("pk", "deleted"), S("v", "again"));
    update(&world, "SET t = :t", VALUES(N(":t", "1790000050")), S("pk", "sooner"));
    world_move(&world, 50);
    ck_assert_ptr_null(get(&world, S("pk", "sooner")));
    world_move(&world, 50);
    ck_assert_ptr_nonnull(get(&world, S("pk", "later")));
    ck_assert_ptr_nonnull(get(&world, S("pk", "never")));
    ck_assert_ptr_nonnull(get(&world, S("pk", "deleted")));
    world_move(&world, 100);
    ck_assert_ptr_null(get(&world, S("pk", "later")));
    world_move(&world, 100000);
    ck_assert_ptr_nonnull(get(&world, S("pk", "never")));
    world_done(&world);
}
END_TEST

START_TEST(a_deletion_is_recorded_as_the_services_own)
{
    td_world world;
    init_with_expiry(&world, 0);
    put(&world, S("pk", "a"), N("t", IN_100_S));
    put(&world, S("pk", "b"), N("t", IN_100_S));
    erase(&world, S("pk", "b"));
    world_move(&world, 500);
    td_changes changes = read_stream(&world);
    ck_assert_uint_eq(changes.count, 4);
    ck_assert_int_eq(changes.changes[2].kind, TD_CHANGE_REMOVE);
    ck_assert(!changes.changes[2].is_expiry);
    const td_change *expired = &changes.changes[3];
    ck_assert_int_eq(expired->kind, TD_CHANGE_REMOVE);
    ck_assert(expired->is_expiry);
    ck_assert_int_eq(expired->at_us, WORLD_START_US + 100 * TD_US_PER_S);
    CHECK_ITEM(&world.fixture.arena, expired->old_image, S("pk", "a"), N("t", IN_100_S));
    world_done(&world);
}
END_TEST

START_TEST(a_deletion_reaches_indexes_and_collections_and_costs_nothing)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N), PROVISIONED(5, 5),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N)), GLOBAL("gix", KEY("gh", S), .throughput = UNITS(5, 5))));
    ck_assert_int_eq(try_set_expiry(&world, true, "t"), TD_OK);
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "1"), S("gh", "g"), N("t", IN_100_S));
    world_move(&world, 99);
    ck_assert(td_capacity_reset(&world.call));
    world_move(&world, 1);
    td_table_info info = describe(&world);
    ck_assert_uint_eq(info.item_count, 0);
    ck_assert_uint_eq(find_index(&info, "lix")->item_count, 0);
    ck_assert_uint_eq(find_index(&info, "gix")->item_count, 0);
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    for (uint32_t i = 0; i < view.resource_count; i++)
        ck_assert_double_eq(view.resources[i].bucket[TD_WRITE].balance, view.resources[i].bucket[TD_WRITE].ceiling);
    put(&world, S("pk", "a"), N("sk", "2"), N("lk", "1"), S("gh", "g"));
    int64_t alone = world.collection_bytes;
    put(&world, S("pk", "b"), N("sk", "2"), N("lk", "1"), S("gh", "g"));
    ck_assert_int_eq(alone, world.collection_bytes);
    world_done(&world);
}
END_TEST

START_TEST(items_that_are_there_already_expire_too)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    for (int i = 0; i < 1000; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i);
        put(&world, S("pk", key), N("t", i % 2 == 0 ? IN_100_S : "1790000200"));
        world_forget(&world);
    }
    ck_assert_int_eq(try_set_expiry(&world, true, "t"), TD_OK);
    world_move(&world, 100);
    ck_assert_uint_eq(describe(&world).item_count, 500);
    world_move(&world, 100);
    ck_assert_uint_eq(describe(&world).item_count, 0);
    world_move(&world, 3600); /* the puts are no traffic any more either */
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(nothing_expires_once_it_is_disabled)
{
    td_world world;
    init_with_expiry(&world, 0);
    put(&world, S("pk", "a"), N("t", IN_100_S));
    ck_assert_int_eq(try_set_expiry(&world, false, "t"), TD_OK);
    world_move(&world, 1000);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    ck_assert_int_eq(try_set_expiry(&world, true, "t"), TD_OK);
    world_move(&world, 0);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(an_update_that_changes_nothing_is_refused)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_expiry_info info;
    ck_assert_int_eq(td_expiry_describe(&world.call, &info, &world.fixture.error), TD_OK);
    ck_assert(!info.is_enabled);
    REFUSED(&world, try_set_expiry(&world, false, "t"), TD_VALIDATION, "TimeToLive is already disabled");
    ck_assert_int_eq(try_set_expiry(&world, true, "t"), TD_OK);
    ck_assert_int_eq(td_expiry_describe(&world.call, &info, &world.fixture.error), TD_OK);
    ck_assert(info.is_enabled);
    CHECK_SLICE(&world.fixture.arena, info.attribute, "t");
    REFUSED(&world, try_set_expiry(&world, true, "t"), TD_VALIDATION, "TimeToLive is already enabled");
    REFUSED(&world, try_set_expiry(&world, true, "u"), TD_VALIDATION,
            "TimeToLive is active on a different AttributeName: current AttributeName is t");
    REFUSED(&world, try_set_expiry(&world, false, "u"), TD_VALIDATION,
            "TimeToLive is active on a different AttributeName: current AttributeName is t");
    ck_assert_int_eq(try_set_expiry(&world, false, "t"), TD_OK);
    world_use(&world, "missing");
    REFUSED(&world, try_set_expiry(&world, true, "t"), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found: Table: missing not found");
    REFUSED(&world, td_expiry_describe(&world.call, &info, &world.fixture.error), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found: Table: missing not found");
    world_done(&world);
}
END_TEST

START_TEST(with_table_delays_it_changes_once_an_hour)
{
    td_world world;
    td_store_options options = world_options();
    options.has_table_delays = true;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    REFUSED(&world, try_set_expiry(&world, true, "t"), TD_RESOURCE_IN_USE,
            "Attempt to change a resource which is still in use: Table is being created: T");
    world_move(&world, 10);
    ck_assert_int_eq(try_set_expiry(&world, true, "t"), TD_OK);
    world_move(&world, 3599);
    REFUSED(&world, try_set_expiry(&world, true, "t"), TD_VALIDATION, "TimeToLive is already enabled");
    REFUSED(&world, try_set_expiry(&world, false, "t"), TD_VALIDATION,
            "Time to live has been modified multiple times within a fixed interval");
    world_move(&world, 1);
    ck_assert_int_eq(try_set_expiry(&world, false, "t"), TD_OK);
    world_done(&world);
}
END_TEST

START_TEST(a_table_that_goes_leaves_nothing_due)
{
    td_world world;
    init_with_expiry(&world, 0);
    put(&world, S("pk", "a"), N("t", "2000000000"));
    td_store_drop(world.store, TD_LIT(""), TD_LIT("T"));
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(the_longest_key_expires)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", B, "sk", B), PROVISIONED(100, 100));
    ck_assert_int_eq(try_set_expiry(&world, true, "t"), TD_OK);
    uint8_t *zeros = td_arena_alloc_zero(&world.fixture.arena, 2048); /* zeros are escaped */
    put(&world, B_OF("pk", td_slice_of(zeros, 2048)), B_OF("sk", td_slice_of(zeros, 1024)), N("t", IN_100_S));
    ck_assert_uint_eq(describe(&world).item_count, 1);
    world_move(&world, 100);
    ck_assert_uint_eq(describe(&world).item_count, 0);
    world_done(&world);
}
END_TEST

TCase *expiry_tests(void)
{
    TCase *tests = tcase_create("expiry");
    tcase_add_test(tests, an_item_goes_at_its_instant);
    tcase_add_test(tests, the_delay_stands_between_the_instant_and_the_deletion);
    tcase_add_test(tests, an_item_that_is_written_too_late_can_be_read_for_the_delay);
    tcase_add_test(tests, only_a_number_of_the_last_five_years_or_later_expires);
    tcase_add_test(tests, an_item_with_another_instant_by_then_stays);
    tcase_add_test(tests, a_deletion_is_recorded_as_the_services_own);
    tcase_add_test(tests, a_deletion_reaches_indexes_and_collections_and_costs_nothing);
    tcase_add_test(tests, items_that_are_there_already_expire_too);
    tcase_add_test(tests, nothing_expires_once_it_is_disabled);
    tcase_add_test(tests, an_update_that_changes_nothing_is_refused);
    tcase_add_test(tests, with_table_delays_it_changes_once_an_hour);
    tcase_add_test(tests, a_table_that_goes_leaves_nothing_due);
    tcase_add_test(tests, the_longest_key_expires);
    return tests;
}
