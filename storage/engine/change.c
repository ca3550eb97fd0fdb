/* SPDX-License-Identifier: Apache-2.0
 * change.c: from a change to its stream record and its expiry.
 * Not here: what is recorded (stream.c), when items expire (expiry.c). */
#include "change.h"

#include "expiry.h"
#include "stream.h"

static bool leaves_record(const td_item_change *change);

bool td_change__reserve(const td_item_change *change)
{
    td_stream *stream = change->table->resources[0]->stream;
    bool has_record = stream != NULL && leaves_record(change);
    if (has_record && !td_stream__reserve(stream, change->partition->number)) return false;
    if (change->table->expiry == NULL || td_expiry__reserve(change)) return true;
    if (has_record) td_stream__unreserve(stream, change->partition->number);
    return false;
}

void td_change__unreserve(const td_item_change *change)
{
    td_stream *stream = change->table->resources[0]->stream;
    if (stream != NULL && leaves_record(change)) td_stream__unreserve(stream, change->partition->number);
    if (change->table->expiry != NULL) td_expiry__unreserve(change);
}

void td_change__commit(const td_item_change *change)
{
    td_stream *stream = change->table->resources[0]->stream;
    if (stream != NULL && leaves_record(change)) {
        td_stream__append(stream, change->partition->number, change->old_item, change->new_item, change->is_expiry,
                          change->now_us);
    }
    if (change->table->expiry != NULL) td_expiry__commit(change);
}

/* A write that changes nothing leaves none. Source: AWS developer guide, "Change data capture for DynamoDB Streams". */
static bool leaves_record(const td_item_change *change)
{
    if (change->old_item == NULL || change->new_item == NULL) return change->old_item != change->new_item;
    return !td_item_equal(change->old_item, change->new_item);
}
