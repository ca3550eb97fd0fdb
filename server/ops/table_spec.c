/* SPDX-License-Identifier: Apache-2.0
 * table_spec.c: a CreateTable request, checked in the service's order and converted: billing, definitions, the table's
 * key, then which definitions are used, local indexes, global indexes, streams, encryption.
 * Not here:   one key schema or index (index_spec.c), rates (throughput.c), quotas (the engine). */
#include "ops.h"

/* Of all keys of a request: enough for the most that a table can have. */
#define USED_KEYS_MAX (2 + TD_LIMIT_LOCAL_INDEXES_MAX * 2 + TD_LIMIT_GLOBAL_INDEXES_MAX * TD_KEY_PARTS_MAX)

typedef struct used_keys {
    td_slice names[USED_KEYS_MAX];
    uint32_t count;
} used_keys;

static td_status read_billing(td_request *request, td_table_spec *spec);
static td_status read_table_key(td_request *request, const td_ops_definitions *definitions, td_table_spec *spec);
static td_status check_index_lists(td_request *request, const td_table_spec *spec);
static td_status check_definitions_used(td_request *request, const td_ops_definitions *definitions);
static td_status read_indexes(td_request *request, const td_ops_definitions *definitions, td_table_spec *spec);
static td_status check_projected_count(td_request *request, const td_table_spec *spec);

td_status td_ops__read_table_spec(td_request *request, td_table_spec *ret_spec)
{
    td_table_spec spec = {.name = request->call.table};
    td_ops_definitions definitions;
    TD_TRY(read_billing(request, &spec));
    TD_TRY(td_ops__read_definitions(request, &definitions));
    TD_TRY(read_table_key(request, &definitions, &spec));
    TD_TRY(check_index_lists(request, &spec));
    TD_TRY(check_definitions_used(request, &definitions));
    TD_TRY(read_indexes(request, &definitions, &spec));
    TD_TRY(check_projected_count(request, &spec));
    TD_TRY(td_ops__read_stream(request, true, &spec.stream));
    TD_TRY(td_ops__read_encryption(request, &spec.encryption));

    const td_json *class = td_ops__get(request, TD_MEMBER_TableClass);
    spec.definitions = definitions.rows;
    spec.definition_count = definitions.count;
    spec.has_table_class = class != NULL;
    if (td_slice_equal(td_ops__text(class), TD_LIT("STANDARD_INFREQUENT_ACCESS"))) {
        spec.table_class = TD_CLASS_STANDARD_INFREQUENT_ACCESS;
    }
    spec.has_deletion_protection = td_ops__is_true(td_ops__get(request, TD_MEMBER_DeletionProtectionEnabled));
    TD_TRY(td_ops__read_tags(request, td_ops__get(request, TD_MEMBER_Tags), &spec.tags, &spec.tag_count));
    const td_json *policy = td_ops__get(request, TD_MEMBER_ResourcePolicy);
    TD_TRY(td_ops__read_policy(request, policy, TD_IAM_TABLE, &spec.policy, NULL));
    *ret_spec = spec;
    return TD_OK;
}

static td_status read_billing(td_request *request, td_table_spec *spec)
{
    const td_json *provisioned = td_ops__get(request, TD_MEMBER_ProvisionedThroughput);
    const td_json *on_demand = td_ops__get(request, TD_MEMBER_OnDemandThroughput);
    td_slice mode = td_ops__text(td_ops__get(request, TD_MEMBER_BillingMode));
    td_slice no_index = {NULL, 0};
    if (td_slice_equal(mode, TD_LIT("PAY_PER_REQUEST"))) {
        if (provisioned != NULL) return TD_RAISE(&request->error, TD_MSG_THROUGHPUT_WITHOUT_PROVISIONING);
        spec->billing = TD_BILLING_ON_DEMAND;
        TD_TRY(td_ops__check_on_demand_range(request, on_demand, false, no_index));
    } else {
        spec->billing = TD_BILLING_PROVISIONED;
        spec->throughput = td_ops__read_throughput(provisioned);
        if (spec->throughput.rate[TD_READ] == 0 || spec->throughput.rate[TD_WRITE] == 0) {
            return TD_RAISE(&request->error, TD_MSG_THROUGHPUT_REQUIRED);
        }
        TD_TRY(td_ops__check_throughput(request, &spec->throughput, no_index));
        TD_TRY(td_ops__check_on_demand_billing(request, on_demand, no_index));
    }
    spec->on_demand_max = td_ops__read_on_demand_max(on_demand);
    spec->warm = td_ops__read_warm(td_ops__get(request, TD_MEMBER_WarmThroughput));
    return TD_OK;
}

static td_status read_table_key(td_request *request, const td_ops_definitions *definitions, td_table_spec *spec)
{
    const td_json *key = td_ops__get(request, TD_MEMBER_KeySchema);
    if (key->count > definitions->count) return TD_RAISE(&request->error, TD_MSG_KEY_NOT_DEFINED);
    TD_TRY(td_ops__read_key(request, key, false, definitions, &spec->key));
    bool has_indexes =
        td_ops__has(request, TD_MEMBER_LocalSecondaryIndexes) || td_ops__has(request, TD_MEMBER_GlobalSecondaryIndexes);
    if (!has_indexes && key->count != definitions->count) return TD_RAISE(&request->error, TD_MSG_DEFINITION_COUNT);
    return TD_OK;
}

static td_status check_index_lists(td_request *request, const td_table_spec *spec)
{
    const td_json *local = td_ops__get(request, TD_MEMBER_LocalSecondaryIndexes);
    const td_json *global = td_ops__get(request, TD_MEMBER_GlobalSecondaryIndexes);
    if (local != NULL && local->count == 0) {
        return TD_RAISE(&request->error, TD_MSG_INDEX_LIST_EMPTY, TD_LIT("LocalSecondaryIndexes"));
    }
    if (local != NULL && spec->key.range_count == 0) {
        return TD_RAISE(&request->error, TD_MSG_LOCAL_INDEX_WITHOUT_RANGE_KEY);
    }
    if (global != NULL && global->count == 0) {
        return TD_RAISE(&request->error, TD_MSG_INDEX_LIST_EMPTY, TD_LIT("GlobalSecondaryIndexes"));
    }
    return TD_OK;
}

static void gather_key(const td_json *key, used_keys *used)
{
    for (uint32_t i = 0; key != NULL && i < key->count && used->count < USED_KEYS_MAX; i++) {
        td_slice name = td_ops__text(td_json_find(&key->children[i], TD_LIT("AttributeName")));
        bool is_known = false;
        for (uint32_t known = 0; known < used->count && !is_known; known++) {
            is_known = td_slice_equal(used->names[known], name);
        }
        if (!is_known) used->names[used->count++] = name;
    }
}

static void gather_index_keys(const td_json *indexes, uint32_t limit, used_keys *used)
{
    for (uint32_t i = 0; indexes != NULL && i < indexes->count && i < limit; i++) {
        gather_key(td_json_find(&indexes->children[i], TD_LIT("KeySchema")), used);
    }
}

/* A definition that no key uses is refused, before anything else about the indexes. */
static td_status check_definitions_used(td_request *request, const td_ops_definitions *definitions)
{
    used_keys used = {.count = 0};
    gather_key(td_ops__get(request, TD_MEMBER_KeySchema), &used);
    gather_index_keys(td_ops__get(request, TD_MEMBER_LocalSecondaryIndexes), TD_LIMIT_LOCAL_INDEXES_MAX, &used);
    gather_index_keys(td_ops__get(request, TD_MEMBER_GlobalSecondaryIndexes), TD_LIMIT_GLOBAL_INDEXES_MAX, &used);
    if (definitions->count <= used.count) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_DEFINITIONS_UNUSED, definitions->listed,
                    td_ops__join(request->arena, used.names, used.count));
}

/* What billing asks of a global index that is created with its table. */
static td_status check_index_billing(td_request *request, const td_table_spec *spec, const td_index_spec *index,
                                     const td_json *json)
{
    const td_json *provisioned = td_json_find(json, TD_LIT("ProvisionedThroughput"));
    const td_json *on_demand = td_json_find(json, TD_LIT("OnDemandThroughput"));
    if (spec->billing == TD_BILLING_ON_DEMAND) {
        if (provisioned != NULL) {
            return TD_RAISE(&request->error, TD_MSG_INDEX_THROUGHPUT_WITHOUT_PROVISIONING, index->name);
        }
        return td_ops__check_on_demand_range(request, on_demand, false, index->name);
    }
    if (provisioned == NULL) return TD_RAISE(&request->error, TD_MSG_INDEX_THROUGHPUT_REQUIRED, index->name);
    TD_TRY(td_ops__check_throughput(request, &index->throughput, index->name));
    return td_ops__check_on_demand_billing(request, on_demand, index->name);
}

/* Indexes of one kind, appended to the spec; at most `limit`, so that a list without end is not walked. */
static td_status append_indexes(td_request *request, const td_json *list, bool is_global, uint32_t limit,
                                const td_ops_definitions *definitions, td_table_spec *spec)
{
    for (uint32_t i = 0; i < list->count && i < limit; i++) {
        td_index_spec *index = &spec->indexes[spec->index_count];
        const td_slice *table_hash = is_global ? NULL : &spec->key.parts[0].name;
        TD_TRY(td_ops__read_index(request, &list->children[i], table_hash, definitions, index));
        if (is_global) TD_TRY(check_index_billing(request, spec, index, &list->children[i]));
        for (uint32_t earlier = 0; earlier < spec->index_count; earlier++) {
            if (td_slice_equal(spec->indexes[earlier].name, index->name)) {
                return TD_RAISE(&request->error, TD_MSG_INDEX_NAME_TWICE, index->name);
            }
        }
        spec->index_count++;
    }
    if (list->count <= limit) return TD_OK;
    return TD_RAISE(&request->error, is_global ? TD_MSG_INDEX_COUNT_EXCEEDED : TD_MSG_LOCAL_INDEX_COUNT_EXCEEDED,
                    td_error_int(&request->error, limit));
}

static td_status read_indexes(td_request *request, const td_ops_definitions *definitions, td_table_spec *spec)
{
    const td_json *local = td_ops__get(request, TD_MEMBER_LocalSecondaryIndexes);
    const td_json *global = td_ops__get(request, TD_MEMBER_GlobalSecondaryIndexes);
    if (local == NULL && global == NULL) return TD_OK;
    spec->indexes = td_arena_alloc_array(request->arena, TD_INDEXES_MAX, sizeof(*spec->indexes));
    if (spec->indexes == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    if (local != NULL) {
        TD_TRY(append_indexes(request, local, false, TD_LIMIT_LOCAL_INDEXES_MAX, definitions, spec));
    }
    if (global == NULL) return TD_OK;
    return append_indexes(request, global, true, TD_LIMIT_GLOBAL_INDEXES_MAX, definitions, spec);
}

static td_status check_projected_count(td_request *request, const td_table_spec *spec)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < spec->index_count; i++)
        count += spec->indexes[i].non_key_attribute_count;
    if (count <= TD_LIMIT_PROJECTED_ATTRIBUTES_MAX) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_PROJECTION_LISTS_TOO_LONG,
                    td_error_int(&request->error, TD_LIMIT_PROJECTED_ATTRIBUTES_MAX));
}
