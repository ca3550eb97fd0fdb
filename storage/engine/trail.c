/* SPDX-License-Identifier: Apache-2.0
 * trail.c: notes of what keys held.
 * Not here: whose they are and when they end (snapshot.c); how trees go back by them (reroot.c). */
#include "trail.h"

#include "thermodyn/memory.h"

static uint64_t bytes_of(td_slice key, const void *held);
static void release(const void *held);

td_trail *td_trail__new(td_table *table, td_resource *resource, td_expiry *expiry)
{
    TD_ASSERT((resource == NULL) != (expiry == NULL));
    td_trail *trail = td_alloc_zero(sizeof *trail);
    if (trail == NULL) return NULL;
    atomic_init(&trail->count, 0);
    atomic_init(&trail->bytes, 0);
    trail->table = td_table__ref(table);
    if (resource != NULL) trail->resource = td_resource__ref(resource);
    if (expiry != NULL) trail->expiry = td_expiry__ref(expiry);
    return trail;
}

void td_trail__free(td_trail *trail)
{
    for (uint32_t i = 0; i < TD_TREES_MAX; i++) {
        size_t cursor = 0;
        td_slice key;
        void *held = NULL;
        while (trail->trees[i] != NULL && td_map_next(trail->trees[i], &cursor, &key, &held))
            release(held);
        td_map_free(trail->trees[i]);
    }
    td_resource__unref(trail->resource);
    td_expiry__unref(trail->expiry);
    td_table__unref(trail->table);
    td_free(trail);
}

void td_trail__free_all(td_trail *first)
{
    while (first != NULL) {
        td_trail *next = first->next;
        td_trail__free(first);
        first = next;
    }
}

bool td_trail__note_first(td_trail *trail, uint32_t tree, td_slice key, void *held)
{
    if (trail->trees[tree] == NULL) trail->trees[tree] = td_map_new();
    td_map *notes = trail->trees[tree];
    if (notes == NULL) return false;
    if (td_map_find(notes, key) != NULL) return true;
    if (!td_map_put(notes, key, held)) return false;
    if (td_trail__is_item(held)) td_item_ref(held);
    atomic_fetch_add_explicit(&trail->count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&trail->bytes, bytes_of(key, held), memory_order_relaxed);
    return true;
}

void *td_trail__swap(td_trail *trail, uint32_t tree, td_slice key, void *held)
{
    void *before = td_map_find(trail->trees[tree], key);
    TD_ASSERT(before != NULL);
    bool is_put = td_map_put(trail->trees[tree], key, held);
    TD_ASSERT(is_put); /* it is there, so that nothing is allocated */
    uint64_t bytes = bytes_of(key, held) - bytes_of(key, before); /* wraps around where there is less */
    atomic_fetch_add_explicit(&trail->bytes, bytes, memory_order_relaxed);
    return before;
}

bool td_trail__add(td_trail *trail, const td_trail *older)
{
    for (uint32_t i = 0; i < TD_TREES_MAX; i++) {
        size_t cursor = 0;
        td_slice key;
        void *held = NULL;
        while (older->trees[i] != NULL && td_map_next(older->trees[i], &cursor, &key, &held)) {
            if (!td_trail__note_first(trail, i, key, held)) return false;
        }
    }
    return true;
}

static uint64_t bytes_of(td_slice key, const void *held)
{
    return key.len + (td_trail__is_item(held) ? td_item_memory_bytes(held) : 0);
}

static void release(const void *held)
{
    if (td_trail__is_item(held)) td_item_unref((td_item *)(uintptr_t)held);
}
