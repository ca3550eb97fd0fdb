/* SPDX-License-Identifier: Apache-2.0
 * statement_read.c: from the JSON of a statement and its parameters to a bound statement.
 *
 * Order: the service reads the parameters' types and sets first, then the statement, then the parameters' numbers and
 * levels (messages.md §2; captures of September 2026: floci, PartiQL edge cases). */
#include "statement.h"

#include "wire/decode.h"

static bool is_told_late(td_message message);

td_status td_ops__read_parameters(const td_request *request, const td_json *structure,
                                  td_ops_parameters *ret_parameters, td_error *error)
{
    *ret_parameters = (td_ops_parameters){.late = td_ops__new_error(request)};
    const td_json *list = td_json_find(structure, td_ops__member_name(TD_MEMBER_Parameters));
    if (list == NULL) return TD_OK;
    td_value *values = td_arena_alloc_array(request->arena, list->count, sizeof(*values));
    if (values == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    ret_parameters->values = values;
    ret_parameters->count = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        td_error fault = td_ops__new_error(request);
        td_status status = td_decode_value(&list->children[i], request->arena, &values[i], &fault);
        if (status == TD_OK) continue;
        if (!is_told_late(fault.message)) {
            *error = fault;
            return status;
        }
        if (ret_parameters->late.status == TD_OK) ret_parameters->late = fault;
    }
    return TD_OK;
}

static bool is_told_late(td_message message)
{
    static const td_message late[] = {TD_MSG_NUMBER_NOT_NUMERIC,     TD_MSG_NUMBER_NOT_NUMERIC_EMPTY,
                                      TD_MSG_NUMBER_OVERFLOW,        TD_MSG_NUMBER_UNDERFLOW,
                                      TD_MSG_NUMBER_TOO_MANY_DIGITS, TD_MSG_NESTING_TOO_DEEP};
    for (size_t i = 0; i < TD_COUNT_OF(late); i++) {
        if (message == late[i]) return true;
    }
    return false;
}

td_status td_ops__read_statement(const td_request *request, const td_json *structure,
                                 const td_ops_parameters *parameters, td_statement **ret_statement, td_error *error)
{
    td_slice text = td_ops__text(td_json_find(structure, td_ops__member_name(TD_MEMBER_Statement)));
    td_statement *statement = NULL;
    TD_TRY(td_statement_parse(text, request->arena, &statement, error));
    if (parameters->late.status != TD_OK) {
        *error = parameters->late;
        return error->status;
    }
    TD_TRY(td_statement_bind(statement, parameters->values, parameters->count, request->arena, error));
    *ret_statement = statement;
    return TD_OK;
}

td_status td_ops__read_whole_statement(const td_request *request, const td_json *structure,
                                       td_statement **ret_statement, td_error *error)
{
    td_ops_parameters parameters;
    TD_TRY(td_ops__read_parameters(request, structure, &parameters, error));
    return td_ops__read_statement(request, structure, &parameters, ret_statement, error);
}

td_status td_ops__name_statement(const td_statement *statement, td_ops_named *ret_table, td_error *error)
{
    ret_table->sent = statement->table;
    return td_table_name_parse(statement->table, &ret_table->name, error);
}

bool td_ops__wants_failed_item(const td_json *structure)
{
    td_slice name = td_ops__member_name(TD_MEMBER_ReturnValuesOnConditionCheckFailure);
    return td_slice_equal(td_ops__text(td_json_find(structure, name)), TD_LIT("ALL_OLD"));
}
