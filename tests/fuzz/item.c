/* SPDX-License-Identifier: Apache-2.0
 * item.c: any bytes are a canonical item or are refused; what is taken decodes and is written as the same bytes,
 * and is found and projected by its names. */
#include "thermodyn/item.h"

#include "fuzz/fuzz.h"

enum { ARENA_BYTES_MAX = 64 << 20, NAMES_MAX = 40 };

/* Every other name of an item is what a projection leaves of it, whatever else is asked for. */
static void check_projection(const td_item *item, const td_attribute *attributes, uint32_t count, td_arena *arena)
{
    td_slice *names = td_arena_alloc_array(arena, (size_t)count + 1, sizeof(*names));
    TD_ASSERT(names != NULL);
    uint32_t name_count = 0;
    for (uint32_t i = 0; i < count; i += 2)
        names[name_count++] = attributes[i].name;
    td_item *projected = td_item_project(item, names, name_count);
    TD_ASSERT(projected != NULL);
    TD_ASSERT(td_item_count(projected) == name_count);
    TD_ASSERT(td_item_ref_in(projected, arena));
    td_item_unref(projected);
    for (uint32_t i = 0; i < count; i++) {
        td_stored found;
        TD_ASSERT(td_item_find(projected, attributes[i].name, &found) == (i % 2 == 0));
    }
    td_item *whole = td_item_project(projected, names, name_count);
    TD_ASSERT(whole != NULL);
    TD_ASSERT(td_item_equal(whole, projected));
    TD_ASSERT(td_item_memory_bytes(whole) == td_item_memory_bytes(projected));
    td_item_unref(whole);
}

static void check_item(td_item *item)
{
    td_arena arena;
    td_attribute *attributes = NULL;
    uint32_t count = 0;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    TD_ASSERT(td_item_decode(item, &arena, &attributes, &count) == TD_OK);
    td_item *again = td_item_new(attributes, count);
    TD_ASSERT(again);
    td_item_note_plain(again); /* is nothing of the item's own */
    TD_ASSERT(td_item_is_known_plain(again));
    TD_ASSERT(td_item_equal(item, again));
    TD_ASSERT(td_item_size(item) == td_item_size(again));
    for (uint32_t i = 0; i < count; i++) {
        td_stored found;
        TD_ASSERT(td_item_find(item, attributes[i].name, &found));
        TD_ASSERT(found.type == attributes[i].value.type);
    }
    check_projection(item, attributes, count, &arena);
    td_item_unref(again);
    td_arena_done(&arena);
}

/* The input's bytes as names of attributes: so that items with many are met, which are found in another way. */
static void check_names(td_slice bytes)
{
    td_attribute attributes[NAMES_MAX];
    uint32_t count = 0;
    for (; count < NAMES_MAX && count < bytes.len; count++) {
        attributes[count].name = td_slice_of(bytes.ptr + count, 1);
        attributes[count].value = (td_value){.type = TD_TYPE_S, .bytes = bytes};
    }
    td_value_sort_attributes(attributes, &count);
    td_item *item = td_item_new(attributes, count);
    TD_ASSERT(item != NULL);
    check_item(item);
    td_item_unref(item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice bytes = fuzz_copy(data, size);
    td_item *item = td_item_from_bytes(bytes);
    check_names(bytes);
    fuzz_done(bytes);
    if (!item) return 0;
    check_item(item);
    td_item_unref(item);
    return 0;
}
