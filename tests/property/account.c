/* SPDX-License-Identifier: Apache-2.0
 * account.c: what the operations of a run were told that they consumed, summed up, and heat maps that must say the
 * same. A write whose condition fails is charged and told nothing: the rule gives its units (throttling.md §1.3). */
#include "run.h"

#include "thermodyn/heat.h"

static run_units *find_units(model_run *run, td_slice index);
static void check_resource(model_run *run, td_slice index, td_heat_metric metric, td_units expected);
static td_units sum_of_map(const td_heatmap *map);

void run_count(model_run *run, td_direction direction, const td_consumed *consumed)
{
    find_units(run, TD_LIT(""))->units[direction] += consumed->table;
    for (uint32_t i = 0; i < consumed->index_count; i++) {
        const td_consumed_index *index = &consumed->indexes[i];
        find_units(run, index->is_global ? index->name : TD_LIT(""))->units[direction] += index->units;
    }
}

void run_count_failed_write(model_run *run, const td_item *old_item, const td_item *new_item, td_units factor)
{
    uint64_t old_size = old_item == NULL ? 0 : td_item_size(old_item);
    uint64_t new_size = new_item == NULL ? 0 : td_item_size(new_item);
    td_consumed consumed = {.table = factor * model_units_of_write(old_size > new_size ? old_size : new_size)};
    run_count(run, TD_WRITE, &consumed);
}

void run_forget_units(model_run *run, td_slice index)
{
    run_units *told = find_units(run, index);
    *told = (run_units){.index = told->index};
}

void run_check_heat(model_run *run)
{
    for (uint32_t i = 0; i <= run->table.spec.index_count; i++) {
        const td_index_spec *index = i == 0 ? NULL : &run->table.spec.indexes[i - 1];
        if (index != NULL && !index->is_global) continue;
        td_slice name = index == NULL ? TD_LIT("") : index->name;
        const run_units *told = find_units(run, name);
        check_resource(run, name, TD_HEAT_READ, told->units[TD_READ]);
        check_resource(run, name, TD_HEAT_WRITE, told->units[TD_WRITE]);
        check_resource(run, name, TD_HEAT_THROTTLE, 0);
    }
}

static run_units *find_units(model_run *run, td_slice index)
{
    for (uint32_t i = 0; i < run->told_count; i++) {
        if (td_slice_equal(run->told[i].index, index)) return &run->told[i];
    }
    ck_assert(run->told_count < TD_COUNT_OF(run->told));
    td_slice kept = TD_LIT(""); /* the spec's name, which outlives the step */
    for (uint32_t i = 0; i < run->table.spec.index_count; i++) {
        if (td_slice_equal(run->table.spec.indexes[i].name, index)) kept = run->table.spec.indexes[i].name;
    }
    CHECK_RUN(run, td_slice_equal(kept, index));
    run->told[run->told_count] = (run_units){.index = kept};
    return &run->told[run->told_count++];
}

/* Whatever the window's grain, as long as it is all of the run. */
static void check_resource(model_run *run, td_slice index, td_heat_metric metric, td_units expected)
{
    td_call call = run_call(run);
    td_heatmap_request request = {.index = index,
                                  .metric = metric,
                                  .from_us = run->start_us,
                                  .columns = 1 + (uint32_t)td_rng_below(&run->rng, 300),
                                  .rows = 1 + (uint32_t)td_rng_below(&run->rng, 64)};
    td_heatmap map;
    CHECK_RUN(run, td_heat_map(&call, &request, &map) == TD_HEAT_OK);
    CHECK_RUN(run, map.from_us <= run->start_us && map.to_us > run->now_us);
    ck_assert_msg(sum_of_map(&map) == expected,
                  "seed %" PRIu64 ", step %" PRIu32 ", \"%.*s\" %d: told %lld, shown %lld", run->seed, run->step,
                  (int)index.len, (const char *)index.ptr, (int)metric, (long long)expected,
                  (long long)sum_of_map(&map));
}

static td_units sum_of_map(const td_heatmap *map)
{
    td_units sum = 0;
    for (size_t i = 0; i < (size_t)map->row_count * map->column_count; i++)
        sum += map->cells[i];
    return sum;
}
