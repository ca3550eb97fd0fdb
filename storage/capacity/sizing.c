/* SPDX-License-Identifier: Apache-2.0
 * sizing.c: settings with scale and divisor applied, and counts of partitions (throttling.md §2.3, §6.5).
 *
 * Not here: where the partitions lie and when they come (storage/engine/partition.c). */
#include "sizing.h"

#include <math.h>

/* What sums of quotients may be off by: 0.7 + 0.2 + 0.1 asks for one partition. */
#define ROUNDING_SLACK 1e-9

/* Source: AWS switching capacity modes, "up to four times in a rolling 24-hour window". */
#define ON_DEMAND_SWITCH_WINDOW_S 86400.0

static td_time_us duration_us(const td_capacity_settings *settings, td_capacity_setting setting);
static td_time_us divided_us(const td_capacity_settings *settings, double seconds);
static td_time_us minute_us(const td_capacity_settings *settings);
static td_time_us pressure_tick_us(const td_capacity_settings *settings);
static uint32_t whole_partitions(double share);

td_capacity_effect td_capacity_get_effect(const td_capacity_settings *settings)
{
    const double *values = settings->values;
    double scale = values[TD_CAPACITY_capacity_scale];
    return (td_capacity_effect){
        .era = settings->era,
        .partition_cap = {[TD_READ] = values[TD_CAPACITY_partition_read_cap] * scale,
                          [TD_WRITE] = values[TD_CAPACITY_partition_write_cap] * scale},
        .partition_cap_window_s = values[TD_CAPACITY_partition_cap_window],
        .nominal_cap =
            {[TD_READ] = values[TD_CAPACITY_partition_read_cap], [TD_WRITE] = values[TD_CAPACITY_partition_write_cap]},
        .table_quota = {[TD_READ] = values[TD_CAPACITY_table_read_quota] * scale,
                        [TD_WRITE] = values[TD_CAPACITY_table_write_quota] * scale},
        .nominal_quota =
            {[TD_READ] = values[TD_CAPACITY_table_read_quota], [TD_WRITE] = values[TD_CAPACITY_table_write_quota]},
        .user_scale = values[TD_CAPACITY_scale_provisioned] != 0 ? scale : 1,
        .burst_window_s = values[TD_CAPACITY_burst_window] / values[TD_CAPACITY_duration_divisor],
        .initial_fill = values[TD_CAPACITY_initial_burst_fill],
        .on_demand_partitions = whole_partitions(values[TD_CAPACITY_ondemand_initial_partitions]),
        .double_delay_us = duration_us(settings, TD_CAPACITY_ondemand_double_delay),
        .minute_us = minute_us(settings),
        .partition_bytes = values[TD_CAPACITY_partition_bytes] * scale,
        .has_heat_split = values[TD_CAPACITY_heat_split] != 0,
        .heat_threshold = values[TD_CAPACITY_heat_threshold],
        .heat_sustain_us = duration_us(settings, TD_CAPACITY_heat_sustain),
        .split_duration_us = duration_us(settings, TD_CAPACITY_split_duration),
        .has_split_jitter = values[TD_CAPACITY_split_jitter] != 0,
        .boost_delay_us = duration_us(settings, TD_CAPACITY_boost_delay),
        .warm_raise_us = duration_us(settings, TD_CAPACITY_warm_raise_duration),
        .index_backlog_s = values[TD_CAPACITY_gsi_backlog] / values[TD_CAPACITY_duration_divisor],
        .pressure_tick_us = pressure_tick_us(settings),
        .decrease_budget = (int64_t)values[TD_CAPACITY_decrease_budget],
        .decrease_interval_us = duration_us(settings, TD_CAPACITY_decrease_interval),
        .table_create_us = duration_us(settings, TD_CAPACITY_table_create),
        .table_delete_us = duration_us(settings, TD_CAPACITY_table_delete),
        .index_create_us = duration_us(settings, TD_CAPACITY_index_create),
        .index_delete_us = duration_us(settings, TD_CAPACITY_index_delete),
        .throughput_update_us = duration_us(settings, TD_CAPACITY_pt_update),
        .on_demand_switches = (int64_t)values[TD_CAPACITY_ondemand_switches],
        .on_demand_switch_window_us = divided_us(settings, ON_DEMAND_SWITCH_WINDOW_S),
        .to_on_demand_us = duration_us(settings, TD_CAPACITY_to_ondemand),
        .to_on_demand_repeat_us = duration_us(settings, TD_CAPACITY_to_ondemand_repeat),
        .to_provisioned_us = duration_us(settings, TD_CAPACITY_to_provisioned),
    };
}

uint32_t td_partitions_for_provisioned(const td_capacity_effect *effect, double read, double written)
{
    double read_share = read * effect->user_scale / effect->partition_cap[TD_READ];
    double write_share = written * effect->user_scale / effect->partition_cap[TD_WRITE];
    return whole_partitions(read_share + write_share);
}

/* Warm throughput is a nominal number like the caps that it is compared with: the scale cancels out. */
uint32_t td_partitions_for_warm(const td_capacity_effect *effect, double read, double written)
{
    double read_share = read / effect->nominal_cap[TD_READ];
    double write_share = written / effect->nominal_cap[TD_WRITE];
    return whole_partitions(fmax(read_share, write_share));
}

uint32_t td_partitions_for_on_demand(const td_capacity_effect *effect, double read_max, double written_max)
{
    uint32_t needed = td_partitions_for_warm(effect, read_max, written_max);
    return needed > effect->on_demand_partitions ? needed : effect->on_demand_partitions;
}

uint32_t td_partitions_double_to(uint32_t count, uint32_t needed)
{
    TD_ASSERT(count >= 1);
    TD_ASSERT(needed <= TD_LIMIT_PARTITIONS_MAX);
    while (count < needed)
        count = count > TD_LIMIT_PARTITIONS_MAX / 2 ? TD_LIMIT_PARTITIONS_MAX : count * 2;
    return count;
}

/* Never so short that the tick itself is the load. */
static td_time_us pressure_tick_us(const td_capacity_settings *settings)
{
    double tick_us = TD_PRESSURE_TICK_S * (double)TD_US_PER_S / settings->values[TD_CAPACITY_duration_divisor];
    return tick_us < (double)TD_US_PER_MS ? TD_US_PER_MS : (td_time_us)tick_us;
}

static td_time_us duration_us(const td_capacity_settings *settings, td_capacity_setting setting)
{
    return divided_us(settings, settings->values[setting]);
}

static td_time_us divided_us(const td_capacity_settings *settings, double seconds)
{
    return (td_time_us)llround(seconds / settings->values[TD_CAPACITY_duration_divisor] * (double)TD_US_PER_S);
}

/* Usage is kept by the second, for a minute: an average over less, or more, is not to be had. */
static td_time_us minute_us(const td_capacity_settings *settings)
{
    td_time_us minute = divided_us(settings, 60);
    if (minute < TD_US_PER_S) return TD_US_PER_S;
    return minute > 60 * TD_US_PER_S ? 60 * TD_US_PER_S : minute / TD_US_PER_S * TD_US_PER_S;
}

static uint32_t whole_partitions(double share)
{
    double count = ceil(share - ROUNDING_SLACK);
    if (count < 1) return 1;
    return count > TD_LIMIT_PARTITIONS_MAX ? (uint32_t)TD_LIMIT_PARTITIONS_MAX : (uint32_t)count;
}
