/* SPDX-License-Identifier: Apache-2.0
 * print.c: a statement as text, in one form for all that parse to the same: keywords in capitals, names quoted, one
 * blank between lexemes, parentheses where the tree needs them. Invariants: what is printed parses to the same tree, so
 * that printing is its own fixed point; the recursion is bounded by the tree's depth. */
#include "syntax.h"

static void print_node(td_buf *text, const td_syntax *node);

/* Between the quotes, each quote twice. */
static void print_quoted(td_buf *text, td_slice content, uint8_t quote)
{
    td_buf_append_byte(text, quote);
    for (size_t begin = 0; begin < content.len;) {
        const uint8_t *found = memchr(content.ptr + begin, quote, content.len - begin);
        size_t end = found == NULL ? content.len : (size_t)(found - content.ptr) + 1;
        td_buf_append(text, td_slice_of(content.ptr + begin, end - begin));
        if (found != NULL) td_buf_append_byte(text, quote);
        begin = end;
    }
    td_buf_append_byte(text, quote);
}

static void print_path(td_buf *text, const td_path *path)
{
    for (uint32_t i = 0; i < path->count; i++) {
        if (path->steps[i].is_index) {
            td_buf_append_format(text, "[%u]", path->steps[i].index);
            continue;
        }
        if (i > 0) td_buf_append_byte(text, '.');
        print_quoted(text, path->steps[i].name, '"');
    }
}

static void print_list(td_buf *text, const td_syntax *node, td_slice open, td_slice close)
{
    td_buf_append(text, open);
    for (const td_syntax *child = node->first; child != NULL; child = child->next) {
        if (child != node->first) td_buf_append_lit(text, ", ");
        print_node(text, child);
    }
    td_buf_append(text, close);
}

static void print_struct(td_buf *text, const td_syntax *node)
{
    td_buf_append_byte(text, '{');
    for (const td_syntax *key = node->first; key != NULL; key = key->next->next) {
        if (key != node->first) td_buf_append_lit(text, ", ");
        print_node(text, key);
        td_buf_append_lit(text, ": ");
        print_node(text, key->next);
    }
    td_buf_append_byte(text, '}');
}

/* How tightly nodes hold together: the precedence of their operators. IN is beneath its own, since a NOT at its end has
 * no parentheses and would take in what follows. */
enum { LOOSE_OR = 1, LOOSE_AND, LOOSE_NOT, TIGHT_EQUITY, TIGHT_ORDER, TIGHT_SUM, TIGHT_TERM };

static int tightness(const td_syntax *node)
{
    switch (node->kind) {
    case TD_SYNTAX_OR: return LOOSE_OR;
    case TD_SYNTAX_AND: return LOOSE_AND;
    case TD_SYNTAX_NOT:
    case TD_SYNTAX_IN: return LOOSE_NOT;
    case TD_SYNTAX_IS: return TIGHT_EQUITY;
    case TD_SYNTAX_COMPARISON:
        return node->operation == TD_OP_EQUAL || node->operation == TD_OP_DIFFERS ? TIGHT_EQUITY : TIGHT_ORDER;
    case TD_SYNTAX_BETWEEN: return TIGHT_ORDER;
    case TD_SYNTAX_SUM: return TIGHT_SUM;
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
    case TD_SYNTAX_CALL: break;
    }
    return TIGHT_TERM;
}

/* In parentheses unless it holds together at least as tightly. */
static void print_side(td_buf *text, const td_syntax *node, int least)
{
    bool is_grouped = tightness(node) < least;
    if (is_grouped) td_buf_append_byte(text, '(');
    print_node(text, node);
    if (is_grouped) td_buf_append_byte(text, ')');
}

static void print_chain(td_buf *text, const td_syntax *node, const char *separator, int least)
{
    for (const td_syntax *side = node->first; side != NULL; side = side->next) {
        if (side != node->first) td_buf_append_format(text, " %s ", separator);
        print_side(text, side, least);
    }
}

/* To the left, as it is parsed: what begins without a parenthesis does so again. */
static void print_infix(td_buf *text, const td_syntax *node)
{
    print_side(text, node->first, tightness(node));
    td_buf_append_format(text, " %s ", (const char *)td_expr__operation_name(node->operation).ptr);
    print_side(text, node->last, tightness(node) + 1);
}

/* What stands behind IN neither is in parentheses nor begins with them: they would make it a list. */
static void print_in(td_buf *text, const td_syntax *node)
{
    print_side(text, node->first, TIGHT_EQUITY);
    td_buf_append_format(text, " %sIN ", node->is_negated ? "NOT " : "");
    print_node(text, node->last);
}

static void print_between(td_buf *text, const td_syntax *node)
{
    print_side(text, node->first, TIGHT_ORDER);
    td_buf_append_format(text, " %sBETWEEN ", node->is_negated ? "NOT " : "");
    print_side(text, node->first->next, TIGHT_SUM);
    td_buf_append_lit(text, " AND ");
    print_side(text, node->last, TIGHT_SUM);
}

static void print_keyword(td_buf *text, td_keyword keyword)
{
    td_slice word = td_partiql__keyword_text(keyword);
    for (size_t i = 0; i < word.len; i++)
        td_buf_append_byte(text,
                           (uint8_t)(word.ptr[i] >= 'a' && word.ptr[i] <= 'z' ? word.ptr[i] - 'a' + 'A' : word.ptr[i]));
}

static void print_is(td_buf *text, const td_syntax *node)
{
    print_side(text, node->first, TIGHT_EQUITY);
    td_buf_append_format(text, " IS %s", node->is_negated ? "NOT " : "");
    print_keyword(text, td_partiql__types[node->number].keyword);
}

/* A name that is a keyword but no function's cannot be written without quotes, so all are quoted but those. */
static void print_call(td_buf *text, const td_syntax *node)
{
    print_quoted(text, node->text, '"');
    print_list(text, node, TD_LIT("("), TD_LIT(")"));
}

static void print_node(td_buf *text, const td_syntax *node)
{
    switch (node->kind) {
    case TD_SYNTAX_STRING: print_quoted(text, node->text, '\''); return;
    case TD_SYNTAX_NUMBER: td_buf_append(text, node->text); return;
    case TD_SYNTAX_BOOLEAN: td_buf_append(text, node->boolean ? TD_LIT("TRUE") : TD_LIT("FALSE")); return;
    case TD_SYNTAX_NULL: td_buf_append_lit(text, "NULL"); return;
    case TD_SYNTAX_MISSING: td_buf_append_lit(text, "MISSING"); return;
    case TD_SYNTAX_PARAMETER: td_buf_append_byte(text, '?'); return;
    case TD_SYNTAX_LIST: print_list(text, node, TD_LIT("["), TD_LIT("]")); return;
    case TD_SYNTAX_BAG: print_list(text, node, TD_LIT("<<"), TD_LIT(">>")); return;
    case TD_SYNTAX_STRUCT: print_struct(text, node); return;
    case TD_SYNTAX_PATH: print_path(text, node->path); return;
    case TD_SYNTAX_CALL: print_call(text, node); return;
    case TD_SYNTAX_AND: print_chain(text, node, "AND", LOOSE_NOT); return;
    case TD_SYNTAX_OR: print_chain(text, node, "OR", LOOSE_AND); return;
    case TD_SYNTAX_NOT:
        td_buf_append_lit(text, "NOT ");
        print_side(text, node->first, LOOSE_NOT);
        return;
    case TD_SYNTAX_COMPARISON:
    case TD_SYNTAX_SUM: print_infix(text, node); return;
    case TD_SYNTAX_IN: print_in(text, node); return;
    case TD_SYNTAX_BETWEEN: print_between(text, node); return;
    case TD_SYNTAX_IS: print_is(text, node); return;
    }
}

static void print_table(const td_statement *statement, td_buf *text)
{
    print_quoted(text, statement->table, '"');
    if (statement->index.ptr == NULL) return;
    td_buf_append_byte(text, '.');
    print_quoted(text, statement->index, '"');
}

static void print_where(const td_statement *statement, td_buf *text)
{
    if (!statement->has_where) return;
    td_buf_append_lit(text, " WHERE ");
    print_node(text, statement->syntax->where);
}

static void print_select(const td_statement *statement, td_buf *text)
{
    td_buf_append_lit(text, "SELECT ");
    if (statement->syntax->selected == NULL)
        td_buf_append_byte(text, '*');
    else
        print_list(text, statement->syntax->selected, TD_LIT(""), TD_LIT(""));
    td_buf_append_lit(text, " FROM ");
    print_table(statement, text);
    print_where(statement, text);
    for (uint32_t i = 0; i < statement->order_count; i++) {
        td_buf_append(text, i == 0 ? TD_LIT(" ORDER BY ") : TD_LIT(", "));
        print_quoted(text, statement->orders[i].attribute, '"');
        td_buf_append(text, statement->orders[i].is_descending ? TD_LIT(" DESC") : TD_LIT(" ASC"));
    }
}

static void print_returning(const td_statement *statement, td_buf *text)
{
    static const char *const texts[] = {
        [TD_RETURNING_NONE] = "",
        [TD_RETURNING_ALL_OLD] = " RETURNING ALL OLD *",
        [TD_RETURNING_MODIFIED_OLD] = " RETURNING MODIFIED OLD *",
        [TD_RETURNING_ALL_NEW] = " RETURNING ALL NEW *",
        [TD_RETURNING_MODIFIED_NEW] = " RETURNING MODIFIED NEW *",
    };
    td_buf_append(text, td_slice_of_cstr(texts[statement->returning]));
}

static void print_update(const td_statement *statement, td_buf *text)
{
    td_buf_append_lit(text, "UPDATE ");
    print_table(statement, text);
    for (const td_syntax_change *change = statement->syntax->changes; change != NULL; change = change->next) {
        td_buf_append(text, change->is_removal ? TD_LIT(" REMOVE ") : TD_LIT(" SET "));
        print_path(text, change->path);
        if (change->is_removal) continue;
        td_buf_append_lit(text, " = ");
        print_node(text, change->value);
    }
}

void td_statement_print(const td_statement *statement, td_buf *text)
{
    switch (statement->kind) {
    case TD_STATEMENT_SELECT: print_select(statement, text); return;
    case TD_STATEMENT_EXISTS:
        td_buf_append_lit(text, "EXISTS(");
        print_select(statement, text);
        td_buf_append_byte(text, ')');
        return;
    case TD_STATEMENT_INSERT:
        td_buf_append_lit(text, "INSERT INTO ");
        print_table(statement, text);
        td_buf_append_lit(text, " VALUE ");
        print_node(text, statement->syntax->item);
        return;
    case TD_STATEMENT_UPDATE: print_update(statement, text); break;
    case TD_STATEMENT_DELETE:
        td_buf_append_lit(text, "DELETE FROM ");
        print_table(statement, text);
        break;
    }
    print_where(statement, text);
    print_returning(statement, text);
}
