/* SPDX-License-Identifier: Apache-2.0
 * quota.c: quotas of tables and of the account. They compare nominal numbers: what users write with what the settings
 * say, without capacity_scale.
 * Not here: who adds up the reservations (catalog.c). */
#include "quota.h"

static const td_capacity_setting table_quota[TD_DIRECTION_COUNT] = {
    [TD_READ] = TD_CAPACITY_table_read_quota,
    [TD_WRITE] = TD_CAPACITY_table_write_quota,
};
static const td_capacity_setting account_quota[TD_DIRECTION_COUNT] = {
    [TD_READ] = TD_CAPACITY_account_read_quota,
    [TD_WRITE] = TD_CAPACITY_account_write_quota,
};
static const td_slice table_max_units[TD_DIRECTION_COUNT] = {
    [TD_READ] = TD_LIT_INIT("TableMaxReadCapacityUnits"),
    [TD_WRITE] = TD_LIT_INIT("TableMaxWriteCapacityUnits"),
};
const td_slice td_quota__capacity_units[TD_DIRECTION_COUNT] = {
    [TD_READ] = TD_LIT_INIT("ReadCapacityUnits"),
    [TD_WRITE] = TD_LIT_INIT("WriteCapacityUnits"),
};
const td_slice td_quota__request_units[TD_DIRECTION_COUNT] = {
    [TD_READ] = TD_LIT_INIT("MaxReadRequestUnits"),
    [TD_WRITE] = TD_LIT_INIT("MaxWriteRequestUnits"),
};
const td_slice td_quota__units_per_second[TD_DIRECTION_COUNT] = {
    [TD_READ] = TD_LIT_INIT("ReadUnitsPerSecond"),
    [TD_WRITE] = TD_LIT_INIT("WriteUnitsPerSecond"),
};

td_status td_quota__resource_name(td_slice index, td_error *error, td_slice *ret_name)
{
    *ret_name = TD_LIT("table");
    if (index.len == 0) return TD_OK;
    if (td_arena_format(error->arena, ret_name, "index %.*s", (int)index.len, (const char *)index.ptr)) return TD_OK;
    return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

td_status td_quota__check_throughput(const td_call *call, const td_capacity_settings *settings,
                                     const td_throughput *asked, td_error *error)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        double quota = settings->values[table_quota[d]];
        if ((double)asked->rate[d] <= quota) continue;
        return TD_RAISE(error, TD_MSG_TABLE_QUOTA_EXCEEDED, td_quota__capacity_units[d],
                        td_error_int(error, asked->rate[d]), call->region, td_error_int(error, (int64_t)quota));
    }
    return TD_OK;
}

td_status td_quota__check_on_demand_max(const td_call *call, const td_capacity_settings *settings, td_slice index,
                                        const td_on_demand_max *asked, td_error *error)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if ((double)asked->rate[d] <= settings->values[table_quota[d]]) continue;
        td_slice resource;
        TD_TRY(td_quota__resource_name(index, error, &resource));
        return TD_RAISE(error, TD_MSG_ON_DEMAND_MAX_EXCEEDS_QUOTA, td_quota__request_units[d], resource,
                        table_max_units[d], call->region);
    }
    return TD_OK;
}

/* Source of the start of on-demand: AWS on-demand capacity mode, "Initial throughput". */
td_status td_quota__check_new_warm(td_billing_mode billing, td_slice index, const td_throughput *warm,
                                   const td_throughput *provisioned, td_error *error)
{
    static const int64_t start[TD_DIRECTION_COUNT] = {[TD_READ] = 12000, [TD_WRITE] = 4000};
    bool is_on_demand = billing == TD_BILLING_ON_DEMAND;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        int64_t floor = is_on_demand ? start[d] : provisioned->rate[d];
        if (warm->rate[d] == 0 || warm->rate[d] >= floor) continue;
        td_slice resource;
        TD_TRY(td_quota__resource_name(index, error, &resource));
        td_slice member = td_quota__units_per_second[d];
        if (is_on_demand) return TD_RAISE(error, TD_MSG_WARM_THROUGHPUT_BELOW_ON_DEMAND, member, resource);
        return TD_RAISE(error, TD_MSG_WARM_THROUGHPUT_BELOW_PROVISIONED, member, resource, td_quota__capacity_units[d]);
    }
    return TD_OK;
}

td_status td_quota__check_account(const td_call *call, const td_capacity_settings *settings,
                                  const int64_t reserved[TD_DIRECTION_COUNT], const int64_t more[TD_DIRECTION_COUNT],
                                  td_error *error)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        double quota = settings->values[account_quota[d]];
        if (more[d] <= 0 || (double)(reserved[d] + more[d]) <= quota) continue;
        return TD_RAISE(error, TD_MSG_ACCOUNT_QUOTA_EXCEEDED, td_quota__capacity_units[d], call->region,
                        td_error_int(error, reserved[d]), td_error_int(error, (int64_t)quota),
                        td_error_int(error, more[d]));
    }
    return TD_OK;
}
