/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the groups of tests of storage/disk. */
#ifndef THERMODYN_TESTS_DISK_SUITES_H
#define THERMODYN_TESTS_DISK_SUITES_H

#include <check.h>

TCase *disk_tests(void);
TCase *redo_tests(void);
TCase *changes_tests(void);

#endif
