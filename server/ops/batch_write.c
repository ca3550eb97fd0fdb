/* SPDX-License-Identifier: Apache-2.0
 * batch_write.c: BatchWriteItem: many puts and deletes of many tables in one request, each on its own.
 *
 *   read    the elements' values, as they stand in the request: the first fault is told
 *   check   the tables, then each element against its table, then that no item is written twice: until here nothing
 *           has been written or charged, so that a bad element refuses the batch
 *   write   element by element, in order; what is throttled, or finds no memory, is given back in the form of the
 *           request: what stands before it has been written */
#include <stdlib.h>

#include "thermodyn/write.h"
#include "wire/decode.h"

#include "batch.h"
#include "meter.h"

#define OPERATION TD_LIT("BatchWriteItem")

typedef struct write_element {
    const td_json *json; /* the WriteRequest */
    td_write write;
    td_slice key;             /* of the item within its table */
    int64_t collection_bytes; /* -1: none, or not written */
    bool is_unprocessed;
} write_element;

typedef struct write_table {
    const td_json *json; /* its name is the table's, or the ARN, as it was sent */
    td_slice name;
    td_slice hash; /* the partition key attribute */
    write_element *elements;
    uint32_t count;
    uint32_t unprocessed_count;
    uint32_t collection_count;
    td_consumed consumed;
} write_table;

typedef struct write_batch {
    write_table *tables;
    uint32_t table_count;
    uint32_t element_count;
    td_ops_unprocessed unprocessed;
} write_batch;

static td_status read_table(td_request *request, write_batch *batch, write_table *table);
static td_status check_tables(td_request *request, write_batch *batch);
static td_status check_duplicates(td_request *request, const write_batch *batch);
static td_status write_elements(td_request *request, write_batch *batch);
static void answer_unprocessed(const write_batch *batch, td_ops_object *answer);
static void answer_collections(const td_request *request, const write_batch *batch, td_ops_object *answer);
static void answer_consumed(const td_request *request, const write_batch *batch, td_ops_object *answer);

td_status td_ops__batch_write_item(td_request *request)
{
    write_batch batch = {.tables = NULL};
    const td_json **entries = NULL;
    TD_TRY(td_ops__list_entries(request, OPERATION, TD_LIMIT_BATCH_WRITES_MAX, &entries, &batch.table_count));
    batch.tables = td_arena_alloc_zero(request->arena, batch.table_count * sizeof(*batch.tables));
    if (batch.tables == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < batch.table_count; i++) {
        batch.tables[i].json = entries[i];
        TD_TRY(read_table(request, &batch, &batch.tables[i]));
    }
    TD_TRY(check_tables(request, &batch));
    TD_TRY(check_duplicates(request, &batch));
    TD_TRY(write_elements(request, &batch));
    TD_TRY(td_ops__check_processed(request, &batch.unprocessed, batch.element_count, true));
    td_ops_object answer = td_ops__open(request->reply);
    answer_unprocessed(&batch, &answer);
    answer_collections(request, &batch, &answer);
    answer_consumed(request, &batch, &answer);
    td_ops__close(&answer);
    return TD_OK;
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

static td_status check_kinds(td_request *request, const td_json *elements);
static td_status read_element(td_request *request, write_element *element);

static td_status read_table(td_request *request, write_batch *batch, write_table *table)
{
    const td_json *list = table->json;
    TD_TRY(td_table_name_parse(list->name, &table->name, &request->error));
    td_ops__note_table(request, table->name, TD_OK);
    TD_TRY(check_kinds(request, list));
    table->count = list->count;
    table->elements = td_arena_alloc_zero(request->arena, list->count * sizeof(*table->elements));
    if (table->elements == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < list->count; i++) {
        table->elements[i].json = &list->children[i];
        TD_TRY(read_element(request, &table->elements[i]));
    }
    batch->element_count += list->count;
    if (batch->element_count <= TD_LIMIT_BATCH_WRITES_MAX) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_BATCH_TOO_LONG, OPERATION);
}

/* Each is a put or a delete. The service has the same words for both faults, and they are those of values. */
static td_status check_kinds(td_request *request, const td_json *elements)
{
    for (uint32_t i = 0; i < elements->count; i++) {
        const td_json *element = &elements->children[i];
        bool is_put = td_json_find(element, TD_LIT("PutRequest")) != NULL;
        bool is_delete = td_json_find(element, TD_LIT("DeleteRequest")) != NULL;
        if (is_put == is_delete) return TD_RAISE(&request->error, TD_MSG_VALUE_MANY_TYPES);
    }
    return TD_OK;
}

static td_status read_element(td_request *request, write_element *element)
{
    td_write *write = &element->write;
    const td_json *put = td_json_find(element->json, TD_LIT("PutRequest"));
    write->kind = put != NULL ? TD_WRITE_PUT : TD_WRITE_DELETE;
    write->words_keys_as_lookup = true;
    const td_json *json = put != NULL
                              ? td_json_find(put, TD_LIT("Item"))
                              : td_json_find(td_json_find(element->json, TD_LIT("DeleteRequest")), TD_LIT("Key"));
    td_attribute *attributes = NULL;
    TD_TRY(td_decode_attributes(json, request->arena, &attributes, &write->attribute_count, &request->error));
    write->attributes = attributes;
    element->collection_bytes = -1;
    if (put == NULL || request->body_bytes <= TD_LIMIT_ITEM_BYTES_MAX) return TD_OK;
    if (td_attributes_size(attributes, write->attribute_count) <= TD_LIMIT_ITEM_BYTES_MAX) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_ITEM_TOO_LARGE);
}

/* ---- check ------------------------------------------------------------------------------------------------------- */

static td_status check_tables(td_request *request, write_batch *batch)
{
    for (uint32_t i = 0; i < batch->table_count; i++) {
        td_keys keys;
        request->call.table = batch->tables[i].name;
        TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error));
        batch->tables[i].hash = keys.table->parts[0].name;
    }
    for (uint32_t i = 0; i < batch->table_count; i++) {
        write_table *table = &batch->tables[i];
        request->call.table = table->name;
        for (uint32_t k = 0; k < table->count; k++) {
            write_element *element = &table->elements[k];
            TD_TRY(td_write_check(&request->call, &element->write, &element->key, &request->error));
        }
    }
    return TD_OK;
}

typedef struct target {
    td_slice table;
    td_slice key;
} target;

static int compare_targets(const void *a, const void *b)
{
    const target *left = a;
    const target *right = b;
    int order = td_slice_compare(left->table, right->table);
    return order != 0 ? order : td_slice_compare(left->key, right->key);
}

/* A table may be named twice, by its name and by its ARN. */
static td_status check_duplicates(td_request *request, const write_batch *batch)
{
    target targets[TD_LIMIT_BATCH_WRITES_MAX];
    uint32_t count = 0;
    TD_ASSERT(batch->element_count <= TD_COUNT_OF(targets));
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const write_table *table = &batch->tables[i];
        for (uint32_t k = 0; k < table->count; k++)
            targets[count++] = (target){table->name, table->elements[k].key};
    }
    qsort(targets, count, sizeof(*targets), compare_targets);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_targets(&targets[i - 1], &targets[i]) != 0) continue;
        return TD_RAISE(&request->error, TD_MSG_BATCH_DUPLICATE_KEYS);
    }
    return TD_OK;
}

/* ---- write ------------------------------------------------------------------------------------------------------- */

static td_status write_element_of(td_request *request, write_batch *batch, write_table *table, write_element *element);

static td_status write_elements(td_request *request, write_batch *batch)
{
    for (uint32_t i = 0; i < batch->table_count; i++) {
        write_table *table = &batch->tables[i];
        request->call.table = table->name;
        for (uint32_t k = 0; k < table->count; k++)
            TD_TRY(write_element_of(request, batch, table, &table->elements[k]));
    }
    return TD_OK;
}

/* Its request is given back. */
static void leave(write_table *table, write_element *element)
{
    element->is_unprocessed = true;
    table->unprocessed_count++;
}

static td_status write_element_of(td_request *request, write_batch *batch, write_table *table, write_element *element)
{
    bool is_struck;
    TD_TRY(td_ops__strike(request, element->json, &batch->unprocessed, &is_struck));
    if (is_struck) {
        leave(table, element);
        return TD_OK;
    }
    td_write_result result;
    td_error error = td_ops__new_error(request);
    td_status status = td_write_item(&request->call, &element->write, &result, &error);
    if (status != TD_OK) {
        leave(table, element);
        return td_ops__give_back(request, status, &error, &batch->unprocessed);
    }
    td_ops__add_consumed(&table->consumed, &result.consumed);
    element->collection_bytes = result.collection_bytes;
    if (result.collection_bytes >= 0) table->collection_count++;
    return TD_OK;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static void answer_unprocessed(const write_batch *batch, td_ops_object *answer)
{
    td_buf *buf = answer->buf;
    td_ops__name(answer, TD_LIT("UnprocessedItems"));
    td_ops_object unprocessed = td_ops__open(buf);
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const write_table *table = &batch->tables[i];
        if (table->unprocessed_count == 0) continue;
        td_ops__name_table(&unprocessed, table->json->name);
        td_buf_append_byte(buf, '[');
        bool has_elements = false;
        for (uint32_t k = 0; k < table->count; k++) {
            if (!table->elements[k].is_unprocessed) continue;
            if (has_elements) td_buf_append_byte(buf, ',');
            has_elements = true;
            td_json_write_tree(buf, table->elements[k].json);
        }
        td_buf_append_byte(buf, ']');
    }
    td_ops__close(&unprocessed);
}

/* Of tables with local indexes, one a written item. */
static void answer_collections(const td_request *request, const write_batch *batch, td_ops_object *answer)
{
    if (!td_ops__wants_collections(request)) return;
    td_buf *buf = answer->buf;
    td_ops__name(answer, TD_LIT("ItemCollectionMetrics"));
    td_ops_object metrics = td_ops__open(buf);
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const write_table *table = &batch->tables[i];
        if (table->collection_count == 0) continue;
        td_ops__name_table(&metrics, table->json->name);
        td_buf_append_byte(buf, '[');
        bool has_elements = false;
        for (uint32_t k = 0; k < table->count; k++) {
            const write_element *element = &table->elements[k];
            if (element->collection_bytes < 0) continue;
            if (has_elements) td_buf_append_byte(buf, ',');
            has_elements = true;
            td_ops__write_collection(buf, element->write.attributes, element->write.attribute_count, table->hash,
                                     element->collection_bytes);
        }
        td_buf_append_byte(buf, ']');
    }
    td_ops__close(&metrics);
}

static void answer_consumed(const td_request *request, const write_batch *batch, td_ops_object *answer)
{
    td_ops_capacity wanted = td_ops__capacity(request);
    if (wanted == TD_CAPACITY_NONE) return;
    td_ops__name(answer, TD_LIT("ConsumedCapacity"));
    td_buf_append_byte(answer->buf, '[');
    bool has_tables = false;
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const write_table *table = &batch->tables[i];
        if (table->unprocessed_count == table->count) continue;
        if (has_tables) td_buf_append_byte(answer->buf, ',');
        has_tables = true;
        td_ops__write_capacity(answer->buf, wanted, table->json->name, &table->consumed, TD_SPLIT_NONE);
    }
    td_buf_append_byte(answer->buf, ']');
}
