/* SPDX-License-Identifier: Apache-2.0
 * cbor_wire.c: libcbor's decoder of single heads, which allocates nothing, under a reader of our own: its loader of
 * whole documents would allocate by what a length claims, and has no limit of levels.
 *
 * Collections grow in the arena by doubling: a length that the body claims is a promise, not a reason to allocate. */
#include "cbor_wire.h"

#include <cbor.h>
#include <math.h>

#include "thermodyn/limits.h"
#include "thermodyn/text.h"

#define TAG_EPOCH 1
#define HEAD_BYTES_MAX 9
#define CHILDREN_FIRST 4

typedef enum head_kind {
    HEAD_NONE, /* what Smithy does not use */
    HEAD_UINT,
    HEAD_NEGINT,
    HEAD_TEXT,
    HEAD_TEXTS, /* of indefinite length */
    HEAD_ARRAY,
    HEAD_MAP,
    HEAD_TAG,
    HEAD_FLOAT,
    HEAD_BOOL,
    HEAD_NULL,
    HEAD_BREAK,
} head_kind;

/* One data item without its children. */
typedef struct head {
    head_kind kind;
    uint64_t count; /* UINT, NEGINT (-1 - count), ARRAY, MAP, TAG; BOOL */
    bool is_indefinite;
    double number;
    td_slice text;
} head;

typedef struct reader {
    td_slice body;
    size_t at;
    uint32_t depth;
    td_arena *arena;
} reader;

static td_cbor_result read_value(reader *it, const head *first, td_json *ret_node);
static td_cbor_result read_children(reader *it, const head *first, td_json *ret_node);
static td_cbor_result read_key(reader *it, const head *first, td_slice *ret_name);
static td_cbor_result read_texts(reader *it, td_slice *ret_text);
static td_cbor_result grow(reader *it, td_json **children, uint32_t count, uint32_t *room);
static td_cbor_result put_number(reader *it, const head *first, td_json *ret_node);
static bool next(reader *it, head *ret_head);
static void put(td_buf *buf, size_t (*encode)(unsigned char *, size_t));

td_cbor_result td_cbor_parse(td_slice body, td_arena *arena, td_json **ret_root)
{
    reader it = {.body = body, .arena = arena};
    td_json *root = td_arena_alloc_zero(arena, sizeof *root);
    if (root == NULL) return TD_CBOR_NO_MEMORY;
    head first;
    if (!next(&it, &first)) return TD_CBOR_MALFORMED;
    td_cbor_result result = read_value(&it, &first, root);
    if (result == TD_CBOR_OK && it.at < body.len) return TD_CBOR_MALFORMED;
    *ret_root = root;
    return result;
}

static td_cbor_result read_value(reader *it, const head *first, td_json *ret_node)
{
    switch (first->kind) {
    case HEAD_NONE:
    case HEAD_BREAK: return TD_CBOR_MALFORMED;
    case HEAD_UINT:
    case HEAD_NEGINT:
    case HEAD_FLOAT: return put_number(it, first, ret_node);
    case HEAD_TEXT:
        ret_node->type = TD_JSON_STRING;
        ret_node->text = first->text;
        return td_utf8_is_valid(first->text) ? TD_CBOR_OK : TD_CBOR_MALFORMED;
    case HEAD_TEXTS: ret_node->type = TD_JSON_STRING; return read_texts(it, &ret_node->text);
    case HEAD_BOOL: ret_node->type = first->count != 0 ? TD_JSON_TRUE : TD_JSON_FALSE; return TD_CBOR_OK;
    case HEAD_NULL: ret_node->type = TD_JSON_NULL; return TD_CBOR_OK;
    case HEAD_TAG: {
        head tagged;
        bool is_time = first->count == TAG_EPOCH && next(it, &tagged) &&
                       (tagged.kind == HEAD_UINT || tagged.kind == HEAD_NEGINT || tagged.kind == HEAD_FLOAT);
        return is_time ? put_number(it, &tagged, ret_node) : TD_CBOR_MALFORMED;
    }
    case HEAD_ARRAY:
    case HEAD_MAP: {
        if (it->depth == TD_LIMIT_JSON_DEPTH_MAX) return TD_CBOR_MALFORMED;
        it->depth++;
        td_cbor_result result = read_children(it, first, ret_node);
        it->depth--;
        return result;
    }
    }
    TD_UNREACHABLE("heads have these kinds");
}

static td_cbor_result read_children(reader *it, const head *first, td_json *ret_node)
{
    bool is_map = first->kind == HEAD_MAP;
    td_json *children = NULL;
    uint32_t count = 0;
    uint32_t room = 0;
    for (;;) {
        if (!first->is_indefinite && count == first->count) break;
        head child;
        if (!next(it, &child)) return TD_CBOR_MALFORMED;
        if (first->is_indefinite && child.kind == HEAD_BREAK) break;
        td_cbor_result result = grow(it, &children, count, &room);
        if (result != TD_CBOR_OK) return result;
        td_json *node = &children[count++];
        *node = (td_json){.type = TD_JSON_NULL};
        td_slice name = td_slice_of(NULL, 0);
        if (is_map) {
            result = read_key(it, &child, &name);
            if (result != TD_CBOR_OK) return result;
            if (!next(it, &child)) return TD_CBOR_MALFORMED;
        }
        result = read_value(it, &child, node);
        if (result != TD_CBOR_OK) return result;
        node->name = name;
    }
    ret_node->type = is_map ? TD_JSON_OBJECT : TD_JSON_ARRAY;
    ret_node->children = children;
    ret_node->count = count;
    return TD_CBOR_OK;
}

static td_cbor_result read_key(reader *it, const head *first, td_slice *ret_name)
{
    if (first->kind == HEAD_TEXTS) return read_texts(it, ret_name);
    *ret_name = first->text;
    return first->kind == HEAD_TEXT && td_utf8_is_valid(first->text) ? TD_CBOR_OK : TD_CBOR_MALFORMED;
}

/* Pieces of definite length up to a break; each is whole UTF-8. */
static td_cbor_result read_texts(reader *it, td_slice *ret_text)
{
    size_t start = it->at;
    size_t len = 0;
    head piece;
    for (;;) {
        if (!next(it, &piece)) return TD_CBOR_MALFORMED;
        if (piece.kind == HEAD_BREAK) break;
        if (piece.kind != HEAD_TEXT || !td_utf8_is_valid(piece.text)) return TD_CBOR_MALFORMED;
        len += piece.text.len;
    }
    uint8_t *text = td_arena_alloc(it->arena, len);
    if (text == NULL) return TD_CBOR_NO_MEMORY;
    it->at = start;
    for (size_t filled = 0; next(it, &piece) && piece.kind == HEAD_TEXT; filled += piece.text.len) {
        if (piece.text.len > 0) memcpy(text + filled, piece.text.ptr, piece.text.len);
    }
    *ret_text = td_slice_of(text, len);
    return TD_CBOR_OK;
}

static td_cbor_result grow(reader *it, td_json **children, uint32_t count, uint32_t *room)
{
    if (count < *room) return TD_CBOR_OK;
    uint32_t more = *room == 0 ? CHILDREN_FIRST : 2 * *room;
    td_json *grown = td_arena_alloc_array(it->arena, more, sizeof *grown);
    if (grown == NULL) return TD_CBOR_NO_MEMORY;
    if (count > 0) memcpy(grown, *children, count * sizeof *grown);
    *children = grown;
    *room = more;
    return TD_CBOR_OK;
}

static td_cbor_result put_number(reader *it, const head *first, td_json *ret_node)
{
    ret_node->type = TD_JSON_NUMBER;
    bool is_printed = false;
    switch (first->kind) {
    case HEAD_UINT:
        is_printed = td_arena_format(it->arena, &ret_node->text, "%llu", (unsigned long long)first->count);
        break;
    case HEAD_NEGINT:
        if (first->count > INT64_MAX) return TD_CBOR_MALFORMED;
        is_printed = td_arena_format(it->arena, &ret_node->text, "%lld", (long long)(-1 - (int64_t)first->count));
        break;
    case HEAD_FLOAT:
        if (!isfinite(first->number)) return TD_CBOR_MALFORMED;
        is_printed = td_arena_format(it->arena, &ret_node->text, "%.17g", first->number);
        break;
    case HEAD_NONE:
    case HEAD_TEXT:
    case HEAD_TEXTS:
    case HEAD_ARRAY:
    case HEAD_MAP:
    case HEAD_TAG:
    case HEAD_BOOL:
    case HEAD_NULL:
    case HEAD_BREAK: TD_UNREACHABLE("these are no numbers");
    }
    return is_printed ? TD_CBOR_OK : TD_CBOR_NO_MEMORY;
}

/* ---- libcbor's decoder: one head a call, told by a callback ---- */

static void take(void *context, head_kind kind, uint64_t count)
{
    *(head *)context = (head){.kind = kind, .count = count};
}
static void take_uint8(void *context, uint8_t value)
{
    take(context, HEAD_UINT, value);
}
static void take_uint16(void *context, uint16_t value)
{
    take(context, HEAD_UINT, value);
}
static void take_uint32(void *context, uint32_t value)
{
    take(context, HEAD_UINT, value);
}
static void take_uint64(void *context, uint64_t value)
{
    take(context, HEAD_UINT, value);
}
static void take_negint8(void *context, uint8_t value)
{
    take(context, HEAD_NEGINT, value);
}
static void take_negint16(void *context, uint16_t value)
{
    take(context, HEAD_NEGINT, value);
}
static void take_negint32(void *context, uint32_t value)
{
    take(context, HEAD_NEGINT, value);
}
static void take_negint64(void *context, uint64_t value)
{
    take(context, HEAD_NEGINT, value);
}
static void take_bytes_start(void *context)
{
    take(context, HEAD_NONE, 0);
}
static void take_bytes(void *context, cbor_data data, size_t len)
{
    (void)data;
    (void)len;
    take(context, HEAD_NONE, 0);
}
static void take_text(void *context, cbor_data data, size_t len)
{
    *(head *)context = (head){.kind = HEAD_TEXT, .text = td_slice_of(data, len)};
}
static void take_text_start(void *context)
{
    take(context, HEAD_TEXTS, 0);
}
static void take_array(void *context, size_t count)
{
    take(context, HEAD_ARRAY, count);
}
static void take_array_start(void *context)
{
    *(head *)context = (head){.kind = HEAD_ARRAY, .is_indefinite = true};
}
static void take_map(void *context, size_t count)
{
    take(context, HEAD_MAP, count);
}
static void take_map_start(void *context)
{
    *(head *)context = (head){.kind = HEAD_MAP, .is_indefinite = true};
}
static void take_tag(void *context, uint64_t tag)
{
    take(context, HEAD_TAG, tag);
}
static void take_float(void *context, float value)
{
    *(head *)context = (head){.kind = HEAD_FLOAT, .number = (double)value};
}
static void take_double(void *context, double value)
{
    *(head *)context = (head){.kind = HEAD_FLOAT, .number = value};
}
static void take_bool(void *context, bool value)
{
    take(context, HEAD_BOOL, value);
}
static void take_null(void *context)
{
    take(context, HEAD_NULL, 0);
}
static void take_break(void *context)
{
    take(context, HEAD_BREAK, 0);
}

static const struct cbor_callbacks callbacks = {
    .uint8 = take_uint8,
    .uint16 = take_uint16,
    .uint32 = take_uint32,
    .uint64 = take_uint64,
    .negint64 = take_negint64,
    .negint32 = take_negint32,
    .negint16 = take_negint16,
    .negint8 = take_negint8,
    .byte_string_start = take_bytes_start,
    .byte_string = take_bytes,
    .string = take_text,
    .string_start = take_text_start,
    .indef_array_start = take_array_start,
    .array_start = take_array,
    .indef_map_start = take_map_start,
    .map_start = take_map,
    .tag = take_tag,
    .float2 = take_float,
    .float4 = take_float,
    .float8 = take_double,
    .undefined = take_null,
    .null = take_null,
    .boolean = take_bool,
    .indef_break = take_break,
};

static bool next(reader *it, head *ret_head)
{
    *ret_head = (head){.kind = HEAD_NONE};
    struct cbor_decoder_result result =
        cbor_stream_decode(it->body.ptr + it->at, it->body.len - it->at, &callbacks, ret_head);
    if (result.status != CBOR_DECODER_FINISHED) return false;
    TD_ASSERT(result.read > 0);
    it->at += result.read;
    return ret_head->kind != HEAD_NONE;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void td_cbor_open_map(td_buf *buf)
{
    put(buf, cbor_encode_indef_map_start);
}

void td_cbor_open_array(td_buf *buf)
{
    put(buf, cbor_encode_indef_array_start);
}

void td_cbor_close(td_buf *buf)
{
    put(buf, cbor_encode_break);
}

void td_cbor_put_text(td_buf *buf, td_slice text)
{
    uint8_t *place = td_buf_reserve(buf, HEAD_BYTES_MAX);
    if (place == NULL) return;
    td_buf_commit(buf, cbor_encode_string_start(text.len, place, HEAD_BYTES_MAX));
    td_buf_append(buf, text);
}

void td_cbor_put_int(td_buf *buf, int64_t value)
{
    uint8_t *place = td_buf_reserve(buf, HEAD_BYTES_MAX);
    if (place == NULL) return;
    td_buf_commit(buf, value >= 0 ? cbor_encode_uint((uint64_t)value, place, HEAD_BYTES_MAX)
                                  : cbor_encode_negint((uint64_t)(-1 - value), place, HEAD_BYTES_MAX));
}

void td_cbor_put_double(td_buf *buf, double value)
{
    uint8_t *place = td_buf_reserve(buf, HEAD_BYTES_MAX);
    if (place == NULL) return;
    td_buf_commit(buf, cbor_encode_double(value, place, HEAD_BYTES_MAX));
}

void td_cbor_put_bool(td_buf *buf, bool value)
{
    uint8_t *place = td_buf_reserve(buf, HEAD_BYTES_MAX);
    if (place == NULL) return;
    td_buf_commit(buf, cbor_encode_bool(value, place, HEAD_BYTES_MAX));
}

void td_cbor_put_time(td_buf *buf, td_time_us time)
{
    uint8_t *place = td_buf_reserve(buf, HEAD_BYTES_MAX);
    if (place == NULL) return;
    td_buf_commit(buf, cbor_encode_tag(TAG_EPOCH, place, HEAD_BYTES_MAX));
    td_cbor_put_double(buf, (double)time / (double)TD_US_PER_S);
}

static void put(td_buf *buf, size_t (*encode)(unsigned char *, size_t))
{
    uint8_t *place = td_buf_reserve(buf, HEAD_BYTES_MAX);
    if (place == NULL) return;
    td_buf_commit(buf, encode(place, HEAD_BYTES_MAX));
}
