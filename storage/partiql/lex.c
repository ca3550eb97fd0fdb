/* SPDX-License-Identifier: Apache-2.0
 * lex.c: text → lexemes, one at a time, without memory.
 * Model: the lexical rules of PartiQL's reference parser, since the service answers with its texts: keywords in any
 * case and never names; '' and "" double their quotes; -- and block comments; no Ion literals (`…`), no # comments. A
 * number whose exponent or scale leaves 32 bits is no lexeme. Not here: signs of numbers (parse_expression.c), since
 * "n-1" is a difference. */
#include "syntax.h"

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

/* The order of two words of lower case, the first `len` bytes long: most differ at once. */
static int compare_words(const char *word, size_t len, const char *keyword)
{
    size_t i = 0;
    while (i < len && word[i] == keyword[i])
        i++;
    return i < len ? word[i] - keyword[i] : -(keyword[i] != '\0');
}

static td_keyword find_keyword(td_slice word)
{
    char lower[KEYWORD_LEN_MAX];
    if (word.len > KEYWORD_LEN_MAX) return TD_KEYWORD_NONE;
    for (size_t i = 0; i < word.len; i++) {
        uint8_t byte = word.ptr[i];
        lower[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    size_t low = TD_KEYWORD_NONE + 1;
    size_t high = TD_COUNT_OF(keywords);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_words(lower, word.len, keywords[middle]);
        if (order == 0) return (td_keyword)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return TD_KEYWORD_NONE;
}

/* Signs of one or two characters. */
static td_lexeme_kind scan_sign(td_slice text, uint32_t *at)
{
    uint8_t byte = text.ptr[*at];
    uint8_t second = byte_at(text, *at + 1);
    *at += 1;
    switch (byte) {
    case '(': return TD_LEXEME_OPEN;
    case ')': return TD_LEXEME_CLOSE;
    case '[': return TD_LEXEME_OPEN_LIST;
    case ']': return TD_LEXEME_CLOSE_LIST;
    case '{': return TD_LEXEME_OPEN_STRUCT;
    case '}': return TD_LEXEME_CLOSE_STRUCT;
    case ',': return TD_LEXEME_COMMA;
    case ':': return TD_LEXEME_COLON;
    case '.': return TD_LEXEME_DOT;
    case ';': return TD_LEXEME_SEMICOLON;
    case '?': return TD_LEXEME_PARAMETER;
    case '=': return TD_LEXEME_EQUAL;
    case '+': return TD_LEXEME_PLUS;
    case '-': return TD_LEXEME_MINUS;
    case '*': return TD_LEXEME_STAR;
    case '/':
    case '%':
    case '@':
    case '~': return TD_LEXEME_OTHER_OPERATOR;
    default: break;
    }
    static const struct {
        char sign[2];
        td_lexeme_kind kind;
    } pairs[] = {
        {{'<', '<'}, TD_LEXEME_OPEN_BAG},       {{'>', '>'}, TD_LEXEME_CLOSE_BAG},
        {{'<', '>'}, TD_LEXEME_NOT_EQUAL},      {{'!', '='}, TD_LEXEME_NOT_EQUAL},
        {{'<', '='}, TD_LEXEME_LESS_EQUAL},     {{'>', '='}, TD_LEXEME_GREATER_EQUAL},
        {{'|', '|'}, TD_LEXEME_OTHER_OPERATOR},
    };
    for (size_t i = 0; i < TD_COUNT_OF(pairs); i++) {
        if (pairs[i].sign[0] != byte || pairs[i].sign[1] != second) continue;
        *at += 1;
        return pairs[i].kind;
    }
    return byte == '<' ? TD_LEXEME_LESS : byte == '>' ? TD_LEXEME_GREATER : TD_LEXEME_INVALID;
}
