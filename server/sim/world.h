/* SPDX-License-Identifier: Apache-2.0
 * world.h: the engine in virtual time: a store with the scenario's tables, and a clock that only the simulator moves.
 * Threads: one world, one thread. */
#ifndef THERMODYN_SIM_WORLD_H
#define THERMODYN_SIM_WORLD_H

#include "scenario.h"
#include "thermodyn/observe.h"
#include "thermodyn/store.h"

#define TD_SIM_FAULT_BYTES 512

typedef struct td_sim_world {
    const td_sim_scenario *scenario;
    td_store *store;
    td_arena arena; /* of the operation in hand */
    td_error error; /* of it */
    td_time_us now_us;
    td_time_us fill_gap_us; /* between two items of a fill */
} td_sim_world;

/* Rates of a run that is smaller (or larger) than its scenario: every rate of the service, of tables and of loads is
 * multiplied. */
typedef struct td_sim_scale {
    double factor; /* 1: as written */
} td_sim_scale;

/* Makes the tables, fills them and lets them become ACTIVE; the clock then shows the scenario's start.
 * false: reterr_sentence says what is wrong with a table. Call td_sim__world_done in any case. */
TD_MUST_USE bool td_sim__world_init(td_sim_world *world, const td_sim_scenario *scenario, td_sim_scale scale,
                                    char reterr_sentence[TD_SIM_FAULT_BYTES]);
void td_sim__world_done(td_sim_world *world);

/* Forgets the operation before, and runs what falls due until then; now_us not before the clock. */
static inline void td_sim__world_move_to(td_sim_world *world, td_time_us now_us);

td_call td_sim__world_call(td_sim_world *world, td_slice table);

/* Runs an action at the present instant. false: it was refused, and ret_outcome says why; else it may be "", or say
 * what came of it. */
TD_MUST_USE bool td_sim__world_act(td_sim_world *world, const td_sim_action *action,
                                   char ret_outcome[TD_SIM_FAULT_BYTES]);

/* ---- inline, since it is done for each operation ---- */

static inline void td_sim__world_move_to(td_sim_world *world, td_time_us now_us)
{
    TD_ASSERT(now_us >= world->now_us);
    td_arena_reset(&world->arena);
    world->error = (td_error){.arena = &world->arena};
    if (td_store_next_due(world->store) <= now_us) td_store_run_due(world->store, now_us);
    world->now_us = now_us;
}

#endif
