/* SPDX-License-Identifier: Apache-2.0
 * restore_table.c: a table of its document.
 *
 * The table is made as a new one is, of what the document says of its schema; then its members, its resources and
 * their partitions take the place of what a new one starts with.
 * Not here: writing it (persist_table.c). */
#include "restore.h"

#include "thermodyn/memory.h"

#include "catalog.h"
#include "expiry.h"
#include "insight.h"
#include "item_keys.h"
#include "pressure.h"
#include "ranges.h"
#include "split.h"
#include "streams.h"
#include "tag.h"

#define DEFINITIONS_MAX (TD_KEY_PARTS_MAX * (1 + TD_INDEXES_MAX))
#define NUMBERS_MAX (2 * TD_LIMIT_PARTITIONS_MAX) /* a split takes two, and adds one */
#define SCRATCH_BYTES_MAX ((size_t)16 << 20)

/* What a document says before there is a table. */
typedef struct table_document {
    td_arena scratch;
    td_table_spec spec;
    td_slice scope;
    td_slice id;
    td_slice expiry_attribute;
    td_slice policy;
    td_slice resources[TD_RESOURCES_MAX];
    uint32_t resource_count;
    uint32_t stream_number;
    td_tag tags[TD_LIMIT_TAGS_MAX];
    td_capacity_patch own;
} table_document;

static bool read_document(table_document *it, td_slice document);
static bool read_field(table_document *it, const td_doc_field *field, td_doc_counts *counts);
static bool read_index(table_document *it, td_slice bytes);
static bool read_tag(td_slice bytes, td_tag *ret_tag);
static bool read_own(td_slice bytes, td_capacity_patch *ret_patch);
static bool is_sound(const table_document *it);
static td_restored fill_table(td_restore *restore, td_table *table, const table_document *it, td_slice document);
static bool read_members(td_table *table, td_slice document);
static bool has_own_names(const td_table_spec *spec);
static bool attach_stream(const td_restore *restore, td_table *table, uint32_t number);
static bool is_same_key(const td_key_schema *a, const td_key_schema *b);
static bool read_resource(td_table *table, td_resource *resource, td_slice bytes, td_time_us now_us);
static bool read_resource_field(td_table *table, td_resource *resource, const td_doc_field *field, uint32_t *pools,
                                td_time_us now_us);
static bool has_own_numbers(const td_resource *resource);
static bool read_peak(td_growth *growth, td_slice bytes);
static bool read_insights(td_resource *resource, td_slice bytes);
static bool read_partition(td_table *table, td_resource *resource, td_slice bytes, td_time_us now_us);
static bool fill_partition(td_partition *partition, td_slice bytes, td_slice *ret_from, td_slice *ret_plan);
static bool set_from(td_partition *partition, td_slice from);
static bool read_share(td_share *share, td_slice bytes);
static bool read_bucket(td_bucket *bucket, td_slice bytes);
static bool read_plan(td_table *table, td_resource *resource, td_partition *partition, td_slice bytes);
static bool queue_locked(td_table *table, td_time_us now_us);
static bool has_shards(const td_table *table);

td_restored td_restore__table(td_restore *restore, uint32_t number, td_slice document, td_table **ret_table)
{
    td_store *store = restore->store;
    td_restored restored = TD_RESTORED;
    td_table *table = NULL;
    table_document *it = td_alloc_zero(sizeof *it);
    if (it == NULL) return TD_RESTORE_NO_MEMORY;
    td_arena_init(&it->scratch, SCRATCH_BYTES_MAX);
    if (!read_document(it, document) || !is_sound(it)) {
        restored = td_restore__damaged(restore, "the document of table %.*s (number %u) is damaged",
                                       (int)it->spec.name.len, (const char *)it->spec.name.ptr, number);
    } else {
        table = td_table__new(store, it->scope, &it->spec, &store->settings, restore->now_us);
        restored = table == NULL ? TD_RESTORE_NO_MEMORY : fill_table(restore, table, it, document);
    }
    if (restored == TD_RESTORED) {
        table->record_number = number;
        *ret_table = table;
    } else if (table != NULL) {
        td_table__unref(table);
    }
    td_arena_done(&it->scratch);
    td_free(it);
    return restored;
}

td_restored td_restore__finish_table(td_restore *restore, td_table *table)
{
    td_store *store = restore->store;
    td_time_us now_us = restore->now_us;
    if (!has_shards(table)) {
        return td_restore__damaged(restore, "a partition of table %.*s has no shard", (int)table->schema->table.len,
                                   (const char *)table->schema->table.ptr);
    }
    td_table__lock(table);
    bool is_done = td_table__apply_settings_locked(table, &store->settings, now_us) && queue_locked(table, now_us);
    td_table__unlock(table);
    td_catalog__reserve_locked(store, table);
    if (is_done && table->expiry != NULL) is_done = td_expiry__fill(table, now_us) == TD_OK;
    return is_done ? TD_RESTORED : TD_RESTORE_NO_MEMORY;
}

bool td_restore__definition(td_slice bytes, td_attribute_definition *ret_definition)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    *ret_definition = (td_attribute_definition){.type = TD_TYPE_COUNT};
    while (td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_PART_NAME) ret_definition->name = field.bytes;
        if (field.field == TD_FIELD_PART_TYPE) ret_definition->type = (td_type)field.number;
    }
    td_type type = ret_definition->type;
    bool is_key_type = type == TD_TYPE_S || type == TD_TYPE_N || type == TD_TYPE_B;
    return !reader.is_damaged && is_key_type && ret_definition->name.len > 0;
}

bool td_restore__key(td_slice bytes, td_key_schema *ret_key)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    int64_t hash_count = 0;
    uint8_t count = 0;
    *ret_key = (td_key_schema){.hash_count = 0};
    while (td_doc__next(&reader, &field)) {
        td_attribute_definition part;
        if (field.field == TD_FIELD_KEY_HASH_COUNT) {
            hash_count = field.number;
        } else if (field.field == TD_FIELD_KEY_PART) {
            if (count == TD_KEY_PARTS_MAX || !td_restore__definition(field.bytes, &part)) return false;
            ret_key->parts[count++] = (td_key_part){.name = part.name, .type = part.type};
        }
    }
    if (reader.is_damaged || hash_count < 1 || hash_count > TD_LIMIT_INDEX_HASH_PARTS_MAX || hash_count > count) {
        return false;
    }
    ret_key->hash_count = (uint8_t)hash_count;
    ret_key->range_count = (uint8_t)(count - hash_count);
    return ret_key->range_count <= TD_LIMIT_INDEX_RANGE_PARTS_MAX;
}

bool td_restore__policy(td_slice bytes, td_attached *ret_policy)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    td_slice text = {NULL, 0};
    int64_t revision = 0;
    while (td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_POLICY_TEXT) text = field.bytes;
        if (field.field == TD_FIELD_POLICY_REVISION) revision = field.number;
    }
    return !reader.is_damaged && td_attached__set(ret_policy, text, revision);
}

/* A setting that this release does not know has no effect. */
bool td_restore__patch_field(const td_doc_field *field, td_capacity_patch *patch)
{
    if (field->field == TD_FIELD_ENFORCE) {
        patch->has_enforce = true;
        patch->settings.enforce = (td_enforce)field->number;
        return (uint64_t)field->number <= TD_ENFORCE_OBSERVE;
    }
    if (field->field == TD_FIELD_ERA) {
        patch->has_era = true;
        patch->settings.era = (td_era)field->number;
        return (uint64_t)field->number <= TD_ERA_INSTANT;
    }
    if (field->kind != TD_DOC_FIELDS) return false;
    td_doc_reader reader = td_doc__reader(field->bytes);
    td_doc_field first;
    td_doc_field second;
    if (!td_doc__next(&reader, &first) || !td_doc__next(&reader, &second)) return false;
    if (field->field == TD_FIELD_ANSWER) {
        bool is_known = (uint64_t)first.number < TD_POLICY_CELL_COUNT && (uint64_t)second.number < TD_ANSWER_COUNT;
        if (!is_known) return false;
        patch->has_answer[first.number] = true;
        patch->settings.policy.answers[first.number] = (uint8_t)second.number;
        return true;
    }
    for (int i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (!td_slice_equal(first.bytes, td_slice_of_cstr(td_capacity_rows[i].name))) continue;
        patch->has_value[i] = true;
        patch->settings.values[i] = second.real;
        return second.real >= td_capacity_rows[i].min && second.real <= td_capacity_rows[i].max;
    }
    return field->field == TD_FIELD_SETTING;
}

static bool read_document(table_document *it, td_slice document)
{
    td_arena *scratch = &it->scratch;
    it->spec.definitions = td_arena_alloc_array(scratch, DEFINITIONS_MAX, sizeof *it->spec.definitions);
    it->spec.indexes = td_arena_alloc_array(scratch, TD_INDEXES_MAX, sizeof *it->spec.indexes);
    it->spec.tags = it->tags;
    it->spec.throughput = (td_throughput){{1, 1}}; /* until the resources are read */
    if (it->spec.definitions == NULL || it->spec.indexes == NULL) return false;
    td_doc_reader reader = td_doc__reader(document);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    while (td_doc__next(&reader, &field)) {
        if (!read_field(it, &field, &counts)) return false;
    }
    return !reader.is_damaged;
}

/* The members of the table itself are read when there is one (read_members). */
static bool read_field(table_document *it, const td_doc_field *field, td_doc_counts *counts)
{
    td_table_spec *spec = &it->spec;
    switch (field->field) {
    case TD_FIELD_TABLE_ID: it->id = field->bytes; return true;
    case TD_FIELD_SCOPE: it->scope = field->bytes; return true;
    case TD_FIELD_NAME: spec->name = field->bytes; return true;
    case TD_FIELD_DEFINITION:
        return spec->definition_count < DEFINITIONS_MAX &&
               td_restore__definition(field->bytes, &spec->definitions[spec->definition_count++]);
    case TD_FIELD_KEY: return td_restore__key(field->bytes, &spec->key);
    case TD_FIELD_INDEX: return read_index(it, field->bytes);
    case TD_FIELD_RESOURCE:
        if (it->resource_count == TD_RESOURCES_MAX) return false;
        it->resources[it->resource_count++] = field->bytes;
        return true;
    case TD_FIELD_TAG:
        return spec->tag_count < TD_LIMIT_TAGS_MAX && read_tag(field->bytes, &it->tags[spec->tag_count++]);
    case TD_FIELD_EXPIRY_ATTRIBUTE: it->expiry_attribute = field->bytes; return true;
    case TD_FIELD_POLICY: it->policy = field->bytes; return true;
    case TD_FIELD_KMS_KEY: spec->encryption.kms_key_id = field->bytes; return true;
    case TD_FIELD_OWN_SETTINGS: return read_own(field->bytes, &it->own);
    case TD_FIELD_STREAM: it->stream_number = (uint32_t)field->number; return true;
    default:
        (void)td_doc__take_row(field, counts, td_persist__encryption_rows.rows, td_persist__encryption_rows.count,
                               &spec->encryption);
        return true;
    }
}

static bool read_index(table_document *it, td_slice bytes)
{
    if (it->spec.index_count == TD_INDEXES_MAX) return false;
    td_index_spec *index = &it->spec.indexes[it->spec.index_count++];
    *index = (td_index_spec){
        .throughput = {{1, 1}},
        .non_key_attributes =
            td_arena_alloc_array(&it->scratch, TD_LIMIT_PROJECTED_ATTRIBUTES_MAX, sizeof(td_slice))};
    if (index->non_key_attributes == NULL) return false;
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    bool is_sound = true;
    while (is_sound && td_doc__next(&reader, &field)) {
        switch (field.field) {
        case TD_FIELD_INDEX_NAME: index->name = field.bytes; break;
        case TD_FIELD_INDEX_KEY: is_sound = td_restore__key(field.bytes, &index->key); break;
        case TD_FIELD_INDEX_IS_GLOBAL: index->is_global = field.number != 0; break;
        case TD_FIELD_INDEX_PROJECTION:
            index->projection = (td_projection_type)field.number;
            is_sound = (uint64_t)field.number <= TD_PROJECT_INCLUDE;
            break;
        case TD_FIELD_INDEX_ATTRIBUTE:
            is_sound = index->non_key_attribute_count < TD_LIMIT_PROJECTED_ATTRIBUTES_MAX;
            if (is_sound) index->non_key_attributes[index->non_key_attribute_count++] = field.bytes;
            break;
        default: is_sound = false;
        }
    }
    return is_sound && !reader.is_damaged && index->name.len > 0 && index->key.hash_count > 0;
}

static bool read_tag(td_slice bytes, td_tag *ret_tag)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    while (td_doc__next(&reader, &field))
        *(field.field == TD_FIELD_TAG_KEY ? &ret_tag->key : &ret_tag->value) = field.bytes;
    return !reader.is_damaged;
}

static bool read_own(td_slice bytes, td_capacity_patch *ret_patch)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    while (td_doc__next(&reader, &field)) {
        if (!td_restore__patch_field(&field, ret_patch)) return false;
    }
    return !reader.is_damaged;
}

/* Local indexes stand before global ones, and each global one has its resource. */
static bool is_sound(const table_document *it)
{
    const td_table_spec *spec = &it->spec;
    uint32_t global_count = 0;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        bool is_global = spec->indexes[i].is_global;
        if (!is_global && (global_count > 0 || i == TD_LIMIT_LOCAL_INDEXES_MAX)) return false;
        global_count += is_global;
    }
    return spec->name.len > 0 && spec->key.hash_count == 1 && spec->key.range_count <= 1 && it->id.len == 36 &&
           memchr(it->id.ptr, '\0', it->id.len) == NULL && global_count <= TD_LIMIT_GLOBAL_INDEXES_MAX &&
           it->resource_count == 1 + global_count && has_own_names(spec);
}

/* No two indexes have the same. */
static bool has_own_names(const td_table_spec *spec)
{
    for (uint32_t i = 0; i < spec->index_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (td_slice_equal(spec->indexes[i].name, spec->indexes[k].name)) return false;
        }
    }
    return true;
}

static td_restored fill_table(td_restore *restore, td_table *table, const table_document *it, td_slice document)
{
    memcpy(table->id, it->id.ptr, it->id.len);
    table->own = it->own;
    bool is_read = attach_stream(restore, table, it->stream_number) && read_members(table, document) &&
                   td_restore__policy(it->policy, &table->policy);
    for (uint32_t i = 0; is_read && i < table->resource_count; i++)
        is_read = read_resource(table, table->resources[i], it->resources[i], restore->now_us);
    if (!is_read) {
        return td_restore__damaged(restore, "the document of table %.*s is damaged, or memory ran out",
                                   (int)it->spec.name.len, (const char *)it->spec.name.ptr);
    }
    if (it->expiry_attribute.len == 0) return TD_RESTORED;
    table->expiry = td_expiry__new(it->expiry_attribute);
    return table->expiry == NULL ? TD_RESTORE_NO_MEMORY : TD_RESTORED;
}

/* What a document leaves out is zero. */
static bool read_members(td_table *table, td_slice document)
{
    td_doc_reader reader = td_doc__reader(document);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    td_doc__clear_rows(td_persist__table_rows.rows, td_persist__table_rows.count, table);
    while (td_doc__next(&reader, &field)) {
        if (field.field < TD_FIELD_TABLE_ROWS || field.field >= TD_FIELD_TABLE_ROWS + 30) continue;
        if (!td_doc__take_row(&field, &counts, td_persist__table_rows.rows, td_persist__table_rows.count, table)) {
            return false;
        }
    }
    return true;
}

/* The latest of the table: an enabled one is written on, and has the key of the table. One that is not there was closed
 * and trimmed: the table's document is older than its end. */
static bool attach_stream(const td_restore *restore, td_table *table, uint32_t number)
{
    for (uint32_t i = 0; i < restore->stream_count; i++) {
        td_stream *stream = restore->streams[i];
        if (stream->record_number != number) continue;
        table->stream = td_stream__ref(stream);
        if (stream->closed_us == TD_NEVER) table->resources[0]->stream = stream;
        return is_same_key(&stream->schema->key, &table->schema->key);
    }
    return true;
}

static bool is_same_key(const td_key_schema *a, const td_key_schema *b)
{
    bool is_same = a->hash_count == b->hash_count && a->range_count == b->range_count;
    for (uint32_t i = 0; is_same && i < td_key_part_count(a); i++)
        is_same = a->parts[i].type == b->parts[i].type && td_slice_equal(a->parts[i].name, b->parts[i].name);
    return is_same;
}

static bool read_resource(td_table *table, td_resource *resource, td_slice bytes, td_time_us now_us)
{
    for (uint32_t i = 0; i < resource->partition_count; i++)
        td_partition__free(resource->partitions[i]);
    resource->partition_count = 0;
    td_doc__clear_rows(td_persist__resource_rows.rows, td_persist__resource_rows.count, resource);
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    uint32_t pools = 0;
    while (td_doc__next(&reader, &field)) {
        bool is_read = field.field < TD_FIELD_RESOURCE_ROWS
                           ? read_resource_field(table, resource, &field, &pools, now_us)
                           : td_doc__take_row(&field, &counts, td_persist__resource_rows.rows,
                                              td_persist__resource_rows.count, resource);
        if (!is_read) return false;
    }
    td_resource__note_rates(resource, now_us);
    return !reader.is_damaged && td_ranges__are_whole(resource) && has_own_numbers(resource);
}

/* No number of a partition stands twice, nor is one to come. */
static bool has_own_numbers(const td_resource *resource)
{
    if (resource->last_number > NUMBERS_MAX) return false;
    uint8_t *is_taken = td_alloc_zero((size_t)resource->last_number + 1);
    bool is_sound = is_taken != NULL;
    for (uint32_t i = 0; is_sound && i < resource->partition_count; i++) {
        uint32_t number = resource->partitions[i]->number;
        is_sound = number <= resource->last_number && !is_taken[number];
        if (is_sound) is_taken[number] = 1;
    }
    td_free(is_taken);
    return is_sound;
}

static bool read_resource_field(td_table *table, td_resource *resource, const td_doc_field *field, uint32_t *pools,
                                td_time_us now_us)
{
    switch (field->field) {
    case TD_FIELD_PARTITION: return read_partition(table, resource, field->bytes, now_us);
    case TD_FIELD_POOL: {
        uint32_t d = *pools / 3;
        td_bucket *buckets[] = {&resource->provisioned[d % 2], &resource->quota[d % 2], &resource->maximum[d % 2]};
        return d < TD_DIRECTION_COUNT && read_bucket(buckets[(*pools)++ % 3], field->bytes);
    }
    case TD_FIELD_PEAK: return read_peak(&resource->growth, field->bytes);
    case TD_FIELD_INSIGHTS: return read_insights(resource, field->bytes);
    default: return false;
    }
}

static bool read_peak(td_growth *growth, td_slice bytes)
{
    if (growth->count == TD_GROWTH_PEAKS) return false;
    td_growth_peak *peak = &growth->peaks[growth->count++];
    return td_doc__read_rows(bytes, td_persist__peak_rows.rows, td_persist__peak_rows.count, peak);
}

/* Its rules count from now on. */
static bool read_insights(td_resource *resource, td_slice bytes)
{
    td_insights *insights = resource->insights == NULL ? td_alloc_zero(sizeof *insights) : NULL;
    if (insights == NULL) return false;
    resource->insights = insights;
    const td_persist_rows rows = td_persist__insights_rows;
    if (!td_doc__read_rows(bytes, rows.rows, rows.count, insights)) return false;
    if (insights->is_on) insights->contributors = td_contributors_new(td_insights__rules(resource, insights->mode));
    return !insights->is_on || insights->contributors != NULL;
}

static bool read_partition(td_table *table, td_resource *resource, td_slice bytes, td_time_us now_us)
{
    const td_btree_source *items = resource->item_keys == NULL ? NULL : &resource->item_keys->source;
    td_partition *partition =
        td_partition__new(1, resource->tree_count, items, resource->lag != NULL, now_us, &table->effect);
    if (partition == NULL) return false;
    td_slice plan = td_slice_of(NULL, 0);
    td_slice from = td_slice_of(NULL, 0);
    bool is_sound = fill_partition(partition, bytes, &from, &plan) && set_from(partition, from);
    if (!is_sound || !td_ranges__add(resource, partition)) {
        td_partition__free(partition);
        return false;
    }
    return plan.len == 0 || read_plan(table, resource, partition, plan);
}

static bool fill_partition(td_partition *partition, td_slice bytes, td_slice *ret_from, td_slice *ret_plan)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    uint32_t caps = 0;
    uint32_t shares = 0;
    td_doc__clear_rows(td_persist__partition_rows.rows, td_persist__partition_rows.count, partition);
    bool is_read = true;
    while (is_read && td_doc__next(&reader, &field)) {
        switch (field.field) {
        case TD_FIELD_FROM: *ret_from = field.bytes; break;
        case TD_FIELD_CAP: is_read = caps < 2 && read_bucket(&partition->cap[caps++], field.bytes); break;
        case TD_FIELD_SHARE: is_read = shares < 2 && read_share(&partition->share[shares++], field.bytes); break;
        case TD_FIELD_PLAN: *ret_plan = field.bytes; break;
        default:
            is_read = td_doc__take_row(&field, &counts, td_persist__partition_rows.rows,
                                       td_persist__partition_rows.count, partition);
        }
    }
    return is_read && !reader.is_damaged && partition->number > 0;
}

/* Empty: the hash that it begins with is all of its bound. */
static bool set_from(td_partition *partition, td_slice from)
{
    if (from.len == 0) return true;
    bool is_sound = from.len >= sizeof partition->hash_from && from.len <= TD_BTREE_ROOM_BYTES;
    return is_sound && td_partition__set_from(partition, from);
}

static bool read_share(td_share *share, td_slice bytes)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    const td_persist_rows rows = td_persist__share_rows;
    while (td_doc__next(&reader, &field)) {
        bool is_read = field.field == TD_FIELD_SHARE_BUCKET
                           ? read_bucket(&share->bucket, field.bytes)
                           : td_doc__take_row(&field, &counts, rows.rows, rows.count, share);
        if (!is_read) return false;
    }
    return !reader.is_damaged;
}

static bool read_bucket(td_bucket *bucket, td_slice bytes)
{
    *bucket = (td_bucket){0};
    const td_persist_rows rows = td_persist__bucket_rows;
    if (!td_doc__read_rows(bytes, rows.rows, rows.count, bucket)) return false;
    return bucket->ceiling_nano >= 0 && bucket->ceiling_nano <= TD_BUCKET_NANO_MAX &&
           bucket->balance_nano <= bucket->ceiling_nano && bucket->balance_nano >= -TD_BUCKET_NANO_MAX;
}

static bool read_plan(td_table *table, td_resource *resource, td_partition *partition, td_slice bytes)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_field field;
    td_slice bound = td_slice_of(NULL, 0);
    int64_t cause = 0;
    td_time_us due_us = 0;
    while (td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_PLAN_BOUND) bound = field.bytes;
        if (field.field == TD_FIELD_PLAN_CAUSE) cause = field.number;
        if (field.field == TD_FIELD_PLAN_DUE) due_us = field.number;
    }
    bool is_sound = !reader.is_damaged && cause >= 0 && cause < TD_SPLIT_CAUSE_COUNT && due_us > 0 &&
                    td_doc__is_instant(due_us) && bound.len <= TD_BTREE_ROOM_BYTES;
    return is_sound &&
           td_split__plan_again_locked(table, resource, partition, bound, (td_split_cause)cause, due_us);
}

/* What was under way is complete as soon as somebody looks. */
static bool queue_locked(td_table *table, td_time_us now_us)
{
    td_due_queue *due = &table->store->due;
    bool is_queued = true;
    bool is_growing = false;
    switch (table->status) {
    case TD_TABLE_CREATING: is_queued = td_due__push(due, now_us, TD_DUE_TABLE_CREATED, table); break;
    case TD_TABLE_UPDATING: is_queued = td_due__push(due, now_us, TD_DUE_TABLE_UPDATED, table); break;
    case TD_TABLE_DELETING: is_queued = td_due__push(due, now_us, TD_DUE_TABLE_DELETED, table); break;
    case TD_TABLE_ACTIVE: break;
    }
    if (is_queued && table->has_index_change) is_queued = td_due__push(due, now_us, TD_DUE_INDEX_CHANGED, table);
    for (uint32_t i = 0; is_queued && i < table->resource_count; i++) {
        const td_resource *resource = table->resources[i];
        is_growing = is_growing || resource->growth.count > 0;
        if (resource->has_next_warm) {
            is_queued = td_due__push(due, resource->warm_due_us, TD_DUE_WARM_RAISED, table);
        }
    }
    td_stream *stream = table->resources[0]->stream;
    if (is_queued && stream != NULL) {
        stream->roll_due_us = td_stream__roll(stream, now_us);
        is_queued = td_due__push(due, stream->roll_due_us, TD_DUE_SHARDS_ROLLED, table);
    }
    if (is_queued && is_growing && !table->is_under_pressure) td_pressure__start_locked(table, now_us);
    return is_queued;
}

/* Table and stream were written together. */
static bool has_shards(const td_table *table)
{
    const td_resource *base = table->resources[0];
    for (uint32_t i = 0; base->stream != NULL && i < base->partition_count; i++) {
        if (!td_stream__has_open(base->stream, base->partitions[i]->number)) return false;
    }
    return true;
}
