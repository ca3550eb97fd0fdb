/* SPDX-License-Identifier: Apache-2.0
 * token.c: tests of ClientRequestToken: repetitions, mismatches, and how long and how much is remembered. */
#include "engine/token.h"

#include "actions.h"
#include "engine/catalog.h"
#include "suites.h"

#define TOKEN "6f1c0b5e-7a53-4d0e-9a51-6d3d0f9a1c77"

static td_world world;

static void setup(void)
{
    world_init(&world);
    make_table(&world, "T", KEY("pk", S));
    make_table(&world, "P", KEY("pk", S), PROVISIONED(100, 100));
    world_use(&world, "T");
}

static void teardown(void)
{
    world_done(&world);
}

static td_status count_up(void)
{
    return transact_with(&world, TOKEN, 1, UPDATE("T", "ADD n :v", VALUES(N(":v", "1")), S("pk", "a")));
}

static void check_count(const char *expected)
{
    world_use(&world, "T");
    CHECK_ITEM(world.call.arena, get(&world, S("pk", "a")), N("n", expected), S("pk", "a"));
}

START_TEST(a_repetition_changes_nothing)
{
    OK(count_up());
    OK(count_up());
    check_count("1");
    OK(transact(&world, UPDATE("T", "ADD n :v", VALUES(N(":v", "1")), S("pk", "a")))); /* without a token */
    check_count("2");
}
END_TEST

START_TEST(a_repetition_costs_reading_the_larger_images)
{
    td_action actions[] = {PUT("P", S("pk", "a"), filling(&world, 9000)), ERASE("T", S("pk", "a")),
                           CHECK("P", "attribute_not_exists(pk)", S("pk", "z"))};
    OK(run_actions(&world, TOKEN, 1, actions, 3));
    WROTE_UNITS("P 20, T 2");
    double writes = balance(&world, "P", TD_WRITE);
    double reads = balance(&world, "P", TD_READ);
    world_use(&world, "P");
    erase(&world, S("pk", "a")); /* costs as it was, not as it is */
    writes -= 9;
    OK(run_actions(&world, TOKEN, 1, actions, 3));
    WROTE_UNITS("P 8, T 2");
    ck_assert(wrote.tables[0].is_read);
    ck_assert_uint_eq(wrote.collection_count, 0);
    ck_assert_double_eq(reads - balance(&world, "P", TD_READ), 8);
    ck_assert_double_eq(balance(&world, "P", TD_WRITE), writes);
}
END_TEST

START_TEST(a_repetition_may_be_throttled)
{
    make_table(&world, "R", KEY("pk", S), PROVISIONED(1, 1000));
    td_action action = PUT("R", S("pk", "a"), filling(&world, 400000));
    OK(run_actions(&world, TOKEN, 1, &action, 1));
    while (balance(&world, "R", TD_READ) > 0)
        (void)get(&world, S("pk", "a"));
    CANCELED(
        run_actions(&world, TOKEN, 1, &action, 1),
        "ProvisionedThroughputExceeded: The level of configured provisioned throughput for the table was exceeded. "
        "Consider increasing your provisioning level with the UpdateTable API.");
}
END_TEST

START_TEST(a_token_stands_for_one_request)
{
    OK(count_up());
    REFUSED(
        &world, transact_with(&world, TOKEN, 2, PUT("T", S("pk", "a"))), TD_IDEMPOTENT_PARAMETER_MISMATCH,
        "DynamoDB rejected the request because you retried a request with a different payload but with an idempotent "
        "token that was already used.");
    check_count("1");
    OK(transact_with(&world, "another-token", 2, PUT("T", S("pk", "a"), N("n", "7"))));
    check_count("7");
}
END_TEST

START_TEST(a_token_is_remembered_for_ten_minutes)
{
    OK(count_up());
    world_move(&world, 599);
    OK(count_up());
    check_count("1");
    world_move(&world, 1); /* ten minutes from the first, whatever came between */
    OK(count_up());
    check_count("2");
    world_move(&world, 599);
    OK(count_up());
    check_count("2");
}
END_TEST

START_TEST(a_cancelled_transaction_frees_its_token)
{
    td_action action = PUT_IF("T", "attribute_exists(pk)", S("pk", "a"), N("n", "5"));
    ck_assert_int_eq(run_actions(&world, TOKEN, 1, &action, 1), TD_TRANSACTION_CANCELED);
    put(&world, S("pk", "a"));
    OK(run_actions(&world, TOKEN, 1, &action, 1));
    check_count("5");
}
END_TEST

START_TEST(a_token_in_flight_is_in_progress)
{
    td_transact_write request = {.count = 1, .token = TD_LIT(TOKEN), .fingerprint = 1};
    td_token *token = NULL;
    uint32_t *sizes = NULL;
    ck_assert_int_eq(
        td_tokens__begin(&world.store->tokens, &world.call, &request, &token, &sizes, &world.fixture.error), TD_OK);
    ck_assert_ptr_nonnull(token);
    REFUSED(&world, count_up(), TD_TRANSACTION_IN_PROGRESS, "Transaction from previous request is still in progress");
    ck_assert_int_eq(transact_with(&world, TOKEN, 2, PUT("T", S("pk", "a"))), TD_IDEMPOTENT_PARAMETER_MISMATCH);
    td_tokens__abandon(&world.store->tokens, token);
    OK(count_up());
    check_count("1");
}
END_TEST

START_TEST(scopes_have_tokens_of_their_own)
{
    OK(count_up());
    world.call.scope = TD_LIT("other");
    make_table(&world, "T", KEY("pk", S));
    OK(count_up());
    check_count("1");
}
END_TEST

START_TEST(dropping_all_tables_forgets_all_tokens)
{
    OK(count_up());
    td_store_drop_all(world.store);
    make_table(&world, "T", KEY("pk", S));
    OK(count_up());
    check_count("1");
}
END_TEST

START_TEST(a_repetition_without_its_table_is_refused)
{
    OK(count_up());
    td_store_drop(world.store, TD_LIT(""), TD_LIT("T"));
    REFUSED(&world, count_up(), TD_RESOURCE_NOT_FOUND, "Requested resource not found");
    make_table(&world, "T", KEY("id", S));
    CANCELED(count_up(), "ValidationError: The provided key element does not match the schema");
}
END_TEST

/* Begins and finishes the token of a number; true: it was new. */
static bool use_token(td_tokens *tokens, uint32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    td_transact_write request = {.count = 1, .token = td_slice_of_cstr(text)};
    td_token *token = NULL;
    uint32_t *sizes = NULL;
    ck_assert_int_eq(td_tokens__begin(tokens, &world.call, &request, &token, &sizes, &world.fixture.error), TD_OK);
    if (token != NULL) td_tokens__finish(tokens, token, world.call.now_us);
    return token != NULL;
}

START_TEST(the_memory_of_tokens_is_bounded)
{
    td_tokens *tokens = &world.store->tokens;
    for (uint32_t i = 0; i < TD_LIMIT_TOKENS_MAX; i++)
        ck_assert(use_token(tokens, i));
    ck_assert(!use_token(tokens, 1)); /* a repetition takes no room */
    ck_assert(!use_token(tokens, 0));
    ck_assert(use_token(tokens, TD_LIMIT_TOKENS_MAX));
    ck_assert_uint_eq(tokens->done_count, TD_LIMIT_TOKENS_MAX);
    ck_assert(use_token(tokens, 0)); /* the oldest was forgotten */
    ck_assert(!use_token(tokens, TD_LIMIT_TOKENS_MAX));
}
END_TEST

TCase *token_tests(void)
{
    TCase *tests = tcase_create("token");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_repetition_changes_nothing);
    tcase_add_test(tests, a_repetition_costs_reading_the_larger_images);
    tcase_add_test(tests, a_repetition_may_be_throttled);
    tcase_add_test(tests, a_token_stands_for_one_request);
    tcase_add_test(tests, a_token_is_remembered_for_ten_minutes);
    tcase_add_test(tests, a_cancelled_transaction_frees_its_token);
    tcase_add_test(tests, a_token_in_flight_is_in_progress);
    tcase_add_test(tests, scopes_have_tokens_of_their_own);
    tcase_add_test(tests, dropping_all_tables_forgets_all_tokens);
    tcase_add_test(tests, a_repetition_without_its_table_is_refused);
    tcase_add_test(tests, the_memory_of_tokens_is_bounded);
    return tests;
}
