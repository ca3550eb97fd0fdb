/* SPDX-License-Identifier: Apache-2.0
 * suites.h: the test cases of server/wire, one file each, and what they share. */
#ifndef THERMODYN_TESTS_UNIT_WIRE_SUITES_H
#define THERMODYN_TESTS_UNIT_WIRE_SUITES_H

#include <check.h>

#include "support/build.h"
#include "wire/json.h"

TCase *json_read_tests(void);
TCase *json_write_tests(void);
TCase *type_tests(void);
TCase *constraint_tests(void);
TCase *order_tests(void);
TCase *decode_tests(void);
TCase *marks_tests(void);
TCase *auth_tests(void);
TCase *sigv4_tests(void);
TCase *error_tests(void);
TCase *memory_tests(void);

/* Reads an exact copy on the heap, which dies with the arena: a byte read past the end is found. */
td_status read_copy(td_fixture *fixture, td_slice text, td_json **ret_root);

/* The tree of a text that is JSON. */
const td_json *json_of(td_fixture *fixture, td_slice text);

/* The text of the fixture's error, NUL-terminated. */
const char *error_text(td_fixture *fixture);

/* Claims that the call failed with this status and text. */
#define CHECK_ERROR(fixture, call, expected_status, expected_text)                                                     \
    do {                                                                                                               \
        ck_assert_int_eq((call), (expected_status));                                                                   \
        ck_assert_int_eq((fixture)->error.status, (expected_status));                                                  \
        ck_assert_str_eq(error_text(fixture), (expected_text));                                                        \
    } while (0)

#endif
