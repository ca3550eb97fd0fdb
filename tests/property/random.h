/* SPDX-License-Identifier: Apache-2.0
 * random.h: random attributes: keys from small alphabets, so that they collide, and values of every type. */
#ifndef THERMODYN_TESTS_PROPERTY_RANDOM_H
#define THERMODYN_TESTS_PROPERTY_RANDOM_H

#include "thermodyn/arena.h"
#include "thermodyn/rng.h"
#include "thermodyn/value.h"

/* One of the few key payloads of a type (S, N or B); those with NUL bytes and prefixes of each other among them. */
td_slice random_key(td_rng *rng, td_type type, td_arena *arena);

/* A value of any type, nested up to `depth` levels. */
td_value random_value(td_rng *rng, uint32_t depth, td_arena *arena);

/* Is it true, in `percent` of all cases? */
bool random_chance(td_rng *rng, uint32_t percent);

/* A number from an environment variable, or the default. */
uint64_t number_from_env(const char *name, uint64_t default_value);

#endif
