/* SPDX-License-Identifier: Apache-2.0
 * heat.c: the accesses of a table or a global index, by metric: one set of columns, and sketches of the present minute
 * with the lists of the minutes before it.
 *
 * A metric that does not occur has no memory. What closes does so at the next access of its metric, however late that
 * is: nothing here needs a timer.
 * Not here: which accesses there are (admission.c, and who fills its targets); whose keys they were (heat_view.c). */
#include "heat.h"

#include "thermodyn/map.h"
#include "thermodyn/memory.h"

#define SECONDS_A_MINUTE 60
#define NO_SECOND INT64_C(-1)

enum { BY_PARTITION_KEY, BY_FULL_KEY, GROUPING_COUNT };

/* One metric. */
typedef struct track {
    int64_t second; /* of the last access */
    int64_t minute;
    td_units total;
    td_units minute_total;
    td_heat_columns columns;
    td_heat_top *minutes[GROUPING_COUNT][TD_HEAT_MINUTES]; /* closed ones, by minute % TD_HEAT_MINUTES */
    td_sketch sketches[];                                  /* of the present minute; the second with a sort key alone */
} track;

struct td_heat {
    td_time_us since_us; /* the first access */
    int64_t second;      /* the latest */
    bool has_sort_key;
    uint64_t lost;
    track *tracks[TD_HEAT_METRIC_COUNT]; /* NULL: it has not occurred */
};

static track *turn(td_heat *heat, td_heat_metric metric, td_time_us now_us);
static track *find_track(td_heat *heat, td_heat_metric metric);
static void close_minute(td_heat *heat, track *it);
static void count_keys(const td_heat *heat, track *it, const td_heat_access *access, td_units amount);
static void note_refused(td_heat *heat, td_time_us now_us, const td_heat_access *access);
static uint32_t grouping_count(const td_heat *heat);
static size_t track_bytes(const td_heat *heat);
static td_heat_metric metric_of(td_direction direction);
static uint64_t place_of(td_slice key);

td_heat *td_heat_new(bool has_sort_key)
{
    td_heat *heat = td_alloc_zero(sizeof *heat);
    if (heat == NULL) return NULL;
    heat->since_us = TD_NEVER;
    heat->has_sort_key = has_sort_key;
    return heat;
}

void td_heat_free(td_heat *heat)
{
    if (heat == NULL) return;
    for (int metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        track *it = heat->tracks[metric];
        if (it == NULL) continue;
        td_heat_columns_done(&it->columns);
        for (int grouping = 0; grouping < GROUPING_COUNT; grouping++) {
            for (int i = 0; i < TD_HEAT_MINUTES; i++)
                td_free(it->minutes[grouping][i]);
        }
        td_free(it);
    }
    td_free(heat);
}

void td_heat_add(td_heat *heat, td_time_us now_us, const td_heat_access *access)
{
    TD_ASSERT(access->units >= 0);
    track *it = turn(heat, metric_of(access->direction), now_us);
    if (it == NULL) return;
    it->total += access->units;
    it->minute_total += access->units;
    uint64_t place = place_of(access->key);
    if (access->collection_len == 0) {
        uint64_t last = access->hash_to > place ? access->hash_to : place;
        td_heat_columns_spread(&it->columns, td_heat_row_of(place), td_heat_row_of(last), access->units);
        return;
    }
    td_heat_columns_add(&it->columns, td_heat_row_of(place), access->units);
    count_keys(heat, it, access, access->units);
}

void td_heat_add_refused(td_heat *heat, td_time_us now_us, const td_heat_access *access)
{
    track *it = turn(heat, TD_HEAT_THROTTLE, now_us);
    if (it != NULL) {
        it->total += TD_UNITS_ONE;
        it->minute_total += TD_UNITS_ONE;
        td_heat_columns_add(&it->columns, td_heat_row_of(place_of(access->key)), TD_UNITS_ONE);
        if (access->collection_len > 0) count_keys(heat, it, access, TD_UNITS_ONE);
    }
    if (access->collection_len > 0 && access->units > 0) note_refused(heat, now_us, access);
}

td_time_us td_heat_since(const td_heat *heat)
{
    return heat->since_us;
}

td_units td_heat_total(const td_heat *heat, td_heat_metric metric)
{
    return heat->tracks[metric] == NULL ? 0 : heat->tracks[metric]->total;
}

uint64_t td_heat_lost(const td_heat *heat)
{
    return heat->lost;
}

uint64_t td_heat_memory_bytes(const td_heat *heat)
{
    uint64_t bytes = sizeof *heat;
    for (int metric = 0; metric < TD_HEAT_METRIC_COUNT; metric++) {
        const track *it = heat->tracks[metric];
        if (it == NULL) continue;
        bytes += track_bytes(heat) + td_heat_columns_bytes(&it->columns);
        for (int grouping = 0; grouping < GROUPING_COUNT; grouping++) {
            for (int i = 0; i < TD_HEAT_MINUTES; i++) {
                const td_heat_top *top = it->minutes[grouping][i];
                if (top != NULL) bytes += td_heat_top_bytes(top);
            }
        }
    }
    return bytes;
}

void td_heat_read_map(const td_heat *heat, td_heat_metric metric, const td_heat_window *window, td_units *cells)
{
    const track *it = heat->tracks[metric];
    if (it == NULL)
        memset(cells, 0, (size_t)window->row_count * window->column_count * sizeof *cells);
    else
        td_heat_columns_read(&it->columns, window, cells);
}

bool td_heat_read_top(const td_heat *heat, td_heat_metric metric, bool by_full_key, int64_t first_minute,
                      int64_t last_minute, td_arena *arena, td_heat_sums *ret_sums)
{
    const td_heat_top *tops[TD_HEAT_MINUTES + 1];
    uint32_t count = 0;
    const track *it = heat->tracks[metric];
    int grouping = by_full_key && heat->has_sort_key ? BY_FULL_KEY : BY_PARTITION_KEY;
    for (int i = 0; it != NULL && i < TD_HEAT_MINUTES; i++) {
        const td_heat_top *top = it->minutes[grouping][i];
        if (top != NULL && top->minute >= first_minute && top->minute <= last_minute) tops[count++] = top;
    }
    if (it != NULL && it->minute >= first_minute && it->minute <= last_minute) {
        tops[count] = td_heat_top_copy(&it->sketches[grouping], it->minute, it->minute_total, arena);
        if (tops[count++] == NULL) return false;
    }
    return td_heat_top_merge(tops, count, arena, ret_sums);
}

/* A collection's prefix begins with a digest already: half of it that does not decide the place. */
uint64_t td_heat_hash_of(td_slice key, uint32_t collection_len)
{
    TD_ASSERT(collection_len >= TD_KEY_HASH_BYTES);
    TD_ASSERT(collection_len <= key.len);
    if (key.len > collection_len) return td_hash64(key);
    uint64_t hash;
    memcpy(&hash, key.ptr + TD_KEY_HASH_BYTES / 2, sizeof hash);
    return hash;
}

/* The metric's track at this instant. NULL: there is no memory for it. */
static track *turn(td_heat *heat, td_heat_metric metric, td_time_us now_us)
{
    int64_t second = now_us / TD_US_PER_S;
    if (second > heat->second) heat->second = second;
    if (heat->since_us == TD_NEVER) heat->since_us = now_us;
    track *it = heat->tracks[metric];
    if (it != NULL && it->second == heat->second) return it;
    if (it == NULL) it = find_track(heat, metric);
    if (it == NULL) return NULL;
    int64_t minute = heat->second / SECONDS_A_MINUTE;
    if (it->second != NO_SECOND && it->minute != minute) close_minute(heat, it);
    it->minute = minute;
    it->second = heat->second;
    if (!td_heat_columns_turn(&it->columns, heat->second)) heat->lost++;
    return it;
}

static track *find_track(td_heat *heat, td_heat_metric metric)
{
    track *it = td_alloc_zero(track_bytes(heat));
    if (it == NULL) {
        heat->lost++;
        return NULL;
    }
    it->second = NO_SECOND;
    td_heat_columns_init(&it->columns);
    heat->tracks[metric] = it;
    return it;
}

static void close_minute(td_heat *heat, track *it)
{
    for (uint32_t grouping = 0; grouping < grouping_count(heat); grouping++) {
        td_heat_top **place = &it->minutes[grouping][it->minute % TD_HEAT_MINUTES];
        td_free(*place);
        *place = td_heat_top_close(&it->sketches[grouping], it->minute, it->minute_total);
        if (*place == NULL) heat->lost++;
        td_sketch_init(&it->sketches[grouping]);
    }
    it->minute_total = 0;
}

static void count_keys(const td_heat *heat, track *it, const td_heat_access *access, td_units amount)
{
    td_slice collection = td_slice_of(access->key.ptr, access->collection_len);
    td_sketch_key key = {td_heat_hash_of(collection, access->collection_len), collection, access->collection_len};
    td_sketch_add(&it->sketches[BY_PARTITION_KEY], &key, it->second, amount);
    if (!heat->has_sort_key) return;
    if (!access->is_range) {
        key.text = access->key;
        key.hash = td_heat_hash_of(key.text, access->collection_len);
    }
    td_sketch_add(&it->sketches[BY_FULL_KEY], &key, it->second, amount);
}

/* What was asked for and not served belongs to a key's peak: where the limit bites, nothing else shows how far beyond
 * it the key is. */
static void note_refused(td_heat *heat, td_time_us now_us, const td_heat_access *access)
{
    td_heat_metric metric = metric_of(access->direction);
    if (heat->tracks[metric] == NULL) return;
    track *it = turn(heat, metric, now_us);
    td_slice collection = td_slice_of(access->key.ptr, access->collection_len);
    uint64_t hash = td_heat_hash_of(collection, access->collection_len);
    td_sketch_note(&it->sketches[BY_PARTITION_KEY], hash, it->second, access->units);
    if (!heat->has_sort_key) return;
    if (!access->is_range) hash = td_heat_hash_of(access->key, access->collection_len);
    td_sketch_note(&it->sketches[BY_FULL_KEY], hash, it->second, access->units);
}

static uint32_t grouping_count(const td_heat *heat)
{
    return heat->has_sort_key ? GROUPING_COUNT : 1;
}

static size_t track_bytes(const td_heat *heat)
{
    return sizeof(track) + grouping_count(heat) * sizeof(td_sketch);
}

static td_heat_metric metric_of(td_direction direction)
{
    switch (direction) {
    case TD_READ: return TD_HEAT_READ;
    case TD_WRITE: return TD_HEAT_WRITE;
    case TD_DIRECTION_COUNT: break;
    }
    TD_UNREACHABLE("a request reads or writes");
}

/* The first eight bytes: an unknown key's place is the first. */
static uint64_t place_of(td_slice key)
{
    uint64_t place = 0;
    if (key.len < sizeof place) return place;
    memcpy(&place, key.ptr, sizeof place);
    return __builtin_bswap64(place);
}
