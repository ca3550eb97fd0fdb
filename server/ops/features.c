/* SPDX-License-Identifier: Apache-2.0
 * features.c: what the service answers for features that a table does not have: Kinesis destinations, replicas.
 * Tools that describe a table ask for all of them.
 *
 * Model: global tables are not found. A table that is missing itself is told first, but for replicas,
 *        where the service says the same of both. */
#include "ops.h"

td_status td_ops__describe_kinesis_streaming_destination(td_request *request)
{
    td_table_info info;
    TD_TRY(td_table_describe(&request->call, &info, &request->error));
    td_ops_object answer = td_ops__open(request->reply);
    td_ops__member_string(&answer, TD_LIT("TableName"), info.spec.name);
    td_ops__name(&answer, TD_LIT("KinesisDataStreamDestinations"));
    td_buf_append_lit(answer.buf, "[]");
    td_ops__close(&answer);
    return TD_OK;
}

/* ---- replicas ---- */

td_status td_ops__describe_table_replica_auto_scaling(td_request *request)
{
    return TD_RAISE(&request->error, TD_MSG_REPLICAS_NOT_FOUND, request->call.table);
}

td_status td_ops__describe_global_table(td_request *request)
{
    td_slice name = td_ops__text(td_ops__get(request, TD_MEMBER_GlobalTableName));
    return TD_RAISE(&request->error, TD_MSG_GLOBAL_TABLE_NOT_FOUND, name);
}

td_status td_ops__describe_global_table_settings(td_request *request)
{
    td_slice name = td_ops__text(td_ops__get(request, TD_MEMBER_GlobalTableName));
    return TD_RAISE(&request->error, TD_MSG_GLOBAL_TABLE_SETTINGS_NOT_FOUND, name);
}

td_status td_ops__list_global_tables(td_request *request)
{
    return td_ops__answer_empty_list(request, TD_LIT("GlobalTables"));
}
