/* SPDX-License-Identifier: Apache-2.0
 * authorize.h: whether the caller may do what a request asks for, by his policies and the resources'. Private to
 * server/ops. */
#ifndef THERMODYN_OPS_AUTHORIZE_H
#define THERMODYN_OPS_AUTHORIZE_H

#include "iam/callers.h"
#include "ops/dispatch.h"

#include "fault_target.h"

/* ---- authorize.c ------------------------------------------------------------------------------------------------- */

/* Who signed, by the file of --policies; without one, the root user of the account. */
TD_MUST_USE td_status td_ops__identify_caller(td_request *request, td_iam_caller *ret_caller);

/* Asks the policies; there are some. ACCESS_DENIED for the first thing that is not allowed. What a batch of statements
 * may not do goes into request->faults, since each statement has an error of its own. */
TD_MUST_USE td_status td_ops__authorize(td_request *request);

/* ---- authorize_context.c: what policies see of it ---------------------------------------------------------------- */

/* One thing to be allowed: an action on a resource. */
typedef struct td_access {
    td_slice action; /* without "dynamodb:" */
    td_slice table;
    td_slice index;                 /* empty: none */
    td_slice suffix;                /* "/stream/…" behind the table in its ARN; empty: none */
    const td_fault_target *targets; /* that it is about: one, or elements of a batch that share their parameters */
    uint32_t target_count;
} td_access;

/* The keys of the context, in the arena. */
TD_MUST_USE td_status td_ops__gather_context(td_request *request, const td_access *access, const td_iam_key **ret_keys,
                                             uint32_t *ret_count);

#endif
