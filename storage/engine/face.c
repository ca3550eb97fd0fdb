/* SPDX-License-Identifier: Apache-2.0
 * face.c: what a table is besides its items: taken from it, and put on it again.
 *
 * Partitions, growth and what was measured are the table's past, which no snapshot undoes: nothing is merged, as in the
 * service. */
#include "face.h"

#include "thermodyn/memory.h"

#include "catalog.h"

static void take_resource(td_resource *resource, td_resource_face *ret_face);
static void put_on_resource(const td_resource_face *face);

bool td_face__is_settled_locked(const td_table *table)
{
    bool is_settled = table->status == TD_TABLE_ACTIVE && !table->has_index_change && !table->has_next_billing &&
                      !table->is_throughput_changing && (table->expiry == NULL || !table->expiry->is_filling);
    for (uint32_t i = 0; i < table->resource_count && is_settled; i++) {
        const td_resource *resource = table->resources[i];
        is_settled = resource->status == TD_TABLE_ACTIVE && !resource->is_backfilling &&
                     !resource->has_next_throughput && !resource->has_next_warm;
    }
    return is_settled;
}

td_face *td_face__take_locked(td_table *table)
{
    td_face *face = td_alloc(sizeof *face + table->resource_count * sizeof face->resources[0]);
    if (face == NULL) return NULL;
    const td_stream *stream = table->resources[0]->stream;
    *face = (td_face){
        .table = td_table__ref(table),
        .schema = td_schema__ref(table->schema),
        .expiry = table->expiry == NULL ? NULL : td_expiry__ref(table->expiry),
        .tags = td_tags__ref(table->tags),
        .view = stream == NULL ? TD_STREAM_NONE : stream->view,
        .billing = table->billing,
        .billing_changed_us = table->billing_changed_us,
        .class_changed_us = table->class_changed_us,
        .switch_count = table->switch_count,
        .expiry_changed_us = table->expiry_changed_us,
        .table_class = table->table_class,
        .has_table_class = table->has_table_class,
        .has_deletion_protection = table->has_deletion_protection,
        .recovery = table->recovery,
        .own = table->own,
        .resource_count = table->resource_count,
    };
    memcpy(face->switched_us, table->switched_us, sizeof face->switched_us);
    for (uint32_t i = 0; i < table->resource_count; i++)
        take_resource(table->resources[i], &face->resources[i]);
    const td_attached *policy = &table->policy;
    if (td_attached__set(&face->policy, td_slice_of(policy->text, policy->len), policy->revision)) return face;
    td_face__free(face);
    return NULL;
}

/* The table last: it holds the plans of the resources' partitions. */
void td_face__free(td_face *face)
{
    for (uint32_t i = 0; i < face->resource_count; i++)
        td_resource__unref(face->resources[i].resource);
    td_schema__unref(face->schema);
    td_expiry__unref(face->expiry);
    td_tags__unref(face->tags);
    td_attached__done(&face->policy);
    td_table__unref(face->table);
    td_free(face);
}

void td_face__put_on_locked(const td_face *face, td_attached *policy, td_time_us now_us)
{
    td_table *table = face->table;
    td_resource *resources[TD_RESOURCES_MAX];
    for (uint32_t i = 0; i < face->resource_count; i++) {
        put_on_resource(&face->resources[i]);
        resources[i] = face->resources[i].resource;
    }
    td_table__compose_locked(table, face->schema, resources, face->resource_count, now_us);
    if (table->expiry != face->expiry) {
        td_expiry__unref(table->expiry);
        table->expiry = face->expiry == NULL ? NULL : td_expiry__ref(face->expiry);
        table->expiry_generation++;
    }
    td_tags__unref(table->tags);
    table->tags = td_tags__ref(face->tags);
    td_attached replaced = table->policy;
    table->policy = *policy;
    *policy = replaced;
    table->status = TD_TABLE_ACTIVE;
    table->has_index_change = table->has_next_billing = table->is_throughput_changing = false;
    table->billing = face->billing;
    table->billing_changed_us = face->billing_changed_us;
    table->class_changed_us = face->class_changed_us;
    memcpy(table->switched_us, face->switched_us, sizeof table->switched_us);
    table->switch_count = face->switch_count;
    table->expiry_changed_us = face->expiry_changed_us;
    table->table_class = face->table_class;
    table->has_table_class = face->has_table_class;
    table->has_deletion_protection = face->has_deletion_protection;
    table->recovery = face->recovery;
    table->own = face->own;
    (void)td_table__apply_settings_locked(table, &table->store->settings, now_us); /* fewer partitions serve less */
    for (uint32_t i = 0; i < table->resource_count; i++)
        td_resource__reset_buckets(table->resources[i], &table->effect, now_us);
}

bool td_face__has_resource(const td_face *face, const td_resource *resource)
{
    for (uint32_t i = 0; i < face->resource_count; i++) {
        if (face->resources[i].resource == resource) return true;
    }
    return false;
}

static void take_resource(td_resource *resource, td_resource_face *ret_face)
{
    *ret_face = (td_resource_face){
        .resource = td_resource__ref(resource),
        .throughput = resource->throughput,
        .provisioned_max = resource->provisioned_max,
        .warm = resource->warm,
        .was_warmed = resource->was_warmed,
        .on_demand_max = resource->on_demand_max,
        .history = resource->history,
        .decrease_accepted_us = resource->decrease_accepted_us,
    };
}

static void put_on_resource(const td_resource_face *face)
{
    td_resource *resource = face->resource;
    resource->status = TD_TABLE_ACTIVE;
    resource->is_backfilling = resource->has_next_throughput = resource->has_next_warm = false;
    resource->throughput = face->throughput;
    resource->provisioned_max = face->provisioned_max;
    resource->warm = face->warm;
    resource->was_warmed = face->was_warmed;
    resource->on_demand_max = face->on_demand_max;
    resource->history = face->history;
    resource->decrease_accepted_us = face->decrease_accepted_us;
}
