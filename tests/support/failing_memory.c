/* SPDX-License-Identifier: Apache-2.0
 * failing_memory.c: counts allocations down to the one that fails. */
#include "support/failing_memory.h"

static _Thread_local uint64_t left_until_failure;
static _Thread_local bool has_failed;

bool failing_memory_must_fail(void)
{
    if (left_until_failure == 0 || --left_until_failure > 0) return false;
    has_failed = true;
    return true;
}

void failing_memory_fail_at(uint64_t nth)
{
    left_until_failure = nth;
    has_failed = false;
}

bool failing_memory_has_failed(void)
{
    return has_failed;
}
