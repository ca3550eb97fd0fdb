/* SPDX-License-Identifier: Apache-2.0
 * headers.c: the head of a request: the headers that are looked at, and whether every reader of it would see the same
 * request. Where a proxy in front could find another end of it, or another one inside, it is refused, and the
 * connection with it (RFC 9112, sections 2.2, 5.1, 5.2, 6.1, 6.3 and 11.2).
 *
 * libmicrohttpd is lenient. It reads a head in place and ends a line by zeros over its CR and LF, and a target by one
 * over the blank before the version: where all were plain, the version stands right behind the target, and each name
 * two bytes behind the value before it. A NUL within a line, a line that is folded, or one that ends by a LF alone
 * leaves another distance.
 *
 * Not seen here: the lines between the chunks of a body, of which libmicrohttpd takes those that end by a LF alone,
 * too. It hands over the bytes of a chunk and nothing around them; a chunk whose line was read before its bytes begins
 * at the start of a buffer where that line stands no longer. To see them all we would have to read the sockets. Only a
 * proxy that passes such a line on as it came and sees no line end in it is deceived; RFC 9112 (7.1) knows no such
 * line. */
#include "http_private.h"

#include <strings.h>

#include "thermodyn/text.h"

typedef struct reading {
    td_http_request *request;
    const char *first; /* NULL: there is no header */
    const char *next;  /* where the next line is to begin */
    bool is_odd;
} reading;

static enum MHD_Result read_line(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                 const char *value, size_t value_len);
static bool is_blank(char c);
static bool is_one_request(const td_http_request *request, const char *version);

bool td_http__headers_read(td_http_request *request, const char *version)
{
    reading read = {.request = request};
    MHD_get_connection_values_n(request->mhd, MHD_HEADER_KIND, read_line, &read);
    if (version != request->version || read.is_odd) return false;
    size_t len = read.first == NULL ? 0 : (size_t)(read.next - read.first);
    return (len == 0 || memchr(read.first, '\r', len) == NULL) && is_one_request(request, version);
}

static enum MHD_Result read_line(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_len,
                                 const char *value, size_t value_len)
{
    static const td_slice names[TD_HTTP_HEADER_COUNT] = {
#define TD_HTTP_HEADER(id, text) [TD_HTTP_HEADER_##id] = TD_LIT_INIT(text),
        TD_HTTP_HEADERS(TD_HTTP_HEADER)
#undef TD_HTTP_HEADER
    };
    (void)kind;
    reading *read = cls;
    if (read->first == NULL) read->first = read->next = name;
    if (name != read->next || name_len == 0 || is_blank(name[0]) || is_blank(name[name_len - 1]) ||
        value[value_len + 1] != '\0') {
        read->is_odd = true;
        return MHD_NO;
    }
    read->next = value + value_len + 2;
    for (size_t i = 0; i < TD_HTTP_HEADER_COUNT; i++) {
        if (names[i].len != name_len || strncasecmp((const char *)names[i].ptr, name, name_len) != 0) continue;
        td_slice *header = &read->request->headers[i];
        bool frames = i == TD_HTTP_HEADER_HOST || i == TD_HTTP_HEADER_CONTENT_LENGTH ||
                      i == TD_HTTP_HEADER_TRANSFER_ENCODING;
        if (header->ptr == NULL)
            *header = td_slice_of(value, value_len);
        else if (frames)
            read->is_odd = true;
        break;
    }
    return MHD_YES;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* With one length and one host. A coding of the transfer that is not known hides where the body ends. */
static bool is_one_request(const td_http_request *request, const char *version)
{
    bool is_1_1 = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    if (!is_1_1 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0) return false;
    if (is_1_1 && request->headers[TD_HTTP_HEADER_HOST].ptr == NULL) return false;
    td_slice coding = request->headers[TD_HTTP_HEADER_TRANSFER_ENCODING];
    if (coding.ptr == NULL) return true;
    bool has_length = request->headers[TD_HTTP_HEADER_CONTENT_LENGTH].ptr != NULL;
    td_slice chunked = TD_LIT("chunked");
    return is_1_1 && !has_length && coding.len == chunked.len &&
           strncasecmp((const char *)coding.ptr, (const char *)chunked.ptr, chunked.len) == 0;
}
