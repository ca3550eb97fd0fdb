/* SPDX-License-Identifier: Apache-2.0
 * stream.h: change records of a table: shards that follow its partitions, records, iterators.
 *
 * A stream begins when it is enabled and keeps its records for 24 hours of the server's clock. Each partition of the
 * table has one open shard; a shard is closed after four hours, or when its partition splits, and is succeeded by
 * shards that name it as their parent; a consumer that reads parents before children sees every change of an item once
 * and in order. A write that changes nothing leaves no record. Disabling a stream closes its shards; it can be read
 * until its records are trimmed. Enabling again makes another stream with a label of its own.
 * Threads: any. */
#ifndef THERMODYN_STREAM_H
#define THERMODYN_STREAM_H

#include "thermodyn/store.h"
#include "thermodyn/table.h"

typedef enum td_stream_status {
    TD_STREAM_ENABLING,
    TD_STREAM_ENABLED,
    TD_STREAM_DISABLING,
    TD_STREAM_DISABLED,
} td_stream_status;
typedef enum td_change_kind { TD_CHANGE_INSERT, TD_CHANGE_MODIFY, TD_CHANGE_REMOVE } td_change_kind;

#define TD_SHARD_ID_MAX 65 /* "shardId-" and digits, with a NUL: the service's are 28 to 65 long */
#define TD_SEQUENCE_MAX 41 /* decimal digits and a NUL: the service's have 21 to 40 */

typedef struct td_shard_info {
    char id[TD_SHARD_ID_MAX];
    char parent[TD_SHARD_ID_MAX];         /* "": none, or trimmed */
    char sequence_first[TD_SEQUENCE_MAX];
    char sequence_last[TD_SEQUENCE_MAX];  /* "": open */
} td_shard_info;

typedef struct td_stream_info {
    td_slice table;
    td_time_us label_us;       /* the label, and the time of creation */
    td_stream_status status;
    td_stream_view view;
    td_key_schema key;         /* of the table; names borrowed until the arena's reset */
    td_shard_info *shards;     /* in the order of their making */
    uint32_t shard_count;
    bool has_more;             /* shards, after the last one here */
} td_stream_info;

typedef struct td_stream_ref {
    td_slice table;
    td_time_us label_us;
} td_stream_ref;

/* Streams of the scope, of one table when call->table is not empty, in order of (table, label), behind `after` (table
 * empty: from the start). */
TD_MUST_USE td_status td_stream_list(const td_call *call, const td_stream_ref *after, uint32_t limit,
                                     td_stream_ref **ret_streams, uint32_t *ret_count, bool *ret_has_more);

/* call->table is the stream's table. RESOURCE_NOT_FOUND: no such stream. */
TD_MUST_USE td_status td_stream_describe(const td_call *call, td_time_us label_us, td_slice after_shard, uint32_t limit,
                                         td_stream_info *ret_info, td_error *error);

typedef enum td_iterator_kind {
    TD_ITERATE_TRIM_HORIZON,
    TD_ITERATE_LATEST,
    TD_ITERATE_AT_SEQUENCE,
    TD_ITERATE_AFTER_SEQUENCE,
} td_iterator_kind;

/* A place in a shard. The server wraps it into the opaque text that clients carry, with its time of making: it is
 * valid for 15 minutes of the server's clock. */
typedef struct td_shard_iterator {
    td_time_us label_us;
    uint64_t shard;    /* its number */
    uint64_t position; /* of the next record: sequence number within the stream */
} td_shard_iterator;

/* RESOURCE_NOT_FOUND: no such stream or shard. TRIMMED_DATA_ACCESS: a sequence number before the trim horizon.
 * VALIDATION: a sequence number that is not of this shard. */
TD_MUST_USE td_status td_stream_iterate(const td_call *call, td_time_us label_us, td_slice shard, td_iterator_kind kind,
                                        td_slice sequence, td_shard_iterator *ret_iterator, td_error *error);

typedef struct td_change {
    char event_id[33];             /* 32 hexadecimal digits: the same whenever the record is read */
    char sequence[TD_SEQUENCE_MAX];
    td_change_kind kind;
    td_time_us at_us;              /* when it happened; the server shows whole seconds */
    bool is_expiry;                /* deleted by time to live: userIdentity of the service */
    const td_item *keys_of;        /* the image that has the keys */
    const td_item *old_image;      /* NULL: none, or not in the view */
    const td_item *new_image;
    uint64_t size_bytes;           /* SizeBytes: keys and images of the view */
} td_change;

typedef struct td_changes {
    td_change *changes;
    uint32_t count;
    const td_slice *key_names; /* the table's */
    uint32_t key_name_count;
    td_stream_view view;
    bool has_next;             /* false: the shard is closed and read to its end */
    td_shard_iterator next;
} td_changes;

/* Up to `limit` records and 1 MB. TRIMMED_DATA_ACCESS when the iterator's place was trimmed meanwhile. */
TD_MUST_USE td_status td_stream_read(const td_call *call, const td_shard_iterator *iterator, uint32_t limit,
                                     td_changes *ret_changes, td_error *error);

#endif
