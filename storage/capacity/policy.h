/* SPDX-License-Identifier: Apache-2.0
 * policy.h: which exception a throttle is told as; what the server needs of it is in thermodyn/capacity.h.
 * Threads: any. */
#ifndef THERMODYN_CAPACITY_POLICY_H
#define THERMODYN_CAPACITY_POLICY_H

#include "thermodyn/capacity.h"
#include "thermodyn/status.h"

/* The message, and with it the exception, of a reason in a billing mode. */
td_message td_policy__message(const td_exception_policy *policy, const td_throttle_reason *reason,
                              td_billing_mode billing);

#endif
