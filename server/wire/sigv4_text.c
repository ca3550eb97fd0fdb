/* SPDX-License-Identifier: Apache-2.0
 * sigv4_text.c: the canonical request and the string to sign.
 *
 *   METHOD \n path \n sorted query \n each signed header as name:value\n … \n names \n digits of SHA-256(body)
 *   AWS4-HMAC-SHA256 \n time \n day/region/service/term \n digits of SHA-256(canonical request)
 *
 * Not here: what is decided of them (sigv4.c). Paths are not normalised: only those that this server has get here. */
#include "wire/sigv4.h"

#include <nettle/sha2.h>
#include <stdlib.h>

#include "thermodyn/text.h"

#define ALGORITHM "AWS4-HMAC-SHA256"

enum { ENCODED_BYTES = 3 }; /* of one byte, at most */

typedef struct query_parameter {
    td_slice name; /* encoded */
    td_slice value;
} query_parameter;

static void append_query(td_buf *text, td_slice query, td_arena *arena);
static bool read_parameter(td_slice part, td_arena *arena, query_parameter *ret_parameter);
static bool encode_again(td_slice text, td_arena *arena, td_slice *ret_text);
static size_t encode_byte(uint8_t byte, uint8_t ret_bytes[ENCODED_BYTES]);
static int compare_parameters(const void *a, const void *b);
static void append_headers(td_buf *text, const td_identity *identity, const td_signed_request *request,
                           td_arena *arena);
static void append_trimmed(td_buf *text, td_slice value);
static void append_path(td_buf *text, td_slice path);
static void append_sha256(td_buf *text, td_slice bytes);
static td_slice cut(td_slice *rest, uint8_t end);

void td_sigv4__append_canonical(td_buf *text, const td_identity *identity, const td_signed_request *request,
                                td_arena *arena)
{
    td_buf_append(text, request->method);
    td_buf_append_byte(text, '\n');
    append_path(text, request->path);
    td_buf_append_byte(text, '\n');
    append_query(text, request->query, arena);
    td_buf_append_byte(text, '\n');
    append_headers(text, identity, request, arena);
    td_buf_append_byte(text, '\n');
    td_buf_append(text, identity->signed_headers);
    td_buf_append_byte(text, '\n');
    append_sha256(text, request->body);
}

void td_sigv4__append_to_sign(td_buf *text, const td_identity *identity, td_slice time, td_slice canonical)
{
    const td_slice scope[] = {identity->day, identity->region, identity->service, identity->term};
    td_buf_append_lit(text, ALGORITHM "\n");
    td_buf_append(text, time);
    for (size_t i = 0; i < TD_COUNT_OF(scope); i++) {
        td_buf_append_byte(text, i == 0 ? '\n' : '/');
        td_buf_append(text, scope[i]);
    }
    td_buf_append_byte(text, '\n');
    append_sha256(text, canonical);
}

void td_sigv4__append_digits(td_buf *text, td_slice bytes)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *at = td_buf_reserve(text, 2 * bytes.len);
    if (at == NULL) return;
    for (size_t i = 0; i < bytes.len; i++) {
        *at++ = (uint8_t)digits[bytes.ptr[i] >> 4];
        *at++ = (uint8_t)digits[bytes.ptr[i] & 15];
    }
    td_buf_commit(text, 2 * bytes.len);
}

/* Sorted by encoded name, then value; a presigned URL's signature is not among what it signs. */
static void append_query(td_buf *text, td_slice query, td_arena *arena)
{
    size_t count_max = 1;
    for (size_t i = 0; i < query.len; i++)
        count_max += query.ptr[i] == '&';
    query_parameter *parameters = td_arena_alloc_array(arena, count_max, sizeof *parameters);
    size_t count = 0;
    bool has_memory = parameters != NULL;
    while (has_memory && query.len > 0) {
        td_slice part = cut(&query, '&');
        if (part.len == 0) continue;
        has_memory = read_parameter(part, arena, &parameters[count]);
        if (has_memory && !td_slice_equal(parameters[count].name, TD_LIT("X-Amz-Signature"))) count++;
    }
    if (!has_memory) {
        text->failed = true;
        return;
    }
    qsort(parameters, count, sizeof *parameters, compare_parameters);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) td_buf_append_byte(text, '&');
        td_buf_append(text, parameters[i].name);
        td_buf_append_byte(text, '=');
        td_buf_append(text, parameters[i].value);
    }
}

static bool read_parameter(td_slice part, td_arena *arena, query_parameter *ret_parameter)
{
    td_slice value = part;
    td_slice name = cut(&value, '=');
    return encode_again(name, arena, &ret_parameter->name) && encode_again(value, arena, &ret_parameter->value);
}

/* What came percent-encoded in whichever way, in the one way that is signed. */
static bool encode_again(td_slice text, td_arena *arena, td_slice *ret_text)
{
    uint8_t *plain = td_arena_alloc(arena, text.len);
    uint8_t *encoded = td_arena_alloc(arena, ENCODED_BYTES * text.len);
    if (plain == NULL || encoded == NULL) return false;
    size_t plain_len = td_percent_decode(text, plain);
    size_t len = 0;
    for (size_t i = 0; i < plain_len; i++)
        len += encode_byte(plain[i], encoded + len);
    *ret_text = td_slice_of(encoded, len);
    return true;
}

/* Answers how many bytes it became. */
static size_t encode_byte(uint8_t byte, uint8_t ret_bytes[ENCODED_BYTES])
{
    bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
    ret_bytes[0] = byte;
    if (is_letter || byte == '-' || byte == '_' || byte == '.' || byte == '~') return 1;
    ret_bytes[0] = '%';
    ret_bytes[1] = (uint8_t)"0123456789ABCDEF"[byte >> 4];
    ret_bytes[2] = (uint8_t)"0123456789ABCDEF"[byte & 15];
    return ENCODED_BYTES;
}

static int compare_parameters(const void *a, const void *b)
{
    const query_parameter *left = a;
    const query_parameter *right = b;
    int order = td_slice_compare(left->name, right->name);
    return order != 0 ? order : td_slice_compare(left->value, right->value);
}

static void append_headers(td_buf *text, const td_identity *identity, const td_signed_request *request,
                           td_arena *arena)
{
    td_slice names = identity->signed_headers;
    while (names.len > 0) {
        td_slice name = cut(&names, ';');
        td_slice value = TD_LIT("");
        if (!request->find_header(request->headers, name, arena, &value)) value = TD_LIT("");
        td_buf_append(text, name);
        td_buf_append_byte(text, ':');
        append_trimmed(text, value);
        td_buf_append_byte(text, '\n');
    }
}

/* Without blanks at its ends; several in a row become one. */
static void append_trimmed(td_buf *text, td_slice value)
{
    bool is_begun = false;
    bool owes_blank = false;
    for (size_t i = 0; i < value.len; i++) {
        uint8_t byte = value.ptr[i];
        if (byte == ' ' || byte == '\t') {
            owes_blank = is_begun;
            continue;
        }
        if (owes_blank) td_buf_append_byte(text, ' ');
        td_buf_append_byte(text, byte);
        is_begun = true;
        owes_blank = false;
    }
}

static void append_path(td_buf *text, td_slice path)
{
    for (size_t i = 0; i < path.len; i++) {
        uint8_t encoded[ENCODED_BYTES] = {'/'};
        size_t len = path.ptr[i] == '/' ? 1 : encode_byte(path.ptr[i], encoded);
        td_buf_append(text, td_slice_of(encoded, len));
    }
}

static void append_sha256(td_buf *text, td_slice bytes)
{
    struct sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&hash);
    sha256_update(&hash, bytes.len, bytes.ptr);
    sha256_digest(&hash, sizeof digest, digest);
    td_sigv4__append_digits(text, td_slice_of(digest, sizeof digest));
}

/* What stands before `end`, which is passed; all of the rest when there is none. */
static td_slice cut(td_slice *rest, uint8_t end)
{
    const uint8_t *at = rest->len == 0 ? NULL : memchr(rest->ptr, end, rest->len);
    size_t len = at == NULL ? rest->len : (size_t)(at - rest->ptr);
    td_slice part = td_slice_of(rest->ptr, len);
    size_t passed = at == NULL ? len : len + 1;
    *rest = td_slice_of(rest->ptr + passed, rest->len - passed);
    return part;
}
