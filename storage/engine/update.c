/* SPDX-License-Identifier: Apache-2.0
 * update.c: UpdateTable: what is asked for is marked, told, and put in force: at once, or when it falls due.
 *
 *   both locks         check (update_check.c) → queue → mark → tell
 *   the table's lock   apply what holds at once
 *   no lock            backfill of a new index
 *
 * Model:    throttling.md §2.6: throughput and mode take effect together when the table is ACTIVE again; on-demand
 *           maxima at once, without UPDATING. The answer shows UPDATING with the old throughput.
 *           Warm throughput is raised beside all that: the table stays ACTIVE, the status of the warm throughput alone
 *           says UPDATING, with the old numbers, and a further request meanwhile takes the place of the first
 *           (throttling.md §2.3).
 * Not here: what being in force means (state.c, resource.c). */
#include "backfill.h"
#include "catalog.h"
#include "split.h"
#include "streams.h"
#include "update_check.h"

typedef struct td_updating {
    const td_call *call;
    const td_table_change *change;
    td_error *error;
    td_table *table;
    const td_index_change *index_change; /* an index is made or removed; NULL: none */
    bool changes_throughput;             /* or the mode */
    bool is_told_updating;
    bool is_stream_made;
    td_stream *previous_stream; /* the table's before that one */
} td_updating;

static td_status mark_locked(td_updating *updating);
static td_status enable_stream_locked(td_updating *updating);
static td_status swap_schema_locked(td_updating *updating);
static td_status add_index(td_updating *updating, td_table_spec *spec, td_arena *scratch, td_resource **ret_resource);
static td_status queue_locked(td_updating *updating);
static td_status queue_warm_locked(td_updating *updating, const td_resource *resource);
static td_time_us warm_due_us(const td_updating *updating, const td_resource *resource);
/* A raise that is under way goes on, to what is asked for now. An entry too many does nothing. */
static td_status queue_warm_locked(td_updating *updating, const td_resource *resource)
{
    td_table *table = updating->table;
    if (resource->has_next_warm) return TD_OK;
    bool is_queued = td_due__push(&table->store->due, warm_due_us(updating, resource), TD_DUE_WARM_RAISED, table);
    return is_queued ? TD_OK : TD_RAISE(updating->error, TD_MSG_OUT_OF_MEMORY);
}

/* The first raise takes minutes, another hardly any time (throttling.md §2.3). */
static td_time_us warm_due_us(const td_updating *updating, const td_resource *resource)
{
    const td_capacity_effect *effect = &updating->table->effect;
    return updating->call->now_us + (resource->was_warmed ? effect->throughput_update_us : effect->warm_raise_us);
}

static td_time_us throughput_delay_us(const td_updating *updating);
static void mark_throughputs(td_updating *updating);
static void mark_settings(td_updating *updating);
static void mark_throughput(td_resource *resource, const td_throughput *asked, bool is_switch, td_time_us now_us);
static void mark_maximum(td_resource *resource, const td_on_demand_max *asked);
static void mark_warm(const td_updating *updating, td_resource *resource, const td_throughput *asked);
static bool tell_locked(const td_updating *updating, td_table_info *ret_info);
static td_status check_room_locked(const td_updating *updating);
static bool apply_locked(td_updating *updating);
static td_status finish_index(td_updating *updating);

td_status td_table_update(const td_call *call, const td_table_change *change, td_table_info *ret_info, td_error *error)
{
    td_store *store = call->store;
    td_updating updating = {
        .call = call,
        .change = change,
        .error = error,
        .index_change = td_update__find_index_change(change),
    };
    TD_TRY(td_journal__begin(call, error));
    td_catalog__write_lock(store);
    updating.table = td_catalog__find_locked(store, call->scope, call->table);
    if (updating.table == NULL) {
        td_catalog__unlock(store);
        return TD_RAISE(error, TD_MSG_TABLE_NOT_FOUND, call->table);
    }
    (void)td_table__ref(updating.table);
    td_table__lock(updating.table);
    td_status status = td_update__check_locked(call, updating.table, change, error);
    if (status == TD_OK) status = check_room_locked(&updating);
    if (status == TD_OK) status = mark_locked(&updating);
    bool is_marked = status == TD_OK;
    bool is_complete = is_marked && tell_locked(&updating, ret_info);
    td_catalog__unlock(store); /* the account's side is settled */
    if (is_marked) is_complete = apply_locked(&updating) && is_complete;
    td_journal__mark_table(updating.table);
    td_table__unlock(updating.table);
    if (is_marked && updating.index_change != NULL) status = finish_index(&updating);
    td_table__unref(updating.table);
    bool is_made = is_marked && status == TD_OK; /* a new index that was not filled is gone again */
    return is_made && !is_complete ? TD_RAISE(error, TD_MSG_INTERNAL_SERVER_ERROR) : status;
}

/* A new index may become as large as its table. */
static td_status check_room_locked(const td_updating *updating)
{
    const td_index_change *index = updating->index_change;
    if (index == NULL || index->action != TD_INDEX_CREATE) return TD_OK;
    int64_t bytes = (int64_t)td_resource__storage_bytes(updating->table->resources[0], 0);
    return td_store__check_room(updating->call->store, bytes, updating->error);
}

/* From here on the change will be, whatever fails: everything that may is done before the first mark. */
static td_status mark_locked(td_updating *updating)
{
    td_table *table = updating->table;
    const td_table_change *change = updating->change;
    updating->changes_throughput = change->has_throughput || (change->has_billing && change->billing != table->billing);
    for (uint32_t i = 0; i < change->index_count; i++) {
        const td_index_change *index = &change->indexes[i];
        if (index->action == TD_INDEX_UPDATE && index->has_throughput) updating->changes_throughput = true;
    }
    updating->is_told_updating = updating->changes_throughput || updating->index_change != NULL || change->has_stream ||
                                 change->has_encryption || change->has_table_class || change->has_deletion_protection;
    TD_TRY(queue_locked(updating));
    TD_TRY(enable_stream_locked(updating));
    td_status swapped = swap_schema_locked(updating);
    if (swapped != TD_OK && updating->is_stream_made) td_streams__cancel_locked(table, updating->previous_stream);
    if (swapped == TD_OK && updating->is_stream_made) td_stream__unref(updating->previous_stream);
    TD_TRY(swapped);
    mark_throughputs(updating);
    mark_settings(updating);
    table->is_throughput_changing = updating->changes_throughput;
    table->has_index_change = updating->index_change != NULL;
    if (updating->is_told_updating) table->status = TD_TABLE_UPDATING;
    td_catalog__reserve_locked(table->store, table);
    return TD_OK;
}

static td_status enable_stream_locked(td_updating *updating)
{
    td_table *table = updating->table;
    td_stream_view view = updating->change->stream;
    if (!updating->change->has_stream || view == TD_STREAM_NONE) return TD_OK;
    updating->previous_stream = table->stream;
    updating->is_stream_made = td_streams__enable_locked(table, view, updating->call->now_us);
    return updating->is_stream_made ? TD_OK : TD_RAISE(updating->error, TD_MSG_OUT_OF_MEMORY);
}

/* A new index and another encryption are part of the schema. */
static td_status swap_schema_locked(td_updating *updating)
{
    td_table *table = updating->table;
    const td_table_change *change = updating->change;
    bool adds_index = updating->index_change != NULL && updating->index_change->action == TD_INDEX_CREATE;
    if (!adds_index && !change->has_encryption) return TD_OK;

    td_arena scratch;
    td_arena_init(&scratch, TD_LIMIT_REQUEST_ARENA_BYTES_MAX);
    td_table_spec spec;
    td_resource *resource = NULL;
    td_status status = td_schema__get_spec(table->schema, &scratch, &spec) ? TD_OK : TD_OUT_OF_MEMORY;
    if (status == TD_OK && change->has_encryption) spec.encryption = change->encryption;
    if (status == TD_OK && adds_index) status = add_index(updating, &spec, &scratch, &resource);
    td_schema *schema = status == TD_OK ? td_schema__new(table->schema->scope, &spec) : NULL;
    td_arena_done(&scratch);
    if (schema == NULL) {
        td_resource__unref(resource);
        return TD_RAISE(updating->error, TD_MSG_OUT_OF_MEMORY);
    }
    td_schema__unref(table->schema);
    table->schema = schema;
    if (resource != NULL) table->resources[table->resource_count++] = resource;
    TD_ASSERT(table->resource_count == 1 + td_schema__global_count(schema));
    return TD_OK;
}

/* Puts the index behind the others, with what the request defines of its keys: where the table knows an attribute
 * already, the table's type holds. */
static td_status add_index(td_updating *updating, td_table_spec *spec, td_arena *scratch, td_resource **ret_resource)
{
    td_table *table = updating->table;
    const td_table_change *change = updating->change;
    const td_index_change *asked = updating->index_change;
    td_index_spec *index = &spec->indexes[spec->index_count];
    *index = asked->spec;
    index->is_global = true;

    uint32_t count = spec->definition_count;
    td_attribute_definition *definitions =
        td_arena_alloc_array(scratch, count + change->definition_count, sizeof *definitions);
    if (definitions == NULL) return TD_OUT_OF_MEMORY;
    memcpy(definitions, spec->definitions, count * sizeof *definitions);
    for (uint32_t i = 0; i < change->definition_count; i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < count; k++) {
            is_known = is_known || td_slice_equal(definitions[k].name, change->definitions[i].name);
        }
        if (!is_known) definitions[count++] = change->definitions[i];
    }
    for (uint32_t i = 0; i < td_key_part_count(&index->key); i++) {
        for (uint32_t k = 0; k < count; k++) {
            td_key_part *part = &index->key.parts[i];
            if (td_slice_equal(definitions[k].name, part->name)) part->type = definitions[k].type;
        }
    }
    spec->definitions = definitions;
    spec->definition_count = count;
    spec->index_count++;

    td_resource_options options = {
        .tree_count = 1,
        .has_sort_key = index->key.range_count > 0,
        .billing = td_update__billing(table, change),
        .throughput = asked->has_throughput ? asked->spec.throughput : (td_throughput){{0}},
        .on_demand_max = asked->has_on_demand_max ? asked->spec.on_demand_max : (td_on_demand_max){{0}},
        .warm = asked->has_warm ? asked->spec.warm : (td_throughput){{0}},
        .lag = td_lag__of_index(&table->store->options),
    };
    *ret_resource = td_resource__new(&options, &table->effect, updating->call->now_us);
    if (*ret_resource == NULL) return TD_OUT_OF_MEMORY;
    (*ret_resource)->status = TD_TABLE_CREATING;
    return TD_OK;
}

/* With table delays: what falls due later. An index that is made is queued when it is filled (finish_index). */
static td_status queue_locked(td_updating *updating)
{
    td_table *table = updating->table;
    td_store *store = table->store;
    const td_table_change *change = updating->change;
    if (!store->options.has_table_delays) return TD_OK;
    if (change->has_warm) TD_TRY(queue_warm_locked(updating, table->resources[0]));
    for (uint32_t i = 0; i < change->index_count; i++) {
        const td_index_change *index = &change->indexes[i];
        if (index->action != TD_INDEX_UPDATE || !index->has_warm) continue;
        TD_TRY(queue_warm_locked(updating, td_update__find_resource(table, index->spec.name)));
    }
    if (!updating->is_told_updating) return TD_OK;
    td_time_us due_us = updating->call->now_us + throughput_delay_us(updating);
    bool is_queued = td_due__push(&store->due, due_us, TD_DUE_TABLE_UPDATED, table);
    if (is_queued && updating->index_change != NULL && updating->index_change->action == TD_INDEX_DELETE) {
        due_us = updating->call->now_us + table->effect.index_delete_us;
        is_queued = td_due__push(&store->due, due_us, TD_DUE_INDEX_CHANGED, table);
    }
    return is_queued ? TD_OK : TD_RAISE(updating->error, TD_MSG_OUT_OF_MEMORY);
}

static td_time_us throughput_delay_us(const td_updating *updating)
{
    const td_table *table = updating->table;
    const td_table_change *change = updating->change;
    if (!change->has_billing || change->billing == table->billing) return table->effect.throughput_update_us;
    if (change->billing == TD_BILLING_PROVISIONED) return table->effect.to_provisioned_us;
    return table->billing_changed_us == 0 ? table->effect.to_on_demand_us : table->effect.to_on_demand_repeat_us;
}

static void mark_throughputs(td_updating *updating)
{
    td_table *table = updating->table;
    const td_table_change *change = updating->change;
    td_time_us now_us = updating->call->now_us;
    td_resource *base = table->resources[0];
    bool is_switch = change->has_billing && change->billing != table->billing;
    if (is_switch) {
        table->has_next_billing = true;
        table->next_billing = change->billing;
        if (change->billing == TD_BILLING_ON_DEMAND) {
            table->switched_us[table->switch_count++ % TD_SWITCHES_MAX] = now_us;
        }
        for (uint32_t i = 1; i < table->resource_count; i++) {
            if (table->resources[i]->status == TD_TABLE_ACTIVE) table->resources[i]->status = TD_TABLE_UPDATING;
        }
    }
    if (change->has_throughput) mark_throughput(base, &change->throughput, is_switch, now_us);
    if (change->has_on_demand_max) mark_maximum(base, &change->on_demand_max);
    if (change->has_warm) mark_warm(updating, base, &change->warm);
    for (uint32_t i = 0; i < change->index_count; i++) {
        const td_index_change *index = &change->indexes[i];
        td_resource *resource = td_update__find_resource(table, index->spec.name);
        if (index->action == TD_INDEX_DELETE) resource->status = TD_TABLE_DELETING;
        if (index->action != TD_INDEX_UPDATE) continue;
        if (index->has_throughput) {
            mark_throughput(resource, &index->spec.throughput, is_switch, now_us);
            resource->status = TD_TABLE_UPDATING;
        }
        if (index->has_on_demand_max) mark_maximum(resource, &index->spec.on_demand_max);
        if (index->has_warm) mark_warm(updating, resource, &index->spec.warm);
    }
}

/* What is in force as soon as it is asked for. */
static void mark_settings(td_updating *updating)
{
    td_table *table = updating->table;
    const td_table_change *change = updating->change;
    td_time_us now_us = updating->call->now_us;
    if (change->has_stream && change->stream == TD_STREAM_NONE) {
        bool has_delays = table->store->options.has_table_delays;
        td_streams__disable_locked(table, has_delays ? TD_STREAM_DISABLING : TD_STREAM_DISABLED, now_us);
    }
    if (change->has_table_class) {
        if (table->table_class != change->table_class) table->class_changed_us = now_us;
        table->table_class = change->table_class;
        table->has_table_class = true;
    }
    if (change->has_deletion_protection) table->has_deletion_protection = change->deletion_protection;
}

static void mark_throughput(td_resource *resource, const td_throughput *asked, bool is_switch, td_time_us now_us)
{
    const int64_t *from = resource->throughput.rate;
    const int64_t *to = asked->rate;
    resource->next_throughput = *asked;
    resource->has_next_throughput = true;
    if (is_switch) return; /* neither an increase nor a decrease */
    if (to[TD_READ] > from[TD_READ] || to[TD_WRITE] > from[TD_WRITE]) resource->history.last_increase_us = now_us;
    if (to[TD_READ] < from[TD_READ] || to[TD_WRITE] < from[TD_WRITE]) {
        td_time_us day_us = 86400 * TD_US_PER_S;
        if (resource->decrease_accepted_us / day_us != now_us / day_us) resource->history.decreases_today = 0;
        resource->decrease_accepted_us = now_us;
        resource->history.last_decrease_us = now_us;
    }
}

/* Member by member: -1 removes, 0 leaves as it is. */
static void mark_maximum(td_resource *resource, const td_on_demand_max *asked)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if (asked->rate[d] < 0) resource->on_demand_max.rate[d] = 0;
        if (asked->rate[d] > 0) resource->on_demand_max.rate[d] = asked->rate[d];
    }
}

/* The latest request wins; a member that it leaves out stays as it is. */
static void mark_warm(const td_updating *updating, td_resource *resource, const td_throughput *asked)
{
    if (!resource->has_next_warm) resource->warm_due_us = warm_due_us(updating, resource);
    resource->has_next_warm = true;
    resource->next_warm = resource->warm;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        if (asked->rate[d] > 0) resource->next_warm.rate[d] = asked->rate[d];
    }
}

/* A maximum that was removed is echoed as -1 once. false: no memory. */
static bool tell_locked(const td_updating *updating, td_table_info *ret_info)
{
    const td_table_change *change = updating->change;
    const td_call *call = updating->call;
    if (!td_table__describe_locked(updating->table, call->now_us, call->arena, ret_info)) return false;
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        bool is_removed = change->has_on_demand_max && change->on_demand_max.rate[d] < 0;
        if (is_removed) ret_info->spec.on_demand_max.rate[d] = -1;
        for (uint32_t i = 0; i < change->index_count; i++) {
            const td_index_change *index = &change->indexes[i];
            if (!index->has_on_demand_max || index->spec.on_demand_max.rate[d] >= 0) continue;
            int at = td_schema__find_index(updating->table->schema, index->spec.name);
            TD_ASSERT(at >= 0);
            ret_info->indexes[at].spec.on_demand_max.rate[d] = -1;
        }
    }
    return true;
}

/* Maxima hold at once; the rest too, without table delays. false: no memory for all of the partitions. */
static bool apply_locked(td_updating *updating)
{
    td_table *table = updating->table;
    td_time_us now_us = updating->call->now_us;
    bool is_complete = true;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_resource *resource = table->resources[i];
        if (!table->store->options.has_table_delays) td_resource__take_warm(resource);
        td_resource__set_rates(resource, table->billing, &table->effect, now_us);
        uint32_t needed = td_resource__partitions_needed(resource, table->billing, &table->effect);
        is_complete = td_resource__grow(resource, needed, &table->effect, now_us) && is_complete;
    }
    if (!table->store->options.has_table_delays) {
        if (updating->changes_throughput) is_complete = td_table__apply_throughput_locked(table, now_us) && is_complete;
        if (updating->index_change == NULL) table->status = TD_TABLE_ACTIVE;
    }
    return is_complete;
}

/* Fills a new index; without table delays also ends what is marked. */
static td_status finish_index(td_updating *updating)
{
    td_table *table = updating->table;
    td_store *store = table->store;
    td_slice name = updating->index_change->spec.name;
    bool is_made = updating->index_change->action == TD_INDEX_CREATE;
    bool has_delays = store->options.has_table_delays;
    if (!is_made && has_delays) return TD_OK;
    td_status status = is_made ? td_backfill__run(table, name, store->options.placement) : TD_OK;

    td_catalog__write_lock(store);
    td_table__lock(table);
    td_resource *resource = table->is_gone ? NULL : td_update__find_resource(table, name);
    bool was_restored = resource != NULL && resource->status == TD_TABLE_ACTIVE; /* to a snapshot, meanwhile */
    if (was_restored) resource = NULL;
    if (resource != NULL && is_made) td_split__mind_sizes_locked(table, resource, updating->call->now_us);
    if (resource != NULL && is_made && status == TD_OK && has_delays) {
        resource->is_backfilling = true;
        td_time_us delay_us = table->effect.index_create_us;
        if (!td_due__push(&store->due, updating->call->now_us + delay_us, TD_DUE_INDEX_CHANGED, table)) {
            status = TD_OUT_OF_MEMORY;
        }
    }
    if (resource != NULL && (!has_delays || status != TD_OK)) {
        bool stays = is_made && status == TD_OK;
        if (stays) resource->status = TD_TABLE_ACTIVE;
        int at = td_schema__find_index(table->schema, name);
        uint32_t number = 1 + (uint32_t)at - table->schema->local_count;
        if (!stays && !td_table__remove_index_locked(table, number, updating->call->now_us)) status = TD_OUT_OF_MEMORY;
        table->has_index_change = false;
        if (!table->is_throughput_changing) table->status = TD_TABLE_ACTIVE;
        td_catalog__reserve_locked(store, table);
    }
    td_journal__mark_table(table);
    td_table__unlock(table);
    td_catalog__unlock(store);
    return status == TD_OK ? TD_OK : TD_RAISE(updating->error, TD_MSG_OUT_OF_MEMORY);
}
