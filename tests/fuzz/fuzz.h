/* SPDX-License-Identifier: Apache-2.0
 * fuzz.h: what every fuzz target needs: libFuzzer's entry point, and exact copies of the input, so that the sanitizer
 * sees a read past the end. */
#ifndef THERMODYN_TESTS_FUZZ_FUZZ_H
#define THERMODYN_TESTS_FUZZ_FUZZ_H

#include <stdlib.h>

#include "thermodyn/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A heap copy without a spare byte; the caller frees it with fuzz_done. */
static inline td_slice fuzz_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    TD_ASSERT(copy);
    if (size > 0) memcpy(copy, data, size);
    return td_slice_of(copy, size);
}

static inline void fuzz_done(td_slice copy) { free((void *)(uintptr_t)copy.ptr); }

#endif
