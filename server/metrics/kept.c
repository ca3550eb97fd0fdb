/* SPDX-License-Identifier: Apache-2.0
 * kept.c: figures by the minute: entries by what they are of, their open minutes, and making room.
 *
 * The worker looks entries up without the lock, since it alone changes them; it takes the lock to add or remove one and
 * to close a minute, so that whoever reads under the lock finds entries whole and each sample once. */
#include "metrics_private.h"

#include "thermodyn/memory.h"

#define KEY_HEAD_BYTES 4 /* operation, kind, length of the scope */

static td_slice key_of(const td_metrics_id *id, uint8_t ret_key[TD_METRICS_KEY_MAX]);
static bool is_of(const td_metrics_kept *kept, const td_metrics_id *id);
static td_metrics_kept *make(td_metrics_recorder *recorder, const td_metrics_id *id, td_slice key);
static void make_room_locked(td_metrics_recorder *recorder);
static void turn(td_metrics_recorder *recorder, td_metrics_kept *kept, td_time_us now_us);
static void spread(td_metrics_recorder *recorder, td_metrics_open *open, const td_statistic *before, int64_t value);
static td_samples load(const td_metrics_open *open);
static void store(td_metrics_open *open, const td_statistic *statistic);
static void free_kept(td_metrics_kept *kept);

td_metrics_kept *td_metrics__keep(td_metrics_recorder *recorder, const td_metrics_id *id, td_time_us now_us)
{
    TD_ASSERT(id->operation < TD_METRICS_OPERATIONS_MAX);
    td_metrics_kept *kept = recorder->latest[id->operation];
    if (kept == NULL || !is_of(kept, id)) {
        uint8_t bytes[TD_METRICS_KEY_MAX];
        td_slice key = key_of(id, bytes);
        if (key.len == 0) return NULL;
        kept = td_map_find(recorder->by_key, key);
        if (kept == NULL) kept = make(recorder, id, key);
        if (kept == NULL) return NULL;
        recorder->latest[id->operation] = kept;
    }
    td_time_us minute_us = atomic_load_explicit(&kept->minute_us, memory_order_relaxed);
    if (now_us - minute_us >= TD_SERIES_MINUTE_US) turn(recorder, kept, now_us);
    return kept;
}

void td_metrics__add(td_metrics_recorder *recorder, td_metrics_kept *kept, td_request_metric metric, int64_t value)
{
    td_metrics_open *open = &kept->open[metric];
    td_statistic statistic = load(open).statistic;
    if (!td_statistic_is_like(&statistic, value)) spread(recorder, open, &statistic, value);
    td_statistic_add(&statistic, value);
    store(open, &statistic);
}

td_metrics_kept *td_metrics__find_locked(const td_metrics_recorder *recorder, const td_metrics_id *id)
{
    uint8_t bytes[TD_METRICS_KEY_MAX];
    td_slice key = key_of(id, bytes);
    return key.len == 0 ? NULL : td_map_find(recorder->by_key, key);
}

td_samples td_metrics__open_locked(const td_metrics_kept *kept, td_request_metric metric)
{
    return load(&kept->open[metric]);
}

void td_metrics__forget_locked(td_metrics_recorder *recorder)
{
    while (recorder->kept != NULL) {
        td_metrics_kept *kept = recorder->kept;
        recorder->kept = kept->next;
        (void)td_map_remove(recorder->by_key, kept->key);
        free_kept(kept);
    }
    memset(recorder->latest, 0, sizeof recorder->latest);
}

/* Empty: the scope is too long for one. */
static td_slice key_of(const td_metrics_id *id, uint8_t ret_key[TD_METRICS_KEY_MAX])
{
    size_t len = KEY_HEAD_BYTES + id->scope.len + id->table.len;
    if (len > TD_METRICS_KEY_MAX) return td_slice_of(ret_key, 0);
    ret_key[0] = (uint8_t)id->operation;
    ret_key[1] = (uint8_t)id->kind;
    ret_key[2] = (uint8_t)(id->scope.len >> 8);
    ret_key[3] = (uint8_t)id->scope.len;
    if (id->scope.len > 0) memcpy(ret_key + KEY_HEAD_BYTES, id->scope.ptr, id->scope.len);
    if (id->table.len > 0) memcpy(ret_key + KEY_HEAD_BYTES + id->scope.len, id->table.ptr, id->table.len);
    return td_slice_of(ret_key, len);
}

/* Of the same operation. */
static bool is_of(const td_metrics_kept *kept, const td_metrics_id *id)
{
    return kept->kind == id->kind && td_slice_equal(kept->table, id->table) && td_slice_equal(kept->scope, id->scope);
}

static td_metrics_kept *make(td_metrics_recorder *recorder, const td_metrics_id *id, td_slice key)
{
    td_metrics_kept *kept = td_alloc_zero(sizeof *kept + key.len);
    if (kept == NULL) return NULL;
    uint8_t *bytes = (uint8_t *)(kept + 1);
    memcpy(bytes, key.ptr, key.len);
    kept->key = td_slice_of(bytes, key.len);
    kept->scope = td_slice_of(bytes + KEY_HEAD_BYTES, id->scope.len);
    kept->table = td_slice_of(bytes + KEY_HEAD_BYTES + id->scope.len, id->table.len);
    kept->operation = id->operation;
    kept->kind = id->kind;

    td_metrics__lock(recorder);
    if (td_map_count(recorder->by_key) >= TD_METRICS_ENTRIES_MAX) make_room_locked(recorder);
    bool is_put = td_map_put(recorder->by_key, key, kept);
    if (is_put) {
        kept->next = recorder->kept;
        recorder->kept = kept;
    }
    td_metrics__unlock(recorder);
    if (is_put) return kept;
    free_kept(kept);
    return NULL;
}

/* Drops the one idle for longest. A walk over all of them, but only where there are thousands and one comes anew. */
static void make_room_locked(td_metrics_recorder *recorder)
{
    td_metrics_kept **idle = NULL;
    for (td_metrics_kept **at = &recorder->kept; *at != NULL; at = &(*at)->next) {
        if (idle == NULL || (*at)->minute_us < (*idle)->minute_us) idle = at;
    }
    TD_ASSERT(idle != NULL);
    td_metrics_kept *kept = *idle;
    *idle = kept->next;
    (void)td_map_remove(recorder->by_key, kept->key);
    if (recorder->latest[kept->operation] == kept) recorder->latest[kept->operation] = NULL;
    free_kept(kept);
}

/* The open minute is over. */
static void turn(td_metrics_recorder *recorder, td_metrics_kept *kept, td_time_us now_us)
{
    td_metrics__lock(recorder);
    int64_t minute = kept->minute_us / TD_SERIES_MINUTE_US;
    for (size_t i = 0; i < TD_REQUEST_METRIC_COUNT; i++) {
        td_samples closed = load(&kept->open[i]);
        if (!td_series_add(&kept->series[i], minute, &closed)) td_metrics__count(&recorder->lost, 1);
        td_samples_clear(&closed);
        store(&kept->open[i], &closed.statistic);
    }
    kept->minute_us = now_us - now_us % TD_SERIES_MINUTE_US;
    td_metrics__unlock(recorder);
}

static void spread(td_metrics_recorder *recorder, td_metrics_open *open, const td_statistic *before, int64_t value)
{
    if (td_spread_count(open->spread, before, value)) return;
    td_metrics__lock(recorder);
    td_spread_extend(&open->spread, before, value);
    td_metrics__unlock(recorder);
    if (!td_spread_count(open->spread, before, value)) td_metrics__count(&recorder->lost, 1);
}

static td_samples load(const td_metrics_open *open)
{
    td_statistic statistic = {.count = td_metrics__read(&open->count),
                              .sum = atomic_load_explicit(&open->sum, memory_order_relaxed),
                              .min = atomic_load_explicit(&open->min, memory_order_relaxed),
                              .max = atomic_load_explicit(&open->max, memory_order_relaxed)};
    return (td_samples){statistic, open->spread};
}

static void store(td_metrics_open *open, const td_statistic *statistic)
{
    atomic_store_explicit(&open->count, statistic->count, memory_order_relaxed);
    atomic_store_explicit(&open->sum, statistic->sum, memory_order_relaxed);
    atomic_store_explicit(&open->min, statistic->min, memory_order_relaxed);
    atomic_store_explicit(&open->max, statistic->max, memory_order_relaxed);
}

static void free_kept(td_metrics_kept *kept)
{
    for (size_t i = 0; i < TD_REQUEST_METRIC_COUNT; i++) {
        td_series_free(kept->series[i]);
        td_spread_free(kept->open[i].spread);
    }
    td_free(kept);
}
