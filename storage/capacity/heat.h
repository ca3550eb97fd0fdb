/* SPDX-License-Identifier: MIT
 * heat.h: where in the key space, and when, a table or a global index was used: what its heat map and its hottest keys
 * are made from.
 *
 *   admission ─charge: consumed units─┐
 *             └refuse: a throttle─────┴─▶ td_heat_add ─▶ slices of the key space × columns of time
 *                                                     └▶ sketches of the hottest keys, by minute
 *
 * Exact: the sum of the cells of a metric is what was charged (milli-units) or throttled (requests) as long as the
 * columns are kept. Approximate: the hottest keys, with an error bound that the source states.
 * Memory grows with the time in which there was traffic and is bounded; a resource without traffic has nothing.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_CAPACITY_HEAT_H
#define THERMODYN_CAPACITY_HEAT_H

#include "thermodyn/capacity.h"
#include "thermodyn/heat.h"

typedef struct td_heat td_heat;

/* One access of one key, or of the range that begins with it (a page of a Query or Scan). */
typedef struct td_heat_access {
    td_slice key;            /* encoded: hash ‖ partition key ‖ sort key; a Scan's: the hash where it begins, alone */
    uint32_t collection_len; /* of the key: hash and partition key; 0: no key is known */
    td_heat_metric metric;
    td_units amount; /* milli-units consumed; of a throttle, TD_UNITS_ONE for each request */
} td_heat_access;

/* NULL: no memory. */
TD_MUST_USE td_heat *td_heat_new(td_time_us now_us);
void td_heat_free(td_heat *heat); /* NULL is allowed */

/* Never fails: where there is no memory for a column or a sketch the access goes uncounted there, and `lost` counts it. */
void td_heat_add(td_heat *heat, td_time_us now_us, const td_heat_access *access);

#endif
