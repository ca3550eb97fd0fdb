/* SPDX-License-Identifier: Apache-2.0
 * partiql.c: any text is a statement or is refused; one that is printed is the same statement; a WHERE that gives a key
 * to look up is asked of items without a fault. */
#include "fuzz/expr_bag.h"
#include "thermodyn/partiql.h"

static td_statement *print(fuzz_bag *bag, td_slice text, td_buf *printed)
{
    td_statement *statement;
    if (td_statement_parse(text, &bag->fixture.arena, &statement, &bag->fixture.error) != TD_OK) return NULL;
    td_statement_print(statement, printed);
    return statement;
}

static void run(fuzz_bag *bag, td_statement *statement)
{
    static const td_key_schema schema = {
        .hash_count = 1, .range_count = 1, .parts = {{TD_LIT_INIT("a"), TD_TYPE_S}, {TD_LIT_INIT("n"), TD_TYPE_N}}};
    td_arena *arena = &bag->fixture.arena;
    td_error *error = &bag->fixture.error;
    td_statement_keys keys;
    td_attribute *attributes;
    uint32_t count = statement->parameter_count;
    td_value *parameters = td_arena_alloc_array(arena, count, sizeof *parameters);
    TD_ASSERT(parameters != NULL);
    for (uint32_t i = 0; i < count; i++)
        parameters[i] = bag->values[i % FUZZ_VALUES].value;
    if (td_statement_bind(statement, parameters, count, arena, error) != TD_OK) return;
    if (statement->where != NULL) (void)td_condition_holds(statement->where, bag->item);
    if (statement->projection != NULL)
        TD_ASSERT(td_projection_apply(statement->projection, bag->item, arena, &attributes, &count) == TD_OK);
    if (statement->update != NULL)
        (void)!td_update_apply(statement->update, bag->item, NULL, 0, arena, &attributes, &count, error);
    if (td_statement_find_keys(statement, &schema, arena, &keys, error) == TD_OK)
        TD_ASSERT(keys.is_keyed || keys.count == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bag bag;
    td_buf once, twice;
    td_slice text = fuzz_copy(data, size);
    fuzz_bag_init(&bag);
    td_buf_init(&once, 1 << 24);
    td_buf_init(&twice, 1 << 24);
    td_statement *statement = print(&bag, text, &once);
    if (statement != NULL) {
        TD_ASSERT(print(&bag, td_buf_contents(&once), &twice) != NULL);
        TD_ASSERT(td_slice_equal(td_buf_contents(&once), td_buf_contents(&twice)));
        run(&bag, statement);
    }
    td_buf_done(&twice);
    td_buf_done(&once);
    fuzz_bag_done(&bag);
    fuzz_done(text);
    return 0;
}
