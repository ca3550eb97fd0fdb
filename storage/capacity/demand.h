/* SPDX-License-Identifier: MIT
 * demand.h: what a partition was asked for lately, and where a split would relieve it.
 *
 *   every access ─▶ windows of offered units (accepted and refused), by direction
 *   a hot partition's accesses ─▶ samples of keys, taken in proportion to units ─▶ td_demand_choose: a point or a veto
 *
 * Only a partition whose last windows came near the threshold is sampled: a cool one costs two additions.
 * Source: throttling.md §6.3 (threshold, sustain, split point from the observed distribution, vetoes).
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_CAPACITY_DEMAND_H
#define THERMODYN_CAPACITY_DEMAND_H

#include "thermodyn/capacity.h"
#include "thermodyn/partition.h"
#include "thermodyn/rng.h"

#define TD_DEMAND_WINDOWS 60
#define TD_DEMAND_SAMPLES 256
#define TD_DEMAND_KEY_BYTES 64 /* of an encoded key: what is kept of a sample; a beginning still is a valid bound */

typedef struct td_demand_sample {
    uint8_t key[TD_DEMAND_KEY_BYTES];
    uint16_t key_len;
    uint16_t collection_len; /* at most key_len */
} td_demand_sample;

typedef struct td_demand {
    int64_t window; /* the present one, counted in ticks of the pressure */
    td_units offered[TD_DIRECTION_COUNT][TD_DEMAND_WINDOWS];
    struct td_demand_samples *samples; /* NULL: not hot */
} td_demand;

typedef struct td_demand_access {
    td_slice key; /* encoded; empty: unknown, which counts but is not sampled */
    uint32_t collection_len;
    td_direction direction;
    td_units units; /* consumed, or what a refused request would have */
} td_demand_access;

void td_demand_done(td_demand *demand);
void td_demand_add(td_demand *demand, const td_demand_access *access, td_rng *rng);

/* Where to split a partition that is hot in a direction. */
typedef struct td_demand_choice {
    td_split_veto veto;                   /* TD_VETO_NONE: `bound` is the point */
    uint8_t bound[TD_DEMAND_KEY_BYTES];   /* the first key of the upper child */
    uint16_t bound_len;
    double hotter_share; /* of the heat that the hotter child keeps */
} td_demand_choice;

/* `can_cut_collections`: no local index forbids it. */
td_demand_choice td_demand_choose(const td_demand *demand, td_direction direction, bool can_cut_collections);

#endif
