/* SPDX-License-Identifier: Apache-2.0
 * alias.h: draws from weights in constant time (Walker's alias method): every slot keeps its own element with some
 * probability, else it gives its other one.
 * Threads: drawing is read-only. */
#ifndef THERMODYN_SIM_ALIAS_H
#define THERMODYN_SIM_ALIAS_H

#include "thermodyn/arena.h"
#include "thermodyn/rng.h"

typedef struct td_sim_alias_slot {
    double keep;    /* 0 to 1 */
    uint32_t other; /* element */
} td_sim_alias_slot;

typedef struct td_sim_alias {
    uint32_t count;
    td_sim_alias_slot *slots;
} td_sim_alias;

/* `weights`: none below 0, their sum above 0; count > 0. false: no memory. */
TD_MUST_USE bool td_sim__alias_init(td_sim_alias *alias, const double *weights, uint32_t count, td_arena *arena);

/* One random number a draw: its whole part is the slot, its fraction decides. */
uint32_t td_sim__alias_draw(const td_sim_alias *alias, td_rng *rng);

/* The exact probability of an element, for tests: all slots are asked. */
double td_sim__alias_probability(const td_sim_alias *alias, uint32_t element);

#endif
