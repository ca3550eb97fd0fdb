/* SPDX-License-Identifier: Apache-2.0
 * memory.c: the only calls of malloc, calloc, realloc, free, malloc_trim and madvise.
 *
 * A size of 0 asks for one byte, so that NULL always means "no memory". Tests make these functions fail by wrapping
 * them at link time; nothing here knows of it.
 * What is in use is the process's, as the heap is: the one state that nobody passes down. Each thread counts for
 * itself and tells the others now and then, so that no allocation waits for another's cache line. */
#include "thermodyn/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What glibc keeps ready for each thread: up to seven blocks of each size up to 1032 bytes, in steps of 16. Another
 * allocator merely sees some blocks come and go. Source: glibc manual, "Tunable Parameters", glibc.malloc.tcache_*. */
#define CACHED_BYTES_FIRST ((size_t)24)
#define CACHED_BYTES_LAST ((size_t)1032)
#define CACHED_BYTES_STEP ((size_t)16)
#define CACHED_BLOCKS 7

/* What glibc takes from the system at a time for the blocks of a thread, at a multiple of that, and the largest block
 * that it puts in there; anything larger is mapped by itself. Another allocator merely takes no advice.
 * Source: glibc malloc/arena.c, HEAP_MAX_SIZE, and mallopt(3), M_MMAP_THRESHOLD. */
#define HEAP_BYTES ((size_t)64 << 20)
#define STRETCH_BYTES_MAX ((size_t)31 << 20)
#define STRETCH_BYTES_MIN ((size_t)4 << 20) /* two huge pages: less is not worth it */
#define HEAP_REST_BYTES ((size_t)64 << 10)  /* not asked for: a heap too full for a block would be left as it is */
#define PROBE_BYTES ((size_t)2048)          /* more than is kept ready for a thread */

struct td_memory_cached {
    td_memory_cached *next;
};

static bool is_counting; /* set before there are threads */
static _Atomic int64_t in_use;
static _Thread_local int64_t uncounted; /* of this thread's allocations, less what it freed */

static void advise(size_t bytes, td_memory_stretch *ret_stretch);

static void count(int64_t bytes)
{
    uncounted += bytes;
    if (uncounted <= TD_MEMORY_UNCOUNTED_MAX && uncounted >= -TD_MEMORY_UNCOUNTED_MAX) return;
    atomic_fetch_add_explicit(&in_use, uncounted, memory_order_relaxed);
    uncounted = 0;
}

static inline void *counted(void *memory)
{
    if (is_counting && memory != NULL) count((int64_t)malloc_usable_size(memory));
    return memory;
}

static size_t at_least_one(size_t size_bytes)
{
    return size_bytes == 0 ? 1 : size_bytes;
}

void *td_alloc(size_t size_bytes)
{
    return counted(malloc(at_least_one(size_bytes)));
}

void *td_alloc_zero(size_t size_bytes)
{
    return counted(calloc(1, at_least_one(size_bytes)));
}

void *td_resize(void *old, size_t size_bytes)
{
    if (!is_counting) return realloc(old, at_least_one(size_bytes));
    int64_t old_bytes = (int64_t)malloc_usable_size(old);
    void *resized = realloc(old, at_least_one(size_bytes));
    if (resized != NULL) count((int64_t)malloc_usable_size(resized) - old_bytes);
    return resized;
}

void td_free(void *memory)
{
    if (is_counting) count(-(int64_t)malloc_usable_size(memory));
    free(memory);
}

void td_memory_start_counting(void)
{
    is_counting = true;
}

int64_t td_memory_in_use(void)
{
    return atomic_load_explicit(&in_use, memory_order_relaxed);
}

td_memory_cached *td_memory_take_cached(void)
{
    td_memory_cached *blocks = NULL;
    for (size_t size = CACHED_BYTES_FIRST; size <= CACHED_BYTES_LAST; size += CACHED_BYTES_STEP) {
        for (int i = 0; i < CACHED_BLOCKS; i++) {
            td_memory_cached *block = malloc(size);
            if (block == NULL) return blocks;
            block->next = blocks;
            blocks = block;
        }
    }
    return blocks;
}

void td_memory_free_cached(td_memory_cached *blocks)
{
    while (blocks != NULL) {
        td_memory_cached *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

void td_memory_expect(td_memory_stretch *stretch)
{
    void *probe = malloc(PROBE_BYTES);
    uintptr_t at = (uintptr_t)probe;
    free(probe);
    if (probe == NULL || at - stretch->from + STRETCH_BYTES_MIN / 2 < stretch->bytes) return;
    size_t room = HEAP_BYTES - at % HEAP_BYTES;
    if (room < STRETCH_BYTES_MIN + HEAP_REST_BYTES) return;
    size_t bytes = room - HEAP_REST_BYTES < STRETCH_BYTES_MAX ? room - HEAP_REST_BYTES : STRETCH_BYTES_MAX;
    /* The first block of that size is mapped by itself; once it was freed, the allocator keeps such in its heap. */
    advise(bytes, stretch);
    if (stretch->from / HEAP_BYTES != at / HEAP_BYTES) advise(bytes, stretch);
}

/* Takes one block of all that, which shows where the small ones will be. */
static void advise(size_t bytes, td_memory_stretch *ret_stretch)
{
    uint8_t *block = malloc(bytes);
    uintptr_t from = (uintptr_t)block;
    if (block == NULL) return;
    size_t before = from % (size_t)sysconf(_SC_PAGESIZE);
    (void)madvise(block - before, before + bytes, MADV_HUGEPAGE);
    free(block);
    *ret_stretch = (td_memory_stretch){from, bytes};
}

void td_memory_give_back(void)
{
    malloc_trim(0);
}
