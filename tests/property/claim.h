/* SPDX-License-Identifier: MIT
 * claim.h: an assertion for inner loops: check's own note each call that passes in a file, a million times over. */
#ifndef THERMODYN_TESTS_PROPERTY_CLAIM_H
#define THERMODYN_TESTS_PROPERTY_CLAIM_H

#include <check.h>

#define CLAIM(expr)                                                                                                    \
    do {                                                                                                               \
        if (!(expr)) ck_abort_msg("%s", #expr);                                                                        \
    } while (0)

#endif
