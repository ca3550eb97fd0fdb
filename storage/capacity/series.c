/* SPDX-License-Identifier: Apache-2.0
 * series.c: samples by minute, five minutes and hour: three rings of what had samples, each for itself, so that
 * nothing is ever moved from one to the next; a reader takes each time from the finest ring that still has it. */
#include "thermodyn/series.h"

#include "thermodyn/memory.h"

#define TIERS 3
#define ROOM_FIRST 2

typedef struct point {
    int64_t number; /* of its minute, five minutes or hour since the epoch */
    td_samples samples;
} point;

typedef struct tier {
    point *ring;
    uint32_t first;
    uint32_t count;
    uint32_t room;
} tier;

struct td_series {
    tier tiers[TIERS];
};

/* How long each has it, and how many points that are at most, the present one included. */
static const struct {
    int64_t minutes; /* in one point */
    td_time_us kept_us;
    uint32_t count_max;
} widths[TIERS] = {
    {1, TD_SERIES_MINUTES_US, 181},
    {5, TD_SERIES_FIVES_US, 865},
    {60, TD_SERIES_KEPT_US, 361},
};

static bool reserve(tier *it, uint32_t count_max);
static void add(tier *it, int64_t number, const td_samples *samples);
static td_time_us end_of_tier(size_t at, td_time_us now_us);
static void read_at(td_time_us at_us, const td_samples *samples, const td_series_window *window, td_samples *points);

void td_series_free(td_series *series)
{
    if (series == NULL) return;
    for (size_t i = 0; i < TIERS; i++) {
        tier *it = &series->tiers[i];
        for (uint32_t k = 0; k < it->count; k++)
            td_samples_done(&it->ring[(it->first + k) % it->room].samples);
        td_free(it->ring);
    }
    td_free(series);
}

bool td_series_add(td_series **series, int64_t minute, const td_samples *samples)
{
    TD_ASSERT(minute >= 0);
    if (samples->statistic.count == 0) return true;
    if (*series == NULL) *series = td_alloc_zero(sizeof **series);
    if (*series == NULL) return false;
    tier *tiers = (*series)->tiers;
    for (size_t i = 0; i < TIERS; i++) {
        if (!reserve(&tiers[i], widths[i].count_max)) return false;
    }
    for (size_t i = 0; i < TIERS; i++)
        add(&tiers[i], minute / widths[i].minutes, samples);
    return true;
}

bool td_series_append(td_series **series, const td_series *later)
{
    if (later == NULL) return true;
    if (*series == NULL) *series = td_alloc_zero(sizeof **series);
    if (*series == NULL) return false;
    for (size_t i = 0; i < TIERS; i++) {
        tier *it = &(*series)->tiers[i];
        const tier *more = &later->tiers[i];
        for (uint32_t k = 0; k < more->count; k++) {
            const point *next = &more->ring[(more->first + k) % more->room];
            if (!reserve(it, widths[i].count_max)) return false;
            add(it, next->number, &next->samples);
        }
    }
    return true;
}

/* From the coarsest ring up to where the next finer one begins. */
void td_series_read(const td_series *series, const td_series_window *window, td_samples *points)
{
    if (series == NULL) return;
    for (size_t i = 0; i < TIERS; i++) {
        const tier *it = &series->tiers[i];
        td_time_us from_us = end_of_tier(i, window->now_us);
        td_time_us to_us = i == 0 ? TD_NEVER : end_of_tier(i - 1, window->now_us);
        for (uint32_t k = 0; k < it->count; k++) {
            const point *found = &it->ring[(it->first + k) % it->room];
            td_time_us at_us = found->number * widths[i].minutes * TD_SERIES_MINUTE_US;
            if (at_us >= from_us && at_us < to_us) read_at(at_us, &found->samples, window, points);
        }
    }
}

void td_series_read_minute(int64_t minute, const td_samples *samples, const td_series_window *window,
                           td_samples *points)
{
    td_time_us at_us = minute * TD_SERIES_MINUTE_US;
    if (at_us >= end_of_tier(TIERS - 1, window->now_us)) read_at(at_us, samples, window, points);
}

/* Room for one point more, be it in the place of the oldest. */
static bool reserve(tier *it, uint32_t count_max)
{
    if (it->count < it->room || it->room == count_max) return true;
    uint32_t room = it->room == 0 ? ROOM_FIRST : it->room * 2 < count_max ? it->room * 2 : count_max;
    TD_ASSERT(it->first == 0); /* it was never full at its largest */
    point *ring = td_resize(it->ring, room * sizeof *ring);
    if (ring == NULL) return false;
    it->ring = ring;
    it->room = room;
    return true;
}

/* A clock that went back a little adds to the latest. */
static void add(tier *it, int64_t number, const td_samples *samples)
{
    TD_ASSERT(it->room > 0);
    point *last = it->count == 0 ? NULL : &it->ring[(it->first + it->count - 1) % it->room];
    if (last != NULL && last->number >= number) {
        td_samples_merge(&last->samples, samples);
        return;
    }
    if (it->count == it->room) {
        td_samples_done(&it->ring[it->first].samples);
        it->first = (it->first + 1) % it->room;
        it->count--;
    }
    point *next = &it->ring[(it->first + it->count) % it->room];
    *next = (point){.number = number};
    td_samples_merge(&next->samples, samples);
    it->count++;
}

/* Where its part begins: at a whole point of the next coarser ring, which has all that is earlier. */
static td_time_us end_of_tier(size_t at, td_time_us now_us)
{
    td_time_us from_us = now_us - widths[at].kept_us;
    int64_t minutes = at + 1 < TIERS ? widths[at + 1].minutes : widths[at].minutes;
    td_time_us whole_us = minutes * TD_SERIES_MINUTE_US;
    td_time_us over_us = from_us % whole_us;
    if (over_us < 0) over_us += whole_us;
    return over_us == 0 ? from_us : from_us - over_us + whole_us;
}

static void read_at(td_time_us at_us, const td_samples *samples, const td_series_window *window, td_samples *points)
{
    TD_ASSERT(window->period_us > 0);
    if (at_us < window->from_us) return;
    uint64_t period = (uint64_t)(at_us - window->from_us) / (uint64_t)window->period_us;
    if (period >= window->count) return;
    if (window->has_spreads)
        td_samples_merge(&points[period], samples);
    else
        td_statistic_merge(&points[period].statistic, &samples->statistic);
}
