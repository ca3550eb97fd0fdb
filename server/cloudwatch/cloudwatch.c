/* SPDX-License-Identifier: Apache-2.0
 * cloudwatch.c: the one path of every request to CloudWatch, in three protocols:
 *
 *   query   Action=X&Version=2010-08-01 in a form, of a POST or a GET    XML
 *   JSON    X-Amz-Target: GraniteServiceVersion20100801.X                application/x-amz-json-1.0
 *   CBOR    smithy-protocol: rpc-v2-cbor, …/operation/X as the path      application/cbor
 *
 * Order: protocol, operation, signature, body, shape; a body is read once the operation's shape is known, since forms
 * have no other. */
#include <stdio.h>
#include <strings.h>

#include "cbor_wire.h"
#include "cloudwatch_private.h"
#include "form.h"
#include "thermodyn/text.h"

#define TARGET_PREFIX "GraniteServiceVersion20100801."
#define CBOR_PROTOCOL "rpc-v2-cbor"
#define XML_NAMESPACE "http://monitoring.amazonaws.com/doc/2010-08-01/"
#define ERROR_NAMESPACE "com.amazonaws.cloudwatch.v2010_08_01#"
#define REGION_WITHOUT_SIGNATURE "us-east-1"

typedef struct operation_row {
    td_slice name;
    const char *response; /* XML's elements */
    const char *result;
    td_cw_handler handler;
} operation_row;

static const operation_row operations[] = {
#define TD_CW_OPERATION(name, handler) {TD_LIT_INIT(#name), #name "Response", #name "Result", handler},
#include "operations.def"
#undef TD_CW_OPERATION
};

static bool is_form(const td_cw_request *request);
static td_cw_protocol protocol_of(const td_cw_request *request);
static td_cw_status run(td_cw_call *call, const td_cw_request *request);
static td_cw_status find_operation(td_cw_call *call, const td_cw_request *request, const td_cw_form *form,
                                   const operation_row **ret_operation);
static td_cw_status open_identity(td_cw_call *call, const td_cw_request *request);
static td_cw_status read_form(td_cw_call *call, const td_cw_request *request, td_cw_form *ret_form);
static td_cw_status read_body(td_cw_call *call, const td_cw_request *request, const td_cw_form *form,
                              const td_cw_shape *shape);
static td_cw_status answer(td_cw_call *call, const td_cw_request *request, const operation_row *operation);
static td_cw_reply reply_of(const td_cw_call *call, td_cw_status status);
static void write_error(td_cw_call *call, const td_cw_request *request, td_cw_status status);
static td_slice last_part(td_slice path);

bool td_cw_claims(const td_cw_request *request)
{
    td_slice target = request->envelope->target;
    if (td_slice_has_prefix(target, TD_LIT("DynamoDB"))) return false;
    if (request->protocol.len > 0) return td_slice_equal(request->protocol, TD_LIT(CBOR_PROTOCOL));
    if (td_slice_has_prefix(target, TD_LIT(TARGET_PREFIX))) return true;
    if (is_form(request) && request->body.len > 0 &&
        memmem(request->body.ptr, request->body.len, "Version=2010-08-01", 18) != NULL)
        return true;
    td_slice signature = request->envelope->authorization;
    return signature.len > 0 && memmem(signature.ptr, signature.len, "/monitoring/aws4_request", 24) != NULL;
}

td_cw_reply td_cw_handle(td_service *service, const td_cw_request *request, td_arena *arena, td_buf *reply)
{
    td_cw_call call = {.service = service, .arena = arena, .region = TD_LIT(REGION_WITHOUT_SIGNATURE)};
    td_buf_clear(reply);
    td_cw_writer_init(&call.out, protocol_of(request), reply);
    td_cw_status status = run(&call, request);
    if (status == TD_CW_OK && td_buf_has_failed(reply)) status = TD_CW_RAISE(&call, TD_CW_MSG_OUT_OF_MEMORY);
    if (status != TD_CW_OK) write_error(&call, request, status);
    if (td_cw__http_status(status) >= 500 && service->log != NULL) {
        TD_LOG_FAILURE(service->log, td_monotonic_us(), "request to CloudWatch failed",
                       TD_LOG_TEXT("message", call.text));
    }
    td_cw_reply ret = reply_of(&call, status);
    if (td_buf_has_failed(reply)) {
        td_buf_clear(reply);
        ret.http_status = td_cw__http_status(TD_CW_INTERNAL);
    }
    return ret;
}

static bool is_form(const td_cw_request *request)
{
    td_slice form = TD_LIT(TD_CW_FORM_TYPE);
    return request->content_type.len >= form.len &&
           strncasecmp((const char *)request->content_type.ptr, (const char *)form.ptr, form.len) == 0;
}

static td_cw_protocol protocol_of(const td_cw_request *request)
{
    if (request->protocol.len > 0) return TD_CW_CBOR;
    return request->envelope->target.len > 0 ? TD_CW_JSON : TD_CW_QUERY;
}

static td_cw_status run(td_cw_call *call, const td_cw_request *request)
{
    td_cw_form form = {.pairs = NULL};
    const operation_row *operation = NULL;
    if (call->out.protocol == TD_CW_QUERY) TD_CW_TRY(read_form(call, request, &form));
    TD_CW_TRY(find_operation(call, request, &form, &operation));
    TD_CW_TRY(open_identity(call, request));
    TD_CW_TRY(read_body(call, request, &form, td_cw_shape_find(operation->name)));

    td_service *service = call->service;
    call->now_us = td_clock_now(service->clock);
    if (td_store_next_due(service->store) <= call->now_us) td_store_run_due(service->store, call->now_us);
    return answer(call, request, operation);
}

static td_cw_status find_operation(td_cw_call *call, const td_cw_request *request, const td_cw_form *form,
                                   const operation_row **ret_operation)
{
    td_slice name = TD_LIT("");
    td_slice target = request->envelope->target;
    switch (call->out.protocol) {
    case TD_CW_QUERY: name = td_cw_form_get(form, TD_LIT("Action")); break;
    case TD_CW_CBOR: name = last_part(request->path); break;
    case TD_CW_JSON:
        if (!td_slice_has_prefix(target, TD_LIT(TARGET_PREFIX))) break;
        name = td_slice_of(target.ptr + sizeof(TARGET_PREFIX) - 1, target.len - (sizeof(TARGET_PREFIX) - 1));
        break;
    }
    for (size_t i = 0; i < TD_COUNT_OF(operations); i++) {
        if (!td_slice_equal(operations[i].name, name)) continue;
        *ret_operation = &operations[i];
        return TD_CW_OK;
    }
    return TD_CW_RAISE(call, TD_CW_MSG_UNKNOWN_OPERATION, td_utf8_is_valid(name) ? name : TD_LIT("?"));
}

static td_cw_status open_identity(td_cw_call *call, const td_cw_request *request)
{
    td_error error = {.arena = call->arena};
    td_identity identity = {.region = TD_LIT("")};
    td_status status = td_service_identify(call->service, request->envelope, TD_LIT("monitoring"), &identity, &error);
    if (status == TD_MISSING_AUTHENTICATION_TOKEN) return TD_CW_RAISE(call, TD_CW_MSG_TOKEN_MISSING, error.text);
    if (status == TD_OUT_OF_MEMORY) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    if (status == TD_UNRECOGNIZED_CLIENT) return TD_CW_RAISE(call, TD_CW_MSG_CLIENT_UNKNOWN, error.text);
    if (status == TD_INVALID_SIGNATURE) return TD_CW_RAISE(call, TD_CW_MSG_SIGNATURE_WRONG, error.text);
    if (status != TD_OK) return TD_CW_RAISE(call, TD_CW_MSG_SIGNATURE_INCOMPLETE, error.text);
    if (identity.region.len > 0) call->region = identity.region;
    if (!td_service_find_scope(call->service, &identity, call->region, call->arena, &call->scope)) {
        return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
    }
    return TD_CW_OK;
}

static td_cw_status read_form(td_cw_call *call, const td_cw_request *request, td_cw_form *ret_form)
{
    switch (td_cw_form_parse(request->body, call->arena, ret_form)) {
    case TD_CW_FORM_OK: return TD_CW_OK;
    case TD_CW_FORM_MALFORMED: return TD_CW_RAISE(call, TD_CW_MSG_NO_FORM);
    case TD_CW_FORM_NO_MEMORY: break;
    }
    return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
}

/* An empty body has no members. */
static td_cw_status read_body(td_cw_call *call, const td_cw_request *request, const td_cw_form *form,
                              const td_cw_shape *shape)
{
    static const td_json nothing = {.type = TD_JSON_OBJECT};
    td_error error = {.arena = call->arena};
    td_json *root = NULL;
    call->input = &nothing;
    switch (call->out.protocol) {
    case TD_CW_QUERY: {
        td_cw_form_result result = td_cw_form_build(form, shape, call->arena, &root);
        if (result == TD_CW_FORM_MALFORMED) return TD_CW_RAISE(call, TD_CW_MSG_NO_FORM);
        if (result != TD_CW_FORM_OK) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        break;
    }
    case TD_CW_JSON: {
        if (request->body.len == 0) break;
        td_status status = td_json_parse(request->body, call->arena, &root, &error);
        if (status == TD_OUT_OF_MEMORY) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        if (status != TD_OK) return TD_CW_RAISE(call, TD_CW_MSG_NO_JSON, error.text);
        break;
    }
    case TD_CW_CBOR: {
        if (request->body.len == 0) break;
        td_cbor_result result = td_cbor_parse(request->body, call->arena, &root);
        if (result == TD_CBOR_MALFORMED) return TD_CW_RAISE(call, TD_CW_MSG_NO_CBOR);
        if (result != TD_CBOR_OK) return TD_CW_RAISE(call, TD_CW_MSG_OUT_OF_MEMORY);
        break;
    }
    }
    if (root != NULL) call->input = root;
    return td_cw__check(call, shape, call->input);
}

static td_cw_status answer(td_cw_call *call, const td_cw_request *request, const operation_row *operation)
{
    td_buf *buf = call->out.buf;
    bool is_query = call->out.protocol == TD_CW_QUERY;
    if (is_query) td_buf_append_format(buf, "<%s xmlns=\"" XML_NAMESPACE "\">", operation->response);
    td_cw_open(&call->out, is_query ? operation->result : NULL);
    TD_CW_TRY(operation->handler(call));
    td_cw_close(&call->out);
    TD_ASSERT(call->out.depth == 0);
    if (is_query) {
        td_buf_append_format(buf, "<ResponseMetadata><RequestId>%.*s</RequestId></ResponseMetadata></%s>",
                             (int)request->request_id.len, (const char *)request->request_id.ptr, operation->response);
    }
    return TD_CW_OK;
}

static td_cw_reply reply_of(const td_cw_call *call, td_cw_status status)
{
    td_cw_reply reply = {.http_status = td_cw__http_status(status)};
    switch (call->out.protocol) {
    case TD_CW_QUERY: reply.content_type = "text/xml"; break;
    case TD_CW_JSON: reply.content_type = "application/x-amz-json-1.0"; break;
    case TD_CW_CBOR:
        reply.content_type = "application/cbor";
        reply.protocol = CBOR_PROTOCOL;
        break;
    }
    td_slice header;
    if (status != TD_CW_OK && call->out.protocol != TD_CW_QUERY &&
        td_arena_format(call->arena, &header, "%s;%s", td_cw__code(status),
                        reply.http_status >= 500 ? "Receiver" : "Sender")) {
        reply.query_error = (const char *)header.ptr;
    }
    return reply;
}

static void write_error(td_cw_call *call, const td_cw_request *request, td_cw_status status)
{
    td_buf *buf = call->out.buf;
    td_buf_clear(buf);
    td_cw_writer_init(&call->out, call->out.protocol, buf);
    td_cw_writer *out = &call->out;
    if (out->protocol != TD_CW_QUERY) {
        char type[128];
        (void)snprintf(type, sizeof type, ERROR_NAMESPACE "%s", td_cw__shape_name(status));
        td_cw_open(out, NULL);
        td_cw_put_literal(out, "__type", type);
        td_cw_put_text(out, "message", call->text);
        td_cw_close(out);
        return;
    }
    td_buf_append_lit(buf, "<ErrorResponse xmlns=\"" XML_NAMESPACE "\">");
    td_cw_open(out, "Error");
    td_cw_put_literal(out, "Type", td_cw__http_status(status) >= 500 ? "Receiver" : "Sender");
    td_cw_put_literal(out, "Code", td_cw__code(status));
    td_cw_put_text(out, "Message", call->text);
    td_cw_close(out);
    td_cw_put_text(out, "RequestId", request->request_id);
    td_buf_append_lit(buf, "</ErrorResponse>");
}

static td_slice last_part(td_slice path)
{
    const uint8_t *slash = path.len == 0 ? NULL : memrchr(path.ptr, '/', path.len);
    if (slash == NULL) return path;
    return td_slice_of(slash + 1, path.len - (size_t)(slash + 1 - path.ptr));
}
