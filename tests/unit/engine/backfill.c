/* SPDX-License-Identifier: Apache-2.0
 * backfill.c: tests of filling an index of a table that is larger than a chunk. */
#include "suites.h"
#include "world.h"

START_TEST(every_item_gets_its_entry)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", N));
    for (int i = 0; i < 1500; i++) {
        char number[8];
        snprintf(number, sizeof number, "%d", i);
        put(&world, N("pk", number), S("gh", i % 2 == 0 ? "even" : "odd"));
        if (i % 100 == 0) world_forget(&world);
    }
    td_attribute_definition definition = {TD_LIT("gh"), TD_TYPE_S};
    td_index_change make = {.action = TD_INDEX_CREATE,
                            .spec = GLOBAL("gix", KEY("gh", S), .projection = TD_PROJECT_KEYS_ONLY)};
    td_table_change change = {.definitions = &definition, .definition_count = 1, .indexes = &make, .index_count = 1};
    td_table_info info;
    td_table_view before;
    td_table_view after;
    ck_assert(td_observe_table(&world.call, &before));
    ck_assert_int_eq(td_table_update(&world.call, &change, &info, &world.fixture.error), TD_OK);
    info = describe(&world);
    ck_assert_uint_eq(info.indexes[0].item_count, 1500);
    td_key_range range = range_of(&world, S("", "odd"));
    ck_assert_uint_eq(read_page(&world, (td_page_request){.index = TD_LIT("gix"), .range = &range}).count, 750);

    /* A backfill consumes nothing: neither of the table nor of the index. */
    ck_assert(td_observe_table(&world.call, &after));
    for (uint32_t i = 0; i < before.partition_count; i++) {
        ck_assert_double_eq(before.partitions[i].cap[TD_READ].balance, after.partitions[i].cap[TD_READ].balance);
    }
    for (uint32_t i = before.partition_count; i < after.partition_count; i++) {
        ck_assert_double_eq(after.partitions[i].cap[TD_WRITE].balance, 1000);
    }
    erase(&world, N("pk", "1"));
    ck_assert_uint_eq(read_page(&world, (td_page_request){.index = TD_LIT("gix"), .range = &range}).count, 749);
    world_done(&world);
}
END_TEST

TCase *backfill_tests(void)
{
    TCase *tests = tcase_create("backfill");
    tcase_add_test(tests, every_item_gets_its_entry);
    return tests;
}
