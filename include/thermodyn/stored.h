/* SPDX-License-Identifier: Apache-2.0
 * stored.h: views of encoded values: a stored item, read step by step without allocation.
 *
 * The canonical encoding of attributes, inside an item's block and in durable records:
 *
 *   attributes   (name value)…                     names strictly ascending
 *   name         length bytes
 *   value        tag, then by type:
 *     S N B      length bytes                      N: encoded number
 *     SS NS BS   count length (length bytes)…      at least one member, strictly ascending
 *     L          count length value…
 *     M          count length (name value)…        names strictly ascending
 *     BOOL NULL  nothing: true and false have a tag each
 *
 * Counts and lengths are unsigned LEB128 in their shortest form (seven bits a byte, the lowest first, the top bit says
 * "more"); a container's length is that of its contents, so that it is skipped without being read. Hence equal
 * attributes have equal bytes.
 * The readers here TRUST THEIR BYTES: an item was written so, or its foreign bytes were checked (td_item_from_bytes).
 * Threads: any. */
#ifndef THERMODYN_STORED_H
#define THERMODYN_STORED_H

#include "thermodyn/arena.h"
#include "thermodyn/status.h"
#include "thermodyn/value.h"

/* A view of an encoded value; borrowed while the item is referenced. */
typedef struct td_stored {
    td_type type;
    bool boolean;   /* BOOL */
    uint32_t count; /* sets, L, M: what is still to come */
    td_slice bytes; /* scalars: the payload (N: encoded number); sets, L, M: the encoded contents still to come */
} td_stored;

/* Steps through a container: false when nothing is left. */
static inline bool td_stored_next_member(td_stored *set, td_slice *ret_member);
static inline bool td_stored_next_element(td_stored *list, td_stored *ret_element);
static inline bool td_stored_next_attribute(td_stored *map, td_slice *ret_name, td_stored *ret_value);

/* The encoded value as a tree; its slices point into the item. TD_OUT_OF_MEMORY is the only error. */
TD_MUST_USE td_status td_stored_decode(const td_stored *stored, td_arena *arena, td_value *ret_value);

/* ---- inline, since answers and filters walk over many small values ---- */

/* A value's tag is its type, but for the two truths. */
enum { TD_STORED_TAG_FALSE = TD_TYPE_BOOL, TD_STORED_TAG_TRUE = TD_TYPE_COUNT, TD_STORED_TAG_COUNT };
_Static_assert(TD_TYPE_B == 2 && TD_TYPE_BOOL == 8 && TD_TYPE_NULL == 9,
               "tags up to B have a length, those below BOOL a count as well, the rest nothing");

/* Each answers where what it read ends. */
static inline const uint8_t *td_stored__read_number(const uint8_t *at, uint32_t *ret_number)
{
    uint32_t number = *at & 0x7f;
    for (uint32_t shift = 7; *at++ & 0x80; shift += 7)
        number |= (uint32_t)(*at & 0x7f) << shift;
    *ret_number = number;
    return at;
}

static inline const uint8_t *td_stored__read_bytes(const uint8_t *at, td_slice *ret_bytes)
{
    uint32_t len;
    at = td_stored__read_number(at, &len);
    *ret_bytes = td_slice_of(at, len);
    return at + len;
}

static inline const uint8_t *td_stored__read(const uint8_t *at, td_stored *ret_value)
{
    uint8_t tag = *at++;
    TD_ASSERT(tag < TD_STORED_TAG_COUNT);
    td_stored value = {.type = (td_type)tag};
    if (td_type_is_scalar(value.type)) {
        at = td_stored__read_bytes(at, &value.bytes);
    } else if (tag == TD_STORED_TAG_TRUE) {
        value.type = TD_TYPE_BOOL;
        value.boolean = true;
    } else if (tag != TD_STORED_TAG_FALSE && tag != TD_TYPE_NULL) {
        at = td_stored__read_bytes(td_stored__read_number(at, &value.count), &value.bytes);
    }
    *ret_value = value;
    return at;
}

/* The same without a look at the value. */
static inline const uint8_t *td_stored__skip(const uint8_t *at)
{
    uint8_t tag = *at++;
    TD_ASSERT(tag < TD_STORED_TAG_COUNT);
    if (tag >= TD_TYPE_BOOL) return at;
    uint32_t number;
    if (tag > TD_TYPE_B) at = td_stored__read_number(at, &number);
    at = td_stored__read_number(at, &number);
    return at + number;
}

/* One child of the container has been read, up to `at`. */
static inline void td_stored__step(td_stored *container, const uint8_t *at)
{
    const uint8_t *end = container->bytes.ptr + container->bytes.len;
    container->count--;
    container->bytes = td_slice_of(at, (size_t)(end - at));
}

static inline bool td_stored_next_member(td_stored *set, td_slice *ret_member)
{
    TD_ASSERT(td_type_is_set(set->type));
    if (set->count == 0) return false;
    td_stored__step(set, td_stored__read_bytes(set->bytes.ptr, ret_member));
    return true;
}

static inline bool td_stored_next_element(td_stored *list, td_stored *ret_element)
{
    TD_ASSERT(list->type == TD_TYPE_L);
    if (list->count == 0) return false;
    td_stored__step(list, td_stored__read(list->bytes.ptr, ret_element));
    return true;
}

static inline bool td_stored_next_attribute(td_stored *map, td_slice *ret_name, td_stored *ret_value)
{
    TD_ASSERT(map->type == TD_TYPE_M);
    if (map->count == 0) return false;
    td_stored__step(map, td_stored__read(td_stored__read_bytes(map->bytes.ptr, ret_name), ret_value));
    return true;
}

#endif
