/* SPDX-License-Identifier: Apache-2.0
 * check.h: a data directory that is read and not changed: `thermodyn check`, `thermodyn dump`. Threads: one. */
#ifndef THERMODYN_DURABLE_CHECK_H
#define THERMODYN_DURABLE_CHECK_H

#include "durable/durable.h"
#include "thermodyn/key.h"

/* Prints one line: what the directory holds, or on standard error what is wrong. Changes nothing. false: it is damaged,
 * cannot be read, or is in use. */
TD_MUST_USE bool td_durable_check_directory(const char *path, td_placement placement);

/* All that a directory holds into the store of the options; nothing is written, whatever becomes of the store.
 * false: it is damaged, cannot be read, or is in use, and the sentence says it. */
TD_MUST_USE bool td_durable_read_directory(const td_durable_options *options,
                                           char reterr_sentence[TD_DISK_SENTENCE_BYTES]);

#endif
