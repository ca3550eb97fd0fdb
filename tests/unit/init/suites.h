/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of this folder. */
#ifndef THERMODYN_TESTS_UNIT_INIT_SUITES_H
#define THERMODYN_TESTS_UNIT_INIT_SUITES_H

#include <check.h>

TCase *definition_tests(void);
TCase *dump_tests(void);
TCase *items_tests(void);
TCase *load_tests(void);
TCase *template_tests(void);

#endif
