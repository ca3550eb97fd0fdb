/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the suites of server/control. */
#ifndef THERMODYN_TESTS_UNIT_SERVER_CONTROL_SUITES_H
#define THERMODYN_TESTS_UNIT_SERVER_CONTROL_SUITES_H

#include <check.h>

Suite *advice_suite(void);
Suite *advice_endpoint_suite(void);
Suite *control_suite(void);
Suite *faults_suite(void);
Suite *heat_suite(void);
Suite *prometheus_suite(void);
Suite *snapshots_suite(void);

#endif
