/* SPDX-License-Identifier: Apache-2.0
 * bounds.c: key conditions and segments as stretches of encoded keys (key.h says how keys are encoded).
 *
 * Model:    throttling.md §2.2: segment s of T holds the slots ceil(4096 s / T) … ceil(4096 (s + 1) / T) - 1 of the
 *           hash's first twelve bits; with more segments than slots the same formula on 64 bits.
 *           A page visits the partitions in which keys between the bounds can lie; one that resumes also that in which
 *           the last page ended, since nobody knows yet whether there is more.
 * Not here: walking (page.c). */
#include "bounds.h"

#include "ranges.h"

#define SLOTS 4096
#define SLOT_SHIFT 52
#define BYTES_MAX ((size_t)1 << 18)

static void append_range(td_buf *buf, const td_key_range *range, size_t ends[2]);
static uint64_t segment_start(uint32_t segment, uint32_t total_segments);

void td_bounds__init(td_bounds *bounds)
{
    *bounds = (td_bounds){.hash_to = UINT64_MAX};
    td_buf_init(&bounds->bytes, BYTES_MAX);
}

void td_bounds__done(td_bounds *bounds)
{
    td_buf_done(&bounds->bytes);
}

/* The buffer holds: prefix, operand (the lower bound), prefix, operand (the upper bound), of which a kind uses what it
 * needs. */
bool td_bounds__set_range(td_bounds *bounds, const td_key_schema *key, const td_key_range *range,
                          td_placement placement)
{
    td_buf *buf = &bounds->bytes;
    size_t ends[2] = {0, 0};
    td_key_append_collection(buf, range->hash_parts, key->hash_count, placement);
    for (uint32_t i = 0; i < range->equal_count; i++)
        td_key_append_part(buf, range->equal_parts[i]);
    size_t prefix_len = buf->len;
    append_range(buf, range, ends);
    if (td_buf_has_failed(buf)) return false;

    /* Low and high operands stand behind the prefix one after the other: the bound of the high one needs a prefix too.
     */
    td_slice prefix = td_slice_of(buf->data, prefix_len);
    td_slice low = td_slice_of(buf->data, ends[0]);
    td_slice high = low;
    if (range->kind == TD_RANGE_BETWEEN) {
        size_t operand_len = ends[1] - ends[0];
        uint8_t *copy = td_buf_reserve(buf, prefix_len + operand_len);
        if (copy == NULL) return false;
        memcpy(copy, buf->data, prefix_len);
        memcpy(copy + prefix_len, buf->data + ends[0], operand_len);
        td_buf_commit(buf, prefix_len + operand_len);
        prefix = td_slice_of(buf->data, prefix_len);
        low = td_slice_of(buf->data, ends[0]);
        high = td_slice_of(buf->data + ends[1], prefix_len + operand_len);
    }
    bounds->lower = prefix;
    bounds->upper = prefix;
    bounds->has_upper = true;
    bounds->takes_under_upper = true;
    switch (range->kind) {
    case TD_RANGE_ALL: break;
    case TD_RANGE_LESS:
        bounds->upper = low;
        bounds->takes_under_upper = false;
        break;
    case TD_RANGE_LESS_EQUAL: bounds->upper = low; break;
    case TD_RANGE_GREATER:
        bounds->lower = low;
        bounds->skips_under_lower = true;
        break;
    case TD_RANGE_GREATER_EQUAL: bounds->lower = low; break;
    case TD_RANGE_BETWEEN:
    case TD_RANGE_BEGINS_WITH:
        bounds->lower = low;
        bounds->upper = high;
        break;
    }
    bounds->hash_from = td_partition__hash_of_key(prefix);
    bounds->hash_to = bounds->hash_from;
    return true;
}

void td_bounds__set_segment(td_bounds *bounds, uint32_t segment, uint32_t total_segments)
{
    if (total_segments <= 1) return;
    TD_ASSERT(segment < total_segments);
    bounds->hash_from = segment_start(segment, total_segments);
    bounds->hash_to = segment + 1 == total_segments ? UINT64_MAX : segment_start(segment + 1, total_segments) - 1;
    TD_ASSERT(bounds->hash_from <= bounds->hash_to); /* no more segments than slots: each holds one */
}

bool td_bounds__set_start(td_bounds *bounds, td_slice key)
{
    td_buf *buf = &bounds->bytes;
    size_t lower_at = bounds->lower.len == 0 ? 0 : (size_t)(bounds->lower.ptr - buf->data);
    size_t upper_at = bounds->upper.len == 0 ? 0 : (size_t)(bounds->upper.ptr - buf->data);
    size_t start_at = buf->len;
    td_buf_append(buf, key);
    if (td_buf_has_failed(buf)) return false;
    bounds->lower.ptr = buf->data + lower_at; /* the buffer may have moved */
    bounds->upper.ptr = buf->data + upper_at;
    bounds->start = td_slice_of(buf->data + start_at, key.len);
    uint64_t hash = td_partition__hash_of_key(key);
    if (bounds->is_backward && hash < bounds->hash_to) bounds->hash_to = hash;
    if (!bounds->is_backward && hash > bounds->hash_from) bounds->hash_from = hash;
    return true;
}

/* The start is the last in the buffer: the new one takes its place. */
bool td_bounds__move_start(td_bounds *bounds, td_slice key, bool takes_start)
{
    TD_ASSERT(!takes_start || !bounds->is_backward);
    if (bounds->start.len > 0) bounds->bytes.len = (size_t)(bounds->start.ptr - bounds->bytes.data);
    bounds->takes_start = takes_start;
    return td_bounds__set_start(bounds, key);
}

void td_bounds__find_partitions(const td_bounds *bounds, const td_resource *resource, uint32_t *ret_low,
                                uint32_t *ret_high)
{
    uint8_t bytes[8];
    uint32_t low;
    uint32_t high;
    if (bounds->lower.len > 0) {
        low = td_ranges__find(resource, bounds->lower, bounds->skips_under_lower ? TD_BEGINS_UNDER : TD_BEGINS_AT);
    } else {
        low = td_ranges__find(resource, td_partition__key_of_hash(bounds->hash_from, bytes), TD_BEGINS_AT);
    }
    if (bounds->has_upper) {
        high = td_ranges__find(resource, bounds->upper, bounds->takes_under_upper ? TD_BEGINS_UNDER : TD_BEGINS_BEFORE);
    } else {
        high = td_ranges__find(resource, td_partition__key_of_hash(bounds->hash_to, bytes), TD_BEGINS_UNDER);
    }
    if (bounds->start.len > 0 && bounds->is_backward) {
        uint32_t start = td_ranges__find(resource, bounds->start, TD_BEGINS_BEFORE);
        if (start < high) high = start;
    } else if (bounds->start.len > 0) {
        uint32_t start = td_ranges__find(resource, bounds->start, TD_BEGINS_AT);
        if (start > low) low = start;
    }
    *ret_low = low;
    *ret_high = high > low ? high : low; /* a page that can find nothing asks one partition all the same */
}

td_btree_cursor td_bounds__seek(const td_bounds *bounds, const td_btree *tree)
{
    uint8_t bytes[8];
    if (bounds->start.len > 0) {
        td_btree_seek forward = bounds->takes_start ? TD_SEEK_FIRST_AT_OR_AFTER : TD_SEEK_FIRST_AFTER;
        return td_btree_seek_key(tree, bounds->start, bounds->is_backward ? TD_SEEK_LAST_BEFORE : forward);
    }
    if (!bounds->is_backward) {
        if (bounds->lower.len == 0) {
            return td_btree_seek_key(tree, td_partition__key_of_hash(bounds->hash_from, bytes),
                                     TD_SEEK_FIRST_AT_OR_AFTER);
        }
        return td_btree_seek_key(tree, bounds->lower,
                                 bounds->skips_under_lower ? TD_SEEK_FIRST_PAST : TD_SEEK_FIRST_AT_OR_AFTER);
    }
    if (!bounds->has_upper) return td_btree_last(tree);
    return td_btree_seek_key(tree, bounds->upper, bounds->takes_under_upper ? TD_SEEK_LAST_UNDER : TD_SEEK_LAST_BEFORE);
}

td_btree_cursor td_bounds__seek_end(const td_bounds *bounds, const td_btree *tree)
{
    uint8_t bytes[8];
    if (bounds->is_backward) {
        return td_btree_seek_key(tree, bounds->lower,
                                 bounds->skips_under_lower ? TD_SEEK_LAST_UNDER : TD_SEEK_LAST_BEFORE);
    }
    if (bounds->has_upper) {
        return td_btree_seek_key(tree, bounds->upper,
                                 bounds->takes_under_upper ? TD_SEEK_FIRST_PAST : TD_SEEK_FIRST_AT_OR_AFTER);
    }
    if (bounds->hash_to == UINT64_MAX) return (td_btree_cursor){.leaf = NULL};
    return td_btree_seek_key(tree, td_partition__key_of_hash(bounds->hash_to + 1, bytes), TD_SEEK_FIRST_AT_OR_AFTER);
}

bool td_bounds__has_key(const td_bounds *bounds, td_slice key)
{
    if (bounds->is_backward) {
        if (td_slice_compare(key, bounds->lower) < 0) return false;
        return !bounds->skips_under_lower || !td_slice_has_prefix(key, bounds->lower);
    }
    if (!bounds->has_upper) return bounds->hash_to == UINT64_MAX || td_partition__hash_of_key(key) <= bounds->hash_to;
    if (td_slice_compare(key, bounds->upper) < 0) return true;
    return bounds->takes_under_upper && td_slice_has_prefix(key, bounds->upper);
}

/* Appends the operands; ends[0] and ends[1] are where each ends. */
static void append_range(td_buf *buf, const td_key_range *range, size_t ends[2])
{
    switch (range->kind) {
    case TD_RANGE_ALL: break;
    case TD_RANGE_BEGINS_WITH: td_key_append_open_part(buf, range->low); break;
    case TD_RANGE_LESS:
    case TD_RANGE_LESS_EQUAL:
    case TD_RANGE_GREATER:
    case TD_RANGE_GREATER_EQUAL:
    case TD_RANGE_BETWEEN: td_key_append_part(buf, range->low); break;
    }
    ends[0] = buf->len;
    if (range->kind == TD_RANGE_BETWEEN) td_key_append_part(buf, range->high);
    ends[1] = buf->len;
}

static uint64_t segment_start(uint32_t segment, uint32_t total_segments)
{
    if (total_segments <= SLOTS) {
        uint64_t slot = ((uint64_t)segment * SLOTS + total_segments - 1) / total_segments;
        return slot << SLOT_SHIFT;
    }
    unsigned __int128 scaled = (unsigned __int128)segment << 64;
    return (uint64_t)((scaled + total_segments - 1) / total_segments);
}
