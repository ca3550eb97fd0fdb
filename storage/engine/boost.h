/* SPDX-License-Identifier: Apache-2.0
 * boost.h: era adaptive: a partition that throttles while its table has throughput to spare gets more than its share.
 *
 * Source: throttling.md §2.5, §6.2; of the controller the service says only that it is proportional.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_BOOST_H
#define THERMODYN_ENGINE_BOOST_H

#include "state.h"

/* At the end of each window of demand, which took window_us. */
void td_boost__tick_locked(td_table *table, td_time_us window_us, td_time_us now_us);

#endif
