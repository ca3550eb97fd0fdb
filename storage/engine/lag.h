/* SPDX-License-Identifier: Apache-2.0
 * lag.h: a resource as it was a fixed time ago, for the readers that may lag behind its writers.
 *
 *   write ─▶ entries                            the resource as it is
 *      └───▶ change ─ ─ ─ delay_us ─ ─ ▶ lagging   the resource as it was delay_us ago
 *
 * A resource that lags keeps a second tree beside each of its trees, and a queue of the changes that it has yet to show
 * there. The queue is worked off under the table's lock, up to the present instant, at each write and before each read
 * that lags: so what such a read sees is exact in virtual time, without a thread or a due time.
 * A global index that lags is always read so. Of the eventually consistent reads of a table and its local indexes a
 * share is, drawn from a source that the seed and the table's name alone determine. Writes, their conditions,
 * consistent reads and transactions look at the entries.
 * Invariants: the lagging trees, with the queue worked off, are the entries; what one write changes is shown together.
 * Threads: the caller holds the table's lock, but for the options, new and free. */
#ifndef THERMODYN_ENGINE_LAG_H
#define THERMODYN_ENGINE_LAG_H

#include "thermodyn/rng.h"
#include "thermodyn/store.h"

#include "partition.h"

struct td_resource;

typedef struct td_lag_options {
    td_time_us delay_us; /* 0: the resource does not lag */
    double share;        /* of the reads that may lag */
    uint64_t seed;
} td_lag_options;

/* A change of one key on its way to the lagging tree. */
typedef struct td_late_change {
    struct td_late_change *next;
    td_time_us due_us;
    td_item *item; /* one reference; NULL: the key goes */
    uint32_t tree;
    uint32_t key_len;
    uint8_t key[];
} td_late_change;

typedef struct td_lag {
    td_time_us delay_us;
    double share;
    td_rng rng;
    uint64_t bytes;        /* of memory that the queue holds */
    td_late_change *first; /* the queue, by due_us */
    td_late_change *last;
} td_lag;

td_lag_options td_lag__of_table(const td_store_options *options, td_slice table);
td_lag_options td_lag__of_index(const td_store_options *options);

/* NULL: no memory. */
TD_MUST_USE td_lag *td_lag__new(const td_lag_options *options);
void td_lag__free(td_lag *lag); /* NULL is allowed; gives back what was not shown yet */

/* Makes ready for a change of the key: all that can fail of it. false: no memory. *ret_change is the caller's until
 * commit, td_free forgets it; NULL when the resource does not lag. */
TD_MUST_USE bool td_lag__reserve(struct td_resource *resource, uint32_t tree, td_slice key, td_time_us now_us,
                                 td_late_change **ret_change);

/* The key has that item from now on, or none (NULL). Takes the change over and leaves NULL; nothing when it is NULL. */
void td_lag__commit(struct td_resource *resource, td_late_change **change, td_item *item);

/* Shows all that is in the queue, before its time: the lagging trees are the entries then. false: no memory. */
TD_MUST_USE bool td_lag__flush(struct td_resource *resource);

/* Does this read lag? Then the lagging trees are as of now. false: no memory for that. */
TD_MUST_USE bool td_lag__begin_read(struct td_resource *resource, bool is_consistent, td_time_us now_us,
                                    bool *ret_lags);

/* What a read walks. */
static inline const td_btree *td_lag__view(const td_tree *tree, bool lags)
{
    return lags ? tree->lagging : tree->entries;
}

#endif
