/* SPDX-License-Identifier: Apache-2.0
 * watch.h: CloudWatch asked without sockets: one request in each protocol, answers as texts.
 *
 *   ask_setup(&server);
 *   watch_json(&server, "DescribeAlarms", "{}")        JSON with ' for "
 *   watch_query(&server, "Action=DescribeAlarms")      the version is added
 *   watch_cbor(&server, "DescribeAlarms", "bf ff")     hexadecimal, and so is the answer: "bf 6e'CompositeAlarms' …"
 */
#ifndef THERMODYN_TESTS_UNIT_CLOUDWATCH_WATCH_H
#define THERMODYN_TESTS_UNIT_CLOUDWATCH_WATCH_H

#include "cloudwatch/cloudwatch.h"
#include "unit/ops/ask.h"

/* Of the last request. */
extern td_cw_reply watch_reply;

const char *watch_json(ask_server *server, const char *operation, const char *body);
const char *watch_query(ask_server *server, const char *form);
const char *watch_cbor(ask_server *server, const char *operation, const char *hex);

/* A request as it comes; texts of CBOR in the answer are shown between quotes. */
const char *watch(ask_server *server, td_cw_request request, td_envelope envelope);

/* Bytes in the server's arena from "bf 69 'Namespace' ff": hexadecimal, and texts between quotes. */
td_slice watch_bytes(ask_server *server, const char *hex);

#define CHECK_TEXT(actual, expected)                                                                                   \
    do {                                                                                                               \
        const char *check_actual = (actual);                                                                           \
        ck_assert_msg(strcmp(check_actual, (expected)) == 0, "%s", check_actual);                                      \
    } while (0)

#endif
