/* SPDX-License-Identifier: Apache-2.0
 * shard.c: the ring of a shard's records.
 * Not here: which shards there are, and who writes into which (stream.c). */
#include "shard.h"

#include "thermodyn/limits.h"
#include "thermodyn/memory.h"

enum { CAPACITY_MIN = 16 };

static void place(td_shard *shard, const td_record *record);
static bool grow(td_shard *shard);
static void drop_oldest(td_shard *shard);
static uint64_t memory_of(const td_record *record);

void td_shard__init(td_shard *shard, uint64_t number, uint64_t parent, uint64_t sequence, td_time_us now_us)
{
    *shard = (td_shard){
        .number = number,
        .parent = parent,
        .opened_us = now_us,
        .closed_us = TD_NEVER,
        .sequence_first = sequence,
        .sequence_last = sequence,
        .horizon = sequence,
    };
}

void td_shard__done(td_shard *shard)
{
    while (shard->count > 0)
        drop_oldest(shard);
    td_free(shard->ring);
    shard->ring = NULL;
    shard->capacity = 0;
}

bool td_shard__reserve(td_shard *shard)
{
    TD_ASSERT(td_shard__is_open(shard));
    if (shard->count + shard->reserved == shard->capacity && !grow(shard)) return false;
    shard->reserved++;
    return true;
}

void td_shard__unreserve(td_shard *shard)
{
    TD_ASSERT(shard->reserved > 0);
    shard->reserved--;
}

void td_shard__append(td_shard *shard, const td_record *record)
{
    TD_ASSERT(shard->reserved > 0);
    TD_ASSERT(record->sequence > shard->sequence_last);
    shard->reserved--;
    place(shard, record);
    while (shard->bytes > TD_LIMIT_SHARD_BYTES_MAX && shard->count > 1)
        drop_oldest(shard);
}

bool td_shard__add(td_shard *shard, const td_record *record)
{
    if (shard->count == shard->capacity && !grow(shard)) return false;
    place(shard, record);
    return true;
}

uint32_t td_shard__find(const td_shard *shard, uint64_t sequence)
{
    uint32_t low = 0;
    uint32_t high = shard->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (td_shard__record(shard, middle)->sequence < sequence)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void td_shard__trim(td_shard *shard, td_time_us until_us)
{
    while (shard->count > 0 && td_shard__record(shard, 0)->at_us <= until_us)
        drop_oldest(shard);
    if (shard->count > 0 || shard->reserved > 0) return;
    td_free(shard->ring);
    shard->ring = NULL;
    shard->capacity = 0;
}

static void place(td_shard *shard, const td_record *record)
{
    shard->ring[(shard->head + shard->count) & (shard->capacity - 1)] = *record;
    shard->count++;
    shard->sequence_last = record->sequence;
    shard->bytes += memory_of(record);
}

static bool grow(td_shard *shard)
{
    uint32_t capacity = shard->capacity == 0 ? CAPACITY_MIN : shard->capacity * 2;
    td_record *ring = td_alloc(capacity * sizeof *ring);
    if (ring == NULL) return false;
    for (uint32_t i = 0; i < shard->count; i++)
        ring[i] = *td_shard__record(shard, i);
    td_free(shard->ring);
    shard->ring = ring;
    shard->capacity = capacity;
    shard->head = 0;
    return true;
}

static void drop_oldest(td_shard *shard)
{
    const td_record *record = td_shard__record(shard, 0);
    shard->bytes -= memory_of(record);
    shard->horizon = record->sequence + 1;
    td_item_unref(record->old_image);
    td_item_unref(record->new_image);
    shard->head = (shard->head + 1) & (shard->capacity - 1);
    shard->count--;
}

/* Blocks that are shared with the table, or with a neighbour, count for each: a bound, not an account. */
static uint64_t memory_of(const td_record *record)
{
    uint64_t bytes = sizeof *record;
    if (record->old_image != NULL) bytes += td_item_memory_bytes(record->old_image);
    if (record->new_image != NULL) bytes += td_item_memory_bytes(record->new_image);
    return bytes;
}
