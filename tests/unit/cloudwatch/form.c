/* SPDX-License-Identifier: Apache-2.0
 * form.c: tests of the reader of forms. */
#include "cloudwatch/form.h"

#include "suites.h"
#include "thermodyn/buf.h"

enum { ARENA_BYTES = 1 << 20 };

typedef struct form_row {
    const char *operation;
    const char *form;
    const char *tree; /* as JSON with ' for "; NULL: malformed */
} form_row;

static const form_row rows[] = {
    {"ListMetrics", "", "{}"},
    {"ListMetrics", "&&Namespace=a&&", "{'Namespace':'a'}"},
    {"ListMetrics", "Namespace", "{'Namespace':''}"},
    {"ListMetrics", "Namespace=a%20b+c%2bd=e", "{'Namespace':'a b c+d=e'}"},
    {"ListMetrics", "MetricName=%C3%BC&Other=1", "{'MetricName':'\xC3\xBC'}"},
    {"ListMetrics", "Namespace=%C3", NULL},
    {"ListMetrics", "Namespace=%4", NULL},
    {"ListMetrics", "Namespace=%4g", NULL},
    {"ListMetrics", "Dimensions=", "{'Dimensions':[]}"},
    {"ListMetrics", "Dimensions.member.1=x", "{'Dimensions':[{}]}"},
    {"ListMetrics", "Dimensions.member.=x", NULL},
    {"ListMetrics", "Dimensions.member.1x=x", NULL},
    {"ListMetrics", "Dimensions.member.1234567=x", NULL},
    {"ListMetrics", "Dimensions.member.2.Name=b&Dimensions.member.10.Name=c&Dimensions.member.1.Name=a",
     "{'Dimensions':[{'Name':'a'},{'Name':'b'},{'Name':'c'}]}"},
    {"ListMetrics", "Dimensions.member.1.Value=v&Dimensions.member.1.Name=n&DimensionsX=1",
     "{'Dimensions':[{'Name':'n','Value':'v'}]}"},
    {"GetMetricStatistics", "Statistics.member.1=Sum&Statistics.member.2=Average&Period=60",
     "{'Period':'60','Statistics':['Sum','Average']}"},
    {"GetMetricData",
     "MetricDataQueries.member.1.MetricStat.Metric.Dimensions.member.1.Name=n&MetricDataQueries.member.1.MetricStat."
     "Stat=s"
     "&MetricDataQueries.member.1.Id=i&MetricDataQueries.member.2.Expression=a%2Bb",
     "{'MetricDataQueries':[{'Id':'i','MetricStat':{'Metric':{'Dimensions':[{'Name':'n'}]},'Stat':'s'}},"
     "{'Expression':'a+b'}]}"},
};

START_TEST(forms_become_trees)
{
    const form_row *row = &rows[_i];
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES);
    td_cw_form form;
    td_json *root = NULL;
    td_cw_form_result result = td_cw_form_parse(td_slice_of_cstr(row->form), &arena, &form);
    if (result == TD_CW_FORM_OK) {
        result = td_cw_form_build(&form, td_cw_shape_find(td_slice_of_cstr(row->operation)), &arena, &root);
    }
    ck_assert_int_eq(result, row->tree == NULL ? TD_CW_FORM_MALFORMED : TD_CW_FORM_OK);
    if (row->tree != NULL) {
        td_buf text;
        td_buf_init(&text, ARENA_BYTES);
        td_json_write_tree(&text, root);
        for (size_t i = 0; i < text.len; i++) {
            if (text.data[i] == '"') text.data[i] = '\'';
        }
        ck_assert_msg(td_slice_equal(td_buf_contents(&text), td_slice_of_cstr(row->tree)), "%.*s", (int)text.len,
                      (const char *)text.data);
        td_buf_done(&text);
    }
    td_arena_done(&arena);
}
END_TEST

START_TEST(a_parameter_is_found_by_its_whole_name)
{
    td_arena arena;
    td_arena_init(&arena, ARENA_BYTES);
    td_cw_form form;
    td_slice body = TD_LIT("ActionX=no&Action=yes&Action.member.1=no");
    ck_assert_int_eq(td_cw_form_parse(body, &arena, &form), TD_CW_FORM_OK);
    ck_assert(td_slice_equal(td_cw_form_get(&form, TD_LIT("Action")), TD_LIT("yes")));
    ck_assert_uint_eq(td_cw_form_get(&form, TD_LIT("Act")).len, 0);
    td_arena_done(&arena);
}
END_TEST

TCase *form_tests(void)
{
    TCase *tests = tcase_create("form");
    tcase_add_loop_test(tests, forms_become_trees, 0, (int)TD_COUNT_OF(rows));
    tcase_add_test(tests, a_parameter_is_found_by_its_whole_name);
    return tests;
}
