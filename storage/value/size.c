/* SPDX-License-Identifier: Apache-2.0
 * size.c: the bytes that a value counts for: item size, capacity and limits (throttling.md §1.1).
 *
 *   S, B       its bytes                 N        as its encoding, a sign is always a byte (number.c)
 *   BOOL NULL  1                         sets     the members alone
 *   L          3 + (1 + element) each    M        3 + (1 + name + value) each
 *
 * Both forms of a value, the tree and the stored one, are counted here and nowhere else. */
#include "thermodyn/value.h"

#include "size.h"

enum { CONTAINER_BYTES = 3, ENTRY_BYTES = 1, FLAG_BYTES = 1 };

static uint64_t scalar_size(td_type type, td_slice payload);

uint64_t td_value_size(const td_value *value)
{
    uint64_t size = 0;
    switch (value->type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return scalar_size(value->type, value->bytes);
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        for (uint32_t i = 0; i < value->count; i++)
            size += scalar_size(value->type, value->members[i]);
        return size;
    case TD_TYPE_M:
        size = td_attributes_size(value->attributes, value->count);
        return CONTAINER_BYTES + (uint64_t)ENTRY_BYTES * value->count + size;
    case TD_TYPE_L:
        for (uint32_t i = 0; i < value->count; i++)
            size += ENTRY_BYTES + td_value_size(&value->elements[i]);
        return CONTAINER_BYTES + size;
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL: return FLAG_BYTES;
    case TD_TYPE_COUNT: break;
    }
    TD_ASSERT(false);
    return 0;
}

uint64_t td_attributes_size(const td_attribute *attributes, uint32_t count)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += attributes[i].name.len + td_value_size(&attributes[i].value);
    return size;
}

uint64_t td_value__stored_size(td_stored stored)
{
    uint64_t size = 0;
    uint32_t count = stored.count;
    td_slice member = {NULL, 0};
    td_stored element;
    switch (stored.type) {
    case TD_TYPE_S:
    case TD_TYPE_N:
    case TD_TYPE_B: return scalar_size(stored.type, stored.bytes);
    case TD_TYPE_SS:
    case TD_TYPE_NS:
    case TD_TYPE_BS:
        while (td_stored_next_member(&stored, &member))
            size += scalar_size(stored.type, member);
        return size;
    case TD_TYPE_M: return CONTAINER_BYTES + (uint64_t)ENTRY_BYTES * count + td_value__stored_attributes_size(stored);
    case TD_TYPE_L:
        while (td_stored_next_element(&stored, &element))
            size += ENTRY_BYTES + td_value__stored_size(element);
        return CONTAINER_BYTES + size;
    case TD_TYPE_BOOL:
    case TD_TYPE_NULL: return FLAG_BYTES;
    case TD_TYPE_COUNT: break;
    }
    TD_ASSERT(false);
    return 0;
}

uint64_t td_value__stored_attributes_size(td_stored map)
{
    uint64_t size = 0;
    td_slice name = {NULL, 0};
    td_stored value;
    while (td_stored_next_attribute(&map, &name, &value))
        size += name.len + td_value__stored_size(value);
    return size;
}

/* Also of a member, by the type of its set. */
static uint64_t scalar_size(td_type type, td_slice payload)
{
    return type == TD_TYPE_N || type == TD_TYPE_NS ? td_number_size(payload) : payload.len;
}
