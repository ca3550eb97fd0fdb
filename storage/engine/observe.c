/* SPDX-License-Identifier: Apache-2.0
 * observe.c: views of partitions, buckets and throttles for control endpoints, logs and tests.
 * Not here: what is counted (storage/capacity/meter.c, admission.c). */
#include "thermodyn/observe.h"

#include "thermodyn/text.h"

#include "catalog.h"
#include "plan.h"

#define BOUND_BYTES_MAX ((size_t)1 << 17)

static bool view_locked(const td_table *table, const td_call *call, td_table_view *ret_view);
static bool view_resource(const td_resource *resource, td_billing_mode billing, td_slice index, td_time_us now_us,
                          td_arena *arena, td_resource_view *ret_view);
static void view_partition(const td_partition *partition, td_slice index, td_time_us now_us,
                           td_partition_view *ret_view);
static bool view_bounds(const td_resource *resource, const td_key_schema *key, td_arena *arena,
                        td_partition_view *views);
static bool decode_sort(const td_key_schema *key, td_slice bound, td_arena *arena, td_value **ret_value);
static bool read_sort(const td_key_schema *key, td_slice bound, td_buf *closed, td_buf *ret_payload);
static bool trim_to_value(td_type type, td_slice *payload);
static void step_back(td_key_hash *hash);
static td_key_hash hash_of(uint64_t prefix, uint8_t tail);
static uint32_t count_tallies(const td_table *table);
static bool take_tallies_locked(td_table *table, td_arena *arena, td_throttle_count *counts, uint32_t room,
                                uint32_t *count);

bool td_observe_table(const td_call *call, td_table_view *ret_view)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return false;
    td_table__lock(table);
    bool is_viewed = view_locked(table, call, ret_view);
    td_table__unlock(table);
    td_table__unref(table);
    return is_viewed;
}

bool td_capacity_reset(const td_call *call)
{
    td_table *table = td_catalog__find(call->store, call->scope, call->table);
    if (table == NULL) return false;
    td_table__lock(table);
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_resource__reset_buckets(table->resources[i], &table->effect, call->now_us);
    }
    td_journal__mark_table(table);
    td_table__unlock(table);
    td_table__unref(table);
    return true;
}

/* What throttles between the count and the taking waits for the next call. */
bool td_observe_take_throttles(td_store *store, td_arena *arena, td_throttle_count **ret_counts, uint32_t *ret_count)
{
    td_catalog__read_lock(store);
    uint32_t room = 0;
    for (td_btree_cursor at = td_btree_first(store->tables); !td_btree_is_end(at); td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        room += count_tallies(table);
        td_table__unlock(table);
    }
    td_throttle_count *counts = td_arena_alloc_array(arena, room, sizeof *counts);
    uint32_t count = 0;
    bool is_taken = counts != NULL;
    for (td_btree_cursor at = td_btree_first(store->tables); is_taken && room > 0 && !td_btree_is_end(at);
         td_btree_next(&at)) {
        td_table *table = td_btree_value(at);
        td_table__lock(table);
        is_taken = take_tallies_locked(table, arena, counts, room, &count);
        td_table__unlock(table);
    }
    td_catalog__unlock(store);
    if (!is_taken) return false;
    *ret_counts = counts;
    *ret_count = count;
    return true;
}

static bool view_locked(const td_table *table, const td_call *call, td_table_view *ret_view)
{
    td_arena *arena = call->arena;
    uint32_t partition_count = 0;
    for (uint32_t i = 0; i < table->resource_count; i++)
        partition_count += table->resources[i]->partition_count;
    td_table_view view = {
        .billing = table->billing,
        .resources = td_arena_alloc_zero(arena, table->resource_count * sizeof *view.resources),
        .partitions = td_arena_alloc_zero(arena, partition_count * sizeof *view.partitions),
    };
    if (view.resources == NULL || view.partitions == NULL) return false;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        const td_resource *resource = table->resources[i];
        td_slice index = i == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, i - 1)->spec.name;
        td_resource_view *resource_view = &view.resources[view.resource_count++];
        if (!view_resource(resource, table->billing, index, call->now_us, arena, resource_view)) return false;
        td_partition_view *partition_views = &view.partitions[view.partition_count];
        for (uint32_t k = 0; k < resource->partition_count; k++) {
            view_partition(resource->partitions[k], resource_view->index, call->now_us,
                           &view.partitions[view.partition_count++]);
        }
        const td_key_schema *key = i == 0 ? &table->schema->key : &td_schema__global(table->schema, i - 1)->spec.key;
        if (!view_bounds(resource, key, arena, partition_views)) return false;
    }
    *ret_view = view;
    return true;
}

/* On-demand: the maximum where one is set, else the account's quota. */
static bool view_resource(const td_resource *resource, td_billing_mode billing, td_slice index, td_time_us now_us,
                          td_arena *arena, td_resource_view *ret_view)
{
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        const td_bucket *bucket = &resource->provisioned[d];
        if (billing == TD_BILLING_ON_DEMAND) {
            bool has_maximum = !td_bucket_is_unlimited(&resource->maximum[d]);
            bucket = has_maximum ? &resource->maximum[d] : &resource->quota[d];
        }
        ret_view->bucket[d] = resource->has_shares ? td_share__get_view(resource, (td_direction)d, now_us)
                                                   : td_bucket_get_view(bucket, now_us);
    }
    return td_arena_copy(arena, index, &ret_view->index);
}

static void view_partition(const td_partition *partition, td_slice index, td_time_us now_us,
                           td_partition_view *ret_view)
{
    td_partition__format_id(partition->number, ret_view->id);
    if (partition->parent > 0) td_partition__format_id(partition->parent, ret_view->parent);
    ret_view->index = index;
    ret_view->hash_from = hash_of(partition->hash_from, 0x00);
    ret_view->hash_to = hash_of(partition->hash_to, 0xFF);
    ret_view->created_us = partition->created_us;
    ret_view->items = td_btree_count(partition->trees[0].entries);
    ret_view->bytes = td_partition__storage_bytes(partition);
    ret_view->veto = partition->veto != TD_VETO_NONE ? partition->veto : partition->full_veto;
    if (partition->plan != NULL) {
        ret_view->is_splitting = true;
        ret_view->split_cause = partition->plan->cause;
        ret_view->split_done_us = partition->plan->due_us;
    }
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        ret_view->cap[d] = td_bucket_get_view(&partition->cap[d], now_us);
        ret_view->has_share = !td_bucket_is_unlimited(&partition->share[d].bucket);
        ret_view->share[d] = td_bucket_get_view(&partition->share[d].bucket, now_us);
        double one = (double)TD_UNITS_ONE;
        ret_view->consumed_1s[d] = (double)td_usage_last_second(&partition->usage[d], now_us) / one;
        ret_view->consumed_minute[d] = (double)td_usage_last_minute(&partition->usage[d], now_us) / one;
    }
}

/* What partitions that share a hash have of it. */
static bool view_bounds(const td_resource *resource, const td_key_schema *key, td_arena *arena,
                        td_partition_view *views)
{
    for (uint32_t i = 1; i < resource->partition_count; i++) {
        td_slice bound = resource->partitions[i]->from;
        if (bound.len == 0) continue; /* it begins with a hash's first bytes */
        TD_ASSERT(bound.len >= TD_KEY_HASH_BYTES);
        memcpy(views[i].hash_from.bytes, bound.ptr, TD_KEY_HASH_BYTES);
        views[i - 1].hash_to = views[i].hash_from;
        if (bound.len == TD_KEY_HASH_BYTES) step_back(&views[i - 1].hash_to);
        if (!decode_sort(key, bound, arena, &views[i].sort_from)) return false;
        views[i - 1].sort_to = views[i].sort_from;
    }
    return true;
}

/* NULL: the bound does not reach into the sort key. Of several sort key attributes the first is shown. false: no
 * memory.
 */
static bool decode_sort(const td_key_schema *key, td_slice bound, td_arena *arena, td_value **ret_value)
{
    *ret_value = NULL;
    td_buf closed;
    td_buf payload;
    td_buf_init(&closed, BOUND_BYTES_MAX);
    td_buf_init(&payload, BOUND_BYTES_MAX);
    bool is_read = key->range_count > 0 && read_sort(key, bound, &closed, &payload);
    td_slice bytes = td_buf_contents(&payload);
    bool is_decoded = !td_buf_has_failed(&closed) && !td_buf_has_failed(&payload);
    if (is_decoded && is_read && trim_to_value(key->parts[key->hash_count].type, &bytes)) {
        td_value *value = td_arena_alloc_zero(arena, sizeof *value);
        is_decoded = value != NULL && td_arena_copy(arena, bytes, &value->bytes);
        if (is_decoded) value->type = key->parts[key->hash_count].type;
        *ret_value = is_decoded ? value : NULL;
    }
    td_buf_done(&closed);
    td_buf_done(&payload);
    return is_decoded;
}

/* A bound may end anywhere: then what there is of its last part is closed as a part is. */
static bool read_sort(const td_key_schema *key, td_slice bound, td_buf *closed, td_buf *ret_payload)
{
    size_t at = TD_KEY_HASH_BYTES;
    for (uint32_t i = 0; i < key->hash_count; i++) {
        if (!td_key_read_part(bound, &at, NULL)) return false;
    }
    if (at == bound.len) return false;
    if (td_key_read_part(bound, &at, ret_payload)) return true;
    td_buf_clear(ret_payload);
    bool ends_in_mark = bound.ptr[bound.len - 1] == 0; /* the first byte of an escape or of an end */
    td_buf_append(closed, td_slice_of(bound.ptr, bound.len - ends_in_mark));
    td_buf_append_lit(closed, "\0\0");
    return !td_buf_has_failed(closed) && td_key_read_part(td_buf_contents(closed), &at, ret_payload);
}

/* The part of it that is a value of the type. false: there is none. */
static bool trim_to_value(td_type type, td_slice *payload)
{
    if (type == TD_TYPE_N) return td_number_is_valid(*payload);
    while (type == TD_TYPE_S && payload->len > 0 && !td_utf8_is_valid(*payload))
        payload->len--;
    return payload->len > 0;
}

/* The hash before that one; it is not the first. */
static void step_back(td_key_hash *hash)
{
    size_t i = sizeof hash->bytes;
    while (hash->bytes[i - 1]-- == 0)
        i--;
}

static td_key_hash hash_of(uint64_t prefix, uint8_t tail)
{
    td_key_hash hash;
    memset(hash.bytes, tail, sizeof hash.bytes);
    (void)td_partition__key_of_hash(prefix, hash.bytes);
    return hash;
}

static uint32_t count_tallies(const td_table *table)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
            for (int kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
                count += table->resources[i]->tally.counts[d][kind] > 0;
            }
        }
    }
    return count;
}

static bool take_tallies_locked(td_table *table, td_arena *arena, td_throttle_count *counts, uint32_t room,
                                uint32_t *count)
{
    td_throttle_count about;
    if (count_tallies(table) == 0) return true;
    if (!td_arena_copy(arena, table->schema->scope, &about.scope)) return false;
    if (!td_arena_copy(arena, table->schema->table, &about.table)) return false;
    for (uint32_t i = 0; i < table->resource_count; i++) {
        td_slice index = i == 0 ? td_slice_of(NULL, 0) : td_schema__global(table->schema, i - 1)->spec.name;
        if (!td_arena_copy(arena, index, &about.reason.index)) return false;
        for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
            for (int kind = 0; kind < TD_LIMIT_KIND_COUNT; kind++) {
                uint64_t *tally = &table->resources[i]->tally.counts[d][kind];
                if (*tally == 0 || *count == room) continue;
                about.reason.kind = (td_limit_kind)kind;
                about.reason.direction = (td_direction)d;
                about.count = *tally;
                counts[(*count)++] = about;
                *tally = 0;
            }
        }
    }
    return true;
}
