/* SPDX-License-Identifier: Apache-2.0
 * gather.c: the answers of the control endpoints as one report: advice, totals, partitions, hottest keys.
 * A member that an answer does not have counts as nothing: a newer or older server is no reason to fail.
 * Not here: heat maps (gather_heat.c). */
#include <stdio.h>
#include <stdlib.h>

#include "thermodyn/map.h"

#include "ask.h"
#include "report.h"

#define TARGET_BYTES_MAX ((size_t)4096)
#define SCRATCH_BYTES_MAX ((size_t)128 << 20)

static const char *const metric_names[TD_HEAT_METRIC_COUNT] = {
    [TD_HEAT_READ] = "read", [TD_HEAT_WRITE] = "write", [TD_HEAT_THROTTLE] = "throttle"};
static const char *const side_names[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};

typedef struct gathering {
    const td_report_source *source;
    td_arena *arena;
    td_arena scratch; /* of one answer */
    td_buf target;
    td_map *by_name; /* "orders/by-day" → td_report_resource */
    td_report *report;
} gathering;

static bool gather(gathering *it, const td_json_node *advice);
static bool read_resources(gathering *it, const td_json_node *advice);
static bool read_resource(gathering *it, const td_json_node *node, td_report_resource *resource);
static bool read_advice(gathering *it, const td_json_node *advice);
static bool gather_totals(gathering *it);
static bool gather_partitions(gathering *it, const td_json_node *advice);
static bool gather_keys(gathering *it, td_report_resource *resource, td_heat_metric metric);

bool td_report_gather(const td_report_source *source, const td_json_node *advice, bool has_pictures, td_arena *arena,
                      td_report *report)
{
    gathering it = {.source = source, .arena = arena, .by_name = td_map_new(), .report = report};
    td_arena_init(&it.scratch, SCRATCH_BYTES_MAX);
    td_buf_init(&it.target, TARGET_BYTES_MAX);
    bool is_gathered = it.by_name != NULL && gather(&it, advice);
    td_buf_done(&it.target);
    td_arena_done(&it.scratch);
    td_map_free(it.by_name);
    return is_gathered && (!has_pictures || td_report__gather_pictures(source, arena, report));
}

void td_report__begin_target(td_buf *target, const td_report_source *source, const char *path)
{
    td_buf_clear(target);
    td_buf_append_format(target, "%s?%s", path, source->question);
}

void td_report__name_resource(td_buf *target, const td_report_resource *resource, td_heat_metric metric)
{
    td_ask_append_parameter(target, "table", (const char *)resource->table.ptr);
    if (resource->index.len > 0) td_ask_append_parameter(target, "index", (const char *)resource->index.ptr);
    td_ask_append_parameter(target, "metric", metric_names[metric]);
}

static bool gather(gathering *it, const td_json_node *advice)
{
    it->report->from_ms = td_ask_number(advice, "from");
    it->report->to_ms = td_ask_number(advice, "to");
    it->report->factor = td_ask_number(advice, "factor");
    if (!read_resources(it, advice) || !read_advice(it, advice) || !gather_totals(it) ||
        !gather_partitions(it, advice)) {
        return false;
    }
    for (uint32_t i = 0; i < it->report->resource_count; i++) {
        td_report_resource *resource = &it->report->resources[i];
        double amounts[TD_HEAT_METRIC_COUNT] = {[TD_HEAT_READ] = resource->sides[TD_READ].units,
                                                [TD_HEAT_WRITE] = resource->sides[TD_WRITE].units,
                                                [TD_HEAT_THROTTLE] = resource->throttled};
        for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
            if (amounts[metric] > 0 && !gather_keys(it, resource, metric)) return false;
        }
    }
    return true;
}

/* The answer lives in the scratch arena until the next one. NULL: it failed. */
static const td_json_node *get(gathering *it)
{
    const td_json_node *answer = NULL;
    td_arena_reset(&it->scratch);
    if (td_buf_has_failed(&it->target)) return NULL;
    return it->source->get(it->source->context, td_buf_contents(&it->target), &it->scratch, &answer) ? answer : NULL;
}

/* A NUL stands behind it. */
static bool keep(gathering *it, td_slice text, td_slice *ret_kept)
{
    return td_arena_format(it->arena, ret_kept, "%.*s", (int)text.len, text.len == 0 ? "" : (const char *)text.ptr);
}

static uint32_t count_of(const td_json_node *object, const char *name)
{
    uint32_t count = 0;
    for (const td_json_node *at = td_ask_first(object, name); at != NULL; at = td_json_node_next(at)) {
        count++;
    }
    return count;
}

static td_report_resource *find_resource(gathering *it, td_slice table, td_slice index)
{
    td_slice name;
    if (!td_arena_format(&it->scratch, &name, "%.*s%s%.*s", (int)table.len,
                         table.len == 0 ? "" : (const char *)table.ptr, index.len == 0 ? "" : "/", (int)index.len,
                         index.len == 0 ? "" : (const char *)index.ptr)) {
        return NULL;
    }
    return td_map_find(it->by_name, name);
}

/* ---- the answer about advice ---- */

static bool read_resources(gathering *it, const td_json_node *advice)
{
    td_report *report = it->report;
    report->resources = td_arena_alloc_zero(it->arena, count_of(advice, "resources") * sizeof(*report->resources));
    if (report->resources == NULL) return false;
    for (const td_json_node *at = td_ask_first(advice, "resources"); at != NULL; at = td_json_node_next(at)) {
        td_report_resource *resource = &report->resources[report->resource_count++];
        if (!read_resource(it, at, resource) || !td_map_put(it->by_name, resource->name, resource)) return false;
    }
    return true;
}

static bool read_resource(gathering *it, const td_json_node *node, td_report_resource *resource)
{
    resource->is_on_demand = td_slice_equal(td_ask_text(node, "billing_mode"), TD_LIT("PAY_PER_REQUEST"));
    resource->throttled = td_ask_number(node, "throttled");
    resource->partition_count = td_ask_number(node, "partitions");
    for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
        const td_json_node *side = td_ask_member(node, side_names[direction]);
        resource->sides[direction] = (td_report_side){.units = td_ask_number(side, "units"),
                                                      .peak = td_ask_number(side, "peak"),
                                                      .partition_cv = td_ask_number(side, "partition_cv")};
    }
    return keep(it, td_ask_text(node, "resource"), &resource->name) &&
           keep(it, td_ask_text(node, "table"), &resource->table) &&
           keep(it, td_ask_text(node, "index"), &resource->index);
}

/* Counted first, since it comes by severity and not by resource. */
static bool read_advice(gathering *it, const td_json_node *advice)
{
    const td_json_node *first = td_ask_first(advice, "advice");
    for (const td_json_node *at = first; at != NULL; at = td_json_node_next(at)) {
        td_report_resource *resource = td_map_find(it->by_name, td_ask_text(at, "resource"));
        if (resource != NULL) resource->advice_count++;
    }
    for (uint32_t i = 0; i < it->report->resource_count; i++) {
        td_report_resource *resource = &it->report->resources[i];
        resource->advice = td_arena_alloc_array(it->arena, resource->advice_count, sizeof(*resource->advice));
        if (resource->advice == NULL) return false;
        resource->advice_count = 0;
    }
    for (const td_json_node *at = first; at != NULL; at = td_json_node_next(at)) {
        td_report_resource *resource = td_map_find(it->by_name, td_ask_text(at, "resource"));
        if (resource == NULL) continue;
        td_report_advice *kept = &resource->advice[resource->advice_count++];
        if (!keep(it, td_ask_text(at, "severity"), &kept->severity) ||
            !keep(it, td_ask_text(at, "kind"), &kept->kind) || !keep(it, td_ask_text(at, "text"), &kept->text)) {
            return false;
        }
    }
    return true;
}

/* ---- totals ---- */

static bool read_counts(gathering *it, const td_json_node *object, const char *name, td_report_counts *counts)
{
    *counts =
        (td_report_counts){.items = td_arena_alloc_array(it->arena, count_of(object, name), sizeof(*counts->items))};
    if (counts->items == NULL) return false;
    const td_json_node *member = td_ask_member(object, name);
    if (member == NULL || td_json_node_get_type(member) != TD_JSON_NODE_OBJECT) return true;
    for (const td_json_node *at = td_ask_first(object, name); at != NULL; at = td_json_node_next(at)) {
        bool is_number = td_json_node_get_type(at) == TD_JSON_NODE_NUMBER;
        td_report_count *count = &counts->items[counts->count];
        count->count = is_number ? td_json_node_number(at) : 0;
        if (count->count <= 0) continue;
        if (!keep(it, td_json_node_name(at), &count->name)) return false;
        counts->count++;
    }
    return true;
}

static bool gather_totals(gathering *it)
{
    td_report__begin_target(&it->target, it->source, "/_thermodyn/totals");
    const td_json_node *answer = get(it);
    if (answer == NULL) return false;
    for (const td_json_node *table = td_ask_first(answer, "tables"); table != NULL; table = td_json_node_next(table)) {
        for (const td_json_node *at = td_ask_first(table, "resources"); at != NULL; at = td_json_node_next(at)) {
            td_report_resource *resource = find_resource(it, td_ask_text(table, "table"), td_ask_text(at, "index"));
            if (resource == NULL) continue; /* it came meanwhile, or was not asked for */
            if (!read_counts(it, at, "reasons", &resource->reasons) ||
                !read_counts(it, at, "splits", &resource->splits) ||
                !read_counts(it, at, "vetoes", &resource->vetoes)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- keys and values ---- */

/* Of {"S":"…"}, {"N":"…"} or {"B":"…"}. */
static td_slice value_text(const td_json_node *value)
{
    bool is_object = td_json_node_get_type(value) == TD_JSON_NODE_OBJECT;
    const td_json_node *text = is_object ? td_json_node_first(value) : NULL;
    bool is_text = text != NULL && td_json_node_get_type(text) == TD_JSON_NODE_TEXT;
    return is_text ? td_json_node_text(text) : TD_LIT("");
}

/* As sentences show keys: the values of its attributes; long ones in part. */
static bool name_key(gathering *it, const td_json_node *key, td_slice *ret_name)
{
    *ret_name = TD_LIT("");
    for (const td_json_node *at = td_ask_first(key, "key"); at != NULL; at = td_json_node_next(at)) {
        td_slice text = value_text(at);
        td_slice before = *ret_name;
        if (!td_arena_format(it->arena, ret_name, "%.*s%s%.*s%s", (int)before.len, (const char *)before.ptr,
                             before.len == 0 ? "" : ", ", TD_SHOWN(text),
                             td_json_shown(text).len < text.len ? "…" : "")) {
            return false;
        }
    }
    return true;
}

static bool gather_keys(gathering *it, td_report_resource *resource, td_heat_metric metric)
{
    td_report__begin_target(&it->target, it->source, "/_thermodyn/hotkeys");
    td_report__name_resource(&it->target, resource, metric);
    if (it->source->window[0] != '\0') td_ask_append_parameter(&it->target, "window_ms", it->source->window);
    const td_json_node *answer = get(it);
    if (answer == NULL) return false;
    td_report_key *keys = td_arena_alloc_array(it->arena, count_of(answer, "keys"), sizeof(*keys));
    if (keys == NULL) return false;
    resource->keys[metric] = keys;
    for (const td_json_node *at = td_ask_first(answer, "keys"); at != NULL; at = td_json_node_next(at)) {
        td_report_key *key = &keys[resource->key_count[metric]++];
        const td_json_node *over = td_ask_member(at, "over_limit");
        *key = (td_report_key){.count = td_ask_number(at, "count"),
                               .error = td_ask_number(at, "error"),
                               .share = td_ask_number(at, "share"),
                               .peak = td_ask_number(at, "peak_1s"),
                               .is_over_limit = over != NULL && td_json_node_is_true(over)};
        if (!name_key(it, at, &key->name) || !keep(it, td_ask_text(at, "partition"), &key->partition)) return false;
    }
    return true;
}

/* ---- partitions ---- */

static bool read_partition(gathering *it, const td_json_node *node, td_report_partition *partition)
{
    const td_json_node *split = td_ask_member(node, "split");
    const td_json_node *sort_from = td_ask_member(node, "sort_from");
    *partition = (td_report_partition){.created_ms = td_ask_number(node, "created"),
                                       .items = td_ask_number(node, "items"),
                                       .bytes = td_ask_number(node, "bytes")};
    for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
        const td_json_node *side = td_ask_member(node, side_names[direction]);
        partition->throttled[direction] = td_ask_number(side, "throttled");
    }
    return keep(it, td_ask_text(node, "id"), &partition->id) &&
           keep(it, td_ask_text(node, "hash_from"), &partition->hash_from) &&
           keep(it, td_ask_text(node, "hash_to"), &partition->hash_to) &&
           keep(it, sort_from == NULL ? TD_LIT("") : value_text(sort_from), &partition->sort_from) &&
           keep(it, td_ask_text(node, "parent"), &partition->parent) &&
           keep(it, td_ask_text(split, "cause"), &partition->split_cause) &&
           keep(it, td_ask_text(split, "veto"), &partition->veto);
}

static bool make_room(gathering *it, td_report_resource *resource, uint32_t more)
{
    uint32_t room = resource->listed + more;
    td_report_partition *grown = td_arena_alloc_array(it->arena, room, sizeof(*grown));
    if (grown == NULL) return false;
    if (resource->listed > 0) memcpy(grown, resource->partitions, resource->listed * sizeof(*grown));
    resource->partitions = grown;
    resource->room = room;
    return true;
}

/* Those of a table and its indexes stand in one list, a resource's together. Another program's answers may name a
 * resource in several. */
static bool read_partitions(gathering *it, const td_json_node *answer, td_slice table)
{
    td_report_resource *resource = NULL;
    for (const td_json_node *at = td_ask_first(answer, "partitions"); at != NULL; at = td_json_node_next(at)) {
        td_slice index = td_ask_text(at, "index");
        if (resource == NULL || !td_slice_equal(resource->index, index)) resource = find_resource(it, table, index);
        if (resource == NULL || !td_report_has_traffic(resource)) continue;
        bool is_full = resource->listed == resource->room;
        if (is_full && !make_room(it, resource, count_of(answer, "partitions"))) return false;
        if (!read_partition(it, at, &resource->partitions[resource->listed++])) return false;
        for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
            const td_json_node *side = td_ask_member(at, side_names[direction]);
            resource->sides[direction].cap = td_ask_number(side, "cap");
        }
    }
    return true;
}

/* Both lists are in the order of ranges; a partition that came or went between the two answers has no units. */
static void read_units(const td_json_node *node, td_report_resource *resource)
{
    uint32_t next = 0;
    for (const td_json_node *at = td_ask_first(node, "by_partition"); at != NULL; at = td_json_node_next(at)) {
        uint32_t found = next;
        while (found < resource->listed && !td_slice_equal(resource->partitions[found].id, td_ask_text(at, "id"))) {
            found++;
        }
        if (found == resource->listed) continue;
        resource->partitions[found].units[TD_READ] = td_ask_number(at, "read");
        resource->partitions[found].units[TD_WRITE] = td_ask_number(at, "write");
        next = found + 1;
    }
}

static int compare_heat(const void *left, const void *right)
{
    const td_report_partition *a = *(const td_report_partition *const *)left;
    const td_report_partition *b = *(const td_report_partition *const *)right;
    double a_units = td_report__units(a);
    double b_units = td_report__units(b);
    if (a_units != b_units) return a_units > b_units ? -1 : 1;
    return a < b ? -1 : 1; /* in the order of their ranges */
}

static bool sort_partitions(gathering *it, td_report_resource *resource)
{
    resource->hottest = td_arena_alloc_array(it->arena, resource->listed, sizeof(*resource->hottest));
    if (resource->hottest == NULL) return false;
    for (uint32_t i = 0; i < resource->listed; i++) {
        resource->hottest[i] = &resource->partitions[i];
    }
    if (resource->listed > 0) {
        qsort(resource->hottest, resource->listed, sizeof(*resource->hottest), compare_heat);
    }
    return true;
}

static bool has_table_traffic(gathering *it, uint32_t first)
{
    td_slice table = it->report->resources[first].table;
    bool has_traffic = false;
    for (uint32_t i = first; i < it->report->resource_count; i++) {
        if (!td_slice_equal(it->report->resources[i].table, table)) break;
        has_traffic = has_traffic || td_report_has_traffic(&it->report->resources[i]);
    }
    return has_traffic;
}

static bool gather_partitions(gathering *it, const td_json_node *advice)
{
    td_slice last = TD_LIT("");
    for (uint32_t i = 0; i < it->report->resource_count; i++) {
        td_slice table = it->report->resources[i].table;
        if (td_slice_equal(table, last)) continue; /* an index's are in its table's list */
        last = table;
        if (!has_table_traffic(it, i)) continue;
        char path[1024];
        snprintf(path, sizeof(path), "/_thermodyn/tables/%.255s/partitions", (const char *)table.ptr);
        td_report__begin_target(&it->target, it->source, path);
        const td_json_node *answer = get(it);
        if (answer == NULL || !read_partitions(it, answer, table)) return false;
    }
    for (const td_json_node *at = td_ask_first(advice, "resources"); at != NULL; at = td_json_node_next(at)) {
        td_report_resource *resource = td_map_find(it->by_name, td_ask_text(at, "resource"));
        if (resource == NULL || resource->partitions == NULL) continue;
        read_units(at, resource);
        if (!sort_partitions(it, resource)) return false;
    }
    return true;
}
