/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of storage/value, one file each. */
#ifndef THERMODYN_TESTS_UNIT_VALUE_SUITES_H
#define THERMODYN_TESTS_UNIT_VALUE_SUITES_H

#include <check.h>

TCase *number_tests(void);
TCase *value_tests(void);
TCase *size_tests(void);
TCase *item_tests(void);
TCase *stored_tests(void);
TCase *key_tests(void);

#endif
