/* SPDX-License-Identifier: Apache-2.0
 * auth.c: tests of target and signature. */
#include "wire/envelope.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

START_TEST(targets_name_api_and_operation)
{
    td_api api;
    td_slice operation;
    ck_assert_int_eq(td_target_parse(TD_LIT("DynamoDB_20120810.PutItem"), &api, &operation, &fixture.error), TD_OK);
    ck_assert_int_eq(api, TD_API_DYNAMODB);
    CHECK_SLICE(arena, operation, "PutItem");
    ck_assert_int_eq(td_target_parse(TD_LIT("DynamoDBStreams_20120810.GetRecords"), &api, &operation, &fixture.error),
                     TD_OK);
    ck_assert_int_eq(api, TD_API_STREAMS);
    CHECK_SLICE(arena, operation, "GetRecords");
}
END_TEST

START_TEST(other_targets_are_unknown_without_a_word)
{
    static const char *const targets[] = {"",
                                          "whatever",
                                          "DynamoDB_20120810",
                                          "DynamoDB_20120810.",
                                          "PutItem",
                                          "DynamoDB_20120810.Put.Item",
                                          "dynamodb_20120810.PutItem",
                                          "DynamoDB_20130810.PutItem",
                                          " DynamoDB_20120810.PutItem"};
    for (size_t i = 0; i < TD_COUNT_OF(targets); i++) {
        td_api api;
        td_slice operation;
        CHECK_ERROR(&fixture, td_target_parse(td_slice_of_cstr(targets[i]), &api, &operation, &fixture.error),
                    TD_UNKNOWN_OPERATION, "");
    }
}
END_TEST

static td_status parse(const char *authorization, const char *date, const char *query, td_identity *ret_identity)
{
    td_envelope envelope = {.authorization = td_slice_of_cstr(authorization),
                            .date = td_slice_of_cstr(date),
                            .query = td_slice_of_cstr(query)};
    return td_identity_parse(&envelope, ret_identity, &fixture.error);
}

#define HEADER_MISSES(name) "Authorization header requires '" name "' parameter. "
#define HEADER_MISSES_DATE "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
#define QUERY_MISSES(name) "AWS query-string parameters must include '" name "'. "
#define CREDENTIAL "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got "

START_TEST(what_is_missing_of_a_signature_is_told)
{
    static const struct {
        const char *authorization;
        const char *date;
        const char *query;
        td_status status;
        const char *text;
    } cases[] = {
        {"", "", "", TD_MISSING_AUTHENTICATION_TOKEN, "Request is missing Authentication Token"},
        {"AWS4", "", "", TD_MISSING_AUTHENTICATION_TOKEN, "Request is missing Authentication Token"},
        {"X", "", "X-Amz-Algorith", TD_MISSING_AUTHENTICATION_TOKEN, "Request is missing Authentication Token"},
        {"", "", "X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d",
         TD_MISSING_AUTHENTICATION_TOKEN, "Request is missing Authentication Token"},
        {"X", "", "X-Amz-Algorithm", TD_INVALID_SIGNATURE,
         "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."},
        {"AWS4-", "", "", TD_INCOMPLETE_SIGNATURE,
         HEADER_MISSES("Credential") HEADER_MISSES("Signature") HEADER_MISSES("SignedHeaders") HEADER_MISSES_DATE
         "Authorization=AWS4-"},
        {"AWS4- Signature=b Credential=a", "a", "", TD_INCOMPLETE_SIGNATURE,
         HEADER_MISSES("SignedHeaders") "Authorization=AWS4- Signature=b Credential=a"},
        {"AWS4- Signature=b,Credential=a", "a", "", TD_INCOMPLETE_SIGNATURE,
         HEADER_MISSES("SignedHeaders") "Authorization=AWS4- Signature=b,Credential=a"},
        {"AWS4- Signature=b, Credential=a", "a", "", TD_INCOMPLETE_SIGNATURE,
         HEADER_MISSES("SignedHeaders") "Authorization=AWS4- Signature=b, Credential=a"},
        {"AWS4- Signature=,\xff", "a", "", TD_INCOMPLETE_SIGNATURE,
         HEADER_MISSES("Credential") HEADER_MISSES("Signature")
             HEADER_MISSES("SignedHeaders") "Authorization=AWS4- Signature=,?"},
        {"", "", "X-Amz-Algorithm", TD_INCOMPLETE_SIGNATURE,
         QUERY_MISSES("X-Amz-Algorithm") QUERY_MISSES("X-Amz-Credential") QUERY_MISSES("X-Amz-Signature")
             QUERY_MISSES("X-Amz-SignedHeaders") QUERY_MISSES("X-Amz-Date") "Re-examine the query-string parameters."},
        {"", "", "X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d", TD_INCOMPLETE_SIGNATURE,
         QUERY_MISSES("X-Amz-SignedHeaders") "Re-examine the query-string parameters."},
        {"AWS4-X Credential=a/b/c/d, SignedHeaders=h, Signature=s", "a", "", TD_INCOMPLETE_SIGNATURE,
         CREDENTIAL "'a/b/c/d'"},
        {"AWS4-X Credential=a/b/c/d/e/f, SignedHeaders=h, Signature=s", "a", "", TD_INCOMPLETE_SIGNATURE,
         CREDENTIAL "'a/b/c/d/e/f'"},
        {"AWS4-X Credential=a/b/C\xff/d/e, SignedHeaders=h, Signature=s", "a", "", TD_INVALID_SIGNATURE,
         "Credential should be scoped to a valid region, not 'C?'. "},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_identity identity;
        CHECK_ERROR(&fixture, parse(cases[i].authorization, cases[i].date, cases[i].query, &identity), cases[i].status,
                    cases[i].text);
    }
}
END_TEST

START_TEST(the_credential_names_key_and_region)
{
    td_identity identity;
    ck_assert_int_eq(parse("AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/dynamodb/aws4_request, "
                           "SignedHeaders=host;x-amz-date, Signature=00ff",
                           "20260101T000000Z", "", &identity),
                     TD_OK);
    CHECK_SLICE(arena, identity.access_key, "AKID");
    CHECK_SLICE(arena, identity.region, "eu-west-1");
    ck_assert_int_eq(parse("", "",
                           "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AK%2F20260101%2fus-gov-west-1%2Fdynamodb"
                           "%2Faws4_request&X-Amz-Date=d&X-Amz-SignedHeaders=host&X-Amz-Signature=s",
                           &identity),
                     TD_OK);
    CHECK_SLICE(arena, identity.access_key, "AK");
    CHECK_SLICE(arena, identity.region, "us-gov-west-1");
    ck_assert_int_eq(parse("AWS4-X Credential=a/b/local/d/e//,SignedHeaders=h,Signature=s", "d", "", &identity), TD_OK);
    CHECK_SLICE(arena, identity.region, "local");
}
END_TEST

TCase *auth_tests(void)
{
    TCase *tests = tcase_create("auth");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, targets_name_api_and_operation);
    tcase_add_test(tests, other_targets_are_unknown_without_a_word);
    tcase_add_test(tests, what_is_missing_of_a_signature_is_told);
    tcase_add_test(tests, the_credential_names_key_and_region);
    return tests;
}
