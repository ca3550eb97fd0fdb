/* SPDX-License-Identifier: Apache-2.0
 * heap.c: binary min-heap in an array. The sequence number of an entry breaks ties, so that order is total.
 * Invariant: no entry is due before its parent, (i - 1) / 2. */
#include "thermodyn/heap.h"

#include "thermodyn/memory.h"

enum { CAPACITY_MIN = 16 };

typedef struct heap_entry {
    td_time_us due_us;
    uint64_t sequence; /* unique within the heap, rising with each push */
    void *object;
} heap_entry;

struct td_heap {
    heap_entry *entries;
    size_t count;
    size_t capacity;
    uint64_t next_sequence;
};

static bool is_before(const heap_entry *a, const heap_entry *b);
static void sift_up(td_heap *heap, size_t at);
static void sift_down(td_heap *heap, size_t at);

td_heap *td_heap_new(void)
{
    return td_alloc_zero(sizeof(td_heap));
}

void td_heap_free(td_heap *heap)
{
    if (heap == NULL) return;
    td_free(heap->entries);
    td_free(heap);
}

bool td_heap_push(td_heap *heap, td_time_us due_us, void *object)
{
    if (heap->count == heap->capacity) {
        size_t capacity = heap->capacity == 0 ? CAPACITY_MIN : heap->capacity * 2;
        heap_entry *entries = td_resize(heap->entries, capacity * sizeof *entries);
        if (entries == NULL) return false;
        heap->entries = entries;
        heap->capacity = capacity;
    }
    heap->entries[heap->count] = (heap_entry){.due_us = due_us, .sequence = heap->next_sequence++, .object = object};
    sift_up(heap, heap->count++);
    return true;
}

td_time_us td_heap_next_due(const td_heap *heap)
{
    return heap->count == 0 ? TD_NEVER : heap->entries[0].due_us;
}

void *td_heap_pop(td_heap *heap)
{
    if (heap->count == 0) return NULL;
    void *object = heap->entries[0].object;
    heap->entries[0] = heap->entries[--heap->count];
    sift_down(heap, 0);
    return object;
}

/* One pass over all entries, then the heap is built anew: linear, for the rare removal of a table. */
void td_heap_remove(td_heap *heap, bool (*matches)(void *object, void *context), void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < heap->count; i++) {
        if (!matches(heap->entries[i].object, context)) heap->entries[kept++] = heap->entries[i];
    }
    if (kept == heap->count) return;
    heap->count = kept;
    for (size_t at = kept / 2; at > 0; at--)
        sift_down(heap, at - 1);
}

static bool is_before(const heap_entry *a, const heap_entry *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->sequence < b->sequence;
}

static void sift_up(td_heap *heap, size_t at)
{
    heap_entry moving = heap->entries[at];
    while (at > 0 && is_before(&moving, &heap->entries[(at - 1) / 2])) {
        heap->entries[at] = heap->entries[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->entries[at] = moving;
}

static void sift_down(td_heap *heap, size_t at)
{
    if (at >= heap->count) return;
    heap_entry moving = heap->entries[at];
    for (;;) {
        size_t child = at * 2 + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && is_before(&heap->entries[child + 1], &heap->entries[child])) child++;
        if (!is_before(&heap->entries[child], &moving)) break;
        heap->entries[at] = heap->entries[child];
        at = child;
    }
    heap->entries[at] = moving;
}
