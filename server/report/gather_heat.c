/* SPDX-License-Identifier: Apache-2.0
 * gather_heat.c: heat maps of a report. Asked for twice: first as far back as is kept, to see from when to when there
 * was traffic at all; then of that time, for all alike, as finely as it is kept: a run of half a minute is not a single
 * column of an hour. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "ask.h"
#include "report.h"

#define TARGET_BYTES_MAX ((size_t)4096)
#define SCRATCH_BYTES_MAX ((size_t)64 << 20)
#define PICTURES_MAX 50 /* resources that get one */
#define CELLS_MAX 1000000

typedef struct drawing {
    const td_report_source *source;
    td_arena *arena;
    td_arena scratch;
    td_buf target;
    td_report *report;
    int64_t from_ms; /* of all traffic */
    int64_t to_ms;
} drawing;

static bool gather(drawing *it);
static bool gather_resource(drawing *it, td_report_resource *resource, bool is_final);
static bool read_map(drawing *it, const td_json_node *answer, td_heatmap *map);
static void note_traffic(drawing *it, const td_heatmap *map);
static double find_floor(const td_report *report, td_arena *arena);

bool td_report__gather_pictures(const td_report_source *source, td_arena *arena, td_report *report)
{
    drawing it = {.source = source, .arena = arena, .report = report, .from_ms = INT64_MAX};
    td_arena_init(&it.scratch, SCRATCH_BYTES_MAX);
    td_buf_init(&it.target, TARGET_BYTES_MAX);
    bool is_gathered = gather(&it);
    td_buf_done(&it.target);
    td_arena_done(&it.scratch);
    return is_gathered;
}

static double amount_of(const td_report_resource *resource)
{
    return resource->sides[TD_READ].units + resource->sides[TD_WRITE].units + resource->throttled;
}

static bool gather(drawing *it)
{
    td_report *report = it->report;
    double floor = find_floor(report, it->arena);
    for (int pass = 0; pass < 2; pass++) {
        uint32_t drawn = 0;
        for (uint32_t i = 0; i < report->resource_count && drawn < PICTURES_MAX; i++) {
            td_report_resource *resource = &report->resources[i];
            if (!td_report_has_traffic(resource) || amount_of(resource) < floor) continue;
            if (!gather_resource(it, resource, pass == 1)) return false;
            drawn++;
        }
        if (it->from_ms >= it->to_ms) return true; /* nothing is recorded */
    }
    report->start_us = it->from_ms * TD_US_PER_MS;
    report->duration_us = (it->to_ms - it->from_ms) * TD_US_PER_MS;
    return true;
}

static bool gather_resource(drawing *it, td_report_resource *resource, bool is_final)
{
    double amounts[TD_HEAT_METRIC_COUNT] = {[TD_HEAT_READ] = resource->sides[TD_READ].units,
                                            [TD_HEAT_WRITE] = resource->sides[TD_WRITE].units,
                                            [TD_HEAT_THROTTLE] = resource->throttled};
    for (td_heat_metric metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        const td_json_node *answer = NULL;
        td_heatmap map = {.row_count = 0};
        if (amounts[metric] <= 0) continue;
        td_report__begin_target(&it->target, it->source, "/_thermodyn/heatmap");
        td_report__name_resource(&it->target, resource, metric);
        if (is_final) {
            td_buf_append_format(&it->target, "&from=%" PRId64 "&to=%" PRId64, it->from_ms, it->to_ms);
        } else if (it->source->window[0] != '\0') {
            td_buf_append_format(&it->target, "&from=%.0f", fmax(it->report->from_ms, 1));
        }
        td_arena_reset(&it->scratch);
        bool is_read = !td_buf_has_failed(&it->target) &&
                       it->source->get(it->source->context, td_buf_contents(&it->target), &it->scratch, &answer) &&
                       read_map(it, answer, &map);
        if (!is_read) return false;
        if (!is_final) {
            note_traffic(it, &map);
            continue;
        }
        resource->heat[metric] = map;
        td_units *cells = td_arena_alloc_array(it->arena, (size_t)map.row_count * map.column_count, sizeof(*cells));
        if (cells == NULL) return false;
        if (map.row_count > 0) memcpy(cells, map.cells, (size_t)map.row_count * map.column_count * sizeof(*cells));
        resource->heat[metric].cells = cells;
        resource->heat[metric].row_from = NULL; /* the scratch arena's; pictures take rows as equal slices */
    }
    return true;
}

/* The map lives in the scratch arena. One that is not whole stays empty: row_count 0. */
static bool read_map(drawing *it, const td_json_node *answer, td_heatmap *map)
{
    double from_ms = td_ask_number(answer, "from");
    double to_ms = td_ask_number(answer, "to");
    double column_ms = td_ask_number(answer, "column_ms");
    double columns = column_ms >= 1 ? round((to_ms - from_ms) / column_ms) : 0;
    uint32_t rows = 0;
    for (const td_json_node *at = td_ask_first(answer, "cells"); at != NULL; at = td_json_node_next(at)) {
        rows++;
    }
    if (!(from_ms >= 0 && to_ms < 1e15 && columns >= 1) || rows == 0 || columns * rows > CELLS_MAX) return true;
    td_units *cells = td_arena_alloc_zero(&it->scratch, (size_t)columns * rows * sizeof(*cells));
    if (cells == NULL) return false;
    *map = (td_heatmap){.from_us = (td_time_us)from_ms * TD_US_PER_MS,
                        .to_us = (td_time_us)to_ms * TD_US_PER_MS,
                        .column_us = (td_time_us)column_ms * TD_US_PER_MS,
                        .column_count = (uint32_t)columns,
                        .row_count = rows,
                        .cells = cells};
    for (const td_json_node *row = td_ask_first(answer, "cells"); row != NULL; row = td_json_node_next(row)) {
        bool is_list = td_json_node_get_type(row) == TD_JSON_NODE_ARRAY;
        const td_json_node *cell = is_list ? td_json_node_first(row) : NULL;
        for (uint32_t i = 0; i < map->column_count; i++, cells++) {
            if (cell == NULL) continue;
            double amount = td_json_node_get_type(cell) == TD_JSON_NODE_NUMBER ? td_json_node_number(cell) : 0;
            *cells = llround(fmin(fmax(amount, 0), 1e12) * (double)TD_UNITS_ONE);
            if (*cells > map->max) map->max = *cells;
            cell = td_json_node_next(cell);
        }
    }
    return true;
}

/* From the first column with something in it to the end of the last one. */
static void note_traffic(drawing *it, const td_heatmap *map)
{
    for (uint32_t row = 0; row < map->row_count; row++) {
        for (uint32_t column = 0; column < map->column_count; column++) {
            if (map->cells[(size_t)row * map->column_count + column] == 0) continue;
            int64_t begin_ms = (map->from_us + column * map->column_us) / TD_US_PER_MS;
            int64_t end_ms = begin_ms + map->column_us / TD_US_PER_MS;
            if (begin_ms < it->from_ms) it->from_ms = begin_ms;
            if (end_ms > it->to_ms) it->to_ms = end_ms;
        }
    }
}

static int compare_descending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a < b) - (a > b);
}

/* What the busiest PICTURES_MAX have at least. Without memory: 0, and the first ones are drawn. */
static double find_floor(const td_report *report, td_arena *arena)
{
    double *amounts = td_arena_alloc_array(arena, report->resource_count, sizeof(*amounts));
    if (amounts == NULL || report->resource_count <= PICTURES_MAX) return 0;
    for (uint32_t i = 0; i < report->resource_count; i++) {
        amounts[i] = amount_of(&report->resources[i]);
    }
    qsort(amounts, report->resource_count, sizeof(*amounts), compare_descending);
    return amounts[PICTURES_MAX - 1];
}
