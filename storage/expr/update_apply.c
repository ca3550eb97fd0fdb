/* SPDX-License-Identifier: Apache-2.0
 * update_apply.c: an update meets an item: the new attributes are built beside the old ones.
 * Model: first every SET operand is evaluated against the item as it was, so that no action sees another's effect; then
 * one walk along the merged paths copies each map and list that a path enters and leaves the rest shared. List indexes
 * mean the old list: removed elements close up, indexes past the end append in ascending order.
 * Invariants: the old values are never changed; maps stay sorted since branches and maps are merged in one order.
 * Errors: the order is the service's: all operands before the first path (dynalite's tests).
 * Not here: the size of the result (the caller). */
#include "ast.h"

typedef struct application {
    const td_attribute *old; /* the item as it was, or the key of the one to be */
    uint32_t old_count;
    td_value *set_values; /* by the actions' positions */
    td_arena *arena;
    td_error *error;
} application;

static td_status evaluate(application *app, const td_node *node, td_value *ret_value);
static td_status evaluate_sum(application *app, const td_node *node, td_value *ret_value);
static td_status evaluate_append(application *app, const td_node *node, td_value *ret_value);
static td_status append_lists(application *app, const td_value *first, const td_value *second, td_value *ret_value);
static td_status add_numbers(application *app, bool is_minus, const td_value *a, const td_value *b,
                             td_value *ret_value);
static td_status apply_map(application *app, const td_branch *branch, const td_attribute *old, uint32_t old_count,
                           td_attribute **ret_attributes, uint32_t *ret_count);
static td_status apply_list(application *app, const td_branch *branch, const td_value *old, td_value *ret_value);
static td_status apply_branch(application *app, const td_branch *branch, const td_value *old, td_value *ret_value,
                              bool *ret_has);
static td_status run_action(application *app, const td_action *action, const td_value *old, td_value *ret_value,
                            bool *ret_has);
static td_status check_depth(application *app, const td_branch *root, const td_attribute *attributes, uint32_t count);

td_status td_update_apply(const td_update *update, const td_item *old_item, const td_attribute *key, uint32_t key_count,
                          td_arena *arena, td_attribute **ret_attributes, uint32_t *ret_count, td_error *error)
{
    application app = {.old = key, .old_count = key_count, .arena = arena, .error = error};
    td_attribute *old = NULL;
    if (old_item != NULL) {
        if (td_item_decode(old_item, arena, &old, &app.old_count) != TD_OK)
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    } else {
        old = td_arena_alloc_array(arena, key_count, sizeof *old);
        if (old == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        if (key_count > 0) memcpy(old, key, key_count * sizeof *old);
        td_value_sort_attributes(old, &app.old_count);
    }
    app.old = old;
    app.set_values = td_arena_alloc_array(arena, update->action_count, sizeof *app.set_values);
    if (app.set_values == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (const td_action *action = update->actions; action != NULL; action = action->next) {
        if (action->kind == TD_ACTION_SET) TD_TRY(evaluate(&app, action->operand, &app.set_values[action->position]));
    }
    td_attribute *attributes;
    uint32_t count;
    TD_TRY(apply_map(&app, &update->root, app.old, app.old_count, &attributes, &count));
    TD_TRY(check_depth(&app, &update->root, attributes, count));
    *ret_attributes = attributes;
    *ret_count = count;
    return TD_OK;
}

/* Only what the update touched can have become too deep. */
static td_status check_depth(application *app, const td_branch *root, const td_attribute *attributes, uint32_t count)
{
    for (uint32_t i = 0; i < root->child_count; i++) {
        const td_value *value = td_value_find(attributes, count, root->children[i].step.name);
        if (value != NULL && td_value_depth(value) >= TD_LIMIT_NESTING_LEVELS_MAX)
            return TD_RAISE(app->error, TD_MSG_UPDATED_NESTING_TOO_DEEP);
    }
    return TD_OK;
}

/* ---- operands ---- */

static const td_value *resolve(const application *app, const td_path *path)
{
    const td_value *at = td_value_find(app->old, app->old_count, path->steps[0].name);
    for (uint32_t i = 1; i < path->count && at != NULL; i++) {
        const td_step *step = &path->steps[i];
        if (step->is_index)
            at = at->type == TD_TYPE_L && step->index < at->count ? &at->elements[step->index] : NULL;
        else
            at = at->type == TD_TYPE_M ? td_value_find(at->attributes, at->count, step->name) : NULL;
    }
    return at;
}

/* The recursion is bounded as the parser's. */
static td_status evaluate(application *app, const td_node *node, td_value *ret_value)
{
    const td_value *found = NULL;
    switch (node->kind) {
    case TD_NODE_VALUE: *ret_value = *node->value; return TD_OK;
    case TD_NODE_PATH:
        found = resolve(app, node->path);
        if (found == NULL) return TD_RAISE(app->error, TD_MSG_UPDATE_ATTRIBUTE_MISSING);
        *ret_value = *found;
        return TD_OK;
    case TD_NODE_OPERATION: break;
    case TD_NODE_AND:
    case TD_NODE_OR:
    case TD_NODE_NOT: TD_ASSERT(0 && "an operand of an update"); return TD_OK;
    }
    if (node->operation == TD_OP_LIST_APPEND) return evaluate_append(app, node, ret_value);
    if (node->operation != TD_OP_IF_NOT_EXISTS) return evaluate_sum(app, node, ret_value);
    found = resolve(app, node->first->path);
    if (found == NULL) return evaluate(app, node->first->next, ret_value);
    *ret_value = *found;
    return TD_OK;
}

/* Evaluates both operands, which must be of that type. */
static td_status evaluate_pair(application *app, const td_node *node, td_type type, td_value *ret_a, td_value *ret_b)
{
    TD_TRY(evaluate(app, node->first, ret_a));
    if (ret_a->type != type) return TD_RAISE(app->error, TD_MSG_UPDATE_OPERAND_TYPE);
    TD_TRY(evaluate(app, node->first->next, ret_b));
    if (ret_b->type != type) return TD_RAISE(app->error, TD_MSG_UPDATE_OPERAND_TYPE);
    return TD_OK;
}

static td_status evaluate_sum(application *app, const td_node *node, td_value *ret_value)
{
    TD_ASSERT(node->operation == TD_OP_PLUS || node->operation == TD_OP_MINUS);
    td_value a;
    td_value b;
    TD_TRY(evaluate_pair(app, node, TD_TYPE_N, &a, &b));
    return add_numbers(app, node->operation == TD_OP_MINUS, &a, &b, ret_value);
}

static td_status evaluate_append(application *app, const td_node *node, td_value *ret_value)
{
    td_value a;
    td_value b;
    TD_TRY(evaluate_pair(app, node, TD_TYPE_L, &a, &b));
    return append_lists(app, &a, &b, ret_value);
}

static td_status add_numbers(application *app, bool is_minus, const td_value *a, const td_value *b, td_value *ret_value)
{
    td_number number;
    td_number_fault fault =
        is_minus ? td_number_subtract(a->bytes, b->bytes, &number) : td_number_add(a->bytes, b->bytes, &number);
    switch (fault) {
    case TD_NUMBER_OK: break;
    case TD_NUMBER_OVERFLOW: return TD_RAISE(app->error, TD_MSG_UPDATED_NUMBER_OVERFLOW);
    case TD_NUMBER_UNDERFLOW: return TD_RAISE(app->error, TD_MSG_UPDATED_NUMBER_UNDERFLOW);
    case TD_NUMBER_TOO_MANY_DIGITS: return TD_RAISE(app->error, TD_MSG_UPDATED_NUMBER_TOO_MANY_DIGITS);
    case TD_NUMBER_NOT_NUMERIC: TD_ASSERT(0 && "numbers are checked when they are read"); break;
    }
    *ret_value = (td_value){.type = TD_TYPE_N};
    if (!td_arena_copy(app->arena, td_number_slice(&number), &ret_value->bytes))
        return TD_RAISE(app->error, TD_MSG_OUT_OF_MEMORY);
    return TD_OK;
}

static td_status append_lists(application *app, const td_value *first, const td_value *second, td_value *ret_value)
{
    size_t count = (size_t)first->count + second->count;
    td_value *elements = count > UINT32_MAX ? NULL : td_arena_alloc_array(app->arena, count, sizeof *elements);
    if (elements == NULL) return TD_RAISE(app->error, TD_MSG_OUT_OF_MEMORY);
    if (first->count > 0) memcpy(elements, first->elements, first->count * sizeof *elements);
    if (second->count > 0) memcpy(elements + first->count, second->elements, second->count * sizeof *elements);
    *ret_value = (td_value){.type = TD_TYPE_L, .count = (uint32_t)count, .elements = elements};
    return TD_OK;
}

/* Both sets' members, or those of the first that the second lacks: one merge of two sorted arrays. */
static td_status merge_sets(application *app, bool is_union, const td_value *old, const td_value *change,
                            td_value *ret_value)
{
    size_t count_max = is_union ? (size_t)old->count + change->count : old->count;
    td_slice *members = count_max > UINT32_MAX ? NULL : td_arena_alloc_array(app->arena, count_max, sizeof *members);
    if (members == NULL) return TD_RAISE(app->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    uint32_t from_old = 0;
    uint32_t from_change = 0;
    while (from_old < old->count || from_change < change->count) {
        int order = from_change == change->count ? -1
                    : from_old == old->count     ? 1
                                             : td_slice_compare(old->members[from_old], change->members[from_change]);
        if (order < 0 || (order == 0 && is_union)) members[count++] = old->members[from_old];
        if (order > 0 && is_union) members[count++] = change->members[from_change];
        from_old += order <= 0;
        from_change += order >= 0;
    }
    *ret_value = (td_value){.type = old->type, .count = count, .members = members};
    return TD_OK;
}

/* ---- the walk along the merged paths ---- */

static td_status apply_map(application *app, const td_branch *branch, const td_attribute *old, uint32_t old_count,
                           td_attribute **ret_attributes, uint32_t *ret_count)
{
    size_t count_max = (size_t)old_count + branch->child_count;
    td_attribute *attributes = td_arena_alloc_array(app->arena, count_max, sizeof *attributes);
    if (attributes == NULL) return TD_RAISE(app->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < branch->child_count; i++) {
        const td_branch *child = &branch->children[i];
        while (at < old_count && td_slice_compare(old[at].name, child->step.name) < 0)
            attributes[count++] = old[at++];
        const td_value *old_value = NULL;
        if (at < old_count && td_slice_equal(old[at].name, child->step.name)) old_value = &old[at++].value;
        bool has = false;
        TD_TRY(apply_branch(app, child, old_value, &attributes[count].value, &has));
        if (has) attributes[count++].name = child->step.name;
    }
    if (at < old_count) memcpy(attributes + count, old + at, (old_count - at) * sizeof *old);
    *ret_attributes = attributes;
    *ret_count = count + (old_count - at);
    return TD_OK;
}

static td_status apply_list(application *app, const td_branch *branch, const td_value *old, td_value *ret_value)
{
    size_t count_max = (size_t)old->count + branch->child_count;
    td_value *elements = td_arena_alloc_array(app->arena, count_max, sizeof *elements);
    if (elements == NULL) return TD_RAISE(app->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < branch->child_count; i++) {
        const td_branch *child = &branch->children[i];
        while (at < old->count && at < child->step.index)
            elements[count++] = old->elements[at++];
        const td_value *old_element = at < old->count ? &old->elements[at++] : NULL;
        bool has = false;
        TD_TRY(apply_branch(app, child, old_element, &elements[count], &has));
        count += has;
    }
    while (at < old->count)
        elements[count++] = old->elements[at++];
    *ret_value = (td_value){.type = TD_TYPE_L, .count = count, .elements = elements};
    return TD_OK;
}

/* The recursion is bounded by the longest path. */
static td_status apply_branch(application *app, const td_branch *branch, const td_value *old, td_value *ret_value,
                              bool *ret_has)
{
    if (branch->leaf != NULL) return run_action(app, branch->leaf, old, ret_value, ret_has);
    TD_ASSERT(branch->child_count > 0);
    bool is_list = branch->children[0].step.is_index;
    if (old == NULL || old->type != (is_list ? TD_TYPE_L : TD_TYPE_M)) return TD_RAISE(app->error, TD_MSG_UPDATE_PATH);
    *ret_has = true;
    if (is_list) return apply_list(app, branch, old, ret_value);
    td_attribute *attributes;
    uint32_t count;
    TD_TRY(apply_map(app, branch, old->attributes, old->count, &attributes, &count));
    *ret_value = (td_value){.type = TD_TYPE_M, .count = count, .attributes = attributes};
    return TD_OK;
}

static td_status run_add(application *app, const td_action *action, const td_value *old, td_value *ret_value)
{
    const td_value *value = action->operand->value;
    if (old == NULL) {
        *ret_value = *value;
        return TD_OK;
    }
    if (old->type == value->type) {
        if (value->type == TD_TYPE_N) return add_numbers(app, false, old, value, ret_value);
        if (td_type_is_set(value->type)) return merge_sets(app, true, old, value, ret_value);
        if (value->type == TD_TYPE_L && action->is_legacy) return append_lists(app, old, value, ret_value);
    }
    return TD_RAISE(app->error, action->is_legacy ? TD_MSG_UPDATE_LEGACY_TYPE : TD_MSG_UPDATE_OPERAND_TYPE);
}

static td_status run_delete(application *app, const td_action *action, const td_value *old, td_value *ret_value,
                            bool *ret_has)
{
    const td_value *value = action->operand->value;
    *ret_has = false;
    if (old == NULL) return TD_OK;
    if (old->type != value->type || !td_type_is_set(value->type))
        return TD_RAISE(app->error, action->is_legacy ? TD_MSG_UPDATE_LEGACY_TYPE : TD_MSG_UPDATE_OPERAND_TYPE);
    TD_TRY(merge_sets(app, false, old, value, ret_value));
    *ret_has = ret_value->count > 0; /* there are no empty sets: the last member takes the attribute along */
    return TD_OK;
}

static td_status run_action(application *app, const td_action *action, const td_value *old, td_value *ret_value,
                            bool *ret_has)
{
    *ret_has = action->kind != TD_ACTION_REMOVE;
    switch (action->kind) {
    case TD_ACTION_SET: *ret_value = app->set_values[action->position]; return TD_OK;
    case TD_ACTION_REMOVE: return TD_OK;
    case TD_ACTION_ADD: return run_add(app, action, old, ret_value);
    case TD_ACTION_DELETE: return run_delete(app, action, old, ret_value, ret_has);
    }
    return TD_OK;
}
