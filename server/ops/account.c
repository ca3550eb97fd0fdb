/* SPDX-License-Identifier: Apache-2.0
 * account.c: what the service says of the account and of itself: DescribeLimits, whose quotas are settings of the
 * emulation, and DescribeEndpoints. */
#include "thermodyn/text.h"

#include "ops.h"

#define ENDPOINT_CACHE_MINUTES 1440

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

/* Clients that look for endpoints are sent to where they have found this one. */
td_status td_ops__describe_endpoints(td_request *request)
{
    td_slice host = request->host;
    td_slice address = host.len > 0 && td_utf8_is_valid(host) ? host : TD_LIT("localhost");
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Endpoints"));
    td_buf_append_byte(answer.buf, '[');
    td_ops_object endpoint = td_ops__open(request->reply);
    td_ops__member_string(&endpoint, TD_LIT("Address"), address);
    td_ops__member_int(&endpoint, TD_LIT("CachePeriodInMinutes"), ENDPOINT_CACHE_MINUTES);
    td_ops__close(&endpoint);
    td_buf_append_byte(answer.buf, ']');
    td_ops__close(&answer);
    return TD_OK;
}
