/* SPDX-License-Identifier: Apache-2.0
 * progress.h: how far a long run is, on standard error: one line that is written over on a terminal, else a line every
 * few seconds. Silent for the first seconds, and when asked to be.
 * Threads: one. */
#ifndef THERMODYN_SIM_PROGRESS_H
#define THERMODYN_SIM_PROGRESS_H

#include "thermodyn/base.h"

typedef struct td_sim_progress {
    bool is_quiet;
    bool is_terminal;
    int64_t began_us; /* of the machine */
    int64_t shown_us; /* last time */
    bool has_shown;
} td_sim_progress;

void td_sim__progress_init(td_sim_progress *progress, bool is_quiet);
/* `share` of the operations is done, 0 to 1; called now and then. */
void td_sim__progress_show(td_sim_progress *progress, double share, td_time_us at_us, td_time_us duration_us,
                           uint64_t operations);
void td_sim__progress_done(td_sim_progress *progress);

#endif
