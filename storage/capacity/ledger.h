/* SPDX-License-Identifier: Apache-2.0
 * ledger.h: what a table or a global index consumed, and where it throttled: since it exists, and by the minute of the
 * server's clock. What metrics.h tells is read from it.
 *
 * The open minute stands in the ledger itself; the first record of a later one closes it into the series.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_CAPACITY_LEDGER_H
#define THERMODYN_CAPACITY_LEDGER_H

#include "capacity/history.h"
#include "thermodyn/metrics.h"

#define TD_LEDGER_SERIES_COUNT TD_METRIC_RATE_READ
#define TD_LEDGER_EVENT_COUNT (TD_LEDGER_SERIES_COUNT - TD_METRIC_READ_THROTTLES)

typedef struct td_ledger_flow {
    td_samples samples; /* of the open minute, without the latest */
    td_units latest;    /* the latest sample: a further charge of the same operation adds to it */
    bool has_latest;
    td_units total;
} td_ledger_flow;

/* All zero: nothing has happened. All fields are private; the struct is open so that it can be embedded. */
typedef struct td_ledger {
    td_time_us minute_us; /* beginning of the open minute */
    td_ledger_flow flows[TD_DIRECTION_COUNT];
    uint32_t events[TD_LEDGER_EVENT_COUNT]; /* of the open minute, by td_metric from READ_THROTTLES on */
    uint64_t event_totals[TD_LEDGER_EVENT_COUNT];
    td_series *series[TD_LEDGER_SERIES_COUNT]; /* closed minutes; NULL: none had samples */
    td_history rates; /* provisioned and maxima, by td_metric from RATE_READ on */
    uint64_t lost;                      /* closed minutes of a metric that found no memory */
} td_ledger;

void td_ledger_done(td_ledger *ledger);

/* Adds what `later` has, which began when this one had ended, and leaves it empty. */
void td_ledger_append(td_ledger *ledger, td_ledger *later);

/* Never fail. `is_continued`: the units belong to the sample before. A now_us before the open minute is in it. */
static inline void td_ledger_add(td_ledger *ledger, td_time_us now_us, td_direction direction, td_units units,
                                 bool is_continued);
void td_ledger_add_event(td_ledger *ledger, td_time_us now_us, td_direction direction);
void td_ledger_add_cause(td_ledger *ledger, td_time_us now_us, td_direction direction, td_limit_kind kind);

/* What is provisioned and the maxima that are set, from now_us on; 0: none. */
void td_ledger_set_rates(td_ledger *ledger, td_time_us now_us, const int64_t rates[TD_DIRECTION_COUNT],
                         const int64_t maxima[TD_DIRECTION_COUNT]);

uint32_t td_ledger_recorded(const td_ledger *ledger); /* 1 << td_metric of each that has samples */
void td_ledger_read(const td_ledger *ledger, td_metric metric, const td_series_window *window, td_samples *points);

static inline td_units td_ledger_consumed(const td_ledger *ledger, td_direction direction)
{
    return ledger->flows[direction].total;
}

static inline uint64_t td_ledger_events(const td_ledger *ledger, td_metric metric)
{
    TD_ASSERT(metric >= TD_METRIC_READ_THROTTLES);
    return ledger->event_totals[metric - TD_METRIC_READ_THROTTLES];
}

/* The metric of a cause. */
static inline td_metric td_ledger_metric_of(td_direction direction, td_limit_kind kind)
{
    td_metric first = direction == TD_READ ? TD_METRIC_READ_PROVISIONED : TD_METRIC_WRITE_PROVISIONED;
    return (td_metric)((int)first + (int)kind);
}

/* ---- inline, since every request comes here ---- */

void td_ledger__close_minute(td_ledger *ledger, td_time_us now_us);

static inline void td_ledger_add(td_ledger *ledger, td_time_us now_us, td_direction direction, td_units units,
                                 bool is_continued)
{
    if (now_us - ledger->minute_us >= TD_SERIES_MINUTE_US) td_ledger__close_minute(ledger, now_us);
    td_ledger_flow *flow = &ledger->flows[direction];
    flow->total += units;
    if (is_continued && flow->has_latest) {
        flow->latest += units;
        return;
    }
    if (flow->has_latest) td_samples_add(&flow->samples, flow->latest);
    flow->latest = units;
    flow->has_latest = true;
}

#endif
