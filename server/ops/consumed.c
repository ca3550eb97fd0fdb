/* SPDX-License-Identifier: Apache-2.0
 * consumed.c: what tables consumed and how large collections are, in the form of answers (throttling.md §1.5). */
#include "batch.h"

#define BYTES_OF_GIGABYTE ((int64_t)1024 * 1024 * 1024)

static void write_units(td_ops_object *object, td_units units, td_ops_split split);
static void write_indexes(td_ops_object *object, td_slice name, const td_consumed *consumed, bool is_global,
                          td_ops_split split);

void td_ops__write_capacity(td_buf *buf, td_ops_capacity wanted, td_slice table, const td_consumed *consumed,
                            td_ops_split split)
{
    td_ops__write_capacity_with(buf, wanted, table, consumed, 0, split);
}

void td_ops__write_capacity_with(td_buf *buf, td_ops_capacity wanted, td_slice table, const td_consumed *consumed,
                                 td_units unplaced, td_ops_split split)
{
    TD_ASSERT(wanted != TD_CAPACITY_NONE);
    td_ops_object object = td_ops__open(buf);
    td_ops__member_string(&object, TD_LIT("TableName"), table);
    write_units(&object, td_consumed_total(consumed) + unplaced, split);
    if (wanted == TD_CAPACITY_INDEXES) {
        td_ops__name(&object, TD_LIT("Table"));
        td_ops_object part = td_ops__open(buf);
        write_units(&part, consumed->table, split);
        td_ops__close(&part);
        write_indexes(&object, TD_LIT("LocalSecondaryIndexes"), consumed, false, split);
        write_indexes(&object, TD_LIT("GlobalSecondaryIndexes"), consumed, true, split);
    }
    td_ops__close(&object);
}

static void write_units(td_ops_object *object, td_units units, td_ops_split split)
{
    td_ops__name(object, TD_LIT("CapacityUnits"));
    td_json_write_units(object->buf, units);
    if (split == TD_SPLIT_NONE) return;
    td_ops__name(object, split == TD_SPLIT_READ ? TD_LIT("ReadCapacityUnits") : TD_LIT("WriteCapacityUnits"));
    td_json_write_units(object->buf, units);
}

/* The map of one kind of index; absent when none was touched. */
static void write_indexes(td_ops_object *object, td_slice name, const td_consumed *consumed, bool is_global,
                          td_ops_split split)
{
    td_ops_object map = {object->buf, false};
    bool is_open = false;
    for (uint32_t i = 0; i < consumed->index_count; i++) {
        const td_consumed_index *index = &consumed->indexes[i];
        if (index->is_global != is_global) continue;
        if (!is_open) {
            td_ops__name(object, name);
            map = td_ops__open(object->buf);
            is_open = true;
        }
        td_ops__name(&map, index->name);
        td_ops_object part = td_ops__open(object->buf);
        write_units(&part, index->units, split);
        td_ops__close(&part);
    }
    if (is_open) td_ops__close(&map);
}

/* An ARN may hold anything. */
void td_ops__name_table(td_ops_object *object, td_slice table)
{
    if (object->has_members) td_buf_append_byte(object->buf, ',');
    object->has_members = true;
    td_json_write_string(object->buf, table);
    td_buf_append_byte(object->buf, ':');
}

void td_ops__add_consumed(td_consumed *sum, const td_consumed *part)
{
    sum->table += part->table;
    for (uint32_t i = 0; i < part->index_count; i++) {
        const td_consumed_index *index = &part->indexes[i];
        uint32_t at = 0;
        while (at < sum->index_count && !td_slice_equal(sum->indexes[at].name, index->name))
            at++;
        if (at < sum->index_count) {
            sum->indexes[at].units += index->units;
        } else if (at < TD_INDEXES_MAX) {
            /* An index that came and went between two elements may find no room; nobody can say that it was there. */
            sum->indexes[sum->index_count++] = *index;
        }
    }
}

bool td_ops__wants_collections(const td_request *request)
{
    return td_slice_equal(td_ops__text(td_ops__get(request, TD_MEMBER_ReturnItemCollectionMetrics)), TD_LIT("SIZE"));
}

/* The size is told as a range of whole gigabytes. The key is empty when the table was made anew meanwhile with
 * another one: what was written is no item of it. */
void td_ops__write_collection(td_buf *buf, const td_attribute *attributes, uint32_t count, td_slice hash,
                              int64_t collection_bytes)
{
    TD_ASSERT(collection_bytes >= 0);
    const td_value *value = td_value_find(attributes, count, hash);
    int64_t gigabytes = collection_bytes / BYTES_OF_GIGABYTE;
    td_ops_object metrics = td_ops__open(buf);
    td_ops__name(&metrics, TD_LIT("ItemCollectionKey"));
    td_attribute key = {.name = hash};
    if (value != NULL) key.value = *value;
    td_json_write_attributes(buf, &key, value != NULL ? 1 : 0);
    td_ops__name(&metrics, TD_LIT("SizeEstimateRangeGB"));
    td_buf_append_format(buf, "[%lld.0,%lld.0]", (long long)gigabytes, (long long)gigabytes + 1);
    td_ops__close(&metrics);
}
