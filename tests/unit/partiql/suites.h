/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of storage/partiql, one file each. */
#ifndef THERMODYN_TESTS_UNIT_PARTIQL_SUITES_H
#define THERMODYN_TESTS_UNIT_PARTIQL_SUITES_H

#include <check.h>

TCase *syntax_tests(void);
TCase *faults_tests(void);
TCase *print_tests(void);
TCase *generated_tests(void);
TCase *where_tests(void);
TCase *update_tests(void);
TCase *literals_tests(void);
TCase *keys_tests(void);
TCase *order_tests(void);
TCase *memory_tests(void);

#endif
