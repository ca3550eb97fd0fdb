/* SPDX-License-Identifier: Apache-2.0
 * get.c: tests of GetItem. */
#include "suites.h"
#include "world.h"

static td_units price(td_world *world, bool is_consistent, const char *key)
{
    td_given_attributes given = attributes_of(world->call.arena, S("pk", key));
    td_get asked = {.key = given.attributes, .key_count = given.count, .is_consistent = is_consistent};
    td_get_result result;
    ck_assert_int_eq(td_get_item(&world->call, &asked, &result, &world->fixture.error), TD_OK);
    ck_assert_uint_eq(result.consumed.index_count, 0);
    return result.consumed.table;
}

START_TEST(a_read_costs_its_size_in_4096s)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    char *text = td_arena_alloc(world.call.arena, 4096);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', 4096);
    put(&world, S("pk", "a"), S_OF("d", td_slice_of(text, 4092)));
    put(&world, S("pk", "b"), S_OF("d", td_slice_of(text, 4093)));
    ck_assert_int_eq(price(&world, true, "a"), 1000);
    ck_assert_int_eq(price(&world, false, "a"), 500);
    ck_assert_int_eq(price(&world, true, "b"), 2000);
    ck_assert_int_eq(price(&world, false, "b"), 1000);
    ck_assert_int_eq(price(&world, true, "none"), 1000);
    ck_assert_int_eq(price(&world, false, "none"), 500);
    world_done(&world);
}
END_TEST

START_TEST(items_outlive_their_table_until_the_arena_is_reset)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), S("s", "x"));
    const td_item *item = get(&world, S("pk", "a"));
    td_store_drop_all(world.store);
    CHECK_ITEM(world.call.arena, item, S("pk", "a"), S("s", "x"));
    world_done(&world);
}
END_TEST

START_TEST(reads_are_throttled_on_their_own)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S), PROVISIONED(1, 1));
    for (int i = 0; i < 300; i++)
        ck_assert_ptr_null(get(&world, S("pk", "a")));
    td_given_attributes key = attributes_of(world.call.arena, S("pk", "a"));
    td_get asked = {.key = key.attributes, .key_count = key.count};
    td_get_result result;
    ck_assert_int_eq(td_get_item(&world.call, &asked, &result, &world.fixture.error),
                     TD_PROVISIONED_THROUGHPUT_EXCEEDED);
    ck_assert_str_eq(td_throttle_reason_name(&world.fixture.error.throttle->reasons[0]),
                     "TableReadProvisionedThroughputExceeded");
    put(&world, S("pk", "a"));
    world_done(&world);
}
END_TEST

START_TEST(an_item_that_is_too_large_for_the_asker_costs_what_none_costs)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    put(&world, S("pk", "a"), S_OF("d", td_slice_of("xxxxxxxx", 8)));
    td_given_attributes key = attributes_of(world.call.arena, S("pk", "a"));
    td_get asked = {.key = key.attributes, .key_count = key.count, .has_bytes_max = true, .bytes_max = 12};
    td_get_result result;
    ck_assert_int_eq(td_get_item(&world.call, &asked, &result, &world.fixture.error), TD_OK);
    ck_assert_ptr_nonnull(result.item); /* 2 + 1 + 1 + 8 bytes */
    ck_assert(!result.is_left);
    asked.bytes_max = 11;
    ck_assert_int_eq(td_get_item(&world.call, &asked, &result, &world.fixture.error), TD_OK);
    ck_assert_ptr_null(result.item);
    ck_assert(result.is_left);
    ck_assert_int_eq(result.consumed.table, 500);
    world_done(&world);
}
END_TEST

START_TEST(a_key_is_checked_and_placed_without_a_read)
{
    td_world world;
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    td_error *error = &world.fixture.error;
    bool is_split = false;
    uint32_t first = 0;
    for (int i = 0; i < 50; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "k%d", i);
        td_given_attributes key = attributes_of(world.call.arena, S("pk", name));
        td_get asked = {.key = key.attributes, .key_count = key.count};
        td_get_result result;
        uint32_t partition = 0;
        ck_assert_int_eq(td_get_check(&world.call, &asked, &partition, error), TD_OK);
        ck_assert_int_eq(td_get_item(&world.call, &asked, &result, error), TD_OK);
        ck_assert_uint_eq(result.partition, partition);
        if (i == 0) first = partition;
        is_split = is_split || partition != first;
    }
    ck_assert(is_split);
    td_given_attributes key = attributes_of(world.call.arena, N("pk", "1"));
    td_get asked = {.key = key.attributes, .key_count = key.count};
    uint32_t partition;
    REFUSED(&world, td_get_check(&world.call, &asked, &partition, error), TD_VALIDATION,
            "The provided key element does not match the schema");
    world_done(&world);
}
END_TEST

TCase *get_tests(void)
{
    TCase *tests = tcase_create("get");
    tcase_add_test(tests, a_read_costs_its_size_in_4096s);
    tcase_add_test(tests, items_outlive_their_table_until_the_arena_is_reset);
    tcase_add_test(tests, reads_are_throttled_on_their_own);
    tcase_add_test(tests, an_item_that_is_too_large_for_the_asker_costs_what_none_costs);
    tcase_add_test(tests, a_key_is_checked_and_placed_without_a_read);
    return tests;
}
