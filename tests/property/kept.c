/* SPDX-License-Identifier: Apache-2.0
 * kept.c: copies of the model beside snapshots. */
#include "kept.h"

#include <stdlib.h>

#include "thermodyn/snapshot.h"

static void copy_table(spec_table *to, const spec_table *from);

void kept_keep(kept *state, model_run *run, td_slice name, bool has_table)
{
    td_call call = run_call(run);
    td_snapshot_info info;
    td_slice busy;
    CHECK_RUN(run, td_snapshot_keep(&call, name, &info, &busy) == TD_SNAPSHOT_OK);
    CHECK_RUN(run, info.items == run->model.count && info.tables == has_table && info.changes == 0);
    kept_forget(state);
    *state = (kept){.is_kept = true,
                    .has_table = has_table,
                    .has_expiry = run->has_expiry,
                    .count = run->model.count};
    copy_table(&state->table, &run->table);
    state->items = calloc(state->count + 1, sizeof(td_item *));
    ck_assert(state->items != NULL);
    for (size_t i = 0; i < state->count; i++)
        state->items[i] = td_item_ref(run->model.items[i]);
}

bool kept_go_back(const kept *state, model_run *run, td_slice name, bool has_table)
{
    td_call call = run_call(run);
    td_snapshot_info info;
    td_snapshot_result result = td_snapshot_restore(&call, name, &info);
    CHECK_RUN(run, result == (state->is_kept ? TD_SNAPSHOT_OK : TD_SNAPSHOT_UNKNOWN));
    if (!state->is_kept) return has_table;
    CHECK_RUN(run, info.items == state->count);
    kept_empty_model(run);
    copy_table(&run->table, &state->table);
    run->has_expiry = state->has_expiry;
    for (size_t i = 0; i < state->count; i++)
        model_swap(&run->model, NULL, td_item_ref(state->items[i]));
    past_forget(&run->past, &run->model);
    return state->has_table;
}

void kept_forget(kept *state)
{
    for (size_t i = 0; i < state->count; i++)
        td_item_unref(state->items[i]);
    free((void *)state->items);
    *state = (kept){.is_kept = false};
}

void kept_empty_model(model_run *run)
{
    while (run->model.count > 0)
        model_swap(&run->model, run->model.items[0], NULL);
    run->has_expiry = false;
    past_forget(&run->past, &run->model);
}

/* The spec has pointers into its own table. */
static void copy_table(spec_table *to, const spec_table *from)
{
    *to = *from;
    to->spec.definitions = to->definitions;
    to->spec.indexes = to->indexes;
}
