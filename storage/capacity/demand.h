/* SPDX-License-Identifier: Apache-2.0
 * demand.h: what a partition was asked for lately, and where a split would relieve it.
 *
 *   every access ─▶ windows of offered units (accepted and refused), by direction
 *   a hot partition's accesses ─▶ samples of keys, taken in proportion to units ─▶ td_demand_choose: a point or a veto
 *
 * A window is the time between two td_demand_advance; the caller has a tick for it. Only a partition that was hot in a
 * window is sampled: a cool one costs an addition an access.
 * Source: throttling.md §6.3 (threshold, sustain, split point from the observed distribution, vetoes).
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_CAPACITY_DEMAND_H
#define THERMODYN_CAPACITY_DEMAND_H

#include "thermodyn/capacity.h"
#include "thermodyn/partition.h"
#include "thermodyn/rng.h"

#define TD_DEMAND_WINDOWS 60 /* that a rule may look back over */
#define TD_DEMAND_RING 64    /* more than that: the present one is not among them */
#define TD_DEMAND_SAMPLES 256
#define TD_DEMAND_KEY_BYTES 128 /* of an encoded key: what is kept of a sample; a beginning still is a valid bound */

typedef struct td_demand_samples td_demand_samples;

/* All zero: nobody has asked yet. */
typedef struct td_demand {
    uint32_t present; /* the window that is being filled, in the ring */
    uint32_t idle;    /* windows without an access that went before it */
    td_units offered[TD_DIRECTION_COUNT][TD_DEMAND_RING];
    td_demand_samples *samples[TD_DIRECTION_COUNT]; /* NULL: not hot */
} td_demand;

/* From when on a partition is hot. */
typedef struct td_demand_rule {
    td_units hot[TD_DIRECTION_COUNT]; /* units of one window; 0: nothing is hot, and nothing is sampled */
    uint32_t windows;                 /* that it is to be hot for, at most TD_DEMAND_WINDOWS */
} td_demand_rule;

typedef struct td_demand_access {
    td_slice key; /* encoded; empty: unknown, which counts but is not sampled */
    uint32_t collection_len;
    td_direction direction;
    td_units units; /* consumed, or what a refused request would have */
} td_demand_access;

/* Forgets everything: what a partition does whose range changes. */
void td_demand_done(td_demand *demand);

void td_demand_add(td_demand *demand, const td_demand_access *access);

/* Closes the present window and begins the next. Sampling begins after a hot window, with a stride by which the samples
 * reach back as far as the rule asks, and ends after as many cool ones. Without memory there are no samples yet. */
void td_demand_advance(td_demand *demand, const td_demand_rule *rule, td_rng *rng);

/* Hot for as long as the rule asks: it was in the first of those windows, and has been on average in each fifth of them
 * since. So what comes in gusts is hot as well, and nothing is before its time, however hot. */
bool td_demand_is_hot(const td_demand *demand, td_direction direction, const td_demand_rule *rule);

/* Whether its samples are enough for a choice. */
bool td_demand_is_sampled(const td_demand *demand, td_direction direction);

/* Offered in the window that was closed last. */
td_units td_demand_get_last(const td_demand *demand, td_direction direction);

/* No access in any window that the rule looks at. */
bool td_demand_is_idle(const td_demand *demand, const td_demand_rule *rule);

/* ---- the choice ------------------------------------------------------------------------------------------------- */

/* Where to split a partition that is hot in a direction. */
typedef struct td_demand_choice {
    td_split_veto veto;                 /* TD_VETO_NONE: `bound` is the point */
    uint8_t bound[TD_DEMAND_KEY_BYTES]; /* the first key of the upper child */
    uint16_t bound_len;
    double hotter_share; /* of the heat that the hotter child keeps */
} td_demand_choice;

/* `can_cut_collections`: no local index forbids it. Vetoes in the order in which they are found:
 *   too small        there are no samples to judge by
 *   single item      every boundary would leave more than nine tenths of the heat to one side
 *   local index      only one inside a collection would not
 *   increasing, decreasing sort key   the same, and that collection is accessed at its end
 *   sequential       the accesses move through the hashes in order
 * A boundary between two collections is preferred to one inside a collection that is hardly better: its Queries stay
 * with one partition. */
td_demand_choice td_demand_choose(const td_demand *demand, td_direction direction, bool can_cut_collections);

#endif
