/* SPDX-License-Identifier: MIT
 * account.c: what the service says of the account: DescribeLimits. The quotas are settings of the emulation. */
#include "ops.h"

td_status td_ops__describe_limits(td_request *request)
{
    static const struct {
        td_slice name;
        td_capacity_setting setting;
    } limits[] = {
        {TD_LIT_INIT("AccountMaxReadCapacityUnits"), TD_CAPACITY_account_read_quota},
        {TD_LIT_INIT("AccountMaxWriteCapacityUnits"), TD_CAPACITY_account_write_quota},
        {TD_LIT_INIT("TableMaxReadCapacityUnits"), TD_CAPACITY_table_read_quota},
        {TD_LIT_INIT("TableMaxWriteCapacityUnits"), TD_CAPACITY_table_write_quota},
    };
    td_capacity_settings settings;
    td_slice server = {NULL, 0};
    if (!td_store_get_capacity(request->call.store, request->call.scope, server, &settings)) {
        return TD_RAISE(&request->error, TD_MSG_INTERNAL_SERVER_ERROR);
    }
    td_ops_object answer = td_ops__open(request->reply);
    for (size_t i = 0; i < TD_COUNT_OF(limits); i++) {
        double quota = settings.values[limits[i].setting] * settings.values[TD_CAPACITY_capacity_scale];
        td_ops__member_int(&answer, limits[i].name, quota < 1 ? 1 : (int64_t)quota);
    }
    td_ops__close(&answer);
    return TD_OK;
}
