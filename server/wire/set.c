/* SPDX-License-Identifier: Apache-2.0
 * set.c: scalars from JSON, and sets of them with the service's checks and its echo of duplicates.
 *
 * The echo shows the members as they were sent (binaries in base64): in the classic wording all in the request's
 * order; in the current one, those before the first repeat in byte order, then the repeat and the rest as sent. */
#include "set.h"

#include "thermodyn/limits.h"
#include "thermodyn/text.h"

static td_status raise_duplicates(const td_json *json, td_type type, td_arena *arena, td_error *error);

/* ---- scalars ---- */

static td_status decode_number(td_slice text, td_arena *arena, td_slice *ret_bytes, td_error *error)
{
    td_number number;
    switch (td_number_parse(text, &number)) {
    case TD_NUMBER_OK: break;
    case TD_NUMBER_NOT_NUMERIC:
        if (text.len == 0) return TD_RAISE(error, TD_MSG_NUMBER_NOT_NUMERIC_EMPTY);
        return TD_RAISE(error, TD_MSG_NUMBER_NOT_NUMERIC, text);
    case TD_NUMBER_OVERFLOW: return TD_RAISE(error, TD_MSG_NUMBER_OVERFLOW);
    case TD_NUMBER_UNDERFLOW: return TD_RAISE(error, TD_MSG_NUMBER_UNDERFLOW);
    case TD_NUMBER_TOO_MANY_DIGITS: return TD_RAISE(error, TD_MSG_NUMBER_TOO_MANY_DIGITS);
    }
    if (!td_arena_copy(arena, td_number_slice(&number), ret_bytes)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    return TD_OK;
}

static td_status decode_binary(td_slice text, td_arena *arena, td_slice *ret_bytes, td_error *error)
{
    uint8_t *bytes = td_arena_alloc(arena, text.len / 4 * 3);
    if (bytes == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    size_t len;
    bool is_decoded = td_base64_decode(text, bytes, &len);
    TD_ASSERT(is_decoded); /* the check of types has looked */
    *ret_bytes = td_slice_of(bytes, len);
    return TD_OK;
}

td_status td_set__decode_payload(const td_json *json, td_type type, td_arena *arena, td_slice *ret_bytes,
                                 td_error *error)
{
    if (json->type == TD_JSON_NULL) return TD_RAISE(error, TD_MSG_VALUE_EMPTY); /* of a set alone */
    TD_ASSERT(json->type == TD_JSON_STRING);
    if (type == TD_TYPE_N || type == TD_TYPE_NS) return decode_number(json->text, arena, ret_bytes, error);
    if (type == TD_TYPE_B || type == TD_TYPE_BS) return decode_binary(json->text, arena, ret_bytes, error);
    *ret_bytes = json->text;
    return TD_OK;
}

/* ---- sets ---- */

td_status td_set__decode(const td_json *json, td_type type, td_arena *arena, td_value *ret_value, td_error *error)
{
    TD_ASSERT(json->type == TD_JSON_ARRAY);
    if (json->count == 0) {
        return TD_RAISE(error, type == TD_TYPE_SS   ? TD_MSG_SET_EMPTY_SS
                               : type == TD_TYPE_NS ? TD_MSG_SET_EMPTY_NS
                                                    : TD_MSG_SET_EMPTY_BS);
    }
    td_slice *members = td_arena_alloc_array(arena, json->count, sizeof(*members));
    if (members == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < json->count; i++) {
        TD_TRY(td_set__decode_payload(&json->children[i], type, arena, &members[i], error));
    }
    if (!td_value_sort_members(members, json->count)) return raise_duplicates(json, type, arena, error);
    *ret_value = (td_value){.type = type, .count = json->count, .members = members};
    return TD_OK;
}

/* ---- the echo of duplicates ---- */

static void copy_texts(const td_json *json, uint32_t count, td_slice *ret_texts)
{
    for (uint32_t i = 0; i < count; i++)
        ret_texts[i] = json->children[i].text;
}

/* The index of the first member that repeats an earlier one. A prefix has a repeat if a shorter one has, so that
 * halving finds it; there is one. */
static uint32_t find_repeat(const td_json *json, td_slice *scratch)
{
    uint32_t clean = 1; /* members of a prefix without a repeat */
    uint32_t dirty = json->count;
    while (dirty - clean > 1) {
        uint32_t middle = clean + (dirty - clean) / 2;
        copy_texts(json, middle, scratch);
        if (td_value_sort_members(scratch, middle)) {
            clean = middle;
        } else {
            dirty = middle;
        }
    }
    return dirty - 1;
}

/* Texts of binaries are sorted by what they stand for: base64 has an order of its own. Decodes in place. */
static bool sort_by_bytes(td_slice *texts, uint32_t count, td_type type, td_arena *arena)
{
    for (uint32_t i = 0; type == TD_TYPE_BS && i < count; i++) {
        uint8_t *bytes = td_arena_alloc(arena, texts[i].len / 4 * 3);
        size_t len;
        if (bytes == NULL) return false;
        bool is_decoded = td_base64_decode(texts[i], bytes, &len);
        TD_ASSERT(is_decoded);
        texts[i] = td_slice_of(bytes, len);
    }
    bool is_clean = td_value_sort_members(texts, count);
    TD_ASSERT(is_clean);
    for (uint32_t i = 0; type == TD_TYPE_BS && i < count; i++) {
        uint8_t *text = td_arena_alloc(arena, td_base64_encoded_len(texts[i].len));
        if (text == NULL) return false;
        texts[i] = td_slice_of(text, td_base64_encode(texts[i], text));
    }
    return true;
}

static td_slice join(const td_slice *texts, uint32_t count, td_slice quote, td_slice separator, td_arena *arena)
{
    size_t len = (count - 1) * separator.len;
    for (uint32_t i = 0; i < count; i++)
        len += texts[i].len + 2 * quote.len;
    uint8_t *bytes = td_arena_alloc(arena, len);
    if (bytes == NULL) return td_slice_of(NULL, 0);
    uint8_t *at = bytes;
    for (uint32_t i = 0; i < count; i++) {
        td_slice parts[] = {i == 0 ? TD_LIT("") : separator, quote, texts[i], quote};
        for (size_t part = 0; part < TD_COUNT_OF(parts); part++) {
            if (parts[part].len > 0) memcpy(at, parts[part].ptr, parts[part].len);
            at += parts[part].len;
        }
    }
    TD_ASSERT(at == bytes + len);
    return td_slice_of(bytes, len);
}

static td_status raise_duplicates(const td_json *json, td_type type, td_arena *arena, td_error *error)
{
    if (type == TD_TYPE_NS) return TD_RAISE(error, TD_MSG_SET_DUPLICATES_NS);

    bool is_current = error->value_wording == TD_WORDING_CURRENT;
    td_slice *texts = td_arena_alloc_array(arena, json->count, sizeof(*texts));
    if (texts == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    if (is_current) {
        uint32_t repeat = find_repeat(json, texts);
        copy_texts(json, json->count, texts);
        if (!sort_by_bytes(texts, repeat, type, arena)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    } else {
        copy_texts(json, json->count, texts);
    }
    td_slice quote = is_current ? TD_LIT("\"") : TD_LIT("");
    td_slice separator = is_current && type == TD_TYPE_BS ? TD_LIT(",") : TD_LIT(", ");
    td_slice echo = join(texts, json->count, quote, separator, arena);
    if (echo.ptr == NULL) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    return TD_RAISE(error, type == TD_TYPE_SS ? TD_MSG_SET_DUPLICATES_SS : TD_MSG_SET_DUPLICATES_BS, echo);
}
