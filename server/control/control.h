/* SPDX-License-Identifier: Apache-2.0
 * control.h: the endpoints under /_thermodyn/ (the contract is docs/control-api.md), apart from HTTP itself.
 * Documents are read and written through base/json_doc.h. Threads: any. */
#ifndef THERMODYN_CONTROL_CONTROL_H
#define THERMODYN_CONTROL_CONTROL_H

#include "ops/dispatch.h"

typedef struct td_control_request {
    td_slice method; /* "GET", … */
    td_slice path;   /* percent-decoded, from "/_thermodyn/" on, without the query */
    td_slice query;
    td_slice body;
} td_control_request;

typedef struct td_control_reply {
    int http_status;
    const char *allow; /* of a 405; else NULL */
} td_control_reply;

/* Writes the JSON document into `reply` (cleared first). Host and Origin were checked by the HTTP front. */
td_control_reply td_control_handle(td_service *service, const td_control_request *request, td_arena *arena,
                                   td_buf *reply);

#endif
