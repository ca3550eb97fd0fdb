/* SPDX-License-Identifier: Apache-2.0
 * arena.c: request memory: a list of chunks, the newest first, of which the newest is cut from its start.
 *
 * A new chunk is as large as all before it together (16 KiB at first, 1 MiB at most) or as large as the allocation
 * needs; what is left of the old one is given up. So a request of n bytes costs O(log n) chunks, and most requests
 * cost none: the first chunk survives the reset.
 *
 * Under AddressSanitizer what is not allocated is poisoned and allocations stand apart, so that a read past the end,
 * or after a reset, is reported as it would be for malloc.
 *
 * Invariants: next and end lie in `chunk` (all three NULL before the first allocation); used_bytes is the sum of the
 *             chunks' sizes and never exceeds limit_bytes; deferred records lie in the arena's own memory. */
#include "thermodyn/arena.h"

#include <stdarg.h>
#include <stdio.h>

#include "thermodyn/memory.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN
#endif

#if defined(HAS_ASAN)
#include <sanitizer/asan_interface.h>
#define POISON(ptr, len) ASAN_POISON_MEMORY_REGION((ptr), (len))
#define UNPOISON(ptr, len) ASAN_UNPOISON_MEMORY_REGION((ptr), (len))
enum { GAP_BYTES = 16 };
#else
#define POISON(ptr, len) ((void)(ptr), (void)(len))
#define UNPOISON(ptr, len) ((void)(ptr), (void)(len))
enum { GAP_BYTES = 0 };
#endif

enum {
    ALIGN_BYTES = 16,
    FIRST_CHUNK_BYTES = 16 * 1024, /* holds an ordinary request; also the largest that a reset keeps */
    CHUNK_BYTES_MAX = 1024 * 1024, /* of chunks that are not one allocation's own */
};

struct td_arena_chunk {
    td_arena_chunk *older;
    size_t size_bytes; /* of `bytes` */
    uint8_t bytes[];
};

struct td_arena_deferred {
    td_arena_deferred *older;
    void (*release)(void *object);
    void *object;
};

_Static_assert(_Alignof(max_align_t) <= ALIGN_BYTES, "an allocation is aligned for any object");
_Static_assert(offsetof(td_arena_chunk, bytes) % ALIGN_BYTES == 0, "the first allocation of a chunk is aligned");

static bool add_chunk(td_arena *arena, size_t need_bytes);
static void use_chunk_from(td_arena *arena, td_arena_chunk *chunk, uint8_t *next);
static void free_chunks_until(td_arena *arena, const td_arena_chunk *keep);
static void release_until(td_arena *arena, const td_arena_deferred *keep);

void td_arena_init(td_arena *arena, size_t limit_bytes)
{
    *arena = (td_arena){.limit_bytes = limit_bytes};
}

void td_arena_reset(td_arena *arena)
{
    release_until(arena, NULL);
    td_arena_chunk *first = arena->chunk;
    while (first != NULL && first->older != NULL)
        first = first->older;
    if (first != NULL && first->size_bytes > FIRST_CHUNK_BYTES) first = NULL;
    free_chunks_until(arena, first);
    if (first == NULL)
        td_arena_init(arena, arena->limit_bytes);
    else
        use_chunk_from(arena, first, first->bytes);
}

void td_arena_done(td_arena *arena)
{
    release_until(arena, NULL);
    free_chunks_until(arena, NULL);
    td_arena_init(arena, arena->limit_bytes);
}

void *td_arena_alloc(td_arena *arena, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX / 2) return NULL;
    size_t taken_bytes = size_bytes == 0 ? ALIGN_BYTES : (size_bytes + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    taken_bytes += GAP_BYTES;
    if (taken_bytes > (size_t)(arena->end - arena->next) && !add_chunk(arena, taken_bytes)) return NULL;
    uint8_t *place = arena->next;
    arena->next += taken_bytes;
    UNPOISON(place, size_bytes);
    return place;
}

/* Out of line: with link-time optimisation GCC 12 takes a place in a chunk for the end of its header, and warns. */
__attribute__((noinline)) void *td_arena_alloc_zero(td_arena *arena, size_t size_bytes)
{
    void *place = td_arena_alloc(arena, size_bytes);
    return place == NULL ? NULL : memset(place, 0, size_bytes);
}

void *td_arena_alloc_array(td_arena *arena, size_t count, size_t size_bytes)
{
    size_t total_bytes;
    if (__builtin_mul_overflow(count, size_bytes, &total_bytes)) return NULL;
    return td_arena_alloc(arena, total_bytes);
}

bool td_arena_copy(td_arena *arena, td_slice bytes, td_slice *ret_copy)
{
    void *copy = td_arena_alloc(arena, bytes.len);
    if (copy == NULL) return false;
    if (bytes.len > 0) memcpy(copy, bytes.ptr, bytes.len);
    *ret_copy = td_slice_of(copy, bytes.len);
    return true;
}

bool td_arena_format(td_arena *arena, td_slice *ret_text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    TD_ASSERT(len >= 0);
    char *text = td_arena_alloc(arena, (size_t)len + 1);
    if (text != NULL) {
        (void)vsnprintf(text, (size_t)len + 1, format, again);
        *ret_text = td_slice_of(text, (size_t)len);
    }
    va_end(again);
    va_end(args);
    return text != NULL;
}

bool td_arena_defer(td_arena *arena, void (*release)(void *object), void *object)
{
    TD_ASSERT(release != NULL);
    td_arena_deferred *deferred = td_arena_alloc(arena, sizeof *deferred);
    if (deferred == NULL) return false;
    *deferred = (td_arena_deferred){.older = arena->deferred, .release = release, .object = object};
    arena->deferred = deferred;
    return true;
}

td_arena_mark td_arena_get_mark(const td_arena *arena)
{
    return (td_arena_mark){.chunk = arena->chunk, .next = arena->next, .deferred = arena->deferred};
}

void td_arena_rewind(td_arena *arena, td_arena_mark mark)
{
    if (mark.chunk == NULL) {
        td_arena_reset(arena);
        return;
    }
    release_until(arena, mark.deferred);
    free_chunks_until(arena, mark.chunk);
    use_chunk_from(arena, mark.chunk, mark.next);
}

/* Near the limit a chunk shrinks to what the allocation needs, so that the limit is exact for large allocations. */
static bool add_chunk(td_arena *arena, size_t need_bytes)
{
    TD_ASSERT(arena->used_bytes <= arena->limit_bytes);
    size_t left_bytes = arena->limit_bytes - arena->used_bytes;
    if (need_bytes > left_bytes) return false;
    size_t size_bytes = arena->used_bytes < FIRST_CHUNK_BYTES ? FIRST_CHUNK_BYTES : arena->used_bytes;
    if (size_bytes > CHUNK_BYTES_MAX) size_bytes = CHUNK_BYTES_MAX;
    if (size_bytes < need_bytes || size_bytes > left_bytes) size_bytes = need_bytes;
    td_arena_chunk *chunk = td_alloc(sizeof *chunk + size_bytes);
    if (chunk == NULL) return false;
    *chunk = (td_arena_chunk){.older = arena->chunk, .size_bytes = size_bytes};
    arena->used_bytes += size_bytes;
    use_chunk_from(arena, chunk, chunk->bytes);
    return true;
}

static void use_chunk_from(td_arena *arena, td_arena_chunk *chunk, uint8_t *next)
{
    arena->chunk = chunk;
    arena->next = next;
    arena->end = chunk->bytes + chunk->size_bytes;
    TD_ASSERT(next >= chunk->bytes && next <= arena->end);
    POISON(next, (size_t)(arena->end - next));
}

static void free_chunks_until(td_arena *arena, const td_arena_chunk *keep)
{
    while (arena->chunk != keep) {
        td_arena_chunk *chunk = arena->chunk;
        TD_ASSERT(chunk != NULL);
        arena->chunk = chunk->older;
        arena->used_bytes -= chunk->size_bytes;
        UNPOISON(chunk->bytes, chunk->size_bytes);
        td_free(chunk);
    }
}

static void release_until(td_arena *arena, const td_arena_deferred *keep)
{
    while (arena->deferred != keep) {
        td_arena_deferred *deferred = arena->deferred;
        TD_ASSERT(deferred != NULL);
        arena->deferred = deferred->older;
        deferred->release(deferred->object);
    }
}
