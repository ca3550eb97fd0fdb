/* SPDX-License-Identifier: Apache-2.0
 * write.c: tests of what a report looks like in each format. */
#include "sample.h"
#include "suites.h"

static sample it;
static td_buf buf;

static void setup(void)
{
    sample_setup(&it);
    td_buf_init(&buf, (size_t)1 << 24);
    ck_assert(sample_gather(&it, sample_orders, sample_orders_count, "throttle>20,hot-key"));
}
static void teardown(void)
{
    td_buf_done(&buf);
    sample_teardown(&it);
}

static const char *written(bool (*write)(const td_report *report, td_buf *buf))
{
    td_buf_clear(&buf);
    ck_assert(write(&it.report, &buf));
    td_buf_append_byte(&buf, 0);
    return (const char *)buf.data;
}

START_TEST(the_page_escapes_what_users_stored)
{
    const char *page = written(td_report_write_html);
    CHECK_HAS(page, "<bdi>&lt;ACME&gt;|\xef\xbf\xbd|&amp;, 7</bdi>");
    CHECK_HAS(page, "orders/by&lt;day&gt;");
    CHECK_HAS(page, "The key &lt;ACME&gt; &amp; co.");
    CHECK_HAS(page, "from <bdi>&lt;m&gt;</bdi>");
    CHECK_HAS_NOT(page, "<ACME>");
    CHECK_HAS_NOT(page, "by<day>");
    CHECK_HAS_NOT(page, "\x1b");
    CHECK_HAS_NOT(page, "<script");
    CHECK_HAS_NOT(page, "src=");
}
END_TEST

START_TEST(the_page_tells_splits_vetoes_and_verdicts)
{
    const char *page = written(td_report_write_html);
    CHECK_HAS(page, "http://localhost:8000, the 60 minutes to 1970-01-01 01:16:40 UTC by the server's clock, "
                    "judged as if there were 2 times the traffic");
    CHECK_HAS(page, "throttled: TableWriteKeyRangeThroughputExceeded</td><td>18</td>");
    CHECK_HAS(page, "partitions split, because of heat</td><td>1</td>");
    CHECK_HAS(page, "partitions that are not split: single item</td><td>1</td>");
    CHECK_HAS(page, "from p-0000 at 0:00:10; not split: single item");
    CHECK_HAS(page, "from p-0000 at 0:00:10; is being split: size");
    CHECK_HAS(page, "<td>1 to 40</td>");
    CHECK_HAS(page, "(no longer known)");
    CHECK_HAS(page, "throttle&gt;20</td><td class=\"l\"><span class=\"holds\">passes</span>");
    CHECK_HAS(page, "hot-key</td><td class=\"l\"><span class=\"fails\">fails</span>");
    CHECK_HAS(page, "50 to 75 %");
}
END_TEST

/* Borders: one is as old as the run, at half of the key space; the split's lies between its halves since 10 s. */
START_TEST(the_heat_map_has_borders_since_they_are_there)
{
    const char *page = written(td_report_write_html);
    CHECK_HAS(page, "<path class=\"border\" d=\"M62 150H944M503 214H944\"/>");
    CHECK_HAS(page, "<path class=\"h7\" d=\"M62 86H503v64H62Z\"/>");
    CHECK_HAS(page, " 100 / s: what one partition serves</span>");
    CHECK_HAS(page, "aria-label=\"Heat map: Write units consumed\"");
}
END_TEST

START_TEST(junit_has_a_suite_for_each_resource_and_a_case_for_each_criterion)
{
    const char *text = written(td_report_write_junit);
    CHECK_HAS(text, "<testsuites name=\"thermodyn\" tests=\"6\" failures=\"1\" errors=\"0\" time=\"0\">\n");
    CHECK_HAS(text, "<testsuite name=\"orders\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0\" "
                    "timestamp=\"1970-01-01T01:16:40\">\n"
                    "    <testcase classname=\"thermodyn.orders\" name=\"throttle&gt;20\" time=\"0\"/>\n"
                    "    <testcase classname=\"thermodyn.orders\" name=\"hot-key\" time=\"0\">\n"
                    "      <failure type=\"hot-key\" message=\"The key &lt;ACME&gt; &amp; co.\">"
                    "The key &lt;ACME&gt; &amp; co.</failure>\n    </testcase>\n  </testsuite>\n");
    CHECK_HAS(text, "<testsuite name=\"orders/by&lt;day&gt;\" tests=\"2\" failures=\"0\"");
}
END_TEST

START_TEST(markdown_escapes_what_would_be_markup)
{
    const char *text = written(td_report_write_markdown);
    CHECK_HAS(text, "| &lt;ACME&gt;\\| \\|&amp;, 7 | p-0002 | 600 | 50.0 % | ██████ |\n");
    CHECK_HAS(text, "| orders | hot-key | ❌ fails | The key &lt;ACME&gt; &amp; co. |\n");
    CHECK_HAS(text, "| orders | throttle&gt;20 | ✅ passes | 17 requests were refused. |\n");
    CHECK_HAS(text, "| orders | provisioned | 3 | 10 | 1,200 | 2 | 101 | 17 | 1 | 2.50 |\n");
    CHECK_HAS(text, "### orders/by&lt;day&gt;\n");
    CHECK_HAS(text, "| p-0002 | 50 to 75 % | ████████████ | 10 | 800 | 18 | from p-0000 not split: single item |\n");
    CHECK_HAS_NOT(text, "### idle");
}
END_TEST

START_TEST(json_has_all_figures)
{
    const char *text = written(td_report_write_json);
    const char *fault;
    ck_assert_ptr_nonnull(td_json_doc_parse(td_slice_of(buf.data, buf.len - 1), &it.arena, &fault));
    CHECK_HAS(text,
              "{\"endpoint\":\"http://localhost:8000\",\"from\":1000000,\"to\":4600000,\"factor\":2,\"resources\":[");
    CHECK_HAS(text, "\"reasons\":{\"TableWriteKeyRangeThroughputExceeded\":18},\"splits\":{\"heat\":1},"
                    "\"vetoes\":{\"single item\":1},\"partition_count\":3,\"partitions\":[{\"id\":\"p-0001\",");
    CHECK_HAS(text,
              "\"hottest_keys\":{\"read\":[],\"write\":[{\"key\":\"<ACME>|\\u001b|&, 7\",\"partition\":\"p-0002\","
              "\"count\":600,\"error\":0,\"share\":0.5,\"peak_1s\":90,\"over_limit\":true}");
    CHECK_HAS(text, "{\"resource\":\"orders\",\"criterion\":\"hot-key\",\"fails\":true,\"figure\":1,");
}
END_TEST

START_TEST(without_memory_nothing_is_called_written)
{
    bool (*const writers[])(const td_report *, td_buf *) = {td_report_write_html, td_report_write_markdown,
                                                            td_report_write_junit, td_report_write_json};
    for (size_t i = 0; i < TD_COUNT_OF(writers); i++) {
        td_buf small;
        td_buf_init(&small, 100);
        ck_assert(!writers[i](&it.report, &small));
        td_buf_done(&small);
    }
}
END_TEST

Suite *write_suite(void)
{
    Suite *suite = suite_create("write");
    TCase *cases = tcase_create("write");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_page_escapes_what_users_stored);
    tcase_add_test(cases, the_page_tells_splits_vetoes_and_verdicts);
    tcase_add_test(cases, the_heat_map_has_borders_since_they_are_there);
    tcase_add_test(cases, junit_has_a_suite_for_each_resource_and_a_case_for_each_criterion);
    tcase_add_test(cases, markdown_escapes_what_would_be_markup);
    tcase_add_test(cases, json_has_all_figures);
    tcase_add_test(cases, without_memory_nothing_is_called_written);
    suite_add_tcase(suite, cases);
    return suite;
}
