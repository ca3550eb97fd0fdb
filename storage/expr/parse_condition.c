/* SPDX-License-Identifier: Apache-2.0
 * parse_condition.c: the grammar of conditions, filters and key conditions.
 * Model: "(" may open a condition or an operand, and only what follows the matching ")" tells which: "(a) = :v",
 * "(a = :v)". So a rule may answer an operand where a condition was looked for, but only when ")" follows, and the
 * rule that opened the parenthesis decides. A call is either: its place is checked later (check.c).
 * Not here: what the operands may be (check.c). */
#include "ast.h"

static td_status parse_or(td_compiler *compiler, bool may_be_operand, td_node **ret_node);
static td_status parse_and(td_compiler *compiler, bool may_be_operand, td_node **ret_node);
static td_status parse_not(td_compiler *compiler, bool may_be_operand, td_node **ret_node);
static td_status parse_primary(td_compiler *compiler, bool may_be_operand, td_node **ret_node);
static td_status parse_beginning(td_compiler *compiler, td_node **ret_node);
static td_status parse_operation(td_compiler *compiler, td_operation operation, td_node *first, td_node **ret_node);
static td_operation operation_of_token(td_token_kind kind);
static bool is_operand(const td_node *node)
{
    return node->kind == TD_NODE_PATH || node->kind == TD_NODE_VALUE;
}

/* root = or END ; */
td_status td_expr__parse_condition(td_compiler *compiler, td_node **ret_root)
{
    TD_TRY(parse_or(compiler, false, ret_root));
    if (compiler->current.kind != TD_TOKEN_END) return td_expr__syntax_error(compiler);
    TD_ASSERT(compiler->depth == 0);
    return TD_OK;
}

typedef td_status parse_rule(td_compiler *compiler, bool may_be_operand, td_node **ret_node);

/* side { separator side }: one node of all sides, so that a long chain is no deep tree. */
static td_status parse_chain(td_compiler *compiler, bool may_be_operand, td_token_kind separator, td_node_kind kind,
                             parse_rule *parse_side, td_node **ret_node)
{
    td_node *side = NULL;
    TD_TRY(parse_side(compiler, may_be_operand, &side));
    if (compiler->current.kind != separator || is_operand(side)) {
        *ret_node = side;
        return TD_OK;
    }
    td_node *chain = NULL;
    td_node *last = NULL;
    TD_TRY(td_expr__node_new(compiler, kind, compiler->current, &chain));
    td_expr__node_append(chain, side, &last);
    while (compiler->current.kind == separator) {
        td_expr__count_operator(compiler);
        td_expr__advance(compiler);
        TD_TRY(parse_side(compiler, false, &side));
        td_expr__node_append(chain, side, &last);
    }
    *ret_node = chain;
    return TD_OK;
}

/* or = and { OR and } ; */
static td_status parse_or(td_compiler *compiler, bool may_be_operand, td_node **ret_node)
{
    return parse_chain(compiler, may_be_operand, TD_TOKEN_OR, TD_NODE_OR, parse_and, ret_node);
}

/* and = not { AND not } ; */
static td_status parse_and(td_compiler *compiler, bool may_be_operand, td_node **ret_node)
{
    return parse_chain(compiler, may_be_operand, TD_TOKEN_AND, TD_NODE_AND, parse_not, ret_node);
}

/* not = NOT not | primary ; */
static td_status parse_not(td_compiler *compiler, bool may_be_operand, td_node **ret_node)
{
    if (compiler->current.kind != TD_TOKEN_NOT) return parse_primary(compiler, may_be_operand, ret_node);
    td_node *node = NULL;
    td_node *child = NULL;
    td_node *last = NULL;
    TD_TRY(td_expr__enter(compiler));
    TD_TRY(td_expr__node_new(compiler, TD_NODE_NOT, compiler->current, &node));
    td_expr__count_operator(compiler);
    td_expr__advance(compiler);
    TD_TRY(parse_not(compiler, false, &child));
    td_expr__node_append(node, child, &last);
    td_expr__leave(compiler);
    *ret_node = node;
    return TD_OK;
}

/* primary = beginning comparator operand
 *         | beginning BETWEEN operand AND operand
 *         | beginning IN "(" operand { "," operand } ")"
 *         | beginning ;                                    a condition in parentheses or a call
 * beginning = "(" or ")" | bare-operand ; */
static td_status parse_primary(td_compiler *compiler, bool may_be_operand, td_node **ret_node)
{
    td_node *beginning = NULL;
    TD_TRY(parse_beginning(compiler, &beginning));
    td_operation operation = operation_of_token(compiler->current.kind);
    bool is_condition = !is_operand(beginning) && !beginning->is_call;
    if (operation != TD_OP_UNKNOWN && !is_condition) return parse_operation(compiler, operation, beginning, ret_node);
    if (is_operand(beginning) && !(may_be_operand && compiler->current.kind == TD_TOKEN_CLOSE))
        return td_expr__syntax_error(compiler);
    *ret_node = beginning;
    return TD_OK;
}

static td_status parse_beginning(td_compiler *compiler, td_node **ret_node)
{
    if (compiler->current.kind != TD_TOKEN_OPEN) return td_expr__parse_bare_operand(compiler, ret_node);
    TD_TRY(td_expr__enter(compiler));
    td_expr__advance(compiler);
    td_node *content = NULL;
    TD_TRY(parse_or(compiler, true, &content));
    TD_TRY(td_expr__parse_close(compiler, content));
    td_expr__leave(compiler);
    *ret_node = content;
    return TD_OK;
}

static td_status parse_operation(td_compiler *compiler, td_operation operation, td_node *first, td_node **ret_node)
{
    td_node *node = NULL;
    td_node *operand = NULL;
    td_node *last = NULL;
    TD_TRY(td_expr__node_new(compiler, TD_NODE_OPERATION, compiler->current, &node));
    node->operation = operation;
    td_expr__count_operator(compiler);
    td_expr__node_append(node, first, &last);
    td_expr__advance(compiler);
    if (operation == TD_OP_IN) {
        if (compiler->current.kind != TD_TOKEN_OPEN) return td_expr__syntax_error(compiler);
        do {
            td_expr__advance(compiler); /* "(" or "," */
            TD_TRY(td_expr__parse_operand(compiler, &operand));
            td_expr__node_append(node, operand, &last);
        } while (compiler->current.kind == TD_TOKEN_COMMA);
        TD_TRY(td_expr__expect(compiler, TD_TOKEN_CLOSE));
    } else {
        TD_TRY(td_expr__parse_operand(compiler, &operand));
        td_expr__node_append(node, operand, &last);
    }
    if (operation == TD_OP_BETWEEN) {
        TD_TRY(td_expr__expect(compiler, TD_TOKEN_AND));
        TD_TRY(td_expr__parse_operand(compiler, &operand));
        td_expr__node_append(node, operand, &last);
    }
    *ret_node = node;
    return TD_OK;
}

static td_operation operation_of_token(td_token_kind kind)
{
    static const struct {
        td_token_kind kind;
        td_operation operation;
    } operations[] = {
        {TD_TOKEN_EQUAL, TD_OP_EQUAL},     {TD_TOKEN_NOT_EQUAL, TD_OP_NOT_EQUAL},
        {TD_TOKEN_LESS, TD_OP_LESS},       {TD_TOKEN_LESS_EQUAL, TD_OP_LESS_EQUAL},
        {TD_TOKEN_GREATER, TD_OP_GREATER}, {TD_TOKEN_GREATER_EQUAL, TD_OP_GREATER_EQUAL},
        {TD_TOKEN_BETWEEN, TD_OP_BETWEEN}, {TD_TOKEN_IN, TD_OP_IN},
    };
    for (size_t i = 0; i < TD_COUNT_OF(operations); i++) {
        if (operations[i].kind == kind) return operations[i].operation;
    }
    return TD_OP_UNKNOWN;
}
