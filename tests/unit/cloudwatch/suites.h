/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of server/cloudwatch, one a file. */
#ifndef THERMODYN_TESTS_UNIT_CLOUDWATCH_SUITES_H
#define THERMODYN_TESTS_UNIT_CLOUDWATCH_SUITES_H

#include <check.h>

TCase *protocols_tests(void);
TCase *errors_tests(void);
TCase *form_tests(void);
TCase *cbor_tests(void);
TCase *times_tests(void);
TCase *stat_tests(void);
TCase *math_tests(void);
TCase *metrics_tests(void);
TCase *memory_tests(void);

#endif
