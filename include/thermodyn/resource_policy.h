/* SPDX-License-Identifier: Apache-2.0
 * resource_policy.h: the policy that is attached to a table or to a stream, as a text that the engine does not read.
 *
 * A revision is the instant of the change in milliseconds, or one more than the last. What was deleted leaves its own
 * behind. A policy goes with its table, or its stream.
 * Threads: any. */
#ifndef THERMODYN_RESOURCE_POLICY_H
#define THERMODYN_RESOURCE_POLICY_H

#include "thermodyn/store.h"

typedef struct td_resource_policy {
    td_slice text;    /* in the arena; empty: there is none */
    int64_t revision; /* of the text, or of its deletion; 0: there was never any */
} td_resource_policy;

/* The call's table, or its stream of that label. */
typedef struct td_policy_place {
    bool is_stream;
    td_time_us label_us;
} td_policy_place;

/* RESOURCE_NOT_FOUND: with the control plane's text for a table; of a stream, the caller words it. */
TD_MUST_USE td_status td_resource_policy_get(const td_call *call, td_policy_place place, td_resource_policy *ret_policy,
                                             td_error *error);

/* What a change is to find, or it is refused with POLICY_NOT_FOUND: the policy of that revision, or with "NO_POLICY"
 * none at all. Empty: anything. Texts are told apart byte by byte: what is there already is not put again, and keeps
 * its revision. An empty text deletes: what *ret_revision then says is the removed policy's, or of a policy that was
 * not there that of its deletion, or 0. Errors, besides those above: RESOURCE_IN_USE of a table that is being deleted.
 */
TD_MUST_USE td_status td_resource_policy_put(const td_call *call, td_policy_place place, td_slice text,
                                             td_slice expected, int64_t *ret_revision, td_error *error);

#endif
