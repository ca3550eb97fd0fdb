/* SPDX-License-Identifier: Apache-2.0
 * suites.h: one suite a file of storage/base. */
#ifndef TESTS_UNIT_BASE_SUITES_H
#define TESTS_UNIT_BASE_SUITES_H

#include <check.h>

Suite *arena_suite(void);
Suite *btree_suite(void);
Suite *btree_property_suite(void);
Suite *buf_suite(void);
Suite *clock_suite(void);
Suite *heap_suite(void);
Suite *map_suite(void);
Suite *memory_suite(void);
Suite *rng_suite(void);
Suite *status_suite(void);
Suite *text_suite(void);

#endif
