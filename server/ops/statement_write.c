/* SPDX-License-Identifier: Apache-2.0
 * statement_write.c: INSERT, UPDATE, DELETE and EXISTS as writes of the engine, and what RETURNING answers.
 *
 * Model: INSERT is a put of what is not there; UPDATE and DELETE look up the one item that WHERE names, and the whole
 * of WHERE is their condition; EXISTS is a key and a condition. All else is that of the plain calls. */
#include "statement.h"

static td_status plan_insert(const td_request *request, const td_statement *statement, const td_key_schema *keys,
                             td_write *write, td_error *error);

td_status td_ops__plan_write(const td_request *request, const td_statement *statement, const td_key_schema *keys,
                             bool wants_failed_item, td_write *ret_write, td_error *error)
{
    td_write write = {.wants_item_on_failure = wants_failed_item};
    if (statement->kind == TD_STATEMENT_INSERT) {
        TD_TRY(plan_insert(request, statement, keys, &write, error));
        *ret_write = write;
        return TD_OK;
    }
    td_attribute *key = NULL;
    bool has_rest = false;
    TD_TRY(td_statement_find_key(statement, keys, request->arena, &key, &has_rest, error));
    if (statement->kind == TD_STATEMENT_EXISTS && !has_rest) return TD_RAISE(error, TD_MSG_TRANSACTED_EXISTS);
    write.attribute_count = td_key_part_count(keys);
    td_value_sort_attributes(key, &write.attribute_count);
    write.kind = statement->kind == TD_STATEMENT_DELETE ? TD_WRITE_DELETE : TD_WRITE_UPDATE;
    write.attributes = key;
    write.update = statement->update;
    write.condition = statement->where;
    *ret_write = write;
    return TD_OK;
}

/* The condition that there is no item yet. */
static td_status plan_insert(const td_request *request, const td_statement *statement, const td_key_schema *keys,
                             td_write *write, td_error *error)
{
    td_expr_name name = {.mark = TD_LIT("#k"), .name = keys->parts[0].name};
    td_expr_marks marks = {.names = &name, .name_count = 1};
    td_condition *condition = NULL;
    TD_TRY(td_condition_compile(TD_EXPR_CONDITION, TD_LIT("attribute_not_exists(#k)"), &marks, request->arena,
                                &condition, error));
    write->kind = TD_WRITE_PUT;
    write->attributes = statement->item;
    write->attribute_count = statement->item_count;
    write->condition = condition;
    return TD_OK;
}

td_status td_ops__run_write(const td_request *request, const td_statement *statement, const td_write *write,
                            td_write_result *ret_result, const td_item **ret_blocking, td_error *error)
{
    td_status status = td_write_item(&request->call, write, ret_result, error);
    *ret_blocking = status == TD_CONDITIONAL_CHECK_FAILED ? error->item : NULL;
    if (status == TD_CONDITIONAL_CHECK_FAILED && statement->kind == TD_STATEMENT_INSERT) {
        return TD_RAISE(error, TD_MSG_STATEMENT_DUPLICATE_ITEM);
    }
    if (status == TD_VALIDATION && td_ops__is_nesting_text(error->text)) {
        return TD_RAISE(error, TD_MSG_STATEMENT_NESTING_TOO_DEEP);
    }
    return status;
}

bool td_ops__is_nesting_text(td_slice text)
{
    const char *plain = td_message_text(TD_MSG_UPDATED_NESTING_TOO_DEEP, TD_WORDING_CLASSIC);
    return td_slice_equal(text, td_slice_of_cstr(plain));
}

/* ---- RETURNING --------------------------------------------------------------------------------------------------- */

td_status td_ops__find_returned(const td_request *request, const td_statement *statement, const td_write_result *result,
                                td_ops_returned *ret_returned, td_error *error)
{
    *ret_returned = (td_ops_returned){.item = NULL};
    const td_item *modified = NULL;
    switch (statement->returning) {
    case TD_RETURNING_NONE: return TD_OK;
    case TD_RETURNING_ALL_OLD: ret_returned->item = result->old_item; return TD_OK;
    case TD_RETURNING_ALL_NEW: ret_returned->item = result->new_item; return TD_OK;
    case TD_RETURNING_MODIFIED_OLD: modified = result->old_item; break;
    case TD_RETURNING_MODIFIED_NEW: modified = result->new_item; break;
    }
    td_attribute *attributes = NULL;
    td_status status =
        td_update_project(statement->update, modified, request->arena, &attributes, &ret_returned->attribute_count);
    ret_returned->attributes = attributes;
    return status == TD_OK ? TD_OK : TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
}

bool td_ops__is_returned(const td_ops_returned *returned)
{
    return returned->item != NULL || returned->attribute_count > 0;
}

void td_ops__write_returned(td_buf *buf, const td_ops_returned *returned)
{
    TD_ASSERT(td_ops__is_returned(returned));
    if (returned->item != NULL) {
        td_json_write_item(buf, returned->item);
    } else {
        td_json_write_attributes(buf, returned->attributes, returned->attribute_count);
    }
}
