/* SPDX-License-Identifier: Apache-2.0
 * kept.h: the model when a snapshot was kept, and going back to it on both sides. */
#ifndef THERMODYN_TESTS_PROPERTY_KEPT_H
#define THERMODYN_TESTS_PROPERTY_KEPT_H

#include "run.h"

/* Zero-filled: none is kept. */
typedef struct kept {
    bool is_kept;
    bool has_table;
    bool has_expiry;
    spec_table table;
    td_item **items; /* one reference each */
    size_t count;
} kept;

/* Whether the table is there is the caller's to know. */
void kept_keep(kept *state, model_run *run, td_slice name, bool has_table);
/* Answers whether the table is there. One that is not kept is not found. */
bool kept_go_back(const kept *state, model_run *run, td_slice name, bool has_table);
void kept_forget(kept *state);

/* The model as of a table without items. */
void kept_empty_model(model_run *run);

#endif
