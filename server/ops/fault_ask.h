/* SPDX-License-Identifier: Apache-2.0
 * fault_ask.h: what fault rules make of one request, for dispatch.c and for the operations on many items. Private to
 * server/ops. */
#ifndef THERMODYN_OPS_FAULT_ASK_H
#define THERMODYN_OPS_FAULT_ASK_H

#include "ops/dispatch.h"

/* What is to become of one element of a batch or of one action of a transaction. */
typedef struct td_fault_element {
    const td_json *json;   /* the key, WriteRequest, TransactItem or statement; as it stands in the request */
    const td_error *error; /* of a batch of items, a throttle; NULL: it is left unprocessed without one */
    td_slice code;         /* of a transaction */
} td_fault_element;

typedef struct td_fault_plan {
    uint32_t count;
    td_fault_element *elements;
} td_fault_plan;

/* Asks the rules; there are some. An error that strikes the whole request is raised. What concerns its elements goes
 * into request->faults, what concerns its answer into request->fate, and request->is_lost says that the operation is
 * not to be done at all. */
TD_MUST_USE td_status td_ops__ask_faults(td_request *request, const td_operation *operation);

/* NULL: nothing is to become of the element. */
const td_fault_element *td_ops__find_fault(const td_request *request, const td_json *json);

/* TRANSACTION_CANCELED when a rule has struck one of the actions. */
TD_MUST_USE td_status td_ops__cancel_by_faults(td_request *request, const td_json *actions);

#endif
