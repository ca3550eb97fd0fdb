/* SPDX-License-Identifier: Apache-2.0
 * tag.h: the tags that a table holds: one block, made anew with each change. */
#ifndef THERMODYN_ENGINE_TAG_H
#define THERMODYN_ENGINE_TAG_H

#include <stdatomic.h>

#include "thermodyn/tag.h"

typedef struct td_tags {
    _Atomic uint32_t references;
    uint32_t count;
    td_tag entries[]; /* sorted by key; what they point to lies behind them */
} td_tags;

/* What the tags will be: those of `old` (NULL: none), less the removed keys, with `put` over them. The caller owns
 * one reference; NULL when no tag is left. LIMIT_EXCEEDED: too many; nothing is raised. */
TD_MUST_USE td_status td_tags__change(const td_tags *old, const td_tag *put, uint32_t put_count,
                                      const td_slice *removed, uint32_t removed_count, td_tags **ret_tags);

static inline td_tags *td_tags__ref(td_tags *tags)
{
    if (tags != NULL) (void)atomic_fetch_add_explicit(&tags->references, 1, memory_order_relaxed);
    return tags;
}

void td_tags__unref(td_tags *tags); /* NULL is allowed */

#endif
