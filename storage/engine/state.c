/* SPDX-License-Identifier: Apache-2.0
 * state.c: tables as they live: made, shared, described, brought to another throughput.
 * Not here: which operations lead to which state (table.c, update.c), and when (due.c). */
#include "state.h"

#include <stdatomic.h>

#include "thermodyn/memory.h"

#include "catalog.h"
#include "expiry.h"
#include "plan.h"
#include "settings.h"
#include "split.h"
#include "streams.h"
#include "tag.h"

static bool fill(td_table *table, td_slice scope, const td_table_spec *spec, td_time_us now_us);
static bool make_resources(td_table *table, const td_table_spec *spec, td_time_us now_us);
static void take_next_throughput(td_table *table, td_resource *resource, td_time_us now_us);
static void retire_resource(td_table *table, uint32_t resource, td_time_us now_us);
static void archive_resource(td_table *table, uint32_t resource, td_time_us now_us);
static td_time_us completed_at(td_time_us asked_us, td_time_us now_us);
static void describe_index(const td_table *table, uint32_t at, td_time_us now_us, td_index_info *ret_info);
static td_throughput_history history_at(const td_resource *resource, td_time_us now_us);
static td_throughput told_throughput(const td_table *table, const td_resource *resource);
static void unref_schema(void *schema);

td_table *td_table__new(td_store *store, td_slice scope, const td_table_spec *spec,
                        const td_capacity_settings *settings, td_time_us now_us)
{
    td_table *table = td_alloc_zero(sizeof *table);
    if (table == NULL) return NULL;
    atomic_init(&table->references, 1);
    table->store = store;
    table->split_due_us = TD_NEVER;
    table->settings = *settings;
    table->effect = td_capacity_get_effect(settings);
    int error = pthread_mutex_init(&table->lock, NULL);
    TD_ASSERT(error == 0);
    if (!fill(table, scope, spec, now_us)) {
        td_table__unref(table);
        return NULL;
    }
    return table;
}

td_table *td_table__ref(td_table *table)
{
    atomic_fetch_add_explicit(&table->references, 1, memory_order_relaxed);
    return table;
}

void td_table__unref(td_table *table)
{
    uint32_t before = atomic_fetch_sub_explicit(&table->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before > 1) return;
    for (uint32_t i = 0; i < table->resource_count; i++)
        td_resource__unref(table->resources[i]);
    td_map_free(table->collections);
    td_stream__unref(table->stream);
    td_expiry__unref(table->expiry);
    td_tags__unref(table->tags);
    td_attached__done(&table->policy);
    td_schema__unref(table->schema);
    pthread_mutex_destroy(&table->lock);
    td_free(table);
}

void td_table__get_reserved_locked(const td_table *table, int64_t ret_reserved[TD_DIRECTION_COUNT])
{
    td_billing_mode billing = table->has_next_billing ? table->next_billing : table->billing;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        ret_reserved[d] = 0;
        for (uint32_t i = 0; billing == TD_BILLING_PROVISIONED && i < table->resource_count; i++) {
            const td_resource *resource = table->resources[i];
            ret_reserved[d] +=
                resource->has_next_throughput ? resource->next_throughput.rate[d] : resource->throughput.rate[d];
        }
    }
}

bool td_table__apply_throughput_locked(td_table *table, td_time_us now_us)
{
    if (table->has_next_billing) {
        table->has_next_billing = false;
        table->billing = table->next_billing;
        bool is_on_demand = table->billing == TD_BILLING_ON_DEMAND;
        if (is_on_demand) table->billing_changed_us = now_us;
        for (uint32_t i = 0; i < table->resource_count; i++) {
            td_resource *resource = table->resources[i];
            if (is_on_demand) {
                resource->throughput = (td_throughput){{0}};
                resource->has_next_throughput = false;
            } else {
                resource->on_demand_max = (td_on_demand_max){{0}};
            }
        }
    }
    bool is_complete = true;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_resource *resource = table->resources[i];
        if (resource->has_next_throughput) take_next_throughput(table, resource, now_us);
        if (resource->status == TD_TABLE_UPDATING) resource->status = TD_TABLE_ACTIVE;
        td_resource__raise_warm(resource, table->billing);
        td_resource__set_rates(resource, table->billing, &table->effect, now_us);
        uint32_t needed = td_resource__partitions_needed(resource, table->billing, &table->effect);
        is_complete = td_resource__grow(resource, needed, &table->effect, now_us) && is_complete;
    }
    table->is_throughput_changing = false;
    return is_complete;
}

bool td_table__apply_settings_locked(td_table *table, const td_capacity_settings *server, td_time_us now_us)
{
    table->settings = *server;
    td_settings__merge(&table->settings, &table->own);
    table->effect = td_capacity_get_effect(&table->settings);
    bool is_complete = true;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_resource *resource = table->resources[i];
        td_resource__set_rates(resource, table->billing, &table->effect, now_us);
        uint32_t needed = td_resource__partitions_needed(resource, table->billing, &table->effect);
        is_complete = td_resource__grow(resource, needed, &table->effect, now_us) && is_complete;
        td_split__mind_sizes_locked(table, resource, now_us);
    }
    return is_complete;
}

bool td_table__remove_index_locked(td_table *table, uint32_t resource, td_time_us now_us)
{
    TD_ASSERT(resource >= 1 && resource < table->resource_count);
    td_arena scratch;
    td_arena_init(&scratch, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_table_spec spec;
    td_schema *schema = NULL;
    if (td_schema__get_spec(table->schema, &scratch, &spec)) {
        uint32_t at = table->schema->local_count + resource - 1;
        memmove(&spec.indexes[at], &spec.indexes[at + 1], (spec.index_count - at - 1) * sizeof *spec.indexes);
        spec.index_count--;
        schema = td_schema__new(table->schema->scope, &spec);
    }
    td_arena_done(&scratch);
    if (schema == NULL) return false;

    td_resource *resources[TD_RESOURCES_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        if (i != resource) resources[count++] = table->resources[i];
    }
    td_table__compose_locked(table, schema, resources, count, now_us);
    td_schema__unref(schema);
    return true;
}

void td_table__compose_locked(td_table *table, td_schema *schema, td_resource *const *resources, uint32_t count,
                              td_time_us now_us)
{
    TD_ASSERT(count == 1 + td_schema__global_count(schema) && resources[0] == table->resources[0]);
    for (uint32_t i = 0; i < count; i++)
        td_resource__ref(resources[i]);
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_resource *resource = table->resources[i];
        bool stays = false;
        for (uint32_t k = 0; k < count && !stays; k++)
            stays = resources[k] == resource;
        if (!stays) retire_resource(table, i, now_us);
        td_resource__unref(resource);
    }
    memcpy(table->resources, resources, count * sizeof(td_resource *));
    table->resource_count = count;
    (void)td_schema__ref(schema);
    td_schema__unref(table->schema);
    table->schema = schema;
}

void td_table__archive_locked(td_table *table, td_time_us now_us)
{
    for (uint32_t i = 0; i < table->resource_count; i++)
        archive_resource(table, i, now_us);
}

bool td_table__describe_locked(td_table *table, td_time_us now_us, td_arena *arena, td_table_info *ret_info)
{
    td_schema *schema = table->schema;
    const td_resource *base = table->resources[0];
    td_index_info *indexes = td_arena_alloc_array(arena, schema->index_count, sizeof *indexes);
    if (indexes == NULL) return false;
    if (!td_arena_defer(arena, unref_schema, td_schema__ref(schema))) {
        td_schema__unref(schema);
        return false;
    }
    *ret_info = (td_table_info){
        .spec = {.name = schema->table,
                 .definitions = schema->definitions,
                 .definition_count = schema->definition_count,
                 .key = schema->key,
                 .billing = table->has_next_billing ? table->next_billing : table->billing,
                 .throughput = told_throughput(table, base),
                 .on_demand_max = base->on_demand_max,
                 .warm = base->warm,
                 .stream = td_streams__is_enabled(table) ? table->stream->view : TD_STREAM_NONE,
                 .encryption = schema->encryption,
                 .table_class = table->table_class,
                 .has_table_class = table->has_table_class,
                 .has_deletion_protection = table->has_deletion_protection},
        .indexes = indexes,
        .index_count = schema->index_count,
        .status = table->status,
        .is_warming = base->has_next_warm,
        .created_us = table->created_us,
        .billing_changed_us = table->billing_changed_us,
        .class_changed_us = table->class_changed_us,
        .stream_enabled_us = table->stream == NULL ? 0 : table->stream->label_us,
        .history = history_at(base, now_us),
        .item_count = td_resource__count_entries(base, 0),
        .size_bytes = td_resource__storage_bytes(base, 0),
    };
    memcpy(ret_info->table_id, table->id, sizeof ret_info->table_id);
    for (uint32_t i = 0; i < schema->index_count; i++)
        describe_index(table, i, now_us, &indexes[i]);
    return true;
}

static bool fill(td_table *table, td_slice scope, const td_table_spec *spec, td_time_us now_us)
{
    table->schema = td_schema__new(scope, spec);
    if (table->schema == NULL) return false;
    table->created_us = now_us;
    table->status = TD_TABLE_ACTIVE;
    table->billing = spec->billing;
    if (spec->billing == TD_BILLING_ON_DEMAND) table->billing_changed_us = now_us;
    if (td_tags__change(NULL, spec->tags, spec->tag_count, NULL, 0, &table->tags) != TD_OK) return false;
    if (spec->policy.len > 0 && !td_attached__set(&table->policy, spec->policy, now_us / TD_US_PER_MS)) return false;
    table->table_class = spec->table_class;
    table->has_table_class = spec->has_table_class;
    table->has_deletion_protection = spec->has_deletion_protection;
    if (table->schema->local_count > 0) {
        table->collections = td_map_new();
        if (table->collections == NULL) return false;
    }
    return make_resources(table, spec, now_us);
}

static bool make_resources(td_table *table, const td_table_spec *spec, td_time_us now_us)
{
    td_resource_options base = {
        .schema = table->schema,
        .placement = table->store->options.placement,
        .tree_count = 1 + table->schema->local_count,
        .has_sort_key = spec->key.range_count > 0,
        .billing = spec->billing,
        .throughput = spec->throughput,
        .on_demand_max = spec->on_demand_max,
        .warm = spec->warm,
        .lag = td_lag__of_table(&table->store->options, spec->name),
    };
    table->resources[0] = td_resource__new(&base, &table->effect, now_us);
    if (table->resources[0] == NULL) return false;
    table->resources[0]->status = TD_TABLE_ACTIVE;
    table->resource_count = 1;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        const td_index_spec *index = &spec->indexes[i];
        if (!index->is_global) continue;
        td_resource_options options = {
            .tree_count = 1,
            .has_sort_key = index->key.range_count > 0,
            .billing = spec->billing,
            .throughput = index->throughput,
            .on_demand_max = index->on_demand_max,
            .warm = index->warm,
            .lag = td_lag__of_index(&table->store->options),
        };
        td_resource *resource = td_resource__new(&options, &table->effect, now_us);
        if (resource == NULL) return false;
        resource->status = TD_TABLE_ACTIVE;
        table->resources[table->resource_count++] = resource;
    }
    return true;
}

/* A switch of the mode leaves the history alone: it is neither an increase nor a decrease. */
static void take_next_throughput(td_table *table, td_resource *resource, td_time_us now_us)
{
    const int64_t *from = resource->throughput.rate;
    const int64_t *to = resource->next_throughput.rate;
    bool was_provisioned = from[TD_READ] > 0;
    bool is_raised = to[TD_READ] > from[TD_READ] || to[TD_WRITE] > from[TD_WRITE];
    bool is_lowered = to[TD_READ] < from[TD_READ] || to[TD_WRITE] < from[TD_WRITE];
    TD_ASSERT(table->billing == TD_BILLING_PROVISIONED);
    td_throughput_history *history = &resource->history;
    if (was_provisioned && is_raised) history->last_increase_us = completed_at(history->last_increase_us, now_us);
    if (was_provisioned && is_lowered) {
        history->decreases_today++;
        history->last_decrease_us = completed_at(history->last_decrease_us, now_us);
    }
    resource->throughput = resource->next_throughput;
    resource->has_next_throughput = false;
}

/* A snapshot may still have it: what it has of the table's plans goes at once. */
static void retire_resource(td_table *table, uint32_t resource, td_time_us now_us)
{
    td_resource *retired = table->resources[resource];
    archive_resource(table, resource, now_us);
    for (uint32_t i = 0; i < retired->partition_count; i++)
        td_split_plan__free(retired->partitions[i]->plan);
}

static void archive_resource(td_table *table, uint32_t resource, td_time_us now_us)
{
    static const int64_t none[TD_DIRECTION_COUNT] = {0};
    td_slice index = resource == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, resource - 1)->spec.name;
    td_ledger_set_rates(&table->resources[resource]->ledger, now_us, none, none);
    td_archive__add(&table->store->archive, table->schema->scope, table->schema->table, index,
                    &table->resources[resource]->ledger);
}

/* The answer of UpdateTable dates a change at its request, DescribeTable at its completion, which is always later. */
static td_time_us completed_at(td_time_us asked_us, td_time_us now_us)
{
    return now_us > asked_us ? now_us : asked_us + TD_US_PER_MS;
}

static void describe_index(const td_table *table, uint32_t at, td_time_us now_us, td_index_info *ret_info)
{
    const td_schema *schema = table->schema;
    *ret_info = (td_index_info){.spec = schema->indexes[at].spec, .status = TD_TABLE_ACTIVE};
    if (at < schema->local_count) {
        ret_info->item_count = td_resource__count_entries(table->resources[0], 1 + at);
        ret_info->size_bytes = td_resource__storage_bytes(table->resources[0], 1 + at);
        return;
    }
    const td_resource *resource = table->resources[1 + at - schema->local_count];
    ret_info->spec.throughput = told_throughput(table, resource);
    ret_info->spec.on_demand_max = resource->on_demand_max;
    ret_info->spec.warm = resource->warm;
    ret_info->status = resource->status;
    ret_info->is_backfilling = resource->is_backfilling;
    ret_info->is_warming = resource->has_next_warm;
    ret_info->history = history_at(resource, now_us);
    ret_info->item_count = td_resource__count_entries(resource, 0);
    ret_info->size_bytes = td_resource__storage_bytes(resource, 0);
}

/* The count of decreases starts anew at midnight UTC. */
static td_throughput_history history_at(const td_resource *resource, td_time_us now_us)
{
    td_throughput_history history = resource->history;
    td_time_us day_us = 86400 * TD_US_PER_S;
    if (resource->decrease_accepted_us / day_us != now_us / day_us) history.decreases_today = 0;
    return history;
}

/* A change of throughput is told when it is in force; a switch of the mode is told at once (dynalite's tests). */
static td_throughput told_throughput(const td_table *table, const td_resource *resource)
{
    if (!table->has_next_billing) return resource->throughput;
    if (table->next_billing == TD_BILLING_ON_DEMAND) return (td_throughput){{0}};
    return resource->has_next_throughput ? resource->next_throughput : resource->throughput;
}

static void unref_schema(void *schema)
{
    td_schema__unref(schema);
}
