/* SPDX-License-Identifier: Apache-2.0
 * expr_projection.c: any text is a projection or is refused; what it leaves of an item is an item, and one without list
 * indexes leaves the same of that. */
#include "fuzz/expr_bag.h"

enum { NAMES_MAX = 8 };

/* The text's words as AttributesToGet: what the item has of them, each once. */
static void check_names(fuzz_bag *bag, td_slice text)
{
    td_slice names[NAMES_MAX];
    uint32_t name_count = 0;
    uint32_t count;
    td_projection *projection;
    td_attribute *attributes;
    for (size_t at = 0, start = 0; at <= text.len && name_count < NAMES_MAX; at++) {
        if (at < text.len && text.ptr[at] != ',' && text.ptr[at] != ' ') continue;
        names[name_count++] = td_slice_of(text.ptr + start, at - start);
        start = at + 1;
    }
    td_arena *arena = &bag->fixture.arena;
    TD_ASSERT(td_projection_of_names(names, name_count, arena, &projection, &bag->fixture.error) == TD_OK);
    TD_ASSERT(td_projection_apply(projection, bag->item, arena, &attributes, &count) == TD_OK);
    TD_ASSERT(count <= name_count);
    for (uint32_t i = 0; i < name_count; i++) {
        td_stored stored;
        TD_ASSERT(td_item_find(bag->item, names[i], &stored) == (td_value_find(attributes, count, names[i]) != NULL));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    td_projection *projection;
    td_attribute *attributes;
    uint32_t count;
    td_slice text = fuzz_copy(data, size);
    fuzz_bag_init(&bag);
    td_arena *arena = &bag.fixture.arena;
    check_names(&bag, text);
    if (td_projection_compile(text, &bag.marks, arena, &projection, &bag.fixture.error) == TD_OK) {
        td_projection_visit_attributes(projection, fuzz_bag_visit, &bag);
        TD_ASSERT(bag.visited != 0);
        if (td_projection_enters(projection, TD_LIT("l"))) TD_ASSERT((bag.visited & FUZZ_VISITED_L) != 0);
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
