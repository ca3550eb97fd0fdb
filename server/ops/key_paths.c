/* SPDX-License-Identifier: MIT
 * key_paths.c: key attributes are scalars: no path of a projection, filter or update may go inside one, be it a key of
 * the table or of any of its indexes. */
#include "ops.h"

/* What is asked about each key attribute: does a path go inside it? */
typedef struct entering {
    const td_projection *projection;
    const td_condition *filter;
    const td_update *update;
} entering;

static bool enters(const entering *paths, td_slice attribute)
{
    if (paths->projection != NULL && td_projection_enters(paths->projection, attribute)) return true;
    if (paths->filter != NULL && td_condition_enters(paths->filter, attribute)) return true;
    return paths->update != NULL && td_update_enters(paths->update, attribute);
}

/* Keys of indexes are found after the table's. */
static td_status check(td_request *request, const td_keys *keys, const entering *paths)
{
    for (uint32_t i = 0; paths->update == NULL && i < td_key_part_count(keys->table); i++) {
        td_slice name = keys->table->parts[i].name;
        if (enters(paths, name)) return TD_RAISE(&request->error, TD_MSG_KEY_NOT_SCALAR, TD_LIT("Key"), name);
    }
    for (uint32_t i = 0; i < keys->definition_count; i++) {
        td_slice name = keys->definitions[i].name;
        if (td_key_find_part(keys->table, name) >= 0 || !enters(paths, name)) continue;
        return TD_RAISE(&request->error, TD_MSG_KEY_NOT_SCALAR, TD_LIT("IndexKey"), name);
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
    return check(request, keys, &(entering){.projection = projection});
}

td_status td_ops__check_filtered_keys(td_request *request, const td_keys *keys, const td_condition *filter)
{
    if (!has_long_path(td_ops__get(request, TD_MEMBER_FilterExpression))) return TD_OK;
    return check(request, keys, &(entering){.filter = filter});
}

td_status td_ops__check_got_keys(td_request *request, const td_projection *projection)
{
    if (!has_long_path(td_ops__get(request, TD_MEMBER_ProjectionExpression))) return TD_OK;
    td_keys keys;
    TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error));
    return check(request, &keys, &(entering){.projection = projection});
}

td_status td_ops__check_updated_keys(td_request *request, const td_update *update)
{
    if (!has_long_path(td_ops__get(request, TD_MEMBER_UpdateExpression))) return TD_OK;
    td_keys keys;
    TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error));
    return check(request, &keys, &(entering){.update = update});
}
