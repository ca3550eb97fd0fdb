/* SPDX-License-Identifier: Apache-2.0
 * ast.h: what the phases of storage/expr hand on to each other: tokens, trees, document paths, faults.
 *
 *   text ─lex.c─► tokens ─parse*.c─► tree ─check.c (bind.c)─► names and values in place, all faults found ─► program
 *
 * The program is the tree itself: after the checks a node holds resolved names and the values' payloads, so that an
 * evaluation only follows pointers. Everything lives in the arena of the compilation.
 * Functions are td_expr__…: private to this folder and to storage/partiql, whose statements become the same trees. */
#ifndef STORAGE_EXPR_AST_H
#define STORAGE_EXPR_AST_H

#include "thermodyn/expr.h"
#include "thermodyn/limits.h"

/* ---- tokens (lex.c) --------------------------------------------------------------------------------------------- */

typedef enum td_token_kind {
    TD_TOKEN_END,
    TD_TOKEN_NAME,       /* letter, then letters, digits, '_' */
    TD_TOKEN_NAME_MARK,  /* #mark */
    TD_TOKEN_VALUE_MARK, /* :mark */
    TD_TOKEN_INTEGER,
    TD_TOKEN_OPEN,       /* ( */
    TD_TOKEN_CLOSE,      /* ) */
    TD_TOKEN_OPEN_INDEX, /* [ */
    TD_TOKEN_CLOSE_INDEX,
    TD_TOKEN_COMMA,
    TD_TOKEN_DOT,
    TD_TOKEN_EQUAL,
    TD_TOKEN_NOT_EQUAL,
    TD_TOKEN_LESS,
    TD_TOKEN_LESS_EQUAL,
    TD_TOKEN_GREATER,
    TD_TOKEN_GREATER_EQUAL,
    TD_TOKEN_PLUS,
    TD_TOKEN_MINUS,
    TD_TOKEN_AND, /* keywords, in any case; each in its grammar alone */
    TD_TOKEN_OR,
    TD_TOKEN_NOT,
    TD_TOKEN_IN,
    TD_TOKEN_BETWEEN,
    TD_TOKEN_SET,
    TD_TOKEN_REMOVE,
    TD_TOKEN_ADD,
    TD_TOKEN_DELETE,
    TD_TOKEN_UNKNOWN, /* one character that begins no token */
} td_token_kind;

typedef enum td_grammar {
    TD_GRAMMAR_CONDITION = 1,
    TD_GRAMMAR_UPDATE = 2,
    TD_GRAMMAR_PROJECTION = 4,
} td_grammar;

typedef struct td_token {
    td_token_kind kind;
    uint32_t offset; /* into the text */
    uint32_t len;
} td_token;

/* The token at or after `offset`. */
td_token td_expr__lex(td_slice text, uint32_t offset, td_grammar grammar);

/* ---- document paths (path.c) ------------------------------------------------------------------------------------ */

#define TD_PATH_STEPS_MAX 32 /* source: the service's "too many nesting levels"; items nest no deeper */

typedef struct td_step {
    td_slice name; /* of an attribute; before binding it may be a #mark */
    uint32_t index;
    bool is_index;
    bool is_mark;
} td_step;

typedef struct td_path {
    td_step *steps;
    uint32_t count;       /* 1 to TD_PATH_STEPS_MAX; the first step is a name */
    struct td_path *next; /* the next one written in the same expression */
} td_path;

int td_expr__step_compare(const td_step *a, const td_step *b);
bool td_expr__path_equal(const td_path *a, const td_path *b);

/* "[a, [1], b]" in the arena; false: no memory. */
TD_MUST_USE bool td_expr__path_text(const td_path *path, td_arena *arena, td_slice *ret_text);

/* A top-level attribute that an expression names; `is_entered`: some path goes inside it. */
typedef struct td_named {
    td_slice name;
    bool is_entered;
} td_named;

/* The distinct first steps of the listed paths, sorted by name. */
TD_MUST_USE td_status td_expr__paths_names(const td_path *paths, td_arena *arena, td_named **ret_names,
                                           uint32_t *ret_count);
const td_named *td_expr__names_find(const td_named *names, uint32_t count, td_slice name);

/* Paths merged by their common beginnings: what updates and projections walk along the item. */
typedef struct td_branch {
    td_step step;
    const void *leaf;           /* not NULL: a path ends here, and there are no children */
    struct td_branch *children; /* in the order of td_expr__step_compare: all names or all indexes */
    uint32_t child_count;
} td_branch;

typedef struct td_leaf {
    const td_path *path;
    const void *what; /* not NULL */
} td_leaf;

void td_expr__paths_sort(td_leaf *leaves, uint32_t count);

/* Sorts the leaves and merges them; no path is equal to or a beginning of another, none conflict. */
TD_MUST_USE td_status td_expr__paths_merge(td_leaf *leaves, uint32_t count, td_arena *arena, td_branch *ret_root);

/* ---- trees ------------------------------------------------------------------------------------------------------ */

typedef enum td_operation {
#define TD_OPERATION(id, name, operands, where, first, others) TD_OP_##id,
#include "functions.def"
#undef TD_OPERATION
    TD_OP_COUNT,
    TD_OP_UNKNOWN = TD_OP_COUNT, /* a function of no known name */
} td_operation;

typedef enum td_node_kind {
    TD_NODE_AND, /* two or more children */
    TD_NODE_OR,
    TD_NODE_NOT,
    TD_NODE_OPERATION, /* `operation` on the children */
    TD_NODE_PATH,
    TD_NODE_VALUE,
} td_node_kind;

typedef struct td_node {
    td_node_kind kind;
    td_operation operation;
    bool is_call;          /* a function, written name(…) */
    bool is_parenthesized; /* stands directly in parentheses */
    uint32_t count;        /* children */
    td_token token;        /* operator, function name or mark, for messages */
    struct td_node *first;
    struct td_node *next;  /* sibling */
    td_path *path;         /* PATH */
    const td_value *value; /* VALUE; NULL before binding, and when the mark is not defined */
} td_node;

/* ---- compilation ------------------------------------------------------------------------------------------------ */

/* The order in which the service reports the faults of a tree, whatever their place; the first place wins among
 * equals. Sources: dynalite's tests against the service (scan, updateItem, getItem), messages.md §2. */
typedef enum td_rank {
    TD_RANK_LIMIT, /* operators, nesting, list index */
    TD_RANK_PARENTHESES,
    TD_RANK_RESERVED_EARLY, /* updates and projections: before functions */
    TD_RANK_FUNCTION_NAME,
    TD_RANK_FUNCTION_USE,
    TD_RANK_RESERVED, /* conditions: after functions */
    TD_RANK_SECTION,
    TD_RANK_NAME,
    TD_RANK_VALUE,
    TD_RANK_OVERLAP,
    TD_RANK_CONFLICT,
    TD_RANK_ACTION_TYPE,
    TD_RANK_OPERAND_COUNT,
    TD_RANK_DISTINCT,
    TD_RANK_OPERAND_TYPE,
    TD_RANK_NONE,
} td_rank;

typedef struct td_fault {
    td_rank rank; /* TD_RANK_NONE: no fault */
    td_message message;
    td_slice args[2]; /* {1} and {2}; {0} is the kind's name */
} td_fault;

typedef struct td_compiler {
    td_expr_kind kind;
    td_grammar grammar;
    td_slice text;
    td_expr_marks *marks; /* or NULL */
    td_arena *arena;
    td_error *error;

    /* parse.c: a window of three tokens, since messages quote the neighbours */
    td_token previous;
    td_token current;
    td_token following;
    uint32_t depth;
    uint32_t operator_count;
    td_path *first_path; /* all paths, as written */
    td_path *last_path;

    /* check.c */
    td_fault fault;           /* the one to report */
    td_fault condition_fault; /* the same within the condition being checked: see check.c */
    bool is_condition_closed; /* an earlier condition had a fault: later ones are not looked at */
    bool is_bound;            /* names and values stand in the tree already, and are no marks: PartiQL's */

    /* bind.c: positions of the marks in byte order; NULL while there are few */
    uint32_t *name_order;
    uint32_t *value_order;
} td_compiler;

td_slice td_expr__kind_name(td_expr_kind kind);

/* Prepares, and raises what the raw text forbids: empty, too long. */
TD_MUST_USE td_status td_expr__begin(td_compiler *compiler, td_expr_kind kind, td_slice text, td_expr_marks *marks,
                                     td_arena *arena, td_error *error);

/* Remembers the fault if none of an earlier rank is known. */
void td_expr__fault(td_compiler *compiler, td_rank rank, td_message message, td_slice arg1, td_slice arg2);
/* Raises the fault that was remembered, or answers TD_OK. */
TD_MUST_USE td_status td_expr__raise_fault(td_compiler *compiler);

/* ---- parsing (parse.c, parse_condition.c, parse_update.c) ------------------------------------------------------- */

TD_MUST_USE td_status td_expr__syntax_error(td_compiler *compiler); /* at the current token */
void td_expr__advance(td_compiler *compiler);
/* Takes a token of that kind or raises the syntax error. */
TD_MUST_USE td_status td_expr__expect(td_compiler *compiler, td_token_kind kind);
td_slice td_expr__token_text(const td_compiler *compiler, td_token token);

/* Nesting of parentheses, NOT and calls: enter raises at the limit. */
TD_MUST_USE td_status td_expr__enter(td_compiler *compiler);
void td_expr__leave(td_compiler *compiler);
/* Counts one operator or function at the current token. */
void td_expr__count_operator(td_compiler *compiler);

TD_MUST_USE td_status td_expr__node_new(td_compiler *compiler, td_node_kind kind, td_token token, td_node **ret_node);
void td_expr__node_append(td_node *parent, td_node *child, td_node **last);

TD_MUST_USE td_status td_expr__parse_path(td_compiler *compiler, td_path **ret_path);
TD_MUST_USE td_status td_expr__parse_operand(td_compiler *compiler, td_node **ret_node);
/* An operand without parentheses around it. */
TD_MUST_USE td_status td_expr__parse_bare_operand(td_compiler *compiler, td_node **ret_node);
/* '(' was taken and its content parsed: takes ')', marks the content, notes doubled parentheses. A path in a condition
 * may go on behind its parenthesis, as in "(a.b).c". */
TD_MUST_USE td_status td_expr__parse_close(td_compiler *compiler, td_node *content);

TD_MUST_USE td_status td_expr__parse_condition(td_compiler *compiler, td_node **ret_root);

typedef enum td_action_kind { TD_ACTION_SET, TD_ACTION_REMOVE, TD_ACTION_ADD, TD_ACTION_DELETE } td_action_kind;

typedef struct td_action {
    td_action_kind kind;
    bool is_legacy; /* of AttributeUpdates: ADD appends to lists, a wrong type has its own text */
    td_path *path;
    td_node *operand;  /* REMOVE: NULL */
    uint32_t position; /* among the actions, as written */
    struct td_action *next;
} td_action;

TD_MUST_USE td_status td_expr__parse_update(td_compiler *compiler, td_action **ret_actions, uint32_t *ret_count);

/* ---- binding and checks (bind.c, check.c) ----------------------------------------------------------------------- */

/* Puts names in place of marks; faults: reserved words, undefined names. */
TD_MUST_USE td_status td_expr__bind_path(td_compiler *compiler, td_path *path);
TD_MUST_USE td_status td_expr__bind_value(td_compiler *compiler, td_node *node);

/* Binds and checks a condition's tree; faults are remembered, the status is about memory alone. */
TD_MUST_USE td_status td_expr__check_condition(td_compiler *compiler, td_node *root);
/* The same of an operand of an update. */
TD_MUST_USE td_status td_expr__check_operand(td_compiler *compiler, td_node *node);
/* Faults of paths that must stand apart: overlaps, conflicts. The leaves are as written. */
TD_MUST_USE td_status td_expr__check_apart(td_compiler *compiler, const td_leaf *leaves, uint32_t count);

td_slice td_expr__operation_name(td_operation operation);
td_operation td_expr__function_of_name(td_slice name); /* TD_OP_UNKNOWN: none */

/* ---- programs --------------------------------------------------------------------------------------------------- */

struct td_condition {
    const td_node *root; /* NULL: holds always (legacy parameters without a condition) */
    bool holds_without_item; /* of PartiQL's DELETE: to delete nothing succeeds */
    td_named *names;
    uint32_t name_count;
};

/* One attribute of a flat projection: what the path leads to, under a name. */
typedef struct td_output {
    const td_path *path;
    td_slice name;
} td_output;

struct td_projection {
    td_branch root;
    const td_output *outputs; /* not NULL: a flat projection (PartiQL's); root is then empty */
    uint32_t output_count;
    td_named *names;
    uint32_t name_count;
};

struct td_update {
    const td_action *actions; /* as written */
    uint32_t action_count;
    td_branch root;  /* leaves are actions */
    td_named *names; /* of the targets */
    uint32_t name_count;
    td_named *entered; /* of targets and operands, when some path goes inside an attribute; else NULL */
    uint32_t entered_count;
};

/* A flat projection of listed paths; the last of two outputs of one name counts. */
TD_MUST_USE td_status td_expr__projection_of_outputs(const td_output *outputs, uint32_t count, const td_path *paths,
                                                     td_arena *arena, td_projection **ret_projection);

/* What the item has along the branches (projection.c). */
TD_MUST_USE td_status td_expr__project(const td_branch *root, const td_item *item, td_arena *arena,
                                       td_attribute **ret_attributes, uint32_t *ret_count);

/* Notes the attributes that the listed paths enter; td_expr__update_finish relinks the paths, so this comes first. */
TD_MUST_USE td_status td_expr__update_list_entered(const td_path *paths, td_arena *arena, td_update *update);

/* Completes an update whose actions are bound: merges the paths, lists the names (update.c). */
TD_MUST_USE td_status td_expr__update_finish(td_update *update, td_leaf *leaves, td_arena *arena);

/* ---- operands on stored items (operand.c) ----------------------------------------------------------------------- */

/* An operand's value: a view into the item, or the constant `tree`, whose scalars are in `stored` as well. */
typedef struct td_view {
    td_stored stored;
    const td_value *tree; /* not NULL: a set, list or map of the request */
    td_number number;     /* what `stored` points to when size() computed it */
} td_view;

bool td_expr__resolve(const td_item *item, const td_path *path, td_stored *ret_value);
/* false: the operand has no value in this item (or there is none: NULL). */
bool td_expr__operand(const td_node *node, const td_item *item, td_view *ret_view);
bool td_expr__view_equal(const td_view *a, const td_view *b);
/* false: of different types, or of one that has no order. */
bool td_expr__view_compare(const td_view *a, const td_view *b, int *ret_order);
bool td_expr__view_contains(const td_view *container, const td_view *part);

#endif
