/* SPDX-License-Identifier: Apache-2.0
 * write.c: tests of the write path: images, conditions, sizes, charges, throttles. */
#include "thermodyn/write.h"

#include "suites.h"
#include "world.h"

/* An attribute that makes the item { pk: "a", d } `bytes` long. */
static td_given filler(td_world *world, size_t bytes)
{
    size_t len = bytes - (sizeof "pkad" - 1);
    char *text = td_arena_alloc(world->call.arena, len);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', len);
    return S_OF("d", td_slice_of(text, len));
}

START_TEST(put_replaces_and_gives_both_images)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), N("n", "1"));
    td_given_attributes given = attributes_of(world.call.arena, S("pk", "a"), N("n", "2"));
    td_write write = {.kind = TD_WRITE_PUT, .attributes = given.attributes, .attribute_count = given.count};
    td_write_result result;
    ck_assert_int_eq(run_write(&world, &write, &result), TD_OK);
    CHECK_ITEM(world.call.arena, result.old_item, N("n", "1"), S("pk", "a"));
    CHECK_ITEM(world.call.arena, result.new_item, N("n", "2"), S("pk", "a"));
    ck_assert_int_eq(result.collection_bytes, -1);
    put(&world, S("pk", "a"), N("n", "3"));
    CHECK_ITEM(world.call.arena, result.new_item, N("n", "2"), S("pk", "a")); /* borrowed until the arena's reset */
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), N("n", "3"), S("pk", "a"));
    td_table_info info = describe(&world);
    ck_assert_uint_eq(info.item_count, 1);
    ck_assert_uint_eq(info.size_bytes, 3 + 1 + 2 + 100);
    world_done(&world);
}
END_TEST

START_TEST(delete_removes_and_forgives)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), N("n", "1"));
    erase(&world, S("pk", "a"));
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    erase(&world, S("pk", "a"));
    ck_assert_int_eq(world.consumed.table, TD_UNITS_ONE);
    td_table_info info = describe(&world);
    ck_assert_uint_eq(info.item_count, 0);
    ck_assert_uint_eq(info.size_bytes, 0);
    world_done(&world);
}
END_TEST

START_TEST(update_upserts)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_given_attributes key = attributes_of(world.call.arena, S("pk", "a"));
    td_write bare = {.kind = TD_WRITE_UPDATE, .attributes = key.attributes, .attribute_count = key.count};
    td_write_result result;
    ck_assert_int_eq(run_write(&world, &bare, &result), TD_OK);
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), S("pk", "a"));
    update(&world, "ADD n :v", VALUES(N(":v", "2")), S("pk", "a"));
    update(&world, "ADD n :v", VALUES(N(":v", "3")), S("pk", "a"));
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), N("n", "5"), S("pk", "a"));
    ck_assert_int_eq(run_write(&world, &bare, &result), TD_OK); /* and leaves what there is */
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), N("n", "5"), S("pk", "a"));
    world_done(&world);
}
END_TEST

START_TEST(a_write_costs_the_larger_image)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), filler(&world, 1024));
    ck_assert_int_eq(world.consumed.table, 1 * TD_UNITS_ONE);
    put(&world, S("pk", "a"), filler(&world, 3072));
    ck_assert_int_eq(world.consumed.table, 3 * TD_UNITS_ONE);
    put(&world, S("pk", "a"));
    ck_assert_int_eq(world.consumed.table, 3 * TD_UNITS_ONE);
    put(&world, S("pk", "a"), filler(&world, 1025));
    ck_assert_int_eq(world.consumed.table, 2 * TD_UNITS_ONE);
    erase(&world, S("pk", "a"));
    ck_assert_int_eq(world.consumed.table, 2 * TD_UNITS_ONE);
    world_done(&world);
}
END_TEST

START_TEST(items_have_a_greatest_size)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), filler(&world, 409600));
    REFUSED(&world, try_put(&world, S("pk", "a"), filler(&world, 409601)), TD_VALIDATION,
            "Item size has exceeded the maximum allowed size");
    REFUSED(&world, try_update(&world, "SET x = :v", VALUES(N(":v", "1")), S("pk", "a")), TD_VALIDATION,
            "Item size to update has exceeded the maximum allowed size");
    world_done(&world);
}
END_TEST

START_TEST(a_failed_condition_changes_nothing_and_costs)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 100));
    put(&world, S("pk", "a"), filler(&world, 3072));
    td_table_view before;
    td_table_view after;
    ck_assert(td_observe_table(&world.call, &before));
    td_given_attributes given = attributes_of(world.call.arena, S("pk", "a"));
    REFUSED(&world, try_write(&world, TD_WRITE_PUT, given, "attribute_not_exists(pk)"), TD_CONDITIONAL_CHECK_FAILED,
            "The conditional request failed");
    ck_assert_ptr_null(world.fixture.error.item);
    ck_assert(td_observe_table(&world.call, &after));
    double spent = before.resources[0].bucket[TD_WRITE].balance - after.resources[0].bucket[TD_WRITE].balance;
    ck_assert_double_eq(spent, 3); /* of the item that is there */
    ck_assert_uint_eq(td_item_size(get(&world, S("pk", "a"))), 3072);
    world_done(&world);
}
END_TEST

START_TEST(a_failed_condition_shows_the_item_when_asked)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), N("n", "1"));
    td_condition *condition = NULL;
    ck_assert_int_eq(td_condition_compile(TD_EXPR_CONDITION, TD_LIT("attribute_not_exists(pk)"), NULL, world.call.arena,
                                          &condition, &world.fixture.error),
                     TD_OK);
    td_given_attributes key = attributes_of(world.call.arena, S("pk", "a"));
    td_write write = {.kind = TD_WRITE_DELETE,
                      .attributes = key.attributes,
                      .attribute_count = key.count,
                      .condition = condition,
                      .wants_item_on_failure = true};
    td_write_result result;
    ck_assert_int_eq(run_write(&world, &write, &result), TD_CONDITIONAL_CHECK_FAILED);
    ck_assert_ptr_nonnull(world.fixture.error.item);
    erase(&world, S("pk", "a"));
    CHECK_ITEM(world.call.arena, world.fixture.error.item, N("n", "1"), S("pk", "a"));
    world_done(&world);
}
END_TEST

START_TEST(a_throttled_write_changes_nothing)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    put(&world, S("pk", "a"), filler(&world, 300 * 1024)); /* the whole burst */
    td_status status = try_put(&world, S("pk", "a"), N("n", "1"));
    ck_assert_int_eq(status, TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    ck_assert_ptr_nonnull(world.fixture.error.throttle);
    ck_assert_uint_eq(world.fixture.error.throttle->count, 1);
    const td_throttle_reason *reason = &world.fixture.error.throttle->reasons[0];
    ck_assert_str_eq(td_throttle_reason_name(reason), "TableWriteProvisionedThroughputExceeded");
    ck_assert_uint_eq(td_item_size(get(&world, S("pk", "a"))), 300 * 1024);
    world_move(&world, 0.001);
    put(&world, S("pk", "a"), N("n", "1"));
    world_done(&world);
}
END_TEST

START_TEST(a_throttle_goes_before_a_failed_condition)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    put(&world, S("pk", "a"), filler(&world, 300 * 1024));
    td_given_attributes given = attributes_of(world.call.arena, S("pk", "a"));
    td_status status = try_write(&world, TD_WRITE_PUT, given, "attribute_not_exists(pk)");
    ck_assert_int_eq(status, TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    world_done(&world);
}
END_TEST

START_TEST(one_key_gets_no_more_than_its_partition)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    int accepted = 0;
    for (int i = 0; i < 1500; i++)
        accepted += try_put(&world, S("pk", "hot")) == TD_OK;
    ck_assert_int_eq(accepted, 1000);
    ck_assert_int_eq(world.fixture.error.status, TD_THROTTLING);
    ck_assert_str_eq(td_throttle_reason_name(&world.fixture.error.throttle->reasons[0]),
                     "TableWriteKeyRangeThroughputExceeded");
    world_done(&world);
}
END_TEST

START_TEST(run_time_faults_of_updates_change_nothing)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), S("s", "text"));
    REFUSED(&world, try_update(&world, "SET n = s + :v", VALUES(N(":v", "1")), S("pk", "a")), TD_VALIDATION,
            "An operand in the update expression has an incorrect data type");
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), S("pk", "a"), S("s", "text"));
    world_done(&world);
}
END_TEST

TCase *write_tests(void)
{
    TCase *tests = tcase_create("write");
    tcase_add_test(tests, put_replaces_and_gives_both_images);
    tcase_add_test(tests, delete_removes_and_forgives);
    tcase_add_test(tests, update_upserts);
    tcase_add_test(tests, a_write_costs_the_larger_image);
    tcase_add_test(tests, items_have_a_greatest_size);
    tcase_add_test(tests, a_failed_condition_changes_nothing_and_costs);
    tcase_add_test(tests, a_failed_condition_shows_the_item_when_asked);
    tcase_add_test(tests, a_throttled_write_changes_nothing);
    tcase_add_test(tests, a_throttle_goes_before_a_failed_condition);
    tcase_add_test(tests, one_key_gets_no_more_than_its_partition);
    tcase_add_test(tests, run_time_faults_of_updates_change_nothing);
    return tests;
}
