/* SPDX-License-Identifier: Apache-2.0
 * model.h: the naive store that the engine is compared with: one unordered array of items a table. Order, indexes and
 * units are computed from it anew for each question, straight from the documented rules, with none of the engine's
 * structures: no tree, no partitions, no byte-string keys. */
#ifndef THERMODYN_TESTS_PROPERTY_MODEL_H
#define THERMODYN_TESTS_PROPERTY_MODEL_H

#include "thermodyn/expr.h"
#include "thermodyn/table.h"

typedef struct model_table {
    const td_table_spec *spec;
    td_item **items; /* one reference each */
    size_t count;
    size_t capacity;
} model_table;

void model_init(model_table *model, const td_table_spec *spec);
void model_done(model_table *model);

/* The item of a key (any attributes that contain it), or NULL; borrowed until the model changes. */
const td_item *model_find(const model_table *model, const td_attribute *key, uint32_t key_count);

/* Replaces what has the key of old_item or new_item (NULL: none); takes over the reference of new_item. */
void model_swap(model_table *model, const td_item *old_item, td_item *new_item);

/* ---- indexes ---------------------------------------------------------------------------------------------------- */

/* An index's entry of an item, or the item itself for the table (spec NULL). */
typedef struct model_entry {
    const td_item *base;
    const td_item *shown; /* the projected attributes; in the arena */
    td_key_hash hash;
    uint32_t part_count;
    td_slice parts[TD_KEY_PARTS_MAX]; /* of the table's or index's key */
    td_key_hash tie;                  /* of the table's key: orders entries of equal index keys */
} model_entry;

/* false: the item does not appear in the index. */
bool model_make_entry(const model_table *model, const td_index_spec *index, const td_item *item, td_arena *arena,
                      model_entry *ret_entry);

/* All entries in order; of one collection and range when `range` is given. */
model_entry *model_list(const model_table *model, const td_index_spec *index, const td_key_range *range,
                        td_arena *arena, size_t *ret_count);

/* ---- units ------------------------------------------------------------------------------------------------------ */

/* Bytes in units, by the documented rule; none cost the minimum. */
td_units model_units_of_read(uint64_t bytes, bool is_consistent);
td_units model_units_of_write(uint64_t bytes);

/* What a write that replaces old_item by new_item (either NULL) consumes, failed or not. */
void model_write_units(const model_table *model, const td_item *old_item, const td_item *new_item, td_arena *arena,
                       td_consumed *ret_consumed);

#endif
