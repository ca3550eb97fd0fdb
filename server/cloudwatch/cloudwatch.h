/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch.h: CloudWatch on the port of the API, as far as it concerns DynamoDB: what code and tools that are written
 * for it ask of metrics and of Contributor Insights.
 *
 *   body ─form.c, server/wire's JSON, cbor_wire.c─▶ tree ─check.c: shapes.def─▶ handler ─writer.c─▶ XML, JSON, CBOR
 *
 * A request is CloudWatch's by its header smithy-protocol, by its target, by Action and Version in a form, or by the
 * service in its signature. Threads: any; a request is handled to its end on its worker. */
#ifndef THERMODYN_CLOUDWATCH_CLOUDWATCH_H
#define THERMODYN_CLOUDWATCH_CLOUDWATCH_H

#include "ops/dispatch.h"

#define TD_CW_FORM_TYPE "application/x-www-form-urlencoded"

/* Header values as they came; len 0: absent. */
typedef struct td_cw_request {
    td_slice path;
    td_slice content_type;
    td_slice protocol; /* smithy-protocol */
    const td_envelope *envelope;
    td_slice body;
    td_slice request_id; /* of the answer: queries are told it in the body too */
} td_cw_request;

typedef struct td_cw_reply {
    int http_status;
    const char *content_type;
    const char *protocol;    /* smithy-protocol; NULL: none */
    const char *query_error; /* x-amzn-query-error; NULL: none. In the arena */
} td_cw_reply;

/* Cheap for requests of the API of DynamoDB. */
bool td_cw_claims(const td_cw_request *request);

/* Writes the body into `reply` (cleared first). A reply that found no memory even for its error is empty, with status
 * 500. */
td_cw_reply td_cw_handle(td_service *service, const td_cw_request *request, td_arena *arena, td_buf *reply);

#endif
