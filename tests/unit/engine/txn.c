/* SPDX-License-Identifier: Apache-2.0
 * txn.c: tests of TransactWriteItems: all or nothing, reasons and their order, units. */
#include "actions.h"
#include "engine/catalog.h"
#include "suites.h"

#define FAILED "ConditionalCheckFailed: The conditional request failed"
#define MISMATCH "ValidationError: The provided key element does not match the schema"
#define LEVEL_EXCEEDED                                                                                                 \
    "ProvisionedThroughputExceeded: The level of configured provisioned throughput for the table was exceeded. "       \
    "Consider increasing your provisioning level with the UpdateTable API."

static td_world world;

static void setup(void)
{
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    make_table(&world, "U", KEY("pk", S, "sk", N));
    world_use(&world, "T");
}

static void teardown(void)
{
    world_done(&world);
}

static uint64_t count_of(const char *table)
{
    world_use(&world, table);
    return describe(&world).item_count;
}

START_TEST(all_actions_happen)
{
    put(&world, S("pk", "b"), N("n", "1"));
    put(&world, S("pk", "c"), N("n", "1"));
    put(&world, S("pk", "d"), N("n", "1"));
    OK(transact(&world, PUT("T", S("pk", "a"), N("n", "9")),
                UPDATE("T", "ADD n :v", VALUES(N(":v", "4")), S("pk", "b")), ERASE("T", S("pk", "c")),
                CHECK("T", "attribute_exists(n)", S("pk", "d")), PUT("U", S("pk", "a"), N("sk", "1"))));
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), N("n", "9"), S("pk", "a"));
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "b")), N("n", "5"), S("pk", "b"));
    ck_assert_ptr_null(get(&world, S("pk", "c")));
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "d")), N("n", "1"), S("pk", "d")); /* a check changes nothing */
    ck_assert_uint_eq(count_of("U"), 1);
    ck_assert_uint_eq(wrote.collection_count, 0); /* no local index */
}
END_TEST

START_TEST(a_failed_condition_cancels_all)
{
    put(&world, S("pk", "b"), N("n", "1"));
    CANCELED(transact(&world, PUT("T", S("pk", "a")), ERASE_IF("T", "attribute_not_exists(pk)", S("pk", "b")),
                      PUT("U", S("pk", "a"), N("sk", "1")),
                      CHECK("U", "attribute_exists(pk)", S("pk", "z"), N("sk", "1"))),
             "None | " FAILED " | None | " FAILED);
    ck_assert_str_eq(error_text(&world),
                     "Transaction cancelled, please refer cancellation reasons for specific reasons "
                     "[None, ConditionalCheckFailed, None, ConditionalCheckFailed]");
    ck_assert_uint_eq(count_of("U"), 0);
    ck_assert_uint_eq(count_of("T"), 1);
    ck_assert_ptr_nonnull(get(&world, S("pk", "b")));
}
END_TEST

START_TEST(a_failed_condition_shows_its_item_when_asked)
{
    put(&world, S("pk", "b"), N("n", "1"));
    td_action refused = ERASE_IF("T", "attribute_not_exists(pk)", S("pk", "b"));
    td_action absent = CHECK("T", "attribute_exists(pk)", S("pk", "z"));
    CANCELED(transact(&world, with_item_on_failure(refused), with_item_on_failure(absent)), FAILED " | " FAILED);
    const td_cancellations *cancellations = world.fixture.error.cancellations;
    erase(&world, S("pk", "b")); /* the reason keeps it */
    CHECK_ITEM(world.call.arena, cancellations->reasons[0].item, N("n", "1"), S("pk", "b"));
    ck_assert_ptr_null(cancellations->reasons[1].item);
    put(&world, S("pk", "b"), N("n", "1"));
    CANCELED(transact(&world, refused), FAILED);
    ck_assert_ptr_null(world.fixture.error.cancellations->reasons[0].item);
}
END_TEST

START_TEST(faults_of_keys_cancel)
{
    make_table(&world, "I", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", N))));
    CANCELED(transact(&world, PUT("T", S("pk", "a")), PUT("T", N("pk", "1"))),
             "None | ValidationError: One or more parameter values were invalid: "
             "Type mismatch for key pk expected: S actual: N");
    CANCELED(transact(&world, PUT("T", N("n", "1"))),
             "ValidationError: One or more parameter values were invalid: Missing the key pk in the item");
    CANCELED(transact(&world, PUT("I", S("pk", "a"), S("gh", "x"))),
             "ValidationError: One or more parameter values were invalid: "
             "Type mismatch for Index Key gh Expected: N Actual: S IndexName: gix");
    CANCELED(transact(&world, ERASE("T", N("pk", "1")), CHECK("T", "attribute_exists(a)", S("p", "a")),
                      UPDATE("T", "SET n = :v", VALUES(N(":v", "1")), S("pk", "a"), N("sk", "1"))),
             MISMATCH " | " MISMATCH " | " MISMATCH);
    CANCELED(transact(&world, UPDATE("T", "SET pk = :v", VALUES(S(":v", "z")), S("pk", "a"))),
             "ValidationError: One or more parameter values were invalid: "
             "Cannot update attribute pk. This attribute is part of the key");
    ck_assert_uint_eq(count_of("T"), 0);
}
END_TEST

START_TEST(faults_of_updates_cancel)
{
    make_table(&world, "I", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    put(&world, S("pk", "a"), S("s", ""), filling(&world, 409600 - 1));
    world_use(&world, "T");
    CANCELED(transact(&world, PUT("T", S("pk", "a")), UPDATE("I", "SET n = :v", VALUES(N(":v", "1")), S("pk", "a"))),
             "None | ValidationError: Item size to update has exceeded the maximum allowed size");
    CANCELED(transact(&world, UPDATE("I", "ADD s :v", VALUES(N(":v", "1")), S("pk", "a"))),
             "ValidationError: An operand in the update expression has an incorrect data type");
    CANCELED(transact(&world, UPDATE("I", "SET s = nope", VALUES(), S("pk", "a"))),
             "ValidationError: The provided expression refers to an attribute that does not exist in the item");
    CANCELED(transact(&world, UPDATE("I", "SET gh = s", VALUES(), S("pk", "a"))),
             "ValidationError: One or more parameter values are not valid. The update expression attempted to update a "
             "secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot "
             "contain an empty string value.");
    CANCELED(transact(&world, CHECK("T", "attribute_exists(pk)", S("pk", "a")),
                      UPDATE("I", "SET s = nope", VALUES(), S("pk", "a"))),
             FAILED
             " | ValidationError: The provided expression refers to an attribute that does not exist in the item");
    ck_assert_uint_eq(count_of("T"), 0);
}
END_TEST

START_TEST(some_faults_refuse_the_request_as_a_whole)
{
    make_table(&world, "I", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    REFUSED(&world, transact(&world, PUT("T", S("pk", "a")), PUT("nope", S("pk", "a"))), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found");
    REFUSED(&world, transact(&world, PUT("T", S("pk", "a")), CHECK("T", "attribute_exists(pk)", S("pk", "a"))),
            TD_VALIDATION, "Transaction request cannot include multiple operations on one item");
    REFUSED(
        &world, transact(&world, PUT("T", S("pk", "a")), ERASE("T", S("pk", ""))), TD_VALIDATION,
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk");
    REFUSED(
        &world, transact(&world, PUT("I", S("pk", "a"), S("gh", ""))), TD_VALIDATION,
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. IndexName: gix, IndexKey: gh");
    REFUSED(&world, transact(&world, PUT("T", S("pk", "a")), PUT("T", S("pk", "b"), filling(&world, 409601))),
            TD_VALIDATION, "Item size has exceeded the maximum allowed size");
    ck_assert_uint_eq(count_of("T"), 0);
}
END_TEST

START_TEST(the_same_key_of_two_tables_is_two_items)
{
    make_table(&world, "V", KEY("pk", S));
    OK(transact(&world, PUT("T", S("pk", "a")), PUT("V", S("pk", "a")), PUT("U", S("pk", "a"), N("sk", "1")),
                PUT("U", S("pk", "a"), N("sk", "2"))));
    ck_assert_uint_eq(count_of("U"), 2);
}
END_TEST

START_TEST(faults_come_in_their_order)
{
    td_action mismatch = ERASE("T", N("pk", "1"));
    td_action empty = ERASE("T", S("pk", ""));
    td_action failing = CHECK("T", "attribute_exists(pk)", S("pk", "z"));
    td_action twice = PUT("T", S("pk", "a"));
    REFUSED(&world, transact(&world, empty, twice, twice, PUT("nope", S("pk", "a"))), TD_RESOURCE_NOT_FOUND,
            "Requested resource not found");
    ck_assert_int_eq(transact(&world, mismatch, twice, twice, empty), TD_VALIDATION);
    ck_assert_ptr_nonnull(strstr(error_text(&world), "empty string value"));
    REFUSED(&world, transact(&world, mismatch, twice, twice, failing), TD_VALIDATION,
            "Transaction request cannot include multiple operations on one item");
    make_table(&world, "I", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", N))));
    REFUSED(&world, transact(&world, PUT("I", S("pk", "a"), S("gh", "x")), PUT("I", S("pk", "a"))), TD_VALIDATION,
            "Transaction request cannot include multiple operations on one item");
    CANCELED(transact(&world, failing, mismatch), "None | " MISMATCH); /* conditions are not looked at any more */
}
END_TEST

START_TEST(all_items_together_have_a_greatest_size)
{
    td_action actions[11];
    static const char *const keys[11] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    for (size_t i = 0; i < TD_COUNT_OF(actions); i++)
        actions[i] = PUT("T", S("pk", keys[i]), filling(&world, i < 10 ? 409600 : 98304));
    OK(run_actions(&world, "", 0, actions, 11)); /* 4,194,304 bytes */
    actions[10] = PUT("T", S("pk", "k"), filling(&world, 98305));
    REFUSED(&world, run_actions(&world, "", 0, actions, 11), TD_VALIDATION,
            "The aggregate size of the items in the transaction cannot exceed 4 MB");
}
END_TEST

START_TEST(a_transaction_costs_twice_on_the_table_and_once_on_indexes)
{
    make_table(&world, "I", KEY("pk", S, "sk", N),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N)), GLOBAL("gix", KEY("gh", S))));
    OK(transact(&world, PUT("T", S("pk", "a"), filling(&world, 500)), PUT("T", S("pk", "b"), filling(&world, 500)),
                PUT("T", S("pk", "c"), filling(&world, 500))));
    WROTE_UNITS("T 6"); /* Source: AWS "Capacity management for transactions" */
    OK(transact(&world, ERASE("T", S("pk", "z")), PUT("I", S("pk", "a"), N("sk", "1"), N("lk", "1"), S("gh", "g")),
                PUT("I", S("pk", "a"), N("sk", "2"), S("gh", "g")), PUT("T", S("pk", "a"))));
    WROTE_UNITS("T 4, I 4+lix 1+gix 2"); /* tables by their first action */
    OK(transact(&world, PUT("T", S("pk", "a"), filling(&world, 3072))));
    WROTE_UNITS("T 6");
    OK(transact(&world, CHECK("T", "attribute_exists(pk)", S("pk", "a")),
                CHECK("T", "attribute_not_exists(pk)", S("pk", "z"))));
    WROTE_UNITS("T 8"); /* of what they read, and of nothing */
    OK(transact(&world, UPDATE("T", "REMOVE d", VALUES(), S("pk", "a"))));
    WROTE_UNITS("T 6"); /* of the larger image */
    ck_assert(!wrote.tables[0].is_read);
}
END_TEST

START_TEST(a_failed_condition_is_charged_to_the_tables)
{
    make_table(&world, "P", KEY("pk", S), PROVISIONED(10, 10));
    make_table(&world, "Q", KEY("pk", S), PROVISIONED(10, 10),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(5, 5))));
    OK(transact(&world, PUT("P", S("pk", "a"), filling(&world, 3000))));
    double before_p = balance(&world, "P", TD_WRITE);
    double before_q = balance(&world, "Q", TD_WRITE);
    CANCELED(transact(&world, CHECK("P", "attribute_not_exists(pk)", S("pk", "a")),
                      PUT("P", S("pk", "b"), filling(&world, 2000)), PUT("Q", S("pk", "b"), S("gh", "g"))),
             FAILED " | None | None");
    ck_assert_double_eq(before_p - balance(&world, "P", TD_WRITE), 6 + 4);
    ck_assert_double_eq(before_q - balance(&world, "Q", TD_WRITE), 2);
    td_table_view view;
    world_use(&world, "Q");
    ck_assert(td_observe_table(&world.call, &view));
    ck_assert_double_eq(view.resources[1].bucket[TD_WRITE].balance, 5 * 300); /* no index is touched */
}
END_TEST

START_TEST(a_fault_of_an_update_is_not_charged)
{
    make_table(&world, "P", KEY("pk", S), PROVISIONED(10, 10));
    double before = balance(&world, "P", TD_WRITE);
    ck_assert_int_eq(transact(&world, PUT("P", S("pk", "a")), UPDATE("P", "SET s = nope", VALUES(), S("pk", "b"))),
                     TD_TRANSACTION_CANCELED);
    ck_assert_double_eq(balance(&world, "P", TD_WRITE), before);
}
END_TEST

/* Spends the pool of a provisioned table. */
static void exhaust(const char *table)
{
    world_use(&world, table);
    put(&world, S("pk", "z"), filling(&world, 400000));
}

START_TEST(a_throttle_cancels_and_is_not_charged)
{
    make_table(&world, "P", KEY("pk", S), PROVISIONED(1, 1));
    exhaust("P");
    make_table(&world, "H", KEY("pk", S), PROVISIONED(10, 10));
    double before = balance(&world, "H", TD_WRITE);
    double before_p = balance(&world, "P", TD_WRITE);
    CANCELED(transact(&world, PUT("P", S("pk", "a")), PUT("H", S("pk", "a")),
                      CHECK("P", "attribute_exists(pk)", S("pk", "b"))),
             LEVEL_EXCEEDED " | None | " LEVEL_EXCEEDED);
    ck_assert_double_eq(balance(&world, "H", TD_WRITE), before);
    ck_assert_double_eq(balance(&world, "P", TD_WRITE), before_p);
    ck_assert_uint_eq(count_of("H"), 0);
    ck_assert_ptr_null(world.fixture.error.throttle);
    /* A throttle is told before a condition. */
    CANCELED(transact(&world, CHECK("H", "attribute_exists(pk)", S("pk", "b")), PUT("P", S("pk", "a"))),
             "None | " LEVEL_EXCEEDED);
    ck_assert_double_eq(balance(&world, "H", TD_WRITE), before);
}
END_TEST

START_TEST(throttles_of_indexes_and_of_on_demand_tables_have_their_codes)
{
    make_table(&world, "P", KEY("pk", S), PROVISIONED(1, 1000),
               INDEXES(GLOBAL("gix", KEY("gh", S), .throughput = UNITS(1, 1))));
    put(&world, S("pk", "z"), S("gh", "g"), filling(&world, 400000));
    make_table(&world, "D", KEY("pk", S), .on_demand_max = MAXIMA(1, 1));
    exhaust("D");
    CANCELED(transact(&world, PUT("P", S("pk", "a"), S("gh", "g")), PUT("D", S("pk", "a")), PUT("P", S("pk", "b"))),
             "ProvisionedThroughputExceeded: The level of configured provisioned throughput for one or more global "
             "secondary indexes of the table was exceeded. Consider increasing your provisioning level for the "
             "under-provisioned global secondary indexes with the UpdateTable API | "
             "ThrottlingError: Throughput exceeds the maximum OnDemandThroughput configured on table or index | None");
}
END_TEST

START_TEST(the_accounts_limit_is_an_exception_of_its_own)
{
    td_store_options options = world_options();
    options.capacity.values[TD_CAPACITY_table_write_quota] = 10;
    world_done(&world);
    world_init_with(&world, options);
    make_table(&world, "P", KEY("pk", S), PROVISIONED(1, 1));
    exhaust("P");
    make_table(&world, "D", KEY("pk", S));
    exhaust("D");
    ck_assert_int_eq(transact(&world, PUT("P", S("pk", "a")), PUT("D", S("pk", "a"))), TD_REQUEST_LIMIT_EXCEEDED);
    ck_assert_uint_eq(world.fixture.error.throttle->count, 1);
    ck_assert_str_eq(td_throttle_reason_name(&world.fixture.error.throttle->reasons[0]),
                     "TableWriteAccountLimitExceeded");
    ck_assert_ptr_null(world.fixture.error.cancellations);
}
END_TEST

START_TEST(collections_may_be_emptied_and_filled_at_once)
{
    make_table(&world, "L", KEY("pk", S, "sk", N), INDEXES(LOCAL("lix", KEY("pk", S, "lk", N))));
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "1"));
    int64_t one_item = world.collection_bytes;
    OK(transact(&world, ERASE("L", S("pk", "a"), N("sk", "1")), PUT("L", S("pk", "a"), N("sk", "2"), N("lk", "1")),
                CHECK("L", "attribute_not_exists(pk)", S("pk", "c"), N("sk", "1")),
                PUT("L", S("pk", "b"), N("sk", "1"))));
    ck_assert_uint_eq(wrote.collection_count, 3); /* of changed items */
    ck_assert_uint_eq(wrote.collections[2].action, 3);
    ck_assert_int_eq(wrote.collections[0].collection_bytes, one_item);
    ck_assert_int_eq(wrote.collections[1].collection_bytes, one_item);
    ck_assert_int_eq(wrote.collections[2].collection_bytes, 2 + 1 + 2 + 2 + 100);
    OK(transact(&world, ERASE("L", S("pk", "a"), N("sk", "2")), ERASE("L", S("pk", "a"), N("sk", "3")),
                ERASE("L", S("pk", "b"), N("sk", "1"))));
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(wrote.collections[i].collection_bytes, 0);
    td_table *table = td_catalog__find(world.store, TD_LIT(""), TD_LIT("L"));
    ck_assert_uint_eq(td_map_count(table->collections), 0); /* nothing is kept of what is empty */
    td_table__unref(table);
    put(&world, S("pk", "a"), N("sk", "1"), N("lk", "1"));
    ck_assert_int_eq(world.collection_bytes, one_item);
}
END_TEST

/* A hundred actions in the same trees: nodes split and vanish between the actions' places. */
START_TEST(many_actions_share_their_trees)
{
    make_table(&world, "M", KEY("pk", S, "sk", N),
               INDEXES(LOCAL("lix", KEY("pk", S, "lk", N)), GLOBAL("gix", KEY("gh", S))));
    td_action actions[100];
    char numbers[200][8];
    for (uint32_t i = 0; i < 200; i++)
        snprintf(numbers[i], sizeof numbers[i], "%u", i);
    for (uint32_t round = 0; round < 4; round++) {
        uint32_t from = round == 3 ? 100 : 0; /* 0: the first half; 1: the second; 2 and 3: all go again */
        for (uint32_t i = 0; i < 100; i++) {
            const char *sk = numbers[round == 1 ? 100 + i : from + i];
            actions[i] = round < 2 ? PUT("M", S("pk", "p"), N("sk", sk), N("lk", numbers[199 - i]), S("gh", "g"))
                                   : ERASE("M", S("pk", "p"), N("sk", sk));
        }
        OK(run_actions(&world, "", 0, actions, 100));
        WROTE_UNITS("M 200+lix 100+gix 100");
        td_table_info info = describe(&world);
        uint64_t expected = round == 1 ? 200 : round == 3 ? 0 : 100;
        ck_assert_uint_eq(info.item_count, expected);
        ck_assert_uint_eq(find_index(&info, "gix")->item_count, expected);
        ck_assert_uint_eq(find_index(&info, "lix")->item_count, expected);
        td_page page = read_page(&world, (td_page_request){.index = TD_LIT("gix")});
        ck_assert_uint_eq(page.count, expected);
    }
}
END_TEST

START_TEST(items_may_exchange_their_index_keys)
{
    make_table(&world, "I", KEY("pk", S), INDEXES(GLOBAL("gix", KEY("gh", S))));
    put(&world, S("pk", "a"), S("gh", "x"));
    put(&world, S("pk", "b"), S("gh", "y"));
    OK(transact(&world, UPDATE("I", "SET gh = :v", VALUES(S(":v", "y")), S("pk", "a")),
                UPDATE("I", "SET gh = :v", VALUES(S(":v", "x")), S("pk", "b"))));
    WROTE_UNITS("I 4+gix 4");
    td_key_range range = range_of(&world, S("gh", "x"));
    td_page page = read_page(&world, (td_page_request){.index = TD_LIT("gix"), .range = &range});
    ck_assert_str_eq(show_page(&world, &page, "pk"), "b");
}
END_TEST

START_TEST(tables_are_found_in_the_calls_scope)
{
    world.call.scope = TD_LIT("other");
    make_table(&world, "T", KEY("pk", S));
    OK(transact(&world, PUT("T", S("pk", "a"))));
    ck_assert_ptr_nonnull(get(&world, S("pk", "a")));
    world.call.scope = TD_LIT("");
    ck_assert_ptr_null(get(&world, S("pk", "a")));
}
END_TEST

TCase *txn_tests(void)
{
    TCase *tests = tcase_create("txn");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, all_actions_happen);
    tcase_add_test(tests, a_failed_condition_cancels_all);
    tcase_add_test(tests, a_failed_condition_shows_its_item_when_asked);
    tcase_add_test(tests, faults_of_keys_cancel);
    tcase_add_test(tests, faults_of_updates_cancel);
    tcase_add_test(tests, some_faults_refuse_the_request_as_a_whole);
    tcase_add_test(tests, the_same_key_of_two_tables_is_two_items);
    tcase_add_test(tests, faults_come_in_their_order);
    tcase_add_test(tests, all_items_together_have_a_greatest_size);
    tcase_add_test(tests, a_transaction_costs_twice_on_the_table_and_once_on_indexes);
    tcase_add_test(tests, a_failed_condition_is_charged_to_the_tables);
    tcase_add_test(tests, a_fault_of_an_update_is_not_charged);
    tcase_add_test(tests, a_throttle_cancels_and_is_not_charged);
    tcase_add_test(tests, throttles_of_indexes_and_of_on_demand_tables_have_their_codes);
    tcase_add_test(tests, the_accounts_limit_is_an_exception_of_its_own);
    tcase_add_test(tests, collections_may_be_emptied_and_filled_at_once);
    tcase_add_test(tests, many_actions_share_their_trees);
    tcase_add_test(tests, items_may_exchange_their_index_keys);
    tcase_add_test(tests, tables_are_found_in_the_calls_scope);
    return tests;
}
