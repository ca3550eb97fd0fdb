/* SPDX-License-Identifier: Apache-2.0
 * bag.h: one bag of names and values for all tables of expressions, and the texts of what becomes of an expression.
 *
 *   names   #a a · #b b · #c c · #d [3] · #1 1 · #pk pk
 *   values  :s :s2 "a" "b" · :empty "" · :n :n2 :n0 1 2 0 · :big 9e125 · :b :b2 "a" "b" · :t :f · :null · :ss {a} :ss2
 * {b} :ssab {a, b} · :ns {1} · :bs {a} · :l ["a"] · :l2 [[1]] · :el [] · :m {x: 1} · :em {} · :tS :tN :tL type names */
#ifndef THERMODYN_TESTS_UNIT_EXPR_BAG_H
#define THERMODYN_TESTS_UNIT_EXPR_BAG_H

#include "support/build.h"
#include "thermodyn/expr.h"

/* Fresh marks in the arena: no use is remembered. */
td_expr_marks *bag_marks(td_arena *arena);

/* "ok", or the text of the error that the compilation raises. Key conditions are checked as well. */
const char *bag_compile(td_fixture *fixture, td_expr_kind kind, const char *text);

/* The text of the fixture's error. */
const char *bag_error(td_fixture *fixture);

typedef struct bag_row {
    const char *text;
    const char *outcome; /* without `prefix` */
} bag_row;

/* Compiles each row and compares with prefix ‖ outcome; an outcome "ok" stands alone. */
void bag_check(td_fixture *fixture, td_expr_kind kind, const char *prefix, const bag_row *rows, size_t count);

#endif
