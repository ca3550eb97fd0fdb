/* SPDX-License-Identifier: Apache-2.0
 * tag.h: tags of a table, at creation (td_table_spec.tags) and later. At most 50 a table.
 * Threads: any. */
#ifndef THERMODYN_TAG_H
#define THERMODYN_TAG_H

#include "thermodyn/store.h"

typedef struct td_tag {
    td_slice key;
    td_slice value;
} td_tag;

/* Adds or replaces. Errors: RESOURCE_NOT_FOUND (the caller words it), LIMIT of 50. */
TD_MUST_USE td_status td_tag_put(const td_call *call, const td_tag *tags, uint32_t count, td_error *error);
/* Keys that are not there are ignored. */
TD_MUST_USE td_status td_tag_remove(const td_call *call, const td_slice *keys, uint32_t count, td_error *error);
/* Sorted by key; in the arena. */
TD_MUST_USE td_status td_tag_list(const td_call *call, td_tag **ret_tags, uint32_t *ret_count, td_error *error);

#endif
