/* SPDX-License-Identifier: Apache-2.0
 * snapshots.c: going back to any snapshot, in any order, gives what the model was when it was kept: items and every
 * index, in seeded random runs with transactions, indexes removed and made, tables dropped and made anew, splits,
 * snapshots replaced and removed.
 *
 *   TD_PROPERTY_SEED    the first seed (default 1; a failure names its seed)
 *   TD_PROPERTY_STEPS   steps a run (default 1500) */
#include "kept.h"

#include "support/build.h"
#include "thermodyn/observe.h"
#include "thermodyn/snapshot.h"

#define RUNS_A_SPEC 2
#define NAMES 7
#define PARTITIONS_MAX 60
#define CHECK_EVERY 100

typedef struct snapshots_run {
    model_run run;
    bool has_table;
    kept kept[NAMES];
    uint64_t restores;
} snapshots_run;

static snapshots_run it;

static td_slice name_of(size_t number)
{
    static const char *const names[NAMES] = {"a", "b", "c", "d", "e", "f", "g"};
    return td_slice_of_cstr(names[number]);
}

static void keep(size_t number)
{
    kept_keep(&it.kept[number], &it.run, name_of(number), it.has_table);
}

static void go_back(size_t number)
{
    it.restores += it.kept[number].is_kept;
    it.has_table = kept_go_back(&it.kept[number], &it.run, name_of(number), it.has_table);
}

static void remove_some(size_t number)
{
    model_run *run = &it.run;
    bool is_all = random_chance(&run->rng, 5);
    uint32_t expected = 0;
    for (size_t i = 0; i < NAMES; i++) {
        if (is_all || i == number) expected += it.kept[i].is_kept;
    }
    CHECK_RUN(run, td_snapshot_remove(run->store, is_all ? TD_LIT("") : name_of(number)) == expected);
    for (size_t i = 0; i < NAMES; i++) {
        if (is_all || i == number) kept_forget(&it.kept[i]);
    }
}

/* Gone, or there anew, empty. */
static void change_tables(void)
{
    model_run *run = &it.run;
    td_call call = run_call(run);
    td_table_info info;
    if (it.has_table) {
        CHECK_RUN(run, td_table_delete(&call, &info, &run->error) == TD_OK);
        kept_empty_model(run);
    } else {
        CHECK_RUN(run, td_table_create(&call, &run->table.spec, &info, &run->error) == TD_OK);
    }
    it.has_table = !it.has_table;
}

static void split(void)
{
    model_run *run = &it.run;
    td_call call = run_call(run);
    td_table_view view;
    CHECK_RUN(run, td_observe_table(&call, &view));
    if (view.partition_count > PARTITIONS_MAX) return;
    const td_partition_view *picked = &view.partitions[td_rng_below(&run->rng, view.partition_count)];
    td_split_veto veto = TD_VETO_NONE;
    td_split_answer answer = td_partition_split(&call, picked->index, td_slice_of_cstr(picked->id), &veto);
    CHECK_RUN(run, answer == TD_SPLIT_DONE || answer == TD_SPLIT_VETOED);
}

static void use_table(void)
{
    model_run *run = &it.run;
    uint64_t pick = td_rng_below(&run->rng, 100);
    if (pick < 60)
        run_write(run);
    else if (pick < 75)
        run_transact_write(run);
    else if (pick < 80)
        run_get(run);
    else if (pick < 90)
        run_query(run);
    else if (pick < 94)
        run_change_indexes(run);
    else
        split();
}

static void check_list(void)
{
    model_run *run = &it.run;
    td_call call = run_call(run);
    td_snapshot_info *infos = NULL;
    uint32_t count = 0;
    CHECK_RUN(run, td_snapshot_list(&call, &infos, &count));
    for (size_t i = 0, at = 0; i < NAMES; i++) {
        if (!it.kept[i].is_kept) continue;
        CHECK_RUN(run, at < count && td_slice_equal(infos[at].name, name_of(i)));
        CHECK_RUN(run, infos[at].items == it.kept[i].count);
        at++;
    }
}

static void take_step(void)
{
    model_run *run = &it.run;
    uint64_t pick = td_rng_below(&run->rng, 100);
    size_t number = td_rng_below(&run->rng, NAMES);
    if (pick < 4)
        keep(number);
    else if (pick < 8)
        go_back(number);
    else if (pick < 9)
        remove_some(number);
    else if (pick < 10 || !it.has_table)
        change_tables();
    else
        use_table();
    bool is_due = run->step % CHECK_EVERY == 0 || (pick >= 4 && pick < 8);
    if (is_due) check_list();
    if (is_due && it.has_table) run_check_contents(run);
    if (is_due) CHECK_RUN(run, td_store_table_count(run->store) == it.has_table);
}

static void take_steps(void)
{
    uint64_t steps = number_from_env("TD_PROPERTY_STEPS", 1500);
    it.has_table = true;
    for (uint64_t i = 0; i < steps; i++) {
        run_begin_step(&it.run);
        take_step();
    }
    ck_assert_uint_gt(it.restores, 0);
}

static void teardown(void)
{
    for (size_t i = 0; i < NAMES; i++)
        kept_forget(&it.kept[i]);
    run_done(&it.run);
    it = (snapshots_run){.has_table = false};
}

START_TEST(a_snapshot_gives_what_was_kept)
{
    run_init(&it.run, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i, (size_t)_i % SPEC_COUNT);
    take_steps();
}
END_TEST

START_TEST(readers_that_lag_see_what_was_kept_at_once)
{
    run_init_lagging(&it.run, number_from_env("TD_PROPERTY_SEED", 1) + (uint64_t)_i, (size_t)_i % SPEC_COUNT);
    take_steps();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("snapshots");
    TCase *tests = tcase_create("snapshots");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_set_timeout(tests, 0);
    tcase_add_loop_test(tests, a_snapshot_gives_what_was_kept, 0, RUNS_A_SPEC * SPEC_COUNT);
    tcase_add_loop_test(tests, readers_that_lag_see_what_was_kept_at_once, 0, SPEC_COUNT);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
