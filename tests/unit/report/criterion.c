/* SPDX-License-Identifier: Apache-2.0
 * criterion.c: tests of the criteria of --fail-on: how they are read, and what they hold of an answer. */
#include "criterion.h"

#include "sample.h"
#include "suites.h"

static sample it;
static char sentence[512];

static void setup(void)
{
    sample_setup(&it);
}
static void teardown(void)
{
    sample_teardown(&it);
}

START_TEST(a_criterion_has_a_name_and_perhaps_a_number)
{
    static const struct {
        const char *text;
        td_criterion_type type;
        int which;
        double limit;
    } rows[] = {{"throttle", TD_CRITERION_MEASURE, TD_MEASURE_THROTTLE, 0},
                {"throttle>20", TD_CRITERION_MEASURE, TD_MEASURE_THROTTLE, 20},
                {"unevenness>0.3", TD_CRITERION_MEASURE, TD_MEASURE_UNEVENNESS, 0.3},
                {" top-key > 00.50 ", TD_CRITERION_MEASURE, TD_MEASURE_TOP_KEY, 0.5},
                {"hot-key", TD_CRITERION_KIND, TD_ADVICE_HOT_KEY, 0},
                {"no-traffic>2", TD_CRITERION_KIND, TD_ADVICE_NO_TRAFFIC, 2},
                {"warning", TD_CRITERION_SEVERITY, TD_ADVICE_WARNING, 0},
                {"info>999999999999999", TD_CRITERION_SEVERITY, TD_ADVICE_INFO, 999999999999999}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_criteria criteria;
        ck_assert_msg(td_criteria_read(rows[i].text, &it.arena, &criteria, sentence), "%s: %s", rows[i].text, sentence);
        ck_assert_uint_eq(criteria.count, 1);
        ck_assert_int_eq(criteria.items[0].type, rows[i].type);
        ck_assert_int_eq(criteria.items[0].which, rows[i].which);
        ck_assert_double_eq_tol(criteria.items[0].limit, rows[i].limit, 1e-9);
    }
}
END_TEST

START_TEST(a_wrong_criterion_is_refused_in_one_sentence)
{
    static const struct {
        const char *text;
        const char *sentence;
    } rows[] = {{"nix", "there is no criterion \"nix\" to fail on; --help lists them"},
                {"", "there is no criterion \"\" to fail on; --help lists them"},
                {"throttle,", "there is no criterion \"\" to fail on; --help lists them"},
                {"throttle,,hot-key", "there is no criterion \"\" to fail on; --help lists them"},
                {">3", "there is no criterion \"\" to fail on; --help lists them"},
                {"unevenness", "the criterion \"unevenness\" needs a number, as in \"unevenness>0.3\""},
                {"throttle,top-key", "the criterion \"top-key\" needs a number, as in \"top-key>0.3\""},
                {"throttle>", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"\""},
                {"throttle>=3", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"=3\""},
                {"throttle>-3", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"-3\""},
                {"throttle>1e3", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"1e3\""},
                {"throttle>.5", "behind \"throttle>\" must be a number as 12 or 0.3, and not \".5\""},
                {"throttle>5.", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"5.\""},
                {"throttle>1.2.3", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"1.2.3\""},
                {"throttle>1 2", "behind \"throttle>\" must be a number as 12 or 0.3, and not \"1 2\""},
                {"throttle>1234567890123456",
                 "behind \"throttle>\" must be a number as 12 or 0.3, and not \"1234567890123456\""}};
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_criteria criteria;
        ck_assert_msg(!td_criteria_read(rows[i].text, &it.arena, &criteria, sentence), "%s", rows[i].text);
        ck_assert_str_eq(sentence, rows[i].sentence);
    }
}
END_TEST

START_TEST(without_criteria_nothing_is_found)
{
    td_criteria criteria;
    td_findings findings;
    ck_assert(td_criteria_read(NULL, &it.arena, &criteria, sentence));
    ck_assert(td_criteria_judge(&criteria, sample_parse(&it, sample_orders[0].json), &it.arena, &findings));
    ck_assert_uint_eq(findings.count, 0);
}
END_TEST

/* Of "orders" in the sample. */
START_TEST(a_criterion_holds_above_its_number_and_not_at_it)
{
    static const struct {
        const char *text;
        bool holds;
        const char *found;
    } rows[] = {
        {"throttle", true, "17 requests were refused."},
        {"throttle>16.9", true, "17 requests were refused."},
        {"throttle>17", false, "17 requests were refused."},
        {"unevenness>0.74", true, "The write units of its 3 partitions vary by 0.75 (standard deviation over mean)."},
        {"unevenness>0.75", false, "The write units of its 3 partitions vary by 0.75 (standard deviation over mean)."},
        {"top-key>0.39", true, "The hottest key has 40.0 % of the write units."},
        {"top-key>0.4", false, "The hottest key has 40.0 % of the write units."},
        {"hot-key", true, "The key <ACME> & co."},
        {"hot-key>1", false, "The key <ACME> & co."},
        {"even", false, "There is no such advice."},
        {"problem>1", true, "The key <ACME> & co. 17 requests were refused."},
        {"warning>2", false, "The key <ACME> & co. 17 requests were refused."},
    };
    const td_json_node *answer = sample_parse(&it, sample_orders[0].json);
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        td_criteria criteria;
        td_findings findings;
        ck_assert(td_criteria_read(rows[i].text, &it.arena, &criteria, sentence));
        ck_assert(td_criteria_judge(&criteria, answer, &it.arena, &findings));
        ck_assert_uint_eq(findings.count, 3);
        const td_finding *orders = &findings.items[1];
        ck_assert(td_slice_equal(orders->resource, TD_LIT("orders")));
        ck_assert_msg(orders->holds == rows[i].holds, "%s", rows[i].text);
        ck_assert_msg(td_slice_equal(orders->text, td_slice_of_cstr(rows[i].found)), "%s: %.*s", rows[i].text,
                      (int)orders->text.len, (const char *)orders->text.ptr);
        ck_assert_uint_eq(findings.held, rows[i].holds ? 1 : 0);
    }
}
END_TEST

START_TEST(too_few_units_say_nothing_of_evenness)
{
    td_criteria criteria;
    td_findings findings;
    ck_assert(td_criteria_read("unevenness>0,top-key>0", &it.arena, &criteria, sentence));
    const td_json_node *answer = sample_parse(&it, "{'resources':[{'resource':'a','read':{'units':99.9,"
                                                   "'partition_cv':3,'top_share_min':1},'write':{'units':0}}]}");
    ck_assert(td_criteria_judge(&criteria, answer, &it.arena, &findings));
    ck_assert_uint_eq(findings.held, 0);
    td_slice said = TD_LIT("Less than 100 units each way were used: too little to say.");
    ck_assert(td_slice_equal(findings.items[0].text, said));
}
END_TEST

START_TEST(the_summary_is_one_line_and_names_some)
{
    td_criteria criteria;
    td_findings findings;
    td_buf line;
    td_buf_init(&line, 65536);
    const td_json_node *answer = sample_parse(&it, sample_orders[0].json);
    ck_assert(td_criteria_read("throttle,hot-key", &it.arena, &criteria, sentence));
    ck_assert(td_criteria_judge(&criteria, answer, &it.arena, &findings));
    td_findings_summarize(&findings, &line);
    td_buf_append_byte(&line, 0);
    ck_assert_str_eq((const char *)line.data,
                     "thermodyn: what --fail-on names was found: throttle of orders, hot-key of orders\n");
    td_buf_clear(&line);
    ck_assert(
        td_criteria_read("throttle,throttle,throttle,throttle,throttle,throttle,throttle,throttle,throttle,hot-key",
                         &it.arena, &criteria, sentence));
    ck_assert(td_criteria_judge(&criteria, answer, &it.arena, &findings));
    td_findings_summarize(&findings, &line);
    td_buf_append_byte(&line, 0);
    CHECK_HAS(line.data, "throttle of orders, and 2 more\n");
    td_buf_done(&line);
}
END_TEST

Suite *criterion_suite(void)
{
    Suite *suite = suite_create("criterion");
    TCase *cases = tcase_create("criterion");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_criterion_has_a_name_and_perhaps_a_number);
    tcase_add_test(cases, a_wrong_criterion_is_refused_in_one_sentence);
    tcase_add_test(cases, without_criteria_nothing_is_found);
    tcase_add_test(cases, a_criterion_holds_above_its_number_and_not_at_it);
    tcase_add_test(cases, too_few_units_say_nothing_of_evenness);
    tcase_add_test(cases, the_summary_is_one_line_and_names_some);
    suite_add_tcase(suite, cases);
    return suite;
}
