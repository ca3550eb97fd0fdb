/* SPDX-License-Identifier: Apache-2.0
 * lower.c: a statement meets its parameters and becomes programs of storage/expr.
 * Model: the syntax tree stays as it was written; beside it grow the trees that ConditionExpression, UpdateExpression
 * and ProjectionExpression would have become. The checks of operands are those of expressions, worded without their
 * beginning, since the service does the same.
 * Not here: conditions (lower_condition.c), SET and REMOVE (lower_update.c), keys (keys.c). */
#include "syntax.h"

static td_status bind_where(td_statement *statement, const td_value *parameters, td_arena *arena, td_error *error);
static td_status bind_projection(td_statement *statement, td_arena *arena, td_error *error);
static td_status bind_item(td_statement *statement, const td_value *parameters, td_arena *arena, td_error *error);
static td_status bind_update(td_statement *statement, const td_value *parameters, td_arena *arena, td_error *error);
static td_status check_write(const td_statement *statement, td_error *error);
static td_status output_name(const td_path *path, td_arena *arena, td_slice *ret_name);

td_status td_statement_bind(td_statement *statement, const td_value *parameters, uint32_t count, td_arena *arena,
                            td_error *error)
{
    if (count != statement->parameter_count) return TD_RAISE(error, TD_MSG_PARTIQL_PARAMETER_COUNT);
    if (statement->kind == TD_STATEMENT_INSERT) TD_TRY(bind_item(statement, parameters, arena, error));
    if (statement->kind == TD_STATEMENT_UPDATE) TD_TRY(bind_update(statement, parameters, arena, error));
    if (statement->has_where) TD_TRY(bind_where(statement, parameters, arena, error));
    if (statement->syntax->selected != NULL) TD_TRY(bind_projection(statement, arena, error));
    return td_statement_is_write(statement) ? check_write(statement, error) : TD_OK;
}

static td_status check_write(const td_statement *statement, td_error *error)
{
    static const char *const returnings[] = {
        [TD_RETURNING_MODIFIED_OLD] = "MODIFIED OLD",
        [TD_RETURNING_ALL_NEW] = "ALL NEW",
        [TD_RETURNING_MODIFIED_NEW] = "MODIFIED NEW",
    };
    if (statement->index.ptr != NULL) return TD_RAISE(error, TD_MSG_PARTIQL_INDEX_WRITE);
    bool is_odd = statement->kind == TD_STATEMENT_DELETE && statement->returning != TD_RETURNING_NONE &&
                  statement->returning != TD_RETURNING_ALL_OLD;
    if (!is_odd) return TD_OK;
    return TD_RAISE(error, TD_MSG_PARTIQL_RETURNING, td_slice_of_cstr(returnings[statement->returning]));
}

static td_status bind_where(td_statement *statement, const td_value *parameters, td_arena *arena, td_error *error)
{
    td_lowering lowering;
    td_condition *condition = NULL;
    td_partiql__lowering_init(&lowering, TD_EXPR_FILTER, statement, parameters, arena, error);
    TD_TRY(td_partiql__lower_condition(&lowering, statement->syntax->where, &condition));
    condition->holds_without_item = statement->kind == TD_STATEMENT_DELETE;
    statement->where = condition;
    return TD_OK;
}

static td_status bind_update(td_statement *statement, const td_value *parameters, td_arena *arena, td_error *error)
{
    td_lowering lowering;
    td_update *update = NULL;
    td_partiql__lowering_init(&lowering, TD_EXPR_UPDATE, statement, parameters, arena, error);
    TD_TRY(td_partiql__lower_update(&lowering, statement->syntax, &update));
    statement->update = update;
    return TD_OK;
}

static td_status bind_item(td_statement *statement, const td_value *parameters, td_arena *arena, td_error *error)
{
    td_syntax *item = statement->syntax->item;
    td_value value = {.type = TD_TYPE_COUNT};
    if (td_partiql__is_literal(item))
        TD_TRY(td_partiql__literal(item, statement->syntax->text, parameters, arena, &value, error));
    if (value.type != TD_TYPE_M) {
        td_slice name = td_slice_of(statement->syntax->text.ptr + item->lexeme.offset, item->lexeme.len);
        return TD_RAISE(error, TD_MSG_PARTIQL_DATA_TYPE, name, TD_LIT("root"),
                        td_partiql__position(statement->syntax->text, item->lexeme, error));
    }
    for (uint32_t i = 0; i < value.count; i++) {
        if (td_value_depth(&value.attributes[i].value) >= TD_LIMIT_NESTING_LEVELS_MAX)
            return TD_RAISE(error, TD_MSG_NESTING_TOO_DEEP);
    }
    statement->item = value.attributes;
    statement->item_count = value.count;
    return TD_OK;
}

static td_status bind_projection(td_statement *statement, td_arena *arena, td_error *error)
{
    const td_syntax *columns = statement->syntax->selected;
    td_projection *projection = NULL;
    td_path *paths = NULL;
    td_output *outputs = td_arena_alloc_array(arena, columns->count, sizeof *outputs);
    if (outputs == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    for (const td_syntax *column = columns->first; column != NULL; column = column->next) {
        column->path->next = paths;
        paths = column->path;
        outputs[count].path = column->path;
        if (output_name(column->path, arena, &outputs[count++].name) != TD_OK)
            return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    }
    if (td_expr__projection_of_outputs(outputs, count, paths, arena, &projection) != TD_OK)
        return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    statement->projection = projection;
    return TD_OK;
}

/* The last name of the path, with the indexes behind it: a.b is "b", l[0] is "l[0]". */
static td_status output_name(const td_path *path, td_arena *arena, td_slice *ret_name)
{
    uint32_t last = path->count - 1;
    while (path->steps[last].is_index)
        last--;
    td_slice name = path->steps[last].name;
    for (uint32_t i = last + 1; i < path->count; i++) {
        if (!td_arena_format(arena, &name, "%.*s[%u]", (int)name.len, (const char *)name.ptr, path->steps[i].index))
            return TD_OUT_OF_MEMORY;
    }
    *ret_name = name;
    return TD_OK;
}

/* ---- what conditions and updates share ---- */

void td_partiql__lowering_init(td_lowering *lowering, td_expr_kind kind, const td_statement *statement,
                               const td_value *parameters, td_arena *arena, td_error *error)
{
    *lowering = (td_lowering){
        .text = statement->syntax->text,
        .parameters = parameters,
        .arena = arena,
        .error = error,
        .compiler = {.kind = kind,
                     .grammar = kind == TD_EXPR_UPDATE ? TD_GRAMMAR_UPDATE : TD_GRAMMAR_CONDITION,
                     .text = statement->syntax->text,
                     .arena = arena,
                     .error = error,
                     .is_bound = true},
    };
    lowering->compiler.fault.rank = TD_RANK_NONE;
    lowering->compiler.condition_fault.rank = TD_RANK_NONE;
}

td_status td_partiql__new_node(td_lowering *lowering, td_node_kind kind, const td_syntax *from, td_node **ret_node)
{
    td_token token = {.kind = TD_TOKEN_UNKNOWN, .offset = from->lexeme.offset, .len = from->lexeme.len};
    if (kind != TD_NODE_PATH && kind != TD_NODE_VALUE) lowering->compiler.operator_count++;
    return td_expr__node_new(&lowering->compiler, kind, token, ret_node);
}

void td_partiql__note_path(td_lowering *lowering, td_path *path)
{
    td_compiler *compiler = &lowering->compiler;
    TD_ASSERT(path != compiler->last_path);
    path->next = NULL;
    if (compiler->last_path == NULL)
        compiler->first_path = path;
    else
        compiler->last_path->next = path;
    compiler->last_path = path;
}

td_status td_partiql__raise_place(td_lowering *lowering, td_message message, const td_syntax *node)
{
    return TD_RAISE(lowering->error, message, td_partiql__position(lowering->text, node->lexeme, lowering->error));
}

td_status td_partiql__lower_path(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    TD_ASSERT(node->kind == TD_SYNTAX_PATH);
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_PATH, node, ret_node));
    (*ret_node)->path = node->path;
    td_partiql__note_path(lowering, node->path);
    return TD_OK;
}

td_status td_partiql__lower_value(td_lowering *lowering, td_syntax *node, td_node **ret_node)
{
    TD_ASSERT(td_partiql__is_literal(node));
    td_value *value = td_arena_alloc(lowering->arena, sizeof *value);
    if (value == NULL) return TD_RAISE(lowering->error, TD_MSG_OUT_OF_MEMORY);
    TD_TRY(td_partiql__literal(node, lowering->text, lowering->parameters, lowering->arena, value, lowering->error));
    if (td_value_depth(value) >= TD_LIMIT_NESTING_LEVELS_MAX) return TD_RAISE(lowering->error, TD_MSG_NESTING_TOO_DEEP);
    TD_TRY(td_partiql__new_node(lowering, TD_NODE_VALUE, node, ret_node));
    (*ret_node)->value = value;
    return TD_OK;
}

td_status td_partiql__raise_fault(td_lowering *lowering)
{
    static const struct {
        td_message expression;
        td_message statement;
    } rows[] = {
        {TD_MSG_EXPR_OPERAND_COUNT, TD_MSG_PARTIQL_OPERAND_COUNT},
        {TD_MSG_EXPR_OPERAND_TYPE, TD_MSG_PARTIQL_OPERAND_TYPE},
        {TD_MSG_EXPR_PATH_REQUIRED, TD_MSG_PARTIQL_PATH_REQUIRED},
        {TD_MSG_EXPR_OPERANDS_NOT_DISTINCT, TD_MSG_PARTIQL_OPERANDS_NOT_DISTINCT},
        {TD_MSG_EXPR_TYPE_NAME, TD_MSG_PARTIQL_TYPE_NAME},
        {TD_MSG_EXPR_BETWEEN_TYPES, TD_MSG_PARTIQL_BETWEEN_TYPES},
        {TD_MSG_EXPR_BETWEEN_ORDER, TD_MSG_PARTIQL_BETWEEN_ORDER},
        {TD_MSG_EXPR_IN_OPERANDS, TD_MSG_PARTIQL_IN_OPERANDS},
        {TD_MSG_EXPR_FUNCTION_MISUSED, TD_MSG_PARTIQL_FUNCTION_MISUSED},
        {TD_MSG_EXPR_PATHS_OVERLAP, TD_MSG_PARTIQL_PATHS_OVERLAP},
        {TD_MSG_EXPR_PATHS_CONFLICT, TD_MSG_PARTIQL_PATHS_CONFLICT},
    };
    const td_compiler *compiler = &lowering->compiler;
    if (compiler->operator_count > TD_LIMIT_EXPRESSION_OPERATORS_MAX)
        return TD_RAISE(lowering->error, TD_MSG_PARTIQL_TOO_MANY_OPERATORS,
                        td_error_int(lowering->error, compiler->operator_count));
    const td_fault *fault = compiler->fault.rank != TD_RANK_NONE ? &compiler->fault : &compiler->condition_fault;
    if (fault->rank == TD_RANK_NONE) return TD_OK;
    for (size_t i = 0; i < TD_COUNT_OF(rows); i++) {
        if (rows[i].expression == fault->message)
            return TD_RAISE(lowering->error, rows[i].statement, fault->args[0], fault->args[1]);
    }
    TD_ASSERT(0 && "a fault that the shared checks find in bound trees");
    return TD_OK;
}
