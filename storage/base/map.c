/* SPDX-License-Identifier: Apache-2.0
 * map.c: open addressing with linear probing; a removal closes its gap by moving later slots back, so that there are no
 * tombstones and a search ends at the first empty slot.
 *
 * Invariants: the number of slots is a power of two; at most three quarters are taken; every entry lies between its
 *             home (hash modulo slots) and the next empty slot after it. */
#include "thermodyn/map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "thermodyn/memory.h"

enum { SLOTS_MIN = 16 };

typedef struct slot {
    uint64_t hash;
    uint8_t *key; /* owned; NULL in an empty slot */
    size_t key_len;
    void *value;
} slot;

struct td_map {
    slot *slots;
    size_t mask; /* number of slots - 1 */
    size_t count;
};

static slot *find_slot(const td_map *map, td_slice key, uint64_t hash);
static bool grow(td_map *map);

td_map *td_map_new(void)
{
    td_map *map = td_alloc_zero(sizeof *map);
    if (map == NULL) return NULL;
    map->slots = td_alloc_zero(SLOTS_MIN * sizeof *map->slots);
    if (map->slots == NULL) {
        td_free(map);
        return NULL;
    }
    map->mask = SLOTS_MIN - 1;
    return map;
}

void td_map_free(td_map *map)
{
    if (map == NULL) return;
    for (size_t i = 0; i <= map->mask; i++)
        td_free(map->slots[i].key);
    td_free(map->slots);
    td_free(map);
}

size_t td_map_count(const td_map *map)
{
    return map->count;
}

void *td_map_find(const td_map *map, td_slice key)
{
    const slot *found = find_slot(map, key, td_hash64(key));
    return found->key == NULL ? NULL : found->value;
}

bool td_map_put(td_map *map, td_slice key, void *value)
{
    TD_ASSERT(value != NULL);
    uint64_t hash = td_hash64(key);
    slot *place = find_slot(map, key, hash);
    if (place->key != NULL) {
        place->value = value;
        return true;
    }
    uint8_t *copy = td_alloc(key.len);
    if (copy == NULL) return false;
    if ((map->count + 1) * 4 > (map->mask + 1) * 3) {
        if (!grow(map)) {
            td_free(copy);
            return false;
        }
        place = find_slot(map, key, hash);
    }
    if (key.len > 0) memcpy(copy, key.ptr, key.len);
    *place = (slot){.hash = hash, .key = copy, .key_len = key.len, .value = value};
    map->count++;
    return true;
}

void *td_map_remove(td_map *map, td_slice key)
{
    slot *gap = find_slot(map, key, td_hash64(key));
    if (gap->key == NULL) return NULL;
    void *value = gap->value;
    td_free(gap->key);
    map->count--;
    /* A later slot moves into the gap unless its home lies cyclically after the gap. */
    size_t gap_at = (size_t)(gap - map->slots);
    for (size_t at = (gap_at + 1) & map->mask; map->slots[at].key != NULL; at = (at + 1) & map->mask) {
        size_t from_home = (at - map->slots[at].hash) & map->mask;
        size_t from_gap = (at - gap_at) & map->mask;
        if (from_home < from_gap) continue;
        map->slots[gap_at] = map->slots[at];
        gap_at = at;
    }
    map->slots[gap_at] = (slot){0};
    return value;
}

bool td_map_next(const td_map *map, size_t *cursor, td_slice *ret_key, void **ret_value)
{
    while (*cursor <= map->mask) {
        const slot *at = &map->slots[(*cursor)++];
        if (at->key == NULL) continue;
        *ret_key = td_slice_of(at->key, at->key_len);
        *ret_value = at->value;
        return true;
    }
    return false;
}

uint64_t td_hash64(td_slice bytes)
{
    return XXH3_64bits(bytes.ptr, bytes.len);
}

/* The slot that holds the key, or the empty one where it would go. */
static slot *find_slot(const td_map *map, td_slice key, uint64_t hash)
{
    TD_ASSERT(map->count <= map->mask);
    size_t at = hash & map->mask;
    while (map->slots[at].key != NULL) {
        const slot *candidate = &map->slots[at];
        if (candidate->hash == hash && td_slice_equal(td_slice_of(candidate->key, candidate->key_len), key)) break;
        at = (at + 1) & map->mask;
    }
    return &map->slots[at];
}

static bool grow(td_map *map)
{
    size_t mask = map->mask * 2 + 1;
    slot *slots = td_alloc_zero((mask + 1) * sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i <= map->mask; i++) {
        if (map->slots[i].key == NULL) continue;
        size_t at = map->slots[i].hash & mask;
        while (slots[at].key != NULL)
            at = (at + 1) & mask;
        slots[at] = map->slots[i];
    }
    td_free(map->slots);
    map->slots = slots;
    map->mask = mask;
    return true;
}
