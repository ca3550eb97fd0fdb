/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of server/ops, one file each. */
#ifndef THERMODYN_TESTS_UNIT_OPS_SUITES_H
#define THERMODYN_TESTS_UNIT_OPS_SUITES_H

#include <check.h>

TCase *dispatch_tests(void);
TCase *wording_tests(void);
TCase *tables_tests(void);
TCase *update_table_tests(void);
TCase *items_tests(void);
TCase *query_tests(void);
TCase *legacy_tests(void);
TCase *batch_tests(void);
TCase *transact_tests(void);
TCase *streams_tests(void);
TCase *features_tests(void);
TCase *fault_tests(void);
TCase *meter_tests(void);

#endif
