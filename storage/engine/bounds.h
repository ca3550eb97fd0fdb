/* SPDX-License-Identifier: Apache-2.0
 * bounds.h: the stretch of an ordered tree that a page may show: what a key condition or a segment means in encoded
 * keys, and where the page starts in it.
 *
 * A key k is "under" a bound b when b is a prefix of k. Both bounds say whether the keys under them belong.
 * Threads: one at a time. */
#ifndef THERMODYN_ENGINE_BOUNDS_H
#define THERMODYN_ENGINE_BOUNDS_H

#include "thermodyn/btree.h"
#include "thermodyn/buf.h"
#include "thermodyn/expr.h"

#include "resource.h"

typedef struct td_bounds {
    td_buf bytes; /* holds what the slices point to */
    bool is_backward;
    td_slice lower;         /* empty: from the first key on */
    bool skips_under_lower; /* keys under it do not belong */
    td_slice upper;
    bool has_upper;         /* false: to the last key */
    bool takes_under_upper; /* keys under it belong */
    td_slice start;         /* the page starts after (backward: before) this key; empty: at the bound */
    bool takes_start;       /* forward: with it, if there is such a key */
    uint64_t hash_from;     /* the hashes that can occur */
    uint64_t hash_to;
} td_bounds;

void td_bounds__init(td_bounds *bounds);
void td_bounds__done(td_bounds *bounds);

/* The keys of a query's range. false: no memory. */
TD_MUST_USE bool td_bounds__set_range(td_bounds *bounds, const td_key_schema *key, const td_key_range *range,
                                      td_placement placement);

/* The keys of one segment of a scan. */
void td_bounds__set_segment(td_bounds *bounds, uint32_t segment, uint32_t total_segments);

/* The page starts beyond this key; it is copied. false: no memory. */
TD_MUST_USE bool td_bounds__set_start(td_bounds *bounds, td_slice key);

/* Moves the start on, to a key that was walked or to the bound of a partition, `takes_start` as above. */
TD_MUST_USE bool td_bounds__move_start(td_bounds *bounds, td_slice key, bool takes_start);

/* Does the hash's first eight bytes lie in the segment? */
static inline bool td_bounds__has_hash(const td_bounds *bounds, uint64_t hash)
{
    return hash >= bounds->hash_from && hash <= bounds->hash_to;
}

/* The first and the last partition that may hold such keys, in the order of the ranges. */
void td_bounds__find_partitions(const td_bounds *bounds, const td_resource *resource, uint32_t *ret_low,
                                uint32_t *ret_high);

/* Where the walk begins in one partition's tree. */
td_btree_cursor td_bounds__seek(const td_bounds *bounds, const td_btree *tree);
/* What it comes to first, in its direction, beyond the far bound. A walk that begins beyond it does not come there. */
td_btree_cursor td_bounds__seek_end(const td_bounds *bounds, const td_btree *tree);
/* Has the walk, in its direction, not passed the far bound? */
bool td_bounds__has_key(const td_bounds *bounds, td_slice key);

#endif
