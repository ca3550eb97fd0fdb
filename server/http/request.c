/* SPDX-License-Identifier: Apache-2.0
 * request.c: the life of a request: begun at its request line, filled by libmicrohttpd's calls (headers, then pieces of
 * the body, then the end), answered once, and given back at completion.
 *
 * A body is gathered once into the request's buffer. One that is too large, or for which the worker has no memory left,
 * is drained up to DRAINED_BYTES_MAX and then refused: a client that is still sending would not see an answer, only a
 * broken connection. What announces more than that, or waits for "100 Continue", is refused at once. */
#include "http_private.h"

#include "thermodyn/limits.h"
#include "thermodyn/memory.h"
#include "thermodyn/text.h"

#define DRAINED_BYTES_MAX ((uint64_t)64 * 1024 * 1024)
#define RESERVED_BYTES_MAX ((int64_t)1024 * 1024) /* a larger body grows as it comes: a length is only a claim */
#define KEPT_BUFFER_BYTES_MAX ((size_t)64 * 1024)
#define FREE_REQUESTS_MAX 64

const td_http_answer td_http__no_room = {
    .status = MHD_HTTP_SERVICE_UNAVAILABLE,
    .content_type = "application/x-amz-json-1.0",
    .body = TD_LIT_INIT("{\"__type\":\"com.amazon.coral.service#ServiceUnavailableException\","
                        "\"message\":\"The bodies of all requests in flight exceed body_memory.\"}")};

static td_http_request without_memory; /* stands for each request that there was no memory for, once it has begun */

static enum MHD_Result refuse_whole(struct MHD_Connection *mhd, size_t *data_len, void **context);
static td_http_request *take_request(td_http_worker *worker);
static enum MHD_Result start(td_http_request *request, const char *version);
static enum MHD_Result refuse_body(td_http_request *request);
static void add_to_body(td_http_request *request, const char *data, size_t len);
static bool charge_body(td_http_request *request, size_t more);
static void give_up_body(td_http_request *request, td_http_refusal why);
static enum MHD_Result finish(td_http_request *request);
static void trim_buffer(td_buf *buf);
static void free_request(td_http_request *request);

void *td_http__request_begin(void *cls, const char *uri, struct MHD_Connection *mhd)
{
    td_http_worker *worker = cls;
    td_http_connection *connection = td_http__connection_of(mhd);
    if (connection == NULL) return NULL;
    td_http_request *request = take_request(worker);
    if (request == NULL) return NULL;
    request->connection = connection;
    request->mhd = mhd;
    connection->request = request;
    td_metrics_count_in_flight(worker->recorder, 1);
    request->version = uri + strlen(uri) + 1;
    const char *question = strchr(uri, '?'); /* libmicrohttpd decodes the text in place: a copy is needed */
    if (question != NULL && !td_arena_copy(&request->arena, td_slice_of_cstr(question + 1), &request->query)) {
        td_http__request_release(request);
        return NULL;
    }
    td_http__connection_enter(connection, TD_HTTP_RECEIVING);
    return request;
}

enum MHD_Result td_http__request_handle(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                        const char *version, const char *data, size_t *data_len, void **context)
{
    (void)cls;
    (void)mhd;
    td_http_request *request = *context;
    if (request == NULL || request == &without_memory) return refuse_whole(mhd, data_len, context);
    if (!request->has_headers) {
        request->has_headers = true;
        request->method = method;
        request->path = url;
        return start(request, version);
    }
    if (*data_len > 0) {
        request->worker->part_count++;
        add_to_body(request, data, *data_len);
        *data_len = 0;
        return request->drained_bytes > DRAINED_BYTES_MAX ? MHD_NO : MHD_YES;
    }
    if (request->line != NULL) return MHD_YES;
    if (request->is_held) return td_http__settle(request);
    if (request->has_waited && !request->is_answered) return td_http__answer_api(request);
    return request->is_answered ? MHD_YES : finish(request);
}

void td_http__request_complete(void *cls, struct MHD_Connection *mhd, void **context,
                               enum MHD_RequestTerminationCode code)
{
    (void)cls;
    (void)mhd;
    (void)code;
    td_http_request *request = *context;
    if (request == NULL || request == &without_memory) return;
    td_http_connection *connection = request->connection;
    td_http__request_release(request);
    *context = NULL;
    if (connection->phase != TD_HTTP_PHASE_COUNT) td_http__connection_enter(connection, TD_HTTP_WAITING);
}

void td_http__request_release(td_http_request *request)
{
    td_http_worker *worker = request->worker;
    if (request->line != NULL) td_http__wait_no_more(request); /* for the disk: its client has gone */
    request->connection->request = NULL;
    td_metrics_count_in_flight(worker->recorder, -1);
    TD_ASSERT(worker->body_bytes >= request->charged_bytes);
    worker->body_bytes -= request->charged_bytes;
    if (worker->free_count >= FREE_REQUESTS_MAX) {
        free_request(request);
        return;
    }
    td_arena_reset(&request->arena);
    trim_buffer(&request->body);
    trim_buffer(&request->reply);
    trim_buffer(&request->packed);
    request->next_free = worker->free_requests;
    worker->free_requests = request;
    worker->free_count++;
}

bool td_http__request_charge(td_http_request *request, size_t bytes)
{
    td_http_worker *worker = request->worker;
    if (bytes > worker->body_bytes_max - worker->body_bytes) return false;
    worker->body_bytes += bytes;
    request->charged_bytes += bytes;
    return true;
}

void td_http__requests_free(td_http_worker *worker)
{
    while (worker->free_requests != NULL) {
        td_http_request *request = worker->free_requests;
        worker->free_requests = request->next_free;
        free_request(request);
    }
    worker->free_count = 0;
}

/* Its body is read, so that the client sees the answer. */
static enum MHD_Result refuse_whole(struct MHD_Connection *mhd, size_t *data_len, void **context)
{
    bool is_whole = *context == &without_memory && *data_len == 0;
    *context = &without_memory;
    *data_len = 0;
    return is_whole ? td_http__answer_without_memory(mhd) : MHD_YES;
}

/* One from the free list, or a new one; only memory is carried over from request to request. */
static td_http_request *take_request(td_http_worker *worker)
{
    td_http_request *request = worker->free_requests;
    if (request == NULL) {
        request = td_alloc(sizeof(*request));
        if (request == NULL) return NULL;
        td_arena_init(&request->arena, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
        td_buf_init(&request->body, TD_LIMIT_REPLY_BYTES_MAX); /* changes places with `packed` */
        td_buf_init(&request->reply, TD_LIMIT_REPLY_BYTES_MAX);
        td_buf_init(&request->packed, TD_LIMIT_REPLY_BYTES_MAX);
        request->repeated.response = NULL;
    } else {
        worker->free_requests = request->next_free;
        worker->free_count--;
    }
    request->worker = worker;
    request->connection = NULL;
    request->query = td_slice_of(NULL, 0);
    memset(request->headers, 0, sizeof(request->headers));
    request->has_headers = request->is_answered = request->is_held = request->has_waited = false;
    request->line = NULL;
    request->is_revoked = false;
    request->change_number = 0;
    request->is_unpacked = false;
    request->refusal = TD_HTTP_TAKEN;
    request->drained_bytes = 0;
    request->charged_bytes = 0;
    return request;
}

/* The headers are there, the body is not. */
static enum MHD_Result start(td_http_request *request, const char *version)
{
    static const td_http_answer ambiguous = {
        .status = MHD_HTTP_BAD_REQUEST,
        .content_type = "text/plain",
        .body = TD_LIT_INIT("The head of this request can be read in more than one way.\n"),
        .is_control = true,
        .must_close = true};
    if (!td_http__pace_takes(request->connection)) request->refusal = TD_HTTP_TOO_OFTEN;
    if (!td_http__headers_read(request, version)) return td_http__answer(request, &ambiguous);
    int64_t announced = 0;
    td_slice length = request->headers[TD_HTTP_HEADER_CONTENT_LENGTH];
    if (length.len == 0 || !td_parse_int64(length, &announced) || announced <= 0) return MHD_YES;
    if (announced > TD_LIMIT_REQUEST_BODY_BYTES_MAX) {
        give_up_body(request, TD_HTTP_TOO_LARGE);
        bool is_waiting = request->headers[TD_HTTP_HEADER_EXPECT].len > 0;
        return is_waiting || (uint64_t)announced > DRAINED_BYTES_MAX ? refuse_body(request) : MHD_YES;
    }
    return MHD_YES;
}

static enum MHD_Result refuse_body(td_http_request *request)
{
    static const td_http_answer too_large = {
        .status = MHD_HTTP_CONTENT_TOO_LARGE, .is_streamed = true, .must_close = true};
    static const td_http_answer too_often = {
        .status = MHD_HTTP_SERVICE_UNAVAILABLE,
        .content_type = "application/x-amz-json-1.0",
        .body = TD_LIT_INIT("{\"__type\":\"com.amazon.coral.service#ServiceUnavailableException\","
                            "\"message\":\"More requests a second from one address than max_requests_per_address.\"}")};
    static const td_http_answer *const answers[] = {
        [TD_HTTP_TOO_LARGE] = &too_large, [TD_HTTP_NO_ROOM] = &td_http__no_room, [TD_HTTP_TOO_OFTEN] = &too_often};
    return td_http__answer(request, answers[request->refusal]);
}

static void add_to_body(td_http_request *request, const char *data, size_t len)
{
    if (request->refusal == TD_HTTP_TAKEN) {
        int64_t announced = 0;
        td_slice length = request->headers[TD_HTTP_HEADER_CONTENT_LENGTH];
        size_t wanted = len;
        if (request->body.len == 0 && length.len > 0 && td_parse_int64(length, &announced) &&
            announced > (int64_t)len) {
            wanted = (size_t)(announced < RESERVED_BYTES_MAX ? announced : RESERVED_BYTES_MAX);
        }
        if (len > TD_LIMIT_REQUEST_BODY_BYTES_MAX - request->body.len) {
            give_up_body(request, TD_HTTP_TOO_LARGE);
        } else if (!charge_body(request, wanted)) {
            give_up_body(request, TD_HTTP_NO_ROOM);
        } else {
            uint8_t *place = td_buf_reserve(&request->body, wanted);
            if (place == NULL) {
                give_up_body(request, TD_HTTP_NO_ROOM);
            } else {
                memcpy(place, data, len);
                td_buf_commit(&request->body, len);
            }
        }
    }
    if (request->refusal != TD_HTTP_TAKEN) request->drained_bytes += len;
}

/* What the body is about to hold and does not stand for yet. */
static bool charge_body(td_http_request *request, size_t more)
{
    size_t held = request->body.len + more;
    return held <= request->charged_bytes || td_http__request_charge(request, held - request->charged_bytes);
}

static void give_up_body(td_http_request *request, td_http_refusal why)
{
    request->refusal = why;
    request->drained_bytes += request->body.len;
    request->worker->body_bytes -= request->charged_bytes;
    request->charged_bytes = 0;
    trim_buffer(&request->body);
}

/* The request is whole. */
static enum MHD_Result finish(td_http_request *request)
{
    if (request->worker->part_count > 0) request->worker->part_count--;
    if (request->refusal != TD_HTTP_TAKEN) return refuse_body(request);
    if (request->headers[TD_HTTP_HEADER_CONTENT_ENCODING].len > 0 && request->body.len > 0) {
        unsigned status = td_http__unpack_body(request);
        if (status == MHD_HTTP_CONTENT_TOO_LARGE) {
            request->refusal = TD_HTTP_TOO_LARGE;
            return refuse_body(request);
        }
        if (status != MHD_HTTP_OK) {
            td_http_answer damaged = {
                .status = status,
                .content_type = "application/x-amz-json-1.0",
                .body = TD_LIT("{\"__type\":\"com.amazon.coral.service#SerializationException\"}")};
            return td_http__answer(request, &damaged);
        }
        if (!charge_body(request, 0)) {
            give_up_body(request, TD_HTTP_NO_ROOM);
            return refuse_body(request);
        }
    }
    return td_http__route(request);
}

static void trim_buffer(td_buf *buf)
{
    if (buf->capacity <= KEPT_BUFFER_BYTES_MAX) {
        td_buf_clear(buf);
    } else {
        size_t limit_bytes = buf->limit_bytes;
        td_buf_done(buf);
        td_buf_init(buf, limit_bytes);
    }
}

static void free_request(td_http_request *request)
{
    td_arena_done(&request->arena);
    td_buf_done(&request->body);
    td_buf_done(&request->reply);
    td_buf_done(&request->packed);
    MHD_destroy_response(request->repeated.response);
    td_free(request);
}
