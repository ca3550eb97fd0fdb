/* SPDX-License-Identifier: Apache-2.0
 * disk.h: a directory that keeps byte strings by key: the one door to LMDB (decision D11).
 *
 *   DIR/data.mdb   six ordered maps, the spaces; what a transaction changed in them is there as a whole or not at all
 *   DIR/lock       held with flock(2) as long as the directory is open: one process at a time
 *
 * It knows nothing of what is kept, starts no thread, writes no log and reads no clock. Errors are numbers, 0 for none:
 * those of errno and of LMDB, which td_disk_error puts in words. After an error a directory can be used again: the next
 * td_disk_begin opens it anew where that is necessary, and makes it larger where it was full.
 * Threads: one at a time, but for what is done with a cursor once it is open: each may be another's. Cursors and a
 * transaction are not open together. */
#ifndef THERMODYN_DISK_H
#define THERMODYN_DISK_H

#include "thermodyn/base.h"

typedef struct td_disk td_disk;
typedef struct td_disk_cursor td_disk_cursor;

/* What is kept where. The keys' parts are big-endian; `table` and `stream` are numbers of four bytes. */
typedef enum td_space {
    TD_SPACE_META,    /* name → the format; the server's settings; its clock */
    TD_SPACE_STREAMS, /* stream → all that a stream is but its records */
    TD_SPACE_TABLES,  /* table → all that a table is but its items */
    TD_SPACE_ITEMS,   /* table ‖ key of an item → the item */
    TD_SPACE_CHANGES, /* stream ‖ shard (8) ‖ sequence number (8) → a record of a stream */
    TD_SPACE_TOKENS,  /* instant (8) ‖ hash of a token → it, and what a repetition is answered */
    TD_SPACE_COUNT
} td_space;

#define TD_DISK_KEY_BYTES_MAX 511
#define TD_DISK_SENTENCE_BYTES 512

typedef enum td_disk_mode {
    TD_DISK_KEEP, /* made when it is not there; where it cannot be written, it is opened for reading until it can */
    TD_DISK_READ, /* has to be there, and is not changed */
} td_disk_mode;

/* NULL: it cannot be used, and reterr_sentence says why: another process has it, it is somebody else's or of a newer
 * format, or the system's reason. */
TD_MUST_USE td_disk *td_disk_open(const char *path, td_disk_mode mode, char reterr_sentence[TD_DISK_SENTENCE_BYTES]);
void td_disk_close(td_disk *disk); /* NULL is allowed; what was not committed is not kept */

const char *td_disk_error(int error); /* "No space left on device" */

/* ---- changing: from begin to commit or abort; after an error only abort is allowed
 * ----------------------------------- */

TD_MUST_USE int td_disk_begin(td_disk *disk);
/* The value is the parts, one behind the other. */
TD_MUST_USE int td_disk_put(td_disk *disk, td_space space, td_slice key, const td_slice *parts, size_t part_count);
TD_MUST_USE int td_disk_remove(td_disk *disk, td_space space, td_slice key); /* one that is not there is no error */
TD_MUST_USE int td_disk_clear(td_disk *disk, td_space space);
/* Removes keys from `from` on, before `to` (empty: to the end), at most so many. *ret_removed: how many; fewer than
 * `most`: none is left. */
TD_MUST_USE int td_disk_remove_range(td_disk *disk, td_space space, td_slice from, td_slice to, uint32_t most,
                                     uint32_t *ret_removed);
TD_MUST_USE int td_disk_commit(td_disk *disk); /* returns when it is on the disk */
void td_disk_abort(td_disk *disk);             /* without a transaction it does nothing */

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Before the first key at or after `from`, in the state of the last commit. */
TD_MUST_USE int td_disk_walk(td_disk *disk, td_space space, td_slice from, td_disk_cursor **ret_cursor);
void td_disk_cursor_free(td_disk_cursor *cursor); /* NULL is allowed */
/* The next key and its value, borrowed until the cursor is freed; TD_DISK_END behind the last one. */
#define TD_DISK_END (-1)
TD_MUST_USE int td_disk_next(td_disk_cursor *cursor, td_slice *ret_key, td_slice *ret_value);

uint64_t td_disk_count(td_disk *disk, td_space space); /* keys; 0 when it cannot be read */
uint64_t td_disk_bytes(td_disk *disk);                 /* that its pages take */

#endif
