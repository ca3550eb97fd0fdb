/* SPDX-License-Identifier: Apache-2.0
 * transact.h: what TransactWriteItems and TransactGetItems share (transact.c). Private to server/ops. */
#ifndef THERMODYN_OPS_TRANSACT_H
#define THERMODYN_OPS_TRANSACT_H

#include "batch.h"

/* The table of an action: its name, and how the request wrote it. */
typedef struct td_ops_named {
    td_slice name;
    td_slice sent;
} td_ops_named;

/* The TableName of the action that was entered. */
TD_MUST_USE td_status td_ops__read_table(td_request *request, td_ops_named *ret_table);

/* How the request wrote the table: as its first action on it did. */
td_slice td_ops__sent_name(const td_ops_named *tables, uint32_t count, td_slice name);

/* ConsumedCapacity: one entry a table, with reads told from writes. `named`: of the actions. */
void td_ops__write_transact_consumed(const td_request *request, const td_ops_named *named, uint32_t action_count,
                                     const td_table_consumed *tables, uint32_t table_count, td_ops_object *answer);

/* A number for what the tree says: the order of members and the blanks between them do not matter. */
uint64_t td_ops__fingerprint(const td_json *json);

#endif
