/* SPDX-License-Identifier: Apache-2.0
 * sim.h: `thermodyn simulate`: a scenario of load in virtual time, without HTTP (docs/simulator.md).
 * Threads: one. */
#ifndef THERMODYN_SIM_SIM_H
#define THERMODYN_SIM_SIM_H

/* The arguments behind the word `simulate`. Answers the exit code: 0 done, 1 it could not run or write, 2 wrong
 * arguments or scenario. */
int td_sim_command(int argc, char **argv);

#endif
