/* SPDX-License-Identifier: Apache-2.0
 * select.c: what a Query or Scan answers: Select, the projection, and what the index holds of it.
 * A global index answers what it projects and refuses the rest; a local one fetches the rest from the table; the
 * filter of a Query may name projected attributes only, on both. */
#include "ops.h"

/* Attributes that an index lacks, gathered in two passes: counted, then kept. */
typedef struct lacking {
    const td_keys *keys;
    td_slice *names; /* NULL: the counting pass */
    uint32_t count;
} lacking;

static void visit_lacking(void *context, td_slice name);
static td_status list_lacking(td_request *request, const td_keys *keys, const td_projection *projection,
                              const td_condition *filter, lacking *ret_lacking);

td_status td_ops__check_select(td_request *request, td_ops_select *ret_select)
{
    static const td_slice words[] = {TD_LIT_INIT(""), TD_LIT_INIT("ALL_ATTRIBUTES"),
                                     TD_LIT_INIT("ALL_PROJECTED_ATTRIBUTES"), TD_LIT_INIT("SPECIFIC_ATTRIBUTES"),
                                     TD_LIT_INIT("COUNT")};
    td_ops_select select =
        (td_ops_select)td_ops__choice(td_ops__get(request, TD_MEMBER_Select), words, TD_COUNT_OF(words));
    *ret_select = select;
    bool has_list = td_ops__has(request, TD_MEMBER_AttributesToGet);
    bool has_projection = td_ops__has(request, TD_MEMBER_ProjectionExpression);
    if (select == TD_SELECT_DEFAULT) return TD_OK;
    if (select == TD_SELECT_SPECIFIC_ATTRIBUTES) {
        return has_list || has_projection ? TD_OK : TD_RAISE(&request->error, TD_MSG_SELECT_NEEDS_LIST);
    }
    if (has_list || has_projection) {
        td_slice asked = select == TD_SELECT_COUNT ? TD_LIT("only the Count") : words[select];
        td_member member = has_projection ? TD_MEMBER_ProjectionExpression : TD_MEMBER_AttributesToGet;
        return TD_RAISE(&request->error, TD_MSG_SELECT_EXCLUDES_LIST, td_ops__member_name(member), asked);
    }
    if (select == TD_SELECT_ALL_PROJECTED_ATTRIBUTES && !td_ops__has(request, TD_MEMBER_IndexName)) {
        return TD_RAISE(&request->error, TD_MSG_SELECT_NEEDS_INDEX);
    }
    return TD_OK;
}

td_status td_ops__check_projected(td_request *request, const td_keys *keys, td_ops_select select,
                                  const td_projection *projection, bool *ret_needs_whole_items)
{
    *ret_needs_whole_items = false;
    if (keys->index == NULL || keys->projection == TD_PROJECT_ALL) return TD_OK;
    td_slice index = td_ops__text(td_ops__get(request, TD_MEMBER_IndexName));
    if (select == TD_SELECT_ALL_ATTRIBUTES) {
        if (keys->is_global) return TD_RAISE(&request->error, TD_MSG_INDEX_NOT_ALL, index);
        *ret_needs_whole_items = true;
        return TD_OK;
    }
    if (projection == NULL) return TD_OK;
    lacking found = {.keys = keys};
    TD_TRY(list_lacking(request, keys, projection, NULL, &found));
    if (found.count == 0) return TD_OK;
    if (!keys->is_global) {
        *ret_needs_whole_items = true;
        return TD_OK;
    }
    return TD_RAISE(&request->error, TD_MSG_INDEX_LACKS_ATTRIBUTES, index,
                    td_ops__join(request->arena, found.names, found.count));
}

td_status td_ops__check_filter_projected(td_request *request, const td_keys *keys, const td_condition *filter)
{
    if (filter == NULL || keys->index == NULL || keys->projection == TD_PROJECT_ALL) return TD_OK;
    lacking found = {.keys = keys};
    TD_TRY(list_lacking(request, keys, NULL, filter, &found));
    if (found.count == 0) return TD_OK;
    (void)td_ops__sort_and_find_duplicate(found.names, found.count);
    return TD_RAISE(&request->error, TD_MSG_INDEX_LACKS_FILTERED,
                    td_ops__text(td_ops__get(request, TD_MEMBER_IndexName)),
                    td_ops__join(request->arena, found.names, found.count));
}

static void visit_all(const td_projection *projection, const td_condition *filter, lacking *found)
{
    found->count = 0;
    if (projection != NULL) td_projection_visit_attributes(projection, visit_lacking, found);
    if (filter != NULL) td_condition_visit_attributes(filter, visit_lacking, found);
}

static td_status list_lacking(td_request *request, const td_keys *keys, const td_projection *projection,
                              const td_condition *filter, lacking *ret_lacking)
{
    lacking found = {.keys = keys};
    visit_all(projection, filter, &found);
    if (found.count > 0) {
        found.names = td_arena_alloc_array(request->arena, found.count, sizeof(*found.names));
        if (found.names == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
        visit_all(projection, filter, &found);
    }
    *ret_lacking = found;
    return TD_OK;
}

static void visit_lacking(void *context, td_slice name)
{
    lacking *found = context;
    if (td_ops__projects(found->keys, name)) return;
    if (found->names != NULL) found->names[found->count] = name;
    found->count++;
}

bool td_ops__projects(const td_keys *keys, td_slice attribute)
{
    if (td_key_find_part(keys->table, attribute) >= 0 || td_key_find_part(keys->index, attribute) >= 0) return true;
    for (uint32_t i = 0; i < keys->non_key_attribute_count; i++) {
        if (td_slice_equal(keys->non_key_attributes[i], attribute)) return true;
    }
    return false;
}
