/* SPDX-License-Identifier: Apache-2.0
 * item.c: any bytes are a canonical item or are refused; what is taken decodes and is written as the same bytes. */
#include "thermodyn/item.h"

#include "fuzz/fuzz.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_slice bytes = fuzz_copy(data, size);
    td_item *item = td_item_from_bytes(bytes);
    fuzz_done(bytes);
    if (!item) return 0;

    td_arena arena;
    td_attribute *attributes = NULL;
    uint32_t count = 0;
    td_arena_init(&arena, ARENA_BYTES_MAX);
    TD_ASSERT(td_item_decode(item, &arena, &attributes, &count) == TD_OK);
    td_item *again = td_item_new(attributes, count);
    TD_ASSERT(again);
    TD_ASSERT(td_item_equal(item, again));
    TD_ASSERT(td_item_size(item) == td_item_size(again));
    for (uint32_t i = 0; i < count; i++) {
        td_stored found;
        TD_ASSERT(td_item_find(item, attributes[i].name, &found));
        TD_ASSERT(found.type == attributes[i].value.type);
    }
    td_item_unref(again);
    td_item_unref(item);
    td_arena_done(&arena);
    return 0;
}
