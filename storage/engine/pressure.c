/* SPDX-License-Identifier: Apache-2.0
 * pressure.c: the tick at which traffic is judged: which partition is split for its heat, and why another is not.
 *
 * Model:    throttling.md §6.3. A partition that was hot for heat_sustain is split split_duration later at the point
 *           that its keys give; so relief comes ten minutes after the onset of a load. A veto stands as long as the
 *           partition is hot and is looked at again at each tick.
 *           With enforce "off" nothing has a limit that it could be near, and nothing is split.
 * Windows:  a tick each, or several where heat_sustain is longer than TD_DEMAND_WINDOWS ticks.
 * Not here: what hot means and where to split (storage/capacity/demand.c, split_choice.c), how it is done (split.c). */
#include "pressure.h"

#include "thermodyn/map.h"

#include "boost.h"
#include "catalog.h"
#include "growth.h"
#include "split.h"

static bool tick_locked(td_table *table, td_time_us now_us);
static td_demand_rule rule_of(const td_table *table, uint32_t *ret_ticks_per_window);
static void judge_locked(td_table *table, uint32_t resource, td_partition *partition, const td_demand_rule *rule,
                         td_time_us now_us);

/* Without memory for the due entry the next access tries again. */
void td_pressure__start_locked(td_table *table, td_time_us now_us)
{
    TD_ASSERT(!table->is_under_pressure);
    td_time_us due_us = now_us + table->effect.pressure_tick_us;
    if (!td_due__push(&table->store->due, due_us, TD_DUE_PRESSURE, table)) return;
    table->is_under_pressure = true;
    table->pressure_ticks = 0;
    td_rng_init(&table->rng, td_hash64(td_slice_of_cstr(table->id)) ^ (uint64_t)now_us);
}

void td_pressure__run_due(td_table *table, td_time_us due_us)
{
    td_table__lock(table);
    if (!table->is_gone) {
        TD_ASSERT(table->is_under_pressure);
        td_time_us next_us = due_us + table->effect.pressure_tick_us;
        table->is_under_pressure =
            tick_locked(table, due_us) && td_due__push(&table->store->due, next_us, TD_DUE_PRESSURE, table);
    }
    td_table__unlock(table);
}

/* Answers whether there is anything left to wait for. */
static bool tick_locked(td_table *table, td_time_us now_us)
{
    uint32_t ticks_per_window = 1;
    td_demand_rule rule = rule_of(table, &ticks_per_window);
    table->pressure_ticks++;
    bool ends_window = table->pressure_ticks % ticks_per_window == 0;
    bool is_busy = !ends_window;
    for (uint32_t i = 0; ends_window && i < table->resource_count; i++) {
        td_resource *resource = table->resources[i];
        for (uint32_t k = 0; k < resource->partition_count; k++) {
            td_partition *partition = resource->partitions[k];
            td_demand_advance(&partition->demand, &rule, &table->rng);
            judge_locked(table, i, partition, &rule, now_us);
            is_busy = is_busy || !td_demand_is_idle(&partition->demand, &rule);
        }
    }
    if (ends_window) td_boost__tick_locked(table, ticks_per_window * table->effect.pressure_tick_us, now_us);
    bool is_growing = td_growth__tick_locked(table, now_us);
    return is_busy || is_growing;
}

static td_demand_rule rule_of(const td_table *table, uint32_t *ret_ticks_per_window)
{
    const td_capacity_effect *effect = &table->effect;
    td_time_us tick_us = effect->pressure_tick_us;
    int64_t ticks = (effect->heat_sustain_us + tick_us - 1) / tick_us;
    if (ticks < 1) ticks = 1;
    int64_t ticks_per_window = (ticks + TD_DEMAND_WINDOWS - 1) / TD_DEMAND_WINDOWS;
    td_demand_rule rule = {.windows = (uint32_t)((ticks + ticks_per_window - 1) / ticks_per_window)};
    if (effect->has_heat_split && table->settings.enforce != TD_ENFORCE_OFF) {
        double window_s = (double)(tick_us * ticks_per_window) / (double)TD_US_PER_S;
        for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
            double units = effect->heat_threshold * effect->partition_cap[d] * window_s * (double)TD_UNITS_ONE;
            rule.hot[d] = units < 1 ? 1 : (td_units)units;
        }
    }
    *ret_ticks_per_window = (uint32_t)ticks_per_window;
    return rule;
}

/* Plans a split where one of the directions has a point; a veto stands when none has one. Without memory for the plan
 * the next tick tries again. */
static void judge_locked(td_table *table, uint32_t resource, td_partition *partition, const td_demand_rule *rule,
                         td_time_us now_us)
{
    bool can_cut_collections = resource > 0 || table->schema->local_count == 0;
    td_split_veto veto = TD_VETO_NONE;
    for (int d = 0; d < TD_DIRECTION_COUNT && partition->plan == NULL; d++) {
        td_direction direction = (td_direction)d;
        const td_demand *demand = &partition->demand;
        if (!td_demand_is_hot(demand, direction, rule) || !td_demand_is_sampled(demand, direction)) continue;
        td_demand_choice choice = td_demand_choose(demand, direction, can_cut_collections);
        if (choice.veto == TD_VETO_NONE) {
            td_slice bound = td_slice_of(choice.bound, choice.bound_len);
            td_time_us due_us = td_split__due_locked(table, now_us);
            veto = TD_VETO_NONE;
            if (td_split__plan_locked(table, resource, bound, TD_SPLIT_FOR_HEAT, due_us)) break;
        } else if (veto == TD_VETO_NONE) {
            veto = choice.veto;
        }
    }
    td_split__set_veto(table->resources[resource], partition, veto, now_us);
}
