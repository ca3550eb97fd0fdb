/* SPDX-License-Identifier: Apache-2.0
 * sigv4.c: any bytes as a signed request, one part a line: Authorization, date, query, path, then headers "name:value".
 * Whatever is refused for its digits alone is taken with the right ones, and refused again when one of them changes. */
#include "wire/sigv4.h"

#include <nettle/hmac.h>

#include "fuzz/fuzz.h"

enum { ARENA_BYTES_MAX = 16 << 20, DIGITS_LEN = 2 * SHA256_DIGEST_SIZE, TEXT_BYTES_MAX = 1 << 20 };

#define NOW_US (INT64_C(1440938160) * TD_US_PER_S) /* of the examples: 20150830T123600Z */
#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

static td_slice cut(td_slice *rest, uint8_t end)
{
    const uint8_t *at = rest->len == 0 ? NULL : memchr(rest->ptr, end, rest->len);
    size_t len = at == NULL ? rest->len : (size_t)(at - rest->ptr);
    td_slice part = td_slice_of(rest->ptr, len);
    size_t passed = at == NULL ? len : len + 1;
    *rest = td_slice_of(rest->ptr + passed, rest->len - passed);
    return part;
}

/* The first line of the name. */
static bool find_header(const void *headers, td_slice name, td_arena *arena, td_slice *ret_value)
{
    (void)arena;
    td_slice rest = *(const td_slice *)headers;
    while (rest.len > 0) {
        td_slice value = cut(&rest, '\n');
        if (!td_slice_equal(cut(&value, ':'), name)) continue;
        *ret_value = value;
        return true;
    }
    return false;
}

/* The digits that a client with the secret key writes. */
static td_slice sign(const td_identity *identity, const td_signed_request *request, td_slice time, td_buf *digits,
                     td_arena *arena)
{
    td_buf canonical, to_sign;
    td_buf_init(&canonical, TEXT_BYTES_MAX);
    td_buf_init(&to_sign, TEXT_BYTES_MAX);
    td_sigv4__append_canonical(&canonical, identity, request, arena);
    td_sigv4__append_to_sign(&to_sign, identity, time, td_buf_contents(&canonical));
    TD_ASSERT(!td_buf_has_failed(&canonical) && !td_buf_has_failed(&to_sign));
    const td_slice steps[] = {identity->day, identity->region, identity->service, identity->term,
                              td_buf_contents(&to_sign)};
    struct hmac_sha256_ctx hmac;
    uint8_t digest[SHA256_DIGEST_SIZE];
    td_slice key = TD_LIT("AWS4" SECRET);
    for (size_t i = 0; i < TD_COUNT_OF(steps); i++) {
        hmac_sha256_set_key(&hmac, key.len, key.ptr);
        hmac_sha256_update(&hmac, steps[i].len, steps[i].ptr);
        hmac_sha256_digest(&hmac, sizeof digest, digest);
        key = td_slice_of(digest, sizeof digest);
    }
    td_sigv4__append_digits(digits, key);
    td_buf_done(&to_sign);
    td_buf_done(&canonical);
    return td_buf_contents(digits);
}

static void check(td_identity *identity, const td_signed_request *request, td_error *error)
{
    const td_credential credential = {
        .access_key = identity->access_key, .secret_key = TD_LIT(SECRET), .token = identity->token};
    td_slice service = TD_LIT("dynamodb");
    td_status status = td_sigv4_check(identity, request, &credential, service, NOW_US, error);
    TD_ASSERT(status == TD_OK || error->text.len > 0);
    if (status != TD_INVALID_SIGNATURE) return;
    td_buf digits;
    td_buf_init(&digits, DIGITS_LEN + 1);
    char time[] = "20150830T123600Z";
    if (identity->time.len == sizeof time - 1) memcpy(time, identity->time.ptr, sizeof time - 1);
    identity->digits = sign(identity, request, td_slice_of_cstr(time), &digits, error->arena);
    status = td_sigv4_check(identity, request, &credential, service, NOW_US, error);
    if (status == TD_OK) {
        digits.data[request->query.len % DIGITS_LEN] ^= 1;
        TD_ASSERT(td_sigv4_check(identity, request, &credential, service, NOW_US, error) == TD_INVALID_SIGNATURE);
    }
    td_buf_done(&digits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice copy = fuzz_copy(data, size);
    td_slice rest = copy;
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    td_error error = {.arena = &arena};
    td_identity identity;
    td_envelope envelope = {.authorization = cut(&rest, '\n'), .date = cut(&rest, '\n')};
    envelope.query = cut(&rest, '\n');
    td_signed_request request = {.method = TD_LIT_INIT("POST"), .find_header = find_header, .headers = &rest};
    request.query = envelope.query;
    request.path = cut(&rest, '\n');
    request.body = rest;
    if (td_identity_parse(&envelope, &identity, &error) == TD_OK) check(&identity, &request, &error);
    td_arena_done(&arena);
    fuzz_done(copy);
    return 0;
}
