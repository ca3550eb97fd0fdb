/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of server/sim, one file each. */
#ifndef THERMODYN_TESTS_UNIT_SIM_SUITES_H
#define THERMODYN_TESTS_UNIT_SIM_SUITES_H

#include <check.h>

TCase *arrival_tests(void);
TCase *reader_tests(void);
TCase *run_tests(void);
TCase *scenario_file_tests(void);
TCase *source_tests(void);

#endif
