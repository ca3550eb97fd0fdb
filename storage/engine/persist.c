/* SPDX-License-Identifier: Apache-2.0
 * persist.c: keys on the disk, and the documents of settings and streams.
 * Not here: documents of tables (persist_table.c); reading (restore.c). */
#include "persist.h"

#include "catalog.h"

#define SHORTENED_BYTES (TD_DISK_KEY_BYTES_MAX - TD_KEY_HASH_BYTES)

static td_capacity_patch difference(const td_capacity_settings *from, const td_capacity_settings *to);
static void put_shard(const td_stream *stream, const td_shard *shard, td_buf *document);

td_slice td_persist__number(uint32_t number, uint8_t bytes[TD_PERSIST_NUMBER_BYTES])
{
    for (int i = 0; i < TD_PERSIST_NUMBER_BYTES; i++)
        bytes[i] = (uint8_t)(number >> (24 - 8 * i));
    return td_slice_of(bytes, TD_PERSIST_NUMBER_BYTES);
}

td_slice td_persist__change(uint32_t stream, uint64_t shard, uint64_t sequence, uint8_t bytes[TD_PERSIST_CHANGE_BYTES])
{
    (void)td_persist__number(stream, bytes);
    td_persist__put_u64(bytes + TD_PERSIST_NUMBER_BYTES, shard);
    td_persist__put_u64(bytes + TD_PERSIST_NUMBER_BYTES + 8, sequence);
    return td_slice_of(bytes, TD_PERSIST_CHANGE_BYTES);
}

void td_persist__item_key(uint32_t table, td_slice key, uint8_t *place)
{
    (void)td_persist__number(table, place);
    size_t whole = td_persist__item_key_bytes(key);
    if (whole < TD_DISK_KEY_BYTES_MAX) {
        memcpy(place + TD_PERSIST_NUMBER_BYTES, key.ptr, key.len);
        return;
    }
    size_t kept = SHORTENED_BYTES - TD_PERSIST_NUMBER_BYTES;
    td_slice rest = td_slice_of(key.ptr + kept, key.len - kept);
    td_key_hash hash = td_key_hash_of(&rest, 1, TD_PLACEMENT_SERVICE);
    memcpy(place + TD_PERSIST_NUMBER_BYTES, key.ptr, kept);
    memcpy(place + SHORTENED_BYTES, hash.bytes, sizeof hash.bytes);
}

void td_persist__rows(td_persist_rows rows, const void *members, td_buf *document)
{
    td_doc__put_rows(document, rows.rows, rows.count, members);
}

/* What was changed at run time, and not what the server was started with: that may be another the next time. */
void td_persist__settings_locked(const td_store *store, td_buf *document)
{
    td_capacity_patch patch = difference(&store->options.capacity, &store->settings);
    td_persist__patch(&patch, document);
    td_doc__put_number(document, TD_FIELD_PLACEMENT, store->options.placement);
    for (size_t i = 0; i < TD_COUNT_OF(store->rng.state); i++)
        td_doc__put_number(document, TD_FIELD_RANDOM, (int64_t)store->rng.state[i]);
}

void td_persist__patch(const td_capacity_patch *patch, td_buf *document)
{
    if (patch->has_enforce) td_doc__put_number(document, TD_FIELD_ENFORCE, patch->settings.enforce);
    if (patch->has_era) td_doc__put_number(document, TD_FIELD_ERA, patch->settings.era);
    for (int i = 0; i < TD_POLICY_CELL_COUNT; i++) {
        if (!patch->has_answer[i]) continue;
        size_t at = td_doc__begin(document, TD_FIELD_ANSWER);
        td_doc__put_number(document, TD_FIELD_ANSWER_CELL, i);
        td_doc__put_number(document, TD_FIELD_ANSWER_VALUE, patch->settings.policy.answers[i]);
        td_doc__end(document, at);
    }
    for (int i = 0; i < TD_CAPACITY_SETTING_COUNT; i++) {
        if (!patch->has_value[i]) continue;
        size_t at = td_doc__begin(document, TD_FIELD_SETTING);
        td_doc__put_bytes(document, TD_FIELD_SETTING_NAME, td_slice_of_cstr(td_capacity_rows[i].name));
        td_doc__put_real(document, TD_FIELD_SETTING_VALUE, patch->settings.values[i]);
        td_doc__end(document, at);
    }
}

void td_persist__stream_locked(const td_stream *stream, td_buf *document)
{
    const td_schema *schema = stream->schema;
    td_doc__put_bytes(document, TD_FIELD_STREAM_SCOPE, schema->scope);
    td_doc__put_bytes(document, TD_FIELD_STREAM_TABLE, schema->table);
    td_persist__key(&schema->key, TD_FIELD_STREAM_KEY, document);
    td_persist__definitions(schema->definitions, schema->definition_count, TD_FIELD_STREAM_DEFINITION, document);
    td_persist__rows(td_persist__stream_rows, stream, document);
    td_persist__policy(&stream->policy, TD_FIELD_STREAM_POLICY, document);
    for (uint32_t i = 0; i < stream->shard_count; i++)
        put_shard(stream, stream->shards[i], document);
}

static void put_shard(const td_stream *stream, const td_shard *shard, td_buf *document)
{
    size_t at = td_doc__begin(document, TD_FIELD_SHARD);
    for (uint32_t i = 0; td_shard__is_open(shard) && i < stream->open_count; i++) {
        if (stream->open[i] == shard) td_doc__put_number(document, TD_FIELD_SHARD_PARTITION, i + 1);
    }
    td_persist__rows(td_persist__shard_rows, shard, document);
    td_doc__end(document, at);
}

static td_capacity_patch difference(const td_capacity_settings *from, const td_capacity_settings *to)
{
    td_capacity_patch patch = {.settings = *to};
    patch.has_enforce = from->enforce != to->enforce;
    patch.has_era = from->era != to->era;
    for (int i = 0; i < TD_POLICY_CELL_COUNT; i++)
        patch.has_answer[i] = from->policy.answers[i] != to->policy.answers[i];
    for (int i = 0; i < TD_CAPACITY_SETTING_COUNT; i++)
        patch.has_value[i] = from->values[i] < to->values[i] || from->values[i] > to->values[i];
    return patch;
}
