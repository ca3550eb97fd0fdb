/* SPDX-License-Identifier: Apache-2.0
 * txn_read.c: tests of TransactGetItems. */
#include "actions.h"
#include "suites.h"

static td_world world;
static td_transact_get_result got;

static void setup(void)
{
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    make_table(&world, "U", KEY("pk", S, "sk", N));
    put(&world, S("pk", "a"), N("sk", "1"));
    world_use(&world, "T");
    put(&world, S("pk", "a"), N("n", "1"));
}

static void teardown(void)
{
    world_done(&world);
}

START_TEST(items_are_answered_in_order)
{
    OK(transact_get(&world, &got, GET("U", S("pk", "a"), N("sk", "1")), GET("T", S("pk", "z")),
                    GET("T", S("pk", "a"))));
    CHECK_ITEM(world.call.arena, got.items[0], S("pk", "a"), N("sk", "1"));
    ck_assert_ptr_null(got.items[1]);
    erase(&world, S("pk", "a"));
    CHECK_ITEM(world.call.arena, got.items[2], N("n", "1"), S("pk", "a")); /* as of the read */
}
END_TEST

START_TEST(each_item_costs_two_for_four_kilobytes)
{
    put(&world, S("pk", "b"), filling(&world, 4097));
    OK(transact_get(&world, &got, GET("T", S("pk", "a")), GET("U", S("pk", "a"), N("sk", "1")), GET("T", S("pk", "b")),
                    GET("T", S("pk", "z"))));
    ck_assert_str_eq(show_consumed(&world, got.tables, got.table_count), "T 8, U 2");
    ck_assert(got.tables[0].is_read);
}
END_TEST

START_TEST(reads_are_charged_to_the_read_pool)
{
    make_table(&world, "P", KEY("pk", S), PROVISIONED(10, 10));
    double reads = balance(&world, "P", TD_READ);
    double writes = balance(&world, "P", TD_WRITE);
    OK(transact_get(&world, &got, GET("P", S("pk", "a")), GET("P", S("pk", "b"))));
    ck_assert_double_eq(reads - balance(&world, "P", TD_READ), 4);
    ck_assert_double_eq(balance(&world, "P", TD_WRITE), writes);
}
END_TEST

START_TEST(faults_of_keys_cancel_a_read)
{
    CANCELED(transact_get(&world, &got, GET("T", S("pk", "a")), GET("T"), GET("U", S("pk", "a"), S("sk", "1"))),
             "None | ValidationError: The provided key element does not match the schema | "
             "ValidationError: The provided key element does not match the schema");
}
END_TEST

START_TEST(some_faults_refuse_a_read_as_a_whole)
{
    REFUSED(&world, transact_get(&world, &got, GET("T", S("pk", "a")), GET("nope", S("pk", "a"))),
            TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    REFUSED(&world, transact_get(&world, &got, GET("T", S("pk", "a")), GET("T", S("pk", "a"))), TD_VALIDATION,
            "Transaction request cannot include multiple operations on one item");
    REFUSED(
        &world, transact_get(&world, &got, GET("T", S("pk", ""))), TD_VALIDATION,
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk");
}
END_TEST

START_TEST(a_throttled_read_is_cancelled_and_not_charged)
{
    make_table(&world, "P", KEY("pk", S), PROVISIONED(1, 1000));
    put(&world, S("pk", "b"), filling(&world, 400000));
    while (balance(&world, "P", TD_READ) > 0)
        (void)get(&world, S("pk", "b"));
    make_table(&world, "H", KEY("pk", S), PROVISIONED(10, 10));
    double spent = balance(&world, "P", TD_READ);
    double healthy = balance(&world, "H", TD_READ);
    CANCELED(transact_get(&world, &got, GET("H", S("pk", "a")), GET("P", S("pk", "b"))),
             "None | ProvisionedThroughputExceeded: The level of configured provisioned throughput for the table was "
             "exceeded. Consider increasing your provisioning level with the UpdateTable API.");
    ck_assert_double_eq(balance(&world, "P", TD_READ), spent);
    ck_assert_double_eq(balance(&world, "H", TD_READ), healthy);
}
END_TEST

START_TEST(items_read_together_have_a_greatest_size)
{
    td_transact_get gets[11];
    static const char *const keys[11] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    for (size_t i = 0; i < TD_COUNT_OF(gets); i++) {
        world_move(&world, 1);
        put(&world, S("pk", keys[i]), filling(&world, i < 10 ? 409600 : 98304));
        gets[i] = GET("T", S("pk", keys[i]));
    }
    OK(run_gets(&world, &got, gets, 11)); /* 4,194,304 bytes */
    world_move(&world, 2);
    put(&world, S("pk", "k"), filling(&world, 98305));
    REFUSED(&world, run_gets(&world, &got, gets, 11), TD_VALIDATION,
            "The aggregate size of the items in the transaction cannot exceed 4 MB");
}
END_TEST

TCase *txn_read_tests(void)
{
    TCase *tests = tcase_create("txn_read");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, items_are_answered_in_order);
    tcase_add_test(tests, each_item_costs_two_for_four_kilobytes);
    tcase_add_test(tests, reads_are_charged_to_the_read_pool);
    tcase_add_test(tests, faults_of_keys_cancel_a_read);
    tcase_add_test(tests, some_faults_refuse_a_read_as_a_whole);
    tcase_add_test(tests, a_throttled_read_is_cancelled_and_not_charged);
    tcase_add_test(tests, items_read_together_have_a_greatest_size);
    return tests;
}
