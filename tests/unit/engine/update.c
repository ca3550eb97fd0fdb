/* SPDX-License-Identifier: Apache-2.0
 * update.c: tests of UpdateTable without table delays: what it refuses, what it tells, what it does. */
#include "suites.h"
#include "world.h"

#define INVALID "One or more parameter values were invalid: "

static td_status try_change(td_world *world, td_table_change change, td_table_info *ret_info)
{
    return td_table_update(&world->call, &change, ret_info, &world->fixture.error);
}

static td_table_info change_table(td_world *world, td_table_change change)
{
    td_table_info info;
    td_status status = try_change(world, change, &info);
    if (status != TD_OK) ck_abort_msg("update: %s", error_text(world));
    return info;
}

static uint32_t count_partitions(td_world *world)
{
    td_table_view view;
    ck_assert(td_observe_table(&world->call, &view));
    return view.partition_count;
}

#define THROUGHPUT(read, write) .has_throughput = true, .throughput = UNITS(read, write)
#define BILLING(mode) .has_billing = true, .billing = (mode)
#define CHANGES(...)                                                                                                   \
    .indexes = (td_index_change[]){__VA_ARGS__}, .index_count = TD_COUNT_OF(((td_index_change[]){__VA_ARGS__}))

START_TEST(throughput_is_told_old_and_is_new)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10));
    td_table_info told = change_table(&world, (td_table_change){THROUGHPUT(30, 5)});
    ck_assert_int_eq(told.status, TD_TABLE_UPDATING);
    ck_assert_int_eq(told.spec.throughput.rate[TD_READ], 10);
    ck_assert_int_eq(told.history.decreases_today, 0);
    ck_assert_int_eq(told.history.last_increase_us, WORLD_START_US);
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(info.spec.throughput.rate[TD_READ], 30);
    ck_assert_int_eq(info.spec.throughput.rate[TD_WRITE], 5);
    ck_assert_int_eq(info.history.decreases_today, 1);
    ck_assert_int_gt(info.history.last_increase_us, told.history.last_increase_us);
    ck_assert_int_eq(info.spec.warm.rate[TD_READ], 30);
    ck_assert_int_eq(info.spec.warm.rate[TD_WRITE], 10); /* never lowered */
    world_move(&world, 86400);
    ck_assert_int_eq(describe(&world).history.decreases_today, 0);
    world_done(&world);
}
END_TEST

START_TEST(the_same_throughput_is_refused)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 2));
    td_table_info info;
    REFUSED(&world, try_change(&world, (td_table_change){THROUGHPUT(1, 2)}, &info), TD_VALIDATION,
            "The provisioned throughput for the table will not change. The requested value equals the current value. "
            "Current ReadCapacityUnits provisioned for the table: 1. Requested ReadCapacityUnits: 1. "
            "Current WriteCapacityUnits provisioned for the table: 2. Requested WriteCapacityUnits: 2. "
            "Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.");
    world_use(&world, "nothing");
    REFUSED(&world, try_change(&world, (td_table_change){THROUGHPUT(1, 2)}, &info), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found: Table: nothing not found");
    world_done(&world);
}
END_TEST

/* throttling.md, scenario S25 and §3.7. */
START_TEST(decreases_have_a_budget)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(10, 10));
    for (int64_t rate = 9; rate >= 6; rate--)
        (void)change_table(&world, (td_table_change){THROUGHPUT(10, rate)});
    td_table_info info;
    td_table_change next = {THROUGHPUT(10, 5)};
    const char *text =
        "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. "
        "After the first 4 decreases, each subsequent decrease in the same UTC day can be performed at "
        "most once every 3600 seconds. Number of decreases today: 4. Last decrease at Monday, September "
        "21, 2026 at 2:13:20 PM Coordinated Universal Time. Next decrease can be made at Monday, "
        "September 21, 2026 at 3:13:20 PM Coordinated Universal Time";
    REFUSED(&world, try_change(&world, next, &info), TD_LIMIT_EXCEEDED, text);
    world_move(&world, 3599);
    REFUSED(&world, try_change(&world, next, &info), TD_LIMIT_EXCEEDED, text);
    (void)change_table(&world, (td_table_change){THROUGHPUT(10, 7)}); /* an increase is free */
    world_move(&world, 1);
    (void)change_table(&world, next);
    ck_assert_int_eq(describe(&world).history.decreases_today, 5);
    world_move(&world, 10 * 3600); /* past midnight */
    for (int64_t rate = 4; rate >= 1; rate--)
        (void)change_table(&world, (td_table_change){THROUGHPUT(10, rate)});
    world_done(&world);
}
END_TEST

START_TEST(a_raise_splits_partitions)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(5000, 2000));
    ck_assert_uint_eq(count_partitions(&world), 4);
    (void)change_table(&world, (td_table_change){THROUGHPUT(8000, 2000)});
    ck_assert_uint_eq(count_partitions(&world), 8);
    (void)change_table(&world, (td_table_change){THROUGHPUT(1, 1)});
    ck_assert_uint_eq(count_partitions(&world), 8);
    world_done(&world);
}
END_TEST

START_TEST(modes_can_be_switched)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(7, 7),
               INDEXES(GLOBAL("g1", KEY("a", S), .throughput = UNITS(1, 1)),
                       GLOBAL("g2", KEY("b", S), .throughput = UNITS(1, 1))));
    td_table_info told = change_table(&world, (td_table_change){BILLING(TD_BILLING_ON_DEMAND)});
    ck_assert_int_eq(told.status, TD_TABLE_UPDATING);
    ck_assert_int_eq(told.spec.billing, TD_BILLING_ON_DEMAND);
    ck_assert_int_eq(told.spec.throughput.rate[TD_READ], 0);
    ck_assert_int_eq(told.indexes[0].status, TD_TABLE_UPDATING);
    ck_assert_int_eq(told.billing_changed_us, 0);
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(info.indexes[1].status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(info.billing_changed_us, WORLD_START_US);
    ck_assert_int_eq(info.spec.warm.rate[TD_READ], 12000);
    ck_assert_uint_eq(count_partitions(&world), 12);
    (void)change_table(&world, (td_table_change){BILLING(TD_BILLING_ON_DEMAND)}); /* to itself is accepted */

    REFUSED(&world, try_change(&world, (td_table_change){THROUGHPUT(1, 1)}, &info), TD_VALIDATION,
            INVALID "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
                    "PAY_PER_REQUEST");
    td_table_change back = {BILLING(TD_BILLING_PROVISIONED), THROUGHPUT(3, 3)};
    REFUSED(&world, try_change(&world, back, &info), TD_VALIDATION,
            INVALID "ProvisionedThroughput must be specified for index: g1,g2");
    back.indexes = (td_index_change[]){
        {.action = TD_INDEX_UPDATE, .has_throughput = true, .spec = {.name = TD_LIT("g1"), .throughput = UNITS(4, 4)}},
        {.action = TD_INDEX_UPDATE, .has_throughput = true, .spec = {.name = TD_LIT("g2"), .throughput = UNITS(5, 5)}},
    };
    back.index_count = 2;
    told = change_table(&world, back);
    ck_assert_int_eq(told.spec.throughput.rate[TD_READ], 3);
    ck_assert_int_eq(told.indexes[1].spec.throughput.rate[TD_READ], 5);
    info = describe(&world);
    ck_assert_int_eq(info.spec.billing, TD_BILLING_PROVISIONED);
    ck_assert_int_eq(info.indexes[0].spec.throughput.rate[TD_WRITE], 4);
    ck_assert_int_eq(info.history.decreases_today, 0);
    ck_assert_int_eq(info.billing_changed_us, WORLD_START_US);
    world_done(&world);
}
END_TEST

START_TEST(maxima_are_merged_and_echoed)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), .on_demand_max = MAXIMA(10, 20));
    td_table_info told =
        change_table(&world, (td_table_change){.has_on_demand_max = true, .on_demand_max = MAXIMA(-1, 0)});
    ck_assert_int_eq(told.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(told.spec.on_demand_max.rate[TD_READ], -1);
    ck_assert_int_eq(told.spec.on_demand_max.rate[TD_WRITE], 20);
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.spec.on_demand_max.rate[TD_READ], 0);
    ck_assert_int_eq(info.spec.on_demand_max.rate[TD_WRITE], 20);
    REFUSED(&world,
            try_change(&world, (td_table_change){.has_on_demand_max = true, .on_demand_max = MAXIMA(0, 40001)}, &info),
            TD_LIMIT_EXCEEDED,
            "Subscriber limit exceeded: Requested MaxWriteRequestUnits for OnDemandThroughput for table exceeds "
            "TableMaxWriteCapacityUnits of the account in region eu-west-1");
    make_table(&world, "P", KEY("pk", S), PROVISIONED(1, 1));
    REFUSED(&world,
            try_change(&world, (td_table_change){.has_on_demand_max = true, .on_demand_max = MAXIMA(5, 5)}, &info),
            TD_VALIDATION,
            INVALID "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is "
                    "PROVISIONED");
    world_done(&world);
}
END_TEST

START_TEST(warm_throughput_only_rises)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_table_info told = change_table(&world, (td_table_change){.has_warm = true, .warm = UNITS(12000, 8000)});
    ck_assert_int_eq(told.status, TD_TABLE_ACTIVE);
    ck_assert_uint_eq(count_partitions(&world), 8);
    td_table_info info;
    REFUSED(&world, try_change(&world, (td_table_change){.has_warm = true, .warm = UNITS(12000, 7999)}, &info),
            TD_VALIDATION,
            INVALID "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than current WarmThroughput, "
                    "decreasing WarmThroughput is not supported");
    world_done(&world);
}
END_TEST

START_TEST(indexes_come_filled_and_go)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), S("gh", "x"));
    put(&world, S("pk", "b"), N("gh", "1")); /* of another type: not in the index */
    put(&world, S("pk", "c"));
    td_attribute_definition definitions[] = {
        {TD_LIT("unused"), TD_TYPE_N}, {TD_LIT("gh"), TD_TYPE_S}, {TD_LIT("pk"), TD_TYPE_N}};
    td_table_change make = {.definitions = definitions,
                            .definition_count = 3,
                            CHANGES({.action = TD_INDEX_CREATE, .spec = GLOBAL("gix", KEY("gh", S, "pk", N))})};
    td_table_info told = change_table(&world, make);
    ck_assert_int_eq(told.status, TD_TABLE_UPDATING);
    ck_assert_int_eq(find_index(&told, "gix")->status, TD_TABLE_CREATING);
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(find_index(&info, "gix")->status, TD_TABLE_ACTIVE);
    ck_assert_uint_eq(find_index(&info, "gix")->item_count, 1);
    ck_assert_int_eq(find_index(&info, "gix")->spec.key.parts[1].type, TD_TYPE_S); /* the stored type wins */
    ck_assert_uint_eq(info.spec.definition_count, 2);
    REFUSED(&world, try_change(&world, make, &info), TD_VALIDATION,
            "Attempting to create an index which already exists");

    td_table_change remove = {CHANGES({.action = TD_INDEX_DELETE, .spec = {.name = TD_LIT("gix")}})};
    told = change_table(&world, remove);
    ck_assert_int_eq(find_index(&told, "gix")->status, TD_TABLE_DELETING);
    info = describe(&world);
    ck_assert_uint_eq(info.index_count, 0);
    ck_assert_uint_eq(info.spec.definition_count, 1);
    REFUSED(&world, try_change(&world, remove, &info), TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    put(&world, S("pk", "b"), N("gh", "1"));
    world_done(&world);
}
END_TEST

START_TEST(one_index_at_a_time)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_table_info info;
    td_table_change two = {CHANGES({.action = TD_INDEX_CREATE, .spec = GLOBAL("g1", KEY("pk", S))},
                                   {.action = TD_INDEX_CREATE, .spec = GLOBAL("g2", KEY("pk", S))})};
    REFUSED(&world, try_change(&world, two, &info), TD_LIMIT_EXCEEDED,
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table");
    ck_assert_uint_eq(describe(&world).index_count, 0);
    world_done(&world);
}
END_TEST

START_TEST(other_settings_hold_at_once)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 5);
    (void)change_table(&world, (td_table_change){.has_stream = true,
                                                 .stream = TD_STREAM_NEW_IMAGE,
                                                 .has_table_class = true,
                                                 .table_class = TD_CLASS_STANDARD_INFREQUENT_ACCESS,
                                                 .has_deletion_protection = true,
                                                 .deletion_protection = true,
                                                 .has_encryption = true,
                                                 .encryption = {true, true, TD_LIT("key-1")}});
    td_table_info info = describe(&world);
    ck_assert_int_eq(info.stream_enabled_us, world.call.now_us);
    ck_assert_int_eq(info.class_changed_us, world.call.now_us);
    ck_assert_int_eq(info.spec.stream, TD_STREAM_NEW_IMAGE);
    ck_assert(info.spec.has_table_class);
    ck_assert(info.spec.has_deletion_protection);
    CHECK_SLICE(world.call.arena, info.spec.encryption.kms_key_id, "key-1");
    (void)change_table(&world, (td_table_change){.has_stream = true, .stream = TD_STREAM_NONE});
    info = describe(&world);
    ck_assert_int_eq(info.spec.stream, TD_STREAM_NONE);
    ck_assert_int_gt(info.stream_enabled_us, 0); /* the label of what was */
    world_done(&world);
}
END_TEST

TCase *update_tests(void)
{
    TCase *tests = tcase_create("update");
    tcase_add_test(tests, throughput_is_told_old_and_is_new);
    tcase_add_test(tests, the_same_throughput_is_refused);
    tcase_add_test(tests, decreases_have_a_budget);
    tcase_add_test(tests, a_raise_splits_partitions);
    tcase_add_test(tests, modes_can_be_switched);
    tcase_add_test(tests, maxima_are_merged_and_echoed);
    tcase_add_test(tests, warm_throughput_only_rises);
    tcase_add_test(tests, indexes_come_filled_and_go);
    tcase_add_test(tests, one_index_at_a_time);
    tcase_add_test(tests, other_settings_hold_at_once);
    return tests;
}
