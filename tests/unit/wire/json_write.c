/* SPDX-License-Identifier: Apache-2.0
 * json_write.c: tests of the writer. */
#include "wire/json.h"

#include <math.h>

#include "thermodyn/text.h"

#include "suites.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;
static td_buf buf;

static void setup(void)
{
    td_fixture_init(&fixture);
    td_buf_init(&buf, 1 << 20);
}

static void teardown(void)
{
    td_buf_done(&buf);
    td_fixture_done(&fixture);
}

/* What has been written since the last look. */
static const char *written(void)
{
    ck_assert(!td_buf_has_failed(&buf));
    td_buf_append_byte(&buf, '\0');
    td_slice copy;
    ck_assert(td_arena_copy(arena, td_buf_contents(&buf), &copy));
    td_buf_clear(&buf);
    return (const char *)copy.ptr;
}

START_TEST(strings_escape_what_json_must)
{
    td_json_write_string(&buf, TD_LIT("a\"b\\c/d\b\t\n\f\r"));
    ck_assert_str_eq(written(), "\"a\\\"b\\\\c/d\\b\\t\\n\\f\\r\"");
    td_json_write_string(&buf, TD_LIT("\0\x01\x1f\x7f"));
    ck_assert_str_eq(written(), "\"\\u0000\\u0001\\u001F\x7f\"");
    td_json_write_string(&buf, TD_LIT(""));
    ck_assert_str_eq(written(), "\"\"");
    td_json_write_string(&buf, TD_LIT("\xc3\xa9\xf0\x9f\x98\x80"));
    ck_assert_str_eq(written(), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}
END_TEST

START_TEST(every_code_point_survives_writing_and_reading)
{
    enum { BLOCK = 0x800 };
    uint8_t text[4 * BLOCK];
    for (uint32_t first = 0; first < 0x110000; first += BLOCK) {
        size_t len = 0;
        for (uint32_t point = first; point < first + BLOCK; point++) {
            if (point >= 0xD800 && point <= 0xDFFF) continue;
            len += td_utf8_encode(point, text + len);
        }
        td_json_write_string(&buf, td_slice_of(text, len));
        const td_json *json = json_of(&fixture, td_buf_contents(&buf));
        ck_assert(td_slice_equal(json->text, td_slice_of(text, len)));
        td_buf_clear(&buf);
        td_arena_reset(arena);
    }
}
END_TEST

START_TEST(integers_are_written_in_full)
{
    static const struct {
        int64_t value;
        const char *expected;
    } cases[] = {
        {0, "0"}, {7, "7"}, {-10, "-10"}, {INT64_MAX, "9223372036854775807"}, {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_json_write_int(&buf, cases[i].value);
        ck_assert_str_eq(written(), cases[i].expected);
    }
}
END_TEST

START_TEST(units_have_a_fraction_always)
{
    static const struct {
        td_units units;
        const char *expected;
    } cases[] = {{0, "0.0"},   {500, "0.5"},  {1000, "1.0"},  {12500, "12.5"},
                 {1, "0.001"}, {250, "0.25"}, {-1500, "-1.5"}};
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_json_write_units(&buf, cases[i].units);
        ck_assert_str_eq(written(), cases[i].expected);
    }
}
END_TEST

START_TEST(times_have_milliseconds)
{
    td_json_write_time(&buf, 1700000000123456);
    ck_assert_str_eq(written(), "1700000000.123");
    td_json_write_time(&buf, 1700000000000000);
    ck_assert_str_eq(written(), "1700000000.0");
}
END_TEST

START_TEST(doubles_take_no_more_digits_than_needed)
{
    static const struct {
        double value;
        const char *expected;
    } cases[] = {{0, "0"}, {0.1, "0.1"}, {3, "3"}, {1e21, "1e+21"}, {1.0 / 3, "0.3333333333333333"}, {-2.5, "-2.5"}};
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_json_write_double(&buf, cases[i].value);
        ck_assert_str_eq(written(), cases[i].expected);
    }
    td_json_write_double(&buf, (double)NAN);
    ck_assert_str_eq(written(), "null");
}
END_TEST

static const char every_type[] =
    "{\"b\":{\"B\":\"AP8=\"},\"bool\":{\"BOOL\":false},\"bs\":{\"BS\":[\"\",\"AA==\"]},\"l\":{\"L\":[{\"S\":\"x\"},"
    "{\"L\":[]},{\"BOOL\":true}]},\"m\":{\"M\":{\"k\\\"\":{\"N\":\"-0.5\"},\"z\":{\"M\":{}}}},\"n\":{\"N\":\"1000\"},"
    "\"ns\":{\"NS\":[\"-3\",\"1.5\",\"20\"]},\"null\":{\"NULL\":true},\"s\":{\"S\":\"\\u0000\"},"
    "\"ss\":{\"SS\":[\"\",\"a\"]}}";

static td_item *item_of_every_type(td_given_attributes *ret_attributes)
{
    *ret_attributes = attributes_of(arena, B("b", "\0\xff"), BOOL("bool", false), BS("bs", TD_LIT(""), TD_LIT("\0")),
                                    L("l", S("", "x"), L(""), BOOL("", true)), M("m", N("k\"", "-0.5"), M("z")),
                                    N("n", "1e3"), NS("ns", TD_LIT("20"), TD_LIT("-3"), TD_LIT("1.5")), NULL_("null"),
                                    S_OF("s", TD_LIT("\0")), SS("ss", TD_LIT("a"), TD_LIT("")));
    td_item *item = td_item_new(ret_attributes->attributes, ret_attributes->count);
    ck_assert_ptr_nonnull(item);
    return item;
}

START_TEST(trees_and_stored_items_are_written_alike)
{
    td_given_attributes given;
    td_item *item = item_of_every_type(&given);
    td_json_write_attributes(&buf, given.attributes, given.count);
    ck_assert_str_eq(written(), every_type);
    td_json_write_item(&buf, item);
    ck_assert_str_eq(written(), every_type);
    td_item_unref(item);
}
END_TEST

START_TEST(named_attributes_are_written_if_there)
{
    td_item *item = item_of(arena, S("pk", "a"), N("sk", "1"), S("x", "y"));
    td_slice names[] = {TD_LIT("sk"), TD_LIT("none"), TD_LIT("pk")};
    td_json_write_item_keys(&buf, item, names, TD_COUNT_OF(names));
    ck_assert_str_eq(written(), "{\"sk\":{\"N\":\"1\"},\"pk\":{\"S\":\"a\"}}");
    td_json_write_item_keys(&buf, item, names + 1, 1);
    ck_assert_str_eq(written(), "{}");
}
END_TEST

/* Names and values are copied in blocks: each length around a block's, with what needs an escape in each place. An item
 * is written twice, since the first time it is noted whether none needs one. */
START_TEST(texts_of_every_length_are_escaped_in_every_place)
{
    enum { LENGTH_MAX = 40 };
    for (size_t len = 1; len <= LENGTH_MAX; len++) {
        for (size_t place = 0; place <= len; place++) { /* at the end: nowhere */
            char text[LENGTH_MAX + 1] = {0};
            memset(text, 'a', len);
            if (place < len) text[place] = '\n';
            char escaped[LENGTH_MAX + 2] = {0};
            memset(escaped, 'a', place < len ? len + 1 : len);
            if (place < len) memcpy(escaped + place, "\\n", 2);
            td_slice expected;
            ck_assert(td_arena_format(arena, &expected, "{\"%s\":{\"S\":\"%s\"},\"b\":{\"S\":\"%s\"}}", escaped,
                                      escaped, escaped));

            td_given_attributes given = attributes_of(arena, S(text, text), S("b", text));
            td_json_write_attributes(&buf, given.attributes, given.count);
            ck_assert_str_eq(written(), (const char *)expected.ptr);
            td_item *item = item_of(arena, S(text, text), S("b", text));
            for (int times = 0; times < 2; times++) {
                td_json_write_item(&buf, item);
                ck_assert_str_eq(written(), (const char *)expected.ptr);
                ck_assert(td_item_is_known_plain(item) == (place == len));
            }
            td_arena_reset(arena);
        }
    }
}
END_TEST

/* Behind the longest number the brackets of all levels are closed. */
START_TEST(deep_values_are_written_to_their_end)
{
    enum { LEVELS = 31, NUMBER_LENGTH = 170 }; /* a sign, "0.", 129 zeros and 38 digits */
    td_value values[LEVELS + 1] = {value_of(arena, N("", "-1.2345678901234567890123456789012345678e-130"))};
    for (size_t i = 0; i < LEVELS; i++)
        values[i + 1] = (td_value){.type = TD_TYPE_L, .count = 1, .elements = &values[i]};
    td_attribute attribute = {.name = TD_LIT("l"), .value = values[LEVELS]};
    td_item *item = td_item_new(&attribute, 1);
    td_json_write_attributes(&buf, &attribute, 1);
    const char *tree = written();
    td_json_write_item(&buf, item);
    ck_assert_str_eq(written(), tree);
    ck_assert_uint_eq(strlen(tree), strlen("{\"l\":}{\"N\":\"\"}") + LEVELS * strlen("{\"L\":[]}") + NUMBER_LENGTH);
    td_item_unref(item);
}
END_TEST

/* Wherever the limit strikes. */
START_TEST(a_full_buffer_fails_and_stays_so)
{
    td_given_attributes given;
    td_item *item = item_of_every_type(&given);
    bool was_written = false;
    for (size_t limit_bytes = 0; limit_bytes < 2 * sizeof(every_type); limit_bytes++) {
        td_buf small;
        td_buf_init(&small, limit_bytes);
        td_json_write_item(&small, item);
        bool is_written = !td_buf_has_failed(&small);
        ck_assert(is_written || !was_written);
        ck_assert(!is_written || td_slice_equal(td_buf_contents(&small), td_slice_of_cstr(every_type)));
        was_written = is_written;
        td_buf_done(&small);
    }
    ck_assert(was_written);
    td_item_unref(item);
}
END_TEST

START_TEST(a_tree_is_written_as_it_came_but_for_blanks)
{
    const td_json *root = json_of(
        &fixture, TD_LIT(" { \"a\\u00e9\\n\" : [ 1.50 , -0e1, true,false, null, {} ], \"a\":\"\" } "));
    td_json_write_tree(&buf, root);
    ck_assert_str_eq(written(), "{\"a\xc3\xa9\\n\":[1.50,-0e1,true,false,null,{}],\"a\":\"\"}");
}
END_TEST

TCase *json_write_tests(void)
{
    TCase *tests = tcase_create("json_write");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, strings_escape_what_json_must);
    tcase_add_test(tests, every_code_point_survives_writing_and_reading);
    tcase_add_test(tests, integers_are_written_in_full);
    tcase_add_test(tests, units_have_a_fraction_always);
    tcase_add_test(tests, times_have_milliseconds);
    tcase_add_test(tests, doubles_take_no_more_digits_than_needed);
    tcase_add_test(tests, trees_and_stored_items_are_written_alike);
    tcase_add_test(tests, named_attributes_are_written_if_there);
    tcase_add_test(tests, texts_of_every_length_are_escaped_in_every_place);
    tcase_add_test(tests, deep_values_are_written_to_their_end);
    tcase_add_test(tests, a_tree_is_written_as_it_came_but_for_blanks);
    tcase_add_test(tests, a_full_buffer_fails_and_stays_so);
    return tests;
}
