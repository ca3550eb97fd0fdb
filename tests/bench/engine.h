/* SPDX-License-Identifier: Apache-2.0
 * engine.h: what the measurements of the engine alone share: a store without a network, whose limits are never reached,
 * and figures that outlive the rounds they come from. */
#ifndef THERMODYN_BENCH_ENGINE_H
#define THERMODYN_BENCH_ENGINE_H

#include <time.h>

#include "thermodyn/store.h"
#include "thermodyn/table.h"

typedef struct bench_engine {
    td_store *store;
    td_arena arena; /* of one request */
    td_error error;
    td_time_us now_us;
} bench_engine;

/* Ends the program with that sentence unless it holds. */
void bench_must(bool holds, const char *what);

/* A store with the table of the spec, which is active. The spec's name is "Bench". */
void bench_open(bench_engine *engine, const td_table_spec *spec);
void bench_close(bench_engine *engine);

/* A call at the table, a little later than the one before. */
td_call bench_call(bench_engine *engine);

/* A table of partition key "pk" and sort key "sk". */
void bench_open_sorted(bench_engine *engine);

double bench_ns(clockid_t clock);

/* The middle one; sorts them. */
double bench_median(double *values, size_t count);

#endif
