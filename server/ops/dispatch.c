/* SPDX-License-Identifier: Apache-2.0
 * dispatch.c: the one path of every request of the API, and the one exit of every failure.
 * The order is the service's: a body that is no JSON is refused before the target is looked at, the target before the
 * signature, and an empty body only after both.
 * Not here:   what an operation checks and does (its family's file); the texts of the envelope (server/wire). */
#include "dispatch.h"

#include "authorize.h"
#include "fault_ask.h"
#include "meter.h"
#include "ops.h"
#include "wire/sigv4.h"

#define REPLY_BYTES_FIRST ((size_t)4096) /* most answers: no memory for one is known before anything is written */

static const td_slice default_region = TD_LIT_INIT("us-east-1");

static const td_operation operations[] = {
#define TD_OPERATION(api, name, handler, group, form)                                                                  \
    {TD_LIT_INIT(#name), TD_API_##api, handler, TD_GROUP_##group, TD_FORM_##form},
#include "operations.def"
#undef TD_OPERATION
};

typedef struct operation_name {
    td_api api;
    td_slice name;
} operation_name;

/* Of the API, but not here. */
static const operation_name not_built[] = {
#define TD_OPERATION(api, name, handler, group, form)
#define TD_NOT_BUILT(api, name) {TD_API_##api, TD_LIT_INIT(#name)},
#include "operations.def"
#undef TD_OPERATION
};

static bool finish_if_done(td_request *request, td_status status);
static td_status open_request(td_request *request, const td_envelope *envelope, td_slice body);
static td_status refuse_operation(td_api api, td_slice name, td_error *error);
static td_status run(td_request *request);
static bool is_told_elsewhere(const td_request *request);
static int answer_error(td_request *request, td_status status);

const td_operation *td_operation_find(td_api api, td_slice name)
{
    for (size_t i = 0; i < TD_COUNT_OF(operations); i++) {
        if (operations[i].api == api && td_slice_equal(operations[i].name, name)) return &operations[i];
    }
    return NULL;
}

const td_operation *td_operation_at(size_t index)
{
    return index < TD_COUNT_OF(operations) ? &operations[index] : NULL;
}

/* A signature tells the machine's time, whatever the server's clock shows. */
td_status td_service_identify(const td_service *service, const td_envelope *envelope, td_slice scope_service,
                              td_identity *ret_identity, td_error *error)
{
    TD_TRY(td_identity_parse(envelope, ret_identity, error));
    if (service->credentials == NULL) return TD_OK;
    const td_credential *credential = td_credentials_find(service->credentials, ret_identity->access_key);
    return td_sigv4_check(ret_identity, envelope->whole, credential, scope_service, td_wall_time(), error);
}

bool td_service_find_scope(const td_service *service, const td_identity *identity, td_slice region, td_arena *arena,
                           td_slice *ret_scope)
{
    *ret_scope = td_slice_of(NULL, 0);
    if (!service->config->isolate) return true;
    return td_arena_format(arena, ret_scope, "%.*s/%.*s", (int)identity->access_key.len,
                           (const char *)identity->access_key.ptr, (int)region.len, (const char *)region.ptr);
}

int td_dispatch(td_service *service, const td_envelope *envelope, td_slice body, td_arena *arena, td_buf *reply)
{
    td_fate fate;
    return td_dispatch_fated(service, envelope, body, arena, reply, NULL, &fate);
}

int td_dispatch_fated(td_service *service, const td_envelope *envelope, td_slice body, td_arena *arena, td_buf *reply,
                      td_metrics_recorder *recorder, td_fate *ret_fate)
{
    td_request request;
    bool is_finished = td_dispatch_begin(&request, service, envelope, body, arena, reply, recorder);
    while (!is_finished)
        is_finished = td_dispatch_go_on(&request);
    *ret_fate = request.fate;
    return request.http_status;
}

bool td_dispatch_begin(td_request *request, td_service *service, const td_envelope *envelope, td_slice body,
                       td_arena *arena, td_buf *reply, td_metrics_recorder *recorder)
{
    *request = (td_request){.service = service,
                            .recorder = recorder,
                            .started_us = recorder == NULL ? 0 : td_monotonic_us(),
                            .arena = arena,
                            .reply = reply,
                            .body_bytes = body.len,
                            .host = envelope->host};
    request->error.arena = arena;
    request->call = (td_call){.store = service->store,
                              .arena = arena,
                              .region = default_region,
                              .is_fixture = service->is_fixture,
                              .has_written = &request->has_written};
    td_buf_clear(reply);

    if (td_buf_reserve(reply, REPLY_BYTES_FIRST) == NULL) return finish_if_done(request, TD_OUT_OF_MEMORY);
    td_status status = open_request(request, envelope, body);
    if (status == TD_OK) status = run(request);
    return finish_if_done(request, status);
}

bool td_dispatch_go_on(td_request *request)
{
    td_handler rest = request->rest;
    request->rest = NULL;
    return finish_if_done(request, rest(request));
}

void td_dispatch_revoke(td_request *request)
{
    request->http_status = answer_error(request, TD_RAISE(&request->error, TD_MSG_RECORD_FAILED));
}

static bool finish_if_done(td_request *request, td_status status)
{
    if (status == TD_OK && request->rest != NULL) return false;
    if (status == TD_OK && td_buf_has_failed(request->reply)) {
        status = TD_RAISE(&request->error, TD_MSG_INTERNAL_SERVER_ERROR);
    }
    request->http_status = status == TD_OK ? td_status_http(TD_OK) : answer_error(request, status);
    if (request->recorder != NULL && !request->is_lost) {
        if (status != TD_OK) status = request->error.status;
        int64_t latency_us = td_monotonic_us() - request->started_us + request->fate.delay_ms * TD_US_PER_MS;
        td_ops__meter(request, request->operation, status, request->recorder, latency_us);
    }
    return true;
}

/* From the bytes to a row of the table and a tree of the body. */
static td_status open_request(td_request *request, const td_envelope *envelope, td_slice body)
{
    td_error *error = &request->error;
    td_json *root = NULL;
    if (body.len > 0) TD_TRY(td_json_parse(body, request->arena, &root, error));

    td_api api = TD_API_DYNAMODB;
    td_slice name = {NULL, 0};
    TD_TRY(td_target_parse(envelope->target, &api, &name, error));
    const td_operation *operation = td_operation_find(api, name);
    if (operation == NULL) return refuse_operation(api, name, error);
    request->operation = operation;
    const td_cohort *cohort = td_cohort_of(operation->group, request->service->config->messages);
    error->wording = cohort->wording;
    error->value_wording = cohort->value_wording;

    TD_TRY(td_service_identify(request->service, envelope, TD_LIT("dynamodb"), &request->identity, error));
    if (request->identity.region.len > 0) request->call.region = request->identity.region;
    if (!td_service_find_scope(request->service, &request->identity, request->call.region, request->arena,
                               &request->call.scope)) {
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }

    if (root == NULL) return TD_RAISE(error, TD_MSG_JSON_MALFORMED);
    request->root = root;
    return TD_OK;
}

static td_status refuse_operation(td_api api, td_slice name, td_error *error)
{
    for (size_t i = 0; i < TD_COUNT_OF(not_built); i++) {
        if (not_built[i].api == api && td_slice_equal(not_built[i].name, name)) {
            return TD_RAISE(error, TD_MSG_OPERATION_NOT_BUILT, name);
        }
    }
    return TD_RAISE(error, TD_MSG_OPERATION_UNKNOWN);
}

static td_status run(td_request *request)
{
    const td_operation *operation = request->operation;
    td_error *error = &request->error;
    const td_shape *shape = td_shape_find(operation->name);
    TD_ASSERT(shape != NULL); /* every row has a shape: a test walks the table */
    TD_TRY(td_shape_bind(shape, request->root, &request->members, error));
    TD_TRY(td_shape_check(shape, request->root, error));

    const td_json *table = td_ops__get(request, TD_MEMBER_TableName);
    if (table != NULL) TD_TRY(td_table_name_parse(table->text, &request->call.table, error));

    td_service *service = request->service;
    request->call.is_statement = operation->group == TD_GROUP_STATEMENTS;
    request->call.now_us = td_clock_now(service->clock);
    if (td_store_next_due(service->store) <= request->call.now_us) {
        td_store_run_due(service->store, request->call.now_us);
    }
    if (td_faults_are_set(service->faults)) {
        TD_TRY(td_ops__ask_faults(request, operation));
        if (request->is_lost) return TD_OK;
    }
    if (service->callers != NULL && !service->is_fixture) TD_TRY(td_ops__authorize(request));
    return operation->handler(request);
}

/* By whom a fault was asked for, by the data directory, which fails for all, or by memory, which is full for all. */
static bool is_told_elsewhere(const td_request *request)
{
    td_message message = request->error.message;
    return request->is_injected || message == TD_MSG_RECORD_FAILS || message == TD_MSG_RECORD_FAILED ||
           message == TD_MSG_MEMORY_FULL;
}

static int answer_error(td_request *request, td_status status)
{
    const td_operation *operation = request->operation;
    td_error *error = &request->error;
    /* Calls without an error argument can only fail for want of memory. */
    if (error->status != status) status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (operation != NULL) {
        td_cohort_finish(td_cohort_of(operation->group, request->service->config->messages), error);
        status = error->status;
    }
    int http_status = td_status_http(status);
    if (http_status >= 500 && request->service->log != NULL && !is_told_elsewhere(request)) {
        TD_LOG_FAILURE(request->service->log, td_monotonic_us(), "request failed",
                       TD_LOG_TEXT("operation", operation == NULL ? TD_LIT("-") : operation->name),
                       TD_LOG_TEXT("message", error->text));
    }
    td_arn_context context = {request->call.region, td_slice_of_cstr(request->service->config->account),
                              request->call.table};
    td_buf_clear(request->reply);
    td_error_write(request->reply, error, &context);
    if (!td_buf_has_failed(request->reply)) return http_status;
    td_buf_clear(request->reply);
    return td_status_http(TD_INTERNAL_SERVER_ERROR);
}
