/* SPDX-License-Identifier: Apache-2.0
 * state.h: a table while it lives: one lock, one schema at a time, one resource for itself and one a global index.
 *
 * The catalogue holds one reference to a table, every request that works on it another, and so does each due change;
 * so a request that has found the table finishes on it even when it is dropped meanwhile (`is_gone`).
 * Lock order: catalogue, then table, then its stream or the due queue. */
#ifndef THERMODYN_ENGINE_STATE_H
#define THERMODYN_ENGINE_STATE_H

#include <pthread.h>

#include "thermodyn/map.h"
#include "thermodyn/recovery.h"
#include "thermodyn/rng.h"

#include "attached.h"
#include "journal.h"
#include "resource.h"
#include "schema.h"
#include "stream.h"

#define TD_SWITCHES_MAX 16 /* the most that ondemand_switches may allow */
#define TD_RESOURCES_MAX (1 + TD_LIMIT_GLOBAL_INDEXES_MAX)

typedef struct td_table {
    _Atomic uint32_t references;
    td_store *store;
    char id[37];
    uint32_t record_number; /* by which it is kept; 0: there is no journal */
    td_journal_mark mark;
    td_time_us created_us;
    pthread_mutex_t lock;

    /* guarded by lock */
    td_schema *schema;
    td_table_status status;
    bool is_gone;          /* dropped: nobody finds it any more */
    bool has_index_change; /* a global index is being made or removed */
    td_billing_mode billing;
    td_billing_mode next_billing; /* with has_next_billing: what an UpdateTable under way switches to */
    bool has_next_billing;
    bool is_throughput_changing; /* a change of throughput or mode is under way */
    td_time_us billing_changed_us;
    td_time_us class_changed_us;
    td_time_us switched_us[TD_SWITCHES_MAX]; /* when it was last switched to on-demand, a ring */
    uint32_t switch_count;                   /* ever */
    td_stream *stream;            /* the latest, enabled or not; NULL: there was none */
    struct td_expiry *expiry;     /* NULL: time to live is not enabled */
    uint64_t expiry_generation;   /* counts the changes of time to live */
    td_time_us expiry_changed_us; /* the last of them; 0: none */
    struct td_tags *tags;         /* NULL: none */
    td_attached policy;
    td_table_class table_class;
    bool has_table_class;
    bool has_deletion_protection;
    td_recovery recovery;
    td_resource *resources[TD_RESOURCES_MAX]; /* the table, then the global indexes in schema order */
    uint32_t resource_count;
    struct td_split_plan *split_plans; /* the partitions that will be split, by when (plan.h); NULL: none */
    td_time_us split_due_us;           /* when the queue comes for them; TD_NEVER: there are none */
    td_map *collections;           /* see collection.h; NULL without local indexes */
    td_capacity_patch own;         /* settings of its own */
    td_capacity_settings settings; /* in force */
    td_capacity_effect effect;
    bool is_under_pressure;  /* a tick is due: pressure.h */
    uint32_t pressure_ticks; /* since it is */
    td_rng rng;              /* of samples and of the jitter of splits; seeded when the pressure begins */

    /* guarded by the catalogue's lock, held for writing */
    int64_t reserved[TD_DIRECTION_COUNT]; /* its share of the account's provisioned throughput */
} td_table;

/* A table as the spec asks for, ACTIVE, without due changes. NULL: no memory. The caller owns one reference. */
TD_MUST_USE td_table *td_table__new(td_store *store, td_slice scope, const td_table_spec *spec,
                                    const td_capacity_settings *settings, td_time_us now_us);
td_table *td_table__ref(td_table *table);
void td_table__unref(td_table *table);

static inline void td_table__lock(td_table *table)
{
    int error = pthread_mutex_lock(&table->lock);
    TD_ASSERT(error == 0);
}

static inline void td_table__unlock(td_table *table)
{
    int error = pthread_mutex_unlock(&table->lock);
    TD_ASSERT(error == 0);
}

/* What is reserved of the account's quota by what is, and will be, provisioned. The table's lock is held. */
void td_table__get_reserved_locked(const td_table *table, int64_t ret_reserved[TD_DIRECTION_COUNT]);

/* Puts the throughputs and the mode of an UpdateTable under way in force. false: no memory for partitions (the new
 * rates hold all the same). The table's lock is held. */
bool td_table__apply_throughput_locked(td_table *table, td_time_us now_us);

/* Brings buckets and partitions in line with the settings in force; false as above. The table's lock is held. */
bool td_table__apply_settings_locked(td_table *table, const td_capacity_settings *server, td_time_us now_us);

/* The table has that schema from now on, and those resources, of which the first stays: references are taken, and what
 * is not among them any more has its metrics archived and is given back. The table's lock is held. */
void td_table__compose_locked(td_table *table, td_schema *schema, td_resource *const *resources, uint32_t count,
                              td_time_us now_us);

/* Removes the resource of a global index and its place in the schema. false: no memory, unchanged. Lock held. */
TD_MUST_USE bool td_table__remove_index_locked(td_table *table, uint32_t resource, td_time_us now_us);

/* Hands what was metered to the archive: the table is about to go. The table's lock is held. */
void td_table__archive_locked(td_table *table, td_time_us now_us);

/* What DescribeTable says, in the arena. false: no memory. The table's lock is held. */
TD_MUST_USE bool td_table__describe_locked(td_table *table, td_time_us now_us, td_arena *arena,
                                           td_table_info *ret_info);

#endif
