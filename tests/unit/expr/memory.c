/* SPDX-License-Identifier: Apache-2.0
 * memory.c: tests of running out of memory: wherever an arena needs its next chunk and does not get it, the call ends
 * in TD_OUT_OF_MEMORY and nothing leaks. */
#include "bag.h"
#include "suites.h"

#include "support/failing_memory.h"

static td_fixture fixture;
static td_arena *const arena = &fixture.arena;

static void setup(void)
{
    td_fixture_init(&fixture);
}
static void teardown(void)
{
    td_fixture_done(&fixture);
}

typedef struct work {
    const td_expr_marks *marks;
    const td_item *item;
    const td_attribute *key;
} work;

static td_status compile_and_run(const work *given, td_arena *scratch, td_error *error)
{
    td_expr_marks marks = *given->marks;
    td_condition *condition;
    td_update *update;
    td_projection *projection;
    td_key_condition *key_condition;
    td_key_range range;
    td_attribute *attributes;
    uint32_t count;
    td_key_schema schema = {.hash_count = 1, .parts = {{TD_LIT("pk"), TD_TYPE_S}}};
    TD_TRY(td_condition_compile(TD_EXPR_CONDITION, TD_LIT("NOT (#a.b[1] = :s AND size(c) IN (:n, :n2)) OR m <> :m"),
                                &marks, scratch, &condition, error));
    (void)td_condition_holds(condition, given->item);
    TD_TRY(td_update_compile(TD_LIT("SET l[0].x = list_append(l, :l), n = n + :n REMOVE m.x ADD s :ss"), &marks,
                             scratch, &update, error));
    TD_TRY(td_update_apply(update, given->item, given->key, 1, scratch, &attributes, &count, error));
    TD_TRY(td_update_project(update, given->item, scratch, &attributes, &count));
    TD_TRY(td_projection_compile(TD_LIT("l[0].x, m.x, n, #b"), &marks, scratch, &projection, error));
    TD_TRY(td_projection_apply(projection, given->item, scratch, &attributes, &count));
    TD_TRY(td_key_condition_compile(TD_LIT("pk = :s"), &marks, scratch, &key_condition, error));
    return td_key_condition_bind(key_condition, &schema, &range, error);
}

START_TEST(without_memory_every_step_ends_in_a_status)
{
    enum { PADDING_MAX = 16384, PADDING_STEP = 16 };
    td_given_attributes key = attributes_of(arena, S("pk", "k"));
    work given = {bag_marks(arena),
                  item_of(arena, S("pk", "k"), N("n", "1"), SS("s", TD_LIT("b")), M("m", N("x", "1")),
                          L("l", M("", S("x", "y")))),
                  key.attributes};
    uint32_t failures = 0;
    for (size_t padding = 0; padding < PADDING_MAX; padding += PADDING_STEP) {
        td_arena scratch;
        td_arena_init(&scratch, 1 << 24);
        td_error error = {.arena = &scratch};
        ck_assert_ptr_nonnull(td_arena_alloc(&scratch, padding));
        failing_memory_fail_at(1);
        td_status status = compile_and_run(&given, &scratch, &error);
        ck_assert_int_eq(status, failing_memory_has_failed() ? TD_OUT_OF_MEMORY : TD_OK);
        failures += status != TD_OK;
        failing_memory_fail_at(0);
        td_arena_done(&scratch);
    }
    ck_assert_uint_gt(failures, 50);
}
END_TEST

TCase *memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, without_memory_every_step_ends_in_a_status);
    return tests;
}
