/* SPDX-License-Identifier: Apache-2.0
 * junit.c: a report as JUnit XML: a suite for each table and index, a test case for each criterion, and what was found
 * as the failure's text. */
#include "page/figures.h"
#include "report.h"

static void write_suite(const td_report *report, const td_report_resource *resource, const td_finding *findings,
                        td_buf *buf);
static void write_case(const td_finding *finding, td_buf *buf);

bool td_report_write_junit(const td_report *report, td_buf *buf)
{
    uint32_t criteria = report->criteria.count;
    td_buf_append_format(buf,
                         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<testsuites name=\"thermodyn\" tests=\"%u\" failures=\"%u\" errors=\"0\" time=\"0\">\n",
                         report->findings.count, report->findings.held);
    for (uint32_t i = 0; i < report->resource_count; i++) {
        write_suite(report, &report->resources[i], report->findings.items + (size_t)i * criteria, buf);
    }
    td_buf_append_lit(buf, "</testsuites>\n");
    return !td_buf_has_failed(buf);
}

static void write_suite(const td_report *report, const td_report_resource *resource, const td_finding *findings,
                        td_buf *buf)
{
    char date[TD_REPORT_TEXT_BYTES];
    uint32_t held = 0;
    for (uint32_t i = 0; i < report->criteria.count; i++) {
        held += findings[i].holds;
    }
    td_report__date(report->to_ms, date);
    td_buf_append_lit(buf, "  <testsuite name=\"");
    td_page_append_html(buf, resource->name);
    td_buf_append_format(buf,
                         "\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\" time=\"0\" "
                         "timestamp=\"%.10sT%.8s\">\n",
                         report->criteria.count, held, date, date + sizeof("2026-11-30 ") - 1);
    for (uint32_t i = 0; i < report->criteria.count; i++) {
        write_case(&findings[i], buf);
    }
    td_buf_append_lit(buf, "  </testsuite>\n");
}

static void write_case(const td_finding *finding, td_buf *buf)
{
    td_buf_append_lit(buf, "    <testcase classname=\"thermodyn.");
    td_page_append_html(buf, finding->resource);
    td_buf_append_lit(buf, "\" name=\"");
    td_page_append_html(buf, finding->criterion->text);
    if (!finding->holds) {
        td_buf_append_lit(buf, "\" time=\"0\"/>\n");
        return;
    }
    td_buf_append_lit(buf, "\" time=\"0\">\n      <failure type=\"");
    td_page_append_html(buf, finding->criterion->text);
    td_buf_append_lit(buf, "\" message=\"");
    td_page_append_html(buf, finding->text);
    td_buf_append_lit(buf, "\">");
    td_page_append_html(buf, finding->text);
    td_buf_append_lit(buf, "</failure>\n    </testcase>\n");
}
