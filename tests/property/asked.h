/* SPDX-License-Identifier: Apache-2.0
 * asked.h: a whole server without sockets, for properties that hold between operations: nothing is ever throttled. */
#ifndef THERMODYN_TESTS_PROPERTY_ASKED_H
#define THERMODYN_TESTS_PROPERTY_ASKED_H

#include "ops/dispatch.h"

typedef struct asked_server {
    td_config config;
    td_service service;
    td_arena arena; /* of the last request */
    td_buf reply;
    int http_status;
    td_metrics_recorder *recorder; /* NULL: nobody counts */
} asked_server;

void asked_init(asked_server *server, uint64_t seed);
void asked_done(asked_server *server);

/* The answer's bytes, borrowed until the next request. */
td_slice asked(asked_server *server, const char *operation, td_slice body);

/* The same of a request that must succeed. */
td_slice asked_surely(asked_server *server, const char *operation, td_slice body);

#endif
