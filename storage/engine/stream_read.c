/* SPDX-License-Identifier: Apache-2.0
 * stream_read.c: describing a stream, standing at a place in a shard, reading on from there.
 *
 * A place is the sequence number of the next record. Numbers are one series for the whole stream, so a place is valid
 * in an open shard before there is a record.
 * Not here: which streams there are (streams.c); the text that clients carry an iterator in (the server's). */
#include <inttypes.h>
#include <stdio.h>

#include "thermodyn/map.h"
#include "thermodyn/stream.h"

#include "streams.h"

/* Sequence numbers are printed with 21 digits: the service's have at least so many. */
#define SEQUENCE_DIGITS 21
_Static_assert(SEQUENCE_DIGITS < TD_SEQUENCE_MAX, "with a NUL");

#define READ_BYTES_MAX (1024 * 1024)

static td_status describe_locked(const td_call *call, const td_stream *stream, td_slice after_shard, uint32_t limit,
                                 td_stream_info *ret_info, td_error *error);
static void describe_shard(const td_stream *stream, const td_shard *shard, td_shard_info *ret_info);
static td_status find_place_locked(const td_stream *stream, const td_shard *shard, td_iterator_kind kind,
                                   td_slice sequence, uint64_t *ret_position, td_error *error);
static td_status read_locked(const td_call *call, const td_stream *stream, const td_shard_iterator *iterator,
                             uint32_t limit, td_changes *ret_changes, td_error *error);
static bool show(const td_stream *stream, const td_record *record, td_arena *arena, td_change *ret_change);
static uint64_t size_of_key(const td_key_schema *key, const td_item *item);
static bool keep_schema(const td_stream *stream, td_arena *arena);
static void unref_schema(void *schema);
static void print_sequence(uint64_t sequence, char ret_text[TD_SEQUENCE_MAX]);
static bool parse_sequence(td_slice text, uint64_t *ret_sequence);

td_status td_stream_describe(const td_call *call, td_time_us label_us, td_slice after_shard, uint32_t limit,
                             td_stream_info *ret_info, td_error *error)
{
    td_stream *stream = td_streams__find(call, label_us);
    if (stream == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
    td_stream__lock(stream);
    td_status status = describe_locked(call, stream, after_shard, limit, ret_info, error);
    td_stream__unlock(stream);
    td_stream__unref(stream);
    return status;
}

td_status td_stream_iterate(const td_call *call, td_time_us label_us, td_slice shard_id, td_iterator_kind kind,
                            td_slice sequence, td_shard_iterator *ret_iterator, td_error *error)
{
    td_stream *stream = td_streams__find(call, label_us);
    if (stream == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
    td_shard_iterator iterator = {.label_us = label_us};
    td_stream__lock(stream);
    const td_shard *shard = td_stream__find_shard_by_id(stream, shard_id);
    td_status status = TD_OK;
    if (shard == NULL) {
        status = TD_RAISE(error, TD_MSG_SHARD_NOT_FOUND);
    } else {
        iterator.shard = shard->number;
        status = find_place_locked(stream, shard, kind, sequence, &iterator.position, error);
    }
    td_stream__unlock(stream);
    td_stream__unref(stream);
    if (status == TD_OK) *ret_iterator = iterator;
    return status;
}

td_status td_stream_read(const td_call *call, const td_shard_iterator *iterator, uint32_t limit,
                         td_changes *ret_changes, td_error *error)
{
    td_stream *stream = td_streams__find(call, iterator->label_us);
    if (stream == NULL) return TD_RAISE(error, TD_MSG_RESOURCE_NOT_FOUND);
    td_stream__lock(stream);
    td_status status = read_locked(call, stream, iterator, limit, ret_changes, error);
    td_stream__unlock(stream);
    td_stream__unref(stream);
    return status;
}

static td_status describe_locked(const td_call *call, const td_stream *stream, td_slice after_shard, uint32_t limit,
                                 td_stream_info *ret_info, td_error *error)
{
    uint32_t from = 0;
    if (after_shard.len > 0) {
        const td_shard *after = td_stream__find_shard_by_id(stream, after_shard);
        if (after == NULL) return TD_RAISE(error, TD_MSG_SHARD_NOT_FOUND);
        from = td_stream__count_shards_before(stream, after->number) + 1;
    }
    uint32_t left = stream->shard_count - from;
    uint32_t count = left < limit ? left : limit;
    td_shard_info *shards = td_arena_alloc_array(call->arena, count, sizeof *shards);
    if (shards == NULL || !keep_schema(stream, call->arena)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count; i++)
        describe_shard(stream, stream->shards[from + i], &shards[i]);
    *ret_info = (td_stream_info){
        .table = stream->schema->table,
        .label_us = stream->label_us,
        .status = stream->status,
        .view = stream->view,
        .key = stream->schema->key,
        .shards = shards,
        .shard_count = count,
        .has_more = count < left,
    };
    return TD_OK;
}

static void describe_shard(const td_stream *stream, const td_shard *shard, td_shard_info *ret_info)
{
    *ret_info = (td_shard_info){.parent = ""};
    td_stream__print_shard_id(stream, shard, ret_info->id);
    const td_shard *parent = shard->parent == 0 ? NULL : td_stream__find_shard(stream, shard->parent);
    if (parent != NULL) td_stream__print_shard_id(stream, parent, ret_info->parent);
    print_sequence(shard->sequence_first, ret_info->sequence_first);
    if (!td_shard__is_open(shard)) print_sequence(shard->sequence_last, ret_info->sequence_last);
}

static td_status find_place_locked(const td_stream *stream, const td_shard *shard, td_iterator_kind kind,
                                   td_slice sequence, uint64_t *ret_position, td_error *error)
{
    uint64_t number = 0;
    switch (kind) {
    case TD_ITERATE_TRIM_HORIZON: *ret_position = shard->horizon; return TD_OK;
    case TD_ITERATE_LATEST:
        *ret_position = td_shard__is_open(shard) ? stream->next_sequence : shard->sequence_last + 1;
        return TD_OK;
    case TD_ITERATE_AT_SEQUENCE:
    case TD_ITERATE_AFTER_SEQUENCE: break;
    }
    bool is_of_shard =
        parse_sequence(sequence, &number) && number >= shard->sequence_first && number <= shard->sequence_last;
    if (!is_of_shard) return TD_RAISE(error, TD_MSG_SEQUENCE_NUMBER_INVALID, sequence);
    if (number < shard->horizon) return TD_RAISE(error, TD_MSG_RECORDS_TRIMMED);
    *ret_position = kind == TD_ITERATE_AT_SEQUENCE ? number : number + 1;
    return TD_OK;
}

static td_status read_locked(const td_call *call, const td_stream *stream, const td_shard_iterator *iterator,
                             uint32_t limit, td_changes *ret_changes, td_error *error)
{
    const td_shard *shard = td_stream__find_shard(stream, iterator->shard);
    if (shard == NULL || iterator->position < shard->horizon) return TD_RAISE(error, TD_MSG_RECORDS_TRIMMED);
    uint32_t from = td_shard__find(shard, iterator->position);
    uint32_t left = shard->count - from;
    td_changes changes = {
        .key_names = stream->schema->key_names,
        .key_name_count = td_key_part_count(&stream->schema->key),
        .view = stream->view,
        .next = *iterator,
    };
    uint32_t room = left < limit ? left : limit;
    changes.changes = td_arena_alloc_array(call->arena, room, sizeof *changes.changes);
    if (changes.changes == NULL || !keep_schema(stream, call->arena)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
    uint64_t bytes = 0;
    while (changes.count < room) {
        const td_record *record = td_shard__record(shard, from + changes.count);
        td_change *change = &changes.changes[changes.count];
        if (!show(stream, record, call->arena, change)) return TD_RAISE(error, TD_MSG_OUT_OF_MEMORY);
        bytes += change->size_bytes;
        if (bytes > READ_BYTES_MAX && changes.count > 0) break;
        changes.count++;
        changes.next.position = record->sequence + 1;
    }
    changes.has_next = td_shard__is_open(shard) || changes.count < left;
    *ret_changes = changes;
    return TD_OK;
}

/* false: no memory. */
static bool show(const td_stream *stream, const td_record *record, td_arena *arena, td_change *ret_change)
{
    td_item *old_image = td_stream__shows_old(stream) ? record->old_image : NULL;
    td_item *new_image = td_stream__shows_new(stream) ? record->new_image : NULL;
    td_item *keys_of = record->new_image != NULL ? record->new_image : record->old_image;
    if (old_image != NULL && old_image != keys_of && !td_item_ref_in(old_image, arena)) return false;
    if (!td_item_ref_in(keys_of, arena)) return false;
    *ret_change = (td_change){
        .kind = record->kind,
        .at_us = record->at_us,
        .is_expiry = record->is_expiry,
        .keys_of = keys_of,
        .old_image = old_image,
        .new_image = new_image,
        .size_bytes = size_of_key(&stream->schema->key, keys_of),
    };
    if (old_image != NULL) ret_change->size_bytes += td_item_size(old_image);
    if (new_image != NULL) ret_change->size_bytes += td_item_size(new_image);
    print_sequence(record->sequence, ret_change->sequence);
    uint64_t upper[] = {stream->identity, record->sequence, 0};
    uint64_t lower[] = {stream->identity, record->sequence, 1};
    snprintf(ret_change->event_id, sizeof ret_change->event_id, "%016" PRIx64 "%016" PRIx64,
             td_hash64(td_slice_of(upper, sizeof upper)), td_hash64(td_slice_of(lower, sizeof lower)));
    return true;
}

/* By the rule of items: names and values. */
static uint64_t size_of_key(const td_key_schema *key, const td_item *item)
{
    td_slice parts[TD_KEY_PARTS_MAX];
    bool has_key = td_key_parts_of_item(key, item, parts);
    TD_ASSERT(has_key);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < td_key_part_count(key); i++) {
        bytes += key->parts[i].name.len;
        bytes += key->parts[i].type == TD_TYPE_N ? td_number_size(parts[i]) : parts[i].len;
    }
    return bytes;
}

static bool keep_schema(const td_stream *stream, td_arena *arena)
{
    td_schema *schema = td_schema__ref(stream->schema);
    if (td_arena_defer(arena, unref_schema, schema)) return true;
    td_schema__unref(schema);
    return false;
}

static void unref_schema(void *schema)
{
    td_schema__unref(schema);
}

static void print_sequence(uint64_t sequence, char ret_text[TD_SEQUENCE_MAX])
{
    snprintf(ret_text, TD_SEQUENCE_MAX, "1%020" PRIu64, sequence);
}

/* false: not one of ours. */
static bool parse_sequence(td_slice text, uint64_t *ret_sequence)
{
    if (text.len != SEQUENCE_DIGITS || text.ptr[0] != '1') return false;
    uint64_t sequence = 0;
    for (size_t i = 1; i < text.len; i++) {
        uint8_t digit = (uint8_t)(text.ptr[i] - '0');
        if (digit > 9) return false;
        if (__builtin_mul_overflow(sequence, (uint64_t)10, &sequence)) return false;
        if (__builtin_add_overflow(sequence, (uint64_t)digit, &sequence)) return false;
    }
    *ret_sequence = sequence;
    return true;
}
