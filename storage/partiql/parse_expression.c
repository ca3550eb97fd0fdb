/* SPDX-License-Identifier: Apache-2.0
 * parse_expression.c: expressions: terms, literals, calls, operators.
 * Model: precedence climbing over OR < AND < NOT < (= <> IS IN) < (< <= > >= BETWEEN) < (+ -), all to the left, as
 * PartiQL's reference grammar has it. Chains of AND and OR are one node of all their sides, so that they are not deep.
 * Invariants: no node has more than TD_LIMIT_STATEMENT_DEPTH_MAX levels beneath it: whoever walks the tree may recurse.
 * Not here: what an expression may be where it stands (lower_*.c, literal.c). */
#include "syntax.h"

typedef enum precedence {
    PRECEDENCE_NONE,
    PRECEDENCE_OR,
    PRECEDENCE_AND,
    PRECEDENCE_NOT,
    PRECEDENCE_EQUITY,
    PRECEDENCE_ORDER,
    PRECEDENCE_SUM,
} precedence;

/* What stands behind an operand. */
typedef struct infix {
    precedence precedence; /* NONE: no operator of the language */
    td_syntax_kind kind;
    td_operation operation;
    bool is_negated;
    uint8_t lexemes; /* 2 for IS NOT, NOT IN, NOT BETWEEN */
} infix;

static td_status parse(td_parser *parser, precedence above, td_syntax **ret_node);
static td_status parse_unary(td_parser *parser, td_syntax **ret_node);
static td_status parse_negative(td_parser *parser, td_syntax **ret_node);
static td_status parse_term(td_parser *parser, td_syntax **ret_node);
static td_status parse_keyword_term(td_parser *parser, td_syntax **ret_node);
static td_status parse_group(td_parser *parser, td_syntax **ret_node);
static td_status parse_struct(td_parser *parser, td_syntax **ret_node);
static td_status parse_call(td_parser *parser, td_syntax **ret_node);
static td_status parse_right(td_parser *parser, const infix *found, td_syntax *left, td_syntax **ret_node);
static td_status parse_is(td_parser *parser, td_syntax *node);
static td_status parse_in(td_parser *parser, td_syntax *node);
static infix find_infix(const td_parser *parser);

const td_partiql_type td_partiql__types[] = {
#define BIT(type) (1U << TD_TYPE_##type)
#define TD_IS_TYPE(keyword, types) {TD_KEYWORD_##keyword, types},
#include "types.def"
#undef TD_IS_TYPE
#undef BIT
};
const uint32_t td_partiql__type_count = TD_COUNT_OF(td_partiql__types);

td_status td_partiql__parse_expression(td_parser *parser, td_syntax **ret_node)
{
    return parse(parser, PRECEDENCE_NONE, ret_node);
}

td_status td_partiql__enter(td_parser *parser)
{
    if (parser->depth >= TD_LIMIT_STATEMENT_DEPTH_MAX) return td_partiql__malformed(parser, TD_LIT(""));
    parser->depth++;
    return TD_OK;
}

td_status td_partiql__node(td_parser *parser, td_syntax_kind kind, td_syntax **ret_node)
{
    td_syntax *node = td_arena_alloc_zero(parser->arena, sizeof *node);
    if (node == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    node->kind = kind;
    node->lexeme = *parser->at;
    *ret_node = node;
    return TD_OK;
}

void td_partiql__append(td_syntax *parent, td_syntax *child)
{
    TD_ASSERT(child->next == NULL);
    if (parent->first == NULL)
        parent->first = child;
    else
        parent->last->next = child;
    parent->last = child;
    parent->count++;
    parent->has_parameter |= child->has_parameter;
    if (parent->depth <= child->depth) parent->depth = child->depth + 1;
}

/* expression = unary { infix } ; */
static td_status parse(td_parser *parser, precedence above, td_syntax **ret_node)
{
    td_syntax *left = NULL;
    TD_TRY(td_partiql__enter(parser));
    TD_TRY(parse_unary(parser, &left));
    for (infix found = find_infix(parser); found.precedence > above; found = find_infix(parser)) {
        TD_TRY(parse_right(parser, &found, left, &left));
        if (left->depth > TD_LIMIT_STATEMENT_DEPTH_MAX) return td_partiql__malformed(parser, TD_LIT(""));
    }
    parser->depth--;
    *ret_node = left;
    return TD_OK;
}

/* unary = NOT expression | ( "+" | "-" ) number | term ; */
static td_status parse_unary(td_parser *parser, td_syntax **ret_node)
{
    if (parser->at->kind == TD_LEXEME_MINUS || parser->at->kind == TD_LEXEME_PLUS)
        return parse_negative(parser, ret_node);
    if (!td_partiql__at_keyword(parser, TD_KEYWORD_not)) return parse_term(parser, ret_node);
    td_syntax *node = NULL;
    td_syntax *side = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_NOT, &node));
    parser->at++;
    TD_TRY(parse(parser, PRECEDENCE_NOT, &side));
    td_partiql__append(node, side);
    *ret_node = node;
    return TD_OK;
}

/* A sign belongs to the literal behind it; of anything else there is no negative. */
static td_status parse_negative(td_parser *parser, td_syntax **ret_node)
{
    td_lexeme sign = *parser->at;
    td_syntax *number = NULL;
    parser->at++;
    TD_TRY(td_partiql__enter(parser));
    TD_TRY(parse_unary(parser, &number));
    parser->depth--;
    if (number->kind != TD_SYNTAX_NUMBER)
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_PATH_COMPONENT,
                        td_partiql__position(parser->text, sign, parser->error));
    *ret_node = number;
    if (sign.kind == TD_LEXEME_PLUS) return TD_OK;
    if (number->text.ptr[0] == '-') {
        number->text = td_slice_of(number->text.ptr + 1, number->text.len - 1);
        return TD_OK;
    }
    bool is_copied =
        td_arena_format(parser->arena, &number->text, "-%.*s", (int)number->text.len, (const char *)number->text.ptr);
    return is_copied ? TD_OK : TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
}

static td_status parse_text(td_parser *parser, td_syntax_kind kind, td_syntax **ret_node)
{
    td_syntax *node = NULL;
    TD_TRY(td_partiql__node(parser, kind, &node));
    TD_TRY(td_partiql__unquote(parser, *parser->at, &node->text));
    parser->at++;
    *ret_node = node;
    return TD_OK;
}

static td_status parse_parameter(td_parser *parser, td_syntax **ret_node)
{
    td_syntax *node = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_PARAMETER, &node));
    node->number = parser->parameter_count++;
    node->has_parameter = true;
    parser->at++;
    *ret_node = node;
    return TD_OK;
}

static td_status parse_path_term(td_parser *parser, td_syntax **ret_node)
{
    if (parser->at[1].kind == TD_LEXEME_OPEN) return parse_call(parser, ret_node);
    td_syntax *node = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_PATH, &node));
    TD_TRY(td_partiql__parse_path(parser, false, &node->path));
    *ret_node = node;
    return TD_OK;
}

/* expression { "," expression } up to the closing lexeme, as children. */
static td_status parse_list(td_parser *parser, td_syntax *node, td_lexeme_kind close, td_slice close_name)
{
    do {
        td_syntax *child = NULL;
        if (node->count > 0) parser->at++;
        TD_TRY(parse(parser, PRECEDENCE_NONE, &child));
        td_partiql__append(node, child);
    } while (parser->at->kind == TD_LEXEME_COMMA);
    return td_partiql__expect(parser, close, close_name);
}

static td_status parse_collection(td_parser *parser, td_syntax_kind kind, td_lexeme_kind close, td_slice close_name,
                                  td_syntax **ret_node)
{
    TD_TRY(td_partiql__node(parser, kind, ret_node));
    parser->at++;
    if (parser->at->kind == close) {
        parser->at++;
        return TD_OK;
    }
    return parse_list(parser, *ret_node, close, close_name);
}

static td_status parse_term(td_parser *parser, td_syntax **ret_node)
{
    switch (parser->at->kind) {
    case TD_LEXEME_NAME:
    case TD_LEXEME_QUOTED: return parse_path_term(parser, ret_node);
    case TD_LEXEME_KEYWORD: return parse_keyword_term(parser, ret_node);
    case TD_LEXEME_STRING: return parse_text(parser, TD_SYNTAX_STRING, ret_node);
    case TD_LEXEME_NUMBER: return parse_text(parser, TD_SYNTAX_NUMBER, ret_node);
    case TD_LEXEME_PARAMETER: return parse_parameter(parser, ret_node);
    case TD_LEXEME_OPEN: return parse_group(parser, ret_node);
    case TD_LEXEME_OPEN_LIST:
        return parse_collection(parser, TD_SYNTAX_LIST, TD_LEXEME_CLOSE_LIST, TD_LIT("RIGHT_BRACKET"), ret_node);
    case TD_LEXEME_OPEN_BAG:
        return parse_collection(parser, TD_SYNTAX_BAG, TD_LEXEME_CLOSE_BAG, TD_LIT("RIGHT_DOUBLE_ANGLE_BRACKET"),
                                ret_node);
    case TD_LEXEME_OPEN_STRUCT: return parse_struct(parser, ret_node);
    case TD_LEXEME_EQUAL:
    case TD_LEXEME_NOT_EQUAL:
    case TD_LEXEME_LESS:
    case TD_LEXEME_LESS_EQUAL:
    case TD_LEXEME_GREATER:
    case TD_LEXEME_GREATER_EQUAL:
    case TD_LEXEME_PLUS:
    case TD_LEXEME_MINUS:
    case TD_LEXEME_OTHER_OPERATOR: return td_partiql__malformed(parser, TD_LIT("Unexpected operator"));
    case TD_LEXEME_END:
    case TD_LEXEME_SEMICOLON:
    case TD_LEXEME_CLOSE:
    case TD_LEXEME_CLOSE_LIST:
    case TD_LEXEME_CLOSE_BAG:
    case TD_LEXEME_CLOSE_STRUCT:
    case TD_LEXEME_COMMA:
    case TD_LEXEME_COLON:
    case TD_LEXEME_DOT:
    case TD_LEXEME_STAR:
    case TD_LEXEME_INVALID: break;
    }
    return td_partiql__malformed(parser, TD_LIT("Unexpected term"));
}

/* Keywords that are values, or the names of functions. */
static td_status parse_keyword_term(td_parser *parser, td_syntax **ret_node)
{
    static const td_keyword functions[] = {
        TD_KEYWORD_exists,
        TD_KEYWORD_count,
        TD_KEYWORD_avg,
        TD_KEYWORD_max,
        TD_KEYWORD_min,
        TD_KEYWORD_sum,
        TD_KEYWORD_substring,
        TD_KEYWORD_upper,
        TD_KEYWORD_lower,
        TD_KEYWORD_char_length,
        TD_KEYWORD_octet_length,
        TD_KEYWORD_bit_length,
        TD_KEYWORD_size,
        TD_KEYWORD_sexp,
        TD_KEYWORD_list,
        TD_KEYWORD_bag,
        TD_KEYWORD_character_length,
    };
    td_keyword keyword = parser->at->keyword;
    bool is_boolean = keyword == TD_KEYWORD_true || keyword == TD_KEYWORD_false;
    if (is_boolean || keyword == TD_KEYWORD_null || keyword == TD_KEYWORD_missing) {
        td_syntax_kind kind = is_boolean                   ? TD_SYNTAX_BOOLEAN
                              : keyword == TD_KEYWORD_null ? TD_SYNTAX_NULL
                                                           : TD_SYNTAX_MISSING;
        TD_TRY(td_partiql__node(parser, kind, ret_node));
        (*ret_node)->boolean = keyword == TD_KEYWORD_true;
        parser->at++;
        return TD_OK;
    }
    for (size_t i = 0; i < TD_COUNT_OF(functions); i++)
        if (functions[i] == keyword && parser->at[1].kind == TD_LEXEME_OPEN) return parse_call(parser, ret_node);
    return td_partiql__malformed(parser, TD_LIT("Unexpected keyword"));
}

/* group = "(" expression ")" ; of several it is a list. */
static td_status parse_group(td_parser *parser, td_syntax **ret_node)
{
    td_syntax *group = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_LIST, &group));
    parser->at++;
    TD_TRY(parse_list(parser, group, TD_LEXEME_CLOSE, TD_LIT("RIGHT_PAREN")));
    *ret_node = group->count == 1 ? group->first : group;
    (*ret_node)->is_grouped = true;
    return TD_OK;
}

/* struct = "{" [ expression ":" expression { "," … } ] "}" ; */
static td_status parse_struct(td_parser *parser, td_syntax **ret_node)
{
    td_syntax *node = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_STRUCT, &node));
    parser->at++;
    *ret_node = node;
    if (parser->at->kind == TD_LEXEME_CLOSE_STRUCT) {
        parser->at++;
        return TD_OK;
    }
    do {
        td_syntax *key = NULL;
        td_syntax *value = NULL;
        if (node->count > 0) parser->at++;
        TD_TRY(parse(parser, PRECEDENCE_NONE, &key));
        TD_TRY(td_partiql__expect(parser, TD_LEXEME_COLON, TD_LIT("COLON")));
        TD_TRY(parse(parser, PRECEDENCE_NONE, &value));
        td_partiql__append(node, key);
        td_partiql__append(node, value);
    } while (parser->at->kind == TD_LEXEME_COMMA);
    return td_partiql__expect(parser, TD_LEXEME_CLOSE_STRUCT, TD_LIT("RIGHT_CURLY"));
}

static td_status lower_case(td_parser *parser, td_slice word, td_slice *ret_lower)
{
    uint8_t *lower = td_arena_alloc(parser->arena, word.len);
    if (lower == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    for (size_t i = 0; i < word.len; i++)
        lower[i] = (uint8_t)(word.ptr[i] >= 'A' && word.ptr[i] <= 'Z' ? word.ptr[i] - 'A' + 'a' : word.ptr[i]);
    *ret_lower = td_slice_of(lower, word.len);
    return TD_OK;
}

/* call = name "(" [ expression { "," expression } ] ")" ; names in any case */
static td_status parse_call(td_parser *parser, td_syntax **ret_node)
{
    td_syntax *node = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_CALL, &node));
    TD_TRY(td_partiql__unquote(parser, *parser->at, &node->text));
    TD_TRY(lower_case(parser, node->text, &node->text));
    parser->at += 2;
    *ret_node = node;
    if (parser->at->kind == TD_LEXEME_CLOSE) {
        parser->at++;
        return TD_OK;
    }
    if (td_partiql__at_keyword(parser, TD_KEYWORD_select))
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_FUNCTION_NAME, node->text,
                        td_partiql__position(parser->text, node->lexeme, parser->error));
    return parse_list(parser, node, TD_LEXEME_CLOSE, TD_LIT("RIGHT_PAREN"));
}

static infix find_infix(const td_parser *parser)
{
    static const struct {
        td_lexeme_kind kind;
        td_keyword keyword;
        td_keyword second; /* of two words */
        infix infix;
    } operators[] = {
        {TD_LEXEME_KEYWORD, TD_KEYWORD_or, 0, {PRECEDENCE_OR, TD_SYNTAX_OR, 0, false, 1}},
        {TD_LEXEME_KEYWORD, TD_KEYWORD_and, 0, {PRECEDENCE_AND, TD_SYNTAX_AND, 0, false, 1}},
        {TD_LEXEME_EQUAL, 0, 0, {PRECEDENCE_EQUITY, TD_SYNTAX_COMPARISON, TD_OP_EQUAL, false, 1}},
        {TD_LEXEME_NOT_EQUAL, 0, 0, {PRECEDENCE_EQUITY, TD_SYNTAX_COMPARISON, TD_OP_DIFFERS, false, 1}},
        {TD_LEXEME_KEYWORD, TD_KEYWORD_is, TD_KEYWORD_not, {PRECEDENCE_EQUITY, TD_SYNTAX_IS, 0, true, 2}},
        {TD_LEXEME_KEYWORD, TD_KEYWORD_is, 0, {PRECEDENCE_EQUITY, TD_SYNTAX_IS, 0, false, 1}},
        {TD_LEXEME_KEYWORD, TD_KEYWORD_in, 0, {PRECEDENCE_EQUITY, TD_SYNTAX_IN, TD_OP_IN, false, 1}},
        {TD_LEXEME_KEYWORD, TD_KEYWORD_not, TD_KEYWORD_in, {PRECEDENCE_EQUITY, TD_SYNTAX_IN, TD_OP_IN, true, 2}},
        {TD_LEXEME_LESS, 0, 0, {PRECEDENCE_ORDER, TD_SYNTAX_COMPARISON, TD_OP_LESS, false, 1}},
        {TD_LEXEME_LESS_EQUAL, 0, 0, {PRECEDENCE_ORDER, TD_SYNTAX_COMPARISON, TD_OP_LESS_EQUAL, false, 1}},
        {TD_LEXEME_GREATER, 0, 0, {PRECEDENCE_ORDER, TD_SYNTAX_COMPARISON, TD_OP_GREATER, false, 1}},
        {TD_LEXEME_GREATER_EQUAL, 0, 0, {PRECEDENCE_ORDER, TD_SYNTAX_COMPARISON, TD_OP_GREATER_EQUAL, false, 1}},
        {TD_LEXEME_KEYWORD, TD_KEYWORD_between, 0, {PRECEDENCE_ORDER, TD_SYNTAX_BETWEEN, TD_OP_BETWEEN, false, 1}},
        {TD_LEXEME_KEYWORD,
         TD_KEYWORD_not,
         TD_KEYWORD_between,
         {PRECEDENCE_ORDER, TD_SYNTAX_BETWEEN, TD_OP_BETWEEN, true, 2}},
        {TD_LEXEME_PLUS, 0, 0, {PRECEDENCE_SUM, TD_SYNTAX_SUM, TD_OP_PLUS, false, 1}},
        {TD_LEXEME_MINUS, 0, 0, {PRECEDENCE_SUM, TD_SYNTAX_SUM, TD_OP_MINUS, false, 1}},
    };
    const td_lexeme *at = parser->at;
    for (size_t i = 0; i < TD_COUNT_OF(operators); i++) {
        if (operators[i].kind != at->kind || operators[i].keyword != at->keyword) continue;
        if (operators[i].second != TD_KEYWORD_NONE && operators[i].second != at[1].keyword) continue;
        return operators[i].infix;
    }
    return (infix){.precedence = PRECEDENCE_NONE};
}

static td_status parse_right(td_parser *parser, const infix *found, td_syntax *left, td_syntax **ret_node)
{
    td_syntax *node = NULL;
    td_syntax *right = NULL;
    bool is_chain =
        (found->kind == TD_SYNTAX_AND || found->kind == TD_SYNTAX_OR) && left->kind == found->kind && !left->is_grouped;
    if (is_chain) {
        node = left;
    } else {
        TD_TRY(td_partiql__node(parser, found->kind, &node));
        node->operation = found->operation;
        node->is_negated = found->is_negated;
        td_partiql__append(node, left);
    }
    parser->at += found->lexemes;
    *ret_node = node;
    if (node->kind == TD_SYNTAX_IS) return parse_is(parser, node);
    if (node->kind == TD_SYNTAX_IN && parser->at->kind == TD_LEXEME_OPEN) return parse_in(parser, node);
    if (parser->at->kind == TD_LEXEME_END)
        return td_partiql__malformed(parser, TD_LIT("Missing right-hand side expression of infix operator"));
    TD_TRY(parse(parser, found->precedence, &right));
    td_partiql__append(node, right);
    if (node->kind != TD_SYNTAX_BETWEEN) return TD_OK;

    if (!td_partiql__at_keyword(parser, TD_KEYWORD_and)) return td_partiql__malformed(parser, TD_LIT("Expected AND"));
    parser->at++;
    if (parser->at->kind == TD_LEXEME_END)
        return td_partiql__malformed(parser, TD_LIT("Expected expression after AND"));
    TD_TRY(parse(parser, found->precedence, &right));
    td_partiql__append(node, right);
    return TD_OK;
}

static td_status parse_is(td_parser *parser, td_syntax *node)
{
    for (uint32_t i = 0; i < td_partiql__type_count; i++) {
        if (!td_partiql__at_keyword(parser, td_partiql__types[i].keyword)) continue;
        parser->at++;
        node->number = i;
        return TD_OK;
    }
    return td_partiql__malformed(parser, TD_LIT("Expected type name"));
}

/* "(" expression { "," expression } ")": a list also when it has one member. */
static td_status parse_in(td_parser *parser, td_syntax *node)
{
    td_syntax *list = NULL;
    TD_TRY(td_partiql__node(parser, TD_SYNTAX_LIST, &list));
    parser->at++;
    TD_TRY(parse_list(parser, list, TD_LEXEME_CLOSE, TD_LIT("RIGHT_PAREN")));
    td_partiql__append(node, list);
    return TD_OK;
}
