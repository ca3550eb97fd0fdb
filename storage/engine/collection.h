/* SPDX-License-Identifier: Apache-2.0
 * collection.h: how many bytes each item collection of a table with local indexes holds: the key's prefix → bytes, the
 * entries of the local indexes and all overhead included.
 *
 * A write first makes its collection's place (which may fail), then lets it grow or shrink, and last gives the place
 * back when nothing is left; the writes of one transaction do each step for all before the next step.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_COLLECTION_H
#define THERMODYN_ENGINE_COLLECTION_H

#include "thermodyn/map.h"

TD_MUST_USE bool td_collection__reserve(td_map *collections, td_slice key); /* false: no memory, unchanged */
void td_collection__grow(td_map *collections, td_slice key, int64_t bytes); /* may be negative; 0 needs no place */
void td_collection__drop_if_empty(td_map *collections, td_slice key);
int64_t td_collection__bytes(const td_map *collections, td_slice key);

#endif
