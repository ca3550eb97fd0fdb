/* SPDX-License-Identifier: Apache-2.0
 * response.c: from an answer to libmicrohttpd: the headers that the service sends, its request id, the checksum, gzip.
 *
 * x-amz-crc32 is gzip's CRC of the body as it goes over the wire, so of the compressed bytes when it is compressed: the
 * SDKs that check it do so before they unpack.
 * What is live, metrics and control endpoints, is asked again and again by whoever watches, and is not packed: that
 * would take as long as all the rest.
 * The body is not copied: libmicrohttpd reads it from the request until completion.
 *
 * A header costs libmicrohttpd three allocations, and a response one more: for an answer of "{}" they were a tenth of
 * the whole request. So an answer that is like the request's last one is sent as the same response, with another
 * request id. No other connection has it meanwhile: it is the request's own. */
#include "http_private.h"

#include <libdeflate.h>

#define REQUEST_ID "x-amzn-RequestId"
#define PACKED_BYTES_MIN 1024 /* smaller answers fit one packet anyway */
#define CHARGED_BYTES_MIN ((size_t)64 * 1024) /* a smaller answer is in the socket's buffer at once */
#define EMPTY_BYTES_MAX 64 /* {"Count":0,"Items":[],"ScannedCount":0} is the longest that comes often */
#define CORS_MAX_AGE "172800" /* two days, as the service says */

static bool is_repeatable(const td_http_request *request, const td_http_answer *answer);
static struct MHD_Response *repeat_response(td_http_request *request, const td_http_answer *answer);
static struct MHD_Response *new_response(td_http_request *request, const td_http_answer *answer);
static struct MHD_Response *new_body(const td_http_answer *answer, td_slice body);
static ssize_t end_stream(void *cls, uint64_t at, char *buf, size_t max);
static void add_service_headers(td_http_request *request, struct MHD_Response *response, const char *request_id,
                                td_slice body);
static void add_checksum(struct MHD_Response *response, td_slice body);
static void print_request_id(td_rng *rng, char ret_id[TD_HTTP_REQUEST_ID_LEN + 1]);
static const char *print_decimal(uint32_t value, char buf[11]);
static void add_cors_headers(td_http_request *request, struct MHD_Response *response, bool is_preflight);
static void add(struct MHD_Response *response, const char *name, const char *value);
static const char *copy_value(td_http_request *request, td_slice value);

enum MHD_Result td_http__answer(td_http_request *request, const td_http_answer *answer)
{
    if (answer->body.len >= CHARGED_BYTES_MIN && !td_http__request_charge(request, answer->body.len)) {
        answer = &td_http__no_room;
    }
    bool is_kept = is_repeatable(request, answer);
    struct MHD_Response *response = is_kept ? repeat_response(request, answer) : new_response(request, answer);
    if (response == NULL) return MHD_NO;
    enum MHD_Result result = MHD_queue_response(request->mhd, answer->status, response);
    if (!is_kept) MHD_destroy_response(response);
    if (result == MHD_YES) {
        request->is_answered = true;
        td_http_connection *connection = request->connection;
        if (connection->phase != TD_HTTP_PHASE_COUNT) td_http__connection_enter(connection, TD_HTTP_ANSWERING);
    }
    return result;
}

enum MHD_Result td_http__answer_without_memory(struct MHD_Connection *mhd)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        sizeof(TD_HTTP_WITHOUT_MEMORY) - 1, (void *)(uintptr_t)TD_HTTP_WITHOUT_MEMORY, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) return MHD_NO;
    add(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/x-amz-json-1.0");
    add(response, MHD_HTTP_HEADER_CONNECTION, "close"); /* there may have been no memory for the connection */
    enum MHD_Result result = MHD_queue_response(mhd, MHD_HTTP_INTERNAL_SERVER_ERROR, response);
    MHD_destroy_response(response);
    return result;
}

/* It is an error or says next to nothing, as data would hardly be the same again; and it has no headers but those that
 * repeat_response gives it. */
static bool is_repeatable(const td_http_request *request, const td_http_answer *answer)
{
    size_t len_max = answer->status == MHD_HTTP_OK ? EMPTY_BYTES_MAX : TD_HTTP_REPEATED_BYTES_MAX;
    bool is_small = answer->body.len > 0 && answer->body.len <= len_max;
    bool has_lines = answer->allow != NULL || answer->location != NULL || answer->etag != NULL ||
                     answer->line_count > 0 || answer->request_id != NULL;
    bool is_special = answer->is_streamed || answer->is_control || answer->is_preflight || answer->must_close;
    return is_small && answer->content_type != NULL && !has_lines && !is_special &&
           !request->worker->is_stopping && request->headers[TD_HTTP_HEADER_ORIGIN].len == 0;
}

/* Borrowed from the request. */
static struct MHD_Response *repeat_response(td_http_request *request, const td_http_answer *answer)
{
    td_http_repeated *last = &request->repeated;
    td_slice body = td_slice_of(last->body, last->body_len);
    if (last->response != NULL && last->content_type == answer->content_type && td_slice_equal(body, answer->body)) {
        MHD_del_response_header(last->response, REQUEST_ID, last->request_id);
    } else {
        MHD_destroy_response(last->response);
        memcpy(last->body, answer->body.ptr, answer->body.len);
        last->body_len = answer->body.len;
        last->content_type = answer->content_type;
        body = td_slice_of(last->body, last->body_len);
        last->response = new_body(answer, body);
        if (last->response == NULL) return NULL;
        add(last->response, "Server", "Server");
        add(last->response, "Content-Type", last->content_type);
        add_checksum(last->response, body);
    }
    print_request_id(&request->worker->rng, last->request_id);
    add(last->response, REQUEST_ID, last->request_id);
    return last->response;
}

static struct MHD_Response *new_response(td_http_request *request, const td_http_answer *answer)
{
    td_slice body = answer->body;
    bool is_live = answer->is_control && answer->lines == NULL;
    bool is_packed =
        !is_live && body.len >= PACKED_BYTES_MIN && request->headers[TD_HTTP_HEADER_ACCEPT_ENCODING].len > 0 &&
        td_http__accepts_gzip(request->headers[TD_HTTP_HEADER_ACCEPT_ENCODING]) && td_http__pack(request, body, &body);
    struct MHD_Response *response = new_body(answer, body);
    if (response == NULL) return NULL;
    add(response, "Server", "Server");
    if (answer->content_type != NULL) add(response, "Content-Type", answer->content_type);
    if (is_packed) add(response, "Content-Encoding", "gzip");
    if (answer->allow != NULL) add(response, "Allow", answer->allow);
    if (answer->location != NULL) add(response, "Location", answer->location);
    if (answer->etag != NULL) add(response, "ETag", answer->etag);
    for (size_t i = 0; i < answer->line_count; i++)
        add(response, answer->lines[i].name, answer->lines[i].value);
    if (answer->is_control) {
        if (is_live) add(response, "Cache-Control", "no-store");
    } else {
        add_service_headers(request, response, answer->request_id,
                            answer->is_streamed || answer->is_preflight ? TD_LIT("") : body);
        if (request->headers[TD_HTTP_HEADER_ORIGIN].len > 0) {
            add_cors_headers(request, response, answer->is_preflight);
        }
    }
    if (answer->must_close || request->worker->is_stopping) add(response, "Connection", "close");
    return response;
}

static struct MHD_Response *new_body(const td_http_answer *answer, td_slice body)
{
    if (answer->is_streamed) {
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 128, end_stream, NULL, NULL);
    }
    void *bytes = (void *)(uintptr_t)body.ptr; /* libmicrohttpd only reads it */
    return MHD_create_response_from_buffer(body.len, bytes, MHD_RESPMEM_PERSISTENT);
}

static ssize_t end_stream(void *cls, uint64_t at, char *buf, size_t max)
{
    (void)cls;
    (void)at;
    (void)buf;
    (void)max;
    return MHD_CONTENT_READER_END_OF_STREAM;
}

static void add_service_headers(td_http_request *request, struct MHD_Response *response, const char *request_id,
                                td_slice body)
{
    char id[TD_HTTP_REQUEST_ID_LEN + 1];
    if (request_id == NULL) print_request_id(&request->worker->rng, id);
    add(response, REQUEST_ID, request_id == NULL ? id : request_id);
    if (body.len > 0) add_checksum(response, body);
}

static void add_checksum(struct MHD_Response *response, td_slice body)
{
    char digits[11];
    add(response, "x-amz-crc32", print_decimal(libdeflate_crc32(0, body.ptr, body.len), digits));
}

/* The id is 52 characters of the alphabet 0-9A-V, five bits each. Eight at a time: forty bits are spread over the bytes
 * of a word, and each byte becomes its character. */
static void print_request_id(td_rng *rng, char ret_id[TD_HTTP_REQUEST_ID_LEN + 1])
{
    char text[(TD_HTTP_REQUEST_ID_LEN + 7) / 8 * 8];
    for (size_t at = 0; at < sizeof(text); at += 8) {
        uint64_t bits = td_rng_next(rng) & 0xFFFFFFFFFFu;
        bits = (bits | bits << 12) & 0x000FFFFF000FFFFFu;
        bits = (bits | bits << 6) & 0x03FF03FF03FF03FFu;
        bits = (bits | bits << 3) & 0x1F1F1F1F1F1F1F1Fu;
        uint64_t is_letter = (bits + 0x7676767676767676u) >> 7 & 0x0101010101010101u; /* 10 and above: 1 */
        bits += 0x3030303030303030u + is_letter * ('A' - '0' - 10);
        memcpy(text + at, &bits, sizeof(bits));
    }
    memcpy(ret_id, text, TD_HTTP_REQUEST_ID_LEN);
    ret_id[TD_HTTP_REQUEST_ID_LEN] = '\0';
}

/* The text ends the buffer. Each answer has one: printf would be a hundredth of its cost. */
static const char *print_decimal(uint32_t value, char buf[11])
{
    char *text = buf + 10;
    *text = '\0';
    do {
        *--text = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return text;
}

/* What a page of an allowed origin may send and see. */
static void add_cors_headers(td_http_request *request, struct MHD_Response *response, bool is_preflight)
{
    td_slice allowed = td_http__allowed_origin(request);
    if (allowed.len == 0) return;
    const char *origin = copy_value(request, allowed);
    if (origin == NULL) return;
    add(response, "Access-Control-Allow-Origin", origin);
    if (origin[0] != '*') add(response, "Vary", "Origin");
    if (!is_preflight) {
        add(response, "Access-Control-Expose-Headers", "x-amzn-RequestId,x-amz-crc32,Date");
        return;
    }
    const char *headers = copy_value(request, request->headers[TD_HTTP_HEADER_CORS_HEADERS]);
    const char *method = copy_value(request, request->headers[TD_HTTP_HEADER_CORS_METHOD]);
    if (headers != NULL && headers[0] != '\0') add(response, "Access-Control-Allow-Headers", headers);
    if (method != NULL && method[0] != '\0') add(response, "Access-Control-Allow-Methods", method);
    add(response, "Access-Control-Max-Age", CORS_MAX_AGE);
}

/* A header that does not fit in memory is left out: the answer is worth more. */
static void add(struct MHD_Response *response, const char *name, const char *value)
{
    enum MHD_Result result = MHD_add_response_header(response, name, value);
    (void)result;
}

static const char *copy_value(td_http_request *request, td_slice value)
{
    char *text = td_arena_alloc(&request->arena, value.len + 1);
    if (text == NULL) return NULL;
    if (value.len > 0) memcpy(text, value.ptr, value.len);
    text[value.len] = '\0';
    return text;
}
