/* SPDX-License-Identifier: Apache-2.0
 * stored.c: writing the canonical encoding, and decoding it into a tree.
 *
 * Model:    containers are written from their end to their start: the length of the contents is known by the time that
 *           it is due, so that every value is measured once and written once however deep it lies.
 * Not here: the block around the encoding (item.c). */
#include "stored.h"

#include "varint.h"

_Static_assert(TD_TYPE_S == 0 && TD_TYPE_NULL == 9 && TD_TYPE_COUNT == 10, "tags are part of durable records");

static uint64_t measure_value(const td_value *value);
static uint64_t measure_bytes(td_slice bytes);
static uint8_t *write_value(const td_value *value, uint8_t *end);
static uint8_t *write_bytes(td_slice bytes, uint8_t *end);
static td_status decode_contents(td_stored stored, td_arena *arena, td_value *ret_value);

uint64_t td_stored__measure(const td_attribute *attributes, uint32_t count)
{
    uint64_t len = 0;
    for (uint32_t i = 0; i < count; i++)
        len += measure_bytes(attributes[i].name) + measure_value(&attributes[i].value);
    return len;
}

uint8_t *td_stored__write(const td_attribute *attributes, uint32_t count, uint8_t *end)
{
    for (uint32_t i = count; i > 0; i--) {
        end = write_value(&attributes[i - 1].value, end);
        end = write_bytes(attributes[i - 1].name, end);
    }
    return end;
}

td_status td_stored_decode(const td_stored *stored, td_arena *arena, td_value *ret_value)
{
    td_value value = {.type = stored->type, .boolean = stored->boolean, .count = stored->count};
    if (td_type_is_scalar(stored->type))
        value.bytes = stored->bytes;
    else if (stored->type != TD_TYPE_BOOL && stored->type != TD_TYPE_NULL)
        TD_TRY(decode_contents(*stored, arena, &value));
    *ret_value = value;
    return TD_OK;
}

/* Sets, lists and maps; *ret_value has its type and count. The view is a copy, which the steps use up. */
static td_status decode_contents(td_stored stored, td_arena *arena, td_value *ret_value)
{
    uint32_t count = stored.count;
    td_stored child;
    if (stored.type == TD_TYPE_L) {
        td_value *elements = td_arena_alloc_array(arena, count, sizeof *elements);
        if (!elements) return TD_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < count && td_stored_next_element(&stored, &child); i++)
            TD_TRY(td_stored_decode(&child, arena, &elements[i]));
        ret_value->elements = elements;
    } else if (stored.type == TD_TYPE_M) {
        td_attribute *attributes = td_arena_alloc_array(arena, count, sizeof *attributes);
        if (!attributes) return TD_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < count && td_stored_next_attribute(&stored, &attributes[i].name, &child); i++)
            TD_TRY(td_stored_decode(&child, arena, &attributes[i].value));
        ret_value->attributes = attributes;
    } else {
        td_slice *members = td_arena_alloc_array(arena, count, sizeof *members);
        if (!members) return TD_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < count && td_stored_next_member(&stored, &members[i]); i++)
            continue;
        ret_value->members = members;
    }
    TD_ASSERT(stored.bytes.len == 0);
    return TD_OK;
}

static uint64_t measure_value(const td_value *value)
{
    uint64_t contents = 0;
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return 1 + measure_bytes(value->bytes);
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL: return 1;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        for (uint32_t i = 0; i < value->count; i++)
            contents += measure_bytes(value->members[i]);
        break;
    case TD_TYPE_M: contents = td_stored__measure(value->attributes, value->count); break;
    case TD_TYPE_L:
        for (uint32_t i = 0; i < value->count; i++)
            contents += measure_value(&value->elements[i]);
        break;
    case TD_TYPE_COUNT: TD_ASSERT(false);
    }
    return 1 + td_varint__len(value->count) + td_varint__len(contents) + contents;
}

static uint64_t measure_bytes(td_slice bytes) { return td_varint__len(bytes.len) + bytes.len; }

static uint8_t *write_value(const td_value *value, uint8_t *end)
{
    uint8_t *at = end;
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: at = write_bytes(value->bytes, end); break;
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        for (uint32_t i = value->count; i > 0; i--)
            at = write_bytes(value->members[i - 1], at);
        break;
    case TD_TYPE_M: at = td_stored__write(value->attributes, value->count, end); break;
    case TD_TYPE_L:
        for (uint32_t i = value->count; i > 0; i--)
            at = write_value(&value->elements[i - 1], at);
        break;
    case TD_TYPE_BOOL: *--at = value->boolean ? TD_STORED_TAG_TRUE : TD_STORED_TAG_FALSE; return at;
    case TD_TYPE_NULL: *--at = TD_TYPE_NULL; return at;
    case TD_TYPE_COUNT: TD_ASSERT(false);
    }
    if (!td_type_is_scalar(value->type)) {
        at = td_varint__write_before(at, (uint32_t)(end - at));
        at = td_varint__write_before(at, value->count);
    }
    *--at = (uint8_t)value->type;
    return at;
}

static uint8_t *write_bytes(td_slice bytes, uint8_t *end)
{
    uint8_t *at = end - bytes.len;
    if (bytes.len > 0) memcpy(at, bytes.ptr, bytes.len);
    return td_varint__write_before(at, (uint32_t)bytes.len);
}
