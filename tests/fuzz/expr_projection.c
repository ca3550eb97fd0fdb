/* SPDX-License-Identifier: Apache-2.0
 * expr_projection.c: any text is a projection or is refused; what it leaves of an item is an item, and one without list
 * indexes leaves the same of that. */
#include "fuzz/expr_bag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    td_projection *projection;
    td_attribute *attributes;
    uint32_t count;
    td_slice text = fuzz_copy(data, size);
    fuzz_bag_init(&bag);
    td_arena *arena = &bag.fixture.arena;
    if (td_projection_compile(text, &bag.marks, arena, &projection, &bag.fixture.error) == TD_OK) {
        TD_ASSERT(td_projection_apply(projection, bag.item, arena, &attributes, &count) == TD_OK);
        td_item *once = td_item_new(attributes, count);
        TD_ASSERT(once != NULL);
        TD_ASSERT(td_projection_apply(projection, once, arena, &attributes, &count) == TD_OK);
        td_item *twice = td_item_new(attributes, count);
        TD_ASSERT(twice != NULL);
        TD_ASSERT(td_item_equal(once, twice) || memchr(text.ptr, '[', text.len) != NULL);
        td_item_unref(twice);
        td_item_unref(once);
    }
    fuzz_bag_done(&bag);
    fuzz_done(text);
    return 0;
}
