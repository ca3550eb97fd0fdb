/* SPDX-License-Identifier: Apache-2.0
 * history.h: figures that hold until they are changed, as provisioned units, maxima and quotas: a row of changes.
 *
 * Readers find a sample at each five minutes of the server's clock, as CloudWatch has of such figures: what held at
 * that moment; for the five minutes in which the history begins, what it began with.
 * Threads: the caller holds the lock that guards the history. */
#ifndef THERMODYN_CAPACITY_HISTORY_H
#define THERMODYN_CAPACITY_HISTORY_H

#include "thermodyn/series.h"

#define TD_HISTORY_FIGURES 4
#define TD_HISTORY_STEP_US (5 * TD_SERIES_MINUTE_US)

typedef struct td_history_change {
    td_time_us since_us;
    int64_t figures[TD_HISTORY_FIGURES]; /* 0: it has none, and readers find no sample */
} td_history_change;

/* All zero: there never was a figure. All fields are private; the struct is open so that it can be embedded. */
typedef struct td_history {
    td_history_change latest;  /* most are never changed, and take no memory of their own */
    td_history_change *before; /* in order of time */
    uint32_t count;            /* of those before */
    uint32_t room;
} td_history;

void td_history_done(td_history *history);

/* From now_us on. Never fails: where there is no room for more changes, the oldest one is told as the next; without
 * memory, what held before is told as this. */
void td_history_set(td_history *history, td_time_us now_us, const int64_t figures[TD_HISTORY_FIGURES]);

/* Adds what `later` has, which began when this one had ended. */
void td_history_append(td_history *history, const td_history *later);

bool td_history_has(const td_history *history, uint32_t figure); /* it ever was another than 0 */

/* What readers find at a whole five minutes; 0: nothing. */
int64_t td_history_at(const td_history *history, uint32_t figure, td_time_us at_us);

/* Adds a sample for each five minutes to the point of its period. */
void td_history_read(const td_history *history, uint32_t figure, const td_series_window *window, td_samples *points);

/* The first five minutes that a window has of what is kept, and how many there are up to now. */
td_time_us td_history_steps(const td_series_window *window, uint32_t *ret_count);

#endif
