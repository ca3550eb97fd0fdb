/* SPDX-License-Identifier: Apache-2.0
 * backfill.h: filling a global index of an existing table. */
#ifndef THERMODYN_ENGINE_BACKFILL_H
#define THERMODYN_ENGINE_BACKFILL_H

#include "state.h"

/* Gives every item of the table its entry in the index, in chunks, with the table's lock given back in between; the
 * index is maintained by writes meanwhile. The lock is not held. TD_OUT_OF_MEMORY is the only error; a table or index
 * that goes away meanwhile is none. */
TD_MUST_USE td_status td_backfill__run(td_table *table, td_slice index, td_placement placement);

#endif
