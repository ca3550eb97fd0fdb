/* SPDX-License-Identifier: Apache-2.0
 * heat.h: where in the key space, and when, a table or a global index was used: what its heat map and its hottest keys
 * are made from.
 *
 *   admission ─charge: consumed units─┐
 *             └refuse: a throttle─────┴─▶ slices of the key space × columns of time   (heat_columns.h)
 *                                      └▶ sketches of the hottest keys, by minute     (heat_sketch.h, heat_top.h)
 *
 * Exact: the sum of the cells of a metric is what was charged (milli-units) or throttled (requests) as long as the
 * columns are kept. Approximate: the hottest keys, with an error bound that is told with each of them.
 * Memory: a metric that occurs takes some 20 KB (30 with a sort key), each second with traffic at most 300 bytes more
 * until they are a day's, under 200 KB; each minute at most 7 KB until they are an hour's. A resource without traffic
 * has nothing.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_CAPACITY_HEAT_H
#define THERMODYN_CAPACITY_HEAT_H

#include "thermodyn/capacity.h"
#include "thermodyn/heat.h"

#include "capacity/heat_columns.h"
#include "capacity/heat_top.h"

#define TD_HEAT_MINUTES 60 /* closed ones whose hottest keys are kept */

typedef struct td_heat td_heat;

/* One access: of an item, or of the range that begins with its key (a page of a Query or Scan). */
typedef struct td_heat_access {
    td_slice key;            /* encoded: hash ‖ partition key ‖ sort key; a Scan's: the place where it begins */
    uint32_t collection_len; /* of the key: hash and partition key; 0: no key is known */
    bool is_range;           /* by full key, it is counted under its partition key alone */
    uint64_t hash_to;        /* of a Scan: the last place that it searched */
    td_direction direction;
    td_units units; /* consumed; of a refused request: what it would have, as far as that is known */
} td_heat_access;

/* `has_sort_key`: whether partition key and full key are to be told apart. NULL: no memory. */
TD_MUST_USE td_heat *td_heat_new(bool has_sort_key);
void td_heat_free(td_heat *heat); /* NULL is allowed */

/* Never fail: where there is no memory the access goes uncounted there, and `lost` counts it. Time does not go back: an
 * earlier now_us is the latest one. */
void td_heat_add(td_heat *heat, td_time_us now_us, const td_heat_access *access);
void td_heat_add_refused(td_heat *heat, td_time_us now_us, const td_heat_access *access);

td_time_us td_heat_since(const td_heat *heat);                      /* the first access; TD_NEVER: there was none */
td_units td_heat_total(const td_heat *heat, td_heat_metric metric); /* since then */
uint64_t td_heat_lost(const td_heat *heat);                         /* times that something went uncounted */
uint64_t td_heat_memory_bytes(const td_heat *heat);

/* Fills row_count × column_count cells (heat_columns.h). */
void td_heat_read_map(const td_heat *heat, td_heat_metric metric, const td_heat_window *window, td_units *cells);

/* The hottest keys of whole minutes since the epoch, first and last included. false: no memory. */
TD_MUST_USE bool td_heat_read_top(const td_heat *heat, td_heat_metric metric, bool by_full_key, int64_t first_minute,
                                  int64_t last_minute, td_arena *arena, td_heat_sums *ret_sums);

/* The hash by which a key is told apart; of a full key, or of a collection's prefix alone. */
uint64_t td_heat_hash_of(td_slice key, uint32_t collection_len);

#endif
