/* SPDX-License-Identifier: Apache-2.0
 * face.h: what a table is besides its items, as a snapshot holds it: its definition, indexes and settings.
 * Threads: the caller holds the table's lock, but for free. */
#ifndef THERMODYN_ENGINE_FACE_H
#define THERMODYN_ENGINE_FACE_H

#include "expiry.h"
#include "state.h"
#include "tag.h"

typedef struct td_resource_face {
    td_resource *resource; /* a reference */
    td_throughput throughput;
    td_throughput provisioned_max;
    td_throughput warm;
    bool was_warmed;
    td_on_demand_max on_demand_max;
    td_throughput_history history;
    td_time_us decrease_accepted_us;
} td_resource_face;

typedef struct td_face {
    td_table *table;   /* a reference, as the following */
    td_schema *schema;
    td_expiry *expiry; /* NULL: none */
    td_tags *tags;     /* NULL: none */
    td_attached policy; /* the face's own */
    td_stream_view view; /* NONE: no stream was enabled */
    td_billing_mode billing;
    td_time_us billing_changed_us;
    td_time_us class_changed_us;
    td_time_us switched_us[TD_SWITCHES_MAX];
    uint32_t switch_count;
    td_time_us expiry_changed_us;
    td_table_class table_class;
    bool has_table_class;
    bool has_deletion_protection;
    td_recovery recovery;
    td_capacity_patch own;
    uint32_t resource_count;
    td_resource_face resources[]; /* as td_table.resources */
} td_face;

/* Is nothing of the table under way that a due change or a walk would end? Only then it has a face. */
bool td_face__is_settled_locked(const td_table *table);

/* NULL: no memory. */
TD_MUST_USE td_face *td_face__take_locked(td_table *table);
void td_face__free(td_face *face);

/* The table is as the face says from now on: ACTIVE, with full buckets; but for its items and its stream. *policy is a
 * copy of the face's, in exchange for the table's. */
void td_face__put_on_locked(const td_face *face, td_attached *policy, td_time_us now_us);

/* Is it among those that the table had? */
bool td_face__has_resource(const td_face *face, const td_resource *resource);

#endif
