/* SPDX-License-Identifier: Apache-2.0
 * expr_update.c: any text is an update or is refused; what one makes of an item is a canonical item again. */
#include "fuzz/expr_bag.h"

static void apply(fuzz_bag *bag, const td_update *update, const td_item *item)
{
    td_arena *arena = &bag->fixture.arena;
    td_given_attributes key = attributes_of(arena, S("pk", "k"));
    td_attribute *attributes;
    uint32_t count;
    if (td_update_apply(update, item, key.attributes, key.count, arena, &attributes, &count, &bag->fixture.error) !=
        TD_OK)
        return;
    td_item *made = td_item_new(attributes, count);
    TD_ASSERT(made != NULL);
    td_item *read = td_item_from_bytes(td_item_bytes(made));
    TD_ASSERT(read != NULL);
    TD_ASSERT(td_update_project(update, made, arena, &attributes, &count) == TD_OK);
    td_item_unref(read);
    td_item_unref(made);
}

/* What it says of itself goes together. */
static void look_at(fuzz_bag *bag, const td_update *update)
{
    td_slice l = TD_LIT("l");
    bag->visited = 0;
    td_update_visit_attributes(update, fuzz_bag_visit, bag);
    TD_ASSERT(bag->visited != 0);
    if (td_update_touches(update, l) || td_update_enters(update, l)) TD_ASSERT((bag->visited & FUZZ_VISITED_L) != 0);
    if (td_update_type_of(update, l) != TD_TYPE_COUNT) TD_ASSERT(td_update_touches(update, l));
    TD_ASSERT(!td_update_is_larger(update, UINT64_MAX));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    td_update *update;
    td_slice text = fuzz_copy(data, size);
    fuzz_bag_init(&bag);
    if (td_update_compile(text, &bag.marks, &bag.fixture.arena, &update, &bag.fixture.error) == TD_OK) {
        look_at(&bag, update);
        apply(&bag, update, bag.item);
        apply(&bag, update, NULL);
    }
    fuzz_bag_done(&bag);
    fuzz_done(text);
    return 0;
}
