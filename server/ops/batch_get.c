/* SPDX-License-Identifier: Apache-2.0
 * batch_get.c: BatchGetItem: many GetItems of many tables in one request.
 *
 *   read    each table's parameters and keys, as they stand in the request: the first fault is told
 *   check   the tables, then the keys against them: until here nothing has been read or charged
 *   answer  key by key, in order; what is throttled, or finds no room or memory, is given back in the form of the
 *           request
 *
 * Model: the answer has room for 16 MB of items, and for 1 MB and one more item of any partition. A key whose item has
 *        no room costs what a missing item costs (both measured by dynalite). */
#include <stdlib.h>

#include "thermodyn/read.h"
#include "wire/decode.h"

#include "batch.h"
#include "meter.h"

#define OPERATION TD_LIT("BatchGetItem")

static const td_ops_styles get_styles = {{TD_MEMBER_ProjectionExpression}, 1, {TD_MEMBER_AttributesToGet}, 1};

typedef struct get_element {
    const td_json *json; /* the key */
    td_get get;
    uint32_t partition;
    bool is_unprocessed;
} get_element;

/* What a partition has been answered of. */
typedef struct get_share {
    uint32_t partition;
    uint64_t bytes;
} get_share;

typedef struct get_table {
    const td_json *json; /* its name is the table's, or the ARN, as it was sent */
    td_slice name;
    td_projection *projection; /* NULL: whole items */
    get_element *elements;
    uint32_t count;
    uint32_t unprocessed_count;
    get_share *shares;
    uint32_t share_count;
    td_units units;
} get_table;

typedef struct get_batch {
    td_members members; /* of the request itself */
    get_table *tables;
    uint32_t table_count;
    uint32_t element_count;
    uint64_t bytes_left;
    td_ops_unprocessed unprocessed;
} get_batch;

static td_status read_table(td_request *request, get_batch *batch, get_table *table);
static td_status check_tables(td_request *request, get_batch *batch);
static td_status answer_items(td_request *request, get_batch *batch, td_ops_object *answer);
static void answer_unprocessed(const get_batch *batch, td_ops_object *answer);
static void answer_consumed(const td_request *request, const get_batch *batch, td_ops_object *answer);

td_status td_ops__batch_get_item(td_request *request)
{
    get_batch batch = {.members = request->members, .bytes_left = TD_LIMIT_BATCH_GET_BYTES_MAX};
    const td_json **entries = NULL;
    TD_TRY(td_ops__list_entries(request, OPERATION, TD_LIMIT_BATCH_GETS_MAX, &entries, &batch.table_count));
    batch.tables = td_arena_alloc_zero(request->arena, batch.table_count * sizeof(*batch.tables));
    if (batch.tables == NULL) return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < batch.table_count; i++) {
        batch.tables[i].json = entries[i];
        TD_TRY(read_table(request, &batch, &batch.tables[i]));
    }
    TD_TRY(check_tables(request, &batch));

    request->members = batch.members;
    td_ops_object answer = td_ops__open(request->reply);
    TD_TRY(answer_items(request, &batch, &answer));
    TD_TRY(td_ops__check_processed(request, &batch.unprocessed, batch.element_count, false));
    answer_unprocessed(&batch, &answer);
    answer_consumed(request, &batch, &answer);
    td_ops__close(&answer);
    return TD_OK;
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

static td_status read_projection(td_request *request, get_table *table);
static td_status check_one_style(td_request *request, const get_batch *batch);
static td_status read_keys(td_request *request, get_batch *batch, get_table *table);
static bool has_duplicates(get_element *const *sorted, uint32_t count);

static td_status read_table(td_request *request, get_batch *batch, get_table *table)
{
    TD_TRY(td_table_name_parse(table->json->name, &table->name, &request->error));
    td_ops__note_table(request, table->name, TD_OK);
    td_ops__enter(request, &td_ops__table_members, table->json);
    TD_TRY(read_projection(request, table));
    TD_TRY(check_one_style(request, batch));
    return read_keys(request, batch, table);
}

/* One style in all of the batch: the table that was entered against those before it. */
static td_status check_one_style(td_request *request, const get_batch *batch)
{
    td_member own = TD_MEMBER_AttributesToGet;
    td_member other = TD_MEMBER_ProjectionExpression;
    if (td_ops__has(request, other)) {
        other = own;
        own = TD_MEMBER_ProjectionExpression;
    }
    if (!td_ops__has(request, own)) return TD_OK;
    for (uint32_t i = 0; i < batch->table_count && batch->tables[i].json != NULL; i++) {
        if (td_json_find(batch->tables[i].json, td_ops__member_name(other)) == NULL) continue;
        return TD_RAISE(&request->error, TD_MSG_BOTH_STYLES, td_ops__member_name(TD_MEMBER_AttributesToGet),
                        td_ops__member_name(TD_MEMBER_ProjectionExpression));
    }
    return TD_OK;
}

static td_status read_projection(td_request *request, get_table *table)
{
    TD_TRY(td_ops__check_styles(request, &get_styles));
    TD_TRY(td_ops__read_attributes_to_get(request, &table->projection));
    if (!td_ops__has(request, TD_MEMBER_ProjectionExpression)) return TD_OK;
    td_expr_marks marks;
    TD_TRY(td_ops__read_marks(request, &marks));
    TD_TRY(td_ops__read_projection(request, &marks, &table->projection));
    return td_expr_check_unused(&marks, &request->error);
}

static int compare_keys(const void *a, const void *b);

static td_status read_keys(td_request *request, get_batch *batch, get_table *table)
{
    const td_json *keys = td_ops__get(request, TD_MEMBER_Keys);
    td_arena *arena = request->arena;
    table->count = keys->count;
    table->elements = td_arena_alloc_zero(arena, keys->count * sizeof(*table->elements));
    table->shares = td_arena_alloc_array(arena, keys->count, sizeof(*table->shares));
    get_element **sorted = td_arena_alloc_array(arena, keys->count, sizeof(get_element *));
    if (table->elements == NULL || table->shares == NULL || sorted == NULL) {
        return TD_RAISE(&request->error, TD_MSG_OUT_OF_MEMORY);
    }
    bool is_consistent = td_ops__is_true(td_ops__get(request, TD_MEMBER_ConsistentRead));
    for (uint32_t i = 0; i < keys->count; i++) {
        get_element *element = &table->elements[i];
        td_attribute *key = NULL;
        TD_TRY(td_decode_attributes(&keys->children[i], arena, &key, &element->get.key_count, &request->error));
        element->json = &keys->children[i];
        element->get.key = key;
        element->get.is_consistent = is_consistent;
        sorted[i] = element;
    }
    qsort(sorted, keys->count, sizeof(get_element *), compare_keys);
    if (has_duplicates(sorted, keys->count)) return TD_RAISE(&request->error, TD_MSG_BATCH_DUPLICATE_KEYS);
    batch->element_count += keys->count;
    if (batch->element_count <= TD_LIMIT_BATCH_GETS_MAX) return TD_OK;
    return TD_RAISE(&request->error, TD_MSG_BATCH_TOO_LONG, OPERATION);
}

/* By names, then by values. What is no scalar is no key either and will be refused; it compares equal. */
static int compare_gets(const td_get *a, const td_get *b)
{
    if (a->key_count != b->key_count) return a->key_count < b->key_count ? -1 : 1;
    for (uint32_t i = 0; i < a->key_count; i++) {
        int order = td_slice_compare(a->key[i].name, b->key[i].name);
        if (order != 0) return order;
        const td_value *left = &a->key[i].value;
        const td_value *right = &b->key[i].value;
        if (left->type != right->type) return left->type < right->type ? -1 : 1;
        if (!td_type_is_scalar(left->type)) continue;
        order = td_slice_compare(left->bytes, right->bytes);
        if (order != 0) return order;
    }
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    return compare_gets(&(*(get_element *const *)a)->get, &(*(get_element *const *)b)->get);
}

/* A key without attributes is no key: the schema will say so. */
static bool has_duplicates(get_element *const *sorted, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const td_get *left = &sorted[i - 1]->get;
        const td_get *right = &sorted[i]->get;
        bool is_equal = left->key_count == right->key_count && left->key_count > 0;
        for (uint32_t k = 0; k < left->key_count && is_equal; k++) {
            is_equal = td_slice_equal(left->key[k].name, right->key[k].name) &&
                       td_value_equal(&left->key[k].value, &right->key[k].value);
        }
        if (is_equal) return true;
    }
    return false;
}

/* ---- check ------------------------------------------------------------------------------------------------------- */

static td_status check_tables(td_request *request, get_batch *batch)
{
    for (uint32_t i = 0; i < batch->table_count; i++) {
        get_table *table = &batch->tables[i];
        td_keys keys;
        request->call.table = table->name;
        TD_TRY(td_table_find_keys(&request->call, td_slice_of(NULL, 0), &keys, &request->error));
        td_ops__enter(request, &td_ops__table_members, table->json);
        TD_TRY(td_ops__check_projected_keys(request, &keys, table->projection));
    }
    for (uint32_t i = 0; i < batch->table_count; i++) {
        get_table *table = &batch->tables[i];
        request->call.table = table->name;
        for (uint32_t k = 0; k < table->count; k++) {
            get_element *element = &table->elements[k];
            TD_TRY(td_get_check(&request->call, &element->get, &element->partition, &request->error));
        }
    }
    return TD_OK;
}

/* ---- answer ------------------------------------------------------------------------------------------------------ */

static td_status get_element_of(td_request *request, get_batch *batch, get_table *table, get_element *element,
                                const td_item **ret_item);

static td_status answer_items(td_request *request, get_batch *batch, td_ops_object *answer)
{
    td_ops__name(answer, TD_LIT("Responses"));
    td_ops_object responses = td_ops__open(answer->buf);
    for (uint32_t i = 0; i < batch->table_count; i++) {
        get_table *table = &batch->tables[i];
        request->call.table = table->name;
        td_ops__name_table(&responses, table->json->name);
        td_buf_append_byte(answer->buf, '[');
        bool has_items = false;
        for (uint32_t k = 0; k < table->count; k++) {
            const td_item *item = NULL;
            TD_TRY(get_element_of(request, batch, table, &table->elements[k], &item));
            if (item == NULL) continue;
            if (has_items) td_buf_append_byte(answer->buf, ',');
            has_items = true;
            TD_TRY(td_ops__write_projected(request, item, table->projection));
        }
        td_buf_append_byte(answer->buf, ']');
    }
    td_ops__close(&responses);
    return TD_OK;
}

static get_share *find_share(get_table *table, uint32_t partition)
{
    for (uint32_t i = 0; i < table->share_count; i++) {
        if (table->shares[i].partition == partition) return &table->shares[i];
    }
    get_share *share = &table->shares[table->share_count++];
    *share = (get_share){partition, 0};
    return share;
}

/* Its request is given back. */
static void leave(get_table *table, get_element *element)
{
    element->is_unprocessed = true;
    table->unprocessed_count++;
}

/* *ret_item NULL: there is none, or its key is left unprocessed. */
static td_status get_element_of(td_request *request, get_batch *batch, get_table *table, get_element *element,
                                const td_item **ret_item)
{
    bool is_struck;
    TD_TRY(td_ops__strike(request, element->json, &batch->unprocessed, &is_struck));
    if (is_struck) {
        leave(table, element);
        return TD_OK;
    }
    get_share *share = find_share(table, element->partition);
    uint64_t bytes_max = TD_LIMIT_BATCH_GET_PARTITION_BYTES_MAX - share->bytes;
    if (bytes_max > batch->bytes_left) bytes_max = batch->bytes_left;
    element->get.has_bytes_max = true;
    element->get.bytes_max = (uint32_t)bytes_max;

    td_get_result result;
    td_error error = td_ops__new_error(request);
    td_status status = td_get_item(&request->call, &element->get, &result, &error);
    if (status != TD_OK) {
        leave(table, element);
        return td_ops__give_back(request, status, &error, &batch->unprocessed);
    }
    table->units += result.consumed.table;
    if (result.is_left) {
        leave(table, element);
    }
    if (result.item != NULL) {
        share->bytes += td_item_size(result.item);
        batch->bytes_left -= td_item_size(result.item);
    }
    *ret_item = result.item;
    return TD_OK;
}

/* The table's parameters as they were sent, and the keys that are left. */
static void answer_unprocessed(const get_batch *batch, td_ops_object *answer)
{
    td_buf *buf = answer->buf;
    td_ops__name(answer, TD_LIT("UnprocessedKeys"));
    td_ops_object unprocessed = td_ops__open(buf);
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const get_table *table = &batch->tables[i];
        if (table->unprocessed_count == 0) continue;
        td_ops__name_table(&unprocessed, table->json->name);
        td_ops_object object = td_ops__open(buf);
        for (uint32_t k = 1; k < td_ops__table_members.count; k++) {
            td_slice name = td_ops__member_name(td_ops__table_members.members[k]);
            const td_json *json = td_json_find(table->json, name);
            if (json == NULL) continue;
            td_ops__name(&object, name);
            td_json_write_tree(buf, json);
        }
        td_ops__name(&object, td_ops__member_name(TD_MEMBER_Keys));
        td_buf_append_byte(buf, '[');
        bool has_keys = false;
        for (uint32_t k = 0; k < table->count; k++) {
            if (!table->elements[k].is_unprocessed) continue;
            if (has_keys) td_buf_append_byte(buf, ',');
            has_keys = true;
            td_json_write_tree(buf, table->elements[k].json);
        }
        td_buf_append_byte(buf, ']');
        td_ops__close(&object);
    }
    td_ops__close(&unprocessed);
}

static void answer_consumed(const td_request *request, const get_batch *batch, td_ops_object *answer)
{
    td_ops_capacity wanted = td_ops__capacity(request);
    if (wanted == TD_CAPACITY_NONE) return;
    td_ops__name(answer, TD_LIT("ConsumedCapacity"));
    td_buf_append_byte(answer->buf, '[');
    bool has_tables = false;
    for (uint32_t i = 0; i < batch->table_count; i++) {
        const get_table *table = &batch->tables[i];
        if (table->units == 0) continue;
        if (has_tables) td_buf_append_byte(answer->buf, ',');
        has_tables = true;
        td_consumed consumed = {.table = table->units};
        td_ops__write_capacity(answer->buf, wanted, table->json->name, &consumed, TD_SPLIT_NONE);
    }
    td_buf_append_byte(answer->buf, ']');
}
