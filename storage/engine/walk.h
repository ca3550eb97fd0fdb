/* SPDX-License-Identifier: Apache-2.0
 * walk.h: visiting every item of a table while it is in use.
 *
 * The walk takes the table's lock for some items at a time. It resumes by key, so partitions may be split and items
 * come and go meanwhile: what is there from beginning to end is met once, and what is written behind the walk is not
 * met. */
#ifndef THERMODYN_ENGINE_WALK_H
#define THERMODYN_ENGINE_WALK_H

#include "state.h"

typedef enum td_walk_step { TD_WALK_ON, TD_WALK_ENOUGH, TD_WALK_OUT_OF_MEMORY } td_walk_step;

/* Called with the table's lock held; it may change anything but the table's items. */
typedef td_walk_step td_walk_visit(td_table *table, td_slice key, td_item *item, void *context);

/* TD_OUT_OF_MEMORY is the only error; a table that goes away meanwhile is none. The lock is not held. */
TD_MUST_USE td_status td_walk__run(td_table *table, td_walk_visit *visit, void *context);

#endif
