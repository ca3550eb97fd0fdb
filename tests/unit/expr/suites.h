/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of storage/expr, one file each. */
#ifndef THERMODYN_TESTS_UNIT_EXPR_SUITES_H
#define THERMODYN_TESTS_UNIT_EXPR_SUITES_H

#include <check.h>

TCase *lex_tests(void);
TCase *syntax_tests(void);
TCase *faults_tests(void);
TCase *condition_tests(void);
TCase *update_faults_tests(void);
TCase *update_tests(void);
TCase *projection_tests(void);
TCase *keycond_tests(void);
TCase *legacy_tests(void);
TCase *marks_tests(void);
TCase *memory_tests(void);

#endif
