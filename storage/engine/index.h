/* SPDX-License-Identifier: Apache-2.0
 * index.h: what one write does to the indexes of its table, decided before anything is changed.
 *
 * A plan holds, for each index, the entry that the new image gives it and the entry that the old image has in it:
 *
 *     td_index_plan__init(&plan, schema, effects);
 *     td_index_plan__set_new(&plan, item, placement)        without the lock where the image is known before it
 *     td_index_plan__set_old(&plan, table, item, placement) under the lock; finds entries, partitions and units
 *     td_index_plan__add_targets(&plan, &admission)         of the global indexes that change
 *     td_index_plan__reserve(&plan, now)                    makes the places of new keys; may fail, leaves no trace
 *     td_index_plan__commit(&plan)                          cannot fail
 *     td_index_plan__charge(&plan, &admission, &consumed)   global ones; answers what local ones cost the table
 *     td_index_plan__done(&plan)                            in any case
 *
 * Threads: the caller holds the table's lock from set_old to charge. */
#ifndef THERMODYN_ENGINE_INDEX_H
#define THERMODYN_ENGINE_INDEX_H

#include "thermodyn/buf.h"

#include "state.h"

/* An index's side of one image of an item. */
typedef struct td_index_entry {
    bool is_present;
    size_t key_at; /* in the plan's keys */
    size_t key_len;
    td_partition *partition; /* set by set_old, for both images */
    td_item *item;           /* new: owned until commit; old: the tree's */
    td_late_change *late;    /* owned from reserve until commit; NULL: the index does not lag, or nothing to change */
    td_units units;          /* what this side costs; 0: nothing */
    td_admission_target *target;
} td_index_entry;

typedef struct td_index_effect {
    td_index_entry old_entry;
    td_index_entry new_entry;
    bool has_same_key;
    void **old_place; /* of the old key, from set_old on */
    void **place;     /* of the new key, from reserve on; NULL: nothing to put */
} td_index_effect;

typedef struct td_index_plan {
    const td_schema *schema;
    td_table *table; /* from set_old on */
    td_buf keys;
    td_index_effect *effects; /* by index; the caller's */
} td_index_plan;

/* `effects` is room for the indexes of the schema, borrowed until done. */
void td_index_plan__init(td_index_plan *plan, const td_schema *schema, td_index_effect *effects);
void td_index_plan__done(td_index_plan *plan);

/* item NULL: there is none. false: no memory. */
TD_MUST_USE bool td_index_plan__set_new(td_index_plan *plan, td_item *item, td_placement placement);
TD_MUST_USE bool td_index_plan__set_old(td_index_plan *plan, td_table *table, td_partition *base, const td_item *item,
                                        td_placement placement);

void td_index_plan__add_targets(td_index_plan *plan, td_admission *admission);
TD_MUST_USE bool td_index_plan__reserve(td_index_plan *plan, td_time_us now_us);
void td_index_plan__unreserve(td_index_plan *plan);
void td_index_plan__commit(td_index_plan *plan);
td_units td_index_plan__charge(td_index_plan *plan, const td_admission *admission, td_consumed *consumed);

/* By how much the storage of the local indexes will grow, overhead included. Before commit. */
int64_t td_index_plan__local_growth_bytes(const td_index_plan *plan);

/* Appends the key of the item's entry. false: the item has none: an attribute is missing or of another type. */
bool td_index__append_key(td_buf *keys, const td_schema *schema, const td_index_schema *index, const td_item *item,
                          td_placement placement);

/* The entry of an item, a reference of the caller's: the item itself or its projection. NULL: no memory. */
TD_MUST_USE td_item *td_index__project(const td_index_schema *index, td_item *item);

#endif
