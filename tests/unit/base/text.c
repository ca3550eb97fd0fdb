/* SPDX-License-Identifier: Apache-2.0
 * text.c: tests of storage/base/text.c. */
#include "thermodyn/text.h"

#include <stdlib.h>

#include "suites.h"

typedef struct utf8_case {
    td_slice text;
    bool is_valid;
} utf8_case;

/* The border cases of Unicode's table 3-7, also behind and before eight ASCII bytes (the fast path). */
static const utf8_case utf8_cases[] = {
    {TD_LIT_INIT(""), true},
    {TD_LIT_INIT("\0"), true},
    {TD_LIT_INIT("\x7f"), true},
    {TD_LIT_INIT("\x80"), false},
    {TD_LIT_INIT("\xbf"), false},
    {TD_LIT_INIT("\xc0\x80"), false},
    {TD_LIT_INIT("\xc1\xbf"), false},
    {TD_LIT_INIT("\xc2"), false},
    {TD_LIT_INIT("\xc2\x7f"), false},
    {TD_LIT_INIT("\xc2\x80"), true},
    {TD_LIT_INIT("\xdf\xbf"), true},
    {TD_LIT_INIT("\xdf\xc0"), false},
    {TD_LIT_INIT("\xe0\x9f\xbf"), false},
    {TD_LIT_INIT("\xe0\xa0\x80"), true},
    {TD_LIT_INIT("\xe0\xa0"), false},
    {TD_LIT_INIT("\xe2\x82\xac"), true},
    {TD_LIT_INIT("\xe2\x82\x2c"), false},
    {TD_LIT_INIT("\xed\x9f\xbf"), true},
    {TD_LIT_INIT("\xed\xa0\x80"), false},
    {TD_LIT_INIT("\xed\xbf\xbf"), false},
    {TD_LIT_INIT("\xee\x80\x80"), true},
    {TD_LIT_INIT("\xef\xbf\xbf"), true},
    {TD_LIT_INIT("\xf0\x8f\xbf\xbf"), false},
    {TD_LIT_INIT("\xf0\x90\x80\x80"), true},
    {TD_LIT_INIT("\xf0\x90\x80"), false},
    {TD_LIT_INIT("\xf4\x8f\xbf\xbf"), true},
    {TD_LIT_INIT("\xf4\x90\x80\x80"), false},
    {TD_LIT_INIT("\xf5\x80\x80\x80"), false},
    {TD_LIT_INIT("\xff"), false},
};

START_TEST(utf8_is_valid_as_unicode_defines_it)
{
    const utf8_case *row = &utf8_cases[_i];
    uint8_t padded[32];
    for (size_t before = 0; before <= 9; before++) {
        for (size_t after = 0; after <= 9; after++) {
            memset(padded, 'a', sizeof padded);
            memcpy(padded + before, row->text.ptr, row->text.len);
            ck_assert_int_eq(td_utf8_is_valid(td_slice_of(padded, before + row->text.len + after)), row->is_valid);
        }
    }
}
END_TEST

START_TEST(utf8_encode_gives_back_every_code_point)
{
    for (uint32_t point = 0; point <= 0x10ffff; point += point < 0x3000 ? 1 : 61) {
        if (point >= 0xd800 && point <= 0xdfff) continue;
        uint8_t bytes[4];
        size_t len = td_utf8_encode(point, bytes);
        uint32_t decoded = len == 1 ? bytes[0] : bytes[0] & (0x7fu >> len);
        for (size_t i = 1; i < len; i++)
            decoded = decoded << 6 | (bytes[i] & 0x3f);
        if (decoded != point || !td_utf8_is_valid(td_slice_of(bytes, len))) ck_abort_msg("U+%04X", point);
        size_t units = td_utf8_utf16_units(td_slice_of(bytes, len));
        if (units != (point > 0xffff ? 2 : 1)) ck_abort_msg("UTF-16 units of U+%04X", point);
    }
}
END_TEST

START_TEST(utf16_units_count_surrogate_pairs_as_two)
{
    ck_assert_uint_eq(td_utf8_utf16_units(TD_LIT("")), 0);
    ck_assert_uint_eq(td_utf8_utf16_units(TD_LIT("0123456789abcdef!")), 17);
    ck_assert_uint_eq(td_utf8_utf16_units(TD_LIT("\xe2\x82\xac"
                                                 "0123456789\xf0\x9f\x98\x80\xc3\xa9")),
                      14);
}
END_TEST

/* RFC 4648 §10. */
static const struct {
    td_slice bytes, text;
} base64_cases[] = {
    {TD_LIT_INIT(""), TD_LIT_INIT("")},
    {TD_LIT_INIT("f"), TD_LIT_INIT("Zg==")},
    {TD_LIT_INIT("fo"), TD_LIT_INIT("Zm8=")},
    {TD_LIT_INIT("foo"), TD_LIT_INIT("Zm9v")},
    {TD_LIT_INIT("foob"), TD_LIT_INIT("Zm9vYg==")},
    {TD_LIT_INIT("fooba"), TD_LIT_INIT("Zm9vYmE=")},
    {TD_LIT_INIT("foobar"), TD_LIT_INIT("Zm9vYmFy")},
    {TD_LIT_INIT("\xfb\xff\xfe"), TD_LIT_INIT("+//+")},
};

START_TEST(base64_goes_there_and_back)
{
    uint8_t buffer[16];
    td_slice bytes = base64_cases[_i].bytes;
    td_slice text = base64_cases[_i].text;
    ck_assert_uint_eq(td_base64_encoded_len(bytes.len), text.len);
    ck_assert_uint_eq(td_base64_encode(bytes, buffer), text.len);
    ck_assert(td_slice_equal(td_slice_of(buffer, text.len), text));
    size_t len = 99;
    ck_assert(td_base64_decode(text, buffer, &len));
    ck_assert(td_slice_equal(td_slice_of(buffer, len), bytes));
}
END_TEST

START_TEST(base64_refuses_what_is_not_strict)
{
    static const char *const texts[] = {"Z",     "Zg",   "Zg=",      "Zg===",    "=",    "====", "Z===",       "Zm=v",
                                        "Zm9v=", "Zm9 ", "Zm9v\nZg", "Zg==Zm9v", "Zm9-", "Zm9_", "Zm\xc3\xa9", "*m9v"};
    for (size_t i = 0; i < TD_COUNT_OF(texts); i++) {
        uint8_t buffer[16];
        size_t len;
        ck_assert_msg(!td_base64_decode(td_slice_of_cstr(texts[i]), buffer, &len), "accepted %s", texts[i]);
    }
}
END_TEST

START_TEST(base64_knows_its_digits_at_every_place)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int place = 0; place < 7; place++) {
        for (int byte = 0; byte < 256; byte++) {
            char text[] = "Zm9vYmE=";
            uint8_t buffer[6];
            size_t len;
            text[place] = (char)byte;
            bool is_digit = memchr(alphabet, byte, sizeof alphabet - 1) != NULL;
            bool is_good = is_digit || (place == 6 && byte == '=');
            ck_assert_int_eq(td_base64_decode(td_slice_of(text, 8), buffer, &len), is_good);
        }
    }
}
END_TEST

static const struct {
    const char *text;
    bool is_integer;
    int64_t value;
} integer_cases[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"007", true, 7},
    {"-42", true, -42},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775808", true, INT64_MIN},
    {"9223372036854775808", false, 0},
    {"-9223372036854775809", false, 0},
    {"99999999999999999999", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"+1", false, 0},
    {" 1", false, 0},
    {"1.0", false, 0},
    {"1e3", false, 0},
};

START_TEST(parse_int64_takes_digits_alone)
{
    int64_t value = 77;
    ck_assert_int_eq(td_parse_int64(td_slice_of_cstr(integer_cases[_i].text), &value), integer_cases[_i].is_integer);
    ck_assert_int_eq(value, integer_cases[_i].is_integer ? integer_cases[_i].value : 77);
}
END_TEST

Suite *text_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *tests = tcase_create("text");
    tcase_add_loop_test(tests, utf8_is_valid_as_unicode_defines_it, 0, (int)TD_COUNT_OF(utf8_cases));
    tcase_add_test(tests, utf8_encode_gives_back_every_code_point);
    tcase_add_test(tests, utf16_units_count_surrogate_pairs_as_two);
    tcase_add_loop_test(tests, base64_goes_there_and_back, 0, (int)TD_COUNT_OF(base64_cases));
    tcase_add_test(tests, base64_refuses_what_is_not_strict);
    tcase_add_test(tests, base64_knows_its_digits_at_every_place);
    tcase_add_loop_test(tests, parse_int64_takes_digits_alone, 0, (int)TD_COUNT_OF(integer_cases));
    suite_add_tcase(suite, tests);
    return suite;
}
