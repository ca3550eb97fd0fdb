/* SPDX-License-Identifier: Apache-2.0
 * condition.c: conditions and filters: text → program, and the decision about one item.
 * Model: an operand that the item does not have makes every comparison and function false but `<>`, which is true, and
 * attribute_not_exists. Values of different types are unequal and have no order.
 * Invariants: an evaluation allocates nothing and cannot fail; AND and OR stop at the first side that decides.
 * Not here: operands (operand.c); the parameters from before expressions (legacy.c). */
#include "ast.h"

static bool holds(const td_node *node, const td_item *item);
static bool holds_operation(const td_node *node, const td_item *item);

td_status td_condition_compile(td_expr_kind kind, td_slice text, td_expr_marks *marks, td_arena *arena,
                               td_condition **ret_condition, td_error *error)
{
    TD_ASSERT(kind == TD_EXPR_CONDITION || kind == TD_EXPR_FILTER);
    td_compiler compiler;
    td_node *root = NULL;
    TD_TRY(td_expr__begin(&compiler, kind, text, marks, arena, error));
    TD_TRY(td_expr__parse_condition(&compiler, &root));
    TD_TRY(td_expr__check_condition(&compiler, root));
    TD_TRY(td_expr__raise_fault(&compiler));

    td_condition *condition = td_arena_alloc_zero(arena, sizeof *condition);
    if (condition == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    condition->root = root;
    if (td_expr__paths_names(compiler.first_path, arena, &condition->names, &condition->name_count) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    *ret_condition = condition;
    return TD_OK;
}

bool td_condition_holds(const td_condition *condition, const td_item *item)
{
    bool holds_anyway = condition->root == NULL || (item == NULL && condition->holds_without_item);
    return holds_anyway || holds(condition->root, item);
}

bool td_condition_uses(const td_condition *condition, td_slice attribute)
{
    return td_expr__names_find(condition->names, condition->name_count, attribute) != NULL;
}

bool td_condition_enters(const td_condition *condition, td_slice attribute)
{
    const td_named *named = td_expr__names_find(condition->names, condition->name_count, attribute);
    return named != NULL && named->is_entered;
}

void td_condition_visit_attributes(const td_condition *condition, void (*visit)(void *context, td_slice name),
                                   void *context)
{
    for (uint32_t i = 0; i < condition->name_count; i++)
        visit(context, condition->names[i].name);
}

/* The recursion is bounded as the parser's. */
static bool holds(const td_node *node, const td_item *item)
{
    switch (node->kind) {
    case TD_NODE_AND:
        for (const td_node *side = node->first; side != NULL; side = side->next)
            if (!holds(side, item)) return false;
        return true;
    case TD_NODE_OR:
        for (const td_node *side = node->first; side != NULL; side = side->next)
            if (holds(side, item)) return true;
        return false;
    case TD_NODE_NOT: return !holds(node->first, item);
    case TD_NODE_OPERATION: return holds_operation(node, item);
    case TD_NODE_PATH:
    case TD_NODE_VALUE: break;
    }
    TD_ASSERT(0 && "a checked condition");
    return false;
}

static bool holds_order(td_operation operation, int order)
{
    if (operation == TD_OP_LESS) return order < 0;
    if (operation == TD_OP_LESS_EQUAL) return order <= 0;
    if (operation == TD_OP_GREATER) return order > 0;
    TD_ASSERT(operation == TD_OP_GREATER_EQUAL);
    return order >= 0;
}

static bool holds_between(const td_view *value, const td_node *low, const td_item *item)
{
    td_view bound;
    int order;
    if (!td_expr__operand(low, item, &bound) || !td_expr__view_compare(value, &bound, &order) || order < 0)
        return false;
    return td_expr__operand(low->next, item, &bound) && td_expr__view_compare(value, &bound, &order) && order <= 0;
}

static bool holds_in(const td_view *value, const td_node *candidates, const td_item *item)
{
    for (const td_node *candidate = candidates; candidate != NULL; candidate = candidate->next) {
        td_view view;
        if (td_expr__operand(candidate, item, &view) && td_expr__view_equal(value, &view)) return true;
    }
    return false;
}

static bool holds_begins_with(const td_view *text, const td_view *prefix)
{
    td_type type = text->stored.type;
    return (type == TD_TYPE_S || type == TD_TYPE_B) && prefix->stored.type == type &&
           td_slice_has_prefix(text->stored.bytes, prefix->stored.bytes);
}

static bool holds_operation(const td_node *node, const td_item *item)
{
    td_view first;
    td_view second;
    int order;
    const td_node *rest = node->first->next;
    bool has_first = td_expr__operand(node->first, item, &first);
    bool has_both = has_first && node->count == 2 && td_expr__operand(rest, item, &second);
    switch (node->operation) {
    case TD_OP_EQUAL: return has_both && td_expr__view_equal(&first, &second);
    case TD_OP_DIFFERS: return has_both && !td_expr__view_equal(&first, &second);
    case TD_OP_NOT_EQUAL: return !has_both || !td_expr__view_equal(&first, &second);
    case TD_OP_LESS:
    case TD_OP_LESS_EQUAL:
    case TD_OP_GREATER:
    case TD_OP_GREATER_EQUAL:
        return has_both && td_expr__view_compare(&first, &second, &order) && holds_order(node->operation, order);
    case TD_OP_BETWEEN: return has_first && holds_between(&first, rest, item);
    case TD_OP_IN: return has_first && holds_in(&first, rest, item);
    case TD_OP_ATTRIBUTE_EXISTS: return has_first;
    case TD_OP_ATTRIBUTE_NOT_EXISTS: return !has_first;
    case TD_OP_ATTRIBUTE_TYPE: return has_both && td_type_of_name(second.stored.bytes) == first.stored.type;
    case TD_OP_BEGINS_WITH: return has_both && holds_begins_with(&first, &second);
    case TD_OP_CONTAINS: return has_both && td_expr__view_contains(&first, &second);
    case TD_OP_SIZE:
    case TD_OP_IF_NOT_EXISTS:
    case TD_OP_LIST_APPEND:
    case TD_OP_PLUS:
    case TD_OP_MINUS:
    case TD_OP_COUNT: break;
    }
    TD_ASSERT(0 && "an operation of conditions");
    return false;
}
