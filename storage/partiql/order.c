/* SPDX-License-Identifier: Apache-2.0
 * order.c: ORDER BY against the key of what is read.
 * Source: public captures of the service, September 2026: the texts, and that items of one partition key come in
 * descending order when only the partition key is named. */
#include "syntax.h"

td_status td_statement_check_order(const td_statement *statement, const td_key_schema *schema,
                                   const td_statement_keys *keys, td_statement_walk *ret_walk, td_error *error)
{
    td_statement_walk walk = {.is_descending = statement->order_count > 0};
    bool has_hash = false;
    if (statement->order_count > 0 && !statement->has_where) return TD_RAISE(error, TD_MSG_PARTIQL_ORDER_WITHOUT_WHERE);
    for (uint32_t i = statement->order_count; i > 0; i--) {
        /* From the last to the first: of an attribute that is named twice the first time decides. */
        const td_statement_order *order = &statement->orders[i - 1];
        int part = td_key_find_part(schema, order->attribute);
        if (part < 0) continue;
        bool is_hash = part < schema->hash_count;
        has_hash |= is_hash;
        if (is_hash)
            walk.is_hash_descending = order->is_descending;
        else
            walk.is_descending = order->is_descending;
    }
    for (uint32_t i = 0; i < statement->order_count; i++) {
        if (td_key_find_part(schema, statement->orders[i].attribute) < 0)
            return TD_RAISE(error, TD_MSG_PARTIQL_ORDER_NOT_KEY, statement->orders[i].attribute);
    }
    if (statement->order_count > 0 && !keys->is_keyed) return TD_RAISE(error, TD_MSG_PARTIQL_ORDER_WITHOUT_HASH);
    if (statement->order_count > 0 && !has_hash && keys->count > 0 && !keys->is_single_collection)
        return TD_RAISE(error, TD_MSG_PARTIQL_ORDER_MANY_HASHES);
    *ret_walk = walk;
    return TD_OK;
}
