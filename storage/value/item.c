/* SPDX-License-Identifier: Apache-2.0
 * item.c: the block of a stored item.
 *
 *   td_item | offsets of the attributes (only from INDEXED_FROM attributes on) | canonical encoding (stored.h)
 *
 * A few attributes are found fastest by walking over them; many by binary search in their offsets. Both orders are the
 * encoding's own, so that the offsets say nothing that the bytes do not.
 * Invariants: the count of references and the note that all texts are plain may change, nothing else; equal items have
 *             equal encodings.
 * Not here:   the encoding (stored.c), its check (stored_check.c), sizes (size.c). */
#include "thermodyn/item.h"

#include <stdatomic.h>

#include "thermodyn/memory.h"

#include "size.h"
#include "stored.h"

enum { INDEXED_FROM = 16 };

#define KNOWN_PLAIN UINT32_C(0x80000000)

struct td_item {
    _Atomic uint32_t references;
    _Atomic uint32_t size; /* by DynamoDB's rule; and KNOWN_PLAIN */
    uint32_t count;        /* attributes */
    uint32_t len;          /* of the encoding */
    uint32_t offsets[];
};

_Static_assert(sizeof(td_item) == 16, "each stored item pays for its header");

static td_item *allocate(uint64_t size, uint32_t count, uint64_t len);
static uint8_t *encoding(td_item *item);
static void fill_offsets(td_item *item);
static bool find_by_walk(td_slice bytes, td_slice name, td_stored *ret_value);
static bool find_by_offset(const td_item *item, td_slice bytes, td_slice name, td_stored *ret_value);
static void release(void *item);
static bool next_projected(td_stored *rest, const td_slice **names, const td_slice *names_end, td_slice *ret_encoded,
                           uint64_t *ret_size);

static uint32_t offset_count(uint32_t count) { return count >= INDEXED_FROM ? count : 0; }

td_item *td_item_new(const td_attribute *attributes, uint32_t count)
{
    uint64_t len = td_stored__measure(attributes, count);
    td_item *item = allocate(td_attributes_size(attributes, count), count, len);
    if (!item) return NULL;
    uint8_t *start = td_stored__write(attributes, count, encoding(item) + len);
    TD_ASSERT(start == encoding(item));
    fill_offsets(item);
    return item;
}

td_item *td_item_project(const td_item *item, const td_slice *names, uint32_t name_count)
{
    const td_slice *names_end = names + name_count;
    uint64_t size = 0, len = 0, attribute_size = 0;
    uint32_t count = 0;
    td_slice encoded = {NULL, 0};
    td_stored rest = td_item_contents(item);
    for (const td_slice *at = names; next_projected(&rest, &at, names_end, &encoded, &attribute_size); count++) {
        len += encoded.len;
        size += attribute_size;
    }
    td_item *projected = allocate(size, count, len);
    if (!projected) return NULL;
    uint8_t *out = encoding(projected);
    rest = td_item_contents(item);
    for (const td_slice *at = names; next_projected(&rest, &at, names_end, &encoded, &attribute_size);) {
        memcpy(out, encoded.ptr, encoded.len);
        out += encoded.len;
    }
    fill_offsets(projected);
    return projected;
}

td_item *td_item_ref(td_item *item)
{
    uint32_t before = atomic_fetch_add_explicit(&item->references, 1, memory_order_relaxed);
    TD_ASSERT(before > 0);
    TD_ASSERT(before < UINT32_MAX);
    return item;
}

void td_item_unref(td_item *item)
{
    if (!item) return;
    uint32_t before = atomic_fetch_sub_explicit(&item->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before == 1) td_free(item);
}

bool td_item_ref_in(td_item *item, td_arena *arena)
{
    if (!td_arena_defer(arena, release, item)) return false;
    td_item_ref(item);
    return true;
}

uint32_t td_item_size(const td_item *item)
{
    return atomic_load_explicit(&item->size, memory_order_relaxed) & ~KNOWN_PLAIN;
}

uint32_t td_item_count(const td_item *item) { return item->count; }

uint32_t td_item_memory_bytes(const td_item *item)
{
    return (uint32_t)(sizeof(td_item) + offset_count(item->count) * sizeof(uint32_t)) + item->len;
}

bool td_item_is_known_plain(const td_item *item)
{
    return (atomic_load_explicit(&item->size, memory_order_relaxed) & KNOWN_PLAIN) != 0;
}

void td_item_note_plain(const td_item *item)
{
    (void)atomic_fetch_or_explicit(&((td_item *)(uintptr_t)item)->size, KNOWN_PLAIN, memory_order_relaxed);
}

bool td_item_equal(const td_item *a, const td_item *b)
{
    return a == b || td_slice_equal(td_item_bytes(a), td_item_bytes(b));
}

td_stored td_item_contents(const td_item *item)
{
    return (td_stored){.type = TD_TYPE_M, .count = item->count, .bytes = td_item_bytes(item)};
}

bool td_item_find(const td_item *item, td_slice name, td_stored *ret_value)
{
    td_slice bytes = td_item_bytes(item);
    if (item->count < INDEXED_FROM) return find_by_walk(bytes, name, ret_value);
    return find_by_offset(item, bytes, name, ret_value);
}

td_status td_item_decode(const td_item *item, td_arena *arena, td_attribute **ret_attributes, uint32_t *ret_count)
{
    td_stored contents = td_item_contents(item);
    td_value map;
    TD_TRY(td_stored_decode(&contents, arena, &map));
    *ret_attributes = map.attributes;
    *ret_count = map.count;
    return TD_OK;
}

td_slice td_item_bytes(const td_item *item)
{
    return td_slice_of(item->offsets + offset_count(item->count), item->len);
}

bool td_item_is_encoding(td_slice bytes)
{
    uint32_t count = 0;
    return bytes.len <= UINT32_MAX && td_stored__check(bytes, &count);
}

td_item *td_item_from_bytes(td_slice bytes)
{
    uint32_t count = 0;
    if (bytes.len > UINT32_MAX || !td_stored__check(bytes, &count)) return NULL;
    td_stored contents = {.type = TD_TYPE_M, .count = count, .bytes = bytes};
    td_item *item = allocate(td_value__stored_attributes_size(contents), count, bytes.len);
    if (!item) return NULL;
    if (bytes.len > 0) memcpy(encoding(item), bytes.ptr, bytes.len);
    fill_offsets(item);
    return item;
}

static td_item *allocate(uint64_t size, uint32_t count, uint64_t len)
{
    uint64_t memory_bytes = sizeof(td_item) + (uint64_t)offset_count(count) * sizeof(uint32_t) + len;
    if (memory_bytes > UINT32_MAX || size >= KNOWN_PLAIN) return NULL;
    td_item *item = td_alloc((size_t)memory_bytes);
    if (!item) return NULL;
    atomic_init(&item->references, 1);
    atomic_init(&item->size, (uint32_t)size);
    item->count = count;
    item->len = (uint32_t)len;
    return item;
}

/* Where the encoding of a block under construction goes. */
static uint8_t *encoding(td_item *item) { return (uint8_t *)(item->offsets + offset_count(item->count)); }

static void fill_offsets(td_item *item)
{
    if (item->count < INDEXED_FROM) return;
    const uint8_t *start = encoding(item), *at = start;
    for (uint32_t i = 0; i < item->count; i++) {
        td_slice name;
        item->offsets[i] = (uint32_t)(at - start);
        at = td_stored__skip(td_stored__read_bytes(at, &name));
    }
    TD_ASSERT(at == start + item->len);
}

static bool find_by_walk(td_slice bytes, td_slice name, td_stored *ret_value)
{
    const uint8_t *at = bytes.ptr, *end = bytes.ptr + bytes.len;
    while (at < end) {
        td_slice found;
        at = td_stored__read_bytes(at, &found);
        if (td_slice_equal(found, name)) {
            (void)td_stored__read(at, ret_value);
            return true;
        }
        at = td_stored__skip(at);
    }
    return false;
}

static bool find_by_offset(const td_item *item, td_slice bytes, td_slice name, td_stored *ret_value)
{
    uint32_t low = 0, high = item->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        td_slice found;
        const uint8_t *at = td_stored__read_bytes(bytes.ptr + item->offsets[middle], &found);
        int order = td_slice_compare(found, name);
        if (order == 0) {
            td_stored__read(at, ret_value);
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static void release(void *item) { td_item_unref(item); }

/* The next attribute of `rest` that the sorted names list: its whole encoding, and what it counts for. */
static bool next_projected(td_stored *rest, const td_slice **names, const td_slice *names_end, td_slice *ret_encoded,
                           uint64_t *ret_size)
{
    const uint8_t *start = rest->bytes.ptr;
    td_slice name = {NULL, 0};
    td_stored value;
    for (; td_stored_next_attribute(rest, &name, &value); start = rest->bytes.ptr) {
        while (*names < names_end && td_slice_compare(**names, name) < 0)
            ++*names;
        if (*names == names_end) return false;
        if (!td_slice_equal(**names, name)) continue;
        *ret_encoded = td_slice_of(start, (size_t)(rest->bytes.ptr - start));
        *ret_size = name.len + td_value__stored_size(value);
        return true;
    }
    return false;
}
