/* SPDX-License-Identifier: Apache-2.0
 * legacy.c: the parameters from before expressions, translated into the same trees, so that they cannot drift.
 * Not here: the checks of their shape (counts and types of operands, Exists, …), which belong to the server and have
 * texts of their own. */
#include "keycond.h"

typedef struct td_legacy_row {
    td_operation operation;
    bool is_negated;
    td_restriction_kind restriction; /* in KeyConditions */
} td_legacy_row;

static const td_legacy_row rows[] = {
    [TD_LEGACY_EQ] = {TD_OP_EQUAL, false, TD_RESTRICTION_EQUAL},
    [TD_LEGACY_NE] = {TD_OP_NOT_EQUAL, false, TD_RESTRICTION_NOT_INDEXABLE},
    [TD_LEGACY_LE] = {TD_OP_LESS_EQUAL, false, TD_RESTRICTION_LESS_EQUAL},
    [TD_LEGACY_LT] = {TD_OP_LESS, false, TD_RESTRICTION_LESS},
    [TD_LEGACY_GE] = {TD_OP_GREATER_EQUAL, false, TD_RESTRICTION_GREATER_EQUAL},
    [TD_LEGACY_GT] = {TD_OP_GREATER, false, TD_RESTRICTION_GREATER},
    [TD_LEGACY_NOT_NULL] = {TD_OP_ATTRIBUTE_EXISTS, false, TD_RESTRICTION_NOT_INDEXABLE},
    [TD_LEGACY_NULL] = {TD_OP_ATTRIBUTE_NOT_EXISTS, false, TD_RESTRICTION_NOT_INDEXABLE},
    [TD_LEGACY_CONTAINS] = {TD_OP_CONTAINS, false, TD_RESTRICTION_NOT_INDEXABLE},
    [TD_LEGACY_NOT_CONTAINS] = {TD_OP_CONTAINS, true, TD_RESTRICTION_NOT_INDEXABLE},
    [TD_LEGACY_BEGINS_WITH] = {TD_OP_BEGINS_WITH, false, TD_RESTRICTION_BEGINS_WITH},
    [TD_LEGACY_IN] = {TD_OP_IN, false, TD_RESTRICTION_NOT_INDEXABLE},
    [TD_LEGACY_BETWEEN] = {TD_OP_BETWEEN, false, TD_RESTRICTION_BETWEEN},
};

static td_path *make_path(td_slice attribute, td_arena *arena);
static td_node *make_node(td_node_kind kind, td_arena *arena);
static td_node *make_value(const td_value *value, td_arena *arena);
static td_node *make_operation(td_operation operation, td_path *path, const td_value *operands, uint32_t count,
                               td_arena *arena);
static td_node *make_condition(const td_legacy_condition *given, td_path *path, td_arena *arena);

td_status td_condition_of_legacy(const td_legacy_condition *conditions, uint32_t count, bool is_or, td_arena *arena,
                                 td_condition **ret_condition, td_error *error)
{
    td_condition *condition = td_arena_alloc_zero(arena, sizeof *condition);
    td_node *root = make_node(is_or ? TD_NODE_OR : TD_NODE_AND, arena);
    if (condition == NULL || root == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_path *paths = NULL;
    td_node *last = NULL;
    for (uint32_t i = 0; i < count; i++) {
        td_path *path = make_path(conditions[i].attribute, arena);
        td_node *node = path == NULL ? NULL : make_condition(&conditions[i], path, arena);
        if (node == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        path->next = paths;
        paths = path;
        td_expr__node_append(root, node, &last);
    }
    if (td_expr__paths_names(paths, arena, &condition->names, &condition->name_count) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    condition->root = count > 0 ? root : NULL;
    *ret_condition = condition;
    return TD_OK;
}

td_status td_key_condition_of_legacy(const td_legacy_condition *conditions, uint32_t count, td_arena *arena,
                                     td_key_condition **ret_condition, td_error *error)
{
    td_key_condition *condition = td_arena_alloc_zero(arena, sizeof *condition);
    td_restriction *restrictions = td_arena_alloc_array(arena, count, sizeof *restrictions);
    if (condition == NULL || restrictions == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        const td_legacy_condition *given = &conditions[i];
        td_restriction_kind kind = rows[given->comparison].restriction;
        TD_ASSERT(kind == TD_RESTRICTION_NOT_INDEXABLE || given->operand_count > 0);
        restrictions[i] = (td_restriction){
            .attribute = given->attribute,
            .kind = kind,
            .low = given->operand_count > 0 ? &given->operands[0] : NULL,
            .high = kind == TD_RESTRICTION_BETWEEN ? &given->operands[1] : NULL,
        };
    }
    condition->restrictions = restrictions;
    condition->count = count;
    *ret_condition = condition;
    return TD_OK;
}

td_status td_update_of_legacy(const td_legacy_update *updates, uint32_t count, td_arena *arena, td_update **ret_update,
                              td_error *error)
{
    static const td_action_kind kinds[] = {
        [TD_LEGACY_PUT] = TD_ACTION_SET,
        [TD_LEGACY_ADD] = TD_ACTION_ADD,
        [TD_LEGACY_DELETE] = TD_ACTION_DELETE,
    };
    td_update *update = td_arena_alloc_zero(arena, sizeof *update);
    td_action *actions = td_arena_alloc_array(arena, count, sizeof *actions);
    td_leaf *leaves = td_arena_alloc_array(arena, count, sizeof *leaves);
    if (update == NULL || actions == NULL || leaves == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        const td_legacy_update *given = &updates[i];
        TD_ASSERT(given->value != NULL || given->action == TD_LEGACY_DELETE);
        actions[i] = (td_action){
            .kind = given->value == NULL ? TD_ACTION_REMOVE : kinds[given->action],
            .is_legacy = true,
            .path = make_path(given->attribute, arena),
            .operand = given->value == NULL ? NULL : make_value(given->value, arena),
            .position = i,
            .next = i + 1 < count ? &actions[i + 1] : NULL,
        };
        if (actions[i].path == NULL || (given->value != NULL && actions[i].operand == NULL))
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        leaves[i] = (td_leaf){actions[i].path, &actions[i]};
    }
    update->actions = count > 0 ? actions : NULL;
    update->action_count = count;
    if (td_expr__update_finish(update, leaves, arena) != TD_OK) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_update = update;
    return TD_OK;
}

/* NOT_CONTAINS asks that the attribute is there, unlike NOT contains(…). */
static td_node *make_condition(const td_legacy_condition *given, td_path *path, td_arena *arena)
{
    const td_legacy_row *row = &rows[given->comparison];
    td_node *positive = make_operation(row->operation, path, given->operands, given->operand_count, arena);
    if (positive == NULL || !row->is_negated) return positive;
    td_node *both = make_node(TD_NODE_AND, arena);
    td_node *negation = make_node(TD_NODE_NOT, arena);
    td_node *exists = make_operation(TD_OP_ATTRIBUTE_EXISTS, path, NULL, 0, arena);
    if (both == NULL || negation == NULL || exists == NULL) return NULL;
    td_node *last = NULL;
    td_expr__node_append(negation, positive, &last);
    last = NULL;
    td_expr__node_append(both, exists, &last);
    td_expr__node_append(both, negation, &last);
    return both;
}

static td_path *make_path(td_slice attribute, td_arena *arena)
{
    td_path *path = td_arena_alloc_zero(arena, sizeof *path);
    td_step *step = td_arena_alloc_zero(arena, sizeof *step);
    if (path == NULL || step == NULL) return NULL;
    step->name = attribute;
    path->steps = step;
    path->count = 1;
    return path;
}

static td_node *make_node(td_node_kind kind, td_arena *arena)
{
    td_node *node = td_arena_alloc_zero(arena, sizeof *node);
    if (node != NULL) node->kind = kind;
    return node;
}

static td_node *make_value(const td_value *value, td_arena *arena)
{
    td_node *node = make_node(TD_NODE_VALUE, arena);
    if (node != NULL) node->value = value;
    return node;
}

static td_node *make_operation(td_operation operation, td_path *path, const td_value *operands, uint32_t count,
                               td_arena *arena)
{
    td_node *node = make_node(TD_NODE_OPERATION, arena);
    td_node *attribute = make_node(TD_NODE_PATH, arena);
    if (node == NULL || attribute == NULL) return NULL;
    td_node *last = NULL;
    node->operation = operation;
    attribute->path = path;
    td_expr__node_append(node, attribute, &last);
    for (uint32_t i = 0; i < count; i++) {
        td_node *value = make_value(&operands[i], arena);
        if (value == NULL) return NULL;
        td_expr__node_append(node, value, &last);
    }
    return node;
}
