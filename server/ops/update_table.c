/* SPDX-License-Identifier: Apache-2.0
 * update_table.c: UpdateTable: what the request alone can be checked for, before the table is looked up; the rest is
 * the engine's (throttling.md §3.7). */
#include "ops.h"

static td_status check_any_change(td_request *request);
static td_status read_rates(td_request *request, td_table_change *change);
static td_status read_switches(td_request *request, td_table_change *change);
static td_status read_index_changes(td_request *request, const td_ops_definitions *definitions,
                                    td_table_change *change);
static td_status read_index_change(td_request *request, const td_json *json, const td_ops_definitions *definitions,
                                   td_index_change *ret_change);

td_status td_ops__update_table(td_request *request)
{
    td_table_change change = {0};
    td_ops_definitions definitions;
    TD_TRY(check_any_change(request));
    TD_TRY(read_rates(request, &change));
    TD_TRY(td_ops__read_definitions(request, &definitions));
    TD_TRY(read_index_changes(request, &definitions, &change));
    TD_TRY(read_switches(request, &change));
    change.definitions = definitions.rows;
    change.definition_count = definitions.count;

    td_table_info info;
    TD_TRY(td_table_update(&request->call, &change, &info, &request->error));
    return td_ops__write_table(request, TD_LIT("TableDescription"), &info);
}

static td_status check_any_change(td_request *request)
{
    static const td_member changes[] = {
        TD_MEMBER_ProvisionedThroughput, TD_MEMBER_BillingMode,    TD_MEMBER_StreamSpecification,
        TD_MEMBER_SSESpecification,      TD_MEMBER_TableClass,     TD_MEMBER_DeletionProtectionEnabled,
        TD_MEMBER_OnDemandThroughput,    TD_MEMBER_WarmThroughput,
    };
    for (size_t i = 0; i < TD_COUNT_OF(changes); i++) {
        if (td_ops__has(request, changes[i])) return TD_OK;
    }
    const td_json *indexes = td_ops__get(request, TD_MEMBER_GlobalSecondaryIndexUpdates);
    if (indexes != NULL && indexes->count > 0) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_UPDATE_TABLE_EMPTY);
}

static td_status read_rates(td_request *request, td_table_change *change)
{
    const td_json *billing = td_ops__get(request, TD_MEMBER_BillingMode);
    const td_json *provisioned = td_ops__get(request, TD_MEMBER_ProvisionedThroughput);
    const td_json *on_demand = td_ops__get(request, TD_MEMBER_OnDemandThroughput);
    const td_json *warm = td_ops__get(request, TD_MEMBER_WarmThroughput);
    td_slice no_index = {NULL, 0};
    change->has_billing = billing != NULL;
    if (td_slice_equal(td_ops__text(billing), TD_LIT("PAY_PER_REQUEST"))) change->billing = TD_BILLING_ON_DEMAND;
    change->has_throughput = provisioned != NULL;
    change->throughput = td_ops__read_throughput(provisioned);
    change->has_on_demand_max = on_demand != NULL;
    change->on_demand_max = td_ops__read_on_demand_max(on_demand);
    change->has_warm = warm != NULL;
    change->warm = td_ops__read_warm(warm);
    if (change->has_billing && change->billing == TD_BILLING_PROVISIONED && provisioned == NULL) {
        return TD_RAISE(&request->error, TD_MSG_UPDATE_THROUGHPUT_REQUIRED);
    }
    TD_TRY(td_ops__check_throughput(request, &change->throughput, no_index));
    return td_ops__check_on_demand_range(request, on_demand, true, no_index);
}

static td_status read_switches(td_request *request, td_table_change *change)
{
    const td_json *protection = td_ops__get(request, TD_MEMBER_DeletionProtectionEnabled);
    const td_json *class = td_ops__get(request, TD_MEMBER_TableClass);
    change->has_stream = td_ops__has(request, TD_MEMBER_StreamSpecification);
    TD_TRY(td_ops__read_stream(request, false, &change->stream));
    TD_TRY(td_ops__read_encryption(request, &change->encryption));
    change->has_encryption = change->encryption.is_given;
    change->has_table_class = class != NULL;
    if (td_slice_equal(td_ops__text(class), TD_LIT("STANDARD_INFREQUENT_ACCESS"))) {
        change->table_class = TD_CLASS_STANDARD_INFREQUENT_ACCESS;
    }
    change->has_deletion_protection = protection != NULL;
    change->deletion_protection = td_ops__is_true(protection);
    return TD_OK;
}

static td_status read_index_changes(td_request *request, const td_ops_definitions *definitions, td_table_change *change)
{
    const td_json *list = td_ops__get(request, TD_MEMBER_GlobalSecondaryIndexUpdates);
    if (list == NULL) return TD_OK;
    td_index_change *changes = td_arena_alloc_array(request->arena, list->count, sizeof(*changes));
    td_slice *names = td_arena_alloc_array(request->arena, list->count, sizeof(*names));
    if (changes == NULL || names == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < list->count; i++) {
        TD_TRY(read_index_change(request, &list->children[i], definitions, &changes[i]));
        names[i] = changes[i].spec.name;
    }
    const td_slice *twice = td_ops__sort_and_find_duplicate(names, list->count);
    if (twice != NULL) return TD_RAISE(&request->error, TD_MSG_INDEX_UPDATED_TWICE, *twice);
    change->indexes = changes;
    change->index_count = list->count;
    return TD_OK;
}

static td_status read_index_change(td_request *request, const td_json *json, const td_ops_definitions *definitions,
                                   td_index_change *ret_change)
{
    const td_json *create = td_json_find(json, TD_LIT("Create"));
    const td_json *update = td_json_find(json, TD_LIT("Update"));
    const td_json *remove = td_json_find(json, TD_LIT("Delete"));
    int actions = (create != NULL) + (update != NULL) + (remove != NULL);
    if (actions == 0) return TD_RAISE(&request->error, TD_MSG_INDEX_UPDATE_EMPTY);
    if (actions > 1) return TD_RAISE(&request->error, TD_MSG_INDEX_UPDATE_MANY);

    td_index_change change = {0};
    const td_json *action = create != NULL ? create : update != NULL ? update : remove;
    change.spec.name = td_ops__text(td_json_find(action, TD_LIT("IndexName")));
    change.spec.is_global = true;
    change.action = create != NULL ? TD_INDEX_CREATE : update != NULL ? TD_INDEX_UPDATE : TD_INDEX_DELETE;
    if (change.action == TD_INDEX_DELETE) {
        *ret_change = change;
        return TD_OK;
    }
    const td_json *on_demand = td_json_find(action, TD_LIT("OnDemandThroughput"));
    change.has_throughput = td_json_find(action, TD_LIT("ProvisionedThroughput")) != NULL;
    change.has_on_demand_max = on_demand != NULL;
    change.has_warm = td_json_find(action, TD_LIT("WarmThroughput")) != NULL;
    if (change.action == TD_INDEX_CREATE) {
        TD_TRY(td_ops__read_index(request, action, NULL, definitions, &change.spec));
    } else {
        change.spec.throughput = td_ops__read_throughput(td_json_find(action, TD_LIT("ProvisionedThroughput")));
        change.spec.on_demand_max = td_ops__read_on_demand_max(on_demand);
        change.spec.warm = td_ops__read_warm(td_json_find(action, TD_LIT("WarmThroughput")));
    }
    TD_TRY(td_ops__check_on_demand_range(request, on_demand, change.action == TD_INDEX_UPDATE, change.spec.name));
    *ret_change = change;
    return TD_OK;
}
