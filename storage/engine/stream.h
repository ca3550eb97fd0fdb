/* SPDX-License-Identifier: Apache-2.0
 * stream.h: one stream of a table: its shards, which follow the partitions, and who writes into which.
 *
 *   partition   1 ──────────┬──────── 2 ─────── …      shard A: closed by the split
 *                           └──────── 3 ─────── …      shards B and C: children of A
 *
 * Every partition of the table has one open shard. It is succeeded by another after four hours, by two when its
 * partition splits, and closed when the stream is disabled or its table goes. Records and closed shards are trimmed
 * after 24 hours. A stream outlives its table.
 * Lock order: the table's, then the stream's. Room for records and shards is reserved before a write or a split changes
 * anything, and only whoever holds the table's lock reserves, so that what was reserved is still there afterwards. */
#ifndef THERMODYN_ENGINE_STREAM_H
#define THERMODYN_ENGINE_STREAM_H

#include <pthread.h>

#include "attached.h"
#include "journal.h"
#include "schema.h"
#include "shard.h"

typedef struct td_stream {
    _Atomic uint32_t references;
    td_schema *schema; /* the table's when the stream was enabled: names and key */
    td_time_us label_us;
    td_stream_view view;
    uint64_t identity; /* hash of the table's id and the label: what ids are made from */
    td_journal *journal;    /* NULL: there is none */
    uint32_t record_number; /* by which it is kept */
    td_journal_mark mark;
    uint64_t written_trims; /* the writer's: how many there were in the batch's document */
    uint64_t swept_trims;   /* and are swept */
    pthread_mutex_t lock;

    /* guarded by the lock of its table */
    td_time_us roll_due_us; /* when the queue closes the oldest shards */

    /* guarded by lock */
    bool is_gone;   /* nobody finds it any more */
    uint64_t trims; /* how often records went, or shards */
    td_stream_status status;
    td_time_us closed_us; /* TD_NEVER: enabled */
    td_attached policy;
    uint64_t next_sequence;
    uint64_t next_number; /* of a shard */
    td_shard **shards;    /* in the order of making; behind `shard_count` those that were reserved, unused yet */
    uint32_t shard_count;
    uint32_t shard_made;
    uint32_t shard_room;
    td_shard **open; /* by number of partition, from 1: open[number - 1]; NULL: that partition was split */
    uint32_t open_count;
    uint32_t open_room;
} td_stream;

/* Enabled, with memory for one shard for each of so many partitions, whose numbers are at most last_number: the caller
 * opens them. NULL: no memory. */
TD_MUST_USE td_stream *td_stream__new(td_schema *schema, const char *table_id, td_time_us label_us, td_stream_view view,
                                      uint32_t partition_count, uint32_t last_number);
void td_stream__open(td_stream *stream, uint32_t partition, td_time_us now_us);
td_stream *td_stream__ref(td_stream *stream);
void td_stream__unref(td_stream *stream); /* NULL is allowed */

static inline void td_stream__lock(td_stream *stream)
{
    int error = pthread_mutex_lock(&stream->lock);
    TD_ASSERT(error == 0);
}

static inline void td_stream__unlock(td_stream *stream)
{
    int error = pthread_mutex_unlock(&stream->lock);
    TD_ASSERT(error == 0);
}

void td_stream__set_status(td_stream *stream, td_stream_status status);
bool td_stream__is_closed(td_stream *stream);

/* ---- a write: the table's lock is held, the stream is enabled ---------------------------------------------------- */

/* Room for one record of that partition. false: no memory. */
TD_MUST_USE bool td_stream__reserve(td_stream *stream, uint32_t partition);
void td_stream__unreserve(td_stream *stream, uint32_t partition);

/* What happened to an item; one of the images may be NULL. Takes references of its own. Answers the record, whose
 * references it borrows, and its shard's number. */
td_record td_stream__append(td_stream *stream, uint32_t partition, td_item *old_item, td_item *new_item, bool is_expiry,
                            td_time_us now_us, uint64_t *ret_shard);

/* ---- shards: the table's lock is held, the stream is enabled ----------------------------------------------------- */

/* Makes the shards that a split needs, whose halves will have numbers up to this one. false: no memory. */
TD_MUST_USE bool td_stream__reserve_split(td_stream *stream, uint32_t last_number);
/* The partition `parent` is no more: its range is that of `lower` and `upper`, which are new. */
void td_stream__split(td_stream *stream, uint32_t parent, uint32_t lower, uint32_t upper, td_time_us now_us);

/* Closes the shards that are old enough and opens their successors. Answers when to come again. */
td_time_us td_stream__roll(td_stream *stream, td_time_us now_us);

/* Closes all shards; no record comes any more. */
void td_stream__close(td_stream *stream, td_stream_status status, td_time_us now_us);

/* ---- from the disk: nobody else has it --------------------------------------------------------------------------- */

/* Behind the others, with its own numbers; `partition`: which it is open for, 0: none. false: no memory. */
TD_MUST_USE bool td_stream__add_shard(td_stream *stream, const td_shard *shard, uint32_t partition);

/* Whether the partition has an open shard. */
bool td_stream__has_open(const td_stream *stream, uint32_t partition);

/* ---- the end of records ------------------------------------------------------------------------------------------ */

/* Drops what is older than 24 hours. Answers when to come again; TD_NEVER: nothing is left, nor will be. */
td_time_us td_stream__trim(td_stream *stream, td_time_us now_us);

/* ---- reading: the lock is held ----------------------------------------------------------------------------------- */

/* NULL: there is none, or it was trimmed. */
td_shard *td_stream__find_shard(const td_stream *stream, uint64_t number);
td_shard *td_stream__find_shard_by_id(const td_stream *stream, td_slice id);
/* How many shards were made before that one, or up to it when it was trimmed. */
uint32_t td_stream__count_shards_before(const td_stream *stream, uint64_t number);
void td_stream__print_shard_id(const td_stream *stream, const td_shard *shard, char ret_id[TD_SHARD_ID_MAX]);

static inline bool td_stream__shows_old(const td_stream *stream)
{
    return stream->view == TD_STREAM_OLD_IMAGE || stream->view == TD_STREAM_NEW_AND_OLD_IMAGES;
}

static inline bool td_stream__shows_new(const td_stream *stream)
{
    return stream->view == TD_STREAM_NEW_IMAGE || stream->view == TD_STREAM_NEW_AND_OLD_IMAGES;
}

#endif
