/* SPDX-License-Identifier: Apache-2.0
 * syntax.h: what the phases of storage/partiql hand on to each other: lexemes, the tree, the clauses.
 *
 *   text ─lex.c─► lexemes ─parse*.c─► tree of expressions, clauses ─literal.c─► literals checked
 *        ─lower_*.c (with the parameters)─► trees and programs of storage/expr
 *
 * The grammar is wider than what can be stored or asked, as the service's is: an expression may stand wherever the
 * reference grammar of PartiQL has one, and the phase behind refuses it by its place in the text.
 * Functions are td_partiql__…: private to this folder. */
#ifndef STORAGE_PARTIQL_SYNTAX_H
#define STORAGE_PARTIQL_SYNTAX_H

#include "thermodyn/partiql.h"

#include "expr/ast.h"

/* ---- lexemes (lex.c) -------------------------------------------------------------------------------------------- */

typedef enum td_keyword {
    TD_KEYWORD_NONE,
#define TD_KEYWORD(word) TD_KEYWORD_##word,
#include "keywords.def"
#undef TD_KEYWORD
} td_keyword;

typedef enum td_lexeme_kind {
    TD_LEXEME_END,
    TD_LEXEME_SEMICOLON,
    TD_LEXEME_NAME,   /* an identifier that is no keyword */
    TD_LEXEME_QUOTED, /* "…" */
    TD_LEXEME_KEYWORD,
    TD_LEXEME_STRING, /* '…' */
    TD_LEXEME_NUMBER, /* without a sign */
    TD_LEXEME_PARAMETER,
    TD_LEXEME_OPEN, /* ( */
    TD_LEXEME_CLOSE,
    TD_LEXEME_OPEN_LIST, /* [ */
    TD_LEXEME_CLOSE_LIST,
    TD_LEXEME_OPEN_BAG, /* << */
    TD_LEXEME_CLOSE_BAG,
    TD_LEXEME_OPEN_STRUCT, /* { */
    TD_LEXEME_CLOSE_STRUCT,
    TD_LEXEME_COMMA,
    TD_LEXEME_COLON,
    TD_LEXEME_DOT,
    TD_LEXEME_STAR, /* from here on: operators */
    TD_LEXEME_EQUAL,
    TD_LEXEME_NOT_EQUAL,
    TD_LEXEME_LESS,
    TD_LEXEME_LESS_EQUAL,
    TD_LEXEME_GREATER,
    TD_LEXEME_GREATER_EQUAL,
    TD_LEXEME_PLUS,
    TD_LEXEME_MINUS,
    TD_LEXEME_OTHER_OPERATOR, /* / % || @ ~: of PartiQL, not of the service */
    TD_LEXEME_INVALID,
} td_lexeme_kind;

typedef struct td_lexeme {
    td_lexeme_kind kind;
    td_keyword keyword;
    uint32_t offset; /* into the text */
    uint32_t len;
} td_lexeme;

/* The lexeme at or after `offset`, behind blanks and comments. INVALID: none begins there, or it has no end. */
td_lexeme td_partiql__lex(td_slice text, uint32_t offset);

/* The names and keywords that the language compares are ASCII, in any case. */
bool td_partiql__word_equal(td_slice word, td_slice lower_case);

/* ---- the tree --------------------------------------------------------------------------------------------------- */

typedef enum td_syntax_kind {
    TD_SYNTAX_STRING, /* text */
    TD_SYNTAX_NUMBER, /* text, with its sign */
    TD_SYNTAX_BOOLEAN,
    TD_SYNTAX_NULL,
    TD_SYNTAX_MISSING,
    TD_SYNTAX_PARAMETER, /* number */
    TD_SYNTAX_LIST,
    TD_SYNTAX_BAG,
    TD_SYNTAX_STRUCT, /* children alternate: key, value */
    TD_SYNTAX_PATH,   /* path */
    TD_SYNTAX_CALL,   /* text: the name in lower case */
    TD_SYNTAX_AND,    /* two or more children */
    TD_SYNTAX_OR,
    TD_SYNTAX_NOT,
    TD_SYNTAX_COMPARISON, /* operation */
    TD_SYNTAX_SUM,        /* operation: PLUS, MINUS */
    TD_SYNTAX_IN,         /* the value, then a list or a parameter */
    TD_SYNTAX_BETWEEN,
    TD_SYNTAX_IS, /* number: the row of types.def */
} td_syntax_kind;

typedef struct td_syntax {
    td_syntax_kind kind;
    td_operation operation;
    td_lexeme lexeme; /* where it begins, for messages */
    bool is_negated;  /* IS NOT, NOT IN, NOT BETWEEN */
    bool boolean;
    bool has_parameter; /* here or within */
    bool is_grouped;    /* stands in parentheses: a chain does not go on in it */
    uint32_t number;
    uint32_t depth; /* levels beneath */
    uint32_t count; /* children */
    td_slice text;
    td_path *path;
    const td_value *value; /* literals: what they are, once that is known */
    struct td_syntax *first;
    struct td_syntax *last;
    struct td_syntax *next;
} td_syntax;

void td_partiql__append(td_syntax *parent, td_syntax *child);

static inline bool td_partiql__is_literal(const td_syntax *node)
{
    return node->kind <= TD_SYNTAX_STRUCT;
}

typedef struct td_syntax_change {
    bool is_removal;
    td_path *path;
    td_syntax *value; /* NULL: a removal */
    struct td_syntax_change *next;
} td_syntax_change;

struct td_statement_syntax {
    td_slice text;
    td_lexeme table;     /* with what follows it, up to the table's last component */
    td_syntax *where;    /* or NULL */
    td_syntax *selected; /* a chain of paths; NULL: * */
    td_syntax *item;
    td_syntax_change *changes;
    uint32_t change_count;
};

/* ---- parsing (parse.c, parse_expression.c, parse_change.c, parse_path.c) ---------------------------------------- */

typedef struct td_parser {
    td_slice text;
    td_arena *arena;
    td_error *error;
    const td_lexeme *at; /* the current one; the last is END */
    uint32_t depth;
    uint32_t parameter_count;
    td_statement *statement;
} td_parser;

TD_MUST_USE td_status td_partiql__malformed(td_parser *parser, td_slice expected);
TD_MUST_USE td_status td_partiql__expect(td_parser *parser, td_lexeme_kind kind, td_slice name);
bool td_partiql__at_keyword(const td_parser *parser, td_keyword keyword);
TD_MUST_USE td_status td_partiql__node(td_parser *parser, td_syntax_kind kind, td_syntax **ret_node);
TD_MUST_USE td_status td_partiql__enter(td_parser *parser);

TD_MUST_USE td_status td_partiql__parse_expression(td_parser *parser, td_syntax **ret_node);
/* name { "." name | "[" … "]" }; `is_simple`: where only a path may stand. */
TD_MUST_USE td_status td_partiql__parse_path(td_parser *parser, bool is_simple, td_path **ret_path);
/* An identifier's or string's content: quotes off, doubled quotes single. */
TD_MUST_USE td_status td_partiql__unquote(td_parser *parser, td_lexeme lexeme, td_slice *ret_content);
TD_MUST_USE td_status td_partiql__parse_changes(td_parser *parser);
TD_MUST_USE td_status td_partiql__parse_returning(td_parser *parser);

/* "line:column:length" of the lexeme in the error's arena. */
td_slice td_partiql__position(td_slice text, td_lexeme lexeme, td_error *error);

/* ---- literals (literal.c) --------------------------------------------------------------------------------------- */

/* What the literal stands for. Without parameters (NULL): only its faults are looked for, as far as they show. */
TD_MUST_USE td_status td_partiql__literal(td_syntax *node, td_slice text, const td_value *parameters, td_arena *arena,
                                          td_value *ret_value, td_error *error);
/* Raises the faults of all literals of an expression. */
TD_MUST_USE td_status td_partiql__check_literals(td_syntax *node, td_slice text, td_arena *arena, td_error *error);

/* ---- lowering (lower.c, lower_condition.c, lower_update.c) ------------------------------------------------------ */

typedef struct td_lowering {
    td_slice text;
    const td_value *parameters;
    td_arena *arena;
    td_error *error;
    td_compiler compiler; /* of storage/expr: its checks are the shared ones */
} td_lowering;

/* An expression of conditions as a value of a condition or update: paths, literals, size(). */
TD_MUST_USE td_status td_partiql__lower_operand(td_lowering *lowering, td_syntax *node, td_node **ret_node);
TD_MUST_USE td_status td_partiql__lower_value(td_lowering *lowering, td_syntax *node, td_node **ret_node);
TD_MUST_USE td_status td_partiql__lower_path(td_lowering *lowering, td_syntax *node, td_node **ret_node);
TD_MUST_USE td_status td_partiql__new_node(td_lowering *lowering, td_node_kind kind, const td_syntax *from,
                                           td_node **ret_node);
/* Notes the path as one that the program names. */
void td_partiql__note_path(td_lowering *lowering, td_path *path);
void td_partiql__lowering_init(td_lowering *lowering, td_expr_kind kind, const td_statement *statement,
                               const td_value *parameters, td_arena *arena, td_error *error);
/* Raises the fault that the shared checks found, in PartiQL's words. */
TD_MUST_USE td_status td_partiql__raise_fault(td_lowering *lowering);
TD_MUST_USE td_status td_partiql__raise_place(td_lowering *lowering, td_message message, const td_syntax *node);

TD_MUST_USE td_status td_partiql__lower_condition(td_lowering *lowering, td_syntax *where,
                                                  td_condition **ret_condition);
TD_MUST_USE td_status td_partiql__lower_update(td_lowering *lowering, const td_statement_syntax *syntax,
                                               td_update **ret_update);

/* What IS compares with. */
typedef struct td_partiql_type {
    td_keyword keyword;
    uint32_t types; /* bits of td_type; 0: MISSING */
} td_partiql_type;
extern const td_partiql_type td_partiql__types[];
extern const uint32_t td_partiql__type_count;
td_slice td_partiql__keyword_text(td_keyword keyword);

#endif
