/* SPDX-License-Identifier: Apache-2.0
 * advice_traffic.c: the traffic of a table or a global index as advice sees it, from its heat maps and hottest keys.
 *
 * Seconds are kept for two minutes, ten seconds for half an hour, minutes for longer: each peak is the highest of all
 * that is kept of the window, and says how finely it was seen. The burst pool is run over the window's minutes.
 * A partition's share is an estimate: what the hottest keys certainly had counts for their partitions (in equal parts
 * where a collection lies in several), and the rest of a row for the partitions that overlap with it, by the width of
 * the overlap. */
#include "advice_gather.h"

#include <math.h>

#include "thermodyn/text.h"

#define KEYS_WANTED 100
#define ROWS_WANTED 64
#define BURST_WINDOW_S 300.0
#define POOL_STEPS 50 /* halvings of the interval in which the pool's rate lies */
#define KEY_SHOWN_BYTES_MAX 100

typedef struct look {
    td_time_us back_us;
    td_time_us column_us;
} look;

/* The last one covers the window, whatever its length. */
static const look looks[] = {
    {120 * TD_US_PER_S, TD_US_PER_S}, {1800 * TD_US_PER_S, 10 * TD_US_PER_S}, {3600 * TD_US_PER_S, 60 * TD_US_PER_S}};

static const td_heat_metric metrics[TD_DIRECTION_COUNT] = {[TD_READ] = TD_HEAT_READ, [TD_WRITE] = TD_HEAT_WRITE};

static td_heat_result gather_side(const td_call *call, td_time_us window_us, td_advice_resource *resource,
                                  td_direction direction);
static td_heat_result gather_rates(const td_call *call, td_time_us window_us, td_advice_resource *resource,
                                   td_direction direction, td_heatmap *ret_window);
static td_heat_result gather_keys(const td_call *call, td_time_us window_us, td_advice_resource *resource,
                                  td_direction direction);
static td_heat_result gather_throttles(const td_call *call, td_time_us window_us, td_advice_resource *resource);
static td_heat_result find_top_items(const td_call *call, td_time_us window_us, const td_advice_resource *resource,
                                     td_advice_side *side, td_heat_metric metric);
static double find_pool_rate(const td_heatmap *map);
static bool share_out(const td_call *call, const td_heatmap *map, td_advice_resource *resource, td_advice_side *side);
static bool name_key(const td_call *call, const td_hot_key *hot, td_advice_key *key);

td_heat_result td_advice__gather_traffic(const td_call *call, td_time_us window_us, td_advice_resource *resource)
{
    for (td_direction direction = TD_READ; direction < TD_DIRECTION_COUNT; direction++) {
        td_heat_result result = gather_side(call, window_us, resource, direction);
        if (result != TD_HEAT_OK) return result;
    }
    return gather_throttles(call, window_us, resource);
}

uint32_t td_advice__find_partition(const td_advice_resource *resource, uint64_t prefix)
{
    uint32_t low = 0;
    uint32_t high = resource->partition_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (resource->partitions[middle].from <= prefix) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static td_heat_result gather_side(const td_call *call, td_time_us window_us, td_advice_resource *resource,
                                  td_direction direction)
{
    td_heatmap window;
    td_advice_side *side = &resource->sides[direction];
    td_heat_result result = gather_keys(call, window_us, resource, direction);
    if (result == TD_HEAT_OK) result = gather_rates(call, window_us, resource, direction, &window);
    if (result != TD_HEAT_OK) return result;
    if (resource->billing == TD_BILLING_PROVISIONED) side->pool_rate = find_pool_rate(&window);
    return share_out(call, &window, resource, side) ? TD_HEAT_OK : TD_HEAT_NO_MEMORY;
}

static double units_of(td_units amount)
{
    return (double)amount / TD_UNITS_ONE;
}

/* Units a second in a column. Of the present one as if it were over. */
static double rate_at(const td_heatmap *map, uint32_t column)
{
    td_units sum = 0;
    for (uint32_t row = 0; row < map->row_count; row++) {
        sum += map->cells[(size_t)row * map->column_count + column];
    }
    return units_of(sum) * TD_US_PER_S / (double)map->column_us;
}

static void note_rates(const td_heatmap *map, td_advice_side *side)
{
    uint32_t a_minute = (uint32_t)(60 * TD_US_PER_S / map->column_us);
    if (a_minute == 0) a_minute = 1;
    double minute = 0;
    for (uint32_t column = 0; column < map->column_count; column++) {
        double rate = rate_at(map, column);
        if (rate > side->peak) {
            side->peak = rate;
            side->peak_seconds = (double)map->column_us / TD_US_PER_S;
        }
        minute += rate / a_minute;
        if (column >= a_minute) minute -= rate_at(map, column - a_minute) / a_minute;
        if (minute > side->peak_minute) side->peak_minute = minute;
    }
}

static double find_mean(const td_heatmap *map)
{
    double sum = 0;
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (uint32_t column = 0; column < map->column_count; column++) {
        double rate = rate_at(map, column);
        if (rate <= 0) continue;
        sum += rate;
        if (first == UINT32_MAX) first = column;
        last = column;
    }
    return first == UINT32_MAX ? 0 : sum / (last - first + 1);
}

static td_heat_result gather_rates(const td_call *call, td_time_us window_us, td_advice_resource *resource,
                                   td_direction direction, td_heatmap *ret_window)
{
    td_advice_side *side = &resource->sides[direction];
    side->peak_seconds = 1;
    for (size_t i = 0; i < TD_COUNT_OF(looks); i++) {
        td_time_us back = looks[i].back_us < window_us && i + 1 < TD_COUNT_OF(looks) ? looks[i].back_us : window_us;
        td_heatmap_request request = {.index = resource->index,
                                      .metric = metrics[direction],
                                      .from_us = call->now_us - back,
                                      .to_us = call->now_us,
                                      .columns =
                                          (uint32_t)(back / looks[i].column_us) + 2, /* both ends may be in part */
                                      .rows = ROWS_WANTED};
        td_heat_result result = td_heat_map(call, &request, ret_window);
        if (result != TD_HEAT_OK) return result;
        note_rates(ret_window, side);
    }
    side->mean = find_mean(ret_window);
    return TD_HEAT_OK;
}

static td_heat_result gather_keys(const td_call *call, td_time_us window_us, td_advice_resource *resource,
                                  td_direction direction)
{
    td_advice_side *side = &resource->sides[direction];
    td_hot_keys_request request = {
        .index = resource->index, .metric = metrics[direction], .limit = KEYS_WANTED, .window_us = window_us};
    td_hot_keys hot;
    td_heat_result result = td_heat_hot_keys(call, &request, &hot);
    if (result != TD_HEAT_OK) return result;
    side->keys = td_arena_alloc_array(call->arena, hot.count, sizeof(*side->keys));
    if (side->keys == NULL) return TD_HEAT_NO_MEMORY;
    side->total = units_of(hot.total);
    side->rest = units_of(hot.rest);
    for (uint32_t i = 0; i < hot.count; i++) {
        td_advice_key *key = &side->keys[side->key_count++];
        *key = (td_advice_key){.hash = hot.keys[i].hash,
                               .amount = units_of(hot.keys[i].amount),
                               .error = units_of(hot.keys[i].error),
                               .peak = units_of(hot.keys[i].peak),
                               .top_item_share = -1};
        memcpy(key->partition, hot.keys[i].partition, sizeof(key->partition));
        if (!name_key(call, &hot.keys[i], key)) return TD_HEAT_NO_MEMORY;
    }
    if (!resource->has_sort_key) return TD_HEAT_OK;
    return find_top_items(call, window_us, resource, side, metrics[direction]);
}

/* What a key's hottest item certainly has, of what the key has at most. */
static td_heat_result find_top_items(const td_call *call, td_time_us window_us, const td_advice_resource *resource,
                                     td_advice_side *side, td_heat_metric metric)
{
    td_hot_keys_request request = {
        .index = resource->index, .metric = metric, .by_full_key = true, .limit = KEYS_WANTED, .window_us = window_us};
    td_hot_keys hot;
    td_heat_result result = td_heat_hot_keys(call, &request, &hot);
    if (result != TD_HEAT_OK) return result;
    for (uint32_t i = 0; i < hot.count; i++) {
        if (hot.keys[i].attribute_count <= resource->hash_attribute_count)
            continue; /* pages of Queries, or no longer known */
        double least = units_of(hot.keys[i].amount - hot.keys[i].error);
        for (uint32_t k = 0; k < side->key_count; k++) {
            td_advice_key *key = &side->keys[k];
            if (key->amount <= 0 || memcmp(&key->hash, &hot.keys[i].hash, sizeof(key->hash)) != 0) continue;
            key->top_item_share = fmax(key->top_item_share, fmin(least / key->amount, 1));
        }
    }
    return TD_HEAT_OK;
}

static td_heat_result gather_throttles(const td_call *call, td_time_us window_us, td_advice_resource *resource)
{
    td_hot_keys_request request = {
        .index = resource->index, .metric = TD_HEAT_THROTTLE, .limit = 1, .window_us = window_us};
    td_hot_keys hot;
    td_heat_result result = td_heat_hot_keys(call, &request, &hot);
    if (result == TD_HEAT_OK) resource->throttled = units_of(hot.total);
    return result;
}

/* Whether a pool of that rate, full at first, carries all columns. */
static bool carries(const td_heatmap *map, double rate)
{
    double seconds = (double)map->column_us / TD_US_PER_S;
    double balance = rate * BURST_WINDOW_S;
    for (uint32_t column = 0; column < map->column_count; column++) {
        balance += (rate - rate_at(map, column)) * seconds;
        if (balance < 0) return false;
        balance = fmin(balance, rate * BURST_WINDOW_S);
    }
    return true;
}

static double find_pool_rate(const td_heatmap *map)
{
    double low = 0;
    double high = 0;
    for (uint32_t column = 0; column < map->column_count; column++) {
        high = fmax(high, rate_at(map, column));
    }
    for (int step = 0; step < POOL_STEPS; step++) {
        double middle = (low + high) / 2;
        if (carries(map, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* Hands a row's units to the partitions that overlap with it; `at` is the first of them. */
static uint32_t share_row(const td_advice_resource *resource, td_advice_side *side, uint32_t at, uint64_t from,
                          uint64_t to, double units)
{
    double width = (double)(to - from) + 1;
    for (;; at++) {
        bool is_last = at + 1 == resource->partition_count;
        uint64_t end = is_last ? UINT64_MAX : resource->partitions[at + 1].from - 1;
        uint64_t begin = resource->partitions[at].from;
        if (!is_last && resource->partitions[at + 1].from == begin) continue; /* the beginning of one collection */
        uint64_t low = begin > from ? begin : from;
        uint64_t high = end < to ? end : to;
        if (high >= low) side->by_partition[at] += units * ((double)(high - low) + 1) / width;
        if (is_last || end >= to) return at;
    }
}

static bool share_out(const td_call *call, const td_heatmap *map, td_advice_resource *resource, td_advice_side *side)
{
    double *rows = td_arena_alloc_zero(call->arena, map->row_count * sizeof(*rows));
    side->by_partition = td_arena_alloc_zero(call->arena, resource->partition_count * sizeof(*side->by_partition));
    if (rows == NULL || side->by_partition == NULL) return false;
    for (uint32_t row = 0; row < map->row_count; row++) {
        for (uint32_t column = 0; column < map->column_count; column++) {
            rows[row] += units_of(map->cells[(size_t)row * map->column_count + column]);
        }
    }
    for (uint32_t i = 0; i < side->key_count && map->row_count > 0; i++) {
        const td_advice_key *key = &side->keys[i];
        uint64_t prefix = td_key_hash_prefix(&key->hash);
        uint32_t row = map->row_count - 1;
        while (row > 0 && map->row_from[row] > prefix) {
            row--;
        }
        double certain = fmin(fmax(key->amount - key->error, 0), rows[row]);
        rows[row] -= certain;
        uint32_t last = td_advice__find_partition(resource, prefix);
        uint32_t first = last;
        while (first > 0 && resource->partitions[first].from == prefix) {
            first--; /* a collection in several partitions, of which the first begins before it */
        }
        for (uint32_t at = first; at <= last; at++) {
            side->by_partition[at] += certain / (last - first + 1);
        }
    }
    uint32_t at = 0;
    for (uint32_t row = 0; row < map->row_count; row++) {
        uint64_t to = row + 1 == map->row_count ? UINT64_MAX : map->row_from[row + 1] - 1;
        at = share_row(resource, side, at, map->row_from[row], to, rows[row]);
    }
    return true;
}

/* ---- names of keys ---- */

/* As text: cut where it is long, between characters. */
static bool show_value(const td_call *call, const td_value *value, td_slice *ret_text)
{
    char number[TD_NUMBER_TEXT_MAX];
    if (value->type == TD_TYPE_N) {
        return td_arena_copy(call->arena, td_slice_of(number, td_number_print(value->bytes, number)), ret_text);
    }
    size_t len = value->bytes.len;
    if (value->type == TD_TYPE_S) {
        if (len > KEY_SHOWN_BYTES_MAX) {
            len = KEY_SHOWN_BYTES_MAX;
            while (len > 0 && (value->bytes.ptr[len] & 0xc0) == 0x80) {
                len--;
            }
        }
        return td_arena_format(call->arena, ret_text, "%.*s%s", (int)len, (const char *)value->bytes.ptr,
                               len < value->bytes.len ? "…" : "");
    }
    if (len > KEY_SHOWN_BYTES_MAX) len = KEY_SHOWN_BYTES_MAX / 3 * 3;
    uint8_t *text = td_arena_alloc(call->arena, td_base64_encoded_len(len));
    if (text == NULL) return false;
    *ret_text = td_slice_of(text, td_base64_encode(td_slice_of(value->bytes.ptr, len), text));
    return true;
}

/* A suffix can be put behind a text or a number, of which then a text is made. */
static bool name_key(const td_call *call, const td_hot_key *hot, td_advice_key *key)
{
    for (uint32_t i = 0; hot->attributes != NULL && i < hot->attribute_count; i++) {
        td_slice part;
        if (!show_value(call, &hot->attributes[i].value, &part)) return false;
        if (!td_arena_format(call->arena, &key->name, "%.*s%s%.*s", (int)key->name.len,
                             key->name.len == 0 ? "" : (const char *)key->name.ptr, i == 0 ? "" : ", ", (int)part.len,
                             part.len == 0 ? "" : (const char *)part.ptr)) {
            return false;
        }
        td_type type = hot->attributes[i].value.type;
        if (type == TD_TYPE_S) key->suffix_base = hot->attributes[i].value.bytes;
        if (type == TD_TYPE_N) key->suffix_base = part;
        if (type == TD_TYPE_B || i > 0) key->suffix_base = td_slice_of(NULL, 0);
    }
    return true;
}
