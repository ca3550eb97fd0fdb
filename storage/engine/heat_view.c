/* SPDX-License-Identifier: Apache-2.0
 * heat_view.c: heat maps and hottest keys of a table or a global index, as they are asked for.
 *
 * A map is read at the finest width that still reaches back to its beginning; columns and rows are merged until there
 * are no more than wanted. Keys are read from what the sketches keep of their text; of a key that is longer the text is
 * looked up among the items.
 * Not here: what is counted and how long it is kept (storage/capacity/heat.c). */
#include "thermodyn/heat.h"

#include "catalog.h"
#include "heat_view.h"

#define MINUTE_US (60 * TD_US_PER_S)
#define MAP_US (3600 * TD_US_PER_S) /* how far back a map goes when it is not said */
#define COLUMNS_SHOWN 240           /* when it is not said */
#define KEYS_SHOWN 10
#define LOOKUP_STEPS_MAX 1000 /* entries that are looked at for one long key */
#define PART_BYTES_MAX ((size_t)1 << 16)

typedef td_heat_subject subject;

static td_heat_result map_locked(const subject *it, const td_call *call, const td_heatmap_request *request,
                                 td_heatmap *ret_map);
static td_heat_window choose_window(const td_heat *heat, td_time_us now_us, const td_heatmap_request *request);
static td_heat_result top_locked(const subject *it, const td_call *call, const td_hot_keys_request *request,
                                 td_hot_keys *ret_keys);
static bool read_sums(const subject *it, const td_hot_keys_request *request, td_heat_metric metric, td_time_us now_us,
                      td_arena *arena, td_heat_sums *ret_sums);
static bool fill_key(const subject *it, const td_heat_sum *sum, td_arena *arena, td_hot_key *ret_key);
static td_slice find_text(const subject *it, const td_heat_sum *sum, td_btree_room *room);
static bool decode(const td_key_schema *key, td_slice text, td_arena *arena, td_attribute **ret_attributes,
                   uint32_t *ret_count);
static bool is_over_limit(const subject *it, const td_heat_sums *sums, td_direction direction, uint64_t hash);
static int64_t first_minute_of(const td_hot_keys_request *request, td_time_us now_us);

td_heat_result td_heat_map(const td_call *call, const td_heatmap_request *request, td_heatmap *ret_map)
{
    subject it;
    td_heat_result result = td_heat_subject__open(call, request->index, &it);
    if (result != TD_HEAT_OK) return result;
    result = map_locked(&it, call, request, ret_map);
    td_heat_subject__close(&it);
    return result;
}

td_heat_result td_heat_hot_keys(const td_call *call, const td_hot_keys_request *request, td_hot_keys *ret_keys)
{
    subject it;
    td_heat_result result = td_heat_subject__open(call, request->index, &it);
    if (result != TD_HEAT_OK) return result;
    result = top_locked(&it, call, request, ret_keys);
    td_heat_subject__close(&it);
    return result;
}

td_heat_result td_heat_subject__open(const td_call *call, td_slice index, td_heat_subject *ret_subject)
{
    subject it = {.table = td_catalog__find(call->store, call->scope, call->table)};
    if (it.table == NULL) return TD_HEAT_NO_TABLE;
    td_table__lock(it.table);
    const td_schema *schema = it.table->schema;
    it.resource = it.table->resources[0];
    it.key = &schema->key;
    if (index.len > 0) {
        int at = td_schema__find_index(schema, index);
        if (at < 0 || !schema->indexes[at].spec.is_global) {
            td_heat_subject__close(&it);
            return TD_HEAT_NO_INDEX;
        }
        it.resource = it.table->resources[1 + (uint32_t)at - schema->local_count];
        it.key = &schema->indexes[at].spec.key;
    }
    *ret_subject = it;
    return TD_HEAT_OK;
}

void td_heat_subject__close(td_heat_subject *it)
{
    td_table__unlock(it->table);
    td_table__unref(it->table);
}

bool td_heat_subject__decode(const td_heat_subject *it, const td_heat_sum *sum, td_arena *arena,
                             td_attribute **ret_attributes, uint32_t *ret_count)
{
    td_btree_room room;
    td_slice text = sum->text.len == sum->text_len ? sum->text : find_text(it, sum, &room);
    *ret_attributes = NULL;
    *ret_count = 0;
    return text.len == 0 || decode(it->key, text, arena, ret_attributes, ret_count);
}

static td_heat_result map_locked(const subject *it, const td_call *call, const td_heatmap_request *request,
                                 td_heatmap *ret_map)
{
    const td_heat *heat = it->resource->heat;
    td_heat_window window = choose_window(heat, call->now_us, request);
    int64_t width_s = td_heat_widths[window.width].seconds;
    td_heatmap map = {.from_us = window.from * width_s * TD_US_PER_S,
                      .column_us = window.merged * width_s * TD_US_PER_S,
                      .column_count = window.column_count,
                      .row_count = window.row_count,
                      .lost = heat == NULL ? 0 : td_heat_lost(heat)};
    map.to_us = map.from_us + map.column_us * map.column_count;
    size_t cell_count = (size_t)map.row_count * map.column_count;
    map.row_from = td_arena_alloc_array(call->arena, map.row_count, sizeof *map.row_from);
    map.cells = td_arena_alloc_zero(call->arena, cell_count * sizeof *map.cells);
    if (map.row_from == NULL || map.cells == NULL) return TD_HEAT_NO_MEMORY;
    for (uint32_t row = 0; row < map.row_count; row++)
        map.row_from[row] = (uint64_t)row * (TD_HEAT_ROWS / map.row_count) << TD_HEAT_ROW_SHIFT;
    if (heat != NULL) td_heat_read_map(heat, request->metric, &window, map.cells);
    for (size_t i = 0; i < cell_count; i++) {
        if (map.cells[i] > map.max) map.max = map.cells[i];
    }
    *ret_map = map;
    return TD_HEAT_OK;
}

static td_heat_window choose_window(const td_heat *heat, td_time_us now_us, const td_heatmap_request *request)
{
    td_time_us last_us = request->to_us > 0 && request->to_us <= now_us ? request->to_us - 1 : now_us;
    td_time_us since_us = heat == NULL || td_heat_since(heat) > last_us ? last_us : td_heat_since(heat);
    td_time_us from_us = request->from_us;
    if (from_us <= 0) from_us = last_us - since_us < MAP_US ? since_us : last_us - MAP_US;
    if (from_us > last_us) from_us = last_us;

    uint32_t width = 0;
    int64_t oldest = 0; /* the first column of that width that is kept */
    for (;; width++) {
        int64_t width_us = td_heat_widths[width].seconds * TD_US_PER_S;
        oldest = now_us / width_us - td_heat_widths[width].count;
        if (from_us / width_us >= oldest || width + 1 == TD_HEAT_WIDTHS) break;
    }
    int64_t width_us = td_heat_widths[width].seconds * TD_US_PER_S;
    int64_t first = from_us / width_us > oldest ? from_us / width_us : oldest;
    int64_t last = last_us / width_us > first ? last_us / width_us : first;
    uint32_t wanted = request->columns == 0 ? COLUMNS_SHOWN : request->columns;
    uint32_t count = (uint32_t)(last - first + 1);
    uint32_t merged = (count + wanted - 1) / wanted;
    uint32_t rows = TD_HEAT_ROWS;
    while (request->rows > 0 && rows > request->rows)
        rows /= 2;
    return (td_heat_window){.width = width,
                            .from = first,
                            .merged = merged,
                            .column_count = (count + merged - 1) / merged,
                            .row_count = rows};
}

static td_heat_result top_locked(const subject *it, const td_call *call, const td_hot_keys_request *request,
                                 td_hot_keys *ret_keys)
{
    td_arena *arena = call->arena;
    const td_heat *heat = it->resource->heat;
    td_hot_keys hot = {.from_us = first_minute_of(request, call->now_us) * MINUTE_US, .to_us = call->now_us};
    if (heat == NULL) {
        *ret_keys = hot;
        return TD_HEAT_OK;
    }
    td_heat_sums sums[TD_HEAT_METRIC_COUNT]; /* throttled keys are over a limit by their reads or writes */
    for (int metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        if (!read_sums(it, request, (td_heat_metric)metric, call->now_us, arena, &sums[metric])) {
            return TD_HEAT_NO_MEMORY;
        }
    }
    const td_heat_sums *asked = &sums[request->metric];
    uint32_t limit = request->limit == 0 ? KEYS_SHOWN : request->limit;
    hot.total = asked->total;
    hot.rest = asked->rest;
    hot.lost = td_heat_lost(heat);
    hot.count = asked->count < limit ? asked->count : limit;
    for (uint32_t i = hot.count; i < asked->count; i++) {
        if (asked->keys[i].amount > hot.rest) hot.rest = asked->keys[i].amount;
    }
    hot.keys = td_arena_alloc_zero(arena, hot.count * sizeof *hot.keys);
    if (hot.keys == NULL) return TD_HEAT_NO_MEMORY;
    for (uint32_t i = 0; i < hot.count; i++) {
        const td_heat_sum *sum = &asked->keys[i];
        td_hot_key *key = &hot.keys[i];
        if (!fill_key(it, sum, arena, key)) return TD_HEAT_NO_MEMORY;
        key->share = hot.total == 0 ? 0 : (double)(sum->amount - sum->error) / (double)hot.total;
        bool can_read = request->metric != TD_HEAT_WRITE;
        bool can_write = request->metric != TD_HEAT_READ;
        key->is_over_limit = (can_read && is_over_limit(it, &sums[TD_HEAT_READ], TD_READ, sum->hash)) ||
                             (can_write && is_over_limit(it, &sums[TD_HEAT_WRITE], TD_WRITE, sum->hash));
    }
    *ret_keys = hot;
    return TD_HEAT_OK;
}

static bool read_sums(const subject *it, const td_hot_keys_request *request, td_heat_metric metric, td_time_us now_us,
                      td_arena *arena, td_heat_sums *ret_sums)
{
    return td_heat_read_top(it->resource->heat, metric, request->by_full_key, first_minute_of(request, now_us),
                            now_us / MINUTE_US, arena, ret_sums);
}

static bool fill_key(const subject *it, const td_heat_sum *sum, td_arena *arena, td_hot_key *ret_key)
{
    memcpy(ret_key->hash.bytes, sum->text.ptr, sizeof ret_key->hash.bytes);
    td_partition__format_id(td_resource__find_partition(it->resource, sum->text)->number, ret_key->partition);
    ret_key->amount = sum->amount;
    ret_key->error = sum->error;
    ret_key->peak = sum->peak;
    return td_heat_subject__decode(it, sum, arena, &ret_key->attributes, &ret_key->attribute_count);
}

/* The whole text of a key of which only the beginning is kept, the tree's or in the room; empty: no item has it now. */
static td_slice find_text(const subject *it, const td_heat_sum *sum, td_btree_room *room)
{
    const td_partition *partition = td_resource__find_partition(it->resource, sum->text);
    td_btree_cursor at = td_btree_seek_key(partition->trees[0].entries, sum->text, TD_SEEK_FIRST_AT_OR_AFTER);
    for (uint32_t step = 0; step < LOOKUP_STEPS_MAX && !td_btree_is_end(at); step++, td_btree_next(&at)) {
        td_slice whole = td_btree_read_key(at, room);
        if (!td_slice_has_prefix(whole, sum->text)) break;
        td_slice text = td_slice_of(whole.ptr, sum->text_len);
        if (whole.len >= text.len && td_heat_hash_of(text, sum->collection_len) == sum->hash) return text;
    }
    return td_slice_of(NULL, 0);
}

/* As many attributes as the text has parts. */
static bool decode(const td_key_schema *key, td_slice text, td_arena *arena, td_attribute **ret_attributes,
                   uint32_t *ret_count)
{
    td_attribute *attributes = td_arena_alloc_zero(arena, td_key_part_count(key) * sizeof *attributes);
    if (attributes == NULL) return false;
    td_buf part;
    td_buf_init(&part, PART_BYTES_MAX);
    size_t at = TD_KEY_HASH_BYTES;
    bool is_decoded = true;
    uint32_t count = 0;
    while (is_decoded && at < text.len && count < td_key_part_count(key)) {
        const td_key_part *about = &key->parts[count];
        td_attribute *attribute = &attributes[count];
        td_buf_clear(&part);
        bool is_whole = td_key_read_part(text, &at, &part);
        TD_ASSERT(is_whole);
        attribute->value.type = about->type;
        is_decoded = !td_buf_has_failed(&part) && td_arena_copy(arena, about->name, &attribute->name) &&
                     td_arena_copy(arena, td_buf_contents(&part), &attribute->value.bytes);
        count += is_decoded;
    }
    td_buf_done(&part);
    *ret_attributes = attributes;
    *ret_count = count;
    return is_decoded;
}

static bool is_over_limit(const subject *it, const td_heat_sums *sums, td_direction direction, uint64_t hash)
{
    for (uint32_t i = 0; i < sums->count; i++) {
        if (sums->keys[i].hash != hash) continue;
        return (double)sums->keys[i].peak > it->table->effect.partition_cap[direction] * (double)TD_UNITS_ONE;
    }
    return false;
}

static int64_t first_minute_of(const td_hot_keys_request *request, td_time_us now_us)
{
    int64_t now_minute = now_us / MINUTE_US;
    int64_t oldest = now_minute - TD_HEAT_MINUTES;
    if (request->window_us <= 0) return oldest;
    int64_t first = (now_us - request->window_us) / MINUTE_US;
    return first > oldest ? first : oldest;
}
