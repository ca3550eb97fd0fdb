/* SPDX-License-Identifier: Apache-2.0
 * parse.c: what the three grammars share: the window of tokens, syntax errors, paths, operands, function calls.
 * Model: recursive descent over a window of three tokens. The first token that fits no rule is the syntax error; it is
 * quoted with its neighbours, as the service does. Everything else that can be wrong with an expression is a fault of
 * the finished tree (check.c), since the service reports syntax before all of it.
 * Invariants: the recursion is bounded by TD_LIMIT_EXPRESSION_DEPTH_MAX; the text by TD_LIMIT_EXPRESSION_BYTES_MAX.
 * Not here: conditions (parse_condition.c), updates (parse_update.c), projections (projection.c). */
#include "ast.h"

#include "thermodyn/text.h"

static td_status parse_steps(td_compiler *compiler, td_path *path);
static td_status parse_step(td_compiler *compiler, td_step *ret_step);
static td_status parse_call(td_compiler *compiler, td_node **ret_node);

td_slice td_expr__kind_name(td_expr_kind kind)
{
    switch (kind) {
    case TD_EXPR_CONDITION: return TD_LIT("ConditionExpression");
    case TD_EXPR_FILTER: return TD_LIT("FilterExpression");
    case TD_EXPR_KEY_CONDITION: return TD_LIT("KeyConditionExpression");
    case TD_EXPR_UPDATE: return TD_LIT("UpdateExpression");
    case TD_EXPR_PROJECTION: return TD_LIT("ProjectionExpression");
    }
    TD_ASSERT(0 && "a known kind of expression");
    return TD_LIT("");
}

td_status td_expr__begin(td_compiler *compiler, td_expr_kind kind, td_slice text, td_expr_marks *marks, td_arena *arena,
                         td_error *error)
{
    td_grammar grammar = kind == TD_EXPR_UPDATE       ? TD_GRAMMAR_UPDATE
                         : kind == TD_EXPR_PROJECTION ? TD_GRAMMAR_PROJECTION
                                                      : TD_GRAMMAR_CONDITION;
    *compiler =
        (td_compiler){.kind = kind, .grammar = grammar, .text = text, .marks = marks, .arena = arena, .error = error};
    compiler->fault.rank = TD_RANK_NONE;
    compiler->condition_fault.rank = TD_RANK_NONE;
    if (text.len == 0) return TD_RAISE(error, TD_MSG_EXPR_EMPTY, td_expr__kind_name(kind));
    if (text.len > TD_LIMIT_EXPRESSION_BYTES_MAX) {
        bool is_counted = kind == TD_EXPR_CONDITION || kind == TD_EXPR_FILTER;
        return TD_RAISE(error, is_counted ? TD_MSG_EXPR_TOO_LONG_COUNTED : TD_MSG_EXPR_TOO_LONG,
                        td_expr__kind_name(kind), td_error_int(error, (int64_t)text.len));
    }
    compiler->current = td_expr__lex(text, 0, grammar);
    compiler->previous = (td_token){TD_TOKEN_END, compiler->current.offset, 0};
    compiler->following = td_expr__lex(text, compiler->current.offset + compiler->current.len, grammar);
    return TD_OK;
}

td_slice td_expr__token_text(const td_compiler *compiler, td_token token)
{
    return td_slice_of(compiler->text.ptr + token.offset, token.len);
}

td_status td_expr__syntax_error(td_compiler *compiler)
{
    td_token last = compiler->following;
    if (last.kind == TD_TOKEN_END) last = compiler->current;
    if (last.kind == TD_TOKEN_END) last = compiler->previous;
    td_slice near =
        td_slice_of(compiler->text.ptr + compiler->previous.offset, last.offset + last.len - compiler->previous.offset);
    td_slice token =
        compiler->current.kind == TD_TOKEN_END ? TD_LIT("<EOF>") : td_expr__token_text(compiler, compiler->current);
    return TD_RAISE(compiler->error, TD_MSG_EXPR_SYNTAX, td_expr__kind_name(compiler->kind), token, near);
}

void td_expr__advance(td_compiler *compiler)
{
    if (compiler->current.kind == TD_TOKEN_END) return;
    compiler->previous = compiler->current;
    compiler->current = compiler->following;
    compiler->following =
        td_expr__lex(compiler->text, compiler->current.offset + compiler->current.len, compiler->grammar);
}

td_status td_expr__expect(td_compiler *compiler, td_token_kind kind)
{
    if (compiler->current.kind != kind) return td_expr__syntax_error(compiler);
    td_expr__advance(compiler);
    return TD_OK;
}

/* Deeper text than this has either hundreds of operators or doubled parentheses: it is wrong in every case, and this
 * says so without parsing it to its end. */
td_status td_expr__enter(td_compiler *compiler)
{
    if (compiler->depth >= TD_LIMIT_EXPRESSION_DEPTH_MAX) {
        return TD_RAISE(compiler->error, TD_MSG_EXPR_TOO_MANY_OPERATORS, td_expr__kind_name(compiler->kind),
                        td_error_int(compiler->error, (int64_t)compiler->depth + 1));
    }
    compiler->depth++;
    return TD_OK;
}

void td_expr__leave(td_compiler *compiler)
{
    TD_ASSERT(compiler->depth > 0);
    compiler->depth--;
}

void td_expr__count_operator(td_compiler *compiler)
{
    compiler->operator_count++;
}

td_status td_expr__node_new(td_compiler *compiler, td_node_kind kind, td_token token, td_node **ret_node)
{
    td_node *node = td_arena_alloc_zero(compiler->arena, sizeof *node);
    if (node == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    node->kind = kind;
    node->token = token;
    *ret_node = node;
    return TD_OK;
}

void td_expr__node_append(td_node *parent, td_node *child, td_node **last)
{
    TD_ASSERT(child->next == NULL);
    if (*last == NULL)
        parent->first = child;
    else
        (*last)->next = child;
    *last = child;
    parent->count++;
}

/* path = name { "." name | "[" integer "]" } ;  name = NAME | NAME_MARK ; */
td_status td_expr__parse_path(td_compiler *compiler, td_path **ret_path)
{
    td_token first = compiler->current;
    if (first.kind != TD_TOKEN_NAME && first.kind != TD_TOKEN_NAME_MARK) return td_expr__syntax_error(compiler);
    td_path *path = td_arena_alloc_zero(compiler->arena, sizeof *path);
    td_step *step = td_arena_alloc_zero(compiler->arena, sizeof *step);
    if (path == NULL || step == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);

    step->name = td_expr__token_text(compiler, first);
    step->is_mark = first.kind == TD_TOKEN_NAME_MARK;
    path->steps = step;
    path->count = 1;
    if (compiler->last_path == NULL)
        compiler->first_path = path;
    else
        compiler->last_path->next = path;
    compiler->last_path = path;
    td_expr__advance(compiler);
    TD_TRY(parse_steps(compiler, path));
    *ret_path = path;
    return TD_OK;
}

/* The further steps of a path: { "." name | "[" integer "]" } */
static td_status parse_steps(td_compiler *compiler, td_path *path)
{
    td_step steps[TD_PATH_STEPS_MAX];
    uint32_t count = path->count;
    memcpy(steps, path->steps, count * sizeof *steps);
    while (compiler->current.kind == TD_TOKEN_DOT || compiler->current.kind == TD_TOKEN_OPEN_INDEX) {
        td_step step;
        TD_TRY(parse_step(compiler, &step));
        if (count < TD_PATH_STEPS_MAX) steps[count] = step;
        count++;
    }
    if (count == path->count) return TD_OK;
    if (count > TD_PATH_STEPS_MAX) {
        td_expr__fault(compiler, TD_RANK_LIMIT, TD_MSG_EXPR_PATH_TOO_DEEP, td_error_int(compiler->error, count),
                       TD_LIT(""));
        count = TD_PATH_STEPS_MAX;
    }
    td_step *copy = td_arena_alloc_array(compiler->arena, count, sizeof *copy);
    if (copy == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    memcpy(copy, steps, count * sizeof *copy);
    path->steps = copy;
    path->count = count;
    return TD_OK;
}

static td_status parse_step(td_compiler *compiler, td_step *ret_step)
{
    bool is_index = compiler->current.kind == TD_TOKEN_OPEN_INDEX;
    td_expr__advance(compiler);
    td_token token = compiler->current;
    bool fits =
        is_index ? token.kind == TD_TOKEN_INTEGER : token.kind == TD_TOKEN_NAME || token.kind == TD_TOKEN_NAME_MARK;
    if (!fits) return td_expr__syntax_error(compiler);
    td_expr__advance(compiler);

    td_slice text = td_expr__token_text(compiler, token);
    if (!is_index) {
        *ret_step = (td_step){.name = text, .is_mark = token.kind == TD_TOKEN_NAME_MARK};
        return TD_OK;
    }
    int64_t index = 0;
    if (!td_parse_int64(text, &index) || index > INT32_MAX) {
        td_expr__fault(compiler, TD_RANK_LIMIT, TD_MSG_EXPR_LIST_INDEX, text, TD_LIT(""));
        index = 0;
    }
    *ret_step = (td_step){.index = (uint32_t)index, .is_index = true};
    return td_expr__expect(compiler, TD_TOKEN_CLOSE_INDEX);
}

/* operand = bare-operand | "(" operand ")" ; */
td_status td_expr__parse_operand(td_compiler *compiler, td_node **ret_node)
{
    if (compiler->current.kind != TD_TOKEN_OPEN) return td_expr__parse_bare_operand(compiler, ret_node);
    TD_TRY(td_expr__enter(compiler));
    td_expr__advance(compiler);
    td_node *content = NULL;
    TD_TRY(td_expr__parse_operand(compiler, &content));
    TD_TRY(td_expr__parse_close(compiler, content));
    td_expr__leave(compiler);
    *ret_node = content;
    return TD_OK;
}

td_status td_expr__parse_close(td_compiler *compiler, td_node *content)
{
    TD_TRY(td_expr__expect(compiler, TD_TOKEN_CLOSE));
    if (content->is_parenthesized)
        td_expr__fault(compiler, TD_RANK_PARENTHESES, TD_MSG_EXPR_REDUNDANT_PARENTHESES, TD_LIT(""), TD_LIT(""));
    content->is_parenthesized = true;
    if (content->kind != TD_NODE_PATH || compiler->grammar != TD_GRAMMAR_CONDITION) return TD_OK;

    uint32_t count_before = content->path->count;
    TD_TRY(parse_steps(compiler, content->path));
    if (content->path->count != count_before) content->is_parenthesized = false;
    return TD_OK;
}

/* bare-operand = path | VALUE_MARK | call ; */
td_status td_expr__parse_bare_operand(td_compiler *compiler, td_node **ret_node)
{
    td_token token = compiler->current;
    if (token.kind == TD_TOKEN_VALUE_MARK) {
        td_expr__advance(compiler);
        return td_expr__node_new(compiler, TD_NODE_VALUE, token, ret_node);
    }
    if (token.kind == TD_TOKEN_NAME && compiler->following.kind == TD_TOKEN_OPEN) return parse_call(compiler, ret_node);

    td_path *path = NULL;
    TD_TRY(td_expr__parse_path(compiler, &path));
    TD_TRY(td_expr__node_new(compiler, TD_NODE_PATH, token, ret_node));
    (*ret_node)->path = path;
    return TD_OK;
}

/* call = NAME "(" operand { "," operand } ")" ; */
static td_status parse_call(td_compiler *compiler, td_node **ret_node)
{
    td_node *call = NULL;
    TD_TRY(td_expr__enter(compiler));
    TD_TRY(td_expr__node_new(compiler, TD_NODE_OPERATION, compiler->current, &call));
    call->is_call = true;
    call->operation = td_expr__function_of_name(td_expr__token_text(compiler, compiler->current));
    td_expr__count_operator(compiler);
    td_expr__advance(compiler);
    td_node *last = NULL;
    do {
        td_expr__advance(compiler); /* "(" or "," */
        td_node *operand = NULL;
        TD_TRY(td_expr__parse_operand(compiler, &operand));
        td_expr__node_append(call, operand, &last);
    } while (compiler->current.kind == TD_TOKEN_COMMA);
    TD_TRY(td_expr__expect(compiler, TD_TOKEN_CLOSE));
    td_expr__leave(compiler);
    *ret_node = call;
    return TD_OK;
}
