/* SPDX-License-Identifier: Apache-2.0
 * sizing.h: the settings as the engine applies them, and how many partitions a throughput asks for.
 *
 * The settings are the service's constants; capacity_scale and duration_divisor bend them (throttling.md §6.5), here
 * and nowhere else.
 * Threads: any. */
#ifndef THERMODYN_CAPACITY_SIZING_H
#define THERMODYN_CAPACITY_SIZING_H

#include "thermodyn/capacity.h"

#define TD_PRESSURE_TICK_S 10.0 /* how often traffic is judged, before the divisor. Source: throttling.md §6.3 */

/* Settings with scale and divisor applied; by direction where there are two. The quotas that UpdateTable and
 * DescribeLimits speak of stay nominal: they are read from the settings themselves. */
typedef struct td_capacity_effect {
    td_era era;
    double partition_cap[TD_DIRECTION_COUNT]; /* units a second */
    double partition_cap_window_s;            /* not divided: it is the resolution of a rate, not a wait */
    double nominal_cap[TD_DIRECTION_COUNT];   /* unscaled: what warm throughput is compared with */
    double table_quota[TD_DIRECTION_COUNT];   /* units a second of an on-demand table or index */
    double nominal_quota[TD_DIRECTION_COUNT]; /* unscaled: what warm throughput never passes by itself */
    double user_scale;                        /* multiplies the throughput that users configure */
    double burst_window_s;                    /* also of the on-demand maximum */
    double initial_fill;                      /* 0 to 1 */
    uint32_t on_demand_partitions;
    td_time_us double_delay_us;
    td_time_us minute_us;   /* over which a peak is averaged; divided, but never less than a second */
    double partition_bytes; /* scaled */
    bool has_heat_split;
    double heat_threshold; /* share of partition_cap */
    td_time_us heat_sustain_us;
    td_time_us split_duration_us;
    bool has_split_jitter;
    td_time_us boost_delay_us;
    td_time_us warm_raise_us; /* only with table delays */
    double index_backlog_s;
    td_time_us pressure_tick_us; /* TD_PRESSURE_TICK_S, divided */
    int64_t decrease_budget;
    td_time_us decrease_interval_us;
    td_time_us table_create_us; /* the durations below apply only with table delays */
    td_time_us table_delete_us;
    td_time_us index_create_us;
    td_time_us index_delete_us;
    td_time_us throughput_update_us;
    int64_t on_demand_switches; /* in on_demand_switch_window_us */
    td_time_us on_demand_switch_window_us;
    td_time_us to_on_demand_us;
    td_time_us to_on_demand_repeat_us;
    td_time_us to_provisioned_us;
} td_capacity_effect;

td_capacity_effect td_capacity_get_effect(const td_capacity_settings *settings);

/* Partitions of a new provisioned table or index; read and written are as the user gives them. */
uint32_t td_partitions_for_provisioned(const td_capacity_effect *effect, double read, double written);

/* Partitions that serve a warm throughput. */
uint32_t td_partitions_for_warm(const td_capacity_effect *effect, double read, double written);

/* Partitions of a table that becomes on-demand: as a new one, and no fewer than the highest throughput that was ever
 * provisioned asks for. */
uint32_t td_partitions_for_on_demand(const td_capacity_effect *effect, double read_max, double written_max);

/* The count of partitions after a raise: all are doubled until `needed` are there. */
uint32_t td_partitions_double_to(uint32_t count, uint32_t needed);

#endif
