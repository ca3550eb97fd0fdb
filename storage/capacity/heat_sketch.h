/* SPDX-License-Identifier: Apache-2.0
 * heat_sketch.h: which keys were used most, in bounded memory: the Space-Saving algorithm, with weights.
 *
 *   hash ─▶ index ─▶ counter {amount, error, key}        a new key takes the counter with the least amount and goes on
 *                        ▲                               from there: that amount is its error
 *   heap: counters by amount, the least first
 *
 * Source: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent and Top-k Elements in Data Streams" (ICDT
 * 2005), its bounds with weights: for every key amount - error <= true <= amount, and error <= total / counters; a key
 * without a counter has at most the least amount; so each key above total / counters has one.
 * Keys are told apart by 64-bit hashes. An update costs O(log counters).
 * Threads: the owner's lock. */
#ifndef THERMODYN_CAPACITY_HEAT_SKETCH_H
#define THERMODYN_CAPACITY_HEAT_SKETCH_H

#include "thermodyn/base.h"

#define TD_SKETCH_COUNTERS 64
#define TD_SKETCH_SLOTS 256    /* a power of two; a quarter full at most, so that probes are short */
#define TD_SKETCH_KEY_BYTES 94 /* of an encoded key that are kept: all of most, and a counter is two cache lines */

/* What identifies a key; the text is encoded (key.h) and borrowed. */
typedef struct td_sketch_key {
    uint64_t hash;
    td_slice text;
    uint32_t collection_len; /* of the text: hash and partition key */
} td_sketch_key;

typedef struct td_sketch_counter {
    td_units error;
    td_units peak;      /* the most in one second, of those that are over */
    td_units in_second; /* in that second */
    uint32_t text_len;  /* of the whole text; min(text_len, TD_SKETCH_KEY_BYTES) are kept */
    uint32_t collection_len;
    uint16_t second; /* any count of seconds that does not come again within a minute */
    uint8_t text[TD_SKETCH_KEY_BYTES];
} td_sketch_counter;

typedef struct td_sketch_node {
    td_units amount;
    uint32_t counter;
} td_sketch_node;

/* All fields are private; the struct is open so that it can be embedded. What every access looks at lies together. */
typedef struct td_sketch {
    uint32_t count;                      /* counters in use */
    uint8_t slots[TD_SKETCH_SLOTS];      /* counter + 1; 0: free */
    uint8_t places[TD_SKETCH_COUNTERS];  /* of each counter in the heap */
    uint64_t hashes[TD_SKETCH_COUNTERS]; /* of each counter's key */
    td_sketch_node heap[TD_SKETCH_COUNTERS];
    td_sketch_counter counters[TD_SKETCH_COUNTERS];
} td_sketch;

void td_sketch_init(td_sketch *sketch); /* and to begin anew */

void td_sketch_add(td_sketch *sketch, const td_sketch_key *key, int64_t second, td_units amount);

/* Counts for the key's peak alone, if it has a counter: what was asked for and not served. */
void td_sketch_note(td_sketch *sketch, uint64_t hash, int64_t second, td_units amount);

/* What a key without a counter has at most. */
td_units td_sketch_rest(const td_sketch *sketch);

/* The counters in use, 0 to count - 1, in no order. */
td_units td_sketch_amount(const td_sketch *sketch, uint32_t counter);
td_units td_sketch_peak(const td_sketch *sketch, uint32_t counter);
td_slice td_sketch_text(const td_sketch *sketch, uint32_t counter); /* what is kept of it */

#endif
