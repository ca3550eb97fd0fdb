/* SPDX-License-Identifier: Apache-2.0
 * collection.c: sizes of item collections.
 *
 * The map's values are numbers, not pointers: bytes + 1, since a map holds no NULL and a place is made before there is
 * anything in it. */
#include "collection.h"

bool td_collection__reserve(td_map *collections, td_slice key)
{
    if (td_map_find(collections, key) != NULL) return true;
    return td_map_put(collections, key, (void *)(uintptr_t)1);
}

void td_collection__grow(td_map *collections, td_slice key, int64_t bytes)
{
    if (bytes == 0) return;
    int64_t grown = td_collection__bytes(collections, key) + bytes;
    TD_ASSERT(grown >= 0);
    TD_ASSERT(td_map_find(collections, key) != NULL); /* so that nothing is allocated */
    bool is_put = td_map_put(collections, key, (void *)(uintptr_t)(grown + 1));
    TD_ASSERT(is_put);
}

void td_collection__drop_if_empty(td_map *collections, td_slice key)
{
    if (td_collection__bytes(collections, key) == 0) (void)td_map_remove(collections, key);
}

int64_t td_collection__bytes(const td_map *collections, td_slice key)
{
    uintptr_t stored = (uintptr_t)td_map_find(collections, key);
    return stored == 0 ? 0 : (int64_t)stored - 1;
}
