/* SPDX-License-Identifier: Apache-2.0
 * sort.c: a stable sort in place: sorted runs by insertion, then merges by rotation.
 *
 * Model:    Kim and Kutzner, "Stable Minimum Storage Merging by Symmetric Comparisons" (2004). libc's qsort is neither
 *           stable nor free of the system's allocator, and a merge with scratch memory could fail, which callers that
 *           sort in place have no use for.
 * Bounds:   the recursion halves its range, so it is at most 32 levels of each kind deep. */
#include "sort.h"

#include <endian.h>

enum { RUN_LENGTH = 16, BLOCK_BYTES = 16 };

typedef struct sorter {
    uint8_t *base;
    size_t element_bytes;
} sorter;

static void insert_sort(const sorter *sort, uint32_t begin, uint32_t end);
static void merge(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end);
static void rotate(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end);
static void swap_ranges(const sorter *sort, uint32_t a, uint32_t b, uint32_t count);

static uint8_t *element(const sorter *sort, uint32_t index) { return sort->base + index * sort->element_bytes; }

static td_slice key(const sorter *sort, uint32_t index)
{
    td_slice key;
    memcpy(&key, element(sort, index), sizeof key);
    return key;
}

static bool is_less(const sorter *sort, uint32_t a, uint32_t b)
{
    return td_slice_compare(key(sort, a), key(sort, b)) < 0;
}

void td_value__sort(void *base, uint32_t count, size_t element_bytes)
{
    TD_ASSERT(element_bytes >= sizeof(td_slice));
    TD_ASSERT(element_bytes <= TD_VALUE_SORT_ELEMENT_BYTES_MAX);
    TD_ASSERT(element_bytes % BLOCK_BYTES == 0);
    TD_ASSERT(count <= UINT32_MAX / 4);
    sorter sort = {base, element_bytes};
    for (uint32_t begin = 0; begin < count; begin += RUN_LENGTH)
        insert_sort(&sort, begin, count - begin < RUN_LENGTH ? count : begin + RUN_LENGTH);
    for (uint32_t length = RUN_LENGTH; length < count; length *= 2)
        for (uint32_t begin = 0; count - begin > length; begin += 2 * length) {
            uint32_t end = count - begin < 2 * length ? count : begin + 2 * length;
            merge(&sort, begin, begin + length, end);
            if (end == count) break;
        }
}

static uint64_t first_eight(const uint8_t *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return be64toh(bytes);
}

static uint64_t first_four(const uint8_t *at)
{
    uint32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return be32toh(bytes);
}

/* The first eight bytes as a number that orders as they do; zeros behind a shorter key leave ties to be compared. */
static uint64_t head_of(td_slice key)
{
    if (key.len >= 8) return first_eight(key.ptr);
    /* Two halves that overlap agree where they do. */
    if (key.len >= 4) return first_four(key.ptr) << 32 | first_four(key.ptr + key.len - 4) << (64 - 8 * key.len);
    uint64_t head = 0;
    for (size_t i = 0; i < key.len; i++)
        head |= (uint64_t)key.ptr[i] << (56 - 8 * i);
    return head;
}

/* Most comparisons are decided by the heads, which move along with their elements. */
static void insert_sort(const sorter *sort, uint32_t begin, uint32_t end)
{
    uint8_t held[TD_VALUE_SORT_ELEMENT_BYTES_MAX];
    uint64_t heads[RUN_LENGTH];
    uint32_t count = end - begin;
    TD_ASSERT(count <= RUN_LENGTH);
    for (uint32_t i = 0; i < count; i++) {
        td_slice inserted = key(sort, begin + i);
        uint64_t head = head_of(inserted);
        uint32_t at = i;
        while (at > 0 && head <= heads[at - 1]) {
            if (head == heads[at - 1] && td_slice_compare(inserted, key(sort, begin + at - 1)) >= 0) break;
            heads[at] = heads[at - 1];
            at--;
        }
        heads[at] = head;
        if (at == i) continue;
        memcpy(held, element(sort, begin + i), sort->element_bytes);
        memmove(element(sort, begin + at + 1), element(sort, begin + at), (i - at) * sort->element_bytes);
        memcpy(element(sort, begin + at), held, sort->element_bytes);
    }
}

/* Merges the sorted neighbours [begin, middle) and [middle, end): finds by symmetric comparisons what must change
 * sides of the range's centre, rotates it there, and goes on with both halves. */
static void merge(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end)
{
    if (begin == middle || middle == end) return;
    if (!is_less(sort, middle, middle - 1)) return;
    if (end - begin == 2) {
        swap_ranges(sort, begin, middle, 1);
        return;
    }
    uint32_t centre = begin + (end - begin) / 2;
    uint32_t mirror = centre + middle; /* i of the left pairs with mirror - 1 - i of the right */
    uint32_t low = middle > centre ? mirror - end : begin;
    uint32_t high = middle > centre ? centre : middle;
    while (low < high) {
        uint32_t probe = low + (high - low) / 2;
        if (!is_less(sort, mirror - 1 - probe, probe))
            low = probe + 1;
        else
            high = probe;
    }
    uint32_t right = mirror - low;
    rotate(sort, low, middle, right);
    merge(sort, begin, low, centre);
    merge(sort, centre, right, end);
}

/* Brings [middle, end) before [begin, middle) by swaps of equal lengths. */
static void rotate(const sorter *sort, uint32_t begin, uint32_t middle, uint32_t end)
{
    uint32_t left = middle - begin, right = end - middle;
    if (left == 0 || right == 0) return;
    while (left != right) {
        if (left > right) {
            swap_ranges(sort, middle - left, middle, right);
            left -= right;
        } else {
            swap_ranges(sort, middle - left, middle + right - left, left);
            right -= left;
        }
    }
    swap_ranges(sort, middle - left, middle, left);
}

/* The ranges do not overlap, so that they are swapped as plain bytes, in blocks whose size the compiler knows. */
static void swap_ranges(const sorter *sort, uint32_t a, uint32_t b, uint32_t count)
{
    uint8_t *left = element(sort, a), *right = element(sort, b);
    size_t rest = count * sort->element_bytes;
    for (; rest >= BLOCK_BYTES; rest -= BLOCK_BYTES, left += BLOCK_BYTES, right += BLOCK_BYTES) {
        uint8_t held[BLOCK_BYTES];
        memcpy(held, left, BLOCK_BYTES);
        memcpy(left, right, BLOCK_BYTES);
        memcpy(right, held, BLOCK_BYTES);
    }
    TD_ASSERT(rest == 0);
}
