/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the suites of server/report. */
#ifndef THERMODYN_TESTS_UNIT_REPORT_SUITES_H
#define THERMODYN_TESTS_UNIT_REPORT_SUITES_H

#include <check.h>

Suite *criterion_suite(void);
Suite *gather_suite(void);
Suite *write_suite(void);

#endif
