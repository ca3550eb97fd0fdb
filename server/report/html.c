/* SPDX-License-Identifier: Apache-2.0
 * html.c: a report as one page that needs nothing from outside. Not here: a resource's tables (html_tables.c). */
#include <math.h>

#include "page/figures.h"
#include "page/heat.h"
#include "page/page.h"
#include "report.h"

static void write_tiles(const td_report *report, td_buf *buf);
static void write_findings(const td_report *report, td_buf *buf);
static void write_overview(const td_report *report, td_buf *buf);
static void write_resource(const td_report *report, const td_report_resource *resource, td_buf *buf);
static void write_advice(const td_report_resource *resource, td_buf *buf);
static void draw_heat(const td_report *report, const td_report_resource *resource, td_buf *buf);

bool td_report_write_html(const td_report *report, td_buf *buf)
{
    char date[TD_REPORT_TEXT_BYTES];
    char window[TD_REPORT_TEXT_BYTES];
    td_page_begin(buf, TD_LIT("What the run did to the partitions"));
    td_buf_append_lit(buf, "<p class=\"facts\">");
    td_page_append_html(buf, report->endpoint);
    td_buf_append_format(buf, ", the %s to %s by the server's clock", td_report__window(report, window),
                         td_report__date(report->to_ms, date));
    if (report->factor != 1)
        td_buf_append_format(buf, ", judged as if there were %g times the traffic", report->factor);
    td_buf_append_lit(buf, "</p>\n");
    if (report->resource_count == 0) {
        td_buf_append_lit(buf, "<p>There are no tables.</p>\n");
    } else {
        write_tiles(report, buf);
        write_findings(report, buf);
        write_overview(report, buf);
    }
    for (uint32_t i = 0; i < report->resource_count; i++) {
        if (td_report_has_traffic(&report->resources[i])) write_resource(report, &report->resources[i], buf);
    }
    td_page_end(buf,
                "thermodyn " TD_VERSION ", report. Units of partitions are estimated from the heat map; everything "
                "else is counted.");
    return !td_buf_has_failed(buf);
}

static void write_tiles(const td_report *report, td_buf *buf)
{
    double units[TD_DIRECTION_COUNT] = {0};
    double throttled = 0;
    double splits = 0;
    char text[TD_REPORT_TEXT_BYTES];
    for (uint32_t i = 0; i < report->resource_count; i++) {
        const td_report_resource *resource = &report->resources[i];
        units[TD_READ] += resource->sides[TD_READ].units;
        units[TD_WRITE] += resource->sides[TD_WRITE].units;
        throttled += resource->throttled;
        splits += td_report__sum(&resource->splits);
    }
    td_buf_append_lit(buf, "<div class=\"tiles\">");
    td_page_write_tile(buf, td_report__number(units[TD_READ], text), "read units consumed");
    td_page_write_tile(buf, td_report__number(units[TD_WRITE], text), "write units consumed");
    td_page_write_tile(buf, td_report__number(throttled, text), "requests throttled");
    td_page_write_tile(buf, td_report__number(splits, text), "partitions split");
    td_buf_append_lit(buf, "</div>\n");
}

static void write_findings(const td_report *report, td_buf *buf)
{
    if (report->findings.count == 0) return;
    td_buf_append_lit(buf, "<h2>Criteria</h2>\n<div class=\"scroll\"><table><tr><th class=\"l\">table or index</th>"
                           "<th class=\"l\">criterion</th><th class=\"l\"></th><th class=\"l\">found</th></tr>\n");
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const td_finding *finding = &report->findings.items[i];
        td_buf_append_lit(buf, "<tr><td class=\"l\">");
        td_page_append_html(buf, finding->resource);
        td_buf_append_lit(buf, "</td><td class=\"l\">");
        td_page_append_html(buf, finding->criterion->text);
        td_buf_append_format(buf, "</td><td class=\"l\"><span class=\"%s\">%s</span></td><td class=\"l wrap\">",
                             finding->holds ? "fails" : "holds", finding->holds ? "fails" : "passes");
        td_page_append_html(buf, finding->text);
        td_buf_append_lit(buf, "</td></tr>\n");
    }
    td_buf_append_lit(buf, "</table></div>\n");
}

static void write_number(double number, td_buf *buf)
{
    char text[TD_REPORT_TEXT_BYTES];
    td_buf_append_format(buf, "<td>%s</td>", td_report__number(number, text));
}

static void write_overview(const td_report *report, td_buf *buf)
{
    td_buf_append_lit(
        buf, "<h2>Tables and indexes</h2>\n<div class=\"scroll\"><table><tr><th class=\"l\">table or index</th>"
             "<th class=\"l\">mode</th><th>partitions</th><th>read units</th><th>write units</th>"
             "<th>peak reads/s</th><th>peak writes/s</th><th>throttled</th><th>splits</th>"
             "<th>uneven</th></tr>\n");
    for (uint32_t i = 0; i < report->resource_count; i++) {
        const td_report_resource *resource = &report->resources[i];
        td_buf_append_lit(buf, "<tr><td class=\"l\">");
        td_page_append_html(buf, resource->name);
        td_buf_append_format(buf, "</td><td class=\"l\">%s</td>", td_report__mode(resource));
        write_number(resource->partition_count, buf);
        write_number(resource->sides[TD_READ].units, buf);
        write_number(resource->sides[TD_WRITE].units, buf);
        write_number(resource->sides[TD_READ].peak, buf);
        write_number(resource->sides[TD_WRITE].peak, buf);
        write_number(resource->throttled, buf);
        write_number(td_report__sum(&resource->splits), buf);
        td_buf_append_format(buf, "<td>%.2f</td></tr>\n", td_report__unevenness(resource));
    }
    td_buf_append_lit(buf, "</table></div>\n<p class=\"facts\">Uneven: the standard deviation of its partitions' units "
                           "over their mean, of "
                           "reads or writes, whichever is more; 0 is perfectly even.</p>\n");
}

static void write_resource(const td_report *report, const td_report_resource *resource, td_buf *buf)
{
    char text[TD_REPORT_TEXT_BYTES];
    td_buf_append_lit(buf, "<h2>");
    td_page_append_html(buf, resource->name);
    td_buf_append_format(buf, " <small>%s, %s partition%s</small></h2>\n", td_report__mode(resource),
                         td_report__number(resource->partition_count, text), resource->partition_count == 1 ? "" : "s");
    write_advice(resource, buf);
    draw_heat(report, resource, buf);
    td_report__write_resource_tables(report, resource, buf);
}

static void write_advice(const td_report_resource *resource, td_buf *buf)
{
    if (resource->advice_count == 0) return;
    td_buf_append_lit(buf, "<ul class=\"advice\">");
    for (uint32_t i = 0; i < resource->advice_count; i++) {
        const td_report_advice *advice = &resource->advice[i];
        td_buf_append_lit(buf, "<li><b class=\"");
        td_page_append_html(buf, advice->severity);
        td_buf_append_lit(buf, "\">");
        td_page_append_html(buf, advice->severity);
        td_buf_append_lit(buf, ", ");
        td_page_append_html(buf, advice->kind);
        td_buf_append_lit(buf, "</b> ");
        td_page_append_html(buf, advice->text);
        td_buf_append_lit(buf, "</li>\n");
    }
    td_buf_append_lit(buf, "</ul>\n");
}

/* A border is as old as the older of its neighbours, as far as can be known: halves of a split are new partitions. */
static uint32_t find_borders(const td_report *report, const td_report_resource *resource, td_page_border *borders,
                             uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < resource->listed && count < room; i++) {
        double created_ms = fmin(resource->partitions[i - 1].created_ms, resource->partitions[i].created_ms);
        double since_us = created_ms * 1000 - (double)report->start_us;
        borders[count++] = (td_page_border){.share = td_report_share_of(resource->partitions[i].hash_from),
                                            .since_us = since_us < 0 ? 0 : (td_time_us)since_us};
    }
    return count;
}

static void draw_heat(const td_report *report, const td_report_resource *resource, td_buf *buf)
{
    td_page_border borders[256]; /* more would be a grey area */
    uint32_t count = find_borders(report, resource, borders, TD_COUNT_OF(borders));
    for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        td_page_heat heat = {
            .metric = metric,
            .map = &resource->heat[metric],
            .start_us = report->start_us,
            .duration_us = report->duration_us,
            .cap = metric == TD_HEAT_THROTTLE ? 0 : resource->sides[metric == TD_HEAT_WRITE ? TD_WRITE : TD_READ].cap,
            .borders = borders,
            .border_count = resource->listed > TD_COUNT_OF(borders) ? 0 : count};
        td_page_plot plot;
        if (heat.map->row_count == 0 || heat.map->max == 0 || report->duration_us <= 0) continue;
        td_page_heat_begin(&plot, &heat, buf);
        td_page_heat_end(&plot);
    }
}
