/* SPDX-License-Identifier: Apache-2.0
 * init.h: fixtures: the tables and items that the server starts with (docs/fixtures.md).
 *
 *   paths ──▶ files by kind ──▶ definitions ──▶ CreateTable …   all documents are read before the first table is made,
 *                         └───▶ items ────────▶ PutItem …       all tables are made before the first item is put
 *
 * Everything goes through td_dispatch, so that each table and each item is checked as the service checks it; but no
 * bucket is asked or charged, no fault rule applies, and tables are ACTIVE at once whatever their delays. A table that
 * is there already, with the same definition, stays as it is; items are put again. */
#ifndef THERMODYN_INIT_INIT_H
#define THERMODYN_INIT_INIT_H

#include "ops/dispatch.h"

typedef struct td_init_loaded {
    uint64_t tables; /* that were made */
    uint64_t items;  /* that were put */
} td_init_loaded;

/* Loads what the option `init` names, in order; nothing when it is empty. A long load tells its progress in the log.
 * false: `says` has one sentence that names the file and, where there is one, the line.
 * Threads: any; others that use the store meanwhile see what is loaded so far. */
TD_MUST_USE bool td_init_load(const td_service *service, td_init_loaded *ret_loaded, td_buf *says);

#endif
