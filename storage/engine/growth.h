/* SPDX-License-Identifier: Apache-2.0
 * growth.h: how an on-demand table or index grows with its traffic.
 *
 * Model: every minute the highest one-minute average so far is the peak; ondemand_double_delay after a new peak there
 * are partitions for twice of it, made by splitting the hottest, and the warm throughput is at least that.
 * Source: throttling.md §2.1, §2.6, §6.3. Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_GROWTH_H
#define THERMODYN_ENGINE_GROWTH_H

#include "thermodyn/base.h"
#include "thermodyn/capacity.h"

struct td_table;

#define TD_GROWTH_PEAKS 36 /* that may wait at a time: more than minutes in ondemand_double_delay's default */

typedef struct td_growth_peak {
    td_time_us due_us;
    double rate[TD_DIRECTION_COUNT]; /* units a second */
} td_growth_peak;

/* Of a table or an index. All zero: nothing has been consumed. */
typedef struct td_growth {
    double highest[TD_DIRECTION_COUNT]; /* one-minute average so far, units a second */
    double noted[TD_DIRECTION_COUNT];   /* the highest that waits, or has come, to be doubled */
    double ready[TD_DIRECTION_COUNT];   /* the peak that is to be doubled by now */
    int64_t minute;                     /* of the clock, in which it was last looked at */
    td_time_us noted_us;                /* when a peak was last noted */
    uint32_t first;                     /* of `peaks`, a ring */
    uint32_t count;
    td_growth_peak peaks[TD_GROWTH_PEAKS]; /* that wait, in the order in which they fall due */
} td_growth;

/* Called at each tick of the pressure. Answers whether a growth is still to come, so that the table must stay awake. */
bool td_growth__tick_locked(struct td_table *table, td_time_us now_us);

#endif
