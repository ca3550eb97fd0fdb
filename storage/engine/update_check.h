/* SPDX-License-Identifier: Apache-2.0
 * update_check.h: may this UpdateTable be? All its refusals, before anything is changed. */
#ifndef THERMODYN_ENGINE_UPDATE_CHECK_H
#define THERMODYN_ENGINE_UPDATE_CHECK_H

#include "state.h"

/* The locks of the catalogue (for writing) and of the table are held. */
TD_MUST_USE td_status td_update__check_locked(const td_call *call, const td_table *table, const td_table_change *change,
                                              td_error *error);

/* The billing mode that the table will have. */
static inline td_billing_mode td_update__billing(const td_table *table, const td_table_change *change)
{
    return change->has_billing ? change->billing : table->billing;
}

/* Does the change make or remove an index? NULL: it does not. */
const td_index_change *td_update__find_index_change(const td_table_change *change);

/* The table's resource of that global index, or NULL. */
td_resource *td_update__find_resource(const td_table *table, td_slice index);

#endif
