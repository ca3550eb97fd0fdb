/* SPDX-License-Identifier: Apache-2.0
 * statement.c: ExecuteStatement: one statement of PartiQL as the plain call that it stands for.
 * Order (messages.md §2): the statement and its parameters, the token, then the table and the rules of the call. */
#include "meter.h"
#include "statement.h"

static td_status execute_write(td_request *request, const td_statement *statement);

td_status td_ops__execute_statement(td_request *request)
{
    td_statement *statement = NULL;
    td_ops_named table;
    TD_TRY(td_ops__read_whole_statement(request, request->root, &statement, &request->error));
    if (statement->kind == TD_STATEMENT_EXISTS) return TD_RAISE(&request->error, TD_MSG_STATEMENT_EXISTS_ALONE);
    TD_TRY(td_ops__name_statement(statement, &table, &request->error));
    request->call.table = table.name;
    td_ops__note_statement(request, statement->kind);
    if (statement->kind == TD_STATEMENT_SELECT) return td_ops__answer_select(request, statement);
    td_ops_position position;
    TD_TRY(td_ops__read_token(request, &position)); /* there is none of a write */
    return execute_write(request, statement);
}

static td_status execute_write(td_request *request, const td_statement *statement)
{
    td_error *error = &request->error;
    td_keys keys;
    td_write write;
    td_write_result result;
    td_ops_returned returned;
    const td_item *blocking;
    bool wants_failed_item = td_ops__wants_failed_item(request->root);
    TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, error));
    TD_TRY(td_ops__plan_write(request, statement, keys.table, wants_failed_item, &write, error));
    TD_TRY(td_ops__run_write(request, statement, &write, &result, &blocking, error));
    TD_TRY(td_ops__find_returned(request, statement, &result, &returned, error));

    td_ops_object answer = td_ops__open(request->reply);
    td_ops__name(&answer, TD_LIT("Items"));
    td_buf_append_byte(answer.buf, '[');
    if (td_ops__is_returned(&returned)) td_ops__write_returned(answer.buf, &returned);
    td_buf_append_byte(answer.buf, ']');
    td_ops_capacity wanted = td_ops__capacity(request);
    if (wanted != TD_CAPACITY_NONE) {
        td_ops__name(&answer, TD_LIT("ConsumedCapacity"));
        td_ops__write_capacity(answer.buf, wanted, statement->table, &result.consumed, TD_SPLIT_NONE);
    }
    td_ops__close(&answer);
    return TD_OK;
}
