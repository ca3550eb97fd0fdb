/* SPDX-License-Identifier: Apache-2.0
 * persist_table.c: all that a table is but its items, as a document.
 * Not here: reading it (restore_table.c). */
#include "persist.h"

#include "expiry.h"
#include "insight.h"
#include "plan.h"
#include "tag.h"

static void put_schema(const td_schema *schema, td_buf *document);
static void put_index(const td_index_spec *index, td_buf *document);
static void put_tags(const td_tags *tags, td_buf *document);
static void put_resource(const td_resource *resource, td_buf *document);
static void put_growth(const td_growth *growth, td_buf *document);
static void put_partition(const td_partition *partition, td_buf *document);
static void put_bucket(const td_bucket *bucket, uint8_t field, td_buf *document);

void td_persist__table_locked(const td_table *table, td_buf *document)
{
    td_doc__put_bytes(document, TD_FIELD_TABLE_ID, td_slice_of_cstr(table->id));
    put_schema(table->schema, document);
    td_persist__rows(td_persist__table_rows, table, document);
    if (table->expiry != NULL) {
        td_slice attribute = td_slice_of(table->expiry->attribute, table->expiry->attribute_len);
        td_doc__put_bytes(document, TD_FIELD_EXPIRY_ATTRIBUTE, attribute);
    }
    if (table->stream != NULL) td_doc__put_number(document, TD_FIELD_STREAM, table->stream->record_number);
    if (table->tags != NULL) put_tags(table->tags, document);
    td_persist__policy(&table->policy, TD_FIELD_POLICY, document);
    size_t at = td_doc__begin(document, TD_FIELD_OWN_SETTINGS);
    td_persist__patch(&table->own, document);
    td_doc__end(document, at);
    for (uint32_t i = 0; i < table->resource_count; i++)
        put_resource(table->resources[i], document);
}

void td_persist__definitions(const td_attribute_definition *definitions, uint32_t count, uint8_t field,
                             td_buf *document)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t at = td_doc__begin(document, field);
        td_doc__put_bytes(document, TD_FIELD_PART_NAME, definitions[i].name);
        td_doc__put_number(document, TD_FIELD_PART_TYPE, definitions[i].type);
        td_doc__end(document, at);
    }
}

void td_persist__key(const td_key_schema *key, uint8_t field, td_buf *document)
{
    size_t at = td_doc__begin(document, field);
    td_doc__put_number(document, TD_FIELD_KEY_HASH_COUNT, key->hash_count);
    for (uint32_t i = 0; i < td_key_part_count(key); i++) {
        size_t part_at = td_doc__begin(document, TD_FIELD_KEY_PART);
        td_doc__put_bytes(document, TD_FIELD_PART_NAME, key->parts[i].name);
        td_doc__put_number(document, TD_FIELD_PART_TYPE, key->parts[i].type);
        td_doc__end(document, part_at);
    }
    td_doc__end(document, at);
}

void td_persist__policy(const td_attached *policy, uint8_t field, td_buf *document)
{
    if (policy->revision == 0) return;
    size_t at = td_doc__begin(document, field);
    td_doc__put_bytes(document, TD_FIELD_POLICY_TEXT, td_slice_of(policy->text, policy->len));
    td_doc__put_number(document, TD_FIELD_POLICY_REVISION, policy->revision);
    td_doc__end(document, at);
}

static void put_schema(const td_schema *schema, td_buf *document)
{
    td_doc__put_bytes(document, TD_FIELD_SCOPE, schema->scope);
    td_doc__put_bytes(document, TD_FIELD_NAME, schema->table);
    td_persist__definitions(schema->definitions, schema->definition_count, TD_FIELD_DEFINITION, document);
    td_persist__key(&schema->key, TD_FIELD_KEY, document);
    td_persist__rows(td_persist__encryption_rows, &schema->encryption, document);
    td_doc__put_bytes(document, TD_FIELD_KMS_KEY, schema->encryption.kms_key_id);
    for (uint32_t i = 0; i < schema->index_count; i++)
        put_index(&schema->indexes[i].spec, document);
}

static void put_index(const td_index_spec *index, td_buf *document)
{
    size_t at = td_doc__begin(document, TD_FIELD_INDEX);
    td_doc__put_bytes(document, TD_FIELD_INDEX_NAME, index->name);
    td_persist__key(&index->key, TD_FIELD_INDEX_KEY, document);
    td_doc__put_number(document, TD_FIELD_INDEX_IS_GLOBAL, index->is_global);
    td_doc__put_number(document, TD_FIELD_INDEX_PROJECTION, index->projection);
    for (uint32_t i = 0; i < index->non_key_attribute_count; i++)
        td_doc__put_bytes(document, TD_FIELD_INDEX_ATTRIBUTE, index->non_key_attributes[i]);
    td_doc__end(document, at);
}

static void put_tags(const td_tags *tags, td_buf *document)
{
    for (uint32_t i = 0; i < tags->count; i++) {
        size_t at = td_doc__begin(document, TD_FIELD_TAG);
        td_doc__put_bytes(document, TD_FIELD_TAG_KEY, tags->entries[i].key);
        td_doc__put_bytes(document, TD_FIELD_TAG_VALUE, tags->entries[i].value);
        td_doc__end(document, at);
    }
}

static void put_resource(const td_resource *resource, td_buf *document)
{
    size_t at = td_doc__begin(document, TD_FIELD_RESOURCE);
    td_persist__rows(td_persist__resource_rows, resource, document);
    put_growth(&resource->growth, document);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        put_bucket(&resource->provisioned[d], TD_FIELD_POOL, document);
        put_bucket(&resource->quota[d], TD_FIELD_POOL, document);
        put_bucket(&resource->maximum[d], TD_FIELD_POOL, document);
    }
    if (resource->insights != NULL) {
        size_t insights_at = td_doc__begin(document, TD_FIELD_INSIGHTS);
        td_persist__rows(td_persist__insights_rows, resource->insights, document);
        td_doc__end(document, insights_at);
    }
    for (uint32_t i = 0; i < resource->partition_count; i++)
        put_partition(resource->partitions[i], document);
    td_doc__end(document, at);
}

static void put_growth(const td_growth *growth, td_buf *document)
{
    for (uint32_t i = 0; i < growth->count; i++) {
        size_t at = td_doc__begin(document, TD_FIELD_PEAK);
        td_persist__rows(td_persist__peak_rows, &growth->peaks[(growth->first + i) % TD_GROWTH_PEAKS], document);
        td_doc__end(document, at);
    }
}

static void put_partition(const td_partition *partition, td_buf *document)
{
    size_t at = td_doc__begin(document, TD_FIELD_PARTITION);
    td_persist__rows(td_persist__partition_rows, partition, document);
    if (partition->from.len > 0) td_doc__put_bytes(document, TD_FIELD_FROM, partition->from);
    for (int d = 0; d < TD_DIRECTION_COUNT; d++) {
        put_bucket(&partition->cap[d], TD_FIELD_CAP, document);
        size_t share_at = td_doc__begin(document, TD_FIELD_SHARE);
        td_persist__rows(td_persist__share_rows, &partition->share[d], document);
        put_bucket(&partition->share[d].bucket, TD_FIELD_SHARE_BUCKET, document);
        td_doc__end(document, share_at);
    }
    if (partition->plan != NULL) {
        const td_split_plan *plan = partition->plan;
        size_t plan_at = td_doc__begin(document, TD_FIELD_PLAN);
        td_doc__put_bytes(document, TD_FIELD_PLAN_BOUND, td_slice_of(plan->bound, plan->bound_len));
        td_doc__put_number(document, TD_FIELD_PLAN_CAUSE, plan->cause);
        td_doc__put_number(document, TD_FIELD_PLAN_DUE, plan->due_us);
        td_doc__end(document, plan_at);
    }
    td_doc__end(document, at);
}

static void put_bucket(const td_bucket *bucket, uint8_t field, td_buf *document)
{
    size_t at = td_doc__begin(document, field);
    td_persist__rows(td_persist__bucket_rows, bucket, document);
    td_doc__end(document, at);
}
