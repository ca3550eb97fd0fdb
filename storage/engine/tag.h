/* SPDX-License-Identifier: Apache-2.0
 * tag.h: the tags that a table holds: one block, made anew with each change. */
#ifndef THERMODYN_ENGINE_TAG_H
#define THERMODYN_ENGINE_TAG_H

#include "thermodyn/tag.h"

typedef struct td_tags {
    uint32_t count;
    td_tag entries[]; /* sorted by key; what they point to lies behind them */
} td_tags;

/* What the tags will be: those of `old` (NULL: none), less the removed keys, with `put` over them. The block is the
 * caller's, NULL when no tag is left. LIMIT_EXCEEDED: too many; nothing is raised. */
TD_MUST_USE td_status td_tags__change(const td_tags *old, const td_tag *put, uint32_t put_count,
                                      const td_slice *removed, uint32_t removed_count, td_tags **ret_tags);

#endif
