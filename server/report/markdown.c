/* SPDX-License-Identifier: Apache-2.0
 * markdown.c: a report as GitHub's Markdown, for the summary of a CI job: verdicts, an overview, and of each table or
 * index with traffic the advice, the throttles by reason, the hottest keys and partitions. */
#include <math.h>

#include "report.h"

#define PARTITIONS_MAX 10
#define KEYS_MAX 5
#define BAR_COLUMNS 12

static void write_findings(const td_report *report, td_buf *buf);
static void write_overview(const td_report *report, td_buf *buf);
static void write_resource(const td_report_resource *resource, td_buf *buf);
static void write_keys(const td_report_resource *resource, td_heat_metric metric, td_buf *buf);
static void write_partitions(const td_report_resource *resource, td_buf *buf);

bool td_report_write_markdown(const td_report *report, td_buf *buf)
{
    char date[TD_REPORT_TEXT_BYTES];
    char window[TD_REPORT_TEXT_BYTES];
    td_buf_append_format(buf, "## What the run did to the partitions\n\nThe %s to %s by the server's clock",
                         td_report__window(report, window), td_report__date(report->to_ms, date));
    if (report->factor != 1)
        td_buf_append_format(buf, ", judged as if there were %g times the traffic", report->factor);
    td_buf_append_lit(buf, ".\n\n");
    if (report->resource_count == 0) {
        td_buf_append_lit(buf, "There are no tables.\n");
        return !td_buf_has_failed(buf);
    }
    write_findings(report, buf);
    write_overview(report, buf);
    for (uint32_t i = 0; i < report->resource_count; i++) {
        if (td_report_has_traffic(&report->resources[i])) write_resource(&report->resources[i], buf);
    }
    return !td_buf_has_failed(buf);
}

/* What users stored must not become a link, a tag or a cell of its own. Every sign that Markdown gives a meaning gets a
 * backslash, those of HTML are entities, controls and line ends blanks; "://" and "www." are taken apart. */
static void append_escaped(td_buf *buf, td_slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.ptr[i];
        bool is_c1 = byte == 0xc2 && i + 1 < text.len && text.ptr[i + 1] < 0xa0;
        bool is_scheme = byte == ':' && i + 1 < text.len && text.ptr[i + 1] == '/';
        bool is_www = byte == '.' && i >= 3 && (text.ptr[i - 1] | 0x20) == 'w' && (text.ptr[i - 2] | 0x20) == 'w';
        if (is_c1 || byte < 0x20 || byte == 0x7f) {
            td_buf_append_byte(buf, ' ');
            i += is_c1;
        } else if (byte == '<') {
            td_buf_append_lit(buf, "&lt;");
        } else if (byte == '>') {
            td_buf_append_lit(buf, "&gt;");
        } else if (byte == '&') {
            td_buf_append_lit(buf, "&amp;");
        } else {
            if (is_scheme || is_www || strchr("\\`*_[]{}|~$#!@", byte) != NULL) td_buf_append_byte(buf, '\\');
            td_buf_append_byte(buf, byte);
        }
    }
}

static void write_findings(const td_report *report, td_buf *buf)
{
    if (report->findings.count == 0) return;
    td_buf_append_lit(buf, "| table or index | criterion | | found |\n| --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < report->findings.count; i++) {
        const td_finding *finding = &report->findings.items[i];
        td_buf_append_lit(buf, "| ");
        append_escaped(buf, finding->resource);
        td_buf_append_lit(buf, " | ");
        append_escaped(buf, finding->criterion->text);
        td_buf_append_format(buf, " | %s | ", finding->holds ? "❌ fails" : "✅ passes");
        append_escaped(buf, finding->text);
        td_buf_append_lit(buf, " |\n");
    }
    td_buf_append_byte(buf, '\n');
}

static void write_number(double number, td_buf *buf)
{
    char text[TD_REPORT_TEXT_BYTES];
    td_buf_append_format(buf, " %s |", td_report__number(number, text));
}

static void write_overview(const td_report *report, td_buf *buf)
{
    td_buf_append_lit(buf, "| table or index | mode | partitions | read units | write units | peak reads/s "
                           "| peak writes/s | throttled | splits | uneven |\n"
                           "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for (uint32_t i = 0; i < report->resource_count; i++) {
        const td_report_resource *resource = &report->resources[i];
        td_buf_append_lit(buf, "| ");
        append_escaped(buf, resource->name);
        td_buf_append_format(buf, " | %s |", td_report__mode(resource));
        write_number(resource->partition_count, buf);
        write_number(resource->sides[TD_READ].units, buf);
        write_number(resource->sides[TD_WRITE].units, buf);
        write_number(resource->sides[TD_READ].peak, buf);
        write_number(resource->sides[TD_WRITE].peak, buf);
        write_number(resource->throttled, buf);
        write_number(td_report__sum(&resource->splits), buf);
        td_buf_append_format(buf, " %.2f |\n", td_report__unevenness(resource));
    }
}

static void write_count_lines(const td_report_counts *counts, const char *before, td_buf *buf)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        char text[TD_REPORT_TEXT_BYTES];
        td_buf_append_format(buf, "- %s", before);
        append_escaped(buf, counts->items[i].name);
        td_buf_append_format(buf, ": %s\n", td_report__number(counts->items[i].count, text));
    }
}

static void write_resource(const td_report_resource *resource, td_buf *buf)
{
    td_buf_append_lit(buf, "\n### ");
    append_escaped(buf, resource->name);
    td_buf_append_lit(buf, "\n\n");
    for (uint32_t i = 0; i < resource->advice_count; i++) {
        const td_report_advice *advice = &resource->advice[i];
        td_buf_append_lit(buf, "- **");
        append_escaped(buf, advice->severity);
        td_buf_append_lit(buf, ", ");
        append_escaped(buf, advice->kind);
        td_buf_append_lit(buf, "**: ");
        append_escaped(buf, advice->text);
        td_buf_append_byte(buf, '\n');
    }
    write_count_lines(&resource->reasons, "throttled, ", buf);
    write_count_lines(&resource->splits, "partitions split because of ", buf);
    write_count_lines(&resource->vetoes, "partitions that are not split, ", buf);
    for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        if (resource->key_count[metric] > 0) write_keys(resource, metric, buf);
    }
    if (resource->listed > 0 && resource->hottest != NULL) write_partitions(resource, buf);
}

static void write_bar(double share, td_buf *buf)
{
    int blocks = (int)lround(fmin(fmax(share, 0), 1) * BAR_COLUMNS);
    td_buf_append_byte(buf, ' ');
    for (int i = 0; i < blocks; i++) {
        td_buf_append_lit(buf, "█");
    }
    td_buf_append_lit(buf, " |");
}

static void write_keys(const td_report_resource *resource, td_heat_metric metric, td_buf *buf)
{
    td_buf_append_format(buf, "\n| %s | partition | %s | share | |\n| --- | --- | --: | --: | --- |\n",
                         td_report__metric_titles[metric], metric == TD_HEAT_THROTTLE ? "throttled" : "units");
    for (uint32_t i = 0; i < resource->key_count[metric] && i < KEYS_MAX; i++) {
        const td_report_key *key = &resource->keys[metric][i];
        char bounds[TD_REPORT_TEXT_BYTES];
        td_buf_append_lit(buf, "| ");
        append_escaped(buf, key->name.len == 0 ? TD_LIT("(no longer known)") : key->name);
        td_buf_append_lit(buf, " | ");
        append_escaped(buf, key->partition);
        td_buf_append_lit(buf, " |");
        td_buf_append_format(buf, " %s |", td_report__bounds(key, bounds));
        td_buf_append_format(buf, " %.1f %% |", key->share * 100);
        write_bar(key->share, buf);
        td_buf_append_byte(buf, '\n');
    }
}

static void write_partitions(const td_report_resource *resource, td_buf *buf)
{
    double most = td_report__units(resource->hottest[0]);
    td_buf_append_lit(buf, "\n| hottest partitions | key space | heat | read units | write units | throttled | |\n"
                           "| --- | --- | --- | --: | --: | --: | --- |\n");
    for (uint32_t i = 0; i < resource->listed && i < PARTITIONS_MAX; i++) {
        const td_report_partition *partition = resource->hottest[i];
        char range[TD_REPORT_TEXT_BYTES];
        td_buf_append_lit(buf, "| ");
        append_escaped(buf, partition->id);
        td_buf_append_format(buf, " | %s |", td_report__range(partition, range));
        write_bar(most > 0 ? td_report__units(partition) / most : 0, buf);
        write_number(partition->units[TD_READ], buf);
        write_number(partition->units[TD_WRITE], buf);
        write_number(partition->throttled[TD_READ] + partition->throttled[TD_WRITE], buf);
        if (partition->parent.len > 0) td_buf_append_lit(buf, " from ");
        append_escaped(buf, partition->parent);
        if (partition->veto.len > 0) td_buf_append_lit(buf, " not split: ");
        append_escaped(buf, partition->veto);
        td_buf_append_lit(buf, " |\n");
    }
    if (resource->listed > PARTITIONS_MAX) {
        td_buf_append_format(buf, "\n%u cooler partitions are left out.\n", resource->listed - PARTITIONS_MAX);
    }
}
