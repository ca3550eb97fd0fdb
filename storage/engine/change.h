/* SPDX-License-Identifier: Apache-2.0
 * change.h: what follows from a change of an item besides the item and its index entries: a record in the table's
 * stream, and a place in the order of expiry.
 *
 *     td_change__reserve(&change)     all that can fail; leaves no trace when it does
 *     td_change__unreserve(&change)   or: the change will not be
 *     td_change__commit(&change)      cannot fail
 *
 * Threads: the caller holds the table's lock from reserve to the end. */
#ifndef THERMODYN_ENGINE_CHANGE_H
#define THERMODYN_ENGINE_CHANGE_H

#include "state.h"

typedef struct td_item_change {
    td_table *table;
    const td_partition *partition;
    td_slice key;      /* encoded */
    td_item *old_item; /* NULL: there was none */
    td_item *new_item; /* NULL: there is none now */
    bool is_expiry;    /* time to live did it */
    td_time_us now_us;
    td_journal_group *group; /* what is to be kept of it, with a journal: the caller appends it after the commit */
} td_item_change;

TD_MUST_USE bool td_change__reserve(const td_item_change *change);
void td_change__unreserve(const td_item_change *change);
void td_change__commit(const td_item_change *change);

#endif
