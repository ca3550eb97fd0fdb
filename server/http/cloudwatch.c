/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch.c: requests of CloudWatch between libmicrohttpd and server/cloudwatch. Fault rules do not concern them. */
#include "cloudwatch/cloudwatch.h"

#include "http_private.h"

enum { REPLY_LINES = 2, REQUEST_ID_BYTES = 37 };

static td_cw_request request_of(const td_http_request *request, const td_envelope *envelope);

bool td_http__is_cloudwatch(td_http_request *request)
{
    td_envelope envelope = td_http__envelope_of(request);
    td_cw_request asked = request_of(request, &envelope);
    return td_cw_claims(&asked);
}

enum MHD_Result td_http__answer_cloudwatch(td_http_request *request)
{
    td_envelope envelope = td_http__envelope_of(request);
    td_cw_request asked = request_of(request, &envelope);
    char *id = td_arena_alloc(&request->arena, REQUEST_ID_BYTES);
    td_http_header_line *lines = td_arena_alloc_array(&request->arena, REPLY_LINES, sizeof *lines);
    if (id == NULL || lines == NULL) return MHD_NO;
    td_rng_uuid(&request->worker->rng, id);
    asked.request_id = td_slice_of_cstr(id);
    request->worker->has_traffic = true;
    td_cw_reply reply = td_cw_handle(request->worker->service, &asked, &request->arena, &request->reply);
    td_http_answer answer = {.status = (unsigned)reply.http_status,
                             .content_type = reply.content_type,
                             .body = td_buf_contents(&request->reply),
                             .lines = lines,
                             .request_id = id};
    if (reply.protocol != NULL) lines[answer.line_count++] = (td_http_header_line){"smithy-protocol", reply.protocol};
    if (reply.query_error != NULL) {
        lines[answer.line_count++] = (td_http_header_line){"x-amzn-query-error", reply.query_error};
    }
    return td_http__answer(request, &answer);
}

/* The form of a query stands in the body of a POST, or behind the '?' of a GET. */
static td_cw_request request_of(const td_http_request *request, const td_envelope *envelope)
{
    bool is_get = strcmp(request->method, "GET") == 0;
    return (td_cw_request){.path = td_slice_of_cstr(request->path),
                           .content_type = is_get ? TD_LIT(TD_CW_FORM_TYPE) : envelope->content_type,
                           .protocol = request->headers[TD_HTTP_HEADER_SMITHY_PROTOCOL],
                           .envelope = envelope,
                           .body = is_get ? request->query : td_buf_contents(&request->body)};
}
