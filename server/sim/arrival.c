/* SPDX-License-Identifier: Apache-2.0
 * arrival.c: see arrival.h. */
#include "arrival.h"

#include <math.h>

static double gap(td_rng *rng)
{
    return -log(1 - td_rng_unit(rng));
}

void td_sim__arrival_init(td_sim_arrival *arrival, double from_per_s, double to_per_s, double seconds, bool is_poisson,
                          td_rng *rng)
{
    *arrival =
        (td_sim_arrival){.from_per_s = from_per_s, .to_per_s = to_per_s, .seconds = seconds, .is_poisson = is_poisson};
    arrival->due = is_poisson ? gap(rng) : 0;
}

td_time_us td_sim__arrival_next_us(const td_sim_arrival *arrival)
{
    /* n = f t + k t^2 / 2, solved for t without a difference of large numbers: t = 2n / (f + sqrt(f^2 + 2kn)). */
    double from = arrival->from_per_s;
    double slope = (arrival->to_per_s - from) / arrival->seconds;
    double square = from * from + 2 * slope * arrival->due;
    if (square < 0) return TD_NEVER; /* the rate fell to nothing before */
    double divisor = from + sqrt(square);
    if (divisor <= 0 && (arrival->due > 0 || arrival->to_per_s <= 0)) return TD_NEVER;
    double us = arrival->due == 0 ? 0 : 2 * (double)TD_US_PER_S * arrival->due / divisor;
    return us < arrival->seconds * (double)TD_US_PER_S ? (td_time_us)us : TD_NEVER;
}

void td_sim__arrival_step(td_sim_arrival *arrival, td_rng *rng)
{
    arrival->due += arrival->is_poisson ? gap(rng) : 1;
}

double td_sim__arrival_total(double from_per_s, double to_per_s, double seconds)
{
    return (from_per_s + to_per_s) / 2 * seconds;
}
