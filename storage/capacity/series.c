/* SPDX-License-Identifier: Apache-2.0
 * series.c: samples by minute, five minutes and hour: three rings of what had samples. A minute that finds no place in
 * the first any more is handed down to the second, and from there to the third: each sample is kept once.
 *
 * Invariant: a ring is as long as the time for which readers are told so finely, so that what was handed down is older.
 * What stands in a ring longer, because little came after it, is told as coarsely as its age asks for. */
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

/* How far back readers are told in each width, and how many points that are, the present one included. */
static const struct {
    int64_t minutes; /* in one point */
    td_time_us kept_us;
    uint32_t count_max;
} widths[TIERS] = {
    {1, TD_SERIES_MINUTES_US, 181},
    {5, TD_SERIES_FIVES_US, 865},
    {60, TD_SERIES_KEPT_US, 361},
};

static bool add(td_series *series, size_t at, int64_t number, const td_samples *samples);
static bool hand_down(td_series *series, size_t at);
static bool reserve(tier *it, uint32_t count_max);
static point *point_at(const tier *it, uint32_t at);
static bool find_place(td_time_us *at_us, td_time_us now_us);
static td_time_us end_of_tier(size_t at, td_time_us now_us);
static void read_at(td_time_us at_us, const td_samples *samples, const td_series_window *window, td_samples *points);

void td_series_free(td_series *series)
{
    if (series == NULL) return;
    for (size_t i = 0; i < TIERS; i++) {
        tier *it = &series->tiers[i];
        for (uint32_t k = 0; k < it->count; k++)
            td_samples_done(&point_at(it, k)->samples);
        td_free(it->ring);
    }
    td_free(series);
}

bool td_series_add(td_series **series, int64_t minute, const td_samples *samples)
{
    TD_ASSERT(minute >= 0);
    if (samples->statistic.count == 0) return true;
    if (*series == NULL) *series = td_alloc_zero(sizeof **series);
    return *series != NULL && add(*series, 0, minute, samples);
}

/* What a ring of the later one was handed down is older than what is in its finer rings, and younger than all of ours:
 * ours goes ahead of it. */
bool td_series_append(td_series **series, const td_series *later)
{
    if (later == NULL) return true;
    if (*series == NULL) *series = td_alloc_zero(sizeof **series);
    if (*series == NULL) return false;
    for (size_t i = TIERS; i-- > 0;) {
        const tier *more = &later->tiers[i];
        for (size_t finer = 0; more->count > 0 && finer < i; finer++) {
            while ((*series)->tiers[finer].count > 0) {
                if (!hand_down(*series, finer)) return false;
            }
        }
        for (uint32_t k = 0; k < more->count; k++) {
            if (!add(*series, i, point_at(more, k)->number, &point_at(more, k)->samples)) return false;
        }
    }
    return true;
}

void td_series_read(const td_series *series, const td_series_window *window, td_samples *points)
{
    for (size_t i = 0; series != NULL && i < TIERS; i++) {
        const tier *it = &series->tiers[i];
        for (uint32_t k = 0; k < it->count; k++) {
            const point *found = point_at(it, k);
            read_at(found->number * widths[i].minutes * TD_SERIES_MINUTE_US, &found->samples, window, points);
        }
    }
}

void td_series_read_minute(int64_t minute, const td_samples *samples, const td_series_window *window,
                           td_samples *points)
{
    read_at(minute * TD_SERIES_MINUTE_US, samples, window, points);
}

/* A clock that went back a little adds to the latest. false: no memory, and nothing was changed. */
static bool add(td_series *series, size_t at, int64_t number, const td_samples *samples)
{
    tier *it = &series->tiers[at];
    point *last = it->count == 0 ? NULL : point_at(it, it->count - 1);
    if (last != NULL && last->number >= number) {
        td_samples_merge(&last->samples, samples);
        return true;
    }
    if (it->count == widths[at].count_max && !hand_down(series, at)) return false;
    if (!reserve(it, widths[at].count_max)) return false;
    point *next = point_at(it, it->count++);
    *next = (point){.number = number};
    td_samples_merge(&next->samples, samples);
    return true;
}

/* The oldest point goes into the next coarser ring; from the last one, away. false: no memory, and it stays. */
static bool hand_down(td_series *series, size_t at)
{
    tier *it = &series->tiers[at];
    TD_ASSERT(it->count > 0);
    point *oldest = point_at(it, 0);
    bool is_last = at + 1 == TIERS;
    int64_t minute = oldest->number * widths[at].minutes;
    if (!is_last && !add(series, at + 1, minute / widths[at + 1].minutes, &oldest->samples)) return false;
    td_samples_done(&oldest->samples);
    it->count--;
    it->first = it->count == 0 ? 0 : (it->first + 1) % it->room;
    return true;
}

/* Room for one point more. The ring begins at its first place for as long as it grows. */
static bool reserve(tier *it, uint32_t count_max)
{
    if (it->count < it->room) return true;
    uint32_t room = it->room == 0 ? ROOM_FIRST : it->room * 2 < count_max ? it->room * 2 : count_max;
    TD_ASSERT(it->first == 0);
    point *ring = td_resize(it->ring, room * sizeof *ring);
    if (ring == NULL) return false;
    it->ring = ring;
    it->room = room;
    return true;
}

static point *point_at(const tier *it, uint32_t at)
{
    return &it->ring[(it->first + at) % it->room];
}

/* Where readers find it: at the beginning of a minute, five minutes or an hour. false: it is too old. */
static bool find_place(td_time_us *at_us, td_time_us now_us)
{
    for (size_t i = 0; i < TIERS; i++) {
        if (*at_us < end_of_tier(i, now_us)) continue;
        *at_us -= *at_us % (widths[i].minutes * TD_SERIES_MINUTE_US);
        return true;
    }
    return false;
}

/* How far back readers are told in its width: from a whole point of the next coarser one on. */
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
    if (!find_place(&at_us, window->now_us) || at_us < window->from_us) return;
    uint64_t period = (uint64_t)(at_us - window->from_us) / (uint64_t)window->period_us;
    if (period >= window->count) return;
    if (window->has_spreads)
        td_samples_merge(&points[period], samples);
    else
        td_statistic_merge(&points[period].statistic, &samples->statistic);
}
