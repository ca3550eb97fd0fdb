/* SPDX-License-Identifier: Apache-2.0
 * history.c: changes of figures. Those that no reader could see are not kept: of several between two samples, the last.
 */
#include "history.h"

#include "thermodyn/memory.h"

#define ROOM_FIRST 2
#define CHANGES_MAX 288 /* one every five minutes of a day */

static bool has_begun(const td_history *history);
static bool keep_latest(td_history *history);
static void drop_oldest(td_history *history);
static td_time_us step_before(td_time_us at_us);

void td_history_done(td_history *history)
{
    td_free(history->before);
    *history = (td_history){.count = 0};
}

void td_history_set(td_history *history, td_time_us now_us, const int64_t figures[TD_HISTORY_FIGURES])
{
    td_history_change *latest = &history->latest;
    if (memcmp(latest->figures, figures, sizeof latest->figures) == 0) return;
    bool was_seen = has_begun(history) && step_before(now_us - 1) >= latest->since_us;
    if (!has_begun(history) || (was_seen && keep_latest(history))) latest->since_us = now_us;
    memcpy(latest->figures, figures, sizeof latest->figures);
}

void td_history_append(td_history *history, const td_history *later)
{
    for (uint32_t i = 0; i < later->count; i++)
        td_history_set(history, later->before[i].since_us, later->before[i].figures);
    if (has_begun(later)) td_history_set(history, later->latest.since_us, later->latest.figures);
}

bool td_history_has(const td_history *history, uint32_t figure)
{
    bool has_it = history->latest.figures[figure] != 0;
    for (uint32_t i = 0; !has_it && i < history->count; i++)
        has_it = history->before[i].figures[figure] != 0;
    return has_it;
}

int64_t td_history_at(const td_history *history, uint32_t figure, td_time_us at_us)
{
    TD_ASSERT(figure < TD_HISTORY_FIGURES);
    const td_history_change *found = &history->latest;
    uint32_t left = history->count;
    while (left > 0 && found->since_us > at_us)
        found = &history->before[--left];
    bool holds = found->since_us < at_us + TD_HISTORY_STEP_US; /* the first of all also for what is left of its step */
    return holds ? found->figures[figure] : 0;
}

void td_history_read(const td_history *history, uint32_t figure, const td_series_window *window, td_samples *points)
{
    uint32_t count = 0;
    td_time_us at_us = td_history_steps(window, &count);
    for (uint32_t i = 0; i < count; i++, at_us += TD_HISTORY_STEP_US) {
        int64_t value = td_history_at(history, figure, at_us);
        td_samples sample = {.statistic = {1, value, value, value}};
        if (value != 0) td_series_read_minute(at_us / TD_SERIES_MINUTE_US, &sample, window, points);
    }
}

td_time_us td_history_steps(const td_series_window *window, uint32_t *ret_count)
{
    td_time_us kept_us = window->now_us - TD_SERIES_KEPT_US;
    td_time_us from_us = window->from_us > kept_us ? window->from_us : kept_us;
    td_time_us first_us = step_before(from_us + TD_HISTORY_STEP_US - 1);
    td_time_us end_us = window->from_us + window->count * window->period_us;
    td_time_us last_us = step_before(end_us - 1 < window->now_us ? end_us - 1 : window->now_us);
    *ret_count = last_us < first_us ? 0 : (uint32_t)((last_us - first_us) / TD_HISTORY_STEP_US) + 1;
    return first_us;
}

static bool has_begun(const td_history *history)
{
    for (uint32_t i = 0; i < TD_HISTORY_FIGURES; i++) {
        if (history->latest.figures[i] != 0) return true;
    }
    return history->count > 0;
}

/* Among those before it. false: no memory. */
static bool keep_latest(td_history *history)
{
    if (history->count == CHANGES_MAX) drop_oldest(history);
    if (history->count == history->room) {
        uint32_t room = history->room == 0                ? ROOM_FIRST
                        : history->room * 2 < CHANGES_MAX ? history->room * 2
                                                          : CHANGES_MAX;
        td_history_change *before = td_resize(history->before, room * sizeof *before);
        if (before == NULL) return false;
        history->before = before;
        history->room = room;
    }
    history->before[history->count++] = history->latest;
    return true;
}

/* The next one holds from its time on. */
static void drop_oldest(td_history *history)
{
    td_time_us since_us = history->before[0].since_us;
    history->count--;
    memmove(history->before, history->before + 1, history->count * sizeof *history->before);
    history->before[0].since_us = since_us;
}

/* The last whole five minutes up to then. */
static td_time_us step_before(td_time_us at_us)
{
    td_time_us over_us = at_us % TD_HISTORY_STEP_US;
    return at_us - (over_us < 0 ? over_us + TD_HISTORY_STEP_US : over_us);
}
