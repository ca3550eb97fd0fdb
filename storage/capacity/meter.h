/* SPDX-License-Identifier: Apache-2.0
 * meter.h: counting: what one request has consumed, what a partition consumes by the second, what was throttled.
 *
 * Threads: the caller holds the lock that guards the counters. */
#ifndef THERMODYN_CAPACITY_METER_H
#define THERMODYN_CAPACITY_METER_H

#include "thermodyn/capacity.h"

/* ---- one request ------------------------------------------------------------------------------------------------ */

/* A request that has consumed nothing. */
void td_consumed_init(td_consumed *consumed);

/* Adds to the index's entry, which appears at its first units; no units, no entry. The name is borrowed. */
void td_consumed_add_index(td_consumed *consumed, td_slice name, bool is_global, td_units units);

/* ---- a partition in one direction ------------------------------------------------------------------------------- */

#define TD_USAGE_SECONDS 60
#define TD_USAGE_SLOTS (TD_USAGE_SECONDS + 1) /* a whole minute, and the present second */

/* Consumption by the second of the server's clock: the present second and the 60 before it. All zero: nothing yet. */
typedef struct td_usage {
    int64_t second;                   /* the latest one recorded, since the epoch */
    td_units seconds[TD_USAGE_SLOTS]; /* by second % TD_USAGE_SLOTS */
} td_usage;

void td_usage_add(td_usage *usage, td_time_us now_us, td_units units);

/* In the last whole second before now. */
td_units td_usage_last_second(const td_usage *usage, td_time_us now_us);

/* In the last whole seconds before now: so many, at most TD_USAGE_SECONDS. */
td_units td_usage_last(const td_usage *usage, td_time_us now_us, uint32_t seconds);

/* In the present second and the 59 before it. */
td_units td_usage_last_minute(const td_usage *usage, td_time_us now_us);

/* ---- throttles of one resource ---------------------------------------------------------------------------------- */

/* Since the tally was last taken. All zero: none. */
typedef struct td_throttle_tally {
    uint64_t counts[TD_DIRECTION_COUNT][TD_LIMIT_KIND_COUNT];
} td_throttle_tally;

void td_throttle_tally_add(td_throttle_tally *tally, td_direction direction, td_limit_kind kind);

#endif
