/* SPDX-License-Identifier: MIT
 * record_events.c: actions as they happened; see record.h. */
#include <stdio.h>

#include "record.h"

#define TEXT_BYTES_MAX 640

static void note(td_sim_record *record, td_sim_event event, const char *text);

void td_sim__record_action(td_sim_record *record, const td_sim_world *world, const td_sim_action *action, bool is_done,
                           const char *outcome)
{
    char text[TEXT_BYTES_MAX];
    snprintf(text, sizeof text, "%.*s%s%s", (int)action->label.len, (const char *)action->label.ptr,
             is_done ? "" : ": refused: ", outcome);
    uint32_t place = action->table.len == 0 ? UINT32_MAX : td_sim__record_find(record, action->table, TD_LIT(""));
    note(record, (td_sim_event){.at_us = world->now_us - record->start_us, .place = place}, text);
}

static void note(td_sim_record *record, td_sim_event event, const char *text)
{
    bool has_room = record->event_count < TD_SIM_EVENTS_MAX;
    if (has_room && td_arena_copy(&record->arena, td_slice_of_cstr(text), &event.text)) {
        record->events[record->event_count++] = event;
    } else {
        record->events_left_out++;
    }
}
