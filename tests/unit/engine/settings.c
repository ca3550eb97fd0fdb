/* SPDX-License-Identifier: Apache-2.0
 * settings.c: tests of settings that change while tables live. */
#include "actions.h"
#include "suites.h"
#include "world.h"

static td_capacity_patch patch_of(td_capacity_setting setting, double value)
{
    td_capacity_patch patch = {0};
    patch.has_value[setting] = true;
    patch.settings.values[setting] = value;
    return patch;
}

static void patch(td_world *world, const char *table, td_capacity_setting setting, double value)
{
    td_capacity_patch change = patch_of(setting, value);
    ck_assert(
        td_store_patch_capacity(world->store, world->call.now_us, world->call.scope, td_slice_of_cstr(table), &change));
}

static double cap_of(td_world *world, const char *table)
{
    td_table_view view;
    world_use(world, table);
    ck_assert(td_observe_table(&world->call, &view));
    return view.partitions[0].cap[TD_WRITE].rate;
}

START_TEST(the_servers_settings_reach_tables_without_their_own)
{
    td_world world;
    world_init(&world);
    make_table(&world, "A", KEY("pk", S));
    make_table(&world, "B", KEY("pk", S));
    patch(&world, "A", TD_CAPACITY_partition_write_cap, 50);
    ck_assert_double_eq(cap_of(&world, "A"), 50);
    ck_assert_double_eq(cap_of(&world, "B"), 1000);
    patch(&world, "", TD_CAPACITY_partition_write_cap, 70);
    ck_assert_double_eq(cap_of(&world, "A"), 50);
    ck_assert_double_eq(cap_of(&world, "B"), 70);
    patch(&world, "A", TD_CAPACITY_burst_window, 10); /* one more of its own: the first one stays */
    ck_assert_double_eq(cap_of(&world, "A"), 50);
    make_table(&world, "C", KEY("pk", S));
    ck_assert_double_eq(cap_of(&world, "C"), 70);
    td_capacity_settings settings;
    ck_assert(td_store_get_capacity(world.store, TD_LIT(""), TD_LIT("A"), &settings));
    ck_assert_double_eq(settings.values[TD_CAPACITY_partition_write_cap], 50);
    ck_assert(td_store_get_capacity(world.store, TD_LIT(""), TD_LIT(""), &settings));
    ck_assert_double_eq(settings.values[TD_CAPACITY_partition_write_cap], 70);
    ck_assert(!td_store_get_capacity(world.store, TD_LIT(""), TD_LIT("none"), &settings));
    td_store_reset_settings(world.store, world.call.now_us);
    ck_assert_double_eq(cap_of(&world, "A"), 1000);
    ck_assert_double_eq(cap_of(&world, "B"), 1000);
    world_done(&world);
}
END_TEST

START_TEST(partitions_grow_and_never_shrink)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1000));
    put(&world, S("pk", "a"));
    td_table_view view;
    patch(&world, "T", TD_CAPACITY_partition_write_cap, 250);
    ck_assert(td_observe_table(&world.call, &view));
    uint32_t grown = view.partition_count;
    ck_assert_uint_ge(grown, 4);
    patch(&world, "T", TD_CAPACITY_partition_write_cap, 1000);
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_uint_eq(view.partition_count, grown);
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world_done(&world);
}
END_TEST

START_TEST(enforcement_can_be_switched_off)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_capacity_patch off = {.has_enforce = true, .settings.enforce = TD_ENFORCE_OFF};
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, TD_LIT(""), TD_LIT("T"), &off));
    for (int i = 0; i < 1500; i++)
        put(&world, S("pk", "hot"));
    td_capacity_patch observe = {.has_enforce = true, .settings.enforce = TD_ENFORCE_OBSERVE};
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, TD_LIT(""), TD_LIT("T"), &observe));
    ck_assert(td_capacity_reset(&world.call));
    for (int i = 0; i < 1003; i++)
        put(&world, S("pk", "hot"));
    td_throttle_count *counts = NULL;
    uint32_t count = 0;
    ck_assert(td_observe_take_throttles(world.store, world.call.arena, &counts, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(counts[0].count, 3);
    world_done(&world);
}
END_TEST

START_TEST(what_is_observed_passes_in_transactions_and_indexes_too)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1000),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(1, 1))));
    patch(&world, "T", TD_CAPACITY_burst_window, 0.001);
    patch(&world, "T", TD_CAPACITY_report_all_reasons, 1);
    td_capacity_patch observe = {.has_enforce = true, .settings.enforce = TD_ENFORCE_OBSERVE};
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, TD_LIT(""), TD_LIT("T"), &observe));
    put(&world, S("pk", "a"), S("gh", "g"));
    put(&world, S("pk", "b"), S("gh", "g")); /* neither the table nor the index has anything left */
    OK(transact(&world, PUT("T", S("pk", "c"), S("gh", "g")), PUT("T", S("pk", "d"), S("gh", "g"))));
    WROTE_UNITS("T 4+gix 2");
    td_transact_get_result got;
    OK(transact_get(&world, &got, GET("T", S("pk", "a")), GET("T", S("pk", "b"))));
    OK(transact_get(&world, &got, GET("T", S("pk", "a")), GET("T", S("pk", "b"))));
    td_throttle_count *counts = NULL;
    uint32_t count = 0;
    ck_assert(td_observe_take_throttles(world.store, world.call.arena, &counts, &count));
    ck_assert_uint_eq(count, 3); /* reads of the table, its writes, and those of the index */
    ck_assert_uint_eq(counts[2].count, 3);
    ck_assert_str_eq(td_throttle_reason_name(&counts[2].reason), "IndexWriteProvisionedThroughputExceeded");
    world_done(&world);
}
END_TEST

TCase *settings_tests(void)
{
    TCase *tests = tcase_create("settings");
    tcase_add_test(tests, the_servers_settings_reach_tables_without_their_own);
    tcase_add_test(tests, partitions_grow_and_never_shrink);
    tcase_add_test(tests, enforcement_can_be_switched_off);
    tcase_add_test(tests, what_is_observed_passes_in_transactions_and_indexes_too);
    return tests;
}
