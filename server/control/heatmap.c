/* SPDX-License-Identifier: Apache-2.0
 * heatmap.c: GET /_thermodyn/heatmap: rows are slices of the hash space, columns slices of time. */
#include <stdio.h>

#include "parameters.h"

#define COLUMNS_MAX 500
#define ROWS_MAX 1000
#define TIME_MS_MAX INT64_C(253402300799999) /* the end of the year 9999 */
#define CELLS_BYTES_MAX ((size_t)4 << 20)

typedef enum parameter { TABLE, INDEX, METRIC, FROM, TO, COLUMNS, ROWS, PARAMETER_COUNT } parameter;

static int read_request(td_control_call *call, const td_control_parameter *given, td_heatmap_request *ret_request);
static void write_rows(td_json_build *build, const td_heatmap *map);
static int write_cells(td_control_call *call, const td_heatmap *map);

int td_control__get_heatmap(td_control_call *call)
{
    td_control_parameter given[PARAMETER_COUNT] = {
        [TABLE] = {.name = "table"}, [INDEX] = {.name = "index"}, [METRIC] = {.name = "metric"},
        [FROM] = {.name = "from"},   [TO] = {.name = "to"},       [COLUMNS] = {.name = "columns"},
        [ROWS] = {.name = "rows"},
    };
    int status = td_control__read_parameters(call, given, PARAMETER_COUNT);
    td_heatmap_request request;
    if (status == 200) status = read_request(call, given, &request);
    if (status != 200) return status;
    td_slice table = given[TABLE].value;
    td_call engine = td_control__engine_call(call, table);
    td_heatmap map;
    status = td_control__heat_status(call, td_heat_map(&engine, &request, &map), table, request.index);
    if (status != 200) return status;

    td_json_build *build = call->answer;
    td_control__put_subject(call, table, request.index, request.metric);
    td_json_put_int(build, build->root, "from", map.from_us / TD_US_PER_MS);
    td_json_put_int(build, build->root, "to", map.to_us / TD_US_PER_MS);
    td_json_put_int(build, build->root, "column_ms", map.column_us / TD_US_PER_MS);
    write_rows(build, &map);
    status = write_cells(call, &map);
    td_json_put_number(build, build->root, "max", (double)map.max / (double)TD_UNITS_ONE);
    td_json_put_int(build, build->root, "lost", (int64_t)map.lost);
    return status;
}

static int read_request(td_control_call *call, const td_control_parameter *given, td_heatmap_request *ret_request)
{
    int metric = TD_HEAT_WRITE;
    int64_t from_ms = 0;
    int64_t to_ms = 0;
    int64_t columns = 0;
    int64_t rows = 0;
    int status = td_control__read_table(call, &given[TABLE]);
    if (status == 200) {
        status = td_control__read_choice(call, &given[METRIC], td_control__metric_names, TD_HEAT_METRIC_COUNT, &metric);
    }
    if (status == 200) status = td_control__read_whole(call, &given[FROM], 1, TIME_MS_MAX, &from_ms);
    if (status == 200) status = td_control__read_whole(call, &given[TO], 1, TIME_MS_MAX, &to_ms);
    if (status == 200) status = td_control__read_whole(call, &given[COLUMNS], 1, COLUMNS_MAX, &columns);
    if (status == 200) status = td_control__read_whole(call, &given[ROWS], 1, ROWS_MAX, &rows);
    if (status == 200 && to_ms > 0 && from_ms >= to_ms) {
        status = td_control__refuse(call, 400, "\"from\" must be before \"to\"");
    }
    if (status != 200) return status;
    *ret_request = (td_heatmap_request){.index = given[INDEX].value,
                                        .metric = (td_heat_metric)metric,
                                        .from_us = from_ms * TD_US_PER_MS,
                                        .to_us = to_ms * TD_US_PER_MS,
                                        .columns = (uint32_t)columns,
                                        .rows = (uint32_t)rows};
    return 200;
}

static void write_rows(td_json_build *build, const td_heatmap *map)
{
    td_json_node *rows = td_json_put_array(build, build->root, "rows");
    for (uint32_t i = 0; i < map->row_count; i++) {
        td_json_node *row = td_json_put_object(build, rows, NULL);
        uint64_t last = i + 1 == map->row_count ? UINT64_MAX : map->row_from[i + 1] - 1;
        char text[17];
        snprintf(text, sizeof(text), "%016llx", (unsigned long long)map->row_from[i]);
        td_json_put_text(build, row, "hash_from", td_slice_of_cstr(text));
        snprintf(text, sizeof(text), "%016llx", (unsigned long long)last);
        td_json_put_text(build, row, "hash_to", td_slice_of_cstr(text));
    }
}

/* Thousands of numbers, most of them zero: written at once rather than built node by node. */
static int write_cells(td_control_call *call, const td_heatmap *map)
{
    td_buf cells;
    td_buf_init(&cells, CELLS_BYTES_MAX);
    td_buf_append_byte(&cells, '[');
    for (uint32_t row = 0; row < map->row_count; row++) {
        td_buf_append(&cells, row == 0 ? TD_LIT("[") : TD_LIT(",["));
        for (uint32_t column = 0; column < map->column_count; column++) {
            if (column > 0) td_buf_append_byte(&cells, ',');
            td_control__write_units(&cells, map->cells[(size_t)row * map->column_count + column]);
        }
        td_buf_append_byte(&cells, ']');
    }
    td_buf_append(&cells, TD_LIT("]\0"));
    bool is_written = !td_buf_has_failed(&cells);
    if (is_written) {
        td_json_put_written(call->answer, call->answer->root, "cells", td_slice_of(cells.data, cells.len - 1));
    }
    td_buf_done(&cells);
    return is_written ? 200 : td_control__refuse_without_memory(call);
}
