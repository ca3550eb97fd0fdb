/* SPDX-License-Identifier: Apache-2.0
 * ask.h: a whole server without sockets: requests go through td_dispatch, answers are compared byte by byte.
 *
 * JSON in tests is written with ' for ", so that it can be read. The clock is manual and stands at 2100-01-01, so that
 * every answer is known beforehand; table ids, which are random, are masked as "ID". */
#ifndef THERMODYN_TESTS_UNIT_OPS_ASK_H
#define THERMODYN_TESTS_UNIT_OPS_ASK_H

#include "ops/dispatch.h"

typedef struct ask_server {
    td_config config;
    td_service service;
    td_arena arena;
    td_buf reply;
    char text[131072]; /* of the last answer, NUL at its end */
    int http_status;
    const char *access_key;
    const char *region;
    td_metrics_recorder *recorder; /* NULL: nobody counts */
} ask_server;

void ask_setup(ask_server *server);
void ask_teardown(ask_server *server);

/* The answer's JSON. */
const char *ask(ask_server *server, const char *operation, const char *body);

/* A table "TTT" with partition key pk (S) and, when given, sort key sk of that type, on demand. */
void ask_create_table(ask_server *server, const char *sort_key_type);
/* "TTT" with pk and sk (S), local index "local" on l (N, KEYS_ONLY), global index "global" on g (S, INCLUDE i). */
void ask_create_indexed_table(ask_server *server);

/* "ValidationException: the text" of an error document, "" of any other answer. */
const char *ask_error(ask_server *server, const char *operation, const char *body);

/* `json` with " for '. Borrowed until the next call. */
const char *ask_quoted(ask_server *server, const char *json);

/* Assertions that print both sides; functions, since check's messages have a limit that a stringified call exceeds. */
void ask_check_answer(ask_server *server, const char *operation, const char *body, const char *expected);
void ask_check_error(ask_server *server, const char *operation, const char *body, const char *expected);
#define CHECK_ANSWER(server, operation, body, expected) ask_check_answer((server), (operation), (body), (expected))
#define CHECK_ERROR(server, operation, body, expected) ask_check_error((server), (operation), (body), (expected))

/* A row of a table of refusals. */
typedef struct ask_refusal {
    const char *operation;
    const char *body;
    const char *error;
} ask_refusal;

#define CHECK_REFUSALS(server, refusals)                                                                               \
    for (size_t at = 0; at < TD_COUNT_OF(refusals); at++) {                                                            \
        CHECK_ERROR((server), (refusals)[at].operation, (refusals)[at].body, (refusals)[at].error);                    \
    }

#endif
