/* SPDX-License-Identifier: Apache-2.0
 * dump.h: fixtures the other way round: all tables of a store as files that td_init_load reads back.
 *
 *   FOLDER/tables.json         the requests that make the tables, and set what is said about them afterwards
 *   FOLDER/TABLE.items.jsonl   the items of a table, each in DynamoDB's JSON on a line; no file of an empty table
 *
 * The service itself is asked, by its own operations: what it does not tell does not go through (docs/durability.md).
 */
#ifndef THERMODYN_INIT_DUMP_H
#define THERMODYN_INIT_DUMP_H

#include "init/init.h"

/* The folder is made under another name and renamed when it is whole: it is not there before, and a dump that fails
 * leaves nothing. A long one tells its progress in the log. Nothing of the store is throttled any more afterwards.
 * false: `says` has one sentence.
 * Threads: one; nobody else uses the store. */
TD_MUST_USE bool td_init_dump(const td_service *service, const char *folder, td_init_loaded *ret_dumped, td_buf *says);

#endif
