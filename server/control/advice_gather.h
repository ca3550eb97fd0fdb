/* SPDX-License-Identifier: Apache-2.0
 * advice_gather.h: the numbers of a table and its global indexes that advice is judged by, as the engine tells them. */
#ifndef THERMODYN_CONTROL_ADVICE_GATHER_H
#define THERMODYN_CONTROL_ADVICE_GATHER_H

#include "advice.h"

#include "thermodyn/heat.h"
#include "thermodyn/observe.h"
#include "thermodyn/table.h"

typedef struct td_advice_gathered {
    td_advice_resource *resources; /* the table, then its global indexes; or the one index that was asked for */
    uint32_t count;
} td_advice_gathered;

/* The call's table; `index` empty: all of it. Everything lives in the call's arena. */
TD_MUST_USE td_heat_result td_advice_gather(const td_call *call, td_slice index, td_time_us window_us,
                                            td_advice_gathered *ret_gathered);

/* ---- private to the folder ---- */

/* Fills what heat tells: of each side totals, peaks, keys and shares of the resource's partitions; and `throttled`.
 * The resource's partitions and billing are there already. */
TD_MUST_USE td_heat_result td_advice__gather_traffic(const td_call *call, td_time_us window_us,
                                                     td_advice_resource *resource);

/* The partition in which a hash lies. */
uint32_t td_advice__find_partition(const td_advice_resource *resource, uint64_t prefix);

#endif
