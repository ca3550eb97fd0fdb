/* SPDX-License-Identifier: Apache-2.0
 * lower_condition.c: WHERE → a condition of storage/expr.
 * Model: what the two languages share is the same operation. IS becomes attribute_type or attribute_exists; <> is false
 * when a side has no value (TD_OP_DIFFERS), while NOT is plain negation and so holds for items without the attribute;
 * a condition may be compared with TRUE or FALSE; NOT IN, NOT BETWEEN and IS NOT are negations.
 * Invariants: the recursion is bounded by the tree's depth.
 * Not here: what WHERE says of a key (keys.c). */
#include "syntax.h"

static td_status lower(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status lower_chain(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status lower_comparison(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status lower_operation(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status lower_in(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status lower_is(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status lower_call(td_lowering *lowering, td_syntax *node, td_node **ret_node);
static td_status negate(td_lowering *lowering, const td_syntax *from, td_node **node);
static bool is_condition(const td_syntax *node);

td_status td_partiql__lower_condition(td_lowering *lowering, td_syntax *where, td_condition **ret_condition)
{
    td_node *root = NULL;
    TD_TRY(lower(lowering, where, &root));
    TD_TRY(td_expr__check_condition(&lowering->compiler, root));
    TD_TRY(td_partiql__raise_fault(lowering));
    td_condition *condition = td_arena_alloc_zero(lowering->arena, sizeof *condition);
    if (condition == NULL) return TD_RAISE(lowering->error, TD_MSG_OUT_OF_MEMORY);
    condition->root = root;
    if (td_expr__paths_names(lowering->compiler.first_path, lowering->arena, &condition->names,
                             &condition->name_count) != TD_OK)
        return TD_RAISE(lowering->error, TD_MSG_OUT_OF_MEMORY);
    *ret_condition = condition;
    return TD_OK;
}

static td_status lower(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    switch (node->kind) {
    case TD_SYNTAX_AND:
    case TD_SYNTAX_OR:
    case TD_SYNTAX_NOT: return lower_chain(lowering, node, ret_node);
    case TD_SYNTAX_COMPARISON: return lower_comparison(lowering, node, ret_node);
    case TD_SYNTAX_BETWEEN: return lower_operation(lowering, node, ret_node);
    case TD_SYNTAX_IN: return lower_in(lowering, node, ret_node);
    case TD_SYNTAX_IS: return lower_is(lowering, node, ret_node);
    case TD_SYNTAX_CALL: return lower_call(lowering, node, ret_node);
    case TD_SYNTAX_STRING:
    case TD_SYNTAX_NUMBER:
    case TD_SYNTAX_BOOLEAN:
    case TD_SYNTAX_NULL:
    case TD_SYNTAX_MISSING:
    case TD_SYNTAX_PARAMETER:
    case TD_SYNTAX_LIST:
    case TD_SYNTAX_BAG:
    case TD_SYNTAX_STRUCT:
    case TD_SYNTAX_PATH:
    case TD_SYNTAX_SUM: break;
    }
    return td_partiql__raise_place(lowering, TD_MSG_PARTIQL_PATH_COMPONENT, node);
}

static td_status lower_chain(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    td_node_kind kind = node->kind == TD_SYNTAX_AND  ? TD_NODE_AND
                        : node->kind == TD_SYNTAX_OR ? TD_NODE_OR
                                                     : TD_NODE_NOT;
    td_node *chain = NULL;
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, kind, node, &chain));
    for (td_syntax *side = node->first; side != NULL; side = side->next) {
        td_node *child = NULL;
        TD_TRY(lower(lowering, side, &child));
        td_expr__node_append(chain, child, &last);
    }
    *ret_node = chain;
    return TD_OK;
}

static td_status negate(td_lowering *lowering, const td_syntax *from, td_node **node)
{
    td_node *negation = NULL;
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_NOT, from, &negation));
    td_expr__node_append(negation, *node, &last);
    *node = negation;
    return TD_OK;
}

/* What is true or false of an item, and no value. */
static bool is_condition(const td_syntax *node)
{
    bool is_size = node->kind == TD_SYNTAX_CALL && td_expr__function_of_name(node->text) == TD_OP_SIZE;
    return node->kind >= TD_SYNTAX_CALL && node->kind != TD_SYNTAX_SUM && !is_size;
}

static bool truth_of(const td_lowering *lowering, const td_syntax *node, bool *ret_truth)
{
    if (node->kind == TD_SYNTAX_BOOLEAN) {
        *ret_truth = node->boolean;
        return true;
    }
    if (node->kind != TD_SYNTAX_PARAMETER || lowering->parameters[node->number].type != TD_TYPE_BOOL) return false;
    *ret_truth = lowering->parameters[node->number].boolean;
    return true;
}

static td_status lower_comparison(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    td_syntax *condition = is_condition(node->first) ? node->first : node->last;
    const td_syntax *other = condition == node->first ? node->last : node->first;
    bool truth;
    bool is_equity = node->operation == TD_OP_EQUAL || node->operation == TD_OP_DIFFERS;
    if (!is_equity || !is_condition(condition) || !truth_of(lowering, other, &truth))
        return lower_operation(lowering, node, ret_node);
    TD_TRY(lower(lowering, condition, ret_node));
    return truth == (node->operation == TD_OP_EQUAL) ? TD_OK : negate(lowering, node, ret_node);
}

static td_status lower_operands(td_lowering *lowering, td_syntax *first, td_node *parent, td_node **last)
{
    for (td_syntax *operand = first; operand != NULL; operand = operand->next) {
        td_node *child = NULL;
        TD_TRY(td_partiql__lower_operand(lowering, operand, &child));
        td_expr__node_append(parent, child, last);
    }
    return TD_OK;
}

static td_status lower_operation(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_OPERATION, node, ret_node));
    (*ret_node)->operation = node->operation;
    TD_TRY(lower_operands(lowering, node->first, *ret_node, &last));
    return node->is_negated ? negate(lowering, node, ret_node) : TD_OK;
}

/* A parameter that is a list stands for its elements. */
static td_status append_elements(td_lowering *lowering, const td_syntax *node, td_node *parent, td_node **last)
{
    const td_value *list = &lowering->parameters[node->number];
    if (list->type != TD_TYPE_L)
        return TD_RAISE(lowering->error, TD_MSG_PARTIQL_OPERAND_TYPE, TD_LIT("IN"),
                        td_slice_of_cstr(td_type_name(list->type)));
    for (uint32_t i = 0; i < list->count; i++) {
        td_node *child = NULL;
        TD_TRY(td_partiql__new_node(lowering, TD_NODE_VALUE, node, &child));
        child->value = &list->elements[i];
        td_expr__node_append(parent, child, last);
    }
    return TD_OK;
}

static td_status lower_in(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    td_syntax *list = node->last;
    td_node *operation = NULL;
    td_node *value = NULL;
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_OPERATION, node, &operation));
    operation->operation = TD_OP_IN;
    TD_TRY(td_partiql__lower_operand(lowering, node->first, &value));
    td_expr__node_append(operation, value, &last);
    if (list->kind == TD_SYNTAX_PARAMETER)
        TD_TRY(append_elements(lowering, list, operation, &last));
    else if (list->kind == TD_SYNTAX_LIST || list->kind == TD_SYNTAX_BAG)
        TD_TRY(lower_operands(lowering, list->first, operation, &last));
    else
        return td_partiql__raise_place(lowering, TD_MSG_PARTIQL_PATH_COMPONENT, list);
    *ret_node = operation;
    return node->is_negated ? negate(lowering, node, ret_node) : TD_OK;
}

/* attribute_type of an operand, which several types share. */
static td_status lower_type(td_lowering *lowering, const td_syntax *node, const td_node *operand, td_type type,
                            td_node **ret_node)
{
    static const td_value names[TD_TYPE_COUNT] = {
#define TYPE_VALUE(name) [TD_TYPE_##name] = {.type = TD_TYPE_S, .bytes = TD_LIT_INIT(#name)}
        TYPE_VALUE(S),  TYPE_VALUE(N), TYPE_VALUE(B), TYPE_VALUE(SS),   TYPE_VALUE(NS),
        TYPE_VALUE(BS), TYPE_VALUE(M), TYPE_VALUE(L), TYPE_VALUE(BOOL), TYPE_VALUE(NULL),
#undef TYPE_VALUE
    };
    td_node *value = NULL;
    td_node *name = NULL;
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_OPERATION, node, ret_node));
    (*ret_node)->operation = TD_OP_ATTRIBUTE_TYPE;
    TD_TRY(td_partiql__new_node(lowering, operand->kind, node, &value));
    *value = *operand;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_VALUE, node, &name));
    name->value = &names[type];
    td_expr__node_append(*ret_node, value, &last);
    td_expr__node_append(*ret_node, name, &last);
    return TD_OK;
}

/* IS MISSING asks for the attribute, IS and a type for the attribute's; a bag is any of the sets. */
static td_status lower_is(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    uint32_t types = td_partiql__types[node->number].types;
    if (types == 0) {
        td_node *path = NULL;
        td_node *last = NULL;
        TD_TRY(td_partiql__new_node(lowering, TD_NODE_OPERATION, node, ret_node));
        (*ret_node)->operation = node->is_negated ? TD_OP_ATTRIBUTE_EXISTS : TD_OP_ATTRIBUTE_NOT_EXISTS;
        TD_TRY(td_partiql__lower_operand(lowering, node->first, &path));
        td_expr__node_append(*ret_node, path, &last);
        return TD_OK;
    }
    td_node *operand = NULL;
    td_node *choice = NULL;
    td_node *last = NULL;
    TD_TRY(td_partiql__lower_operand(lowering, node->first, &operand));
    for (uint32_t type = 0; type < TD_TYPE_COUNT; type++) {
        td_node *one = NULL;
        if ((types & 1U << type) == 0) continue;
        TD_TRY(lower_type(lowering, node, operand, (td_type)type, &one));
        if (types == 1U << type) {
            *ret_node = one;
            return node->is_negated ? negate(lowering, node, ret_node) : TD_OK;
        }
        if (choice == NULL) TD_TRY(td_partiql__new_node(lowering, TD_NODE_OR, node, &choice));
        td_expr__node_append(choice, one, &last);
    }
    *ret_node = choice;
    return node->is_negated ? negate(lowering, node, ret_node) : TD_OK;
}

static td_status lower_call(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    td_operation operation = td_expr__function_of_name(node->text);
    bool is_known = operation != TD_OP_UNKNOWN && operation != TD_OP_IF_NOT_EXISTS && operation != TD_OP_LIST_APPEND;
    if (!is_known)
        return TD_RAISE(lowering->error, TD_MSG_PARTIQL_FUNCTION_NAME, node->text,
                        td_partiql__position(lowering->text, node->lexeme, lowering->error));
    td_node *last = NULL;
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_OPERATION, node, ret_node));
    (*ret_node)->operation = operation;
    (*ret_node)->is_call = true;
    return lower_operands(lowering, node->first, *ret_node, &last);
}

td_status td_partiql__lower_operand(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    if (node->kind == TD_SYNTAX_PATH) return td_partiql__lower_path(lowering, node, ret_node);
    if (node->kind == TD_SYNTAX_CALL) return lower_call(lowering, node, ret_node);
    if (td_partiql__is_literal(node)) return td_partiql__lower_value(lowering, node, ret_node);
    return td_partiql__raise_place(lowering, TD_MSG_PARTIQL_PATH_COMPONENT, node);
}
