/* SPDX-License-Identifier: Apache-2.0
 * shard.h: the change records of one partition during a while: a ring of references to items.
 *
 *   sequence_first ≤ horizon ≤ records … ≤ sequence_last       what lies before the horizon was trimmed
 *
 * A record holds the items' own blocks, no copies. Its room is reserved before a write changes anything, so that the
 * record itself cannot fail.
 * Invariants: sequence numbers rise along the ring; a closed shard gets no record and has no reserved room.
 * Threads: the caller holds the stream's lock. */
#ifndef THERMODYN_ENGINE_SHARD_H
#define THERMODYN_ENGINE_SHARD_H

#include "thermodyn/item.h"
#include "thermodyn/stream.h"

typedef struct td_record {
    uint64_t sequence; /* within the stream */
    td_time_us at_us;
    td_item *old_image; /* a reference each: what the view shows, and at least one of the two, for the keys */
    td_item *new_image;
    td_change_kind kind;
    bool is_expiry;
} td_record;

typedef struct td_shard {
    uint64_t number; /* from 1, unique in its stream, in the order of making */
    uint64_t parent; /* 0: none */
    td_time_us opened_us;
    td_time_us closed_us;    /* TD_NEVER: open */
    uint64_t sequence_first; /* taken when it was opened; no record has it */
    uint64_t sequence_last;  /* of the last record; sequence_first: there was none */
    uint64_t horizon;        /* the first sequence number that was not trimmed */
    uint64_t bytes;          /* of memory that the records hold */
    uint32_t capacity;       /* of the ring: a power of two, or 0 */
    uint32_t head;           /* place of the oldest record */
    uint32_t count;
    uint32_t reserved; /* records to come that have their room already */
    td_record *ring;
} td_shard;

/* Empty and open. */
void td_shard__init(td_shard *shard, uint64_t number, uint64_t parent, uint64_t sequence, td_time_us now_us);
void td_shard__done(td_shard *shard);

static inline bool td_shard__is_open(const td_shard *shard)
{
    return shard->closed_us == TD_NEVER;
}

/* Room for one more record. false: no memory. */
TD_MUST_USE bool td_shard__reserve(td_shard *shard);
void td_shard__unreserve(td_shard *shard);
/* Takes the record, and its references, into room that was reserved. */
void td_shard__append(td_shard *shard, const td_record *record);

/* The same of a record that was there before, into any shard. false: no memory. */
TD_MUST_USE bool td_shard__add(td_shard *shard, const td_record *record);

/* The i-th record that is still there. */
static inline const td_record *td_shard__record(const td_shard *shard, uint32_t i)
{
    TD_ASSERT(i < shard->count);
    return &shard->ring[(shard->head + i) & (shard->capacity - 1)];
}

/* How many of the records come before the sequence number. */
uint32_t td_shard__find(const td_shard *shard, uint64_t sequence);

/* Drops the records that happened at or before the instant. */
void td_shard__trim(td_shard *shard, td_time_us until_us);

#endif
