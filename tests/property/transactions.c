/* SPDX-License-Identifier: Apache-2.0
 * transactions.c: several threads move money between accounts of two tables, and none is made or lost.
 *
 * Transfers are transactions over three tables with conditions and now and then a token that is used twice. Meanwhile
 * every reading of all accounts must find the same sum, every query of a branch the same number of accounts (accounts
 * exchange their branches, which an index goes by), and single writes count visits.
 *
 * In a second run snapshots are kept and gone back to meanwhile: each is one moment of all tables, so that the sum
 * stays.
 *
 *   TD_TRANSACTION_STEPS   steps a thread (default 5000) */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "thermodyn/read.h"
#include "thermodyn/rng.h"
#include "thermodyn/snapshot.h"
#include "thermodyn/store.h"
#include "thermodyn/table.h"
#include "thermodyn/txn.h"
#include "thermodyn/write.h"

#include "random.h"
#include "threads.h"

#define THREADS 4
#define ACCOUNTS 12 /* the even ones in the first table, the odd ones in the second */
#define FIRST_BALANCE 100
#define AMOUNT_MAX 150
#define STEP_US 500

static const char *const tables[] = {"checking", "savings"};
static const char *const branches[] = {"north", "south"};
static const char *const snapshots[] = {"first", "second", "third"};

/* What a party has done: its own in `party`. */
typedef struct deeds {
    bool has_tokens;
    uint64_t transfers; /* that came about */
    uint64_t refusals;  /* for want of money */
    uint64_t visits[ACCOUNTS];
} deeds;

/* An action's key with its text, until the arena's reset. */
typedef struct account_key {
    td_slice table;
    td_attribute *key;
} account_key;

static void work(party *it);
static void keep_house(party *it);
static void step(party *it, uint64_t number);
static void transfer(party *it);
static void judge_transfer(party *it, td_status status);
static void audit(party *it);
static void exchange_branches(party *it);
static void query_branch(party *it);
static void visit(party *it);
static void scan_accounts(party *it);
static void use_snapshots(party *it, uint64_t number);
static void open_accounts(party *it);
static account_key key_of(party *it, uint64_t account);
static td_attribute *string_attribute(party *it, const char *name, td_slice text);
static td_action update_if(party *it, account_key account, const char *update, const char *condition,
                           const td_expr_value *values, uint32_t count);
static td_expr_value number_value(party *it, const char *mark, int64_t number);
static td_status run(party *it, const td_action *actions, uint32_t count, const char *token);
static bool read_accounts(party *it, td_transact_get_result *ret_result);
static int64_t number_of(party *it, const td_item *item, const char *name);

START_TEST(money_is_neither_made_nor_lost)
{
    static deeds done[THREADS];
    party workers[THREADS];
    party teller; /* sets up, and counts at the end */
    world shared;
    world_open(&shared, TD_ENFORCE_OBSERVE, number_from_env("TD_TRANSACTION_STEPS", 5000), STEP_US);
    party_init(&teller, &shared, THREADS, NULL);
    open_accounts(&teller);

    for (uint32_t i = 0; i < THREADS; i++) {
        done[i] = (deeds){.has_tokens = true};
        party_init(&workers[i], &shared, i, &done[i]);
        party_start(&workers[i], work);
    }
    parties_join(workers, THREADS);

    uint64_t transfers = 0;
    uint64_t refusals = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        transfers += done[i].transfers;
        refusals += done[i].refusals;
    }
    audit(&teller);
    td_transact_get_result result;
    ck_assert(read_accounts(&teller, &result));
    for (uint32_t account = 0; account < ACCOUNTS; account++) {
        uint64_t visits = 0;
        for (uint32_t i = 0; i < THREADS; i++)
            visits += done[i].visits[account];
        ck_assert_int_eq(number_of(&teller, result.items[account], "visits"), (int64_t)visits);
    }
    td_call call = call_of(&teller, "ledger");
    td_table_info info;
    ck_assert_int_eq(td_table_describe(&call, &info, &teller.error), TD_OK);
    ck_assert_uint_eq(info.item_count, transfers);
    ck_assert_uint_gt(transfers, 0);
    ck_assert(refusals > 0 || shared.steps < 1000);
    ck_assert_msg(teller.failure[0] == '\0', "%s", teller.failure);

    for (uint32_t i = 0; i < THREADS; i++)
        party_done(&workers[i]);
    party_done(&teller);
    world_close(&shared);
}
END_TEST

START_TEST(nor_is_it_by_going_back_to_snapshots)
{
    static deeds done[THREADS];
    party workers[THREADS];
    party teller;
    world shared;
    world_open(&shared, TD_ENFORCE_OBSERVE, number_from_env("TD_TRANSACTION_STEPS", 5000), STEP_US);
    party_init(&teller, &shared, THREADS, NULL);
    open_accounts(&teller);
    for (uint32_t i = 0; i < THREADS; i++) {
        done[i] = (deeds){.has_tokens = false}; /* going back forgets them */
        party_init(&workers[i], &shared, i, &done[i]);
        party_start(&workers[i], i == 0 ? keep_house : work);
    }
    parties_join(workers, THREADS);
    audit(&teller);
    for (size_t i = 0; i < TD_COUNT_OF(snapshots); i++) {
        td_call call = call_of(&teller, "");
        td_snapshot_info info;
        if (td_snapshot_restore(&call, td_slice_of_cstr(snapshots[i]), &info) == TD_SNAPSHOT_OK) audit(&teller);
    }
    ck_assert_msg(teller.failure[0] == '\0', "%s", teller.failure);
    for (uint32_t i = 0; i < THREADS; i++)
        party_done(&workers[i]);
    party_done(&teller);
    world_close(&shared);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {money_is_neither_made_nor_lost, nor_is_it_by_going_back_to_snapshots};
    return run_tests("transactions", tests, TD_COUNT_OF(tests));
}

static void work(party *it)
{
    party_take_steps(it, step);
}

static void keep_house(party *it)
{
    party_take_steps(it, use_snapshots);
}

static void step(party *it, uint64_t number)
{
    (void)number;
    uint64_t pick = td_rng_below(&it->rng, 100);
    if (pick < 45)
        transfer(it);
    else if (pick < 62)
        audit(it);
    else if (pick < 74)
        exchange_branches(it);
    else if (pick < 84)
        query_branch(it);
    else if (pick < 92)
        visit(it);
    else if (pick < 98)
        scan_accounts(it);
    else
        change_index(it, tables[td_rng_below(&it->rng, TD_COUNT_OF(tables))], "branch");
}

/* From one account to another when there is enough, with a line in the ledger that no other transfer has. */
static void transfer(party *it)
{
    const deeds *done = it->own;
    uint64_t from = td_rng_below(&it->rng, ACCOUNTS);
    uint64_t to = (from + 1 + td_rng_below(&it->rng, ACCOUNTS - 1)) % ACCOUNTS;
    td_expr_value amount = number_value(it, ":a", 1 + (int64_t)td_rng_below(&it->rng, AMOUNT_MAX));
    char line[64];
    snprintf(line, sizeof line, "%" PRIu32 "-%" PRIu64, it->number, done->transfers);
    td_condition *is_new = NULL;
    td_status compiled = td_condition_compile(TD_EXPR_CONDITION, TD_LIT("attribute_not_exists(pk)"), NULL, &it->arena,
                                              &is_new, &it->error);
    expect(it, compiled == TD_OK, "the condition compiles");
    td_action actions[] = {
        update_if(it, key_of(it, from), "SET balance = balance - :a", "balance >= :a", &amount, 1),
        update_if(it, key_of(it, to), "SET balance = balance + :a", "attribute_exists(pk)", &amount, 1),
        {.table = TD_LIT("ledger"),
         .write = {.kind = TD_WRITE_PUT,
                   .attributes = string_attribute(it, "pk", td_slice_of_cstr(line)),
                   .attribute_count = 1,
                   .condition = is_new}},
    };
    if (has_failed(it)) return;
    bool has_token = done->has_tokens && td_rng_below(&it->rng, 4) == 0;
    char token[96];
    snprintf(token, sizeof token, "token-%s-%" PRIu64, line, done->refusals);
    td_status status = run(it, actions, TD_COUNT_OF(actions), has_token ? token : "");
    judge_transfer(it, status);
    if (has_token && status == TD_OK) {
        expect(it, run(it, actions, TD_COUNT_OF(actions), token) == TD_OK, "a transfer is repeated, and not made");
    }
}

static void judge_transfer(party *it, td_status status)
{
    deeds *done = it->own;
    if (status == TD_OK) {
        done->transfers++;
        return;
    }
    expect(it, status == TD_TRANSACTION_CANCELED, "a transfer is made or refused");
    const td_cancellations *reasons = it->error.cancellations;
    if (has_failed(it) || reasons == NULL) return;
    expect(it, td_slice_equal(reasons->reasons[0].code, TD_LIT("ConditionalCheckFailed")), "for want of money");
    expect(it, td_slice_equal(reasons->reasons[1].code, TD_LIT("None")), "the other account is there");
    expect(it, td_slice_equal(reasons->reasons[2].code, TD_LIT("None")), "the line in the ledger is free");
    done->refusals++;
}

static void audit(party *it)
{
    td_transact_get_result result;
    if (!read_accounts(it, &result)) return;
    int64_t sum = 0;
    for (uint32_t i = 0; i < ACCOUNTS; i++) {
        int64_t balance = number_of(it, result.items[i], "balance");
        expect(it, balance >= 0, "no account is overdrawn");
        sum += balance;
    }
    expect(it, sum == ACCOUNTS * FIRST_BALANCE, "the sum is what it was");
}

/* Of two accounts of one table, as they were read; another thread may have been quicker. */
static void exchange_branches(party *it)
{
    td_transact_get_result read;
    if (!read_accounts(it, &read)) return;
    uint64_t a = td_rng_below(&it->rng, ACCOUNTS);
    uint64_t b = (a + 2 * (1 + td_rng_below(&it->rng, ACCOUNTS / 2 - 1))) % ACCOUNTS;
    td_stored branch_a;
    td_stored branch_b;
    if (!td_item_find(read.items[a], TD_LIT("branch"), &branch_a) ||
        !td_item_find(read.items[b], TD_LIT("branch"), &branch_b)) {
        expect(it, false, "every account has a branch");
        return;
    }
    td_expr_value values_a[] = {{.mark = TD_LIT(":new"), .value = {.type = TD_TYPE_S, .bytes = branch_b.bytes}},
                                {.mark = TD_LIT(":old"), .value = {.type = TD_TYPE_S, .bytes = branch_a.bytes}}};
    td_expr_value values_b[] = {{.mark = TD_LIT(":new"), .value = {.type = TD_TYPE_S, .bytes = branch_a.bytes}},
                                {.mark = TD_LIT(":old"), .value = {.type = TD_TYPE_S, .bytes = branch_b.bytes}}};
    td_action actions[] = {
        update_if(it, key_of(it, a), "SET branch = :new", "branch = :old", values_a, 2),
        update_if(it, key_of(it, b), "SET branch = :new", "branch = :old", values_b, 2),
    };
    if (has_failed(it)) return;
    td_status status = run(it, actions, TD_COUNT_OF(actions), "");
    expect(it, status == TD_OK || status == TD_TRANSACTION_CANCELED, "branches are exchanged, or others were");
}

static void query_branch(party *it)
{
    td_call call = call_of(it, tables[td_rng_below(&it->rng, TD_COUNT_OF(tables))]);
    td_key_range range = {.hash_parts = {td_slice_of_cstr(branches[td_rng_below(&it->rng, TD_COUNT_OF(branches))])},
                          .kind = TD_RANGE_ALL};
    td_page_request request = {.index = TD_LIT("by-branch"), .range = &range};
    td_page page;
    expect(it, td_read_page(&call, &request, &page, &it->error) == TD_OK, "a branch is queried");
    if (has_failed(it)) return;
    expect(it, page.count == ACCOUNTS / 4, "each branch has half of a table's accounts");
}

/* A single write among the transactions. */
static void visit(party *it)
{
    deeds *done = it->own;
    uint64_t account = td_rng_below(&it->rng, ACCOUNTS);
    td_expr_value one = number_value(it, ":one", 1);
    td_action action = update_if(it, key_of(it, account), "ADD visits :one", "attribute_exists(pk)", &one, 1);
    if (has_failed(it)) return;
    td_call call = call_of(it, tables[account % 2]);
    td_write_result result;
    expect(it, td_write_item(&call, &action.write, &result, &it->error) == TD_OK, "an account is visited");
    done->visits[account]++;
}

static void scan_accounts(party *it)
{
    td_call call = call_of(it, tables[td_rng_below(&it->rng, TD_COUNT_OF(tables))]);
    td_page_request request = {0};
    td_page page;
    expect(it, td_read_page(&call, &request, &page, &it->error) == TD_OK, "accounts are scanned");
    if (has_failed(it)) return;
    expect(it, page.count == ACCOUNTS / 2, "all accounts are there");
    for (uint32_t i = 0; i < page.count; i++)
        expect(it, number_of(it, page.items[i], "balance") >= 0, "no account is overdrawn");
}

/* A table that is being given an index cannot be kept. */
static void use_snapshots(party *it, uint64_t number)
{
    td_call call = call_of(it, "");
    td_slice name = td_slice_of_cstr(snapshots[td_rng_below(&it->rng, TD_COUNT_OF(snapshots))]);
    td_snapshot_info info;
    td_slice busy;
    td_snapshot_result result = TD_SNAPSHOT_OK;
    uint64_t pick = number % 10;
    if (pick == 0)
        result = td_snapshot_keep(&call, name, &info, &busy);
    else if (pick == 4 || pick == 6)
        result = td_snapshot_restore(&call, name, &info);
    else if (pick == 8 && td_rng_below(&it->rng, 4) == 0)
        (void)td_snapshot_remove(it->world->store, name);
    else
        audit(it);
    expect(it, result != TD_SNAPSHOT_NO_MEMORY && result != TD_SNAPSHOT_RECORD_FAILS, "snapshots are kept and found");
}

static void open_accounts(party *it)
{
    create_table(it, tables[0], "by-branch", "branch");
    create_table(it, tables[1], "by-branch", "branch");
    create_table(it, "ledger", NULL, NULL);
    td_action actions[ACCOUNTS];
    for (uint64_t i = 0; i < ACCOUNTS; i++) {
        td_expr_value values[] = {
            number_value(it, ":b", FIRST_BALANCE),
            {.mark = TD_LIT(":n"),
             .value = {.type = TD_TYPE_S, .bytes = td_slice_of_cstr(branches[i / 2 % TD_COUNT_OF(branches)])}},
            number_value(it, ":z", 0),
        };
        actions[i] = update_if(it, key_of(it, i), "SET balance = :b, branch = :n, visits = :z",
                               "attribute_not_exists(pk)", values, TD_COUNT_OF(values));
    }
    ck_assert_str_eq(it->failure, "");
    expect(it, run(it, actions, ACCOUNTS, "") == TD_OK, "accounts are opened");
    ck_assert_str_eq(it->failure, "");
}

static account_key key_of(party *it, uint64_t account)
{
    char name[32];
    snprintf(name, sizeof name, "account-%" PRIu64, account);
    return (account_key){.table = td_slice_of_cstr(tables[account % 2]),
                         .key = string_attribute(it, "pk", td_slice_of_cstr(name))};
}

/* With a copy of the text. */
static td_attribute *string_attribute(party *it, const char *name, td_slice text)
{
    td_attribute *attribute = td_arena_alloc(&it->arena, sizeof *attribute);
    td_slice copy = {NULL, 0};
    expect(it, attribute != NULL && td_arena_copy(&it->arena, text, &copy), "there is memory");
    if (attribute == NULL) return NULL;
    *attribute = (td_attribute){td_slice_of_cstr(name), {.type = TD_TYPE_S, .bytes = copy}};
    return attribute;
}

static td_action update_if(party *it, account_key account, const char *update, const char *condition,
                           const td_expr_value *values, uint32_t count)
{
    td_expr_value *kept = td_arena_alloc_array(&it->arena, count, sizeof *kept);
    expect(it, kept != NULL, "there is memory");
    if (kept == NULL) return (td_action){0};
    memcpy(kept, values, count * sizeof *kept);
    td_expr_marks marks = {.values = kept, .value_count = count};
    td_update *compiled = NULL;
    td_condition *compiled_condition = NULL;
    td_status status = td_update_compile(td_slice_of_cstr(update), &marks, &it->arena, &compiled, &it->error);
    expect(it, status == TD_OK, "an update compiles");
    status = td_condition_compile(TD_EXPR_CONDITION, td_slice_of_cstr(condition), &marks, &it->arena,
                                  &compiled_condition, &it->error);
    expect(it, status == TD_OK, "a condition compiles");
    return (td_action){.table = account.table,
                       .write = {.kind = TD_WRITE_UPDATE,
                                 .attributes = account.key,
                                 .attribute_count = 1,
                                 .update = compiled,
                                 .condition = compiled_condition}};
}

static td_expr_value number_value(party *it, const char *mark, int64_t number)
{
    td_number value = td_number_from_int64(number);
    td_slice bytes = {NULL, 0};
    expect(it, td_arena_copy(&it->arena, td_number_slice(&value), &bytes), "there is memory");
    return (td_expr_value){.mark = td_slice_of_cstr(mark), .value = {.type = TD_TYPE_N, .bytes = bytes}};
}

static td_status run(party *it, const td_action *actions, uint32_t count, const char *token)
{
    td_call call = call_of(it, "");
    td_transact_write request = {.actions = actions, .count = count, .token = td_slice_of_cstr(token)};
    td_transact_write_result result;
    return td_transact_write_items(&call, &request, &result, &it->error);
}

/* All accounts at one instant, in an order that differs from call to call. */
static bool read_accounts(party *it, td_transact_get_result *ret_result)
{
    td_transact_get gets[ACCOUNTS];
    uint64_t first = td_rng_below(&it->rng, ACCOUNTS);
    for (uint64_t i = 0; i < ACCOUNTS; i++) {
        account_key account = key_of(it, (first + i) % ACCOUNTS);
        gets[i] = (td_transact_get){.table = account.table, .key = account.key, .key_count = 1};
    }
    td_call call = call_of(it, "");
    td_transact_get_result result;
    td_status status = td_transact_get_items(&call, gets, ACCOUNTS, &result, &it->error);
    const td_item **items = td_arena_alloc_array(&it->arena, ACCOUNTS, sizeof *items);
    expect(it, status == TD_OK, "all accounts are read");
    expect(it, items != NULL, "there is memory");
    if (has_failed(it)) return false;
    for (uint64_t i = 0; i < ACCOUNTS; i++) {
        expect(it, result.items[i] != NULL, "every account is there");
        items[(first + i) % ACCOUNTS] = result.items[i];
    }
    *ret_result = result;
    ret_result->items = items;
    return !has_failed(it);
}

static int64_t number_of(party *it, const td_item *item, const char *name)
{
    td_stored value;
    int64_t number = 0;
    bool is_number = td_item_find(item, td_slice_of_cstr(name), &value) && td_number_to_int64(value.bytes, &number);
    expect(it, is_number, "it is a whole number");
    return number;
}
