/* SPDX-License-Identifier: Apache-2.0
 * metric_list.c: every metric of a scope that has or had samples, in a fixed order: series by table and index, requests
 * by table and operation, gauges, figures of the account. */
#include "metric.h"

#define ROOM_FIRST 64

typedef struct listing {
    const td_cw_call *call;
    td_cw_metric *metrics;
    uint32_t count;
    uint32_t room;
    bool has_failed; /* no memory; nothing is appended any more */
} listing;

typedef struct inventory {
    td_metered *metered;
    uint32_t metered_count;
    td_metrics_entry *entries;
    uint32_t entry_count;
    td_slice *tables;
    uint32_t table_count;
} inventory;

static bool take_inventory(const td_cw_call *call, inventory *ret_inventory);
static void list_series(listing *list, const inventory *there);
static void list_requests(listing *list, const inventory *there);
static void list_gauges(listing *list, const inventory *there);
static void list_index_gauges(listing *list, td_slice table, td_slice index);
static td_cw_metric *append(listing *list, td_cw_source source, uint32_t id, td_slice name);

bool td_cw_metric_list(const td_cw_call *call, td_cw_metric **ret_metrics, uint32_t *ret_count)
{
    inventory there;
    listing list = {.call = call};
    if (!take_inventory(call, &there)) return false;
    list_series(&list, &there);
    list_requests(&list, &there);
    list_gauges(&list, &there);
    if (list.has_failed) return false;
    *ret_metrics = list.metrics;
    *ret_count = list.count;
    return true;
}

td_slice td_cw_kind_name(td_metrics_kind kind, td_cw_dimension *ret_dimension)
{
    *ret_dimension = kind == TD_METRICS_READ || kind == TD_METRICS_WRITE ? TD_CW_OPERATION_TYPE : TD_CW_VERB;
    switch (kind) {
    case TD_METRICS_PLAIN:
    case TD_METRICS_KIND_COUNT: return TD_LIT("");
    case TD_METRICS_READ: return TD_LIT("Read");
    case TD_METRICS_WRITE: return TD_LIT("Write");
    case TD_METRICS_SELECT: return TD_LIT("PartiQLSelect");
    case TD_METRICS_INSERT: return TD_LIT("PartiQLInsert");
    case TD_METRICS_UPDATE: return TD_LIT("PartiQLUpdate");
    case TD_METRICS_DELETE: return TD_LIT("PartiQLDelete");
    }
    TD_UNREACHABLE("requests have these kinds");
}

static bool take_inventory(const td_cw_call *call, inventory *ret_inventory)
{
    inventory there = {.metered = NULL};
    td_call engine = {
        .store = call->service->store, .arena = call->arena, .now_us = call->now_us, .scope = call->scope};
    bool has_more;
    bool is_taken =
        td_store_list_metered(engine.store, call->arena, &there.metered, &there.metered_count) &&
        td_table_list(&engine, TD_LIT(""), UINT32_MAX, &there.tables, &there.table_count, &has_more) == TD_OK;
    if (is_taken && call->service->metrics != NULL) {
        is_taken = td_metrics_list(call->service->metrics, call->arena, &there.entries, &there.entry_count);
    }
    *ret_inventory = there;
    return is_taken;
}

static void list_series(listing *list, const inventory *there)
{
    for (uint32_t i = 0; i < there->metered_count; i++) {
        const td_metered *metered = &there->metered[i];
        if (!td_slice_equal(metered->scope, list->call->scope)) continue;
        for (uint32_t id = 0; id < TD_METRIC_COUNT; id++) {
            if ((metered->recorded >> id & 1) == 0) continue;
            td_slice name = td_slice_of_cstr(td_metric_name((td_metric)id));
            td_cw_metric *metric = append(list, TD_CW_SERIES, id, name);
            if (metric == NULL) continue;
            metric->dimensions[TD_CW_TABLE_NAME] = metered->table;
            metric->dimensions[TD_CW_INDEX_NAME] = metered->index;
        }
    }
}

static void list_requests(listing *list, const inventory *there)
{
    for (uint32_t i = 0; i < there->entry_count; i++) {
        const td_metrics_entry *entry = &there->entries[i];
        if (!td_slice_equal(entry->scope, list->call->scope)) continue;
        for (uint32_t id = 0; id < TD_REQUEST_METRIC_COUNT; id++) {
            td_request_metric of = (td_request_metric)id;
            if ((entry->recorded >> id & 1) == 0) continue;
            td_cw_metric *metric = append(list, TD_CW_REQUESTS, id, td_slice_of_cstr(td_request_metric_name(of)));
            if (metric == NULL || td_request_metric_of(of) == TD_METRIC_OF_SCOPE) continue;
            metric->dimensions[TD_CW_TABLE_NAME] = entry->table;
            if (td_request_metric_of(of) == TD_METRIC_OF_TABLE) continue;
            td_cw_dimension dimension;
            td_slice kind = td_cw_kind_name(entry->kind, &dimension);
            const td_operation *operation = td_operation_at(entry->operation);
            if (operation != NULL) metric->dimensions[TD_CW_OPERATION_NAME] = operation->name;
            metric->dimensions[dimension] = kind;
        }
    }
}

static void list_gauges(listing *list, const inventory *there)
{
    td_error error = {.arena = list->call->arena};
    for (uint32_t i = 0; i < there->table_count; i++) {
        td_call engine = {.store = list->call->service->store,
                          .arena = list->call->arena,
                          .now_us = list->call->now_us,
                          .scope = list->call->scope,
                          .table = there->tables[i]};
        td_table_info info;
        td_status status = td_table_describe(&engine, &info, &error);
        list->has_failed |= status == TD_OUT_OF_MEMORY;
        if (status != TD_OK) continue;
        for (uint32_t j = 0; j < info.index_count; j++) {
            if (info.indexes[j].spec.is_global) list_index_gauges(list, there->tables[i], info.indexes[j].spec.name);
        }
    }
    for (uint32_t id = 0; id < TD_CW_GAUGE_COUNT; id++) {
        if (td_cw_gauge_is_of((td_cw_gauge)id) != TD_CW_OF_ACCOUNT) continue;
        (void)append(list, TD_CW_GAUGES, id, td_cw_gauge_name((td_cw_gauge)id));
    }
}

static void list_index_gauges(listing *list, td_slice table, td_slice index)
{
    for (uint32_t id = 0; id < TD_CW_GAUGE_COUNT; id++) {
        td_cw_gauge gauge = (td_cw_gauge)id;
        double value;
        td_time_us since_us;
        if (td_cw_gauge_is_of(gauge) != TD_CW_OF_INDEX) continue;
        if (!td_cw_gauge_of_index(list->call, gauge, table, index, &value, &since_us)) continue;
        td_cw_metric *metric = append(list, TD_CW_GAUGES, id, td_cw_gauge_name(gauge));
        if (metric == NULL) continue;
        metric->dimensions[TD_CW_TABLE_NAME] = table;
        metric->dimensions[TD_CW_INDEX_NAME] = index;
    }
}

/* NULL: no memory. */
static td_cw_metric *append(listing *list, td_cw_source source, uint32_t id, td_slice name)
{
    if (list->count == list->room && !list->has_failed) {
        uint32_t room = list->room == 0 ? ROOM_FIRST : 2 * list->room;
        td_cw_metric *grown = td_arena_alloc_array(list->call->arena, room, sizeof *grown);
        list->has_failed = grown == NULL;
        if (grown != NULL && list->count > 0) memcpy(grown, list->metrics, list->count * sizeof *grown);
        if (grown != NULL) list->metrics = grown;
        list->room = room;
    }
    if (list->has_failed) return NULL;
    td_cw_metric *metric = &list->metrics[list->count++];
    *metric = (td_cw_metric){.source = source, .id = id, .name = name};
    return metric;
}
