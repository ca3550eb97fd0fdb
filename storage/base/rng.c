/* SPDX-License-Identifier: Apache-2.0
 * rng.c: xoshiro256** 1.0 (Blackman and Vigna), its state filled by splitmix64, as its authors advise. */
#include "thermodyn/rng.h"

#include <sys/random.h>
#include <time.h>

static uint64_t splitmix_next(uint64_t *state);
static uint64_t rotate_left(uint64_t word, int bits);

void td_rng_init(td_rng *rng, uint64_t seed)
{
    for (size_t i = 0; i < TD_COUNT_OF(rng->state); i++)
        rng->state[i] = splitmix_next(&seed);
}

uint64_t td_rng_next(td_rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Lemire's method: the high half of a product; the few low halves that would make some results likelier are redrawn. */
uint64_t td_rng_below(td_rng *rng, uint64_t bound)
{
    TD_ASSERT(bound > 0);
    unsigned __int128 product = (unsigned __int128)td_rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t refused_below = -bound % bound;
        while ((uint64_t)product < refused_below)
            product = (unsigned __int128)td_rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

double td_rng_unit(td_rng *rng)
{
    return (double)(td_rng_next(rng) >> 11) * 0x1.0p-53;
}

void td_rng_uuid(td_rng *rng, char ret_text[37])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t words[2] = {td_rng_next(rng), td_rng_next(rng)};
    words[0] = (words[0] & ~UINT64_C(0xf000)) | UINT64_C(0x4000);     /* version 4: random */
    words[1] = (words[1] & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62; /* RFC 9562's variant */
    size_t out = 0;
    for (unsigned i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20) ret_text[out++] = '-';
        ret_text[out++] = digits[words[i / 16] >> (60 - i % 16 * 4) & 15];
    }
    ret_text[out] = '\0';
    TD_ASSERT(out == 36);
}

uint64_t td_rng_system_seed(void)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
    /* Early in the machine's life the kernel has none to give: two servers started then differ by their instant. */
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

static uint64_t rotate_left(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}
