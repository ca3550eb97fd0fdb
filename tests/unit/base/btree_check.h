/* SPDX-License-Identifier: Apache-2.0
 * btree_check.h: walks a whole tree and fails the running test where an invariant of btree_node.h does not hold. */
#ifndef TESTS_UNIT_BASE_BTREE_CHECK_H
#define TESTS_UNIT_BASE_BTREE_CHECK_H

#include <check.h>

#include "thermodyn/btree.h"

void check_btree(const td_btree *tree);

#endif
