/* SPDX-License-Identifier: Apache-2.0
 * pattern.c: texts with wildcards and variables.
 *
 *   pattern  = { text | "?" | "*" | "${" key [ ", '" otherwise "'" ] "}" }      ${*}, ${?} and ${$} are that character
 * A variable stands for the one value of its key, as it is; a key that is absent, or has several values, and no
 * otherwise: the pattern matches nothing.
 * Source: IAM User Guide, "IAM policy elements: Variables and tags".
 * Matching goes back to the last asterisk alone: length of the text × pieces at worst, and no recursion. */
#include "policy_private.h"

#include <strings.h>

#define VARIABLE_OPEN TD_LIT("${")
#define ARN_PARTS 6

static uint32_t count_pieces(td_slice source, td_iam_syntax syntax);
static size_t read_piece(td_slice rest, td_iam_syntax syntax, td_iam_piece *ret_piece);
static bool read_variable(td_slice inside, td_iam_piece *ret_piece);
static bool begins_special(td_slice rest, td_iam_syntax syntax);

bool td_iam__equal_in_any_case(td_slice a, td_slice b)
{
    return a.len == b.len && (a.len == 0 || strncasecmp((const char *)a.ptr, (const char *)b.ptr, a.len) == 0);
}

const td_iam_key *td_iam__find_key(const td_iam_request *request, td_slice name)
{
    const td_iam_caller *caller = request->caller;
    for (uint32_t i = 0; i < caller->key_count; i++) {
        if (td_iam__equal_in_any_case(caller->keys[i].name, name)) return &caller->keys[i];
    }
    for (uint32_t i = 0; i < request->key_count; i++) {
        if (td_iam__equal_in_any_case(request->keys[i].name, name)) return &request->keys[i];
    }
    return NULL;
}

/* ---- compiling ---- */

bool td_iam__pattern(td_slice source, td_iam_syntax syntax, td_arena *arena, td_iam_pattern *ret_pattern)
{
    td_iam_pattern pattern = {.source = source};
    pattern.pieces = td_arena_alloc_array(arena, count_pieces(source, syntax), sizeof(*pattern.pieces));
    if (pattern.pieces == NULL) return false;
    uint32_t colons = 0;
    for (size_t at = 0; at < source.len;) {
        td_iam_piece *piece = &pattern.pieces[pattern.count++];
        at += read_piece(td_slice_of(source.ptr + at, source.len - at), syntax, piece);
        for (size_t i = 0; piece->kind == TD_IAM_PIECE_TEXT && i < piece->text.len; i++)
            colons += piece->text.ptr[i] == ':';
        piece->stays_within = syntax.is_arn && colons < ARN_PARTS - 1;
    }
    *ret_pattern = pattern;
    return true;
}

static bool begins_special(td_slice rest, td_iam_syntax syntax)
{
    if (syntax.has_wildcards && (rest.ptr[0] == '*' || rest.ptr[0] == '?')) return true;
    return syntax.has_variables && td_slice_has_prefix(rest, VARIABLE_OPEN);
}

/* At most: each special place and the text before it, and the text at the end. */
static uint32_t count_pieces(td_slice source, td_iam_syntax syntax)
{
    uint32_t count = 1;
    for (size_t i = 0; i < source.len; i++) {
        if (begins_special(td_slice_of(source.ptr + i, source.len - i), syntax)) count += 2;
    }
    return count;
}

/* Answers how long it is. What looks like a variable and is none is text. */
static size_t read_piece(td_slice rest, td_iam_syntax syntax, td_iam_piece *ret_piece)
{
    *ret_piece = (td_iam_piece){.kind = TD_IAM_PIECE_TEXT};
    size_t len = 0;
    if (begins_special(rest, syntax)) {
        if (rest.ptr[0] != '$') {
            ret_piece->kind = rest.ptr[0] == '*' ? TD_IAM_PIECE_MANY : TD_IAM_PIECE_ONE;
            return 1;
        }
        const uint8_t *end = memchr(rest.ptr, '}', rest.len);
        if (end != NULL && read_variable(td_slice_of(rest.ptr + 2, (size_t)(end - rest.ptr) - 2), ret_piece)) {
            return (size_t)(end - rest.ptr) + 1;
        }
        len = VARIABLE_OPEN.len;
    }
    while (len < rest.len && !begins_special(td_slice_of(rest.ptr + len, rest.len - len), syntax))
        len++;
    ret_piece->text = td_slice_of(rest.ptr, len);
    return len;
}

static bool read_variable(td_slice inside, td_iam_piece *ret_piece)
{
    if (inside.len == 0) return false;
    if (inside.len == 1 && strchr("*?$", inside.ptr[0]) != NULL) {
        ret_piece->text = inside;
        return true;
    }
    td_iam_piece piece = {.kind = TD_IAM_PIECE_VARIABLE, .text = inside};
    const uint8_t *comma = memchr(inside.ptr, ',', inside.len);
    if (comma != NULL) {
        piece.text.len = (size_t)(comma - inside.ptr);
        td_slice rest = td_slice_of(comma + 1, inside.len - piece.text.len - 1);
        while (rest.len > 0 && rest.ptr[0] == ' ')
            rest = td_slice_of(rest.ptr + 1, rest.len - 1);
        if (rest.len < 2 || rest.ptr[0] != '\'' || rest.ptr[rest.len - 1] != '\'') return false;
        piece.has_otherwise = true;
        piece.otherwise = td_slice_of(rest.ptr + 1, rest.len - 2);
    }
    *ret_piece = piece;
    return true;
}

/* ---- matching ---- */

static bool find_text(const td_iam_piece *piece, const td_iam_request *request, td_slice *ret_text)
{
    *ret_text = piece->text;
    if (piece->kind == TD_IAM_PIECE_TEXT) return true;
    const td_iam_key *key = td_iam__find_key(request, piece->text);
    if (key != NULL && key->count == 1) {
        *ret_text = key->values[0];
        return true;
    }
    *ret_text = piece->otherwise;
    return piece->has_otherwise;
}

/* The length of the character there: of UTF-8, as everything that was read is. */
static size_t character_len(td_slice text, size_t at)
{
    size_t len = 1;
    while (at + len < text.len && (text.ptr[at + len] & 0xC0) == 0x80)
        len++;
    return len;
}

/* How many bytes the piece takes at that place; false: it does not fit. */
static bool take(const td_iam_piece *piece, const td_iam_request *request, bool ignores_case, td_slice text, size_t at,
                 size_t *ret_len)
{
    if (piece->kind == TD_IAM_PIECE_ONE) {
        if (at == text.len || (piece->stays_within && text.ptr[at] == ':')) return false;
        *ret_len = character_len(text, at);
        return true;
    }
    td_slice wanted;
    if (!find_text(piece, request, &wanted) || wanted.len > text.len - at) return false;
    *ret_len = wanted.len;
    td_slice there = td_slice_of(text.ptr + at, wanted.len);
    return ignores_case ? td_iam__equal_in_any_case(there, wanted) : td_slice_equal(there, wanted);
}

bool td_iam__pattern_matches(const td_iam_pattern *pattern, const td_iam_request *request, bool ignores_case,
                             td_slice text)
{
    const td_iam_piece *asterisk = NULL;
    size_t asterisk_end = 0; /* of what the asterisk takes */
    size_t at = 0;
    uint32_t i = 0;
    for (;;) {
        size_t len = 0;
        if (i == pattern->count) {
            if (at == text.len) return true;
        } else if (pattern->pieces[i].kind == TD_IAM_PIECE_MANY) {
            asterisk = &pattern->pieces[i++];
            asterisk_end = at;
            continue;
        } else if (take(&pattern->pieces[i], request, ignores_case, text, at, &len)) {
            at += len;
            i++;
            continue;
        }
        bool can_grow =
            asterisk != NULL && asterisk_end < text.len && !(asterisk->stays_within && text.ptr[asterisk_end] == ':');
        if (!can_grow) return false;
        at = ++asterisk_end;
        i = (uint32_t)(asterisk - pattern->pieces) + 1;
    }
}
