/* SPDX-License-Identifier: Apache-2.0
 * arena.h: memory that lives as long as one request.
 *
 * A request owns one arena: what its parse, validation, evaluation and reply need comes from it and dies at once.
 * The arena has a hard limit; an allocation past it, or one that the system refuses, answers NULL, and the caller
 * returns TD_OUT_OF_MEMORY. Deferred releases run at reset, last first: references to items and foreign objects are
 * handed back that way, so that a request has one exit.
 * Threads: one thread at a time. */
#ifndef THERMODYN_ARENA_H
#define THERMODYN_ARENA_H

#include "thermodyn/base.h"

typedef struct td_arena_chunk td_arena_chunk;
typedef struct td_arena_deferred td_arena_deferred;

/* All fields are private; the struct is open so that it can be embedded. */
typedef struct td_arena {
    td_arena_chunk *chunk;       /* the chunk that allocations come from; older ones hang behind it */
    uint8_t *next;               /* free bytes of `chunk` */
    uint8_t *end;
    td_arena_deferred *deferred; /* newest first */
    size_t used_bytes;           /* of all chunks */
    size_t limit_bytes;
} td_arena;

typedef struct td_arena_mark {
    td_arena_chunk *chunk;
    uint8_t *next;
    td_arena_deferred *deferred;
} td_arena_mark;

/* Allocates nothing yet. */
void td_arena_init(td_arena *arena, size_t limit_bytes);

/* Runs what was deferred and frees all but the first chunk, which is kept for the next request. */
void td_arena_reset(td_arena *arena);

/* Runs what was deferred and frees everything. */
void td_arena_done(td_arena *arena);

/* Aligned for any object; size 0 answers a valid pointer. Borrowed until reset. */
TD_MUST_USE void *td_arena_alloc(td_arena *arena, size_t size_bytes);
TD_MUST_USE void *td_arena_alloc_zero(td_arena *arena, size_t size_bytes);

/* `count` objects of `size_bytes`; an overflow of the product answers NULL. */
TD_MUST_USE void *td_arena_alloc_array(td_arena *arena, size_t count, size_t size_bytes);

/* A copy of the bytes; false when there is no memory. */
TD_MUST_USE bool td_arena_copy(td_arena *arena, td_slice bytes, td_slice *ret_copy);

/* Formats as printf does; false when there is no memory. */
TD_MUST_USE bool td_arena_format(td_arena *arena, td_slice *ret_text, const char *format, ...) TD_PRINTF(3, 4);

/* Calls release(object) at reset, at rewind past this point, or at done. On failure (false) nothing was deferred and
 * the caller still owns the object. */
TD_MUST_USE bool td_arena_defer(td_arena *arena, void (*release)(void *object), void *object);

/* Scratch within a request: all that was allocated and deferred since the mark is released by rewind. */
td_arena_mark td_arena_get_mark(const td_arena *arena);
void td_arena_rewind(td_arena *arena, td_arena_mark mark);

#endif
