/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of server/metrics, one file each. */
#ifndef THERMODYN_TESTS_UNIT_METRICS_SUITES_H
#define THERMODYN_TESTS_UNIT_METRICS_SUITES_H

#include <check.h>

TCase *record_tests(void);

#endif
