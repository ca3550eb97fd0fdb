/* SPDX-License-Identifier: Apache-2.0
 * choices.c: a source of randomness that reads the fuzzer's input. A choice takes as few bytes as its bound needs, so
 * that most bytes of an input are one choice each. */
#include "fuzz/choices.h"

static const td_rng *chosen;
static td_slice left;

/* The linker's names for the functions that are wrapped, and for those that take their place. */
uint64_t __real_td_rng_next(td_rng *rng);
uint64_t __real_td_rng_below(td_rng *rng, uint64_t bound);
uint64_t __wrap_td_rng_next(td_rng *rng);
uint64_t __wrap_td_rng_below(td_rng *rng, uint64_t bound);

static uint64_t take(size_t count);

void fuzz_choices_begin(const td_rng *rng, td_slice bytes)
{
    chosen = rng;
    left = bytes;
}

bool fuzz_choices_are_left(void)
{
    return left.len > 0;
}

uint64_t __wrap_td_rng_next(td_rng *rng)
{
    return rng == chosen ? take(sizeof(uint64_t)) : __real_td_rng_next(rng);
}

uint64_t __wrap_td_rng_below(td_rng *rng, uint64_t bound)
{
    if (rng != chosen) return __real_td_rng_below(rng, bound);
    TD_ASSERT(bound > 0);
    size_t count = 0;
    for (uint64_t largest = bound - 1; largest > 0; largest >>= 8)
        count++;
    return take(count) % bound;
}

static uint64_t take(size_t count)
{
    uint64_t word = 0;
    for (; count > 0 && left.len > 0; count--) {
        word = word << 8 | left.ptr[0];
        left = td_slice_of(left.ptr + 1, left.len - 1);
    }
    return word;
}
