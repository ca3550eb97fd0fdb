/* SPDX-License-Identifier: Apache-2.0
 * lower_update.c: SET and REMOVE → an update of storage/expr.
 * Model: a SET is a SET, but for set_add and set_delete, which are the ADD and DELETE of sets and are written as
 * "a = set_add(a, <<…>>)"; REMOVE is REMOVE.
 * Invariants: the recursion is bounded by the tree's depth. */
#include "syntax.h"

static td_status lower_change(td_lowering *lowering, td_syntax_change *change, td_action *action);
static td_status lower_set_function(td_lowering *lowering, td_syntax_change *change, td_action *action);
static td_status lower_term(td_lowering *lowering, td_syntax *node, td_node **ret_node);

td_status td_partiql__lower_update(td_lowering *lowering, const td_statement_syntax *syntax, td_update **ret_update)
{
    uint32_t count = syntax->change_count;
    td_update *update = td_arena_alloc_zero(lowering->arena, sizeof *update);
    td_action *actions = td_arena_alloc_array(lowering->arena, count, sizeof *actions);
    td_leaf *leaves = td_arena_alloc_array(lowering->arena, count, sizeof *leaves);
    if (update == NULL || actions == NULL || leaves == NULL) return TD_RAISE(lowering->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t at = 0;
    for (td_syntax_change *change = syntax->changes; change != NULL; change = change->next, at++) {
        actions[at] =
            (td_action){.path = change->path, .position = at, .next = at + 1 < count ? &actions[at + 1] : NULL};
        leaves[at] = (td_leaf){change->path, &actions[at]};
        td_partiql__note_path(lowering, change->path);
        TD_TRY(lower_change(lowering, change, &actions[at]));
    }
    TD_ASSERT(at == count);
    TD_TRY(td_expr__check_apart(&lowering->compiler, leaves, count));
    TD_TRY(td_partiql__raise_fault(lowering));
    if (td_expr__update_list_entered(lowering->compiler.first_path, lowering->arena, update) != TD_OK)
        return TD_RAISE(lowering->error, TD_MSG_OUT_OF_MEMORY);
    update->actions = actions;
    update->action_count = count;
    if (td_expr__update_finish(update, leaves, lowering->arena) != TD_OK)
        return TD_RAISE(lowering->error, TD_MSG_OUT_OF_MEMORY);
    *ret_update = update;
    return TD_OK;
}

static bool is_set_function(const td_syntax *node)
{
    return node->kind == TD_SYNTAX_CALL &&
           (td_slice_equal(node->text, TD_LIT("set_add")) || td_slice_equal(node->text, TD_LIT("set_delete")));
}

static td_status lower_change(td_lowering *lowering, td_syntax_change *change, td_action *action)
{
    action->kind = change->is_removal ? TD_ACTION_REMOVE : TD_ACTION_SET;
    if (change->is_removal) return TD_OK;
    if (is_set_function(change->value)) return lower_set_function(lowering, change, action);
    TD_TRY(lower_term(lowering, change->value, &action->operand));
    return td_expr__check_operand(&lowering->compiler, action->operand);
}

static td_status raise_set_function(td_lowering *lowering, td_message message, const td_syntax *call,
                                    const td_syntax *at)
{
    bool is_add = td_slice_equal(call->text, TD_LIT("set_add"));
    return TD_RAISE(lowering->error, message, is_add ? TD_LIT("SET_ADD") : TD_LIT("SET_DELETE"),
                    td_partiql__position(lowering->text, at->lexeme, lowering->error));
}

/* The order of the service's checks: the number, the first argument, the second. The place of the second's fault is the
 * first's. */
static td_status lower_set_function(td_lowering *lowering, td_syntax_change *change, td_action *action)
{
    td_syntax *call = change->value;
    td_syntax *first = call->first;
    if (call->count != 2) return raise_set_function(lowering, TD_MSG_PARTIQL_SET_FUNCTION_COUNT, call, call);
    if (first->kind != TD_SYNTAX_PATH || !td_expr__path_equal(first->path, change->path))
        return raise_set_function(lowering, TD_MSG_PARTIQL_SET_FUNCTION_FIRST, call, call);
    if (td_partiql__is_literal(first->next)) TD_TRY(td_partiql__lower_value(lowering, first->next, &action->operand));
    if (action->operand == NULL || !td_type_is_set(action->operand->value->type))
        return raise_set_function(lowering, TD_MSG_PARTIQL_SET_FUNCTION_SECOND, call, first);
    action->kind = td_slice_equal(call->text, TD_LIT("set_add")) ? TD_ACTION_ADD : TD_ACTION_DELETE;
    return TD_OK;
}

static td_status lower_terms(td_lowering *lowering, td_syntax *node, td_operation operation, td_node **ret_node)
{
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_OPERATION, node, ret_node));
    (*ret_node)->operation = operation;
    (*ret_node)->is_call = node->kind == TD_SYNTAX_CALL;
    for (td_syntax *child = node->first; child != NULL; child = child->next) {
        td_node *operand = NULL;
        TD_TRY(lower_term(lowering, child, &operand));
        td_expr__node_append(*ret_node, operand, &last);
    }
    return TD_OK;
}

/* A path, a literal, a sum, list_append(…). */
static td_status lower_term(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    if (node->kind == TD_SYNTAX_PATH) return td_partiql__lower_path(lowering, node, ret_node);
    if (td_partiql__is_literal(node)) return td_partiql__lower_value(lowering, node, ret_node);
    if (node->kind == TD_SYNTAX_SUM) return lower_terms(lowering, node, node->operation, ret_node);
    if (node->kind != TD_SYNTAX_CALL) return td_partiql__raise_place(lowering, TD_MSG_PARTIQL_PATH_COMPONENT, node);
    if (td_slice_equal(node->text, TD_LIT("list_append")))
        return lower_terms(lowering, node, TD_OP_LIST_APPEND, ret_node);
    return TD_RAISE(lowering->error, TD_MSG_PARTIQL_FUNCTION_NAME, node->text,
                    td_partiql__position(lowering->text, node->lexeme, lowering->error));
}
