/* SPDX-License-Identifier: Apache-2.0
 * tables.c: CreateTable, DescribeTable, ListTables, DeleteTable. */
#include "ops.h"

#define LIST_TABLES_LIMIT 100 /* default and most of ListTables */

td_status td_ops__create_table(td_request *request)
{
    td_table_spec spec;
    td_table_info info;
    TD_TRY(td_ops__read_table_spec(request, &spec));
    TD_TRY(td_table_create(&request->call, &spec, &info, &request->error));
    return td_ops__write_table(request, TD_LIT("TableDescription"), &info);
}

td_status td_ops__describe_table(td_request *request)
{
    td_table_info info;
    TD_TRY(td_table_describe(&request->call, &info, &request->error));
    return td_ops__write_table(request, TD_LIT("Table"), &info);
}

td_status td_ops__delete_table(td_request *request)
{
    td_table_info info;
    TD_TRY(td_table_delete(&request->call, &info, &request->error));
    return td_ops__write_table(request, TD_LIT("TableDescription"), &info);
}

td_status td_ops__list_tables(td_request *request)
{
    const td_json *limit = td_ops__get(request, TD_MEMBER_Limit);
    td_slice after = td_ops__text(td_ops__get(request, TD_MEMBER_ExclusiveStartTableName));
    td_slice *names = NULL;
    uint32_t count = 0;
    bool has_more = false;
    TD_TRY(td_table_list(&request->call, after, limit == NULL ? LIST_TABLES_LIMIT : (uint32_t)td_ops__int(limit),
                         &names, &count, &has_more));

    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("TableNames"));
    td_buf_append_byte(answer.buf, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) td_buf_append_byte(answer.buf, ',');
        td_json_write_string(answer.buf, names[i]);
    }
    td_buf_append_byte(answer.buf, ']');
    if (has_more && count > 0) td_ops__member_string(&answer, TD_LIT("LastEvaluatedTableName"), names[count - 1]);
    td_ops__close(&answer);
    return TD_OK;
}
