/* SPDX-License-Identifier: Apache-2.0
 * snapshots.c: going back to any snapshot, in any order, gives what the model was when it was kept: items and every
 * index, in seeded random runs of steps.h.
 *
 *   TD_PROPERTY_SEED    the first seed (default 1; a failure names its seed)
 *   TD_PROPERTY_STEPS   steps a run (default 1500) */
#include "steps.h"

#define RUNS_A_SPEC 2
#define CHECK_EVERY 100

static steps it;

static void setup(void)
{
    it = (steps){.has_table = true};
}

static void teardown(void)
{
    steps_done(&it);
}

static void take_steps(void)
{
    uint64_t count = number_from_env("TD_PROPERTY_STEPS", 1500);
    for (uint64_t i = 1; i <= count; i++) {
        steps_take(&it);
        if (i % CHECK_EVERY == 0) steps_check(&it);
    }
    ck_assert_uint_gt(it.restores, 0);
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
    tcase_add_checked_fixture(tests, setup, teardown);
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
