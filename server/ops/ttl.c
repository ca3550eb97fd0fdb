/* SPDX-License-Identifier: Apache-2.0
 * ttl.c: UpdateTimeToLive, which answers its request, and DescribeTimeToLive.
 * Not here: when items are deleted, and what an update may not change (the engine). */
#include "thermodyn/expiry.h"

#include "ops.h"

td_status td_ops__update_time_to_live(td_request *request)
{
    const td_json *specification = td_ops__get(request, TD_MEMBER_TimeToLiveSpecification);
    bool is_enabled = td_ops__is_true(td_json_find(specification, TD_LIT("Enabled")));
    td_slice attribute = td_ops__text(td_json_find(specification, TD_LIT("AttributeName")));
    TD_TRY(td_expiry_update(&request->call, is_enabled, attribute, &request->error));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("TimeToLiveSpecification"));
    td_ops_object object = td_ops__open(request->reply);
    td_ops__member_bool(&object, TD_LIT("Enabled"), is_enabled);
    td_ops__member_string(&object, TD_LIT("AttributeName"), attribute);
    td_ops__close(&object);
    td_ops__close(&answer);
    return TD_OK;
}

td_status td_ops__describe_time_to_live(td_request *request)
{
    td_table_info table;
    td_expiry_info expiry;
    td_error *error = &request->error;
    TD_TRY(td_table_describe(&request->call, &table, error));
    if (table.status == TD_TABLE_CREATING) return TD_RAISE(error, TD_MSG_EXPIRY_OF_UNSETTLED_TABLE, TD_LIT("CREATING"));
    if (table.status == TD_TABLE_DELETING) return TD_RAISE(error, TD_MSG_EXPIRY_OF_UNSETTLED_TABLE, TD_LIT("DELETING"));
    TD_TRY(td_expiry_describe(&request->call, &expiry, error));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("TimeToLiveDescription"));
    td_ops_object object = td_ops__open(request->reply);
    td_ops__member_string(&object, TD_LIT("TimeToLiveStatus"),
                          expiry.is_enabled ? TD_LIT("ENABLED") : TD_LIT("DISABLED"));
    if (expiry.is_enabled) td_ops__member_string(&object, TD_LIT("AttributeName"), expiry.attribute);
    td_ops__close(&object);
    td_ops__close(&answer);
    return TD_OK;
}
