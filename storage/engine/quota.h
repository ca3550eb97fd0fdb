/* SPDX-License-Identifier: Apache-2.0
 * quota.h: what an account may provision: checks that CreateTable and UpdateTable share (throttling.md §3.7). */
#ifndef THERMODYN_ENGINE_QUOTA_H
#define THERMODYN_ENGINE_QUOTA_H

#include "thermodyn/table.h"

/* Names of the request's members by direction, as messages use them. */
extern const td_slice td_quota__capacity_units[TD_DIRECTION_COUNT];   /* ReadCapacityUnits, … */
extern const td_slice td_quota__request_units[TD_DIRECTION_COUNT];    /* MaxReadRequestUnits, … */
extern const td_slice td_quota__units_per_second[TD_DIRECTION_COUNT]; /* ReadUnitsPerSecond, … */

/* "table" or "index NAME", as messages call a resource. */
TD_MUST_USE td_status td_quota__resource_name(td_slice index, td_error *error, td_slice *ret_name);

/* LIMIT_EXCEEDED when a table or index asks for more than one may have. */
TD_MUST_USE td_status td_quota__check_throughput(const td_call *call, const td_capacity_settings *settings,
                                                 const td_throughput *asked, td_error *error);
TD_MUST_USE td_status td_quota__check_on_demand_max(const td_call *call, const td_capacity_settings *settings,
                                                    td_slice index, const td_on_demand_max *asked, td_error *error);

/* VALIDATION when the warm throughput of a new table or index is below what it starts with anyhow. */
TD_MUST_USE td_status td_quota__check_new_warm(td_billing_mode billing, td_slice index, const td_throughput *warm,
                                               const td_throughput *provisioned, td_error *error);

/* LIMIT_EXCEEDED when the account's tables together would have more than they may. */
TD_MUST_USE td_status td_quota__check_account(const td_call *call, const td_capacity_settings *settings,
                                              const int64_t reserved[TD_DIRECTION_COUNT],
                                              const int64_t more[TD_DIRECTION_COUNT], td_error *error);

#endif
