/* SPDX-License-Identifier: Apache-2.0
 * item_keys.c: comparing an item's key without making it, and making it.
 *
 * Equal keys are known by their parts alone, and keys that differ in the sort key are put in order without a hash.
 * Not here: what keys look like (storage/value/key.c). */
#include "item_keys.h"

#include "thermodyn/item.h"
#include "thermodyn/memory.h"

#include "schema.h"

enum { PART_END_BYTES = 2, WALKED_BELOW = 16 /* attributes; in items of more, each is searched for by itself */ };

_Static_assert(TD_KEY_HASH_BYTES + 2 * (TD_LIMIT_PARTITION_KEY_BYTES_MAX + TD_LIMIT_SORT_KEY_BYTES_MAX) +
                       2 * PART_END_BYTES <=
                   TD_BTREE_ROOM_BYTES,
               "the longest key of a table has room");

static int compare(const td_btree_source *source, const void *value, td_slice key, size_t *ret_common);
static td_slice make(const td_btree_source *source, const void *value, size_t from, td_btree_room *room);
static uint32_t weigh(const void *value);
static void read_parts(const td_btree_source *source, const void *value, td_slice ret_parts[TD_KEY_PARTS_MAX]);
static bool walk_to_parts(const td_item_keys *keys, td_slice bytes, td_slice ret_parts[TD_KEY_PARTS_MAX]);
static int compare_part(td_slice part, td_slice key, size_t *at);
static int compare_bytes(td_slice bytes, td_slice key, size_t *at);
static size_t equal_len(td_slice part, td_slice key, size_t from);
static uint64_t zero_marks(uint64_t bytes);
static td_slice write(const td_btree_source *source, const td_slice *parts, size_t from, td_btree_room *room);
static const td_item_keys *keys_of(const td_btree_source *source);

td_item_keys *td_item_keys__new(td_schema *schema, td_placement placement)
{
    td_item_keys *keys = td_alloc(sizeof *keys);
    if (keys == NULL) return NULL;
    const td_key_part *parts = schema->key.parts;
    TD_ASSERT(schema->key.hash_count == 1 && schema->key.range_count <= 1);
    bool is_swapped = schema->key.range_count == 1 && td_slice_compare(parts[1].name, parts[0].name) < 0;
    *keys = (td_item_keys){
        .source = {.compare = compare, .make = make, .weigh = weigh},
        .schema = td_schema__ref(schema),
        .by_name = {is_swapped ? 1 : 0, is_swapped ? 0 : 1},
        .placement = placement,
    };
    return keys;
}

void td_item_keys__free(td_item_keys *keys)
{
    if (keys == NULL) return;
    td_schema__unref(keys->schema);
    td_free(keys);
}

/* The hash comes last, when the partition keys differ: equal ones have equal hashes. */
static int compare(const td_btree_source *source, const void *value, td_slice key, size_t *ret_common)
{
    const td_item_keys *keys = keys_of(source);
    td_slice parts[TD_KEY_PARTS_MAX];
    read_parts(source, value, parts);
    size_t at = TD_KEY_HASH_BYTES;
    int order = compare_part(parts[0], key, &at);
    if (order != 0) {
        td_key_hash hash = td_key_hash_of(parts, 1, keys->placement);
        size_t hash_at = 0;
        int hash_order = compare_bytes(td_slice_of(hash.bytes, sizeof hash.bytes), key, &hash_at);
        *ret_common = hash_order == 0 ? at : hash_at;
        return hash_order == 0 ? order : hash_order;
    }
    if (keys->schema->key.range_count > 0) order = compare_part(parts[1], key, &at);
    *ret_common = at;
    return order == 0 && at < key.len ? -1 : order;
}

static td_slice make(const td_btree_source *source, const void *value, size_t from, td_btree_room *room)
{
    td_slice parts[TD_KEY_PARTS_MAX];
    read_parts(source, value, parts);
    return write(source, parts, from, room);
}

static uint32_t weigh(const void *value)
{
    return td_item_size(value);
}

static void read_parts(const td_btree_source *source, const void *value, td_slice ret_parts[TD_KEY_PARTS_MAX])
{
    const td_item_keys *keys = keys_of(source);
    bool has_key = td_item_count(value) < WALKED_BELOW ? walk_to_parts(keys, td_item_bytes(value), ret_parts)
                                                       : td_key_parts_of_item(&keys->schema->key, value, ret_parts);
    TD_ASSERT(has_key);
}

/* One pass over the attributes, which come in the order of their names, as the wanted ones do. Their types are right:
 * the item is in the table. */
static bool walk_to_parts(const td_item_keys *keys, td_slice bytes, td_slice ret_parts[TD_KEY_PARTS_MAX])
{
    const uint8_t *at = bytes.ptr;
    const uint8_t *end = bytes.ptr + bytes.len;
    for (uint32_t i = 0; i < td_key_part_count(&keys->schema->key); i++) {
        td_slice wanted = keys->schema->key.parts[keys->by_name[i]].name;
        td_slice name = {NULL, 0};
        bool is_found = false;
        while (!is_found && at < end) {
            at = td_stored__read_bytes(at, &name);
            is_found = td_slice_equal(name, wanted);
            if (!is_found) at = td_stored__skip(at);
        }
        if (!is_found) return false;
        td_stored value;
        at = td_stored__read(at, &value);
        ret_parts[keys->by_name[i]] = value.bytes;
    }
    return true;
}

/* The order of a part, as keys write it, to the key's bytes from *at on, which moves behind what they have in common.
 */
static int compare_part(td_slice part, td_slice key, size_t *at)
{
    static const uint8_t zero[] = {0, 0xff};
    static const uint8_t end[] = {0, 0};
    size_t passed = equal_len(part, key, *at);
    *at += passed;
    for (; passed < part.len; passed++) {
        td_slice written = part.ptr[passed] == 0 ? td_slice_of(zero, sizeof zero) : td_slice_of(part.ptr + passed, 1);
        int order = compare_bytes(written, key, at);
        if (order != 0) return order;
    }
    return compare_bytes(td_slice_of(end, sizeof end), key, at);
}

/* Greater than a key that ends before. */
static int compare_bytes(td_slice bytes, td_slice key, size_t *at)
{
    for (size_t i = 0; i < bytes.len; i++, ++*at) {
        if (*at >= key.len) return 1;
        if (bytes.ptr[i] != key.ptr[*at]) return bytes.ptr[i] < key.ptr[*at] ? -1 : 1;
    }
    return 0;
}

/* How many bytes of the part the key has from `from` on, up to the first that is zero. Eight at a time: of their
 * differences, and of the marks of those that are zero, the lowest counts. The last eight may overlap those before. */
static size_t equal_len(td_slice part, td_slice key, size_t from)
{
    size_t room = key.len > from ? key.len - from : 0;
    size_t len = part.len < room ? part.len : room;
    if (len < sizeof(uint64_t)) return 0;
    for (size_t at = 0; at < len; at += sizeof(uint64_t)) {
        if (at > len - sizeof(uint64_t)) at = len - sizeof(uint64_t);
        uint64_t own;
        uint64_t other;
        memcpy(&own, part.ptr + at, sizeof own);
        memcpy(&other, key.ptr + from + at, sizeof other);
        uint64_t stops = (own ^ other) | zero_marks(own);
        if (stops != 0) return at + (size_t)__builtin_ctzll(stops) / 8;
    }
    return len;
}

/* The top bit of each byte that is zero; of bytes above such a one, perhaps of others too.
 * Source: Knuth, TAOCP 4A, 7.1.3 (90). */
static uint64_t zero_marks(uint64_t bytes)
{
    const uint64_t ones = UINT64_MAX / 0xff;
    return (bytes - ones) & ~bytes & (ones << 7);
}

/* The hash only where it is asked for. */
static td_slice write(const td_btree_source *source, const td_slice *parts, size_t from, td_btree_room *room)
{
    const td_item_keys *keys = keys_of(source);
    if (from < TD_KEY_HASH_BYTES) {
        td_key_hash hash = td_key_hash_of(parts, 1, keys->placement);
        memcpy(room->bytes, hash.bytes, sizeof hash.bytes);
    }
    size_t len = TD_KEY_HASH_BYTES;
    for (uint32_t i = 0; i < td_key_part_count(&keys->schema->key); i++)
        len += td_key_write_part(parts[i], room->bytes + len);
    return td_slice_of(room->bytes, len);
}

static const td_item_keys *keys_of(const td_btree_source *source)
{
    return (const td_item_keys *)(const void *)source;
}
