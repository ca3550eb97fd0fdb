/* SPDX-License-Identifier: Apache-2.0
 * partition.h: one contiguous range of the key space of a table or a global index, with its trees and its cap.
 *
 *   resource (the table, or one global index)
 *     ├─ partition  hash_from … hash_to   tree 0: items (or the index's entries)
 *     ├─ partition      …                 tree 1 …: the entries of each local index, beside the items they belong to
 *     └─ …
 *
 * Invariants: every key of every tree lies in its partition's range; items and bytes are those of the trees.
 * Threads: the caller holds the table's lock. */
#ifndef THERMODYN_ENGINE_PARTITION_H
#define THERMODYN_ENGINE_PARTITION_H

#include "thermodyn/btree.h"
#include "thermodyn/item.h"
#include "thermodyn/key.h"

#include "capacity/bucket.h"
#include "capacity/demand.h"
#include "capacity/meter.h"
#include "capacity/sizing.h"
#include "share.h"

#define TD_TREES_MAX (1 + TD_LIMIT_LOCAL_INDEXES_MAX)
#define TD_ENTRY_OVERHEAD_BYTES 100 /* storage of an item or entry beyond its size; Source: AWS GSI, "Storage" */

typedef struct td_tree {
    td_btree *entries; /* encoded key → td_item, one reference each; an entry weighs the item's size. The keys of a
                        * table's own items are read off them (item_keys.h) */
    td_btree *lagging; /* the same as lagging reads see it, references of its own; NULL: there are none (lag.h) */
} td_tree;

typedef struct td_partition {
    uint32_t number;    /* from 1, unique in its resource */
    uint32_t parent;    /* 0: none */
    uint64_t hash_from; /* first eight bytes of the lowest hash; the other bytes are 00 */
    uint64_t hash_to;   /* of the highest hash; the other bytes are FF. The next partition may begin with the same */
    td_slice from;      /* the lower bound where hash_from is not all of it: the hash, or more; owned. Empty: it is */
    td_time_us created_us;
    td_bucket cap[TD_DIRECTION_COUNT];
    td_share share[TD_DIRECTION_COUNT]; /* of provisioned throughput, in eras without a pool */
    td_usage usage[TD_DIRECTION_COUNT];
    td_demand demand;           /* of this range: forgotten when it is split */
    td_split_veto veto;         /* why it is not split although it is hot; TD_VETO_NONE: it is not hot, or is split */
    td_split_veto full_veto;    /* the same of one that holds too much */
    uint64_t vetoed_bytes;      /* with full_veto: up to here it is not looked at again */
    struct td_split_plan *plan; /* to be split, owned; NULL: it is not (plan.h) */
    uint32_t tree_count;
    td_tree trees[TD_TREES_MAX];
} td_partition;

/* Empty, with full caps. `items`: of tree 0; NULL: it keeps its keys, as the others do. NULL: no memory. */
TD_MUST_USE td_partition *td_partition__new(uint32_t number, uint32_t tree_count, const td_btree_source *items,
                                            bool has_lag, td_time_us now_us, const td_capacity_effect *effect);
void td_partition__free(td_partition *partition); /* NULL is allowed; gives all items back */

/* Splitting: first the upper half is made, empty, with all the memory that it takes and the range from `bound` on;
 * then, before anything changes, it gets what belongs there. `partition` becomes the lower half, under another number
 * and otherwise as one that has just been made, but for its share, plan and lower bound. NULL: no memory. */
TD_MUST_USE td_partition *td_partition__new_upper(const td_partition *partition, uint32_t number, td_slice bound,
                                                  td_time_us now_us, const td_capacity_effect *effect);
void td_partition__cut(td_partition *partition, uint32_t number, td_partition *upper, td_time_us now_us,
                       const td_capacity_effect *effect);

/* The lower bound of one that has none yet. false: no memory. */
TD_MUST_USE bool td_partition__set_from(td_partition *partition, td_slice bound);

/* Its name outside: "p-0001". */
void td_partition__format_id(uint32_t number, char ret_id[16]);

/* Storage with overhead, of all trees. */
uint64_t td_partition__storage_bytes(const td_partition *partition);

/* The cap in force from now on. */
void td_partition__set_cap(td_partition *partition, const td_capacity_effect *effect, td_time_us now_us);

/* The hash's first eight bytes of an encoded key. */
static inline uint64_t td_partition__hash_of_key(td_slice key)
{
    TD_ASSERT(key.len >= 8);
    uint64_t prefix = 0;
    for (int i = 0; i < 8; i++)
        prefix = prefix << 8 | key.ptr[i];
    return prefix;
}

/* Those eight bytes as a bound in a tree. */
static inline td_slice td_partition__key_of_hash(uint64_t hash, uint8_t bytes[8])
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(hash >> (56 - 8 * i));
    return td_slice_of(bytes, 8);
}

/* What all its keys are at or after. */
static inline td_slice td_partition__bound(const td_partition *partition, uint8_t bytes[8])
{
    return partition->from.len > 0 ? partition->from : td_partition__key_of_hash(partition->hash_from, bytes);
}

#endif
