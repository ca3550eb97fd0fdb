/* SPDX-License-Identifier: Apache-2.0
 * encoding.c: gzip and deflate bodies of requests, gzip answers, by libdeflate.
 * Unpacking is bounded by the body's own limit, so that a small body cannot become a large one: what says that it would
 * is not unpacked at all. */
#include "http_private.h"

#include <libdeflate.h>
#include <strings.h>

#include "thermodyn/limits.h"

#define PACK_LEVEL 1          /* answers go to the same machine or the next: time is dearer than bytes */
#define UNPACKED_PER_BYTE 1032 /* deflate makes no more of a byte (zlib's technical notes) */
#define TRAILER_BYTES 4       /* of gzip: how long the text was */

typedef enum libdeflate_result unpacking(struct libdeflate_decompressor *, const void *, size_t, void *, size_t,
                                         size_t *, size_t *);

static bool is_coding(td_slice value, const char *name);
static unsigned unpack(struct libdeflate_decompressor *decompressor, td_slice body, td_buf *unpacked);
static size_t most_of(td_slice body, bool is_gzip);

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
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL) return MHD_HTTP_INTERNAL_SERVER_ERROR;
    td_buf_clear(&request->packed);
    unsigned status = unpack(decompressor, td_buf_contents(&request->body), &request->packed);
    libdeflate_free_decompressor(decompressor);
    if (status != MHD_HTTP_OK) return status;
    td_buf unpacked = request->packed;
    request->packed = request->body;
    request->body = unpacked;
    request->is_unpacked = true;
    return MHD_HTTP_OK;
}

/* Either form is taken under either name, as most servers do. */
static unsigned unpack(struct libdeflate_decompressor *decompressor, td_slice body, td_buf *unpacked)
{
    bool is_gzip = body.len >= 2 && body.ptr[0] == 0x1f && body.ptr[1] == 0x8b;
    unpacking *decompress = is_gzip ? libdeflate_gzip_decompress_ex : libdeflate_zlib_decompress_ex;
    size_t most = most_of(body, is_gzip);
    if (is_gzip && most > TD_LIMIT_REQUEST_BODY_BYTES_MAX) return MHD_HTTP_CONTENT_TOO_LARGE;
    if (most > TD_LIMIT_REQUEST_BODY_BYTES_MAX) most = TD_LIMIT_REQUEST_BODY_BYTES_MAX;
    uint8_t *place = td_buf_reserve(unpacked, most + 1); /* of nothing there is no place */
    if (place == NULL) return MHD_HTTP_INTERNAL_SERVER_ERROR;
    size_t read = 0;
    size_t written = 0;
    enum libdeflate_result result = decompress(decompressor, body.ptr, body.len, place, most, &read, &written);
    bool is_too_long = result == LIBDEFLATE_INSUFFICIENT_SPACE && most == TD_LIMIT_REQUEST_BODY_BYTES_MAX;
    if (is_too_long) return MHD_HTTP_CONTENT_TOO_LARGE;
    if (result != LIBDEFLATE_SUCCESS || read != body.len) return MHD_HTTP_BAD_REQUEST;
    td_buf_commit(unpacked, written);
    return MHD_HTTP_OK;
}

/* How long it may become: gzip says it itself, but not more than can be made of so many bytes. */
static size_t most_of(td_slice body, bool is_gzip)
{
    size_t possible = body.len * UNPACKED_PER_BYTE;
    if (!is_gzip || body.len < TRAILER_BYTES) return possible;
    const uint8_t *trailer = body.ptr + body.len - TRAILER_BYTES;
    size_t said = (size_t)trailer[0] | (size_t)trailer[1] << 8 | (size_t)trailer[2] << 16 | (size_t)trailer[3] << 24;
    return said < possible ? said : possible;
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
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(PACK_LEVEL);
    if (compressor == NULL) return false;
    td_buf_clear(&request->packed);
    uint8_t *place = td_buf_reserve(&request->packed, body.len);
    size_t len = place == NULL ? 0 : libdeflate_gzip_compress(compressor, body.ptr, body.len, place, body.len);
    libdeflate_free_compressor(compressor);
    if (len == 0) return false;
    td_buf_commit(&request->packed, len);
    *ret_packed = td_buf_contents(&request->packed);
    return true;
}
