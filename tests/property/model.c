/* SPDX-License-Identifier: Apache-2.0
 * model.c: the naive store. */
#include "model.h"

#include <check.h>
#include <stdlib.h>

#include "thermodyn/memory.h"

static bool has_same_key(const td_key_schema *schema, const td_item *a, const td_item *b);
static bool is_in_range(const td_key_schema *schema, const model_entry *entry, const td_key_range *range);
static bool is_part_in_range(const td_key_range *range, td_slice part);
static const td_item *project(const td_table_spec *spec, const td_index_spec *index, const td_item *item,
                              td_arena *arena);
static void add_name(td_slice *names, uint32_t *count, td_slice name);
static int compare_names(const void *a, const void *b);
static int compare_entries(const void *a, const void *b);
static td_units index_units(const model_table *model, const td_index_spec *index, const td_item *old_item,
                            const td_item *new_item, td_arena *arena);
static uint64_t size_of(const td_item *item);

void model_init(model_table *model, const td_table_spec *spec)
{
    *model = (model_table){.spec = spec};
}

void model_done(model_table *model)
{
    for (size_t i = 0; i < model->count; i++)
        td_item_unref(model->items[i]);
    td_free(model->items);
}

const td_item *model_find(const model_table *model, const td_attribute *key, uint32_t key_count)
{
    const td_key_schema *schema = &model->spec->key;
    td_slice wanted[TD_KEY_PARTS_MAX];
    ck_assert(td_key_parts_of_attributes(schema, key, key_count, wanted));
    for (size_t i = 0; i < model->count; i++) {
        td_slice parts[TD_KEY_PARTS_MAX];
        ck_assert(td_key_parts_of_item(schema, model->items[i], parts));
        uint32_t same = 0;
        while (same < td_key_part_count(schema) && td_slice_equal(parts[same], wanted[same]))
            same++;
        if (same == td_key_part_count(schema)) return model->items[i];
    }
    return NULL;
}

void model_swap(model_table *model, const td_item *old_item, td_item *new_item)
{
    ck_assert(old_item == NULL || new_item == NULL || has_same_key(&model->spec->key, old_item, new_item));
    for (size_t i = 0; old_item != NULL && i < model->count; i++) {
        if (model->items[i] != old_item) continue;
        td_item_unref(model->items[i]);
        model->items[i] = model->items[--model->count];
        break;
    }
    if (new_item == NULL) return;
    if (model->count == model->capacity) {
        model->capacity = model->capacity == 0 ? 64 : model->capacity * 2;
        model->items = td_resize(model->items, model->capacity * sizeof(td_item *));
        ck_assert(model->items != NULL);
    }
    model->items[model->count++] = new_item;
}

bool model_make_entry(const model_table *model, const td_index_spec *index, const td_item *item, td_arena *arena,
                      model_entry *ret_entry)
{
    const td_key_schema *table = &model->spec->key;
    const td_key_schema *schema = index == NULL ? table : &index->key;
    model_entry entry = {.base = item};
    if (!td_key_parts_of_item(schema, item, entry.parts)) return false;
    entry.part_count = td_key_part_count(schema);
    entry.hash = td_key_hash_of(entry.parts, schema->hash_count, TD_PLACEMENT_SERVICE);
    if (index != NULL) {
        td_slice parts[TD_KEY_PARTS_MAX];
        ck_assert(td_key_parts_of_item(table, item, parts));
        td_buf key;
        td_buf_init(&key, 8192);
        for (uint32_t i = 0; i < td_key_part_count(table); i++)
            td_buf_append(&key, parts[i]);
        td_slice whole = td_buf_contents(&key);
        entry.tie = td_key_hash_of(&whole, 1, TD_PLACEMENT_SERVICE);
        td_buf_done(&key);
    }
    entry.shown = index == NULL ? item : project(model->spec, index, item, arena);
    *ret_entry = entry;
    return true;
}

model_entry *model_list(const model_table *model, const td_index_spec *index, const td_key_range *range,
                        td_arena *arena, size_t *ret_count)
{
    const td_key_schema *schema = index == NULL ? &model->spec->key : &index->key;
    model_entry *entries = td_arena_alloc_array(arena, model->count + 1, sizeof *entries);
    ck_assert(entries != NULL);
    size_t count = 0;
    for (size_t i = 0; i < model->count; i++) {
        if (!model_make_entry(model, index, model->items[i], arena, &entries[count])) continue;
        if (range == NULL || is_in_range(schema, &entries[count], range)) count++;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    *ret_count = count;
    return entries;
}

td_units model_units_of_read(uint64_t bytes, bool is_consistent)
{
    td_units blocks = bytes == 0 ? 1 : (td_units)((bytes + 4095) / 4096);
    return blocks * (is_consistent ? 1000 : 500);
}

td_units model_units_of_write(uint64_t bytes)
{
    return bytes == 0 ? 1000 : (td_units)((bytes + 1023) / 1024) * 1000;
}

void model_write_units(const model_table *model, const td_item *old_item, const td_item *new_item, td_arena *arena,
                       td_consumed *ret_consumed)
{
    uint64_t old_size = size_of(old_item);
    uint64_t new_size = size_of(new_item);
    ret_consumed->table = model_units_of_write(old_size > new_size ? old_size : new_size);
    ret_consumed->index_count = 0;
    for (uint32_t i = 0; i < model->spec->index_count; i++) {
        const td_index_spec *index = &model->spec->indexes[i];
        td_units units = index_units(model, index, old_item, new_item, arena);
        if (units == 0) continue;
        ret_consumed->indexes[ret_consumed->index_count++] =
            (td_consumed_index){.name = index->name, .is_global = index->is_global, .units = units};
    }
}

static bool has_same_key(const td_key_schema *schema, const td_item *a, const td_item *b)
{
    td_slice of_a[TD_KEY_PARTS_MAX];
    td_slice of_b[TD_KEY_PARTS_MAX];
    if (!td_key_parts_of_item(schema, a, of_a) || !td_key_parts_of_item(schema, b, of_b)) return false;
    for (uint32_t i = 0; i < td_key_part_count(schema); i++) {
        if (!td_slice_equal(of_a[i], of_b[i])) return false;
    }
    return true;
}

static bool is_in_range(const td_key_schema *schema, const model_entry *entry, const td_key_range *range)
{
    for (uint32_t i = 0; i < schema->hash_count; i++) {
        if (!td_slice_equal(entry->parts[i], range->hash_parts[i])) return false;
    }
    for (uint32_t i = 0; i < range->equal_count; i++) {
        if (!td_slice_equal(entry->parts[schema->hash_count + i], range->equal_parts[i])) return false;
    }
    if (range->kind == TD_RANGE_ALL) return true;
    return is_part_in_range(range, entry->parts[schema->hash_count + range->equal_count]);
}

static bool is_part_in_range(const td_key_range *range, td_slice part)
{
    int order = td_slice_compare(part, range->low);
    switch (range->kind) {
    case TD_RANGE_ALL: return true;
    case TD_RANGE_LESS: return order < 0;
    case TD_RANGE_LESS_EQUAL: return order <= 0;
    case TD_RANGE_GREATER: return order > 0;
    case TD_RANGE_GREATER_EQUAL: return order >= 0;
    case TD_RANGE_BETWEEN: return order >= 0 && td_slice_compare(part, range->high) <= 0;
    case TD_RANGE_BEGINS_WITH: return td_slice_has_prefix(part, range->low);
    }
    return false;
}

static const td_item *project(const td_table_spec *spec, const td_index_spec *index, const td_item *item,
                              td_arena *arena)
{
    if (index->projection == TD_PROJECT_ALL) return item;
    td_slice names[2 * TD_KEY_PARTS_MAX + TD_LIMIT_PROJECTED_ATTRIBUTES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < td_key_part_count(&spec->key); i++)
        add_name(names, &count, spec->key.parts[i].name);
    for (uint32_t i = 0; i < td_key_part_count(&index->key); i++)
        add_name(names, &count, index->key.parts[i].name);
    for (uint32_t i = 0; index->projection == TD_PROJECT_INCLUDE && i < index->non_key_attribute_count; i++)
        add_name(names, &count, index->non_key_attributes[i]);
    qsort(names, count, sizeof *names, compare_names);

    td_item *shown = td_item_project(item, names, count);
    ck_assert(shown != NULL);
    ck_assert(td_item_ref_in(shown, arena));
    td_item_unref(shown);
    return shown;
}

static void add_name(td_slice *names, uint32_t *count, td_slice name)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (td_slice_equal(names[i], name)) return;
    }
    names[(*count)++] = name;
}

static int compare_names(const void *a, const void *b)
{
    return td_slice_compare(*(const td_slice *)a, *(const td_slice *)b);
}

static int compare_entries(const void *a, const void *b)
{
    const model_entry *left = a;
    const model_entry *right = b;
    int order = memcmp(left->hash.bytes, right->hash.bytes, TD_KEY_HASH_BYTES);
    for (uint32_t i = 0; order == 0 && i < left->part_count; i++)
        order = td_slice_compare(left->parts[i], right->parts[i]);
    return order != 0 ? order : memcmp(left->tie.bytes, right->tie.bytes, TD_KEY_HASH_BYTES);
}

/* throttling.md §1.4 */
static td_units index_units(const model_table *model, const td_index_spec *index, const td_item *old_item,
                            const td_item *new_item, td_arena *arena)
{
    model_entry before;
    model_entry after;
    bool was_there = old_item != NULL && model_make_entry(model, index, old_item, arena, &before);
    bool is_there = new_item != NULL && model_make_entry(model, index, new_item, arena, &after);
    if (!was_there && !is_there) return 0;
    if (!was_there) return model_units_of_write(size_of(after.shown));
    if (!is_there) return model_units_of_write(size_of(before.shown));
    if (!has_same_key(&index->key, old_item, new_item))
        return model_units_of_write(size_of(before.shown)) + model_units_of_write(size_of(after.shown));
    if (td_item_equal(before.shown, after.shown)) return 0;
    uint64_t old_size = size_of(before.shown);
    uint64_t new_size = size_of(after.shown);
    return model_units_of_write(old_size > new_size ? old_size : new_size);
}

static uint64_t size_of(const td_item *item)
{
    return item == NULL ? 0 : td_item_size(item);
}
