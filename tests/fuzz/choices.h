/* SPDX-License-Identifier: Apache-2.0
 * choices.h: the input's bytes take the place of one source of randomness, so that what is driven by that source is
 * driven by the fuzzer. Every other source, the engine's own among them, stays what it is.
 * The linker puts choices.c in the place of rng.h's functions. */
#ifndef THERMODYN_TESTS_FUZZ_CHOICES_H
#define THERMODYN_TESTS_FUZZ_CHOICES_H

#include "thermodyn/rng.h"

/* What `rng` draws from now on is read from these bytes; behind their end it is 0. Both are borrowed until the next
 * call. */
void fuzz_choices_begin(const td_rng *rng, td_slice bytes);
bool fuzz_choices_are_left(void);

#endif
