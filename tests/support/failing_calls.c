/* SPDX-License-Identifier: Apache-2.0
 * failing_calls.c: what the linker puts in the place of thermodyn/memory.h's functions: they fail when whoever decides
 * says so (failing_memory.c, tests/failing/memory.c). */
#include "support/failing_memory.h"

#include "thermodyn/memory.h"

/* The linker's names for the functions that are wrapped, and for those that take their place. */
void *__real_td_alloc(size_t size_bytes);
void *__real_td_alloc_zero(size_t size_bytes);
void *__real_td_resize(void *old, size_t size_bytes);
void *__wrap_td_alloc(size_t size_bytes);
void *__wrap_td_alloc_zero(size_t size_bytes);
void *__wrap_td_resize(void *old, size_t size_bytes);

void *__wrap_td_alloc(size_t size_bytes)
{
    return failing_memory_must_fail() ? NULL : __real_td_alloc(size_bytes);
}

void *__wrap_td_alloc_zero(size_t size_bytes)
{
    return failing_memory_must_fail() ? NULL : __real_td_alloc_zero(size_bytes);
}

void *__wrap_td_resize(void *old, size_t size_bytes)
{
    return failing_memory_must_fail() ? NULL : __real_td_resize(old, size_bytes);
}
