/* SPDX-License-Identifier: Apache-2.0
 * parse_path.c: document paths, what stands between quotes, and places in the text.
 * Not here: which paths a clause takes (parse.c). */
#include "syntax.h"

static td_status parse_step(td_parser *parser, bool is_simple, td_step *ret_step);
static td_status parse_dotted(td_parser *parser, bool is_simple, td_step *ret_step);
static td_status parse_bracketed(td_parser *parser, td_step *ret_step);
static td_status parse_index(td_parser *parser, const td_syntax *number, td_step *ret_step);

td_status td_partiql__parse_path(td_parser *parser, bool is_simple, td_path **ret_path)
{
    td_step steps[TD_PATH_STEPS_MAX];
    uint32_t count = 1;
    td_lexeme first = *parser->at;
    if (first.kind != TD_LEXEME_NAME && first.kind != TD_LEXEME_QUOTED)
        return td_partiql__malformed(parser, TD_LIT("Expected identifier for simple path"));
    parser->at++;
    steps[0] = (td_step){.index = 0};
    TD_TRY(td_partiql__unquote(parser, first, &steps[0].name));
    if (steps[0].name.len == 0) return TD_RAISE(parser->error, TD_MSG_PARTIQL_EMPTY_COMPONENT);

    while (parser->at->kind == TD_LEXEME_DOT || parser->at->kind == TD_LEXEME_OPEN_LIST) {
        td_step step;
        TD_TRY(parse_step(parser, is_simple, &step));
        if (count < TD_PATH_STEPS_MAX) steps[count] = step;
        count++;
    }
    if (count > TD_PATH_STEPS_MAX)
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_PATH_TOO_DEEP, td_error_int(parser->error, count));
    td_path *path = td_arena_alloc_zero(parser->arena, sizeof *path);
    td_step *copy = td_arena_alloc_array(parser->arena, count, sizeof *copy);
    if (path == NULL || copy == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
    memcpy(copy, steps, count * sizeof *copy);
    path->steps = copy;
    path->count = count;
    *ret_path = path;
    return TD_OK;
}

static td_status parse_step(td_parser *parser, bool is_simple, td_step *ret_step)
{
    bool is_dot = parser->at->kind == TD_LEXEME_DOT;
    parser->at++;
    return is_dot ? parse_dotted(parser, is_simple, ret_step) : parse_bracketed(parser, ret_step);
}

static td_status parse_dotted(td_parser *parser, bool is_simple, td_step *ret_step)
{
    td_lexeme lexeme = *parser->at;
    if (lexeme.kind == TD_LEXEME_STAR && !is_simple)
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_PATH_COMPONENT,
                        td_partiql__position(parser->text, lexeme, parser->error));
    if (lexeme.kind != TD_LEXEME_NAME && lexeme.kind != TD_LEXEME_QUOTED)
        return td_partiql__malformed(parser, TD_LIT("Invalid path dot component"));
    parser->at++;
    *ret_step = (td_step){.index = 0};
    TD_TRY(td_partiql__unquote(parser, lexeme, &ret_step->name));
    return ret_step->name.len > 0 ? TD_OK : TD_RAISE(parser->error, TD_MSG_PARTIQL_EMPTY_COMPONENT);
}

/* "[" ( number | string ) "]": an index, or a name as PartiQL also writes it. */
static td_status parse_bracketed(td_parser *parser, td_step *ret_step)
{
    td_lexeme lexeme = *parser->at;
    td_syntax *inside = NULL;
    TD_TRY(td_partiql__enter(parser));
    TD_TRY(td_partiql__parse_expression(parser, &inside));
    parser->depth--;
    TD_TRY(td_partiql__expect(parser, TD_LEXEME_CLOSE_LIST, TD_LIT("RIGHT_BRACKET")));
    if (inside->kind == TD_SYNTAX_NUMBER) return parse_index(parser, inside, ret_step);
    if (inside->kind != TD_SYNTAX_STRING)
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_PATH_COMPONENT,
                        td_partiql__position(parser->text, lexeme, parser->error));
    *ret_step = (td_step){.name = inside->text};
    return inside->text.len > 0 ? TD_OK : TD_RAISE(parser->error, TD_MSG_PARTIQL_EMPTY_COMPONENT);
}

/* "-0" is 0. */
static td_status parse_index(td_parser *parser, const td_syntax *number, td_step *ret_step)
{
    int64_t index = -1;
    td_number encoded;
    if (td_number_parse(number->text, &encoded) != TD_NUMBER_OK ||
        !td_number_to_int64(td_number_slice(&encoded), &index) || index < 0 || index > INT32_MAX)
        return TD_RAISE(parser->error, TD_MSG_PARTIQL_LIST_INDEX, number->text,
                        td_partiql__position(parser->text, number->lexeme, parser->error));
    *ret_step = (td_step){.index = (uint32_t)index, .is_index = true};
    return TD_OK;
}

td_status td_partiql__unquote(td_parser *parser, td_lexeme lexeme, td_slice *ret_content)
{
    td_slice content = td_slice_of(parser->text.ptr + lexeme.offset, lexeme.len);
    if (lexeme.kind != TD_LEXEME_QUOTED && lexeme.kind != TD_LEXEME_STRING) {
        *ret_content = content;
        return TD_OK;
    }
    TD_ASSERT(lexeme.len >= 2);
    uint8_t quote = content.ptr[0];
    content = td_slice_of(content.ptr + 1, content.len - 2);
    if (content.len > 0 && memchr(content.ptr, quote, content.len) != NULL) {
        uint8_t *single = td_arena_alloc(parser->arena, content.len);
        if (single == NULL) return TD_RAISE(parser->error, TD_MSG_OUT_OF_MEMORY);
        size_t len = 0;
        for (size_t i = 0; i < content.len; i++) {
            single[len++] = content.ptr[i];
            i += content.ptr[i] == quote; /* its double */
        }
        content = td_slice_of(single, len);
    }
    *ret_content = content;
    return TD_OK;
}

/* UTF-8 is counted by its first bytes. */
static uint32_t count_characters(td_slice text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += (text.ptr[i] & 0xC0) != 0x80;
    return count;
}

td_slice td_partiql__position(td_slice text, td_lexeme lexeme, td_error *error)
{
    uint32_t line = 1;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < lexeme.offset; i++) {
        if (text.ptr[i] != '\n') continue;
        line++;
        begin = i + 1;
    }
    uint32_t column = 1 + count_characters(td_slice_of(text.ptr + begin, lexeme.offset - begin));
    uint32_t len = count_characters(td_slice_of(text.ptr + lexeme.offset, lexeme.len));
    td_slice position;
    return td_arena_format(error->arena, &position, "%u:%u:%u", line, column, len) ? position : td_error_lost;
}
