/* SPDX-License-Identifier: Apache-2.0
 * given.h: statements in one line for the tests of storage/partiql. Parameters are the same for all of them, as many as
 * the statement has '?': 'a', 1, <<'x'>>, ['a', 'b'], TRUE, in this order. */
#ifndef THERMODYN_TESTS_UNIT_PARTIQL_GIVEN_H
#define THERMODYN_TESTS_UNIT_PARTIQL_GIVEN_H

#include "support/build.h"
#include "thermodyn/partiql.h"

typedef struct given_row {
    const char *text;
    const char *expected;
} given_row;

/* "ok", or the text of the error of parse or bind. */
const char *given_answer(td_fixture *fixture, td_slice text);
/* Checks the answers; what a '%' in `frame` stands for is the row's text. */
void given_check(td_fixture *fixture, const char *frame, const given_row *rows, size_t count);
#define CHECK_ANSWERS(frame, rows) given_check(&fixture, (frame), (rows), TD_COUNT_OF(rows))

/* Parsed and bound, or the test fails. */
const td_statement *given_statement(td_fixture *fixture, const char *text);
/* The text in its one form; NULL: it does not parse. */
const char *given_print(td_fixture *fixture, td_slice text);
/* An error's text, with its end. */
const char *given_error(td_fixture *fixture);

#endif
