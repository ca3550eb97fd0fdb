/* SPDX-License-Identifier: Apache-2.0
 * samples.h: the keys that a hot partition was asked for, a sample every so many units.
 * Private to demand.c, which takes them, and split_choice.c, which judges them. */
#ifndef THERMODYN_CAPACITY_SAMPLES_H
#define THERMODYN_CAPACITY_SAMPLES_H

#include "capacity/demand.h"

typedef struct td_demand_sample {
    uint16_t key_len;
    uint16_t collection_len; /* at most key_len */
    uint8_t key[TD_DEMAND_KEY_BYTES];
} td_demand_sample;

struct td_demand_samples {
    td_rng rng;
    td_units stride;     /* mean of the units from one sample to the next */
    td_units until_next; /* units to go */
    uint32_t count;
    uint32_t next;                            /* place of the next one: the oldest, once the ring is full */
    td_demand_sample ring[TD_DEMAND_SAMPLES]; /* in the order of the accesses */
};

#endif
