/* SPDX-License-Identifier: Apache-2.0
 * changes.h: changes of a data directory as bytes, and what many of them come to, key by key.
 *
 *   td_changes_encode_… ─▶ a group of the log (redo.h) ─▶ td_changes_add, td_changes_sort: the last word on each key
 *                                                          ├─▶ td_changes_write: into a transaction of the directory
 *                                                          └─▶ td_changes_walk: the directory as if it had been
 *
 * A change says what a key holds, not what was done: they can be added, and written, again from any earlier point on.
 * Threads: one at a time; once nothing is added any more, any number may walk. */
#ifndef THERMODYN_CHANGES_H
#define THERMODYN_CHANGES_H

#include "thermodyn/buf.h"
#include "thermodyn/disk.h"

typedef struct td_changes td_changes;
typedef struct td_changes_cursor td_changes_cursor;

/* ---- as bytes: appended to the buffer, which notes a failure ----------------------------------------------------- */

/* The value is the parts, one behind the other. */
void td_changes_encode_put(td_buf *bytes, td_space space, td_slice key, const td_slice *parts, size_t part_count);
void td_changes_encode_remove(td_buf *bytes, td_space space, td_slice key);
void td_changes_encode_clear(td_buf *bytes, td_space space);

/* ---- what they come to ------------------------------------------------------------------------------------------- */

TD_MUST_USE td_changes *td_changes_new(void); /* NULL: no memory */
void td_changes_free(td_changes *changes);    /* NULL is allowed */

void td_changes_clear(td_changes *changes);   /* keeps the memory */

/* Copies them. 0; EBADMSG: these are no changes; ENOMEM. After an error only clear and free are allowed. */
TD_MUST_USE int td_changes_add(td_changes *changes, td_slice bytes);
uint64_t td_changes_bytes(const td_changes *changes); /* that were added */

/* From here on they are written and walked, and nothing is added before they are cleared. */
void td_changes_sort(td_changes *changes);
uint64_t td_changes_count(const td_changes *changes); /* changes; once they are sorted, keys */

/* Into the open transaction, in the order of keys: 0, or the disk's error. */
TD_MUST_USE int td_changes_write(const td_changes *changes, td_disk *disk);

/* As td_disk_walk and td_disk_next. The changes and the disk stay as they are until the cursor is freed. */
TD_MUST_USE int td_changes_walk(const td_changes *changes, td_disk *disk, td_space space, td_slice from,
                                td_changes_cursor **ret_cursor);
void td_changes_cursor_free(td_changes_cursor *cursor); /* NULL is allowed */
TD_MUST_USE int td_changes_next(td_changes_cursor *cursor, td_slice *ret_key, td_slice *ret_value);

#endif
