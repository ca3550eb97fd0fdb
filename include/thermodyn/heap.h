/* SPDX-License-Identifier: Apache-2.0
 * heap.h: the queue of due times: a binary min-heap of (instant, sequence, object). Entries of the same instant come
 * out in the order in which they went in. Threads: one at a time (the owner's lock). */
#ifndef THERMODYN_HEAP_H
#define THERMODYN_HEAP_H

#include "thermodyn/base.h"

typedef struct td_heap td_heap;

TD_MUST_USE td_heap *td_heap_new(void);
void td_heap_free(td_heap *heap); /* objects are the caller's */

TD_MUST_USE bool td_heap_push(td_heap *heap, td_time_us due_us, void *object); /* false: no memory */
td_time_us td_heap_next_due(const td_heap *heap);                              /* TD_NEVER when empty */
void *td_heap_pop(td_heap *heap);                                              /* NULL when empty */
/* Takes out every object for which `matches` answers true; that function may release it. */
void td_heap_remove(td_heap *heap, bool (*matches)(void *object, void *context), void *context);

#endif
