/* SPDX-License-Identifier: Apache-2.0
 * heat.c: tests of heat maps and hottest keys of tables and global indexes: what counts where, and without memory.
 * That the sums are right in random runs is tests/property's business; the JSON is unit/server/control's. */
#include "thermodyn/heat.h"
#include "thermodyn/metrics.h"

#include "suites.h"
#include "support/failing_memory.h"
#include "world.h"

#define MEMORY_FAILURES_MAX 200

static td_heatmap map_of(td_world *world, const char *index, td_heat_metric metric, uint32_t rows)
{
    td_heatmap_request request = {
        .index = td_slice_of_cstr(index), .metric = metric, .from_us = WORLD_START_US, .columns = 1, .rows = rows};
    td_heatmap map;
    ck_assert_int_eq(td_heat_map(&world->call, &request, &map), TD_HEAT_OK);
    ck_assert_uint_eq(map.column_count, 1);
    return map;
}

static td_units sum_of(td_world *world, const char *index, td_heat_metric metric)
{
    return map_of(world, index, metric, 1).cells[0];
}

static td_hot_keys keys_of(td_world *world, td_hot_keys_request request)
{
    td_hot_keys hot;
    ck_assert_int_eq(td_heat_hot_keys(&world->call, &request, &hot), TD_HEAT_OK);
    return hot;
}

START_TEST(a_scan_counts_where_it_searched)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S)); /* four partitions: a visit of each costs half a unit */
    td_page_request request = {.total_segments = 0};
    (void)read_page(&world, request);
    td_heatmap map = map_of(&world, "", TD_HEAT_READ, 4);
    for (uint32_t row = 0; row < map.row_count; row++)
        ck_assert_int_eq(map.cells[row], 500);
    request = (td_page_request){.segment = 1, .total_segments = 2};
    (void)read_page(&world, request);
    map = map_of(&world, "", TD_HEAT_READ, 2);
    ck_assert_int_eq(map.cells[0], 1000);
    ck_assert_int_eq(map.cells[1], 2000);
    td_hot_keys hot = keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_READ});
    ck_assert_int_eq(hot.total, 3000);
    ck_assert_uint_eq(hot.count, 0);
    world_done(&world);
}
END_TEST

START_TEST(a_page_of_a_query_counts_at_its_partition_key)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", N), INDEXES(LOCAL("lix", KEY("pk", S, "lk", N))));
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "1"));
    put(&world, S("pk", "a"), N("sk", "2"));
    td_key_range range = range_of(&world, S("pk", "a"));
    (void)read_page(&world, (td_page_request){.range = &range});
    (void)read_page(&world, (td_page_request){.range = &range, .is_consistent = true});
    (void)read_page(&world, (td_page_request){.range = &range, .index = TD_LIT("lix")});
    (void)get(&world, S("pk", "a"), N("sk", "2"));
    td_hot_keys hot = keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_READ});
    ck_assert_uint_eq(hot.count, 1);
    ck_assert_int_eq(hot.keys[0].amount, 3000);
    ck_assert_uint_eq(hot.keys[0].attribute_count, 1);
    hot = keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_READ, .by_full_key = true});
    ck_assert_uint_eq(hot.count, 2);
    ck_assert_int_eq(hot.keys[0].amount, 2000);
    ck_assert_uint_eq(hot.keys[0].attribute_count, 1);
    ck_assert_int_eq(hot.keys[1].amount, 1000);
    ck_assert_uint_eq(hot.keys[1].attribute_count, 2);
    CHECK_SLICE(world.call.arena, hot.keys[1].attributes[1].name, "sk");
    world_done(&world);
}
END_TEST

START_TEST(a_query_of_one_whole_key_counts_at_it)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S, "sk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    put(&world, S("pk", "a"), S("sk", "x"), S("gh", "g"));
    put(&world, S("pk", "b"), S("sk", "x"), S("gh", "g"));
    td_key_range range = range_of(&world, S("pk", "a"));
    range.equal_count = 1;
    range.equal_parts[0] = TD_LIT("x");
    (void)read_page(&world, (td_page_request){.range = &range});
    td_hot_keys hot = keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_READ, .by_full_key = true});
    ck_assert_uint_eq(hot.count, 1);
    ck_assert_uint_eq(hot.keys[0].attribute_count, 2);
    /* Entries of equal index keys are one key. */
    hot = keys_of(&world, (td_hot_keys_request){.index = TD_LIT("gix"), .metric = TD_HEAT_WRITE, .by_full_key = true});
    ck_assert_uint_eq(hot.count, 1);
    ck_assert_int_eq(hot.keys[0].amount, 2000);
    world_done(&world);
}
END_TEST

START_TEST(refusals_are_counted_as_the_log_counts_them)
{
    td_store_options options = world_options();
    options.capacity.values[TD_CAPACITY_report_all_reasons] = _i;
    options.capacity.values[TD_CAPACITY_initial_burst_fill] = 0.02;
    options.capacity.values[TD_CAPACITY_partition_write_cap] = 3;
    td_world world;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 3),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(1, 1))));
    for (int i = 0; i < 40; i++) {
        char key[8];
        snprintf(key, sizeof key, "%d", i % 5);
        (void)try_put(&world, S("pk", key), S("gh", i % 2 == 0 ? "g" : "h"));
        (void)try_delete(&world, S("pk", key));
        if (i % 10 == 9) world_move(&world, 1);
    }
    td_units expected[2] = {0, 0};
    td_throttle_count *counts = NULL;
    uint32_t count = 0;
    ck_assert(td_observe_take_throttles(world.store, world.call.arena, &counts, &count));
    for (uint32_t i = 0; i < count; i++)
        expected[counts[i].reason.index.len > 0] += (td_units)counts[i].count * TD_UNITS_ONE;
    ck_assert_int_gt(expected[0], 0);
    ck_assert_int_gt(expected[1], 0);
    ck_assert_int_eq(sum_of(&world, "", TD_HEAT_THROTTLE), expected[0]);
    ck_assert_int_eq(sum_of(&world, "gix", TD_HEAT_THROTTLE), expected[1]);
    ck_assert_int_eq(keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_THROTTLE}).total, expected[0]);
    world_done(&world);
}
END_TEST

/* What is asked for is seen, whether it was served or not; observed refusals were served. */
START_TEST(a_key_is_over_the_limit_by_what_it_asked_for)
{
    static const td_enforce enforces[] = {TD_ENFORCE_ON, TD_ENFORCE_OBSERVE, TD_ENFORCE_OFF};
    td_store_options options = world_options();
    options.capacity.enforce = enforces[_i];
    td_world world;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    for (int i = 0; i < 1500; i++)
        (void)try_put(&world, S("pk", "hot"));
    for (int i = 0; i < 900; i++)
        (void)try_put(&world, S("pk", "warm"));
    td_hot_keys hot = keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_WRITE});
    ck_assert_uint_eq(hot.count, 2);
    ck_assert_int_eq(hot.keys[0].peak, 1500 * TD_UNITS_ONE);
    ck_assert(hot.keys[0].is_over_limit);
    ck_assert_int_eq(hot.keys[1].peak, 900 * TD_UNITS_ONE);
    ck_assert(!hot.keys[1].is_over_limit);
    world_done(&world);
}
END_TEST

static void use_everything(td_world *world)
{
    put(world, S("pk", "a"), N("sk", "1"), S("gh", "g"));
    (void)get(world, S("pk", "a"), N("sk", "1"));
    (void)read_page(world, (td_page_request){.index = TD_LIT("gix")});
}

/* A minute that the ledger of the table could not close. */
static uint64_t minutes_lost(td_world *world)
{
    td_table_totals *tables;
    uint32_t count;
    uint32_t left_out;
    ck_assert(td_store_view_totals(world->store, world->call.now_us, 1, world->call.arena, &tables, &count, &left_out));
    return tables[0].resources[0].lost;
}

/* Requests go on, `lost` tells of it, and what was counted stays. */
START_TEST(without_memory_requests_go_on_uncounted)
{
    for (uint64_t nth = 1; nth < MEMORY_FAILURES_MAX; nth++) {
        td_world world;
        world_init(&world);
        make_table(&world, "T", KEY("pk", S, "sk", N), INDEXES(GLOBAL("gix", KEY("gh", S))));
        use_everything(&world);
        use_everything(&world);
        td_units before = sum_of(&world, "", TD_HEAT_WRITE);
        world_move(&world, 61); /* a second and a minute close */
        world_forget(&world);
        td_given_attributes key = attributes_of(world.call.arena, S("pk", "a"), N("sk", "1"));
        td_get lookup = {.key = key.attributes, .key_count = key.count};
        td_get_result result;
        failing_memory_fail_at(nth);
        td_status status = td_get_item(&world.call, &lookup, &result, &world.fixture.error);
        bool has_failed = failing_memory_has_failed();
        failing_memory_fail_at(0);
        td_heatmap map = map_of(&world, "", TD_HEAT_READ, 1);
        ck_assert(status == TD_OK || has_failed);
        if (has_failed && status == TD_OK) ck_assert_uint_gt(map.lost + minutes_lost(&world), 0);
        ck_assert_int_eq(sum_of(&world, "", TD_HEAT_WRITE), before);
        use_everything(&world);
        ck_assert_int_eq(sum_of(&world, "", TD_HEAT_WRITE), before + TD_UNITS_ONE);
        world_done(&world);
        if (!has_failed) return;
    }
    ck_abort_msg("more allocations than a request may have");
}
END_TEST

START_TEST(windows_are_cut_to_what_is_kept)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"));
    world_move(&world, 100000);
    put(&world, S("pk", "a"));
    td_heatmap_request request = {.metric = TD_HEAT_WRITE, .from_us = 1, .to_us = TD_NEVER};
    td_heatmap map;
    ck_assert_int_eq(td_heat_map(&world.call, &request, &map), TD_HEAT_OK);
    ck_assert_int_eq(map.column_us, 600 * TD_US_PER_S);
    ck_assert_uint_eq(map.column_count, 145);
    ck_assert_int_gt(map.to_us, world.call.now_us);
    ck_assert_int_eq(map.max, TD_UNITS_ONE);
    request = (td_heatmap_request){.metric = TD_HEAT_WRITE, .from_us = TD_NEVER};
    ck_assert_int_eq(td_heat_map(&world.call, &request, &map), TD_HEAT_OK);
    ck_assert_uint_eq(map.column_count, 1);
    ck_assert_int_eq(map.column_us, TD_US_PER_S);
    ck_assert_int_eq(map.max, TD_UNITS_ONE);
    ck_assert_int_eq(keys_of(&world, (td_hot_keys_request){.metric = TD_HEAT_WRITE}).total, TD_UNITS_ONE);
    world_done(&world);
}
END_TEST

TCase *heat_tests(void)
{
    TCase *tests = tcase_create("heat");
    tcase_add_test(tests, a_scan_counts_where_it_searched);
    tcase_add_test(tests, a_page_of_a_query_counts_at_its_partition_key);
    tcase_add_test(tests, a_query_of_one_whole_key_counts_at_it);
    tcase_add_loop_test(tests, refusals_are_counted_as_the_log_counts_them, 0, 2);
    tcase_add_loop_test(tests, a_key_is_over_the_limit_by_what_it_asked_for, 0, 3);
    tcase_add_test(tests, without_memory_requests_go_on_uncounted);
    tcase_add_test(tests, windows_are_cut_to_what_is_kept);
    return tests;
}
