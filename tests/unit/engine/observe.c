/* SPDX-License-Identifier: Apache-2.0
 * observe.c: tests of the views that control and logs take. */
#include "suites.h"
#include "world.h"

START_TEST(partitions_show_what_they_hold_and_did)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    put(&world, S("pk", "2"), S("gh", "hello")); /* hash 29…: the first partition; of the index: 8f…, the third */
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_uint_eq(view.resource_count, 2);
    ck_assert_uint_eq(view.partition_count, 8);
    CHECK_SLICE(world.call.arena, view.partitions[7].index, "gix");
    ck_assert_str_eq(view.partitions[0].id, "p-0001");
    ck_assert_str_eq(view.partitions[7].id, "p-0004");
    ck_assert_str_eq(view.partitions[0].parent, "");
    ck_assert_uint_eq(view.partitions[0].items, 1);
    ck_assert_uint_eq(view.partitions[0].bytes, 10 + 100);
    ck_assert_uint_eq(view.partitions[6].items, 1);
    ck_assert_uint_eq(view.partitions[0].hash_to.bytes[0], 0x3F);
    ck_assert_uint_eq(view.partitions[0].hash_to.bytes[15], 0xFF);
    ck_assert_uint_eq(view.partitions[1].hash_from.bytes[0], 0x40);
    ck_assert_uint_eq(view.partitions[1].hash_from.bytes[15], 0x00);
    ck_assert_double_eq(view.partitions[0].cap[TD_WRITE].balance, 999);
    ck_assert_double_eq(view.partitions[0].consumed_minute[TD_WRITE], 1);
    ck_assert_double_eq(view.resources[0].bucket[TD_WRITE].rate, 40000);
    world_move(&world, 1);
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.partitions[0].consumed_1s[TD_WRITE], 1);
    world_use(&world, "none");
    ck_assert(!td_observe_table(&world.call, &view));
    world_done(&world);
}
END_TEST

static uint64_t throttled_by_partitions(td_world *world)
{
    td_table_view view;
    uint64_t throttled = 0;
    ck_assert(td_observe_table(&world->call, &view));
    for (uint32_t i = 0; i < view.partition_count; i++)
        throttled += view.partitions[i].cap[TD_WRITE].throttled;
    return throttled;
}

START_TEST(throttles_are_taken_once)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    for (int i = 0; i < 1003; i++)
        (void)try_put(&world, S("pk", "hot"));
    td_throttle_count *counts = NULL;
    uint32_t count = 0;
    ck_assert(td_observe_take_throttles(world.store, world.call.arena, &counts, &count));
    ck_assert_uint_eq(count, 1);
    CHECK_SLICE(world.call.arena, counts[0].table, "T");
    ck_assert_uint_eq(counts[0].count, 3);
    ck_assert_str_eq(td_throttle_reason_name(&counts[0].reason), "TableWriteKeyRangeThroughputExceeded");
    ck_assert(td_observe_take_throttles(world.store, world.call.arena, &counts, &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_eq(throttled_by_partitions(&world), 3); /* the buckets' own counters go on */
    world_done(&world);
}
END_TEST

START_TEST(throttles_of_a_partition_that_is_divided_stay_counted)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1000));
    for (int i = 0; i < 1003; i++)
        (void)try_delete(&world, S("pk", "hot")); /* an empty partition is divided in the middle */
    uint64_t throttled = throttled_by_partitions(&world);
    td_split_veto veto;
    ck_assert_uint_gt(throttled, 0);
    ck_assert_int_eq(td_partition_split(&world.call, TD_LIT(""), TD_LIT("p-0001"), &veto), TD_SPLIT_DONE);
    ck_assert_uint_eq(throttled_by_partitions(&world), throttled);
    ck_assert(td_capacity_reset(&world.call));
    ck_assert_uint_eq(throttled_by_partitions(&world), 0);
    world_done(&world);
}
END_TEST

START_TEST(reset_fills_the_buckets_and_keeps_the_items)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    for (int i = 0; i < 301; i++)
        (void)try_put(&world, S("pk", "hot"));
    ck_assert_int_eq(world.fixture.error.status, TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    ck_assert(td_capacity_reset(&world.call));
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.resources[0].bucket[TD_WRITE].balance, 300);
    ck_assert_uint_eq(view.resources[0].bucket[TD_WRITE].throttled, 0);
    ck_assert_double_eq(view.partitions[0].cap[TD_WRITE].balance, 1000);
    ck_assert_uint_eq(view.partitions[0].items, 1);
    world_use(&world, "none");
    ck_assert(!td_capacity_reset(&world.call));
    world_done(&world);
}
END_TEST

START_TEST(the_overview_sums_what_the_partitions_show)
{
    td_world world;
    world_init(&world);
    make_table(&world, "b", KEY("pk", S), PROVISIONED(2000, 1000));
    make_table(&world, "a", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    for (int i = 0; i < 1003; i++)
        (void)try_put(&world, S("pk", "hot"), S("gh", "hello"));
    world_move(&world, 1);
    td_table_overview *tables = NULL;
    uint32_t count = 0;
    ck_assert(td_observe_tables(world.store, world.call.now_us, world.call.arena, &tables, &count));
    ck_assert_uint_eq(count, 2);
    CHECK_SLICE(world.call.arena, tables[0].table, "a");
    ck_assert_uint_eq(tables[0].resource_count, 2);
    CHECK_SLICE(world.call.arena, tables[0].resources[1].index, "gix");
    const td_resource_overview *table = &tables[0].resources[0];
    ck_assert_uint_eq(table->items, 1);
    ck_assert_uint_eq(table->partition_count, 4);
    ck_assert_int_eq(table->rate[TD_WRITE], 0); /* on-demand, without a maximum */
    ck_assert_int_eq(table->consumed_1s[TD_WRITE], 1000 * TD_UNITS_ONE);
    ck_assert_uint_eq(table->throttled[TD_WRITE], 3);
    ck_assert_double_eq_tol(table->units_cv[TD_WRITE], 1.732, 0.001); /* all in one of four: the root of 3 */
    ck_assert_double_eq_tol(table->bytes_cv, 1.732, 0.001);
    ck_assert_double_eq(table->units_cv[TD_READ], 0);
    ck_assert_int_eq(tables[1].resources[0].rate[TD_READ], 2000);
    ck_assert_int_eq(tables[1].resources[0].rate[TD_WRITE], 1000);
    world_done(&world);
}
END_TEST

TCase *observe_tests(void)
{
    TCase *tests = tcase_create("observe");
    tcase_add_test(tests, partitions_show_what_they_hold_and_did);
    tcase_add_test(tests, throttles_are_taken_once);
    tcase_add_test(tests, throttles_of_a_partition_that_is_divided_stay_counted);
    tcase_add_test(tests, reset_fills_the_buckets_and_keeps_the_items);
    tcase_add_test(tests, the_overview_sums_what_the_partitions_show);
    return tests;
}
