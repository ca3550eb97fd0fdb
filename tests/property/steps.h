/* SPDX-License-Identifier: Apache-2.0
 * steps.h: a model run (run.h) that goes on to whatever a store can be asked: beside operations on items, its table
 * goes and is made anew, indexes come and go, partitions split, items expire, and snapshots are kept, gone back to and
 * removed. */
#ifndef THERMODYN_TESTS_PROPERTY_STEPS_H
#define THERMODYN_TESTS_PROPERTY_STEPS_H

#include "kept.h"

#define STEPS_SNAPSHOTS 7

/* Zero-filled but for `has_table`, then run_init or run_init_lagging of `run`. */
typedef struct steps {
    model_run run;
    bool has_table;
    kept kept[STEPS_SNAPSHOTS]; /* by number; their names are "a" to "g" */
    uint64_t restores;          /* of snapshots that were kept */
} steps;

void steps_done(steps *it);

/* One random step, at a random instant after the one before. */
void steps_take(steps *it);

/* Compares everything: the items, every index, what there is of snapshots and tables. */
void steps_check(steps *it);

#endif
