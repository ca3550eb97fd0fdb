/* SPDX-License-Identifier: Apache-2.0
 * fault_target.h: what a request is about, for fault rules, metrics and policies: one target, or each element of a
 * batch or action of a transaction. Private to server/ops. */
#ifndef THERMODYN_OPS_FAULT_TARGET_H
#define THERMODYN_OPS_FAULT_TARGET_H

#include "thermodyn/partiql.h"

#include "batch.h"
#include "fault_set.h"

typedef struct td_fault_target {
    const td_json *json;           /* of an element: how the operation will ask for it */
    const td_json *structure;      /* of a table's element or an action: what its parameters stand in, */
    const td_ops_inner *members;   /* and which of them it has; NULL: the request's own */
    const td_json *attributes;     /* that the key is among; NULL: it is about no single item, or a statement */
    const td_statement *statement; /* NULL: none, or none that can be read */
    td_slice action;               /* of a transaction: the operation that it is one of; empty: none that there is */
    td_slice table;                /* empty: none */
    td_fault_rule *decided_by;     /* of elements; NULL: of none yet */
} td_fault_target;

typedef struct td_fault_targets {
    td_operation_form form;
    bool is_of_items; /* the operation reads or writes items, in this direction */
    td_direction direction;
    uint32_t count;
    td_fault_target *at;
} td_fault_targets;

TD_MUST_USE td_status td_fault__find_targets(td_request *request, const td_operation *operation,
                                             td_fault_targets *ret_targets);

/* Have the targets codes of cancellation: is it a transaction? */
static inline bool td_fault__is_transaction(const td_fault_targets *targets)
{
    return targets->form == TD_FORM_TRANSACTED_GETS || targets->form == TD_FORM_TRANSACTED_WRITES ||
           targets->form == TD_FORM_TRANSACTED_STATEMENTS;
}

/* Is the target on the rule's table, and has it the rule's key? */
bool td_fault__fits(const td_request *request, const td_fault_rule *rule, const td_fault_target *target);

#endif
