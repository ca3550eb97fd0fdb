/* SPDX-License-Identifier: Apache-2.0
 * rng.c: tests of storage/base/rng.c. */
#include "thermodyn/rng.h"

#include <ctype.h>

#include "suites.h"

START_TEST(rng_follows_the_published_sequence)
{
    /* First words of xoshiro256** from the state 1, 2, 3, 4, as its authors' program prints them. */
    static const uint64_t words[] = {11520, 0, 1509978240, 1215971899390074240};
    td_rng rng = {.state = {1, 2, 3, 4}};
    for (size_t i = 0; i < TD_COUNT_OF(words); i++)
        ck_assert_uint_eq(td_rng_next(&rng), words[i]);
}
END_TEST

START_TEST(rng_repeats_itself_from_the_same_seed)
{
    td_rng a;
    td_rng b;
    td_rng c;
    td_rng_init(&a, 0);
    td_rng_init(&b, 0);
    td_rng_init(&c, 1);
    bool differs = false;
    for (int i = 0; i < 100; i++) {
        uint64_t word = td_rng_next(&a);
        ck_assert_uint_eq(word, td_rng_next(&b));
        differs = differs || word != td_rng_next(&c);
    }
    ck_assert(differs);
}
END_TEST

START_TEST(rng_below_reaches_every_value_and_no_other)
{
    static const uint64_t bounds[] = {1, 2, 3, 7, 10};
    td_rng rng;
    td_rng_init(&rng, 5);
    for (size_t i = 0; i < TD_COUNT_OF(bounds); i++) {
        int counts[10] = {0};
        for (int n = 0; n < 10000; n++) {
            uint64_t value = td_rng_below(&rng, bounds[i]);
            ck_assert_uint_lt(value, bounds[i]);
            counts[value]++;
        }
        for (uint64_t value = 0; value < bounds[i]; value++)
            ck_assert_int_ge(counts[value], 8000 / (int)bounds[i]);
    }
    ck_assert_uint_lt(td_rng_below(&rng, UINT64_MAX), UINT64_MAX);
}
END_TEST

START_TEST(rng_unit_stays_below_one)
{
    td_rng rng;
    td_rng_init(&rng, 9);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        double unit = td_rng_unit(&rng);
        ck_assert(unit >= 0 && unit < 1);
        sum += unit;
    }
    ck_assert(sum > 4800 && sum < 5200);
}
END_TEST

START_TEST(rng_uuid_has_the_form_of_version_4)
{
    td_rng rng;
    td_rng_init(&rng, 11);
    for (int n = 0; n < 100; n++) {
        char text[37];
        td_rng_uuid(&rng, text);
        ck_assert_uint_eq(strlen(text), 36);
        for (size_t i = 0; i < 36; i++) {
            bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
            ck_assert(is_dash ? text[i] == '-' : isxdigit((unsigned char)text[i]) && !isupper((unsigned char)text[i]));
        }
        ck_assert_int_eq(text[14], '4');
        ck_assert(strchr("89ab", text[19]) != NULL);
    }
}
END_TEST

START_TEST(rng_system_seeds_differ)
{
    ck_assert_uint_ne(td_rng_system_seed(), td_rng_system_seed());
}
END_TEST

Suite *rng_suite(void)
{
    Suite *suite = suite_create("rng");
    TCase *tests = tcase_create("rng");
    tcase_add_test(tests, rng_follows_the_published_sequence);
    tcase_add_test(tests, rng_repeats_itself_from_the_same_seed);
    tcase_add_test(tests, rng_below_reaches_every_value_and_no_other);
    tcase_add_test(tests, rng_unit_stays_below_one);
    tcase_add_test(tests, rng_uuid_has_the_form_of_version_4);
    tcase_add_test(tests, rng_system_seeds_differ);
    suite_add_tcase(suite, tests);
    return suite;
}
