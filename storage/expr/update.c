/* SPDX-License-Identifier: Apache-2.0
 * update.c: update expressions: text → actions on merged paths; which attributes they touch; what they changed.
 * Not here: the application to an item (update_apply.c); AttributeUpdates (legacy.c). */
#include "ast.h"

static void check_action(td_compiler *compiler, const td_action *action);
static td_status bind_actions(td_compiler *compiler, td_action *actions);
static td_type type_of_operand(const td_node *operand);

td_status td_update_compile(td_slice text, td_expr_marks *marks, td_arena *arena, td_update **ret_update,
                            td_error *error)
{
    td_compiler compiler;
    td_action *actions = NULL;
    uint32_t count = 0;
    TD_TRY(td_expr__begin(&compiler, TD_EXPR_UPDATE, text, marks, arena, error));
    TD_TRY(td_expr__parse_update(&compiler, &actions, &count));
    TD_TRY(bind_actions(&compiler, actions));

    td_update *update = td_arena_alloc_zero(arena, sizeof *update);
    td_leaf *leaves = td_arena_alloc_array(arena, count, sizeof *leaves);
    if (update == NULL || leaves == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (td_action *action = actions; action != NULL; action = action->next)
        leaves[action->position] = (td_leaf){action->path, action};
    TD_TRY(td_expr__check_apart(&compiler, leaves, count));
    TD_TRY(td_expr__raise_fault(&compiler));

    if (td_expr__update_list_entered(compiler.first_path, arena, update) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    update->actions = actions;
    update->action_count = count;
    if (td_expr__update_finish(update, leaves, arena) != TD_OK) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_update = update;
    return TD_OK;
}

/* Most updates have no path of more than one element, and need no list. */
td_status td_expr__update_list_entered(const td_path *paths, td_arena *arena, td_update *update)
{
    for (const td_path *path = paths; path != NULL; path = path->next) {
        if (path->count > 1) return td_expr__paths_names(paths, arena, &update->entered, &update->entered_count);
    }
    return TD_OK;
}

td_status td_expr__update_finish(td_update *update, td_leaf *leaves, td_arena *arena)
{
    /* The names are those of the targets alone: operands only read. */
    td_path *targets = NULL;
    for (const td_action *action = update->actions; action != NULL; action = action->next) {
        action->path->next = targets;
        targets = action->path;
    }
    TD_TRY(td_expr__paths_names(targets, arena, &update->names, &update->name_count));
    return td_expr__paths_merge(leaves, update->action_count, arena, &update->root);
}

bool td_update_touches(const td_update *update, td_slice attribute)
{
    return td_expr__names_find(update->names, update->name_count, attribute) != NULL;
}

/* The recursion is bounded as the parser's. */
static void visit_operand(const td_node *node, void (*visit)(void *context, td_slice name), void *context)
{
    if (node->kind == TD_NODE_PATH) visit(context, node->path->steps[0].name);
    for (const td_node *child = node->first; child != NULL; child = child->next)
        visit_operand(child, visit, context);
}

void td_update_visit_attributes(const td_update *update, void (*visit)(void *context, td_slice name), void *context)
{
    for (const td_action *action = update->actions; action != NULL; action = action->next) {
        visit(context, action->path->steps[0].name);
        if (action->operand != NULL) visit_operand(action->operand, visit, context);
    }
}

bool td_update_enters(const td_update *update, td_slice attribute)
{
    if (update->entered == NULL) return false;
    const td_named *named = td_expr__names_find(update->entered, update->entered_count, attribute);
    return named != NULL && named->is_entered;
}

td_type td_update_type_of(const td_update *update, td_slice attribute)
{
    if (!td_update_touches(update, attribute)) return TD_TYPE_COUNT;
    for (const td_action *action = update->actions; action != NULL; action = action->next) {
        if (action->operand == NULL || action->path->count > 1) continue;
        if (td_slice_equal(action->path->steps[0].name, attribute)) return type_of_operand(action->operand);
    }
    return TD_TYPE_COUNT;
}

static td_type type_of_operand(const td_node *operand)
{
    if (operand->kind == TD_NODE_VALUE) return operand->value->type;
    if (operand->kind != TD_NODE_OPERATION) return TD_TYPE_COUNT;
    if (operand->operation == TD_OP_PLUS || operand->operation == TD_OP_MINUS) return TD_TYPE_N;
    return operand->operation == TD_OP_LIST_APPEND ? TD_TYPE_L : TD_TYPE_COUNT;
}

td_status td_update_project(const td_update *update, const td_item *item, td_arena *arena,
                            td_attribute **ret_attributes, uint32_t *ret_count)
{
    return td_expr__project(&update->root, item, arena, ret_attributes, ret_count);
}

static td_status bind_actions(td_compiler *compiler, td_action *actions)
{
    for (td_action *action = actions; action != NULL; action = action->next) {
        TD_TRY(td_expr__bind_path(compiler, action->path));
        if (action->operand == NULL) continue;
        TD_TRY(td_expr__check_operand(compiler, action->operand));
        check_action(compiler, action);
    }
    return TD_OK;
}

/* ADD takes numbers and sets, DELETE sets. The service names the types in words here. */
static void check_action(td_compiler *compiler, const td_action *action)
{
    static const char *const words[TD_TYPE_COUNT] = {
        [TD_TYPE_S] = "STRING", [TD_TYPE_N] = "NUMBER",     [TD_TYPE_B] = "BINARY",  [TD_TYPE_M] = "MAP",
        [TD_TYPE_L] = "LIST",   [TD_TYPE_BOOL] = "BOOLEAN", [TD_TYPE_NULL] = "NULL",
    };
    bool is_add = action->kind == TD_ACTION_ADD;
    const td_value *value = action->operand->value;
    if ((!is_add && action->kind != TD_ACTION_DELETE) || value == NULL) return;
    if (td_type_is_set(value->type) || (is_add && value->type == TD_TYPE_N)) return;
    td_expr__fault(compiler, TD_RANK_ACTION_TYPE, TD_MSG_EXPR_ACTION_OPERAND_TYPE,
                   is_add ? TD_LIT("ADD") : TD_LIT("DELETE"), td_slice_of_cstr(words[value->type]));
}
