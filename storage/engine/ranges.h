/* SPDX-License-Identifier: Apache-2.0
 * ranges.h: the partitions of a resource in the order of their ranges: made, searched, divided.
 *
 *   hashes     0 ──────────── 4000… ──── 8000… ─────────────────────────────────────── FFFF…
 *   partitions │      1       │    2     │     3    │    4    │          5            │
 *                                                   └ begins inside an item collection: the same hash, a longer bound
 *
 * A bound is the beginning of an encoded key: the first key of a partition is at or after its own bound, the last one
 * before the next partition's. The bounds of nearly all partitions are eight bytes of a hash, which are searched as
 * integers; keys are compared only where a key has the very hash at which a partition begins.
 * Invariants: bounds rise strictly; the first is 0. A resource with local indexes is never cut inside a collection.
 * Threads: the caller holds the table's lock, but for td_ranges__make. */
#ifndef THERMODYN_ENGINE_RANGES_H
#define THERMODYN_ENGINE_RANGES_H

#include "resource.h"

/* `count` partitions of equal ranges, the first ones of the resource. false: no memory. */
TD_MUST_USE bool td_ranges__make(td_resource *resource, uint32_t count, const td_capacity_effect *effect,
                                 td_time_us now_us);

/* Behind the last one of a resource, with the range that it has: it is from the disk. false: no memory, or it does not
 * begin where the last one ends. */
TD_MUST_USE bool td_ranges__add(td_resource *resource, td_partition *partition);
/* Whether they cover the key space. */
bool td_ranges__are_whole(const td_resource *resource);

/* Which partitions begin up to a position: a key, or the beginning of one of at least eight bytes. */
typedef enum td_ranges_side {
    TD_BEGINS_BEFORE, /* bounds <  position */
    TD_BEGINS_AT,     /* bounds <= position */
    TD_BEGINS_UNDER   /* bounds <= position, and those that it is a prefix of */
} td_ranges_side;

/* The last such partition; the first one is always among them. */
uint32_t td_ranges__find(const td_resource *resource, td_slice position, td_ranges_side side);

/* Does it lie inside the partition, so that both halves are ranges? */
bool td_ranges__is_inside(const td_resource *resource, uint32_t partition, td_slice bound);

/* May collections be divided? */
static inline bool td_ranges__can_cut_collections(const td_resource *resource)
{
    return resource->tree_count == 1;
}

/* The bound where a partition asked to be split at `bound` is split: a shorter one that has the same items on either
 * side, if there is one, so that what begins with a partition key begins with its hash. Its bytes are those of `bound`.
 * Empty: there is none inside the partition, or none between two collections where they may not be divided. */
td_slice td_ranges__fit_bound(const td_resource *resource, uint32_t partition, td_slice bound);

/* Where half of the bytes (of the table itself, where there are local indexes) lie on either side, between two
 * partition keys if one is near, or if a collection may not be divided. The bound fits; it is in the room, or longer
 * than that and borrowed until its entry goes. */
td_split_veto td_ranges__find_middle(const td_resource *resource, uint32_t partition, td_btree_room *room,
                                     td_slice *ret_bound);

/* Where half of the hashes do. Empty: they are one. */
td_slice td_ranges__middle_of_hashes(const td_resource *resource, uint32_t partition, uint8_t bytes[8]);

/* Divides a partition in two at a bound that fits (it may be the plan's). Both are new to the outside: with numbers,
 * full caps and a past of their own. The upper one follows the lower one, which takes the old one's place. false: no
 * memory, unchanged. */
TD_MUST_USE bool td_ranges__cut(td_resource *resource, uint32_t partition, td_slice bound, td_split_cause cause,
                                const td_capacity_effect *effect, td_time_us now_us);

/* Divides all partitions, until there are `count` (at most twice as many as there are) or none can be divided. false:
 * no memory; those that were divided stay so. */
TD_MUST_USE bool td_ranges__double(td_resource *resource, uint32_t count, const td_capacity_effect *effect,
                                   td_time_us now_us);

#endif
