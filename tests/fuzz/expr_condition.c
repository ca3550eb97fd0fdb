/* SPDX-License-Identifier: Apache-2.0
 * expr_condition.c: any text is a condition or is refused; one that is taken decides, and its negation the opposite;
 * as a filter and as the condition of a write it decides alike. */
#include "fuzz/expr_bag.h"

static bool decide(fuzz_bag *bag, td_slice text, const td_item *item, bool *ret_holds)
{
    td_arena *arena = &bag->fixture.arena;
    td_condition *condition;
    td_condition *guard;
    if (td_condition_compile(TD_EXPR_FILTER, text, &bag->marks, arena, &condition, &bag->fixture.error) != TD_OK)
        return false;
    *ret_holds = td_condition_holds(condition, item);
    bag->visited = 0;
    td_condition_visit_attributes(condition, fuzz_bag_visit, bag);
    TD_ASSERT(td_condition_uses(condition, TD_LIT("l")) == ((bag->visited & FUZZ_VISITED_L) != 0));
    if (td_condition_enters(condition, TD_LIT("l"))) TD_ASSERT(td_condition_uses(condition, TD_LIT("l")));
    if (td_condition_compile(TD_EXPR_CONDITION, text, &bag->marks, arena, &guard, &bag->fixture.error) == TD_OK)
        TD_ASSERT(td_condition_holds(guard, item) == *ret_holds);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    bool holds, denied;
    td_slice text = fuzz_copy(data, size);
    td_slice negation;
    fuzz_bag_init(&bag);
    TD_ASSERT(td_arena_format(&bag.fixture.arena, &negation, "NOT (%.*s)", (int)size, (const char *)text.ptr));
    if (decide(&bag, text, bag.item, &holds) && decide(&bag, negation, bag.item, &denied)) TD_ASSERT(holds != denied);
    if (decide(&bag, text, NULL, &holds) && decide(&bag, negation, NULL, &denied)) TD_ASSERT(holds != denied);
    fuzz_bag_done(&bag);
    fuzz_done(text);
    return 0;
}
