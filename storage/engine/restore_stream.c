/* SPDX-License-Identifier: Apache-2.0
 * restore_stream.c: streams of their documents, and their records.
 *
 * A document is as old as the last change of its shards: records that came afterwards move the numbers on.
 * Not here: writing them (persist.c, change.c). */
#include "restore.h"

#include "thermodyn/memory.h"

#include "catalog.h"
#include "streams.h"

#define NUMBER_MAX ((uint64_t)INT64_MAX) /* of a shard or record: there is one more for the next */
#define DEFINITIONS_MAX (TD_KEY_PARTS_MAX * (1 + TD_INDEXES_MAX))

typedef struct stream_document {
    td_slice scope;
    td_table_spec spec; /* name, key and definitions */
    td_attribute_definition definitions[DEFINITIONS_MAX];
} stream_document;

static bool read_document(stream_document *it, td_slice document);
static td_stream *make(const stream_document *it, td_slice document);
static bool has_next_numbers(const td_stream *stream);
static bool read_shard(td_stream *stream, td_slice bytes);
static bool read_record(const td_key_schema *key, td_slice value, td_record *ret_record);
static bool read_image(const td_key_schema *key, bool is_there, td_slice bytes, td_item **ret_image);
static uint64_t read_u64(const uint8_t *bytes);

td_restored td_restore__stream(td_restore *restore, uint32_t number, td_slice document)
{
    stream_document *it = td_alloc_zero(sizeof *it);
    if (it == NULL) return TD_RESTORE_NO_MEMORY;
    td_stream *stream = read_document(it, document) ? make(it, document) : NULL;
    td_free(it);
    bool is_put = stream != NULL && td_streams__put_locked(restore->store, stream);
    if (!is_put) {
        td_stream__unref(stream);
        return td_restore__damaged(restore, "the document of stream %u is damaged, or memory ran out", number);
    }
    stream->journal = restore->store->journal;
    stream->record_number = number;
    bool is_listed = td_restore__add_pointer(&restore->streams, &restore->stream_count, &restore->stream_room, stream);
    return is_listed ? TD_RESTORED : TD_RESTORE_NO_MEMORY;
}

td_restored td_restore__change(td_restore *restore, td_stream *stream, td_slice key, td_slice value)
{
    td_record record = {.sequence = 0};
    bool is_sound = key.len == TD_PERSIST_CHANGE_BYTES &&
                    read_u64(key.ptr + TD_PERSIST_NUMBER_BYTES + 8) < NUMBER_MAX &&
                    read_record(&stream->schema->key, value, &record);
    if (!is_sound) {
        return td_restore__damaged(restore, "a record of stream %u is damaged", stream->record_number);
    }
    td_shard *shard = td_stream__find_shard(stream, read_u64(key.ptr + TD_PERSIST_NUMBER_BYTES));
    record.sequence = read_u64(key.ptr + TD_PERSIST_NUMBER_BYTES + 8);
    bool is_kept = shard != NULL && record.sequence >= shard->horizon;
    bool is_added = is_kept && td_shard__add(shard, &record);
    if (is_added && record.sequence >= stream->next_sequence) stream->next_sequence = record.sequence + 1;
    if (!is_added) {
        td_item_unref(record.old_image);
        td_item_unref(record.new_image);
    }
    if (!is_kept) return TD_RESTORE_ORPHAN;
    return is_added ? TD_RESTORED : TD_RESTORE_NO_MEMORY;
}

/* One whose table is no more has nobody who would disable it. */
td_restored td_restore__finish_stream(td_restore *restore, td_stream *stream)
{
    td_store *store = restore->store;
    if (stream->status == TD_STREAM_DISABLING) stream->status = TD_STREAM_DISABLED;
    if (stream->status == TD_STREAM_ENABLING) stream->status = TD_STREAM_ENABLED;
    td_time_us next_us = td_stream__trim(stream, restore->now_us);
    if (next_us == TD_NEVER) next_us = restore->now_us; /* then it goes for good */
    return td_due__push_stream(&store->due, next_us, stream) ? TD_RESTORED : TD_RESTORE_NO_MEMORY;
}

static bool read_document(stream_document *it, td_slice document)
{
    td_doc_reader reader = td_doc__reader(document);
    td_doc_field field;
    it->spec.definitions = it->definitions;
    bool is_read = true;
    while (is_read && td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_STREAM_SCOPE) it->scope = field.bytes;
        if (field.field == TD_FIELD_STREAM_TABLE) it->spec.name = field.bytes;
        if (field.field == TD_FIELD_STREAM_KEY) is_read = td_restore__key(field.bytes, &it->spec.key);
        if (field.field != TD_FIELD_STREAM_DEFINITION) continue;
        is_read = it->spec.definition_count < DEFINITIONS_MAX &&
                  td_restore__definition(field.bytes, &it->definitions[it->spec.definition_count++]);
    }
    return is_read && !reader.is_damaged && it->spec.name.len > 0 && it->spec.key.hash_count == 1 &&
           it->spec.key.range_count <= 1;
}

/* NULL: damaged, or no memory. */
static td_stream *make(const stream_document *it, td_slice document)
{
    td_schema *schema = td_schema__new(it->scope, &it->spec);
    td_stream *stream = schema == NULL ? NULL : td_stream__new(schema, "", 0, TD_STREAM_NONE, 0, 0);
    td_schema__unref(schema); /* the stream has its own */
    if (stream == NULL) return NULL;
    const td_persist_rows rows = td_persist__stream_rows;
    td_doc__clear_rows(rows.rows, rows.count, stream);
    td_doc_reader reader = td_doc__reader(document);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    bool is_read = true;
    while (is_read && td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_SHARD) is_read = read_shard(stream, field.bytes);
        if (field.field == TD_FIELD_STREAM_POLICY) is_read = td_restore__policy(field.bytes, &stream->policy);
        if (field.field < TD_FIELD_STREAM_ROWS) continue;
        is_read = td_doc__take_row(&field, &counts, rows.rows, rows.count, stream);
    }
    if (is_read && stream->view != TD_STREAM_NONE && stream->closed_us != 0 && has_next_numbers(stream)) return stream;
    td_stream__unref(stream);
    return NULL;
}

/* Those to come are greater than those that there are. */
static bool has_next_numbers(const td_stream *stream)
{
    bool is_sound = stream->next_sequence <= NUMBER_MAX && stream->next_number <= NUMBER_MAX;
    for (uint32_t i = 0; is_sound && i < stream->shard_count; i++) {
        const td_shard *shard = stream->shards[i];
        is_sound = shard->number < stream->next_number && shard->sequence_last < stream->next_sequence;
    }
    return is_sound;
}

static bool read_shard(td_stream *stream, td_slice bytes)
{
    td_doc_reader reader = td_doc__reader(bytes);
    td_doc_counts counts = {{0}};
    td_doc_field field;
    td_shard shard = {.number = 0};
    uint32_t partition = 0;
    const td_persist_rows rows = td_persist__shard_rows;
    while (td_doc__next(&reader, &field)) {
        if (field.field == TD_FIELD_SHARD_PARTITION) {
            partition = (uint32_t)field.number;
        } else if (!td_doc__take_row(&field, &counts, rows.rows, rows.count, &shard)) {
            return false;
        }
    }
    bool is_next = stream->shard_count == 0 || stream->shards[stream->shard_count - 1]->number < shard.number;
    bool is_sound = !reader.is_damaged && is_next && shard.number > 0 && shard.closed_us != 0 &&
                    shard.sequence_first > 0 && shard.sequence_first <= shard.horizon &&
                    shard.sequence_first <= shard.sequence_last && td_shard__is_open(&shard) == (partition > 0) &&
                    !td_stream__has_open(stream, partition);
    if (!is_sound || partition > TD_LIMIT_PARTITIONS_MAX * 2) return false;
    return td_stream__add_shard(stream, &shard, partition);
}

static bool read_record(const td_key_schema *key, td_slice value, td_record *ret_record)
{
    if (value.len < TD_PERSIST_CHANGE_HEAD_BYTES) return false;
    const uint8_t *head = value.ptr;
    uint32_t old_len = 0;
    memcpy(&old_len, head + 12, sizeof old_len);
    td_slice images = td_slice_of(head + TD_PERSIST_CHANGE_HEAD_BYTES, value.len - TD_PERSIST_CHANGE_HEAD_BYTES);
    bool has_old = head[10] != 0;
    bool has_new = head[11] != 0;
    bool is_sound = td_doc__is_instant((td_time_us)read_u64(head)) && head[8] <= TD_CHANGE_REMOVE &&
                    old_len <= images.len && (has_old || has_new);
    if (!is_sound) return false;
    td_record record = {
        .at_us = (td_time_us)read_u64(head), .kind = (td_change_kind)head[8], .is_expiry = head[9] != 0};
    td_slice old_bytes = td_slice_of(images.ptr, old_len);
    td_slice new_bytes = td_slice_of(images.ptr + old_len, images.len - old_len);
    if (!read_image(key, has_old, old_bytes, &record.old_image)) return false;
    if (!read_image(key, has_new, new_bytes, &record.new_image)) {
        td_item_unref(record.old_image);
        return false;
    }
    *ret_record = record;
    return true;
}

/* An item of the table's; nothing where there is none. */
static bool read_image(const td_key_schema *key, bool is_there, td_slice bytes, td_item **ret_image)
{
    td_slice parts[TD_KEY_PARTS_MAX];
    if (!is_there) return true;
    td_item *image = td_item_from_bytes(bytes);
    if (image == NULL || !td_key_parts_of_item(key, image, parts)) {
        td_item_unref(image);
        return false;
    }
    *ret_image = image;
    return true;
}

static uint64_t read_u64(const uint8_t *bytes)
{
    return td_partition__hash_of_key(td_slice_of(bytes, 8));
}
