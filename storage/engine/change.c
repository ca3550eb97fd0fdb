/* SPDX-License-Identifier: Apache-2.0
 * change.c: from a change to its stream record, its expiry and what the disk is to keep of it.
 * Not here: what is recorded (stream.c), when items expire (expiry.c), how it comes to the disk (journal.c). */
#include "change.h"

#include "catalog.h"
#include "expiry.h"
#include "persist.h"
#include "stream.h"

static bool changes_anything(const td_item_change *change);
static bool reserve_kept(const td_item_change *change, bool has_record);
static void put_record(td_journal_entry *entry, uint32_t stream, uint64_t shard, const td_record *record);

bool td_change__reserve(const td_item_change *change)
{
    td_stream *stream = change->table->resources[0]->stream;
    td_journal *journal = change->table->store->journal;
    bool is_change = (stream != NULL || journal != NULL) && changes_anything(change);
    bool has_record = stream != NULL && is_change;
    if (has_record && !td_stream__reserve(stream, change->partition->number)) return false;
    bool is_reserved = journal == NULL || !is_change || reserve_kept(change, has_record);
    if (is_reserved && change->table->expiry != NULL) is_reserved = td_expiry__reserve(change);
    if (is_reserved) return true;
    if (has_record) td_stream__unreserve(stream, change->partition->number);
    td_journal__drop(change->group);
    return false;
}

void td_change__unreserve(const td_item_change *change)
{
    td_stream *stream = change->table->resources[0]->stream;
    if (stream != NULL && changes_anything(change)) td_stream__unreserve(stream, change->partition->number);
    if (change->table->expiry != NULL) td_expiry__unreserve(change);
    td_journal__drop(change->group);
}

void td_change__commit(const td_item_change *change)
{
    td_stream *stream = change->table->resources[0]->stream;
    td_journal_entry *kept = change->group->first; /* of the item, then of the record */
    if (kept != NULL && change->new_item != NULL) td_journal__put(kept, change->new_item, NULL);
    if (stream != NULL && changes_anything(change)) {
        uint64_t shard = 0;
        td_record record = td_stream__append(stream, change->partition->number, change->old_item, change->new_item,
                                             change->is_expiry, change->now_us, &shard);
        if (kept != NULL) put_record(change->group->last, stream->record_number, shard, &record);
    }
    if (change->table->expiry != NULL) td_expiry__commit(change);
}

/* A write that changes nothing leaves no record. Source: AWS developer guide, "Change data capture for DynamoDB
 * Streams". */
static bool changes_anything(const td_item_change *change)
{
    if (change->old_item == NULL || change->new_item == NULL) return change->old_item != change->new_item;
    return !td_item_equal(change->old_item, change->new_item);
}

/* While the disk fails time to live finds no room either, and comes again. */
static bool reserve_kept(const td_item_change *change, bool has_record)
{
    const td_table *table = change->table;
    if (td_journal_is_failing(table->store->journal)) return false;
    size_t key_bytes = td_persist__item_key_bytes(change->key);
    td_journal_entry *item = td_journal__add(change->group, TD_SPACE_ITEMS, key_bytes, 0);
    if (item == NULL) return false;
    td_persist__item_key(table->record_number, change->key, td_journal__key(item));
    return !has_record || td_journal__add(change->group, TD_SPACE_CHANGES, TD_PERSIST_CHANGE_BYTES,
                                          TD_PERSIST_CHANGE_HEAD_BYTES) != NULL;
}

static void put_record(td_journal_entry *entry, uint32_t stream, uint64_t shard, const td_record *record)
{
    uint8_t *head = td_journal__head(entry);
    td_slice old_bytes = record->old_image == NULL ? td_slice_of(NULL, 0) : td_item_bytes(record->old_image);
    uint32_t old_len = (uint32_t)old_bytes.len;
    (void)td_persist__change(stream, shard, record->sequence, td_journal__key(entry));
    td_persist__put_u64(head, (uint64_t)record->at_us);
    head[8] = (uint8_t)record->kind;
    head[9] = record->is_expiry;
    head[10] = record->old_image != NULL;
    head[11] = record->new_image != NULL;
    memcpy(head + 12, &old_len, sizeof old_len);
    td_journal__put(entry, record->old_image, record->new_image);
}
