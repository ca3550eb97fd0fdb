/* SPDX-License-Identifier: Apache-2.0
 * parse.c: text → statement: the clauses of SELECT, INSERT, UPDATE, DELETE and EXISTS.
 * Model: the grammar and the texts of PartiQL's reference parser, which is the service's: lexical faults anywhere come
 * first, then the first lexeme that fits no rule. What the grammar takes but the service does not (aliases, functions
 * as columns, other clauses) is refused where it stands, and the shape of FROM when all has been read. Invariants:
 * recursion is bounded by TD_LIMIT_STATEMENT_DEPTH_MAX. Not here: expressions (parse_expression.c), paths
 * (parse_path.c), SET, REMOVE and RETURNING (parse_change.c). */
#include "syntax.h"

#include <stdlib.h>

static td_status read_lexemes(td_parser *parser);
static td_status parse_statement(td_parser *parser);
static td_status parse_select(td_parser *parser);
static td_status parse_columns(td_parser *parser);
static td_status parse_column(td_parser *parser, td_syntax *columns);
static td_status parse_from(td_parser *parser, bool is_select, td_path **ret_path);
static td_status parse_where(td_parser *parser);
static td_status parse_orders(td_parser *parser);
static td_status parse_insert(td_parser *parser);
static td_status parse_update(td_parser *parser, bool is_from_first);
static td_status parse_delete(td_parser *parser);
static td_status parse_exists(td_parser *parser);
static td_status parse_end(td_parser *parser);
static td_status set_table(td_parser *parser, const td_path *path);
static td_status list_names(td_parser *parser, const td_syntax *node, const td_slice **ret_names, uint32_t *ret_count);

td_status td_statement_parse(td_slice text, td_arena *arena, td_statement **ret_statement, td_error *error)
{
    td_statement *statement = td_arena_alloc_zero(arena, sizeof *statement);
    td_statement_syntax *syntax = td_arena_alloc_zero(arena, sizeof *syntax);
    if (statement == NULL || syntax == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    td_parser parser = {.text = text, .arena = arena, .error = error, .statement = statement};
    syntax->text = text;
    statement->syntax = syntax;
    TD_TRY(read_lexemes(&parser));
    TD_TRY(parse_statement(&parser));
    TD_TRY(parse_end(&parser));
    statement->parameter_count = parser.parameter_count;

    TD_TRY(list_names(&parser, syntax->selected, &statement->selected, &statement->selected_count));
    TD_TRY(list_names(&parser, syntax->where, &statement->filtered, &statement->filtered_count));
    TD_TRY(td_partiql__check_literals(syntax->where, text, arena, error));
    TD_TRY(td_partiql__check_literals(syntax->item, text, arena, error));
    for (td_syntax_change *change = syntax->changes; change != NULL; change = change->next)
        TD_TRY(td_partiql__check_literals(change->value, text, arena, error));
    *ret_statement = statement;
    return TD_OK;
}

td_status td_partiql__malformed(td_parser *parser, td_slice expected)
{
    return TD_RAISE(parser->error, TD_MSG_PARTIQL_MALFORMED, expected);
}

/* All of them at once: a lexical fault anywhere is reported before any other. */
static td_status read_lexemes(td_parser *parser)
{
    enum { BYTES_PER_LEXEME = 3, LEXEMES_MIN = 16 }; /* of what people write; more only copies */
    if (parser->text.len >= UINT32_MAX) return td_partiql__malformed(parser, TD_LIT(""));
    size_t capacity = parser->text.len / BYTES_PER_LEXEME + LEXEMES_MIN;
    size_t count = 0;
    uint32_t at = 0;
    td_lexeme *lexemes = td_arena_alloc_array(parser->arena, capacity, sizeof *lexemes);
    if (lexemes == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    do {
        if (count == capacity) {
            td_lexeme *more = td_arena_alloc_array(parser->arena, 2 * capacity, sizeof *more);
            if (more == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
            memcpy(more, lexemes, count * sizeof *more);
            lexemes = more;
            capacity *= 2;
        }
        lexemes[count] = td_partiql__lex(parser->text, at);
        if (lexemes[count].kind == TD_LEXEME_INVALID) return td_partiql__malformed(parser, TD_LIT(""));
        at = lexemes[count].offset + lexemes[count].len;
    } while (lexemes[count++].kind != TD_LEXEME_END);
    parser->at = lexemes;
    return TD_OK;
}

bool td_partiql__at_keyword(const td_parser *parser, td_keyword keyword)
{
    return parser->at->kind == TD_LEXEME_KEYWORD && parser->at->keyword == keyword;
}

static bool take_keyword(td_parser *parser, td_keyword keyword)
{
    if (!td_partiql__at_keyword(parser, keyword)) return false;
    parser->at++;
    return true;
}

td_status td_partiql__expect(td_parser *parser, td_lexeme_kind kind, td_slice name)
{
    TD_ASSERT(kind != TD_LEXEME_END);
    if (parser->at->kind != kind) {
        td_slice expected;
        if (!td_arena_format(parser->arena, &expected, "Expected %.*s", (int)name.len, (const char *)name.ptr))
            return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
        return td_partiql__malformed(parser, expected);
    }
    parser->at++;
    return TD_OK;
}

/* statement = select | insert | update | delete | exists ; */
static td_status parse_statement(td_parser *parser)
{
    if (td_partiql__at_keyword(parser, TD_KEYWORD_exists) && parser->at[1].kind == TD_LEXEME_OPEN)
        return parse_exists(parser);
    if (take_keyword(parser, TD_KEYWORD_select)) return parse_select(parser);
    if (take_keyword(parser, TD_KEYWORD_insert)) return parse_insert(parser);
    if (take_keyword(parser, TD_KEYWORD_update)) return parse_update(parser, false);
    if (take_keyword(parser, TD_KEYWORD_from)) return parse_update(parser, true);
    if (take_keyword(parser, TD_KEYWORD_delete)) return parse_delete(parser);
    return td_partiql__malformed(parser, TD_LIT("Expected data manipulation"));
}

/* [ ";" ] END */
static td_status parse_end(td_parser *parser)
{
    bool has_semicolon = parser->at->kind == TD_LEXEME_SEMICOLON;
    if (has_semicolon) parser->at++;
    if (parser->at->kind == TD_LEXEME_END) return TD_OK;
    return td_partiql__malformed(parser, has_semicolon
                                             ? TD_LIT("Unexpected token after semicolon. (Only one query is allowed.)")
                                             : TD_LIT("Unexpected token after expression"));
}

static td_status raise_clause(td_parser *parser)
{
    td_slice name = td_slice_of(parser->text.ptr + parser->at->offset, parser->at->len);
    return TD_RAISE(parser->error, TD_MSG_PARTIQL_UNSUPPORTED_CLAUSE, name,
                    td_partiql__position(parser->text, *parser->at, parser->error));
}

/* select = SELECT columns FROM table [ WHERE expression ] [ ORDER BY orders ] ; */
static td_status parse_select(td_parser *parser)
{
    parser->statement->kind = TD_STATEMENT_SELECT;
    if (td_partiql__at_keyword(parser, TD_KEYWORD_distinct)) return raise_clause(parser);
    take_keyword(parser, TD_KEYWORD_all);
    TD_TRY(parse_columns(parser));
    if (!take_keyword(parser, TD_KEYWORD_from))
        return td_partiql__malformed(parser, TD_LIT("Expected FROM after SELECT list"));
    td_path *table = NULL;
    TD_TRY(parse_from(parser, true, &table));
    TD_TRY(parse_where(parser));
    if (take_keyword(parser, TD_KEYWORD_order)) TD_TRY(parse_orders(parser));
    bool is_unsupported =
        td_partiql__at_keyword(parser, TD_KEYWORD_limit) || td_partiql__at_keyword(parser, TD_KEYWORD_offset) ||
        td_partiql__at_keyword(parser, TD_KEYWORD_group) || td_partiql__at_keyword(parser, TD_KEYWORD_having);
    if (is_unsupported) return raise_clause(parser);
    return set_table(parser, table);
}

/* columns = "*" | path { "," path } ; */
static td_status parse_columns(td_parser *parser)
{
    uint32_t star_count = 0;
    uint32_t count = 0;
    td_syntax *columns = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_LIST, &columns));
    do {
        if (count++ > 0) parser->at++;
        bool is_star = parser->at->kind == TD_LEXEME_STAR;
        star_count += is_star;
        if (is_star)
            parser->at++;
        else
            TD_TRY(parse_column(parser, columns));
    } while (parser->at->kind == TD_LEXEME_COMMA);
    if (star_count > 0 && count > 1)
        return td_partiql__malformed(parser,
                                     TD_LIT("Other expressions may not be present in the select list when '*' is "
                                            "used without dot notation."));
    parser->statement->syntax->selected = star_count > 0 ? NULL : columns;
    return TD_OK;
}

static td_status raise_column(td_parser *parser, td_lexeme lexeme)
{
    return TD_RAISE(parser->error, TD_MSG_PARTIQL_PATH_COMPONENT,
                    td_partiql__position(parser->text, lexeme, parser->error));
}

/* A function as a column is refused before the rest is read, as COUNT is known to be. */
static td_status parse_column(td_parser *parser, td_syntax *columns)
{
    td_lexeme first = *parser->at;
    bool is_word = first.kind == TD_LEXEME_NAME || first.kind == TD_LEXEME_QUOTED || first.kind == TD_LEXEME_KEYWORD;
    if (is_word && parser->at[1].kind == TD_LEXEME_OPEN) return raise_column(parser, first);
    td_syntax *column = NULL;
    TD_TRY(td_partiql__parse_expression(parser, &column));
    if (column->kind != TD_SYNTAX_PATH) return raise_column(parser, column->lexeme);
    bool is_alias = td_partiql__at_keyword(parser, TD_KEYWORD_as) || parser->at->kind == TD_LEXEME_NAME ||
                    parser->at->kind == TD_LEXEME_QUOTED;
    if (is_alias) return TD_RAISE(parser->error, TD_MSG_PARTIQL_ALIAS);
    td_partiql__append(columns, column);
    return TD_OK;
}

/* A table with its alias, which is refused. */
static td_status parse_from(td_parser *parser, bool is_select, td_path **ret_path)
{
    td_lexeme first = *parser->at;
    parser->statement->syntax->table = first;
    bool is_name = first.kind == TD_LEXEME_NAME || first.kind == TD_LEXEME_QUOTED;
    if (is_select && !is_name) {
        td_syntax *other = NULL;
        TD_TRY(td_partiql__parse_expression(parser, &other));
        return raise_column(parser, other->lexeme);
    }
    TD_TRY(td_partiql__parse_path(parser, true, ret_path));
    bool is_alias = td_partiql__at_keyword(parser, TD_KEYWORD_as) || td_partiql__at_keyword(parser, TD_KEYWORD_at) ||
                    td_partiql__at_keyword(parser, TD_KEYWORD_by) || parser->at->kind == TD_LEXEME_NAME ||
                    parser->at->kind == TD_LEXEME_QUOTED;
    return is_alias ? TD_RAISE(parser->error, TD_MSG_PARTIQL_ALIAS) : TD_OK;
}

static td_status set_table(td_parser *parser, const td_path *path)
{
    td_statement *statement = parser->statement;
    if (path->count > 2) return TD_RAISE(parser->error, TD_MSG_PARTIQL_FROM_TOO_LONG);
    if (path->count == 2 && path->steps[1].is_index) return raise_column(parser, statement->syntax->table);
    statement->table = path->steps[0].name;
    if (path->count == 2) statement->index = path->steps[1].name;
    return TD_OK;
}

static td_status parse_where(td_parser *parser)
{
    if (!take_keyword(parser, TD_KEYWORD_where)) return TD_OK;
    parser->statement->has_where = true;
    return td_partiql__parse_expression(parser, &parser->statement->syntax->where);
}

/* orders = BY path [ ASC | DESC ] { "," path [ ASC | DESC ] } ; */
static td_status parse_orders(td_parser *parser)
{
    if (!take_keyword(parser, TD_KEYWORD_by)) return td_partiql__malformed(parser, TD_LIT("Expected BY"));
    uint32_t count_max = 1;
    for (const td_lexeme *lexeme = parser->at; lexeme->kind != TD_LEXEME_END; lexeme++)
        count_max += lexeme->kind == TD_LEXEME_COMMA;
    td_statement_order *orders = td_arena_alloc_array(parser->arena, count_max, sizeof *orders);
    if (orders == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    uint32_t count = 0;
    do {
        if (count > 0) parser->at++;
        td_syntax *key = NULL;
        TD_TRY(td_partiql__parse_expression(parser, &key));
        if (key->kind != TD_SYNTAX_PATH || key->path->count > 1) return raise_column(parser, key->lexeme);
        bool is_descending = take_keyword(parser, TD_KEYWORD_desc);
        if (!is_descending) take_keyword(parser, TD_KEYWORD_asc);
        TD_ASSERT(count < count_max);
        orders[count++] = (td_statement_order){key->path->steps[0].name, is_descending};
    } while (parser->at->kind == TD_LEXEME_COMMA);
    parser->statement->orders = orders;
    parser->statement->order_count = count;
    return TD_OK;
}

/* insert = INSERT INTO table VALUE expression ; */
static td_status parse_insert(td_parser *parser)
{
    td_statement_syntax *syntax = parser->statement->syntax;
    parser->statement->kind = TD_STATEMENT_INSERT;
    if (!take_keyword(parser, TD_KEYWORD_into)) return td_partiql__malformed(parser, TD_LIT("Unexpected keyword"));
    td_path *table = NULL;
    syntax->table = *parser->at;
    TD_TRY(td_partiql__parse_path(parser, true, &table));
    if (!take_keyword(parser, TD_KEYWORD_value)) {
        /* The reference grammar has an expression here, and no VALUE behind it. */
        td_syntax *values = NULL;
        TD_TRY(td_partiql__parse_expression(parser, &values));
        TD_TRY(parse_end(parser));
        return td_partiql__malformed(parser, TD_LIT(""));
    }
    TD_TRY(td_partiql__parse_expression(parser, &syntax->item));
    if (table->count > 1)
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_FROM_NOT_ONE_NAME,
                        td_partiql__position(parser->text, syntax->table, parser->error));
    return set_table(parser, table);
}

/* update = UPDATE table changes [ WHERE expression ] [ returning ]
 *        | FROM table [ WHERE expression ] changes [ returning ] ; */
static td_status parse_update(td_parser *parser, bool is_from_first)
{
    parser->statement->kind = TD_STATEMENT_UPDATE;
    td_path *table = NULL;
    TD_TRY(parse_from(parser, is_from_first, &table));
    if (is_from_first) TD_TRY(parse_where(parser));
    TD_TRY(td_partiql__parse_changes(parser));
    if (!is_from_first) TD_TRY(parse_where(parser));
    TD_TRY(td_partiql__parse_returning(parser));
    return set_table(parser, table);
}

/* delete = DELETE FROM table [ WHERE expression ] [ returning ] ; */
static td_status parse_delete(td_parser *parser)
{
    parser->statement->kind = TD_STATEMENT_DELETE;
    if (!take_keyword(parser, TD_KEYWORD_from))
        return td_partiql__malformed(parser, TD_LIT("Expected FROM after DELETE"));
    td_path *table = NULL;
    TD_TRY(parse_from(parser, false, &table));
    TD_TRY(parse_where(parser));
    TD_TRY(td_partiql__parse_returning(parser));
    return set_table(parser, table);
}

/* exists = EXISTS "(" select ")" ; */
static td_status parse_exists(td_parser *parser)
{
    parser->at += 2;
    if (!take_keyword(parser, TD_KEYWORD_select))
        return td_partiql__malformed(parser, TD_LIT("Expected data manipulation"));
    TD_TRY(parse_select(parser));
    parser->statement->kind = TD_STATEMENT_EXISTS;
    return td_partiql__expect(parser, TD_LEXEME_CLOSE, TD_LIT("RIGHT_PAREN"));
}

/* ---- the attributes that a clause names ---- */

typedef struct named_place {
    td_slice name;
    uint32_t place;
} named_place;

/* The recursion is bounded by the tree's depth. */
static uint32_t collect(const td_syntax *node, named_place *names, uint32_t count)
{
    if (node == NULL) return count;
    if (node->kind == TD_SYNTAX_PATH) {
        if (names != NULL) names[count] = (named_place){node->path->steps[0].name, count};
        return count + 1;
    }
    for (const td_syntax *child = node->first; child != NULL; child = child->next)
        count = collect(child, names, count);
    return count;
}

static int compare_names(const void *a, const void *b)
{
    const named_place *one = a;
    const named_place *two = b;
    int order = td_slice_compare(one->name, two->name);
    return order != 0 ? order : (one->place > two->place) - (one->place < two->place);
}

static int compare_places(const void *a, const void *b)
{
    uint32_t one = ((const named_place *)a)->place;
    uint32_t two = ((const named_place *)b)->place;
    return (one > two) - (one < two);
}

/* The distinct ones, in the order of writing. */
static td_status list_names(td_parser *parser, const td_syntax *node, const td_slice **ret_names, uint32_t *ret_count)
{
    uint32_t count = collect(node, NULL, 0);
    if (count == 0) return TD_OK;
    named_place *places = td_arena_alloc_array(parser->arena, count, sizeof *places);
    td_slice *names = td_arena_alloc_array(parser->arena, count, sizeof *names);
    if (places == NULL || names == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    collect(node, places, 0);
    qsort(places, count, sizeof *places, compare_names);
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (distinct == 0 || !td_slice_equal(places[distinct - 1].name, places[i].name)) places[distinct++] = places[i];
    }
    qsort(places, distinct, sizeof *places, compare_places);
    for (uint32_t i = 0; i < distinct; i++)
        names[i] = places[i].name;
    *ret_names = names;
    *ret_count = distinct;
    return TD_OK;
}
