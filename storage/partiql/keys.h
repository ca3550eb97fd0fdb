/* SPDX-License-Identifier: Apache-2.0
 * keys.h: look-ups in the making, between keys.c and key_ranges.c. Private to storage/partiql. */
#ifndef STORAGE_PARTIQL_KEYS_H
#define STORAGE_PARTIQL_KEYS_H

#include "syntax.h"

typedef struct td_key_lookup {
    const td_value *hash;
    const td_value *equal; /* of the sort key; NULL: `range` says it */
    const td_node *range;  /* the operation on the sort key; NULL: none */
    bool is_loose;         /* its branch denies a value of the sort key: it may overlap others */
    td_key_range made;
} td_key_lookup;

/* The value that an operation compares with; of BETWEEN, the lower one. */
const td_value *td_partiql__value_of(const td_node *operation);

/* Makes the ranges, sorts them, and sees that no item is in two of them. */
TD_MUST_USE td_status td_partiql__make_ranges(td_key_lookup *lookups, uint32_t *count, const td_key_schema *schema,
                                              td_error *error);

#endif
