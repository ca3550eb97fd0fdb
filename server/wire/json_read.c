/* SPDX-License-Identifier: Apache-2.0
 * json_read.c: the strict reader: a body's bytes → a tree in the request's arena (decision D9).
 *
 * Model:      one pass, recursive descent. The finished children of every open container wait on one stack; when a
 *             container closes, its own are moved from the top of that stack into the arena, and so lie side by side.
 * Invariants: `next` never passes `end`; recursion stops at TD_LIMIT_JSON_DEPTH_MAX; strings are valid UTF-8.
 * Duplicates: both members stand in the tree; the last one counts wherever a member is looked up. The service reads
 *             them that way too.
 * Not here:   what a body must contain (shape.c, constraint.c). */
#include "wire/json.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "thermodyn/limits.h"
#include "thermodyn/memory.h"
#include "thermodyn/text.h"

#include "json_text.h"

/* Requests of single items fit; larger ones continue on the heap. */
#define NODES_INLINE 64

typedef struct reader {
    const uint8_t *next;
    const uint8_t *end;
    td_arena *arena;
    td_json *nodes; /* the stack of finished children: nodes_inline or on the heap */
    uint32_t node_count;
    uint32_t node_capacity;
    bool no_memory; /* why a function answered false: memory, else malformed text */
    td_json nodes_inline[NODES_INLINE];
} reader;

static bool read_value(reader *r, uint32_t depth, td_json *ret_node);
static void skip_blanks_there(reader *r);

/* SDKs write none: where there is none, nothing is called. */
static inline void skip_blanks(reader *r)
{
    if (r->next < r->end && *r->next <= ' ') skip_blanks_there(r);
}

td_status td_json_parse(td_slice body, td_arena *arena, td_json **ret_root, td_error *error)
{
    size_t offset;
    return td_json_parse_or_tell(body, arena, ret_root, &offset, error);
}

td_status td_json_parse_or_tell(td_slice body, td_arena *arena, td_json **ret_root, size_t *reterr_offset,
                                td_error *error)
{
    reader r;
    r.next = body.ptr;
    r.end = body.ptr + body.len;
    r.arena = arena;
    r.nodes = r.nodes_inline;
    r.node_count = 0;
    r.node_capacity = NODES_INLINE;
    r.no_memory = false;

    td_json *root = td_arena_alloc(arena, sizeof(*root));
    bool is_read = root != NULL && read_value(&r, 0, root);
    if (is_read) {
        skip_blanks(&r);
        is_read = r.next == r.end;
    }
    if (r.nodes != r.nodes_inline) td_free(r.nodes);

    if (root == NULL || r.no_memory) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (!is_read) {
        *reterr_offset = (size_t)(r.next - body.ptr);
        return TD_RAISE(error, TD_MSG_JSON_MALFORMED);
    }
    root->name = td_slice_of(NULL, 0);
    *ret_root = root;
    return TD_OK;
}

const td_json *td_json_find(const td_json *object, td_slice name)
{
    TD_ASSERT(object->type == TD_JSON_OBJECT);
    for (uint32_t i = object->count; i > 0; i--) {
        const td_json *child = &object->children[i - 1];
        if (td_slice_equal(child->name, name)) return child->type == TD_JSON_NULL ? NULL : child;
    }
    return NULL;
}

int64_t td_json_to_int(const td_json *number)
{
    TD_ASSERT(number->type == TD_JSON_NUMBER);
    int64_t value;
    if (td_parse_int64(number->text, &value)) return value;

    /* A fraction, an exponent, or out of range: rare enough for the C library. */
    char text[64];
    size_t len = number->text.len < sizeof(text) - 1 ? number->text.len : sizeof(text) - 1;
    memcpy(text, number->text.ptr, len);
    text[len] = '\0';
    double parsed = floor(strtod(text, NULL));
    if (parsed >= 9223372036854775807.0) return INT64_MAX;
    if (parsed <= -9223372036854775808.0) return INT64_MIN;
    return (int64_t)parsed;
}

bool td_json_to_bool(const td_json *json)
{
    if (json->type != TD_JSON_STRING) return json->type == TD_JSON_TRUE;
    static const td_slice words[] = {TD_LIT_INIT("true"), TD_LIT_INIT("1"), TD_LIT_INIT("yes")};
    for (size_t i = 0; i < TD_COUNT_OF(words); i++) {
        if (json->text.len == words[i].len &&
            strncasecmp((const char *)json->text.ptr, (const char *)words[i].ptr, words[i].len) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- values ---- */

static bool read_container(reader *r, uint32_t depth, td_json *ret_node);
static bool read_string(reader *r, td_slice *ret_text);
static bool read_number(reader *r, td_slice *ret_text);
static bool read_word(reader *r, td_slice word);

/* value = object / array / string / number / "true" / "false" / "null" */
static bool read_value(reader *r, uint32_t depth, td_json *ret_node)
{
    skip_blanks(r);
    if (r->next == r->end) return false;
    ret_node->count = 0;
    ret_node->text = td_slice_of(NULL, 0);
    switch (*r->next) {
    case '{':
    case '[': return read_container(r, depth + 1, ret_node);
    case '"': ret_node->type = TD_JSON_STRING; return read_string(r, &ret_node->text);
    case 't': ret_node->type = TD_JSON_TRUE; return read_word(r, TD_LIT("true"));
    case 'f': ret_node->type = TD_JSON_FALSE; return read_word(r, TD_LIT("false"));
    case 'n': ret_node->type = TD_JSON_NULL; return read_word(r, TD_LIT("null"));
    default: ret_node->type = TD_JSON_NUMBER; return read_number(r, &ret_node->text);
    }
}

static bool push_node(reader *r, const td_json *node);
static bool pop_children(reader *r, uint32_t first, td_json *ret_container);

/* object = "{" [ string ":" value *( "," string ":" value ) ] "}"; array = "[" [ value *( "," value ) ] "]" */
static bool read_container(reader *r, uint32_t depth, td_json *ret_node)
{
    if (depth > TD_LIMIT_JSON_DEPTH_MAX) return false;
    bool is_object = *r->next++ == '{';
    uint8_t close = is_object ? '}' : ']';
    uint32_t first = r->node_count;
    ret_node->type = is_object ? TD_JSON_OBJECT : TD_JSON_ARRAY;

    skip_blanks(r);
    if (r->next < r->end && *r->next == close) {
        r->next++;
        ret_node->children = NULL;
        return true;
    }
    for (;;) {
        td_json child = {.name = {NULL, 0}};
        if (is_object) {
            skip_blanks(r);
            if (r->next == r->end || *r->next != '"' || !read_string(r, &child.name)) return false;
            skip_blanks(r);
            if (r->next == r->end || *r->next++ != ':') return false;
        }
        if (!read_value(r, depth, &child) || !push_node(r, &child)) return false;
        skip_blanks(r);
        if (r->next == r->end) return false;
        uint8_t byte = *r->next++;
        if (byte == close) return pop_children(r, first, ret_node);
        if (byte != ',') return false;
    }
}

static bool push_node(reader *r, const td_json *node)
{
    if (r->node_count == r->node_capacity) {
        /* The body's limit keeps the doubled count far from overflow. */
        size_t size_bytes = (size_t)r->node_capacity * 2 * sizeof(td_json);
        td_json *grown = td_resize(r->nodes == r->nodes_inline ? NULL : r->nodes, size_bytes);
        if (grown == NULL) {
            r->no_memory = true;
            return false;
        }
        if (r->nodes == r->nodes_inline) memcpy(grown, r->nodes_inline, sizeof(r->nodes_inline));
        r->nodes = grown;
        r->node_capacity *= 2;
    }
    r->nodes[r->node_count++] = *node;
    return true;
}

static bool pop_children(reader *r, uint32_t first, td_json *ret_container)
{
    TD_ASSERT(first < r->node_count);
    uint32_t count = r->node_count - first;
    ret_container->children = td_arena_alloc_array(r->arena, count, sizeof(td_json));
    if (ret_container->children == NULL) {
        r->no_memory = true;
        return false;
    }
    memcpy(ret_container->children, r->nodes + first, (size_t)count * sizeof(td_json));
    ret_container->count = count;
    r->node_count = first;
    return true;
}

/* ---- words and numbers ---- */

static void skip_blanks_there(reader *r)
{
    while (r->next < r->end && (*r->next == ' ' || *r->next == '\n' || *r->next == '\r' || *r->next == '\t'))
        r->next++;
}

static bool read_word(reader *r, td_slice word)
{
    if (!td_slice_has_prefix(td_slice_of(r->next, (size_t)(r->end - r->next)), word)) return false;
    r->next += word.len;
    return true;
}

static bool skip_digits(reader *r)
{
    const uint8_t *start = r->next;
    while (r->next < r->end && *r->next >= '0' && *r->next <= '9')
        r->next++;
    return r->next > start;
}

/* number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ] */
static bool read_number(reader *r, td_slice *ret_text)
{
    const uint8_t *start = r->next;
    if (*r->next == '-') r->next++;
    if (r->next < r->end && *r->next == '0') {
        r->next++;
    } else if (!skip_digits(r)) {
        return false;
    }
    if (r->next < r->end && *r->next == '.') {
        r->next++;
        if (!skip_digits(r)) return false;
    }
    if (r->next < r->end && (*r->next == 'e' || *r->next == 'E')) {
        r->next++;
        if (r->next < r->end && (*r->next == '+' || *r->next == '-')) r->next++;
        if (!skip_digits(r)) return false;
    }
    *ret_text = td_slice_of(start, (size_t)(r->next - start));
    return true;
}

/* ---- strings ---- */

static bool read_rest_of_string(reader *r, const uint8_t *start, const uint8_t *at, td_slice *ret_text)
    __attribute__((noinline)); /* its registers are not to be saved for most strings */
static bool unescape(reader *r, td_slice raw, td_slice *ret_text);

/* Most strings are ASCII without an escape, and end where the first byte of another kind stands. */
static bool read_string(reader *r, td_slice *ret_text)
{
    const uint8_t *start = r->next + 1;
    const uint8_t *at = td_json__skip_plain(start, r->end, true);
    if (at == r->end || *at != '"') return read_rest_of_string(r, start, at, ret_text);
    r->next = at + 1;
    *ret_text = td_slice_of(start, (size_t)(at - start));
    return true;
}

static bool read_rest_of_string(reader *r, const uint8_t *start, const uint8_t *at, td_slice *ret_text)
{
    bool has_escape = false;
    bool is_ascii = true;
    for (;; at = td_json__skip_plain(at, r->end, true)) {
        if (at == r->end || *at < 0x20) return false;
        if (*at == '"') break;
        if (*at == '\\') {
            has_escape = true;
            if (r->end - at < 2) return false;
            at += 2;
        } else {
            is_ascii = false;
            at++;
        }
    }
    td_slice raw = td_slice_of(start, (size_t)(at - start));
    r->next = at + 1;
    if (!is_ascii && !td_utf8_is_valid(raw)) return false;
    if (has_escape) return unescape(r, raw, ret_text);
    *ret_text = raw;
    return true;
}

static bool read_hex4(const uint8_t *at, const uint8_t *end, uint32_t *ret_unit)
{
    if (end - at < 4) return false;
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t byte = at[i];
        uint32_t digit;
        if (byte >= '0' && byte <= '9') {
            digit = (uint32_t)byte - '0';
        } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
            digit = ((uint32_t)byte | 0x20) - 'a' + 10;
        } else {
            return false;
        }
        unit = unit << 4 | digit;
    }
    *ret_unit = unit;
    return true;
}

/* The code point of \uXXXX, or of two that are a surrogate pair; *at stands behind "\u" and is moved past it. */
static bool read_code_point(const uint8_t **at, const uint8_t *end, uint32_t *ret_code_point)
{
    uint32_t unit;
    if (!read_hex4(*at, end, &unit)) return false;
    *at += 4;
    if (unit < 0xD800 || unit > 0xDFFF) {
        *ret_code_point = unit;
        return true;
    }
    uint32_t low;
    if (unit > 0xDBFF || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' || !read_hex4(*at + 2, end, &low) ||
        low < 0xDC00 || low > 0xDFFF) {
        return false;
    }
    *at += 6;
    *ret_code_point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

static uint8_t escaped_byte(uint8_t letter)
{
    switch (letter) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '"':
    case '\\':
    case '/': return letter;
    default: return 0;
    }
}

/* No escape is shorter than what it stands for, so that the raw length is room enough. */
static bool unescape(reader *r, td_slice raw, td_slice *ret_text)
{
    uint8_t *text = td_arena_alloc(r->arena, raw.len);
    if (text == NULL) {
        r->no_memory = true;
        return false;
    }
    const uint8_t *at = raw.ptr;
    const uint8_t *end = raw.ptr + raw.len;
    size_t len = 0;
    while (at < end) {
        if (*at != '\\') {
            text[len++] = *at++;
            continue;
        }
        uint8_t letter = at[1];
        at += 2;
        if (letter == 'u') {
            uint32_t code_point;
            if (!read_code_point(&at, end, &code_point)) return false;
            uint8_t encoded[4];
            size_t encoded_len = td_utf8_encode(code_point, encoded);
            memcpy(text + len, encoded, encoded_len);
            len += encoded_len;
        } else {
            uint8_t byte = escaped_byte(letter);
            if (byte == 0) return false;
            text[len++] = byte;
        }
    }
    TD_ASSERT(len <= raw.len);
    *ret_text = td_slice_of(text, len);
    return true;
}
