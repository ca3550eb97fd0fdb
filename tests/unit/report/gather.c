/* SPDX-License-Identifier: Apache-2.0
 * gather.c: tests of gathering: documents in, one report out. */
#include "sample.h"
#include "suites.h"

static sample it;

static void setup(void)
{
    sample_setup(&it);
}
static void teardown(void)
{
    sample_teardown(&it);
}

static const td_report_resource *gather_orders(void)
{
    ck_assert(sample_gather(&it, sample_orders, sample_orders_count, NULL));
    ck_assert_uint_eq(it.report.resource_count, 3);
    return &it.report.resources[1];
}

#define CHECK_TEXT(slice, text) ck_assert(td_slice_equal((slice), TD_LIT(text)))

START_TEST(a_resource_has_figures_advice_and_counts)
{
    const td_report_resource *orders = gather_orders();
    CHECK_TEXT(orders->name, "orders");
    ck_assert(!orders->is_on_demand);
    ck_assert_double_eq(orders->sides[TD_WRITE].units, 1200);
    ck_assert_double_eq(orders->sides[TD_WRITE].partition_cv, 0.75);
    ck_assert_double_eq(orders->sides[TD_WRITE].cap, 100);
    ck_assert_double_eq(orders->throttled, 17);
    ck_assert_uint_eq(orders->advice_count, 2);
    CHECK_TEXT(orders->advice[1].kind, "throttled");
    ck_assert_uint_eq(orders->reasons.count, 1); /* zeros are left out */
    CHECK_TEXT(orders->reasons.items[0].name, "TableWriteKeyRangeThroughputExceeded");
    ck_assert_double_eq(td_report__sum(&orders->splits), 1);
    CHECK_TEXT(orders->vetoes.items[0].name, "single item");
    ck_assert_uint_eq(it.report.resources[2].advice_count, 1);
    ck_assert_double_eq(it.report.factor, 2);
}
END_TEST

START_TEST(partitions_have_ranges_units_and_stories_and_are_sorted_by_heat)
{
    const td_report_resource *orders = gather_orders();
    ck_assert_uint_eq(orders->listed, 3);
    const td_report_partition *second = &orders->partitions[1];
    CHECK_TEXT(second->id, "p-0002");
    CHECK_TEXT(second->parent, "p-0000");
    CHECK_TEXT(second->veto, "single item");
    ck_assert_double_eq(second->units[TD_WRITE], 800);
    ck_assert_double_eq(second->units[TD_READ], 10);
    ck_assert_double_eq(second->throttled[TD_WRITE], 18);
    ck_assert_double_eq(td_report_share_of(second->hash_from), 0.5);
    CHECK_TEXT(orders->partitions[2].sort_from, "<m>");
    CHECK_TEXT(orders->partitions[2].split_cause, "size");
    ck_assert_ptr_eq(orders->hottest[0], second);
    ck_assert_ptr_eq(orders->hottest[2], &orders->partitions[0]);
    ck_assert_uint_eq(it.report.resources[2].listed, 1);
    ck_assert_uint_eq(it.report.resources[0].listed, 0); /* no traffic */
}
END_TEST

START_TEST(a_key_is_the_values_of_its_attributes)
{
    const td_report_resource *orders = gather_orders();
    ck_assert_uint_eq(orders->key_count[TD_HEAT_WRITE], 2);
    CHECK_TEXT(orders->keys[TD_HEAT_WRITE][0].name, "<ACME>|\x1b|&, 7");
    ck_assert(orders->keys[TD_HEAT_WRITE][0].is_over_limit);
    ck_assert_uint_eq(orders->keys[TD_HEAT_WRITE][1].name.len, 0);
    ck_assert_uint_eq(orders->key_count[TD_HEAT_THROTTLE], 0);
}
END_TEST

START_TEST(pictures_show_the_time_in_which_there_was_traffic_and_no_more)
{
    const td_report_resource *orders = gather_orders();
    ck_assert_int_eq(it.report.start_us, 2000 * TD_US_PER_S);
    ck_assert_int_eq(it.report.duration_us, 20 * TD_US_PER_S);
    CHECK_HAS(it.asked, "/_thermodyn/heatmap?table=orders&metric=write&from=2000000&to=2020000\n");
    CHECK_HAS(it.asked, "/_thermodyn/heatmap?table=orders&index=by%3Cday%3E&metric=write\n");
    const td_heatmap *map = &orders->heat[TD_HEAT_WRITE];
    ck_assert_uint_eq(map->row_count, 4);
    ck_assert_uint_eq(map->column_count, 2);
    ck_assert_int_eq(map->max, 600 * TD_UNITS_ONE);
    ck_assert_int_eq(map->cells[3], 100500);
    ck_assert_int_eq(map->cells[7], 2 * TD_UNITS_ONE);
}
END_TEST

START_TEST(nothing_is_asked_about_what_had_no_traffic)
{
    gather_orders();
    CHECK_HAS_NOT(it.asked, "idle");
    CHECK_HAS_NOT(it.asked, "by%3Cday%3E&metric=read");
}
END_TEST

START_TEST(a_question_that_fails_fails_the_report)
{
    for (uint32_t failing = 1; failing < sample_orders_count; failing++) {
        sample_answer answers[16];
        memcpy(answers, sample_orders, sample_orders_count * sizeof(*answers));
        answers[failing].json = NULL;
        ck_assert_msg(!sample_gather(&it, answers, sample_orders_count, NULL), "%s", answers[failing].target);
    }
}
END_TEST

/* Of another version, or of another program. */
START_TEST(answers_of_another_shape_count_as_nothing)
{
    static const char *const answers[] = {
        "{}",
        "{'resources':7,'tables':'x','partitions':{},'keys':[1,null,[]],'cells':[1]}",
        "{'resources':[{},null,[],{'resource':'a','table':'a','throttled':1}],'advice':[null,{'resource':'a'}],"
        "'tables':[{'table':'a','resources':[{'reasons':{'x':'y','z':2},'splits':[3]}]}],"
        "'partitions':[null,{'id':7}],'keys':[null,{'key':{'pk':{}}},{'key':{'pk':'x'}}],"
        "'from':5,'to':1e14,'column_ms':0.5,'cells':[[1,2],3]}",
        "{'resources':[{'resource':'a','table':'a','throttled':1}],'from':0,'to':1e14,'column_ms':1,'cells':[[1]]}",
        "{'resources':[{'resource':'a','table':'a','throttled':1}],'from':9,'to':3,'column_ms':1,'cells':[[1e300]]}",
        "{'resources':[{'resource':'a','table':'a','throttled':1}],'from':1,'to':3,'column_ms':1,'cells':[[-5,1e300]]}",
        "{'resources':[{'resource':'a','table':'a','throttled':1},{'resource':'b','table':'b','throttled':1},"
        "{'resource':'a/i','table':'a','index':'i','throttled':1}],'partitions':[{'id':'p'},{'id':'q'}]}",
    };
    for (size_t i = 0; i < TD_COUNT_OF(answers); i++) {
        const sample_answer all[] = {{"/", answers[i]}};
        td_buf buf;
        td_buf_init(&buf, (size_t)1 << 24);
        ck_assert(sample_gather(&it, all, 1, "throttle,unevenness>0,hot-key"));
        ck_assert(td_report_write_html(&it.report, &buf));
        ck_assert(td_report_write_markdown(&it.report, &buf));
        ck_assert(td_report_write_junit(&it.report, &buf));
        ck_assert(td_report_write_json(&it.report, &buf));
        td_buf_done(&buf);
    }
}
END_TEST

Suite *gather_suite(void)
{
    Suite *suite = suite_create("gather");
    TCase *cases = tcase_create("gather");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_resource_has_figures_advice_and_counts);
    tcase_add_test(cases, partitions_have_ranges_units_and_stories_and_are_sorted_by_heat);
    tcase_add_test(cases, a_key_is_the_values_of_its_attributes);
    tcase_add_test(cases, pictures_show_the_time_in_which_there_was_traffic_and_no_more);
    tcase_add_test(cases, nothing_is_asked_about_what_had_no_traffic);
    tcase_add_test(cases, a_question_that_fails_fails_the_report);
    tcase_add_test(cases, answers_of_another_shape_count_as_nothing);
    suite_add_tcase(suite, cases);
    return suite;
}
