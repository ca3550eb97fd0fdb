/* SPDX-License-Identifier: Apache-2.0
 * expr_keycond.c: any text is a key condition or is refused; one that fits a schema is a range within it. */
#include "fuzz/expr_bag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    td_key_condition *condition;
    td_key_range range;
    td_key_schema schema = {.hash_count = 1,
                            .range_count = 2,
                            .parts = {{TD_LIT("a"), TD_TYPE_S}, {TD_LIT("n"), TD_TYPE_N}, {TD_LIT("b"), TD_TYPE_S}}};
    td_slice text = fuzz_copy(data, size);
    fuzz_bag_init(&bag);
    td_error *error = &bag.fixture.error;
    if (td_key_condition_compile(text, &bag.marks, &bag.fixture.arena, &condition, error) == TD_OK) {
        bool is_sound = td_key_condition_check(condition, error) == TD_OK;
        bool is_bound = td_key_condition_bind(condition, &schema, &range, error) == TD_OK;
        TD_ASSERT(is_sound || !is_bound);
        if (is_bound) TD_ASSERT(range.hash_parts[0].len > 0);
        if (is_bound) TD_ASSERT(range.equal_count + (range.kind != TD_RANGE_ALL) <= schema.range_count);
    }
    fuzz_bag_done(&bag);
    fuzz_done(text);
    return 0;
}
