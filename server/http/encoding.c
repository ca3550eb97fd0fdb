/* SPDX-License-Identifier: Apache-2.0
 * encoding.c: gzip and deflate bodies of requests, gzip answers, by zlib.
 * Unpacking is bounded by the body's own limit, so that a small body cannot become a large one. */
#include "http_private.h"

#include <strings.h>
#include <zlib.h>

#include "thermodyn/limits.h"
#include "thermodyn/memory.h"

#define PIECE_BYTES ((size_t)64 * 1024)
#define PACK_LEVEL 1          /* answers go to the same machine or the next: time is dearer than bytes */
#define WINDOW_GZIP (15 + 16)  /* zlib's codes for "write gzip" and "read gzip or zlib" */
#define WINDOW_EITHER (15 + 32)

static void *allocate(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return td_alloc((size_t)count * size);
}

static void release(void *opaque, void *memory)
{
    (void)opaque;
    td_free(memory);
}

static bool is_coding(td_slice value, const char *name)
{
    return value.len == strlen(name) && strncasecmp((const char *)value.ptr, name, value.len) == 0;
}

unsigned td_http__unpack_body(td_http_request *request)
{
    td_slice coding = request->headers[TD_HTTP_HEADER_CONTENT_ENCODING];
    if (is_coding(coding, "identity")) return MHD_HTTP_OK;
    if (!is_coding(coding, "gzip") && !is_coding(coding, "x-gzip") && !is_coding(coding, "deflate")) {
        return MHD_HTTP_UNSUPPORTED_MEDIA_TYPE;
    }
    z_stream stream = {.zalloc = allocate, .zfree = release};
    if (inflateInit2(&stream, WINDOW_EITHER) != Z_OK) return MHD_HTTP_INTERNAL_SERVER_ERROR;
    td_buf_clear(&request->packed);
    stream.next_in = request->body.data;
    stream.avail_in = (unsigned)request->body.len;
    int state = Z_OK;
    while (state == Z_OK && request->packed.len <= TD_LIMIT_REQUEST_BODY_BYTES_MAX) {
        uint8_t *place = td_buf_reserve(&request->packed, PIECE_BYTES);
        if (place == NULL) break;
        stream.next_out = place;
        stream.avail_out = PIECE_BYTES;
        state = inflate(&stream, Z_NO_FLUSH);
        td_buf_commit(&request->packed, PIECE_BYTES - stream.avail_out);
    }
    bool has_rest = stream.avail_in > 0;
    inflateEnd(&stream);
    if (request->packed.len > TD_LIMIT_REQUEST_BODY_BYTES_MAX) return MHD_HTTP_CONTENT_TOO_LARGE;
    if (td_buf_has_failed(&request->packed)) return MHD_HTTP_INTERNAL_SERVER_ERROR;
    if (state != Z_STREAM_END || has_rest) return MHD_HTTP_BAD_REQUEST;
    td_buf unpacked = request->packed;
    request->packed = request->body;
    request->body = unpacked;
    request->is_unpacked = true;
    return MHD_HTTP_OK;
}

/* gzip stands in the list, and not with q=0. */
bool td_http__accepts_gzip(td_slice list)
{
    const char *at = (const char *)list.ptr;
    const char *end = at + list.len;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma == NULL ? end : comma;
        while (at < stop && (*at == ' ' || *at == '\t')) {
            at++;
        }
        size_t len = (size_t)(stop - at);
        bool is_gzip = len >= 4 && strncasecmp(at, "gzip", 4) == 0 && (len == 4 || at[4] == ';' || at[4] == ' ');
        if (is_gzip) {
            const char *weight = memmem(at, len, "q=", 2);
            return weight == NULL || strspn(weight + 2, "0.") < (size_t)strcspn(weight + 2, " ,;");
        }
        at = comma == NULL ? end : comma + 1;
    }
    return false;
}

bool td_http__pack(td_http_request *request, td_slice body, td_slice *ret_packed)
{
    z_stream stream = {.zalloc = allocate, .zfree = release};
    if (deflateInit2(&stream, PACK_LEVEL, Z_DEFLATED, WINDOW_GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    td_buf_clear(&request->packed);
    uint8_t *place = td_buf_reserve(&request->packed, body.len);
    int state = Z_BUF_ERROR;
    if (place != NULL) {
        stream.next_in = (uint8_t *)(uintptr_t)body.ptr; /* zlib only reads it */
        stream.avail_in = (unsigned)body.len;
        stream.next_out = place;
        stream.avail_out = (unsigned)body.len;
        state = deflate(&stream, Z_FINISH);
        td_buf_commit(&request->packed, body.len - stream.avail_out);
    }
    deflateEnd(&stream);
    if (state != Z_STREAM_END) return false;
    *ret_packed = td_buf_contents(&request->packed);
    return true;
}
