/* SPDX-License-Identifier: MIT
 * lex.c: text → lexemes, one at a time, without memory.
 * Model: the lexical rules of PartiQL's reference parser, since the service answers with its texts: keywords in any
 * case and never names; '' and "" double their quotes; -- and block comments; no Ion literals (`…`), no # comments. A
 * number whose exponent or scale leaves 32 bits is no lexeme. Not here: signs of numbers (parse_expression.c), since
 * "n-1" is a difference. */
#include "syntax.h"

#include <stdlib.h>
#include <strings.h>

enum { KEYWORD_LEN_MAX = 24 };

static uint32_t skip_blanks(td_slice text, uint32_t at, bool *ret_is_open);
static bool scan_quoted(td_slice text, uint32_t *at);
static bool scan_number(td_slice text, uint32_t *at);
static uint32_t scan_name(td_slice text, uint32_t at);
static td_keyword find_keyword(td_slice word);
static td_lexeme_kind scan_sign(td_slice text, uint32_t *at);

static const char *const keywords[] = {
    "",
#define TD_KEYWORD(word) #word,
#include "keywords.def"
#undef TD_KEYWORD
};

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_name_begin(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '$';
}

/* Behind the end stands NUL, which begins and continues nothing. */
static uint8_t byte_at(td_slice text, uint32_t at)
{
    return at < text.len ? text.ptr[at] : 0;
}

td_lexeme td_partiql__lex(td_slice text, uint32_t offset)
{
    bool is_open = false;
    uint32_t at = skip_blanks(text, offset, &is_open);
    td_lexeme lexeme = {.kind = TD_LEXEME_INVALID, .offset = at};
    if (is_open) return lexeme;
    if (at >= text.len) {
        lexeme.kind = TD_LEXEME_END;
        return lexeme;
    }
    uint8_t byte = text.ptr[at];
    if (is_name_begin(byte)) {
        at = scan_name(text, at);
        lexeme.keyword = find_keyword(td_slice_of(text.ptr + lexeme.offset, at - lexeme.offset));
        lexeme.kind = lexeme.keyword == TD_KEYWORD_NONE ? TD_LEXEME_NAME : TD_LEXEME_KEYWORD;
    } else if (is_digit(byte) || (byte == '.' && is_digit(byte_at(text, at + 1)))) {
        if (scan_number(text, &at)) lexeme.kind = TD_LEXEME_NUMBER;
    } else if (byte == '\'' || byte == '"') {
        if (scan_quoted(text, &at)) lexeme.kind = byte == '"' ? TD_LEXEME_QUOTED : TD_LEXEME_STRING;
    } else {
        lexeme.kind = scan_sign(text, &at);
    }
    lexeme.len = at - lexeme.offset;
    return lexeme;
}

bool td_partiql__word_equal(td_slice word, td_slice lower_case)
{
    return word.len == lower_case.len &&
           strncasecmp((const char *)word.ptr, (const char *)lower_case.ptr, word.len) == 0;
}

td_slice td_partiql__keyword_text(td_keyword keyword)
{
    TD_ASSERT((size_t)keyword < TD_COUNT_OF(keywords));
    return td_slice_of_cstr(keywords[keyword]);
}

static uint32_t skip_blanks(td_slice text, uint32_t at, bool *ret_is_open)
{
    while (at < text.len) {
        uint8_t byte = text.ptr[at];
        if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
            at++;
        } else if (byte == '-' && byte_at(text, at + 1) == '-') {
            const uint8_t *end = memchr(text.ptr + at, '\n', text.len - at);
            at = end == NULL ? (uint32_t)text.len : (uint32_t)(end - text.ptr) + 1;
        } else if (byte == '/' && byte_at(text, at + 1) == '*') {
            const uint8_t *end = memmem(text.ptr + at + 2, text.len - at - 2, "*/", 2);
            *ret_is_open = end == NULL;
            if (end == NULL) return at;
            at = (uint32_t)(end - text.ptr) + 2;
        } else {
            break;
        }
    }
    return at;
}

/* From the opening quote to behind the closing one. */
static bool scan_quoted(td_slice text, uint32_t *at)
{
    uint8_t quote = text.ptr[*at];
    uint32_t end = *at + 1;
    while (end < text.len) {
        const uint8_t *found = memchr(text.ptr + end, quote, text.len - end);
        if (found == NULL) break;
        end = (uint32_t)(found - text.ptr) + 1;
        if (byte_at(text, end) != quote) {
            *at = end;
            return true;
        }
        end++;
    }
    *at = (uint32_t)text.len;
    return false;
}

/* digits [ "." digits ] [ e [ + | - ] digits ], a digit before or behind the point. false: the exponent lacks its
 * digits, or it or the scale that follows from it leaves 32 bits. */
static bool scan_number(td_slice text, uint32_t *at)
{
    uint32_t end = *at;
    int64_t scale = 0;
    while (is_digit(byte_at(text, end)))
        end++;
    if (byte_at(text, end) == '.') {
        uint32_t fraction = ++end;
        while (is_digit(byte_at(text, end)))
            end++;
        scale = (int64_t)end - fraction;
    }
    *at = end;
    if (byte_at(text, end) != 'e' && byte_at(text, end) != 'E') return true;

    end++;
    bool is_negative = byte_at(text, end) == '-';
    if (is_negative || byte_at(text, end) == '+') end++;
    if (!is_digit(byte_at(text, end))) return false;
    int64_t exponent = 0;
    for (; is_digit(byte_at(text, end)); end++) {
        if (exponent <= INT32_MAX) exponent = exponent * 10 + (text.ptr[end] - '0');
    }
    *at = end;
    if (is_negative) exponent = -exponent;
    return exponent >= INT32_MIN && exponent <= INT32_MAX && scale - exponent >= INT32_MIN &&
           scale - exponent <= INT32_MAX;
}

static uint32_t scan_name(td_slice text, uint32_t at)
{
    while (is_name_begin(byte_at(text, at)) || is_digit(byte_at(text, at)))
        at++;
    return at;
}

static int compare_keywords(const void *word, const void *element)
{
    return strcmp((const char *)word, *(const char *const *)element);
}

static td_keyword find_keyword(td_slice word)
{
    char lower[KEYWORD_LEN_MAX + 1];
    if (word.len > KEYWORD_LEN_MAX) return TD_KEYWORD_NONE;
    for (size_t i = 0; i < word.len; i++) {
        uint8_t byte = word.ptr[i];
        lower[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    lower[word.len] = '\0';
    const char *const *found =
        bsearch(lower, keywords + 1, TD_COUNT_OF(keywords) - 1, sizeof keywords[0], compare_keywords);
    return found == NULL ? TD_KEYWORD_NONE : (td_keyword)(found - keywords);
}

/* Signs of one or two characters, the longer ones first. */
static td_lexeme_kind scan_sign(td_slice text, uint32_t *at)
{
    static const struct {
        char sign[3];
        td_lexeme_kind kind;
    } signs[] = {
        {"<<", TD_LEXEME_OPEN_BAG},
        {">>", TD_LEXEME_CLOSE_BAG},
        {"<>", TD_LEXEME_NOT_EQUAL},
        {"!=", TD_LEXEME_NOT_EQUAL},
        {"<=", TD_LEXEME_LESS_EQUAL},
        {">=", TD_LEXEME_GREATER_EQUAL},
        {"||", TD_LEXEME_OTHER_OPERATOR},
        {"<", TD_LEXEME_LESS},
        {">", TD_LEXEME_GREATER},
        {"=", TD_LEXEME_EQUAL},
        {"+", TD_LEXEME_PLUS},
        {"-", TD_LEXEME_MINUS},
        {"*", TD_LEXEME_STAR},
        {"/", TD_LEXEME_OTHER_OPERATOR},
        {"%", TD_LEXEME_OTHER_OPERATOR},
        {"@", TD_LEXEME_OTHER_OPERATOR},
        {"~", TD_LEXEME_OTHER_OPERATOR},
        {"(", TD_LEXEME_OPEN},
        {")", TD_LEXEME_CLOSE},
        {"[", TD_LEXEME_OPEN_LIST},
        {"]", TD_LEXEME_CLOSE_LIST},
        {"{", TD_LEXEME_OPEN_STRUCT},
        {"}", TD_LEXEME_CLOSE_STRUCT},
        {",", TD_LEXEME_COMMA},
        {":", TD_LEXEME_COLON},
        {".", TD_LEXEME_DOT},
        {";", TD_LEXEME_SEMICOLON},
        {"?", TD_LEXEME_PARAMETER},
    };
    for (size_t i = 0; i < TD_COUNT_OF(signs); i++) {
        uint32_t len = signs[i].sign[1] == '\0' ? 1 : 2;
        if (text.len - *at < len || memcmp(text.ptr + *at, signs[i].sign, len) != 0) continue;
        *at += len;
        return signs[i].kind;
    }
    return TD_LEXEME_INVALID;
}
