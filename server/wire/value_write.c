/* SPDX-License-Identifier: Apache-2.0
 * value_write.c: attribute values and items as JSON: {"S":"…"}.
 *
 * Model:      answers are made of many short texts. They are printed straight into the free room of the buffer, which
 *             is asked for once an attribute and learns of what was printed at the end. A text is copied and looked at
 *             in one step; one that needs escapes, as hardly any does, is written anew. An item in which none does is
 *             noted as such, and next time its texts are only copied.
 * Invariants: `to` is where the next byte goes. Whoever prints a value has had room made for its payload and
 *             ROOM_BYTES, and leaves at least CLOSING_BYTES of it. NULL: the buffer has failed. Values nest at most as
 *             deep as what was stored or decoded: the limit of levels bounds the recursion.
 * Not here:   texts and numbers by themselves (json_write.c). */
#include "wire/json.h"

#include "thermodyn/text.h"

#include "json_text.h"

enum {
    CLOSING_BYTES = 32, /* quotes, brackets and a comma; and what is copied past the end of a text */
    OPENING_BYTES = 32, /* quotes, brackets and the name of a type */
    ROOM_BYTES = OPENING_BYTES + TD_NUMBER_TEXT_MAX + CLOSING_BYTES,
};

_Static_assert(sizeof(td_json__block) + 8 <= CLOSING_BYTES, "a block of which nothing is text fits with its closing");

typedef struct printer {
    td_buf *buf;
    const uint8_t *room_end; /* ROOM_BYTES before the end of the room */
    uintptr_t blocks_end;    /* of a stored item: where no more blocks can be read; trees have none: 0 */
    bool is_plain;           /* no text of the item needs escapes */
    bool has_escaped;        /* one did */
} printer;

/* For what is printed for each attribute. */
#define INLINE static inline __attribute__((always_inline))

/* ---- room ---- */

static uint8_t *make_room(printer *p, uint8_t *to, size_t len) __attribute__((noinline));

static void settle(printer *p, const uint8_t *to)
{
    td_buf_commit(p->buf, (size_t)(to - p->buf->data) - p->buf->len);
}

static uint8_t *open_room(printer *p, size_t len)
{
    uint8_t *to = td_buf_reserve(p->buf, len + ROOM_BYTES);
    if (to != NULL) p->room_end = to + td_buf_room(p->buf) - ROOM_BYTES;
    return to;
}

static uint8_t *make_room(printer *p, uint8_t *to, size_t len)
{
    settle(p, to);
    return open_room(p, len);
}

INLINE uint8_t *need_room(printer *p, uint8_t *to, size_t len)
{
    return p->room_end - to >= (ptrdiff_t)len ? to : make_room(p, to, len);
}

/* ---- payloads ---- */

static uint8_t *print_escaped(printer *p, uint8_t *to, td_slice text, size_t rest_len) __attribute__((noinline));

INLINE uint8_t *put(uint8_t *to, td_slice literal)
{
    memcpy(to, literal.ptr, literal.len);
    return to + literal.len;
}

/* Of the first `len` bytes of a block. */
INLINE td_json__block mask_of(size_t len)
{
    static const uint8_t masks[2 * sizeof(td_json__block)] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                              255, 255, 255, 255, 255, 255, 255, 255};
    td_json__block mask;
    memcpy(&mask, masks + sizeof(mask) - len, sizeof(mask));
    return mask;
}

/* `rest_len`: of the payload that is to follow. */
INLINE uint8_t *print_text(printer *p, uint8_t *to, td_slice text, size_t rest_len)
{
    if (text.len <= sizeof(td_json__block) && (uintptr_t)text.ptr < p->blocks_end) {
        td_json__block stops = td_json__copy_block(to, text.ptr);
        if (p->is_plain || !td_json__has_stop(stops & mask_of(text.len))) return to + text.len;
    } else if (p->is_plain) {
        return put(to, text);
    } else if (td_json__copy_plain(to, text)) {
        return to + text.len;
    }
    return print_escaped(p, to, text, rest_len);
}

static uint8_t *print_escaped(printer *p, uint8_t *to, td_slice text, size_t rest_len)
{
    p->has_escaped = true;
    settle(p, to);
    td_json__write_escaped(p->buf, text);
    return open_room(p, rest_len);
}

static uint8_t *print_base64(printer *p, uint8_t *to, td_slice bytes)
{
    to = need_room(p, to, td_base64_encoded_len(bytes.len));
    return to == NULL ? NULL : to + td_base64_encode(bytes, to);
}

/* What stands between the quotes. */
INLINE uint8_t *print_payload(printer *p, uint8_t *to, td_type type, td_slice bytes)
{
    if (type == TD_TYPE_S) return print_text(p, to, bytes, 0);
    if (type == TD_TYPE_N) return to + td_number_print(bytes, (char *)to);
    TD_ASSERT(type == TD_TYPE_B);
    return print_base64(p, to, bytes);
}

INLINE uint8_t *print_scalar(printer *p, uint8_t *to, td_type type, td_slice bytes)
{
    static const char openings[][8] = {"{\"S\":\"", "{\"N\":\"", "{\"B\":\""};
    memcpy(to, openings[type], sizeof(openings[type])); /* a whole word */
    to = print_payload(p, to + strlen("{\"S\":\""), type, bytes);
    return to == NULL ? NULL : put(to, TD_LIT("\"}"));
}

/* With room for it made here. */
INLINE uint8_t *print_member(printer *p, uint8_t *to, td_type set, td_slice bytes)
{
    td_type type = set == TD_TYPE_SS ? TD_TYPE_S : set == TD_TYPE_NS ? TD_TYPE_N : TD_TYPE_B;
    to = need_room(p, to, bytes.len);
    if (to == NULL) return NULL;
    *to++ = '"';
    to = print_payload(p, to, type, bytes);
    return to == NULL ? NULL : put(to, TD_LIT("\","));
}

/* With room made here for it and a value with a payload of `value_len`. */
INLINE uint8_t *print_name(printer *p, uint8_t *to, td_slice name, size_t value_len)
{
    to = need_room(p, to, name.len + value_len);
    if (to == NULL) return NULL;
    *to++ = '"';
    to = print_text(p, to, name, value_len);
    return to == NULL ? NULL : put(to, TD_LIT("\":"));
}

static uint8_t *print_truth(uint8_t *to, bool truth)
{
    return put(to, truth ? TD_LIT("{\"BOOL\":true}") : TD_LIT("{\"BOOL\":false}"));
}

/* {"L":[ */
static uint8_t *open_container(uint8_t *to, td_type type)
{
    static const td_slice openings[TD_TYPE_COUNT] = {
        [TD_TYPE_SS] = TD_LIT_INIT("{\"SS\":["), [TD_TYPE_NS] = TD_LIT_INIT("{\"NS\":["),
        [TD_TYPE_BS] = TD_LIT_INIT("{\"BS\":["), [TD_TYPE_M] = TD_LIT_INIT("{\"M\":"),
        [TD_TYPE_L] = TD_LIT_INIT("{\"L\":["),
    };
    TD_ASSERT(type < TD_TYPE_COUNT && openings[type].len > 0);
    return put(to, openings[type]);
}

/* Over the comma behind the last child, if there is one; with room for what may follow. */
static uint8_t *close_container(printer *p, uint8_t *to, td_slice closing)
{
    if (to[-1] == ',') to--;
    return need_room(p, put(to, closing), 0);
}

/* ---- trees ---- */

static uint8_t *print_attributes(printer *p, uint8_t *to, const td_attribute *attributes, uint32_t count);
static uint8_t *print_elements(printer *p, uint8_t *to, const td_value *list);
static uint8_t *print_members(printer *p, uint8_t *to, const td_value *set);

static size_t payload_len(const td_value *value)
{
    return td_type_is_scalar(value->type) ? value->bytes.len : 0;
}

static uint8_t *print_value(printer *p, uint8_t *to, const td_value *value)
{
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return print_scalar(p, to, value->type, value->bytes);
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: return print_members(p, open_container(to, value->type), value);
    case TD_TYPE_L: return print_elements(p, open_container(to, value->type), value);
    case TD_TYPE_M:
        to = print_attributes(p, open_container(to, value->type), value->attributes, value->count);
        return to == NULL ? NULL : put(to, TD_LIT("}"));
    case TD_TYPE_BOOL: return print_truth(to, value->boolean);
    case TD_TYPE_NULL: return put(to, TD_LIT("{\"NULL\":true}"));
    case TD_TYPE_COUNT: break;
    }
    TD_UNREACHABLE("a value has a type");
}

static uint8_t *print_attributes(printer *p, uint8_t *to, const td_attribute *attributes, uint32_t count)
{
    *to++ = '{';
    for (uint32_t i = 0; i < count; i++) {
        td_slice name = attributes[i].name;
        to = print_name(p, to, name, payload_len(&attributes[i].value));
        if (to != NULL) to = print_value(p, to, &attributes[i].value);
        if (to == NULL) return NULL;
        *to++ = ',';
    }
    return close_container(p, to, TD_LIT("}"));
}

static uint8_t *print_elements(printer *p, uint8_t *to, const td_value *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        to = need_room(p, to, payload_len(&list->elements[i]));
        if (to != NULL) to = print_value(p, to, &list->elements[i]);
        if (to == NULL) return NULL;
        *to++ = ',';
    }
    return close_container(p, to, TD_LIT("]}"));
}

static uint8_t *print_members(printer *p, uint8_t *to, const td_value *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        to = print_member(p, to, set->type, set->members[i]);
        if (to == NULL) return NULL;
    }
    return close_container(p, to, TD_LIT("]}"));
}

/* ---- stored items ---- */

static uint8_t *print_stored_attributes(printer *p, uint8_t *to, td_stored map);
static uint8_t *print_stored_elements(printer *p, uint8_t *to, td_stored list);
static uint8_t *print_stored_members(printer *p, uint8_t *to, td_stored set);
static uint8_t *print_stored_rest(printer *p, uint8_t *to, td_stored stored) __attribute__((noinline));

INLINE uint8_t *print_stored(printer *p, uint8_t *to, const td_stored *stored)
{
    if (td_type_is_scalar(stored->type)) return print_scalar(p, to, stored->type, stored->bytes);
    return print_stored_rest(p, to, *stored);
}

static uint8_t *print_stored_rest(printer *p, uint8_t *to, td_stored stored)
{
    switch (stored.type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: break;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS: return print_stored_members(p, open_container(to, stored.type), stored);
    case TD_TYPE_L: return print_stored_elements(p, open_container(to, stored.type), stored);
    case TD_TYPE_M:
        to = print_stored_attributes(p, open_container(to, stored.type), stored);
        return to == NULL ? NULL : put(to, TD_LIT("}"));
    case TD_TYPE_BOOL: return print_truth(to, stored.boolean);
    case TD_TYPE_NULL: return put(to, TD_LIT("{\"NULL\":true}"));
    case TD_TYPE_COUNT: break;
    }
    TD_UNREACHABLE("a stored value that is no scalar has another type");
}

static uint8_t *print_stored_attributes(printer *p, uint8_t *to, td_stored map)
{
    td_slice name;
    td_stored value;
    *to++ = '{';
    while (td_stored_next_attribute(&map, &name, &value)) {
        to = print_name(p, to, name, value.bytes.len);
        if (to != NULL) to = print_stored(p, to, &value);
        if (to == NULL) return NULL;
        *to++ = ',';
    }
    return close_container(p, to, TD_LIT("}"));
}

static uint8_t *print_stored_elements(printer *p, uint8_t *to, td_stored list)
{
    td_stored element;
    while (td_stored_next_element(&list, &element)) {
        to = need_room(p, to, element.bytes.len);
        if (to != NULL) to = print_stored(p, to, &element);
        if (to == NULL) return NULL;
        *to++ = ',';
    }
    return close_container(p, to, TD_LIT("]}"));
}

static uint8_t *print_stored_members(printer *p, uint8_t *to, td_stored set)
{
    td_slice member;
    td_type type = set.type;
    while (td_stored_next_member(&set, &member)) {
        to = print_member(p, to, type, member);
        if (to == NULL) return NULL;
    }
    return close_container(p, to, TD_LIT("]}"));
}

/* ---- into a buffer ---- */

static void finish(printer *p, const uint8_t *to)
{
    if (to != NULL) settle(p, to);
}

void td_json_write_value(td_buf *buf, const td_value *value)
{
    printer p = {.buf = buf};
    uint8_t *to = open_room(&p, payload_len(value));
    finish(&p, to == NULL ? NULL : print_value(&p, to, value));
}

void td_json_write_attributes(td_buf *buf, const td_attribute *attributes, uint32_t count)
{
    printer p = {.buf = buf};
    uint8_t *to = open_room(&p, 0);
    finish(&p, to == NULL ? NULL : print_attributes(&p, to, attributes, count));
}

static uintptr_t blocks_end_of(td_slice bytes)
{
    uintptr_t start = (uintptr_t)bytes.ptr;
    return bytes.len < sizeof(td_json__block) ? start : start + bytes.len - sizeof(td_json__block) + 1;
}

void td_json_write_item(td_buf *buf, const td_item *item)
{
    td_stored contents = td_item_contents(item);
    printer p = {
        .buf = buf, .blocks_end = blocks_end_of(contents.bytes), .is_plain = td_item_is_known_plain(item)};
    uint8_t *to = open_room(&p, contents.bytes.len);
    finish(&p, to == NULL ? NULL : print_stored_attributes(&p, to, contents));
    if (!p.is_plain && !p.has_escaped && !td_buf_has_failed(buf)) td_item_note_plain(item);
}

static uint8_t *print_keys(printer *p, uint8_t *to, const td_item *item, const td_slice *names, uint32_t count)
{
    *to++ = '{';
    for (uint32_t i = 0; i < count; i++) {
        td_stored value;
        if (!td_item_find(item, names[i], &value)) continue;
        to = print_name(p, to, names[i], value.bytes.len);
        if (to != NULL) to = print_stored(p, to, &value);
        if (to == NULL) return NULL;
        *to++ = ',';
    }
    return close_container(p, to, TD_LIT("}"));
}

void td_json_write_item_keys(td_buf *buf, const td_item *item, const td_slice *names, uint32_t count)
{
    printer p = {.buf = buf}; /* without blocks: the names are not the item's own */
    uint8_t *to = open_room(&p, 0);
    finish(&p, to == NULL ? NULL : print_keys(&p, to, item, names, count));
}
