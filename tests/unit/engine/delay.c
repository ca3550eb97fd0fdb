/* SPDX-License-Identifier: Apache-2.0
 * delay.c: tests of what falls due: tables that take the service's time to change. */
#include "suites.h"
#include "world.h"

static void init_with_delays(td_world *world)
{
    td_store_options options = world_options();
    options.has_table_delays = true;
    world_init_with(world, options);
}

START_TEST(a_new_table_is_not_there_for_data_until_it_is_active)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S));
    ck_assert_int_eq(describe(&world).status, TD_TABLE_CREATING);
    ck_assert_int_eq(td_store_next_due(world.store), WORLD_START_US + 5 * TD_US_PER_S);
    REFUSED(&world, try_put(&world, S("pk", "a")), TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    td_table_info info;
    REFUSED(&world, td_table_delete(&world.call, &info, &world.fixture.error), TD_RESOURCE_IN_USE,
            "Attempt to change a resource which is still in use: Table is being created: T");
    world_move(&world, 4.999999);
    ck_assert_int_eq(describe(&world).status, TD_TABLE_CREATING);
    world_move(&world, 0.000001);
    ck_assert_int_eq(describe(&world).status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    put(&world, S("pk", "a"));
    world_done(&world);
}
END_TEST

START_TEST(a_deleted_table_goes_when_it_is_due)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 10);
    td_table_info info;
    ck_assert_int_eq(td_table_delete(&world.call, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(describe(&world).status, TD_TABLE_DELETING);
    REFUSED(&world, try_put(&world, S("pk", "a")), TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    REFUSED(&world, td_table_delete(&world.call, &info, &world.fixture.error), TD_RESOURCE_IN_USE,
            "Attempt to change a resource which is still in use: Table is being deleted: T");
    ck_assert_int_eq(try_make_table(&world, "T", SPEC(KEY("pk", S))), TD_RESOURCE_IN_USE);
    world_move(&world, 10);
    ck_assert_uint_eq(td_store_table_count(world.store), 0);
    world_done(&world);
}
END_TEST

START_TEST(throughput_changes_when_it_is_due)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    world_move(&world, 10);
    td_table_change change = {.has_throughput = true, .throughput = UNITS(1, 400)};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(describe(&world).status, TD_TABLE_UPDATING);
    put(&world, S("pk", "a")); /* an updating table serves */
    change.throughput = UNITS(1, 500);
    REFUSED(&world, td_table_update(&world.call, &change, &info, &world.fixture.error), TD_RESOURCE_IN_USE,
            "Attempt to change a resource which is still in use: Table IOPS are currently being updated. Table: T");
    world_move(&world, 1.999);
    ck_assert_int_eq(describe(&world).spec.throughput.rate[TD_WRITE], 1);
    world_move(&world, 0.001);
    info = describe(&world);
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(info.spec.throughput.rate[TD_WRITE], 400);
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.resources[0].bucket[TD_WRITE].rate, 400);
    ck_assert_double_eq(view.resources[0].bucket[TD_WRITE].ceiling, 120000);
    world_done(&world);
}
END_TEST

START_TEST(a_change_runs_at_its_own_instant)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    world_move(&world, 10);
    td_table_change change = {.has_throughput = true, .throughput = UNITS(1, 2)};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    td_time_us asked_us = world.call.now_us;
    world_move(&world, 3600);
    info = describe(&world);
    ck_assert_int_eq(info.history.last_increase_us, asked_us + 2 * TD_US_PER_S);
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.resources[0].bucket[TD_WRITE].balance, 600);
    world_done(&world);
}
END_TEST

START_TEST(modes_take_longer_the_first_time)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    world_move(&world, 10);
    td_table_change to_on_demand = {.has_billing = true, .billing = TD_BILLING_ON_DEMAND};
    td_table_change back = {
        .has_billing = true, .billing = TD_BILLING_PROVISIONED, .has_throughput = true, .throughput = UNITS(1, 1)};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &to_on_demand, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(td_store_next_due(world.store) - world.call.now_us, 130 * TD_US_PER_S);
    world_move(&world, 130);
    ck_assert_int_eq(td_table_update(&world.call, &back, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(td_store_next_due(world.store) - world.call.now_us, 75 * TD_US_PER_S);
    world_move(&world, 75);
    ck_assert_int_eq(td_table_update(&world.call, &to_on_demand, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(td_store_next_due(world.store) - world.call.now_us, 5 * TD_US_PER_S);
    world_done(&world);
}
END_TEST

START_TEST(an_index_is_read_when_it_is_active)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 10);
    put(&world, S("pk", "a"), S("gh", "g"));
    td_attribute_definition definition = {TD_LIT("gh"), TD_TYPE_S};
    td_index_change make = {.action = TD_INDEX_CREATE, .spec = GLOBAL("gix", KEY("gh", S))};
    td_table_change change = {.definitions = &definition, .definition_count = 1, .indexes = &make, .index_count = 1};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    info = describe(&world);
    ck_assert_int_eq(info.indexes[0].status, TD_TABLE_CREATING);
    ck_assert(info.indexes[0].is_backfilling);
    td_page page;
    td_page_request scan = {.index = TD_LIT("gix")};
    REFUSED(&world, td_read_page(&world.call, &scan, &page, &world.fixture.error), TD_VALIDATION,
            "Cannot read from backfilling global secondary index: gix");
    put(&world, S("pk", "b"), S("gh", "g"));
    REFUSED(&world, td_table_update(&world.call, &change, &info, &world.fixture.error), TD_LIMIT_EXCEEDED,
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table");
    world_move(&world, 180);
    info = describe(&world);
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(info.indexes[0].status, TD_TABLE_ACTIVE);
    ck_assert(!info.indexes[0].is_backfilling);
    page = read_page(&world, scan);
    ck_assert_uint_eq(page.count, 2);

    td_index_change remove = {.action = TD_INDEX_DELETE, .spec = {.name = TD_LIT("gix")}};
    change = (td_table_change){.indexes = &remove, .index_count = 1};
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    ck_assert_int_eq(describe(&world).indexes[0].status, TD_TABLE_DELETING);
    ck_assert_int_eq(td_read_page(&world.call, &scan, &page, &world.fixture.error), TD_VALIDATION);
    put(&world, S("pk", "c"), S("gh", "g"));
    world_move(&world, 30);
    info = describe(&world);
    ck_assert_uint_eq(info.index_count, 0);
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    world_done(&world);
}
END_TEST

START_TEST(what_is_due_of_a_dropped_table_does_nothing)
{
    td_world world;
    init_with_delays(&world);
    make_table(&world, "T", KEY("pk", S));
    td_store_drop_all(world.store);
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 100);
    ck_assert_int_eq(describe(&world).status, TD_TABLE_ACTIVE);
    make_table(&world, "U", KEY("pk", S)); /* still queued when the store goes */
    world_done(&world);
}
END_TEST

TCase *delay_tests(void)
{
    TCase *tests = tcase_create("delay");
    tcase_add_test(tests, a_new_table_is_not_there_for_data_until_it_is_active);
    tcase_add_test(tests, a_deleted_table_goes_when_it_is_due);
    tcase_add_test(tests, throughput_changes_when_it_is_due);
    tcase_add_test(tests, a_change_runs_at_its_own_instant);
    tcase_add_test(tests, modes_take_longer_the_first_time);
    tcase_add_test(tests, an_index_is_read_when_it_is_active);
    tcase_add_test(tests, what_is_due_of_a_dropped_table_does_nothing);
    return tests;
}
