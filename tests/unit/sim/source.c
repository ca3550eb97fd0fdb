/* SPDX-License-Identifier: Apache-2.0
 * source.c: the distributions that values are drawn from. */
#include "sim/source.h"

#include <math.h>
#include <stdio.h>

#include "sim_test.h"
#include "suites.h"
#include "thermodyn/key.h"

#define NOW_US INT64_C(1794571200000123) /* 2026-11-13 12:00:00.000123 UTC */

static td_arena arena;
static td_rng rng;
static td_sim_source source;
static uint8_t bytes[TD_SIM_VALUE_BYTES + 1];

static void setup(void)
{
    td_arena_init(&arena, (size_t)64 << 20);
    td_rng_init(&rng, 1);
}

static void teardown(void)
{
    td_arena_done(&arena);
}

/* A source out of a text in which ' stands for ". */
static void open(const char *text, td_type type)
{
    td_slice copy;
    ck_assert(td_arena_copy(&arena, td_slice_of_cstr(text), &copy));
    for (size_t i = 0; i < copy.len; i++) {
        if (copy.ptr[i] == '\'') ((uint8_t *)(uintptr_t)copy.ptr)[i] = '"';
    }
    const char *fault = NULL;
    const td_json_node *node = td_json_doc_parse(copy, &arena, &fault);
    ck_assert_msg(node != NULL, "%s", fault);
    td_sim_reader reader;
    td_sim__reader_init(&reader, &arena);
    td_sim__source_read(&reader, node, type, &source);
    ck_assert_msg(!reader.has_failed, "%s", reader.sentence);
    ck_assert(td_sim__source_prepare(&source, 1, &arena));
}

static const char *draw(void)
{
    size_t len = td_sim__source_draw(&source, &rng, NOW_US, bytes);
    bytes[len] = '\0';
    return (const char *)bytes;
}

static int64_t draw_number(void)
{
    size_t len = td_sim__source_draw(&source, &rng, NOW_US, bytes);
    int64_t number = 0;
    ck_assert(td_number_to_int64(td_slice_of(bytes, len), &number));
    return number;
}

START_TEST(a_text_alone_is_that_text)
{
    open("'ACTIVE'", TD_TYPE_S);
    ck_assert_str_eq(draw(), "ACTIVE");
    open("{'distribution':'single','value':-7.5}", TD_TYPE_N);
    td_number expected;
    ck_assert_int_eq(td_number_parse(TD_LIT("-7.5"), &expected), TD_NUMBER_OK);
    size_t len = td_sim__source_draw(&source, &rng, NOW_US, bytes);
    ck_assert(td_slice_equal(td_slice_of(bytes, len), td_number_slice(&expected)));
}
END_TEST

START_TEST(uniform_draws_every_element_as_often)
{
    open("{'distribution':'uniform','n':10,'prefix':'user-','suffix':'!'}", TD_TYPE_S);
    uint32_t counts[11] = {0};
    for (int i = 0; i < 100000; i++) {
        int number = 0;
        char end = 0;
        ck_assert_int_eq(sscanf(draw(), "user-%d%c", &number, &end), 2);
        ck_assert(number >= 1 && number <= 10 && end == '!');
        counts[number]++;
    }
    for (int i = 1; i <= 10; i++)
        ck_assert_double_eq_tol(counts[i], 10000, 400); /* four standard deviations */
}
END_TEST

START_TEST(zipf_has_its_exact_probabilities)
{
    open("{'distribution':'zipf','n':1000,'s':1.2}", TD_TYPE_N);
    double sum = 0;
    for (int k = 1; k <= 1000; k++)
        sum += pow(k, -1.2);
    for (uint32_t k = 1; k <= 1000; k++) {
        double expected = pow(k, -1.2) / sum;
        ck_assert_double_eq_tol(td_sim__alias_probability(&source.alias, k - 1), expected, 1e-12);
    }
}
END_TEST

START_TEST(zipf_draws_as_its_probabilities_say)
{
    open("{'distribution':'zipf','n':1000,'s':1.0}", TD_TYPE_N);
    uint32_t counts[1001] = {0};
    for (int i = 0; i < 200000; i++)
        counts[draw_number()]++;
    for (uint32_t k = 1; k <= 5; k++) {
        double expected = 200000 * td_sim__alias_probability(&source.alias, k - 1);
        ck_assert_double_eq_tol(counts[k], expected, 5 * sqrt(expected));
    }
}
END_TEST

START_TEST(a_list_follows_its_weights)
{
    open("{'distribution':'list','values':['a','b','c'],'weights':[90,10,0]}", TD_TYPE_S);
    uint32_t counts[3] = {0};
    for (int i = 0; i < 100000; i++)
        counts[draw()[0] - 'a']++;
    ck_assert_double_eq_tol(counts[0], 90000, 500);
    ck_assert_uint_eq(counts[2], 0);
    ck_assert_double_eq_tol(td_sim__alias_probability(&source.alias, 0), 0.9, 1e-12);
}
END_TEST

START_TEST(a_sequence_counts_and_begins_anew)
{
    open("{'distribution':'sequence','n':3,'first':5,'run':2,'prefix':'k'}", TD_TYPE_S);
    static const char *const expected[] = {"k5", "k5", "k6", "k6", "k7", "k7", "k5"};
    for (size_t i = 0; i < TD_COUNT_OF(expected); i++)
        ck_assert_str_eq(draw(), expected[i]);
}
END_TEST

START_TEST(a_sequence_can_have_the_order_of_hashes)
{
    open("{'distribution':'sequence','n':1000,'order':'hash','prefix':'key-'}", TD_TYPE_S);
    bool has_element[1001] = {false};
    uint64_t last = 0;
    for (int i = 0; i < 1000; i++) {
        td_slice part = td_slice_of_cstr(draw());
        td_key_hash hash = td_key_hash_of(&part, 1, TD_PLACEMENT_SERVICE);
        ck_assert_uint_ge(td_key_hash_prefix(&hash), last);
        last = td_key_hash_prefix(&hash);
        int number = 0;
        ck_assert_int_eq(sscanf((const char *)bytes, "key-%d", &number), 1);
        ck_assert(!has_element[number]);
        has_element[number] = true;
    }
}
END_TEST

START_TEST(a_shuffled_sequence_has_every_element_once)
{
    open("{'distribution':'sequence','n':1000,'order':'shuffled'}", TD_TYPE_N);
    bool has_element[1001] = {false};
    uint32_t in_place = 0;
    for (int64_t i = 1; i <= 1000; i++) {
        int64_t number = draw_number();
        ck_assert(number >= 1 && number <= 1000 && !has_element[number]);
        has_element[number] = true;
        in_place += number == i ? 1 : 0;
    }
    ck_assert_uint_lt(in_place, 20);
}
END_TEST

START_TEST(shards_are_suffixes)
{
    open("{'distribution':'sharded','base':'HOT','shards':3,'first':1,'separator':'_','pick':'in turn'}", TD_TYPE_S);
    static const char *const expected[] = {"HOT_1", "HOT_2", "HOT_3", "HOT_1"};
    for (size_t i = 0; i < TD_COUNT_OF(expected); i++)
        ck_assert_str_eq(draw(), expected[i]);
    open("{'distribution':'sharded','base':{'distribution':'list','values':['x']},'shards':10}", TD_TYPE_S);
    for (int i = 0; i < 100; i++)
        ck_assert(draw()[0] == 'x' && bytes[1] == '#' && bytes[2] >= '0' && bytes[2] <= '9' && bytes[3] == '\0');
}
END_TEST

START_TEST(joined_values_have_all_their_parts)
{
    open("{'distribution':'join','parts':['tenant-7',{'distribution':'list','values':['ACTIVE']}]}", TD_TYPE_S);
    ck_assert_str_eq(draw(), "tenant-7#ACTIVE");
}
END_TEST

static const struct {
    const char *format;
    const char *expected;
} times[] = {{"date", "2026-11-13"},
             {"hour", "2026-11-13T12"},
             {"minute", "2026-11-13T12:00"},
             {"timestamp", "2026-11-13T12:00:00.000123Z"}};

START_TEST(times_are_those_of_the_virtual_clock)
{
    char text[100];
    snprintf(text, sizeof text, "{'distribution':'time','format':'%s','prefix':'d:'}", times[_i].format);
    open(text, TD_TYPE_S);
    ck_assert_str_eq(draw() + 2, times[_i].expected);
}
END_TEST

START_TEST(ordered_values_go_up_or_down_as_texts_too)
{
    char last[TD_SIM_VALUE_BYTES + 1] = "";
    open("{'distribution':'increasing','of':'count'}", TD_TYPE_S);
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_gt(strcmp(draw(), last), 0);
        snprintf(last, sizeof last, "%s", (const char *)bytes);
    }
    open("{'distribution':'decreasing','of':'count'}", TD_TYPE_S);
    snprintf(last, sizeof last, "%s", draw());
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_lt(strcmp(draw(), last), 0);
        snprintf(last, sizeof last, "%s", (const char *)bytes);
    }
    open("{'distribution':'increasing'}", TD_TYPE_N);
    ck_assert_int_eq(draw_number(), NOW_US);
}
END_TEST

TCase *source_tests(void)
{
    TCase *tests = tcase_create("source");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, a_text_alone_is_that_text);
    tcase_add_test(tests, uniform_draws_every_element_as_often);
    tcase_add_test(tests, zipf_has_its_exact_probabilities);
    tcase_add_test(tests, zipf_draws_as_its_probabilities_say);
    tcase_add_test(tests, a_list_follows_its_weights);
    tcase_add_test(tests, a_sequence_counts_and_begins_anew);
    tcase_add_test(tests, a_sequence_can_have_the_order_of_hashes);
    tcase_add_test(tests, a_shuffled_sequence_has_every_element_once);
    tcase_add_test(tests, shards_are_suffixes);
    tcase_add_test(tests, joined_values_have_all_their_parts);
    tcase_add_loop_test(tests, times_are_those_of_the_virtual_clock, 0, (int)TD_COUNT_OF(times));
    tcase_add_test(tests, ordered_values_go_up_or_down_as_texts_too);
    return tests;
}
