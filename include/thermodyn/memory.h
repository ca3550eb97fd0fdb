/* SPDX-License-Identifier: Apache-2.0
 * memory.h: the only door to the system's allocator (storage/base/memory.c).
 *
 * Every function answers NULL when there is no memory; the caller turns that into TD_OUT_OF_MEMORY.
 * Threads: any. */
#ifndef THERMODYN_MEMORY_H
#define THERMODYN_MEMORY_H

#include "thermodyn/base.h"

TD_MUST_USE void *td_alloc(size_t size_bytes);
TD_MUST_USE void *td_alloc_zero(size_t size_bytes);

/* Grows or shrinks; on failure answers NULL and `old` stays as it is and owned by the caller. */
TD_MUST_USE void *td_resize(void *old, size_t size_bytes);

/* NULL is allowed. */
void td_free(void *memory);

/* From here on what all of these hold is counted: it takes some 20 instructions each. Before the first other thread. */
void td_memory_start_counting(void);
/* What they hold now of what was allocated since then, by all threads, as the allocator rounds it: right to
 * TD_MEMORY_UNCOUNTED_MAX a thread. What libraries allocate by themselves is not in it. */
#define TD_MEMORY_UNCOUNTED_MAX ((int64_t)16 * 1024)
int64_t td_memory_in_use(void);

/* For a thread that is about to fill much memory, whose pages the system would otherwise give one by one, each at its
 * first touch: those that come next are asked for in huge ones. To be called every megabyte or so, with `stretch` zero
 * at first. Advice alone: it may help nothing, and it changes nothing else. */
typedef struct td_memory_stretch {
    uintptr_t from; /* private */
    size_t bytes;
} td_memory_stretch;
void td_memory_expect(td_memory_stretch *stretch);

/* The blocks that the allocator keeps ready for this thread alone. Few as they are, they lie on as many pages, and none
 * of those goes back to the system. Freed by a thread that ends then, they are nobody's: an ending thread keeps none.
 * NULL: there are none. */
typedef struct td_memory_cached td_memory_cached;
TD_MUST_USE td_memory_cached *td_memory_take_cached(void);
void td_memory_free_cached(td_memory_cached *blocks);

/* Gives the pages that hold nothing back to the system, which the allocator does by itself only at the end of the heap.
 * Takes time by what was freed (some milliseconds after a table of 50 MB): for idle moments. */
void td_memory_give_back(void);

#endif
