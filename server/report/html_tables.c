/* SPDX-License-Identifier: Apache-2.0
 * html_tables.c: the tables of a resource on the page: throttles, splits and vetoes; hottest keys; partitions. */
#include <math.h>

#include "page/figures.h"
#include "report.h"

#define PARTITIONS_MAX 100 /* more are left out: the hottest stand first */

static void write_counts(const td_report_resource *resource, td_buf *buf);
static void write_keys(const td_report_resource *resource, td_heat_metric metric, td_buf *buf);
static void write_partitions(const td_report *report, const td_report_resource *resource, td_buf *buf);

void td_report__write_resource_tables(const td_report *report, const td_report_resource *resource, td_buf *buf)
{
    write_counts(resource, buf);
    for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        if (resource->key_count[metric] > 0) write_keys(resource, metric, buf);
    }
    write_partitions(report, resource, buf);
}

static void write_number(double number, td_buf *buf)
{
    char text[TD_REPORT_TEXT_BYTES];
    td_buf_append_format(buf, "<td>%s</td>", td_report__number(number, text));
}

static void write_count_rows(const td_report_counts *counts, const char *before, td_buf *buf)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        td_buf_append_format(buf, "<tr><td class=\"l\">%s", before);
        td_page_append_html(buf, counts->items[i].name);
        td_buf_append_lit(buf, "</td>");
        write_number(counts->items[i].count, buf);
        td_buf_append_lit(buf, "</tr>\n");
    }
}

static void write_counts(const td_report_resource *resource, td_buf *buf)
{
    if (resource->reasons.count + resource->splits.count + resource->vetoes.count == 0) return;
    td_buf_append_lit(buf, "<div class=\"scroll\"><table><tr><th class=\"l\">since it exists</th><th></th></tr>\n");
    write_count_rows(&resource->reasons, "throttled: ", buf);
    write_count_rows(&resource->splits, "partitions split, because of ", buf);
    write_count_rows(&resource->vetoes, "partitions that are not split: ", buf);
    td_buf_append_lit(buf, "</table></div>\n");
}

/* share: 0 to 1 */
static void write_bar(double share, td_buf *buf)
{
    td_buf_append_format(buf, "<td class=\"bar\"><i style=\"width:%.1f%%\"></i></td>", fmin(fmax(share, 0), 1) * 100);
}

static void write_keys(const td_report_resource *resource, td_heat_metric metric, td_buf *buf)
{
    bool has_units = metric != TD_HEAT_THROTTLE;
    td_buf_append_format(buf,
                         "<div class=\"scroll\"><table><tr><th class=\"l\">%s</th><th class=\"l\">partition</th>"
                         "<th>%s</th><th>share</th><th></th>%s</tr>\n",
                         td_report__metric_titles[metric], has_units ? "units" : "throttled",
                         has_units ? "<th>a second, peak</th><th class=\"l\"></th>" : "");
    for (uint32_t i = 0; i < resource->key_count[metric]; i++) {
        const td_report_key *key = &resource->keys[metric][i];
        char bounds[TD_REPORT_TEXT_BYTES];
        td_buf_append_lit(buf, "<tr><td class=\"l wrap\"><bdi>");
        td_page_append_html(buf, key->name.len == 0 ? TD_LIT("(no longer known)") : key->name);
        td_buf_append_lit(buf, "</bdi></td><td class=\"l\">");
        td_page_append_html(buf, key->partition);
        td_buf_append_lit(buf, "</td>");
        td_buf_append_format(buf, "<td>%s</td>", td_report__bounds(key, bounds));
        td_buf_append_format(buf, "<td>%.1f %%</td>", key->share * 100);
        write_bar(key->share, buf);
        if (has_units) {
            write_number(key->peak, buf);
            td_buf_append_format(buf, "<td class=\"l\">%s</td>",
                                 key->is_over_limit ? "more than one partition serves" : "");
        }
        td_buf_append_lit(buf, "</tr>\n");
    }
    td_buf_append_lit(buf, "</table></div>\n");
}

/* What has become of it, or not: "from p-0001 at 0:00:12; not split: single item". */
static void write_story(const td_report *report, const td_report_partition *partition, td_buf *buf)
{
    char clock[TD_PAGE_FIGURE_BYTES];
    if (partition->parent.len > 0) {
        td_buf_append_lit(buf, "from ");
        td_page_append_html(buf, partition->parent);
        double at_us = partition->created_ms * 1000 - (double)report->start_us;
        if (report->duration_us > 0 && at_us >= 0 && at_us <= (double)report->duration_us) {
            td_buf_append_format(buf, " at %s", td_page_clock((td_time_us)at_us, clock));
        }
        if (partition->split_cause.len + partition->veto.len > 0) td_buf_append_lit(buf, "; ");
    }
    if (partition->split_cause.len > 0) {
        td_buf_append_lit(buf, "is being split: ");
        td_page_append_html(buf, partition->split_cause);
    }
    if (partition->veto.len > 0) {
        td_buf_append_lit(buf, "not split: ");
        td_page_append_html(buf, partition->veto);
    }
}

static void write_partition(const td_report *report, const td_report_resource *resource,
                            const td_report_partition *partition, td_buf *buf)
{
    char text[TD_REPORT_TEXT_BYTES];
    double most = td_report__units(resource->hottest[0]);
    td_buf_append_lit(buf, "<tr><td class=\"l\">");
    td_page_append_html(buf, partition->id);
    td_buf_append_lit(buf, "</td><td class=\"l\" title=\"");
    td_page_append_html(buf, partition->hash_from);
    td_buf_append_lit(buf, " to ");
    td_page_append_html(buf, partition->hash_to);
    td_buf_append_format(buf, "\">%s", td_report__range(partition, text));
    if (partition->sort_from.len > 0) {
        td_buf_append_lit(buf, ", from <bdi>");
        td_page_append_html(buf, td_json_shown(partition->sort_from));
        td_buf_append_lit(buf, "</bdi>");
    }
    td_buf_append_lit(buf, "</td>");
    write_bar(most > 0 ? td_report__units(partition) / most : 0, buf);
    write_number(partition->units[TD_READ], buf);
    write_number(partition->units[TD_WRITE], buf);
    write_number(partition->throttled[TD_READ] + partition->throttled[TD_WRITE], buf);
    write_number(partition->items, buf);
    write_number(partition->bytes, buf);
    td_buf_append_lit(buf, "<td class=\"l\">");
    write_story(report, partition, buf);
    td_buf_append_lit(buf, "</td></tr>\n");
}

static void write_partitions(const td_report *report, const td_report_resource *resource, td_buf *buf)
{
    if (resource->listed == 0 || resource->hottest == NULL) return;
    td_buf_append_lit(buf, "<div class=\"scroll\"><table><tr><th class=\"l\">partition</th>"
                           "<th class=\"l\">key space</th><th class=\"l\">heat</th><th>read units</th>"
                           "<th>write units</th><th>throttled</th><th>items</th><th>bytes</th>"
                           "<th class=\"l\"></th></tr>\n");
    for (uint32_t i = 0; i < resource->listed && i < PARTITIONS_MAX; i++) {
        write_partition(report, resource, resource->hottest[i], buf);
    }
    td_buf_append_lit(buf, "</table></div>\n");
    if (resource->listed > PARTITIONS_MAX) {
        td_buf_append_format(buf, "<p class=\"facts\">%u cooler ones are left out; --format json has all.</p>\n",
                             resource->listed - PARTITIONS_MAX);
    }
}
