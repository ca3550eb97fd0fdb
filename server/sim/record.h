/* SPDX-License-Identifier: Apache-2.0
 * record.h: what a run was seen to do: counts for each table and global index, by bucket of time and by phase; splits,
 * vetoes and actions; and at the end heat maps and hottest keys. Reports read it and nothing else.
 *
 * An operation counts where it was sent: at its table, or at the index that it read. A write that an index took, or
 * refused, also counts at that index. So at every place: offered = accepted + throttled + failed.
 * Threads: one record, one thread; read-only when the run is over. */
#ifndef THERMODYN_SIM_RECORD_H
#define THERMODYN_SIM_RECORD_H

#include "page/heat.h"
#include "request.h"
#include "scenario.h"
#include "thermodyn/heat.h"
#include "thermodyn/partition.h"
#include "world.h"

#define TD_SIM_BUCKETS_MAX 100000
#define TD_SIM_EVENTS_MAX 20000
#define TD_SIM_HOT_KEYS 5

/* Why operations were throttled: a td_limit_kind of the place itself, or an index that holds the table back. */
typedef enum td_sim_cause { TD_SIM_BY_INDEX = TD_LIMIT_KIND_COUNT, TD_SIM_CAUSE_COUNT } td_sim_cause;

extern const char *const td_sim_cause_names[TD_SIM_CAUSE_COUNT]; /* "key range", … */

typedef struct td_sim_counts {
    uint64_t offered;
    uint64_t accepted;
    uint64_t failed; /* refused for another reason than a limit */
    uint64_t throttled[TD_SIM_CAUSE_COUNT];
    td_units consumed[TD_DIRECTION_COUNT];
} td_sim_counts;

typedef struct td_sim_sample {
    td_sim_counts counts;
    uint32_t partitions;                /* at its end */
    double balance[TD_DIRECTION_COUNT]; /* likewise: units of the table's burst; on-demand: of its quota */
} td_sim_sample;

typedef struct td_sim_phase_sum {
    td_sim_counts counts;
    uint32_t partitions_before;
    uint32_t partitions_after;
    uint32_t splits;
    uint32_t vetoes[TD_VETO_COUNT];
} td_sim_phase_sum;

/* A hot key, in words. */
typedef struct td_sim_hot_key {
    td_slice text;
    double share;
    bool is_over_limit;
} td_sim_hot_key;

/* A table, or one of its global indexes. */
typedef struct td_sim_place {
    td_slice table;
    td_slice index; /* empty: the table */
    td_billing_mode billing;
    td_sim_sample *samples; /* by bucket */
    td_sim_phase_sum *phases;
    td_sim_counts total;
    td_sim_counts given;                   /* private: what of the bucket in hand its phases were given already */
    td_heatmap heat[TD_HEAT_METRIC_COUNT]; /* row_count 0: none */
    td_page_border *borders;               /* by place */
    uint32_t border_count;
    uint32_t border_room; /* private */
    td_sim_hot_key hot_keys[TD_SIM_HOT_KEYS];
    uint32_t hot_key_count;
} td_sim_place;

/* For the charts and the list of events. */
typedef struct td_sim_event {
    td_time_us at_us; /* from the start of the run */
    uint32_t place;   /* UINT32_MAX: none in particular */
    bool is_split;
    bool is_veto;
    td_slice text;
} td_sim_event;

typedef struct td_sim_record {
    const td_sim_scenario *scenario;
    td_arena arena;
    td_time_us start_us;
    td_time_us duration_us; /* of what is run */
    td_time_us bucket_us;
    uint32_t bucket_count;
    td_sim_place *places;
    uint32_t place_count;
    td_sim_event *events;
    uint32_t event_count;
    uint32_t events_left_out;
    uint32_t phase_count; /* that are run */
    uint32_t bucket;      /* that is being filled */
    uint32_t phase;
    td_slice first_failure; /* text of the first operation that failed; empty: none did */
    double scale;
    double partition_caps[TD_DIRECTION_COUNT]; /* units a second, at the end of the run */
} td_sim_record;

/* bucket_us 0: as suits the duration. false: no memory. */
TD_MUST_USE bool td_sim__record_init(td_sim_record *record, const td_sim_scenario *scenario, td_time_us duration_us,
                                     td_time_us bucket_us, double scale);
void td_sim__record_done(td_sim_record *record);

/* Place of a table, or of a table's index; UINT32_MAX: a local index, which is its table. */
uint32_t td_sim__record_find(const td_sim_record *record, td_slice table, td_slice index);

/* One operation. `place`: where it was sent. */
void td_sim__record_count(td_sim_record *record, uint32_t place, const td_sim_outcome *outcome,
                          const td_sim_world *world);

/* The bucket, or the phase, ends at the world's instant. */
void td_sim__record_end_bucket(td_sim_record *record, td_sim_world *world);
void td_sim__record_begin_phase(td_sim_record *record, uint32_t phase, td_sim_world *world);
void td_sim__record_end_phase(td_sim_record *record, td_sim_world *world);

void td_sim__record_action(td_sim_record *record, const td_sim_world *world, const td_sim_action *action, bool is_done,
                           const char *outcome);

/* Heat maps and hottest keys of the whole run. */
void td_sim__record_finish(td_sim_record *record, td_sim_world *world);

uint64_t td_sim__throttled(const td_sim_counts *counts);
td_time_us td_sim__bucket_end_us(const td_sim_record *record, uint32_t bucket); /* from the start */

#endif
