/* SPDX-License-Identifier: Apache-2.0
 * stream.c: the shards of a stream and the records that go into them.
 *
 * Model:    AWS developer guide, "Change data capture for DynamoDB Streams": a shard for each partition; records in the
 *           order of an item's changes; kept 24 hours; a write that changes nothing leaves none. A shard stays open for
 *           about four hours.
 * Not here: the ring of records (shard.c); streams by name (streams.c); reading (stream_read.c). */
#include "stream.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "thermodyn/map.h"
#include "thermodyn/memory.h"

#define SHARD_LIFE_US (4 * 3600 * TD_US_PER_S)
#define RECORD_LIFE_US (24 * 3600 * TD_US_PER_S)

/* The last digits of a shard's id are its number, scattered: the product with an odd factor, which has an inverse. */
#define SCATTER 0x9E3779B1u
#define GATHER 0x0E8B2F51u
_Static_assert((uint32_t)(SCATTER *GATHER) == 1, "one undoes the other");

static bool reserve_shards(td_stream *stream, uint32_t count);
static bool reserve_open(td_stream *stream, uint32_t count);
static bool make_room(td_shard ***array, uint32_t *room, uint32_t needed);
static td_shard *open_shard(td_stream *stream, uint32_t partition, uint64_t parent, td_time_us now_us);
static void close_shard(td_stream *stream, uint32_t partition, td_time_us now_us);
static td_shard *get_open(const td_stream *stream, uint32_t partition);
static void note_trim(td_stream *stream);
static td_time_us next_trim_us(const td_stream *stream, td_time_us now_us);
static td_time_us earlier(td_time_us a, td_time_us b);

td_stream *td_stream__new(td_schema *schema, const char *table_id, td_time_us label_us, td_stream_view view,
                          uint32_t partition_count, uint32_t last_number)
{
    td_stream *stream = td_alloc_zero(sizeof *stream);
    if (stream == NULL) return NULL;
    atomic_init(&stream->references, 1);
    stream->schema = td_schema__ref(schema);
    stream->label_us = label_us;
    stream->view = view;
    stream->status = TD_STREAM_ENABLED;
    stream->closed_us = TD_NEVER;
    stream->roll_due_us = TD_NEVER;
    stream->next_sequence = 1;
    stream->next_number = 1;
    char name[64];
    int len = snprintf(name, sizeof name, "%s %" PRId64, table_id, label_us);
    stream->identity = td_hash64(td_slice_of(name, (size_t)len));
    int error = pthread_mutex_init(&stream->lock, NULL);
    TD_ASSERT(error == 0);
    if (reserve_shards(stream, partition_count) && reserve_open(stream, last_number)) return stream;
    td_stream__unref(stream);
    return NULL;
}

void td_stream__open(td_stream *stream, uint32_t partition, td_time_us now_us)
{
    td_stream__lock(stream);
    td_journal__mark_stream(stream);
    (void)open_shard(stream, partition, 0, now_us);
    td_stream__unlock(stream);
}

td_stream *td_stream__ref(td_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
    return stream;
}

void td_stream__unref(td_stream *stream)
{
    if (stream == NULL) return;
    uint32_t before = atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel);
    TD_ASSERT(before > 0);
    if (before > 1) return;
    for (uint32_t i = 0; i < stream->shard_made; i++) {
        if (i < stream->shard_count) td_shard__done(stream->shards[i]);
        td_free(stream->shards[i]);
    }
    td_free(stream->shards);
    td_free(stream->open);
    td_attached__done(&stream->policy);
    td_schema__unref(stream->schema);
    pthread_mutex_destroy(&stream->lock);
    td_free(stream);
}

void td_stream__set_status(td_stream *stream, td_stream_status status)
{
    td_stream__lock(stream);
    td_journal__mark_stream(stream);
    stream->status = status;
    td_stream__unlock(stream);
}

bool td_stream__is_closed(td_stream *stream)
{
    td_stream__lock(stream);
    bool is_closed = stream->closed_us != TD_NEVER;
    td_stream__unlock(stream);
    return is_closed;
}

bool td_stream__reserve(td_stream *stream, uint32_t partition)
{
    td_stream__lock(stream);
    bool is_reserved = td_shard__reserve(get_open(stream, partition));
    td_stream__unlock(stream);
    return is_reserved;
}

void td_stream__unreserve(td_stream *stream, uint32_t partition)
{
    td_stream__lock(stream);
    td_shard__unreserve(get_open(stream, partition));
    td_stream__unlock(stream);
}

td_record td_stream__append(td_stream *stream, uint32_t partition, td_item *old_item, td_item *new_item, bool is_expiry,
                            td_time_us now_us, uint64_t *ret_shard)
{
    TD_ASSERT(old_item != NULL || new_item != NULL);
    bool keeps_old = old_item != NULL && (td_stream__shows_old(stream) || new_item == NULL);
    bool keeps_new = new_item != NULL && (td_stream__shows_new(stream) || !keeps_old);
    td_record record = {
        .at_us = now_us,
        .old_image = keeps_old ? td_item_ref(old_item) : NULL,
        .new_image = keeps_new ? td_item_ref(new_item) : NULL,
        .kind = old_item == NULL   ? TD_CHANGE_INSERT
                : new_item == NULL ? TD_CHANGE_REMOVE
                                   : TD_CHANGE_MODIFY,
        .is_expiry = is_expiry,
    };
    td_stream__lock(stream);
    record.sequence = stream->next_sequence++;
    td_shard *shard = get_open(stream, partition);
    uint64_t horizon = shard->horizon;
    td_shard__append(shard, &record);
    if (shard->horizon != horizon) note_trim(stream);
    *ret_shard = shard->number;
    td_stream__unlock(stream);
    return record;
}

bool td_stream__reserve_split(td_stream *stream, uint32_t last_number)
{
    td_stream__lock(stream);
    bool is_reserved = reserve_shards(stream, 2) && reserve_open(stream, last_number);
    td_stream__unlock(stream);
    return is_reserved;
}

void td_stream__split(td_stream *stream, uint32_t parent, uint32_t lower, uint32_t upper, td_time_us now_us)
{
    td_stream__lock(stream);
    td_journal__mark_stream(stream);
    uint64_t parent_shard = get_open(stream, parent)->number;
    close_shard(stream, parent, now_us);
    stream->open[parent - 1] = NULL;
    (void)open_shard(stream, lower, parent_shard, now_us);
    (void)open_shard(stream, upper, parent_shard, now_us);
    td_stream__unlock(stream);
}

td_time_us td_stream__roll(td_stream *stream, td_time_us now_us)
{
    td_stream__lock(stream);
    uint32_t old_count = 0;
    for (uint32_t i = 0; i < stream->open_count; i++) {
        if (stream->open[i] != NULL && stream->open[i]->opened_us + SHARD_LIFE_US <= now_us) old_count++;
    }
    bool can_roll = reserve_shards(stream, old_count);
    if (old_count > 0) td_journal__mark_stream(stream);
    td_time_us next_us = can_roll ? now_us + SHARD_LIFE_US : now_us + TD_US_PER_S;
    for (uint32_t i = 0; i < stream->open_count && can_roll; i++) {
        const td_shard *shard = stream->open[i];
        if (shard == NULL) continue;
        if (shard->opened_us + SHARD_LIFE_US <= now_us) {
            close_shard(stream, i + 1, now_us);
            shard = open_shard(stream, i + 1, shard->number, now_us);
        }
        next_us = earlier(next_us, shard->opened_us + SHARD_LIFE_US);
    }
    td_stream__unlock(stream);
    return next_us;
}

void td_stream__close(td_stream *stream, td_stream_status status, td_time_us now_us)
{
    td_stream__lock(stream);
    td_journal__mark_stream(stream);
    for (uint32_t i = 0; i < stream->open_count; i++) {
        if (stream->open[i] != NULL) close_shard(stream, i + 1, now_us);
    }
    stream->open_count = 0;
    stream->status = status;
    stream->closed_us = now_us;
    td_stream__unlock(stream);
}

td_time_us td_stream__trim(td_stream *stream, td_time_us now_us)
{
    td_time_us until_us = now_us - RECORD_LIFE_US;
    td_stream__lock(stream);
    uint32_t kept = 0;
    bool is_trimmed = false;
    for (uint32_t i = 0; i < stream->shard_count; i++) {
        td_shard *shard = stream->shards[i];
        uint64_t horizon = shard->horizon;
        td_shard__trim(shard, until_us);
        is_trimmed = is_trimmed || shard->horizon != horizon;
        if (shard->count == 0 && shard->closed_us <= until_us) {
            td_shard__done(shard);
            td_free(shard);
        } else {
            stream->shards[kept++] = shard;
        }
    }
    if (is_trimmed || kept < stream->shard_count) note_trim(stream);
    uint32_t spare_count = stream->shard_made - stream->shard_count;
    if (spare_count > 0) {
        memmove(&stream->shards[kept], &stream->shards[stream->shard_count], spare_count * sizeof(td_shard *));
    }
    stream->shard_count = kept;
    stream->shard_made = kept + spare_count;
    td_time_us next_us = next_trim_us(stream, now_us);
    td_stream__unlock(stream);
    return next_us;
}

bool td_stream__add_shard(td_stream *stream, const td_shard *shard, uint32_t partition)
{
    if (!reserve_shards(stream, 1) || !reserve_open(stream, partition)) return false;
    td_shard *place = stream->shards[stream->shard_count++];
    *place = *shard;
    while (stream->open_count < partition)
        stream->open[stream->open_count++] = NULL;
    if (partition > 0) stream->open[partition - 1] = place;
    return true;
}

bool td_stream__has_open(const td_stream *stream, uint32_t partition)
{
    return partition >= 1 && partition <= stream->open_count && stream->open[partition - 1] != NULL;
}

td_shard *td_stream__find_shard(const td_stream *stream, uint64_t number)
{
    uint32_t at = td_stream__count_shards_before(stream, number);
    if (at == stream->shard_count || stream->shards[at]->number != number) return NULL;
    return stream->shards[at];
}

uint32_t td_stream__count_shards_before(const td_stream *stream, uint64_t number)
{
    uint32_t low = 0;
    uint32_t high = stream->shard_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stream->shards[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

td_shard *td_stream__find_shard_by_id(const td_stream *stream, td_slice id)
{
    char text[TD_SHARD_ID_MAX] = {0};
    uint64_t opened_ms = 0;
    uint32_t tail = 0;
    if (id.len >= sizeof text) return NULL;
    memcpy(text, id.ptr, id.len);
    if (sscanf(text, "shardId-%20" SCNu64 "-%8" SCNx32, &opened_ms, &tail) != 2) return NULL;
    td_shard *shard = td_stream__find_shard(stream, (tail ^ (uint32_t)stream->identity) * GATHER);
    if (shard == NULL) return NULL;
    td_stream__print_shard_id(stream, shard, text);
    return td_slice_equal(td_slice_of_cstr(text), id) ? shard : NULL;
}

void td_stream__print_shard_id(const td_stream *stream, const td_shard *shard, char ret_id[TD_SHARD_ID_MAX])
{
    uint32_t tail = ((uint32_t)shard->number * SCATTER) ^ (uint32_t)stream->identity;
    snprintf(ret_id, TD_SHARD_ID_MAX, "shardId-%020" PRIu64 "-%08" PRIx32, (uint64_t)(shard->opened_us / TD_US_PER_MS),
             tail);
}

/* Makes shards ahead until `count` are unused. */
static bool reserve_shards(td_stream *stream, uint32_t count)
{
    uint32_t needed = stream->shard_count + count;
    if (!make_room(&stream->shards, &stream->shard_room, needed)) return false;
    while (stream->shard_made < needed) {
        td_shard *shard = td_alloc(sizeof *shard);
        if (shard == NULL) return false;
        stream->shards[stream->shard_made++] = shard;
    }
    return true;
}

static bool reserve_open(td_stream *stream, uint32_t count)
{
    return make_room(&stream->open, &stream->open_room, count);
}

static bool make_room(td_shard ***array, uint32_t *room, uint32_t needed)
{
    if (needed <= *room) return true;
    uint32_t grown = *room * 2 > needed ? *room * 2 : needed;
    td_shard **larger = td_resize(*array, grown * sizeof(td_shard *));
    if (larger == NULL) return false;
    *array = larger;
    *room = grown;
    return true;
}

/* A partition's number is one that has no shard yet, or whose shard was closed. */
static td_shard *open_shard(td_stream *stream, uint32_t partition, uint64_t parent, td_time_us now_us)
{
    TD_ASSERT(stream->shard_count < stream->shard_made);
    TD_ASSERT(partition >= 1 && partition <= stream->open_room);
    td_shard *shard = stream->shards[stream->shard_count++];
    td_shard__init(shard, stream->next_number++, parent, stream->next_sequence++, now_us);
    while (stream->open_count < partition)
        stream->open[stream->open_count++] = NULL;
    stream->open[partition - 1] = shard;
    return shard;
}

static void close_shard(td_stream *stream, uint32_t partition, td_time_us now_us)
{
    td_shard *shard = get_open(stream, partition);
    TD_ASSERT(shard->reserved == 0);
    shard->closed_us = now_us;
}

static td_shard *get_open(const td_stream *stream, uint32_t partition)
{
    TD_ASSERT(partition >= 1 && partition <= stream->open_count);
    td_shard *shard = stream->open[partition - 1];
    TD_ASSERT(shard != NULL && td_shard__is_open(shard));
    return shard;
}

/* Records that are gone are to go from the disk too. */
static void note_trim(td_stream *stream)
{
    stream->trims++;
    td_journal__mark_stream(stream);
}

/* Whole seconds, so that a busy stream is not visited for each of its records. What will be written from now on has 24
 * hours to go. */
static td_time_us next_trim_us(const td_stream *stream, td_time_us now_us)
{
    bool is_over = stream->closed_us != TD_NEVER && stream->shard_count == 0;
    if (is_over && stream->closed_us <= now_us - RECORD_LIFE_US) return TD_NEVER;
    td_time_us next_us = earlier(now_us, stream->closed_us) + RECORD_LIFE_US;
    for (uint32_t i = 0; i < stream->shard_count; i++) {
        const td_shard *shard = stream->shards[i];
        if (shard->count > 0) next_us = earlier(next_us, td_shard__record(shard, 0)->at_us + RECORD_LIFE_US);
        if (!td_shard__is_open(shard)) next_us = earlier(next_us, shard->closed_us + RECORD_LIFE_US);
    }
    next_us = (next_us + TD_US_PER_S - 1) / TD_US_PER_S * TD_US_PER_S;
    return next_us > now_us ? next_us : now_us + TD_US_PER_S;
}

static td_time_us earlier(td_time_us a, td_time_us b)
{
    return a < b ? a : b;
}
