/* SPDX-License-Identifier: Apache-2.0
 * hot_key.c: what one partition can serve: S4a, S5, S6, S8, S9, S23 of throttling.md §5.2. Without a split for heat
 * the first seconds show the rate that holds for ever. */
#include "scenario.h"

#include <stdio.h>

#define KEYS 10

static scenario it;
static scenario_flow flows[KEYS];
static char keys[KEYS][32];

static void setup(void)
{
    memset(flows, 0, sizeof flows);
}
static void teardown(void)
{
    scenario_close(&it);
}

static void open_provisioned(int64_t read, int64_t written, uint32_t partitions)
{
    scenario_open(&it, &(scenario_setup){.read = read, .written = written});
    ck_assert_uint_eq(scenario_observe(&it).partition_count, partitions);
}

static void open_on_demand(const td_capacity_settings *settings)
{
    scenario_open(&it, &(scenario_setup){.settings = settings});
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 4);
}

/* Ten keys at 300 writes a second each. */
static void hit_ten_keys(const char *format, int first, uint32_t to_second)
{
    for (int i = 0; i < KEYS; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* both formats are in this file */
        snprintf(keys[i], sizeof keys[i], format, first + i);
#pragma GCC diagnostic pop
        flows[i].per_s = 300;
        flows[i].send = send_put;
        flows[i].key = keys[i];
    }
    scenario_run(&it, flows, KEYS, 0, to_second);
}

static uint32_t throttled_by_all(uint32_t from_second, uint32_t to_second)
{
    uint32_t sum = 0;
    for (int i = 0; i < KEYS; i++)
        sum += flow_throttled(&flows[i], from_second, to_second);
    return sum;
}

/* A key that lies in a partition of four. */
static void find_key(uint32_t partition, char ret_key[32])
{
    int i = 0;
    do {
        snprintf(ret_key, 32, "key-%d", i++);
    } while (scenario_partition_of(ret_key, 4) != partition);
}

START_TEST(s4a_unused_throughput_of_the_table_serves_its_hot_partition)
{
    static const int64_t rates[] = {50, 50, 50, 150};
    td_capacity_settings settings = settings_with(TD_CAPACITY_burst_window, 1);
    open_on_demand(&settings);
    td_call call = scenario_call(&it);
    td_table_change change = {.has_billing = true,
                              .billing = TD_BILLING_PROVISIONED,
                              .has_throughput = true,
                              .throughput.rate = {[TD_READ] = 400, [TD_WRITE] = 400}};
    td_table_info info;
    ck_assert_int_eq(td_table_update(&call, &change, &info, &it.error), TD_OK);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 4); /* partitions are never merged */

    for (uint32_t partition = 0; partition < 4; partition++) {
        find_key(partition, keys[partition]);
        flows[partition] = (scenario_flow){.per_s = rates[partition], .send = send_put, .key = keys[partition]};
    }
    scenario_run(&it, flows, 4, 0, 60);
    ck_assert_uint_eq(throttled_by_all(0, 60), 0);
}
END_TEST

START_TEST(s5_one_item_gets_one_partition_of_a_large_table)
{
    open_provisioned(10000, 10000, 14);
    flows[0] = (scenario_flow){.per_s = 3000, .send = send_put, .key = "hot"};
    scenario_run(&it, flows, 1, 0, 20);
    for (uint32_t second = 1; second < 20; second++) {
        ck_assert_uint_eq(flows[0].passed[second], 1000);
        ck_assert_uint_eq(flows[0].throttled[second], 2000);
    }
    CHECK_LAST_THROTTLE(&flows[0], TD_PROVISIONED_THROUGHPUT_EXCEEDED, "TableWriteKeyRangeThroughputExceeded",
                        "The level of configured provisioned throughput for the table was exceeded.");
    ck_assert_double_ge(scenario_bucket(&it, false, TD_WRITE).balance, 2.9e6); /* the pool hardly notices */
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 14);
}
END_TEST

START_TEST(s6a_ten_suffixes_may_still_share_a_partition)
{
    open_provisioned(3000, 10000, 11);
    hit_ten_keys("bestseller-product_%d", 1, 20);
    ck_assert_uint_eq(throttled_by_all(0, 4), 0);         /* the cap's one second, drained at 200 a second, lasts 5 */
    ck_assert_uint_eq(throttled_by_all(6, 20), 14 * 200); /* 6.7 % of 3,000 */
}
END_TEST

START_TEST(s6b_other_suffixes_spread_and_are_not_throttled)
{
    open_provisioned(3000, 10000, 11);
    hit_ten_keys("HOT#%d", 0, 15);
    ck_assert_uint_eq(throttled_by_all(0, 15), 0);
}
END_TEST

START_TEST(s6c_a_new_on_demand_table_throttles_the_same_suffixes_more)
{
    open_on_demand(NULL);
    hit_ten_keys("bestseller-product_%d", 1, 20);
    ck_assert_uint_eq(throttled_by_all(6, 20), 14 * 700); /* 23.3 % of 3,000 */
    for (int i = 0; i < KEYS; i++) {
        if (scenario_partition_of(keys[i], 4) == 3)
            ck_assert_uint_eq(flow_throttled(&flows[i], 0, 20), 0); /* alone in its partition */
        else if (flow_throttled(&flows[i], 0, 20) > 0)
            CHECK_LAST_THROTTLE(&flows[i], TD_THROTTLING, "TableWriteKeyRangeThroughputExceeded",
                                "Throughput exceeds the current capacity of your table or index.");
    }
}
END_TEST

START_TEST(s8_uniform_keys_use_nearly_all_of_four_partitions)
{
    open_on_demand(NULL);
    flows[0] = (scenario_flow){.per_s = 3600, .send = send_unique_put, .key = "user-"};
    scenario_run(&it, flows, 1, 0, 20);
    ck_assert_uint_eq(flow_throttled(&flows[0], 0, 20), 0);
}
END_TEST

START_TEST(s9_one_item_of_an_on_demand_table_is_held_at_the_cap)
{
    open_on_demand(NULL);
    flows[0] = (scenario_flow){.per_s = 1500, .send = send_put, .key = "hot"};
    scenario_run(&it, flows, 1, 0, 20);
    for (uint32_t second = 2; second < 20; second++)
        ck_assert_uint_eq(flows[0].passed[second], 1000);
    CHECK_LAST_THROTTLE(&flows[0], TD_THROTTLING, "TableWriteKeyRangeThroughputExceeded",
                        "Throughput exceeds the current capacity of your table or index.");
}
END_TEST

typedef struct read_case {
    double ec_read_factor;
    bool is_consistent;
    int64_t offered_per_s;
    uint32_t served_per_s;
} read_case;

static const read_case read_cases[] = {
    {1.0, true, 6000, 3000},
    {1.0, false, 12000, 6000},
    {1.5, true, 6000, 3000},
    {1.5, false, 18000, 9000},
};

START_TEST(s23_reads_of_one_item_stop_at_the_cap)
{
    const read_case *row = &read_cases[_i];
    td_capacity_settings settings = settings_with(TD_CAPACITY_ec_read_factor, row->ec_read_factor);
    open_on_demand(&settings);
    ck_assert_int_eq(scenario_put(&it, "hot", NULL, 0), TD_OK);
    flows[0] = (scenario_flow){.per_s = row->offered_per_s, .send = send_get, .key = "hot", .flag = row->is_consistent};
    scenario_run(&it, flows, 1, 0, 4);
    for (uint32_t second = 1; second < 4; second++)
        CHECK_NEAR(flows[0].passed[second], row->served_per_s, 1);
    CHECK_LAST_THROTTLE(&flows[0], TD_THROTTLING, "TableReadKeyRangeThroughputExceeded",
                        "Throughput exceeds the current capacity of your table or index.");
}
END_TEST

START_TEST(a_page_ends_before_a_throttled_partition)
{
    open_on_demand(NULL);
    for (uint32_t partition = 0; partition < 2; partition++) {
        find_key(partition, keys[partition]);
        ck_assert_int_eq(scenario_put(&it, keys[partition], NULL, 0), TD_OK);
    }
    flows[0] = (scenario_flow){.per_s = 9000, .send = send_get, .key = keys[1], .flag = true};
    scenario_run(&it, flows, 1, 0, 1);
    ck_assert_uint_gt(flows[0].throttled[0], 0);

    td_call call = scenario_call(&it);
    td_page_request request = {.is_consistent = true};
    td_page page;
    it.error = (td_error){.arena = &it.arena};
    ck_assert_int_eq(td_read_page(&call, &request, &page, &it.error), TD_OK);
    ck_assert_uint_eq(page.count, 1);
    ck_assert_ptr_nonnull(page.last);
    ck_assert_int_eq(page.consumed.table, TD_UNITS_ONE);

    td_attribute start = {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(keys[0])}};
    request.start_key = &start;
    request.start_key_count = 1;
    ck_assert_int_eq(td_read_page(&call, &request, &page, &it.error), TD_THROTTLING);
    ck_assert_str_eq(td_throttle_reason_name(&it.error.throttle->reasons[0]), "TableReadKeyRangeThroughputExceeded");
}
END_TEST

TCase *hot_key_scenarios(void)
{
    TCase *tests = tcase_create("hot key");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s4a_unused_throughput_of_the_table_serves_its_hot_partition);
    tcase_add_test(tests, s5_one_item_gets_one_partition_of_a_large_table);
    tcase_add_test(tests, s6a_ten_suffixes_may_still_share_a_partition);
    tcase_add_test(tests, s6b_other_suffixes_spread_and_are_not_throttled);
    tcase_add_test(tests, s6c_a_new_on_demand_table_throttles_the_same_suffixes_more);
    tcase_add_test(tests, s8_uniform_keys_use_nearly_all_of_four_partitions);
    tcase_add_test(tests, s9_one_item_of_an_on_demand_table_is_held_at_the_cap);
    tcase_add_test(tests, a_page_ends_before_a_throttled_partition);
    tcase_add_loop_test(tests, s23_reads_of_one_item_stop_at_the_cap, 0, (int)TD_COUNT_OF(read_cases));
    return tests;
}
