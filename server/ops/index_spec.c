/* SPDX-License-Identifier: Apache-2.0
 * index_spec.c: key schemas and secondary indexes of CreateTable and UpdateTable, against AttributeDefinitions.
 * Tables and local indexes have one partition key attribute and at most one sort key attribute; global indexes up to
 * four of each. */
#include "ops.h"

static const td_attribute_definition *find_definition(const td_ops_definitions *definitions, td_slice name);
static td_status check_key_names(td_request *request, const td_slice *names, uint32_t count,
                                 const td_ops_definitions *definitions);
static td_status check_key_types(td_request *request, const td_json *json, bool is_multi);
static td_status check_local_key(td_request *request, td_slice index, const td_key_schema *key, td_slice table_hash);
static td_status read_projection(td_request *request, const td_json *json, td_index_spec *index);

static td_slice element_name(const td_json *element)
{
    return td_ops__text(td_json_find(element, TD_LIT("AttributeName")));
}

static bool is_hash(const td_json *element)
{
    return td_slice_equal(td_ops__text(td_json_find(element, TD_LIT("KeyType"))), TD_LIT("HASH"));
}

td_status td_ops__read_definitions(td_request *request, td_ops_definitions *ret_definitions)
{
    const td_json *json = td_ops__get(request, TD_MEMBER_AttributeDefinitions);
    td_ops_definitions definitions = {.count = json == NULL ? 0 : json->count};
    definitions.rows = td_arena_alloc_array(request->arena, definitions.count, sizeof(*definitions.rows));
    td_slice *names = td_arena_alloc_array(request->arena, definitions.count, sizeof(*names));
    if (definitions.rows == NULL || names == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < definitions.count; i++) {
        const td_json *element = &json->children[i];
        td_slice type = td_ops__text(td_json_find(element, TD_LIT("AttributeType")));
        names[i] = element_name(element);
        definitions.rows[i] = (td_attribute_definition){names[i], td_type_of_name(type)};
    }
    definitions.listed = td_ops__join(request->arena, names, definitions.count);
    const td_slice *twice = td_ops__sort_and_find_duplicate(names, definitions.count);
    if (twice != NULL) return TD_RAISE(&request->error, TD_MSG_DEFINITION_TWICE, *twice);
    *ret_definitions = definitions;
    return TD_OK;
}

static const td_attribute_definition *find_definition(const td_ops_definitions *definitions, td_slice name)
{
    for (uint32_t i = 0; i < definitions->count; i++) {
        if (td_slice_equal(definitions->rows[i].name, name)) return &definitions->rows[i];
    }
    return NULL;
}

td_status td_ops__read_key(td_request *request, const td_json *json, bool is_multi,
                           const td_ops_definitions *definitions, td_key_schema *ret_key)
{
    uint32_t count = json->count <= TD_KEY_PARTS_MAX ? json->count : TD_KEY_PARTS_MAX;
    td_slice names[TD_KEY_PARTS_MAX];
    for (uint32_t i = 0; i < count; i++)
        names[i] = element_name(&json->children[i]);
    TD_TRY(check_key_names(request, names, count, definitions));
    TD_TRY(check_key_types(request, json, is_multi));

    td_key_schema key = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (is_hash(&json->children[i])) {
            key.hash_count++;
        } else {
            key.range_count++;
        }
        key.parts[i] = (td_key_part){names[i], find_definition(definitions, names[i])->type};
    }
    *ret_key = key;
    return TD_OK;
}

/* All defined, none twice. */
static td_status check_key_names(td_request *request, const td_slice *names, uint32_t count,
                                 const td_ops_definitions *definitions)
{
    for (uint32_t i = 0; i < count; i++) {
        if (find_definition(definitions, names[i]) != NULL) continue;
        return TD_RAISE(&request->error, TD_MSG_KEYS_NOT_DEFINED, td_ops__join(request->arena, names, count),
                        definitions->listed);
    }
    td_slice sorted[TD_KEY_PARTS_MAX];
    memcpy(sorted, names, count * sizeof(*names));
    if (td_ops__sort_and_find_duplicate(sorted, count) == NULL) return TD_OK;
    return TD_RAISE(&request->error, count == 2 ? TD_MSG_KEY_TWICE : TD_MSG_KEYS_TWICE);
}

/* HASH attributes, then RANGE attributes, not more than there may be. */
static td_status check_key_types(td_request *request, const td_json *json, bool is_multi)
{
    if (json->count == 0 || !is_hash(&json->children[0])) return TD_RAISE(&request->error, TD_MSG_KEY_FIRST_NOT_HASH);
    if (!is_multi && json->count > 1 && is_hash(&json->children[1])) {
        return TD_RAISE(&request->error, TD_MSG_KEY_SECOND_NOT_RANGE);
    }
    uint32_t hash_count = 0;
    for (uint32_t i = 0; i < json->count; i++) {
        if (!is_hash(&json->children[i])) continue;
        if (hash_count < i) return TD_RAISE(&request->error, TD_MSG_KEYS_HASH_AFTER_RANGE);
        hash_count++;
    }
    uint32_t range_count = json->count - hash_count;
    if (hash_count > (is_multi ? TD_LIMIT_INDEX_HASH_PARTS_MAX : 1)) {
        return TD_RAISE(&request->error, TD_MSG_KEYS_TOO_MANY, TD_LIT("HASH"));
    }
    if (range_count > (is_multi ? TD_LIMIT_INDEX_RANGE_PARTS_MAX : 1)) {
        return TD_RAISE(&request->error, TD_MSG_KEYS_TOO_MANY, TD_LIT("RANGE"));
    }
    return TD_OK;
}

td_status td_ops__read_index(td_request *request, const td_json *json, const td_slice *table_hash,
                             const td_ops_definitions *definitions, td_index_spec *ret_index)
{
    td_index_spec index = {
        .name = td_ops__text(td_json_find(json, TD_LIT("IndexName"))),
        .is_global = table_hash == NULL,
        .throughput = td_ops__read_throughput(td_json_find(json, TD_LIT("ProvisionedThroughput"))),
        .on_demand_max = td_ops__read_on_demand_max(td_json_find(json, TD_LIT("OnDemandThroughput"))),
        .warm = td_ops__read_warm(td_json_find(json, TD_LIT("WarmThroughput"))),
    };
    const td_json *key = td_json_find(json, TD_LIT("KeySchema"));
    TD_TRY(td_ops__read_key(request, key, index.is_global, definitions, &index.key));
    if (!index.is_global) TD_TRY(check_local_key(request, index.name, &index.key, *table_hash));
    TD_TRY(read_projection(request, td_json_find(json, TD_LIT("Projection")), &index));
    *ret_index = index;
    return TD_OK;
}

/* A local index sorts the table's own collections anew. */
static td_status check_local_key(td_request *request, td_slice index, const td_key_schema *key, td_slice table_hash)
{
    if (key->range_count == 0) return TD_RAISE(&request->error, TD_MSG_INDEX_WITHOUT_RANGE_KEY, index);
    if (td_slice_equal(key->parts[0].name, table_hash)) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_INDEX_HASH_KEY_DIFFERS, index, key->parts[0].name, table_hash);
}

static td_status read_projection(td_request *request, const td_json *json, td_index_spec *index)
{
    static const td_slice words[] = {
        [TD_PROJECT_ALL] = TD_LIT_INIT("ALL"),
        [TD_PROJECT_KEYS_ONLY] = TD_LIT_INIT("KEYS_ONLY"),
        [TD_PROJECT_INCLUDE] = TD_LIT_INIT("INCLUDE"),
    };
    const td_json *type = td_json_find(json, TD_LIT("ProjectionType"));
    const td_json *list = td_json_find(json, TD_LIT("NonKeyAttributes"));
    if (type == NULL) return TD_RAISE(&request->error, TD_MSG_PROJECTION_TYPE_MISSING);
    index->projection = (td_projection_type)td_ops__choice(type, words, TD_COUNT_OF(words));
    if (index->projection != TD_PROJECT_INCLUDE) {
        return list == NULL ? TD_OK : TD_RAISE(&request->error, TD_MSG_PROJECTION_LIST_SURPLUS, type->text);
    }
    if (list == NULL) return TD_RAISE(&request->error, TD_MSG_PROJECTION_LIST_MISSING);

    td_slice *names = td_arena_alloc_array(request->arena, list->count, sizeof(*names));
    td_slice *sorted = td_arena_alloc_array(request->arena, list->count, sizeof(*names));
    if (names == NULL || sorted == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < list->count; i++)
        sorted[i] = names[i] = td_ops__text(&list->children[i]);
    const td_slice *twice = td_ops__sort_and_find_duplicate(sorted, list->count);
    if (twice != NULL) return TD_RAISE(&request->error, TD_MSG_PROJECTION_LIST_TWICE, *twice);
    index->non_key_attributes = names;
    index->non_key_attribute_count = list->count;
    return TD_OK;
}
