/* SPDX-License-Identifier: Apache-2.0
 * pressure.h: what is decided from a table's traffic every ten seconds of the server's clock.
 *
 *   first access after a pause ─▶ td_pressure__wake_locked ─▶ a due entry every pressure_tick_us, until the table rests
 *   tick: hot partitions → split or veto · adaptive boosts (boost.h) · once a minute the on-demand peak (growth.h)
 *
 * A table without traffic has no due entry. Source: throttling.md §6.3.
 * Threads: the caller holds the table's lock; the due entry takes it. */
#ifndef THERMODYN_ENGINE_PRESSURE_H
#define THERMODYN_ENGINE_PRESSURE_H

#include "state.h"

void td_pressure__start_locked(td_table *table, td_time_us now_us);

/* At each access, before it is admitted or refused. */
static inline void td_pressure__wake_locked(td_table *table, td_time_us now_us)
{
    if (!table->is_under_pressure) td_pressure__start_locked(table, now_us);
}

/* A due entry: one tick. */
void td_pressure__run_due(td_table *table, td_time_us due_us);

#endif
