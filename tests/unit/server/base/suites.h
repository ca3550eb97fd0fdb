/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the suites of server/base. */
#ifndef THERMODYN_TESTS_UNIT_SERVER_BASE_SUITES_H
#define THERMODYN_TESTS_UNIT_SERVER_BASE_SUITES_H

#include <check.h>

Suite *config_suite(void);
Suite *config_file_suite(void);
Suite *credentials_suite(void);
Suite *json_doc_suite(void);
Suite *log_suite(void);

#endif
