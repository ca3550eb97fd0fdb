/* SPDX-License-Identifier: Apache-2.0
 * heat_top.h: the hottest keys of a minute, as its sketch leaves them behind, and of several minutes together.
 *
 *   sketch (the present minute) ─td_heat_top_close▶ list: total, rest, keys with at least a thousandth of it
 *   lists of a window           ─td_heat_top_merge▶ sums: for each key, of every list its amount, or else its rest
 *
 * Bounds add up: a key that a list does not have was used `rest` at most in its minute, and is counted as if it were,
 * all of it error. (Agarwal et al., "Mergeable Summaries", PODS 2012.)
 * Threads: the owner's lock. */
#ifndef THERMODYN_CAPACITY_HEAT_TOP_H
#define THERMODYN_CAPACITY_HEAT_TOP_H

#include "thermodyn/arena.h"

#include "capacity/heat_sketch.h"

#define TD_HEAT_TOP_KEYS                                                                                               \
    25 /* of a closed minute. Source: as many as the service's own ranking has (throttling.md §4.2) */

typedef struct td_heat_top_key {
    uint64_t hash;
    td_units amount;
    td_units error;
    td_units peak; /* the most in one second */
    uint32_t text_len;
    uint32_t collection_len;
    uint32_t text_at; /* of what is kept of the text, behind the keys */
} td_heat_top_key;

typedef struct td_heat_top {
    int64_t minute; /* since the epoch */
    td_units total; /* of all keys */
    td_units rest;  /* what a key that is not listed has at most */
    uint32_t count;
    td_heat_top_key keys[]; /* by amount - error, the greatest first; then the texts */
} td_heat_top;

/* The list of a sketch, made with td_alloc; NULL: no memory. */
TD_MUST_USE td_heat_top *td_heat_top_close(const td_sketch *sketch, int64_t minute, td_units total);

/* The same with all counters, in an arena: for the minute that is not over yet. */
TD_MUST_USE td_heat_top *td_heat_top_copy(const td_sketch *sketch, int64_t minute, td_units total, td_arena *arena);

td_slice td_heat_top_text(const td_heat_top *top, uint32_t at);
uint64_t td_heat_top_bytes(const td_heat_top *top);

/* A key in a window. */
typedef struct td_heat_sum {
    uint64_t hash;
    td_units amount; /* at most */
    td_units error;  /* amount - error: at least */
    td_units peak;
    td_slice text; /* what is kept of it; borrowed from the list */
    uint32_t text_len;
    uint32_t collection_len;
} td_heat_sum;

typedef struct td_heat_sums {
    td_units total;
    td_units rest; /* what a key that is not listed has at most */
    uint32_t count;
    td_heat_sum *keys; /* by amount - error, the greatest first */
} td_heat_sums;

/* false: no memory. */
TD_MUST_USE bool td_heat_top_merge(const td_heat_top *const *tops, uint32_t count, td_arena *arena,
                                   td_heat_sums *ret_sums);

#endif
