/* SPDX-License-Identifier: Apache-2.0
 * persist.h: tables, streams and settings as documents and back: what both directions know.
 *
 * The numbers of the fields are here; the members of structs are rows (persist_rows.c), which write and read them.
 * Kept: all that an operation or a view of partitions shows and that does not follow from the items. Not kept: entries
 * of indexes (made again), meters, heat and demand (counted anew), samples, the queue of due times (queued again). */
#ifndef THERMODYN_ENGINE_PERSIST_H
#define THERMODYN_ENGINE_PERSIST_H

#include "document.h"
#include "state.h"

#define TD_PERSIST_SETTINGS "settings" /* its name in TD_SPACE_META */
#define TD_PERSIST_NUMBER_BYTES 4
#define TD_PERSIST_CHANGE_BYTES 20
#define TD_PERSIST_CHANGE_HEAD_BYTES 16
#define TD_PERSIST_TOKEN_HEAD_BYTES 12 /* fingerprint and count; then four an action, and the token */

/* Fields of a table's document beside its rows. */
enum {
    TD_FIELD_TABLE_ID = 1,
    TD_FIELD_SCOPE = 2,
    TD_FIELD_NAME = 3,
    TD_FIELD_DEFINITION = 4, /* fields */
    TD_FIELD_KEY = 5,        /* fields */
    TD_FIELD_INDEX = 6,      /* fields, in the schema's order */
    TD_FIELD_RESOURCE = 7,   /* fields: the table's, then those of the global indexes */
    TD_FIELD_TAG = 8,        /* fields */
    TD_FIELD_EXPIRY_ATTRIBUTE = 9,
    TD_FIELD_KMS_KEY = 10,
    TD_FIELD_OWN_SETTINGS = 11, /* fields */
    TD_FIELD_STREAM = 12,       /* its number */
    TD_FIELD_POLICY = 13,       /* fields */
    TD_FIELD_TABLE_ROWS = 20,
};

/* Of a name with a type, a key, an index, a tag. */
enum { TD_FIELD_PART_NAME = 1, TD_FIELD_PART_TYPE = 2 };
enum { TD_FIELD_KEY_HASH_COUNT = 1, TD_FIELD_KEY_PART = 2 };
enum {
    TD_FIELD_INDEX_NAME = 1,
    TD_FIELD_INDEX_KEY = 2,
    TD_FIELD_INDEX_ATTRIBUTE = 3,
    TD_FIELD_INDEX_IS_GLOBAL = 4,
    TD_FIELD_INDEX_PROJECTION = 5,
};
enum { TD_FIELD_TAG_KEY = 1, TD_FIELD_TAG_VALUE = 2 };

/* Of a policy. */
enum { TD_FIELD_POLICY_TEXT = 1, TD_FIELD_POLICY_REVISION = 2 };

/* Of a resource, a partition, its buckets, its plan. */
enum {
    TD_FIELD_PARTITION = 1, /* fields, in the order of their ranges */
    TD_FIELD_POOL = 2,      /* fields: a bucket a direction, provisioned, quota, maximum */
    TD_FIELD_PEAK = 3,      /* fields */
    TD_FIELD_INSIGHTS = 4,  /* fields */
    TD_FIELD_RESOURCE_ROWS = 10,
};
enum {
    TD_FIELD_FROM = 1,
    TD_FIELD_CAP = 2,   /* fields: a bucket a direction */
    TD_FIELD_SHARE = 3, /* fields: likewise */
    TD_FIELD_PLAN = 4,  /* fields */
    TD_FIELD_PARTITION_ROWS = 10,
};
enum { TD_FIELD_SHARE_BUCKET = 1, TD_FIELD_SHARE_ROWS = 10 };
enum { TD_FIELD_PLAN_BOUND = 1, TD_FIELD_PLAN_CAUSE = 2, TD_FIELD_PLAN_DUE = 3 };

/* Of settings. */
enum {
    TD_FIELD_SETTING = 1, /* fields: a name and a value */
    TD_FIELD_ENFORCE = 2, /* + 1 */
    TD_FIELD_ERA = 3,     /* + 1 */
    TD_FIELD_ANSWER = 4,  /* fields: a cell and an answer */
    TD_FIELD_PLACEMENT = 5,
    TD_FIELD_RANDOM = 6,
};
enum { TD_FIELD_SETTING_NAME = 1, TD_FIELD_SETTING_VALUE = 2 };
enum { TD_FIELD_ANSWER_CELL = 1, TD_FIELD_ANSWER_VALUE = 2 };

/* Of a stream and its shards. */
enum {
    TD_FIELD_STREAM_SCOPE = 1,
    TD_FIELD_STREAM_TABLE = 2,
    TD_FIELD_STREAM_KEY = 3,        /* fields */
    TD_FIELD_STREAM_DEFINITION = 4, /* fields */
    TD_FIELD_SHARD = 5,             /* fields, in the order of making */
    TD_FIELD_STREAM_POLICY = 6,     /* fields */
    TD_FIELD_STREAM_ROWS = 10,
};
enum { TD_FIELD_SHARD_PARTITION = 1, TD_FIELD_SHARD_ROWS = 10 };

/* ---- members ----------------------------------------------------------------------------------------------------- */

typedef struct td_persist_rows {
    const td_doc_row *rows;
    size_t count;
} td_persist_rows;

extern const td_persist_rows td_persist__table_rows;
extern const td_persist_rows td_persist__encryption_rows;
extern const td_persist_rows td_persist__resource_rows;
extern const td_persist_rows td_persist__peak_rows;
extern const td_persist_rows td_persist__insights_rows;
extern const td_persist_rows td_persist__partition_rows;
extern const td_persist_rows td_persist__share_rows;
extern const td_persist_rows td_persist__bucket_rows;
extern const td_persist_rows td_persist__stream_rows;
extern const td_persist_rows td_persist__shard_rows;

/* ---- keys -------------------------------------------------------------------------------------------------------- */

td_slice td_persist__number(uint32_t number, uint8_t bytes[TD_PERSIST_NUMBER_BYTES]);
td_slice td_persist__change(uint32_t stream, uint64_t shard, uint64_t sequence, uint8_t bytes[TD_PERSIST_CHANGE_BYTES]);

/* Of an item: the table's number and the item's key; one that is too long stands shortened, with a hash of the rest, so
 * that whoever reads it takes the key from the item. Writes the key where there is room for item_key_bytes. */
#define TD_PERSIST_ITEM_KEY_WHOLE_MAX (TD_DISK_KEY_BYTES_MAX - TD_PERSIST_NUMBER_BYTES - 1)
static inline size_t td_persist__item_key_bytes(td_slice key)
{
    return key.len <= TD_PERSIST_ITEM_KEY_WHOLE_MAX ? TD_PERSIST_NUMBER_BYTES + key.len : TD_DISK_KEY_BYTES_MAX;
}
void td_persist__item_key(uint32_t table, td_slice key, uint8_t *place);

/* The eight bytes of an instant, which begin the key of a token. */
static inline void td_persist__put_u64(uint8_t *place, uint64_t value)
{
    (void)td_partition__key_of_hash(value, place);
}

/* ---- documents: appended to the buffer ------------------------------------------------------------------------------
 * */

void td_persist__table_locked(const td_table *table, td_buf *document);
void td_persist__stream_locked(const td_stream *stream, td_buf *document); /* the stream's lock is held */
void td_persist__settings_locked(const td_store *store, td_buf *document); /* the catalogue's lock is held */

/* Parts that tables and streams share. */
void td_persist__definitions(const td_attribute_definition *definitions, uint32_t count, uint8_t field,
                             td_buf *document);
void td_persist__key(const td_key_schema *key, uint8_t field, td_buf *document);
void td_persist__policy(const td_attached *policy, uint8_t field, td_buf *document); /* nothing, if there was none */
void td_persist__patch(const td_capacity_patch *patch, td_buf *document);
void td_persist__rows(td_persist_rows rows, const void *members, td_buf *document);

#endif
