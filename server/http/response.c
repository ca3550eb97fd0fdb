/* SPDX-License-Identifier: MIT
 * response.c: from an answer to libmicrohttpd: the headers that the service sends, its request id, the checksum, gzip.
 *
 * x-amz-crc32 is gzip's CRC of the body as it goes over the wire, so of the compressed bytes when it is compressed: the
 * SDKs that check it do so before they unpack.
 * What is live, metrics and control endpoints, is asked again and again by whoever watches, and is not packed: that
 * would take as long as all the rest.
 * The body is not copied: libmicrohttpd reads it from the request until completion. */
#include "http_private.h"

#include <libdeflate.h>

#define REQUEST_ID_LEN 52
#define PACKED_BYTES_MIN 1024 /* smaller answers fit one packet anyway */
#define CHARGED_BYTES_MIN ((size_t)64 * 1024) /* a smaller answer is in the socket's buffer at once */
#define CORS_MAX_AGE "172800" /* two days, as the service says */

static struct MHD_Response *new_response(const td_http_answer *answer, td_slice body);
static ssize_t end_stream(void *cls, uint64_t at, char *buf, size_t max);
static void add_service_headers(td_http_request *request, struct MHD_Response *response, const char *request_id,
                                td_slice body);
static void print_request_id(td_rng *rng, char ret_id[REQUEST_ID_LEN + 1]);
static const char *print_decimal(uint32_t value, char buf[11]);
static void add_cors_headers(td_http_request *request, struct MHD_Response *response, bool is_preflight);
static void add(struct MHD_Response *response, const char *name, const char *value);
static const char *copy_value(td_http_request *request, td_slice value);

enum MHD_Result td_http__answer(td_http_request *request, const td_http_answer *answer)
{
    if (answer->body.len >= CHARGED_BYTES_MIN && !td_http__request_charge(request, answer->body.len)) {
        answer = &td_http__no_room;
    }
    td_slice body = answer->body;
    bool is_live = answer->is_control && answer->lines == NULL;
    bool is_packed =
        !is_live && body.len >= PACKED_BYTES_MIN && request->headers[TD_HTTP_HEADER_ACCEPT_ENCODING].len > 0 &&
        td_http__accepts_gzip(request->headers[TD_HTTP_HEADER_ACCEPT_ENCODING]) && td_http__pack(request, body, &body);
    struct MHD_Response *response = new_response(answer, body);
    if (response == NULL) return MHD_NO;
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
    enum MHD_Result result = MHD_queue_response(request->mhd, answer->status, response);
    MHD_destroy_response(response);
    if (result == MHD_YES) {
        request->is_answered = true;
        td_http_connection *connection = request->connection;
        if (connection->phase != TD_HTTP_PHASE_COUNT) td_http__connection_enter(connection, TD_HTTP_ANSWERING);
    }
    return result;
}

static struct MHD_Response *new_response(const td_http_answer *answer, td_slice body)
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
    char id[REQUEST_ID_LEN + 1];
    if (request_id == NULL) print_request_id(&request->worker->rng, id);
    add(response, "x-amzn-RequestId", request_id == NULL ? id : request_id);
    if (body.len == 0) return;
    char digits[11];
    add(response, "x-amz-crc32", print_decimal(libdeflate_crc32(0, body.ptr, body.len), digits));
}

/* The id is 52 characters of the alphabet 0-9A-V, five bits each. Eight at a time: forty bits are spread over the bytes
 * of a word, and each byte becomes its character. */
static void print_request_id(td_rng *rng, char ret_id[REQUEST_ID_LEN + 1])
{
    char text[(REQUEST_ID_LEN + 7) / 8 * 8];
    for (size_t at = 0; at < sizeof(text); at += 8) {
        uint64_t bits = td_rng_next(rng) & 0xFFFFFFFFFFu;
        bits = (bits | bits << 12) & 0x000FFFFF000FFFFFu;
        bits = (bits | bits << 6) & 0x03FF03FF03FF03FFu;
        bits = (bits | bits << 3) & 0x1F1F1F1F1F1F1F1Fu;
        uint64_t is_letter = (bits + 0x7676767676767676u) >> 7 & 0x0101010101010101u; /* 10 and above: 1 */
        bits += 0x3030303030303030u + is_letter * ('A' - '0' - 10);
        memcpy(text + at, &bits, sizeof(bits));
    }
    memcpy(ret_id, text, REQUEST_ID_LEN);
    ret_id[REQUEST_ID_LEN] = '\0';
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
