/* SPDX-License-Identifier: MIT
 * memory.c: the only calls of malloc, calloc, realloc, free and malloc_trim.
 *
 * A size of 0 asks for one byte, so that NULL always means "no memory". Tests make these functions fail by wrapping
 * them at link time; nothing here knows of it. */
#include "thermodyn/memory.h"

#include <malloc.h>
#include <stdlib.h>

static size_t at_least_one(size_t size_bytes)
{
    return size_bytes == 0 ? 1 : size_bytes;
}

void *td_alloc(size_t size_bytes)
{
    return malloc(at_least_one(size_bytes));
}

void *td_alloc_zero(size_t size_bytes)
{
    return calloc(1, at_least_one(size_bytes));
}

void *td_resize(void *old, size_t size_bytes)
{
    return realloc(old, at_least_one(size_bytes));
}

void td_free(void *memory)
{
    free(memory);
}

void td_memory_give_back(void)
{
    malloc_trim(0);
}
