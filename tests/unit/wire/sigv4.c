/* SPDX-License-Identifier: Apache-2.0
 * sigv4.c: tests of signatures: the public vectors, each bit of a signed request, scopes, times, tokens. */
#include "wire/sigv4.h"

#include "suites.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define SIGNED_AT_S INT64_C(1440938160) /* 20150830T123600Z */
#define NOT_MATCHING "The request signature we calculated does not match the signature you provided. "

typedef struct vector {
    const char *name;
    const char *method;
    const char *path;
    const char *query;
    const char *headers; /* a line each */
    const char *body;
    const char *signed_headers;
    const char *digits;
} vector;

static const vector vectors[] = {
#define TD_SIGV4_VECTOR(name, ...) {#name, __VA_ARGS__},
#include "sigv4_vectors.def"
#undef TD_SIGV4_VECTOR
};

static td_fixture fixture;
static td_identity identity;
static td_signed_request request;
static td_credential credential;

static void setup(void) { td_fixture_init(&fixture); }
static void teardown(void) { td_fixture_done(&fixture); }

/* All lines of the name, joined. */
static bool find_header(const void *headers, td_slice name, td_arena *arena, td_slice *ret_value)
{
    bool is_found = false;
    const char *line = headers;
    while (line != NULL && *line != '\0') {
        const char *end = strchr(line, '\n');
        td_slice whole = td_slice_of(line, end == NULL ? strlen(line) : (size_t)(end - line));
        line = end == NULL ? NULL : end + 1;
        if (!td_slice_has_prefix(whole, name) || whole.ptr[name.len] != ':') continue;
        td_slice value = td_slice_of(whole.ptr + name.len + 1, whole.len - name.len - 1);
        if (is_found) {
            ck_assert(td_arena_format(arena, ret_value, "%.*s,%.*s", (int)ret_value->len, (const char *)ret_value->ptr,
                                      (int)value.len, (const char *)value.ptr));
        } else {
            *ret_value = value;
        }
        is_found = true;
    }
    return is_found;
}

static void take(const vector *from)
{
    td_slice token = TD_LIT("");
    (void)find_header(from->headers, TD_LIT("x-amz-security-token"), &fixture.arena, &token);
    bool signs_token = strstr(from->signed_headers, "x-amz-security-token") != NULL;
    if (!signs_token) token = TD_LIT("");
    identity = (td_identity){.access_key = TD_LIT("AKIDEXAMPLE"),
                               .day = TD_LIT("20150830"),
                               .region = TD_LIT("us-east-1"),
                               .service = TD_LIT("service"),
                               .term = TD_LIT("aws4_request"),
                               .signed_headers = td_slice_of_cstr(from->signed_headers),
                               .digits = td_slice_of_cstr(from->digits),
                               .time = TD_LIT("20150830T123600Z"),
                               .token = token};
    request = (td_signed_request){.method = td_slice_of_cstr(from->method),
                                  .path = td_slice_of_cstr(from->path),
                                  .query = td_slice_of_cstr(from->query),
                                  .body = td_slice_of_cstr(from->body),
                                  .find_header = find_header,
                                  .headers = from->headers};
    credential = (td_credential){.access_key = TD_LIT("AKIDEXAMPLE"), .secret_key = TD_LIT(SECRET), .token = token};
}

static td_status check_at(int64_t now_s)
{
    fixture.error.status = TD_OK;
    return td_sigv4_check(&identity, &request, &credential, TD_LIT("service"), now_s * TD_US_PER_S, &fixture.error);
}

static const vector *vector_of(const char *name)
{
    for (size_t i = 0; i < TD_COUNT_OF(vectors); i++) {
        if (strcmp(vectors[i].name, name) == 0) return &vectors[i];
    }
    ck_abort_msg("no vector %s", name);
    return NULL;
}

START_TEST(public_vectors_are_right)
{
    const vector *tried = &vectors[_i];
    take(tried);
    ck_assert_msg(check_at(SIGNED_AT_S) == TD_OK, "%s: %s", tried->name, error_text(&fixture));
}
END_TEST

/* Flips every bit of one slice of the request and claims that none passes. */
static void flip_each_bit(td_slice *of)
{
    td_slice whole = *of;
    uint8_t *copy = td_arena_alloc(&fixture.arena, whole.len + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, whole.ptr, whole.len);
    copy[whole.len] = '\0';
    *of = td_slice_of(copy, whole.len);
    for (size_t bit = 0; bit < 8 * whole.len; bit++) {
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        td_arena_mark mark = td_arena_get_mark(&fixture.arena);
        ck_assert_msg(check_at(SIGNED_AT_S) != TD_OK, "bit %zu of \"%s\" is not signed", bit, (const char *)whole.ptr);
        td_arena_rewind(&fixture.arena, mark);
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    ck_assert_int_eq(check_at(SIGNED_AT_S), TD_OK);
    *of = whole;
}

START_TEST(each_bit_counts)
{
    take(vector_of("post_x_www_form_urlencoded"));
    td_slice *const slices[] = {&identity.day,    &identity.region,         &identity.service, &identity.term,
                                &identity.digits, &identity.signed_headers, &identity.time,    &request.method,
                                &request.path,     &request.body,             &credential.secret_key};
    for (size_t i = 0; i < TD_COUNT_OF(slices); i++)
        flip_each_bit(slices[i]);
    td_slice headers = td_slice_of_cstr(request.headers);
    size_t value_at = (size_t)(strstr(request.headers, "example") - (const char *)request.headers);
    char *copy = td_arena_alloc(&fixture.arena, headers.len + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, request.headers, headers.len + 1);
    request.headers = copy;
    copy[value_at] ^= 1;
    ck_assert_int_eq(check_at(SIGNED_AT_S), TD_INVALID_SIGNATURE);
}
END_TEST

START_TEST(a_wrong_signature_shows_what_was_to_be_signed)
{
    take(vector_of("get_vanilla_query_order_key"));
    credential.secret_key = TD_LIT("another");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_INVALID_SIGNATURE,
                NOT_MATCHING "Check your AWS Secret Access Key and signing method. Consult the service documentation "
                "for details.\n\nThe Canonical String for this request should have been\n"
                "'GET\n/\nParam1=Value1&Param1=value2\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\n"
                "host;x-amz-date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'\n\n"
                "The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20150830T123600Z\n"
                "20150830/us-east-1/service/aws4_request\n"
                "704b4cef673542d84cdff252633f065e8daeba5f168b77116f8b1bcaf3d38f89'\n");
}
END_TEST

START_TEST(keys_and_tokens_must_be_known)
{
    static const char unknown[] = "The security token included in the request is invalid.";
    take(vector_of("get_vanilla"));
    CHECK_ERROR(&fixture,
                td_sigv4_check(&identity, &request, NULL, TD_LIT("service"), SIGNED_AT_S * TD_US_PER_S,
                               &fixture.error),
                TD_UNRECOGNIZED_CLIENT, unknown);
    identity.token = TD_LIT("of-nobody");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_UNRECOGNIZED_CLIENT, unknown);
    take(vector_of("get_vanilla_with_session_token"));
    ck_assert_int_eq(check_at(SIGNED_AT_S), TD_OK);
    identity.token = TD_LIT("");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_UNRECOGNIZED_CLIENT, unknown);
}
END_TEST

START_TEST(scopes_must_fit)
{
    take(vector_of("get_vanilla"));
    identity.service = TD_LIT("s3");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_INVALID_SIGNATURE,
                "Credential should be scoped to correct service: 'service'. ");
    identity.service = TD_LIT("service");
    identity.term = TD_LIT("aws3_request");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_INVALID_SIGNATURE,
                "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws3_request'. ");
    identity.term = TD_LIT("aws4_request");
    identity.day = TD_LIT("20150829");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_INVALID_SIGNATURE,
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
                "'20150829' != '20150830', from '20150830T123600Z'.");
    identity.day = TD_LIT("20150830");
    identity.signed_headers = TD_LIT("hostess;x-amz-date");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_INVALID_SIGNATURE,
                "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
}
END_TEST

START_TEST(five_minutes_of_skew_are_allowed)
{
    take(vector_of("get_vanilla"));
    ck_assert_int_eq(check_at(SIGNED_AT_S + 300), TD_OK);
    ck_assert_int_eq(check_at(SIGNED_AT_S - 300), TD_OK);
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S + 301), TD_INVALID_SIGNATURE,
                "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z (20150830T124101Z - 5 min.)");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S - 301), TD_INVALID_SIGNATURE,
                "Signature not yet current: 20150830T123600Z is still later than 20150830T123559Z "
                "(20150830T123059Z + 5 min.)");
    identity.time = TD_LIT("Sun, 30 Aug 2015 12:36:00 GMT");
    ck_assert_int_eq(check_at(SIGNED_AT_S), TD_OK);
    identity.time = TD_LIT("2015-08-30");
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S), TD_INCOMPLETE_SIGNATURE,
                "Date must be in ISO-8601 'basic format'. Got '2015-08-30'. See http://en.wikipedia.org/wiki/ISO_8601");
}
END_TEST

START_TEST(a_presigned_request_has_its_own_lifetime)
{
    take(vector_of("get_vanilla"));
    identity.lifetime = TD_LIT("3600");
    ck_assert_int_eq(check_at(SIGNED_AT_S + 3600), TD_OK);
    CHECK_ERROR(&fixture, check_at(SIGNED_AT_S + 3601), TD_INVALID_SIGNATURE,
                "Signature expired: 20150830T123600Z is now earlier than 20150830T123601Z "
                "(20150830T133601Z - 60 min.)");
    identity.lifetime = TD_LIT("604801"); /* more than a week is no lifetime */
    ck_assert_int_eq(check_at(SIGNED_AT_S + 1), TD_INVALID_SIGNATURE);
    identity.lifetime = TD_LIT("long");
    ck_assert_int_eq(check_at(SIGNED_AT_S + 1), TD_INVALID_SIGNATURE);
}
END_TEST

TCase *sigv4_tests(void)
{
    TCase *tests = tcase_create("sigv4");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, public_vectors_are_right, 0, TD_COUNT_OF(vectors));
    tcase_add_test(tests, each_bit_counts);
    tcase_add_test(tests, a_wrong_signature_shows_what_was_to_be_signed);
    tcase_add_test(tests, keys_and_tokens_must_be_known);
    tcase_add_test(tests, scopes_must_fit);
    tcase_add_test(tests, five_minutes_of_skew_are_allowed);
    tcase_add_test(tests, a_presigned_request_has_its_own_lifetime);
    return tests;
}
