/* SPDX-License-Identifier: Apache-2.0
 * failing_memory.c: counts allocations down to the one that fails. */
#include "support/failing_memory.h"

#include "thermodyn/memory.h"

/* The linker's names for the functions that are wrapped, and for those that take their place. */
void *__real_td_alloc(size_t size_bytes);
void *__real_td_alloc_zero(size_t size_bytes);
void *__real_td_resize(void *old, size_t size_bytes);
void *__wrap_td_alloc(size_t size_bytes);
void *__wrap_td_alloc_zero(size_t size_bytes);
void *__wrap_td_resize(void *old, size_t size_bytes);

static _Thread_local uint64_t left_until_failure;
static _Thread_local bool has_failed;

static bool must_fail(void)
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

void *__wrap_td_alloc(size_t size_bytes)
{
    return must_fail() ? NULL : __real_td_alloc(size_bytes);
}

void *__wrap_td_alloc_zero(size_t size_bytes)
{
    return must_fail() ? NULL : __real_td_alloc_zero(size_bytes);
}

void *__wrap_td_resize(void *old, size_t size_bytes)
{
    return must_fail() ? NULL : __real_td_resize(old, size_bytes);
}
