/* SPDX-License-Identifier: Apache-2.0
 * key.h: key schemas, placement, and keys as byte strings that compare with memcmp.
 *
 *   table    hash[16] ‖ part … (partition key) ‖ part … (sort key)
 *   index    the same of the index's key       ‖ tie[16] ‖ part … (the table's key)
 *
 * hash: MD5("Outliers" ‖ key bytes), the placement that reproduces the service's Scan order (throttling.md §2.2), or
 * XXH3-128 by configuration; for several partition key attributes, of each one's bytes behind a 4-byte length.
 * tie:  MD5("Outliers" ‖ bytes of the table's partition key ‖ bytes of its sort key): the order in which the service
 *       answers index entries of equal keys (dynalite's tests against it).
 * part: the payload (UTF-8, raw, or encoded number) with 00 written as 00 FF, closed by 00 00. So parts keep their
 * order, no part is a prefix of another, and "begins with" is a range of bytes.
 * Threads: any. */
#ifndef THERMODYN_KEY_H
#define THERMODYN_KEY_H

#include "thermodyn/buf.h"
#include "thermodyn/item.h"
#include "thermodyn/limits.h"
#include "thermodyn/value.h"

#define TD_KEY_HASH_BYTES 16
#define TD_KEY_PARTS_MAX (TD_LIMIT_INDEX_HASH_PARTS_MAX + TD_LIMIT_INDEX_RANGE_PARTS_MAX)

typedef enum td_placement { TD_PLACEMENT_SERVICE, TD_PLACEMENT_XXH3 } td_placement;

typedef struct td_key_part {
    td_slice name;
    td_type type; /* S, N or B */
} td_key_part;

/* Partition key attributes first, then sort key attributes. */
typedef struct td_key_schema {
    uint8_t hash_count;  /* 1 to 4; tables and local indexes: 1 */
    uint8_t range_count; /* 0 to 4; tables and local indexes: 0 or 1 */
    td_key_part parts[TD_KEY_PARTS_MAX];
} td_key_schema;

static inline uint32_t td_key_part_count(const td_key_schema *schema)
{
    return (uint32_t)schema->hash_count + schema->range_count;
}

/* A position in the key space by its hash alone. */
typedef struct td_key_hash {
    uint8_t bytes[TD_KEY_HASH_BYTES];
} td_key_hash;

td_key_hash td_key_hash_of(const td_slice *hash_parts, uint8_t count, td_placement placement);

/* The first eight bytes, big-endian: which partition and which segment. */
uint64_t td_key_hash_prefix(const td_key_hash *hash);

/* Appends hash and partition key parts: the prefix shared by an item collection. */
void td_key_append_collection(td_buf *buf, const td_slice *hash_parts, uint8_t count, td_placement placement);
/* Appends what orders index entries of equal keys: a hash of the table's key, then its parts. */
void td_key_append_tie_break(td_buf *buf, const td_slice *key_parts, uint8_t count, td_placement placement);
/* Appends one whole part, or one part left open (for "begins with"). */
void td_key_append_part(td_buf *buf, td_slice bytes);
void td_key_append_open_part(td_buf *buf, td_slice bytes);
/* Writes one whole part where there is room for it, which may take 2 × len + 2 bytes. Answers how many it took. */
size_t td_key_write_part(td_slice bytes, uint8_t *room);

/* Appends the key that the schema gives these values (payloads in schema order). Answers how long its beginning is that
 * the item collection shares. */
size_t td_key_append(td_buf *buf, const td_key_schema *schema, const td_slice *parts, td_placement placement);

/* The other way: the payload of the part that begins at *at, which moves behind it; *at is TD_KEY_HASH_BYTES for the
 * first. The payload goes to the buffer; NULL: it is skipped. false: there is no whole part. */
bool td_key_read_part(td_slice key, size_t *at, td_buf *buf);
/* Length of the hash and the first parts of a whole key. */
size_t td_key_length_of_parts(td_slice key, uint32_t count);

/* Payloads of the schema's attributes in the item, in schema order. false: one is missing or of another type. */
bool td_key_parts_of_item(const td_key_schema *schema, const td_item *item, td_slice ret_parts[TD_KEY_PARTS_MAX]);
bool td_key_parts_of_attributes(const td_key_schema *schema, const td_attribute *attributes, uint32_t count,
                                td_slice ret_parts[TD_KEY_PARTS_MAX]);

/* Index of the part of that name, or -1. */
int td_key_find_part(const td_key_schema *schema, td_slice name);

#endif
