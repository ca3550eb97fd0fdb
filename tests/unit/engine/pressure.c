/* SPDX-License-Identifier: Apache-2.0
 * pressure.c: tests of when a table's traffic is judged, and of what follows from it. */
#include "suites.h"
#include "world.h"

#define TICK_S 10
#define SUSTAIN_S 300
#define SPLIT_S 300

/* A hundredth of the service: a partition writes 10 units a second, and is hot from 8 on. */
#define SCALE 0.01

static td_world world;

static void open_with(td_capacity_setting setting, double value)
{
    td_store_options options = world_options();
    options.capacity.values[TD_CAPACITY_capacity_scale] = SCALE;
    options.capacity.values[TD_CAPACITY_ondemand_initial_partitions] = 1;
    options.capacity.values[setting] = value;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
}

static void open_table(void)
{
    open_with(TD_CAPACITY_ondemand_initial_partitions, 1);
}

static td_partition_view partition(void)
{
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    return view.partitions[0];
}

static uint32_t count_partitions(void)
{
    td_table_view view;
    ck_assert(td_observe_table(&world.call, &view));
    return view.partition_count;
}

static void patch(td_capacity_setting setting, double value)
{
    td_capacity_patch change = {0};
    change.has_value[setting] = true;
    change.settings.values[setting] = value;
    ck_assert(td_store_patch_capacity(world.store, world.call.now_us, world.call.scope, TD_LIT(""), &change));
}

/* Puts for some seconds, one of `keys` keys after the other. Throttled ones count like the others. */
static void load(uint32_t per_s, uint32_t keys, double seconds)
{
    uint32_t count = (uint32_t)(per_s * seconds);
    for (uint32_t i = 0; i < count; i++) {
        char key[16];
        snprintf(key, sizeof key, "%u", i % keys);
        (void)try_put(&world, S("pk", key));
        world_forget(&world);
        world_move(&world, 1.0 / per_s);
    }
}

START_TEST(a_table_without_traffic_has_nothing_due)
{
    open_table();
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(any_access_wakes_it)
{
    open_table();
    ck_assert_ptr_null(get(&world, S("pk", "a")));
    ck_assert_int_eq(td_store_next_due(world.store), WORLD_START_US + TICK_S * TD_US_PER_S);
    put(&world, S("pk", "a"));
    ck_assert_int_eq(td_store_next_due(world.store), WORLD_START_US + TICK_S * TD_US_PER_S);
    world_done(&world);
}
END_TEST

/* What was consumed may still be a peak whose double comes half an hour later. */
START_TEST(a_provisioned_table_rests_when_its_windows_are_empty)
{
    open_table();
    make_table(&world, "P", KEY("pk", S), PROVISIONED(5, 5));
    put(&world, S("pk", "a"));
    world_move(&world, SUSTAIN_S);
    ck_assert_int_eq(td_store_next_due(world.store), WORLD_START_US + (SUSTAIN_S + TICK_S) * TD_US_PER_S);
    world_move(&world, TICK_S);
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    put(&world, S("pk", "a"));
    ck_assert_int_eq(td_store_next_due(world.store), world.call.now_us + TICK_S * TD_US_PER_S);
    world_move(&world, 3600);
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(the_divisor_makes_ticks_shorter)
{
    open_with(TD_CAPACITY_duration_divisor, 10);
    put(&world, S("pk", "a"));
    ck_assert_int_eq(td_store_next_due(world.store), WORLD_START_US + TD_US_PER_S);
    world_done(&world);
}
END_TEST

START_TEST(a_dropped_table_is_judged_no_more)
{
    open_table();
    put(&world, S("pk", "a"));
    td_store_drop_all(world.store);
    ck_assert_int_eq(td_store_next_due(world.store), TD_NEVER);
    world_done(&world);
}
END_TEST

START_TEST(a_hot_partition_is_split_ten_minutes_after_the_onset)
{
    open_table();
    load(20, 40, SUSTAIN_S + SPLIT_S - 0.5);
    ck_assert_uint_eq(count_partitions(), 1);
    load(20, 40, 1);
    ck_assert_uint_eq(count_partitions(), 2);
    world_done(&world);
}
END_TEST

START_TEST(it_is_split_though_the_load_is_over_by_then)
{
    open_table();
    load(20, 40, SUSTAIN_S + 1);
    world_move(&world, SPLIT_S);
    ck_assert_uint_eq(count_partitions(), 2);
    world_done(&world);
}
END_TEST

START_TEST(with_the_divisor_it_is_split_that_much_sooner)
{
    open_with(TD_CAPACITY_duration_divisor, 10);
    load(20, 40, (SUSTAIN_S + SPLIT_S) / 10 - 0.5);
    ck_assert_uint_eq(count_partitions(), 1);
    load(20, 40, 1);
    ck_assert_uint_eq(count_partitions(), 2);
    world_done(&world);
}
END_TEST

START_TEST(a_sustain_beyond_the_ring_of_windows_is_waited_for)
{
    open_with(TD_CAPACITY_heat_sustain, 1800);
    load(10, 40, 1800 + SPLIT_S - 1);
    ck_assert_uint_eq(count_partitions(), 1);
    load(10, 40, 2);
    ck_assert_uint_eq(count_partitions(), 2);
    world_done(&world);
}
END_TEST

typedef struct switch_case {
    td_capacity_setting setting;
    double value;
} switch_case;

static const switch_case switches[] = {{TD_CAPACITY_heat_split, 0}, {TD_CAPACITY_partition_write_cap, 10000}};

START_TEST(nothing_is_split_that_may_not_be_or_is_not_hot)
{
    open_with(switches[_i].setting, switches[_i].value);
    load(20, 40, SUSTAIN_S + SPLIT_S + 10);
    ck_assert_uint_eq(count_partitions(), 1);
    ck_assert_int_eq(partition().veto, TD_VETO_NONE);
    world_done(&world);
}
END_TEST

START_TEST(nothing_is_split_where_limits_are_off_but_what_is_observed_is)
{
    static const td_enforce enforces[] = {TD_ENFORCE_OFF, TD_ENFORCE_OBSERVE};
    td_store_options options = world_options();
    options.capacity.values[TD_CAPACITY_capacity_scale] = SCALE;
    options.capacity.values[TD_CAPACITY_ondemand_initial_partitions] = 1;
    options.capacity.enforce = enforces[_i];
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    load(20, 40, SUSTAIN_S + SPLIT_S + 10);
    ck_assert_uint_eq(count_partitions(), enforces[_i] == TD_ENFORCE_OFF ? 1 : 2);
    world_done(&world);
}
END_TEST

START_TEST(a_veto_stands_as_long_as_the_partition_is_hot)
{
    open_table();
    load(20, 1, SUSTAIN_S - 5);
    ck_assert_int_eq(partition().veto, TD_VETO_NONE);
    load(20, 1, 10);
    ck_assert_int_eq(partition().veto, TD_VETO_SINGLE_ITEM);
    load(20, 1, 600);
    ck_assert_int_eq(partition().veto, TD_VETO_SINGLE_ITEM);
    ck_assert_uint_eq(count_partitions(), 1);
    world_move(&world, 120);
    ck_assert_int_eq(partition().veto, TD_VETO_NONE);
    world_done(&world);
}
END_TEST

START_TEST(a_veto_goes_when_the_keys_allow_a_split)
{
    open_table();
    load(20, 1, SUSTAIN_S + 10);
    ck_assert_int_eq(partition().veto, TD_VETO_SINGLE_ITEM);
    load(20, 40, SUSTAIN_S);
    ck_assert_int_eq(partition().veto, TD_VETO_NONE);
    load(20, 40, SPLIT_S);
    ck_assert_uint_eq(count_partitions(), 2);
    world_done(&world);
}
END_TEST

START_TEST(heat_split_off_takes_a_veto_away)
{
    open_table();
    load(20, 1, SUSTAIN_S + 10);
    ck_assert_int_eq(partition().veto, TD_VETO_SINGLE_ITEM);
    patch(TD_CAPACITY_heat_split, 0);
    load(20, 1, TICK_S);
    ck_assert_int_eq(partition().veto, TD_VETO_NONE);
    world_done(&world);
}
END_TEST

/* The instant at which the second partition appears. */
static double split_with_seed(uint64_t seed)
{
    td_store_options options = world_options();
    options.seed = seed;
    options.capacity.values[TD_CAPACITY_capacity_scale] = SCALE;
    options.capacity.values[TD_CAPACITY_ondemand_initial_partitions] = 1;
    options.capacity.values[TD_CAPACITY_split_jitter] = 1;
    world_init_with(&world, options);
    make_table(&world, "T", KEY("pk", S));
    load(20, 40, SUSTAIN_S);
    double waited_s = 0;
    for (; count_partitions() == 1 && waited_s < 2 * SPLIT_S; waited_s++) {
        world_forget(&world);
        world_move(&world, 1);
    }
    world_done(&world);
    return waited_s;
}

START_TEST(jitter_takes_from_two_to_eight_minutes_by_the_seed)
{
    double shortest = 2 * SPLIT_S;
    double longest = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double waited_s = split_with_seed(seed);
        ck_assert_double_eq(split_with_seed(seed), waited_s);
        ck_assert_double_ge(waited_s, 0.4 * SPLIT_S);
        ck_assert_double_le(waited_s, 1.6 * SPLIT_S + 1);
        if (waited_s < shortest) shortest = waited_s;
        if (waited_s > longest) longest = waited_s;
    }
    ck_assert_double_gt(longest - shortest, 0.5 * SPLIT_S);
}
END_TEST

TCase *pressure_tests(void)
{
    TCase *tests = tcase_create("pressure");
    tcase_set_timeout(tests, 0);
    tcase_add_test(tests, a_table_without_traffic_has_nothing_due);
    tcase_add_test(tests, any_access_wakes_it);
    tcase_add_test(tests, a_provisioned_table_rests_when_its_windows_are_empty);
    tcase_add_test(tests, the_divisor_makes_ticks_shorter);
    tcase_add_test(tests, a_dropped_table_is_judged_no_more);
    tcase_add_test(tests, a_hot_partition_is_split_ten_minutes_after_the_onset);
    tcase_add_test(tests, it_is_split_though_the_load_is_over_by_then);
    tcase_add_test(tests, with_the_divisor_it_is_split_that_much_sooner);
    tcase_add_test(tests, a_sustain_beyond_the_ring_of_windows_is_waited_for);
    tcase_add_loop_test(tests, nothing_is_split_that_may_not_be_or_is_not_hot, 0, (int)TD_COUNT_OF(switches));
    tcase_add_loop_test(tests, nothing_is_split_where_limits_are_off_but_what_is_observed_is, 0, 2);
    tcase_add_test(tests, a_veto_stands_as_long_as_the_partition_is_hot);
    tcase_add_test(tests, a_veto_goes_when_the_keys_allow_a_split);
    tcase_add_test(tests, heat_split_off_takes_a_veto_away);
    tcase_add_test(tests, jitter_takes_from_two_to_eight_minutes_by_the_seed);
    return tests;
}
