/* SPDX-License-Identifier: Apache-2.0
 * key_paths.c: key attributes are scalars: no path of a projection or filter may go inside one, be it a key of the
 * table or of any of its indexes.
 * Not here:   updates (the engine: keys_check.c). */
#include "ops.h"

/* Does a path of the program (a projection or a condition) go inside the attribute? */
typedef bool (*enters_cb)(const void *program, td_slice attribute);

static bool projection_enters(const void *program, td_slice attribute)
{
    return td_projection_enters(program, attribute);
}

static bool condition_enters(const void *program, td_slice attribute)
{
    return td_condition_enters(program, attribute);
}

/* Keys of indexes are found after the table's. */
static td_status check(td_request *request, const td_keys *keys, const void *program, enters_cb enters)
{
    for (uint32_t i = 0; i < td_key_part_count(keys->table); i++) {
        td_slice name = keys->table->parts[i].name;
        if (enters(program, name)) return TD_RAISE(&request->error, TD_MSG_KEY_NOT_SCALAR, TD_LIT("Key"), name);
    }
    for (uint32_t i = 0; i < keys->definition_count; i++) {
        td_slice name = keys->definitions[i].name;
        if (enters(program, name)) return TD_RAISE(&request->error, TD_MSG_KEY_NOT_SCALAR, TD_LIT("IndexKey"), name);
    }
    return TD_OK;
}

/* Does the text have a path of more than one element at all? Most have none, and need no look at the table. */
static bool has_long_path(const td_json *text)
{
    return text != NULL && text->text.len > 0 &&
           (memchr(text->text.ptr, '.', text->text.len) != NULL || memchr(text->text.ptr, '[', text->text.len) != NULL);
}

td_status td_ops__check_projected_keys(td_request *request, const td_keys *keys, const td_projection *projection)
{
    if (!has_long_path(td_ops__get(request, TD_MEMBER_ProjectionExpression))) return TD_OK;
    return check(request, keys, projection, projection_enters);
}

td_status td_ops__check_filtered_keys(td_request *request, const td_keys *keys, const td_condition *filter)
{
    if (!has_long_path(td_ops__get(request, TD_MEMBER_FilterExpression))) return TD_OK;
    return check(request, keys, filter, condition_enters);
}

td_status td_ops__check_got_keys(td_request *request, const td_projection *projection)
{
    if (!has_long_path(td_ops__get(request, TD_MEMBER_ProjectionExpression))) return TD_OK;
    td_keys keys;
    TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error));
    return check(request, &keys, projection, projection_enters);
}
