/* SPDX-License-Identifier: Apache-2.0
 * parse_change.c: what an UPDATE changes and what a write gives back: SET, REMOVE, RETURNING.
 * Not here: which RETURNING a DELETE takes (lower.c). */
#include "syntax.h"

static td_status parse_change(td_parser *parser, bool is_removal, td_syntax_change **ret_change);

/* changes = change { change } ;
 * change = SET assignment { "," assignment } | REMOVE path ;
 * assignment = path "=" expression ; */
td_status td_partiql__parse_changes(td_parser *parser)
{
    td_statement_syntax *syntax = parser->statement->syntax;
    td_syntax_change **end = &syntax->changes;
    for (;;) {
        bool is_removal = td_partiql__at_keyword(parser, TD_KEYWORD_remove);
        if (!is_removal && !td_partiql__at_keyword(parser, TD_KEYWORD_set)) break;
        do {
            parser->at++; /* the keyword or "," */
            TD_TRY(parse_change(parser, is_removal, end));
            end = &(*end)->next;
            syntax->change_count++;
        } while (!is_removal && parser->at->kind == TD_LEXEME_COMMA);
    }
    if (syntax->changes == NULL) return td_partiql__malformed(parser, TD_LIT("Expected data manipulation"));
    return TD_OK;
}

static td_status parse_change(td_parser *parser, bool is_removal, td_syntax_change **ret_change)
{
    td_syntax_change *change = td_arena_alloc_zero(parser->arena, sizeof *change);
    if (change == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    change->is_removal = is_removal;
    TD_TRY(td_partiql__parse_path(parser, true, &change->path));
    if (!is_removal) {
        if (parser->at->kind != TD_LEXEME_EQUAL) return td_partiql__malformed(parser, TD_LIT("Expected '='"));
        parser->at++;
        TD_TRY(td_partiql__parse_expression(parser, &change->value));
    }
    *ret_change = change;
    return TD_OK;
}

/* returning = RETURNING ( ALL | MODIFIED ) ( OLD | NEW ) "*" ; */
td_status td_partiql__parse_returning(td_parser *parser)
{
    if (!td_partiql__at_keyword(parser, TD_KEYWORD_returning)) return TD_OK;
    parser->at++;
    bool is_all = td_partiql__at_keyword(parser, TD_KEYWORD_all);
    bool is_modified = td_partiql__at_keyword(parser, TD_KEYWORD_modified);
    if (is_all || is_modified) parser->at++;
    bool is_old = td_partiql__at_keyword(parser, TD_KEYWORD_old);
    bool is_new = td_partiql__at_keyword(parser, TD_KEYWORD_new);
    if (!(is_all || is_modified) || !(is_old || is_new))
        return td_partiql__malformed(parser,
                                     TD_LIT("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element."));
    parser->at++;
    if (parser->at->kind != TD_LEXEME_STAR) {
        /* The reference grammar has columns here; the service takes none. */
        td_syntax *column = NULL;
        TD_TRY(td_partiql__parse_expression(parser, &column));
        return td_partiql__malformed(parser, TD_LIT("Unsupported syntax in RETURNING columns."));
    }
    parser->at++;
    parser->statement->returning = is_all ? (is_old ? TD_RETURNING_ALL_OLD : TD_RETURNING_ALL_NEW)
                                          : (is_old ? TD_RETURNING_MODIFIED_OLD : TD_RETURNING_MODIFIED_NEW);
    return TD_OK;
}
