/* SPDX-License-Identifier: Apache-2.0
 * number.c: tests of numbers: grammar, ranges, encoding, texts, sums. The oracle test covers them at random. */
#include "thermodyn/number.h"

#include <stdio.h>

#include "suites.h"

#define ZEROS_10 "0000000000"
#define ZEROS_40 ZEROS_10 ZEROS_10 ZEROS_10 ZEROS_10
#define NINES_38 "99999999999999999999999999999999999999"

static td_number parse(const char *text)
{
    td_number number;
    td_number_fault fault = td_number_parse(td_slice_of_cstr(text), &number);
    ck_assert_msg(fault == TD_NUMBER_OK, "%s: fault %d", text, (int)fault);
    ck_assert_msg(td_number_is_valid(td_number_slice(&number)), "%s: not a valid encoding", text);
    return number;
}

static td_number_fault fault_of(const char *text)
{
    td_number number;
    return td_number_parse(td_slice_of_cstr(text), &number);
}

static const char *print(const td_number *number, char buffer[TD_NUMBER_TEXT_MAX + 1])
{
    size_t len = td_number_print(td_number_slice(number), buffer);
    ck_assert_uint_le(len, TD_NUMBER_TEXT_MAX);
    buffer[len] = '\0';
    return buffer;
}

static const char *hex(const td_number *number, char buffer[2 * TD_NUMBER_BYTES_MAX + 1])
{
    for (size_t i = 0; i < number->len; i++)
        snprintf(buffer + 2 * i, 3, "%02x", number->bytes[i]);
    return buffer;
}

START_TEST(numbers_read_back_in_full_and_without_noise)
{
    static const struct {
        const char *written, *printed;
    } cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"+0", "0"},
        {"0.000", "0"},
        {"0e125", "0"},
        {"0e-130", "0"},
        {"-0.0e5", "0"},
        {"1", "1"},
        {"-1", "-1"},
        {"+5", "5"},
        {"10", "10"},
        {"100", "100"},
        {"1000", "1000"},
        {"101", "101"},
        {".5", "0.5"},
        {"5.", "5"},
        {"1.e5", "100000"},
        {"1e+2", "100"},
        {"1E2", "100"},
        {"1e-2", "0.01"},
        {"0042.1200", "42.12"},
        {"-007.70", "-7.7"},
        {"0.1", "0.1"},
        {"0.01", "0.01"},
        {"0.001", "0.001"},
        {"0.012345", "0.012345"},
        {"12.3", "12.3"},
        {"123.4", "123.4"},
        {"1234.5", "1234.5"},
        {"99.99", "99.99"},
        {"1.10", "1.1"},
        {"1e00000000000000000000000000002", "100"},
        {"00000000000000000000000000000000000000000001", "1"},
        {"9007199254740993", "9007199254740993"},
        {"12345678901234567890123456789012345678", "12345678901234567890123456789012345678"},
        {"1.2345678901234567890123456789012345678", "1.2345678901234567890123456789012345678"},
        {"0.12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678"},
        {"1" ZEROS_40 "e-40", "1"},
        {"0." ZEROS_40 "1e41", "1"},
        {"1E125", "1" ZEROS_40 ZEROS_40 ZEROS_40 "00000"},
        {"-0001.000e-130", "-0." ZEROS_40 ZEROS_40 ZEROS_40 "0000000001"},
        {NINES_38 "e88", NINES_38 ZEROS_40 ZEROS_40 "00000000"},
        {"9.9e-130", "0." ZEROS_40 ZEROS_40 ZEROS_40 "00000000099"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        char buffer[TD_NUMBER_TEXT_MAX + 1];
        td_number number = parse(cases[i].written);
        ck_assert_str_eq(print(&number, buffer), cases[i].printed);
    }
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
    static const char *const texts[] = {
        "",
        "+",
        "-",
        ".",
        "e",
        "e5",
        "+e2",
        ".e2",
        "1e",
        "1e+",
        "1e-",
        "abc",
        " 5",
        "5 ",
        "1 2",
        "1+2",
        "--1",
        "+-1",
        "1.2.3",
        "1..2",
        "1e1.5",
        "1e1e1",
        "0x10",
        "NaN",
        "Infinity",
        "-Infinity",
        "1_000",
        "1,5",
        "1d",
        "1f",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "1\t",
        "１",
    };
    for (size_t i = 0; i < TD_COUNT_OF(texts); i++)
        ck_assert_msg(fault_of(texts[i]) == TD_NUMBER_NOT_NUMERIC, "%s", texts[i]);
    td_number number;
    ck_assert_int_eq(td_number_parse(TD_LIT("1\0"), &number), TD_NUMBER_NOT_NUMERIC);
    ck_assert_int_eq(td_number_parse((td_slice){NULL, 0}, &number), TD_NUMBER_NOT_NUMERIC);
}
END_TEST

START_TEST(numbers_out_of_range_are_refused)
{
    static const struct {
        const char *text;
        td_number_fault fault;
    } cases[] = {
        {"1e126", TD_NUMBER_OVERFLOW},
        {"-1e126", TD_NUMBER_OVERFLOW},
        {"11e125", TD_NUMBER_OVERFLOW},
        {"1.0e100000000", TD_NUMBER_OVERFLOW},
        {"1e2147483647", TD_NUMBER_OVERFLOW},
        {"1e9223372036854775807", TD_NUMBER_OVERFLOW},
        {"1e-131", TD_NUMBER_UNDERFLOW},
        {"-1e-131", TD_NUMBER_UNDERFLOW},
        {"0.9e-130", TD_NUMBER_UNDERFLOW},
        {"0.01e-129", TD_NUMBER_UNDERFLOW},
        {"1e-9223372036854775807", TD_NUMBER_UNDERFLOW},
        {"0e126", TD_NUMBER_OVERFLOW},
        {"0e-131", TD_NUMBER_UNDERFLOW},
        {"0e1000", TD_NUMBER_OVERFLOW},
        {"123456789012345678901234567890123456789", TD_NUMBER_TOO_MANY_DIGITS},
        {"-1.23456789012345678901234567890123456789", TD_NUMBER_TOO_MANY_DIGITS},
        {"1" ZEROS_40 "1", TD_NUMBER_TOO_MANY_DIGITS},
        {"1." ZEROS_40 "1", TD_NUMBER_TOO_MANY_DIGITS},
        {NINES_38 "9e200", TD_NUMBER_OVERFLOW},
        {NINES_38 "9e-200", TD_NUMBER_UNDERFLOW},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++)
        ck_assert_msg(fault_of(cases[i].text) == cases[i].fault, "%s", cases[i].text);
}
END_TEST

START_TEST(encodings_are_those_of_the_service)
{
    static const struct {
        const char *text, *hex;
    } cases[] = {
        {"0", "80"},
        {"7", "c108"},
        {"999.9", "c20a645b"},
        {"-0.09", "3f5c66"},
        {"-999.9", "3d5c020b66"},
        {"0.012345", "c002182e"},
        {"251", "c20334"},
        {"2388", "c21859"},
        {"100", "c202"},
        {"1e125", "ff0b"},
        {"1e-130", "8002"},
        {"-1e125", "005b66"},
        {"-1e-130", "7f6466"},
        {"-1.2345678901234567890123456789012345678", "3e644e38220c644e38220c644e38220c644e382215"},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        char buffer[2 * TD_NUMBER_BYTES_MAX + 1];
        td_number number = parse(cases[i].text);
        ck_assert_str_eq(hex(&number, buffer), cases[i].hex);
    }
}
END_TEST

START_TEST(bytes_compare_as_the_numbers_do)
{
    static const char *const ascending[] = {
        "-9.9e125", "-1e125",  "-12345678901234567890123456789012345678",
        "-1000",    "-999.9",  "-100",
        "-99",      "-10.1",   "-10",
        "-9.99",    "-9.9",    "-9",
        "-1.01",    "-1",      "-0.99",
        "-0.5",     "-0.09",   "-1e-129",
        "-2e-130",  "-1e-130", "0",
        "1e-130",   "2e-130",  "1e-129",
        "0.09",     "0.5",     "0.99",
        "1",        "1.01",    "9",
        "9.9",      "9.99",    "10",
        "10.1",     "99",      "100",
        "999.9",    "1000",    "12345678901234567890123456789012345678",
        "1e125",    "9.9e125",
    };
    for (size_t i = 0; i + 1 < TD_COUNT_OF(ascending); i++) {
        td_number lower = parse(ascending[i]), higher = parse(ascending[i + 1]);
        ck_assert_msg(td_slice_compare(td_number_slice(&lower), td_number_slice(&higher)) < 0, "%s < %s", ascending[i],
                      ascending[i + 1]);
    }
}
END_TEST

START_TEST(bytes_that_are_no_encoding_are_told)
{
    static const td_slice encodings[] = {
        TD_LIT_INIT(""),
        TD_LIT_INIT("\x80\x01"),         /* first pair 0 */
        TD_LIT_INIT("\x7f"),             /* no pairs */
        TD_LIT_INIT("\x7f\x66"),         /* an end alone */
        TD_LIT_INIT("\xc1"),             /* no pairs */
        TD_LIT_INIT("\xc1\x00"),         /* below a pair */
        TD_LIT_INIT("\xc1\x65"),         /* above a pair */
        TD_LIT_INIT("\xc1\x02\x01"),     /* last pair 0 */
        TD_LIT_INIT("\x3e\x64"),         /* negative without its end */
        TD_LIT_INIT("\x3e\x64\x66\x66"), /* an end in the middle */
        TD_LIT_INIT(
            "\xc1\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c"), /* 40 digits */
        TD_LIT_INIT("\xc1\x02\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c\x0c"),
    };
    for (size_t i = 0; i < TD_COUNT_OF(encodings); i++)
        ck_assert_msg(!td_number_is_valid(encodings[i]), "encoding %zu", i);
}
END_TEST

START_TEST(sums_are_exact)
{
    static const struct {
        const char *a, *b, *sum, *difference;
    } cases[] = {
        {"0", "0", "0", "0"},
        {"5", "0", "5", "5"},
        {"0", "5", "5", "-5"},
        {"1", "2", "3", "-1"},
        {"5", "-5", "0", "10"},
        {"0.1", "0.2", "0.3", "-0.1"},
        {"99", "1", "100", "98"},
        {"-99", "-1", "-100", "-98"},
        {"100", "-1", "99", "101"},
        {"10000000000000000000000", "1", "10000000000000000000001", "9999999999999999999999"},
        {"1e37", "1", "10000000000000000000000000000000000001", "9999999999999999999999999999999999999"},
        {NINES_38, "1",
         "1"
         "00000000000000000000000000000000000000",
         "99999999999999999999999999999999999998"},
        {"9e124", "1e124", "1" ZEROS_40 ZEROS_40 ZEROS_40 "00000", "8" ZEROS_40 ZEROS_40 ZEROS_40 "0000"},
        {"0.99", "0.01", "1", "0.98"},
        {"1234.5678", "-0.0078", "1234.56", "1234.5756"},
        {"1e38", "-" NINES_38, "1", NULL},
        {"1.1e-130", "0", "0." ZEROS_40 ZEROS_40 ZEROS_40 "00000000011", NULL},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        char buffer[TD_NUMBER_TEXT_MAX + 1];
        td_number a = parse(cases[i].a), b = parse(cases[i].b), result;
        ck_assert_int_eq(td_number_add(td_number_slice(&a), td_number_slice(&b), &result), TD_NUMBER_OK);
        ck_assert_str_eq(print(&result, buffer), cases[i].sum);
        ck_assert_int_eq(td_number_add(td_number_slice(&b), td_number_slice(&a), &result), TD_NUMBER_OK);
        ck_assert_str_eq(print(&result, buffer), cases[i].sum);
        if (!cases[i].difference) continue;
        ck_assert_int_eq(td_number_subtract(td_number_slice(&a), td_number_slice(&b), &result), TD_NUMBER_OK);
        ck_assert_str_eq(print(&result, buffer), cases[i].difference);
    }
}
END_TEST

START_TEST(sums_that_no_number_holds_are_refused)
{
    static const struct {
        const char *a, *b;
        td_number_fault fault;
    } cases[] = {
        {"9e125", "9e125", TD_NUMBER_OVERFLOW},
        {"-9e125", "-9e125", TD_NUMBER_OVERFLOW},
        {"1e50", "1", TD_NUMBER_OVERFLOW},
        {"1e50", "-1", TD_NUMBER_OVERFLOW},
        {"1e125", "1e-130", TD_NUMBER_OVERFLOW},
        {"1e38", "1", TD_NUMBER_OVERFLOW},
        {NINES_38, "0.1", TD_NUMBER_OVERFLOW},
        {"1.1e-130", "-1e-130", TD_NUMBER_UNDERFLOW},
        {"1.23e-130", "-1.2e-130", TD_NUMBER_UNDERFLOW},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_number a = parse(cases[i].a), b = parse(cases[i].b), result;
        ck_assert_msg(td_number_add(td_number_slice(&a), td_number_slice(&b), &result) == cases[i].fault, "%s + %s",
                      cases[i].a, cases[i].b);
    }
}
END_TEST

START_TEST(integers_pass_both_ways)
{
    static const int64_t integers[] = {
        0,         1,         -1, 9, 10, 99, 100, -100, 101, 1000, 123456789, INT32_MAX, INT32_MIN, 1000000000000000000,
        INT64_MAX, INT64_MIN,
    };
    for (size_t i = 0; i < TD_COUNT_OF(integers); i++) {
        char text[32];
        snprintf(text, sizeof text, "%lld", (long long)integers[i]);
        td_number written = parse(text), made = td_number_from_int64(integers[i]);
        ck_assert(td_slice_equal(td_number_slice(&written), td_number_slice(&made)));
        int64_t back = 42;
        ck_assert(td_number_to_int64(td_number_slice(&made), &back));
        ck_assert_int_eq(back, integers[i]);
    }
}
END_TEST

START_TEST(what_is_no_int64_is_told)
{
    static const char *const texts[] = {"0.5",  "1.5",  "-0.1", "9223372036854775808", "-9223372036854775809",
                                        "1e19", "1e125"};
    for (size_t i = 0; i < TD_COUNT_OF(texts); i++) {
        td_number number = parse(texts[i]);
        int64_t value = 42;
        ck_assert_msg(!td_number_to_int64(td_number_slice(&number), &value), "%s", texts[i]);
        ck_assert_int_eq(value, 42);
    }
}
END_TEST

START_TEST(a_number_counts_for_its_pairs_and_its_sign)
{
    static const struct {
        const char *text;
        uint32_t size;
    } cases[] = {
        {"0", 1},
        {"-0", 1},
        {"1", 2},
        {"-1", 3},
        {"10", 2},
        {"12", 2},
        {"100", 2},
        {"0.1", 2},
        {"123", 3},
        {"1234", 3},
        {"12.3", 3},
        {"1.23", 3},
        {"-123", 4},
        {"99999", 4},
        {"12345", 4},
        {"1.5", 3},
        {"3.14159", 5},
        {"0.0000001", 2},
        {"1E125", 2},
        {"-42", 3},
        {NINES_38, 20},
        {"-" NINES_38, 21},
        {"1.2345678901234567890123456789012345678", 21},
        {"-1.2345678901234567890123456789012345678", 22},
    };
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_number number = parse(cases[i].text);
        ck_assert_msg(td_number_size(td_number_slice(&number)) == cases[i].size, "%s", cases[i].text);
    }
}
END_TEST

TCase *number_tests(void)
{
    TCase *tests = tcase_create("number");
    tcase_add_test(tests, numbers_read_back_in_full_and_without_noise);
    tcase_add_test(tests, what_is_no_number_is_refused);
    tcase_add_test(tests, numbers_out_of_range_are_refused);
    tcase_add_test(tests, encodings_are_those_of_the_service);
    tcase_add_test(tests, bytes_compare_as_the_numbers_do);
    tcase_add_test(tests, bytes_that_are_no_encoding_are_told);
    tcase_add_test(tests, sums_are_exact);
    tcase_add_test(tests, sums_that_no_number_holds_are_refused);
    tcase_add_test(tests, integers_pass_both_ways);
    tcase_add_test(tests, what_is_no_int64_is_told);
    tcase_add_test(tests, a_number_counts_for_its_pairs_and_its_sign);
    return tests;
}
