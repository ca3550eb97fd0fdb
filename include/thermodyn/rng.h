/* SPDX-License-Identifier: Apache-2.0
 * rng.h: the one source of randomness (xoshiro256**), always seeded, so that a seed reproduces a run.
 * Not for secrets. Threads: one at a time; each worker and each store has its own. */
#ifndef THERMODYN_RNG_H
#define THERMODYN_RNG_H

#include "thermodyn/base.h"

typedef struct td_rng {
    uint64_t state[4];
} td_rng;

void td_rng_init(td_rng *rng, uint64_t seed); /* any seed, 0 included */
uint64_t td_rng_next(td_rng *rng);
uint64_t td_rng_below(td_rng *rng, uint64_t bound); /* 0 .. bound - 1, without bias; bound > 0 */
double td_rng_unit(td_rng *rng);                    /* [0, 1) */

/* A random (version 4) UUID as 36 characters of lower case and a NUL. */
void td_rng_uuid(td_rng *rng, char ret_text[37]);

/* A seed from the machine, for servers that were given none. */
uint64_t td_rng_system_seed(void);

#endif
