/* SPDX-License-Identifier: Apache-2.0
 * store_model.c: the engine against the naive model, in seeded random runs, and many random items read back.
 *
 *   TD_PROPERTY_SEED    the first seed of the runs (default 1; a failure names its seed)
 *   TD_PROPERTY_STEPS   steps a run (default 2000)
 *   TD_PROPERTY_ITEMS   items that are written and read back (default 20000) */
#include "run.h"

#include "support/build.h"

#define RUNS_A_SPEC 2
#define CHECK_EVERY 100
#define ITEM_ATTRIBUTES_MAX 8

static model_run it;

static void teardown(void)
{
    run_done(&it);
}

/* Random steps; growing: the partitions double three times on the way. */
static void take_steps(bool is_growing)
{
    uint64_t steps = number_from_env("TD_PROPERTY_STEPS", 2000);
    for (uint64_t i = 1; i <= steps; i++) {
        run_begin_step(&it);
        if (is_growing && i % (steps / 4 + 1) == 0) run_grow(&it, i / (steps / 4 + 1));
        uint64_t pick = td_rng_below(&it.rng, 100);
        if (pick < 50)
            run_write(&it);
        else if (pick < 60)
            run_transact_write(&it);
        else if (pick < 71)
            run_get(&it);
        else if (pick < 75)
            run_transact_get(&it);
        else if (pick < 94)
            run_query(&it);
        else if (pick < 99)
            run_scan(&it);
        else
            run_change_indexes(&it);
        if (i % CHECK_EVERY == 0) run_check_everything(&it);
    }
    run_begin_step(&it);
    run_check_everything(&it);
}

START_TEST(a_random_run_equals_the_model)
{
    run_init(&it, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i, (size_t)_i % SPEC_COUNT);
    take_steps(false);
}
END_TEST

/* Consistent reads see the model, the others the model as it was, at every instant and whatever is split meanwhile. */
START_TEST(readers_that_lag_see_the_models_past)
{
    run_init_lagging(&it, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i, (size_t)_i % SPEC_COUNT);
    uint32_t before = run_count_partitions(&it);
    take_steps(true);
    ck_assert_uint_gt(run_count_partitions(&it), before);
}
END_TEST

/* The item of a number: the same at every call. */
static uint32_t make_numbered_item(uint64_t number, td_attribute *ret_attributes, td_arena *arena)
{
    td_rng rng;
    td_rng_init(&rng, number_from_env("TD_PROPERTY_SEED", 1) * 1000003 + number);
    td_number key = td_number_from_int64((int64_t)number);
    td_slice payload;
    ck_assert(td_arena_copy(arena, td_number_slice(&key), &payload));
    uint32_t count = 0;
    ret_attributes[count++] = (td_attribute){TD_LIT("pk"), {.type = TD_TYPE_N, .bytes = payload}};
    static const td_slice names[] = {TD_LIT_INIT("a"), TD_LIT_INIT("b"), TD_LIT_INIT("c"), TD_LIT_INIT("d"),
                                     TD_LIT_INIT("\xE2\x82\xAC")};
    for (size_t i = 0; i < TD_COUNT_OF(names); i++) {
        if (random_chance(&rng, 70)) ret_attributes[count++] = (td_attribute){names[i], random_value(&rng, 4, arena)};
    }
    td_value_sort_attributes(ret_attributes, &count);
    return count;
}

static void put_numbered(model_run *run, uint64_t number)
{
    td_attribute attributes[ITEM_ATTRIBUTES_MAX];
    td_write write = {.kind = TD_WRITE_PUT, .attributes = attributes};
    write.attribute_count = make_numbered_item(number, attributes, &run->arena);
    td_call call = run_call(run);
    td_write_result result;
    CHECK_RUN(run, td_write_item(&call, &write, &result, &run->error) == TD_OK);
    CHECK_RUN(run, result.old_item == NULL);
}

static void get_numbered(model_run *run, uint64_t number)
{
    td_attribute attributes[ITEM_ATTRIBUTES_MAX];
    uint32_t count = make_numbered_item(number, attributes, &run->arena);
    td_attribute key = *attributes;
    for (uint32_t i = 0; i < count; i++) {
        if (td_slice_equal(attributes[i].name, TD_LIT("pk"))) key = attributes[i];
    }
    td_get get = {.key = &key, .key_count = 1};
    td_call call = run_call(run);
    td_get_result result;
    CHECK_RUN(run, td_get_item(&call, &get, &result, &run->error) == TD_OK);
    CHECK_RUN(run, result.item != NULL);
    td_attribute *stored;
    uint32_t stored_count;
    CHECK_RUN(run, td_item_decode(result.item, &run->arena, &stored, &stored_count) == TD_OK);
    td_value wanted = {.type = TD_TYPE_M, .count = count, .attributes = attributes};
    td_value found = {.type = TD_TYPE_M, .count = stored_count, .attributes = stored};
    ck_assert_msg(td_value_equal(&wanted, &found), "item %" PRIu64 ": put %s, got %s", number,
                  show_value(&run->arena, &wanted), show_value(&run->arena, &found));
    CHECK_RUN(run, result.consumed.table == model_units_of_read(td_attributes_size(attributes, count), false));
}

START_TEST(each_random_item_reads_back_equal)
{
    run_init(&it, number_from_env("TD_PROPERTY_SEED", 1), 1);
    uint64_t count = number_from_env("TD_PROPERTY_ITEMS", 20000);
    for (uint64_t number = 0; number < count; number++) {
        run_begin_step(&it);
        put_numbered(&it, number);
    }
    for (uint64_t number = 0; number < count; number++) {
        run_begin_step(&it);
        get_numbered(&it, number);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store model");
    TCase *tests = tcase_create("store model");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, a_random_run_equals_the_model, 0, RUNS_A_SPEC * SPEC_COUNT);
    tcase_add_loop_test(tests, readers_that_lag_see_the_models_past, 0, SPEC_COUNT);
    tcase_add_test(tests, each_random_item_reads_back_equal);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
