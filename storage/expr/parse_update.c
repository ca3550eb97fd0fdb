/* SPDX-License-Identifier: Apache-2.0
 * parse_update.c: the grammar of update expressions.
 * Not here: sections that are used twice come out as a fault, not as a syntax error; types of operands (check.c). */
#include "ast.h"

typedef struct section_row {
    td_token_kind keyword;
    td_action_kind kind;
    const char *name;
} section_row;

static const section_row sections[] = {
    {TD_TOKEN_SET, TD_ACTION_SET, "SET"},
    {TD_TOKEN_REMOVE, TD_ACTION_REMOVE, "REMOVE"},
    {TD_TOKEN_ADD, TD_ACTION_ADD, "ADD"},
    {TD_TOKEN_DELETE, TD_ACTION_DELETE, "DELETE"},
};

static const section_row *find_section(td_token_kind keyword);
static td_status parse_action(td_compiler *compiler, td_action_kind kind, td_action **ret_action);
static td_status parse_set_value(td_compiler *compiler, td_node **ret_node);
static td_status parse_arithmetic(td_compiler *compiler, td_node *first, td_node **ret_node);

/* update = section { section } END ;  section = (SET | REMOVE | ADD | DELETE) action { "," action } ; */
td_status td_expr__parse_update(td_compiler *compiler, td_action **ret_actions, uint32_t *ret_count)
{
    td_action *first = NULL;
    td_action **end = &first;
    uint32_t count = 0;
    bool seen[TD_COUNT_OF(sections)] = {false};
    do {
        const section_row *section = find_section(compiler->current.kind);
        if (section == NULL) return td_expr__syntax_error(compiler);
        if (seen[section - sections])
            td_expr__fault(compiler, TD_RANK_SECTION, TD_MSG_EXPR_SECTION_TWICE, td_slice_of_cstr(section->name),
                           TD_LIT(""));
        seen[section - sections] = true;
        do {
            td_expr__advance(compiler); /* the keyword or "," */
            TD_TRY(parse_action(compiler, section->kind, end));
            (*end)->position = count++;
            end = &(*end)->next;
        } while (compiler->current.kind == TD_TOKEN_COMMA);
    } while (compiler->current.kind != TD_TOKEN_END);
    TD_ASSERT(compiler->depth == 0);
    *ret_actions = first;
    *ret_count = count;
    return TD_OK;
}

static const section_row *find_section(td_token_kind keyword)
{
    for (size_t i = 0; i < TD_COUNT_OF(sections); i++) {
        if (sections[i].keyword == keyword) return &sections[i];
    }
    return NULL;
}

/* SET:    action = path "=" set-value ;
 * REMOVE: action = path ;
 * ADD, DELETE: action = path VALUE_MARK ; */
static td_status parse_action(td_compiler *compiler, td_action_kind kind, td_action **ret_action)
{
    td_action *action = td_arena_alloc_zero(compiler->arena, sizeof *action);
    if (action == NULL) return TD_RAISE(compiler->error, TD_MSG_OUT_OF_MEMORY);
    action->kind = kind;
    TD_TRY(td_expr__parse_path(compiler, &action->path));
    switch (kind) {
    case TD_ACTION_SET:
        TD_TRY(td_expr__expect(compiler, TD_TOKEN_EQUAL));
        TD_TRY(parse_set_value(compiler, &action->operand));
        break;
    case TD_ACTION_REMOVE: break;
    case TD_ACTION_ADD:
    case TD_ACTION_DELETE:
        if (compiler->current.kind != TD_TOKEN_VALUE_MARK) return td_expr__syntax_error(compiler);
        TD_TRY(td_expr__parse_bare_operand(compiler, &action->operand));
        break;
    }
    *ret_action = action;
    return TD_OK;
}

/* set-value = operand [ ("+" | "-") operand ]
 *           | "(" operand ("+" | "-") operand ")" ; */
static td_status parse_set_value(td_compiler *compiler, td_node **ret_node)
{
    if (compiler->current.kind != TD_TOKEN_OPEN) {
        td_node *operand = NULL;
        TD_TRY(td_expr__parse_operand(compiler, &operand));
        return parse_arithmetic(compiler, operand, ret_node);
    }
    TD_TRY(td_expr__enter(compiler));
    td_expr__advance(compiler);
    td_node *content = NULL;
    TD_TRY(parse_set_value(compiler, &content));
    TD_TRY(td_expr__parse_close(compiler, content));
    td_expr__leave(compiler);
    bool is_sum = content->kind == TD_NODE_OPERATION && !content->is_call;
    if (is_sum) {
        *ret_node = content;
        return TD_OK;
    }
    return parse_arithmetic(compiler, content, ret_node);
}

static td_status parse_arithmetic(td_compiler *compiler, td_node *first, td_node **ret_node)
{
    td_token token = compiler->current;
    if (token.kind != TD_TOKEN_PLUS && token.kind != TD_TOKEN_MINUS) {
        *ret_node = first;
        return TD_OK;
    }
    td_node *node = NULL;
    td_node *second = NULL;
    td_node *last = NULL;
    TD_TRY(td_expr__node_new(compiler, TD_NODE_OPERATION, token, &node));
    node->operation = token.kind == TD_TOKEN_PLUS ? TD_OP_PLUS : TD_OP_MINUS;
    td_expr__count_operator(compiler);
    td_expr__advance(compiler);
    TD_TRY(td_expr__parse_operand(compiler, &second));
    td_expr__node_append(node, first, &last);
    td_expr__node_append(node, second, &last);
    *ret_node = node;
    return TD_OK;
}
