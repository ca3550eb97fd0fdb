/* SPDX-License-Identifier: Apache-2.0
 * ledger.c: closing minutes, and reading them with the open one. */
#include "ledger.h"

_Static_assert((int)TD_METRIC_CONSUMED_WRITE == (int)TD_WRITE, "units stand by direction");
_Static_assert(TD_METRIC_COUNT - TD_METRIC_RATE_READ == TD_HISTORY_FIGURES, "what is held stands last");
_Static_assert(TD_METRIC_WRITE_THROTTLES - TD_METRIC_READ_THROTTLES == TD_WRITE, "events stand by direction");
_Static_assert(TD_METRIC_READ_MAX_ON_DEMAND - TD_METRIC_READ_PROVISIONED == TD_LIMITED_BY_MAX_ON_DEMAND,
               "causes stand by limit");
_Static_assert(TD_METRIC_WRITE_MAX_ON_DEMAND - TD_METRIC_WRITE_PROVISIONED == TD_LIMITED_BY_MAX_ON_DEMAND,
               "causes stand by limit");

static void end_latest(td_ledger_flow *flow);
static td_samples events_of(const td_ledger *ledger, td_metric metric);
static bool has_open(const td_ledger *ledger, td_metric metric);
static void count(td_ledger *ledger, td_time_us now_us, td_metric metric);

const char *td_metric_name(td_metric metric)
{
    static const char *const names[TD_METRIC_COUNT] = {
#define TD_METRIC(id, name) [TD_METRIC_##id] = name,
#include "thermodyn/metrics.def"
#undef TD_METRIC
    };
    TD_ASSERT(metric < TD_METRIC_COUNT);
    return names[metric];
}

void td_ledger_done(td_ledger *ledger)
{
    for (size_t i = 0; i < TD_LEDGER_SERIES_COUNT; i++)
        td_series_free(ledger->series[i]);
    td_history_done(&ledger->rates);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++)
        td_samples_done(&ledger->flows[d].samples);
    *ledger = (td_ledger){0};
}

void td_ledger_append(td_ledger *ledger, td_ledger *later)
{
    if (later->minute_us != ledger->minute_us) td_ledger__close_minute(ledger, later->minute_us);
    for (int i = 0; i < TD_LEDGER_SERIES_COUNT; i++) {
        if (!td_series_append(&ledger->series[i], later->series[i])) ledger->lost++;
    }
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        end_latest(&ledger->flows[d]);
        end_latest(&later->flows[d]);
        td_samples_merge(&ledger->flows[d].samples, &later->flows[d].samples);
        ledger->flows[d].total += later->flows[d].total;
    }
    for (size_t i = 0; i < TD_LEDGER_EVENT_COUNT; i++) {
        ledger->events[i] += later->events[i];
        ledger->event_totals[i] += later->event_totals[i];
    }
    td_history_append(&ledger->rates, &later->rates);
    ledger->lost += later->lost;
    td_ledger_done(later);
}

void td_ledger_add_event(td_ledger *ledger, td_time_us now_us, td_direction direction)
{
    count(ledger, now_us, (td_metric)(TD_METRIC_READ_THROTTLES + direction));
}

void td_ledger_add_cause(td_ledger *ledger, td_time_us now_us, td_direction direction, td_limit_kind kind)
{
    count(ledger, now_us, td_ledger_metric_of(direction, kind));
}

void td_ledger_set_rates(td_ledger *ledger, td_time_us now_us, const int64_t rates[TD_DIRECTION_COUNT],
                         const int64_t maxima[TD_DIRECTION_COUNT])
{
    int64_t figures[TD_HISTORY_FIGURES] = {rates[TD_READ], rates[TD_WRITE], maxima[TD_READ], maxima[TD_WRITE]};
    td_history_set(&ledger->rates, now_us, figures);
}

uint32_t td_ledger_recorded(const td_ledger *ledger)
{
    uint32_t recorded = 0;
    for (int i = 0; i < TD_METRIC_COUNT; i++) {
        bool has_samples = td_metric_is_held((td_metric)i)
                               ? td_history_has(&ledger->rates, (uint32_t)(i - TD_METRIC_RATE_READ))
                               : ledger->series[i] != NULL || has_open(ledger, (td_metric)i);
        if (has_samples) recorded |= UINT32_C(1) << i;
    }
    return recorded;
}

void td_ledger_read(const td_ledger *ledger, td_metric metric, const td_series_window *window, td_samples *points)
{
    int64_t minute = ledger->minute_us / TD_SERIES_MINUTE_US;
    if (td_metric_is_held(metric)) {
        td_history_read(&ledger->rates, (uint32_t)(metric - TD_METRIC_RATE_READ), window, points);
        return;
    }
    td_series_read(ledger->series[metric], window, points);
    if (!td_metric_is_units(metric)) {
        td_samples events = events_of(ledger, metric);
        td_series_read_minute(minute, &events, window, points);
        return;
    }
    const td_ledger_flow *flow = &ledger->flows[metric];
    td_samples latest = {.spread = NULL};
    if (flow->has_latest) td_samples_add(&latest, flow->latest);
    td_series_read_minute(minute, &flow->samples, window, points);
    td_series_read_minute(minute, &latest, window, points);
}

void td_ledger__close_minute(td_ledger *ledger, td_time_us now_us)
{
    int64_t minute = ledger->minute_us / TD_SERIES_MINUTE_US;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        td_ledger_flow *flow = &ledger->flows[d];
        end_latest(flow);
        if (!td_series_add(&ledger->series[d], minute, &flow->samples)) ledger->lost++;
        td_samples_clear(&flow->samples);
    }
    for (int i = TD_METRIC_READ_THROTTLES; i < TD_LEDGER_SERIES_COUNT; i++) {
        td_samples events = events_of(ledger, (td_metric)i);
        if (!td_series_add(&ledger->series[i], minute, &events)) ledger->lost++;
    }
    memset(ledger->events, 0, sizeof ledger->events);
    ledger->minute_us = now_us - now_us % TD_SERIES_MINUTE_US;
}

/* Nothing adds to it any more. */
static void end_latest(td_ledger_flow *flow)
{
    if (flow->has_latest) td_samples_add(&flow->samples, flow->latest);
    flow->has_latest = false;
}

/* An event counts one. */
static td_samples events_of(const td_ledger *ledger, td_metric metric)
{
    uint32_t events = ledger->events[metric - TD_METRIC_READ_THROTTLES];
    return (td_samples){.statistic = {.count = events, .sum = events, .min = events > 0, .max = events > 0}};
}

static bool has_open(const td_ledger *ledger, td_metric metric)
{
    if (!td_metric_is_units(metric)) return ledger->events[metric - TD_METRIC_READ_THROTTLES] > 0;
    return ledger->flows[metric].has_latest || ledger->flows[metric].samples.statistic.count > 0;
}

static void count(td_ledger *ledger, td_time_us now_us, td_metric metric)
{
    if (now_us - ledger->minute_us >= TD_SERIES_MINUTE_US) td_ledger__close_minute(ledger, now_us);
    ledger->events[metric - TD_METRIC_READ_THROTTLES]++;
    ledger->event_totals[metric - TD_METRIC_READ_THROTTLES]++;
}
