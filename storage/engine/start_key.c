/* SPDX-License-Identifier: Apache-2.0
 * start_key.c: checks of starting keys, with the texts of Query and of Scan, which differ.
 *
 * Source:   the order and the texts are those that dynalite's tests have recorded from the service (test/query.js,
 *           test/scan.js: "starting key").
 * Not here: other keys (keys_check.c). */
#include "start_key.h"

#include "access.h"
#include "catalog.h"
#include "index.h"
#include "keys_check.h"

static td_status check_shape(const td_page_request *request, bool is_query, const td_schema *schema,
                             const td_index_schema *index, td_error *error);
static td_status check_count(const td_page_request *request, bool is_query, const td_schema *schema,
                             const td_index_schema *index, td_error *error);
static td_status check_parts(const td_page_request *request, const td_key_schema *key, uint32_t count, td_error *error);
static td_status check_table_parts(const td_page_request *request, bool is_query, const td_schema *schema,
                                   const td_index_schema *index, td_error *error);
static td_status check_query(const td_page_request *request, const td_key_schema *key, td_error *error);
static bool is_in_range(const td_key_range *range, const td_key_schema *key, const td_slice *parts);
static bool encode(const td_page_request *request, const td_schema *schema, const td_index_schema *index,
                   td_placement placement, td_buf *key);

#define KEY_BYTES_MAX ((size_t)1 << 17)

td_status td_start_key_check(const td_call *call, const td_page_request *request, bool is_query, td_error *error)
{
    td_access access;
    TD_TRY(td_access__open(call, &access, error));
    uint32_t at = 0;
    td_status status = request->index.len == 0 ? TD_OK : td_access__find_index(&access, request->index, &at, error);
    if (status == TD_OK) {
        const td_index_schema *index = request->index.len == 0 ? NULL : &access.schema->indexes[at];
        const td_key_schema *key = index == NULL ? &access.schema->key : &index->spec.key;
        status = check_count(request, is_query, access.schema, index, error);
        uint32_t part_count = is_query ? key->hash_count : index == NULL ? 0 : td_key_part_count(key);
        if (status == TD_OK) status = check_parts(request, key, part_count, error);
    }
    td_access__close(&access);
    return status;
}

td_status td_start_key_check_place(const td_call *call, const td_page_request *request, td_error *error)
{
    td_access access;
    TD_TRY(td_access__open(call, &access, error));
    uint32_t at = 0;
    td_status status = request->index.len == 0 ? TD_OK : td_access__find_index(&access, request->index, &at, error);
    if (status == TD_OK) {
        const td_index_schema *index = request->index.len == 0 ? NULL : &access.schema->indexes[at];
        td_bounds bounds; /* of a query they may stay open: its starting key is compared with the range itself */
        td_bounds__init(&bounds);
        if (request->range == NULL) td_bounds__set_segment(&bounds, request->segment, request->total_segments);
        status = td_start_key__apply(request, access.schema, index, call->store->options.placement, &bounds, error);
        td_bounds__done(&bounds);
    }
    td_access__close(&access);
    return status;
}

td_status td_start_key__apply(const td_page_request *request, const td_schema *schema, const td_index_schema *index,
                              td_placement placement, td_bounds *bounds, td_error *error)
{
    TD_TRY(check_shape(request, request->range != NULL, schema, index, error));
    const td_key_schema *key_schema = index == NULL ? &schema->key : &index->spec.key;
    if (request->range != NULL) TD_TRY(check_query(request, key_schema, error));

    td_buf key;
    td_buf_init(&key, KEY_BYTES_MAX);
    bool is_encoded = encode(request, schema, index, placement, &key);
    td_status status = TD_OK;
    if (!is_encoded) {
        status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    } else if (!td_bounds__has_hash(bounds, td_partition__hash_of_key(td_buf_contents(&key)))) {
        TD_ASSERT(request->range == NULL);
        status = TD_RAISE(error, TD_MSG_START_KEY_OF_OTHER_SEGMENT, td_error_int(error, request->total_segments),
                          td_error_int(error, request->segment));
    } else if (!td_bounds__set_start(bounds, td_buf_contents(&key))) {
        status = TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    td_buf_done(&key);
    return status;
}

static td_status check_shape(const td_page_request *request, bool is_query, const td_schema *schema,
                             const td_index_schema *index, td_error *error)
{
    TD_TRY(check_count(request, is_query, schema, index, error));
    const td_key_schema *key = index == NULL ? &schema->key : &index->spec.key;
    if (index != NULL || is_query) TD_TRY(check_parts(request, key, td_key_part_count(key), error));
    return check_table_parts(request, is_query, schema, index, error);
}

static td_status check_count(const td_page_request *request, bool is_query, const td_schema *schema,
                             const td_index_schema *index, td_error *error)
{
    uint32_t wanted = index == NULL ? td_key_part_count(&schema->key) : index->key_name_count;
    if (request->start_key_count != wanted) {
        bool is_table_scan = !is_query && index == NULL;
        return TD_RAISE(error, is_table_scan ? TD_MSG_SCAN_START_KEY_MISMATCH : TD_MSG_START_KEY_INVALID);
    }
    return TD_OK;
}

/* The key that the walk goes by, or its first `count` attributes: what is missing is told in one way, what has the
 * wrong type in another. */
static td_status check_parts(const td_page_request *request, const td_key_schema *key, uint32_t count, td_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        const td_value *value = td_value_find(request->start_key, request->start_key_count, key->parts[i].name);
        if (value == NULL) return TD_RAISE(error, TD_MSG_START_KEY_INVALID);
        TD_TRY(td_keys__check_part(key, i, value, error));
    }
    return TD_OK;
}

static td_status check_table_parts(const td_page_request *request, bool is_query, const td_schema *schema,
                                   const td_index_schema *index, td_error *error)
{
    bool is_table_scan = !is_query && index == NULL;
    for (uint32_t i = 0; i < td_key_part_count(&schema->key); i++) {
        const td_key_part *part = &schema->key.parts[i];
        const td_value *value = td_value_find(request->start_key, request->start_key_count, part->name);
        if (value != NULL && value->type == part->type) {
            TD_TRY(td_keys__check_part(&schema->key, i, value, error));
            continue;
        }
        return TD_RAISE(error, is_table_scan ? TD_MSG_SCAN_START_KEY_MISMATCH : TD_MSG_START_KEY_MISMATCH);
    }
    return TD_OK;
}

static td_status check_query(const td_page_request *request, const td_key_schema *key, td_error *error)
{
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_attributes(key, request->start_key, request->start_key_count, parts);
    TD_ASSERT(has_key);
    const td_key_range *range = request->range;
    bool is_same_collection = true;
    for (uint32_t i = 0; i < key->hash_count; i++) {
        is_same_collection = is_same_collection && td_slice_equal(parts[i], range->hash_parts[i]);
    }
    if (range->equal_count == 0 && range->kind == TD_RANGE_ALL) {
        return is_same_collection ? TD_OK : TD_RAISE(error, TD_MSG_START_KEY_OUTSIDE);
    }
    if (!is_in_range(range, key, parts)) return TD_RAISE(error, TD_MSG_START_KEY_OFF_RANGE);
    return is_same_collection ? TD_OK : TD_RAISE(error, TD_MSG_START_KEY_OF_ONE_ROW);
}

/* Payloads compare as values do: strings and binaries by bytes, numbers in their encoding. */
static bool is_in_range(const td_key_range *range, const td_key_schema *key, const td_slice *parts)
{
    const td_slice *sort_parts = parts + key->hash_count;
    for (uint32_t i = 0; i < range->equal_count; i++) {
        if (!td_slice_equal(sort_parts[i], range->equal_parts[i])) return false;
    }
    if (range->kind == TD_RANGE_ALL) return true;
    td_slice value = sort_parts[range->equal_count];
    int to_low = td_slice_compare(value, range->low);
    switch (range->kind) {
    case TD_RANGE_ALL: return true;
    case TD_RANGE_LESS: return to_low < 0;
    case TD_RANGE_LESS_EQUAL: return to_low <= 0;
    case TD_RANGE_GREATER: return to_low > 0;
    case TD_RANGE_GREATER_EQUAL: return to_low >= 0;
    case TD_RANGE_BETWEEN: return to_low >= 0 && td_slice_compare(value, range->high) <= 0;
    case TD_RANGE_BEGINS_WITH: return td_slice_has_prefix(value, range->low);
    }
    return false;
}

static bool encode(const td_page_request *request, const td_schema *schema, const td_index_schema *index,
                   td_placement placement, td_buf *key)
{
    const td_key_schema *key_schema = index == NULL ? &schema->key : &index->spec.key;
    td_slice parts[TD_KEY_PARTS_MAX];
    td_slice table_parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_attributes(key_schema, request->start_key, request->start_key_count, parts) &&
                   td_key_parts_of_attributes(&schema->key, request->start_key, request->start_key_count, table_parts);
    TD_ASSERT(has_key);
    td_key_append(key, key_schema, parts, placement);
    if (index != NULL) {
        td_key_append_tie_break(key, table_parts, (uint8_t)td_key_part_count(&schema->key), placement);
    }
    return !td_buf_has_failed(key);
}
