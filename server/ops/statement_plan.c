/* SPDX-License-Identifier: Apache-2.0
 * statement_plan.c: how a SELECT is read: as look-ups of items, as queries of key ranges, or as a scan.
 *
 * Order of checks (messages.md §2): table, index, keys of several attributes, consistency, projection, then what WHERE
 * says of the key, ORDER BY, and the filter against what the index projects. */
#include "statement.h"

/* Attributes that the index lacks. */
typedef struct lacking {
    td_slice *names;
    uint32_t count;
} lacking;

static td_status find_keys(const td_request *request, td_ops_plan *plan, td_error *error);
static td_status check_selected(const td_request *request, td_ops_plan *plan, td_error *error);
static td_status check_filtered(const td_request *request, const td_ops_plan *plan, td_error *error);
static td_status list_lacking(const td_request *request, const td_keys *keys, const td_slice *names, uint32_t count,
                              lacking *ret_lacking, td_error *error);
static td_status order_ranges(const td_request *request, td_ops_plan *plan, td_error *error);

td_status td_ops__plan_select(const td_request *request, const td_statement *statement, bool is_consistent,
                              td_ops_plan *ret_plan, td_error *error)
{
    td_ops_plan plan = {.statement = statement, .is_consistent = is_consistent};
    TD_TRY(find_keys(request, &plan, error));
    TD_TRY(check_selected(request, &plan, error));
    TD_TRY(td_statement_find_keys(statement, plan.schema, request->arena, &plan.found, error));
    TD_TRY(td_statement_check_order(statement, plan.schema, &plan.found, &plan.walk, error));
    TD_TRY(check_filtered(request, &plan, error));
    TD_TRY(order_ranges(request, &plan, error));
    *ret_plan = plan;
    return TD_OK;
}

static td_status find_keys(const td_request *request, td_ops_plan *plan, td_error *error)
{
    td_slice index = plan->statement->index;
    td_status status = td_table_find_keys(&request->call, index, &plan->keys, error);
    if (status == TD_VALIDATION && index.len > 0) return TD_RAISE(error, TD_MSG_STATEMENT_INDEX_NOT_FOUND);
    TD_TRY(status);
    plan->schema = plan->keys.index == NULL ? plan->keys.table : plan->keys.index;
    if (plan->schema->hash_count > 1 || plan->schema->range_count > 1) {
        return TD_RAISE(error, TD_MSG_STATEMENT_INDEX_IS_MULTI);
    }
    if (plan->is_consistent && plan->keys.index != NULL && plan->keys.is_global) {
        return TD_RAISE(error, TD_MSG_STATEMENT_INDEX_IS_EVENTUAL);
    }
    return TD_OK;
}

/* A global index answers what it projects and refuses the rest; for a local one the table is asked. */
static td_status check_selected(const td_request *request, td_ops_plan *plan, td_error *error)
{
    const td_statement *statement = plan->statement;
    lacking found;
    TD_TRY(list_lacking(request, &plan->keys, statement->selected, statement->selected_count, &found, error));
    if (found.count == 0) return TD_OK;
    plan->needs_whole_items = !plan->keys.is_global;
    if (plan->needs_whole_items) return TD_OK;
    return TD_RAISE(error, TD_MSG_STATEMENT_INDEX_LACKS_SELECTED, statement->index,
                    td_ops__join(request->arena, found.names, found.count));
}

/* Where a name stands in one of the service's sets of up to twelve names. */
static uint32_t java_bucket(td_slice name)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < name.len; i++)
        hash = hash * 31 + name.ptr[i];
    return (hash ^ hash >> 16) & 15;
}

/* The service keeps the names in a hash set, and so tells them. */
static void sort_as_set(lacking *found)
{
    for (uint32_t i = 1; i < found->count; i++) {
        td_slice name = found->names[i];
        uint32_t at = i;
        while (at > 0 && java_bucket(found->names[at - 1]) > java_bucket(name)) {
            found->names[at] = found->names[at - 1];
            at--;
        }
        found->names[at] = name;
    }
}

/* A scan of an index filters by what the index holds; a read by key must not filter by anything else. */
static td_status check_filtered(const td_request *request, const td_ops_plan *plan, td_error *error)
{
    const td_statement *statement = plan->statement;
    if (!plan->found.is_keyed || plan->needs_whole_items) return TD_OK;
    lacking found;
    TD_TRY(list_lacking(request, &plan->keys, statement->filtered, statement->filtered_count, &found, error));
    if (found.count == 0) return TD_OK;
    sort_as_set(&found);
    return TD_RAISE(error, TD_MSG_STATEMENT_INDEX_LACKS_FILTERED, statement->index,
                    td_ops__join(request->arena, found.names, found.count));
}

static td_status list_lacking(const td_request *request, const td_keys *keys, const td_slice *names, uint32_t count,
                              lacking *ret_lacking, td_error *error)
{
    *ret_lacking = (lacking){.count = 0};
    if (count == 0 || keys->index == NULL || keys->projection == TD_PROJECT_ALL) return TD_OK;
    ret_lacking->names = td_arena_alloc_array(request->arena, count, sizeof(*ret_lacking->names));
    if (ret_lacking->names == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        if (!td_ops__projects(keys, names[i])) ret_lacking->names[ret_lacking->count++] = names[i];
    }
    return TD_OK;
}

/* ---- the order of ranges ----------------------------------------------------------------------------------------- */

/* The ranges come sorted: by partition keys, then by lower ends. Partition keys are taken forward or in reverse, and
 * so are the ranges of each. */
static td_status order_ranges(const td_request *request, td_ops_plan *plan, td_error *error)
{
    uint32_t count = plan->found.count;
    uint32_t *turns = td_arena_alloc_array(request->arena, count, sizeof(*turns));
    if (turns == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    const td_key_range *ranges = plan->found.ranges;
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        while (end < count && td_slice_equal(ranges[end].hash_parts[0], ranges[first].hash_parts[0]))
            end++;
        uint32_t place = plan->walk.is_hash_descending ? count - end : first;
        for (uint32_t i = first; i < end; i++)
            turns[place + i - first] = plan->walk.is_descending ? end - 1 - (i - first) : i;
    }
    plan->turns = turns;
    return TD_OK;
}

/* ---- look-ups ---------------------------------------------------------------------------------------------------- */

bool td_ops__is_lookup(const td_ops_plan *plan)
{
    return plan->keys.index == NULL && plan->found.is_whole && plan->found.count == 1 && !plan->found.has_rest;
}

td_status td_ops__key_of_range(const td_request *request, const td_ops_plan *plan, const td_key_range *range,
                               const td_attribute **ret_key, uint32_t *ret_count, td_error *error)
{
    const td_key_schema *schema = plan->keys.table;
    uint32_t count = td_key_part_count(schema);
    TD_ASSERT(plan->found.is_whole);
    TD_ASSERT(range->equal_count == schema->range_count);
    td_attribute *key = td_arena_alloc_array(request->arena, count, sizeof(*key));
    if (key == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        td_slice bytes = i == 0 ? range->hash_parts[0] : range->equal_parts[i - 1];
        key[i] =
            (td_attribute){.name = schema->parts[i].name, .value = {.type = schema->parts[i].type, .bytes = bytes}};
    }
    td_value_sort_attributes(key, &count);
    *ret_key = key;
    *ret_count = count;
    return TD_OK;
}
