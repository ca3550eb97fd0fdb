/* SPDX-License-Identifier: Apache-2.0
 * run.h: a scenario from its first instant to its last: streams merged by time, actions, buckets and phases.
 *
 * At one instant: what falls due in the engine, then actions, then operations in the order of the scenario's streams.
 * Threads: one run, one thread. */
#ifndef THERMODYN_SIM_RUN_H
#define THERMODYN_SIM_RUN_H

#include "progress.h"
#include "record.h"

typedef struct td_sim_run_options {
    double scale;           /* of all rates; 1: as written */
    td_time_us duration_us; /* of the run; the scenario's, or less */
    td_time_us bucket_us;   /* 0: as suits */
    td_sim_progress *progress;
} td_sim_run_options;

/* false: reterr_sentence says why. On success the caller calls td_sim__record_done. */
TD_MUST_USE bool td_sim__run(td_sim_scenario *scenario, const td_sim_run_options *options, td_sim_record *ret_record,
                             char reterr_sentence[TD_SIM_FAULT_BYTES]);

#endif
