/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of storage/capacity, one file each. */
#ifndef THERMODYN_TESTS_UNIT_CAPACITY_SUITES_H
#define THERMODYN_TESTS_UNIT_CAPACITY_SUITES_H

#include <check.h>

TCase *bucket_tests(void);
TCase *admission_tests(void);
TCase *heat_tests(void);
TCase *heat_sketch_tests(void);
TCase *demand_tests(void);
TCase *history_tests(void);
TCase *ledger_tests(void);
TCase *meter_tests(void);
TCase *policy_tests(void);
TCase *series_tests(void);
TCase *sizing_tests(void);
TCase *split_choice_tests(void);
TCase *statistic_tests(void);
TCase *units_tests(void);

#endif
