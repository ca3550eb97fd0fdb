/* SPDX-License-Identifier: Apache-2.0
 * redo.h: the log of a data directory: groups of changes on the disk before the directory's maps have them.
 *
 *   DIR/log.0   ┌ group 7 ┬ group 8 ┬ group 9 ┐ sealed: its groups are written to the maps meanwhile, and then it is
 *               └─────────┴─────────┴─────────┘ empty
 *   DIR/log.1   ┌ group 10 ┬ group 11 ┐ · · · ·  the one that is appended to
 *
 * A group is there as a whole or not at all: it has its length, its number, which rises by one, and a checksum. Each
 * is one write and one fdatasync in space that the file has already, so that the system has nothing but the group to
 * write. A file that was filled is filled again from its beginning; what it has of earlier times is not mistaken for
 * groups: each filling has a mark of its own, drawn at random.
 * Behind the last whole group there may be a part of one, of a write that did not end: that is not there. Behind a
 * damaged one there are others of its filling: that is told, and nothing is taken.
 * It knows nothing of what is in a group (changes.h), starts no thread and reads no clock. Errors are those of errno.
 * Threads: one appends and turns; one reads what is sealed, and empties it. Who turns has to know that nothing is. */
#ifndef THERMODYN_REDO_H
#define THERMODYN_REDO_H

#include "thermodyn/buf.h"

typedef struct td_redo td_redo;

#define TD_REDO_SENTENCE_BYTES 512

/* Looks through what there is, which is sealed from then on; changes nothing. `kept`: the number of the last group that
 * the maps have; `is_needed`: there may be later ones, so that both files have to be there. NULL: the log is damaged or
 * missing, or cannot be read; the sentence says so. */
TD_MUST_USE td_redo *td_redo_open(const char *folder, uint64_t kept, bool is_needed,
                                  char reterr_sentence[TD_REDO_SENTENCE_BYTES]);
void td_redo_free(td_redo *redo); /* NULL is allowed */

uint64_t td_redo_last(const td_redo *redo);      /* number of the latest group, or of what the maps have */
uint64_t td_redo_disk_bytes(const td_redo *redo); /* of both files; any thread */
uint64_t td_redo_held_bytes(const td_redo *redo); /* of groups that are not empty yet; any thread */

/* ---- what is sealed ---------------------------------------------------------------------------------------------- */

/* Calls for each sealed group with number > `after`, in their order, until it answers something else than 0, which is
 * the answer; EBADMSG: what was whole is not any more. The bytes are borrowed for the call. */
TD_MUST_USE int td_redo_read(td_redo *redo, uint64_t after,
                             int (*visit)(void *context, uint64_t number, td_slice bytes), void *context);
void td_redo_empty(td_redo *redo); /* the maps have all that is sealed */

/* ---- appending --------------------------------------------------------------------------------------------------- */

TD_MUST_USE int td_redo_make(td_redo *redo); /* the files, where they are not there; can be tried again */
void td_redo_start(td_redo *redo);           /* they are made, and nothing is sealed */

void td_redo_begin(td_buf *group); /* clears it and leaves room for the head; changes are appended by the caller */
/* Returns when it is on the disk. After an error it is not there, nor in the way of the next one. */
TD_MUST_USE int td_redo_append(td_redo *redo, td_buf *group);

uint64_t td_redo_bytes(const td_redo *redo); /* that were appended since the last turn */
bool td_redo_can_turn(const td_redo *redo);  /* not after an error, before the next success */
void td_redo_turn(td_redo *redo);            /* seals those; nothing was sealed */

#endif
