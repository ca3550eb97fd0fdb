/* SPDX-License-Identifier: Apache-2.0
 * decode.c: tests of attribute values from JSON. */
#include "wire/decode.h"

#include "thermodyn/limits.h"

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

static td_status decode(const char *text, td_value *ret_value)
{
    return td_decode_value(json_of(&fixture, td_slice_of_cstr(text)), arena, ret_value, &fixture.error);
}

#define CHECK_DECODED(text, given)                                                                                     \
    do {                                                                                                               \
        td_value decoded;                                                                                              \
        ck_assert_int_eq(decode((text), &decoded), TD_OK);                                                             \
        CHECK_VALUE(arena, &decoded, (given));                                                                         \
    } while (0)

START_TEST(every_type_is_decoded)
{
    CHECK_DECODED("{\"S\":\"\"}", S("", ""));
    CHECK_DECODED("{\"S\":\"a\\u0000b\"}", S_OF("", TD_LIT("a\0b")));
    CHECK_DECODED("{\"N\":\"0042.1200\"}", N("", "42.12"));
    CHECK_DECODED("{\"B\":\"\"}", B("", ""));
    CHECK_DECODED("{\"B\":\"AP8B\"}", B("", "\0\xff\x01"));
    CHECK_DECODED("{\"SS\":[\"b\",\"\",\"a\"]}", SS("", TD_LIT(""), TD_LIT("a"), TD_LIT("b")));
    CHECK_DECODED("{\"NS\":[\"10\",\"-1\",\"1.5\"]}", NS("", TD_LIT("-1"), TD_LIT("1.5"), TD_LIT("10")));
    CHECK_DECODED("{\"BS\":[\"/w==\",\"AA==\"]}", BS("", TD_LIT("\0"), TD_LIT("\xff")));
    CHECK_DECODED("{\"BOOL\":true}", BOOL("", true));
    CHECK_DECODED("{\"BOOL\":\"no\"}", BOOL("", false));
    CHECK_DECODED("{\"NULL\":\"YES\"}", NULL_(""));
    CHECK_DECODED("{\"L\":[]}", L(""));
    CHECK_DECODED("{\"M\":{\"b\":{\"L\":[{\"N\":\"1\"},{\"M\":{}}]},\"a\":{\"S\":\"x\"}}}",
                  M("", S("a", "x"), L("b", N("", "1"), M(""))));
}
END_TEST

START_TEST(what_means_nothing_beside_a_type_is_ignored)
{
    CHECK_DECODED("{\"S\":\"a\",\"X\":1}", S("", "a"));
    CHECK_DECODED("{\"N\":null,\"S\":\"a\"}", S("", "a"));
    CHECK_DECODED("{\"S\":\"a\",\"S\":\"b\"}", S("", "b"));
    CHECK_DECODED("{\"M\":{\"a\":{\"S\":\"1\"},\"a\":{\"S\":\"2\"}}}", M("", S("a", "2")));
}
END_TEST

#define INVALID "One or more parameter values were invalid: "
#define EMPTY "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
#define MANY                                                                                                           \
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
#define NOT_NUMERIC "The parameter cannot be converted to a numeric value"

START_TEST(faults_have_the_services_texts)
{
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {
        {"{}", EMPTY},
        {"null", EMPTY},
        {"{\"a\":\"\"}", EMPTY},
        {"{\"S\":null}", EMPTY},
        {"{\"M\":{\"a\":{}}}", EMPTY},
        {"{\"M\":{\"a\":null}}", EMPTY},
        {"{\"L\":[{}]}", EMPTY},
        {"{\"L\":[null]}", EMPTY},
        {"{\"SS\":[null]}", EMPTY},
        {"{\"S\":\"a\",\"N\":\"1\"}", MANY},
        {"{\"L\":[{\"S\":\"a\",\"BOOL\":true}]}", MANY},
        {"{\"S\":\"\",\"N\":\"\"}", NOT_NUMERIC},
        {"{\"S\":\"a\",\"N\":\"b\"}", NOT_NUMERIC ": b"},
        {"{\"NULL\":false,\"N\":\"b\"}", NOT_NUMERIC ": b"},
        {"{\"N\":\" 5\"}", NOT_NUMERIC ":  5"},
        {"{\"NS\":[\"1\",\"\"]}", NOT_NUMERIC},
        {"{\"NS\":[\"1\",\"b\"]}", NOT_NUMERIC ": b"},
        {"{\"N\":\"123456789012345678901234567890123456789\"}",
         "Attempting to store more than 38 significant digits in a Number"},
        {"{\"N\":\"-1e126\"}",
         "Number overflow. Attempting to store a number with magnitude larger than supported range"},
        {"{\"N\":\"1e-131\"}",
         "Number underflow. Attempting to store a number with magnitude smaller than supported range"},
        {"{\"NULL\":\"no\"}", INVALID "Null attribute value types must have the value of true"},
        {"{\"SS\":[]}", INVALID "An string set  may not be empty"},
        {"{\"NS\":[]}", INVALID "An number set  may not be empty"},
        {"{\"BS\":[]}", INVALID "Binary sets should not be empty"},
        {"{\"SS\":[\"b\",\"a\",\"b\"]}", INVALID "Input collection [b, a, b] contains duplicates."},
        {"{\"SS\":[\"\",\"\"]}", INVALID "Input collection [, ] contains duplicates."},
        {"{\"BS\":[\"/w==\",\"AA==\",\"AA==\"]}",
         INVALID "Input collection [/w==, AA==, AA==]of type BS contains duplicates."},
        {"{\"NS\":[\"1\",\"1.0\"]}", "Input collection contains duplicates"},
        {"{\"M\":{\"\":{\"S\":\"a\"}}}", "Empty attribute name"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_value value;
        CHECK_ERROR(&fixture, decode(cases[i].json, &value), TD_VALIDATION, cases[i].text);
    }
}
END_TEST

START_TEST(the_current_echo_sorts_up_to_the_first_repeat)
{
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {
        {"{\"SS\":[\"b\",\"a\",\"b\"]}", INVALID "Input collection [\"a\", \"b\", \"b\"] contains duplicates."},
        {"{\"SS\":[\"d\",\"c\",\"d\",\"b\",\"c\",\"a\"]}",
         INVALID "Input collection [\"c\", \"d\", \"d\", \"b\", \"c\", \"a\"] contains duplicates."},
        {"{\"BS\":[\"/w==\",\"AA==\",\"AA==\"]}",
         INVALID "Input collection [\"AA==\",\"/w==\",\"AA==\"]of type BS contains duplicates."},
        {"{\"NS\":[\"1\",\"1\"]}", INVALID "Input collection contains duplicates."},
        {"{\"N\":\"\"}", NOT_NUMERIC ": "},
    };
    fixture.error.value_wording = TD_WORDING_CURRENT;
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_value value;
        CHECK_ERROR(&fixture, decode(cases[i].json, &value), TD_VALIDATION, cases[i].text);
    }
}
END_TEST

/* {"L":[{"L":[… {"S":""} …]}]} */
static const td_json *nested_lists(uint32_t levels)
{
    td_buf buf;
    td_buf_init(&buf, 1 << 16);
    for (uint32_t i = 0; i < levels; i++)
        td_buf_append_lit(&buf, "{\"L\":[");
    td_buf_append_lit(&buf, "{\"S\":\"\"}");
    for (uint32_t i = 0; i < levels; i++)
        td_buf_append_lit(&buf, "]}");
    const td_json *json = json_of(&fixture, td_buf_contents(&buf));
    td_buf_done(&buf);
    return json;
}

START_TEST(values_nest_less_deep_than_the_limit)
{
    td_value value;
    ck_assert_int_eq(td_decode_value(nested_lists(TD_LIMIT_NESTING_LEVELS_MAX - 1), arena, &value, &fixture.error),
                     TD_OK);
    ck_assert_uint_eq(td_value_depth(&value), TD_LIMIT_NESTING_LEVELS_MAX - 1);
    CHECK_ERROR(&fixture, td_decode_value(nested_lists(TD_LIMIT_NESTING_LEVELS_MAX), arena, &value, &fixture.error),
                TD_VALIDATION,
                "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond "
                "supported limit");
}
END_TEST

START_TEST(attributes_are_sorted_and_the_last_of_a_name_counts)
{
    td_attribute *attributes;
    uint32_t count;
    const td_json *json = json_of(&fixture, TD_LIT("{\"b\":{\"N\":\"1\"},\"a\":{\"S\":\"x\"},\"b\":{\"N\":\"2\"}}"));
    ck_assert_int_eq(td_decode_attributes(json, arena, &attributes, &count, &fixture.error), TD_OK);
    CHECK_ATTRIBUTES(arena, attributes, count, S("a", "x"), N("b", "2"));
    ck_assert_int_eq(td_decode_attributes(json_of(&fixture, TD_LIT("{}")), arena, &attributes, &count, &fixture.error),
                     TD_OK);
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(an_empty_name_at_the_top_precedes_faults_of_values)
{
    td_attribute *attributes;
    uint32_t count;
    const td_json *json = json_of(&fixture, TD_LIT("{\"a\":{},\"\":{\"S\":\"x\"}}"));
    CHECK_ERROR(&fixture, td_decode_attributes(json, arena, &attributes, &count, &fixture.error), TD_VALIDATION,
                "Empty attribute name");
}
END_TEST

TCase *decode_tests(void)
{
    TCase *tests = tcase_create("decode");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_type_is_decoded);
    tcase_add_test(tests, what_means_nothing_beside_a_type_is_ignored);
    tcase_add_test(tests, faults_have_the_services_texts);
    tcase_add_test(tests, the_current_echo_sorts_up_to_the_first_repeat);
    tcase_add_test(tests, values_nest_less_deep_than_the_limit);
    tcase_add_test(tests, attributes_are_sorted_and_the_last_of_a_name_counts);
    tcase_add_test(tests, an_empty_name_at_the_top_precedes_faults_of_values);
    return tests;
}
