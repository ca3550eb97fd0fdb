/* SPDX-License-Identifier: Apache-2.0
 * record_events.c: splits, vetoes and actions as they happened; see record.h. */
#include <stdio.h>

#include "record_private.h"

#define TEXT_BYTES_MAX 640
#define REPEATS_LOOKED_FOR 64

static void note(td_sim_record *record, td_sim_event event, const char *text);
static void note_split(td_sim_record *record, const td_split_event *split);
static bool is_repeated(const td_sim_record *record, const td_sim_event *event, td_slice text);

void td_sim__record_take_events(td_sim_record *record, td_sim_world *world)
{
    td_arena_mark mark = td_arena_get_mark(&world->arena);
    td_split_event *events = NULL;
    uint32_t count = 0;
    if (td_partition_take_events(world->store, &world->arena, &events, &count)) {
        for (uint32_t i = 0; i < count; i++)
            note_split(record, &events[i]);
    }
    td_arena_rewind(&world->arena, mark);
}

void td_sim__record_action(td_sim_record *record, const td_sim_world *world, const td_sim_action *action, bool is_done,
                           const char *outcome)
{
    char text[TEXT_BYTES_MAX];
    snprintf(text, sizeof text, "%.*s%s%s", (int)action->label.len, (const char *)action->label.ptr,
             is_done ? "" : ": refused: ", outcome);
    uint32_t place = action->table.len == 0 ? UINT32_MAX : td_sim__record_find(record, action->table, action->index);
    note(record, (td_sim_event){.at_us = world->now_us - record->start_us, .place = place}, text);
}

static void note_split(td_sim_record *record, const td_split_event *split)
{
    uint32_t place = td_sim__record_find(record, split->table, split->index);
    if (place == UINT32_MAX || split->at_us < record->start_us) return;
    td_sim_phase_sum *sum = &record->places[place].phases[record->phase];
    td_sim_event event = {.at_us = split->at_us - record->start_us, .place = place};
    char text[TEXT_BYTES_MAX];
    if (split->veto == TD_VETO_NONE) {
        sum->splits++;
        event.is_split = true;
        snprintf(text, sizeof text, "%s split for %s: %s, %s", split->partition, td_split_cause_name(split->cause),
                 split->children[0], split->children[1]);
    } else {
        sum->vetoes[split->veto]++;
        event.is_veto = true;
        snprintf(text, sizeof text, "%s is not split: %s", split->partition, td_split_veto_name(split->veto));
    }
    note(record, event, text);
}

static void note(td_sim_record *record, td_sim_event event, const char *text)
{
    if (event.is_veto && is_repeated(record, &event, td_slice_of_cstr(text))) return;
    bool has_room = record->event_count < TD_SIM_EVENTS_MAX;
    if (has_room && td_arena_copy(&record->arena, td_slice_of_cstr(text), &event.text)) {
        record->events[record->event_count++] = event;
    } else {
        record->events_left_out++;
    }
}

/* A veto is told again as long as the partition stays hot; once is enough. */
static bool is_repeated(const td_sim_record *record, const td_sim_event *event, td_slice text)
{
    uint32_t first = record->event_count > REPEATS_LOOKED_FOR ? record->event_count - REPEATS_LOOKED_FOR : 0;
    for (uint32_t i = first; i < record->event_count; i++) {
        if (record->events[i].place == event->place && td_slice_equal(record->events[i].text, text)) return true;
    }
    return false;
}
