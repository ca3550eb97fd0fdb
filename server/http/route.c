/* SPDX-License-Identifier: Apache-2.0
 * route.c: what a whole request is for: the API (POST /), CloudWatch, the control endpoints, the service's health text,
 * CORS.
 * Everything else gets what the service answers: 404 and <UnknownOperationException/>. */
#include "http_private.h"

#include <strings.h>

#include "control/control.h"
#include "durable/durable.h"

#define CONTROL_PREFIX "/_thermodyn"
#define METRICS_PATH "/metrics"
#define HEALTH_PATH CONTROL_PREFIX "/health"
#define AMZ_JSON "application/x-amz-json-1.0"
#define JSON "application/json"

static enum MHD_Result handle_api(td_http_request *request);
static enum MHD_Result answer_health_text(td_http_request *request);
static enum MHD_Result answer_redirect(td_http_request *request);
static enum MHD_Result answer_preflight(td_http_request *request);
static enum MHD_Result answer_unknown(td_http_request *request);
static enum MHD_Result answer_control(td_http_request *request);
static enum MHD_Result answer_loading(td_http_request *request);
static bool is_loading(const td_http_request *request);
static enum MHD_Result forbid(td_http_request *request, td_slice document);
static bool is_method(const td_http_request *request, const char *method);
static bool is_reading(const td_http_request *request);
static td_slice media_type(td_slice content_type);
static bool is_text(td_slice text, const char *other);

enum MHD_Result td_http__route(td_http_request *request)
{
    if (is_loading(request) && strcmp(request->path, HEALTH_PATH) != 0) return answer_loading(request);
    size_t prefix_len = sizeof(CONTROL_PREFIX) - 1;
    if (strncmp(request->path, CONTROL_PREFIX, prefix_len) == 0 &&
        (request->path[prefix_len] == '/' || request->path[prefix_len] == '\0')) {
        return answer_control(request);
    }
    if (is_method(request, "OPTIONS") && request->headers[TD_HTTP_HEADER_ORIGIN].len > 0) {
        return answer_preflight(request);
    }
    if (strcmp(request->path, METRICS_PATH) == 0 && is_reading(request)) return td_http__answer_metrics(request);
    bool can_be_cloudwatch = is_method(request, "POST") || is_method(request, "GET");
    if (can_be_cloudwatch && td_http__is_cloudwatch(request)) return td_http__answer_cloudwatch(request);
    if (strcmp(request->path, "/") != 0) return answer_unknown(request);
    if (is_method(request, "POST")) return handle_api(request);
    if (is_reading(request)) return answer_health_text(request);
    return answer_unknown(request);
}

td_envelope td_http__envelope_of(td_http_request *request)
{
    td_slice amz_date = request->headers[TD_HTTP_HEADER_AMZ_DATE];
    bool is_verified = request->worker->service->credentials != NULL;
    return (td_envelope){.target = request->headers[TD_HTTP_HEADER_AMZ_TARGET],
                         .authorization = request->headers[TD_HTTP_HEADER_AUTHORIZATION],
                         .date = amz_date.len > 0 ? amz_date : request->headers[TD_HTTP_HEADER_DATE],
                         .content_type = request->headers[TD_HTTP_HEADER_CONTENT_TYPE],
                         .host = request->headers[TD_HTTP_HEADER_HOST],
                         .query = request->query,
                         .token = request->headers[TD_HTTP_HEADER_AMZ_TOKEN],
                         .whole = is_verified ? td_http__signed_form(request) : NULL};
}

/* A body of another type than these two is no request of the API to the service either. */
static enum MHD_Result handle_api(td_http_request *request)
{
    td_slice type = media_type(request->headers[TD_HTTP_HEADER_CONTENT_TYPE]);
    if (request->body.len > 0 && !is_text(type, AMZ_JSON) && !is_text(type, JSON)) return answer_unknown(request);
    td_envelope envelope = td_http__envelope_of(request);
    td_http_worker *worker = request->worker;
    worker->has_traffic = true;
    if (td_http__heavy_take(request, &envelope)) return MHD_YES;
    bool is_finished = td_dispatch_begin(&request->api, worker->service, &envelope, td_buf_contents(&request->body),
                                         &request->arena, &request->reply, worker->recorder);
    if (!is_finished && td_http__slices_take(request)) return MHD_YES;
    while (!is_finished)
        is_finished = td_dispatch_go_on(&request->api);
    return td_http__answer_api(request);
}

enum MHD_Result td_http__answer_api(td_http_request *request)
{
    if (request->api.has_written && td_http__waits_for_disk(request)) return MHD_YES;
    td_log *log = request->worker->service->log;
    int status = request->api.http_status;
    if (td_log_is_on(log, TD_LOG_DEBUG)) {
        td_slice target = request->headers[TD_HTTP_HEADER_AMZ_TARGET];
        TD_LOG(log, TD_LOG_DEBUG, "request", TD_LOG_TEXT("target", target.len > 0 ? target : TD_LIT("")),
               TD_LOG_NUMBER("status", status), TD_LOG_NUMBER("request_bytes", request->body.len),
               TD_LOG_NUMBER("reply_bytes", request->reply.len));
    }
    td_fate fate = request->api.fate;
    bool has_body = request->reply.len > 0 || status != MHD_HTTP_INTERNAL_SERVER_ERROR;
    bool is_amz_json = is_text(media_type(request->headers[TD_HTTP_HEADER_CONTENT_TYPE]), AMZ_JSON);
    td_http_answer answer = {.status = (unsigned)status,
                             .content_type = is_amz_json ? AMZ_JSON : JSON,
                             .body = has_body ? td_buf_contents(&request->reply) : TD_LIT(TD_HTTP_WITHOUT_MEMORY),
                             .is_dropped = fate.is_dropped};
    if (fate.delay_ms > 0) return td_http__hold(request, &answer, fate.delay_ms);
    return answer.is_dropped ? MHD_NO : td_http__answer(request, &answer);
}

/* "healthy: <Host> ", the blank at the end included; a browser is sent to where something can be seen. */
static enum MHD_Result answer_health_text(td_http_request *request)
{
    if (td_http__wants_page(request)) return answer_redirect(request);
    td_buf_clear(&request->reply);
    td_buf_append_lit(&request->reply, "healthy: ");
    td_buf_append(&request->reply, request->headers[TD_HTTP_HEADER_HOST]);
    td_buf_append_byte(&request->reply, ' ');
    if (td_buf_has_failed(&request->reply)) return MHD_NO;
    td_http_answer answer = {
        .status = MHD_HTTP_OK, .content_type = "text/plain", .body = td_buf_contents(&request->reply)};
    return td_http__answer(request, &answer);
}

static enum MHD_Result answer_redirect(td_http_request *request)
{
    td_http_answer redirect = {.status = MHD_HTTP_FOUND, .location = CONTROL_PREFIX "/", .body = TD_LIT("")};
    return td_http__answer(request, &redirect);
}

static enum MHD_Result answer_preflight(td_http_request *request)
{
    td_http_answer answer = {.status = MHD_HTTP_OK, .body = TD_LIT(""), .is_preflight = true};
    return td_http__answer(request, &answer);
}

static enum MHD_Result answer_unknown(td_http_request *request)
{
    td_http_answer answer = {.status = MHD_HTTP_NOT_FOUND, .body = TD_LIT("<UnknownOperationException/>\n")};
    return td_http__answer(request, &answer);
}

static enum MHD_Result answer_control(td_http_request *request)
{
    if (!td_http__host_is_ours(request)) {
        return forbid(request, TD_LIT("{\"error\":\"the Host of this request is no name of this server: "
                                      "see --allow-host\"}"));
    }
    if (!is_reading(request) && !td_http__origin_is_ours(request)) {
        return forbid(request, TD_LIT("{\"error\":\"a page of another origin may not change this server\"}"));
    }
    td_slice path = td_slice_of_cstr(request->path);
    bool is_bare = path.len == sizeof(CONTROL_PREFIX) - 1;
    if (is_reading(request) && td_http__has_asset(request)) return td_http__answer_asset(request);
    if (is_reading(request) && is_bare && td_http__wants_page(request)) return answer_redirect(request);
    td_control_request control = {
        .method = is_reading(request) ? TD_LIT("GET") : td_slice_of_cstr(request->method),
        .path = is_bare ? TD_LIT(CONTROL_PREFIX "/") : path,
        .query = request->query,
        .body = td_buf_contents(&request->body)};
    request->worker->has_control = true;
    td_control_reply reply =
        td_control_handle(request->worker->service, &control, &request->arena, &request->reply);
    td_http_answer answer = {.status = (unsigned)reply.http_status,
                             .content_type = "application/json",
                             .body = td_buf_contents(&request->reply),
                             .allow = reply.allow,
                             .is_control = true};
    return td_http__answer(request, &answer);
}

/* Nobody else may use the store until it is loaded. SDKs try again. */
static enum MHD_Result answer_loading(td_http_request *request)
{
    td_http_answer answer = {
        .status = MHD_HTTP_SERVICE_UNAVAILABLE,
        .content_type = AMZ_JSON,
        .body = TD_LIT("{\"__type\":\"com.amazon.coral.service#ServiceUnavailableException\","
                       "\"message\":\"The data directory is being loaded.\"}")};
    return td_http__answer(request, &answer);
}

static bool is_loading(const td_http_request *request)
{
    const td_durable *durable = request->worker->service->durable;
    return durable != NULL && !td_durable_is_ready(durable);
}

static enum MHD_Result forbid(td_http_request *request, td_slice document)
{
    td_http_answer answer = {.status = MHD_HTTP_FORBIDDEN,
                             .content_type = "application/json",
                             .body = document,
                             .is_control = true};
    return td_http__answer(request, &answer);
}

static bool is_method(const td_http_request *request, const char *method)
{
    return strcmp(request->method, method) == 0;
}

static bool is_reading(const td_http_request *request)
{
    return is_method(request, "GET") || is_method(request, "HEAD");
}

/* Without parameters and blanks. */
static td_slice media_type(td_slice content_type)
{
    const uint8_t *end = content_type.len == 0 ? NULL : memchr(content_type.ptr, ';', content_type.len);
    if (end != NULL) content_type.len = (size_t)(end - content_type.ptr);
    while (content_type.len > 0 && content_type.ptr[0] == ' ') {
        content_type = td_slice_of(content_type.ptr + 1, content_type.len - 1);
    }
    while (content_type.len > 0 && content_type.ptr[content_type.len - 1] == ' ') {
        content_type.len--;
    }
    return content_type;
}

static bool is_text(td_slice text, const char *other)
{
    return text.len == strlen(other) && strncasecmp((const char *)text.ptr, other, text.len) == 0;
}
