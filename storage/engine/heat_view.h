/* SPDX-License-Identifier: Apache-2.0
 * heat_view.h: what views of keys share: the resource that is asked about, and its keys in plain.
 * Threads: the table is locked from open to close. */
#ifndef THERMODYN_ENGINE_HEAT_VIEW_H
#define THERMODYN_ENGINE_HEAT_VIEW_H

#include "thermodyn/heat.h"

#include "capacity/heat.h"
#include "state.h"

/* A table, locked, and the resource that is asked about. */
typedef struct td_heat_subject {
    td_table *table;
    td_resource *resource;
    const td_key_schema *key;
} td_heat_subject;

/* Index empty: the table. Locked when the answer is TD_HEAT_OK alone. */
TD_MUST_USE td_heat_result td_heat_subject__open(const td_call *call, td_slice index, td_heat_subject *ret_subject);
void td_heat_subject__close(td_heat_subject *it);

/* The attributes of the key that a counter has, as many as its text has; NULL and 0: it was too long to keep, and no
 * item has it any more. false: no memory. */
TD_MUST_USE bool td_heat_subject__decode(const td_heat_subject *it, const td_heat_sum *sum, td_arena *arena,
                                         td_attribute **ret_attributes, uint32_t *ret_count);

#endif
