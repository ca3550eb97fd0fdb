/* SPDX-License-Identifier: Apache-2.0
 * fault_error.h: from a rule to the error that the service would answer. Private to server/ops. */
#ifndef THERMODYN_OPS_FAULT_ERROR_H
#define THERMODYN_OPS_FAULT_ERROR_H

#include "ops/dispatch.h"
#include "thermodyn/txn.h"

#include "fault_set.h"

/* Where an error strikes. */
typedef struct td_fault_place {
    td_request *request;
    td_slice table;   /* its name; empty: the request is about no table */
    bool is_of_items; /* whether it reads or writes items is known: then throttles have reasons */
    td_direction direction;
} td_fault_place;

/* Raises the rule's error with its text and reasons. Not for TransactionCanceledException. */
td_status td_fault__raise(const td_fault_rule *rule, const td_fault_place *place, td_error *error);

/* TRANSACTION_CANCELED with these reasons. */
td_status td_fault__raise_canceled(td_request *request, td_cancellation *reasons, uint32_t count);

/* A reason of that code with the text that the code's error has; "None": without one. */
td_cancellation td_fault__reason_of_code(const td_request *request, td_slice code);

#endif
