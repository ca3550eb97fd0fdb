/* SPDX-License-Identifier: Apache-2.0
 * partitions.c: GET /_thermodyn/tables/{table}/partitions: buckets, partitions, and how even the load is; and
 * POST /_thermodyn/tables/{table}/capacity/reset. */
#include "control_private.h"

#include <math.h>
#include <stdio.h>

#include "thermodyn/observe.h"

#include "wire/json.h"

static void write_resource(td_json_build *build, td_json_node *list, const td_resource_view *resource);
static void write_split(td_json_build *build, td_json_node *parent, const td_partition_view *partition);
static void write_bucket(td_json_build *build, td_json_node *parent, const char *name, const td_bucket_view *bucket);
static void write_cap(td_json_build *build, td_json_node *parent, const td_partition_view *partition,
                      td_direction direction);
static void write_balance(td_json_build *build, td_json_node *parent, const td_table_view *view);
static void put_name_or_null(td_json_build *build, td_json_node *parent, const char *name, td_slice value);
static void put_hash(td_json_build *build, td_json_node *parent, const char *name, const td_key_hash *hash);
static void put_sort_key(td_json_build *build, td_json_node *parent, const char *name, const td_value *value);

static const char *const direction_names[TD_DIRECTION_COUNT] = {[TD_READ] = "read", [TD_WRITE] = "write"};

/* The text of the longest sort key, every byte escaped. */
#define SORT_KEY_JSON_BYTES_MAX ((size_t)1 << 14)

int td_control__get_partitions(td_control_call *call)
{
    td_call engine = td_control__engine_call(call, call->table);
    td_table_view view;
    if (!td_observe_table(&engine, &view)) return td_control__unknown_table(call, call->table);
    td_json_build *build = call->answer;
    td_json_put_text(build, build->root, "table", call->table);
    td_json_put_text(build, build->root, "billing_mode",
                     view.billing == TD_BILLING_ON_DEMAND ? TD_LIT("PAY_PER_REQUEST") : TD_LIT("PROVISIONED"));
    td_json_node *buckets = td_json_put_array(build, build->root, "buckets");
    for (uint32_t i = 0; i < view.resource_count; i++) {
        write_resource(build, buckets, &view.resources[i]);
    }
    td_json_node *partitions = td_json_put_array(build, build->root, "partitions");
    for (uint32_t i = 0; i < view.partition_count; i++) {
        td_control__write_partition(build, partitions, &view.partitions[i]);
    }
    write_balance(build, build->root, &view);
    return 200;
}

int td_control__reset_capacity(td_control_call *call)
{
    int status = td_control__read_members(call, NULL, 0);
    if (status != 200) return status;
    td_call engine = td_control__engine_call(call, call->table);
    if (!td_capacity_reset(&engine)) return td_control__unknown_table(call, call->table);
    td_json_put_text(call->answer, call->answer->root, "table", call->table);
    return 200;
}

static void write_resource(td_json_build *build, td_json_node *list, const td_resource_view *resource)
{
    td_json_node *entry = td_json_put_object(build, list, NULL);
    put_name_or_null(build, entry, "index", resource->index);
    for (int direction = 0; direction < TD_DIRECTION_COUNT; direction++) {
        write_bucket(build, entry, direction_names[direction], &resource->bucket[direction]);
    }
}

void td_control__write_partition(td_json_build *build, td_json_node *list, const td_partition_view *partition)
{
    td_json_node *entry = td_json_put_object(build, list, NULL);
    td_json_put_text(build, entry, "id", td_slice_of_cstr(partition->id));
    put_name_or_null(build, entry, "index", partition->index);
    put_hash(build, entry, "hash_from", &partition->hash_from);
    put_hash(build, entry, "hash_to", &partition->hash_to);
    put_sort_key(build, entry, "sort_from", partition->sort_from);
    put_sort_key(build, entry, "sort_to", partition->sort_to);
    put_name_or_null(build, entry, "parent", td_slice_of_cstr(partition->parent));
    td_json_put_int(build, entry, "created", partition->created_us / TD_US_PER_MS);
    td_json_put_int(build, entry, "items", (int64_t)partition->items);
    td_json_put_int(build, entry, "bytes", (int64_t)partition->bytes);
    write_cap(build, entry, partition, TD_READ);
    write_cap(build, entry, partition, TD_WRITE);
    write_split(build, entry, partition);
}

static void write_split(td_json_build *build, td_json_node *parent, const td_partition_view *partition)
{
    td_json_node *split = td_json_put_object(build, parent, "split");
    const char *veto = td_split_veto_name(partition->veto);
    td_json_put_text(build, split, "state", partition->is_splitting ? TD_LIT("pending") : TD_LIT("none"));
    put_name_or_null(build, split, "veto", veto == NULL ? td_slice_of(NULL, 0) : td_slice_of_cstr(veto));
    if (partition->is_splitting) {
        td_json_put_int(build, split, "done_at", partition->split_done_us / TD_US_PER_MS);
        td_json_put_text(build, split, "cause", td_slice_of_cstr(td_split_cause_name(partition->split_cause)));
    } else {
        td_json_put_null(build, split, "done_at");
        td_json_put_null(build, split, "cause");
    }
}

static void write_bucket(td_json_build *build, td_json_node *parent, const char *name, const td_bucket_view *bucket)
{
    td_json_node *entry = td_json_put_object(build, parent, name);
    td_json_put_number(build, entry, "rate", bucket->rate);
    td_json_put_number(build, entry, "balance", bucket->balance);
    td_json_put_number(build, entry, "ceiling", bucket->ceiling);
    td_json_put_int(build, entry, "throttled", (int64_t)bucket->throttled);
}

static void write_cap(td_json_build *build, td_json_node *parent, const td_partition_view *partition,
                      td_direction direction)
{
    const td_bucket_view *cap = &partition->cap[direction];
    td_json_node *entry = td_json_put_object(build, parent, direction_names[direction]);
    td_json_put_number(build, entry, "cap", cap->rate);
    td_json_put_number(build, entry, "balance", cap->balance);
    td_json_put_number(build, entry, "consumed_1s", partition->consumed_1s[direction]);
    td_json_put_int(build, entry, "throttled", (int64_t)cap->throttled);
    if (partition->has_share) write_bucket(build, entry, "share", &partition->share[direction]);
}

/* What of a partition is compared with the others. */
typedef enum measure { MEASURE_BYTES, MEASURE_READ, MEASURE_WRITE } measure;

static double measure_of(const td_partition_view *partition, measure what)
{
    switch (what) {
    case MEASURE_BYTES: return (double)partition->bytes;
    case MEASURE_READ: return partition->consumed_minute[TD_READ];
    case MEASURE_WRITE: return partition->consumed_minute[TD_WRITE];
    }
    return 0;
}

/* Standard deviation over mean across the base table's partitions; 0 where there is nothing. */
static double coefficient_of_variation(const td_table_view *view, measure what)
{
    double sum = 0;
    double squares = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->partition_count; i++) {
        if (view->partitions[i].index.len > 0) continue;
        sum += measure_of(&view->partitions[i], what);
        count++;
    }
    double mean = count == 0 ? 0 : sum / count;
    if (mean <= 0) return 0;
    for (uint32_t i = 0; i < view->partition_count; i++) {
        if (view->partitions[i].index.len > 0) continue;
        double away = measure_of(&view->partitions[i], what) - mean;
        squares += away * away;
    }
    return sqrt(squares / count) / mean;
}

static void write_balance(td_json_build *build, td_json_node *parent, const td_table_view *view)
{
    td_json_node *balance = td_json_put_object(build, parent, "balance");
    td_json_put_number(build, balance, "bytes_cv", coefficient_of_variation(view, MEASURE_BYTES));
    td_json_put_number(build, balance, "read_cv", coefficient_of_variation(view, MEASURE_READ));
    td_json_put_number(build, balance, "write_cv", coefficient_of_variation(view, MEASURE_WRITE));
}

static void put_name_or_null(td_json_build *build, td_json_node *parent, const char *name, td_slice value)
{
    if (value.len == 0) {
        td_json_put_null(build, parent, name);
    } else {
        td_json_put_text(build, parent, name, value);
    }
}

/* As {"S":"…"}. */
static void put_sort_key(td_json_build *build, td_json_node *parent, const char *name, const td_value *value)
{
    td_buf text;
    td_buf_init(&text, SORT_KEY_JSON_BYTES_MAX);
    if (value != NULL) td_json_write_value(&text, value);
    td_buf_append_byte(&text, 0);
    if (value == NULL || td_buf_has_failed(&text))
        td_json_put_null(build, parent, name);
    else
        td_json_put_written(build, parent, name, td_slice_of(text.data, text.len - 1));
    td_buf_done(&text);
}

/* The first eight bytes: most partitions meet at multiples of 2^64 of the 128-bit hash space. */
static void put_hash(td_json_build *build, td_json_node *parent, const char *name, const td_key_hash *hash)
{
    char text[17];
    snprintf(text, sizeof(text), "%016llx", (unsigned long long)td_key_hash_prefix(hash));
    td_json_put_text(build, parent, name, td_slice_of_cstr(text));
}
