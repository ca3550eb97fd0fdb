/* SPDX-License-Identifier: Apache-2.0
 * size.c: a partition that becomes too large is split in the middle of its bytes, and an item collection that a local
 * index holds together is bounded: S28 of throttling.md §5.2, with a megabyte for ten gigabytes. */
#include "scenario.h"

#include <stdio.h>

#define PARTITION_BYTES (1024 * 1024)
#define PAD_BYTES 900 /* an item is one write unit */

static scenario it;
static scenario_flow flow;

static void setup(void)
{
    memset(&flow, 0, sizeof flow);
}

static void teardown(void)
{
    scenario_close(&it);
}

static void open_table(bool has_local_index)
{
    td_capacity_settings settings = settings_with(TD_CAPACITY_partition_bytes, PARTITION_BYTES);
    scenario_open(&it, &(scenario_setup){.read = 100,
                                         .written = 400,
                                         .has_sort_key = has_local_index,
                                         .has_local_index = has_local_index,
                                         .settings = &settings});
}

static td_status send_padded(scenario *under_load, const scenario_flow *of, uint64_t number)
{
    char key[32];
    snprintf(key, sizeof key, "%s%llu", of->key, (unsigned long long)number);
    return scenario_put(under_load, key, NULL, PAD_BYTES);
}

static td_status write_to_collection(td_write_kind kind, int number, size_t pad_bytes)
{
    char at[16];
    snprintf(at, sizeof at, "%08d", number);
    uint8_t *pad = td_arena_alloc_zero(&it.arena, pad_bytes);
    ck_assert_ptr_nonnull(pad);
    td_attribute attributes[] = {{TD_LIT("at"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(at)}},
                                 {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = td_slice_of_cstr("2026-11-13")}},
                                 {TD_LIT("pad"), {.type = TD_TYPE_B, .bytes = td_slice_of(pad, pad_bytes)}}};
    td_call call = scenario_call(&it);
    td_write write = {.kind = kind, .attributes = attributes, .attribute_count = kind == TD_WRITE_PUT ? 3 : 2};
    td_write_result result;
    return td_write_item(&call, &write, &result, &it.error);
}

START_TEST(s28_a_partition_past_its_size_is_split_once_at_its_median)
{
    open_table(false);
    flow = (scenario_flow){.per_s = 400, .send = send_padded, .key = "order-"};
    scenario_run(&it, &flow, 1, 0, 3); /* 1,200 items, 1.2 MB with what storage adds */
    ck_assert_uint_eq(flow_throttled(&flow, 0, 3), 0);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 1);
    scenario_move_to(&it, 299); /* split_duration after the write that was too much */
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 1);
    scenario_move_to(&it, 303);
    td_table_view view = scenario_observe(&it);
    ck_assert_uint_eq(view.partition_count, 2);
    uint64_t bytes = view.partitions[0].bytes + view.partitions[1].bytes;
    uint64_t items = view.partitions[0].items + view.partitions[1].items;
    ck_assert_uint_eq(items, 1200);
    ck_assert_uint_gt(bytes, PARTITION_BYTES);
    CHECK_NEAR(view.partitions[0].bytes, (double)bytes / 2, 2 * PAD_BYTES);

    uint64_t lower_items = view.partitions[0].items;
    uint64_t upper_items = view.partitions[1].items;
    for (int i = 0; i < 16; i++) {
        char key[32];
        snprintf(key, sizeof key, "more-%d", i);
        ck_assert_int_eq(scenario_put(&it, key, NULL, 0), TD_OK);
        ck_assert_int_eq(scenario_get(&it, key, true), TD_OK);
    }
    view = scenario_observe(&it);
    ck_assert_uint_gt(view.partitions[0].items, lower_items);
    ck_assert_uint_gt(view.partitions[1].items, upper_items);
    scenario_move_to(&it, 1200);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 2);
}
END_TEST

START_TEST(s28_a_collection_with_a_local_index_is_bounded)
{
    open_table(true);
    td_status status = TD_OK;
    int written = 0;
    for (; status == TD_OK && written < 2000; written++) {
        scenario_move_to(&it, written / 200.0);
        status = write_to_collection(TD_WRITE_PUT, written, PAD_BYTES);
    }
    ck_assert_int_eq(status, TD_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED);
    CHECK_NEAR(scenario_observe(&it).partitions[0].bytes, PARTITION_BYTES, 4 * PAD_BYTES);

    ck_assert_int_eq(write_to_collection(TD_WRITE_PUT, 0, PAD_BYTES / 2), TD_OK); /* it shrinks */
    ck_assert_int_eq(write_to_collection(TD_WRITE_DELETE, 1, 0), TD_OK);
    scenario_move_to(&it, 1200);
    ck_assert_uint_eq(scenario_observe(&it).partition_count, 1); /* there is nothing to part */
}
END_TEST

TCase *size_scenarios(void)
{
    TCase *tcase = tcase_create("size");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, s28_a_partition_past_its_size_is_split_once_at_its_median);
    tcase_add_test(tcase, s28_a_collection_with_a_local_index_is_bounded);
    tcase_set_timeout(tcase, 60);
    return tcase;
}
