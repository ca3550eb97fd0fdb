/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the groups of tests of server/iam. */
#ifndef THERMODYN_TESTS_IAM_SUITES_H
#define THERMODYN_TESTS_IAM_SUITES_H

#include <check.h>

TCase *pattern_tests(void);
TCase *condition_tests(void);
TCase *decide_tests(void);
TCase *document_tests(void);
TCase *callers_tests(void);

#endif
