/* SPDX-License-Identifier: Apache-2.0
 * condition.c: the tests of a statement's Condition.
 *
 *   a key that is absent   fulfils ForAllValues, IfExists and negated operators, and no other
 *   several values         of the policy are alternatives; of the request: ForAllValues wants each to fit, ForAnyValue
 *                          one; without either, one fits a plain operator, and none may fit a negated one
 * Source: IAM User Guide, "Condition operators" and "Multivalued context keys". */
#include "policy_private.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define IF_EXISTS TD_LIT("IfExists")
#define FOR_ALL TD_LIT("ForAllValues:")
#define FOR_ANY TD_LIT("ForAnyValue:")
#define TEXT_BYTES_MAX 64 /* of a number, a date, an address */

static const td_iam_operator operators[] = {
#define TD_IAM_OPERATOR(name, comparison, orders, is_negated)                                                          \
    {TD_LIT_INIT(#name), TD_IAM_COMPARE_##comparison, orders, is_negated},
#include "operators.def"
#undef TD_IAM_OPERATOR
};

static bool fits_any(const td_iam_test *test, const td_iam_request *request, td_slice value);
static bool fits(const td_iam_test *test, const td_iam_pattern *pattern, const td_iam_request *request, td_slice value);

bool td_iam__read_operator(td_slice name, td_iam_test *ret_test)
{
    td_iam_test test = {.quantifier = TD_IAM_OF_ONE};
    if (td_slice_has_prefix(name, FOR_ALL)) {
        test.quantifier = TD_IAM_FOR_ALL;
        name = td_slice_of(name.ptr + FOR_ALL.len, name.len - FOR_ALL.len);
    } else if (td_slice_has_prefix(name, FOR_ANY)) {
        test.quantifier = TD_IAM_FOR_ANY;
        name = td_slice_of(name.ptr + FOR_ANY.len, name.len - FOR_ANY.len);
    }
    size_t bare_len = name.len > IF_EXISTS.len ? name.len - IF_EXISTS.len : 0;
    test.if_exists = bare_len > 0 && td_slice_equal(td_slice_of(name.ptr + bare_len, IF_EXISTS.len), IF_EXISTS);
    if (test.if_exists) name.len = bare_len;
    for (size_t i = 0; i < TD_COUNT_OF(operators); i++) {
        if (!td_slice_equal(operators[i].name, name)) continue;
        test.rule = &operators[i];
        *ret_test = test;
        return !(test.if_exists && operators[i].comparison == TD_IAM_COMPARE_NULL);
    }
    return false;
}

td_iam_syntax td_iam__syntax_of(const td_iam_operator *rule)
{
    bool is_arn = rule->comparison == TD_IAM_COMPARE_ARN;
    bool has_text = is_arn || rule->comparison == TD_IAM_COMPARE_STRING ||
                    rule->comparison == TD_IAM_COMPARE_ANY_CASE || rule->comparison == TD_IAM_COMPARE_LIKE;
    return (td_iam_syntax){.has_wildcards = is_arn || rule->comparison == TD_IAM_COMPARE_LIKE,
                           .has_variables = has_text,
                           .is_arn = is_arn};
}

bool td_iam__test_holds(const td_iam_test *test, const td_iam_request *request)
{
    const td_iam_operator *rule = test->rule;
    const td_iam_key *key = td_iam__find_key(request, test->key);
    if (rule->comparison == TD_IAM_COMPARE_NULL) {
        return fits_any(test, request, key == NULL ? TD_LIT("true") : TD_LIT("false"));
    }
    if (key == NULL || key->count == 0) {
        if (test->quantifier == TD_IAM_FOR_ALL || test->if_exists) return true;
        return test->quantifier == TD_IAM_OF_ONE && rule->is_negated;
    }
    /* ForAnyValue of a negated operator wants a value that does not fit; a negated operator alone, none that does. */
    bool wanted = (test->quantifier == TD_IAM_OF_ONE) ? true : !rule->is_negated;
    for (uint32_t i = 0; i < key->count; i++) {
        bool is_wanted = fits_any(test, request, key->values[i]) == wanted;
        if (test->quantifier == TD_IAM_FOR_ALL && !is_wanted) return false;
        if (test->quantifier == TD_IAM_FOR_ANY && is_wanted) return true;
        if (test->quantifier == TD_IAM_OF_ONE && is_wanted) return !rule->is_negated;
    }
    return test->quantifier == TD_IAM_FOR_ALL || (test->quantifier == TD_IAM_OF_ONE && rule->is_negated);
}

static bool fits_any(const td_iam_test *test, const td_iam_request *request, td_slice value)
{
    for (uint32_t i = 0; i < test->count; i++) {
        if (fits(test, &test->values[i], request, value)) return true;
    }
    return false;
}

/* ---- values that are not just texts ---- */

static bool copy_text(td_slice text, char copy[TEXT_BYTES_MAX])
{
    if (text.len == 0 || text.len >= TEXT_BYTES_MAX || memchr(text.ptr, '\0', text.len) != NULL) return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return true;
}

static bool read_number(td_slice text, double *ret_number)
{
    char copy[TEXT_BYTES_MAX];
    char *end = copy;
    if (!copy_text(text, copy)) return false;
    *ret_number = strtod(copy, &end);
    return *end == '\0' && *ret_number == *ret_number; /* "nan" has no order */
}

/* Seconds since 1970, or a date of ISO 8601 in UTC. */
static bool read_date(td_slice text, double *ret_seconds)
{
    char copy[TEXT_BYTES_MAX];
    struct tm utc = {0};
    int read_len = 0;
    if (read_number(text, ret_seconds)) return true;
    if (!copy_text(text, copy)) return false;
    if (sscanf(copy, "%4d-%2d-%2d%n", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &read_len) != 3) return false;
    const char *rest = copy + read_len;
    int time_len = 0;
    bool has_time = sscanf(rest, "T%2d:%2d:%2d%n", &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &time_len) == 3;
    char *end = (char *)rest;
    double fraction = 0;
    if (has_time) {
        end += time_len;
        if (*end == '.') fraction = strtod(end, &end);
        if (*end == 'Z') end++;
    }
    if (*end != '\0') return false;
    utc.tm_year -= 1900;
    utc.tm_mon -= 1;
    *ret_seconds = (double)timegm(&utc) + fraction;
    return true;
}

static bool is_in_order(double value, double limit, uint8_t orders)
{
    uint8_t order = value < limit ? TD_IAM_LESS : value > limit ? TD_IAM_GREATER : TD_IAM_EQUAL;
    return (order & orders) != 0;
}

/* An address in 16 bytes: one of four as its mapped form. Answers its family's bits; 0: it is none. */
static int read_address(const char *text, uint8_t ret_bytes[16])
{
    static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
    memcpy(ret_bytes, mapped, sizeof(mapped));
    if (inet_pton(AF_INET, text, ret_bytes + 12) == 1) return 32;
    return inet_pton(AF_INET6, text, ret_bytes) == 1 ? 128 : 0;
}

/* `range`: an address, or one and how many of its bits count. */
static bool is_in_range(td_slice address, td_slice range)
{
    char copy[TEXT_BYTES_MAX];
    char range_copy[TEXT_BYTES_MAX];
    uint8_t bytes[16];
    uint8_t range_bytes[16];
    if (!copy_text(address, copy) || !copy_text(range, range_copy)) return false;
    char *slash = strchr(range_copy, '/');
    if (slash != NULL) *slash = '\0';
    int family_bits = read_address(range_copy, range_bytes);
    if (family_bits == 0 || read_address(copy, bytes) != family_bits) return false;
    char *end = NULL;
    long bits = slash == NULL ? family_bits : strtol(slash + 1, &end, 10);
    if ((slash != NULL && (end == slash + 1 || *end != '\0')) || bits < 0 || bits > family_bits) return false;
    bits += 128 - family_bits;
    for (int i = 0; i < 16; i++) {
        int counted = bits - i * 8 >= 8 ? 8 : bits - i * 8 > 0 ? (int)bits - i * 8 : 0;
        if (((bytes[i] ^ range_bytes[i]) >> (8 - counted)) != 0) return false;
    }
    return true;
}

static bool fits(const td_iam_test *test, const td_iam_pattern *pattern, const td_iam_request *request, td_slice value)
{
    const td_iam_operator *rule = test->rule;
    double number = 0;
    double limit = 0;
    switch (rule->comparison) {
    case TD_IAM_COMPARE_NULL:
    case TD_IAM_COMPARE_BOOL: return td_iam__equal_in_any_case(pattern->source, value);
    case TD_IAM_COMPARE_STRING:
    case TD_IAM_COMPARE_LIKE:
    case TD_IAM_COMPARE_ARN: return td_iam__pattern_matches(pattern, request, false, value);
    case TD_IAM_COMPARE_ANY_CASE: return td_iam__pattern_matches(pattern, request, true, value);
    case TD_IAM_COMPARE_IP: return is_in_range(value, pattern->source);
    case TD_IAM_COMPARE_NUMBER:
        return read_number(value, &number) && read_number(pattern->source, &limit) &&
               is_in_order(number, limit, rule->orders);
    case TD_IAM_COMPARE_DATE:
        return read_date(value, &number) && read_date(pattern->source, &limit) &&
               is_in_order(number, limit, rule->orders);
    }
    TD_UNREACHABLE("operators compare so");
}
