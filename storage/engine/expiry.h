/* SPDX-License-Identifier: Apache-2.0
 * expiry.h: a table's items in the order in which they expire, kept while time to live is enabled.
 *
 * One tree, (instant in seconds, big-endian ‖ key of the item) → nothing.
 * Invariant: an item has a place in it when its attribute holds an instant that can expire, and then just one, unless
 * the walk that fills the tree has not come to it.
 * Threads: the caller holds the table's lock, but for run_due. */
#ifndef THERMODYN_ENGINE_EXPIRY_H
#define THERMODYN_ENGINE_EXPIRY_H

#include <stdatomic.h>

#include "thermodyn/btree.h"
#include "thermodyn/expiry.h"

#include "change.h"

typedef struct td_expiry {
    _Atomic uint32_t references;
    struct td_trail *trail; /* where its changes are noted for the latest snapshot (trail.h); NULL: they are not */
    bool is_filling;        /* the walk that fills the tree is under way */
    td_btree *instants;
    td_time_us queued_us; /* when the queue comes to this table; TD_NEVER: not at all */
    size_t attribute_len;
    uint8_t attribute[];
} td_expiry;

TD_MUST_USE td_expiry *td_expiry__new(td_slice attribute); /* the caller's reference; NULL: no memory */
td_expiry *td_expiry__ref(td_expiry *expiry);
void td_expiry__unref(td_expiry *expiry); /* NULL is allowed */

/* Gives the items that are there already their places. Without memory time to live is not enabled. Takes the lock. */
TD_MUST_USE td_status td_expiry__fill(td_table *table, td_time_us now_us);

/* The steps of change.h. */
TD_MUST_USE bool td_expiry__reserve(const td_item_change *change);
void td_expiry__unreserve(const td_item_change *change);
void td_expiry__commit(const td_item_change *change);

/* Has the queue come when ttl_delay_us has passed, or before, in case something of this expiry, which will be the
 * table's, has expired by then. is_queued: it comes as the expiry says. false: no memory. */
TD_MUST_USE bool td_expiry__queue_soon(td_table *table, td_expiry *expiry, bool is_queued, td_time_us now_us);

/* Deletes what has expired by the instant, some items at a time, and queues the next run. Takes the lock. */
void td_expiry__run_due(td_table *table, td_time_us due_us);

#endif
