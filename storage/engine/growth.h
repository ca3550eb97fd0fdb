/* SPDX-License-Identifier: MIT
 * growth.h: how an on-demand table or index grows with its traffic, and how warm throughput is raised.
 *
 * Model: every minute the highest one-minute average so far is the peak; ondemand_double_delay after a new peak there
 * are partitions for twice of it, made by splitting the hottest, and the warm throughput is at least that.
 * Source: throttling.md §2.1, §2.6, §6.3. Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_GROWTH_H
#define THERMODYN_ENGINE_GROWTH_H

#include "state.h"

/* Called at each tick of the pressure. Answers whether a growth is still to come, so that the table must stay awake. */
bool td_growth__tick_locked(td_table *table, td_time_us now_us);

#endif
