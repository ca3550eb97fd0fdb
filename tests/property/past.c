/* SPDX-License-Identifier: Apache-2.0
 * past.c: the model as it was a while ago. */
#include "past.h"

#include <check.h>

#include "thermodyn/memory.h"

#include "random.h"

#define TABLE_LAG_US (30 * TD_US_PER_S)
#define INDEX_LAG_US (50 * TD_US_PER_S)

void past_init(past *it, const td_table_spec *spec)
{
    *it = (past){.table.lag_us = TABLE_LAG_US, .index.lag_us = INDEX_LAG_US};
    model_init(&it->table.model, spec);
    model_init(&it->index.model, spec);
}

void past_done(past *it)
{
    model_done(&it->table.model);
    model_done(&it->index.model);
    for (size_t i = 0; i < it->count; i++)
        td_item_unref(it->changes[i].new_item);
    td_free(it->changes);
}

void past_forget(past *it, const model_table *model)
{
    if (it->table.lag_us == 0) return;
    past_done(it);
    past_init(it, model->spec);
    for (size_t i = 0; i < model->count; i++) {
        model_swap(&it->table.model, NULL, td_item_ref(model->items[i]));
        model_swap(&it->index.model, NULL, td_item_ref(model->items[i]));
    }
}

void past_note(past *it, td_time_us now_us, const td_item *old_item, td_item *new_item)
{
    if (it->table.lag_us == 0) return;
    if (it->count == it->capacity) {
        it->capacity = it->capacity == 0 ? 1024 : it->capacity * 2;
        it->changes = td_resize(it->changes, it->capacity * sizeof *it->changes);
        ck_assert(it->changes != NULL);
    }
    if (new_item != NULL) td_item_ref(new_item);
    it->changes[it->count++] = (past_change){.at_us = now_us, .old_item = old_item, .new_item = new_item};
}

const model_table *past_see(const past *it, past_view *view, td_time_us now_us)
{
    while (view->played < it->count && it->changes[view->played].at_us + view->lag_us <= now_us) {
        const past_change *change = &it->changes[view->played++];
        if (change->new_item != NULL) td_item_ref(change->new_item);
        model_swap(&view->model, change->old_item, change->new_item);
    }
    return &view->model;
}

td_time_us past_next_border(const past *it, td_rng *rng, td_time_us now_us)
{
    const past_view *view = random_chance(rng, 50) ? &it->table : &it->index;
    for (size_t i = view->played; i < it->count; i++) {
        td_time_us shown_us = it->changes[i].at_us + view->lag_us;
        if (shown_us > now_us) return random_chance(rng, 50) ? shown_us : shown_us - 1;
    }
    return now_us;
}
