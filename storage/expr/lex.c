/* SPDX-License-Identifier: Apache-2.0
 * lex.c: text → tokens, one at a time, without state or memory.
 * Model: identifiers begin with a letter; a mark needs at least one letter, digit or '_' behind its sign; any other
 * character is a token of its own, so that the parser refuses it where it stands ("token: "!", near: "!!"").
 * Not here: which token may stand where (parse.c); reserved words (bind.c), which are no keywords. */
#include "ast.h"

#include <strings.h>

typedef enum byte_class {
    CLASS_OTHER, /* 0: whatever the table does not list */
    CLASS_BLANK,
    CLASS_LETTER,
    CLASS_DIGIT,
    CLASS_UNDERSCORE,
    CLASS_HASH,
    CLASS_COLON,
    CLASS_LESS,
    CLASS_GREATER,
    CLASS_SINGLE, /* a token by itself, see single_kind */
} byte_class;

static const uint8_t classes[256] = {
    [' '] = CLASS_BLANK,          ['\t'] = CLASS_BLANK,         ['\r'] = CLASS_BLANK,        ['\n'] = CLASS_BLANK,
    ['a' ... 'z'] = CLASS_LETTER, ['A' ... 'Z'] = CLASS_LETTER, ['0' ... '9'] = CLASS_DIGIT, ['_'] = CLASS_UNDERSCORE,
    ['#'] = CLASS_HASH,           [':'] = CLASS_COLON,          ['<'] = CLASS_LESS,          ['>'] = CLASS_GREATER,
    ['='] = CLASS_SINGLE,         ['('] = CLASS_SINGLE,         [')'] = CLASS_SINGLE,        ['['] = CLASS_SINGLE,
    [']'] = CLASS_SINGLE,         [','] = CLASS_SINGLE,         ['.'] = CLASS_SINGLE,        ['+'] = CLASS_SINGLE,
    ['-'] = CLASS_SINGLE,
};

static const struct {
    td_slice word;
    td_token_kind kind;
    td_grammar grammar;
} keywords[] = {
    {TD_LIT_INIT("AND"), TD_TOKEN_AND, TD_GRAMMAR_CONDITION},
    {TD_LIT_INIT("OR"), TD_TOKEN_OR, TD_GRAMMAR_CONDITION},
    {TD_LIT_INIT("NOT"), TD_TOKEN_NOT, TD_GRAMMAR_CONDITION},
    {TD_LIT_INIT("IN"), TD_TOKEN_IN, TD_GRAMMAR_CONDITION},
    {TD_LIT_INIT("BETWEEN"), TD_TOKEN_BETWEEN, TD_GRAMMAR_CONDITION},
    {TD_LIT_INIT("SET"), TD_TOKEN_SET, TD_GRAMMAR_UPDATE},
    {TD_LIT_INIT("REMOVE"), TD_TOKEN_REMOVE, TD_GRAMMAR_UPDATE},
    {TD_LIT_INIT("ADD"), TD_TOKEN_ADD, TD_GRAMMAR_UPDATE},
    {TD_LIT_INIT("DELETE"), TD_TOKEN_DELETE, TD_GRAMMAR_UPDATE},
};

static uint32_t scan_word(td_slice text, uint32_t at);
static uint32_t scan_digits(td_slice text, uint32_t at);
static uint32_t scan_character(td_slice text, uint32_t at);
static td_token_kind keyword_kind(td_slice word, td_grammar grammar);
static td_token_kind single_kind(uint8_t byte);
static bool byte_is(td_slice text, uint32_t at, uint8_t byte)
{
    return at < text.len && text.ptr[at] == byte;
}

td_token td_expr__lex(td_slice text, uint32_t offset, td_grammar grammar)
{
    TD_ASSERT(text.len <= UINT32_MAX);
    while (offset < text.len && classes[text.ptr[offset]] == CLASS_BLANK)
        offset++;
    if (offset >= text.len) return (td_token){TD_TOKEN_END, (uint32_t)text.len, 0};

    uint32_t end = offset + 1;
    td_token_kind kind = TD_TOKEN_UNKNOWN;
    switch ((byte_class)classes[text.ptr[offset]]) {
    case CLASS_LETTER:
        end = scan_word(text, end);
        kind = keyword_kind(td_slice_of(text.ptr + offset, end - offset), grammar);
        break;
    case CLASS_DIGIT:
        end = scan_digits(text, end);
        kind = TD_TOKEN_INTEGER;
        break;
    case CLASS_HASH:
    case CLASS_COLON:
        end = scan_word(text, end);
        if (end > offset + 1) kind = text.ptr[offset] == '#' ? TD_TOKEN_NAME_MARK : TD_TOKEN_VALUE_MARK;
        break;
    case CLASS_LESS:
        kind = byte_is(text, end, '>')   ? TD_TOKEN_NOT_EQUAL
               : byte_is(text, end, '=') ? TD_TOKEN_LESS_EQUAL
                                         : TD_TOKEN_LESS;
        end += kind != TD_TOKEN_LESS;
        break;
    case CLASS_GREATER:
        kind = byte_is(text, end, '=') ? TD_TOKEN_GREATER_EQUAL : TD_TOKEN_GREATER;
        end += kind != TD_TOKEN_GREATER;
        break;
    case CLASS_SINGLE: kind = single_kind(text.ptr[offset]); break;
    case CLASS_UNDERSCORE:
    case CLASS_BLANK:
    case CLASS_OTHER: end = scan_character(text, offset); break;
    }
    return (td_token){kind, offset, end - offset};
}

static uint32_t scan_word(td_slice text, uint32_t at)
{
    while (at < text.len) {
        byte_class class = (byte_class)classes[text.ptr[at]];
        if (class != CLASS_LETTER && class != CLASS_DIGIT && class != CLASS_UNDERSCORE) break;
        at++;
    }
    return at;
}

static uint32_t scan_digits(td_slice text, uint32_t at)
{
    while (at < text.len && classes[text.ptr[at]] == CLASS_DIGIT)
        at++;
    return at;
}

/* The whole UTF-8 sequence: a message must not quote half a character. */
static uint32_t scan_character(td_slice text, uint32_t at)
{
    at++;
    while (at < text.len && (text.ptr[at] & 0xC0) == 0x80)
        at++;
    return at;
}

static td_token_kind keyword_kind(td_slice word, td_grammar grammar)
{
    for (size_t i = 0; i < TD_COUNT_OF(keywords); i++) {
        if (keywords[i].grammar == grammar && keywords[i].word.len == word.len &&
            strncasecmp((const char *)keywords[i].word.ptr, (const char *)word.ptr, word.len) == 0)
            return keywords[i].kind;
    }
    return TD_TOKEN_NAME;
}

static td_token_kind single_kind(uint8_t byte)
{
    switch (byte) {
    case '=': return TD_TOKEN_EQUAL;
    case '(': return TD_TOKEN_OPEN;
    case ')': return TD_TOKEN_CLOSE;
    case '[': return TD_TOKEN_OPEN_INDEX;
    case ']': return TD_TOKEN_CLOSE_INDEX;
    case ',': return TD_TOKEN_COMMA;
    case '.': return TD_TOKEN_DOT;
    case '+': return TD_TOKEN_PLUS;
    case '-': return TD_TOKEN_MINUS;
    default: return TD_TOKEN_UNKNOWN;
    }
}
