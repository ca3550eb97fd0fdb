/* SPDX-License-Identifier: Apache-2.0
 * series.h: a figure over time, as samples by the minute of the server's clock, kept for a bounded time.
 *
 *   the last 3 hours    by minute
 *   the last 3 days     by 5 minutes
 *   the last 15 days    by hour
 *
 * Only times with samples take memory: a minute some 60 bytes, all of it together at most 80 KB; and where the samples
 * differ, that of their spread (statistic.h).
 * Threads: the caller holds the lock that guards the series. */
#ifndef THERMODYN_SERIES_H
#define THERMODYN_SERIES_H

#include "thermodyn/statistic.h"

#define TD_SERIES_MINUTE_US (60 * TD_US_PER_S)
#define TD_SERIES_MINUTES_US (3 * 3600 * TD_US_PER_S) /* how far back minutes are told apart */
#define TD_SERIES_FIVES_US (3 * 86400 * TD_US_PER_S)  /* how far back five minutes are */
#define TD_SERIES_KEPT_US (15 * 86400 * TD_US_PER_S)  /* how far back anything is */

/* NULL: nothing was recorded. */
typedef struct td_series td_series;

void td_series_free(td_series *series); /* NULL is allowed */

/* Adds what was recorded in one minute since the epoch; minutes come in order, one may come again. Makes the series if
 * *series is NULL. false: no memory, and the minute is not in it. */
TD_MUST_USE bool td_series_add(td_series **series, int64_t minute, const td_samples *samples);

/* Adds all that `later` has; none of it is before the last minute of *series. false: no memory for some of it. */
TD_MUST_USE bool td_series_append(td_series **series, const td_series *later);

/* Periods of time: the first begins at from_us, which is the beginning of a minute; as many as wanted. */
typedef struct td_series_window {
    td_time_us now_us; /* of the server's clock: says what is kept by minutes, and what no longer */
    td_time_us from_us;
    td_time_us period_us; /* whole minutes */
    uint32_t count;
    bool has_spreads; /* it is asked how samples are spread; points own that then: td_samples_done */
} td_series_window;

/* Adds each minute to the point of its period. What is kept by five minutes or hours stands at their beginning, so that
 * periods shorter than those find all of it in the first. `series` NULL: nothing. */
void td_series_read(const td_series *series, const td_series_window *window, td_samples *points);

/* Adds one minute that is not in any series yet. */
void td_series_read_minute(int64_t minute, const td_samples *samples, const td_series_window *window,
                           td_samples *points);

#endif
