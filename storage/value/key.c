/* SPDX-License-Identifier: Apache-2.0
 * key.c: where a key stands in the key space, and keys as byte strings.
 *
 * Model:    throttling.md §2.2: MD5("Outliers" ‖ key bytes) is the placement that reproduces the service's order of a
 *           Scan and its segments. This file is the only door to nettle's MD5; nothing here is about security.
 * Not here: which partition owns a position (storage/engine). */
#include "thermodyn/key.h"

#include <nettle/md5.h>
#define XXH_STATIC_LINKING_ONLY /* opens the state, so that it can lie on the stack */
#include <xxhash.h>

enum { PART_LENGTH_BYTES = 4 };

_Static_assert(TD_KEY_HASH_BYTES == MD5_DIGEST_SIZE, "a position is an MD5 digest");
_Static_assert(TD_KEY_HASH_BYTES == sizeof(XXH128_canonical_t), "or an XXH3 of 128 bits");

static td_key_hash hash_md5(const td_slice *parts, uint8_t count, bool has_lengths);
static td_key_hash hash_xxh3(const td_slice *hash_parts, uint8_t count);
static void put_length(td_slice part, uint8_t ret_bytes[PART_LENGTH_BYTES]);

td_key_hash td_key_hash_of(const td_slice *hash_parts, uint8_t count, td_placement placement)
{
    TD_ASSERT(count >= 1);
    TD_ASSERT(count <= TD_LIMIT_INDEX_HASH_PARTS_MAX);
    switch (placement) {
    case TD_PLACEMENT_SERVICE: return hash_md5(hash_parts, count, count > 1);
    case TD_PLACEMENT_XXH3: return hash_xxh3(hash_parts, count);
    }
    TD_ASSERT(false);
    return (td_key_hash){{0}};
}

uint64_t td_key_hash_prefix(const td_key_hash *hash)
{
    uint64_t prefix = 0;
    memcpy(&prefix, hash->bytes, sizeof prefix);
    return __builtin_bswap64(prefix);
}

void td_key_append_collection(td_buf *buf, const td_slice *hash_parts, uint8_t count, td_placement placement)
{
    td_key_hash hash = td_key_hash_of(hash_parts, count, placement);
    td_buf_append(buf, td_slice_of(hash.bytes, sizeof hash.bytes));
    for (uint8_t i = 0; i < count; i++)
        td_key_append_part(buf, hash_parts[i]);
}

void td_key_append_tie_break(td_buf *buf, const td_slice *key_parts, uint8_t count, td_placement placement)
{
    bool is_service = placement == TD_PLACEMENT_SERVICE;
    td_key_hash hash = is_service ? hash_md5(key_parts, count, false) : hash_xxh3(key_parts, count);
    td_buf_append(buf, td_slice_of(hash.bytes, sizeof hash.bytes));
    for (uint8_t i = 0; i < count; i++)
        td_key_append_part(buf, key_parts[i]);
}

void td_key_append_part(td_buf *buf, td_slice bytes)
{
    td_key_append_open_part(buf, bytes);
    td_buf_append(buf, TD_LIT("\0\0"));
}

void td_key_append_open_part(td_buf *buf, td_slice bytes)
{
    while (bytes.len > 0) {
        const uint8_t *zero = memchr(bytes.ptr, 0, bytes.len);
        if (!zero) {
            td_buf_append(buf, bytes);
            return;
        }
        size_t plain = (size_t)(zero - bytes.ptr);
        td_buf_append(buf, td_slice_of(bytes.ptr, plain));
        td_buf_append(buf, TD_LIT("\0\xff"));
        bytes = td_slice_of(zero + 1, bytes.len - plain - 1);
    }
}

size_t td_key_write_part(td_slice bytes, uint8_t *room)
{
    uint8_t *at = room;
    while (bytes.len > 0) {
        const uint8_t *zero = memchr(bytes.ptr, 0, bytes.len);
        size_t plain = zero == NULL ? bytes.len : (size_t)(zero - bytes.ptr);
        memcpy(at, bytes.ptr, plain);
        at += plain;
        if (zero == NULL) break;
        *at++ = 0;
        *at++ = 0xff;
        bytes = td_slice_of(zero + 1, bytes.len - plain - 1);
    }
    *at++ = 0;
    *at++ = 0;
    return (size_t)(at - room);
}

size_t td_key_append(td_buf *buf, const td_key_schema *schema, const td_slice *parts, td_placement placement)
{
    size_t start = buf->len;
    td_key_append_collection(buf, parts, schema->hash_count, placement);
    size_t collection_len = buf->len - start;
    for (uint32_t i = schema->hash_count; i < td_key_part_count(schema); i++)
        td_key_append_part(buf, parts[i]);
    return collection_len;
}

bool td_key_read_part(td_slice key, size_t *at, td_buf *buf)
{
    size_t start = *at;
    while (start < key.len) {
        const uint8_t *zero = memchr(key.ptr + start, 0, key.len - start);
        size_t mark = zero == NULL ? key.len : (size_t)(zero - key.ptr);
        if (mark + 1 >= key.len) return false;
        bool is_end = key.ptr[mark + 1] == 0;
        if (!is_end && key.ptr[mark + 1] != 0xff) return false;
        if (buf != NULL) td_buf_append(buf, td_slice_of(key.ptr + start, mark - start + (is_end ? 0 : 1)));
        start = mark + 2;
        if (!is_end) continue;
        *at = start;
        return true;
    }
    return false;
}

size_t td_key_length_of_parts(td_slice key, uint32_t count)
{
    size_t at = TD_KEY_HASH_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        bool is_whole = td_key_read_part(key, &at, NULL);
        TD_ASSERT(is_whole);
    }
    return at;
}

bool td_key_parts_of_item(const td_key_schema *schema, const td_item *item, td_slice ret_parts[TD_KEY_PARTS_MAX])
{
    td_slice parts[TD_KEY_PARTS_MAX];
    uint32_t count = td_key_part_count(schema);
    for (uint32_t i = 0; i < count; i++) {
        td_stored value;
        if (!td_item_find(item, schema->parts[i].name, &value) || value.type != schema->parts[i].type) return false;
        parts[i] = value.bytes;
    }
    memcpy(ret_parts, parts, count * sizeof *parts);
    return true;
}

bool td_key_parts_of_attributes(const td_key_schema *schema, const td_attribute *attributes, uint32_t count,
                                td_slice ret_parts[TD_KEY_PARTS_MAX])
{
    td_slice parts[TD_KEY_PARTS_MAX];
    uint32_t part_count = td_key_part_count(schema);
    for (uint32_t i = 0; i < part_count; i++) {
        const td_value *value = td_value_find(attributes, count, schema->parts[i].name);
        if (!value || value->type != schema->parts[i].type) return false;
        parts[i] = value->bytes;
    }
    memcpy(ret_parts, parts, part_count * sizeof *parts);
    return true;
}

int td_key_find_part(const td_key_schema *schema, td_slice name)
{
    for (uint32_t i = 0; i < td_key_part_count(schema); i++)
        if (td_slice_equal(schema->parts[i].name, name)) return (int)i;
    return -1;
}

static td_key_hash hash_md5(const td_slice *parts, uint8_t count, bool has_lengths)
{
    static const uint8_t prefix[] = {'O', 'u', 't', 'l', 'i', 'e', 'r', 's'};
    struct md5_ctx md5;
    md5_init(&md5);
    md5_update(&md5, sizeof prefix, prefix);
    for (uint8_t i = 0; i < count; i++) {
        uint8_t length[PART_LENGTH_BYTES];
        put_length(parts[i], length);
        if (has_lengths) md5_update(&md5, sizeof length, length);
        if (parts[i].len > 0) md5_update(&md5, parts[i].len, parts[i].ptr);
    }
    td_key_hash hash;
    md5_digest(&md5, sizeof hash.bytes, hash.bytes);
    return hash;
}

static td_key_hash hash_xxh3(const td_slice *hash_parts, uint8_t count)
{
    XXH128_hash_t digest;
    if (count == 1) {
        digest = XXH3_128bits(hash_parts[0].ptr, hash_parts[0].len);
    } else {
        XXH3_state_t state;
        XXH3_128bits_reset(&state);
        for (uint8_t i = 0; i < count; i++) {
            uint8_t length[PART_LENGTH_BYTES];
            put_length(hash_parts[i], length);
            XXH3_128bits_update(&state, length, sizeof length);
            if (hash_parts[i].len > 0) XXH3_128bits_update(&state, hash_parts[i].ptr, hash_parts[i].len);
        }
        digest = XXH3_128bits_digest(&state);
    }
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, digest);
    td_key_hash hash;
    memcpy(hash.bytes, canonical.digest, sizeof hash.bytes);
    return hash;
}

/* Big-endian, so that neighbouring parts cannot trade bytes: ("ab", "c") and ("a", "bc") are two places. */
static void put_length(td_slice part, uint8_t ret_bytes[PART_LENGTH_BYTES])
{
    TD_ASSERT(part.len <= UINT32_MAX);
    uint32_t length = __builtin_bswap32((uint32_t)part.len);
    memcpy(ret_bytes, &length, sizeof length);
}
