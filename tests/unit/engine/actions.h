/* SPDX-License-Identifier: Apache-2.0
 * actions.h: transactions in one line, and what became of them.
 *
 *   OK(transact(&world, PUT("T", S("pk", "a")), CHECK("U", "attribute_exists(pk)", S("pk", "b"))));
 *   CANCELED(transact(&world, …), "None | ConditionalCheckFailed: The conditional request failed");
 */
#ifndef THERMODYN_TESTS_UNIT_ENGINE_ACTIONS_H
#define THERMODYN_TESTS_UNIT_ENGINE_ACTIONS_H

#include "thermodyn/txn.h"

#include "world.h"

/* The world of the macros below is the variable `world`. */
#define PUT(table, ...) PUT_IF(table, NULL, __VA_ARGS__)
#define PUT_IF(table, condition, ...)                                                                                  \
    make_action(&world, TD_WRITE_PUT, (table), (condition), attributes_of(world.call.arena, __VA_ARGS__))
#define ERASE(table, ...) ERASE_IF(table, NULL, __VA_ARGS__)
#define ERASE_IF(table, condition, ...)                                                                                \
    make_action(&world, TD_WRITE_DELETE, (table), (condition), attributes_of(world.call.arena, __VA_ARGS__))
#define CHECK(table, condition, ...)                                                                                   \
    make_check(&world, (table), (condition), attributes_of(world.call.arena, __VA_ARGS__))
/* UPDATE("T", "SET n = :v", VALUES(N(":v", "1")), S("pk", "a")) */
#define UPDATE(table, text, values, ...)                                                                               \
    make_update(&world, (table), (text), (values), attributes_of(world.call.arena, __VA_ARGS__))

td_action make_action(td_world *world, td_write_kind kind, const char *table, const char *condition,
                      td_given_attributes attributes);
td_action make_check(td_world *world, const char *table, const char *condition, td_given_attributes key);
td_action make_update(td_world *world, const char *table, const char *text, const td_given *values,
                      td_given_attributes key);
td_action with_item_on_failure(td_action action);

/* The last transaction's answer. */
extern td_transact_write_result wrote;

#define transact(world, ...) transact_with((world), "", 0, __VA_ARGS__)
#define transact_with(world, token, fingerprint, ...)                                                                  \
    run_actions((world), (token), (fingerprint), (const td_action[]){__VA_ARGS__},                                     \
                TD_COUNT_OF(((const td_action[]){__VA_ARGS__})))
td_status run_actions(td_world *world, const char *token, uint64_t fingerprint, const td_action *actions, size_t count);

#define GET(table_, ...) make_get((table_), attributes_of(world.call.arena, __VA_ARGS__))
#define transact_get(world, result, ...)                                                                               \
    run_gets((world), (result), (const td_transact_get[]){__VA_ARGS__},                                                \
             TD_COUNT_OF(((const td_transact_get[]){__VA_ARGS__})))
td_transact_get make_get(const char *table, td_given_attributes key);
td_status run_gets(td_world *world, td_transact_get_result *ret_result, const td_transact_get *gets, size_t count);

#define OK(call) ck_assert_msg((call) == TD_OK, "%s", error_text(&world))
#define CANCELED(call, reasons)                                                                                        \
    do {                                                                                                               \
        ck_assert_int_eq((call), TD_TRANSACTION_CANCELED);                                                             \
        ck_assert_str_eq(show_reasons(&world), (reasons));                                                             \
    } while (0)

/* "None | ValidationError: The provided …" */
const char *show_reasons(td_world *world);
/* "T 6, U 2+gix 1": whole units by table, and those of indexes. */
const char *show_consumed(td_world *world, const td_table_consumed *tables, uint32_t count);
#define WROTE_UNITS(expected) ck_assert_str_eq(show_consumed(&world, wrote.tables, wrote.table_count), (expected))

/* The attribute "d" that makes an item with the key { pk: one letter } `bytes` long. */
td_given filling(td_world *world, size_t bytes);

/* The balance of the pool of a provisioned table. */
double balance(td_world *world, const char *table, td_direction direction);

#endif
