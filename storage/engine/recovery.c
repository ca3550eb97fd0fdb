/* SPDX-License-Identifier: Apache-2.0
 * recovery.c: point-in-time recovery of a table: the setting, which dies with the table. */
#include "thermodyn/recovery.h"

#include "catalog.h"

td_status td_recovery_update(const td_call *call, bool is_enabled, uint32_t days, td_recovery *ret_recovery,
                             td_error *error)
{
    TD_ASSERT(is_enabled == (days > 0));
    TD_TRY(td_journal__begin(call, error));
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    td_recovery *recovery = &table->recovery;
    if (is_enabled && !recovery->is_enabled) recovery->enabled_us = call->now_us;
    if (!is_enabled) recovery->enabled_us = 0;
    recovery->is_enabled = is_enabled;
    recovery->days = days;
    *ret_recovery = *recovery;
    td_journal__mark_table(table);
    td_table__unlock(table);
    td_table__unref(table);
    return TD_OK;
}

td_status td_recovery_describe(const td_call *call, td_recovery *ret_recovery, td_error *error)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    td_table__lock(table);
    *ret_recovery = table->recovery;
    td_table__unlock(table);
    td_table__unref(table);
    return TD_OK;
}
