/* SPDX-License-Identifier: Apache-2.0
 * disk_text.h: a text as a data directory's log, so that lengths are right after each mutation but where the text says
 * otherwise. A line is a word, and what belongs to it:
 *
 *   kept 1                              the maps have the first group
 *   needed │ trusts │ lacks 1           what the maps say of the log; hashes are not checked, too; log.1 is not there
 *   fails 20                            it is tried, too, while the 20th allocation fails
 *   appends                             what a start writes goes to a log that the log's own writer makes
 *   group other torn foreign late cut   the changes up to the next one: in the other file; with a wrong checksum; with
 *                                       another mark; one number is left out before it; its file ends within it
 *   put tables #1 | 3"TTT" 7{1{12:0 13:-1}}     remove items #1 x00ff     clear tokens     raw x0102 "any bytes"
 *
 * What follows a space or `raw` are bytes: x and digits are those, "…" the text's, #1 and ##1 a number of four and of
 * eight bytes, 3:-1 3=0.5 3"…" 3x00ff 3{…} fields of a document (storage/engine/document.h). What is not understood is
 * passed over. */
#ifndef THERMODYN_TESTS_FUZZ_DISK_TEXT_H
#define THERMODYN_TESTS_FUZZ_DISK_TEXT_H

#include "thermodyn/buf.h"

enum { DISK_GROUPS_MAX = 24, DISK_GROUP_BYTES_MAX = 1 << 20, DISK_FILES = 2 };

typedef struct disk_group {
    td_buf changes;
    bool is_other;
    bool is_torn;
    bool is_foreign;
    bool is_late;
    bool is_cut;
} disk_group;

typedef struct disk_text {
    uint64_t kept;
    bool is_needed;
    bool trusts;
    uint64_t fails; /* 0: none */
    bool appends;
    bool is_appended; /* this is what a start has written */
    bool lacks[DISK_FILES];
    disk_group groups[DISK_GROUPS_MAX];
    size_t count;
} disk_text;

void disk_text_read(disk_text *it, td_slice text);
td_buf *disk_text_add(disk_text *it); /* the changes of one more group */
void disk_text_done(disk_text *it);

#endif
