/* SPDX-License-Identifier: Apache-2.0
 * json.c: a report as one JSON document. Members may be added, none is renamed or taken away. Heat maps are not in it:
 * GET /_thermodyn/heatmap has them. */
#include "report.h"

static const char *const side_names[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};
static const char *const metric_names[TD_HEAT_METRIC_COUNT] = {
    [TD_HEAT_READ] = "read", [TD_HEAT_WRITE] = "write", [TD_HEAT_THROTTLE] = "throttle"};

static void write_resource(td_json_build *build, td_json_node *list, const td_report_resource *resource);
static void write_partition(td_json_build *build, td_json_node *list, const td_report_partition *partition);
static void write_keys(td_json_build *build, td_json_node *parent, const td_report_resource *resource);
static void write_findings(td_json_build *build, const td_findings *findings);

bool td_report_write_json(const td_report *report, td_buf *buf)
{
    td_json_build build;
    td_json_build_init(&build);
    td_json_put_text(&build, build.root, "endpoint", report->endpoint);
    td_json_put_number(&build, build.root, "from", report->from_ms);
    td_json_put_number(&build, build.root, "to", report->to_ms);
    td_json_put_number(&build, build.root, "factor", report->factor);
    td_json_node *list = td_json_put_array(&build, build.root, "resources");
    for (uint32_t i = 0; i < report->resource_count; i++) {
        write_resource(&build, list, &report->resources[i]);
    }
    write_findings(&build, &report->findings);
    bool is_written = td_json_build_print(&build, buf);
    td_json_build_done(&build);
    td_buf_append_byte(buf, '\n');
    return is_written && !td_buf_has_failed(buf);
}

static void put_text_or_null(td_json_build *build, td_json_node *parent, const char *name, td_slice text)
{
    if (text.len == 0) {
        td_json_put_null(build, parent, name);
    } else {
        td_json_put_text(build, parent, name, text);
    }
}

static void put_counts(td_json_build *build, td_json_node *parent, const char *name, const td_report_counts *counts)
{
    td_json_node *object = td_json_put_object(build, parent, name);
    for (uint32_t i = 0; i < counts->count; i++) {
        td_json_put_number(build, object, (const char *)counts->items[i].name.ptr, counts->items[i].count);
    }
}

static void write_resource(td_json_build *build, td_json_node *list, const td_report_resource *resource)
{
    td_json_node *entry = td_json_put_object(build, list, NULL);
    td_json_put_text(build, entry, "resource", resource->name);
    td_json_put_text(build, entry, "table", resource->table);
    put_text_or_null(build, entry, "index", resource->index);
    td_json_put_text(build, entry, "billing_mode",
                     resource->is_on_demand ? TD_LIT("PAY_PER_REQUEST") : TD_LIT("PROVISIONED"));
    td_json_put_number(build, entry, "throttled", resource->throttled);
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        const td_report_side *side = &resource->sides[direction];
        td_json_node *about = td_json_put_object(build, entry, side_names[direction]);
        td_json_put_number(build, about, "units", side->units);
        td_json_put_number(build, about, "peak", side->peak);
        td_json_put_number(build, about, "partition_cv", side->partition_cv);
    }
    put_counts(build, entry, "reasons", &resource->reasons);
    put_counts(build, entry, "splits", &resource->splits);
    put_counts(build, entry, "vetoes", &resource->vetoes);
    td_json_put_number(build, entry, "partition_count", resource->partition_count);
    td_json_node *partitions = td_json_put_array(build, entry, "partitions");
    for (uint32_t i = 0; i < resource->listed; i++) {
        write_partition(build, partitions, &resource->partitions[i]);
    }
    write_keys(build, entry, resource);
    td_json_node *advice = td_json_put_array(build, entry, "advice");
    for (uint32_t i = 0; i < resource->advice_count; i++) {
        td_json_node *piece = td_json_put_object(build, advice, NULL);
        td_json_put_text(build, piece, "severity", resource->advice[i].severity);
        td_json_put_text(build, piece, "kind", resource->advice[i].kind);
        td_json_put_text(build, piece, "text", resource->advice[i].text);
    }
}

static void write_partition(td_json_build *build, td_json_node *list, const td_report_partition *partition)
{
    td_json_node *entry = td_json_put_object(build, list, NULL);
    td_json_put_text(build, entry, "id", partition->id);
    td_json_put_text(build, entry, "hash_from", partition->hash_from);
    td_json_put_text(build, entry, "hash_to", partition->hash_to);
    put_text_or_null(build, entry, "sort_from", partition->sort_from);
    put_text_or_null(build, entry, "parent", partition->parent);
    td_json_put_number(build, entry, "created", partition->created_ms);
    td_json_put_number(build, entry, "items", partition->items);
    td_json_put_number(build, entry, "bytes", partition->bytes);
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        td_json_node *side = td_json_put_object(build, entry, side_names[direction]);
        td_json_put_number(build, side, "units", partition->units[direction]);
        td_json_put_number(build, side, "throttled", partition->throttled[direction]);
    }
    put_text_or_null(build, entry, "splitting", partition->split_cause);
    put_text_or_null(build, entry, "veto", partition->veto);
}

static void write_keys(td_json_build *build, td_json_node *parent, const td_report_resource *resource)
{
    td_json_node *object = td_json_put_object(build, parent, "hottest_keys");
    for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        td_json_node *list = td_json_put_array(build, object, metric_names[metric]);
        for (uint32_t i = 0; i < resource->key_count[metric]; i++) {
            const td_report_key *key = &resource->keys[metric][i];
            td_json_node *entry = td_json_put_object(build, list, NULL);
            put_text_or_null(build, entry, "key", key->name);
            td_json_put_text(build, entry, "partition", key->partition);
            td_json_put_number(build, entry, "count", key->count);
            td_json_put_number(build, entry, "error", key->error);
            td_json_put_number(build, entry, "share", key->share);
            td_json_put_number(build, entry, "peak_1s", key->peak);
            td_json_put_bool(build, entry, "over_limit", key->is_over_limit);
        }
    }
}

static void write_findings(td_json_build *build, const td_findings *findings)
{
    td_json_node *list = td_json_put_array(build, build->root, "criteria");
    for (uint32_t i = 0; i < findings->count; i++) {
        const td_finding *finding = &findings->items[i];
        td_json_node *entry = td_json_put_object(build, list, NULL);
        td_json_put_text(build, entry, "resource", finding->resource);
        td_json_put_text(build, entry, "criterion", finding->criterion->text);
        td_json_put_bool(build, entry, "fails", finding->holds);
        td_json_put_number(build, entry, "figure", finding->figure);
        td_json_put_text(build, entry, "text", finding->text);
    }
}
