/* SPDX-License-Identifier: Apache-2.0
 * writing.h: one write in the making: the steps that PutItem, UpdateItem, DeleteItem and the actions of a transaction
 * share, in the order in which they are taken.
 *
 *   no lock    init → prepare
 *   the lock   decide → ask → reserve → commit → charge → settle      done, in any case
 *
 * A transaction takes each step for all its actions before the next (txn.c); a single write goes straight through
 * (write.c). */
#ifndef THERMODYN_ENGINE_WRITING_H
#define THERMODYN_ENGINE_WRITING_H

#include "thermodyn/write.h"

#include "access.h"
#include "index.h"

typedef struct td_writing {
    const td_call *call;
    const td_write *write;
    td_error *error;
    td_access access; /* borrowed */
    td_placement placement;
    bool is_check;         /* a condition alone: `write` has the key and the condition */
    bool is_expiry;        /* time to live deletes */
    td_buf key;            /* of the item */
    size_t collection_len; /* of the key's prefix that its collection shares */
    td_item *new_item;     /* owned until commit; NULL: none */
    td_index_plan plan;

    /* under the lock */
    td_partition *partition;
    td_item *old_item;       /* the tree's; NULL: none */
    void **place;            /* the old item's in the tree, until the tree changes; NULL: none */
    bool has_new_place;      /* the new item is in the tree, which had none of its key */
    td_journal_group group;  /* owned from reserve until it is appended: what the disk is to keep */
    td_late_change *late;    /* owned from reserve until commit; NULL: the table does not lag, or nothing changes */
    uint32_t size_bytes;     /* of the larger image, from decide on: what the write costs */
    td_admission *admission; /* borrowed; the actions of a transaction share one, one after the other */
    td_admission_target *target;
} td_writing;

/* `effects` is room for the indexes of the table, borrowed until done. */
void td_writing__init(td_writing *writing, const td_call *call, const td_write *write, const td_access *access,
                      td_index_effect *effects, td_error *error);
void td_writing__done(td_writing *writing);

/* Checks and encodes the key; Put: makes the new item and its index entries. */
TD_MUST_USE td_status td_writing__prepare(td_writing *writing);
/* The key alone, of a write that was found wrong in something else. false: it has no key, or there is no memory. */
TD_MUST_USE bool td_writing__encode_key(td_writing *writing);

/* Finds the item, decides the condition, makes the new item, plans the indexes; changes nothing. What it answers is to
 * be told only when the write is admitted. CONDITIONAL_CHECK_FAILED is not raised yet: raise_condition does. */
TD_MUST_USE td_status td_writing__decide_locked(td_writing *writing);
TD_MUST_USE td_status td_writing__raise_condition_locked(td_writing *writing);

/* Asks the buckets of all that the write touches. false: refused, td_admission_raise says why.
 * `aim` alone names the buckets again, when the admission has served another write since. */
TD_MUST_USE bool td_writing__ask_locked(td_writing *writing);
void td_writing__aim_locked(td_writing *writing);

/* Makes all places that the write needs. false: no memory, and no trace. */
TD_MUST_USE bool td_writing__reserve_locked(td_writing *writing);
void td_writing__unreserve_locked(td_writing *writing);

/* The change itself; cannot fail. When the tree has changed since decide, the old item is found again before. With a
 * journal the caller appends `group` before it lets go of the lock. */
void td_writing__commit_locked(td_writing *writing);
void td_writing__find_again_locked(td_writing *writing);

/* Takes what the write costs from the buckets and adds it to `consumed`. `factor`: 2 in a transaction, for the table's
 * arm alone. */
void td_writing__charge_locked(td_writing *writing, td_units factor, td_consumed *consumed);
/* The same of a write that did not come about: the table's arm alone. */
void td_writing__charge_table_locked(const td_writing *writing, td_units factor);

/* The last step: what the item's collection holds now; -1 when nobody counts. */
int64_t td_writing__settle_locked(td_writing *writing);

/* Deletes the item of that key, which is there, without asking or charging anybody: it has expired. false: no memory.
 */
TD_MUST_USE bool td_writing__expire_locked(td_table *table, td_slice key, td_time_us now_us);

/* The units of the table's arm. */
static inline td_units td_writing__units(const td_writing *writing, td_units factor)
{
    return factor * td_units_of_write(writing->size_bytes);
}

#endif
