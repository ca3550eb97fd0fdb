/* SPDX-License-Identifier: Apache-2.0
 * keys_check.c: checks of key attributes (messages.md §1.6).
 *
 * The service words the same fault in three ways: for an item that is put, for a key that is looked up, and for an
 * index key that an update has computed.
 * Not here: starting keys of pages, which have texts of their own (start_key.c). */
#include "keys_check.h"

static td_status check_item_part(const td_key_schema *key, uint32_t at, const td_value *value, td_error *error);
static td_status check_index_part(const td_index_spec *index, uint32_t at, const td_value *value, td_error *error);
static td_status check_size(const td_key_schema *key, uint32_t at, td_slice bytes, td_error *error);
static bool is_empty(const td_value *value);
static td_slice name_of_type(td_type type);
static td_slice word_of_type(td_type type);
static bool is_same_as_stored(const td_item *item, td_slice name, const td_value *value);

td_status td_keys__check_item(const td_schema *schema, const td_attribute *attributes, uint32_t count, bool is_lookup,
                              td_error *error)
{
    for (uint32_t i = 0; i < td_key_part_count(&schema->key); i++) {
        const td_value *value = td_value_find(attributes, count, schema->key.parts[i].name);
        if (is_lookup)
            TD_TRY(td_keys__check_part(&schema->key, i, value, error));
        else
            TD_TRY(check_item_part(&schema->key, i, value, error));
    }
    for (uint32_t i = 0; i < schema->index_count; i++) {
        const td_index_spec *index = &schema->indexes[schema->by_name[i]].spec;
        for (uint32_t part = 0; part < td_key_part_count(&index->key); part++) {
            const td_value *value = td_value_find(attributes, count, index->key.parts[part].name);
            if (value != NULL) TD_TRY(check_index_part(index, part, value, error));
        }
    }
    return TD_OK;
}

td_status td_keys__check_lookup(const td_key_schema *key, const td_attribute *attributes, uint32_t count,
                                td_error *error)
{
    if (count != td_key_part_count(key)) return TD_RAISE(error, TD_MSG_KEY_MISMATCH);
    for (uint32_t i = 0; i < count; i++) {
        TD_TRY(td_keys__check_part(key, i, td_value_find(attributes, count, key->parts[i].name), error));
    }
    return TD_OK;
}

td_status td_keys__check_part(const td_key_schema *key, uint32_t at, const td_value *value, td_error *error)
{
    const td_key_part *part = &key->parts[at];
    if (value == NULL || value->type != part->type) return TD_RAISE(error, TD_MSG_KEY_MISMATCH);
    if (is_empty(value)) return TD_RAISE(error, TD_MSG_KEY_EMPTY, word_of_type(part->type), part->name);
    return check_size(key, at, value->bytes, error);
}

td_status td_keys__check_update(const td_schema *schema, const td_update *update, td_error *error)
{
    for (uint32_t i = 0; i < td_key_part_count(&schema->key); i++) {
        td_slice name = schema->key.parts[i].name;
        if (td_update_touches(update, name)) return TD_RAISE(error, TD_MSG_KEY_UPDATED, name);
    }
    for (uint32_t i = 0; i < schema->index_count; i++) {
        const td_index_spec *index = &schema->indexes[schema->by_name[i]].spec;
        for (uint32_t at = 0; at < td_key_part_count(&index->key); at++) {
            const td_key_part *part = &index->key.parts[at];
            td_type type = td_update_type_of(update, part->name);
            if (type == TD_TYPE_COUNT || type == part->type) continue;
            return TD_RAISE(error, TD_MSG_INDEX_KEY_TYPE_MISMATCH, part->name, name_of_type(part->type),
                            name_of_type(type), index->name);
        }
    }
    for (uint32_t i = 0; i < schema->definition_count; i++) {
        td_slice name = schema->definitions[i].name;
        if (!td_update_enters(update, name)) continue;
        bool is_own = td_key_find_part(&schema->key, name) >= 0;
        return TD_RAISE(error, TD_MSG_KEY_NOT_SCALAR, is_own ? TD_LIT("Key") : TD_LIT("IndexKey"), name);
    }
    return TD_OK;
}

td_status td_keys__check_updated(const td_schema *schema, const td_item *old_item, const td_attribute *attributes,
                                 uint32_t count, td_error *error)
{
    for (uint32_t i = 0; i < schema->index_count; i++) {
        const td_index_spec *index = &schema->indexes[schema->by_name[i]].spec;
        for (uint32_t at = 0; at < td_key_part_count(&index->key); at++) {
            const td_key_part *part = &index->key.parts[at];
            const td_value *value = td_value_find(attributes, count, part->name);
            if (value == NULL || is_same_as_stored(old_item, part->name, value)) continue;
            if (value->type != part->type) return TD_RAISE(error, TD_MSG_INDEX_KEY_UPDATED_TO_TYPE);
            if (is_empty(value)) {
                return TD_RAISE(error, TD_MSG_INDEX_KEY_UPDATED_TO_EMPTY, word_of_type(value->type));
            }
            TD_TRY(check_size(&index->key, at, value->bytes, error));
        }
    }
    return TD_OK;
}

static td_status check_item_part(const td_key_schema *key, uint32_t at, const td_value *value, td_error *error)
{
    const td_key_part *part = &key->parts[at];
    if (value == NULL) return TD_RAISE(error, TD_MSG_KEY_MISSING, part->name);
    if (value->type != part->type) {
        return TD_RAISE(error, TD_MSG_KEY_TYPE_MISMATCH, part->name, name_of_type(part->type),
                        name_of_type(value->type));
    }
    return td_keys__check_part(key, at, value, error);
}

static td_status check_index_part(const td_index_spec *index, uint32_t at, const td_value *value, td_error *error)
{
    const td_key_part *part = &index->key.parts[at];
    if (value->type != part->type) {
        return TD_RAISE(error, TD_MSG_INDEX_KEY_TYPE_MISMATCH, part->name, name_of_type(part->type),
                        name_of_type(value->type), index->name);
    }
    if (is_empty(value)) {
        return TD_RAISE(error, TD_MSG_INDEX_KEY_EMPTY, word_of_type(part->type), index->name, part->name);
    }
    return check_size(&index->key, at, value->bytes, error);
}

/* Encoded numbers never come near the limits. */
static td_status check_size(const td_key_schema *key, uint32_t at, td_slice bytes, td_error *error)
{
    bool is_hash = at < key->hash_count;
    if (is_hash && bytes.len > TD_LIMIT_PARTITION_KEY_BYTES_MAX) return TD_RAISE(error, TD_MSG_KEY_HASH_TOO_LONG);
    if (!is_hash && bytes.len > TD_LIMIT_SORT_KEY_BYTES_MAX) return TD_RAISE(error, TD_MSG_KEY_RANGE_TOO_LONG);
    return TD_OK;
}

static bool is_empty(const td_value *value)
{
    return (value->type == TD_TYPE_S || value->type == TD_TYPE_B) && value->bytes.len == 0;
}

static td_slice name_of_type(td_type type)
{
    return td_slice_of_cstr(td_type_name(type));
}

static td_slice word_of_type(td_type type)
{
    return type == TD_TYPE_B ? TD_LIT("binary") : TD_LIT("string");
}

/* Only scalars are compared: whatever else an index key attribute holds is refused when it changes, and an old value
 * that was let in before the index existed may stay as it is only when the update leaves it alone. */
static bool is_same_as_stored(const td_item *item, td_slice name, const td_value *value)
{
    td_stored stored;
    if (item == NULL || !td_item_find(item, name, &stored) || stored.type != value->type) return false;
    if (td_type_is_scalar(value->type)) return td_slice_equal(stored.bytes, value->bytes);
    return false;
}
