/* SPDX-License-Identifier: Apache-2.0
 * journal.h: the queue of what is not on the disk yet, as the engine fills it.
 *
 * A write makes its entries while it may still fail, fills them when it commits, and appends them as one group before
 * it lets go of its locks: so the queue has the changes of an item in their order, and a group whole.
 * What is a document is marked: a mark cannot fail, holds a reference, and stands for all changes until the document is
 * made.
 * Lock order: any, then the journal's: under it nothing is called. */
#ifndef THERMODYN_ENGINE_JOURNAL_H
#define THERMODYN_ENGINE_JOURNAL_H

#include <pthread.h>

#include "thermodyn/item.h"
#include "thermodyn/journal.h"

struct td_table;
struct td_stream;

typedef struct td_journal_entry td_journal_entry;

/* Entries of one request; all zero: none. */
typedef struct td_journal_group {
    td_journal_entry *first;
    td_journal_entry *last;
} td_journal_group;

/* In a table or a stream: its place among the marked. */
typedef struct td_journal_mark {
    /* guarded by the journal's lock */
    void *next; /* marked behind it */
    bool is_marked;

    /* the writer's */
    void *next_in_batch;
    uint64_t written_hash; /* of the document in the batch */
    uint64_t settled_hash; /* of the one on the disk; 0: none */
} td_journal_mark;

/* ---- entries of a change (change.c, txn.c) ----------------------------------------------------------------------- */

/* Adds to the group that the key is gone; `put` afterwards says that it is not. NULL: no memory. */
TD_MUST_USE td_journal_entry *td_journal__add(td_journal_group *group, td_space space, size_t key_bytes,
                                              size_t head_bytes);
void td_journal__drop(td_journal_group *group); /* those of a change that will not be */

uint8_t *td_journal__key(td_journal_entry *entry);
uint8_t *td_journal__head(td_journal_entry *entry);
/* The value is the head and the bytes of the items, of which references are taken; each may be NULL. */
void td_journal__put(td_journal_entry *entry, td_item *first, td_item *second);

/* Puts the second behind the first, and empties it. */
void td_journal__join(td_journal_group *group, td_journal_group *more);
/* To the queue, and empties it. The locks under which the changes were made are held. */
void td_journal__append(td_journal *journal, td_journal_group *group);

/* The same with marks on those tables, of which the disk gets the documents with the group or before it. */
void td_journal__append_with_tables(td_journal *journal, td_journal_group *group, struct td_table **tables,
                                    uint32_t count);

/* ---- marks: nothing without a journal ---------------------------------------------------------------------------- */

void td_journal__mark_table(struct td_table *table);
void td_journal__mark_stream(struct td_stream *stream);
void td_journal__mark_settings(td_store *store);
void td_journal__mark_tokens_dropped(td_store *store); /* all that were remembered until now */

/* Numbers by which tables and streams are kept: never given twice while something has them. */
uint32_t td_journal__new_number(td_journal *journal);
void td_journal__take_number(td_journal *journal, uint32_t number); /* it is in use */

/* What a call begins with that changes the store: RECORD_FAILS while the disk fails. Notes in the call that it writes.
 * */
TD_MUST_USE td_status td_journal__begin(const td_call *call, td_error *error);

/* ---- life -------------------------------------------------------------------------------------------------------- */

TD_MUST_USE td_journal *td_journal__new(td_store *store);
void td_journal__free(td_journal *journal); /* NULL is allowed; gives marks and entries back */

#endif
