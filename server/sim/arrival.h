/* SPDX-License-Identifier: Apache-2.0
 * arrival.h: when the operations of a stream come: at a steady rate, or at one that rises or falls in a straight line.
 *
 * After t seconds of a duration T, N(t) = from * t + (to - from) * t^2 / 2T operations are due. Evenly, the n-th (from
 * 0) comes when N(t) = n; as a Poisson process, when N(t) is the n-th point of a Poisson process of rate 1.
 * Threads: one stream, one thread. */
#ifndef THERMODYN_SIM_ARRIVAL_H
#define THERMODYN_SIM_ARRIVAL_H

#include "thermodyn/base.h"
#include "thermodyn/rng.h"

typedef struct td_sim_arrival {
    double from_per_s;
    double to_per_s;
    double seconds;
    bool is_poisson;
    double due; /* N of the next one */
} td_sim_arrival;

void td_sim__arrival_init(td_sim_arrival *arrival, double from_per_s, double to_per_s, double seconds, bool is_poisson,
                          td_rng *rng);

/* Microseconds from the beginning to the next one; TD_NEVER: the duration is over. */
td_time_us td_sim__arrival_next_us(const td_sim_arrival *arrival);
void td_sim__arrival_step(td_sim_arrival *arrival, td_rng *rng);

/* How many come in all (expected). */
double td_sim__arrival_total(double from_per_s, double to_per_s, double seconds);

#endif
