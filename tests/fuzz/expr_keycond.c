/* SPDX-License-Identifier: Apache-2.0
 * expr_keycond.c: any text is a key condition or is refused; one that fits a schema is a range within it. */
#include "fuzz/expr_bag.h"

/* A table of one attribute, one of two, and an index of many. */
static const td_key_schema schemas[] = {
    {.hash_count = 1, .parts = {{TD_LIT_INIT("a"), TD_TYPE_S}}},
    {.hash_count = 1, .range_count = 1, .parts = {{TD_LIT_INIT("a"), TD_TYPE_B}, {TD_LIT_INIT("n"), TD_TYPE_N}}},
    {.hash_count = 1, .range_count = 1, .parts = {{TD_LIT_INIT("a"), TD_TYPE_S}, {TD_LIT_INIT("n"), TD_TYPE_S}}},
    {.hash_count = 1,
     .range_count = 2,
     .parts = {{TD_LIT_INIT("a"), TD_TYPE_S}, {TD_LIT_INIT("n"), TD_TYPE_N}, {TD_LIT_INIT("b"), TD_TYPE_S}}},
    {.hash_count = 2,
     .range_count = 2,
     .parts = {{TD_LIT_INIT("a"), TD_TYPE_S},
               {TD_LIT_INIT("m"), TD_TYPE_S},
               {TD_LIT_INIT("n"), TD_TYPE_N},
               {TD_LIT_INIT("b"), TD_TYPE_B}}},
};

static bool bind(const td_key_condition *condition, const td_key_schema *schema, td_error *error)
{
    td_key_range range;
    if (td_key_condition_bind(condition, schema, &range, error) != TD_OK) return false;
    for (uint32_t i = 0; i < schema->hash_count; i++)
        TD_ASSERT(range.hash_parts[i].len > 0);
    TD_ASSERT(range.equal_count + (range.kind != TD_RANGE_ALL) <= schema->range_count);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    td_key_condition *condition;
    td_slice text = fuzz_copy(data, size);
    fuzz_bag_init(&bag);
    td_error *error = &bag.fixture.error;
    if (td_key_condition_compile(text, &bag.marks, &bag.fixture.arena, &condition, error) == TD_OK) {
        bool is_sound = td_key_condition_check(condition, error) == TD_OK;
        for (size_t i = 0; i < TD_COUNT_OF(schemas); i++) {
            bool is_bound = bind(condition, &schemas[i], error);
            TD_ASSERT(is_sound || !is_bound);
        }
    }
    fuzz_bag_done(&bag);
    fuzz_done(text);
    return 0;
}
