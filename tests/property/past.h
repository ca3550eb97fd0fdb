/* SPDX-License-Identifier: Apache-2.0
 * past.h: the model as it was a while ago: every change with its instant, played again that much later. */
#ifndef THERMODYN_TESTS_PROPERTY_PAST_H
#define THERMODYN_TESTS_PROPERTY_PAST_H

#include "thermodyn/rng.h"

#include "model.h"

typedef struct past_change {
    td_time_us at_us;
    const td_item *old_item;
    td_item *new_item; /* one reference; NULL: none */
} past_change;

/* The model `lag_us` ago. */
typedef struct past_view {
    td_time_us lag_us; /* 0: nobody looks */
    model_table model;
    size_t played; /* changes */
} past_view;

typedef struct past {
    past_change *changes; /* all of the run */
    size_t count;
    size_t capacity;
    past_view table; /* what stale reads of the table and its local indexes see */
    past_view index; /* and reads of global indexes */
} past;

/* Zero-filled: nobody lags. */
void past_init(past *it, const td_table_spec *spec);
void past_done(past *it);

/* What was so long ago is what the model is now. Nothing, if nobody lags. */
void past_forget(past *it, const model_table *model);

void past_note(past *it, td_time_us now_us, const td_item *old_item, td_item *new_item);
const model_table *past_see(const past *it, past_view *view, td_time_us now_us);

/* The instant at which the next change comes into sight after now_us, or the one before it; else now_us. */
td_time_us past_next_border(const past *it, td_rng *rng, td_time_us now_us);

#endif
