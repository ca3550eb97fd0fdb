/* SPDX-License-Identifier: Apache-2.0
 * gauge.c: figures as they are now: of tables and indexes from their descriptions, of the account from the settings. */
#include "metric.h"
#include "thermodyn/observe.h"

typedef struct gauge_row {
    td_slice name;
    const char *unit;
    td_cw_gauge_of of;
} gauge_row;

static const gauge_row gauges[TD_CW_GAUGE_COUNT] = {
#define TD_CW_GAUGE(id, name, unit, of) [TD_CW_GAUGE_##id] = {TD_LIT_INIT(name), unit, TD_CW_OF_##of},
#include "gauges.def"
#undef TD_CW_GAUGE
};

static bool read_resource(const td_cw_call *call, td_cw_gauge gauge, td_slice table, td_slice index, double *ret_value,
                          td_time_us *ret_since_us);
static bool value_of(td_cw_gauge gauge, const td_table_info *info, const td_index_info *index, double *ret_value);
static bool read_account(const td_cw_call *call, td_cw_gauge gauge, double *ret_value);
static bool read_use(const td_cw_call *call, td_direction direction, double *ret_sum, double *ret_greatest);
static double percent(double part, double whole);

td_slice td_cw_gauge_name(td_cw_gauge gauge)
{
    return gauges[gauge].name;
}

const char *td_cw_gauge_unit(td_cw_gauge gauge)
{
    return gauges[gauge].unit;
}

td_cw_gauge_of td_cw_gauge_is_of(td_cw_gauge gauge)
{
    return gauges[gauge].of;
}

bool td_cw_gauge_read(const td_cw_call *call, td_cw_gauge gauge, td_slice table, td_slice index, double *ret_value,
                      td_time_us *ret_since_us)
{
    if (gauges[gauge].of != TD_CW_OF_ACCOUNT) return read_resource(call, gauge, table, index, ret_value, ret_since_us);
    *ret_since_us = call->now_us - (td_monotonic_us() - call->service->started_monotonic_us);
    return read_account(call, gauge, ret_value);
}

static bool read_resource(const td_cw_call *call, td_cw_gauge gauge, td_slice table, td_slice index, double *ret_value,
                          td_time_us *ret_since_us)
{
    td_error error = {.arena = call->arena};
    td_call engine = {.store = call->service->store,
                      .arena = call->arena,
                      .now_us = call->now_us,
                      .scope = call->scope,
                      .region = call->region,
                      .table = table};
    td_table_info info;
    if (td_table_describe(&engine, &info, &error) != TD_OK) return false;
    const td_index_info *found = NULL;
    for (uint32_t i = 0; i < info.index_count && index.len > 0; i++) {
        if (info.indexes[i].spec.is_global && td_slice_equal(info.indexes[i].spec.name, index))
            found = &info.indexes[i];
    }
    if (index.len > 0 && found == NULL) return false;
    *ret_since_us = info.created_us;
    return value_of(gauge, &info, found, ret_value);
}

static bool value_of(td_cw_gauge gauge, const td_table_info *info, const td_index_info *index, double *ret_value)
{
    const int64_t *provisioned = index == NULL ? info->spec.throughput.rate : index->spec.throughput.rate;
    const int64_t *most = index == NULL ? info->spec.on_demand_max.rate : index->spec.on_demand_max.rate;
    bool is_provisioned = info->spec.billing == TD_BILLING_PROVISIONED;
    bool is_backfilling = index != NULL && index->is_backfilling;
    switch (gauge) {
    case TD_CW_GAUGE_PROVISIONED_READ: *ret_value = (double)provisioned[TD_READ]; return is_provisioned;
    case TD_CW_GAUGE_PROVISIONED_WRITE: *ret_value = (double)provisioned[TD_WRITE]; return is_provisioned;
    case TD_CW_GAUGE_ON_DEMAND_MAX_READ: *ret_value = (double)most[TD_READ]; return most[TD_READ] > 0;
    case TD_CW_GAUGE_ON_DEMAND_MAX_WRITE: *ret_value = (double)most[TD_WRITE]; return most[TD_WRITE] > 0;
    case TD_CW_GAUGE_INDEX_PROGRESS:
        *ret_value = index == NULL ? 0 : percent((double)index->item_count, (double)info->item_count);
        return is_backfilling;
    case TD_CW_GAUGE_INDEX_THROTTLES:
    case TD_CW_GAUGE_INDEX_CONSUMED: *ret_value = 0; return is_backfilling;
    case TD_CW_GAUGE_ACCOUNT_READS:
    case TD_CW_GAUGE_ACCOUNT_WRITES:
    case TD_CW_GAUGE_TABLE_READS:
    case TD_CW_GAUGE_TABLE_WRITES:
    case TD_CW_GAUGE_ACCOUNT_READ_USE:
    case TD_CW_GAUGE_ACCOUNT_WRITE_USE:
    case TD_CW_GAUGE_TABLE_READ_USE:
    case TD_CW_GAUGE_TABLE_WRITE_USE:
    case TD_CW_GAUGE_COUNT: break;
    }
    TD_UNREACHABLE("these are the account's");
}

static bool read_account(const td_cw_call *call, td_cw_gauge gauge, double *ret_value)
{
    td_capacity_settings settings;
    if (!td_store_get_capacity(call->service->store, call->scope, TD_LIT(""), &settings)) return false;
    const double *values = settings.values;
    double scale = values[TD_CAPACITY_capacity_scale];
    double account[TD_DIRECTION_COUNT] = {[TD_READ] = values[TD_CAPACITY_account_read_quota] * scale,
                                          [TD_WRITE] = values[TD_CAPACITY_account_write_quota] * scale};
    double table[TD_DIRECTION_COUNT] = {[TD_READ] = values[TD_CAPACITY_table_read_quota] * scale,
                                        [TD_WRITE] = values[TD_CAPACITY_table_write_quota] * scale};
    bool is_write = gauge == TD_CW_GAUGE_ACCOUNT_WRITES || gauge == TD_CW_GAUGE_TABLE_WRITES ||
                    gauge == TD_CW_GAUGE_ACCOUNT_WRITE_USE || gauge == TD_CW_GAUGE_TABLE_WRITE_USE;
    td_direction direction = is_write ? TD_WRITE : TD_READ;
    bool is_quota = gauge == TD_CW_GAUGE_ACCOUNT_READS || gauge == TD_CW_GAUGE_ACCOUNT_WRITES ||
                    gauge == TD_CW_GAUGE_TABLE_READS || gauge == TD_CW_GAUGE_TABLE_WRITES;
    bool is_of_account = gauge == TD_CW_GAUGE_ACCOUNT_READS || gauge == TD_CW_GAUGE_ACCOUNT_WRITES ||
                         gauge == TD_CW_GAUGE_ACCOUNT_READ_USE || gauge == TD_CW_GAUGE_ACCOUNT_WRITE_USE;
    double quota = is_of_account ? account[direction] : table[direction];
    *ret_value = quota;
    if (is_quota) return true;
    double sum = 0;
    double greatest = 0;
    if (!read_use(call, direction, &sum, &greatest)) return false;
    *ret_value = percent(is_of_account ? sum : greatest, quota);
    return true;
}

/* What the scope's tables have provisioned, with their indexes: all of them, and the one with the most. */
static bool read_use(const td_cw_call *call, td_direction direction, double *ret_sum, double *ret_greatest)
{
    td_table_overview *tables;
    uint32_t count;
    if (!td_observe_tables(call->service->store, call->now_us, call->arena, &tables, &count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!td_slice_equal(tables[i].scope, call->scope) || tables[i].billing != TD_BILLING_PROVISIONED) continue;
        double rate = 0;
        for (uint32_t j = 0; j < tables[i].resource_count; j++)
            rate += (double)tables[i].resources[j].rate[direction];
        *ret_sum += rate;
        if (rate > *ret_greatest) *ret_greatest = rate;
    }
    return true;
}

static double percent(double part, double whole)
{
    return whole <= 0 ? 0 : 100 * part / whole;
}
