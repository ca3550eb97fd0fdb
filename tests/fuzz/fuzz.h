/* SPDX-License-Identifier: Apache-2.0
 * fuzz.h: what every fuzz target needs: libFuzzer's entry point, and exact copies of the input, so that the sanitizer
 * sees a read past the end. */
#ifndef THERMODYN_TESTS_FUZZ_FUZZ_H
#define THERMODYN_TESTS_FUZZ_FUZZ_H

#include <stdlib.h>

#include "thermodyn/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv); /* called once, where a target has one */

/* A heap copy without a spare byte; the caller frees it with fuzz_done. */
static inline td_slice fuzz_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    TD_ASSERT(copy);
    if (size > 0) memcpy(copy, data, size);
    return td_slice_of(copy, size);
}

static inline void fuzz_done(td_slice copy)
{
    free((void *)(uintptr_t)copy.ptr);
}

/* A limit below `bytes_max`, chosen by the bytes (FNV-1a), for the same again in too little memory. */
static inline size_t fuzz_small_limit(td_slice bytes, size_t bytes_max)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ bytes.ptr[i]) * UINT64_C(1099511628211);
    return (size_t)((hash >> 16) % bytes_max);
}

#endif
