/* SPDX-License-Identifier: Apache-2.0
 * map.h: hash map from byte strings to pointers (XXH3), open addressing, insertion order not kept.
 *
 * The map copies its keys and does not own its values. Threads: one at a time (the owner's lock). */
#ifndef THERMODYN_MAP_H
#define THERMODYN_MAP_H

#include "thermodyn/base.h"

typedef struct td_map td_map;

TD_MUST_USE td_map *td_map_new(void);
void td_map_free(td_map *map); /* NULL is allowed; values are the caller's */

size_t td_map_count(const td_map *map);
void *td_map_find(const td_map *map, td_slice key); /* NULL: not there */

/* Puts or replaces; false when there is no memory (the map is unchanged). value is not NULL. */
TD_MUST_USE bool td_map_put(td_map *map, td_slice key, void *value);
void *td_map_remove(td_map *map, td_slice key); /* the value that was there, or NULL */

/* Iterates in no order: start with *cursor = 0; false at the end. The map must not change meanwhile. */
bool td_map_next(const td_map *map, size_t *cursor, td_slice *ret_key, void **ret_value);

/* XXH3 of the bytes: all hashing that is ours and not the service's. */
uint64_t td_hash64(td_slice bytes);

#endif
