/* SPDX-License-Identifier: Apache-2.0
 * units.c: tests of bytes into units, against the worked examples of throttling.md §1. */
#include "thermodyn/capacity.h"

#include "suites.h"

typedef struct units_case {
    uint64_t bytes;
    td_units eventual;
    td_units consistent;
    td_units written;
} units_case;

static const units_case cases[] = {
    {0, 500, 1000, 1000},
    {1, 500, 1000, 1000},
    {1024, 500, 1000, 1000},
    {1025, 500, 1000, 2000},
    {4096, 500, 1000, 4000},
    {4097, 1000, 2000, 5000},
    {8192, 1000, 2000, 8000},
    {6656, 1000, 2000, 7000},
    {409600, 50000, 100000, 400000},
    {1048576, 128000, 256000, 1024000},
};

START_TEST(units_round_up_to_whole_blocks)
{
    const units_case *row = &cases[_i];
    ck_assert_int_eq(td_units_of_read(row->bytes, false), row->eventual);
    ck_assert_int_eq(td_units_of_read(row->bytes, true), row->consistent);
    ck_assert_int_eq(td_units_of_write(row->bytes), row->written);
}
END_TEST

START_TEST(consumed_total_is_the_table_and_all_indexes)
{
    td_consumed consumed = {.table = 1500, .index_count = 2};
    consumed.indexes[0] = (td_consumed_index){.name = TD_LIT("a"), .units = 2000};
    consumed.indexes[1] = (td_consumed_index){.name = TD_LIT("b"), .is_global = true, .units = 500};
    ck_assert_int_eq(td_consumed_total(&consumed), 4000);
}
END_TEST

TCase *units_tests(void)
{
    TCase *tests = tcase_create("units");
    tcase_add_loop_test(tests, units_round_up_to_whole_blocks, 0, (int)TD_COUNT_OF(cases));
    tcase_add_test(tests, consumed_total_is_the_table_and_all_indexes);
    return tests;
}
