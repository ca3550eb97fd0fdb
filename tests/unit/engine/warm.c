/* SPDX-License-Identifier: Apache-2.0
 * warm.c: tests of warm throughput that is raised beside the table's status, and of the budget of switches to
 * on-demand. */
#include "suites.h"
#include "world.h"

#define WARM(read, write) .has_warm = true, .warm = UNITS(read, write)
#define BELOW_START                                                                                                    \
    "lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"              \
    "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"

static td_world world;
static td_table_info told; /* UpdateTable's answer; its texts live until the next request */

static void setup(void)
{
    td_store_options options = world_options();
    options.has_table_delays = true;
    world_init_with(&world, options);
}

static void teardown(void)
{
    world_done(&world);
}

static td_status try_change(td_table_change change)
{
    return td_table_update(&world.call, &change, &told, &world.fixture.error);
}

#define change_table(...) ck_assert_int_eq(try_change((td_table_change){__VA_ARGS__}), TD_OK)

static uint32_t count_partitions(const char *index)
{
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.partition_count; i++)
        count += td_slice_equal(view.partitions[i].index, td_slice_of_cstr(index));
    return count;
}

static void check_warm(const td_table_info *info, bool is_warming, int64_t read, int64_t written)
{
    ck_assert_int_eq(info->status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(info->is_warming, is_warming);
    ck_assert_int_eq(info->spec.warm.rate[TD_READ], read);
    ck_assert_int_eq(info->spec.warm.rate[TD_WRITE], written);
}

/* The transitions that were measured: ack-api-quirks DDB-TABLE-179. */
START_TEST(a_raise_shows_the_old_numbers_until_it_is_through)
{
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 10);
    change_table(WARM(12001, 60000));
    check_warm(&told, true, 12000, 4000);
    world_move(&world, 389.999);
    td_table_info info = describe(&world);
    check_warm(&info, true, 12000, 4000);
    ck_assert_uint_eq(count_partitions(""), 4);
    world_move(&world, 0.001);
    info = describe(&world);
    check_warm(&info, false, 12001, 60000);
    ck_assert_uint_eq(count_partitions(""), 64); /* 60 are needed: all four are doubled until they are there */

    change_table(WARM(12001, 60000)); /* the same once more */
    check_warm(&told, true, 12001, 60000);
    world_move(&world, 2);
    change_table(WARM(0, 64001)); /* one member alone */
    check_warm(&told, true, 12001, 60000);
    world_move(&world, 2);
    info = describe(&world);
    check_warm(&info, false, 12001, 64001);
    ck_assert_uint_eq(count_partitions(""), 128);
    ck_assert_int_eq(try_change((td_table_change){WARM(12001, 64000)}), TD_VALIDATION);
}
END_TEST

START_TEST(a_request_during_a_raise_wins)
{
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 10);
    change_table(WARM(12000, 30000));
    world_move(&world, 100);
    change_table(WARM(12000, 6000)); /* below the raise under way, above what is in force */
    world_move(&world, 290);
    td_table_info info = describe(&world);
    check_warm(&info, false, 12000, 6000);
    ck_assert_uint_eq(count_partitions(""), 8);
    world_move(&world, 1000);
    info = describe(&world);
    check_warm(&info, false, 12000, 6000);
}
END_TEST

START_TEST(a_raise_does_not_keep_the_table_from_changing)
{
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    world_move(&world, 10);
    change_table(WARM(1, 3000));
    change_table(.has_throughput = true, .throughput = UNITS(1, 5000));
    ck_assert_int_eq(told.status, TD_TABLE_UPDATING);
    world_move(&world, 2);
    td_table_info info = describe(&world);
    check_warm(&info, true, 1, 5000); /* the highest that was provisioned */
    world_move(&world, 390);
    info = describe(&world);
    check_warm(&info, false, 1, 5000);
}
END_TEST

START_TEST(an_index_is_warmed_on_its_own)
{
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    world_move(&world, 10);
    td_index_change raise = {
        .action = TD_INDEX_UPDATE, .spec = {.name = TD_LIT("gix"), .warm = UNITS(12000, 16000)}, .has_warm = true};
    change_table(.indexes = &raise, .index_count = 1);
    check_warm(&told, false, 12000, 4000);
    ck_assert(told.indexes[0].is_warming);
    ck_assert_int_eq(told.indexes[0].status, TD_TABLE_ACTIVE);
    ck_assert_int_eq(told.indexes[0].spec.warm.rate[TD_WRITE], 4000);
    world_move(&world, 390);
    td_table_info info = describe(&world);
    ck_assert(!info.indexes[0].is_warming);
    ck_assert_int_eq(info.indexes[0].spec.warm.rate[TD_WRITE], 16000);
    ck_assert_uint_eq(count_partitions("gix"), 16);
    ck_assert_uint_eq(count_partitions(""), 4);
}
END_TEST

START_TEST(a_new_index_starts_no_lower_than_its_mode)
{
    make_table(&world, "T", KEY("pk", S));
    world_move(&world, 10);
    td_attribute_definition definition = {TD_LIT("gh"), TD_TYPE_S};
    td_index_change make = {
        .action = TD_INDEX_CREATE, .spec = GLOBAL("gix", KEY("gh", S), .warm = UNITS(12000, 3999)), .has_warm = true};
    td_table_change change = {.definitions = &definition, .definition_count = 1, .indexes = &make, .index_count = 1};
    REFUSED(&world, try_change(change), TD_VALIDATION,
            "One or more parameter values were invalid: Requested WriteUnitsPerSecond for WarmThroughput for index gix "
            "is " BELOW_START);
    make.spec.warm = UNITS(12000, 8000);
    ck_assert_int_eq(try_change(change), TD_OK);
    ck_assert_uint_eq(count_partitions("gix"), 8);
}
END_TEST

START_TEST(a_table_without_delays_is_warm_at_once)
{
    teardown();
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    change_table(WARM(12000, 60000));
    check_warm(&told, true, 12000, 4000);
    td_table_info info = describe(&world);
    check_warm(&info, false, 12000, 60000);
    ck_assert_uint_eq(count_partitions(""), 64);
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
}
END_TEST

/* ---- switches ---------------------------------------------------------------------------------------------------- */

static td_status switch_mode(td_billing_mode billing)
{
    td_table_change change = {.has_billing = true, .billing = billing};
    if (billing == TD_BILLING_PROVISIONED) {
        change.has_throughput = true;
        change.throughput = UNITS(1, 1);
    }
    td_status status = try_change(change);
    if (status == TD_OK) world_move(&world, 200);
    return status;
}

START_TEST(four_switches_to_on_demand_are_allowed_in_a_rolling_day)
{
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    world_move(&world, 10);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(switch_mode(TD_BILLING_ON_DEMAND), TD_OK);
        ck_assert_int_eq(switch_mode(TD_BILLING_PROVISIONED), TD_OK); /* at any time */
    }
    REFUSED(
        &world, switch_mode(TD_BILLING_ON_DEMAND), TD_LIMIT_EXCEEDED,
        "Subscriber limit exceeded: Update to PayPerRequest mode are limited to 4 times in 1 day(s). Last update at "
        "Monday, September 21, 2026 at 2:33:30 PM Coordinated Universal Time. Next update can be made at Tuesday, "
        "September 22, 2026 at 2:13:30 PM Coordinated Universal Time");
    world_move(&world, 86400 - 1600 - 0.001); /* the first one is a day ago in a millisecond */
    ck_assert_int_eq(switch_mode(TD_BILLING_ON_DEMAND), TD_LIMIT_EXCEEDED);
    world_move(&world, 0.001);
    ck_assert_int_eq(switch_mode(TD_BILLING_ON_DEMAND), TD_OK);
    ck_assert_int_eq(switch_mode(TD_BILLING_PROVISIONED), TD_OK);
    ck_assert_int_eq(switch_mode(TD_BILLING_ON_DEMAND), TD_OK); /* 400 seconds later, as the second one was */
    ck_assert_int_eq(switch_mode(TD_BILLING_PROVISIONED), TD_OK);
}
END_TEST

START_TEST(the_budget_of_switches_is_a_setting)
{
    td_capacity_patch patch = {0};
    patch.has_value[TD_CAPACITY_ondemand_switches] = true;
    patch.settings.values[TD_CAPACITY_ondemand_switches] = 1;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, td_slice_of(NULL, 0), &patch));
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    world_move(&world, 10);
    ck_assert_int_eq(switch_mode(TD_BILLING_ON_DEMAND), TD_OK);
    ck_assert_int_eq(switch_mode(TD_BILLING_PROVISIONED), TD_OK);
    REFUSED(&world, switch_mode(TD_BILLING_ON_DEMAND), TD_LIMIT_EXCEEDED,
            "Subscriber limit exceeded: Update to PayPerRequest mode are limited to once in 1 day(s). Last update at "
            "Monday, September 21, 2026 at 2:13:30 PM Coordinated Universal Time. Next update can be made at Tuesday, "
            "September 22, 2026 at 2:13:30 PM Coordinated Universal Time");
}
END_TEST

TCase *warm_tests(void)
{
    TCase *tests = tcase_create("warm");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_raise_shows_the_old_numbers_until_it_is_through);
    tcase_add_test(tests, a_request_during_a_raise_wins);
    tcase_add_test(tests, a_raise_does_not_keep_the_table_from_changing);
    tcase_add_test(tests, an_index_is_warmed_on_its_own);
    tcase_add_test(tests, a_new_index_starts_no_lower_than_its_mode);
    tcase_add_test(tests, a_table_without_delays_is_warm_at_once);
    tcase_add_test(tests, four_switches_to_on_demand_are_allowed_in_a_rolling_day);
    tcase_add_test(tests, the_budget_of_switches_is_a_setting);
    return tests;
}
