/* SPDX-License-Identifier: Apache-2.0
 * access.h: how a data operation gets at a table: a handle on the table and on its schema as it was found.
 *
 *     TD_TRY(td_access__open(call, &access, error));
 *     … prepare with access.schema, without any lock …
 *     if (!td_access__lock(&access)) → close, open, prepare again: the schema was swapped meanwhile
 *     …
 *     td_table__unlock(access.table);
 *     td_access__close(&access);
 */
#ifndef THERMODYN_ENGINE_ACCESS_H
#define THERMODYN_ENGINE_ACCESS_H

#include "state.h"

typedef struct td_access {
    td_table *table;         /* a reference until close */
    const td_schema *schema; /* borrowed until the reset of the call's arena */
} td_access;

/* RESOURCE_NOT_FOUND with the data plane's text, also for a table that is not there yet or any more. */
TD_MUST_USE td_status td_access__open(const td_call *call, td_access *ret_access, td_error *error);
void td_access__close(td_access *access);

/* Takes the table's lock when the schema is still the table's; else answers false, with the lock not taken. */
TD_MUST_USE bool td_access__lock(td_access *access);

/* Is it a table that can be read and written? Its lock is held. */
static inline bool td_access__is_usable_locked(const td_table *table)
{
    return !table->is_gone && table->status != TD_TABLE_CREATING && table->status != TD_TABLE_DELETING;
}

/* Position of the index in the schema; it must be one that can be read. The errors are the service's. */
TD_MUST_USE td_status td_access__find_index(const td_access *access, td_slice index, uint32_t *ret_at, td_error *error);

#endif
