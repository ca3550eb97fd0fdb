/* SPDX-License-Identifier: Apache-2.0
 * sizing.c: tests of settings, presets, scaled constants and counts of partitions. */
#include "capacity/sizing.h"

#include "suites.h"

static td_capacity_settings defaults(void)
{
    td_capacity_settings settings;
    td_capacity_settings_init(&settings);
    return settings;
}

static td_capacity_settings preset_of(const char *name)
{
    td_capacity_settings settings;
    ck_assert(td_capacity_settings_preset(&settings, td_slice_of_cstr(name)));
    return settings;
}

START_TEST(every_default_lies_in_its_range)
{
    const td_capacity_row *row = &td_capacity_rows[_i];
    ck_assert_ptr_nonnull(row->name);
    ck_assert_double_ge(row->default_value, row->min);
    ck_assert_double_le(row->default_value, row->max);
    ck_assert_uint_gt(strlen(row->meaning), 0);
}
END_TEST

START_TEST(faithful_is_the_service)
{
    td_capacity_settings settings = preset_of("faithful");
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    ck_assert_int_eq(settings.enforce, TD_ENFORCE_ON);
    ck_assert_double_eq(effect.partition_cap[TD_READ], 3000);
    ck_assert_double_eq(effect.partition_cap[TD_WRITE], 1000);
    ck_assert_double_eq(effect.table_quota[TD_WRITE], 40000);
    ck_assert_double_eq(effect.burst_window_s, 300);
    ck_assert_int_eq(effect.decrease_budget, 4);
    ck_assert_int_eq(effect.decrease_interval_us, 3600 * TD_US_PER_S);
    ck_assert_int_eq(effect.to_on_demand_us, 130 * TD_US_PER_S);
    ck_assert_uint_eq(effect.on_demand_partitions, 4);
}
END_TEST

START_TEST(laptop_shrinks_caps_and_durations_but_not_what_users_provision)
{
    td_capacity_settings settings = preset_of("laptop");
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    ck_assert_double_eq(effect.partition_cap[TD_WRITE], 100);
    ck_assert_double_eq(effect.partition_cap[TD_READ], 300);
    ck_assert_double_eq(effect.table_quota[TD_READ], 4000);
    ck_assert_double_eq(effect.burst_window_s, 5);
    ck_assert_double_eq(effect.partition_cap_window_s, 1);
    ck_assert_double_eq(effect.user_scale, 1);
    ck_assert_int_eq(effect.decrease_interval_us, 60 * TD_US_PER_S);
    ck_assert_uint_eq(effect.on_demand_partitions, 4); /* fewer units from as many partitions */
    ck_assert_double_eq(effect.nominal_quota[TD_WRITE], 40000);
    ck_assert_int_eq(effect.double_delay_us, 30 * TD_US_PER_S);
    ck_assert_int_eq(effect.minute_us, TD_US_PER_S);
    ck_assert_int_eq(effect.on_demand_switch_window_us, 1440 * TD_US_PER_S);
}
END_TEST

START_TEST(scale_reaches_provisioned_throughput_only_when_told)
{
    td_capacity_settings settings = preset_of("laptop");
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    ck_assert_uint_eq(td_partitions_for_provisioned(&effect, 1, 1000), 11);
    settings.values[TD_CAPACITY_scale_provisioned] = 1;
    effect = td_capacity_get_effect(&settings);
    ck_assert_double_eq(effect.user_scale, 0.1);
    ck_assert_uint_eq(td_partitions_for_provisioned(&effect, 1, 999), 1);
}
END_TEST

START_TEST(a_minute_is_whole_seconds_and_no_more_than_sixty)
{
    static const struct {
        double divisor;
        int64_t seconds;
    } cases[] = {{1, 60}, {0.5, 60}, {7, 8}, {60, 1}, {1000, 1}};
    for (size_t i = 0; i < TD_COUNT_OF(cases); i++) {
        td_capacity_settings settings = defaults();
        settings.values[TD_CAPACITY_duration_divisor] = cases[i].divisor;
        ck_assert_int_eq(td_capacity_get_effect(&settings).minute_us, cases[i].seconds * TD_US_PER_S);
    }
}
END_TEST

START_TEST(an_unknown_preset_changes_nothing)
{
    td_capacity_settings settings = defaults();
    settings.values[TD_CAPACITY_burst_window] = 42;
    ck_assert(!td_capacity_settings_preset(&settings, TD_LIT("lap")));
    ck_assert_double_eq(settings.values[TD_CAPACITY_burst_window], 42);
}
END_TEST

typedef struct sizing_case {
    double read;
    double written;
    uint32_t provisioned;
    uint32_t warm;
} sizing_case;

static const sizing_case sizing_cases[] = {
    {1, 1, 1, 1},           {1000, 500, 1, 1},        {1000, 1000, 2, 1}, {5000, 2000, 4, 2},     {8000, 2000, 5, 3},
    {10000, 10000, 14, 10}, {3000, 10000, 11, 10},    {1500, 500, 1, 1},  {2100, 300, 1, 1},      {12000, 4000, 8, 4},
    {12001, 4000, 9, 5},    {180000, 60000, 120, 60}, {300, 900, 1, 1},   {40000, 40000, 54, 40},
};

START_TEST(partitions_follow_the_published_formula)
{
    const sizing_case *row = &sizing_cases[_i];
    td_capacity_settings settings = defaults();
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    ck_assert_uint_eq(td_partitions_for_provisioned(&effect, row->read, row->written), row->provisioned);
    ck_assert_uint_eq(td_partitions_for_warm(&effect, row->read, row->written), row->warm);
}
END_TEST

START_TEST(a_raise_doubles_until_it_fits)
{
    ck_assert_uint_eq(td_partitions_double_to(4, 5), 8); /* the guide's 5000/2000 raised to 8000/2000 */
    ck_assert_uint_eq(td_partitions_double_to(4, 4), 4);
    ck_assert_uint_eq(td_partitions_double_to(8, 5), 8);
    ck_assert_uint_eq(td_partitions_double_to(3, 20), 24);
    ck_assert_uint_eq(td_partitions_double_to(70000, 80000), TD_LIMIT_PARTITIONS_MAX);
}
END_TEST

START_TEST(on_demand_starts_with_four_and_keeps_what_was_provisioned)
{
    td_capacity_settings settings = defaults();
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    ck_assert_uint_eq(td_partitions_for_on_demand(&effect, 0, 0), 4);
    ck_assert_uint_eq(td_partitions_for_on_demand(&effect, 100, 20000), 20);
    ck_assert_uint_eq(td_partitions_for_on_demand(&effect, 30000, 1), 10);
}
END_TEST

START_TEST(absurd_throughput_is_bounded)
{
    td_capacity_settings settings = defaults();
    settings.values[TD_CAPACITY_partition_write_cap] = 0.001;
    td_capacity_effect effect = td_capacity_get_effect(&settings);
    ck_assert_uint_eq(td_partitions_for_provisioned(&effect, 1, 40000), TD_LIMIT_PARTITIONS_MAX);
}
END_TEST

TCase *sizing_tests(void)
{
    TCase *tests = tcase_create("sizing");
    tcase_add_loop_test(tests, every_default_lies_in_its_range, 0, TD_CAPACITY_SETTING_COUNT);
    tcase_add_test(tests, faithful_is_the_service);
    tcase_add_test(tests, laptop_shrinks_caps_and_durations_but_not_what_users_provision);
    tcase_add_test(tests, scale_reaches_provisioned_throughput_only_when_told);
    tcase_add_test(tests, a_minute_is_whole_seconds_and_no_more_than_sixty);
    tcase_add_test(tests, an_unknown_preset_changes_nothing);
    tcase_add_loop_test(tests, partitions_follow_the_published_formula, 0, (int)TD_COUNT_OF(sizing_cases));
    tcase_add_test(tests, a_raise_doubles_until_it_fits);
    tcase_add_test(tests, on_demand_starts_with_four_and_keeps_what_was_provisioned);
    tcase_add_test(tests, absurd_throughput_is_bounded);
    return tests;
}
