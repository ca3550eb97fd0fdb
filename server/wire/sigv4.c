/* SPDX-License-Identifier: Apache-2.0
 * sigv4.c: whether a signature is right.
 *
 * Model:    the key is looked for first, then the scope is judged, then the time (five minutes of difference are
 *           allowed, or the lifetime of a presigned URL), and the digits last. The answer to wrong digits shows both
 *           texts that were to be signed, as the service's does.
 * Source:   texts of clients' reports of the service's answers; that of the scope's day and of a host that is not
 *           signed from its guide to troubleshooting.
 * Not here: the texts that are signed (sigv4_text.c), where a signature stands (auth.c). */
#include "wire/sigv4.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <time.h>

#include "thermodyn/text.h"

#define SKEW_S 300
#define LIFETIME_S_MAX (7 * 24 * 3600) /* of a presigned URL */
#define TERM "aws4_request"
#define DIGITS_LEN (2 * SHA256_DIGEST_SIZE)
#define TEXT_BYTES_MAX ((size_t)1024 * 1024)
#define TIME_FORM "%Y%m%dT%H%M%SZ"
#define TIME_BYTES 17
#define HTTP_FORM "%a, %d %b %Y %H:%M:%S GMT"

static td_status check_credential(const td_identity *identity, const td_credential *credential, td_error *error);
static td_status check_scope(const td_identity *identity, td_slice service, td_error *error);
static td_status check_host(const td_identity *identity, td_error *error);
static td_status check_time(const td_identity *identity, td_time_us now_us, char ret_time[TIME_BYTES],
                            td_error *error);
static int64_t age_limit_of(const td_identity *identity);
static td_status check_digits(const td_identity *identity, const td_signed_request *request,
                              const td_credential *credential, td_slice time, td_error *error);
static void append_signature(td_buf *digits, const td_identity *identity, const td_credential *credential,
                             td_slice text);
static bool is_same_secret(td_slice a, td_slice b);
static bool read_time(td_slice text, int64_t *ret_time_s);
static void print_time(int64_t time_s, char ret_text[TIME_BYTES]);

td_status td_sigv4_check(const td_identity *identity, const td_signed_request *request,
                         const td_credential *credential, td_slice service, td_time_us now_us, td_error *error)
{
    char time[TIME_BYTES];
    TD_TRY(check_credential(identity, credential, error));
    TD_TRY(check_scope(identity, service, error));
    TD_TRY(check_host(identity, error));
    TD_TRY(check_time(identity, now_us, time, error));
    return check_digits(identity, request, credential, td_slice_of_cstr(time), error);
}

/* A token is part of a session's credential, and of no other. */
static td_status check_credential(const td_identity *identity, const td_credential *credential, td_error *error)
{
    if (credential != NULL && is_same_secret(credential->token, identity->token)) return TD_OK;
    return TD_RAISE(error, TD_MSG_CLIENT_UNRECOGNIZED);
}

static td_status check_scope(const td_identity *identity, td_slice service, td_error *error)
{
    if (!td_slice_equal(identity->service, service)) return TD_RAISE(error, TD_MSG_SCOPE_OF_SERVICE, service);
    if (!td_slice_equal(identity->term, TD_LIT(TERM))) return TD_RAISE(error, TD_MSG_SCOPE_OF_TERM, identity->term);
    return TD_OK;
}

static td_status check_host(const td_identity *identity, td_error *error)
{
    td_slice names = identity->signed_headers;
    for (size_t start = 0, at = 0; at <= names.len; at++) {
        if (at < names.len && names.ptr[at] != ';') continue;
        if (td_slice_equal(td_slice_of(names.ptr + start, at - start), TD_LIT("host"))) return TD_OK;
        start = at + 1;
    }
    return TD_RAISE(error, TD_MSG_HOST_NOT_SIGNED);
}

/* Writes the time in the form that is signed. */
static td_status check_time(const td_identity *identity, td_time_us now_us, char ret_time[TIME_BYTES],
                            td_error *error)
{
    int64_t signed_s = 0;
    if (!read_time(identity->time, &signed_s)) return TD_RAISE(error, TD_MSG_SIGNED_TIME_INVALID, identity->time);
    print_time(signed_s, ret_time);
    td_slice time = td_slice_of_cstr(ret_time);
    td_slice day = td_slice_of(time.ptr, 8);
    if (!td_slice_equal(identity->day, day)) return TD_RAISE(error, TD_MSG_SCOPE_OF_DAY, identity->day, day, time);

    int64_t now_s = now_us / TD_US_PER_S;
    int64_t age_s_max = age_limit_of(identity);
    char limit[TIME_BYTES];
    char now[TIME_BYTES];
    print_time(now_s, now);
    if (signed_s > now_s + SKEW_S) {
        print_time(now_s + SKEW_S, limit);
        return TD_RAISE(error, TD_MSG_SIGNED_IN_FUTURE, time, td_slice_of_cstr(limit), td_slice_of_cstr(now),
                        td_error_int(error, SKEW_S / 60));
    }
    if (signed_s < now_s - age_s_max) {
        print_time(now_s - age_s_max, limit);
        return TD_RAISE(error, TD_MSG_SIGNED_TOO_LONG_AGO, time, td_slice_of_cstr(limit), td_slice_of_cstr(now),
                        td_error_int(error, age_s_max / 60));
    }
    return TD_OK;
}

/* A lifetime that is no number of seconds within its bounds is none. */
static int64_t age_limit_of(const td_identity *identity)
{
    int64_t lifetime_s = 0;
    if (identity->lifetime.len == 0) return SKEW_S;
    bool is_number = td_parse_int64(identity->lifetime, &lifetime_s);
    return is_number && lifetime_s >= 0 && lifetime_s <= LIFETIME_S_MAX ? lifetime_s : 0;
}

static td_status check_digits(const td_identity *identity, const td_signed_request *request,
                              const td_credential *credential, td_slice time, td_error *error)
{
    td_buf canonical, to_sign, digits;
    td_buf_init(&canonical, TEXT_BYTES_MAX);
    td_buf_init(&to_sign, TEXT_BYTES_MAX);
    td_buf_init(&digits, DIGITS_LEN + 1);
    td_sigv4__append_canonical(&canonical, identity, request, error->arena);
    td_sigv4__append_to_sign(&to_sign, identity, time, td_buf_contents(&canonical));
    append_signature(&digits, identity, credential, td_buf_contents(&to_sign));

    td_status status = TD_OK;
    if (td_buf_has_failed(&canonical) || td_buf_has_failed(&to_sign) || td_buf_has_failed(&digits)) {
        status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    } else if (!is_same_secret(identity->digits, td_buf_contents(&digits))) {
        status = TD_RAISE(error, TD_MSG_SIGNATURE_WRONG, td_buf_contents(&canonical), td_buf_contents(&to_sign));
    }
    td_buf_done(&digits);
    td_buf_done(&to_sign);
    td_buf_done(&canonical);
    return status;
}

/* Each step's digest is the next one's key: the day, region, service and term, then the text itself. */
static void append_signature(td_buf *digits, const td_identity *identity, const td_credential *credential,
                             td_slice text)
{
    const td_slice steps[] = {identity->day, identity->region, identity->service, identity->term, text};
    struct hmac_sha256_ctx hmac;
    uint8_t digest[SHA256_DIGEST_SIZE];
    td_buf key;
    td_buf_init(&key, TEXT_BYTES_MAX);
    td_buf_append_lit(&key, "AWS4");
    td_buf_append(&key, credential->secret_key);
    if (td_buf_has_failed(&key)) digits->failed = true;
    hmac_sha256_set_key(&hmac, key.len, key.data);
    for (size_t i = 0; i < TD_COUNT_OF(steps); i++) {
        if (i > 0) hmac_sha256_set_key(&hmac, sizeof digest, digest);
        hmac_sha256_update(&hmac, steps[i].len, steps[i].ptr);
        hmac_sha256_digest(&hmac, sizeof digest, digest);
    }
    td_sigv4__append_digits(digits, td_slice_of(digest, sizeof digest));
    td_buf_done(&key);
}

/* Takes as long wherever the texts differ; their lengths are no secret. */
static bool is_same_secret(td_slice a, td_slice b)
{
    return a.len == b.len && (a.len == 0 || memeql_sec(a.ptr, b.ptr, a.len));
}

/* ISO 8601's basic form, as X-Amz-Date has it, or the form of the header Date. strptime takes more than one spelling of
 * a time, and only one was signed: so it is printed again. */
static bool read_time(td_slice text, int64_t *ret_time_s)
{
    char copy[40];
    char again[sizeof copy];
    if (text.len >= sizeof copy || text.len == 0) return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    struct tm parts = {0};
    bool is_time = strptime(copy, TIME_FORM, &parts) != NULL && strftime(again, sizeof again, TIME_FORM, &parts) > 0 &&
                   strcmp(again, copy) == 0;
    if (!is_time) {
        parts = (struct tm){0};
        is_time = strptime(copy, HTTP_FORM, &parts) != NULL && strftime(again, sizeof again, HTTP_FORM, &parts) > 0 &&
                  strcmp(again, copy) == 0;
    }
    if (is_time) *ret_time_s = timegm(&parts);
    return is_time;
}

static void print_time(int64_t time_s, char ret_text[TIME_BYTES])
{
    struct tm parts;
    time_t time = (time_t)time_s;
    bool is_printed = gmtime_r(&time, &parts) != NULL && strftime(ret_text, TIME_BYTES, TIME_FORM, &parts) > 0;
    if (!is_printed) ret_text[0] = '\0';
}
