/* SPDX-License-Identifier: MIT
 * btree_check.h: walks a whole tree and fails the running test where an invariant of btree_node.h does not hold. */
#ifndef TESTS_UNIT_BASE_BTREE_CHECK_H
#define TESTS_UNIT_BASE_BTREE_CHECK_H

#include <check.h>

#include "thermodyn/btree.h"

/* An assertion for inner loops: check's own notes each call that passes in a file, a million times over. */
#define CLAIM(expr)                                                                                                    \
    do {                                                                                                               \
        if (!(expr)) ck_abort_msg("%s", #expr);                                                                        \
    } while (0)

void check_btree(const td_btree *tree);

#endif
