/* SPDX-License-Identifier: Apache-2.0
 * splits.c: partitions that are split for heat, and those that are not: S5 to S10 and S13 to S16 of
 * throttling.md §5.2.
 *
 * The scenarios run at a part of the service's capacity (capacity_scale, throttling.md §6.5), which divides every rate
 * and leaves every duration and every share as it is: what takes millions of requests takes some ten thousand. Rates in
 * this file are the service's; `scaled` and `nominal` convert. */
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/rng.h"

#define KEYS_MAX 10
#define EVEN_KEYS 20000 /* a uniform load: so many keys in turn, wherever their hashes lie */

typedef struct table_shape {
    double scale;
    int64_t read; /* provisioned; 0 and 0: on-demand */
    int64_t written;
    uint32_t partitions; /* of an on-demand table; 0: as many as the service makes */
    bool has_sort_key;
    bool has_local_index;
    bool has_index; /* by status and the sort attribute */
} table_shape;

static scenario it;
static double scale;
static scenario_flow flows[KEYS_MAX];
static char keys[KEYS_MAX][32];
static td_rng rng;

static void setup(void)
{
    memset(flows, 0, sizeof flows);
    td_rng_init(&rng, 1);
}

static void teardown(void)
{
    scenario_close(&it);
}

static void open_table(const table_shape *shape)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_capacity_scale, shape->scale);
    settings.values[TD_CAPACITY_scale_provisioned] = 1;
    if (shape->partitions > 0) settings.values[TD_CAPACITY_ondemand_initial_partitions] = shape->partitions;
    scale = shape->scale;
    scenario_open(&it, &(scenario_setup){.read = shape->read,
                                         .written = shape->written,
                                         .has_sort_key = shape->has_sort_key,
                                         .has_local_index = shape->has_local_index,
                                         .has_index = shape->has_index,
                                         .has_index_sort_key = shape->has_index,
                                         .settings = &settings});
}

static int64_t scaled(double per_s)
{
    return (int64_t)(per_s * scale + 0.5);
}

static double nominal(double count)
{
    return count / scale;
}

/* Units a second, of all flows, over [from, to). */
static double rate_of(uint32_t (*sum)(const scenario_flow *, uint32_t, uint32_t), uint32_t from, uint32_t to)
{
    uint32_t total = 0;
    for (int i = 0; i < KEYS_MAX; i++)
        total += sum(&flows[i], from, to);
    return nominal(total) / (to - from);
}

static double passed_per_s(uint32_t from, uint32_t to)
{
    return rate_of(flow_passed, from, to);
}

static double throttled_per_s(uint32_t from, uint32_t to)
{
    return rate_of(flow_throttled, from, to);
}

/* Of the table, or of its index. */
static uint32_t count_partitions(bool of_index)
{
    td_table_view view = scenario_observe(&it);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view.partition_count; i++)
        count += (view.partitions[i].index.len > 0) == of_index;
    return count;
}

/* The veto that stands, TD_VETO_NONE when there is none; no two may differ. */
static td_split_veto find_veto(void)
{
    td_table_view view = scenario_observe(&it);
    td_split_veto veto = TD_VETO_NONE;
    for (uint32_t i = 0; i < view.partition_count; i++) {
        if (view.partitions[i].veto == TD_VETO_NONE) continue;
        ck_assert(veto == TD_VETO_NONE || veto == view.partitions[i].veto);
        veto = view.partitions[i].veto;
    }
    return veto;
}

/* ---- loads ------------------------------------------------------------------------------------------------------ */

static td_status put(scenario *under_load, const char *key, const char *status, const char *sort)
{
    td_attribute attributes[3];
    uint32_t count = 0;
    if (sort != NULL)
        attributes[count++] = (td_attribute){TD_LIT("at"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(sort)}};
    attributes[count++] = (td_attribute){TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(key)}};
    if (status != NULL)
        attributes[count++] = (td_attribute){TD_LIT("status"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(status)}};
    td_call call = scenario_call(under_load);
    td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes, .attribute_count = count};
    td_write_result result;
    return td_write_item(&call, &write, &result, &under_load->error);
}

static void format_sort(bool is_random, uint64_t number, char ret_sort[24])
{
    uint64_t value = is_random ? td_rng_below(&rng, 1000000000) : number;
    snprintf(ret_sort, 24, "%012llu", (unsigned long long)value);
}

static td_status send_even(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    char key[64];
    snprintf(key, sizeof key, "%s%llu", flow->key, (unsigned long long)(number % EVEN_KEYS));
    return put(under_load, key, NULL, NULL);
}

/* flag: random sort keys, otherwise rising ones. */
static td_status send_to_collection(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    char sort[24];
    format_sort(flow->flag, number, sort);
    return put(under_load, flow->key, NULL, sort);
}

/* New items all over the table, entries all in one collection of the index; flag as above. */
static td_status send_active(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    char key[64];
    char sort[24];
    snprintf(key, sizeof key, "%s%llu", flow->key, (unsigned long long)number);
    format_sort(flow->flag, number, sort);
    return put(under_load, key, "ACTIVE", sort);
}

static td_status send_to_forty(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    char key[64];
    snprintf(key, sizeof key, "%s%llu", flow->key, (unsigned long long)(number % 40));
    return put(under_load, key, NULL, NULL);
}

/* Ten keys at 300 writes a second each. */
static void hit_ten_keys(const char *prefix, uint32_t from_second, uint32_t to_second)
{
    for (int i = 0; i < KEYS_MAX; i++) {
        snprintf(keys[i], sizeof keys[i], "%s%d", prefix, 1 + i);
        flows[i].per_s = scaled(300);
        flows[i].send = send_put;
        flows[i].key = keys[i];
    }
    scenario_run(&it, flows, KEYS_MAX, from_second, to_second);
}

static void hit(scenario_flow flow, double per_s, uint32_t to_second)
{
    flow.per_s = scaled(per_s);
    flows[0] = flow;
    scenario_run(&it, flows, 1, 0, to_second);
}

/* ---- relief ----------------------------------------------------------------------------------------------------- */

START_TEST(s6a_a_split_parts_four_hot_suffixes_after_ten_minutes)
{
    open_table(&(table_shape){.scale = 0.05, .read = 3000, .written = 10000});
    ck_assert_uint_eq(count_partitions(false), 11);
    hit_ten_keys("bestseller-product_", 0, 720);
    CHECK_NEAR(throttled_per_s(10, 600), 200, 200 * 0.02); /* 6.7 % of 3,000 */
    ck_assert_double_eq(throttled_per_s(600, 720), 0);
}
END_TEST

START_TEST(s6c_two_splits_relieve_a_new_on_demand_table)
{
    open_table(&(table_shape){.scale = 0.05});
    hit_ten_keys("bestseller-product_", 0, 720);
    CHECK_NEAR(throttled_per_s(10, 600), 700, 700 * 0.02); /* 23.3 % of 3,000 */
    ck_assert_double_eq(throttled_per_s(600, 720), 0);
    ck_assert_uint_eq(count_partitions(false), 6);
}
END_TEST

START_TEST(s7_four_partitions_become_eight)
{
    open_table(&(table_shape){.scale = 0.05});
    hit((scenario_flow){.send = send_even, .key = "user-"}, 5000, 720);
    CHECK_NEAR(throttled_per_s(10, 600), 1000, 1000 * 0.02);
    CHECK_NEAR(throttled_per_s(0, 600) * 600, 600000, 600000 * 0.02);
    ck_assert_double_eq(throttled_per_s(600, 720), 0);
    ck_assert_uint_eq(count_partitions(false), 8);
}
END_TEST

START_TEST(s8_a_load_below_the_cap_is_never_throttled)
{
    open_table(&(table_shape){.scale = 0.05});
    hit((scenario_flow){.send = send_even, .key = "user-"}, 3600, 720);
    ck_assert_double_eq(throttled_per_s(0, 720), 0);
    ck_assert_uint_eq(count_partitions(false), 8); /* hot from 800 on, all the same */
}
END_TEST

START_TEST(s10_a_step_is_served_by_twice_as_much_every_ten_minutes)
{
    open_table(&(table_shape){.scale = 0.01});
    hit((scenario_flow){.send = send_even, .key = "user-"}, 40000, 2520);
    for (uint32_t i = 0; i < 4; i++) {
        double expected = 4000 << i;
        CHECK_NEAR(passed_per_s(600 * i + 10, 600 * (i + 1)), expected, expected * 0.02);
    }
    CHECK_NEAR(passed_per_s(2410, 2520), 40000, 40000 * 0.02);
    CHECK_NEAR(passed_per_s(0, 2400) * 2400, 36e6, 36e6 * 0.02);
}
END_TEST

START_TEST(s13_a_constant_key_of_an_index_holds_back_its_table_until_it_is_split_twice)
{
    open_table(&(table_shape){.scale = 0.05, .has_index = true});
    hit((scenario_flow){.send = send_active, .key = "order-", .flag = true}, 3000, 1320);
    CHECK_NEAR(passed_per_s(10, 600), 1000, 20);
    CHECK_NEAR(passed_per_s(610, 1200), 2000, 40);
    ck_assert_double_eq(throttled_per_s(1200, 1320), 0);
    ck_assert_str_eq(flows[0].reason, "IndexWriteKeyRangeThroughputExceeded");
    ck_assert_str_eq(flows[0].resource, SCENARIO_INDEX);
    ck_assert_uint_eq(count_partitions(false), 4); /* 750 a second each: not hot */
}
END_TEST

START_TEST(s14b_a_collection_is_split_between_its_sort_keys)
{
    open_table(&(table_shape){.scale = 0.05, .has_sort_key = true});
    hit((scenario_flow){.send = send_to_collection, .key = "2026-11-13", .flag = true}, 1500, 720);
    CHECK_NEAR(throttled_per_s(10, 600), 500, 10);
    ck_assert_double_eq(throttled_per_s(600, 720), 0);
    ck_assert_uint_eq(count_partitions(false), 5);
}
END_TEST

/* A key that has as many of the forty below as above it. */
static void find_middle_key(char ret_key[32])
{
    uint32_t below = 0;
    for (int tries = 0; below != 20; tries++) {
        snprintf(ret_key, 32, "A-%d", tries);
        uint32_t place = scenario_partition_of(ret_key, UINT32_MAX);
        below = 0;
        for (int i = 0; i < 40; i++) {
            char other[32];
            snprintf(other, sizeof other, "other-%d", i);
            below += scenario_partition_of(other, UINT32_MAX) < place;
        }
    }
}

/* The first cut, on one side of the item, leaves it with 300 of the 600 that the others have: 1,100 a second, of which
 * 100 (7.1 % of all) are throttled. The second, on its other side, leaves it alone. */
START_TEST(s16_a_heavy_item_is_parted_from_its_neighbours)
{
    open_table(&(table_shape){.scale = 0.05, .partitions = 1});
    find_middle_key(keys[0]);
    flows[0] = (scenario_flow){.per_s = scaled(800), .send = send_put, .key = keys[0]};
    flows[1] = (scenario_flow){.per_s = scaled(600), .send = send_to_forty, .key = "other-"};
    scenario_run(&it, flows, 2, 0, 1320);
    CHECK_NEAR(throttled_per_s(10, 600), 400, 400 * 0.02); /* 28.6 % of 1,400 */
    CHECK_NEAR(throttled_per_s(620, 1200), 100, 100 * 0.1);
    ck_assert_double_eq(throttled_per_s(1200, 1320), 0);
    ck_assert_uint_eq(count_partitions(false), 3);
}
END_TEST

/* ---- vetoes ----------------------------------------------------------------------------------------------------- */

START_TEST(s9_one_item_is_never_relieved)
{
    open_table(&(table_shape){.scale = 0.05});
    hit((scenario_flow){.send = send_put, .key = "hot"}, 1500, 1320);
    CHECK_NEAR(passed_per_s(10, 1320), 1000, 20);
    CHECK_LAST_THROTTLE(&flows[0], TD_THROTTLING, "TableWriteKeyRangeThroughputExceeded",
                        "Throughput exceeds the current capacity of your table or index.");
    ck_assert_uint_eq(count_partitions(false), 4);
    ck_assert_int_eq(find_veto(), TD_VETO_SINGLE_ITEM);
}
END_TEST

START_TEST(s5_one_item_of_a_large_table_is_not_relieved_either)
{
    open_table(&(table_shape){.scale = 0.05, .read = 10000, .written = 10000});
    hit((scenario_flow){.send = send_put, .key = "hot"}, 3000, 720);
    CHECK_NEAR(passed_per_s(10, 720), 1000, 20);
    ck_assert_uint_eq(count_partitions(false), 14);
    ck_assert_int_eq(find_veto(), TD_VETO_SINGLE_ITEM);
}
END_TEST

START_TEST(s13_an_index_by_time_is_never_relieved)
{
    open_table(&(table_shape){.scale = 0.05, .has_index = true});
    hit((scenario_flow){.send = send_active, .key = "order-"}, 3000, 720);
    CHECK_NEAR(passed_per_s(10, 720), 1000, 20);
    ck_assert_int_eq(find_veto(), TD_VETO_INCREASING_SORT_KEY);
}
END_TEST

START_TEST(s14a_a_collection_that_grows_at_its_end_is_not_split)
{
    open_table(&(table_shape){.scale = 0.05, .has_sort_key = true});
    hit((scenario_flow){.send = send_to_collection, .key = "2026-11-13"}, 1500, 1320);
    CHECK_NEAR(passed_per_s(10, 1320), 1000, 20);
    ck_assert_uint_eq(count_partitions(false), 4);
    ck_assert_int_eq(find_veto(), TD_VETO_INCREASING_SORT_KEY);
}
END_TEST

START_TEST(s14c_a_local_index_holds_a_collection_together)
{
    open_table(&(table_shape){.scale = 0.05, .has_sort_key = true, .has_local_index = true});
    hit((scenario_flow){.send = send_to_collection, .key = "2026-11-13", .flag = true}, 1500, 1320);
    CHECK_NEAR(throttled_per_s(10, 1320), 500, 10);
    ck_assert_uint_eq(count_partitions(false), 4);
    ck_assert_int_eq(find_veto(), TD_VETO_LOCAL_INDEX);
}
END_TEST

START_TEST(s14d_rising_partition_keys_are_spread_by_their_hashes)
{
    open_table(&(table_shape){.scale = 0.05});
    hit((scenario_flow){.send = send_unique_put, .key = ""}, 3600, 720);
    ck_assert_double_eq(throttled_per_s(0, 720), 0);
    ck_assert_int_eq(find_veto(), TD_VETO_NONE);
}
END_TEST

/* ---- S15: a load in the order of a Scan -------------------------------------------------------------------------- */

#define COPIED_ITEMS 128000 /* 32,000 a partition: 640 s at the scaled cap of 50 a second */

typedef struct copied_item {
    uint64_t place;
    uint32_t number;
} copied_item;

static copied_item copied[COPIED_ITEMS];
static uint32_t copied_count;

static int compare_places(const void *a, const void *b)
{
    uint64_t place_a = ((const copied_item *)a)->place;
    uint64_t place_b = ((const copied_item *)b)->place;
    return (place_a > place_b) - (place_a < place_b);
}

static void format_copied(uint32_t number, char ret_key[24])
{
    snprintf(ret_key, 24, "item-%u", number);
}

static void sort_as_scanned(void)
{
    for (uint32_t i = 0; i < COPIED_ITEMS; i++) {
        char key[24];
        format_copied(i, key);
        td_slice part = td_slice_of_cstr(key);
        td_key_hash hash = td_key_hash_of(&part, 1, TD_PLACEMENT_SERVICE);
        copied[i] = (copied_item){td_key_hash_prefix(&hash), i};
    }
    qsort(copied, COPIED_ITEMS, sizeof *copied, compare_places);
    copied_count = 0;
}

/* A throttled item is sent again before the next. */
static td_status send_next_copied(scenario *under_load, const scenario_flow *flow, uint64_t number)
{
    (void)flow;
    (void)number;
    char key[24];
    ck_assert_uint_lt(copied_count, COPIED_ITEMS);
    format_copied(copied[copied_count].number, key);
    td_status status = put(under_load, key, NULL, NULL);
    if (status == TD_OK) copied_count++;
    return status;
}

START_TEST(s15_a_copy_in_the_order_of_a_scan_moves_at_the_cap_of_one_partition)
{
    sort_as_scanned();
    open_table(&(table_shape){.scale = 0.05});
    hit((scenario_flow){.send = send_next_copied}, 3000, 620);
    ck_assert_int_eq(find_veto(), TD_VETO_SEQUENTIAL);
    scenario_run(&it, flows, 1, 620, 1100);
    CHECK_NEAR(passed_per_s(10, 1100), 1000, 20);
    ck_assert_uint_eq(count_partitions(false), 4);
}
END_TEST

TCase *split_scenarios(void)
{
    TCase *tests = tcase_create("splits");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s6a_a_split_parts_four_hot_suffixes_after_ten_minutes);
    tcase_add_test(tests, s6c_two_splits_relieve_a_new_on_demand_table);
    tcase_add_test(tests, s7_four_partitions_become_eight);
    tcase_add_test(tests, s8_a_load_below_the_cap_is_never_throttled);
    tcase_add_test(tests, s10_a_step_is_served_by_twice_as_much_every_ten_minutes);
    tcase_add_test(tests, s13_a_constant_key_of_an_index_holds_back_its_table_until_it_is_split_twice);
    tcase_add_test(tests, s14b_a_collection_is_split_between_its_sort_keys);
    tcase_add_test(tests, s16_a_heavy_item_is_parted_from_its_neighbours);
    tcase_add_test(tests, s9_one_item_is_never_relieved);
    tcase_add_test(tests, s5_one_item_of_a_large_table_is_not_relieved_either);
    tcase_add_test(tests, s13_an_index_by_time_is_never_relieved);
    tcase_add_test(tests, s14a_a_collection_that_grows_at_its_end_is_not_split);
    tcase_add_test(tests, s14c_a_local_index_holds_a_collection_together);
    tcase_add_test(tests, s14d_rising_partition_keys_are_spread_by_their_hashes);
    tcase_add_test(tests, s15_a_copy_in_the_order_of_a_scan_moves_at_the_cap_of_one_partition);
    return tests;
}
