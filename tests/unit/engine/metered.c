/* SPDX-License-Identifier: Apache-2.0
 * metered.c: tests of what is metered by the minute and since a table exists, also of tables that are gone. */
#include "thermodyn/metrics.h"

#include "suites.h"
#include "world.h"

static td_world world;

static void setup(void)
{
    world_init(&world);
}

static void teardown(void)
{
    world_done(&world);
}

static td_statistic read_since_start(const char *table, const char *index, td_metric metric, bool *ret_is_known)
{
    td_samples point = {0};
    td_metered metered = {.table = td_slice_of_cstr(table), .index = td_slice_of_cstr(index)};
    td_series_window window = {.now_us = world.call.now_us,
                               .from_us = WORLD_START_US - WORLD_START_US % TD_SERIES_MINUTE_US,
                               .period_us = 60 * TD_SERIES_MINUTE_US,
                               .count = 1};
    *ret_is_known = td_store_read_metric(world.store, &metered, metric, &window, &point);
    return point.statistic;
}

static td_statistic metered(const char *table, const char *index, td_metric metric)
{
    bool is_known = false;
    td_statistic point = read_since_start(table, index, metric, &is_known);
    ck_assert(is_known);
    return point;
}

/* "T T/gix": the resources, gone ones in parentheses. */
static const char *list(void)
{
    static char text[512];
    td_metered *all;
    uint32_t count;
    ck_assert(td_store_list_metered(world.store, world.call.arena, &all, &count));
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof(text) - used, "%s%s%.*s%s%.*s%s", i > 0 ? " " : "",
                       all[i].is_gone ? "(" : "", (int)all[i].table.len, (const char *)all[i].table.ptr,
                       all[i].index.len > 0 ? "/" : "", (int)all[i].index.len, (const char *)all[i].index.ptr,
                       all[i].is_gone ? ")" : "");
    }
    return text;
}

static void drop(const char *table)
{
    td_store_drop(world.store, TD_LIT(""), td_slice_of_cstr(table));
}

START_TEST(a_moving_index_entry_is_one_sample_of_both_its_writes)
{
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    put(&world, S("pk", "a"), S("gh", "one"));
    put(&world, S("pk", "a"), S("gh", "two"));
    td_statistic index = metered("T", "gix", TD_METRIC_CONSUMED_WRITE);
    ck_assert_uint_eq(index.count, 2);
    ck_assert_int_eq(index.sum, 3000);
    ck_assert_int_eq(index.max, 2000);
    td_statistic table = metered("T", "", TD_METRIC_CONSUMED_WRITE);
    ck_assert_uint_eq(table.count, 2);
    ck_assert_int_eq(table.sum, 2000);
}
END_TEST

START_TEST(a_page_over_many_partitions_is_one_sample)
{
    make_table(&world, "T", KEY("pk", S));
    (void)read_page(&world, (td_page_request){0});
    td_statistic reads = metered("T", "", TD_METRIC_CONSUMED_READ);
    ck_assert_uint_eq(reads.count, 1);
    ck_assert_int_eq(reads.sum, 2000); /* half a unit of each of four */
}
END_TEST

START_TEST(a_refused_write_is_an_event_with_its_cause)
{
    make_table(&world, "T", KEY("pk", S));
    for (int i = 0; i < 1003; i++)
        (void)try_put(&world, S("pk", "hot"));
    ck_assert_int_eq(metered("T", "", TD_METRIC_WRITE_THROTTLES).sum, 3);
    ck_assert_int_eq(metered("T", "", TD_METRIC_WRITE_KEY_RANGE).sum, 3);
    ck_assert_int_eq(metered("T", "", TD_METRIC_WRITE_ACCOUNT).sum, 0);
    ck_assert_uint_eq(metered("T", "", TD_METRIC_READ_THROTTLES).count, 0);
}
END_TEST

START_TEST(what_was_metered_outlives_its_table)
{
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    make_table(&world, "U", KEY("pk", S));
    put(&world, S("pk", "a"));
    world_use(&world, "T");
    put(&world, S("pk", "a"), S("gh", "one"));
    ck_assert_str_eq(list(), "T T/gix U");
    drop("T");
    ck_assert_str_eq(list(), "(T) (T/gix) U");
    ck_assert_int_eq(metered("T", "gix", TD_METRIC_CONSUMED_WRITE).sum, 1000);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"));
    ck_assert_str_eq(list(), "T (T/gix) U");
    ck_assert_int_eq(metered("T", "", TD_METRIC_CONSUMED_WRITE).sum, 2000);
}
END_TEST

START_TEST(a_table_without_traffic_is_not_listed_and_leaves_nothing)
{
    make_table(&world, "T", KEY("pk", S));
    ck_assert_str_eq(list(), "");
    drop("T");
    bool is_known = true;
    (void)read_since_start("T", "", TD_METRIC_CONSUMED_READ, &is_known);
    ck_assert(!is_known);
}
END_TEST

START_TEST(dropping_everything_forgets_the_minutes)
{
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"));
    td_store_drop_all(world.store);
    ck_assert_str_eq(list(), "");
}
END_TEST

START_TEST(the_archive_keeps_the_last_thousand)
{
    char name[16];
    for (int i = 0; i < 1001; i++) {
        (void)snprintf(name, sizeof(name), "T%04d", i);
        make_table(&world, name, KEY("pk", S));
        put(&world, S("pk", "a"));
        drop(name);
        world_forget(&world);
    }
    td_metered *all;
    uint32_t count;
    ck_assert(td_store_list_metered(world.store, world.call.arena, &all, &count));
    ck_assert_uint_eq(count, 1000);
    CHECK_SLICE(world.call.arena, all[0].table, "T0001");
}
END_TEST

START_TEST(tables_of_one_name_are_one_in_the_archive)
{
    make_table(&world, "U", KEY("pk", S));
    put(&world, S("pk", "a"));
    drop("U");
    for (int i = 0; i < 1000; i++) {
        make_table(&world, "T", KEY("pk", S));
        put(&world, S("pk", "a"));
        drop("T");
        world_forget(&world);
    }
    ck_assert_str_eq(list(), "(T) (U)");
    ck_assert_uint_eq(metered("T", "", TD_METRIC_CONSUMED_WRITE).count, 1000);
    ck_assert_uint_eq(metered("U", "", TD_METRIC_CONSUMED_WRITE).count, 1);
}
END_TEST

START_TEST(totals_go_on_when_throughput_changes_and_end_with_the_table)
{
    make_table(&world, "T", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(7, 8))),
               PROVISIONED(5, 6));
    make_table(&world, "U", KEY("pk", S));
    world_use(&world, "T");
    put(&world, S("pk", "a"), S("gh", "one"));
    ck_assert(td_capacity_reset(&world.call));
    td_table_totals *tables;
    uint32_t count;
    uint32_t left_out;
    ck_assert(td_store_view_totals(world.store, world.call.now_us, 10, world.call.arena, &tables, &count, &left_out));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(left_out, 0);
    const td_resource_totals *table = &tables[0].resources[0];
    ck_assert_int_eq(table->consumed[TD_WRITE], 1000);
    ck_assert_uint_eq(table->items, 1);
    ck_assert_int_eq(table->rate[TD_READ], 5);
    ck_assert_double_eq(table->ceiling[TD_READ], 1500);
    ck_assert_double_eq(table->balance[TD_WRITE], 1800);
    CHECK_SLICE(world.call.arena, tables[0].resources[1].index, "gix");
    ck_assert_int_eq(tables[0].resources[1].rate[TD_WRITE], 8);
    ck_assert(td_store_view_totals(world.store, world.call.now_us, 1, world.call.arena, &tables, &count, &left_out));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(left_out, 1);
    drop("T");
    ck_assert(td_store_view_totals(world.store, world.call.now_us, 10, world.call.arena, &tables, &count, &left_out));
    ck_assert_uint_eq(count, 1);
    CHECK_SLICE(world.call.arena, tables[0].table, "U");
}
END_TEST

START_TEST(splits_are_counted_by_cause)
{
    make_table(&world, "T", KEY("pk", S));
    td_split_veto veto;
    ck_assert_int_eq(td_partition_split(&world.call, TD_LIT(""), TD_LIT("p-0001"), &veto), TD_SPLIT_DONE);
    td_table_totals *tables;
    uint32_t count;
    uint32_t left_out;
    ck_assert(td_store_view_totals(world.store, world.call.now_us, 10, world.call.arena, &tables, &count, &left_out));
    ck_assert_uint_eq(tables[0].resources[0].splits[TD_SPLIT_BY_REQUEST], 1);
    ck_assert_uint_eq(tables[0].resources[0].splits[TD_SPLIT_FOR_HEAT], 0);
    ck_assert_uint_eq(tables[0].resources[0].partition_count, 5);
}
END_TEST

TCase *metered_tests(void)
{
    TCase *tests = tcase_create("metered");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_moving_index_entry_is_one_sample_of_both_its_writes);
    tcase_add_test(tests, a_page_over_many_partitions_is_one_sample);
    tcase_add_test(tests, a_refused_write_is_an_event_with_its_cause);
    tcase_add_test(tests, what_was_metered_outlives_its_table);
    tcase_add_test(tests, a_table_without_traffic_is_not_listed_and_leaves_nothing);
    tcase_add_test(tests, dropping_everything_forgets_the_minutes);
    tcase_add_test(tests, the_archive_keeps_the_last_thousand);
    tcase_add_test(tests, tables_of_one_name_are_one_in_the_archive);
    tcase_add_test(tests, totals_go_on_when_throughput_changes_and_end_with_the_table);
    tcase_add_test(tests, splits_are_counted_by_cause);
    return tests;
}
