/* SPDX-License-Identifier: Apache-2.0
 * snapshot.c: tests of snapshots: what going back brings back, and what it leaves as it is. Which items and entries
 * there are after any course of events is property/snapshots.c's. */
#include "thermodyn/snapshot.h"

#include "actions.h"
#include "suites.h"
#include "thermodyn/expiry.h"
#include "thermodyn/resource_policy.h"
#include "thermodyn/stream.h"
#include "world.h"

#define IN_100_S "1790000100"

static td_snapshot_info kept;

static td_snapshot_result try_keep(td_world *world, const char *name)
{
    td_slice busy;
    return td_snapshot_keep(&world->call, td_slice_of_cstr(name), &kept, &busy);
}

static void keep(td_world *world, const char *name)
{
    ck_assert_int_eq(try_keep(world, name), TD_SNAPSHOT_OK);
}

static void go_back(td_world *world, const char *name)
{
    ck_assert_int_eq(td_snapshot_restore(&world->call, td_slice_of_cstr(name), &kept), TD_SNAPSHOT_OK);
}

static uint64_t changes_of(td_world *world, const char *name)
{
    td_snapshot_info info;
    ck_assert_int_eq(td_snapshot_describe(&world->call, td_slice_of_cstr(name), &info), TD_SNAPSHOT_OK);
    return info.changes;
}

static void change_table(td_world *world, td_table_change change)
{
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world->call, &change, &info, &world->fixture.error), TD_OK);
}

static void drop_table(td_world *world)
{
    td_table_info info;
    ck_assert_int_eq(td_table_delete(&world->call, &info, &world->fixture.error), TD_OK);
}

static uint32_t count_index(td_world *world, const char *index)
{
    return read_page(world, (td_page_request){.index = td_slice_of_cstr(index)}).count;
}

START_TEST(items_and_entries_are_as_they_were)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("g", S))));
    put(&world, S("pk", "a"), S("g", "x"), N("n", "1"));
    put(&world, S("pk", "b"), S("g", "x"), N("n", "2"));
    keep(&world, "seed");
    ck_assert_uint_eq(kept.tables, 1);
    ck_assert_uint_eq(kept.items, 2);
    put(&world, S("pk", "a"), N("n", "9"));
    erase(&world, S("pk", "b"));
    put(&world, S("pk", "c"), S("g", "x"));
    ck_assert_uint_eq(changes_of(&world, "seed"), 6); /* three items, three entries */
    go_back(&world, "seed");
    ck_assert_uint_eq(changes_of(&world, "seed"), 0);
    ck_assert_uint_eq(count_index(&world, "gix"), 2);
    ck_assert_ptr_nonnull(get(&world, S("pk", "b")));
    ck_assert_ptr_null(get(&world, S("pk", "c")));
    world_done(&world);
}
END_TEST

START_TEST(tables_come_back_whole_and_later_ones_go)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"));
    char id[37];
    memcpy(id, describe(&world).table_id, sizeof id);
    keep(&world, "seed");
    drop_table(&world);
    make_table(&world, "T", KEY("other", N));
    make_table(&world, "U", KEY("pk", S));
    go_back(&world, "seed");
    world_use(&world, "T");
    ck_assert_str_eq(describe(&world).table_id, id);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    ck_assert_uint_eq(td_store_table_count(world.store), 1);
    put(&world, S("pk", "b"));
    go_back(&world, "seed");
    ck_assert_ptr_null(get(&world, S("pk", "b")));
    world_done(&world);
}
END_TEST

START_TEST(any_of_several_can_be_gone_back_to)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    keep(&world, "none");
    put(&world, S("pk", "a"));
    keep(&world, "a");
    put(&world, S("pk", "b"));
    keep(&world, "ab");
    go_back(&world, "a");
    put(&world, S("pk", "c"));
    keep(&world, "ac");
    go_back(&world, "ab");
    ck_assert_ptr_nonnull(get(&world, S("pk", "b")));
    ck_assert_ptr_null(get(&world, S("pk", "c")));
    ck_assert_uint_eq(td_snapshot_remove(world.store, TD_LIT("a")), 1); /* two hang on it */
    go_back(&world, "ac");
    ck_assert_ptr_null(get(&world, S("pk", "b")));
    ck_assert_ptr_nonnull(get(&world, S("pk", "c")));
    go_back(&world, "none");
    ck_assert_uint_eq(describe(&world).item_count, 0);
    ck_assert_uint_eq(td_snapshot_remove(world.store, TD_LIT("")), 3);
    ck_assert_int_eq(td_snapshot_restore(&world.call, TD_LIT("none"), &kept), TD_SNAPSHOT_UNKNOWN);
    world_done(&world);
}
END_TEST

START_TEST(settings_are_as_they_were)
{
    td_world world;
    world_init(&world);
    td_tag tag = {TD_LIT("key"), TD_LIT("value")};
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 5), .tags = &tag, .tag_count = 1);
    td_error *error = &world.fixture.error;
    td_policy_place place = {.is_stream = false};
    int64_t revision;
    ck_assert_int_eq(td_resource_policy_put(&world.call, place, TD_LIT("{}"), TD_LIT(""), &revision, error), TD_OK);
    keep(&world, "seed");
    ck_assert_int_eq(td_resource_policy_put(&world.call, place, TD_LIT(""), TD_LIT(""), &revision, error), TD_OK);
    td_slice key = TD_LIT("key");
    ck_assert_int_eq(td_tag_remove(&world.call, &key, 1, &world.fixture.error), TD_OK);
    change_table(&world, (td_table_change){.has_billing = true, .billing = TD_BILLING_ON_DEMAND});
    change_table(&world, (td_table_change){.has_deletion_protection = true, .deletion_protection = true});
    td_capacity_patch patch = {.has_value = {[TD_CAPACITY_partition_write_cap] = true}};
    patch.settings.values[TD_CAPACITY_partition_write_cap] = 7;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, TD_LIT(""), TD_LIT("T"), &patch));
    go_back(&world, "seed");
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.spec.billing, TD_BILLING_PROVISIONED);
    ck_assert_int_eq(info.spec.throughput.rate[TD_WRITE], 5);
    ck_assert(!info.spec.has_deletion_protection);
    ck_assert_int_eq(info.billing_changed_us, 0);
    td_capacity_settings settings;
    ck_assert(td_store_get_capacity(world.store, TD_LIT(""), TD_LIT("T"), &settings));
    ck_assert_double_eq(settings.values[TD_CAPACITY_partition_write_cap], 1000);
    td_tag *tags;
    uint32_t count;
    ck_assert_int_eq(td_tag_list(&world.call, &tags, &count, error), TD_OK);
    ck_assert_uint_eq(count, 1);
    td_resource_policy policy;
    ck_assert_int_eq(td_resource_policy_get(&world.call, place, &policy, error), TD_OK);
    ck_assert(td_slice_equal(policy.text, TD_LIT("{}")));
    ck_assert_int_eq(policy.revision, revision);
    world_done(&world);
}
END_TEST

START_TEST(buckets_are_as_on_the_first_day)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    double full = balance(&world, "T", TD_WRITE);
    put(&world, S("pk", "a"));
    keep(&world, "seed");
    while (try_put(&world, S("pk", "b")) == TD_OK)
        world_forget(&world);
    go_back(&world, "seed");
    ck_assert_double_eq(balance(&world, "T", TD_WRITE), full);
    world_done(&world);
}
END_TEST

START_TEST(an_index_that_was_removed_is_back_with_its_entries)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("g", S))));
    put(&world, S("pk", "a"), S("g", "x"));
    keep(&world, "seed");
    put(&world, S("pk", "b"), S("g", "x"));
    td_index_change removal = {.action = TD_INDEX_DELETE, .spec.name = TD_LIT("gix")};
    change_table(&world, (td_table_change){.indexes = &removal, .index_count = 1});
    put(&world, S("pk", "c"), S("g", "x"));
    erase(&world, S("pk", "a"));
    keep(&world, "without");
    go_back(&world, "seed");
    ck_assert_uint_eq(count_index(&world, "gix"), 1);
    put(&world, S("pk", "d"), S("g", "x"));
    ck_assert_uint_eq(count_index(&world, "gix"), 2);
    go_back(&world, "without");
    ck_assert_uint_eq(describe(&world).index_count, 0);
    ck_assert_uint_eq(describe(&world).item_count, 2);
    world_done(&world);
}
END_TEST

START_TEST(time_to_live_is_as_it_was)
{
    td_world world;
    td_store_options options = world_options();
    options.ttl_delay_us = 10 * TD_US_PER_S;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    td_error *error = &world.fixture.error;
    ck_assert_int_eq(td_expiry_update(&world.call, true, TD_LIT("t"), error), TD_OK);
    put(&world, S("pk", "a"), N("t", IN_100_S));
    put(&world, S("pk", "b"), N("t", IN_100_S));
    keep(&world, "seed");
    put(&world, S("pk", "b"), N("t", "1790009999"));
    ck_assert_int_eq(td_expiry_update(&world.call, false, TD_LIT("t"), error), TD_OK);
    put(&world, S("pk", "a"));
    go_back(&world, "seed");
    world_move(&world, 109.9);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_move(&world, 0.1);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    ck_assert_ptr_null(get(&world, S("pk", "b")));
    go_back(&world, "seed"); /* they have expired, and have the delay as if they were written now */
    world_move(&world, 9.9);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_move(&world, 0.1);
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    drop_table(&world);
    go_back(&world, "seed");
    ck_assert_ptr_nonnull(get(&world, S("pk", "b")));
    world_move(&world, 10);
    ck_assert_ptr_null(get(&world, S("pk", "b")));
    world_done(&world);
}
END_TEST

START_TEST(a_stream_goes_on_and_one_that_was_closed_is_made_anew)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(5, 5), .stream = TD_STREAM_NEW_IMAGE);
    td_time_us label_us = describe(&world).stream_enabled_us;
    keep(&world, "seed");
    put(&world, S("pk", "a"));
    go_back(&world, "seed");
    ck_assert_int_eq(describe(&world).stream_enabled_us, label_us);
    td_stream_info info;
    td_error *error = &world.fixture.error;
    ck_assert_int_eq(td_stream_describe(&world.call, label_us, TD_LIT(""), 1, &info, error), TD_OK);
    td_shard_iterator from;
    td_changes changes;
    td_slice shard = td_slice_of_cstr(info.shards[0].id);
    ck_assert_int_eq(td_stream_iterate(&world.call, label_us, shard, TD_ITERATE_TRIM_HORIZON, TD_LIT(""), &from, error),
                     TD_OK);
    ck_assert_int_eq(td_stream_read(&world.call, &from, 100, &changes, error), TD_OK);
    ck_assert_uint_eq(changes.count, 1); /* of the put; going back is no change */

    world_move(&world, 1);
    change_table(&world, (td_table_change){.has_stream = true, .stream = TD_STREAM_NONE});
    go_back(&world, "seed");
    ck_assert_int_eq(describe(&world).spec.stream, TD_STREAM_NEW_IMAGE);
    ck_assert_int_gt(describe(&world).stream_enabled_us, label_us);
    put(&world, S("pk", "a"));
    drop_table(&world);
    go_back(&world, "seed");
    ck_assert_int_eq(describe(&world).spec.stream, TD_STREAM_NEW_IMAGE);
    put(&world, S("pk", "a"));
    world_done(&world);
}
END_TEST

START_TEST(readers_that_lag_see_it_at_once)
{
    td_world world;
    td_store_options options = world_options();
    options.index_lag_us = 60 * TD_US_PER_S;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("g", S))));
    put(&world, S("pk", "a"), S("g", "x"));
    keep(&world, "seed");
    erase(&world, S("pk", "a"));
    put(&world, S("pk", "b"), S("g", "x"));
    put(&world, S("pk", "c"), S("g", "x"));
    ck_assert_uint_eq(count_index(&world, "gix"), 0);
    go_back(&world, "seed");
    ck_assert_uint_eq(count_index(&world, "gix"), 1);
    world_move(&world, 60);
    ck_assert_uint_eq(count_index(&world, "gix"), 1);
    world_done(&world);
}
END_TEST

START_TEST(a_table_that_is_being_changed_cannot_be_kept_but_goes_back)
{
    td_world world;
    td_store_options options = world_options();
    options.has_table_delays = true;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(5, 5));
    ck_assert_int_eq(try_keep(&world, "seed"), TD_SNAPSHOT_TABLE_BUSY);
    world_move(&world, 3600);
    put(&world, S("pk", "a"));
    keep(&world, "seed");
    change_table(&world, (td_table_change){.has_throughput = true, .throughput = UNITS(9, 9)});
    ck_assert_int_eq(try_keep(&world, "busy"), TD_SNAPSHOT_TABLE_BUSY);
    go_back(&world, "seed");
    ck_assert_int_eq(describe(&world).status, TD_TABLE_ACTIVE);
    world_move(&world, 3600);
    ck_assert_int_eq(describe(&world).spec.throughput.rate[TD_READ], 5);
    drop_table(&world);
    ck_assert_int_eq(describe(&world).status, TD_TABLE_DELETING);
    go_back(&world, "seed");
    world_move(&world, 3600);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(what_a_token_stood_for_can_be_done_again)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    keep(&world, "seed");
    OK(transact_with(&world, "token", 1, PUT("T", S("pk", "a"))));
    go_back(&world, "seed");
    OK(transact_with(&world, "token", 1, PUT("T", S("pk", "a"))));
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(dropping_all_tables_keeps_the_snapshots)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), .stream = TD_STREAM_NEW_IMAGE);
    change_table(&world, (td_table_change){.has_stream = true, .stream = TD_STREAM_NONE});
    put(&world, S("pk", "a"));
    keep(&world, "seed");
    put(&world, S("pk", "b"), N("n", "1"));
    td_store_drop_all(world.store);
    world.call.now_us -= 3600 * TD_US_PER_S; /* a reset sets the clock back */
    go_back(&world, "seed");
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    ck_assert_int_eq(describe(&world).stream_enabled_us, 0); /* streams went with it */
    put(&world, S("pk", "b"));
    td_store_drop_all(world.store);
    keep(&world, "seed"); /* takes the place of the first, which was the last to hold the table */
    ck_assert_uint_eq(kept.tables, 0);
    world_done(&world);
}
END_TEST

TCase *snapshot_tests(void)
{
    TCase *tests = tcase_create("snapshot");
    tcase_add_test(tests, items_and_entries_are_as_they_were);
    tcase_add_test(tests, tables_come_back_whole_and_later_ones_go);
    tcase_add_test(tests, any_of_several_can_be_gone_back_to);
    tcase_add_test(tests, settings_are_as_they_were);
    tcase_add_test(tests, buckets_are_as_on_the_first_day);
    tcase_add_test(tests, an_index_that_was_removed_is_back_with_its_entries);
    tcase_add_test(tests, time_to_live_is_as_it_was);
    tcase_add_test(tests, a_stream_goes_on_and_one_that_was_closed_is_made_anew);
    tcase_add_test(tests, readers_that_lag_see_it_at_once);
    tcase_add_test(tests, a_table_that_is_being_changed_cannot_be_kept_but_goes_back);
    tcase_add_test(tests, what_a_token_stood_for_can_be_done_again);
    tcase_add_test(tests, dropping_all_tables_keeps_the_snapshots);
    return tests;
}
