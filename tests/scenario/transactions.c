/* SPDX-License-Identifier: Apache-2.0
 * transactions.c: transactions under throttling: S20 of throttling.md §5.2. */
#include "scenario.h"

#include "thermodyn/txn.h"

#define HEALTHY_TABLE "Customers"

static scenario it;

static void setup(void)
{
    scenario_open(&it, &(scenario_setup){.read = 10, .written = 10});
    td_attribute_definition definition = {TD_LIT("pk"), TD_TYPE_S};
    td_table_spec spec = {.name = TD_LIT(HEALTHY_TABLE),
                          .definitions = &definition,
                          .definition_count = 1,
                          .key = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}},
                          .billing = TD_BILLING_PROVISIONED,
                          .throughput.rate = {[TD_READ] = 10, [TD_WRITE] = 10}};
    td_call call = scenario_call(&it);
    call.table = spec.name;
    td_table_info info;
    ck_assert_int_eq(td_table_create(&call, &spec, &info, &it.error), TD_OK);
    ck_assert_int_eq(td_table_describe(&call, &info, &it.error), TD_OK);
}

static void teardown(void)
{
    scenario_close(&it);
}

static double healthy_balance(td_direction direction)
{
    td_call call = scenario_call(&it);
    call.table = TD_LIT(HEALTHY_TABLE);
    td_table_view view;
    ck_assert(td_observe_table(&call, &view));
    return view.resources[0].bucket[direction].balance;
}

/* One small put in each table. */
static td_status transact_puts(td_consumed *ret_of_first)
{
    td_attribute item = {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = TD_LIT("order-1")}};
    td_write write = {.kind = TD_WRITE_PUT, .attributes = &item, .attribute_count = 1};
    const td_action actions[] = {{.table = TD_LIT(SCENARIO_TABLE), .write = write},
                                 {.table = TD_LIT(HEALTHY_TABLE), .write = write}};
    td_transact_write request = {.actions = actions, .count = TD_COUNT_OF(actions)};
    td_call call = scenario_call(&it);
    td_transact_write_result result;
    td_status status = td_transact_write_items(&call, &request, &result, &it.error);
    if (status == TD_OK) *ret_of_first = result.tables[0].consumed;
    return status;
}

static td_status transact_gets(void)
{
    td_attribute key = {TD_LIT("pk"), {.type = TD_TYPE_S, .bytes = TD_LIT("order-1")}};
    const td_transact_get gets[] = {{TD_LIT(HEALTHY_TABLE), &key, 1}, {TD_LIT(SCENARIO_TABLE), &key, 1}};
    td_call call = scenario_call(&it);
    td_transact_get_result result;
    return td_transact_get_items(&call, gets, TD_COUNT_OF(gets), &result, &it.error);
}

static void check_codes(const char *first, const char *second)
{
    const td_cancellations *cancellations = it.error.cancellations;
    ck_assert_ptr_nonnull(cancellations);
    ck_assert_uint_eq(cancellations->count, 2);
    ck_assert(td_slice_equal(cancellations->reasons[0].code, td_slice_of_cstr(first)));
    ck_assert(td_slice_equal(cancellations->reasons[1].code, td_slice_of_cstr(second)));
}

START_TEST(s20_a_throttled_table_cancels_the_transaction_and_nothing_is_charged)
{
    for (int second = 0; second < 10; second++) { /* 342 W each, of a pool of 3000 */
        scenario_move_to(&it, second);
        ck_assert_int_eq(scenario_put(&it, "big", NULL, 350000), TD_OK);
    }
    double spent = scenario_bucket(&it, false, TD_WRITE).balance;
    ck_assert_double_le(spent, 0);
    double healthy = healthy_balance(TD_WRITE);
    td_consumed consumed;
    ck_assert_int_eq(transact_puts(&consumed), TD_TRANSACTION_CANCELED);
    check_codes("ProvisionedThroughputExceeded", "None");
    ck_assert_double_eq(scenario_bucket(&it, false, TD_WRITE).balance, spent);
    ck_assert_double_eq(healthy_balance(TD_WRITE), healthy);

    /* At 10 W/s the debt is paid after a while; then the transaction runs, and costs two. */
    scenario_move_to(&it, 9 - spent / 10 + 1);
    ck_assert_int_eq(transact_puts(&consumed), TD_OK);
    ck_assert_int_eq(consumed.table, 2 * TD_UNITS_ONE);
    ck_assert_double_eq(healthy_balance(TD_WRITE), healthy - 2);
}
END_TEST

START_TEST(s20_the_throttle_is_counted_on_its_table_alone)
{
    ck_assert_int_eq(transact_gets(), TD_OK);
    while (scenario_bucket(&it, false, TD_READ).balance > 0) {
        ck_assert_int_eq(scenario_get(&it, "order-1", true), TD_OK);
        td_arena_reset(&it.arena);
    }
    double healthy = healthy_balance(TD_READ);
    ck_assert_int_eq(transact_gets(), TD_TRANSACTION_CANCELED);
    check_codes("None", "ProvisionedThroughputExceeded");
    ck_assert_double_eq(healthy_balance(TD_READ), healthy);
    td_throttle_count *counts;
    uint32_t count;
    ck_assert(td_observe_take_throttles(it.store, &it.arena, &counts, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert(td_slice_equal(counts[0].table, TD_LIT(SCENARIO_TABLE)));
    ck_assert_str_eq(td_throttle_reason_name(&counts[0].reason), "TableReadProvisionedThroughputExceeded");
    ck_assert_uint_eq(counts[0].count, 1);
}
END_TEST

TCase *transaction_scenarios(void)
{
    TCase *tests = tcase_create("transactions");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, s20_a_throttled_table_cancels_the_transaction_and_nothing_is_charged);
    tcase_add_test(tests, s20_the_throttle_is_counted_on_its_table_alone);
    return tests;
}
