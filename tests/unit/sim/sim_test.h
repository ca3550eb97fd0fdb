/* SPDX-License-Identifier: Apache-2.0
 * sim_test.h: scenarios out of texts in which ' stands for ", and runs of them. */
#ifndef THERMODYN_TESTS_UNIT_SIM_SIM_TEST_H
#define THERMODYN_TESTS_UNIT_SIM_SIM_TEST_H

#include <check.h>

#include "report.h"
#include "run.h"

/* A scenario while it is read and run. */
typedef struct sim_test {
    td_arena arena;
    td_sim_reader reader;
    td_sim_scenario scenario;
    td_sim_record record;
    bool has_record;
} sim_test;

/* Reads; false: it->reader.sentence says why. Call sim_test_close in any case. */
bool sim_test_read(sim_test *it, const char *text);
void sim_test_close(sim_test *it);

/* Reads and runs the first `seconds` (0: all) at that scale; anything wrong ends the test. */
void sim_test_run(sim_test *it, const char *text, double seconds, double scale);
/* The same of what was read. */
void sim_test_run_read(sim_test *it, double seconds, double scale);

/* The place's sum over the whole run. `index` "": the table. */
const td_sim_counts *sim_test_total(const sim_test *it, const char *table, const char *index);
const td_sim_place *sim_test_place(const sim_test *it, const char *table, const char *index);

#endif
