/* SPDX-License-Identifier: Apache-2.0
 * record_heat.c: heat maps and hottest keys of a whole run; see record.h. */
#include <stdio.h>

#include "record_private.h"
#include "thermodyn/number.h"

#define COLUMNS_MAX 120
#define ROWS_MAX 64
#define KEY_TEXT_BYTES_MAX 96
#define SHARE_MIN 0.005 /* of the hottest keys that are worth a line */

static void take_map(td_sim_record *record, td_sim_world *world, td_sim_place *place, td_heat_metric metric);
static bool copy_map(td_heatmap *map, td_arena *arena);
static void take_hot_keys(td_sim_record *record, td_sim_world *world, td_sim_place *place);
static td_slice text_of(td_arena *arena, const td_hot_key *key);

void td_sim__record_finish(td_sim_record *record, td_sim_world *world)
{
    td_capacity_settings settings;
    bool is_there = td_store_get_capacity(world->store, TD_LIT(""), TD_LIT(""), &settings);
    TD_ASSERT(is_there);
    double scale = settings.values[TD_CAPACITY_capacity_scale];
    record->partition_caps[TD_READ] = settings.values[TD_CAPACITY_partition_read_cap] * scale;
    record->partition_caps[TD_WRITE] = settings.values[TD_CAPACITY_partition_write_cap] * scale;
    for (uint32_t i = 0; i < record->place_count; i++) {
        for (int metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++)
            take_map(record, world, &record->places[i], (td_heat_metric)metric);
        take_hot_keys(record, world, &record->places[i]);
    }
}

static void take_map(td_sim_record *record, td_sim_world *world, td_sim_place *place, td_heat_metric metric)
{
    td_sim__world_move_to(world, world->now_us);
    td_call call = td_sim__world_call(world, place->table);
    td_heatmap_request request = {.index = place->index,
                                  .metric = metric,
                                  .from_us = record->start_us,
                                  .to_us = record->start_us + record->duration_us,
                                  .columns = COLUMNS_MAX,
                                  .rows = ROWS_MAX};
    td_heatmap map;
    if (td_heat_map(&call, &request, &map) != TD_HEAT_OK || map.max == 0) return;
    if (copy_map(&map, &record->arena)) place->heat[metric] = map;
}

static bool copy_map(td_heatmap *map, td_arena *arena)
{
    size_t cell_count = (size_t)map->row_count * map->column_count;
    td_units *cells = td_arena_alloc_array(arena, cell_count, sizeof *cells);
    if (cells == NULL) return false;
    memcpy(cells, map->cells, cell_count * sizeof *cells);
    map->cells = cells;
    map->row_from = NULL;
    return true;
}

/* Of what the place was used for most. */
static void take_hot_keys(td_sim_record *record, td_sim_world *world, td_sim_place *place)
{
    bool is_read = place->total.consumed[TD_READ] > place->total.consumed[TD_WRITE];
    td_sim__world_move_to(world, world->now_us);
    td_call call = td_sim__world_call(world, place->table);
    td_hot_keys_request request = {
        .index = place->index, .metric = is_read ? TD_HEAT_READ : TD_HEAT_WRITE, .limit = TD_SIM_HOT_KEYS};
    td_hot_keys keys;
    if (td_heat_hot_keys(&call, &request, &keys) != TD_HEAT_OK) return;
    for (uint32_t i = 0; i < keys.count && i < TD_SIM_HOT_KEYS; i++) {
        if (keys.keys[i].share < SHARE_MIN) break;
        td_slice text = text_of(&record->arena, &keys.keys[i]);
        place->hot_keys[place->hot_key_count++] =
            (td_sim_hot_key){.text = text, .share = keys.keys[i].share, .is_over_limit = keys.keys[i].is_over_limit};
    }
}

/* The value of the partition key; bytes that are no text as "…". */
static td_slice text_of(td_arena *arena, const td_hot_key *key)
{
    td_slice text = TD_LIT("…");
    if (key->attributes == NULL || key->attribute_count == 0) return text;
    const td_value *value = &key->attributes[0].value;
    char printed[TD_NUMBER_TEXT_MAX];
    td_slice shown = value->bytes;
    if (value->type == TD_TYPE_N) shown = td_slice_of(printed, td_number_print(value->bytes, printed));
    if (value->type == TD_TYPE_B) return text;
    if (shown.len > KEY_TEXT_BYTES_MAX) shown = td_json_shown(shown);
    if (!td_arena_copy(arena, shown, &text)) text = TD_LIT("…");
    return text;
}
